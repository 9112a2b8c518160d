//! A value's keys as bytes: cell after cell, key after key. Texts are contiguous, so that a search over the bytes of
//! many values misses none.

use crate::fields::filter::cond::Key;

// Set on the first key of a cell.
const NEW_CELL: u8 = 0x80;
const TEXT: u8 = 0;
const NUMBER: u8 = 1;
const CODE: u8 = 2;
const LABEL: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Text,
    Code,
}

impl Variant {
    /// A key of this kind.
    pub(super) fn key(self, text: &str) -> Key {
        match self {
            Self::Text => Key::Text(text.to_owned()),
            Self::Code => Key::Code(text.to_owned()),
        }
    }

    /// The text of a key of this kind.
    pub(super) fn of(self, key: &Key) -> Option<&str> {
        match (self, key) {
            (Self::Text, Key::Text(text)) | (Self::Code, Key::Code(text)) => Some(text),
            _ => None,
        }
    }
}

/// The size of a cell with one number.
pub(super) const NUMBER_SIZE: usize = 9;

/// Appends a cell with one number.
pub(super) fn write_number(number: f64, out: &mut Vec<u8>) {
    out.push(NUMBER | NEW_CELL);
    out.extend_from_slice(&number.to_le_bytes());
}

/// Appends the head of a cell with one text.
pub(super) fn write_head(variant: Variant, length: usize, out: &mut Vec<u8>) {
    let tag = match variant {
        Variant::Text => TEXT,
        Variant::Code => CODE,
    };
    out.push(tag | NEW_CELL);
    write_length(length, out);
}

/// Appends cells. Empty ones are left out: `cond::holds_in_cells` does not distinguish them from missing ones.
pub(super) fn write(cells: &[Vec<Key>], out: &mut Vec<u8>) {
    for cell in cells {
        let mut new = NEW_CELL;
        for key in cell {
            let (tag, text) = match key {
                Key::Number(number) => {
                    out.push(NUMBER | new);
                    out.extend_from_slice(&number.to_le_bytes());
                    new = 0;
                    continue;
                }
                Key::Text(text) => (TEXT, text),
                Key::Code(text) => (CODE, text),
                Key::Label(text) => (LABEL, text),
            };
            out.push(tag | new);
            write_length(text.len(), out);
            out.extend_from_slice(text.as_bytes());
            new = 0;
        }
    }
}

fn write_length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Reads the output of `write`; `None` if it is damaged.
pub(super) fn read(mut bytes: &[u8]) -> Option<Vec<Vec<Key>>> {
    let mut cells: Vec<Vec<Key>> = Vec::new();
    while let Some((head, key)) = next(&mut bytes) {
        let key = key?;
        if head & NEW_CELL != 0 {
            cells.push(Vec::with_capacity(2));
        }
        cells.last_mut()?.push(match key {
            FirstKey::Number(number) => Key::Number(number),
            FirstKey::Text(text) => match head & !NEW_CELL {
                TEXT => Key::Text(text.to_owned()),
                CODE => Key::Code(text.to_owned()),
                LABEL => Key::Label(text.to_owned()),
                _ => return None,
            },
        });
    }
    Some(cells)
}

/// A key without its sort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstKey<'b> {
    Number(f64),
    Text(&'b str),
}

/// The first key; `None` where the bytes are damaged.
pub(super) fn first_key(mut bytes: &[u8]) -> Option<FirstKey<'_>> {
    next(&mut bytes)?.1
}

/// The next key's head and value; the inner one is `None` where the bytes are damaged.
fn next<'b>(bytes: &mut &'b [u8]) -> Option<(u8, Option<FirstKey<'b>>)> {
    let (head, rest) = bytes.split_first()?;
    let mut rest = rest;
    let part = if head & !NEW_CELL == NUMBER {
        rest.split_first_chunk::<8>().map(|(number, after)| {
            rest = after;
            FirstKey::Number(f64::from_le_bytes(*number))
        })
    } else {
        read_length(&mut rest).and_then(|length| {
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            std::str::from_utf8(text).ok().map(FirstKey::Text)
        })
    };
    *bytes = rest;
    Some((*head, part))
}

fn read_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut length = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

/// The number and the label of cells that are one number with a label.
pub(super) fn labelled(bytes: &[u8]) -> Option<(f64, &[u8])> {
    let (head, rest) = bytes.split_first()?;
    let (number, rest) = rest.split_first_chunk::<8>().filter(|_| head & !NEW_CELL == NUMBER)?;
    let (head, mut rest) = rest.split_first()?;
    let length = read_length(&mut rest)?;
    (*head == LABEL && rest.len() == length).then_some((f64::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_without_the_empty_ones() {
        let text = |text: &str| Key::Text(text.to_owned());
        let code = |text: &str| Key::Code(text.to_owned());
        let cells = vec![
            vec![],
            vec![text("你好"), Key::Label("x".repeat(300)), Key::Number(-0.5)],
            vec![],
            vec![code(""), Key::Number(f64::MAX)],
        ];
        let mut bytes = Vec::new();
        write(&cells, &mut bytes);
        let filled: Vec<_> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
        assert_eq!(read(&bytes), Some(filled));
        assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        let one = |cells: &[Vec<Key>]| {
            let mut bytes = Vec::new();
            write(cells, &mut bytes);
            bytes
        };
        let number = one(&[vec![Key::Number(2.0)]]);
        assert_eq!(number.len(), NUMBER_SIZE);
        let with_label = one(&[vec![Key::Number(2.0), Key::Label("b".to_owned())]]);
        assert_eq!(labelled(&number), None);
        assert_eq!(labelled(&with_label), Some((2.0, &b"b"[..])));
        assert_eq!(labelled(&one(&[vec![Key::Number(2.0)], vec![Key::Label("b".to_owned())]])), None);
    }
}
