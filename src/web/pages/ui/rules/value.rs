//! The value of a condition: lines, choices, or the parts of an address.

use maud::{Markup, Render, html};

/// An option.
pub struct Pick {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// A named part of an object.
#[derive(Default)]
pub struct Part {
    pub name: &'static str,
    pub label: String,
    pub text: String,
}

/// The controls of an object's parts.
pub struct Parts<'a> {
    pub parts: &'a [Part],
    /// The prefix of the names of its controls.
    pub name: String,
    /// The prefix of their ids.
    pub id: Option<String>,
    pub label: &'a str,
    /// The object's place among several.
    pub at: usize,
    /// The id of its fault, if it has one.
    pub fault: Option<&'a String>,
}

impl Render for Parts<'_> {
    fn render(&self) -> Markup {
        let (at, fault) = (self.at, self.fault);
        html! {
            div.condition-parts role="group" aria-label={ (self.label) @if at > 0 { " " (at + 1) } } {
                @for Part { name, label, text } in self.parts {
                    label {
                        span { (label) }
                        input.input id=[self.id.as_ref().map(|id| format!("{id}[{at}].{name}"))]
                            name={ (self.name) "[" (at) "]." (name) } value=(text) autocomplete="off" dir="auto"
                            aria-describedby=[fault] aria-invalid=[fault.map(|_| "true")];
                    }
                }
            }
        }
    }
}

/// The controls of a value; all are sent under one name.
#[derive(Default)]
pub struct ValueControls {
    pub name: String,
    /// The prefix of the ids of its controls.
    pub id: String,
    pub label: String,
    /// One of them is chosen.
    pub one: Vec<Pick>,
    /// Several of them are ticked.
    pub several: Vec<Pick>,
    /// The `type` of lines, and their texts.
    pub lines: (&'static str, Vec<String>),
    pub objects: Vec<Vec<Part>>,
    /// The id of its fault, if it has one.
    pub fault: Option<String>,
}

impl Render for ValueControls {
    fn render(&self) -> Markup {
        let (name, id, label, fault) = (&self.name, &self.id, &self.label, self.fault.as_ref());
        let invalid = fault.map(|_| "true");
        html! {
            @if !self.one.is_empty() {
                select.input id=(id) name=(name) aria-label=(label) aria-describedby=[fault] aria-invalid=[invalid] {
                    option value="" { "–" }
                    @for choice in &self.one {
                        option value=(choice.value) selected[choice.is_chosen] { (choice.label) }
                    }
                }
            }
            @if !self.several.is_empty() {
                div.condition-choices role="group" aria-label=(label) aria-describedby=[fault] {
                    @for (at, choice) in self.several.iter().enumerate() {
                        label.choice {
                            input type="checkbox" id={ (id) "-" (at) } name=(name) value=(choice.value)
                                checked[choice.is_chosen];
                            span.choice-label { (choice.label) }
                        }
                    }
                }
            }
            @for (at, text) in self.lines.1.iter().enumerate() {
                input.input type=(self.lines.0) id={ (id) "." (at) } name=(name) value=(text) autocomplete="off"
                    dir="auto"
                    aria-label={ (label) @if at > 0 { " " (at + 1) } } aria-describedby=[fault] aria-invalid=[invalid];
            }
            @for (at, parts) in self.objects.iter().enumerate() {
                (Parts { parts, name: name.clone(), id: Some(id.clone()), label, at, fault })
            }
        }
    }
}
