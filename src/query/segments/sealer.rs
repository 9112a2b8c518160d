//! Makes the segment of a column: the keys of one block's rows as bytes.

use crate::fields::filter::cond::Key;
use crate::model::bits::{Bits, ROWS};
use crate::query::segments::cells::{self, NUMBER_SIZE, Variant};
use crate::query::segments::dictionary::dictionary;
use crate::query::segments::encoding::{self, Packing};
use crate::query::segments::numbers::Narrowed;
use crate::query::segments::split::Split;
use crate::query::segments::texts::Texts;
use crate::query::segments::{DICTIONARY, EMPTY, NUMBERS, SPLIT, TEXTS};

// A dictionary of at most this many values has codes of one byte.
const NARROW: usize = 256;

/// Collects the keys of one column of a block, row after row.
pub struct Sealer {
    filled: Bits,
    unknown: Bits,
    /// The values of the filled rows while each is one number.
    numbers: Vec<f64>,
    /// The values once one was something else: texts while each is one text, cells otherwise.
    texts: Texts<'static>,
    size: usize,
}

impl Default for Sealer {
    fn default() -> Self {
        Self { filled: Bits::none(), unknown: Bits::none(), numbers: Vec::new(), texts: Texts::new(None), size: 0 }
    }
}

impl Sealer {
    /// Adds the keys of a row; rows come in order. A row that needs more than `room` bytes is marked as unknown.
    pub fn add(&mut self, row: usize, cells: &[Vec<Key>], room: usize) {
        let mut filled = cells.iter().filter(|cell| !cell.is_empty());
        match (filled.next().map(Vec::as_slice), filled.next()) {
            (None, _) => {}
            (Some([Key::Number(number)]), None) => self.add_number(row, *number, room),
            (Some([Key::Text(text)]), None) => self.add_text(row, Variant::Text, text, room),
            (Some([Key::Code(code)]), None) => self.add_text(row, Variant::Code, code, room),
            _ => {
                let mut written = Vec::new();
                cells::write(cells, &mut written);
                if self.fill(row, written.len(), room) {
                    self.convert_to_cells();
                    self.texts.push(|out| out.extend_from_slice(&written));
                }
            }
        }
    }

    /// Adds a row that has one number.
    pub(super) fn add_number(&mut self, row: usize, number: f64, room: usize) {
        if !self.fill(row, NUMBER_SIZE, room) {
            return;
        }
        if self.texts.is_empty() && number.is_finite() {
            self.numbers.push(number);
            return;
        }
        self.convert_to_cells();
        self.texts.push(|out| cells::write_number(number, out));
    }

    /// Adds a row that has one text.
    pub(super) fn add_text(&mut self, row: usize, variant: Variant, text: &str, room: usize) {
        if !self.fill(row, text.len() + NUMBER_SIZE, room) {
            return;
        }
        if self.texts.is_empty() && self.numbers.is_empty() {
            self.texts = Texts::new(Some(variant));
        }
        if self.texts.only() != Some(variant) {
            self.convert_to_cells();
            self.texts.push(|out| {
                cells::write_head(variant, text.len(), out);
                out.extend_from_slice(text.as_bytes());
            });
            return;
        }
        self.texts.push(|out| out.extend_from_slice(text.as_bytes()));
    }

    /// Marks a row as filled with about `size` bytes, or as unknown where that exceeds the room; then false.
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

    /// Rewrites the values so far as cells, which hold any keys.
    fn convert_to_cells(&mut self) {
        if self.numbers.is_empty() && self.texts.only().is_none() {
            return;
        }
        let mut cells = Texts::new(None);
        for number in std::mem::take(&mut self.numbers) {
            cells.push(|out| cells::write_number(number, out));
        }
        if let Some(variant) = self.texts.only() {
            for text in self.texts.values() {
                cells.push(|out| {
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
        let mut out = vec![EMPTY];
        // Packed, nearly nothing is left of these.
        encoding::put(&self.unknown.to_bytes(), Packing::Packed, &mut out);
        if self.filled.is_empty() {
            return out;
        }
        encoding::put(&self.filled.to_bytes(), Packing::Packed, &mut out);
        out[0] = if !self.numbers.is_empty() {
            Narrowed::of(&self.numbers).put(packing, &mut out);
            out.push(u8::from(false));
            NUMBERS
        } else if let Some((numbers, labels)) = labelled(&self.texts) {
            numbers.put(packing, &mut out);
            out.push(u8::from(true));
            labels.put(packing, &mut out);
            NUMBERS
        } else if let Some((dictionary, codes)) = dictionary(&self.texts) {
            let codes: Vec<u8> = if dictionary.len() > NARROW {
                codes.iter().flat_map(|code| code.to_le_bytes()).collect()
            } else {
                codes.iter().map(|code| *code as u8).collect()
            };
            dictionary.put(packing, &mut out);
            encoding::put(&codes, packing, &mut out);
            DICTIONARY
        } else if let Some(split) = Split::of(&self.texts) {
            split.put(packing, &mut out);
            SPLIT
        } else {
            self.texts.put_searched(packing, &mut out);
            TEXTS
        };
        out
    }
}

/// The layout if every value is one number with a label beside it.
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
        labels.push(|out| out.extend_from_slice(label));
    }
    Some((Narrowed::of(&numbers), labels))
}
