//! Questions of another form, each with a tick.

use maud::{Markup, Render, html};

/// The name of the ticks.
pub const TICK: &str = "code";

pub struct PickRow<'a> {
    pub code: &'a str,
    pub label: Markup,
    pub kind: String,
    /// Facts about it, in a few words each.
    pub notes: Vec<String>,
    pub is_ticked: bool,
}

/// The questions to pick from, with a search that a script shows.
pub struct PickList<'a> {
    pub label: &'a str,
    pub find: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub rows: Vec<PickRow<'a>>,
}

impl Render for PickList<'_> {
    fn render(&self) -> Markup {
        let fault = (!self.fault.is_empty()).then_some("picked-fault");
        html! {
            fieldset.parts aria-describedby=[fault] {
                legend { (self.label) }
                @if let Some(id) = fault { p.fault id=(id) { (self.fault) } }
                div.column-head {
                    div.field #find-column {
                        label for="column-words" { (self.find) }
                        input.input id="column-words" type="search" autocomplete="off";
                    }
                }
                ul.column-rows role="list" {
                    @for row in &self.rows {
                        li {
                            label.column-tick {
                                input type="checkbox" name=(TICK) value=(row.code) checked[row.is_ticked];
                                span {
                                    (row.label)
                                    span.pick-notes { (row.kind) @for note in &row.notes { " · " (note) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
