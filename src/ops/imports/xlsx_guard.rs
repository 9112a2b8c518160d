//! Walks through the XML parts of a workbook before it is read, so that the reader never needs more memory than a
//! workbook should (S94).

use std::io::{self, BufRead, BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::Event;

/// Bytes of a tag, or of what stands between two.
const MAX_EVENT: usize = 4 << 20;
/// Bytes of a cell and its tags: it has 32,767 characters at most.
const MAX_CELL: u64 = 4 << 20;
/// Texts that cells share.
const MAX_TEXTS: usize = 2_000_000;
/// Rows of a sheet: no program makes more.
const MAX_ROWS: usize = 1 << 20;
/// Cells, each of which takes some bytes.
const MAX_CELLS: usize = 16 << 20;
/// Elements within each other.
const MAX_DEPTH: usize = 64;
/// Those around a cell: the sheet, its rows, a row.
const ABOVE_CELLS: usize = 3;
/// All rows.
const ROWS: &str = "sheetData";

/// Walks through a part that has cells, or the texts that they share; says whether a cell has a formula without
/// what it came to.
///
/// # Errors
/// What is wrong with it.
pub fn walk(part: impl Read) -> Result<bool, &'static str> {
    let mut reader = Reader::from_reader(Pieces::new(part));
    let mut buffer = Vec::new();
    let (mut depth, mut begun) = (0, 0);
    let (mut texts, mut rows, mut cells) = (0, 0, 0);
    let mut rows_at = None;
    let (mut has_formula, mut has_value, mut is_open) = (false, false, false);
    loop {
        buffer.clear();
        let at = reader.buffer_position();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(_) if reader.get_ref().is_full() => return Err("has a text that is too long"),
            Err(quick_xml::Error::Io(_)) => return Err("is damaged"),
            Err(_) => return Err("is not a workbook that can be read"),
        };
        match &event {
            Event::Eof => return Ok(is_open),
            Event::DocType(_) => return Err("declares a document type, which no workbook needs"),
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.local_name();
                match name.as_ref() {
                    "si" => texts += 1,
                    "row" => rows += 1,
                    "c" => cells += 1,
                    _ => {}
                }
                if depth == ABOVE_CELLS {
                    begun = at;
                    (has_formula, has_value) = (false, false);
                } else if depth == ABOVE_CELLS + 1 {
                    has_formula |= name.as_ref() == "f";
                    has_value |= ["v", "is"].contains(&name.as_ref());
                }
                if matches!(event, Event::Start(_)) {
                    if name.as_ref() == ROWS {
                        rows_at.get_or_insert(depth);
                    }
                    depth += 1;
                }
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                is_open |= depth == ABOVE_CELLS && has_formula && !has_value;
                // Others of that name may stand within them.
                rows_at = rows_at.filter(|at| *at < depth);
            }
            _ => {}
        }
        if texts > MAX_TEXTS || rows > MAX_ROWS || cells > MAX_CELLS || depth > MAX_DEPTH {
            return Err("unpacks to more than it may");
        }
        if rows_at.is_some() && depth > ABOVE_CELLS && reader.buffer_position() - begun > MAX_CELL {
            return Err("has a text that is too long");
        }
        reader.get_mut().taken = 0;
    }
}

/// A part that ends with a fault where a piece of it has no end.
struct Pieces<R> {
    part: BufReader<R>,
    taken: usize,
}

impl<R: Read> Pieces<R> {
    fn new(part: R) -> Self {
        Self { part: BufReader::with_capacity(64 << 10, part), taken: 0 }
    }

    fn is_full(&self) -> bool {
        self.taken > MAX_EVENT
    }
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Pieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_full() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.part.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
        self.part.consume(count);
    }
}
