//! Bookings in a spreadsheet.

use jiff::civil::DateTime;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts::texts;
use crate::fields::columns::{self, Cell, Column};
use crate::fields::kind::{Cx, Sheet};
use crate::fields::kinds::booking::Booking;
use crate::fields::kinds::booking::line::BookingLine;
use crate::fields::schedule::{Scheme, date};

/// Spreadsheet columns: the member, and the key of its label.
const IN_CELLS: [(&str, &str); 4] =
    [("api_code", "sheet-item"), ("scheduled_at", "sheet-from"), ("end_at", "sheet-to"), ("number", "sheet-number")];

/// A wall clock time in a cell.
fn in_cell(at: DateTime) -> String {
    let has_seconds = at.second() != 0;
    let shape = if has_seconds { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    at.strftime(shape).to_string()
}

impl Sheet for Booking {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        IN_CELLS.map(|(part, id)| Column::part(part, words.say(id))).to_vec()
    }

    /// Lines are written one per line in each cell, on the form's wall clock.
    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let rows = BookingLine::all(stored).map(|line| {
            let code = line.api_code.unwrap_or_default();
            let (from, to) = (line.start(), line.end());
            let from = from.map(|from| match to {
                None if from.time() == jiff::civil::Time::midnight() => from.date().to_string(),
                _ => in_cell(from),
            });
            vec![
                Cell::text(columns::word(self.named(), code)),
                Cell::date(from.unwrap_or_default()),
                Cell::date(to.map(in_cell).unwrap_or_default()),
                line.number.map_or(Cell::Blank, |number| Cell::Number(number.into())),
            ]
        });
        columns::stacks(IN_CELLS.len(), rows)
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let rows = columns::filled_rows(cells);
        rows.map(|row| {
            let cell = |i: usize| row.get(i).map_or("", |cell| cell.trim());
            let mut line = Map::new();
            let code = columns::meant(self.named(), cell(0)).unwrap_or(cell(0));
            let has_slots = self.find(code).is_some_and(|item| item.quota_setting.scheme == Scheme::TimeRange);
            line.insert("api_code".to_owned(), json!(code));
            for (i, key) in [(1, "scheduled_at"), (2, "end_at")] {
                let typed = cell(i);
                if !typed.is_empty() {
                    // Spreadsheets write midnight as a day without a time.
                    let is_midnight = has_slots && date(typed).is_some();
                    let at = if is_midnight { format!("{typed}T00:00") } else { typed.replacen(' ', "T", 1) };
                    line.insert(key.to_owned(), json!(at));
                }
            }
            if !cell(3).is_empty() {
                line.insert("number".to_owned(), columns::number(cell(3), cx.locale));
            }
            Json::Object(line)
        })
        .collect()
    }
}
