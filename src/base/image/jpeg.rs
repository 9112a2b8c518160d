//! JPEG, segment by segment.

use super::{Walk, be16, exif, part};

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const APP0: u8 = 0xe0;
const APP1: u8 = 0xe1;
const APP2: u8 = 0xe2;
const APP14: u8 = 0xee;
const APP15: u8 = 0xef;
const COMMENT: u8 = 0xfe;

/// Keeps what decoding needs, the colours and the way up.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut walk = Walk {
        out: vec![0xff, START],
        ..Walk::default()
    };
    let mut at = 2;
    while at < bytes.len() {
        // What stands between segments is passed over, as decoders do.
        if bytes[at] != 0xff {
            at += 1;
            continue;
        }
        let begin = at;
        while bytes.get(at) == Some(&0xff) {
            at += 1;
        }
        let Some(&marker) = bytes.get(at) else { break };
        at += 1;
        match marker {
            0x00 | 0x01 | START | 0xd0..=0xd7 => continue,
            END => {
                // Cameras put more pictures behind, with notes of their own.
                walk.out.extend([0xff, END]);
                return walk;
            }
            _ => {}
        }
        let segment = be16(bytes, at).and_then(|len| part(bytes, at, len.max(2)));
        let Some(segment) = segment else {
            if !is_note(marker) {
                walk.out.extend(&bytes[begin..]);
            }
            break;
        };
        at += segment.len();
        let own = &segment[2..];
        if marker == APP1
            && own.starts_with(exif::NAME)
            && walk.orientation.is_none()
            && let Some(way) = exif::orientation(own)
        {
            walk.orientation = Some(way);
            if let Some(notes) = exif::of_orientation(walk.orientation) {
                walk.out.extend([0xff, APP1, 0, 34]);
                walk.out.extend(exif::NAME);
                walk.out.extend(notes);
            }
        }
        if keeps(marker, own) {
            walk.out.extend([0xff, marker]);
            walk.out.extend(segment);
        }
        if marker == SCAN {
            walk.passes += 1;
            let end = end_of_scan(bytes, at);
            walk.out.extend(&bytes[at..end]);
            at = end;
        }
    }
    walk
}

fn is_note(marker: u8) -> bool {
    marker == COMMENT || (APP0..=APP15).contains(&marker)
}

fn keeps(marker: u8, own: &[u8]) -> bool {
    match marker {
        APP0 => own.starts_with(b"JFIF\0"),
        APP2 => own.starts_with(b"ICC_PROFILE\0"),
        // Says how colours are meant.
        APP14 => own.starts_with(b"Adobe"),
        _ => !is_note(marker),
    }
}

/// Where the next marker stands that is none of a scan's own.
fn end_of_scan(bytes: &[u8], from: usize) -> usize {
    let rest = bytes[from..].windows(2);
    let mut ends = rest
        .zip(from..)
        .filter(|(pair, _)| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff));
    ends.next().map_or(bytes.len(), |(_, at)| at)
}
