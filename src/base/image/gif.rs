//! GIF, block by block.

use super::{Walk, le16, part};

const EXTENSION: u8 = 0x21;
const FRAME: u8 = 0x2c;
const END: u8 = 0x3b;
const CONTROL: u8 = 0xf9;
const APPLICATION: u8 = 0xff;

/// How often frames are repeated, as programs call it.
const REPEATS: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];

/// Keeps what decoding needs.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut walk = Walk {
        passes: 1,
        ..Walk::default()
    };
    let mut at = 13 + bytes.get(10).map_or(0, |flags| table(*flags));
    walk.out.extend(&bytes[..at.min(bytes.len())]);
    if at > bytes.len() {
        return walk;
    }
    let (mut control, mut repeats) = (None, false);
    while let Some(&kind) = bytes.get(at) {
        let end = match kind {
            EXTENSION => {
                match bytes.get(at + 1) {
                    Some(&CONTROL) => control = part(bytes, at, 8).filter(|own| own[2] == 4),
                    Some(&APPLICATION) if !repeats && REPEATS.contains(&name(bytes, at)) => {
                        if let Some(&[3, 1, low, high]) = part(bytes, at + 14, 4) {
                            repeats = true;
                            walk.out.extend([EXTENSION, APPLICATION, 11]);
                            walk.out.extend(REPEATS[0]);
                            walk.out.extend([3, 1, low, high, 0]);
                        }
                    }
                    _ => {}
                }
                blocks(bytes, at + 2).map(|(_, end)| end)
            }
            FRAME => frame(bytes, at, control.take(), &mut walk),
            _ => None,
        };
        let Some(end) = end else { break };
        at = end;
    }
    walk.out.push(END);
    walk
}

/// The name of an application's extension.
fn name(bytes: &[u8], at: usize) -> &[u8] {
    part(bytes, at + 3, 11).unwrap_or_default()
}

/// How long the table of colours is that flags announce.
fn table(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

/// Puts a frame out, behind what says how it is shown; says where it ends.
fn frame(bytes: &[u8], at: usize, control: Option<&[u8]>, walk: &mut Walk) -> Option<usize> {
    let head = part(bytes, at, 10)?;
    let pixels = le16(head, 5)?.saturating_mul(le16(head, 7)?);
    let colours = part(bytes, at + 10, table(head[9]))?;
    let size = *bytes.get(at + 10 + colours.len())?;
    if !(1..=8).contains(&size) {
        return None;
    }
    let (codes, end) = blocks(bytes, at + 11 + colours.len()).unwrap_or_else(|| {
        // Of a frame that is cut off, what is there is shown.
        (rest_of_blocks(bytes, at + 11 + colours.len()), bytes.len())
    });
    walk.frames += 1;
    walk.largest = walk.largest.max(pixels);
    if let Some(control) = control {
        walk.out.extend(&control[..7]);
        walk.out.push(0);
    }
    walk.out.extend(head);
    walk.out.extend(colours);
    walk.out.push(size);
    for block in codes[..codes_end(&codes, size, pixels)].chunks(255) {
        walk.out.push(u8::try_from(block.len()).unwrap_or(u8::MAX));
        walk.out.extend(block);
    }
    walk.out.push(0);
    Some(end)
}

/// What a row of blocks holds, and where it ends, behind the empty one.
fn blocks(bytes: &[u8], mut at: usize) -> Option<(Vec<u8>, usize)> {
    let mut joined = Vec::new();
    loop {
        let len = usize::from(*bytes.get(at)?);
        if len == 0 {
            return Some((joined, at + 1));
        }
        joined.extend(part(bytes, at + 1, len)?);
        at += 1 + len;
    }
}

/// The same, of a row without an end.
fn rest_of_blocks(bytes: &[u8], mut at: usize) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(&len) = bytes.get(at) {
        let end = bytes.len().min(at + 1 + usize::from(len));
        joined.extend(&bytes[at + 1..end]);
        at = end;
    }
    joined
}

/// How many bytes of a frame's codes (LZW) a decoder reads: until all pixels are there, or the code that says so.
fn codes_end(codes: &[u8], size: u8, pixels: usize) -> usize {
    const CODES: usize = 1 << 12;
    let clear = 1_usize << size;
    let mut lengths = [1_usize; CODES];
    let (mut next, mut width) = (clear + 2, usize::from(size) + 1);
    let mut before: Option<usize> = None;
    let (mut read, mut made) = (0, 0);
    while read + width <= codes.len() * 8 {
        let mut three = [0; 4];
        let rest = &codes[read / 8..];
        let len = rest.len().min(3);
        three[..len].copy_from_slice(&rest[..len]);
        let code = (u32::from_le_bytes(three) >> (read % 8)) as usize & ((1 << width) - 1);
        // Behind the last pixel only the end counts.
        if made >= pixels && code != clear + 1 {
            break;
        }
        read += width;
        if code == clear + 1 {
            break;
        }
        if code == clear {
            (next, width, before) = (clear + 2, usize::from(size) + 1, None);
            continue;
        }
        let length = match before {
            Some(before) if code == next => lengths[before] + 1,
            _ if code < next => lengths[code],
            // No decoder knows what that is.
            _ => break,
        };
        made += length;
        if let Some(before) = before.filter(|_| next < CODES) {
            lengths[next] = lengths[before] + 1;
            next += 1;
            if next == 1 << width && width < 12 {
                width += 1;
            }
        }
        before = Some(code);
    }
    read.div_ceil(8)
}
