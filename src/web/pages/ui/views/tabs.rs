//! The ways in which a list can be seen, one beside the other: its states, its saved views.

use maud::{Markup, Render, html};

pub struct ViewTab<'a> {
    pub address: String,
    pub label: Markup,
    /// Stands behind the label; none if empty.
    pub note: &'a str,
    pub is_here: bool,
}

pub struct ViewTabs<'a> {
    /// For screen readers.
    pub label: &'a str,
    pub tabs: Vec<ViewTab<'a>>,
    /// The content behind the tabs.
    pub end: Markup,
}

impl Render for ViewTabs<'_> {
    fn render(&self) -> Markup {
        html! {
            div.view-bar {
                nav.view-tabs aria-label=(self.label) {
                    @for tab in &self.tabs {
                        a href=(tab.address) aria-current=[tab.is_here.then_some("true")] {
                            (tab.label)
                            @if !tab.note.is_empty() { " " span.view-note { (tab.note) } }
                        }
                    }
                }
                (self.end)
            }
        }
    }
}
