//! A page of respondents or visitors in a frame, with the width and the light in which it is looked at.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;

/// Widths of the frame; the first is chosen.
const WIDTHS: [&str; 3] = ["wide", "tablet", "mobile"];
/// Schemes of the framed page; the first is chosen.
const SCHEMES: [&str; 2] = ["light", "dark"];

pub struct FramedPage<'a> {
    /// The address of the page.
    pub address: &'a str,
    pub title: &'a str,
    pub texts: &'a Texts,
}

impl Render for FramedPage<'_> {
    fn render(&self) -> Markup {
        html! {
            div.look-switches {
                (self.switch("width", &WIDTHS))
                (self.switch("scheme", &SCHEMES))
            }
            div.look-stage data-width=(WIDTHS[0]) {
                iframe #preview src=(self.address) title=(self.title) loading="lazy" {}
            }
        }
    }
}

impl FramedPage<'_> {
    /// Buttons of which one is pressed: their words are `look-{name}-{value}`.
    fn switch(&self, name: &str, values: &[&str]) -> Markup {
        let words = |id: String| self.texts.say(&id);
        html! {
            div.frame-switch role="group" aria-label=(words(format!("look-{name}"))) {
                @for (at, value) in values.iter().enumerate() {
                    button type="button" data-frame=(name) value=(value)
                        aria-pressed=(if at == 0 { "true" } else { "false" }) {
                        (words(format!("look-{name}-{value}")))
                    }
                }
            }
        }
    }
}
