//! The fields that visitors see of an entry: to tick and to put in order, each with how it is shown.

use maud::{Markup, Render, html};

use crate::web::pages::ui::look::colours::ColourField;
use crate::web::pages::ui::queries::editor::ACT;
use crate::web::pages::ui::queries::search::Checked;
use crate::web::pages::ui::words::aside;

#[derive(Default)]
pub struct ShownField<'a> {
    pub code: String,
    pub label: Markup,
    pub is_shown: Checked<bool>,
    /// The label for visitors in place of the question's.
    pub own_label: Checked<String>,
    /// Whether the value is masked; nothing where it can't be.
    pub masked: Option<Checked<bool>>,
    /// Whether visitors may change the value; nothing where they can't.
    pub editable: Option<Checked<bool>>,
    pub color: Checked<String>,
    pub position: Checked<String>,
    /// How it is shown, in a few words.
    pub state: String,
    /// Its settings stand open.
    pub is_open: bool,
    /// The button that takes the focus: `up` or `down`, after it was pressed.
    pub focus: &'a str,
}

pub struct ShownWords {
    pub shown: String,
    pub up: String,
    pub down: String,
    pub more: String,
    pub label: String,
    pub masked: String,
    pub editable: String,
    pub color: String,
    pub pick: String,
    pub no_color: String,
    pub position: String,
    pub position_notes: String,
}

pub struct ShownFields<'a> {
    /// The prefix of the names, and the id.
    pub name: &'a str,
    /// The fault of the list as a whole; empty if none.
    pub fault: String,
    pub fields: Vec<ShownField<'a>>,
    pub words: &'a ShownWords,
}

impl Render for ShownFields<'_> {
    fn render(&self) -> Markup {
        let count = self.fields.iter().filter(|field| field.is_shown.value).count();
        html! {
            fieldset.shown-fields id=(self.name) tabindex="-1" {
                legend.visually-hidden { (self.words.shown) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                ol role="list" {
                    @for (at, field) in self.fields.iter().enumerate() { (self.row(at, count, field)) }
                }
            }
        }
    }
}

impl ShownFields<'_> {
    fn row(&self, at: usize, count: usize, field: &ShownField) -> Markup {
        let name = format!("{}[{at}]", self.name);
        let fault = &field.is_shown.fault;
        let id = format!("{name}.field");
        let about = (!fault.is_empty()).then(|| format!("{id}-fault"));
        html! {
            li.shown-field data-shown {
                input type="hidden" name={ (name) ".field" } value=(field.code);
                div.shown-line {
                    label.column-tick {
                        input id=(id) type="checkbox" name={ (name) ".shown" } value="true" checked[field.is_shown.value]
                            aria-describedby=[&about];
                        span { (field.label) }
                    }
                    div.shown-moves {
                        (self.button("up", "↑", &self.words.up, at, at == 0 || at >= count, field))
                        (self.button("down", "↓", &self.words.down, at, at + 1 >= count, field))
                    }
                }
                @if let Some(about) = &about { p.fault id=(about) { (fault) } }
                details.shown-more open[field.is_open] {
                    summary {
                        span { (self.words.more) (aside(&field.label)) }
                        @if !field.state.is_empty() { span.muted.small { (field.state) } }
                    }
                    div.shown-settings { (self.settings(&name, field)) }
                }
            }
        }
    }

    fn button(&self, way: &str, sign: &str, words: &str, at: usize, is_end: bool, field: &ShownField) -> Markup {
        html! {
            button.button.quiet.small type="submit" name=(ACT) value={ (way) ":" (at) } data-move=(way)
                disabled[is_end] autofocus[field.focus == way && !is_end] {
                span aria-hidden="true" { (sign) }
                span.visually-hidden { (words) }
                (aside(&field.label))
            }
        }
    }

    fn settings(&self, name: &str, field: &ShownField) -> Markup {
        let words = self.words;
        let tick = |key: &str, label: &str, checked: &Option<Checked<bool>>| {
            let id = format!("{name}.{key}");
            html! {
                @if let Some(checked) = checked {
                    @let about = (!checked.fault.is_empty()).then(|| format!("{id}-fault"));
                    div.field.wrong[about.is_some()] {
                        label.tick {
                            input id=(id) name=(id) type="checkbox" value="true" checked[checked.value]
                                aria-describedby=[&about] aria-invalid=[about.is_some().then_some("true")];
                            span { (label) }
                        }
                        @if let Some(id) = &about { p.fault id=(id) { (checked.fault) } }
                    }
                }
            }
        };
        let line = |key: &str, label: &str, notes: &str, checked: &Checked<String>, mode: Option<&str>| {
            let id = format!("{name}.{key}");
            let ids = [("notes", notes.is_empty()), ("fault", checked.fault.is_empty())];
            let about = ids.iter().filter(|(_, is_empty)| !is_empty).map(|(part, _)| format!("{id}-{part}"));
            let about = about.collect::<Vec<_>>().join(" ");
            html! {
                div.field.wrong[!checked.fault.is_empty()] {
                    label for=(id) { (label) }
                    @if !notes.is_empty() { p.notes id={ (id) "-notes" } { (notes) } }
                    @if !checked.fault.is_empty() { p.fault id={ (id) "-fault" } { (checked.fault) } }
                    input.input id=(id) name=(id) type="text" value=(checked.value) dir=[mode.is_none().then_some("auto")]
                        inputmode=[mode] autocomplete="off" aria-describedby=[(!about.is_empty()).then_some(about)]
                        aria-invalid=[(!checked.fault.is_empty()).then_some("true")];
                }
            }
        };
        html! {
            (line("label", &words.label, "", &field.own_label, None))
            (tick("protected", &words.masked, &field.masked))
            (tick("editable", &words.editable, &field.editable))
            (ColourField {
                name: &format!("{name}.highlight.color"),
                label: &words.color,
                pick: &words.pick,
                value: &field.color.value,
                empty: Some(("#FFFFFF", &words.no_color)),
                falls_to: None,
                fault: &field.color.fault,
                contrast: None,
            })
            (line("highlight.position", &words.position, &words.position_notes, &field.position, Some("numeric")))
        }
    }
}
