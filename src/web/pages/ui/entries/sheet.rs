//! Entries to print, each on a sheet of its own.

use maud::{Markup, Render, html};

/// One entry on paper.
pub struct Sheet {
    /// Whose it is, in small print above the title; nothing if empty.
    pub above: Markup,
    pub title: Markup,
    pub content: Markup,
}

impl Render for Sheet {
    fn render(&self) -> Markup {
        html! {
            article.card.stack.sheet {
                @if !self.above.0.is_empty() { p.muted { (self.above) } }
                h2 { (self.title) }
                (self.content)
            }
        }
    }
}

/// Prints the page; only scripts can.
pub struct PrintButton<'a> {
    pub label: &'a str,
    /// Beside other buttons, where printing is not the page's main action.
    pub is_small: bool,
}

impl Render for PrintButton<'_> {
    fn render(&self) -> Markup {
        let class = if self.is_small { "button quiet small scripted" } else { "button scripted" };
        html! { button class=(class) type="button" data-print { (self.label) } }
    }
}
