//! The one thing of what cameras note that a picture needs: which way up it is (TIFF tag 0x0112).

use super::{be16, be32, le16, le32, part};

/// In front of the notes where a format does not name them by itself.
pub const NAME: &[u8] = b"Exif\0\0";

const ORIENTATION: usize = 0x0112;
const SHORT: usize = 3;
const ENTRY: usize = 12;

/// The way up that notes name, from 1 to 8; `None` where they name none.
pub fn orientation(notes: &[u8]) -> Option<u8> {
    let notes = notes.strip_prefix(NAME).unwrap_or(notes);
    let is_big = match part(notes, 0, 4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at| {
        if is_big {
            be16(notes, at)
        } else {
            le16(notes, at)
        }
    };
    let first = if is_big {
        be32(notes, 4)
    } else {
        le32(notes, 4)
    }?;
    let entries = first.checked_add(2)?;
    let count = short(first)?;
    for i in 0..count {
        let at = entries.checked_add(i * ENTRY)?;
        if short(at)? == ORIENTATION && short(at + 2)? == SHORT {
            let found = u8::try_from(short(at + 8)?).ok()?;
            return (1..=8).contains(&found).then_some(found);
        }
    }
    None
}

/// Notes that name the way up and nothing else; `None` for the one that needs no name.
pub fn of_orientation(orientation: Option<u8>) -> Option<[u8; 26]> {
    let orientation = orientation.filter(|orientation| *orientation > 1)?;
    let mut notes = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    notes[19] = orientation;
    Some(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_up_is_found_whichever_end_comes_first() {
        for way in 2..=8 {
            let notes = of_orientation(Some(way)).expect("notes");
            assert_eq!(orientation(&notes), Some(way));
            assert_eq!(orientation(&[NAME, &notes].concat()), Some(way));
        }
        assert_eq!(of_orientation(Some(1)), None);
        let little = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        assert_eq!(orientation(little), Some(6));
        let far = b"II*\0\xff\xff\xff\xff\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let nine = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0\0\0\0\0";
        for none in [&far[..], &nine[..], b"", b"II*\0", &little[..18]] {
            assert_eq!(orientation(none), None);
        }
    }
}
