//! CSV as spreadsheets like it: UTF-8 with a byte order mark, every cell in quotes, and text that would be
//! run as a formula behind an apostrophe (S56).

use crate::base::json::digits;
use crate::fields::columns::fill::Cells;
use crate::fields::columns::{Cell, guarded};

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The file's beginning.
pub fn open(headers: &[String], out: &mut Vec<u8>) {
    out.extend_from_slice(MARK);
    let mut rows = Rows(out);
    for header in headers {
        rows.cell(&Cell::text(header.as_str()), &mut String::new());
    }
    rows.end_row();
}

/// Rows appended to the written text: cell after cell, and then the row's end. Written here rather than by a library,
/// which copies every cell twice.
pub struct Rows<'o>(pub &'o mut Vec<u8>);

impl Rows<'_> {
    /// Ends a row, which has a cell at least.
    pub fn end_row(&mut self) {
        // In the place of the last comma.
        self.0.pop();
        self.0.extend_from_slice(b"\r\n");
    }
}

impl Cells for Rows<'_> {
    fn blank(&mut self) {
        self.0.extend_from_slice(b"\"\",");
    }

    fn text(&mut self, text: &str) {
        self.0.push(b'"');
        let text = guarded(text);
        let mut rest = text.as_bytes();
        while let Some(quote) = memchr::memchr(b'"', rest) {
            let (before, after) = rest.split_at(quote + 1);
            self.0.extend_from_slice(before);
            self.0.push(b'"');
            rest = after;
        }
        self.0.extend_from_slice(rest);
        self.0.extend_from_slice(b"\",");
    }

    fn unquoted(&mut self, text: &str) {
        self.0.push(b'"');
        self.0.extend_from_slice(guarded(text).as_bytes());
        self.0.extend_from_slice(b"\",");
    }

    fn number(&mut self, number: &str) {
        self.0.push(b'"');
        self.0.extend_from_slice(digits::plain(number).as_bytes());
        self.0.extend_from_slice(b"\",");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn others_read_what_was_written(
            rows in prop::collection::vec(prop::collection::vec("[a\",\r\n é0-9]{0,6}", 3), 1..4)
        ) {
            let mut out = Vec::new();
            for row in &rows {
                let mut line = Rows(&mut out);
                for text in row {
                    line.cell(&Cell::text(text.as_str()), &mut String::new());
                }
                line.end_row();
            }
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
            let read: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.expect("a row").iter().map(str::to_owned).collect())
                .collect();
            let shown: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.iter().map(|text| guarded(text).into_owned()).collect())
                .collect();
            prop_assert_eq!(read, shown);
        }
    }
}
