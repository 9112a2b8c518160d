//! WebP, chunk by chunk.

use super::{Walk, exif, le32, part};

const HEAD: usize = 12;
const NOTES: u8 = 0x08;
const MORE_NOTES: u8 = 0x04;

/// All others are notes.
const KEPT: [&[u8; 4]; 7] = [
    b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP",
];

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
    let mut at = HEAD;
    while let Some(name) = part(bytes, at, 4) {
        let is_kept = KEPT.iter().any(|kept| *kept == name);
        let len = le32(bytes, at + 4);
        let Some(own) = len.and_then(|len| part(bytes, at + 8, len)) else {
            if is_kept {
                walk.out.extend(&bytes[at..]);
            }
            break;
        };
        match name {
            b"VP8X" => flags = flags.or(Some(walk.out.len() + 8).filter(|_| !own.is_empty())),
            b"EXIF" if walk.orientation.is_none() && flags.is_some() => {
                walk.orientation = exif::orientation(own);
            }
            b"ANMF" => walk.frames += 1,
            _ => {}
        }
        if is_kept {
            put(&mut walk.out, name, own);
        }
        // Chunks begin at even places.
        at += 8 + own.len() + own.len() % 2;
    }
    let notes = exif::of_orientation(walk.orientation);
    if let Some(flags) = flags.and_then(|at| walk.out.get_mut(at)) {
        *flags &= !(NOTES | MORE_NOTES);
        if notes.is_some() {
            *flags |= NOTES;
        }
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

fn put(out: &mut Vec<u8>, name: &[u8], own: &[u8]) {
    let len = u32::try_from(own.len()).unwrap_or_default();
    out.extend(name);
    out.extend(len.to_le_bytes());
    out.extend(own);
    if own.len() % 2 == 1 {
        out.push(0);
    }
}
