//! CSV as spreadsheets like it: UTF-8 with a byte order mark, every cell in quotes, and text that would be
//! run as a formula behind an apostrophe (S56).

use csv::{ByteRecord, QuoteStyle, Terminator, Writer, WriterBuilder};

use crate::base::error::{Error, Result};
use crate::fields::sheet::fill::Cells;
use crate::fields::sheet::{Cell, guarded};

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The file's beginning.
///
/// # Errors
/// Internal: memory takes all that is written.
pub fn open(headers: &[String], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(MARK);
    let mut rows = Rows::onto(out);
    for header in headers {
        rows.cell(&Cell::text(header.as_str()), &mut String::new());
    }
    rows.end_row()?;
    rows.end()
}

/// Rows that go onto what was written so far: cell after cell, and then the row's end.
pub struct Rows<'o> {
    writer: Writer<&'o mut Vec<u8>>,
    row: ByteRecord,
}

impl<'o> Rows<'o> {
    /// Begins to write.
    pub fn onto(out: &'o mut Vec<u8>) -> Self {
        let writer = WriterBuilder::new()
            .quote_style(QuoteStyle::Always)
            .terminator(Terminator::CRLF)
            .buffer_capacity(64 << 10)
            .from_writer(out);
        Self {
            writer,
            row: ByteRecord::new(),
        }
    }

    /// Ends a row.
    ///
    /// # Errors
    /// Internal: memory takes all that is written.
    pub fn end_row(&mut self) -> Result<()> {
        self.writer
            .write_byte_record(&self.row)
            .map_err(Error::internal)?;
        self.row.clear();
        Ok(())
    }

    /// Hands on what is still held back.
    ///
    /// # Errors
    /// Internal: memory takes all that is written.
    pub fn end(mut self) -> Result<()> {
        self.writer.flush().map_err(Error::internal)
    }
}

impl Cells for Rows<'_> {
    fn blank(&mut self) {
        self.row.push_field(b"");
    }

    fn text(&mut self, text: &str) {
        self.row.push_field(guarded(text).as_bytes());
    }

    fn number(&mut self, number: &str) {
        self.row.push_field(number.as_bytes());
    }
}
