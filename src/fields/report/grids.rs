//! Grids: the report of a question for each cell or for each statement.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde_json::json;

use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::fields::Field;
use crate::fields::choices::Choice;
use crate::fields::grid::{Named, cells, member};
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Room, Tally};
use crate::fields::report::chart::{Bar, Card, Cell, Chart, HeatRow, Label};
use crate::fields::report::choices::Counts;
use crate::fields::report::numbers::Scores;
use crate::fields::report::{FieldTally, count, described, list, members, object, text};

/// A grid with more cells and choices than this shows less of each.
const LARGE: usize = 20_000;

/// The members that every statement has first.
fn head(statement: &Named, answered: u64) -> Members {
    members([("api_code", json!(statement.api_code)), ("label", json!(statement.label)), ("answered", json!(answered))])
}

fn head_schema() -> [(&'static str, Json); 3] {
    let answered = described(count(), "The number of entries with a value there.");
    [("api_code", text()), ("label", text()), ("answered", answered)]
}

/// JSON Schema of the statements, each with one specific member.
fn statements_schema(key: &str, own: Json) -> Members {
    let [code, label, answered] = head_schema();
    let statements = list([code, label, answered, (key, own)]);
    members([("statements", statements)])
}

/// A count as a share of the answers.
fn share(count: u64, answered: u64) -> Cell {
    Cell { value: json!(count), shade: count as f64 / answered.max(1) as f64 }
}

/// One question under several statements: how often each choice was selected, the mean of scores and numbers, or the
/// number of answers.
fn beside(statements: &[Named], cells: Vec<Card>) -> Chart {
    let of_bars = |chart: &Chart| match chart {
        Chart::Bars { bars, .. } => Some(bars.iter().map(|bar| (bar.label.clone(), bar.count)).collect::<Vec<_>>()),
        _ => None,
    };
    let label = |label: &Label| match label {
        Label::Text(text) => text.clone(),
        _ => String::new(),
    };
    let first = cells.first().and_then(|card| of_bars(&card.chart));
    if let Some(first) = first {
        let rows = statements.iter().zip(&cells).map(|(statement, card)| {
            let counts = of_bars(&card.chart).unwrap_or_default();
            let cells = counts.iter().map(|(_, count)| share(*count, card.answered)).collect();
            HeatRow { label: statement.label.clone(), answered: card.answered, cells }
        });
        return Chart::Heat { rows: rows.collect(), columns: first.iter().map(|(it, _)| label(it)).collect() };
    }
    let figures = |chart: &Chart| match chart {
        Chart::Histogram { figures, .. } | Chart::Scale { figures, .. } | Chart::Promoters { figures, .. } => {
            Some(figures.mean.clone())
        }
        _ => None,
    };
    if cells.first().is_some_and(|card| figures(&card.chart).is_some()) {
        let means: Vec<Json> = cells.iter().map(|card| figures(&card.chart).unwrap_or_default()).collect();
        let most = means.iter().filter_map(Json::as_f64).fold(0.0, f64::max);
        let rows = statements.iter().zip(&cells).zip(means).map(|((statement, card), value)| {
            let shade = value.as_f64().filter(|_| most > 0.0).map_or(0.0, |mean| (mean / most).max(0.0));
            let cells = vec![Cell { value, shade }];
            HeatRow { label: statement.label.clone(), answered: card.answered, cells }
        });
        return Chart::MeanHeat { rows: rows.collect(), columns: vec![String::new()] };
    }
    let bars = statements.iter().zip(&cells);
    let bars = bars.map(|(statement, card)| Bar::new(Label::Text(statement.label.clone()), card.answered, None));
    Chart::Bars { bars: bars.collect(), other: Vec::new(), extended: Vec::new(), total_price: None }
}

/// Tally of statements answered by the same choices.
pub struct Likert<'k> {
    statements: &'k [Named],
    rows: Vec<(u64, Counts<'k>)>,
}

impl<'k> Likert<'k> {
    pub fn new(statements: &'k [Named], choices: &'k [Choice]) -> Self {
        let is_large = statements.len().saturating_mul(choices.len()) > LARGE;
        let room = if is_large { Room::SMALL_CELL } else { Room::CELL };
        let row = |_| (0, Counts::new(choices, room));
        Self { statements, rows: statements.iter().map(row).collect() }
    }
}

impl Tally for Likert<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for (statement, (answered, counts)) in self.statements.iter().zip(&mut self.rows) {
            let codes = member(answer.stored, &statement.api_code).and_then(Json::as_array);
            let mut codes = codes.into_iter().flatten().filter_map(Json::as_str).peekable();
            *answered += u64::from(codes.peek().is_some());
            codes.for_each(|code| counts.add(code, 1));
        }
        true
    }

    fn result(&self, _: &Cx) -> Members {
        let rows = self.statements.iter().zip(&self.rows);
        let rows = rows.map(|(statement, (answered, counts))| {
            let mut row = head(statement, *answered);
            row.insert("choices".to_owned(), counts.to_json());
            Json::Object(row)
        });
        members([("statements", rows.collect())])
    }

    fn schema(&self) -> Members {
        statements_schema("choices", Counts::schema())
    }

    fn chart(&self, _: &Cx) -> Chart {
        let mut columns = Vec::new();
        let rows = self.statements.iter().zip(&self.rows).map(|(statement, (answered, counts))| {
            let each: Vec<(&Choice, u64)> = counts.each().collect();
            columns = each.iter().map(|(choice, _)| choice.label().to_owned()).collect();
            let cells = each.iter().map(|(_, count)| share(*count, *answered)).collect();
            HeatRow { label: statement.label.clone(), answered: *answered, cells }
        });
        let rows = rows.collect();
        Chart::Heat { columns, rows }
    }
}

/// Tally of statements rated in the same dimensions.
pub struct Ratings<'k> {
    statements: &'k [Named],
    dimensions: &'k [Named],
    range: RangeInclusive<i64>,
    answered: Vec<u64>,
    cells: HashMap<(usize, usize), (u64, Scores)>,
}

impl<'k> Ratings<'k> {
    pub fn new(statements: &'k [Named], dimensions: &'k [Named], range: RangeInclusive<i64>) -> Self {
        Self { statements, dimensions, range, answered: vec![0; statements.len()], cells: HashMap::new() }
    }
}

impl Tally for Ratings<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for (s, statement) in self.statements.iter().enumerate() {
            let Some(row) = member(answer.stored, &statement.api_code) else {
                continue;
            };
            self.answered[s] += 1;
            for (d, dimension) in self.dimensions.iter().enumerate() {
                let Some(stored) = cells::cell(row, &dimension.api_code) else {
                    continue;
                };
                let cell = self.cells.entry((s, d));
                let (answered, scores) = cell.or_insert_with(|| (0, Scores::new(self.range.clone())));
                let is_one = scores.add(&Answer { stored, ..*answer });
                *answered += u64::from(is_one);
            }
        }
        true
    }

    fn result(&self, cx: &Cx) -> Members {
        let empty = (0, Scores::new(self.range.clone()));
        let rows = self.statements.iter().enumerate().map(|(s, statement)| {
            let mut row = head(statement, self.answered[s]);
            let cells = self.dimensions.iter().enumerate().map(|(d, dimension)| {
                let (answered, scores) = self.cells.get(&(s, d)).unwrap_or(&empty);
                let mut cell = head(dimension, *answered);
                cell.extend(scores.result(cx));
                Json::Object(cell)
            });
            row.insert("dimensions".to_owned(), cells.collect());
            Json::Object(row)
        });
        members([("statements", rows.collect())])
    }

    fn schema(&self) -> Members {
        let mut cell = members(head_schema());
        cell.extend(Scores::new(self.range.clone()).schema());
        statements_schema("dimensions", json!({"type": "array", "items": object(cell)}))
    }

    fn chart(&self, _: &Cx) -> Chart {
        let (low, high) = (*self.range.start() as f64, *self.range.end() as f64);
        let rows = self.statements.iter().enumerate().map(|(s, statement)| {
            let cells = (0..self.dimensions.len()).map(|d| {
                let value = self.cells.get(&(s, d)).map_or(Json::Null, |(_, scores)| scores.mean());
                let shade = value.as_f64().map_or(0.0, |mean| (mean - low) / (high - low).max(1.0));
                Cell { value, shade }
            });
            HeatRow { label: statement.label.clone(), answered: self.answered[s], cells: cells.collect() }
        });
        let columns = self.dimensions.iter().map(|dimension| dimension.label.clone());
        Chart::MeanHeat { rows: rows.collect(), columns: columns.collect() }
    }
}

/// Tally of statements with the same questions.
pub struct Matrix<'k> {
    statements: &'k [Named],
    columns: &'k [Field],
    room: Room,
    answered: Vec<u64>,
    cells: HashMap<(usize, usize), FieldTally<'k>>,
}

impl<'k> Matrix<'k> {
    pub fn new(statements: &'k [Named], columns: &'k [Field]) -> Self {
        let parts: usize = columns.iter().map(|field| field.kind.items().len() + 1).sum();
        let is_large = statements.len().saturating_mul(parts) > LARGE;
        Self {
            statements,
            columns,
            room: if is_large { Room::SMALL_CELL } else { Room::CELL },
            answered: vec![0; statements.len()],
            cells: HashMap::new(),
        }
    }
}

impl Tally for Matrix<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for (s, statement) in self.statements.iter().enumerate() {
            let Some(row) = member(answer.stored, &statement.api_code) else {
                continue;
            };
            let mut is_answered = false;
            for (c, column) in self.columns.iter().enumerate() {
                let Some(stored) = cells::cell(row, &column.api_code) else {
                    continue;
                };
                is_answered = true;
                let cell = self.cells.entry((s, c));
                let tally = cell.or_insert_with(|| FieldTally::new(column, self.room));
                tally.add(answer.serial, stored, answer.cx);
            }
            self.answered[s] += u64::from(is_answered);
        }
        true
    }

    fn result(&self, cx: &Cx) -> Members {
        let rows = self.statements.iter().enumerate().map(|(s, statement)| {
            let mut row = head(statement, self.answered[s]);
            let cells = self.columns.iter().enumerate().map(|(c, column)| {
                let known = self.cells.get(&(s, c)).map(|tally| tally.result(cx));
                known.unwrap_or_else(|| FieldTally::new(column, self.room).result(cx))
            });
            row.insert("dimensions".to_owned(), cells.collect());
            Json::Object(row)
        });
        members([("statements", rows.collect())])
    }

    fn schema(&self) -> Members {
        let cells = json!({"type": "array", "items": reference("ReportField")});
        statements_schema("dimensions", cells)
    }

    fn chart(&self, cx: &Cx) -> Chart {
        let columns = self.columns.iter().enumerate().map(|(c, column)| {
            let cell = |s: usize| {
                let known = self.cells.get(&(s, c)).map(|tally| tally.card(cx));
                known.unwrap_or_else(|| FieldTally::new(column, self.room).card(cx))
            };
            let cells: Vec<Card> = (0..self.statements.len()).map(cell).collect();
            let mut card = FieldTally::new(column, self.room).card(cx);
            card.answered = cells.iter().map(|cell| cell.answered).sum();
            card.chart = beside(self.statements, cells);
            card
        });
        Chart::Columned(columns.collect())
    }
}

/// Tally of rows of questions: each question over all rows of all entries.
pub struct Table<'k> {
    rows: u64,
    columns: Vec<FieldTally<'k>>,
    fields: &'k [Field],
}

impl<'k> Table<'k> {
    pub fn new(fields: &'k [Field]) -> Self {
        let columns = fields.iter();
        Self { rows: 0, columns: columns.map(|field| FieldTally::new(field, Room::CELL)).collect(), fields }
    }
}

impl Tally for Table<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for row in answer.stored.as_array().into_iter().flatten() {
            self.rows += 1;
            for (field, tally) in self.fields.iter().zip(&mut self.columns) {
                if let Some(stored) = cells::cell(row, &field.api_code) {
                    tally.add(answer.serial, stored, answer.cx);
                }
            }
        }
        true
    }

    fn result(&self, cx: &Cx) -> Members {
        let columns = self.columns.iter().map(|tally| tally.result(cx));
        members([("rows", json!(self.rows)), ("dimensions", columns.collect())])
    }

    fn schema(&self) -> Members {
        let columns = json!({"type": "array", "items": reference("ReportField")});
        let words = "Each column over all rows; `answered` counts rows here.";
        members([("rows", described(count(), "The number of rows.")), ("dimensions", described(columns, words))])
    }

    fn chart(&self, cx: &Cx) -> Chart {
        let parts = self.columns.iter().map(|tally| {
            let mut card = tally.card(cx);
            // Rows are counted here, which no list of entries shows.
            card.chart.bars_mut().iter_mut().for_each(|bar| bar.found = None);
            card.is_found = false;
            card
        });
        Chart::Parts { rows: self.rows, parts: parts.collect() }
    }
}
