//! The cells of a sheet, one by one. Formulas are not evaluated: their stored results are read.

use quick_xml::events::{BytesStart, Event};

use crate::fields::display::dates;
use crate::ops::transfer::imports::xlsx::book::Book;
use crate::ops::transfer::imports::xlsx::numbers::{self, Format};
use crate::ops::transfer::imports::xlsx::xml::{TOO_LARGE, UNREADABLE, Xml, XmlFault, attribute, unescaped};

/// Rows and columns that a sheet can have.
const MAX_ROWS: u32 = 1 << 20;
const MAX_COLUMNS: u32 = 1 << 14;
/// Cells, each of which takes some time.
const MAX_CELLS: usize = 16 << 20;

/// A day is written without its time.
const MIDNIGHT: &str = " 00:00:00";

/// A cell that says something.
pub struct Cell {
    /// Counted from 0.
    pub row: u32,
    /// Counted from 0.
    pub column: usize,
    pub content: Content,
}

pub enum Content {
    Text(String),
    /// The error that a formula gave, such as `#N/A`.
    Error(String),
    /// A formula that no program has computed.
    Uncomputed,
}

/// Reads the cells of a sheet.
pub struct Cells<'p> {
    xml: Xml<'p>,
    book: &'p Book,
    /// Where the next cell is that doesn't say so.
    row: u32,
    column: u32,
    row_count: u32,
    cell_count: usize,
    has_begun: bool,
}

/// The attributes of a cell's tag.
struct Head {
    row: u32,
    column: u32,
    format: Format,
    kind: Option<String>,
}

impl<'p> Cells<'p> {
    pub fn new(xml: Xml<'p>, book: &'p Book) -> Self {
        Self { xml, book, row: 0, column: 0, row_count: 0, cell_count: 0, has_begun: false }
    }

    /// The next cell that is not empty. `None` at the end of the table.
    pub fn next(&mut self) -> Result<Option<Cell>, XmlFault> {
        loop {
            let head = match self.xml.next()? {
                Event::Eof => return Err(UNREADABLE),
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "sheetData" => {
                        self.has_begun = true;
                        continue;
                    }
                    "row" if self.has_begun => {
                        self.row_count += 1;
                        if let Some(number) = attribute(&tag, "r") {
                            self.row = row_of(&number)?;
                        }
                        self.column = 0;
                        if self.row_count > MAX_ROWS {
                            return Err(TOO_LARGE);
                        }
                        continue;
                    }
                    "c" if self.has_begun => head(&tag, self.book, (self.row, self.column))?,
                    _ => continue,
                },
                Event::End(tag) => match tag.local_name().as_ref() {
                    "sheetData" => return Ok(None),
                    "row" => {
                        self.row += 1;
                        continue;
                    }
                    _ => continue,
                },
                _ => continue,
            };
            self.cell_count += 1;
            if self.cell_count > MAX_CELLS {
                return Err(TOO_LARGE);
            }
            self.column = head.column + 1;
            self.xml.begin_item();
            let content = self.content(&head)?;
            self.xml.end_item();
            if let Some(content) = content {
                let column = usize::try_from(head.column).unwrap_or(usize::MAX);
                return Ok(Some(Cell { row: head.row, column, content }));
            }
        }
    }

    /// The content of the cell that was just begun.
    fn content(&mut self, head: &Head) -> Result<Option<Content>, XmlFault> {
        enum Found {
            Value,
            Inline,
            Formula,
            Other,
            End,
        }
        let (mut value, mut inline, mut has_formula) = (None, None, false);
        loop {
            let found = match self.xml.next()? {
                Event::Eof => return Err(UNREADABLE),
                Event::End(_) => Found::End,
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "v" => Found::Value,
                    "is" => Found::Inline,
                    "f" => Found::Formula,
                    _ => Found::Other,
                },
                _ => continue,
            };
            match found {
                Found::Value => value = Some(self.xml.content()?),
                Found::Inline => inline = Some(self.xml.rich_text()?),
                Found::Formula => {
                    has_formula = true;
                    self.xml.skip()?;
                }
                Found::Other => self.xml.skip()?,
                Found::End => break,
            }
        }
        if has_formula && value.is_none() && inline.is_none() {
            return Ok(Some(Content::Uncomputed));
        }
        let kind = head.kind.as_deref().unwrap_or("n");
        let text = match (kind, inline, value.unwrap_or_default()) {
            (_, Some(inline), _) => inline,
            ("inlineStr", None, _) => String::new(),
            // Some programs leave the value of a formula empty; others compute an empty text.
            ("str", None, value) => unescaped(&value),
            (_, None, value) if value.is_empty() => {
                return Ok(has_formula.then_some(Content::Uncomputed));
            }
            ("s", None, value) => {
                let index: usize = value.trim().parse().map_err(|_| UNREADABLE)?;
                self.book.texts.get(index).ok_or(UNREADABLE)?.clone()
            }
            ("b", None, value) => match value.trim() {
                "1" | "true" => "TRUE".to_owned(),
                "0" | "false" => "FALSE".to_owned(),
                _ => value,
            },
            ("e", None, value) => return Ok(Some(Content::Error(value))),
            ("d", None, value) => match dates::of_sheet(&value) {
                Some(date) => date.strip_suffix(MIDNIGHT).unwrap_or(&date).to_owned(),
                None => value,
            },
            (_, None, value) => match numbers::read(&value) {
                Some((_, Some(long))) if head.format == Format::Plain => long.to_owned(),
                Some((number, _)) => head.format.text(number, self.book.is_1904),
                None => value,
            },
        };
        Ok((!text.is_empty()).then_some(Content::Text(text)))
    }
}

fn head(tag: &BytesStart, book: &Book, next: (u32, u32)) -> Result<Head, XmlFault> {
    let (mut place, mut format, mut kind) = (next, Format::Plain, None);
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|_| UNREADABLE)?;
        match attribute.key.as_ref() {
            "r" => place = place_of(&attribute.value)?,
            "s" => {
                let index = attribute.value.parse::<usize>().ok();
                format = index.and_then(|index| book.formats.get(index)).copied().unwrap_or(Format::Plain);
            }
            "t" => kind = Some(attribute.value.into_owned()),
            _ => {}
        }
    }
    let (row, column) = place;
    if row >= MAX_ROWS || column >= MAX_COLUMNS {
        return Err(UNREADABLE);
    }
    Ok(Head { row, column, format, kind })
}

/// A row's number, counted from 1 in the file.
fn row_of(number: &str) -> Result<u32, XmlFault> {
    let row: u32 = number.parse().map_err(|_| UNREADABLE)?;
    row.checked_sub(1).filter(|row| *row < MAX_ROWS).ok_or(UNREADABLE)
}

/// The place of a cell from its name: `B3` is row 2, column 1.
fn place_of(name: &str) -> Result<(u32, u32), XmlFault> {
    let digits = name.find(|c: char| !c.is_ascii_alphabetic()).ok_or(UNREADABLE)?;
    let (letters, number) = name.split_at(digits);
    let column = letters.bytes().try_fold(0_u32, |column, letter| {
        let value = u32::from(letter.to_ascii_uppercase() - b'A') + 1;
        Some(column * 26 + value).filter(|column| *column <= MAX_COLUMNS)
    });
    let column = column.and_then(|column| column.checked_sub(1)).ok_or(UNREADABLE)?;
    Ok((row_of(number)?, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_that_a_sheet_has_are_read() {
        for (name, place) in [("A1", (0, 0)), ("b3", (2, 1)), ("XFD1048576", ((1 << 20) - 1, (1 << 14) - 1))] {
            assert_eq!(place_of(name), Ok(place), "{name}");
        }
        for name in ["", "A", "4", "A0", "A-1", "XFE1", "A1048577", "ZZZZZZZ4", "A99999999999", "A1B", "é1"] {
            assert!(place_of(name).is_err(), "{name}");
        }
    }
}
