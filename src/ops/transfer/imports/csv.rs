//! CSV as spreadsheets write it: in UTF-8 or UTF-16, with a byte order mark or without, separated by commas, semicolons
//! or tabs.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, ReaderBuilder};

use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::columns::unguarded;
use crate::ops::transfer::imports::table::{Limits, Rows, TableRow, Take};

/// A row of its own behind the file: an unclosed quotation swallows it, as it does all rows behind it, which must not
/// be lost silently.
const END: &str = "\nend";
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// The part of a file that is read to find its separator.
const SAMPLE_BYTES: usize = 256 << 10;
const SAMPLE_ROWS: usize = 50;

/// The text of a file.
///
/// # Errors
/// 400 for text that is neither UTF-8 nor, by its byte order mark, UTF-16.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let text = std::str::from_utf8(bytes).map_err(|fault| {
                let at = fault.valid_up_to();
                Error::BadRequest(phrase!("The file is not valid UTF-8 (at byte {}): save it as CSV in UTF-8", at))
            })?;
            return Ok(Cow::Borrowed(text));
        }
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: Option<String> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok();
    let text = text.filter(|_| rest.is_empty()).ok_or_else(|| {
        Error::BadRequest(Phrase::plain("The file is not valid UTF-16, as which it begins: save it as CSV in UTF-8"))
    })?;
    Ok(Cow::Owned(text))
}

/// Reads a file row by row. `known` counts the meaningful names of a header.
///
/// # Errors
/// 422 beyond the limits and for a quotation without an end; the errors of the taker.
pub fn read(text: &str, limits: &Limits, known: &dyn Fn(&[String]) -> usize, take: Take) -> Result<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (separator, text) = match named_separator(text) {
        Some(named) => named,
        None => (separator(text, limits, known), text),
    };
    let mut records = Records::new(text, separator, limits);
    let mut rows = Rows::new(limits, take);
    let mut place = 0;
    let mut next = records.next()?;
    while let Some(row) = next {
        next = records.next()?;
        let has_header = rows.has_header();
        if next.is_none() {
            if row.cells == [END.trim_start()] {
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
    /// The rows before, with empty ones.
    line: usize,
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
            line: 0,
        }
    }

    fn next(&mut self) -> Result<Option<TableRow>> {
        self.skip_empty_lines();
        let (mut filled, mut count, mut last) = (0, 0, None);
        loop {
            if self.text.is_empty() {
                self.text = std::mem::take(&mut self.end);
            }
            let (outcome, read, written, ended) =
                self.reader.read_record(self.text, &mut self.cells[filled..], &mut self.ends[count..]);
            last = self.text[..read].last().copied().or(last);
            self.text = &self.text[read..];
            filled += written;
            count += ended;
            match outcome {
                // For a text that stays empty, the reader is told the end.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => return Err(self.limits.too_wide()),
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        // The reader stops in the middle of such a line's end.
        if last == Some(b'\r') {
            self.text = self.text.strip_prefix(b"\n").unwrap_or(self.text);
        }
        self.line += 1;
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let cells = starts.zip(&self.ends[..count]);
        let cell =
            |(start, end): (usize, &usize)| unguarded(&String::from_utf8_lossy(&self.cells[start..*end])).to_owned();
        Ok(Some(TableRow { line: self.line, cells: cells.map(cell).collect(), faults: Vec::new() }))
    }

    /// The reader passes over empty lines, which a spreadsheet counts.
    fn skip_empty_lines(&mut self) {
        while let [b'\r' | b'\n', rest @ ..] = self.text {
            let is_return = self.text.starts_with(b"\r");
            self.text = if is_return { rest.strip_prefix(b"\n").unwrap_or(rest) } else { rest };
            self.line += 1;
        }
    }
}

/// The separator that the first line names, as spreadsheets read it, and the rows below that line.
fn named_separator(text: &str) -> Option<(u8, &str)> {
    let line = text.lines().next()?;
    let [separator] = line.trim_end_matches('\r').strip_prefix("sep=")?.as_bytes() else {
        return None;
    };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    SEPARATORS.contains(separator).then_some((*separator, rest))
}

/// The separator under which most names of the header are known; among equals, one that separates anything at all, and
/// makes most rows as wide as the header.
fn separator(text: &str, limits: &Limits, known: &dyn Fn(&[String]) -> usize) -> u8 {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let score = |separator: u8| {
        let mut records = Records::new(sample, separator, limits);
        // The last row may be cut off, and is one of our own where nothing is.
        let mut rows = Vec::new();
        while rows.len() <= SAMPLE_ROWS {
            match records.next() {
                Ok(Some(row)) => rows.push(row.cells),
                Ok(None) => break,
                // A separator that splits too much is reported, unless another one makes sense of the header.
                Err(_) => return (rows.first().map_or(0, |header| known(header)), true, 0, 0),
            }
        }
        if rows.len() > 1 {
            rows.pop();
        }
        let mut rows = rows.iter().skip_while(|row| row.iter().all(|cell| text::is_blank(cell)));
        let Some(header) = rows.next() else {
            return (0, false, 0, 0);
        };
        let regular = rows.filter(|row| row.len() == header.len()).count();
        (known(header), header.len() > 1, regular, header.len())
    };
    // Of equals the last one is taken.
    SEPARATORS.into_iter().rev().max_by_key(|separator| score(*separator)).unwrap_or(SEPARATORS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(file: &str) -> Vec<(Option<usize>, Vec<String>)> {
        let own = ["known", "known 1", "known 2", "known, well"];
        let known = |names: &[String]| names.iter().filter(|name| own.contains(&name.as_str())).count();
        table(file, &known).into_iter().map(|(place, row)| (place, row.cells)).collect()
    }

    fn table(file: &str, known: &dyn Fn(&[String]) -> usize) -> Vec<(Option<usize>, TableRow)> {
        let mut out = Vec::new();
        let limits = Limits { rows: 100, columns: 10 };
        let mut take = |place, row| {
            out.push((place, row));
            Ok(())
        };
        read(file, &limits, known, &mut take).expect("rows");
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
    fn known_names_tell_the_separator_and_then_regular_rows() {
        for (file, header) in [
            ("known;x (a, b, c)\n1;2", &["known", "x (a, b, c)"][..]),
            ("known, well;x\n1;2", &["known, well", "x"]),
            ("a,b;known\n1,2;3", &["a,b", "known"]),
            ("known 1,known 2;x\n1,2;3", &["known 1", "known 2;x"]),
            ("x;y, z, w\n1;2\n3;4", &["x", "y, z, w"]),
            ("x\ty;z;w\n1\t2", &["x", "y;z;w"]),
            ("known\nDoe, John\nRoe; Jane", &["known"]),
            ("\n\n;\nknown;b", &["known", "b"]),
            ("x;y", &["x", "y"]),
        ] {
            assert_eq!(rows(file)[0].1, header, "{file:?}");
        }
    }

    #[test]
    fn lines_are_counted_as_spreadsheets_do() {
        let lines = |file: &str| -> Vec<usize> { table(file, &|_| 0).iter().map(|(_, row)| row.line).collect() };
        assert_eq!(lines("a,b\n1,2\n3,4"), [1, 2, 3]);
        assert_eq!(lines("\r\n\r\na,b\r\n\r\n\"1\n1\",2\r\n,\r\n3,4\r\n"), [3, 5, 7]);
        assert_eq!(lines("a\r\r1\r2"), [1, 3, 4]);
        assert_eq!(lines("\u{feff}sep=;\na;b\n1;2\n"), [1, 2]);
    }

    #[test]
    fn utf_16_is_read_by_its_mark() {
        let little = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let big = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
        for bytes in [little("\u{feff}ä\t😀"), big("\u{feff}ä\t😀"), "\u{feff}ä\t😀".into()] {
            assert_eq!(decode(&bytes).expect("text"), "\u{feff}ä\t😀");
        }
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\x3d\xd8", b"a\xff"] {
            assert!(matches!(decode(bytes), Err(Error::BadRequest(_))), "{bytes:?}");
        }
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
