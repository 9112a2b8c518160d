//! A search among the rules of a form.

use maud::{Markup, Render, html};

use crate::web::pages::ui::field::Choice;

pub struct RuleSearch<'a> {
    /// The page of the rules.
    pub action: &'a str,
    /// Name, label and text of the words.
    pub find: (&'static str, &'a str, &'a str),
    /// Name and label of the question, and those to choose from.
    pub question: (&'static str, &'a str, Vec<Choice<'a>>),
    /// The button's words.
    pub show: &'a str,
    /// How many were found; nothing if empty.
    pub found: &'a str,
    /// The words of the way back to all rules.
    pub all: Option<String>,
}

impl Render for RuleSearch<'_> {
    fn render(&self) -> Markup {
        let (words, label, text) = self.find;
        let (field, question, choices) = &self.question;
        html! {
            form.rule-search method="get" action=(self.action) role="search" {
                label.visually-hidden for="find-rule" { (label) }
                input.input #find-rule type="search" name=(words) value=(text) placeholder=(label) autocomplete="off"
                    dir="auto";
                label.visually-hidden for="find-question" { (question) }
                select.input #find-question name=(field) {
                    @for choice in choices {
                        option value=(choice.value) selected[choice.is_chosen] lang=[choice.lang] { (choice.label) }
                    }
                }
                button.button.quiet.small type="submit" { (self.show) }
            }
            @if !self.found.is_empty() {
                p.rule-found role="status" {
                    (self.found)
                    @if let Some(all) = &self.all { " " a href=(self.action) { (all) } }
                }
            }
        }
    }
}
