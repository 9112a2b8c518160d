//! Entries that are ticked in a list, and the actions on them.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

/// The name of each tick.
pub const TICK: &str = "serial";
/// The id of the form that sends the ticks.
const FORM: &str = "chosen";

/// A tick in the first cell of a row.
pub fn tick(serial: i64, label: &str) -> Markup {
    html! { input.row-tick type="checkbox" form=(FORM) name=(TICK) value=(serial) aria-label=(label) autocomplete="off"; }
}

/// Ticks that were sent before.
pub fn hidden_ticks(serials: &[i64]) -> Markup {
    html! { @for serial in serials { input type="hidden" name=(TICK) value=(serial); } }
}

/// A bar at the window's edge, as long as something is ticked.
pub struct Selection<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The name of the bar, for screen readers.
    pub label: &'a str,
    /// How many are ticked, with `{n}` for the number: a script fills it in.
    pub count: &'a str,
    /// Ticks the whole page; a script does it.
    pub all: &'a str,
    /// The address of the actions on the entries of all pages, and its words; shown once the whole page is ticked.
    pub everything: Option<(&'a str, &'a str)>,
    /// Each is named `act`; its value is the action.
    pub acts: Vec<(&'a str, &'a str)>,
}

impl Render for Selection<'_> {
    fn render(&self) -> Markup {
        html! {
            form.selection id=(FORM) method="post" action=(self.action) novalidate aria-label=(self.label) {
                (csrf_field(self.csrf))
                p role="status" data-count=(self.count) {}
                button.button.quiet.small.scripted type="button" data-all { (self.all) }
                @if let Some((address, label)) = self.everything {
                    a.button.quiet.small.everything href=(address) { (label) }
                }
                @for (value, label) in &self.acts {
                    button.button.quiet.small type="submit" name="act" value=(value) { (label) }
                }
            }
        }
    }
}

/// Turns the cards of a phone into things to tick; a script does it, and elsewhere the ticks are always there.
pub struct SelectMode<'a> {
    pub label: &'a str,
    pub done: &'a str,
}

impl Render for SelectMode<'_> {
    fn render(&self) -> Markup {
        html! {
            button.button.quiet.small.scripted.select-mode type="button" data-select=(self.label) data-done=(self.done) {
                (self.label)
            }
        }
    }
}

/// Says that entries came since the list was shown. Hidden until a script has asked.
pub struct NewEntries<'a> {
    /// Tells how many there are.
    pub state: &'a str,
    /// The list as it is now.
    pub list: &'a str,
    pub show: &'a str,
    /// Stands at a row that was changed since then.
    pub changed: &'a str,
}

impl Render for NewEntries<'_> {
    fn render(&self) -> Markup {
        html! {
            div.new-entries.row #new-entries role="status" data-state=(self.state) hidden {
                span {}
                a.button.quiet.small href=(self.list) { (self.show) }
                template { span.row-dot title=(self.changed) { span.visually-hidden { (self.changed) } } }
            }
        }
    }
}
