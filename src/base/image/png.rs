//! PNG, chunk by chunk.

use std::io::{self, Read as _};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::{Walk, be32, exif, icc, part};

const SIGNATURE: usize = 8;
const MAX_PROFILE: u64 = 4 << 20;
const PIECE: usize = 64 << 10;

/// Chunks that stand once, and how long they may be: the picture's, colours, transparency, density and frames. All
/// others are notes.
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

/// Packed pixels, which may be in several chunks.
struct Pixels {
    is_frame: bool,
    packed: Vec<u8>,
    /// How many bytes they unpack to.
    unpacked: u64,
}

#[derive(Default)]
struct Parts {
    walk: Walk,
    seen: Vec<[u8; 4]>,
    header: Vec<u8>,
    /// What a frame that has begun unpacks to.
    frame: Option<u64>,
    pixels: Option<Pixels>,
    /// The next number of what frames are made of.
    number: u32,
}

/// Keeps what decoding needs, the colours and the way up.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut parts = Parts::default();
    parts.walk.passes = 1;
    parts.walk.out.extend(&bytes[..SIGNATURE.min(bytes.len())]);
    let mut at = SIGNATURE;
    while let Some((len, name)) = be32(bytes, at).zip(part(bytes, at + 4, 4)) {
        if name == b"IEND" {
            break;
        }
        // Of a chunk that is cut off, what is there is shown.
        let begin = at + 8;
        let end = begin.saturating_add(len).min(bytes.len());
        parts.read(name, &bytes[begin..end]);
        // Behind its sum, which is made anew.
        at = end + 4;
    }
    parts.end_pixels();
    put(&mut parts.walk.out, b"IEND", b"");
    parts.walk
}

impl Parts {
    fn read(&mut self, name: &[u8], own: &[u8]) {
        let (is_frame, own) = match name {
            b"IDAT" => (false, own),
            b"fdAT" => (true, own.get(4..).unwrap_or_default()),
            _ => return self.read_other(name, own),
        };
        if let Some(pixels) = self.pixels.as_mut().filter(|it| it.is_frame == is_frame) {
            pixels.packed.extend(own);
            return;
        }
        self.end_pixels();
        let unpacked = if is_frame {
            self.frame.take()
        } else {
            // The picture itself comes once, and may be the first frame.
            self.frame = None;
            self.is_first(b"IDAT")
                .then(|| unpacked(&self.header))
                .flatten()
        };
        self.pixels = unpacked.map(|unpacked| Pixels {
            is_frame,
            packed: own.to_vec(),
            unpacked,
        });
    }

    fn read_other(&mut self, name: &[u8], own: &[u8]) {
        self.end_pixels();
        match name {
            b"eXIf" if self.walk.orientation.is_none() => {
                self.walk.orientation = exif::orientation(own);
                if let Some(notes) = exif::of_orientation(self.walk.orientation) {
                    put(&mut self.walk.out, b"eXIf", &notes);
                }
            }
            b"iCCP" if self.is_first(b"iCCP") => {
                if let Some(colours) = colours(own) {
                    put(&mut self.walk.out, b"iCCP", &colours);
                }
            }
            b"fcTL" if own.len() == 26 => {
                self.walk.frames += 1;
                let size = be32(own, 4).zip(be32(own, 8));
                let pixels = size.map_or(0, |(width, height)| width.saturating_mul(height));
                self.walk.largest = self.walk.largest.max(pixels);
                let size = [&own[4..12], self.header.get(8..).unwrap_or_default()].concat();
                self.frame = unpacked(&size);
                let own = [&self.next_number()[..], &own[4..]].concat();
                put(&mut self.walk.out, b"fcTL", &own);
            }
            _ => {
                let known = KEPT.iter().find(|(known, _)| *known == name);
                if let Some((name, len)) = known
                    && len.contains(&own.len())
                    && self.means_something(name, own.len())
                    && self.is_first(name)
                {
                    if *name == b"IHDR" {
                        self.header = own.to_vec();
                    }
                    put(&mut self.walk.out, name, own);
                }
            }
        }
    }

    /// Whether decoders look at such a chunk, in front of the picture and with its kind of colours.
    fn means_something(&self, name: &[u8; 4], len: usize) -> bool {
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
        let packed = no_more(&pixels.packed, pixels.unpacked);
        if pixels.is_frame {
            let own = [&self.next_number()[..], &packed].concat();
            put(&mut self.walk.out, b"fdAT", &own);
        } else {
            put(&mut self.walk.out, b"IDAT", &packed);
        }
    }
}

/// How many bytes pixels have, by what a header says.
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
    // Where each pass begins, and the steps that it takes.
    let passes: &[[u64; 4]] = match is_interlaced {
        0 => &[[0, 0, 1, 1]],
        1 => &[
            [0, 0, 8, 8],
            [4, 0, 8, 8],
            [0, 4, 4, 8],
            [2, 0, 4, 4],
            [0, 2, 2, 4],
            [1, 0, 2, 2],
            [0, 1, 1, 2],
        ],
        _ => return None,
    };
    let bytes = passes.iter().map(|[x, y, across, down]| {
        let columns = width.saturating_sub(*x).div_ceil(*across);
        let rows = height.saturating_sub(*y).div_ceil(*down);
        if columns == 0 {
            0
        } else {
            rows * (1 + (columns * pixel).div_ceil(8))
        }
    });
    Some(bytes.sum())
}

/// Packed bytes without what follows their end, and without what they unpack to beyond a length.
fn no_more(packed: &[u8], unpacked: u64) -> Vec<u8> {
    let mut inflate = Decompress::new(true);
    let mut piece = vec![0; PIECE];
    loop {
        let (read, made) = (inflate.total_in(), inflate.total_out());
        let rest = usize::try_from(read).map_or(&[][..], |read| &packed[read..]);
        let status = inflate.decompress(rest, &mut piece, FlushDecompress::None);
        if inflate.total_out() > unpacked {
            let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
            let mut pixels = ZlibDecoder::new(packed).take(unpacked);
            // Memory takes all, and what could be read once can be again.
            let _ = io::copy(&mut pixels, &mut out);
            return out.finish().unwrap_or_default();
        }
        let is_still = (read, made) == (inflate.total_in(), inflate.total_out());
        if is_still || !matches!(status, Ok(Status::Ok | Status::BufError)) {
            let read = usize::try_from(inflate.total_in()).unwrap_or_default();
            return packed[..read].to_vec();
        }
    }
}

/// A profile as a chunk has it: behind its name, packed.
fn colours(own: &[u8]) -> Option<Vec<u8>> {
    let name = own.iter().position(|byte| *byte == 0)?;
    let mut profile = Vec::new();
    let packed = ZlibDecoder::new(own.get(name + 2..)?);
    packed.take(MAX_PROFILE).read_to_end(&mut profile).ok()?;
    let mut out = ZlibEncoder::new(b"-\0\0".to_vec(), Compression::default());
    io::copy(&mut icc::bare(&profile)?.as_slice(), &mut out).ok()?;
    out.finish().ok()
}

fn put(out: &mut Vec<u8>, name: &[u8; 4], own: &[u8]) {
    let len = u32::try_from(own.len()).unwrap_or_default();
    out.extend(len.to_be_bytes());
    let begin = out.len();
    out.extend(name);
    out.extend(own);
    let sum = crc32fast::hash(&out[begin..]);
    out.extend(sum.to_be_bytes());
}
