//! A control of a setting, with its effect in a sentence, its fault, and the value that somebody else set meanwhile.

use maud::{Markup, Render, html};

use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::rich_text::RichText;

/// The input of a value.
pub enum Input<'a> {
    /// On or off.
    Tick { is_on: bool },
    /// One line. `mode` is its `inputmode`, `list` the id of a datalist; none if empty.
    Line { value: &'a str, mode: &'static str, list: &'static str },
    /// One line of a secret of the form, which shows while it has the focus. It is nobody's own password: browsers
    /// have no account to keep it for.
    Secret { value: &'a str },
    /// A day; text that is none shows as it was typed.
    Day { value: &'a str },
    /// A day and a time on the form's clock.
    Moment { value: &'a str },
    /// Several lines.
    Lines { value: &'a str },
    /// Lines of which some belong to others above them.
    Outline { value: &'a str },
    /// A text with emphasis, links and lists.
    Rich(RichText<'a>),
    /// One of a list.
    Select { choices: Vec<Choice<'a>> },
    /// Several of a list.
    Ticks { choices: Vec<Choice<'a>> },
}

pub struct Control<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// The effect; none if empty.
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    /// The value that somebody else set meanwhile; nothing if empty.
    pub news: &'a str,
    pub input: Input<'a>,
}

impl Control<'_> {
    fn described_by(&self) -> Option<String> {
        let parts = [("notes", self.notes), ("fault", self.fault), ("news", self.news)];
        let ids: Vec<String> = parts
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(part, _)| format!("{}-{part}", self.name))
            .collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// The texts between the label and the control.
    fn about(&self) -> Markup {
        let id = self.name;
        html! {
            @if !self.notes.is_empty() { p.notes id={ (id) "-notes" } { (self.notes) } }
            @if !self.fault.is_empty() { p.fault id={ (id) "-fault" } { (self.fault) } }
            @if !self.news.is_empty() { p.news id={ (id) "-news" } { (self.news) } }
        }
    }
}

impl Render for Control<'_> {
    fn render(&self) -> Markup {
        let id = self.name;
        let described = self.described_by();
        let invalid = (!self.fault.is_empty()).then_some("true");
        let given = |text: &'static str| (!text.is_empty()).then_some(text);
        let control = match &self.input {
            Input::Tick { is_on } => {
                return html! {
                    div class=(class(self)) {
                        label.tick {
                            input id=(id) name=(id) type="checkbox" value="true" checked[*is_on]
                                aria-describedby=[&described] aria-invalid=[invalid];
                            span { (self.label) }
                        }
                        div.tick-about { (self.about()) }
                    }
                };
            }
            Input::Ticks { choices } => {
                return html! {
                    div class=(class(self)) {
                        fieldset id=(id) tabindex="-1" aria-describedby=[&described] {
                            legend { (self.label) }
                            (self.about())
                            @for choice in choices {
                                label.tick {
                                    input name=(id) type="checkbox" value=(choice.value) checked[choice.is_chosen];
                                    span lang=[choice.lang] { (choice.label) }
                                }
                            }
                        }
                    }
                };
            }
            Input::Line { value, mode, list } => html! {
                input.input id=(id) name=(id) type="text" value=(value) inputmode=[given(mode)] list=[given(list)]
                    dir=[mode.is_empty().then_some("auto")] autocomplete="off" aria-describedby=[&described]
                    aria-invalid=[invalid];
            },
            Input::Secret { value } => html! {
                input.input.secret id=(id) name=(id) type="text" value=(value) autocomplete="off" spellcheck="false"
                    dir="auto" aria-describedby=[&described] aria-invalid=[invalid];
            },
            Input::Day { value } => html! {
                input.input id=(id) name=(id) type=(if value.is_empty() || is_day(value) { "date" } else { "text" })
                    value=(value) autocomplete="off" aria-describedby=[&described] aria-invalid=[invalid];
            },
            Input::Moment { value } => html! {
                input.input id=(id) name=(id) type="datetime-local" value=(value) step=[has_seconds(value)]
                    aria-describedby=[&described] aria-invalid=[invalid];
            },
            // A parser drops the first line break.
            Input::Lines { value } => html! {
                textarea.input id=(id) name=(id) rows="3" dir="auto" aria-describedby=[&described]
                    aria-invalid=[invalid] { "\n" (value) }
            },
            Input::Outline { value } => html! {
                textarea.input.code-text id=(id) name=(id) rows="10" dir="auto" spellcheck="false"
                    aria-describedby=[&described] aria-invalid=[invalid] { "\n" (value) }
            },
            Input::Rich(rich) => rich.draw(id, described.as_deref(), invalid),
            Input::Select { choices } => html! {
                select.input id=(id) name=(id) aria-describedby=[&described] aria-invalid=[invalid] {
                    @for choice in choices {
                        option value=(choice.value) selected[choice.is_chosen] lang=[choice.lang] { (choice.label) }
                    }
                }
            },
        };
        html! {
            div class=(class(self)) {
                label for=(id) { (self.label) }
                (self.about())
                (control)
            }
        }
    }
}

fn class(control: &Control) -> &'static str {
    match (control.fault.is_empty(), control.news.is_empty()) {
        (false, _) => "field wrong",
        (true, false) => "field changed",
        (true, true) => "field",
    }
}

/// Whether a browser shows this as a day.
fn is_day(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(is_number)
}

/// The `step` of a moment that minutes do not tell.
fn has_seconds(value: &str) -> Option<&'static str> {
    (value.len() > "2026-05-01T12:00".len()).then_some("any")
}
