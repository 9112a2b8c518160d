//! `likert`: statements answered by one or several of the same choices.

use std::collections::HashSet;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::choices::{self, Beside, Choice, one};
use crate::fields::columns::{self, Cell, Column};
use crate::fields::definition::items::MAX_CHOICES;
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::grid::{self, Named, draw};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, AsJson as _, Ask, BuildCx, Capacity, Control, Counters, Cx, Facets, Grading, InputCx, Item, Kind,
    KindRow, Limit, Parts, Sample, ScoreRange, Scores, Sheet, Take, UsedOf,
};
use crate::fields::report::grids;
use crate::fields::values::formula::Number;
use crate::fields::{grading, inputs};

pub static KIND: KindRow = KindRow {
    name: "likert",
    facets: Facets {
        displayable: true,
        asked_by: &["=likert", "=matrix choice", "=choice grid", "=矩阵单选", "=矩阵选择"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Speed"}, {"api_code": "t", "label": "Taste"}],
                "choices": [{"api_code": "a", "label": "Good"}, {"api_code": "b", "label": "Bad"}]}"#,
            write: r#"{"t": ["b"], "s": ["a", "a"], "gone": ["x"]}"#,
            stored: r#"{"s": ["a"], "t": ["b"]}"#,
            text: "Speed: Good; Taste: Bad",
        },
        Sample {
            definition: r#"{"statements": [{"api_code": "s", "label": "Monday"}, {"api_code": "t", "label": "Tuesday"}],
                "choices": [{"api_code": "a", "label": "Morning"}, {"api_code": "b", "label": "Evening"}], "multiple": true}"#,
            write: r#"{"s": ["b", "a"], "t": []}"#,
            stored: r#"{"s": ["b", "a"]}"#,
            text: "Monday: Evening, Morning",
        },
    ],
};

#[derive(Serialize)]
struct Likert {
    statements: Vec<Named>,
    choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiple: Option<bool>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let mut seen = HashSet::new();
    let statements = grid::read_statements(reader, cx, &mut seen);
    // The code generated for a choice must not equal a statement's.
    let known: Vec<String> = cx.known.iter().chain(&seen).cloned().collect();
    let cx = &BuildCx { known: &known, ..*cx };
    // A cell has room for a button, but not for a text input.
    let choices = choices::read_with(reader, cx, Beside::Nothing);
    for (i, item) in choices::items(&choices).iter().enumerate() {
        if seen.contains(item.code) {
            grid::fault_in(reader, "choices", i, "api_code", Reason::Repeated);
        }
    }
    grid::check_size(reader, "choices", statements.len(), choices.len());
    Box::new(Likert { statements, choices, multiple: reader.opt_bool("multiple") })
}

/// The codes in a statement's stored value.
fn codes(stored: &Json) -> impl Iterator<Item = &str> {
    stored.as_array().into_iter().flatten().filter_map(Json::as_str)
}

impl Likert {
    fn is_multiple(&self) -> bool {
        self.multiple == Some(true)
    }

    fn answers_schema(&self) -> Json {
        let items = choices::items(&self.choices);
        let codes: Vec<&str> = items.iter().map(|item| item.code).collect();
        json!({"type": "array", "items": {"type": "string", "enum": codes}})
    }

    /// The codes of one statement, in stored form.
    fn parse_codes(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(items) = raw else {
            at.push(Reason::MustBe(Expected::Choices));
            return Json::Null;
        };
        if items.len() > MAX_CHOICES {
            at.push(Reason::too_many(MAX_CHOICES, Things::Choices));
            return Json::Null;
        }
        let mut stored: Vec<Json> = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            at.index(i, |at| {
                if !item.is_string() {
                    at.push(Reason::MustBe(Expected::Other("a choice's api_code")));
                    return;
                }
                let selection = one::parse(&self.choices, item, cx, at);
                let code = json!(code_of(&selection));
                // Only the first of duplicates counts.
                if !selection.is_null() && !stored.contains(&code) {
                    stored.push(code);
                }
            });
        }
        if stored.len() > 1 && !self.is_multiple() {
            at.push(Reason::too_many(1, Things::Choices));
        }
        Json::Array(stored)
    }

    /// The row of a statement: a labelled button or box for each choice.
    fn cells(&self, statement: &Named, cx: &InputCx) -> Markup {
        let path = format!(".{}", statement.api_code);
        let name = format!("{}{path}", cx.name);
        let fault = cx.fault_at(&path);
        let described = draw::described(cx, &path, fault);
        let typed = &cx.value[statement.api_code.as_str()];
        html! {
            @for choice in choices::shown_items(&self.choices) {
                @let id = format!("{name}.{}", choice.code);
                @let is_chosen = codes(typed).any(|code| code == choice.code);
                @let left = choices::left(&self.choices, choice.code, cx);
                td {
                    label.grid-choice for=(id) {
                        input type=(if self.is_multiple() { "checkbox" } else { "radio" })
                            id=(id) name=(name) value=(choice.code)
                            checked[is_chosen] disabled[inputs::is_shut(left, is_chosen)]
                            required[cx.required && !self.is_multiple()]
                            aria-invalid=[fault.is_some().then_some("true")]
                            aria-labelledby={ (name) "-label " (id) "-label" }
                            aria-describedby=[described.as_deref()];
                        span.grid-choice-label id={ (id) "-label" } dir="auto" lang=[cx.owners_lang()] {
                            (choice.label) @if left.is_some() { " " (inputs::left(left, choices::quota(&self.choices, choice.code), cx)) }
                        }
                    }
                }
            }
        }
    }
}

impl Kind for Likert {
    fn read_schema(&self) -> Json {
        let mut answers = self.answers_schema();
        if !self.is_multiple() {
            answers["maxItems"] = json!(1);
        }
        grid::schema(&self.statements, &answers)
    }

    fn write_schema(&self) -> Json {
        // Duplicates count once, so a list may be longer.
        grid::schema(&self.statements, &grid::nullable(self.answers_schema()))
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        grid::parse_statements(&self.statements, raw, at, |raw, at| self.parse_codes(raw, cx, at))
    }

    fn check_whole(&self, stored: &Json, at: &mut Issues) {
        for statement in &self.statements {
            let code = &statement.api_code;
            if grid::member(stored, code).is_none() && !at.has_fault_at(code) {
                at.push_at(code, Reason::Blank);
            }
        }
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        grid::prune_statements(&self.statements, stored, |answers| {
            let known = |code: &&str| choices::find(&self.choices, code).is_some();
            codes(&answers).filter(known).map(Json::from).collect()
        })
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join("; ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let answered = self.statements.iter().filter_map(|statement| {
            let answers = grid::member(stored, &statement.api_code)?;
            let labels: Vec<String> =
                codes(answers).map(|code| one::text(&self.choices, &json!({"value": code}))).collect();
            Some(format!("{}: {}", statement.label, labels.join(", ")))
        });
        answered.collect()
    }

    fn keys(&self, _: &Json, _: &Cx) -> Vec<Key> {
        Vec::new()
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(grids::Likert::new(&self.statements, &self.choices))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn scores(&self) -> Option<&dyn Scores> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Rows)
    }
}

impl Capacity for Likert {
    fn takes(&self, stored: &Json) -> Vec<Take> {
        let mut takes = Vec::new();
        for (statement, answers) in stored.as_object().into_iter().flatten() {
            for (i, code) in codes(answers).enumerate() {
                takes.push(choices::take(code, format!(".{statement}[{i}]")));
            }
        }
        takes
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        choices::limit(&self.choices, counter)
    }

    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, _: &Cx) {
        choices::show_remaining(&self.choices, shown, taken);
    }

    fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        self.choices.shown_counters(cx)
    }
}

impl Parts for Likert {
    fn items(&self) -> Vec<Item<'_>> {
        grid::items("statements", &self.statements).chain(choices::items(&self.choices)).collect()
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let members = stored.as_object().into_iter().flatten();
        members.flat_map(|(statement, answers)| codes(answers).chain([statement.as_str()])).collect()
    }
}

impl Sheet for Likert {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        let statements = self.statements.iter();
        statements.map(|statement| Column::part(&statement.api_code, &statement.label)).collect()
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let statements = self.statements.iter();
        statements
            .map(|statement| {
                let answers = grid::member(stored, &statement.api_code).unwrap_or(&Json::Null);
                columns::list(codes(answers).map(|code| choices::sheet::word(&self.choices, code)))
            })
            .collect()
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, _: &mut Issues) -> Json {
        let given = self.statements.iter().zip(cells);
        let answered = given.filter(|(_, cell)| !text::is_blank(cell));
        let value = answered.map(|(statement, cell)| {
            let codes = choices::sheet::codes(&self.choices, cell);
            (statement.api_code.clone(), json!(codes))
        });
        Json::Object(value.collect())
    }
}

impl Scores for Likert {
    /// The sum over all statements.
    fn score(&self, stored: &Json) -> Option<Number> {
        let rows = stored.as_object().into_iter().flatten();
        let chosen = rows.flat_map(|(_, answers)| codes(answers));
        let chosen: Json = chosen.map(|code| json!({"value": code})).collect();
        one::score(&self.choices, &chosen)
    }

    fn range(&self) -> ScoreRange {
        let scores = one::scores(&self.choices);
        let row = match self.is_multiple() {
            true => ScoreRange::of_several(&scores, scores.len()),
            false => ScoreRange::of_one(&scores),
        };
        self.statements.iter().fold(ScoreRange::ZERO, |sum, _| sum.plus(row))
    }
}

impl Control for Likert {
    fn part(&self, path: &str, _: &Json, _: &Texts) -> Option<AnswerPart> {
        let statement = grid::statement_at(&self.statements, path)?;
        let label = statement.label.clone();
        Some(AnswerPart { label, control: format!("{path}-fault"), ask: Ask::Choose })
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let columns: Vec<&str> = choices::shown_items(&self.choices).map(|item| item.label).collect();
        let is_table = draw::fits_table(columns.len(), columns.len());
        let is_cleared = !self.is_multiple();
        draw::table(cx, &self.statements, &columns, is_table, is_cleared, |statement| self.cells(statement, cx))
    }

    fn is_group(&self) -> bool {
        true
    }

    fn script(&self) -> Option<&'static str> {
        Some("clear.js")
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let answered = self.statements.iter().filter_map(|statement| {
            let posted = part.member(&statement.api_code)?;
            // `field_4.taste[0]`: the write shape's path.
            let listed = posted.members().filter_map(|(_, item)| item.first());
            let codes: Vec<&str> = posted.values().chain(listed).collect();
            (!codes.is_empty()).then(|| (statement.api_code.clone(), json!(codes)))
        });
        Json::Object(answered.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_counts_and_scores() {
        let own = json!({
            "statements": [{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}],
            "choices": [{"api_code": "a", "label": "A", "score": 2, "quota": 3}, {"api_code": "b", "label": "B"}],
            "multiple": true,
        });
        let mut at = Issues::new();
        let likert = build(&mut Reader::new(own, &mut at), &BuildCx::default());
        assert!(at.is_empty(), "{:?}", at.into_list());
        let stored = json!({"s": ["b", "a"], "t": ["a"]});
        let takes = likert.takes(&stored);
        let found: Vec<_> = takes.iter().map(|take| (take.counter.as_str(), take.at.as_str())).collect();
        assert_eq!(found, [("b", ".s[0]"), ("a", ".s[1]"), ("a", ".t[0]")]);
        let limit = likert.capacity().and_then(|own| own.limit("a"));
        assert_eq!(limit.map(|limit| limit.most), Some(3));
        let score = |stored: &Json| likert.scores()?.score(stored).map(Number::to_json);
        assert_eq!(score(&stored), Some(json!(4)));
        assert_eq!(score(&json!({"s": ["gone"]})), None);
    }
}
