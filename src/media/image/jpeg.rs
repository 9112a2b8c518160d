//! JPEG, segment by segment. The output is built from parsed parts: the tables that a scan needs, before it, and the
//! data of scans as far as decoders read it.

use super::scan::{Frame, Huffman, Scan};
use super::{Stripped, be16, exif, icc, slice};

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

#[derive(Default)]
struct Stripper {
    stripped: Stripped,
    quantization: [Table; 4],
    /// DC tables, then AC tables.
    huffman: [[Table; 4]; 2],
    colours: Vec<(u8, Vec<u8>)>,
    frame: Option<Frame>,
    interval: usize,
    has_jfif: bool,
    has_adobe: bool,
}

/// Keeps what decoding needs, the colour profile and the orientation.
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
            // Tells how colours are encoded.
            APP14 if payload.starts_with(ADOBE) && payload.len() >= 12 && !self.has_adobe => {
                self.has_adobe = true;
                put(out, APP14, &payload[..12]);
            }
            QUANTIZATION => self.quantization(payload),
            HUFFMAN => self.huffman(payload),
            INTERVAL if payload.len() >= 2 => {
                self.interval = be16(payload, 0).unwrap_or_default();
                put(out, INTERVAL, &payload[..2]);
            }
            BASELINE..=PROGRESSIVE if self.frame.is_none() => {
                self.frame = Frame::read(payload, marker == PROGRESSIVE);
                if let Some(frame) = &self.frame {
                    // Programs expect the profile before the frame.
                    put_colours(out, std::mem::take(&mut self.colours));
                    put(out, marker, &payload[..frame.header_len()]);
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
        let frame = self.frame.as_mut()?;
        let scan = Scan::read(payload, frame)?;
        let out = &mut self.stripped.out;
        for component in &scan.components {
            self.quantization[frame.quantization(component.index)].put(out, QUANTIZATION);
        }
        let mut tables: [[Option<Huffman>; 4]; 2] = Default::default();
        for (class, id) in scan.tables() {
            let table = &mut self.huffman[class][id];
            table.put(out, HUFFMAN);
            if tables[class][id].is_none() {
                tables[class][id] = Some(Huffman::read(&table.segment)?);
            }
        }
        put(out, SCAN, &payload[..scan.header_len()]);
        self.stripped.passes += 1;
        Some(scan.copy_data(frame, &tables, self.interval, data, out))
    }
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
