//! Help while a formula is typed: its faults with their places, the type of its value, and its result for a sample.

use std::collections::HashSet;

use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::display::dates;
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;
use crate::fields::values::examples::stored;
use crate::fields::values::formula::{Formula, Moment, Number, Sources, Type, Value};
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};
use crate::model::caller::Caller;
use crate::model::draft::Draft;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::compare::label;
use crate::ops::forms::drafts::{check, load};

/// A formula as it was typed.
pub struct Typed<'t> {
    /// The code of its question.
    pub code: &'t str,
    pub expression: &'t str,
    /// As its question has it if empty.
    pub result: &'t str,
    /// The answers in the form's preview.
    pub answers: &'t FormPart,
}

/// The result of looking at a formula.
pub struct Outcome {
    /// The faults of its expression.
    pub faults: Vec<Issue>,
    /// The labels of the questions on the way from the formula to itself, where it depends on itself.
    pub circle: Vec<String>,
    /// `number`, `text` or `date`; `None` while it is wrong.
    pub result_type: Option<&'static str>,
    /// `None` while it is wrong, or where its result is blank.
    pub sample: Option<Sample>,
}

pub struct Sample {
    /// The label and the value of each question that the formula reads.
    pub read: Vec<(String, String)>,
    pub result: String,
}

/// # Errors
/// 403, 404.
pub fn look(app: &App, caller: &Caller, token: &str, typed: &Typed, now: Time) -> Result<Outcome> {
    access::check(app, caller, token, Right::Manage)?;
    let mut shown = load(app, caller, token)?;
    let body = shown.draft.any_mut(typed.code).and_then(|question| question.body.as_mut());
    let body = body.filter(|body| body.get("expression").is_some()).ok_or(Error::NotFound(Noun::Question))?;
    body["expression"] = json!(typed.expression);
    if !typed.result.is_empty() {
        body["result_type"] = json!(typed.result);
    }
    let checked = check::check(app, caller, &shown)?;
    let of_expression = |fault: &&Issue| fault.attribute == "expression";
    let faults: Vec<Issue> = checked.of(typed.code).iter().filter(of_expression).cloned().collect();
    let circle = circle(&shown.draft, typed.code);
    let fields = &checked.definition.fields;
    let field = fields.get(typed.code).filter(|_| faults.is_empty());
    let Some((field, computed)) = field.and_then(|field| Some((field, field.kind.computed()?))) else {
        return Ok(Outcome { faults, circle, result_type: None, sample: None });
    };
    let result_type = match computed.result {
        Type::Number => "number",
        Type::Date => "date",
        _ => "text",
    };
    let cx = shown.view.parsed.cx(now, false);
    let answers = Answers::of(fields, &computed.formula.fields(), typed.answers, &cx);
    let stored = computed.value(&answers);
    let sample = (!values::is_blank(&stored)).then(|| Sample {
        read: answers.told(&computed.formula.fields()),
        result: field.kind.lines(&stored, &cx).join(", "),
    });
    Ok(Outcome { faults, circle, result_type: Some(result_type), sample })
}

/// The labels from a formula over those that it reads back to itself; empty if it does not depend on itself.
pub fn circle(draft: &Draft, code: &str) -> Vec<String> {
    let body = |code: &str| draft.get(code).and_then(|question| question.body.as_ref());
    let read = |code: &str| -> Vec<String> {
        let formula = body(code).and_then(|body| Formula::read(body["expression"].as_str()?).ok());
        formula.map_or_else(Vec::new, |formula| formula.fields().into_iter().map(str::to_owned).collect())
    };
    let mut seen = HashSet::new();
    let mut ways: Vec<Vec<String>> = vec![vec![code.to_owned()]];
    while let Some(way) = ways.pop() {
        for next in way.last().map_or_else(Vec::new, |last| read(last)) {
            if next == code {
                let label = |code: &String| body(code).map_or_else(|| code.clone(), |body| label(body).to_owned());
                return way.iter().chain([&next]).map(label).collect();
            }
            if seen.insert(next.clone()) {
                ways.push(way.iter().cloned().chain([next]).collect());
            }
        }
    }
    Vec::new()
}

/// The values that a formula reads: those of the preview, and examples for blank ones.
struct Answers<'a> {
    fields: &'a Fields,
    values: Values,
    cx: &'a Cx<'a>,
}

impl<'a> Answers<'a> {
    fn of(fields: &'a Fields, read: &[&str], given: &FormPart, cx: &'a Cx<'a>) -> Self {
        let mut values = Values::new();
        for (at, field) in read.iter().filter_map(|code| fields.get(code)).enumerate() {
            let given = given.member(&field.api_code).map(|part| field.kind.form_value(part, cx));
            let given = given.filter(|_| field.kind.is_written()).and_then(|raw| stored(field, raw, cx));
            if let Some(value) = given.or_else(|| example(field, at, cx)) {
                values.insert(field.api_code.clone(), value);
            }
        }
        Self { fields, values, cx }
    }

    fn told(&self, read: &[&str]) -> Vec<(String, String)> {
        let told = |code: &&str| {
            let field = self.fields.get(code)?;
            let text = match self.values.get(*code) {
                Some(stored) => field.kind.lines(stored, self.cx).join(", "),
                None => self.typical(field)?.text(),
            };
            Some((field.label.clone(), text))
        };
        read.iter().filter_map(told).collect()
    }

    /// A value of the type that the field has in formulas.
    fn typical(&self, field: &Field) -> Option<Value> {
        Some(match field.kind.operand()?.operand_type() {
            Type::Number => Value::Number(Number::of(&json!(2))?),
            Type::Text | Type::DateText => Value::Text("abc".to_owned()),
            Type::Date => Value::Date(self.today()?),
            Type::Truth => Value::Truth(true),
        })
    }
}

impl Sources for Answers<'_> {
    fn field(&self, code: &str) -> Option<Value> {
        let field = self.fields.get(code)?;
        match self.values.get(code) {
            Some(stored) => field.kind.operand()?.operand_value(stored, self.cx),
            None => self.typical(field),
        }
    }

    fn score(&self, code: &str) -> Option<Number> {
        let field = self.fields.get(code)?;
        match self.values.get(code) {
            Some(stored) => field.kind.scores()?.score(stored),
            None => Number::of(&json!(1)),
        }
    }

    fn today(&self) -> Option<Moment> {
        let now = dates::local(self.cx.now.timestamp(), self.cx.timezone);
        Moment::read(dates::Precision::Day.cut(&now))
    }
}

/// An example of a question's values: small numbers that differ, or one of the samples of its kind.
fn example(field: &Field, at: usize, cx: &Cx) -> Option<Json> {
    if !field.kind.is_written() {
        return None;
    }
    let samples = field.row.samples.iter().filter_map(|sample| serde_json::from_str(sample.write).ok());
    std::iter::once(json!(at + 2)).chain(samples).find_map(|raw| stored(field, raw, cx))
}

/// Where a fault stands, in characters.
pub fn place_of(fault: &Issue, expression: &str) -> (usize, usize) {
    match fault.reason {
        Reason::InFormula { position, length, .. } => (position, length),
        _ => (0, expression.chars().count()),
    }
}
