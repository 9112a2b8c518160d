//! An entry beside the table of entries, where the window has room for both: a script shows its page in a frame.

use maud::{Markup, Render, html};

pub struct EntryBeside<'a> {
    /// The name of the part and of its frame, for screen readers.
    pub title: &'a str,
    /// Leads to the page in the frame.
    pub whole: &'a str,
    pub close: &'a str,
    /// The line between both, which a pointer pulls and keys move.
    pub divider: &'a str,
    /// Buttons that move it.
    pub wider: &'a str,
    pub narrower: &'a str,
    /// Whether the page opens with an entry in it: then there is room for it from the first.
    pub is_opening: bool,
}

impl Render for EntryBeside<'_> {
    fn render(&self) -> Markup {
        html! {
            aside.beside #beside aria-label=(self.title) hidden[!self.is_opening] data-opening[self.is_opening] {
                div.beside-line role="separator" tabindex="0" aria-orientation="vertical" aria-label=(self.divider) {}
                div.beside-head {
                    a.button.quiet.small href="#beside" { (self.whole) }
                    div.row {
                        @for (by, words, sign) in [("5", self.wider, "←"), ("-5", self.narrower, "→")] {
                            button.button.quiet.small type="button" data-widen=(by) title=(words) {
                                span aria-hidden="true" { (sign) }
                                span.visually-hidden { (words) }
                            }
                        }
                        button.button.quiet.small type="button" data-close { (self.close) }
                    }
                }
                iframe title=(self.title) {}
            }
        }
    }
}
