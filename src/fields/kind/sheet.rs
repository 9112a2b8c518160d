//! Values in the cells of a spreadsheet.

use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::kind::{Cx, Kind};

/// A kind whose values are more than one cell with their text, or are read otherwise than as that text.
pub trait Sheet: Kind {
    /// The columns that values fill: one, unless their parts have columns of their own.
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let _ = cx;
        vec![Column::whole()]
    }

    /// The cells of a stored value, one for each of `sheet_columns`.
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![Cell::of(stored, || self.text(stored, cx))]
    }

    /// The cells of `sheet_columns` → write shape. There are as many cells, and at least one is not blank. Faults that
    /// only the reader of a spreadsheet can find go to `at`, which is at the value.
    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let _ = (cx, at);
        json!(cells.first())
    }

    /// The whole value in one cell, where it has several columns → write shape: that shape as JSON, or as people write
    /// the value.
    fn sheet_whole(&self, cell: &str, cx: &Cx, at: &mut Issues) -> Json {
        whole(cell, || self.written(cell.trim(), cx), at)
    }

    /// The whole value as people write it in one cell → write shape. `None` where that can't be read.
    fn written(&self, cell: &str, cx: &Cx) -> Option<Json> {
        let _ = (cell, cx);
        None
    }
}

/// A value in its write shape, as JSON, or as people write it.
fn whole(cell: &str, written: impl FnOnce() -> Option<Json>, at: &mut Issues) -> Json {
    match crate::base::json::parse(cell.trim().as_bytes()) {
        Ok(value @ (Json::Object(_) | Json::Array(_))) => value,
        _ => written().unwrap_or_else(|| {
            at.push(Reason::other("must be given in the columns of its parts, or as JSON"));
            Json::Null
        }),
    }
}

impl dyn Kind + '_ {
    /// The columns of a spreadsheet that values fill.
    pub fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        match self.sheet() {
            Some(sheet) => sheet.sheet_columns(cx),
            None => vec![Column::whole()],
        }
    }

    /// The cells of a stored value, one for each of `sheet_columns`.
    pub fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        match self.sheet() {
            Some(sheet) => sheet.sheet_cells(stored, cx),
            None => vec![Cell::of(stored, || self.text(stored, cx))],
        }
    }

    /// The cells of `sheet_columns` → write shape.
    pub fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let trimmed: Vec<&str>;
        let cells = if self.has_lines() {
            cells
        } else {
            trimmed = cells.iter().map(|cell| columns::trimmed(cell)).collect();
            &trimmed
        };
        match self.sheet() {
            Some(sheet) => sheet.sheet_value(cells, cx, at),
            None => json!(cells.first()),
        }
    }

    /// The whole value in one cell → write shape.
    pub fn sheet_whole(&self, cell: &str, cx: &Cx, at: &mut Issues) -> Json {
        match self.sheet() {
            Some(sheet) => sheet.sheet_whole(cell, cx, at),
            None => whole(cell, || None, at),
        }
    }
}
