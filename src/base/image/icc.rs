//! Colour profiles (ICC.1): what their numbers mean stays, and nothing of who made them, when and on which device.

use super::{be16, be32, part};

const HEADER: usize = 128;
/// Where the header says its version, the class, the colours and what they are connected with.
const KEPT_OF_HEADER: [std::ops::Range<usize>; 3] = [8..10, 12..24, 36..40];
/// How colours are meant to be shown: one of four ways.
const INTENT: usize = 67;
/// The light of all profiles, D50.
const LIGHT: [u8; 12] = [0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d];
/// The first of January 2000, since there must be some day.
const DAY: [u8; 6] = [0x07, 0xd0, 0, 1, 0, 1];
const MAX_TAGS: usize = 100;
/// The parts that say what numbers mean.
const KEPT: [&[u8; 4]; 16] = [
    b"rXYZ", b"gXYZ", b"bXYZ", b"wtpt", b"bkpt", b"chad", b"rTRC", b"gTRC", b"bTRC", b"kTRC",
    b"A2B0", b"A2B1", b"A2B2", b"B2A0", b"B2A1", b"B2A2",
];

/// The profile with nothing in it but colours; `None` where it is none.
pub fn bare(profile: &[u8]) -> Option<Vec<u8>> {
    if part(profile, 36, 4)? != b"acsp" {
        return None;
    }
    let count = be32(profile, HEADER)?.min(MAX_TAGS);
    let mut parts: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for entry in part(profile, HEADER + 4, 12 * count)?.chunks_exact(12) {
        let name = &entry[..4];
        let is_new = parts.iter().all(|(known, _)| *known != name);
        if is_new && KEPT.iter().any(|kept| *kept == name) {
            let own = part(profile, be32(entry, 4)?, be32(entry, 8)?)?;
            parts.extend(numbers(own).map(|own| (name, own)));
        }
    }
    if parts.is_empty() {
        return None;
    }
    // Profiles must have these.
    let is_new = profile[8] >= 4;
    parts.push((b"desc", text(is_new, true)));
    parts.push((b"cprt", text(is_new, false)));
    let mut head = vec![0; HEADER];
    for kept in KEPT_OF_HEADER {
        head[kept.clone()].copy_from_slice(&profile[kept]);
    }
    head[24..30].copy_from_slice(&DAY);
    head[INTENT] = profile[INTENT] & 3;
    head[68..80].copy_from_slice(&LIGHT);
    head.extend(u32::try_from(parts.len()).ok()?.to_be_bytes());
    let begin = head.len() + 12 * parts.len();
    let mut data: Vec<u8> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (i, (name, own)) in parts.iter().enumerate() {
        // Curves are often the same for all colours.
        let same = parts[..i].iter().position(|(_, other)| other == own);
        let (at, len) = same.map_or((begin + data.len(), own.len()), |same| places[same]);
        if same.is_none() {
            data.extend(own);
            data.resize(data.len().next_multiple_of(4), 0);
        }
        places.push((at, len));
        head.extend(*name);
        head.extend(u32::try_from(at).ok()?.to_be_bytes());
        head.extend(u32::try_from(len).ok()?.to_be_bytes());
    }
    head.extend(data);
    let size = u32::try_from(head.len()).ok()?.to_be_bytes();
    head[..4].copy_from_slice(&size);
    Some(head)
}

/// A part without what stands behind its numbers.
fn numbers(own: &[u8]) -> Option<Vec<u8>> {
    let kind = part(own, 0, 4)?;
    let len = match kind {
        b"XYZ " => 20,
        b"sf32" => 44,
        b"curv" => 12 + 2 * be32(own, 8)?,
        b"para" => 12 + 4 * [1, 3, 4, 5, 7].get(be16(own, 8)?)?,
        b"mft1" | b"mft2" | b"mAB " | b"mBA " => own.len(),
        _ => return None,
    };
    let mut own = part(own, 0, len)?.to_vec();
    own[4..8].fill(0);
    Some(own)
}

/// A text of one letter, in the form of newer and older profiles.
fn text(is_new: bool, is_description: bool) -> Vec<u8> {
    match (is_new, is_description) {
        (true, _) => b"mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x02\0\0\0\x1c\0-".to_vec(),
        (false, true) => [&b"desc\0\0\0\0\0\0\0\x02-\0"[..], &[0; 78]].concat(),
        (false, false) => b"text\0\0\0\0-\0".to_vec(),
    }
}
