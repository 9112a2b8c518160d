//! The head of a page, and the one card of a page without navigation.

use maud::{Markup, Render, html};

use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::words::lead;

/// A link to the page above.
pub struct Back<'a> {
    pub address: &'a str,
    pub label: &'a str,
}

/// The head of a signed-in page: the way back, its title, and the actions on its subject as a whole.
#[derive(Default)]
pub struct PageHead<'a> {
    pub back: Option<Back<'a>>,
    pub sign: Option<Sign>,
    pub title: Markup,
    /// The sentence below the title; none if empty.
    pub lead: Markup,
    /// Buttons beside the title; none if empty.
    pub actions: Markup,
}

impl Render for PageHead<'_> {
    fn render(&self) -> Markup {
        html! {
            div.page-head {
                @if let Some(back) = &self.back {
                    p.page-back { a href=(back.address) { (back.label) } }
                }
                @if let Some(shown) = self.sign { (sign(shown)) }
                div.page-title {
                    h1 { (self.title) }
                    @if !self.actions.0.is_empty() { div.row { (self.actions) } }
                }
                @if !self.lead.0.is_empty() { (lead(&self.lead)) }
            }
        }
    }
}

/// The card of a page without navigation: signing in, a link that is used up.
#[derive(Default)]
pub struct PlainCard<'a> {
    pub sign: Option<Sign>,
    pub title: &'a str,
    /// The sentence below the title; none if empty.
    pub lead: Markup,
    pub content: Markup,
}

impl Render for PlainCard<'_> {
    fn render(&self) -> Markup {
        html! {
            div.card.stack {
                @if let Some(shown) = self.sign { (sign(shown)) }
                h1 { (self.title) }
                @if !self.lead.0.is_empty() { (lead(&self.lead)) }
                (self.content)
            }
        }
    }
}
