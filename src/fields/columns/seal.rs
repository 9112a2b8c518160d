//! Makes the segment of a column: the keys of one block's rows as bytes.

use std::collections::HashMap;

use crate::fields::columns::bits::{Bits, ROWS};
use crate::fields::columns::cells::{self, Told};
use crate::fields::columns::numbers::Numbers;
use crate::fields::columns::parted::{self, WORTH_PARTING};
use crate::fields::columns::parts::{self, Packing};
use crate::fields::columns::texts::Texts;
use crate::fields::columns::{DICTIONARY, EMPTY, NUMBERS, PARTED, TEXTS};
use crate::fields::cond::Key;

// A dictionary whose codes have one byte, and one whose codes have two.
const NARROW: usize = 256;
const WIDE: usize = 1024;

/// Collects the keys of one column of a block, row after row.
pub struct Sealer {
    rows: Vec<usize>,
    unknown: Bits,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for Sealer {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            unknown: Bits::none(),
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Sealer {
    /// Adds the keys of a row; rows come in order. A row that needs more than `room` bytes is only noted
    /// as one that the segment says nothing of.
    pub fn add(&mut self, row: usize, cells: &[Vec<Key>], room: usize) {
        let start = self.bytes.len();
        cells::write(cells, &mut self.bytes);
        self.end_row(row, start, room);
    }

    /// The same with a row that has one key.
    pub(super) fn add_told(&mut self, row: usize, told: &Told, room: usize) {
        let start = self.bytes.len();
        cells::write_told(told, &mut self.bytes);
        self.end_row(row, start, room);
    }

    /// The same with keys that were written before.
    pub(super) fn add_written(&mut self, row: usize, written: &[u8], room: usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(written);
        self.end_row(row, start, room);
    }

    fn end_row(&mut self, row: usize, start: usize, room: usize) {
        let size = self.bytes.len() - start;
        if size > room {
            self.bytes.truncate(start);
            self.unknown.add(row);
        } else if size > 0 && row < ROWS {
            self.rows.push(row);
            self.ends.push(self.bytes.len());
        }
    }

    /// How many bytes it holds so far.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The segment.
    pub fn seal(&self, packing: Packing) -> Vec<u8> {
        self.lay_out().put(packing)
    }

    /// The segment, before its bytes are put one behind the other: to be done once where more than one
    /// packing is tried.
    pub fn lay_out(&self) -> LaidOut {
        let values = self.values();
        let body = if self.rows.is_empty() {
            Body::Empty
        } else if let Some((numbers, labels)) = numbers(values.clone()) {
            Body::Numbers(numbers, labels)
        } else if let Some((dictionary, codes)) = dictionary(values.clone()) {
            let codes: Vec<u8> = if dictionary.len() > NARROW {
                codes.iter().flat_map(|code| code.to_le_bytes()).collect()
            } else {
                codes.iter().map(|code| *code as u8).collect()
            };
            Body::Dictionary(dictionary, codes)
        } else {
            Body::Texts(Texts::of(values))
        };
        LaidOut {
            unknown: self.unknown.clone(),
            filled: Bits::of(self.rows.iter().copied()),
            body,
        }
    }

    fn values(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.bytes[start..*end])
    }
}

/// A segment whose layout is chosen.
pub struct LaidOut {
    unknown: Bits,
    filled: Bits,
    body: Body,
}

enum Body {
    Empty,
    Numbers(Numbers<'static>, Option<Texts<'static>>),
    Dictionary(Texts<'static>, Vec<u8>),
    Texts(Texts<'static>),
}

impl LaidOut {
    /// The segment.
    pub fn put(&self, packing: Packing) -> Vec<u8> {
        let is_parted = |texts: &Texts| packing == Packing::Packed && texts.size() >= WORTH_PARTING;
        let mut out = vec![match &self.body {
            Body::Empty => EMPTY,
            Body::Numbers(..) => NUMBERS,
            Body::Dictionary(..) => DICTIONARY,
            Body::Texts(texts) if is_parted(texts) => PARTED,
            Body::Texts(_) => TEXTS,
        }];
        // Of these, nearly nothing is left.
        parts::put(&self.unknown.to_bytes(), Packing::Packed, &mut out);
        if !matches!(self.body, Body::Empty) {
            parts::put(&self.filled.to_bytes(), Packing::Packed, &mut out);
        }
        match &self.body {
            Body::Empty => {}
            Body::Numbers(numbers, labels) => {
                numbers.put(packing, &mut out);
                out.push(u8::from(labels.is_some()));
                if let Some(labels) = labels {
                    labels.put(packing, &mut out);
                }
            }
            Body::Dictionary(dictionary, codes) => {
                dictionary.put(packing, &mut out);
                parts::put(codes, packing, &mut out);
            }
            Body::Texts(texts) if is_parted(texts) => parted::put(texts, &mut out),
            Body::Texts(texts) => texts.put(packing, &mut out),
        }
        out
    }
}

/// Where every value is one number, and either all have a label beside it or none has.
fn numbers<'v>(
    values: impl Iterator<Item = &'v [u8]>,
) -> Option<(Numbers<'static>, Option<Texts<'static>>)> {
    let (mut numbers, mut labels) = (Vec::new(), Vec::new());
    for value in values {
        let (number, label) = cells::only_number(value)?;
        if !number.is_finite() {
            return None;
        }
        numbers.push(number);
        labels.extend(label);
    }
    let labels = match labels.len() {
        0 => None,
        some if some == numbers.len() => Some(Texts::of_labels(labels.into_iter())),
        _ => return None,
    };
    Some((Numbers::of(numbers), labels))
}

/// Where few values come again and again: those, and each row's number among them.
fn dictionary<'v>(values: impl Iterator<Item = &'v [u8]>) -> Option<(Texts<'static>, Vec<u16>)> {
    let mut known: HashMap<&[u8], u16> = HashMap::new();
    let mut distinct: Vec<&[u8]> = Vec::new();
    let mut codes = Vec::new();
    for value in values {
        let code = match known.get(value) {
            Some(code) => *code,
            None => {
                if distinct.len() == WIDE {
                    return None;
                }
                // At most WIDE.
                let code = distinct.len() as u16;
                known.insert(value, code);
                distinct.push(value);
                code
            }
        };
        codes.push(code);
    }
    let few = distinct.len() * 4 <= codes.len() || distinct.len() <= 16;
    few.then(|| (Texts::of(distinct.into_iter()), codes))
}
