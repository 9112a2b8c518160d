//! Common parts of files of all formats: rows of cells, and how many there may be (S94).

use crate::base::error::{Error, Result};
use crate::base::reason::{Reason, Things};
use crate::base::text;
use crate::base::text::phrase::Phrase;

/// How large a table may be.
pub struct Limits {
    /// Rows below the header.
    pub rows: usize,
    /// Cells of a row.
    pub columns: usize,
}

impl Limits {
    /// 422: a row has more cells.
    pub fn too_wide(&self) -> Error {
        let most = self.columns;
        Error::invalid("file", Reason::too_many(most, Things::Other("columns")))
    }
}

/// A row of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// Its number in a spreadsheet, which counts from 1 and counts empty rows too.
    pub line: usize,
    pub cells: Vec<String>,
    /// Cells that can't be read, by their columns. It depends on the column whether that matters.
    pub faults: Vec<(usize, Reason)>,
}

impl TableRow {
    /// Notes that a cell can't be read.
    pub fn fault(&mut self, column: usize, why: impl Into<Phrase>) {
        self.faults.push((column, Reason::other(why)));
    }

    /// Whether no cell has a word.
    pub fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| text::is_blank(cell))
    }
}

/// The receiver of the rows: the header without a place, then each row with its place below it.
pub type Take<'t> = &'t mut dyn FnMut(Option<usize>, TableRow) -> Result<()>;

/// Hands rows on, under the limits.
pub struct Rows<'t> {
    limits: &'t Limits,
    take: Take<'t>,
    has_header: bool,
    count: usize,
}

impl<'t> Rows<'t> {
    /// Before the first row.
    pub fn new(limits: &'t Limits, take: Take<'t>) -> Self {
        Self { limits, take, has_header: false, count: 0 }
    }

    /// A row and its place below the header; a blank one is skipped.
    ///
    /// # Errors
    /// 422 when it is one too many, or too wide; the errors of the taker.
    pub fn row(&mut self, place: usize, row: TableRow) -> Result<()> {
        if row.is_blank() && (row.faults.is_empty() || !self.has_header) {
            return Ok(());
        }
        if row.cells.len() > self.limits.columns {
            return Err(self.limits.too_wide());
        }
        if !self.has_header {
            self.has_header = true;
            return (self.take)(None, row);
        }
        self.count += 1;
        if self.count > self.limits.rows {
            let most = self.limits.rows;
            return Err(Error::invalid("file", Reason::too_many(most, Things::Rows)));
        }
        (self.take)(Some(place), row)
    }

    /// Whether the header has come.
    pub fn has_header(&self) -> bool {
        self.has_header
    }
}
