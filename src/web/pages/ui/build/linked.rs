//! Another form: the choice of it, and its searched and shown questions.

use maud::{Markup, Render, html};

use crate::web::pages::ui::build::parts::act;
use crate::web::pages::ui::field::Choice;

/// The choice among the forms that one manages.
pub struct OtherForm<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    pub choices: Vec<Choice<'a>>,
    /// The button that shows the questions of the chosen one.
    pub show: &'a str,
}

impl Render for OtherForm<'_> {
    fn render(&self) -> Markup {
        let name = self.name;
        let fault = (!self.fault.is_empty()).then(|| format!("{name}-fault"));
        html! {
            div.field.wrong[fault.is_some()] {
                label for=(name) { (self.label) }
                p.notes { (self.notes) }
                @if let Some(id) = &fault { p.fault id=(id) { (self.fault) } }
                select.input id=(name) name=(name) aria-describedby=[&fault]
                    aria-invalid=[fault.is_some().then_some("true")] {
                    @for choice in &self.choices {
                        option value=(choice.value) selected[choice.is_chosen] { (choice.label) }
                    }
                }
                noscript { (act(&format!("{name}.again"), self.show)) }
            }
        }
    }
}

/// The questions of the other form.
pub struct OtherQuestions<'a> {
    pub name: &'a str,
    pub label: &'a str,
    /// The faults; empty if none.
    pub faults: Vec<String>,
    pub rows: Vec<OtherQuestion>,
    /// Notes on who will see which answers.
    pub told: Vec<String>,
    pub warnings: Vec<String>,
}

pub struct OtherQuestion {
    pub label: String,
    /// Name, value, label and state of each tick.
    pub ticks: Vec<(String, String, String, bool)>,
}

impl Render for OtherQuestions<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.parts id=(self.name) data-fresh {
                legend { (self.label) }
                @for fault in &self.faults { p.fault { (fault) } }
                @for row in &self.rows {
                    fieldset.other-question {
                        legend { bdi { (row.label) } }
                        div.row {
                            @for (name, value, label, is_on) in &row.ticks {
                                label.tick {
                                    input name=(name) type="checkbox" value=(value) checked[*is_on];
                                    span { (label) }
                                }
                            }
                        }
                    }
                }
            }
            div.stack.tight id={ (self.name) "-told" } data-fresh {
                @for text in &self.told { p.notes { (text) } }
                @for text in &self.warnings { p.news { (text) } }
            }
        }
    }
}
