//! Reads a segment, and evaluates a condition for all its rows at once.

use std::borrow::Cow;

use crate::fields::filter::cond::{Cond, Key, holds_in_cells};
use crate::model::bits::{Bits, ROWS};
use crate::query::segments::cells::FirstKey;
use crate::query::segments::numbers::Numbers;
use crate::query::segments::split::Split;
use crate::query::segments::texts::Texts;
use crate::query::segments::{DICTIONARY, EMPTY, NUMBERS, SPLIT, TEXTS, encoding};

/// One column of one block.
pub struct Segment<'b> {
    unknown: Bits,
    filled: Bits,
    body: Body<'b>,
}

enum Body<'b> {
    /// No row has a value.
    Empty,
    /// Each value is a number, maybe with a label.
    Numbers(Numbers<'b>, Option<Texts<'b>>),
    /// The distinct values, and each row's code.
    Dictionary(Texts<'b>, Codes<'b>),
    /// A value for each row.
    Texts(Texts<'b>),
    /// A value for each row, split in two, such as email addresses.
    Split(Split<'b>),
}

/// Each row's index in the dictionary.
enum Codes<'b> {
    Narrow(Cow<'b, [u8]>),
    Wide(Vec<u16>),
}

impl Codes<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    fn get(&self, i: usize) -> Option<usize> {
        match self {
            Self::Narrow(codes) => codes.get(i).copied().map(usize::from),
            Self::Wide(codes) => codes.get(i).copied().map(usize::from),
        }
    }

    /// The highest code.
    fn highest(&self) -> Option<usize> {
        match self {
            Self::Narrow(codes) => codes.iter().copied().max().map(usize::from),
            Self::Wide(codes) => codes.iter().copied().max().map(usize::from),
        }
    }

    /// The places whose codes are hits.
    fn among(&self, hits: &[bool]) -> Bits {
        match self {
            Self::Narrow(codes) => {
                let mut all = [false; 256];
                for (own, hit) in all.iter_mut().zip(hits) {
                    *own = *hit;
                }
                Bits::where_holds(codes.len(), |i| all[usize::from(codes[i])])
            }
            Self::Wide(codes) => Bits::where_holds(codes.len(), |i| hits[usize::from(codes[i])]),
        }
    }
}

impl<'b> Segment<'b> {
    /// Reads the bytes of a sealer; `None` if they are damaged.
    pub fn read(mut bytes: &'b [u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let layout = encoding::take_byte(bytes)?;
        let unknown = Bits::from_bytes(&encoding::take(bytes)?)?;
        if layout == EMPTY {
            return Some(Self { unknown, filled: Bits::none(), body: Body::Empty });
        }
        let filled = Bits::from_bytes(&encoding::take(bytes)?)?;
        let (body, values) = match layout {
            NUMBERS => {
                let numbers = Numbers::take(bytes)?;
                let labels = match encoding::take_byte(bytes)? {
                    0 => None,
                    _ => Some(Texts::take(bytes).filter(|labels| labels.len() == numbers.len())?),
                };
                let values = numbers.len();
                (Body::Numbers(numbers, labels), values)
            }
            DICTIONARY => {
                let dictionary = Texts::take(bytes)?;
                let codes = encoding::take(bytes)?;
                let codes = if dictionary.len() > usize::from(u8::MAX) + 1 {
                    let codes = codes.as_chunks::<2>().0.iter();
                    Codes::Wide(codes.map(|code| u16::from_le_bytes(*code)).collect())
                } else {
                    Codes::Narrow(codes)
                };
                if codes.highest().is_some_and(|code| code >= dictionary.len()) {
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
            SPLIT => {
                let split = Split::take(bytes)?;
                let values = split.len();
                (Body::Split(split), values)
            }
            _ => return None,
        };
        (values == filled.count()).then_some(Self { unknown, filled, body })
    }

    /// The serial numbers of a block, which are not stored.
    pub fn counting_from(first: i64) -> Self {
        // Serials are below 2^32, so exact.
        let number = |row: u16| first as f64 + f64::from(row);
        let numbers = (0..ROWS as u16).map(number).collect();
        Self { unknown: Bits::none(), filled: Bits::all(), body: Body::Numbers(Numbers::of(numbers), None) }
    }

    /// The filled rows with their numbers; `None` where some hold something else.
    pub fn numbers(&self) -> Option<Vec<(usize, f64)>> {
        match &self.body {
            Body::Empty => Some(Vec::new()),
            Body::Numbers(numbers, _) => {
                let rows = self.filled.iter().enumerate();
                rows.map(|(i, row)| Some((row, numbers.get(i)?))).collect()
            }
            _ => None,
        }
    }

    /// The filled rows with their cells, without empty ones; `None` where it is damaged.
    pub fn cells(&self) -> Option<Vec<(usize, Vec<Vec<Key>>)>> {
        let of = |i: usize| match &self.body {
            Body::Empty => None,
            Body::Texts(texts) => texts.cells(i),
            Body::Split(split) => split.cells(i),
            Body::Dictionary(dictionary, codes) => dictionary.cells(codes.get(i)?),
            Body::Numbers(numbers, labels) => {
                let mut cell = vec![Key::Number(numbers.get(i)?)];
                if let Some(labels) = labels {
                    cell.push(Key::Label(labels.text(i)?.to_owned()));
                }
                Some(vec![cell])
            }
        };
        let rows = self.filled.iter().enumerate();
        rows.map(|(i, row)| Some((row, of(i)?))).collect()
    }

    /// Calls `each` with the filled rows and the first of their keys; `None` where it is damaged.
    pub fn first_keys(&self, each: &mut dyn FnMut(usize, FirstKey<'_>)) -> Option<()> {
        let distinct = match &self.body {
            Body::Dictionary(dictionary, _) => (0..dictionary.len()).map(|code| dictionary.first_key(code)).collect(),
            _ => Some(Vec::new()),
        }?;
        for (i, row) in self.filled.iter().enumerate() {
            match &self.body {
                Body::Empty => {}
                Body::Texts(texts) => each(row, texts.first_key(i)?),
                Body::Split(split) => each(row, FirstKey::Text(&split.text(i)?)),
                Body::Dictionary(_, codes) => each(row, *distinct.get(codes.get(i)?)?),
                Body::Numbers(numbers, _) => each(row, FirstKey::Number(numbers.get(i)?)),
            }
        }
        Some(())
    }

    /// The rows that have a value.
    pub fn filled(&self) -> &Bits {
        &self.filled
    }

    /// The rows whose values were too long to be stored.
    pub fn unknown(&self) -> &Bits {
        &self.unknown
    }

    /// The rows for which a condition holds, as `cond::holds_in_cells` says; meaningless for `unknown` rows and rows
    /// without an entry. `None` where the bytes are damaged.
    pub fn ask(&self, cond: &Cond) -> Option<Bits> {
        if matches!(self.body, Body::Empty) {
            return Some(if holds_in_cells(cond, &[]) { Bits::all() } else { Bits::none() });
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

    /// Evaluates a condition on single keys, which holds for no empty value.
    fn leaf(&self, cond: &Cond) -> Option<Bits> {
        // Places among the filled rows.
        let mut places = Bits::none();
        let mut found = |i: usize| places.add(i);
        match &self.body {
            Body::Empty => {}
            Body::Texts(texts) => texts.ask(cond, &mut found)?,
            Body::Split(split) => places = split.ask(cond)?,
            Body::Dictionary(dictionary, codes) => {
                let mut hits = vec![false; dictionary.len()];
                dictionary.ask(cond, &mut |code| hits[code] = true)?;
                places = codes.among(&hits);
            }
            Body::Numbers(numbers, labels) => {
                if let Cond::Like(_) = cond {
                    // Only the label is text.
                    if let Some(labels) = labels {
                        labels.ask(cond, &mut found)?;
                    }
                } else if let Some(found) = numbers.ask(cond, labels.is_some()) {
                    places = found;
                } else {
                    for (i, (_, cells)) in self.cells()?.iter().enumerate() {
                        if holds_in_cells(cond, cells) {
                            found(i);
                        }
                    }
                }
            }
        }
        Some(self.filled.at_places(&places))
    }
}
