//! A question with its control, outside a form's own page.

use maud::{Markup, Render, html};

/// The frame of a control. It carries the question's code, and the ids of `described_by`.
#[derive(Default)]
pub struct Question<'a> {
    /// Such as `field_3`: name and id of the control.
    pub code: &'a str,
    /// The type of the question, such as `email`.
    pub type_name: &'a str,
    pub label: Markup,
    /// The language of the owner's words, if it is not the page's.
    pub lang: Option<&'a str>,
    /// Shown behind the label of an optional question.
    pub optional: Option<Optional>,
    /// A note that respondents don't see it; nothing if empty.
    pub aside: String,
    /// Help below the label; none if empty.
    pub notes: Markup,
    /// Says that the value stands masked; nothing if empty.
    pub masked: String,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub fault_lang: Option<&'a str>,
    /// The owner's words about the format.
    pub wanted: Option<String>,
    /// The limits of the definition, in words.
    pub limits: Option<String>,
    /// Several controls that answer one question.
    pub is_group: bool,
    /// True if rules hide it now.
    pub is_hidden: bool,
    /// True if it must be answered whatever rules say.
    pub is_always_required: bool,
    pub control: Markup,
}

/// The mark of an answer that may be left blank. Scripts show and hide one that depends on rules.
pub struct Optional {
    pub words: String,
    pub is_shown: bool,
    pub is_ruled: bool,
}

impl Question<'_> {
    /// The ids of the texts that describe the control.
    pub fn described_by(&self) -> String {
        let parts = [
            ("notes", !self.notes.0.is_empty()),
            ("masked", !self.masked.is_empty()),
            ("fault", !self.fault.is_empty()),
            ("limits", self.limits.is_some()),
            ("wanted", self.wanted.is_some()),
        ];
        let ids = parts.iter().filter(|(_, is_there)| *is_there).map(|(part, _)| format!("{}-{part}", self.code));
        ids.collect::<Vec<_>>().join(" ")
    }
}

impl Render for Question<'_> {
    fn render(&self) -> Markup {
        let code = self.code;
        let label = html! {
            bdi lang=[self.lang] { (self.label) }
            @if let Some(optional) = self.optional.as_ref().filter(|it| it.is_shown || it.is_ruled) {
                " " span.mark data-mark=[optional.is_ruled.then_some("optional")] hidden[!optional.is_shown] {
                    (optional.words)
                }
            }
            @if !self.aside.is_empty() { " " span.chip { (self.aside) } }
        };
        let around = html! {
            @if !self.notes.0.is_empty() {
                div.notes.rich id={ (code) "-notes" } lang=[self.lang] { (self.notes) }
            }
            @if !self.masked.is_empty() { p.notes id={ (code) "-masked" } { (self.masked) } }
            @if !self.fault.is_empty() {
                p.fault id={ (code) "-fault" } lang=[self.fault_lang] { (self.fault) }
            }
            @if let Some(wanted) = &self.wanted {
                p.limits id={ (code) "-wanted" } lang=[self.lang] { bdi { (wanted) } }
            }
            @if let Some(limits) = &self.limits { p.limits id={ (code) "-limits" } { (limits) } }
        };
        let described = self.described_by();
        html! {
            div.field.wrong[!self.fault.is_empty()] data-field=(code) data-type=(self.type_name) hidden[self.is_hidden]
                data-required[self.is_always_required] {
                @if self.is_group {
                    fieldset aria-describedby=[(!described.is_empty()).then_some(&described)] {
                        legend.label { (label) }
                        (around) (self.control)
                    }
                } @else {
                    label.label for=(code) { (label) }
                    (around) (self.control)
                }
            }
        }
    }
}

/// The owner's text between questions.
pub struct TextBlock<'a> {
    pub code: &'a str,
    pub label: &'a str,
    pub lang: Option<&'a str>,
    pub is_hidden: bool,
    pub content: Markup,
}

impl Render for TextBlock<'_> {
    fn render(&self) -> Markup {
        html! {
            div.field data-field=(self.code) hidden[self.is_hidden] {
                @if !self.label.is_empty() { h2.block-title lang=[self.lang] { bdi { (self.label) } } }
                (self.content)
            }
        }
    }
}
