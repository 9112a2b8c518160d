//! Rows of a few inputs each. Without a script, there is one empty row below the filled-in ones; with one, a button
//! adds rows.

use maud::{Markup, Render, html};

/// An input of every row.
pub struct RowColumn<'a> {
    /// The suffix of its name.
    pub key: &'a str,
    pub label: &'a str,
    pub is_number: bool,
}

/// An input of one row.
#[derive(Default)]
pub struct Cell {
    pub value: String,
    /// The fault; empty if none.
    pub fault: String,
}

pub struct InputRows<'a> {
    /// The prefix of the names, and the id.
    pub name: &'a str,
    pub label: &'a str,
    /// The effect; none if empty.
    pub notes: &'a str,
    /// The fault of the rows as a whole; empty if none.
    pub fault: &'a str,
    /// The value that somebody else set meanwhile; nothing if empty.
    pub news: &'a str,
    pub columns: &'a [RowColumn<'a>],
    pub rows: Vec<Vec<Cell>>,
    /// The button's words.
    pub add: &'a str,
}

impl Render for InputRows<'_> {
    fn render(&self) -> Markup {
        let id = self.name;
        let next = self.rows.len();
        let blank: Vec<Cell> = self.columns.iter().map(|_| Cell::default()).collect();
        let is_wrong = !self.fault.is_empty() || self.rows.iter().flatten().any(|cell| !cell.fault.is_empty());
        html! {
            div class=(if is_wrong { "field wrong" } else { "field" }) {
                fieldset id=(id) tabindex="-1" data-rows=(next) {
                    legend { (self.label) }
                    @if !self.notes.is_empty() { p.notes { (self.notes) } }
                    @if !self.fault.is_empty() { p.fault { (self.fault) } }
                    @if !self.news.is_empty() { p.news { (self.news) } }
                    @for (at, row) in self.rows.iter().enumerate() { (self.row(at, row, false)) }
                    (self.row(next, &blank, true))
                    button.button.quiet.small.scripted type="button" data-add-row=(id) { (self.add) }
                }
            }
        }
    }
}

impl InputRows<'_> {
    fn row(&self, at: usize, cells: &[Cell], is_spare: bool) -> Markup {
        html! {
            div class=(if is_spare { "input-row spare" } else { "input-row" }) role="group"
                aria-label={ (self.label) " " (at + 1) } {
                @for (column, cell) in self.columns.iter().zip(cells) { (self.cell(at, column, cell)) }
            }
        }
    }

    fn cell(&self, at: usize, column: &RowColumn, cell: &Cell) -> Markup {
        let id = format!("{}[{at}].{}", self.name, column.key);
        let fault = (!cell.fault.is_empty()).then(|| format!("{id}-fault"));
        html! {
            div class=(if column.is_number { "input-cell number-cell" } else { "input-cell" }) {
                label for=(id) { (column.label) }
                input.input id=(id) name=(id) type="text" value=(cell.value) autocomplete="off"
                    inputmode=[column.is_number.then_some("decimal")] aria-describedby=[&fault]
                    aria-invalid=[fault.is_some().then_some("true")];
                @if let Some(id) = &fault { p.fault id=(id) { (cell.fault) } }
            }
        }
    }
}
