//! Cells of a row in a spreadsheet.

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text;
use crate::fields::columns::{Cell, Column};
use crate::fields::grid::cells::{Columns, cell};
use crate::fields::kind::Cx;

impl Columns {
    /// The spreadsheet columns of a row.
    pub fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let columns = self.fields.iter().flat_map(|field| {
            let own = field.kind.sheet_columns(cx).into_iter();
            own.map(|column| column.within(&field.api_code, &field.label))
        });
        columns.collect()
    }

    /// The number of spreadsheet columns.
    pub fn sheet_width(&self) -> usize {
        self.widths.iter().sum()
    }

    /// A stored row in spreadsheet cells.
    pub fn sheet_cells(&self, row: &Json, cx: &Cx) -> Vec<Cell> {
        let mut out = Vec::new();
        for (field, width) in self.fields.iter().zip(&self.widths) {
            let end = out.len() + width;
            if let Some(cell) = cell(row, &field.api_code) {
                out.extend(field.kind.sheet_cells(cell, cx));
            }
            out.resize(end, Cell::Blank);
        }
        out
    }

    /// Spreadsheet cells as a row in the write shape. A blank cell is null, so that it takes no default.
    pub fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let mut rest = cells;
        let mut row = Map::new();
        for (field, width) in self.fields.iter().zip(&self.widths) {
            let (own, others) = rest.split_at((*width).min(rest.len()));
            rest = others;
            let value = if own.iter().all(|cell| text::is_blank(cell)) {
                Json::Null
            } else {
                at.key(&field.api_code, |at| field.kind.sheet_value(own, cx, at))
            };
            row.insert(field.api_code.clone(), value);
        }
        Json::Object(row)
    }
}
