//! JPEG, segment by segment. The output is built from parsed parts, the tables that a scan needs before it, and the data
//! of scans, which is copied up to the next marker.

use super::{MAX_PIXELS, Stripped, be16, exif, icc, slice};

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const QUANTIZATION: u8 = 0xdb;
const INTERVAL: u8 = 0xdd;
const HUFFMAN: u8 = 0xc4;
const BASELINE: u8 = 0xc0;
const PROGRESSIVE: u8 = 0xc2;
const APP0: u8 = 0xe0;
const APP1: u8 = 0xe1;
const APP2: u8 = 0xe2;
const APP14: u8 = 0xee;

const JFIF: &[u8] = b"JFIF\0";
const ADOBE: &[u8] = b"Adobe";
const ICC: &[u8] = b"ICC_PROFILE\0";
/// The most bytes of a colour profile in one segment.
const ICC_CHUNK: usize = 65_519;
/// Many times more than any encoder writes.
const MAX_SCANS: usize = 100;

/// One of four tables, and whether it must be written before the next scan.
#[derive(Default)]
struct Table {
    segment: Vec<u8>,
    is_new: bool,
}

impl Table {
    fn set(&mut self, segment: &[u8]) {
        (self.segment, self.is_new) = (segment.to_vec(), true);
    }

    fn put(&mut self, out: &mut Vec<u8>, marker: u8) {
        if std::mem::take(&mut self.is_new) {
            put(out, marker, &self.segment);
        }
    }
}

/// A component of the frame.
struct Component {
    id: u8,
    quantization: usize,
}

#[derive(Default)]
struct Stripper {
    stripped: Stripped,
    quantization: [Table; 4],
    /// DC tables, then AC tables.
    huffman: [[Table; 4]; 2],
    colours: Vec<(u8, Vec<u8>)>,
    frame: Option<Vec<Component>>,
    is_progressive: bool,
    has_jfif: bool,
    has_adobe: bool,
}

/// Keeps the data that decoding needs, the colour profile and the orientation.
pub fn strip(bytes: &[u8]) -> Stripped {
    let mut stripper = Stripper::default();
    stripper.stripped.out.extend([0xff, START]);
    let mut at = 2;
    while at < bytes.len() && stripper.stripped.passes < MAX_SCANS {
        // Bytes between segments are skipped, as decoders do.
        if bytes[at] != 0xff {
            at += 1;
            continue;
        }
        while bytes.get(at) == Some(&0xff) {
            at += 1;
        }
        let Some(&marker) = bytes.get(at) else { break };
        at += 1;
        match marker {
            0x00 | 0x01 | START | 0xd0..=0xd7 => continue,
            // Cameras append more pictures, with metadata of their payload.
            END => break,
            _ => {}
        }
        let segment = be16(bytes, at).and_then(|len| slice(bytes, at, len.max(2)));
        let Some(segment) = segment else { break };
        at += segment.len();
        let payload = &segment[2..];
        if marker != SCAN {
            stripper.read(marker, payload);
        } else if let Some(read) = stripper.scan(payload, &bytes[at..]) {
            at += read;
        } else {
            break;
        }
    }
    stripper.stripped.out.extend([0xff, END]);
    stripper.stripped
}

impl Stripper {
    fn read(&mut self, marker: u8, payload: &[u8]) {
        let out = &mut self.stripped.out;
        match marker {
            APP0 if payload.starts_with(JFIF) && payload.len() >= 12 && !self.has_jfif => {
                self.has_jfif = true;
                // Without the thumbnail that may follow.
                put(out, APP0, &[&payload[..12], &[0, 0]].concat());
            }
            APP1 if payload.starts_with(exif::NAME) && self.stripped.orientation.is_none() => {
                self.stripped.orientation = exif::orientation(payload);
                if let Some(notes) = exif::with_orientation(self.stripped.orientation) {
                    put(out, APP1, &[exif::NAME, &notes].concat());
                }
            }
            APP2 if payload.starts_with(ICC) && payload.len() > ICC.len() + 2 => {
                let (number, payload) = (payload[ICC.len()], &payload[ICC.len() + 2..]);
                self.colours.push((number, payload.to_vec()));
            }
            // This segment tells how colours are encoded.
            APP14 if payload.starts_with(ADOBE) && payload.len() >= 12 && !self.has_adobe => {
                self.has_adobe = true;
                put(out, APP14, &payload[..12]);
            }
            QUANTIZATION => self.quantization(payload),
            HUFFMAN => self.huffman(payload),
            INTERVAL if payload.len() >= 2 => put(out, INTERVAL, &payload[..2]),
            BASELINE..=PROGRESSIVE if self.frame.is_none() => {
                self.frame = components(payload);
                self.is_progressive = marker == PROGRESSIVE;
                if let Some(components) = &self.frame {
                    // Programs expect the profile before the frame.
                    put_colours(out, std::mem::take(&mut self.colours));
                    put(out, marker, &payload[..6 + 3 * components.len()]);
                }
            }
            _ => {}
        }
    }

    fn quantization(&mut self, mut payload: &[u8]) {
        while let Some(&head) = payload.first() {
            let len = if head >> 4 == 0 { 65 } else { 129 };
            let Some((table, rest)) = payload.split_at_checked(len) else {
                break;
            };
            if let Some(kept) = self.quantization.get_mut(usize::from(head & 15)) {
                kept.set(table);
            }
            payload = rest;
        }
    }

    fn huffman(&mut self, mut payload: &[u8]) {
        while let Some(counts) = slice(payload, 1, 16) {
            let len = 17 + counts.iter().map(|n| usize::from(*n)).sum::<usize>();
            let Some((table, rest)) = payload.split_at_checked(len) else {
                break;
            };
            let kept = self.huffman.get_mut(usize::from(table[0] >> 4));
            if let Some(kept) = kept.and_then(|kept| kept.get_mut(usize::from(table[0] & 15))) {
                kept.set(table);
            }
            payload = rest;
        }
    }

    /// Writes a scan with the tables it needs, and returns how many bytes of data were read. `None` if it can't be parsed.
    fn scan(&mut self, payload: &[u8], data: &[u8]) -> Option<usize> {
        let frame = self.frame.as_ref()?;
        let out = &mut self.stripped.out;
        let count = usize::from(*payload.first()?);
        let header = payload.get(..4 + 2 * count).filter(|_| (1..=4).contains(&count))?;
        let specs = || header[1..=2 * count].chunks_exact(2);
        for spec in specs() {
            let component = frame.iter().find(|it| it.id == spec[0])?;
            self.quantization[component.quantization].put(out, QUANTIZATION);
        }
        // A progressive scan needs the tables of its class alone, and none to refine the first coefficient.
        let uses = match &header[1 + 2 * count..] {
            [first, last, approximation] if self.is_progressive => [*first == 0 && approximation >> 4 == 0, *last > 0],
            _ => [true, true],
        };
        for spec in specs() {
            for (class, id) in [spec[1] >> 4, spec[1] & 15].into_iter().enumerate().filter(|(class, _)| uses[*class]) {
                self.huffman[class].get_mut(usize::from(id))?.put(out, HUFFMAN);
            }
        }
        put(out, SCAN, header);
        self.stripped.passes += 1;
        let len = data_len(data);
        out.extend(&data[..len]);
        Some(len)
    }
}

/// The components of a frame. `None` if its header is not valid.
fn components(payload: &[u8]) -> Option<Vec<Component>> {
    let pixels = be16(payload, 1)? * be16(payload, 3)?;
    let count = usize::from(*payload.get(5)?);
    let specs = payload.get(6..6 + 3 * count)?.chunks_exact(3);
    let is_valid = (1..=4).contains(&count) && (1..=MAX_PIXELS).contains(&pixels) && specs.clone().all(|it| it[2] < 4);
    let components = specs.map(|it| Component { id: it[0], quantization: usize::from(it[2]) });
    is_valid.then(|| components.collect())
}

/// The length of a scan's data, up to a marker other than a restart.
fn data_len(data: &[u8]) -> usize {
    let mut len = 0;
    while let Some(found) = memchr::memchr(0xff, &data[len..]) {
        len += found;
        match data.get(len + 1) {
            Some(0 | 0xd0..=0xd7) => len += 2,
            // Fill bytes.
            Some(0xff) => len += 1,
            _ => return len,
        }
    }
    data.len()
}

fn put_colours(out: &mut Vec<u8>, mut segments: Vec<(u8, Vec<u8>)>) {
    segments.sort_by_key(|(number, _)| *number);
    let profile: Vec<u8> = segments.into_iter().flat_map(|(_, bytes)| bytes).collect();
    let profile = icc::strip(&profile).unwrap_or_default();
    let chunks = profile.chunks(ICC_CHUNK);
    let count = u8::try_from(chunks.len()).unwrap_or_default();
    for (chunk, number) in chunks.zip(1..=count) {
        put(out, APP2, &[ICC, &[number, count], chunk].concat());
    }
}

fn put(out: &mut Vec<u8>, marker: u8, payload: &[u8]) {
    let len = u16::try_from(payload.len() + 2).unwrap_or_default();
    out.extend([0xff, marker]);
    out.extend(len.to_be_bytes());
    out.extend(payload);
}
