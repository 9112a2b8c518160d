//! Lists of parts of a question: choices, statements, products, columns. Buttons change them over plain posts; a script
//! does it at once, with a template of a new part.

use maud::{Markup, Render, html};

use crate::fields::panel::REST;
use crate::web::pages::ui::build::panel::ACTION;

/// The named parts of a question.
pub struct Parts<'a> {
    /// The prefix of the names.
    pub name: &'a str,
    /// The suffix of the names of their lines.
    pub line: &'a str,
    pub label: &'a str,
    /// The faults of the list as a whole; empty if none.
    pub fault: String,
    pub rows: Vec<Part>,
    /// The parts after them that are not drawn.
    pub rest: Option<Rest>,
    /// A new part, for a script; a list without one is changed by the server alone.
    pub template: Option<Part>,
    pub words: &'a PartWords,
    /// Whether they are sorted and reversed by buttons.
    pub is_sorted: bool,
    /// Kinds of new parts: the values of their buttons, and their names. One button adds where there are none.
    pub kinds: Vec<(String, String)>,
    /// The parts as text, to edit them all at once.
    pub text: Option<String>,
    /// Ready lists: the values of their buttons, and their names.
    pub ready: Vec<(String, String)>,
}

/// Parts that are not drawn, so that a long list is no heavy page. The server keeps them as they are, by their codes.
pub struct Rest {
    /// Their codes, with spaces between them.
    pub codes: String,
    /// The note that tells of them.
    pub note: String,
    /// The page that draws all parts, and the words of the link to it.
    pub all: (String, String),
}

/// The words of the buttons.
pub struct PartWords {
    pub add: String,
    pub up: String,
    pub down: String,
    pub remove: String,
    pub more: String,
    pub sort: String,
    pub reverse: String,
    pub text: String,
    pub text_notes: String,
    pub apply: String,
    pub ready: String,
}

#[derive(Default)]
pub struct Part {
    /// Empty for a new one.
    pub code: String,
    /// The kind of a question within the question, by its name and in words; none if empty.
    pub kind: (String, String),
    pub label: String,
    /// The fault; empty if none.
    pub fault: String,
    /// The properties that are always shown below its line.
    pub first: Vec<Markup>,
    /// Its other properties.
    pub more: Vec<Markup>,
    /// Whether they are shown at once.
    pub is_open: bool,
}

/// A button of a list.
pub fn act(action: &str, label: &str) -> Markup {
    html! { button.button.quiet.small type="submit" name=(ACTION) value=(action) { (label) } }
}

impl Render for Parts<'_> {
    fn render(&self) -> Markup {
        let (name, words) = (self.name, self.words);
        html! {
            fieldset.parts id=(name) data-parts=(name) data-fixed[self.template.is_none()] {
                legend { (self.label) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                ol role="list" { @for (at, row) in self.rows.iter().enumerate() { (self.row(at, row)) } }
                @if let Some(Rest { codes, note, all: (address, words) }) = &self.rest {
                    input type="hidden" name={ (name) "." (REST) } value=(codes);
                    p.notes { (note) " " a href=(address) { (words) } }
                }
                @if let Some(template) = &self.template { template { (self.row(self.rows.len(), template)) } }
                @if self.kinds.is_empty() {
                    div.row {
                        // A new part is the last one: it is added where the last one is drawn.
                        @if self.rest.is_none() {
                            button.button.quiet.small type="submit" name=(ACTION) value={ (name) ".add" } data-add {
                                (words.add)
                            }
                        }
                        @if self.is_sorted && self.rows.len() > 1 {
                            (act(&format!("{name}.sort"), &words.sort))
                            (act(&format!("{name}.reverse"), &words.reverse))
                        }
                    }
                } @else {
                    details.panel-more open[self.rows.is_empty()] {
                        summary { (words.add) }
                        div.row.tight { @for (action, label) in &self.kinds { (act(action, label)) } }
                    }
                }
                @if let Some(text) = &self.text {
                    details.panel-more {
                        summary { (words.text) }
                        p.notes id={ (name) "-text-notes" } { (words.text_notes) }
                        textarea.input name={ "_text." (name) } rows="8" aria-label=(words.text)
                            aria-describedby={ (name) "-text-notes" } spellcheck="false" dir="auto" { "\n" (text) }
                        (act(&format!("{name}.text"), &words.apply))
                    }
                }
                @if !self.ready.is_empty() {
                    details.panel-more {
                        summary { (words.ready) }
                        div.row.tight { @for (action, label) in &self.ready { (act(action, label)) } }
                    }
                }
            }
        }
    }
}

impl Parts<'_> {
    fn row(&self, at: usize, part: &Part) -> Markup {
        let (words, prefix) = (self.words, format!("{}[{at}]", self.name));
        let line = format!("{prefix}.{}", self.line);
        let fault = (!part.fault.is_empty()).then(|| format!("{line}-fault"));
        let act = |verb: &str, label: &str, sign: &str| {
            html! {
                button.part-act type="submit" name=(ACTION) value={ (prefix) "." (verb) } title=(label)
                    aria-label={ (label) " " (part.label) } { (sign) }
            }
        };
        let (kind, kind_label) = &part.kind;
        html! {
            li.part {
                span.handle aria-hidden="true" {}
                input type="hidden" name={ (prefix) ".api_code" } value=(part.code);
                @if !kind.is_empty() { input type="hidden" name={ (prefix) ".type" } value=(kind); }
                input.input id=(line) name=(line) data-line type="text" value=(part.label) dir="auto"
                    autocomplete="off" aria-label={ (self.label) " " (at + 1) } aria-describedby=[&fault]
                    aria-invalid=[fault.is_some().then_some("true")];
                (act("up", &words.up, "↑")) (act("down", &words.down, "↓")) (act("remove", &words.remove, "×"))
                @if let Some(id) = &fault { p.fault id=(id) { (part.fault) } }
                @if !part.first.is_empty() { div.part-first { @for control in &part.first { (control) } } }
                @if !part.more.is_empty() {
                    details.part-more open[part.is_open] {
                        summary { @if kind.is_empty() { (words.more) } @else { (kind_label) } }
                        @for control in &part.more { (control) }
                    }
                }
            }
        }
    }
}

/// Properties of a part that are seldom needed.
pub fn folded(label: &str, properties: &[Markup]) -> Markup {
    html! {
        details.panel-more {
            summary { (label) }
            @for property in properties { (property) }
        }
    }
}

/// An object of properties.
pub struct Group<'a> {
    pub name: &'a str,
    pub label: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    pub properties: Vec<Markup>,
}

impl Render for Group<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.parts.group id=(self.name) {
                legend { (self.label) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                @for property in &self.properties { (property) }
            }
        }
    }
}

/// A small picture.
pub fn thumb(address: &str, alt: &str) -> Markup {
    html! { img.thumb src=(address) alt=(alt); }
}

/// Pictures by their addresses, and the way to the page that changes them.
pub struct Pictures<'a> {
    pub name: &'a str,
    pub label: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    /// The prefix of the names, the id and the address of each picture.
    pub pictures: Vec<(String, String, String)>,
    /// The page that changes them, and its words; empty for a part that is not saved yet.
    pub change: (&'a str, &'a str),
}

impl Render for Pictures<'_> {
    fn render(&self) -> Markup {
        let (address, words) = self.change;
        html! {
            div.field.pictures id=(self.name) tabindex="-1" {
                div.row.tight {
                    @for (name, id, address) in &self.pictures {
                        input type="hidden" name={ (name) ".id" } value=(id);
                        (thumb(address, ""))
                    }
                    @if !address.is_empty() { a href=(address) { (words) } }
                }
                @if !self.fault.is_empty() { p.fault id={ (self.name) "-fault" } { (self.fault) } }
            }
        }
    }
}
