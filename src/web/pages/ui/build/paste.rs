//! A list of questions that was pasted: the box for it, and the table of the questions that it will become.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kinds::by_name;
use crate::fields::paste::{self, Proposal};
use crate::web::pages::ui::field::{Field, described_by};
use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::table::{Column, Holds, Narrow, Table};

/// The box for a list.
pub struct PasteField<'a> {
    /// Name and id.
    pub name: &'a str,
    pub label: &'a str,
    /// Help below the label.
    pub notes: &'a str,
    /// The error message; none if empty.
    pub fault: &'a str,
    pub example: &'a str,
    pub value: &'a str,
}

impl Render for PasteField<'_> {
    fn render(&self) -> Markup {
        let id = self.name;
        let control = html! {
            // A parser drops the first line break.
            textarea.input id=(id) name=(id) rows="8" dir="auto" placeholder=(self.example)
                autofocus[!self.fault.is_empty()] aria-describedby=[described_by(id, self.notes, self.fault)]
                aria-invalid=[(!self.fault.is_empty()).then_some("true")] { "\n" (self.value) }
        };
        Field { id, label: self.label, notes: self.notes, fault: self.fault, is_group: false, control }.render()
    }
}

/// A form without a button: a script fills it with a list that was pasted outside of a box, and sends it.
pub struct PasteForm {
    pub action: String,
    pub csrf: String,
    /// The code of the question that the new ones follow.
    pub after: String,
}

impl Render for PasteForm {
    fn render(&self) -> Markup {
        html! {
            form #pasted method="post" action=(self.action) hidden {
                (csrf_field(&self.csrf))
                input type="hidden" name="from" value="list";
                input type="hidden" name="after" value=(self.after);
                textarea name="list" hidden {}
            }
        }
    }
}

/// A row of the table.
pub struct PasteRow {
    pub proposal: Proposal,
    /// Whether no question is made of it.
    pub is_left_out: bool,
    /// The error message; none if empty.
    pub fault: String,
}

impl From<Proposal> for PasteRow {
    fn from(proposal: Proposal) -> Self {
        Self { proposal, is_left_out: false, fault: String::new() }
    }
}

/// The rows of a table that was posted, as they were typed.
pub fn rows_of(pairs: &[(String, String)]) -> Vec<PasteRow> {
    let of = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let mut rows = Vec::new();
    while let Some(label) = of(&name(rows.len(), "label")) {
        let at = rows.len();
        let Some(kind) = of(&name(at, "type")).and_then(by_name) else { break };
        let choices = of(&name(at, "choices")).unwrap_or_default().lines().map(str::trim);
        rows.push(PasteRow {
            proposal: Proposal {
                label: label.trim().to_owned(),
                kind,
                is_required: of(&name(at, "required")).is_some(),
                choices: choices.filter(|choice| !choice.is_empty()).map(str::to_owned).collect(),
            },
            is_left_out: of(&name(at, "left_out")).is_some(),
            fault: String::new(),
        });
    }
    rows
}

/// The definitions of the questions that are made, each with the number of its row: of what a list can tell.
pub fn definitions(rows: &[PasteRow]) -> Vec<(usize, Json)> {
    let made = rows.iter().enumerate().filter(|(_, row)| !row.is_left_out);
    made.map(|(at, row)| (at, paste::to_definition(&row.proposal))).collect()
}

/// How many questions are made: page breaks and texts are none.
pub fn count(rows: &[PasteRow]) -> usize {
    rows.iter().filter(|row| !row.is_left_out && !row.proposal.kind.facets.label_optional).count()
}

fn name(at: usize, member: &str) -> String {
    format!("q[{at}].{member}")
}

/// The questions that a list will become, each row to be changed.
pub struct PasteTable<'a> {
    pub texts: &'a Texts,
    pub rows: &'a [PasteRow],
}

impl Render for PasteTable<'_> {
    fn render(&self) -> Markup {
        let headings = ["paste-question", "paste-kind", "paste-required", "paste-choices", "paste-leave-out"];
        let headings = headings.map(|id| self.texts.say(id));
        let columns = headings.iter().map(|heading| Column { heading, holds: Holds::Text, ..Column::default() });
        let rows = self.rows.iter().enumerate().map(|(at, row)| self.cells(at, row, &headings));
        let table = Table {
            caption: &self.texts.say("paste-table"),
            columns: columns.collect(),
            rows: rows.collect(),
            narrow: Narrow::Stack,
        };
        html! { div.paste-table { (table) } }
    }
}

impl PasteTable<'_> {
    fn cells(&self, at: usize, row: &PasteRow, headings: &[String; 5]) -> Vec<Markup> {
        let Proposal { label, kind, is_required, choices } = &row.proposal;
        let label_of = |heading: usize| {
            let question = self.texts.fill("paste-row", &[("number", (at + 1).into())]);
            self.texts.labelled(&question, &headings[heading])
        };
        let id = format!("q{at}");
        let fault = (!row.fault.is_empty()).then(|| format!("{id}-fault"));
        vec![
            html! {
                input.input.paste-label id=(id) name=(name(at, "label")) value=(label) aria-label=(label_of(0)) dir="auto"
                    autocomplete="off" aria-invalid=[fault.as_ref().map(|_| "true")] aria-describedby=[&fault];
                @if let Some(fault) = &fault { p.fault id=(fault) { (row.fault) } }
            },
            html! {
                select.input.paste-kind name=(name(at, "type")) aria-label=(label_of(1)) autocomplete="off" {
                    @for other in paste::kinds_for(&row.proposal) {
                        option value=(other.name) selected[other.name == kind.name] {
                            (self.texts.say(&format!("kind-{}", other.name)))
                        }
                    }
                }
            },
            // A page is never required.
            html! { @if !kind.facets.label_optional { (tick(&name(at, "required"), &label_of(2), *is_required)) } },
            html! {
                @if !choices.is_empty() {
                    textarea.input.paste-choices name=(name(at, "choices")) aria-label=(label_of(3)) dir="auto"
                        rows=(choices.len().min(4)) { "\n" (choices.join("\n")) }
                }
            },
            tick(&name(at, "left_out"), &label_of(4), row.is_left_out),
        ]
    }
}

fn tick(name: &str, label: &str, is_on: bool) -> Markup {
    html! { input.row-tick type="checkbox" name=(name) value="true" aria-label=(label) checked[is_on] autocomplete="off"; }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn table_is_read_back_as_it_was_typed() {
        let rows = rows_of(&pairs(&[
            ("q[0].label", " Track "),
            ("q[0].type", "radio"),
            ("q[0].required", "true"),
            ("q[0].choices", "A\r\n\r\n B / C "),
            ("q[1].label", "Phone"),
            ("q[1].type", "phone"),
            ("q[1].left_out", "true"),
            ("q[2].label", "Odd"),
            ("q[2].type", "riddle"),
        ]));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].proposal.choices, ["A", "B / C"]);
        let made = definitions(&rows);
        assert_eq!(made.len(), 1);
        assert_eq!((made[0].0, &made[0].1["label"], &made[0].1["required"]), (0, &"Track".into(), &true.into()));
    }
}
