//! Reads a segment, and asks a condition of all its rows at once.

use crate::fields::columns::bits::{Bits, ROWS};
use crate::fields::columns::numbers::Numbers;
use crate::fields::columns::parts;
use crate::fields::columns::texts::Texts;
use crate::fields::columns::{DICTIONARY, EMPTY, NUMBERS, TEXTS};
use crate::fields::cond::{Cond, Key, holds_in_cells};

/// One column of one block.
pub struct Segment<'b> {
    unknown: Bits,
    filled: Bits,
    /// The rows that are filled, in order.
    rows: Vec<u16>,
    body: Body<'b>,
}

enum Body<'b> {
    /// No row has a value.
    Empty,
    /// Each value is a number, maybe with a label beside it.
    Numbers(Numbers, Option<Texts<'b>>),
    /// Few values, and each row's number among them.
    Dictionary(Texts<'b>, Vec<u16>),
    /// Each row its own.
    Texts(Texts<'b>),
}

impl<'b> Segment<'b> {
    /// Reads what a sealer made; none where it is damaged or of another program.
    pub fn read(mut bytes: &'b [u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let layout = parts::take_byte(bytes)?;
        let unknown = Bits::from_bytes(&parts::take(bytes)?)?;
        if layout == EMPTY {
            return Some(Self {
                unknown,
                filled: Bits::none(),
                rows: Vec::new(),
                body: Body::Empty,
            });
        }
        let filled = Bits::from_bytes(&parts::take(bytes)?)?;
        // Rows are below 4,096.
        let rows: Vec<u16> = filled.iter().map(|row| row as u16).collect();
        let (body, values) = match layout {
            NUMBERS => {
                let numbers = Numbers::take(bytes)?;
                let labels = match parts::take_byte(bytes)? {
                    0 => None,
                    _ => Some(Texts::take(bytes).filter(|labels| labels.len() == numbers.len())?),
                };
                let values = numbers.len();
                (Body::Numbers(numbers, labels), values)
            }
            DICTIONARY => {
                let dictionary = Texts::take(bytes)?;
                let codes = parts::take(bytes)?;
                let codes: Vec<u16> = if dictionary.len() > usize::from(u8::MAX) + 1 {
                    codes
                        .as_chunks::<2>()
                        .0
                        .iter()
                        .map(|code| u16::from_le_bytes(*code))
                        .collect()
                } else {
                    codes.iter().map(|code| u16::from(*code)).collect()
                };
                if codes
                    .iter()
                    .any(|code| usize::from(*code) >= dictionary.len())
                {
                    return None;
                }
                let values = codes.len();
                (Body::Dictionary(dictionary, codes), values)
            }
            TEXTS => {
                let texts = Texts::take(bytes)?;
                let values = texts.len();
                (Body::Texts(texts), values)
            }
            _ => return None,
        };
        (values == rows.len()).then_some(Self {
            unknown,
            filled,
            rows,
            body,
        })
    }

    /// The serial numbers of a block, of which nothing is kept: rows count up from the first.
    pub fn counting_from(first: i64) -> Self {
        // Serials are below 2^32, so exact.
        let number = |row: u16| first as f64 + f64::from(row);
        let rows: Vec<u16> = (0..ROWS as u16).collect();
        Self {
            unknown: Bits::none(),
            filled: Bits::all(),
            body: Body::Numbers(
                Numbers::of(rows.iter().copied().map(number).collect()),
                None,
            ),
            rows,
        }
    }

    /// The rows that have a number, with it; none where some have something else.
    pub fn numbers(&self) -> Option<Vec<(usize, f64)>> {
        match &self.body {
            Body::Empty => Some(Vec::new()),
            Body::Numbers(numbers, _) => {
                let rows = self.rows.iter().enumerate();
                rows.map(|(i, row)| Some((usize::from(*row), numbers.get(i)?)))
                    .collect()
            }
            _ => None,
        }
    }

    /// What it keeps of every row that is filled, without empty cells; none where it is damaged.
    pub fn cells(&self) -> Option<Vec<(usize, Vec<Vec<Key>>)>> {
        let of = |i: usize| match &self.body {
            Body::Empty => None,
            Body::Texts(texts) => texts.cells(i),
            Body::Dictionary(dictionary, codes) => dictionary.cells(usize::from(*codes.get(i)?)),
            Body::Numbers(numbers, labels) => {
                let mut cell = vec![Key::Number(numbers.get(i)?)];
                if let Some(labels) = labels {
                    cell.push(Key::Label(labels.text(i)?.to_owned()));
                }
                Some(vec![cell])
            }
        };
        let rows = self.rows.iter().enumerate();
        rows.map(|(i, row)| Some((usize::from(*row), of(i)?)))
            .collect()
    }

    /// The rows of which it says nothing: their values were too long.
    pub fn unknown(&self) -> &Bits {
        &self.unknown
    }

    /// The rows whose cells meet a condition, as `cond::holds_in_cells` says; of `unknown` rows and of
    /// rows without an entry the answer means nothing. None where the bytes are damaged.
    pub fn ask(&self, cond: &Cond) -> Option<Bits> {
        if matches!(self.body, Body::Empty) {
            return Some(if holds_in_cells(cond, &[]) {
                Bits::all()
            } else {
                Bits::none()
            });
        }
        Some(match cond {
            Cond::Null => self.filled.inverted(),
            Cond::Not(inner) => self.ask(inner)?.inverted(),
            Cond::Both(a, b) => self.ask(a)?.and(&self.ask(b)?),
            Cond::Any(several) => {
                let mut out = Bits::none();
                for one in several {
                    out = out.or(&self.ask(one)?);
                }
                out
            }
            leaf => self.leaf(leaf)?,
        })
    }

    /// A condition over single keys, which no empty value meets.
    fn leaf(&self, cond: &Cond) -> Option<Bits> {
        let mut out = Bits::none();
        let mut found = |i: usize| out.add(usize::from(self.rows[i]));
        match &self.body {
            Body::Empty => {}
            Body::Texts(texts) => texts.ask(cond, &mut found)?,
            Body::Dictionary(dictionary, codes) => {
                let mut hits = vec![false; dictionary.len()];
                dictionary.ask(cond, &mut |code| hits[code] = true)?;
                for (i, code) in codes.iter().enumerate() {
                    if hits[usize::from(*code)] {
                        found(i);
                    }
                }
            }
            Body::Numbers(numbers, labels) => {
                if let Cond::Like(_) = cond {
                    // A number is no text; only what stands beside it is.
                    if let Some(labels) = labels {
                        labels.ask(cond, &mut found)?;
                    }
                } else if !numbers.ask(cond, labels.is_some(), &mut found) {
                    for (i, (_, cells)) in self.cells()?.iter().enumerate() {
                        if holds_in_cells(cond, cells) {
                            found(i);
                        }
                    }
                }
            }
        }
        Some(out)
    }
}
