//! `table`: any number of rows; each cell is a field of its own. Blank rows are dropped.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::texts::Texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::grid::cells::{self, Columns};
use crate::fields::grid::{self, draw};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, AsJson as _, BuildCx, Capacity, Control, Counters, Cx, Facets, Grading, Grid, InputCx, Item, Kind,
    KindRow, Limit, Parts, Sample, Sheet, Take, UsedOf,
};
use crate::fields::report::grids;
use crate::fields::values::known_keys;
use crate::fields::{Field, inputs};

const MAX_ROWS: usize = 100;
/// Initial rows of a page without a script.
const FIRST_ROWS: usize = 3;
/// Empty rows of such a page after those filled in.
const SPARE_ROWS: usize = 2;

pub static KIND: KindRow = KindRow {
    name: "table",
    facets: Facets {
        conditions: Some(cells::CONDITIONS), asked_by: &["=table", "=表格", "=自增表格"], ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"dimensions": [{"type": "name", "label": "Name", "required": true}, {"type": "number", "label": "Age"}], "max_rows": 5}"#,
            write: r#"[{"field_1": "Ann", "field_2": 5}, {}, {"field_1": "Bob", "field_7": 1}, {"field_2": null}]"#,
            stored: r#"[{"field_1": "Ann", "field_2": 5}, {"field_1": "Bob"}]"#,
            text: "Name: Ann, Age: 5; Name: Bob",
        },
        Sample {
            definition: r#"{"dimensions": [{"type": "date", "label": "Day", "default_value": "today"}, {"type": "checkbox", "label": "Meals",
                "choices": [{"api_code": "a", "label": "Lunch"}, {"api_code": "b", "label": "Dinner"}]}], "min_rows": 1}"#,
            write: r#"[{"field_2": ["a", "b"]}, {"field_1": null, "field_2": ["b"]}]"#,
            stored: r#"[{"field_1": "2026-11-20", "field_2": [{"value": "a"}, {"value": "b"}]}, {"field_1": null, "field_2": [{"value": "b"}]}]"#,
            text: "Day: 2026-11-20, Meals: Lunch, Dinner; Meals: Dinner",
        },
    ],
};

#[derive(Serialize)]
struct Table {
    #[serde(rename = "dimensions")]
    columns: Columns,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_rows: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_rows: Option<i64>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let columns = Columns::read(reader, cx);
    let min_rows = reader.opt_int("min_rows", 0..=MAX_ROWS as i64);
    let max_rows = reader.opt_int("max_rows", 1..=MAX_ROWS as i64);
    if let (Some(min), Some(max)) = (min_rows, max_rows)
        && min > max
    {
        reader.fault("max_rows", Reason::LessThan("min_rows"));
    }
    let table = Table { columns, min_rows, max_rows };
    grid::check_size(reader, "dimensions", table.most(), table.columns.controls());
    Box::new(table)
}

/// Applies `f` to each stored row and drops rows that become null.
fn each_row(stored: Json, f: impl Fn(Json) -> Json) -> Json {
    let Json::Array(rows) = stored else {
        return Json::Null;
    };
    let rows = rows.into_iter().map(f);
    rows.filter(|row| !row.is_null()).collect()
}

fn rows(stored: &Json) -> impl Iterator<Item = &Json> {
    stored.as_array().into_iter().flatten()
}

fn row_label(texts: &Texts, number: &str) -> String {
    texts.fill("grid-row", &[("number", number.to_owned().into())])
}

impl Table {
    fn least(&self) -> usize {
        count(self.min_rows).unwrap_or_default()
    }

    fn most(&self) -> usize {
        count(self.max_rows).unwrap_or(MAX_ROWS)
    }

    /// The rows of a page with a script, and without one, which needs spare rows.
    fn drawn(&self, given: usize) -> (usize, usize) {
        let scripted = given.max(self.least()).max(1);
        let first = Some(self.least()).filter(|least| *least > 0);
        let plain = first.unwrap_or(FIRST_ROWS).max(given + SPARE_ROWS).min(self.most());
        (scripted, plain.max(scripted))
    }

    fn row(&self, cx: &InputCx, row: &TableRow) -> Markup {
        let TableRow { path, number, .. } = row;
        let label = row_label(cx.texts, number);
        let fault = cx.fault_at(path);
        html! {
            fieldset.grid-row.spare[row.is_spare] data-cell={ (cx.name) (path) } {
                legend.grid-row-label data-row-text=(row_label(cx.texts, "#")) { (label) }
                (draw::said(cx, path, fault))
                (self.columns.draw(cx, path, (&label, false), row.value, &|field| field.required))
                button.button.quiet.small.scripted type="button" data-remove hidden[!row.can_go] {
                    (cx.texts.say("grid-remove"))
                    span.visually-hidden data-row-text={ ": " (row_label(cx.texts, "#")) } { ": " (label) }
                }
            }
        }
    }
}

fn count(rows: Option<i64>) -> Option<usize> {
    usize::try_from(rows?).ok()
}

/// A row to draw.
struct TableRow<'a> {
    /// `[2]`.
    path: String,
    /// From 1.
    number: String,
    /// The value; `None` shows the defaults.
    value: Option<&'a Json>,
    /// Whether only a page without a script needs the row.
    is_spare: bool,
    /// Whether the row may be removed.
    can_go: bool,
}

impl Kind for Table {
    fn read_schema(&self) -> Json {
        let row = self.columns.schema(|field| field.kind.read_schema());
        json!({"type": "array", "items": row, "maxItems": MAX_ROWS})
    }

    fn write_schema(&self) -> Json {
        let row = self.columns.schema(|field| field.kind.write_schema());
        json!({"type": "array", "items": row})
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(given) = raw else {
            at.push(Reason::MustBe(Expected::Other("a list of rows")));
            return Json::Null;
        };
        let columns = self.columns.codes();
        if let Some(first) = known_keys::first_of_unknown(given.iter(), columns.clone())
            && let Some(row) = given[first].as_object()
        {
            at.index(first, |at| known_keys::check(row, columns, at));
            return Json::Null;
        }
        let faults = at.count();
        let (mut stored, mut files) = (Vec::new(), HashSet::new());
        // Far too many rows are refused without reporting the faults of each.
        let is_flood = given.len() > 10 * MAX_ROWS;
        for (i, raw) in given.into_iter().enumerate().take_while(|_| !is_flood) {
            let row = at.index(i, |at| self.columns.parse(raw, cx, &mut files, at));
            if !row.is_null() {
                stored.push(row);
            }
        }
        if is_flood || stored.len() > self.most() {
            at.push(Reason::too_many(self.most(), Things::Rows));
        } else if at.count() == faults && !stored.is_empty() && stored.len() < self.least() {
            at.push(Reason::too_few(self.least(), Things::Rows));
        }
        Json::Array(stored)
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn reads_as_stored(&self) -> bool {
        self.columns.read_as_stored()
    }

    fn prune(&self, stored: Json, cx: &Cx) -> Json {
        each_row(stored, |row| self.columns.prune(row, cx))
    }

    fn without_removed(&self, stored: Json, cx: &Cx) -> Json {
        each_row(stored, |row| self.columns.without_removed(row, cx))
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        rows(stored).map(|row| self.columns.show(row, cx)).collect()
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let texts = rows(stored).map(|row| self.columns.text(row, cx));
        texts.collect::<Vec<_>>().join("; ")
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let lines = rows(stored).map(|row| self.columns.line(row, cx));
        lines.collect()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn for_respondent(&self) -> Json {
        self.columns.shown_in(self.as_json())
    }

    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        let Some(rows) = raw.as_array() else {
            return raw.clone();
        };
        rows.iter().map(|row| self.columns.resolve_defaults(row, cx)).collect()
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(grids::Table::new(self.columns.fields()))
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

impl Capacity for Table {
    fn takes(&self, stored: &Json) -> Vec<Take> {
        rows(stored).enumerate().flat_map(|(i, row)| self.columns.takes(row, &format!("[{i}]"))).collect()
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

impl Parts for Table {
    fn items(&self) -> Vec<Item<'_>> {
        self.columns.items().collect()
    }

    fn points_to(&self, stored: &Json, code: &str) -> bool {
        rows(stored).any(|row| self.columns.points_to(row, code))
    }
}

impl Grading for Table {
    /// Row by row.
    fn is_right(&self, given: &Json, right: &Json) -> bool {
        let pairs = rows(given).zip(rows(right));
        rows(given).count() == rows(right).count()
            && pairs.into_iter().all(|(given, right)| self.columns.is_right(given, right))
    }
}

impl Grid for Table {
    fn max_rows(&self) -> usize {
        self.most()
    }

    fn sub_fields(&self) -> &[Field] {
        self.columns.fields()
    }

    fn cells<'v>(&self, stored: &'v Json, api_code: &str) -> Vec<&'v Json> {
        rows(stored).filter_map(|row| cells::cell(row, api_code)).collect()
    }

    fn to_stored(&self) -> Json {
        self.columns.stored_in(self.as_json())
    }
}

impl Sheet for Table {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        self.columns.sheet_columns(cx)
    }

    /// Rows are written one per line in each cell.
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        let rows = rows(stored).map(|row| self.columns.sheet_cells(row, cx));
        columns::stacks(self.columns.sheet_width(), rows)
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let rows = columns::unstack(cells).into_iter().enumerate();
        let rows = rows.map(|(i, row)| {
            let row: Vec<&str> = row.iter().map(String::as_str).collect();
            at.index(i, |at| self.columns.sheet_value(&row, cx, at))
        });
        rows.collect()
    }
}

impl Control for Table {
    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
        let at: usize = index.parse().ok()?;
        let row = row_label(texts, &(at + 1).to_string()).to_lowercase();
        self.columns.part(&row, &format!("[{index}]"), rest, &value[at], texts)
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        let max = count(self.max_rows);
        let min = count(self.min_rows).filter(|min| *min > 1 || Some(*min) == max);
        texts.range("limit-rows", min, max)
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let given = cx.value.as_array().map(Vec::as_slice).unwrap_or_default();
        let given = &given[..given.len().min(self.most())];
        let (scripted, plain) = self.drawn(given.len());
        // Required rows show the defaults until something is posted; others stay empty, so that nobody sends rows of
        // unread defaults.
        let with_defaults = if cx.value.is_null() { self.least() } else { 0 };
        html! {
            div.grid id=(cx.name) data-rows=(cx.name) data-least=(self.least().max(1)) data-most=(self.most())
                data-added=(cx.texts.fill("grid-added", &[("row", row_label(cx.texts, "#").into())]))
                data-removed=(cx.texts.fill("grid-removed", &[("row", row_label(cx.texts, "#").into())])) {
                (inputs::rows((0..plain).map(|i| self.row(cx, &TableRow {
                    path: format!("[{i}]"),
                    number: (i + 1).to_string(),
                    value: if i < with_defaults { None } else { Some(given.get(i).unwrap_or(&Json::Null)) },
                    is_spare: i >= scripted,
                    can_go: scripted > self.least().max(1),
                }))))
                button.button.quiet.scripted type="button" data-add hidden[scripted >= self.most()] {
                    (cx.texts.say("grid-add"))
                }
                @if plain < self.most() {
                    // Without a script the page is posted and returned with more rows.
                    button.button.quiet.scriptless name="_action" value="more" formaction={ "#" (cx.name) } {
                        (cx.texts.say("grid-more"))
                    }
                }
                p.visually-hidden role="status" {}
                template {
                    (self.row(cx, &TableRow {
                        path: "[#]".to_owned(),
                        number: "#".to_owned(),
                        value: None,
                        is_spare: false,
                        can_go: true,
                    }))
                }
            }
        }
    }

    fn fullest(&self) -> Option<Json> {
        Some(json!(vec![json!({}); self.most()]))
    }

    fn script(&self) -> Option<&'static str> {
        Some("table.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let mut posted: Vec<(usize, Json)> = part
            .members()
            .filter_map(|(name, row)| Some((name.parse().ok()?, self.columns.form_value(row, cx))))
            .collect();
        posted.sort_by_key(|(i, _)| *i);
        while posted.pop_if(|(_, row)| *row == json!({})).is_some() {}
        // Rows keep their positions, so that a fault stays with its row.
        let mut rows: Vec<Json> = Vec::new();
        for (i, row) in posted {
            if i < 2 * MAX_ROWS {
                rows.resize(i.max(rows.len()), json!({}));
            }
            rows.push(row);
        }
        Json::Array(rows)
    }
}
