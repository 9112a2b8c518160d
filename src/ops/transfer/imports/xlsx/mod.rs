//! The XLSX reader: cell by cell, from the parts that a table needs (S94). Errors and formulas that no program has
//! computed are reported where a question reads them; elsewhere they are ignored.

mod book;
mod cells;
mod numbers;
mod package;
mod xml;

use crate::base::error::{Error, Result};
use crate::base::reason::{Reason, Things};
use crate::base::text::phrase::phrase;
use crate::ops::transfer::imports::table::{Limits, Rows, TableRow, Take};
use crate::ops::transfer::imports::xlsx::book::Book;
use crate::ops::transfer::imports::xlsx::cells::{Cells, Content};
use crate::ops::transfer::imports::xlsx::package::{MAX_PARTS, MAX_SMALL, Package};
use crate::ops::transfer::imports::xlsx::xml::{UNREADABLE, XmlFault};

/// Unpacked bytes of a sheet.
const MAX_SHEET: u64 = 256 << 20;

const UNCOMPUTED: &str = "has a formula that no program has computed: open the file in one, and save it there";

/// Whether the bytes begin as such a file does.
pub fn is_one(file: &[u8]) -> bool {
    file.starts_with(b"PK")
}

fn refuse(fault: XmlFault) -> Error {
    Error::invalid("file", Reason::other(fault))
}

/// Reads the first sheet that is to be seen, row by row. Returns the names of the others that have cells.
///
/// # Errors
/// 422 for a file of another format, or beyond the limits; the errors of the taker.
pub fn read(file: &[u8], limits: &Limits, take: Take) -> Result<Vec<String>> {
    let mut package = Package::open(file).map_err(refuse)?;
    if package.part_count() > MAX_PARTS {
        return Err(Error::invalid("file", Reason::too_many(MAX_PARTS, Things::Other("parts"))));
    }
    let book = Book::read(&mut package).map_err(refuse)?;
    let sheet = package.part(&book.sheet, MAX_SHEET).map_err(refuse)?;
    let mut cells = Cells::new(sheet.ok_or_else(|| refuse(UNREADABLE))?, &book);
    let mut rows = Rows::new(limits, take);
    let mut header = 0;
    let mut number = None;
    let mut row = TableRow::default();
    while let Some(cell) = cells.next().map_err(refuse)? {
        if number != Some(cell.row) {
            if let Some(before) = number {
                if cell.row < before {
                    return Err(refuse("has rows that are out of order"));
                }
                hand_on(&mut rows, &mut header, before, std::mem::take(&mut row))?;
            }
            number = Some(cell.row);
        }
        let text = match cell.content {
            Content::Text(text) => text,
            // A column of that name belongs to no question.
            Content::Error(error) if !rows.has_header() => error,
            Content::Error(error) => {
                row.fault(cell.column, phrase!("has the error {}: correct it, and save the file again", error));
                continue;
            }
            Content::Uncomputed => {
                row.fault(cell.column, UNCOMPUTED);
                continue;
            }
        };
        if cell.column >= limits.columns {
            return Err(limits.too_wide());
        }
        if row.cells.len() <= cell.column {
            row.cells.resize(cell.column + 1, String::new());
        }
        row.cells[cell.column] = text;
    }
    if let Some(last) = number {
        hand_on(&mut rows, &mut header, last, row)?;
    }
    drop(cells);
    let others = book.others.iter().filter(|(_, part)| has_cells(&mut package, &book, part));
    Ok(others.map(|(name, _)| name.clone()).collect())
}

/// Whether a sheet that is not read has cells. Any fault of it is ignored.
fn has_cells(package: &mut Package, book: &Book, part: &str) -> bool {
    let Ok(Some(sheet)) = package.part(part, MAX_SMALL) else {
        return false;
    };
    matches!(Cells::new(sheet, book).next(), Ok(Some(_)))
}

fn hand_on(rows: &mut Rows, header: &mut u32, number: u32, row: TableRow) -> Result<()> {
    // A row of faults alone is not a header.
    if !rows.has_header() {
        *header = number;
    }
    let place = number.saturating_sub(*header).saturating_sub(1);
    let size = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    rows.row(size(place), TableRow { line: size(number.saturating_add(1)), ..row })
}
