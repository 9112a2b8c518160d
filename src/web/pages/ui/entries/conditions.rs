//! Conditions of a list: question, operator and value. A script follows a change of the question.

use maud::{Markup, Render, html};

use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::rules::value::{Part, Parts};
use crate::web::pages::ui::words::aside;

/// How a condition is taken away.
#[derive(Default)]
pub enum Removal {
    /// The address of the list without it.
    Leads(String),
    /// The name and the value of a button of its form.
    Button(&'static str, String),
    /// By the script that added it.
    #[default]
    Scripted,
}

impl Removal {
    fn draw(&self, label: &str, about: &Markup) -> Markup {
        let words = html! { (label) (aside(about)) };
        match self {
            Self::Leads(address) => html! { a.button.quiet.small href=(address) { (words) } },
            Self::Button(name, value) => {
                html! { button.button.quiet.small type="submit" name=(name) value=(value) { (words) } }
            }
            Self::Scripted => html! { button.button.quiet.small type="button" data-undo-add { (words) } },
        }
    }
}

/// The rows of a form.
pub struct Conditions<'a> {
    /// The address that says how a question is compared.
    pub ask: &'a str,
    pub rows: Markup,
    /// A row and its parts for the script to copy.
    pub blank: ConditionRow<'a>,
    /// Whether the script adds a row for the question that is chosen for another condition.
    pub adds: bool,
}

impl Render for Conditions<'_> {
    fn render(&self) -> Markup {
        html! {
            div data-conditions=(self.ask) data-adds[self.adds] {
                (self.rows)
                template { (self.blank) }
            }
        }
    }
}

/// A way to compare.
pub struct OperatorChoice {
    pub value: &'static str,
    pub label: String,
    pub is_chosen: bool,
    /// How many values it takes: `none`, `one`, `two` or `many`; one `object` of several parts, or several `objects`.
    pub takes: &'static str,
}

#[derive(Default)]
pub struct ConditionRow<'a> {
    /// The prefix of the names of its controls, such as `f[0]`.
    pub name: &'a str,
    /// The field that is compared, as the server names it.
    pub field: &'a str,
    pub label: Markup,
    pub question_label: &'a str,
    /// The questions that can be compared.
    pub questions: &'a [Choice<'a>],
    pub operator_label: &'a str,
    pub operators: Vec<OperatorChoice>,
    pub value_label: &'a str,
    /// The options for the values.
    pub choices: Vec<Choice<'a>>,
    /// Whether values are typed, too.
    pub is_typed: bool,
    /// The typed values.
    pub values: &'a [String],
    /// Values of several parts.
    pub objects: Vec<Vec<Part>>,
    /// Whether it may be compared with two bounds.
    pub takes_two: bool,
    /// The `type` of typed values.
    pub input: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    pub remove: Removal,
    pub remove_label: &'a str,
}

impl Render for ConditionRow<'_> {
    fn render(&self) -> Markup {
        let name = self.name;
        let fault = (!self.fault.is_empty()).then(|| format!("{name}-fault"));
        // One more than there are, for a further one of several.
        let further = usize::from(self.objects.is_empty());
        let inputs = (self.values.len() + further).max(if self.takes_two { 2 } else { 1 });
        let chosen = self.operators.iter().find(|choice| choice.is_chosen).or(self.operators.first());
        html! {
            fieldset.condition data-takes=[chosen.map(|choice| choice.takes)] {
                legend.visually-hidden { (self.label) }
                // The question that the other controls are for.
                input type="hidden" name={ (name) ".was" } value=(self.field);
                select.input name={ (name) ".field" } aria-label=(self.question_label) {
                    @for choice in self.questions {
                        option value=(choice.value) selected[choice.value == self.field] lang=[choice.lang] {
                            (choice.label)
                        }
                    }
                }
                select.input name={ (name) ".operator" } aria-label=(self.operator_label) {
                    @for choice in &self.operators {
                        option value=(choice.value) selected[choice.is_chosen] data-takes=(choice.takes) {
                            (choice.label)
                        }
                    }
                }
                @if self.is_typed {
                    @for at in 0..inputs {
                        input.input.condition-value type=(self.input) name={ (name) ".value" } autocomplete="off"
                            value=(self.values.get(at).map_or("", String::as_str))
                            aria-label={ (self.value_label) @if at > 0 { " " (at + 1) } } aria-describedby=[fault.as_ref()];
                    }
                }
                @if !self.choices.is_empty() {
                    div.condition-choices {
                        @for choice in &self.choices {
                            label.choice {
                                input type="checkbox" name={ (name) ".value" } value=(choice.value) checked[choice.is_chosen];
                                span.choice-label lang=[choice.lang] { (choice.label) }
                            }
                        }
                    }
                }
                @for (at, parts) in self.objects.iter().enumerate() {
                    @let (name, label) = (format!("{name}.value"), self.value_label);
                    (Parts { parts, name, id: None, label, at, fault: fault.as_ref() })
                }
                (self.remove.draw(self.remove_label, &self.label))
                @if let Some(id) = &fault { p.fault id=(id) { (self.fault) } }
            }
        }
    }
}

/// A condition that no controls show.
pub struct OtherCondition<'a> {
    /// The prefix of the name of its control.
    pub name: &'a str,
    /// As programs write it.
    pub text: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    pub remove: Removal,
    pub remove_label: &'a str,
}

impl Render for OtherCondition<'_> {
    fn render(&self) -> Markup {
        html! {
            div.condition {
                input type="hidden" name={ (self.name) ".other" } value=(self.text);
                code.small { (self.text) }
                (self.remove.draw(self.remove_label, &html! { (self.text) }))
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
            }
        }
    }
}
