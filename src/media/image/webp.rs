//! WebP, chunk by chunk. Image data is copied as it is.

use super::{Stripped, exif, icc, le32, slice};

const HEAD: usize = 12;
const HAS_COLOURS: u8 = 0x20;
const HAS_NOTES: u8 = 0x08;
/// Alpha and animation.
const KEPT_FLAGS: u8 = 0x12;
/// The length of the header before a frame's image.
const FRAME_HEAD: usize = 16;

/// Keeps the data that decoding needs, the colour profile and the orientation.
pub fn strip(bytes: &[u8]) -> Stripped {
    let mut stripped = Stripped { out: bytes[..HEAD.min(bytes.len())].to_vec(), passes: 1, ..Stripped::default() };
    let declared = le32(bytes, 4).unwrap_or_default().saturating_add(8);
    let bytes = &bytes[..declared.clamp(HEAD.min(bytes.len()), bytes.len())];
    let mut flags = None;
    let (mut has_colours, mut has_alpha) = (false, false);
    let (mut moves, mut has_picture) = (false, false);
    for (name, payload) in chunks(bytes.get(HEAD..).unwrap_or_default()) {
        let is_extended = flags.is_some();
        match name {
            b"VP8X" if payload.len() >= 10 && stripped.out.len() == HEAD => {
                flags = Some(stripped.out.len() + 8);
                put(&mut stripped.out, name, &[&[payload[0], 0, 0, 0], &payload[4..10]].concat());
            }
            b"ICCP" if is_extended && !has_colours && !has_picture => {
                if let Some(colours) = icc::strip(payload) {
                    has_colours = true;
                    put(&mut stripped.out, name, &colours);
                }
            }
            b"ANIM" if is_extended && !moves && payload.len() >= 6 => {
                moves = true;
                put(&mut stripped.out, name, &payload[..6]);
            }
            b"ANMF" if moves && payload.len() > FRAME_HEAD => {
                let picture = picture(&payload[FRAME_HEAD..]);
                stripped.frames += 1;
                has_picture |= !picture.is_empty();
                put(&mut stripped.out, name, &[&payload[..FRAME_HEAD], &picture].concat());
            }
            b"ALPH" if is_extended && !moves && !has_alpha && !has_picture => {
                has_alpha = true;
                put(&mut stripped.out, name, payload);
            }
            b"VP8 " | b"VP8L" if !moves && !has_picture => {
                has_picture = true;
                put(&mut stripped.out, name, payload);
            }
            b"EXIF" if is_extended && stripped.orientation.is_none() => {
                stripped.orientation = exif::orientation(payload);
            }
            _ => {}
        }
    }
    let notes = exif::with_orientation(stripped.orientation);
    if let Some(flags) = flags.and_then(|at| stripped.out.get_mut(at)) {
        *flags &= KEPT_FLAGS;
        *flags |= if has_colours { HAS_COLOURS } else { 0 };
        *flags |= if notes.is_some() { HAS_NOTES } else { 0 };
    }
    if let Some(notes) = notes {
        put(&mut stripped.out, b"EXIF", &notes);
    }
    let len = u32::try_from(stripped.out.len().saturating_sub(8)).unwrap_or_default();
    if let Some(size) = stripped.out.get_mut(4..8) {
        size.copy_from_slice(&len.to_le_bytes());
    }
    stripped
}

/// Consecutive chunks, each at an even offset. A truncated chunk is returned as far as it goes.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (name, len) = (slice(bytes, at, 4)?, le32(bytes, at + 4)?);
        let begin = at + 8;
        let end = begin.saturating_add(len).min(bytes.len());
        at = end + len % 2;
        Some((name, &bytes[begin..end]))
    })
}

/// The chunks of a frame's image.
fn picture(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, payload) in chunks(bytes) {
        match name {
            b"ALPH" if out.is_empty() => put(&mut out, name, payload),
            b"VP8 " | b"VP8L" => {
                put(&mut out, name, payload);
                return out;
            }
            _ => {}
        }
    }
    Vec::new()
}

fn put(out: &mut Vec<u8>, name: &[u8], payload: &[u8]) {
    let len = u32::try_from(payload.len()).unwrap_or_default();
    out.extend(name);
    out.extend(len.to_le_bytes());
    out.extend(payload);
    if payload.len() % 2 == 1 {
        out.push(0);
    }
}
