//! A state in one or two words, beside a name.

use maud::{Markup, Render, html};

use crate::web::pages::ui::notice::Tone;

pub struct Chip<'a> {
    /// Its colour; the words say the same.
    pub tone: Tone,
    pub text: &'a str,
}

impl Render for Chip<'_> {
    fn render(&self) -> Markup {
        html! {
            span class={ "chip" @if let Some(class) = self.tone.class() { " " (class) } } { (self.text) }
        }
    }
}
