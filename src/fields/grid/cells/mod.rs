//! Columns whose cells are fields of their own, in matrix and table. A row is an object of cells. A blank cell is left
//! out, unless its column has a default: then null means that it was cleared.

mod control;
mod sheet;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Serialize, Serializer};
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::definition::items;
use crate::fields::grid::{dimensions, member, nullable};
use crate::fields::kind::{BuildCx, Counters, Cx, Item, Limit, Take, UsedOf};
use crate::fields::values::{self, is_blank};
use crate::fields::{Field, files};

/// How people write conditions on such a kind.
pub const CONDITIONS: &str = "Filter its columns: `field_1.field_2`. One matching row is enough.";

pub struct Columns {
    fields: Vec<Field>,
    /// The named parts of the columns, such as choices, by their path of codes.
    parts: Vec<(String, String)>,
    /// The number of spreadsheet columns of each.
    widths: Vec<usize>,
}

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.fields.iter().map(Field::to_json))
    }
}

impl Columns {
    /// Reads `dimensions`, which is required: one with an `api_code` edits that column, one without adds a column, and
    /// omitted ones are removed.
    pub fn read(reader: &mut Reader, cx: &BuildCx) -> Self {
        let fields = dimensions::read(reader, cx);
        let parts = fields
            .iter()
            .flat_map(|field| {
                let own = field.kind.items().into_iter();
                own.map(|item| {
                    let path = items::path(&field.api_code, item.code);
                    (path, item.label.to_owned())
                })
            })
            .collect();
        let nobody = Cx::of_none();
        let widths = fields.iter().map(|field| field.kind.sheet_columns(&nobody).len()).collect();
        Self { fields, parts, widths }
    }

    /// Puts the columns into a definition, as stored.
    pub fn stored_in(&self, mut definition: Json) -> Json {
        definition["dimensions"] = self.fields.iter().map(Field::to_stored).collect();
        definition
    }

    /// Their codes, in the definition's order.
    pub fn codes(&self) -> impl Iterator<Item = &str> + Clone {
        self.fields.iter().map(|field| field.api_code.as_str())
    }

    /// In the definition's order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Puts the columns into a definition, as respondents see it.
    pub fn shown_in(&self, mut definition: Json) -> Json {
        definition["dimensions"] = self.shown_fields().map(Field::for_respondent).collect();
        definition
    }

    /// The columns and their named parts.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let item = |code, label| Item { list: "dimensions", code, label };
        let columns = self.fields.iter();
        columns
            .map(move |field| item(&field.api_code, &field.label))
            .chain(self.parts.iter().map(move |(code, label)| item(code, label)))
    }

    /// Maximum number of controls in a row.
    pub fn controls(&self) -> usize {
        self.fields.len() + self.parts.len()
    }

    /// Whether the read shape of a row is its stored form, for any reader.
    pub fn read_as_stored(&self) -> bool {
        // In the read shape a cleared default of a list is an empty list, not null.
        let may_differ = |field: &Field| field.default_value.is_some() && !field.kind.empty().is_null();
        self.fields.iter().all(|field| field.splices() && !field.hidden && !may_differ(field))
    }

    /// Whether each cell of a row is right.
    pub fn is_right(&self, given: &Json, right: &Json) -> bool {
        self.fields.iter().all(|field| {
            let cells = (cell(given, &field.api_code), cell(right, &field.api_code));
            match cells {
                (Some(given), Some(right)) => field.kind.is_right(given, right),
                (None, None) => true,
                _ => false,
            }
        })
    }

    fn shown_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.hidden)
    }

    fn get(&self, api_code: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.api_code == api_code)
    }

    /// JSON Schema of a row; any cell may be null.
    pub fn schema(&self, of_cell: impl Fn(&Field) -> Json) -> Json {
        let cells = self.fields.iter();
        let properties: Map<String, Json> =
            cells.map(|field| (field.api_code.clone(), nullable(of_cell(field)))).collect();
        json!({"type": "object", "properties": properties})
    }

    /// Reads a row; null if all of it is blank. Unknown columns are dropped. An absent cell of a non-blank row takes
    /// its default.
    ///
    /// A file may be in only one cell of a field: `files` are those of the rows before.
    pub fn parse(&self, raw: Json, cx: &Cx, files: &mut HashSet<String>, at: &mut Issues) -> Json {
        let row = self.parse_cells(raw, cx, at);
        files::say_twice(&self.fields, &row, files, at);
        row
    }

    fn parse_cells(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Object(mut given) = raw else {
            at.push(Reason::MustBe(Expected::Other("an object of cells")));
            return Json::Null;
        };
        let mut is_empty = true;
        let cells: Vec<CellInput> = self
            .fields
            .iter()
            .map(|field| {
                let raw = given.shift_remove(&field.api_code);
                let cell = match raw.filter(|_| !is_kept_from(field, cx)) {
                    None => CellInput::Absent,
                    Some(raw) => CellInput::read(field, raw, cx, at),
                };
                is_empty &= matches!(cell, CellInput::Absent | CellInput::Blank);
                cell
            })
            .collect();
        if is_empty {
            return Json::Null;
        }
        let mut row = Map::new();
        for (field, cell) in self.fields.iter().zip(cells) {
            let cell = match cell {
                CellInput::Absent => CellInput::read(field, values::default_of(field, cx), cx, at),
                cell => cell,
            };
            match cell {
                CellInput::Value(stored) => {
                    row.insert(field.api_code.clone(), stored);
                }
                CellInput::Blank if field.required && !is_kept_from(field, cx) => {
                    at.push_at(&field.api_code, Reason::Blank);
                }
                CellInput::Blank if field.default_value.is_some() => {
                    row.insert(field.api_code.clone(), Json::Null);
                }
                CellInput::Blank | CellInput::Absent | CellInput::Faulty => {}
            }
        }
        Json::Object(row)
    }

    /// A stored row pruned to the current columns; null if nothing remains.
    pub fn prune(&self, row: Json, cx: &Cx) -> Json {
        self.each_cell(&row, |field, cell| values::today(field, Some(cell), cx))
    }

    /// A stored row without removed columns and removed parts of columns; null if nothing remains.
    pub fn without_removed(&self, row: Json, cx: &Cx) -> Json {
        self.each_cell(&row, |field, cell| values::without_removed(field, cell, cx).map(Cow::into_owned))
    }

    fn each_cell(&self, row: &Json, f: impl Fn(&Field, &Json) -> Option<Json>) -> Json {
        let mut left = Map::new();
        let mut is_empty = true;
        for (api_code, cell) in members(row) {
            let Some(field) = self.get(api_code) else {
                continue;
            };
            let cell = f(field, cell).unwrap_or_default();
            is_empty &= cell.is_null();
            if !cell.is_null() || field.default_value.is_some() {
                left.insert(api_code.clone(), cell);
            }
        }
        if is_empty { Json::Null } else { Json::Object(left) }
    }

    pub fn show(&self, row: &Json, cx: &Cx) -> Json {
        let cells = members(row).filter_map(|(api_code, cell)| {
            let field = self.get(api_code).filter(|field| !is_kept_from(field, cx))?;
            let shown = if cell.is_null() { field.kind.empty() } else { field.kind.read(cell, cx) };
            Some((api_code.clone(), shown))
        });
        Json::Object(cells.collect())
    }

    /// A stored row for people.
    pub fn text(&self, row: &Json, cx: &Cx) -> String {
        self.joined(row, cx, |field, cell| field.kind.text(cell, cx))
    }

    /// A stored row for people, always in the form's locale.
    pub fn line(&self, row: &Json, cx: &Cx) -> String {
        self.joined(row, cx, |field, cell| field.kind.lines(cell, cx).join(", "))
    }

    fn joined(&self, row: &Json, cx: &Cx, text: impl Fn(&Field, &Json) -> String) -> String {
        let seen = self.fields.iter().filter(|field| !is_kept_from(field, cx));
        let cells = seen.filter_map(|field| {
            let cell = cell(row, &field.api_code)?;
            Some(format!("{}: {}", field.label, text(field, cell)))
        });
        cells.collect::<Vec<_>>().join(", ")
    }

    /// Whether a stored row has a cell of a column, or a cell that refers to a part of the column.
    pub fn points_to(&self, row: &Json, code: &str) -> bool {
        let (api_code, part) = match code.split_once('.') {
            Some((api_code, part)) => (api_code, Some(part)),
            None => (code, None),
        };
        let (Some(field), Some(cell)) = (self.get(api_code), cell(row, api_code)) else {
            return false;
        };
        part.is_none_or(|part| field.kind.points_to(cell, part))
    }

    /// The counters whose rest the cells show.
    pub fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        let is_limited = |field: &Field| {
            let capacity = field.kind.capacity();
            capacity.is_some_and(|capacity| !capacity.shown_counters(cx).is_empty())
        };
        let some = self.fields.iter().any(is_limited);
        some.then(Counters::all).into_iter().collect()
    }

    /// The quota used by a row at this path of the value, by column.
    pub fn takes(&self, row: &Json, path: &str) -> Vec<Take> {
        let mut takes = Vec::new();
        for field in &self.fields {
            let Some(cell) = cell(row, &field.api_code) else {
                continue;
            };
            for take in field.kind.takes(cell) {
                takes.push(Take {
                    counter: items::path(&field.api_code, &take.counter),
                    at: format!("{path}.{}{}", field.api_code, take.at),
                    ..take
                });
            }
        }
        takes
    }

    /// The limit of a counter of a column.
    pub fn limit(&self, counter: &str) -> Option<Limit> {
        let (api_code, counter) = counter.split_once('.')?;
        let own = |field: &Field| field.api_code == api_code;
        let place = self.fields.iter().position(own)?;
        let limit = self.fields[place].kind.capacity()?.limit(counter)?;
        let at = format!("dimensions[{place}].{}", limit.at);
        Some(Limit { at, ..limit })
    }

    /// Adds the rest to the columns that respondents see.
    pub fn show_remaining(&self, shown: &mut Json, taken: UsedOf, cx: &Cx) {
        let shown = shown.get_mut("dimensions").and_then(Json::as_array_mut);
        for own in shown.into_iter().flatten() {
            let field = own["api_code"].as_str().and_then(|code| self.get(code));
            if let Some(field) = field
                && let Some(capacity) = field.kind.capacity()
            {
                let of_column = |counter: &str| taken(&items::path(&field.api_code, counter));
                capacity.show_remaining(own, &of_column, cx);
            }
        }
    }

    /// Replaces default words in a row: `today` for dates. Other values stay as they are.
    pub fn resolve_defaults(&self, row: &Json, cx: &Cx) -> Json {
        if !row.is_object() {
            return row.clone();
        }
        let cells = members(row).map(|(api_code, cell)| {
            let resolved = match self.get(api_code) {
                Some(field) => field.kind.resolve_default(cell, cx),
                None => cell.clone(),
            };
            (api_code.clone(), resolved)
        });
        Json::Object(cells.collect())
    }
}

/// A non-blank stored cell.
pub fn cell<'v>(row: &'v Json, api_code: &str) -> Option<&'v Json> {
    member(row, api_code).filter(|cell| !cell.is_null())
}

fn members(row: &Json) -> impl Iterator<Item = (&String, &Json)> {
    row.as_object().into_iter().flatten()
}

/// Whether the column is hidden from the caller.
fn is_kept_from(field: &Field, cx: &Cx) -> bool {
    field.hidden && cx.respondent
}

/// The input of a cell.
enum CellInput {
    Absent,
    Blank,
    Faulty,
    Value(Json),
}

impl CellInput {
    fn read(field: &Field, raw: Json, cx: &Cx, at: &mut Issues) -> Self {
        if raw.is_null() {
            return Self::Blank;
        }
        at.key(&field.api_code, |at| {
            let faults = at.count();
            let stored = field.kind.parse(raw, &cx.of_column(field), at);
            if at.count() > faults {
                Self::Faulty
            } else if is_blank(&stored) {
                Self::Blank
            } else {
                Self::Value(stored)
            }
        })
    }
}
