//! The bytes of a segment: numbers and byte strings in sequence, some of them compressed.

use std::borrow::Cow;

/// Whether long byte strings are compressed: smaller in the file, slower to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not compressed.
    Plain,
    /// Compressed, where that saves half: unpacking takes longer than reading twice as much.
    Packed,
}

// Below that, unpacking costs more than it saves.
const WORTH_PACKING: usize = 512;
// The most memory that a damaged length can make us allocate.
const MOST: usize = 64 << 20;

/// Appends a number.
pub(super) fn put_number(number: usize, out: &mut Vec<u8>) {
    // No length in a block is near four billion.
    out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// Appends a byte string.
pub(super) fn put(bytes: &[u8], packing: Packing, out: &mut Vec<u8>) {
    if bytes.len() >= WORTH_PACKING && packing == Packing::Packed {
        // Of equal bytes, one is kept.
        if let [first, rest @ ..] = bytes
            && rest == &bytes[..rest.len()]
        {
            put_number(1, out);
            put_number(bytes.len(), out);
            out.push(*first);
            return;
        }
        let packed = lz4_flex::block::compress(bytes);
        if packed.len() <= bytes.len() / 2 {
            put_number(packed.len(), out);
            put_number(bytes.len(), out);
            out.extend_from_slice(&packed);
            return;
        }
    }
    put_number(bytes.len(), out);
    put_number(bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Takes a number.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    usize::try_from(u32::from_le_bytes(*number)).ok()
}

/// Takes one byte.
pub(super) fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*byte)
}

/// Takes a byte string; `None` where it is damaged.
pub(super) fn take<'b>(bytes: &mut &'b [u8]) -> Option<Cow<'b, [u8]>> {
    let kept = take_number(bytes)?;
    let length = take_number(bytes).filter(|length| *length <= MOST)?;
    let (stretch, rest) = bytes.split_at_checked(kept)?;
    *bytes = rest;
    if kept == length {
        return Some(Cow::Borrowed(stretch));
    }
    if let [byte] = stretch {
        return Some(Cow::Owned(vec![*byte; length]));
    }
    lz4_flex::block::decompress(stretch, length).ok().filter(|plain| plain.len() == length).map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_come_back_and_damage_is_noticed() {
        let noise: Vec<u8> = (0..3000_u32).map(|n| ((n * n) >> 3) as u8 ^ (n >> 5) as u8).collect();
        let prose = b"what people write ".repeat(200);
        let mut out = Vec::new();
        let same = vec![7; WORTH_PACKING];
        for stretch in [&noise[..], &prose, b"", b"short", &same] {
            put(stretch, Packing::Packed, &mut out);
        }
        put_number(7, &mut out);
        assert!(out.len() < noise.len() + 200);
        let mut plain = Vec::new();
        put(&prose, Packing::Plain, &mut plain);
        let mut bytes = &out[..];
        for stretch in [&noise[..], &prose, b"", b"short", &same] {
            assert_eq!(take(&mut bytes).as_deref(), Some(stretch));
        }
        assert_eq!(take_number(&mut bytes), Some(7));
        assert_eq!(take(&mut bytes), None);
        // A length that nothing can have is not believed.
        let mut greedy = &[4, 0, 0, 0, 255, 255, 255, 255, 1, 2, 3, 4][..];
        assert_eq!(take(&mut greedy), None);
    }
}
