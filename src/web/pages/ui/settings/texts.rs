//! Help with texts of settings: placeholders that a press puts into them, and the way to a sample.

use maud::{Markup, Render, html};

use crate::web::pages::ui::section::Disclosure;
use crate::web::pages::ui::words::{aside, code, muted, name};

pub struct Placeholder {
    /// The label of its question.
    pub label: String,
    pub text: String,
}

/// The placeholders for answers in the texts of a form's section.
pub struct Placeholders<'a> {
    pub summary: &'a str,
    pub notes: &'a str,
    /// The words of the button that puts one where the text cursor is; a script does.
    pub insert: &'a str,
    pub lang: Option<&'a str>,
    pub placeholders: Vec<Placeholder>,
}

impl Render for Placeholders<'_> {
    fn render(&self) -> Markup {
        let content = html! {
            (muted(self.notes))
            ul.placeholders role="list" {
                @for Placeholder { label, text } in &self.placeholders {
                    li {
                        span lang=[self.lang] { (name(label)) }
                        (code(text))
                        button.button.quiet.small.scripted type="button" data-insert=(text) {
                            (self.insert) (aside(&name(label)))
                        }
                    }
                }
            }
        };
        Disclosure { summary: self.summary, is_open: false, content }.render()
    }
}

/// A file that shows the stored values; with a script, the typed ones.
pub struct SampleLink<'a> {
    pub address: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The names of the controls that it shows.
    pub names: &'a str,
}

impl Render for SampleLink<'_> {
    fn render(&self) -> Markup {
        html! {
            div.row {
                a.button.quiet.small href=(self.address) download data-sample=(self.names) { (self.label) }
                span.muted.small { (self.notes) }
            }
        }
    }
}
