//! Makes the segment of a column: the keys of one block's rows as bytes.

use crate::fields::columns::bits::{Bits, ROWS};
use crate::fields::columns::cells::{self, NUMBER_SIZE, Only, Variant};
use crate::fields::columns::dictionary::dictionary;
use crate::fields::columns::numbers::Narrowed;
use crate::fields::columns::parted::{self, WORTH_PARTING};
use crate::fields::columns::parts::{self, Packing};
use crate::fields::columns::split::Split;
use crate::fields::columns::texts::Texts;
use crate::fields::columns::{DICTIONARY, EMPTY, NUMBERS, PARTED, SPLIT, TEXTS};
use crate::fields::cond::Key;

// A dictionary of so many has codes of one byte.
const NARROW: usize = 256;

/// Collects the keys of one column of a block, row after row.
pub struct Sealer {
    filled: Bits,
    unknown: Bits,
    /// The values of the rows that are filled, while each is one number.
    numbers: Vec<f64>,
    /// Those values from when one was something else: texts, while each is one alone, else cells.
    texts: Texts<'static>,
    /// The numbers of those texts or cells, while each has one: the same number, the same bytes.
    numbered: Vec<u32>,
    size: usize,
    written: Vec<u8>,
}

impl Default for Sealer {
    fn default() -> Self {
        Self {
            filled: Bits::none(),
            unknown: Bits::none(),
            numbers: Vec::new(),
            texts: Texts::new(None),
            numbered: Vec::new(),
            size: 0,
            written: Vec::new(),
        }
    }
}

impl Sealer {
    /// Adds the keys of a row; rows come in order. A row that needs more than `room` bytes is only noted
    /// as one that the segment says nothing of.
    pub fn add(&mut self, row: usize, cells: &[Vec<Key>], room: usize) {
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        cells::write(cells, &mut written);
        self.add_written(row, &written, room);
        self.written = written;
    }

    /// The same with keys that were written before.
    pub(super) fn add_written(&mut self, row: usize, written: &[u8], room: usize) {
        match cells::only(written) {
            Some(Only::Number(number)) => self.add_number(row, number, room),
            Some(Only::Text(variant, text)) => {
                self.add_text(row, variant, text.len(), room, |out| {
                    out.extend_from_slice(text);
                });
            }
            None if written.is_empty() => {}
            None => {
                if self.fill(row, written.len(), room) {
                    self.spread();
                    let more = ROWS - row;
                    self.texts
                        .push(written.len(), more, |out| out.extend_from_slice(written));
                }
            }
        }
    }

    /// The same with keys that have a number by which they are known, if they have one.
    pub(super) fn add_numbered(
        &mut self,
        row: usize,
        number: Option<usize>,
        written: &[u8],
        room: usize,
    ) {
        let before = self.texts.len();
        self.add_written(row, written, room);
        let number = number.and_then(|number| u32::try_from(number).ok());
        if let Some(number) = number.filter(|_| self.texts.len() > before) {
            self.numbered.push(number);
        }
    }

    /// The same with a row that has one number.
    pub(super) fn add_number(&mut self, row: usize, number: f64, room: usize) {
        if !self.fill(row, NUMBER_SIZE, room) {
            return;
        }
        if self.texts.is_empty() && number.is_finite() {
            self.numbers.push(number);
            return;
        }
        self.spread();
        let write = |out: &mut Vec<u8>| cells::write_number(number, out);
        self.texts.push(NUMBER_SIZE, ROWS - row, write);
    }

    /// The same with a row that has one text of so many bytes, which `write` appends.
    pub(super) fn add_text(
        &mut self,
        row: usize,
        variant: Variant,
        length: usize,
        room: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        if !self.fill(row, length + NUMBER_SIZE, room) {
            return;
        }
        if self.texts.is_empty() && self.numbers.is_empty() {
            self.texts = Texts::new(Some(variant));
        }
        let more = ROWS - row;
        if self.texts.only() == Some(variant) {
            self.texts.push(length, more, write);
            return;
        }
        self.spread();
        self.texts.push(length + NUMBER_SIZE, more, |out| {
            cells::write_head(variant, length, out);
            write(out);
        });
    }

    /// Notes that a row has a value of about so many bytes; false, where that has no room.
    fn fill(&mut self, row: usize, size: usize, room: usize) -> bool {
        if size > room {
            self.unknown.add(row);
            return false;
        }
        if row >= ROWS {
            return false;
        }
        self.filled.add(row);
        self.size += size;
        true
    }

    /// From now on values are cells, those that are there as well.
    fn spread(&mut self) {
        if self.numbers.is_empty() && self.texts.only().is_none() {
            return;
        }
        let mut cells = Texts::new(None);
        let more = self.numbers.len() + self.texts.len();
        for number in std::mem::take(&mut self.numbers) {
            let write = |out: &mut Vec<u8>| cells::write_number(number, out);
            cells.push(NUMBER_SIZE, more, write);
        }
        if let Some(variant) = self.texts.only() {
            for text in self.texts.values() {
                cells.push(text.len() + NUMBER_SIZE, more, |out| {
                    cells::write_head(variant, text.len(), out);
                    out.extend_from_slice(text);
                });
            }
        }
        self.texts = cells;
    }

    /// How many bytes it holds so far, about.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The segment.
    pub fn seal(self, packing: Packing) -> Vec<u8> {
        self.lay_out().put(packing)
    }

    /// The segment, before its bytes are put one behind the other: to be done once where more than one
    /// packing is tried.
    pub fn lay_out(self) -> LaidOut {
        let body = if self.filled.is_empty() {
            Body::Empty
        } else if !self.numbers.is_empty() {
            Body::Numbers(Narrowed::of(&self.numbers), None)
        } else if let Some((numbers, labels)) = labelled(&self.texts) {
            Body::Numbers(numbers, Some(labels))
        } else if let Some((dictionary, codes)) = dictionary(&self.texts, &self.numbered) {
            let codes: Vec<u8> = if dictionary.len() > NARROW {
                codes.iter().flat_map(|code| code.to_le_bytes()).collect()
            } else {
                codes.iter().map(|code| *code as u8).collect()
            };
            Body::Dictionary(dictionary, codes)
        } else if let Some(split) = Split::of(&self.texts) {
            Body::Split(split)
        } else {
            Body::Texts(self.texts)
        };
        // Of these, nearly nothing is left.
        let mut rows = Vec::new();
        parts::put(&self.unknown.to_bytes(), Packing::Packed, &mut rows);
        if !matches!(body, Body::Empty) {
            parts::put(&self.filled.to_bytes(), Packing::Packed, &mut rows);
        }
        LaidOut { rows, body }
    }
}

/// A segment whose layout is chosen.
pub struct LaidOut {
    /// Which of its rows are unknown, and which are filled.
    rows: Vec<u8>,
    body: Body,
}

enum Body {
    Empty,
    Numbers(Narrowed, Option<Texts<'static>>),
    Dictionary(Texts<'static>, Vec<u8>),
    Split(Split<'static>),
    Texts(Texts<'static>),
}

impl LaidOut {
    /// How long the segment is where it is not compressed.
    pub fn plain_size(&self) -> usize {
        let body = match &self.body {
            Body::Empty => 0,
            Body::Numbers(numbers, labels) => {
                numbers.plain_size() + 1 + labels.as_ref().map_or(0, Texts::plain_size)
            }
            Body::Dictionary(dictionary, codes) => {
                dictionary.plain_size() + parts::plain_size(codes.len())
            }
            Body::Split(split) => split.plain_size(),
            Body::Texts(texts) => texts.plain_size(),
        };
        1 + self.rows.len() + body
    }

    /// The segment.
    pub fn put(&self, packing: Packing) -> Vec<u8> {
        let is_parted = |texts: &Texts| packing == Packing::Packed && texts.size() >= WORTH_PARTING;
        let mut out = vec![match &self.body {
            Body::Empty => EMPTY,
            Body::Numbers(..) => NUMBERS,
            Body::Dictionary(..) => DICTIONARY,
            Body::Split(_) => SPLIT,
            Body::Texts(texts) if is_parted(texts) => PARTED,
            Body::Texts(_) => TEXTS,
        }];
        out.extend_from_slice(&self.rows);
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
            Body::Split(split) => split.put(packing, &mut out),
            Body::Texts(texts) if is_parted(texts) => parted::put(texts, &mut out),
            Body::Texts(texts) => texts.put(packing, &mut out),
        }
        out
    }
}

/// Where every value is one number with a label beside it.
fn labelled(cells: &Texts) -> Option<(Narrowed, Texts<'static>)> {
    if cells.only().is_some() {
        return None;
    }
    let (mut numbers, mut labels) = (Vec::new(), Texts::new(Some(Variant::Text)));
    for value in cells.values() {
        let (number, label) = cells::labelled(value)?;
        if !number.is_finite() {
            return None;
        }
        numbers.push(number);
        labels.push(label.len(), 0, |out| out.extend_from_slice(label));
    }
    Some((Narrowed::of(&numbers), labels))
}
