//! The columns of a file that belongs to no form yet.

use crate::base::error::Result;
use crate::fields::paste::columns::Column;
use crate::ops::transfer::imports::table::{Limits, TableRow};
use crate::ops::transfer::imports::{File, MAX_COLUMNS, MAX_ROWS, csv, xlsx};

/// Rows whose cells are read.
const ROWS: usize = 500;

/// The columns of a file that have a name, each with the cells of its first rows.
///
/// # Errors
/// 400 for text that is neither UTF-8 nor UTF-16, 422.
pub fn columns(bytes: &[u8]) -> Result<Vec<Column>> {
    let limits = Limits { rows: MAX_ROWS, columns: MAX_COLUMNS };
    let mut found: Vec<Column> = Vec::new();
    let mut take = |place: Option<usize>, row: TableRow| {
        for (at, cell) in row.cells.into_iter().enumerate() {
            match place {
                None => found.push(Column { name: cell.trim().to_owned(), cells: Vec::new() }),
                Some(..ROWS) => found.get_mut(at).into_iter().for_each(|column| column.cells.push(cell.clone())),
                Some(_) => {}
            }
        }
        Ok(())
    };
    match File::of(bytes)? {
        File::Workbook(bytes) => drop(xlsx::read(bytes, &limits, &mut take)?),
        // A separator divides the header best where it makes the most names of it.
        File::Csv(text) => csv::read(&text, &limits, &<[String]>::len, &mut take)?,
    }
    found.retain(|column| !column.name.is_empty());
    Ok(found)
}
