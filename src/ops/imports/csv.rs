//! CSV as spreadsheets write it: with a byte order mark or without, parted by commas, semicolons or tabs.

use csv_core::{ReadRecordResult, ReaderBuilder};

use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::fields::sheet::unguarded;
use crate::ops::imports::table::{Limits, Rows, Take};

/// A row of its own behind the file: a quotation that is never closed swallows it, as it does all rows
/// behind it, which are not to be lost unsaid.
const END: &str = "\nend";

/// Reads a file row by row.
///
/// # Errors
/// 422 beyond the limits and for a quotation without an end; what the taker returns.
pub fn read(text: &str, limits: &Limits, take: Take) -> Result<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (separator, text) = separator(text);
    let mut records = Records::new(text, separator, limits);
    let mut rows = Rows::new(limits, take);
    let mut place = 0;
    let mut next = records.next()?;
    while let Some(row) = next {
        next = records.next()?;
        let has_header = rows.has_header();
        if next.is_none() {
            if row == [END.trim_start()] {
                break;
            }
            let at = if has_header { format!("rows[{place}]") } else { "header".to_owned() };
            return Err(Error::invalid(at, Reason::other("has a quotation mark that is never closed")));
        }
        rows.row(place, row)?;
        if has_header {
            place += 1;
        }
    }
    Ok(())
}

/// The rows of a file, one by one, with no more cells than a row may have.
struct Records<'t> {
    reader: csv_core::Reader,
    text: &'t [u8],
    end: &'t [u8],
    limits: &'t Limits,
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl<'t> Records<'t> {
    fn new(text: &'t str, separator: u8, limits: &'t Limits) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(separator).build(),
            text: text.as_bytes(),
            end: END.as_bytes(),
            limits,
            cells: vec![0; 4096],
            ends: vec![0; limits.columns + 1],
        }
    }

    fn next(&mut self) -> Result<Option<Vec<String>>> {
        let (mut filled, mut count) = (0, 0);
        loop {
            if self.text.is_empty() {
                self.text = std::mem::take(&mut self.end);
            }
            let (outcome, read, written, ended) =
                self.reader.read_record(self.text, &mut self.cells[filled..], &mut self.ends[count..]);
            self.text = &self.text[read..];
            filled += written;
            count += ended;
            match outcome {
                // Of a text that stays empty it is told the end.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => return Err(self.limits.too_wide()),
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let cells = starts.zip(&self.ends[..count]);
        let cell =
            |(start, end): (usize, &usize)| unguarded(&String::from_utf8_lossy(&self.cells[start..*end])).to_owned();
        Ok(Some(cells.map(cell).collect()))
    }
}

/// What parts the cells: as the first line says, or what stands in it most often outside of quotes.
fn separator(text: &str) -> (u8, &str) {
    let line = text.lines().next().unwrap_or_default();
    if let Some(said) = line.trim_end().strip_prefix("sep=")
        && let [separator @ (b',' | b';' | b'\t')] = said.as_bytes()
    {
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        return (*separator, rest);
    }
    let mut is_quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in text.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => break,
            _ if !is_quoted => {
                for (known, count) in &mut counts {
                    *count += usize::from(*known == byte);
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    let found = counts.iter().find(|(_, count)| Some(*count) == most);
    (found.map_or(b',', |(known, _)| *known), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(file: &str) -> Vec<(Option<usize>, Vec<String>)> {
        let mut out = Vec::new();
        let limits = Limits { rows: 100, columns: 10 };
        let mut take = |place, row| {
            out.push((place, row));
            Ok(())
        };
        read(file, &limits, &mut take).expect("rows");
        out
    }

    #[test]
    fn every_separator_is_found() {
        for file in ["a,b\n1,2", "\u{feff}a;b\r\n1;2\r\n", "a\tb\n1\t2", "\"a\"\t\"b\"\n1\t2\n", "sep=;\na;b\n1;2"] {
            let [(None, header), (Some(0), row)] = &rows(file)[..] else {
                panic!("{file:?}: {:?}", rows(file));
            };
            assert_eq!((header[1].as_str(), row[1].as_str()), ("b", "2"), "{file:?}");
        }
        assert_eq!(rows("\"a;b;c\",d\n1,2")[0].1, ["a;b;c", "d"]);
        assert_eq!(rows("a b\n1")[0].1, ["a b"]);
        assert_eq!(rows(""), []);
    }

    #[test]
    fn rows_have_their_places_and_cells_lose_their_apostrophes() {
        let found = rows("a,b\n'=1,\"x\n\"\"y\"\"\"\n,\n\n3");
        let row = |place, cells: &[&str]| {
            let cells = cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
            (Some(place), cells)
        };
        assert_eq!(found[1..], [row(0, &["=1", "x\n\"y\""]), row(2, &["3"])]);
    }
}
