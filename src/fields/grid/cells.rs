//! Columns whose cells are fields of their own, in matrix and table. A row is an object of cells. A blank cell is left
//! out, unless its column has a default: then null means that it was cleared.

use std::borrow::Cow;
use std::collections::HashSet;

use maud::{Markup, html};
use serde::{Serialize, Serializer};
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::fields::files;
use crate::fields::form_part::FormPart;
use crate::fields::grid::{dimensions, draw, member, nullable};
use crate::fields::kind::{BuildCx, Cx, InputCx, Item, Take};
use crate::fields::sheet::{Cell, Column};
use crate::fields::values::{self, is_blank};
use crate::fields::{Field, items};

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
        let widths = fields
            .iter()
            .map(|field| field.kind.sheet_columns(&nobody).len())
            .collect();
        Self {
            fields,
            parts,
            widths,
        }
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
        definition["dimensions"] = self.shown().map(Field::for_respondent).collect();
        definition
    }

    /// The columns and their named parts.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let item = |code, label| Item {
            list: "dimensions",
            code,
            label,
        };
        let columns = self.fields.iter();
        columns
            .map(move |field| item(&field.api_code, &field.label))
            .chain(
                self.parts
                    .iter()
                    .map(move |(code, label)| item(code, label)),
            )
    }

    /// Maximum number of controls in a row.
    pub fn controls(&self) -> usize {
        self.fields.len() + self.parts.len()
    }

    /// Whether the read shape of a row is its stored form, for any reader.
    pub fn read_as_stored(&self) -> bool {
        // In the read shape a cleared default of a list is an empty list, not null.
        let may_differ =
            |field: &Field| field.default_value.is_some() && !field.kind.empty().is_null();
        self.fields
            .iter()
            .all(|field| field.splices() && !field.hidden && !may_differ(field))
    }

    fn shown(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.hidden)
    }

    fn get(&self, api_code: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.api_code == api_code)
    }

    /// JSON Schema of a row; any cell may be null.
    pub fn schema(&self, of_cell: impl Fn(&Field) -> Json) -> Json {
        let cells = self.fields.iter();
        let properties: Map<String, Json> = cells
            .map(|field| (field.api_code.clone(), nullable(of_cell(field))))
            .collect();
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
        let cells: Vec<Given> = self
            .fields
            .iter()
            .map(|field| {
                let raw = given.shift_remove(&field.api_code);
                let cell = match raw.filter(|_| !is_kept_from(field, cx)) {
                    None => Given::Absent,
                    Some(raw) => Given::read(field, raw, cx, at),
                };
                is_empty &= matches!(cell, Given::Absent | Given::Blank);
                cell
            })
            .collect();
        if is_empty {
            return Json::Null;
        }
        let mut row = Map::new();
        for (field, cell) in self.fields.iter().zip(cells) {
            let cell = match cell {
                Given::Absent => Given::read(field, values::default_of(field, cx), cx, at),
                cell => cell,
            };
            match cell {
                Given::Value(stored) => {
                    row.insert(field.api_code.clone(), stored);
                }
                Given::Blank if field.required && !is_kept_from(field, cx) => {
                    at.push_at(&field.api_code, Reason::Blank);
                }
                Given::Blank if field.default_value.is_some() => {
                    row.insert(field.api_code.clone(), Json::Null);
                }
                Given::Blank | Given::Absent | Given::Faulty => {}
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
        self.each_cell(&row, |field, cell| {
            values::without_removed(field, cell, cx).map(Cow::into_owned)
        })
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
        if is_empty {
            Json::Null
        } else {
            Json::Object(left)
        }
    }

    pub fn show(&self, row: &Json, cx: &Cx) -> Json {
        let cells = members(row).filter_map(|(api_code, cell)| {
            let field = self
                .get(api_code)
                .filter(|field| !is_kept_from(field, cx))?;
            let shown = if cell.is_null() {
                field.kind.empty()
            } else {
                field.kind.read(cell, cx)
            };
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

    /// The quota used by a row at this path of the value, by column.
    pub fn takes(&self, row: &Json, path: &str, cx: &Cx) -> Vec<Take> {
        let mut takes = Vec::new();
        for field in &self.fields {
            let Some(cell) = cell(row, &field.api_code) else {
                continue;
            };
            for take in field.kind.takes(cell, cx) {
                takes.push(Take {
                    counter: items::path(&field.api_code, &take.counter),
                    at: format!("{path}.{}{}", field.api_code, take.at),
                    ..take
                });
            }
        }
        takes
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

    /// The row posted by a page; an empty object if there is none. A cell left empty is null, so that it takes no
    /// default.
    pub fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let nothing = FormPart::default();
        let cells: Map<String, Json> = self
            .shown()
            .map(|field| {
                let part = part.member(&field.api_code).unwrap_or(&nothing);
                (field.api_code.clone(), field.kind.form_value(part, cx))
            })
            .collect();
        if cells.values().all(is_blank) {
            json!({})
        } else {
            Json::Object(cells)
        }
    }

    /// Draws the controls of a row at a path of the value, with the row's name and whether the owner wrote that.
    /// Without a `row` the defaults show.
    pub fn draw(
        &self,
        cx: &InputCx,
        path: &str,
        (label, is_row_owners): (&str, bool),
        row: Option<&Json>,
        is_needed: &dyn Fn(&Field) -> bool,
    ) -> Markup {
        let is_empty = row.is_some_and(is_blank);
        html! {
            div.cells {
                @for field in self.shown() {
                    @let typed = row.and_then(|row| member(row, &field.api_code));
                    (draw::Cell {
                        field,
                        path: format!("{path}.{}", field.api_code),
                        row: label,
                        is_row_owners,
                        value: typed.or(is_empty.then_some(&Json::Null)),
                        required: is_needed(field),
                    }.draw(cx))
                }
            }
        }
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
enum Given {
    Absent,
    Blank,
    Faulty,
    Value(Json),
}

impl Given {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::definition::Definition;

    fn field(raw: &Json) -> Definition {
        let mut at = Issues::new();
        let definition = Definition::create(json!([raw]), &Cx::of_a_test(false), &mut at);
        assert!(at.is_empty(), "{:?}", at.into_list());
        definition
    }

    fn of(kind: &str) -> Json {
        json!({"type": kind, "label": "x", "statements": [{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}],
        "dimensions": [
            {"type": "number", "label": "n", "default_value": 3},
            {"type": "radio", "label": "r", "choices": [{"api_code": "a", "label": "A"}]},
        ]})
    }

    #[test]
    fn a_filter_finds_the_cells_of_a_column() {
        let cells = |kind: &str, stored: Json, api_code: &str| -> Json {
            let definition = field(&of(kind));
            let field = definition.fields.get("field_1").expect("the field");
            assert_eq!(field.kind.operators(), []);
            assert!(field.kind.keys(&stored, &Cx::of_a_test(false)).is_empty());
            let found = field.kind.cells(&stored, api_code);
            found.into_iter().cloned().collect()
        };
        let rows =
            json!([{"field_1": 1, "field_2": {"value": "a"}}, {"field_1": null}, {"field_1": 2}]);
        assert_eq!(cells("table", rows.clone(), "field_1"), json!([1, 2]));
        assert_eq!(
            cells("table", rows.clone(), "field_2"),
            json!([{"value": "a"}])
        );
        assert_eq!(cells("table", rows, "field_9"), json!([]));
        let rows = json!({"s": {"field_1": 1}, "t": {"field_1": null, "field_2": {"value": "a"}}, "gone": {"field_1": 5}});
        assert_eq!(cells("matrix", rows.clone(), "field_1"), json!([1]));
        assert_eq!(cells("matrix", rows, "field_2"), json!([{"value": "a"}]));
        let definition = field(&of("table"));
        let sub = definition
            .fields
            .get("field_1")
            .expect("the field")
            .kind
            .sub_fields();
        let names: Vec<_> = sub
            .iter()
            .map(|sub| (sub.api_code.as_str(), sub.row.name))
            .collect();
        assert_eq!(names, [("field_1", "number"), ("field_2", "radio")]);
        assert!(!sub[0].kind.operators().is_empty());
    }

    #[test]
    fn a_cleared_cell_stays_cleared() {
        let definition = field(&of("table"));
        let field = definition.fields.get("field_1").expect("the field");
        let cx = Cx::of_a_test(false);
        let parse = |raw: Json| field.kind.parse(raw, &cx, &mut Issues::new());
        let stored = parse(
            json!([{"field_2": "a"}, {"field_1": null, "field_2": "a"}, {"field_1": null}, {}]),
        );
        let a = json!({"value": "a"});
        assert_eq!(
            stored,
            json!([{"field_1": 3, "field_2": a}, {"field_1": null, "field_2": a}])
        );
        assert_eq!(parse(field.kind.read(&stored, &cx)), stored);
        assert!(
            field.kind.points_to(&stored, "field_2.a") && field.kind.points_to(&stored, "field_1")
        );
        assert!(!field.kind.points_to(&json!([{"field_1": null}]), "field_1"));
    }

    #[test]
    fn cells_take_of_the_quotas_of_their_columns() {
        for (kind, stored, place) in [
            (
                "table",
                json!([{}, {"field_2": {"value": "a"}}]),
                "[1].field_2",
            ),
            (
                "matrix",
                json!({"t": {"field_2": {"value": "a"}}}),
                ".t.field_2",
            ),
        ] {
            let definition = field(&of(kind));
            let field = definition.fields.get("field_1").expect("the field");
            let takes = field.kind.takes(&stored, &Cx::of_a_test(false));
            let found: Vec<_> = takes
                .iter()
                .map(|take| (take.counter.as_str(), take.at.as_str()))
                .collect();
            assert_eq!(found, [("field_2.a", place)]);
        }
    }

    #[test]
    fn what_the_store_keeps_of_columns_is_not_shown() {
        let mut raw = of("table");
        let mut at = Issues::new();
        let cx = Cx::of_a_test(false);
        let old = field(&raw);
        raw["api_code"] = json!("field_1");
        raw["dimensions"] = json!([
            {"api_code": "field_1", "type": "short_text", "label": "n", "past": ["x"], "retired": ["y"]},
            {"api_code": "field_2", "type": "radio", "label": "r", "choices": [{"api_code": "b", "label": "B"}]},
        ]);
        let new = old.replace(json!([raw]), &cx, &mut at).definition;
        assert!(at.is_empty(), "{:?}", at.into_list());
        let stored = new.to_stored();
        let columns = &stored["fields"][0]["dimensions"];
        assert_eq!(columns[0]["past"], json!(["number"]));
        assert_eq!(columns[0].get("retired"), None);
        assert_eq!(columns[1]["retired"], json!(["a"]));
        let back = Definition::from_stored(stored.clone()).expect("reads back");
        assert_eq!(back.to_stored(), stored);
        let field = back.fields.get("field_1").expect("the field");
        assert!(!field.splices());
        for shown in [field.to_json(), field.for_respondent()] {
            let text = shown.to_string();
            assert!(
                !text.contains("past") && !text.contains("retired"),
                "{text}"
            );
        }
    }
}
