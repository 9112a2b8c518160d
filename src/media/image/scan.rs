//! Parses the entropy-coded data of a JPEG scan to find where it ends. Values are not decoded any further.

use super::{MAX_PIXELS, be16};

/// The frame header of a picture.
pub struct Frame {
    is_progressive: bool,
    width: usize,
    height: usize,
    components: Vec<Component>,
    largest: (usize, usize),
}

struct Component {
    id: u8,
    across: usize,
    down: usize,
    quantization: usize,
    /// Blocks per row, including padding to whole units.
    stride: usize,
    /// The coefficients of each block that are known not to be zero, one bit each, in progressive pictures.
    known: Vec<u64>,
}

impl Frame {
    /// Parses the segment.
    pub fn read(payload: &[u8], is_progressive: bool) -> Option<Self> {
        let (height, width) = (be16(payload, 1)?, be16(payload, 3)?);
        let count = usize::from(*payload.get(5)?);
        let specs = payload.get(6..6 + 3 * count)?;
        let mut components: Vec<Component> = specs
            .chunks_exact(3)
            .map(|spec| Component {
                id: spec[0],
                across: usize::from(spec[1] >> 4),
                down: usize::from(spec[1] & 15),
                quantization: usize::from(spec[2]),
                stride: 0,
                known: Vec::new(),
            })
            .collect();
        let is_valid =
            |it: &Component| (1..=4).contains(&it.across) && (1..=4).contains(&it.down) && it.quantization < 4;
        if !(1..=4).contains(&count)
            || width * height == 0
            || width * height > MAX_PIXELS
            || !components.iter().all(is_valid)
        {
            return None;
        }
        let across = components.iter().map(|it| it.across).max()?;
        let down = components.iter().map(|it| it.down).max()?;
        for it in &mut components {
            it.stride = width.div_ceil(8 * across) * it.across;
            if is_progressive {
                it.known = vec![0; it.stride * height.div_ceil(8 * down) * it.down];
            }
        }
        Some(Self { is_progressive, width, height, components, largest: (across, down) })
    }

    /// The parsed length of the segment.
    pub fn header_len(&self) -> usize {
        6 + 3 * self.components.len()
    }

    /// The quantization table of a component.
    pub fn quantization(&self, component: usize) -> usize {
        self.components[component].quantization
    }

    /// The columns and rows of blocks of a component that is scanned alone.
    fn blocks(&self, component: usize) -> (usize, usize) {
        let it = &self.components[component];
        let blocks = |pixels: usize, factor: usize, max: usize| (pixels * factor).div_ceil(max * 8);
        (blocks(self.width, it.across, self.largest.0), blocks(self.height, it.down, self.largest.1))
    }
}

/// A component in a scan.
pub struct ScanComponent {
    /// Its index in the frame.
    pub index: usize,
    /// The DC table.
    dc: usize,
    /// The AC table.
    ac: usize,
}

/// A scan header.
pub struct Scan {
    pub components: Vec<ScanComponent>,
    /// The first coefficient.
    begin: usize,
    /// The last coefficient.
    end: usize,
    is_refining: bool,
    is_progressive: bool,
}

impl Scan {
    /// Parses the segment.
    pub fn read(payload: &[u8], frame: &Frame) -> Option<Self> {
        let count = usize::from(*payload.first()?);
        let parse = |spec: &[u8]| {
            Some(ScanComponent {
                index: frame.components.iter().position(|it| it.id == spec[0])?,
                dc: usize::from(spec[1] >> 4),
                ac: usize::from(spec[1] & 15),
            })
        };
        let components = payload.get(1..1 + 2 * count)?.chunks_exact(2).map(parse);
        let components = components.collect::<Option<Vec<ScanComponent>>>()?;
        let &[begin, end, approximation] = payload.get(1 + 2 * count..4 + 2 * count)? else {
            return None;
        };
        let (begin, end) = if frame.is_progressive { (usize::from(begin), usize::from(end)) } else { (0, 63) };
        let is_valid = (1..=4).contains(&count)
            && components.iter().all(|it| it.dc < 4 && it.ac < 4)
            && begin <= end
            && end < 64
            && (!frame.is_progressive || (begin == 0) == (end == 0))
            && (begin == 0 || count == 1);
        is_valid.then_some(Self {
            components,
            begin,
            end,
            is_refining: frame.is_progressive && approximation >> 4 > 0,
            is_progressive: frame.is_progressive,
        })
    }

    /// The parsed length of the segment.
    pub fn header_len(&self) -> usize {
        4 + 2 * self.components.len()
    }

    /// The tables that it needs, as class (0 for DC, 1 for AC) and index.
    pub fn tables(&self) -> impl Iterator<Item = (usize, usize)> {
        let dc = (self.begin == 0 && !self.is_refining).then_some(0);
        let ac = (self.end > 0).then_some(1);
        let table = |it: &ScanComponent, class| (class, if class == 0 { it.dc } else { it.ac });
        self.components.iter().flat_map(move |it| {
            let classes = dc.into_iter().chain(ac);
            classes.map(move |class| table(it, class))
        })
    }

    /// Copies the data as far as decoders read it, and returns where it ends.
    pub fn copy_data(
        &self,
        frame: &mut Frame,
        tables: &[[Option<Huffman>; 4]; 2],
        interval: usize,
        data: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        let (across, down) = match &self.components[..] {
            [component] => frame.blocks(component.index),
            _ => (frame.width.div_ceil(8 * frame.largest.0), frame.height.div_ceil(8 * frame.largest.1)),
        };
        let all = across * down;
        let step = if interval == 0 { all } else { interval };
        let (mut at, mut begin) = (0, 0);
        loop {
            let (plain, end) = unstuffed(&data[at..]);
            at += end;
            let mut bits = BitReader::new(&plain);
            let units = (begin..all.min(begin + step)).map(|unit| (unit % across, unit / across));
            // An error ends the interval: decoders resume at the next one.
            let _ = self.units(frame, tables, &mut bits, units);
            stuff(&plain[..bits.bytes()], out);
            begin += step;
            match data.get(at..at + 2) {
                Some(&[0xff, marker @ 0xd0..=0xd7]) if begin < all => {
                    out.extend([0xff, marker]);
                    at += 2;
                }
                _ => return at,
            }
        }
    }

    fn units(
        &self,
        frame: &mut Frame,
        tables: &[[Option<Huffman>; 4]; 2],
        bits: &mut BitReader,
        units: impl Iterator<Item = (usize, usize)>,
    ) -> Option<()> {
        let mut run = 0;
        for (x, y) in units {
            for component in &self.components {
                let it = &mut frame.components[component.index];
                let (across, down) = match self.components.len() {
                    1 => (1, 1),
                    _ => (it.across, it.down),
                };
                let dc = tables[0][component.dc].as_ref();
                let ac = tables[1][component.ac].as_ref();
                for block in 0..across * down {
                    let row = y * down + block / across;
                    let index = row * it.stride + x * across + block % across;
                    if !self.is_progressive {
                        let size = dc?.next(bits)?;
                        bits.take(size)?;
                        self.coefficients(ac?, bits, &mut 0, &mut run)?;
                    } else if self.begin == 0 {
                        let count = if self.is_refining { 1 } else { dc?.next(bits)? };
                        bits.take(count)?;
                    } else if self.is_refining {
                        self.refinements(ac?, bits, it.known.get_mut(index)?, &mut run)?;
                    } else {
                        self.coefficients(ac?, bits, it.known.get_mut(index)?, &mut run)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Reads the AC coefficients of a block. `run` counts the following blocks without any.
    fn coefficients(&self, table: &Huffman, bits: &mut BitReader, known: &mut u64, run: &mut u32) -> Option<()> {
        if *run > 0 {
            *run -= 1;
            return Some(());
        }
        let mut at = self.begin.max(1);
        while at <= self.end {
            let code = table.next(bits)?;
            let (zeros, size) = (code >> 4, code & 15);
            if size == 0 && zeros < 15 {
                if self.is_progressive {
                    *run = (1 << zeros) - 1 + bits.take(zeros)?;
                }
                break;
            }
            at += usize::from(zeros);
            if size > 0 {
                bits.take(size)?;
                *known |= 1_u64.checked_shl(u32::try_from(at).ok()?).unwrap_or(0);
            }
            at += 1;
        }
        Some(())
    }

    /// Reads one more bit of each coefficient known not to be zero, and the newly known ones.
    fn refinements(&self, table: &Huffman, bits: &mut BitReader, known: &mut u64, run: &mut u32) -> Option<()> {
        let mut at = self.begin;
        if *run == 0 {
            while at <= self.end {
                let code = table.next(bits)?;
                let (mut zeros, size) = (code >> 4, code & 15);
                if size > 0 {
                    bits.take(1)?;
                } else if zeros < 15 {
                    *run = (1 << zeros) + bits.take(zeros)?;
                    break;
                }
                while at <= self.end {
                    if *known >> at & 1 == 1 {
                        bits.take(1)?;
                    } else if zeros == 0 {
                        break;
                    } else {
                        zeros -= 1;
                    }
                    at += 1;
                }
                if size > 0 && at <= self.end {
                    *known |= 1 << at;
                }
                at += 1;
            }
        }
        if *run > 0 {
            *run -= 1;
            for at in at..=self.end {
                if *known >> at & 1 == 1 {
                    bits.take(1)?;
                }
            }
        }
        Some(())
    }
}

/// A lookup table from the next 16 bits to the length of the code they begin with, and its symbol.
pub struct Huffman(Vec<(u8, u8)>);

impl Huffman {
    /// Parses a table: a byte of class and index, the number of codes of each length, and the symbols.
    pub fn read(table: &[u8]) -> Option<Self> {
        let (counts, mut symbols) = table.get(1..)?.split_at_checked(16)?;
        let mut codes = Vec::with_capacity(1 << 16);
        for (count, len) in counts.iter().zip(1_u8..) {
            let (of_length, rest) = symbols.split_at_checked(usize::from(*count))?;
            symbols = rest;
            for symbol in of_length {
                let end = codes.len() + (1 << (16 - len));
                codes.resize(end, (len, *symbol));
            }
        }
        if codes.len() > 1 << 16 {
            return None;
        }
        codes.resize(1 << 16, (0, 0));
        Some(Self(codes))
    }

    /// The symbol of the next code.
    fn next(&self, bits: &mut BitReader) -> Option<u8> {
        let &(len, symbol) = self.0.get(usize::try_from(bits.next_16()).ok()?)?;
        if len == 0 {
            return None;
        }
        bits.skip(len)?;
        Some(symbol)
    }
}

/// Data up to the next marker with its byte stuffing removed, and the offset of the marker.
fn unstuffed(data: &[u8]) -> (Vec<u8>, usize) {
    let mut plain = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let ones = memchr::memchr(0xff, &data[at..]).map_or(data.len(), |found| at + found);
        plain.extend(&data[at..ones]);
        at = ones;
        match data.get(ones + 1) {
            Some(0) => plain.push(0xff),
            _ => break,
        }
        at += 2;
    }
    // A marker may be preceded by fill bytes.
    while data.get(at..at + 2) == Some(&[0xff, 0xff]) {
        at += 1;
    }
    (plain, at)
}

fn stuff(plain: &[u8], out: &mut Vec<u8>) {
    for byte in plain {
        out.push(*byte);
        if *byte == 0xff {
            out.push(0);
        }
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    /// The number of bits read.
    read: usize,
}

impl<'a> BitReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: 0 }
    }

    /// The next 16 bits, padded with zeros at the end.
    fn next_16(&self) -> u32 {
        let mut four = [0; 4];
        let rest = self.bytes.get(self.read / 8..).unwrap_or_default();
        let len = rest.len().min(4);
        four[..len].copy_from_slice(&rest[..len]);
        (u32::from_be_bytes(four) << (self.read % 8)) >> 16
    }

    fn skip(&mut self, count: u8) -> Option<()> {
        let end = self.read + usize::from(count);
        // Data that is truncated in the middle of a code is kept to its last byte.
        self.read = end.min(self.bytes.len() * 8);
        (end <= self.bytes.len() * 8).then_some(())
    }

    fn take(&mut self, count: u8) -> Option<u32> {
        if count > 16 {
            return None;
        }
        let bits = self.next_16() >> (16 - u32::from(count));
        self.skip(count)?;
        Some(bits)
    }

    /// The number of bytes read, including a partial one.
    fn bytes(&self) -> usize {
        self.read.div_ceil(8)
    }
}
