//! The progress of long work on entries.

use maud::{Markup, Render, html};

/// A bar with words. A script asks how far the work is; without one, the page loads itself again.
pub struct WorkProgress<'a> {
    /// The bar's name.
    pub label: &'a str,
    pub done: i64,
    pub total: i64,
    /// `3,000 of 12,480 entries`.
    pub words: &'a str,
    /// The address that tells how far it is; none where nothing more happens.
    pub state: Option<&'a str>,
}

impl Render for WorkProgress<'_> {
    fn render(&self) -> Markup {
        html! {
            div.progress.work role="status" {
                progress #work-progress aria-label=(self.label) max=(self.total.max(1)) value=(self.done) data-state=[self.state] {}
                span { (self.words) }
            }
        }
    }
}
