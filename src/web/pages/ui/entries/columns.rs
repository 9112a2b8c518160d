//! The choice of a table's columns: which are shown, in which order, and how wide.

use maud::{Markup, Render, html};

use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::words::aside;

/// The name of the ticks.
pub const TICK: &str = "column";
/// The prefix of the names of the widths.
pub const WIDTH: &str = "width.";
/// The name of the buttons that move a column: `up:field_3`.
pub const MOVE: &str = "move";

pub struct ColumnRow<'a> {
    pub name: &'a str,
    pub label: Markup,
    /// Others have a tick alone.
    pub is_shown: bool,
    pub widths: Vec<Choice<'a>>,
    pub may_go_up: bool,
    pub may_go_down: bool,
    /// Its buttons take the focus: one of them was pressed.
    pub is_moved: bool,
}

/// A form that leads to the list with the chosen columns; each of its buttons keeps the ticks.
pub struct ColumnChoice<'a> {
    pub action: &'a str,
    /// Other parameters of the address.
    pub kept: Vec<(&'a str, String)>,
    pub rows: Vec<ColumnRow<'a>>,
    pub label: &'a str,
    /// The label of the search, which a script does.
    pub find: &'a str,
    pub width: &'a str,
    pub up: &'a str,
    pub down: &'a str,
    /// Up to where the columns stay in view.
    pub freeze: Markup,
    /// Stands first: Enter presses the first button of a form.
    pub show: Markup,
}

impl Render for ColumnChoice<'_> {
    fn render(&self) -> Markup {
        html! {
            form.column-choice method="get" action=(self.action) {
                @for (name, value) in &self.kept { input type="hidden" name=(name) value=(value); }
                div.column-head {
                    div.field #find-column {
                        label for="column-words" { (self.find) }
                        input.input id="column-words" type="search" autocomplete="off";
                    }
                    (self.freeze)
                    (self.show)
                }
                ul.column-rows role="list" aria-label=(self.label) {
                    @for row in &self.rows { (self.row(row)) }
                }
            }
        }
    }
}

impl ColumnChoice<'_> {
    fn row(&self, row: &ColumnRow) -> Markup {
        let focus = match (row.is_moved, row.may_go_up) {
            (false, _) => None,
            (true, true) => Some("up"),
            (true, false) => Some("down"),
        };
        let button = |way: &str, words: &str, sign: &str| {
            html! {
                button.button.quiet.small type="submit" name=(MOVE) value={ (way) ":" (row.name) }
                    autofocus[focus == Some(way)] {
                    span aria-hidden="true" { (sign) }
                    span.visually-hidden { (words) }
                    (aside(&row.label))
                }
            }
        };
        html! {
            li {
                label.column-tick {
                    input type="checkbox" name=(TICK) value=(row.name) checked[row.is_shown];
                    span { (row.label) }
                }
                @if row.is_shown {
                    @let id = format!("{WIDTH}{}", row.name);
                    label.visually-hidden for=(id) { (self.width) (aside(&row.label)) }
                    select.input id=(id) name=(id) {
                        @for choice in &row.widths {
                            option value=(choice.value) selected[choice.is_chosen] { (choice.label) }
                        }
                    }
                    div.column-moves {
                        @if row.may_go_up { (button("up", self.up, "↑")) }
                        @if row.may_go_down { (button("down", self.down, "↓")) }
                    }
                }
            }
        }
    }
}
