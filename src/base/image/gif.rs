//! GIF, block by block.

use super::{Walk, le16, part};

const EXTENSION: u8 = 0x21;
const FRAME: u8 = 0x2c;
const END: u8 = 0x3b;
const COMMENT: u8 = 0xfe;
const APPLICATION: u8 = 0xff;

/// Of what programs add: how often frames are repeated, and the colours.
const KEPT: [&[u8]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012"];

/// Keeps what decoding needs.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut walk = Walk {
        passes: 1,
        ..Walk::default()
    };
    let mut at = 13 + bytes.get(10).map_or(0, |flags| table(*flags));
    walk.out.extend(&bytes[..at.min(bytes.len())]);
    while let Some(&kind) = bytes.get(at) {
        let end = match kind {
            EXTENSION => blocks_end(bytes, at + 2),
            FRAME => frame_end(bytes, at),
            END => {
                walk.out.push(END);
                break;
            }
            _ => None,
        };
        if kind == FRAME {
            walk.frames += 1;
            let size = le16(bytes, at + 5).zip(le16(bytes, at + 7));
            let pixels = size.map_or(0, |(width, height)| width.saturating_mul(height));
            walk.largest = walk.largest.max(pixels);
        }
        let is_kept = kind != EXTENSION || keeps(bytes, at);
        let Some(end) = end else {
            if is_kept {
                walk.out.extend(&bytes[at..]);
            }
            break;
        };
        if is_kept {
            walk.out.extend(&bytes[at..end]);
        }
        at = end;
    }
    walk
}

/// How long the table of colours is that flags announce.
fn table(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

fn keeps(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1) {
        Some(&APPLICATION) => KEPT.contains(&part(bytes, at + 3, 11).unwrap_or_default()),
        Some(&COMMENT) | None => false,
        Some(_) => true,
    }
}

fn frame_end(bytes: &[u8], at: usize) -> Option<usize> {
    let flags = *bytes.get(at + 9)?;
    blocks_end(bytes, at + 10 + table(flags) + 1)
}

/// Behind the empty block that ends a row of them.
fn blocks_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let len = usize::from(*bytes.get(at)?);
        at += 1 + len;
        if len == 0 {
            return Some(at);
        }
    }
}
