//! PNG, chunk by chunk.

use super::{Walk, be32, exif, part};

const SIGNATURE: usize = 8;

/// Beside the critical ones: colours, transparency, density and frames. All others are notes.
const KEPT: [&[u8; 4]; 14] = [
    b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"mDCV", b"cLLI", b"sBIT", b"tRNS", b"bKGD",
    b"pHYs", b"acTL", b"fcTL", b"fdAT",
];

/// Keeps what decoding needs, the colours and the way up.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut walk = Walk {
        out: bytes[..SIGNATURE.min(bytes.len())].to_vec(),
        passes: 1,
        ..Walk::default()
    };
    let mut at = SIGNATURE;
    while let Some(name) = part(bytes, at + 4, 4) {
        let len = be32(bytes, at).unwrap_or_default();
        let whole = len.checked_add(12).and_then(|len| part(bytes, at, len));
        // The fifth bit of a name says that a chunk may be passed over.
        let is_kept = name[0] & 0x20 == 0 || KEPT.iter().any(|kept| *kept == name);
        let Some(chunk) = whole else {
            if is_kept {
                walk.out.extend(&bytes[at..]);
            }
            break;
        };
        let own = &chunk[8..8 + len];
        at += chunk.len();
        match name {
            b"eXIf" if walk.orientation.is_none() => {
                walk.orientation = exif::orientation(own);
                if let Some(notes) = exif::of_orientation(walk.orientation) {
                    put(&mut walk.out, b"eXIf", &notes);
                }
            }
            b"fcTL" => {
                walk.frames += 1;
                let size = be32(own, 4).zip(be32(own, 8));
                let pixels = size.map_or(0, |(width, height)| width.saturating_mul(height));
                walk.largest = walk.largest.max(pixels);
            }
            _ => {}
        }
        if is_kept {
            walk.out.extend(chunk);
        }
        if name == b"IEND" {
            break;
        }
    }
    walk
}

fn put(out: &mut Vec<u8>, name: &[u8; 4], own: &[u8]) {
    let len = u32::try_from(own.len()).unwrap_or_default();
    out.extend(len.to_be_bytes());
    let begin = out.len();
    out.extend(name);
    out.extend(own);
    let sum = crc32fast::hash(&out[begin..]);
    out.extend(sum.to_be_bytes());
}
