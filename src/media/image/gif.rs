//! GIF, block by block.

use super::{Stripped, le16, slice};

const EXTENSION: u8 = 0x21;
const FRAME: u8 = 0x2c;
const END: u8 = 0x3b;
const CONTROL: u8 = 0xf9;
const APPLICATION: u8 = 0xff;

/// The names of the extension that repeats an animation.
const REPEATS: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];

/// Keeps the data that decoding needs.
pub fn strip(bytes: &[u8]) -> Stripped {
    let mut stripped = Stripped { passes: 1, ..Stripped::default() };
    let mut at = 13 + bytes.get(10).map_or(0, |flags| table_len(*flags));
    stripped.out.extend(&bytes[..at.min(bytes.len())]);
    if at > bytes.len() {
        return stripped;
    }
    let (mut control, mut repeats) = (None, false);
    while let Some(&kind) = bytes.get(at) {
        let end = match kind {
            EXTENSION => {
                match bytes.get(at + 1) {
                    Some(&CONTROL) => control = slice(bytes, at, 8).filter(|own| own[2] == 4),
                    Some(&APPLICATION) if !repeats && REPEATS.contains(&name(bytes, at)) => {
                        if let Some(&[3, 1, low, high]) = slice(bytes, at + 14, 4) {
                            repeats = true;
                            stripped.out.extend([EXTENSION, APPLICATION, 11]);
                            stripped.out.extend(REPEATS[0]);
                            stripped.out.extend([3, 1, low, high, 0]);
                        }
                    }
                    _ => {}
                }
                blocks(bytes, at + 2).map(|(_, end)| end)
            }
            FRAME => frame(bytes, at, control.take(), &mut stripped),
            _ => None,
        };
        let Some(end) = end else { break };
        at = end;
    }
    stripped.out.push(END);
    stripped
}

/// The name of an application's extension.
fn name(bytes: &[u8], at: usize) -> &[u8] {
    slice(bytes, at + 3, 11).unwrap_or_default()
}

/// The length of the colour table_len that flags announce.
fn table_len(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Writes a frame after its control block, and returns the end of the frame.
fn frame(bytes: &[u8], at: usize, control: Option<&[u8]>, stripped: &mut Stripped) -> Option<usize> {
    let head = slice(bytes, at, 10)?;
    let pixels = le16(head, 5)?.saturating_mul(le16(head, 7)?);
    let colours = slice(bytes, at + 10, table_len(head[9]))?;
    let size = *bytes.get(at + 10 + colours.len())?;
    if !(1..=8).contains(&size) {
        return None;
    }
    let (codes, end) = blocks(bytes, at + 11 + colours.len()).unwrap_or_else(|| {
        // A truncated frame is kept as far as it goes.
        (truncated_blocks(bytes, at + 11 + colours.len()), bytes.len())
    });
    stripped.frames += 1;
    stripped.largest = stripped.largest.max(pixels);
    if let Some(control) = control {
        stripped.out.extend(&control[..7]);
        stripped.out.push(0);
    }
    stripped.out.extend(head);
    stripped.out.extend(colours);
    stripped.out.push(size);
    for block in codes[..codes_end(&codes, size, pixels)].chunks(255) {
        stripped.out.push(u8::try_from(block.len()).unwrap_or(u8::MAX));
        stripped.out.extend(block);
    }
    stripped.out.push(0);
    Some(end)
}

/// The joined content of a sequence of blocks, and the offset after its terminator.
fn blocks(bytes: &[u8], mut at: usize) -> Option<(Vec<u8>, usize)> {
    let mut joined = Vec::new();
    loop {
        let len = usize::from(*bytes.get(at)?);
        if len == 0 {
            return Some((joined, at + 1));
        }
        joined.extend(slice(bytes, at + 1, len)?);
        at += 1 + len;
    }
}

/// The joined content of a sequence of blocks without a terminator.
fn truncated_blocks(bytes: &[u8], mut at: usize) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(&len) = bytes.get(at) {
        let end = bytes.len().min(at + 1 + usize::from(len));
        joined.extend(&bytes[at + 1..end]);
        at = end;
    }
    joined
}

/// How many bytes of a frame's LZW codes a decoder reads: until all pixels are decoded, or up to the end code.
fn codes_end(codes: &[u8], size: u8, pixels: usize) -> usize {
    const CODES: usize = 1 << 12;
    let clear = 1_usize << size;
    let mut lengths = [1_usize; CODES];
    let (mut next, mut width) = (clear + 2, usize::from(size) + 1);
    let mut before: Option<usize> = None;
    let (mut read, mut decoded) = (0, 0);
    while read + width <= codes.len() * 8 {
        let mut three = [0; 4];
        let rest = &codes[read / 8..];
        let len = rest.len().min(3);
        three[..len].copy_from_slice(&rest[..len]);
        let code = (u32::from_le_bytes(three) >> (read % 8)) as usize & ((1 << width) - 1);
        // After the last pixel only the end code counts.
        if decoded >= pixels && code != clear + 1 {
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
            // Invalid.
            _ => break,
        };
        decoded += length;
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
