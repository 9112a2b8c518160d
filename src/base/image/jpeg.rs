//! JPEG, segment by segment. What is put out is made of what was understood: tables that a scan needs, in front of
//! it, and the data of scans as far as decoders read it.

use super::scan::{Frame, Huffman, Scan};
use super::{Walk, be16, exif, icc, part};

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
/// What a segment of colours holds beside its name and number.
const ICC_PART: usize = 65_519;
/// Many times more than any program makes.
const MAX_SCANS: usize = 100;

/// A table of four, and whether a scan still has to be told of it.
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
struct Parts {
    walk: Walk,
    quantization: [Table; 4],
    /// Those of the first coefficients, then those of the others.
    huffman: [[Table; 4]; 2],
    colours: Vec<(u8, Vec<u8>)>,
    frame: Option<Frame>,
    interval: usize,
    has_jfif: bool,
    has_adobe: bool,
}

/// Keeps what decoding needs, the colours and the way up.
pub fn walk(bytes: &[u8]) -> Walk {
    let mut parts = Parts::default();
    parts.walk.out.extend([0xff, START]);
    let mut at = 2;
    while at < bytes.len() && parts.walk.passes < MAX_SCANS {
        // What stands between segments is passed over, as decoders do.
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
            // Cameras put more pictures behind, with notes of their own.
            END => break,
            _ => {}
        }
        let segment = be16(bytes, at).and_then(|len| part(bytes, at, len.max(2)));
        let Some(segment) = segment else { break };
        at += segment.len();
        let own = &segment[2..];
        if marker != SCAN {
            parts.read(marker, own);
        } else if let Some(read) = parts.scan(own, &bytes[at..]) {
            at += read;
        } else {
            break;
        }
    }
    parts.walk.out.extend([0xff, END]);
    parts.walk
}

impl Parts {
    fn read(&mut self, marker: u8, own: &[u8]) {
        let out = &mut self.walk.out;
        match marker {
            APP0 if own.starts_with(JFIF) && own.len() >= 12 && !self.has_jfif => {
                self.has_jfif = true;
                // Without the small picture that may follow.
                put(out, APP0, &[&own[..12], &[0, 0]].concat());
            }
            APP1 if own.starts_with(exif::NAME) && self.walk.orientation.is_none() => {
                self.walk.orientation = exif::orientation(own);
                if let Some(notes) = exif::of_orientation(self.walk.orientation) {
                    put(out, APP1, &[exif::NAME, &notes].concat());
                }
            }
            APP2 if own.starts_with(ICC) && own.len() > ICC.len() + 2 => {
                let (number, own) = (own[ICC.len()], &own[ICC.len() + 2..]);
                self.colours.push((number, own.to_vec()));
            }
            // Says how colours are meant.
            APP14 if own.starts_with(ADOBE) && own.len() >= 12 && !self.has_adobe => {
                self.has_adobe = true;
                put(out, APP14, &own[..12]);
            }
            QUANTIZATION => self.quantization(own),
            HUFFMAN => self.huffman(own),
            INTERVAL if own.len() >= 2 => {
                self.interval = be16(own, 0).unwrap_or_default();
                put(out, INTERVAL, &own[..2]);
            }
            BASELINE..=PROGRESSIVE if self.frame.is_none() => {
                self.frame = Frame::read(own, marker == PROGRESSIVE);
                if let Some(frame) = &self.frame {
                    // Programs look for them in front of it.
                    put_colours(out, std::mem::take(&mut self.colours));
                    put(out, marker, &own[..frame.header_len()]);
                }
            }
            _ => {}
        }
    }

    fn quantization(&mut self, mut own: &[u8]) {
        while let Some(&head) = own.first() {
            let len = if head >> 4 == 0 { 65 } else { 129 };
            let Some((table, rest)) = own.split_at_checked(len) else {
                break;
            };
            if let Some(kept) = self.quantization.get_mut(usize::from(head & 15)) {
                kept.set(table);
            }
            own = rest;
        }
    }

    fn huffman(&mut self, mut own: &[u8]) {
        while let Some(counts) = part(own, 1, 16) {
            let len = 17 + counts.iter().map(|n| usize::from(*n)).sum::<usize>();
            let Some((table, rest)) = own.split_at_checked(len) else {
                break;
            };
            let kept = self.huffman.get_mut(usize::from(table[0] >> 4));
            if let Some(kept) = kept.and_then(|kept| kept.get_mut(usize::from(table[0] & 15))) {
                kept.set(table);
            }
            own = rest;
        }
    }

    /// Puts a scan out with all that it needs; says how far it was read. `None` where nothing can be read from it.
    fn scan(&mut self, own: &[u8], data: &[u8]) -> Option<usize> {
        let frame = self.frame.as_mut()?;
        let scan = Scan::read(own, frame)?;
        let out = &mut self.walk.out;
        for part in &scan.parts {
            self.quantization[frame.quantization(part.component)].put(out, QUANTIZATION);
        }
        let mut tables: [[Option<Huffman>; 4]; 2] = Default::default();
        for (class, id) in scan.tables() {
            let table = &mut self.huffman[class][id];
            table.put(out, HUFFMAN);
            if tables[class][id].is_none() {
                tables[class][id] = Some(Huffman::read(&table.segment)?);
            }
        }
        put(out, SCAN, &own[..scan.header_len()]);
        self.walk.passes += 1;
        Some(scan.walk(frame, &tables, self.interval, data, out))
    }
}

fn put_colours(out: &mut Vec<u8>, mut parts: Vec<(u8, Vec<u8>)>) {
    parts.sort_by_key(|(number, _)| *number);
    let whole: Vec<u8> = parts.into_iter().flat_map(|(_, part)| part).collect();
    let whole = icc::bare(&whole).unwrap_or_default();
    let parts = whole.chunks(ICC_PART);
    let count = u8::try_from(parts.len()).unwrap_or_default();
    for (part, number) in parts.zip(1..=count) {
        put(out, APP2, &[ICC, &[number, count], part].concat());
    }
}

fn put(out: &mut Vec<u8>, marker: u8, own: &[u8]) {
    let len = u16::try_from(own.len() + 2).unwrap_or_default();
    out.extend([0xff, marker]);
    out.extend(len.to_be_bytes());
    out.extend(own);
}
