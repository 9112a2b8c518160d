//! Columns that are fields of their own.

use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::Kind;

/// A kind whose values have rows of cells.
pub trait Grid {
    /// The columns: fields that are numbered within this one.
    fn sub_fields(&self) -> &[Field];

    /// The stored cells of one of `sub_fields`, blank ones left out: `field_3.field_1` of a filter is any
    /// of them.
    fn cells<'v>(&self, stored: &'v Json, api_code: &str) -> Vec<&'v Json>;

    /// The most rows of a value.
    fn max_rows(&self) -> usize;

    /// The own keys as the store keeps them: with internal data of the columns.
    fn to_stored(&self) -> Json;
}

impl dyn Kind + '_ {
    /// The fields inside this one, numbered within it: the columns of a matrix or a table.
    pub fn sub_fields(&self) -> &[Field] {
        self.grid().map_or(&[], Grid::sub_fields)
    }

    /// The stored cells of one of `sub_fields`, blank ones left out.
    pub fn cells<'v>(&self, stored: &'v Json, api_code: &str) -> Vec<&'v Json> {
        let grid = self.grid();
        grid.map_or_else(Vec::new, |grid| grid.cells(stored, api_code))
    }

    /// The own keys as the store keeps them.
    pub fn to_stored(&self) -> Json {
        self.grid().map_or_else(|| self.as_json(), Grid::to_stored)
    }
}
