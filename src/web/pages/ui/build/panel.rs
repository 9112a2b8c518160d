//! The properties of the chosen question: a form that a script sends as it changes, with a button where no script runs.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

/// The name of the version that a post is about.
pub const TAG: &str = "_tag";
/// The name of the buttons of lists.
pub const ACTION: &str = "_action";

/// The kind of the chosen question, and on a phone the way back to all of them.
pub struct PanelHead<'a> {
    pub back: &'a str,
    pub back_label: &'a str,
    pub title: &'a str,
}

impl Render for PanelHead<'_> {
    fn render(&self) -> Markup {
        html! {
            div.panel-head {
                a.panel-back href=(self.back) { (self.back_label) }
                h2 { (self.title) }
            }
        }
    }
}

pub struct Panel<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    /// The question's code.
    pub code: &'a str,
    pub tag: i64,
    /// Whether it can only be read.
    pub is_fixed: bool,
    pub properties: Vec<Markup>,
    /// Properties that are seldom needed, with their heading.
    pub more: (&'a str, Vec<Markup>),
    /// The button's words.
    pub save: &'a str,
}

impl Render for Panel<'_> {
    fn render(&self) -> Markup {
        html! {
            form.panel #panel method="post" action=(self.action) novalidate data-code=(self.code) {
                (csrf_field(self.csrf))
                input type="hidden" name=(TAG) value=(self.tag);
                // Enter in a line saves, whatever button comes first.
                button type="submit" hidden {}
                fieldset.panel-controls disabled[self.is_fixed] {
                    @for property in &self.properties { (property) }
                    @if !self.more.1.is_empty() {
                        details.panel-more {
                            summary { (self.more.0) }
                            @for property in &self.more.1 { (property) }
                        }
                    }
                }
                @if !self.is_fixed { button.button.quiet.panel-save type="submit" { (self.save) } }
            }
        }
    }
}
