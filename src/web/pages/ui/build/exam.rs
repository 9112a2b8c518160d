//! The exam settings of the chosen question: a form that a script sends as it changes.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;

pub struct ExamQuestion<'a> {
    pub title: &'a str,
    /// The points of all questions, in words.
    pub total: &'a str,
    /// Where it is saved; none for users who can only read.
    pub action: Option<String>,
    pub csrf: &'a str,
    /// Name and value of the version that the page shows.
    pub seen: (&'static str, &'a str),
    /// The controls. Fields after the first one are shown where that is ticked.
    pub content: Markup,
    /// The button's words.
    pub save: &'a str,
    /// Stands below the form.
    pub after: Markup,
}

impl Render for ExamQuestion<'_> {
    fn render(&self) -> Markup {
        html! {
            section.panel-exam #exam aria-labelledby="exam-title" {
                h3 id="exam-title" { (self.title) }
                p.small.muted { (self.total) }
                @match &self.action {
                    Some(action) => form method="post" action=(action) novalidate data-points {
                        (csrf_field(self.csrf))
                        input type="hidden" name=(self.seen.0) value=(self.seen.1);
                        (self.content)
                        button.button.quiet.small type="submit" { (self.save) }
                    },
                    None => (self.content),
                }
                (self.after)
            }
        }
    }
}
