//! Sections of settings. On a desk they stand open beside their list; on a phone each one opens.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

/// All sections of a page, with the list that leads to them.
pub struct Sections<'a> {
    /// The list's name.
    pub label: &'a str,
    /// The label of the search among them, which needs a script.
    pub find: &'a str,
    /// The message of the search where it finds none.
    pub none: &'a str,
    pub sections: Vec<SettingsSection<'a>>,
}

impl Render for Sections<'_> {
    fn render(&self) -> Markup {
        html! {
            div.settings {
                div.settings-side {
                    div.settings-find {
                        label.visually-hidden for="find-setting" { (self.find) }
                        input.input #find-setting type="search" placeholder=(self.find) autocomplete="off";
                        p.muted role="status" data-none=(self.none) {}
                    }
                    nav aria-label=(self.label) {
                        ul role="list" {
                            @for section in &self.sections { li { a href={ "#" (section.id) } { (section.title) } } }
                        }
                    }
                }
                div.settings-sections { @for section in &self.sections { (section) } }
            }
        }
    }
}

#[derive(Default)]
pub struct SettingsSection<'a> {
    pub id: &'a str,
    pub title: String,
    /// A summary of its settings, in a line.
    pub text: String,
    /// Why it does nothing for this form, and stays folded; empty where it does.
    pub reason: String,
    pub is_open: bool,
    pub content: Markup,
}

impl Render for SettingsSection<'_> {
    fn render(&self) -> Markup {
        let is_folded = !self.reason.is_empty();
        html! {
            details.card.settings-section id=(self.id) open[self.is_open] data-folded[is_folded] {
                summary {
                    h2 { (self.title) }
                    p.muted.small { (if is_folded { &self.reason } else { &self.text }) }
                }
                div.settings-content { (self.content) }
            }
        }
    }
}

/// The form of a section, which is saved by itself.
pub struct SectionForm<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The version of the values that it shows.
    pub version: &'a str,
    pub content: Markup,
    pub save: &'a str,
    /// Stands beside the button while something is not saved.
    pub unsaved: &'a str,
}

impl Render for SectionForm<'_> {
    fn render(&self) -> Markup {
        html! {
            form method="post" action=(self.action) novalidate data-unsaved {
                (csrf_field(self.csrf))
                input type="hidden" name="version" value=(self.version);
                (self.content)
                div.row.save-row {
                    button.button.quiet type="submit" { (self.save) }
                    span.muted.small role="status" data-text=(self.unsaved) {}
                }
            }
        }
    }
}

/// Controls that belong together, under a heading that opens them.
pub struct ControlGroup<'a> {
    pub title: &'a str,
    /// Stands beside the heading: whether it is on; none if empty.
    pub state: &'a str,
    pub is_open: bool,
    pub content: Markup,
}

impl Render for ControlGroup<'_> {
    fn render(&self) -> Markup {
        html! {
            details.disclosure.control-group open[self.is_open] {
                summary {
                    h3 { (self.title) }
                    @if !self.state.is_empty() { span.muted.small { (self.state) } }
                }
                div role="group" aria-label=(self.title) { (self.content) }
            }
        }
    }
}
