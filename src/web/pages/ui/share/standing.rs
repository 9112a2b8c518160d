//! Whether a form is open, in one sentence, beside the button that changes it.

use maud::{Markup, Render, html};

use crate::web::pages::ui::notice::Tone;

pub struct StandingLine<'a> {
    /// The colour of its mark; the sentence says the same.
    pub tone: Tone,
    pub text: &'a str,
    /// The consequence; none if empty.
    pub more: &'a str,
    pub actions: Markup,
}

impl Render for StandingLine<'_> {
    fn render(&self) -> Markup {
        html! {
            div.standing {
                div class={ "standing-text" @if let Some(class) = self.tone.class() { " " (class) } } {
                    p { strong { (self.text) } }
                    @if !self.more.is_empty() { p.small.muted { (self.more) } }
                }
                @if !self.actions.0.is_empty() { div.row { (self.actions) } }
            }
        }
    }
}

/// Fields beside each other, where there is room.
pub fn fields_beside(fields: &Markup) -> Markup {
    html! { div.fields-beside { (fields) } }
}

/// A value that somebody else saved meanwhile, below the field that it belongs to.
pub fn theirs(text: &str) -> Markup {
    html! { p.small.theirs { (text) } }
}
