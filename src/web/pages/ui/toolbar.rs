//! A line above a list: its search, its order, and the actions on all of its rows.

use maud::{Markup, Render, html};

#[derive(Default)]
pub struct Toolbar {
    /// Takes the room that is left: a search.
    pub start: Markup,
    pub end: Markup,
}

impl Render for Toolbar {
    fn render(&self) -> Markup {
        html! {
            div.toolbar {
                div.toolbar-start { (self.start) }
                @if !self.end.0.is_empty() { div.row { (self.end) } }
            }
        }
    }
}

/// A search that keeps the rest of the page's address.
pub struct Search<'a> {
    pub action: &'a str,
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    pub value: &'a str,
    pub button: &'a str,
    /// Other parameters of the address.
    pub kept: Vec<(&'a str, String)>,
    /// A select that narrows the search, after the input; none if empty.
    pub narrowing: Markup,
}

impl Render for Search<'_> {
    fn render(&self) -> Markup {
        html! {
            form.search method="get" action=(self.action) role="search" {
                @for (name, value) in &self.kept { input type="hidden" name=(name) value=(value); }
                label for=(self.name) { (self.label) }
                div.row {
                    // The label is that of the input, which comes first.
                    input.input.grow id=(self.name) name=(self.name) type="search" value=(self.value)
                        autocomplete="off";
                    (self.narrowing)
                    button.button.quiet type="submit" { (self.button) }
                }
            }
        }
    }
}
