//! A list of things with the actions on each; where a table would have one column.

use maud::{Markup, Render, html};

use crate::web::pages::ui::words::{joined, small};

#[derive(Default)]
pub struct Row {
    /// Its name; only the facts are shown if it is empty.
    pub title: Markup,
    /// States beside the name.
    pub chips: Markup,
    /// More than a line of facts.
    pub details: Markup,
    /// Joined to one line; empty ones are left out.
    pub facts: Vec<Markup>,
    pub actions: Markup,
}

impl Render for Row {
    fn render(&self) -> Markup {
        html! {
            li {
                div.row-text {
                    @if !self.title.0.is_empty() {
                        div.row-title { h3 { (self.title) } (self.chips) }
                    }
                    (self.details)
                    @if !self.facts.is_empty() { (small(joined(&self.facts))) }
                }
                @if !self.actions.0.is_empty() { div.row { (self.actions) } }
            }
        }
    }
}

pub fn list(rows: impl IntoIterator<Item = Row>) -> Markup {
    html! { ul.rows role="list" { @for row in rows { (row) } } }
}

/// Short texts one after the other, as far as they fit.
pub fn plain_list(texts: impl IntoIterator<Item = Markup>) -> Markup {
    html! { ul.plain-list.small role="list" { @for text in texts { li { (text) } } } }
}
