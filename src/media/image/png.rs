//! PNG, chunk by chunk.

use std::io::{self, Read as _};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::{Stripped, be32, exif, icc, slice};

const SIGNATURE: usize = 8;
const MAX_PROFILE: u64 = 4 << 20;
const BUFFER: usize = 64 << 10;

/// Chunks that are kept once each, with their valid lengths: header, colours, transparency, density and frames. All
/// others are metadata.
const KEPT: [(&[u8; 4], std::ops::RangeInclusive<usize>); 13] = [
    (b"IHDR", 13..=13),
    (b"PLTE", 3..=768),
    (b"gAMA", 4..=4),
    (b"cHRM", 32..=32),
    (b"sRGB", 1..=1),
    (b"cICP", 4..=4),
    (b"mDCV", 24..=24),
    (b"cLLI", 8..=8),
    (b"sBIT", 1..=4),
    (b"tRNS", 1..=256),
    (b"bKGD", 1..=6),
    (b"pHYs", 9..=9),
    (b"acTL", 8..=8),
];

/// Compressed pixels, which may span several chunks.
struct Pixels {
    is_frame: bool,
    packed: Vec<u8>,
    /// The number of bytes that they decompress to.
    unpacked: u64,
}

#[derive(Default)]
struct Stripper {
    stripped: Stripped,
    seen: Vec<[u8; 4]>,
    header: Vec<u8>,
    /// The decompressed size of a frame whose data follows.
    frame: Option<u64>,
    pixels: Option<Pixels>,
    /// The next sequence number of an animation chunk.
    number: u32,
}

/// Keeps the data that decoding needs, the colour profile and the orientation.
pub fn strip(bytes: &[u8]) -> Stripped {
    let mut stripper = Stripper::default();
    stripper.stripped.passes = 1;
    let signature = &bytes[..SIGNATURE.min(bytes.len())];
    stripper.stripped.out.extend(signature);
    let mut at = SIGNATURE;
    while let Some((len, name)) = be32(bytes, at).zip(slice(bytes, at + 4, 4)) {
        if name == b"IEND" {
            break;
        }
        // A truncated chunk is kept as far as it goes.
        let begin = at + 8;
        let end = begin.saturating_add(len).min(bytes.len());
        stripper.read(name, &bytes[begin..end]);
        // Skips the checksum, which is computed again.
        at = end + 4;
    }
    stripper.end_pixels();
    put(&mut stripper.stripped.out, b"IEND", b"");
    stripper.stripped
}

impl Stripper {
    fn read(&mut self, name: &[u8], payload: &[u8]) {
        let (is_frame, payload) = match name {
            b"IDAT" => (false, payload),
            b"fdAT" => (true, payload.get(4..).unwrap_or_default()),
            _ => return self.read_other(name, payload),
        };
        if let Some(pixels) = self.pixels.as_mut().filter(|it| it.is_frame == is_frame) {
            pixels.packed.extend(payload);
            return;
        }
        self.end_pixels();
        let unpacked = if is_frame {
            self.frame.take()
        } else {
            // The main image occurs once and may be the first frame.
            self.frame = None;
            self.is_first(b"IDAT").then(|| unpacked(&self.header)).flatten()
        };
        self.pixels = unpacked.map(|unpacked| Pixels { is_frame, packed: payload.to_vec(), unpacked });
    }

    fn read_other(&mut self, name: &[u8], payload: &[u8]) {
        self.end_pixels();
        match name {
            b"eXIf" if self.stripped.orientation.is_none() => {
                self.stripped.orientation = exif::orientation(payload);
                if let Some(notes) = exif::with_orientation(self.stripped.orientation) {
                    put(&mut self.stripped.out, b"eXIf", &notes);
                }
            }
            b"iCCP" if self.is_first(b"iCCP") => {
                if let Some(colours) = colours(payload) {
                    put(&mut self.stripped.out, b"iCCP", &colours);
                }
            }
            b"fcTL" if payload.len() == 26 => {
                self.stripped.frames += 1;
                let size = be32(payload, 4).zip(be32(payload, 8));
                let pixels = size.map_or(0, |(width, height)| width.saturating_mul(height));
                self.stripped.largest = self.stripped.largest.max(pixels);
                let size = [&payload[4..12], self.header.get(8..).unwrap_or_default()].concat();
                self.frame = unpacked(&size);
                let payload = [&self.next_number()[..], &payload[4..]].concat();
                put(&mut self.stripped.out, b"fcTL", &payload);
            }
            _ => {
                let known = KEPT.iter().find(|(known, _)| *known == name);
                if let Some((name, len)) = known
                    && len.contains(&payload.len())
                    && self.is_used(name, payload.len())
                    && self.is_first(name)
                {
                    if *name == b"IHDR" {
                        self.header = payload.to_vec();
                    }
                    put(&mut self.stripped.out, name, payload);
                }
            }
        }
    }

    /// Whether decoders use such a chunk, at this position and with this colour type.
    fn is_used(&self, name: &[u8; 4], len: usize) -> bool {
        if self.seen.contains(b"IDAT") {
            return false;
        }
        match (name, self.header.get(9)) {
            (b"IHDR", _) | (b"PLTE", Some(3)) => true,
            (b"tRNS", Some(kind)) => matches!((kind, len), (0, 2) | (2, 6) | (3, _)),
            (b"PLTE", _) | (_, None) => false,
            _ => true,
        }
    }

    fn is_first(&mut self, name: &[u8; 4]) -> bool {
        let is_first = !self.seen.contains(name);
        if is_first {
            self.seen.push(*name);
        }
        is_first
    }

    fn next_number(&mut self) -> [u8; 4] {
        let number = self.number;
        self.number += 1;
        number.to_be_bytes()
    }

    fn end_pixels(&mut self) {
        let Some(pixels) = self.pixels.take() else {
            return;
        };
        let packed = truncated(&pixels.packed, pixels.unpacked);
        if pixels.is_frame {
            let payload = [&self.next_number()[..], &packed].concat();
            put(&mut self.stripped.out, b"fdAT", &payload);
        } else {
            put(&mut self.stripped.out, b"IDAT", &packed);
        }
    }
}

/// The size of the decompressed pixels according to a header.
fn unpacked(header: &[u8]) -> Option<u64> {
    let (width, height) = (be32(header, 0)? as u64, be32(header, 4)? as u64);
    let &[depth, kind, _, _, is_interlaced] = header.get(8..)? else {
        return None;
    };
    let samples = match kind {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        6 => 4,
        _ => return None,
    };
    if !depth.is_power_of_two() || depth > 16 {
        return None;
    }
    let pixel = samples * u64::from(depth);
    // The origin and the steps of each pass.
    let passes: &[[u64; 4]] = match is_interlaced {
        0 => &[[0, 0, 1, 1]],
        1 => &[[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]],
        _ => return None,
    };
    let bytes = passes.iter().map(|[x, y, across, down]| {
        let columns = width.saturating_sub(*x).div_ceil(*across);
        let rows = height.saturating_sub(*y).div_ceil(*down);
        if columns == 0 { 0 } else { rows * (1 + (columns * pixel).div_ceil(8)) }
    });
    Some(bytes.sum())
}

/// Compressed bytes without trailing ones, and truncated to a decompressed size.
fn truncated(packed: &[u8], unpacked: u64) -> Vec<u8> {
    let mut inflate = Decompress::new(true);
    let mut buffer = vec![0; BUFFER];
    loop {
        let (read, written) = (inflate.total_in(), inflate.total_out());
        let rest = usize::try_from(read).map_or(&[][..], |read| &packed[read..]);
        let status = inflate.decompress(rest, &mut buffer, FlushDecompress::None);
        if inflate.total_out() > unpacked {
            let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
            let mut pixels = ZlibDecoder::new(packed).take(unpacked);
            // Writing to memory can't fail, and the input was read before.
            let _ = io::copy(&mut pixels, &mut out);
            return out.finish().unwrap_or_default();
        }
        let is_stalled = (read, written) == (inflate.total_in(), inflate.total_out());
        if is_stalled || !matches!(status, Ok(Status::Ok | Status::BufError)) {
            let read = usize::try_from(inflate.total_in()).unwrap_or_default();
            return packed[..read].to_vec();
        }
    }
}

/// The content of an `iCCP` chunk with a stripped profile: a name, and the compressed profile.
fn colours(payload: &[u8]) -> Option<Vec<u8>> {
    let name = payload.iter().position(|byte| *byte == 0)?;
    let mut profile = Vec::new();
    let packed = ZlibDecoder::new(payload.get(name + 2..)?);
    packed.take(MAX_PROFILE).read_to_end(&mut profile).ok()?;
    let mut out = ZlibEncoder::new(b"-\0\0".to_vec(), Compression::default());
    io::copy(&mut icc::strip(&profile)?.as_slice(), &mut out).ok()?;
    out.finish().ok()
}

fn put(out: &mut Vec<u8>, name: &[u8; 4], payload: &[u8]) {
    let len = u32::try_from(payload.len()).unwrap_or_default();
    out.extend(len.to_be_bytes());
    let begin = out.len();
    out.extend(name);
    out.extend(payload);
    let sum = crc32fast::hash(&out[begin..]);
    out.extend(sum.to_be_bytes());
}
