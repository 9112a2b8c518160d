//! A text to copy: a token, a command, an address.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;

pub struct Copyable<'a> {
    pub id: &'a str,
    pub text: &'a str,
    /// Names the text for screen readers.
    pub what: &'a str,
    pub texts: &'a Texts,
}

impl Render for Copyable<'_> {
    fn render(&self) -> Markup {
        html! {
            div.copyable {
                pre.wrap { code id=(self.id) { (self.text) } }
                button.button.quiet.small.scripted type="button" data-copy=(self.id)
                    data-copied=(self.texts.say("copy-done")) {
                    (self.texts.say("copy"))
                    span.visually-hidden { " " (self.what) }
                }
            }
        }
    }
}
