//! The fields that visitors search by, in groups.

use maud::{Markup, Render, html};

use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::queries::editor::{ACT, act};

/// A value with its fault; no fault if empty.
#[derive(Default)]
pub struct Checked<T> {
    pub value: T,
    pub fault: String,
}

pub struct SearchField<'a> {
    /// The fields that may be searched by, with the chosen one.
    pub fields: Checked<Vec<Choice<'a>>>,
    /// Whether a part of the value is enough.
    pub fuzzy: Checked<bool>,
    /// The label for visitors in place of the question's.
    pub label: Checked<String>,
}

pub struct SearchGroup<'a> {
    /// Whether one of its fields is enough.
    pub is_any: bool,
    /// The fault of the group as a whole; empty if none.
    pub fault: String,
    pub fields: Vec<SearchField<'a>>,
}

pub struct SearchWords {
    pub group: String,
    pub operand: String,
    pub all: String,
    pub any: String,
    pub field: String,
    pub compared: String,
    pub exact: String,
    pub part: String,
    pub label: String,
    pub add_field: String,
    pub add_group: String,
    pub remove: String,
    pub remove_group: String,
    pub and: String,
}

pub struct SearchGroups<'a> {
    /// The prefix of the names, and the id.
    pub name: &'a str,
    /// The fault of the groups as a whole; empty if none.
    pub fault: String,
    pub groups: Vec<SearchGroup<'a>>,
    /// The group and the field that take the focus: they were just added.
    pub focus: Option<(usize, usize)>,
    pub words: &'a SearchWords,
}

impl Render for SearchGroups<'_> {
    fn render(&self) -> Markup {
        html! {
            div.query-groups id=(self.name) tabindex="-1" {
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                @for (at, group) in self.groups.iter().enumerate() {
                    @if at > 0 { p.query-and { (self.words.and) } }
                    (self.group(at, group))
                }
                (act("add-group", &self.words.add_group))
            }
        }
    }
}

impl SearchGroups<'_> {
    fn group(&self, at: usize, group: &SearchGroup) -> Markup {
        let (name, words) = (format!("{}[{at}]", self.name), self.words);
        let operand = format!("{name}.operand");
        let number = format!("{} {}", words.group, at + 1);
        html! {
            fieldset.query-group id={ (name) ".fields" } tabindex="-1" data-group {
                legend { (number) }
                @if !group.fault.is_empty() { p.fault { (group.fault) } }
                div.query-line {
                    label for=(operand) { (words.operand) }
                    select.input id=(operand) name=(operand) {
                        option value="and" selected[!group.is_any] { (words.all) }
                        option value="or" selected[group.is_any] { (words.any) }
                    }
                }
                ol.query-fields role="list" {
                    @for (place, field) in group.fields.iter().enumerate() {
                        (self.field(&format!("{name}.fields[{place}]"), (at, place), field))
                    }
                }
                div.row {
                    (act(&format!("add-field:{at}"), &words.add_field))
                    @if self.groups.len() > 1 {
                        button.button.quiet.small type="submit" name=(ACT) value={ "remove-group:" (at) } data-remove="[data-group]" {
                            (words.remove_group) span.visually-hidden { " " (at + 1) }
                        }
                    }
                }
            }
        }
    }

    fn field(&self, name: &str, (at, place): (usize, usize), field: &SearchField) -> Markup {
        let words = self.words;
        let ids = ["field", "fuzzy", "label"].map(|key| format!("{name}.{key}"));
        let [of_field, of_fuzzy, of_label] = &ids;
        let faults = [&field.fields.fault, &field.fuzzy.fault, &field.label.fault];
        let about = |at: usize| (!faults[at].is_empty()).then(|| format!("{}-fault", ids[at]));
        let invalid = |at: usize| (!faults[at].is_empty()).then_some("true");
        let said = |at: usize| html! { @if let Some(id) = about(at) { p.fault id=(id) { (faults[at]) } } };
        html! {
            li.query-field data-field {
                div.query-cell {
                    label for=(of_field) { (words.field) }
                    select.input id=(of_field) name=(of_field) autofocus[self.focus == Some((at, place))]
                        aria-describedby=[about(0)] aria-invalid=[invalid(0)] {
                        @for choice in &field.fields.value {
                            option value=(choice.value) selected[choice.is_chosen] lang=[choice.lang] { (choice.label) }
                        }
                    }
                    (said(0))
                }
                div.query-cell {
                    label for=(of_fuzzy) { (words.compared) }
                    select.input id=(of_fuzzy) name=(of_fuzzy) aria-describedby=[about(1)] aria-invalid=[invalid(1)] {
                        option value="false" selected[!field.fuzzy.value] { (words.exact) }
                        option value="true" selected[field.fuzzy.value] { (words.part) }
                    }
                    (said(1))
                }
                div.query-cell {
                    label for=(of_label) { (words.label) }
                    input.input id=(of_label) name=(of_label) type="text" value=(field.label.value) dir="auto"
                        autocomplete="off" aria-describedby=[about(2)] aria-invalid=[invalid(2)];
                    (said(2))
                }
                button.button.quiet.small type="submit" name=(ACT) value={ "remove-field:" (at) ":" (place) }
                    data-remove="[data-field]" {
                    (words.remove) span.visually-hidden { " " (at + 1) "." (place + 1) }
                }
            }
        }
    }
}
