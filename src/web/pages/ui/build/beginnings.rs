//! Examples that a new form can start from.

use maud::{Markup, Render, html};

/// An example to begin with.
pub struct Beginning<'a> {
    /// The value of the button.
    pub value: &'a str,
    pub title: &'a str,
    pub about: &'a str,
}

/// Examples side by side, each a button that sends its form.
pub struct Beginnings<'a> {
    /// The name of the buttons.
    pub name: &'a str,
    pub label: &'a str,
    pub examples: Vec<Beginning<'a>>,
}

impl Render for Beginnings<'_> {
    fn render(&self) -> Markup {
        html! {
            div.beginnings role="group" aria-label=(self.label) {
                @for example in &self.examples {
                    button.palette-kind type="submit" name=(self.name) value=(example.value) {
                        strong { (example.title) }
                        span.palette-text { (example.about) }
                    }
                }
            }
        }
    }
}
