//! An address in one line, to copy and to open.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;

pub struct LinkLine<'a> {
    pub id: &'a str,
    /// The id of the heading that names it.
    pub labelled_by: &'a str,
    pub address: &'a str,
    /// A link below the line that opens it.
    pub actions: Markup,
    pub texts: &'a Texts,
}

impl Render for LinkLine<'_> {
    fn render(&self) -> Markup {
        let id = self.id;
        html! {
            div.link-line.stack {
                div.copied-line {
                    input.input id=(id) value=(self.address) readonly dir="ltr" aria-labelledby=(self.labelled_by);
                    button.button.quiet.small.scripted type="button" data-copy=(id) aria-keyshortcuts="c"
                        data-copied=(self.texts.say("copy-done")) {
                        (self.texts.say("copy"))
                        span.visually-hidden { " " (self.texts.say("copy-link")) }
                    }
                }
                @if !self.actions.0.is_empty() { div.row { (self.actions) } }
            }
        }
    }
}
