//! WebP, chunk by chunk. The data of a picture is taken as it is.

use super::{Walk, exif, icc, le32, part};

const HEAD: usize = 12;
const HAS_COLOURS: u8 = 0x20;
const HAS_NOTES: u8 = 0x08;
/// Transparency and movement.
const KEPT_FLAGS: u8 = 0x12;
/// In front of the picture of a frame.
const FRAME_HEAD: usize = 16;

/// Keeps what decoding needs, the colours and the way up.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut walk = Walk {
        out: bytes[..HEAD.min(bytes.len())].to_vec(),
        passes: 1,
        ..Walk::default()
    };
    let said = le32(bytes, 4).unwrap_or_default().saturating_add(8);
    let bytes = &bytes[..said.clamp(HEAD.min(bytes.len()), bytes.len())];
    let mut flags = None;
    let (mut has_colours, mut has_alpha) = (false, false);
    let (mut moves, mut has_picture) = (false, false);
    for (name, own) in chunks(bytes.get(HEAD..).unwrap_or_default()) {
        let is_extended = flags.is_some();
        match name {
            b"VP8X" if own.len() >= 10 && walk.out.len() == HEAD => {
                flags = Some(walk.out.len() + 8);
                put(
                    &mut walk.out,
                    name,
                    &[&[own[0], 0, 0, 0], &own[4..10]].concat(),
                );
            }
            b"ICCP" if is_extended && !has_colours && !has_picture => {
                if let Some(colours) = icc::bare(own) {
                    has_colours = true;
                    put(&mut walk.out, name, &colours);
                }
            }
            b"ANIM" if is_extended && !moves && own.len() >= 6 => {
                moves = true;
                put(&mut walk.out, name, &own[..6]);
            }
            b"ANMF" if moves && own.len() > FRAME_HEAD => {
                let picture = picture(&own[FRAME_HEAD..]);
                walk.frames += 1;
                has_picture |= !picture.is_empty();
                put(
                    &mut walk.out,
                    name,
                    &[&own[..FRAME_HEAD], &picture].concat(),
                );
            }
            b"ALPH" if is_extended && !moves && !has_alpha && !has_picture => {
                has_alpha = true;
                put(&mut walk.out, name, own);
            }
            b"VP8 " | b"VP8L" if !moves && !has_picture => {
                has_picture = true;
                put(&mut walk.out, name, own);
            }
            b"EXIF" if is_extended && walk.orientation.is_none() => {
                walk.orientation = exif::orientation(own);
            }
            _ => {}
        }
    }
    let notes = exif::of_orientation(walk.orientation);
    if let Some(flags) = flags.and_then(|at| walk.out.get_mut(at)) {
        *flags &= KEPT_FLAGS;
        *flags |= if has_colours { HAS_COLOURS } else { 0 };
        *flags |= if notes.is_some() { HAS_NOTES } else { 0 };
    }
    if let Some(notes) = notes {
        put(&mut walk.out, b"EXIF", &notes);
    }
    let len = u32::try_from(walk.out.len().saturating_sub(8)).unwrap_or_default();
    if let Some(place) = walk.out.get_mut(4..8) {
        place.copy_from_slice(&len.to_le_bytes());
    }
    walk
}

/// The chunks that stand one behind the other, at even places; of one that says too much, what is there.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (name, len) = (part(bytes, at, 4)?, le32(bytes, at + 4)?);
        let begin = at + 8;
        let end = begin.saturating_add(len).min(bytes.len());
        at = end + len % 2;
        Some((name, &bytes[begin..end]))
    })
}

/// The parts of a frame's picture.
fn picture(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, own) in chunks(bytes) {
        match name {
            b"ALPH" if out.is_empty() => put(&mut out, name, own),
            b"VP8 " | b"VP8L" => {
                put(&mut out, name, own);
                return out;
            }
            _ => {}
        }
    }
    Vec::new()
}

fn put(out: &mut Vec<u8>, name: &[u8], own: &[u8]) {
    let len = u32::try_from(own.len()).unwrap_or_default();
    out.extend(name);
    out.extend(len.to_le_bytes());
    out.extend(own);
    if own.len() % 2 == 1 {
        out.push(0);
    }
}
