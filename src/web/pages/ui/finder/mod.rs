//! The dialog that leads to anything by its name. Only scripts can fill it.

use maud::{Markup, Render, html};

pub struct Finder<'a> {
    /// The address that answers a text with forms, questions and entries.
    pub address: &'a str,
    pub label: &'a str,
    /// The placeholder of the input.
    pub hint: &'a str,
    pub none: &'a str,
    /// How many were found, with `{n}` for the number; for screen readers.
    pub count: &'a str,
    /// The words of each kind of thing.
    pub kinds: &'a [(&'a str, String)],
}

impl Render for Finder<'_> {
    fn render(&self) -> Markup {
        html! {
            dialog.dialog.finder #finder aria-label=(self.label) data-find=(self.address) {
                input.input #finder-text role="combobox" type="text" aria-label=(self.label) placeholder=(self.hint)
                    aria-expanded="false" aria-controls="finder-list" aria-autocomplete="list" autocomplete="off"
                    autocapitalize="off" spellcheck="false" enterkeyhint="go";
                ul.finder-list #finder-list role="listbox" aria-label=(self.label) {}
                p.finder-none data-none=(self.none) {}
                p.visually-hidden role="status" data-count=(self.count) {}
                @for (kind, words) in self.kinds {
                    template data-kind=(kind) { li role="option" { bdi {} span { (words) } } }
                }
            }
        }
    }
}

/// The button that opens it, where scripts run.
pub fn finder_button(label: &str) -> Markup {
    html! {
        button.button.quiet.small.scripted.finder-button type="button" data-finder title=(label)
            aria-keyshortcuts="Control+K Meta+K" {
            svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor"
                stroke-width="2" stroke-linecap="round" { circle cx="11" cy="11" r="6.5" {} path d="m16 16 4.5 4.5" {} }
            span.visually-hidden { (label) " " }
            kbd { "Ctrl K" }
        }
    }
}
