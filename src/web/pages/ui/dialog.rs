//! Dialogs: a question, or a short form, above the page.

use maud::{Markup, Render, html};

/// Opened by a button that names its id (`Press::Open`). The browser keeps the focus inside, closes it by Escape, and
/// returns the focus.
pub struct Dialog<'a> {
    pub id: &'a str,
    pub title: Markup,
    pub content: Markup,
    /// The button that does it first, then the one that doesn't.
    pub actions: Markup,
}

impl Render for Dialog<'_> {
    fn render(&self) -> Markup {
        html! {
            dialog.dialog id=(self.id) aria-labelledby={ (self.id) "-title" } {
                div.stack {
                    h2 id={ (self.id) "-title" } { (self.title) }
                    (self.content)
                    div.row { (self.actions) }
                }
            }
        }
    }
}
