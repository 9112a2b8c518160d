//! CSV as spreadsheets like it: UTF-8 with a byte order mark, every cell in quotes, and text that would be
//! run as a formula behind an apostrophe (S56).

use csv::{QuoteStyle, Terminator, Writer, WriterBuilder};

use crate::base::error::{Error, Result};
use crate::fields::sheet::{Cell, guarded};

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The file's beginning.
///
/// # Errors
/// Internal: memory takes all that is written.
pub fn open(headers: &[String], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(MARK);
    let mut rows = Rows::onto(out);
    let cells = headers.iter().map(|header| Cell::Text(header.clone()));
    rows.row(cells.collect())?;
    rows.end()
}

/// Rows that go onto what was written so far.
pub struct Rows<'o>(Writer<&'o mut Vec<u8>>);

impl<'o> Rows<'o> {
    /// Begins to write.
    pub fn onto(out: &'o mut Vec<u8>) -> Self {
        let writer = WriterBuilder::new()
            .quote_style(QuoteStyle::Always)
            .terminator(Terminator::CRLF)
            .buffer_capacity(64 << 10)
            .from_writer(out);
        Self(writer)
    }

    /// A row.
    ///
    /// # Errors
    /// Internal: memory takes all that is written.
    pub fn row(&mut self, cells: Vec<Cell>) -> Result<()> {
        for cell in cells {
            let text = match cell {
                Cell::Text(text) => guarded(text),
                other => other.into_text(),
            };
            self.0.write_field(text).map_err(Error::internal)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(Error::internal)
    }

    /// Hands on what is still held back.
    ///
    /// # Errors
    /// Internal: memory takes all that is written.
    pub fn end(mut self) -> Result<()> {
        self.0.flush().map_err(Error::internal)
    }
}
