//! An entry beside the table of entries, where the window has room for both: a script shows its page in a frame.

use maud::{Markup, Render, html};

pub struct EntryBeside<'a> {
    /// The name of the part and of its frame, for screen readers.
    pub title: &'a str,
    /// Leads to the page in the frame.
    pub whole: &'a str,
    pub close: &'a str,
}

impl Render for EntryBeside<'_> {
    fn render(&self) -> Markup {
        html! {
            aside.beside #beside aria-label=(self.title) hidden {
                div.beside-head {
                    a.button.quiet.small href="#beside" { (self.whole) }
                    button.button.quiet.small type="button" { (self.close) }
                }
                iframe title=(self.title) {}
            }
        }
    }
}
