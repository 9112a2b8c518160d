//! Fields: a control with its label, its help and its fault.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;

/// The frame of a control. The control carries the field's id, and `described_by` of it.
pub struct Field<'a> {
    pub id: &'a str,
    pub label: &'a str,
    /// Help below the label; none if empty.
    pub notes: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    /// Several controls that answer one question.
    pub is_group: bool,
    pub control: Markup,
}

/// The ids of a field's help and error message.
pub fn described_by(id: &str, notes: &str, fault: &str) -> Option<String> {
    let parts = [("notes", notes), ("fault", fault)].into_iter().filter(|(_, text)| !text.is_empty());
    let ids: Vec<String> = parts.map(|(part, _)| format!("{id}-{part}")).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

impl Render for Field<'_> {
    fn render(&self) -> Markup {
        let id = self.id;
        let below = html! {
            @if !self.notes.is_empty() { p.notes id={ (id) "-notes" } { (self.notes) } }
            @if !self.fault.is_empty() { p.fault id={ (id) "-fault" } { (self.fault) } }
            (self.control)
        };
        html! {
            div class=(if self.fault.is_empty() { "field" } else { "field wrong" }) {
                @if self.is_group {
                    fieldset id=(id) tabindex="-1" aria-describedby=[described_by(id, self.notes, self.fault)] {
                        legend { (self.label) }
                        (below)
                    }
                } @else {
                    label for=(id) { (self.label) }
                    (below)
                }
            }
        }
    }
}

/// A one-line input with label, help and fault.
#[derive(Clone, Copy, Default)]
pub struct LineField<'a> {
    pub name: &'a str,
    /// The name if empty.
    pub id: &'a str,
    pub label: &'a str,
    /// The `type`; `text` if empty.
    pub kind: &'a str,
    pub value: &'a str,
    /// Help below the label.
    pub notes: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub autocomplete: &'a str,
    pub required: bool,
    /// The id of a datalist; none if empty.
    pub list: &'a str,
    /// Focus it when the page loads, even without a fault.
    pub focus: bool,
    /// Let a script fill in the browser's time zone.
    pub own_timezone: bool,
    /// Adds a button that shows the password, with these texts.
    pub reveal: Option<&'a Texts>,
}

/// Renders the input. The first input with a fault gets the focus when the page loads.
pub fn line_field(field: &LineField) -> Markup {
    let given = |text: &'_ str| (!text.is_empty()).then(|| text.to_owned());
    let id = if field.id.is_empty() { field.name } else { field.id };
    let input = html! {
        input.input id=(id) name=(field.name) value=(field.value)
            type=(if field.kind.is_empty() { "text" } else { field.kind })
            required[field.required] autofocus[field.focus || !field.fault.is_empty()]
            aria-describedby=[described_by(id, field.notes, field.fault)]
            aria-invalid=[(!field.fault.is_empty()).then_some("true")]
            list=[given(field.list)] autocomplete=[given(field.autocomplete)]
            data-own-timezone[field.own_timezone];
    };
    let control = match field.reveal {
        Some(texts) => html! { div.revealing { (input) (reveal_button(texts, id)) } },
        None => input,
    };
    Field { id, label: field.label, notes: field.notes, fault: field.fault, is_group: false, control }.render()
}

/// A button that shows and hides a typed password; only with scripts.
fn reveal_button(texts: &Texts, name: &str) -> Markup {
    let say = |id: &str| texts.say(id);
    html! {
        button.button.quiet.small.scripted type="button" data-reveal=(name) aria-controls=(name)
            data-hide=(say("password-hide")) data-shown=(say("password-shown"))
            data-hidden=(say("password-hidden")) {
            span { (say("password-show")) }
            span.visually-hidden { " " (say("password-what")) }
        }
    }
}

/// Values that inputs with this list suggest.
pub fn datalist(id: &str, values: &[&str]) -> Markup {
    html! {
        datalist id=(id) {
            @for value in values { option value=(value) {} }
        }
    }
}

/// A file to choose.
#[derive(Default)]
pub struct FileField<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// Help below the label.
    pub notes: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    /// The content types that the browser offers.
    pub accept: &'a str,
}

impl Render for FileField<'_> {
    fn render(&self) -> Markup {
        let id = self.name;
        let control = html! {
            input.input id=(id) name=(id) type="file" accept=(self.accept) autofocus[!self.fault.is_empty()]
                aria-describedby=[described_by(id, self.notes, self.fault)]
                aria-invalid=[(!self.fault.is_empty()).then_some("true")];
        };
        Field { id, label: self.label, notes: self.notes, fault: self.fault, is_group: false, control }.render()
    }
}

/// One of the options of a `SelectField` or a `TickField`.
pub struct Choice<'a> {
    pub value: &'a str,
    pub label: Markup,
    pub is_chosen: bool,
    /// The language of the label, if it is not the page's.
    pub lang: Option<&'a str>,
}

impl<'a> Choice<'a> {
    pub fn new(value: &'a str, label: impl Render, is_chosen: bool) -> Self {
        Self { value, label: label.render(), is_chosen, lang: None }
    }
}

/// A choice of one of a list that opens.
#[derive(Default)]
pub struct SelectField<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub label: &'a str,
    pub choices: Vec<Choice<'a>>,
    /// For a select in a row of a list: whose it is. Its label is for screen readers only then.
    pub about: Markup,
}

impl Render for SelectField<'_> {
    fn render(&self) -> Markup {
        let id = self.id;
        let control = html! {
            select.input id=(id) name=(self.name) {
                @for choice in &self.choices {
                    option value=(choice.value) selected[choice.is_chosen] lang=[choice.lang] { (choice.label) }
                }
            }
        };
        if self.about.0.is_empty() {
            return Field { id, label: self.label, notes: "", fault: "", is_group: false, control }.render();
        }
        html! { label.visually-hidden for=(id) { (self.label) " " (self.about) } (control) }
    }
}

/// A choice of several.
pub struct TickField<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    pub fault: &'a str,
    pub choices: Vec<Choice<'a>>,
}

impl Render for TickField<'_> {
    fn render(&self) -> Markup {
        let control = html! {
            div.choices {
                @for choice in &self.choices {
                    label.choice {
                        input type="checkbox" name=(self.name) value=(choice.value) checked[choice.is_chosen];
                        span.choice-label { (choice.label) }
                    }
                }
            }
        };
        Field { id: self.name, label: self.label, notes: "", fault: self.fault, is_group: true, control }.render()
    }
}
