//! Colour profiles (ICC.1), stripped to the colour data, without creator, date and device.

use super::{be16, be32, slice};

const HEADER: usize = 128;
/// The header fields version, class, colour space and connection space.
const KEPT_OF_HEADER: [std::ops::Range<usize>; 3] = [8..10, 12..24, 36..40];
/// The offset of the rendering intent, one of four.
const INTENT: usize = 67;
/// The illuminant of all profiles, D50.
const LIGHT: [u8; 12] = [0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d];
/// 1 January 2000, since a date is required.
const DAY: [u8; 6] = [0x07, 0xd0, 0, 1, 0, 1];
const MAX_TAGS: usize = 100;
/// The tags with colour data.
const KEPT: [&[u8; 4]; 16] = [
    b"rXYZ", b"gXYZ", b"bXYZ", b"wtpt", b"bkpt", b"chad", b"rTRC", b"gTRC", b"bTRC", b"kTRC", b"A2B0", b"A2B1",
    b"A2B2", b"B2A0", b"B2A1", b"B2A2",
];

/// The profile with its colour data only. `None` if it is no profile.
pub fn strip(profile: &[u8]) -> Option<Vec<u8>> {
    if slice(profile, 36, 4)? != b"acsp" {
        return None;
    }
    let count = be32(profile, HEADER)?.min(MAX_TAGS);
    let mut tags: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for entry in slice(profile, HEADER + 4, 12 * count)?.chunks_exact(12) {
        let name = &entry[..4];
        let is_new = tags.iter().all(|(known, _)| *known != name);
        if is_new && KEPT.iter().any(|kept| *kept == name) {
            let content = slice(profile, be32(entry, 4)?, be32(entry, 8)?)?;
            tags.extend(numbers(content).map(|content| (name, content)));
        }
    }
    if tags.is_empty() {
        return None;
    }
    // Required in every profile.
    let is_new = profile[8] >= 4;
    tags.push((b"desc", text(is_new, true)));
    tags.push((b"cprt", text(is_new, false)));
    let mut head = vec![0; HEADER];
    for kept in KEPT_OF_HEADER {
        head[kept.clone()].copy_from_slice(&profile[kept]);
    }
    head[24..30].copy_from_slice(&DAY);
    head[INTENT] = profile[INTENT] & 3;
    head[68..80].copy_from_slice(&LIGHT);
    head.extend(u32::try_from(tags.len()).ok()?.to_be_bytes());
    let begin = head.len() + 12 * tags.len();
    let mut data: Vec<u8> = Vec::new();
    let mut positions: Vec<(usize, usize)> = Vec::new();
    for (i, (name, content)) in tags.iter().enumerate() {
        // Curves are often the same for all colours, so equal tags share their data.
        let same = tags[..i].iter().position(|(_, other)| other == content);
        let (at, len) = same.map_or((begin + data.len(), content.len()), |same| positions[same]);
        if same.is_none() {
            data.extend(content);
            data.resize(data.len().next_multiple_of(4), 0);
        }
        positions.push((at, len));
        head.extend(*name);
        head.extend(u32::try_from(at).ok()?.to_be_bytes());
        head.extend(u32::try_from(len).ok()?.to_be_bytes());
    }
    head.extend(data);
    let size = u32::try_from(head.len()).ok()?.to_be_bytes();
    head[..4].copy_from_slice(&size);
    Some(head)
}

/// The content of a tag without trailing bytes.
fn numbers(content: &[u8]) -> Option<Vec<u8>> {
    let kind = slice(content, 0, 4)?;
    let len = match kind {
        b"XYZ " => 20,
        b"sf32" => 44,
        b"curv" => 12 + 2 * be32(content, 8)?,
        b"para" => 12 + 4 * [1, 3, 4, 5, 7].get(be16(content, 8)?)?,
        b"mft1" | b"mft2" | b"mAB " | b"mBA " => content.len(),
        _ => return None,
    };
    let mut content = slice(content, 0, len)?.to_vec();
    content[4..8].fill(0);
    Some(content)
}

/// A one-letter text, in the format of version 4 or older profiles.
fn text(is_new: bool, is_description: bool) -> Vec<u8> {
    match (is_new, is_description) {
        (true, _) => b"mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x02\0\0\0\x1c\0-".to_vec(),
        (false, true) => [&b"desc\0\0\0\0\0\0\0\x02-\0"[..], &[0; 78]].concat(),
        (false, false) => b"text\0\0\0\0-\0".to_vec(),
    }
}
