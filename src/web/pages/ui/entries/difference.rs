//! Answers that two people gave at the same time, each with the choice between them.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::form::csrf_field;

/// A question with two answers.
pub struct Difference<'a> {
    /// The name of the choice, and its values for the two.
    pub name: String,
    pub values: (&'a str, &'a str),
    pub label: Markup,
    /// Lines of the answers; none where there is no answer.
    pub theirs: Vec<String>,
    pub mine: Vec<String>,
    /// True if mine is chosen before anybody chooses.
    pub is_mine: bool,
}

/// All of them, in the form that saves the choices.
pub struct Differences<'a> {
    pub action: &'a str,
    pub csrf: &'a str,
    pub has_files: bool,
    pub inputs: Vec<(&'a str, String)>,
    /// The heads of the two columns.
    pub heads: (&'a str, &'a str),
    /// The language of the answers, if it is not the page's.
    pub lang: Option<&'a str>,
    /// Stands where there is no answer.
    pub blank: &'a str,
    pub rows: Vec<Difference<'a>>,
    /// The controls with the typed values, which go along unseen.
    pub typed: Markup,
    pub save: &'a str,
    /// The label of the way out, and its address.
    pub cancel: (&'a str, &'a str),
}

impl Render for Differences<'_> {
    fn render(&self) -> Markup {
        let (theirs, mine) = self.heads;
        html! {
            form.card.stack method="post" action=(self.action) novalidate
                enctype=[self.has_files.then_some("multipart/form-data")] {
                (csrf_field(self.csrf))
                @for (name, value) in &self.inputs { input type="hidden" name=(name) value=(value); }
                div.trap aria-hidden="true" {
                    // Enter presses the first button of a form: this one, whatever buttons a control has.
                    button.enter name="_action" value="submit" tabindex="-1" {}
                }
                div.differences {
                    @for row in &self.rows {
                        fieldset.difference {
                            legend { (row.label) }
                            div.choices {
                                (self.answer(row, theirs, row.values.0, &row.theirs, !row.is_mine))
                                (self.answer(row, mine, row.values.1, &row.mine, row.is_mine))
                            }
                        }
                    }
                }
                div hidden { (self.typed) }
                div.row {
                    button.button name="_action" value="submit" { (self.save) }
                    (Button { label: self.cancel.0, press: Press::Go(self.cancel.1), ..Button::default() })
                }
            }
        }
    }
}

impl Differences<'_> {
    fn answer(&self, row: &Difference, head: &str, value: &str, answer: &[String], is_chosen: bool) -> Markup {
        html! {
            label.choice {
                input type="radio" name=(row.name) value=(value) checked[is_chosen];
                span.choice-label {
                    span.difference-head { (head) }
                    @for line in answer { span.difference-line dir="auto" lang=[self.lang] { (line) } }
                    @if answer.is_empty() { span.muted { (self.blank) } }
                }
            }
        }
    }
}
