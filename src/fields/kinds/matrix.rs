//! `matrix`: statements that ask the same questions; each cell is a field of its own.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::grid::cells::{self, Columns};
use crate::fields::grid::{self, Named, draw};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, AsJson as _, BuildCx, Capacity, Control, Counters, Cx, Facets, Grading, Grid, InputCx, Item, Kind,
    KindRow, Limit, Parts, Sample, Sheet, Take, UsedOf,
};
use crate::fields::report::grids;
use crate::fields::{Field, number_of};

pub static KIND: KindRow = KindRow {
    name: "matrix",
    facets: Facets {
        displayable: true,
        conditions: Some(cells::CONDITIONS),
        asked_by: &["=matrix", "=grid", "=矩阵", "=矩阵填空"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Monday"}, {"api_code": "t", "label": "Tuesday"}],
                "dimensions": [{"type": "number", "label": "Guests", "precision": 0}, {"type": "short_text", "label": "Notes"}]}"#,
            write: r#"{"t": {"field_1": 2.4, "field_2": null}, "s": {"field_2": "late", "field_9": 1}, "x": 1}"#,
            stored: r#"{"s": {"field_2": "late"}, "t": {"field_1": 2}}"#,
            text: "Monday (Notes: late); Tuesday (Guests: 2)",
        },
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Speed"}], "dimensions": [
                {"type": "radio", "label": "Size", "choices": [{"api_code": "a", "label": "Big"}, {"api_code": "b", "label": "Small"}]},
                {"type": "name", "label": "By", "default_value": "Ann"}]}"#,
            write: r#"{"s": {"field_1": "b", "field_2": null}}"#,
            stored: r#"{"s": {"field_1": {"value": "b"}, "field_2": null}}"#,
            text: "Speed (Size: Small)",
        },
    ],
};

#[derive(Serialize)]
struct Matrix {
    statements: Vec<Named>,
    #[serde(rename = "dimensions")]
    columns: Columns,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let statements = grid::read_statements(reader, cx, &mut HashSet::new());
    for (i, statement) in statements.iter().enumerate() {
        // Codes of statements and columns share one namespace.
        if number_of(&statement.api_code).is_some() {
            grid::fault_in(reader, "statements", i, "api_code", Reason::other("is a name for columns"));
        }
    }
    let columns = Columns::read(reader, cx);
    grid::check_size(reader, "dimensions", statements.len(), columns.controls());
    Box::new(Matrix { statements, columns })
}

impl Matrix {
    fn rows<'m, 'v: 'm>(&'m self, stored: &'v Json) -> impl Iterator<Item = (&'m Named, &'v Json)> {
        self.statements.iter().filter_map(|statement| Some((statement, grid::member(stored, &statement.api_code)?)))
    }

    /// Whether a required statement needs this cell: required columns, or all if none is required.
    fn is_needed(&self, field: &Field) -> bool {
        let fields = self.columns.fields();
        !field.hidden && (field.required || fields.iter().all(|field| !field.required))
    }
}

impl Kind for Matrix {
    fn read_schema(&self) -> Json {
        let row = self.columns.schema(|field| field.kind.read_schema());
        grid::schema(&self.statements, &row)
    }

    fn write_schema(&self) -> Json {
        let row = self.columns.schema(|field| field.kind.write_schema());
        grid::schema(&self.statements, &grid::nullable(row))
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        if !grid::check_columns(&self.statements, &raw, self.columns.codes(), at) {
            return Json::Null;
        }
        let mut files = HashSet::new();
        grid::parse_statements(&self.statements, raw, at, |raw, at| self.columns.parse(raw, cx, &mut files, at))
    }

    fn check_whole(&self, stored: &Json, at: &mut Issues) {
        for statement in &self.statements {
            let row = grid::member(stored, &statement.api_code).unwrap_or(&Json::Null);
            at.key(&statement.api_code, |at| {
                for field in self.columns.fields() {
                    let lacks = cells::cell(row, &field.api_code).is_none();
                    if lacks && self.is_needed(field) && !at.has_fault_at(&field.api_code) {
                        at.push_at(&field.api_code, Reason::Blank);
                    }
                }
            });
        }
    }

    fn reads_as_stored(&self) -> bool {
        self.columns.read_as_stored()
    }

    fn prune(&self, stored: Json, cx: &Cx) -> Json {
        grid::prune_statements(&self.statements, stored, |row| self.columns.prune(row, cx))
    }

    fn without_removed(&self, stored: Json, cx: &Cx) -> Json {
        grid::prune_statements(&self.statements, stored, |row| self.columns.without_removed(row, cx))
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let rows = self.rows(stored);
        let shown = rows.map(|(statement, row)| (statement.api_code.clone(), self.columns.show(row, cx)));
        Json::Object(shown.collect())
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let rows = self.rows(stored);
        let texts = rows.map(|(statement, row)| format!("{} ({})", statement.label, self.columns.text(row, cx)));
        texts.collect::<Vec<_>>().join("; ")
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let rows = self.rows(stored);
        let lines = rows.map(|(statement, row)| format!("{} ({})", statement.label, self.columns.line(row, cx)));
        lines.collect()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn for_respondent(&self) -> Json {
        self.columns.shown_in(self.as_json())
    }

    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        let Some(rows) = raw.as_object() else {
            return raw.clone();
        };
        let rows = rows.iter().map(|(code, row)| (code.clone(), self.columns.resolve_defaults(row, cx)));
        Json::Object(rows.collect())
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(grids::Matrix::new(&self.statements, self.columns.fields()))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn grid(&self) -> Option<&dyn Grid> {
        Some(self)
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(self)
    }
}

impl Capacity for Matrix {
    fn takes(&self, stored: &Json) -> Vec<Take> {
        let rows = stored.as_object().into_iter().flatten();
        rows.flat_map(|(statement, row)| self.columns.takes(row, &format!(".{statement}"))).collect()
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        self.columns.limit(counter)
    }

    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, cx: &Cx) {
        self.columns.show_remaining(shown, taken, cx);
    }

    fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        self.columns.shown_counters(cx)
    }
}

impl Parts for Matrix {
    fn items(&self) -> Vec<Item<'_>> {
        grid::items("statements", &self.statements).chain(self.columns.items()).collect()
    }

    fn points_to(&self, stored: &Json, code: &str) -> bool {
        grid::member(stored, code).is_some() || self.rows(stored).any(|(_, row)| self.columns.points_to(row, code))
    }
}

impl Grading for Matrix {
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        let row = |of: &Json, code: &str| grid::member(of, code).cloned().unwrap_or_default();
        self.statements.iter().all(|statement| {
            let code = &statement.api_code;
            self.columns.is_right(&row(given, code), &row(right, code))
        })
    }
}

impl Grid for Matrix {
    fn max_rows(&self) -> usize {
        self.statements.len()
    }

    fn sub_fields(&self) -> &[Field] {
        self.columns.fields()
    }

    fn cells<'v>(&self, stored: &'v Json, api_code: &str) -> Vec<&'v Json> {
        let rows = self.rows(stored);
        rows.filter_map(|(_, row)| cells::cell(row, api_code)).collect()
    }

    fn to_stored(&self) -> Json {
        self.columns.stored_in(self.as_json())
    }
}

impl Sheet for Matrix {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let columns = self.statements.iter().flat_map(|statement| {
            let own = self.columns.sheet_columns(cx).into_iter();
            own.map(|column| column.within(&statement.api_code, &statement.label))
        });
        columns.collect()
    }

    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        let rows = self.statements.iter();
        rows.flat_map(|statement| {
            let row = grid::member(stored, &statement.api_code).unwrap_or(&Json::Null);
            self.columns.sheet_cells(row, cx)
        })
        .collect()
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let count = self.columns.sheet_width().max(1);
        let rows = self.statements.iter().zip(cells.chunks(count));
        let rows = rows.filter(|(_, cells)| !cells.iter().all(|cell| text::is_blank(cell)));
        let value = rows.map(|(statement, cells)| {
            let row = at.key(&statement.api_code, |at| self.columns.sheet_value(cells, cx, at));
            (statement.api_code.clone(), row)
        });
        Json::Object(value.collect())
    }
}

impl Control for Matrix {
    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let statement = grid::statement_at(&self.statements, path)?;
        let row = format!(".{}", statement.api_code);
        let rest = path.strip_prefix(&row)?;
        let value = &value[statement.api_code.as_str()];
        self.columns.part(&statement.label, &row, rest, value, texts)
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let is_needed = |field: &Field| field.required || (cx.required && self.is_needed(field));
        html! {
            div.grid id=(cx.name) {
                @for statement in &self.statements {
                    @let path = format!(".{}", statement.api_code);
                    // If anything was given, a statement without an answer was left empty.
                    @let row = match cx.value {
                        Json::Null => None,
                        value => Some(grid::member(value, &statement.api_code).unwrap_or(&Json::Null)),
                    };
                    fieldset.grid-row data-cell={ (cx.name) (path) } {
                        legend.grid-row-label dir="auto" lang=[cx.owners_lang()] { (statement.label) }
                        (draw::said(cx, &path, cx.fault_at(&path)))
                        (self.columns.draw(cx, &path, (&statement.label, true), row, &is_needed))
                    }
                }
            }
        }
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let rows = self.statements.iter().filter_map(|statement| {
            let row = self.columns.form_value(part.member(&statement.api_code)?, cx);
            (row != json!({})).then(|| (statement.api_code.clone(), row))
        });
        Json::Object(rows.collect::<Map<_, _>>())
    }
}
