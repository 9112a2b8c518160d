//! Reads the duration of a recording from its container: WAV, Ogg (Opus, Vorbis), WebM, MP4. Nothing is decoded, and
//! only a few bytes are buffered, whatever sizes a file claims.

use std::io::{BufReader, Read, Seek, SeekFrom};

/// The most chunks, boxes or elements that are read; an hour's recording has fewer.
const MAX_ELEMENTS: usize = 2_000_000;
/// The tail that is searched for the last Ogg page. A page is shorter.
const OGG_TAIL: u64 = 1 << 17;

/// The duration in seconds. `None` if the container is unknown or does not tell.
pub fn seconds(file: impl Read + Seek) -> Option<f64> {
    let mut file = BufReader::new(file);
    let size = file.seek(SeekFrom::End(0)).ok()?;
    file.rewind().ok()?;
    let mut start = [0; 12];
    file.read_exact(&mut start).ok()?;
    file.rewind().ok()?;
    let secs = match &start {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E'] => wav(&mut file, size),
        [b'O', b'g', b'g', b'S', ..] => ogg(&mut file, size),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => webm(&mut file),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => mp4(&mut file, size),
        _ => None,
    };
    secs.filter(|secs| secs.is_finite() && *secs > 0.0)
}

fn bytes<const N: usize>(file: &mut impl Read) -> Option<[u8; N]> {
    let mut out = [0; N];
    file.read_exact(&mut out).ok()?;
    Some(out)
}

#[expect(clippy::cast_precision_loss, reason = "seconds need no more")]
fn ratio(count: u64, rate: u64) -> Option<f64> {
    (rate > 0).then(|| count as f64 / rate as f64)
}

/// The size of the data divided by the byte rate.
fn wav<R: Read + Seek>(file: &mut BufReader<R>, size: u64) -> Option<f64> {
    file.seek(SeekFrom::Start(12)).ok()?;
    let mut rate = 0;
    for _ in 0..MAX_ELEMENTS {
        let name: [u8; 4] = bytes(file)?;
        let length = u64::from(u32::from_le_bytes(bytes(file)?));
        match &name {
            b"fmt " => {
                let head: [u8; 12] = bytes(file)?;
                rate = u32::from_le_bytes([head[8], head[9], head[10], head[11]]).into();
                skip(file, length.saturating_sub(12) + length % 2)?;
            }
            b"data" => {
                // A file written while recording may have a placeholder as its size.
                let left = size.saturating_sub(file.stream_position().ok()?);
                return ratio(length.min(left), rate);
            }
            _ => skip(file, length + length % 2)?,
        }
    }
    None
}

fn skip<R: Read + Seek>(file: &mut BufReader<R>, count: u64) -> Option<()> {
    file.seek_relative(i64::try_from(count).ok()?).ok()
}

/// The position at the end of the last page, divided by the sample rate in the first one.
fn ogg<R: Read + Seek>(file: &mut BufReader<R>, size: u64) -> Option<f64> {
    let mut first = Vec::new();
    file.take(512).read_to_end(&mut first).ok()?;
    let find = |name: &[u8]| first.windows(name.len()).position(|window| window == name);
    let (rate, pre_skip) = match (find(b"OpusHead"), find(b"\x01vorbis")) {
        (Some(head), _) => {
            let skipped = first.get(head + 10..head + 12)?;
            (48_000, u16::from_le_bytes(skipped.try_into().ok()?).into())
        }
        (_, Some(head)) => {
            let rate = first.get(head + 12..head + 16)?;
            (u32::from_le_bytes(rate.try_into().ok()?).into(), 0)
        }
        _ => return None,
    };
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(size.saturating_sub(OGG_TAIL))).ok()?;
    file.take(OGG_TAIL).read_to_end(&mut tail).ok()?;
    let last = tail.windows(4).rposition(|window| window == b"OggS")?;
    let end = tail.get(last + 6..last + 14)?;
    let end = u64::from_le_bytes(end.try_into().ok()?);
    // All ones means that no packet ends on that page.
    (end != u64::MAX).then(|| ratio(end.saturating_sub(pre_skip), rate))?
}

/// The duration in the segment's header, or else the time of its last block: files written while recording have no
/// duration.
fn webm<R: Read + Seek>(file: &mut BufReader<R>) -> Option<f64> {
    let (mut scale, mut declared, mut cluster) = (1_000_000_u64, 0.0, 0_u64);
    let (mut last, mut before) = (0_u64, 0_u64);
    for _ in 0..MAX_ELEMENTS {
        let Some((id, size)) = element(file) else {
            break;
        };
        let step = match id {
            // Segment, Info, Cluster, BlockGroup: their children follow.
            0x1853_8067 | 0x1549_a966 | 0x1f43_b675 | 0xa0 => Some(()),
            0x2a_d7b1 => number(file, size).map(|value| scale = value),
            0xe7 => number(file, size).map(|value| cluster = value),
            0x4489 => float(file, size).map(|value| declared = value),
            0xa3 | 0xa1 => block(file, size).map(|offset| {
                before = last;
                last = cluster.saturating_add_signed(offset.into());
            }),
            _ => skip(file, size),
        };
        if step.is_none() {
            break;
        }
    }
    let nanos = |time: u64| ratio(time.saturating_mul(scale), 1_000_000_000);
    if declared > 0.0 {
        return Some(declared * nanos(1)?);
    }
    nanos(last.saturating_add(last.saturating_sub(before)))
}

/// Id and size of an element. An unknown size is `u64::MAX`.
fn element(file: &mut impl Read) -> Option<(u32, u64)> {
    let [first]: [u8; 1] = bytes(file)?;
    let more = first.leading_zeros();
    if more > 3 {
        return None;
    }
    let mut id = u32::from(first);
    for _ in 0..more {
        let [next]: [u8; 1] = bytes(file)?;
        id = id << 8 | u32::from(next);
    }
    let [first]: [u8; 1] = bytes(file)?;
    let more = first.leading_zeros();
    if more > 7 {
        return None;
    }
    let mut size = u64::from(first) & ((1 << (7 - more)) - 1);
    let mut is_open = size == (1 << (7 - more)) - 1;
    for _ in 0..more {
        let [next]: [u8; 1] = bytes(file)?;
        is_open &= next == 0xff;
        size = size << 8 | u64::from(next);
    }
    Some((id, if is_open { u64::MAX } else { size }))
}

fn number(file: &mut impl Read, size: u64) -> Option<u64> {
    let mut value = 0;
    for _ in 0..(size <= 8).then_some(size)? {
        let [next]: [u8; 1] = bytes(file)?;
        value = value << 8 | u64::from(next);
    }
    Some(value)
}

fn float(file: &mut impl Read, size: u64) -> Option<f64> {
    match size {
        4 => Some(f32::from_be_bytes(bytes(file)?).into()),
        8 => Some(f64::from_be_bytes(bytes(file)?)),
        _ => None,
    }
}

/// The time of a block, relative to its cluster.
fn block<R: Read + Seek>(file: &mut BufReader<R>, size: u64) -> Option<i16> {
    // Recordings have few tracks, so the track number is one byte.
    let head: [u8; 3] = bytes(file)?;
    skip(file, size.checked_sub(3)?)?;
    (head[0] & 0x80 != 0).then(|| i16::from_be_bytes([head[1], head[2]]))
}

/// Times read from an MP4 file.
#[derive(Default)]
struct Movie {
    declared: Option<f64>,
    /// Time units per second of the first track.
    scale: u64,
    /// The default duration of a sample.
    sample: u64,
    /// The default duration of a sample in the current fragment.
    fragment_sample: u64,
    /// The end of the samples so far.
    end: u64,
}

fn mp4<R: Read + Seek>(file: &mut BufReader<R>, size: u64) -> Option<f64> {
    let mut movie = Movie::default();
    for _ in 0..MAX_ELEMENTS {
        let Some(()) = mp4_box(file, size, &mut movie) else {
            break;
        };
    }
    movie.declared.or_else(|| ratio(movie.end, movie.scale))
}

/// Reads one box, and of a container box its header only.
fn mp4_box<R: Read + Seek>(file: &mut BufReader<R>, size: u64, movie: &mut Movie) -> Option<()> {
    let start = file.stream_position().ok()?;
    let mut length = u64::from(u32::from_be_bytes(bytes(file)?));
    let name: [u8; 4] = bytes(file)?;
    if length == 1 {
        length = u64::from_be_bytes(bytes(file)?);
    } else if length == 0 {
        length = size.checked_sub(start)?;
    }
    let mut fields = || -> Option<(u8, u32)> {
        let head = u32::from_be_bytes(bytes(file)?);
        Some(((head >> 24) as u8, head & 0xff_ffff))
    };
    match &name {
        b"moov" | b"trak" | b"mdia" | b"mvex" | b"moof" | b"traf" => return Some(()),
        b"mvhd" | b"mdhd" => {
            let (version, _) = fields()?;
            let (scale, duration) = if version == 1 {
                skip(file, 16)?;
                (u32::from_be_bytes(bytes(file)?), u64::from_be_bytes(bytes(file)?))
            } else {
                skip(file, 8)?;
                (u32::from_be_bytes(bytes(file)?), u32::from_be_bytes(bytes(file)?).into())
            };
            if &name == b"mdhd" {
                movie.scale = if movie.scale == 0 { scale.into() } else { movie.scale };
            } else if duration > 0 && duration != u64::from(u32::MAX) && duration != u64::MAX {
                movie.declared = ratio(duration, scale.into());
            }
        }
        b"trex" => {
            skip(file, 12)?;
            movie.sample = u32::from_be_bytes(bytes(file)?).into();
        }
        b"tfhd" => {
            let (_, flags) = fields()?;
            let ahead = 4 + u64::from(flags & 1) * 8 + u64::from(flags >> 1 & 1) * 4;
            skip(file, ahead)?;
            movie.fragment_sample = match flags & 8 {
                0 => movie.sample,
                _ => u32::from_be_bytes(bytes(file)?).into(),
            };
        }
        b"tfdt" => {
            let (version, _) = fields()?;
            movie.end = match version {
                1 => u64::from_be_bytes(bytes(file)?),
                _ => u32::from_be_bytes(bytes(file)?).into(),
            };
        }
        b"trun" => {
            let (_, flags) = fields()?;
            let count = u32::from_be_bytes(bytes(file)?);
            skip(file, u64::from(flags & 1) * 4 + u64::from(flags >> 2 & 1) * 4)?;
            let rest = u64::from((flags >> 8 & 0xe).count_ones()) * 4;
            if flags & 0x100 == 0 {
                let duration = movie.fragment_sample.saturating_mul(count.into());
                movie.end = movie.end.saturating_add(duration);
            } else {
                for _ in 0..count {
                    let duration = u32::from_be_bytes(bytes(file)?);
                    movie.end = movie.end.saturating_add(duration.into());
                    skip(file, rest)?;
                }
            }
        }
        _ => {}
    }
    let end = start.checked_add(length).filter(|end| *end > start && *end <= size)?;
    let here = file.stream_position().ok()?;
    skip(file, end.checked_sub(here)?)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn of(bytes: &[u8]) -> Option<f64> {
        seconds(Cursor::new(bytes.to_vec()))
    }

    /// A second and a half of silence at 8 kHz.
    fn a_wav() -> Vec<u8> {
        let mut out = b"RIFF\0\0\0\0WAVEJUNK\x01\0\0\0x\0fmt \x10\0\0\0\x01\0\x01\0".to_vec();
        out.extend(8000_u32.to_le_bytes());
        out.extend(8000_u32.to_le_bytes());
        out.extend([1, 0, 8, 0]);
        out.extend(b"data");
        out.extend(12_000_u32.to_le_bytes());
        out.extend([128; 12_000]);
        out
    }

    fn page(end: u64, body: &[u8]) -> Vec<u8> {
        let mut out = b"OggS\0\0".to_vec();
        out.extend(end.to_le_bytes());
        out.extend([0; 13]);
        out.extend(body);
        out
    }

    fn an_ogg() -> Vec<u8> {
        let head = page(0, b"OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0");
        [head, page(48_000 * 2 + 312, &[0; 300])].concat()
    }

    /// A recording of a browser, which has no duration.
    fn a_webm() -> Vec<u8> {
        let mut out = b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff".to_vec();
        out.extend(b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff\xe7\x81\0");
        for time in [0_i16, 60, 120] {
            out.extend(b"\xa3\x85\x81");
            out.extend(time.to_be_bytes());
            out.extend([0x80, 1]);
        }
        out.extend(b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff\xe7\x82\x03\xe8\xa3\x84\x81\0\0\x80");
        out.extend(b"\xa3\x84\x81\0\x3c\x80");
        out
    }

    fn a_box(name: &[u8], body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 8).expect("small");
        [&length.to_be_bytes()[..], name, body].concat()
    }

    fn numbers(list: &[u32]) -> Vec<u8> {
        list.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn an_mp4(lasts: u32) -> Vec<u8> {
        let mvhd = a_box(b"mvhd", &numbers(&[0, 0, 0, 1000, lasts]));
        let mdhd = a_box(b"mdhd", &numbers(&[0, 0, 0, 48_000, 0]));
        let trak = a_box(b"trak", &a_box(b"mdia", &mdhd));
        let mvex = a_box(b"mvex", &a_box(b"trex", &numbers(&[0, 1, 1, 1024, 0, 0])));
        let moov = a_box(b"moov", &[mvhd, trak, mvex].concat());
        let tfhd = a_box(b"tfhd", &numbers(&[0, 1]));
        let tfdt = a_box(b"tfdt", &numbers(&[0, 48_000]));
        let trun = a_box(b"trun", &numbers(&[0x100, 2, 12_000, 12_000]));
        let moof = a_box(b"moof", &a_box(b"traf", &[tfhd, tfdt, trun].concat()));
        [a_box(b"ftyp", b"isom"), moov, moof, a_box(b"mdat", &[0; 50])].concat()
    }

    #[test]
    fn containers_say_how_long_they_are() {
        assert_eq!(of(&a_wav()), Some(1.5));
        assert_eq!(of(&an_ogg()), Some(2.0));
        assert_eq!(of(&a_webm()), Some(1.12));
        assert_eq!(of(&an_mp4(2500)), Some(2.5));
        assert_eq!(of(&an_mp4(0)), Some(1.5));
        for nothing in [&b""[..], b"RIFF", b"<!doctype html>", b"OggS\0\0\0\0\0\0\0\0\0\0\0\0"] {
            assert_eq!(of(nothing), None);
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_bytes_are_too_odd(
            which in 0..4_usize, cut in 0..600_usize,
            odd in prop::collection::vec((0..600_usize, any::<u8>()), 0..12),
        ) {
            let mut bytes = [a_wav(), an_ogg(), a_webm(), an_mp4(0)][which].clone();
            for (at, byte) in odd {
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
            }
            bytes.truncate(bytes.len() - cut.min(bytes.len()));
            if let Some(secs) = of(&bytes) {
                prop_assert!(secs.is_finite() && secs > 0.0);
            }
        }
    }
}
