//! The data of a JPEG scan, code by code: where the picture in it ends. What is read is not decoded any further.

use super::{MAX_PIXELS, be16};

/// What a picture consists of.
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
    /// Blocks in a row of whole units.
    stride: usize,
    /// Which coefficients of each block are known not to be zero, where they come bit by bit.
    known: Vec<u64>,
}

impl Frame {
    /// From its segment.
    pub fn read(own: &[u8], is_progressive: bool) -> Option<Self> {
        let (height, width) = (be16(own, 1)?, be16(own, 3)?);
        let count = usize::from(*own.get(5)?);
        let parts = own.get(6..6 + 3 * count)?;
        let mut components: Vec<Component> = parts
            .chunks_exact(3)
            .map(|part| Component {
                id: part[0],
                across: usize::from(part[1] >> 4),
                down: usize::from(part[1] & 15),
                quantization: usize::from(part[2]),
                stride: 0,
                known: Vec::new(),
            })
            .collect();
        let is_sound = |it: &Component| {
            (1..=4).contains(&it.across) && (1..=4).contains(&it.down) && it.quantization < 4
        };
        if !(1..=4).contains(&count)
            || width * height == 0
            || width * height > MAX_PIXELS
            || !components.iter().all(is_sound)
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
        Some(Self {
            is_progressive,
            width,
            height,
            components,
            largest: (across, down),
        })
    }

    /// How many bytes of its segment say this.
    pub fn header_len(&self) -> usize {
        6 + 3 * self.components.len()
    }

    /// The table of a component.
    pub fn quantization(&self, component: usize) -> usize {
        self.components[component].quantization
    }

    /// Blocks side by side and one below the other of a component that comes alone.
    fn blocks(&self, component: usize) -> (usize, usize) {
        let it = &self.components[component];
        let blocks = |pixels: usize, own: usize, most: usize| (pixels * own).div_ceil(most * 8);
        (
            blocks(self.width, it.across, self.largest.0),
            blocks(self.height, it.down, self.largest.1),
        )
    }
}

/// A component in a scan.
pub struct Part {
    /// Its place in the frame.
    pub component: usize,
    first: usize,
    other: usize,
}

/// Which part of the picture a scan brings.
pub struct Scan {
    /// Its components.
    pub parts: Vec<Part>,
    begin: usize,
    end: usize,
    is_refining: bool,
    is_progressive: bool,
}

impl Scan {
    /// From its segment.
    pub fn read(own: &[u8], frame: &Frame) -> Option<Self> {
        let count = usize::from(*own.first()?);
        let of = |part: &[u8]| {
            Some(Part {
                component: frame.components.iter().position(|it| it.id == part[0])?,
                first: usize::from(part[1] >> 4),
                other: usize::from(part[1] & 15),
            })
        };
        let parts = own.get(1..1 + 2 * count)?.chunks_exact(2).map(of);
        let parts = parts.collect::<Option<Vec<Part>>>()?;
        let &[begin, end, approximation] = own.get(1 + 2 * count..4 + 2 * count)? else {
            return None;
        };
        let (begin, end) = if frame.is_progressive {
            (usize::from(begin), usize::from(end))
        } else {
            (0, 63)
        };
        let is_sound = (1..=4).contains(&count)
            && parts.iter().all(|part| part.first < 4 && part.other < 4)
            && begin <= end
            && end < 64
            && (!frame.is_progressive || (begin == 0) == (end == 0))
            && (begin == 0 || count == 1);
        is_sound.then_some(Self {
            parts,
            begin,
            end,
            is_refining: frame.is_progressive && approximation >> 4 > 0,
            is_progressive: frame.is_progressive,
        })
    }

    /// How many bytes of its segment say this.
    pub fn header_len(&self) -> usize {
        4 + 2 * self.parts.len()
    }

    /// The tables that it needs: 0 with those of the first coefficients, 1 with those of the others.
    pub fn tables(&self) -> impl Iterator<Item = (usize, usize)> {
        let first = (self.begin == 0 && !self.is_refining).then_some(0);
        let other = (self.end > 0).then_some(1);
        let of = |part: &Part, class| (class, if class == 0 { part.first } else { part.other });
        let all = self.parts.iter();
        all.flat_map(move |part| {
            first
                .into_iter()
                .chain(other)
                .map(move |class| of(part, class))
        })
    }

    /// Puts out as much of the data as decoders read; says where it ends.
    pub fn walk(
        &self,
        frame: &mut Frame,
        tables: &[[Option<Huffman>; 4]; 2],
        interval: usize,
        data: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        let (across, down) = match &self.parts[..] {
            [part] => frame.blocks(part.component),
            _ => (
                frame.width.div_ceil(8 * frame.largest.0),
                frame.height.div_ceil(8 * frame.largest.1),
            ),
        };
        let all = across * down;
        let step = if interval == 0 { all } else { interval };
        let (mut at, mut begin) = (0, 0);
        loop {
            let (plain, end) = unstuffed(&data[at..]);
            at += end;
            let mut bits = Bits::new(&plain);
            let units = (begin..all.min(begin + step)).map(|unit| (unit % across, unit / across));
            // What can't be read ends it: decoders go on at the next interval.
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
        bits: &mut Bits,
        units: impl Iterator<Item = (usize, usize)>,
    ) -> Option<()> {
        let mut run = 0;
        for (x, y) in units {
            for part in &self.parts {
                let it = &mut frame.components[part.component];
                let (across, down) = match self.parts.len() {
                    1 => (1, 1),
                    _ => (it.across, it.down),
                };
                let first = tables[0][part.first].as_ref();
                let other = tables[1][part.other].as_ref();
                for block in 0..across * down {
                    let row = y * down + block / across;
                    let place = row * it.stride + x * across + block % across;
                    if !self.is_progressive {
                        let size = first?.next(bits)?;
                        bits.take(size)?;
                        self.others(other?, bits, &mut 0, &mut run)?;
                    } else if self.begin == 0 {
                        let count = if self.is_refining {
                            1
                        } else {
                            first?.next(bits)?
                        };
                        bits.take(count)?;
                    } else if self.is_refining {
                        self.refined(other?, bits, it.known.get_mut(place)?, &mut run)?;
                    } else {
                        self.others(other?, bits, it.known.get_mut(place)?, &mut run)?;
                    }
                }
            }
        }
        Some(())
    }

    /// The coefficients of a block but the first; `run` counts the blocks that have none any more.
    fn others(
        &self,
        table: &Huffman,
        bits: &mut Bits,
        known: &mut u64,
        run: &mut u32,
    ) -> Option<()> {
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

    /// One bit more of each coefficient that is known, and those that are known from now on.
    fn refined(
        &self,
        table: &Huffman,
        bits: &mut Bits,
        known: &mut u64,
        run: &mut u32,
    ) -> Option<()> {
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

/// Codes of up to 16 bits: for each 16 bits, how many of them are the code, and what it stands for.
pub struct Huffman(Vec<(u8, u8)>);

impl Huffman {
    /// From its table: a byte that names it, how many codes of each length there are, what they stand for.
    pub fn read(table: &[u8]) -> Option<Self> {
        let (counts, mut symbols) = table.get(1..)?.split_at_checked(16)?;
        let mut codes = Vec::with_capacity(1 << 16);
        for (count, len) in counts.iter().zip(1_u8..) {
            let (own, rest) = symbols.split_at_checked(usize::from(*count))?;
            symbols = rest;
            for symbol in own {
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

    /// What the next code stands for.
    fn next(&self, bits: &mut Bits) -> Option<u8> {
        let &(len, symbol) = self.0.get(usize::try_from(bits.next_16()).ok()?)?;
        if len == 0 {
            return None;
        }
        bits.skip(len)?;
        Some(symbol)
    }
}

/// Data without the zeros behind bytes of ones, up to the next marker; and where that stands.
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
    // Ones may stand in front of a marker.
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

struct Bits<'a> {
    bytes: &'a [u8],
    /// How many were read.
    read: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: 0 }
    }

    /// The next 16 bits; zeros behind the end.
    fn next_16(&self) -> u32 {
        let mut four = [0; 4];
        let rest = self.bytes.get(self.read / 8..).unwrap_or_default();
        let len = rest.len().min(4);
        four[..len].copy_from_slice(&rest[..len]);
        (u32::from_be_bytes(four) << (self.read % 8)) >> 16
    }

    fn skip(&mut self, count: u8) -> Option<()> {
        let end = self.read + usize::from(count);
        // What is cut off in the middle of a code is kept to its last byte.
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

    /// The bytes that were read, the last one perhaps in part.
    fn bytes(&self) -> usize {
        self.read.div_ceil(8)
    }
}
