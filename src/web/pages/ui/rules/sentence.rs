//! A rule as a sentence: when these conditions hold, then these questions are shown, hidden or asked for.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::rules::value::{Pick, ValueControls};
use crate::web::pages::ui::words::aside;

/// The name of the buttons that add and remove parts of a rule.
pub const ACTION: &str = "_action";

/// The rules of a form, in their order. A script swaps it for the answer of a post.
pub struct Sentences {
    pub content: Markup,
    /// Whether a script saves the changes.
    pub saves: bool,
}

impl Render for Sentences {
    fn render(&self) -> Markup {
        html! { div.sentences #sentences data-saves[self.saves] { (self.content) } }
    }
}

pub struct Sentence<'a> {
    pub id: &'a str,
    /// *Rule 3*.
    pub title: &'a str,
    /// The whole sentence in words.
    pub text: &'a str,
    /// The title before the text, for who does not see the page.
    pub label: &'a str,
    /// The controls; none for users who can only read.
    pub controls: Option<SentenceForm>,
    /// Notes on the rule: how often it holds, and its faults.
    pub notes: Vec<(Tone, Markup)>,
}

impl Render for Sentence<'_> {
    fn render(&self) -> Markup {
        html! {
            section.sentence id=(self.id) aria-label=(self.label)
                tabindex=(if self.controls.is_some() { "0" } else { "-1" }) {
                h2.sentence-title { (self.title) }
                @match &self.controls {
                    Some(form) => (form),
                    None => p { (self.text) },
                }
                @for (tone, note) in &self.notes {
                    p class={ "sentence-note" @if let Some(class) = tone.class() { " " (class) } } { (note) }
                }
            }
        }
    }
}

/// A word of the sentence that is chosen.
pub struct Word {
    pub name: String,
    pub id: String,
    pub label: String,
    pub choices: Vec<Pick>,
}

impl Render for Word {
    fn render(&self) -> Markup {
        html! {
            select.input id=(self.id) name=(self.name) aria-label=(self.label) {
                @for choice in &self.choices {
                    option value=(choice.value) selected[choice.is_chosen] { (choice.label) }
                }
            }
        }
    }
}

/// A question among those that a condition may look at.
pub struct QuestionOption {
    pub code: String,
    pub label: String,
    pub is_chosen: bool,
    /// Whether it stands too late for the rule.
    pub is_late: bool,
}

/// The question of a condition and its comparison.
pub enum Condition {
    Open {
        questions: Vec<QuestionOption>,
        question_label: String,
        /// The question that the other controls belong to.
        was: String,
        operator: Option<Word>,
        value: Option<Box<ValueControls>>,
    },
    /// One that no controls show: its words, and its JSON.
    Kept { words: String, json: String },
}

pub struct ConditionLine {
    /// `condition.items[0]`.
    pub name: String,
    /// The word before it: *and*, *or*.
    pub joined: String,
    pub condition: Condition,
    pub fault: String,
    pub remove: String,
    /// Buttons that put it right: address, name of the question, and words.
    pub ways: Vec<(String, String, String)>,
}

pub struct SentenceForm {
    pub id: String,
    pub action: String,
    pub csrf: String,
    pub when: String,
    pub operand: Word,
    pub conditions: Vec<ConditionLine>,
    pub add_condition: String,
    /// Questions that stand too late to be looked at, with buttons that move them: address, code and words.
    pub later: (String, Vec<(String, String, String)>),
    pub then: String,
    pub act: Word,
    /// Code, label, and the words of the button that takes it out.
    pub targets: Vec<(String, String, String)>,
    pub target_fault: String,
    pub add_target: Word,
    pub save: String,
    /// Actions on the rule as a whole: name for keys, address and words.
    pub acts: Vec<(&'static str, String, String)>,
}

impl Render for SentenceForm {
    fn render(&self) -> Markup {
        let part = |value: String, label: &str, sign: &str| {
            html! {
                button.part-act type="submit" name=(ACTION) value=(value) title=(label) aria-label=(label) { (sign) }
            }
        };
        html! {
            form.sentence-form method="post" action=(self.action) novalidate {
                (csrf_field(&self.csrf))
                // Enter in a line saves, whatever button comes first.
                button type="submit" hidden {}
                div.sentence-line { span.sentence-word { (self.when) } (self.operand) }
                @for (at, line) in self.conditions.iter().enumerate() {
                    @let fault = (!line.fault.is_empty()).then(|| format!("{}-{}-fault", self.id, at));
                    div.sentence-condition.wrong[fault.is_some()] {
                        div.sentence-line {
                            @if !line.joined.is_empty() { span.sentence-word { (line.joined) } }
                            (line.draw(&self.id))
                            (part(format!("{}.remove", line.name), &line.remove, "×"))
                        }
                        @if let Some(id) = &fault { p.fault id=(id) { (line.fault) } }
                        @if !line.ways.is_empty() {
                            div.row {
                                @for (address, code, words) in &line.ways {
                                    (move_button(address, code, words))
                                }
                            }
                        }
                    }
                }
                div.sentence-line {
                    button.button.quiet.small type="submit" name=(ACTION) value="condition.items.add" {
                        (self.add_condition)
                    }
                }
                @if !self.later.1.is_empty() {
                    details.panel-more {
                        summary { (self.later.0) }
                        div.row {
                            @for (address, code, words) in &self.later.1 {
                                (move_button(address, code, words))
                            }
                        }
                    }
                }
                div.sentence-line {
                    span.sentence-word { (self.then) }
                    (self.act)
                    @for (at, (code, label, remove)) in self.targets.iter().enumerate() {
                        span.target {
                            input type="hidden" name="fields" value=(code);
                            bdi { (label) }
                            (part(format!("fields[{at}].remove"), remove, "×"))
                        }
                    }
                    (self.add_target)
                }
                @if !self.target_fault.is_empty() { p.fault { (self.target_fault) } }
                div.row.sentence-acts {
                    button.button.quiet.small.sentence-save type="submit" { (self.save) }
                    @for (act, address, label) in &self.acts {
                        button.button.quiet.small type="submit" formaction=(address) data-act=(act) {
                            (label) (aside(&html! { (self.id) }))
                        }
                    }
                }
            }
        }
    }
}

/// Moves a question before the targets of the rule.
fn move_button(address: &str, code: &str, words: &str) -> Markup {
    html! {
        button.button.quiet.small type="submit" formaction=(address) name="before" value=(code) { (words) }
    }
}

impl ConditionLine {
    fn draw(&self, rule: &str) -> Markup {
        let name = &self.name;
        html! {
            @match &self.condition {
                Condition::Open { questions, question_label, was, operator, value } => {
                    input type="hidden" name={ (name) ".was" } value=(was);
                    select.input id={ (rule) "." (name) ".field" } name={ (name) ".field" }
                        aria-label=(question_label) {
                        @for question in questions {
                            option value=(question.code) selected[question.is_chosen]
                                disabled[question.is_late && !question.is_chosen] { (question.label) }
                        }
                    }
                    @if let Some(operator) = operator { (operator) }
                    @if let Some(value) = value { (value) }
                }
                Condition::Kept { words, json } => {
                    input type="hidden" name={ (name) ".kept" } value=(json);
                    span.sentence-kept { (words) }
                }
            }
        }
    }
}
