//! Divisions of a page: cards with a heading, parts that open, and the text in place of an empty list.

use maud::{Markup, Render, html};

use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::words::{lead, muted};

/// A card with a heading.
#[derive(Default)]
pub struct Section<'a> {
    /// The heading's id.
    pub id: &'a str,
    /// Without a heading if empty.
    pub title: Markup,
    /// The sentence below the heading; none if empty.
    pub text: &'a str,
    pub content: Markup,
}

impl Render for Section<'_> {
    fn render(&self) -> Markup {
        let id = (!self.id.is_empty()).then_some(self.id);
        html! {
            section.card.stack aria-labelledby=[id] {
                @if !self.title.0.is_empty() { h2 id=[id] { (self.title) } }
                @if !self.text.is_empty() { (muted(self.text)) }
                (self.content)
            }
        }
    }
}

/// Two columns where there is room; else the first stands above the second.
pub struct Columns {
    /// The wider one.
    pub main: Markup,
    /// The other one; empty if there is none.
    pub side: Markup,
    /// A card in each: both are as high as the higher.
    pub is_level: bool,
}

impl Render for Columns {
    fn render(&self) -> Markup {
        // A browser that has only the first of them yet knows that there will be another.
        let has_two = !self.side.0.is_empty();
        html! {
            div.columns.two[has_two].level[self.is_level] {
                div.stack { (self.main) }
                @if has_two { div.stack { (self.side) } }
            }
        }
    }
}

/// All that a page has to say: a question before an action, an error.
#[derive(Default)]
pub struct Question<'a> {
    pub sign: Option<Sign>,
    pub title: &'a str,
    pub text: &'a str,
    pub content: Markup,
}

impl Render for Question<'_> {
    fn render(&self) -> Markup {
        html! {
            div.card.stack.narrow {
                @if let Some(shown) = self.sign { (sign(shown)) }
                h1 { (self.title) }
                (lead(self.text))
                (self.content)
            }
        }
    }
}

/// A part that opens: a form that is seldom needed.
pub struct Disclosure<'a> {
    pub summary: &'a str,
    pub is_open: bool,
    pub content: Markup,
}

impl Render for Disclosure<'_> {
    fn render(&self) -> Markup {
        html! {
            details.disclosure open[self.is_open] {
                summary { (self.summary) }
                (self.content)
            }
        }
    }
}

/// Stands in place of an empty list, and teaches the first act.
#[derive(Default)]
pub struct EmptyState<'a> {
    pub text: &'a str,
    /// At most one button that stands out; none if empty.
    pub actions: Markup,
}

impl Render for EmptyState<'_> {
    fn render(&self) -> Markup {
        html! {
            div.empty {
                p { (self.text) }
                @if !self.actions.0.is_empty() { div.row { (self.actions) } }
            }
        }
    }
}
