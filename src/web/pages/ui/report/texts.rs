//! The newest texts, each with the way to its entry.

use maud::{Markup, Render, html};

use crate::web::pages::ui::words::name;

pub struct SaidText<'a> {
    pub text: &'a str,
    /// The number of its entry.
    pub number: String,
    pub address: String,
    /// The meaning of the number, for screen readers.
    pub about: String,
}

pub struct SaidTexts<'a> {
    /// Above them; none if empty.
    pub heading: &'a str,
    pub texts: Vec<SaidText<'a>>,
    /// Below them: the way to all.
    pub all: Markup,
}

impl Render for SaidTexts<'_> {
    fn render(&self) -> Markup {
        html! {
            div.said {
                @if !self.heading.is_empty() { h3 { (self.heading) } }
                ul role="list" {
                    @for said in &self.texts {
                        li {
                            a href=(said.address) aria-label=(said.about) { (said.number) }
                            p { (name(said.text)) }
                        }
                    }
                }
                @if !self.all.0.is_empty() { p { (self.all) } }
            }
        }
    }
}
