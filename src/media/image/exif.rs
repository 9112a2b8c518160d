//! The one piece of EXIF metadata that a picture needs: its orientation (TIFF tag 0x0112).

use super::{be16, be32, le16, le32, slice};

/// The prefix of the metadata in formats without a chunk type for it.
pub const NAME: &[u8] = b"Exif\0\0";

const ORIENTATION: usize = 0x0112;
const SHORT: usize = 3;
const ENTRY: usize = 12;

/// The orientation in EXIF metadata, 1 to 8, if there is one.
pub fn orientation(exif: &[u8]) -> Option<u8> {
    let exif = exif.strip_prefix(NAME).unwrap_or(exif);
    let is_big = match slice(exif, 0, 4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at| {
        if is_big { be16(exif, at) } else { le16(exif, at) }
    };
    let first = if is_big { be32(exif, 4) } else { le32(exif, 4) }?;
    let entries = first.checked_add(2)?;
    let count = short(first)?;
    for i in 0..count {
        let at = entries.checked_add(i * ENTRY)?;
        if short(at)? == ORIENTATION && short(at + 2)? == SHORT {
            let value = u8::try_from(short(at + 8)?).ok()?;
            return (1..=8).contains(&value).then_some(value);
        }
    }
    None
}

/// EXIF metadata with the orientation only; `None` for the default one.
pub fn with_orientation(orientation: Option<u8>) -> Option<[u8; 26]> {
    let orientation = orientation.filter(|orientation| *orientation > 1)?;
    let mut exif = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    exif[19] = orientation;
    Some(exif)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_up_is_found_whichever_end_comes_first() {
        for way in 2..=8 {
            let exif = with_orientation(Some(way)).expect("exif");
            assert_eq!(orientation(&exif), Some(way));
            assert_eq!(orientation(&[NAME, &exif].concat()), Some(way));
        }
        assert_eq!(with_orientation(Some(1)), None);
        let little = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        assert_eq!(orientation(little), Some(6));
        let far = b"II*\0\xff\xff\xff\xff\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let nine = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0\0\0\0\0";
        for none in [&far[..], &nine[..], b"", b"II*\0", &little[..18]] {
            assert_eq!(orientation(none), None);
        }
    }
}
