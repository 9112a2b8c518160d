//! The faults of a file, for correction: each with its row, its column and the cell, and the file itself with an extra
//! column for them.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Result;
use crate::base::text;
use crate::fields::columns::{guarded, mapping::Mapping};
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::transfer::imports::table::TableRow;
use crate::ops::transfer::imports::{File, Refused, Request, walk};

pub use crate::ops::transfer::imports::places::RowFault;

/// The most characters of a cell that are shown.
const VALUE_LENGTH: usize = 200;
/// The mark by which spreadsheets know UTF-8.
const MARK: &str = "\u{feff}";

/// The faults for which a file was refused, with their cells.
///
/// # Errors
/// 403, 404.
pub fn of_file(app: &App, caller: &Caller, request: &Request, refused: &Refused) -> Result<Vec<RowFault>> {
    let mut faults: Vec<RowFault> = refused.faults.iter().map(|fault| refused.places.fault(fault)).collect();
    let rows: BTreeSet<usize> = faults.iter().filter_map(|fault| fault.row).collect();
    let form = walk::FormColumns::of(app, caller, request.form)?;
    let (mut header, mut kept) = (Vec::new(), BTreeMap::new());
    let read = walk::rows(&File::of(request.file)?, &form.names(&request.columns), &mut |place, row: TableRow| {
        if place.is_none() {
            header = row.cells;
        } else if rows.contains(&row.line) {
            kept.insert(row.line, row.cells);
        }
        Ok(())
    });
    // A file that can't be read to its end has that as its fault; the rows before have their cells.
    drop(read);
    for fault in &mut faults {
        let Some((row, column)) = fault.row.zip(fault.column.as_deref()) else {
            continue;
        };
        let at = header.iter().position(|name| name.trim() == column);
        if let Some((cells, at)) = kept.get(&row).zip(at) {
            let cell = cells.get(at).map_or("", String::as_str);
            fault.value = Some(text::shortened(cell, VALUE_LENGTH));
        }
    }
    Ok(faults)
}

/// The whole file as CSV, with the faults of each row in a first column that has this name: nothing of a file comes in
/// before all of it is right, so that the good rows are sent again too.
///
/// # Errors
/// 400, 403, 404, 422 for a file that can't be read.
pub fn marked(
    app: &App,
    caller: &Caller,
    form: &str,
    file: &[u8],
    name: &str,
    faults: &BTreeMap<usize, String>,
) -> Result<Vec<u8>> {
    let form = walk::FormColumns::of(app, caller, form)?;
    let mut out = MARK.as_bytes().to_vec();
    let mut is_marked = false;
    walk::rows(&File::of(file)?, &form.names(&Mapping::default()), &mut |place, row: TableRow| {
        let mut cells = row.cells.as_slice();
        // The file was made so already, and corrected in part.
        if place.is_none() {
            is_marked = cells.first().is_some_and(|cell| cell == name);
        }
        if is_marked {
            cells = cells.get(1..).unwrap_or_default();
        }
        let first = match place {
            None => name,
            Some(_) => faults.get(&row.line).map_or("", String::as_str),
        };
        write_row(std::iter::once(first).chain(cells.iter().map(String::as_str)), &mut out);
        Ok(())
    })?;
    Ok(out)
}

/// A table as CSV.
pub fn table<'c, R: IntoIterator<Item = &'c str>>(rows: impl IntoIterator<Item = R>) -> Vec<u8> {
    let mut out = MARK.as_bytes().to_vec();
    for row in rows {
        write_row(row, &mut out);
    }
    out
}

/// Writes a row. Marks stand only around cells that need them: the file may not outgrow the one that it is made of.
fn write_row<'c>(cells: impl IntoIterator<Item = &'c str>, out: &mut Vec<u8>) {
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let cell = guarded(cell);
        if cell.contains(['"', ',', ';', '\t', '\r', '\n']) {
            out.push(b'"');
            out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        } else {
            out.extend_from_slice(cell.as_bytes());
        }
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_marks_where_they_need_them() {
        let written = table([["a", "b;c", "=1"], ["", "x\"y", "two\nlines"]]);
        let written = String::from_utf8(written).expect("text");
        assert_eq!(written, "\u{feff}a,\"b;c\",'=1\r\n,\"x\"\"y\",\"two\nlines\"\r\n");
    }
}
