//! Notices: completed actions, missing things, errors.

use maud::{Markup, Render, html};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Note,
    /// Success.
    Good,
    Warn,
    /// Failure.
    Bad,
}

impl Tone {
    /// The class beside the part's own; none for a note.
    pub fn class(self) -> Option<&'static str> {
        match self {
            Self::Note => None,
            Self::Good => Some("good"),
            Self::Warn => Some("warn"),
            Self::Bad => Some("bad"),
        }
    }
}

/// A box with a message; screen readers announce it when the page loads.
#[derive(Clone, Default)]
pub struct Notice<'a> {
    pub tone: Tone,
    pub title: &'a str,
    /// Empty if the title says it all.
    pub text: &'a str,
    /// Remedies and links, below the text.
    pub content: Markup,
}

impl Render for Notice<'_> {
    fn render(&self) -> Markup {
        html! {
            div class={ "message" @if let Some(class) = self.tone.class() { " " (class) } }
                role=(if self.tone == Tone::Bad { "alert" } else { "status" }) {
                h2 { (self.title) }
                @if !self.text.is_empty() { p { (self.text) } }
                (self.content)
            }
        }
    }
}

/// A notice of a title and a text.
pub fn message(tone: Tone, title: &str, text: &str) -> Markup {
    Notice { tone, title, text, ..Notice::default() }.render()
}

/// One fault of a summary.
pub struct SummaryLine<'a> {
    /// The id of the field that it leads to; none if empty.
    pub field: &'a str,
    pub text: String,
}

/// All faults of a page with several fields, in the order of the page; nothing if there are none. It takes the focus.
pub struct Summary<'a> {
    pub title: &'a str,
    pub lines: Vec<SummaryLine<'a>>,
}

impl Render for Summary<'_> {
    fn render(&self) -> Markup {
        html! {
            @if !self.lines.is_empty() {
                div.message.summary #summary role="alert" tabindex="-1" autofocus {
                    h2 { (self.title) }
                    ul role="list" {
                        @for line in &self.lines {
                            @if line.field.is_empty() {
                                li { (line.text) }
                            } @else {
                                li { a href={ "#" (line.field) } { (line.text) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
