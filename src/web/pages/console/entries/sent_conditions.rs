//! The conditions that rows of controls were sent with: `f[0].field`, `f[0].operator` and `f[0].value`, repeated for
//! several values.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::web::pages::console::entries::subjects::FilterSubject;
use crate::web::pages::console::form_frame::FormFrame;

/// The parameter that names a question that a condition is begun on.
pub const ADD: &str = "add";

/// A condition in its controls.
#[derive(Clone, Default)]
pub struct Condition {
    /// The field that the other controls were drawn for, if not this one.
    was: String,
    pub field: String,
    pub operator: String,
    pub values: Vec<String>,
    /// A condition that these controls can't express, as the API takes it.
    pub other: Option<Json>,
}

/// The conditions of rows of controls.
pub struct Sent {
    /// The conditions as the API takes them, as JSON text; empty if there are none.
    pub filters: String,
    /// The questions that conditions are begun on.
    pub begun: Vec<String>,
}

impl Sent {
    /// The parameters that begin them.
    pub fn adds(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.begun.iter().map(|field| (ADD, field.as_str()))
    }
}

/// The conditions that rows of controls were sent with; none if there were no such rows.
pub fn of_rows(frame: &FormFrame) -> Option<Sent> {
    let call = frame.call;
    let pairs = call.pairs().map(|(key, value)| (key.into_owned(), value.into_owned()));
    let all = of_pairs(pairs, &FilterSubject::all(frame));
    if all.is_empty() {
        return None;
    }
    let (begun, held): (Vec<Json>, Vec<Json>) = all.into_iter().partition(is_begun);
    let begun = begun.iter().filter_map(|condition| condition["field"].as_str().map(str::to_owned));
    Some(Sent {
        filters: if held.is_empty() { String::new() } else { Json::Array(held).to_string() },
        begun: begun.chain(call.query(ADD).filter(|field| !field.is_empty())).collect(),
    })
}

/// The conditions of the rows of controls among these pairs, as the API takes them.
pub fn of_pairs(pairs: impl Iterator<Item = (String, String)>, subjects: &[FilterSubject]) -> Vec<Json> {
    let mut rows: Vec<Condition> = Vec::new();
    for (key, value) in pairs {
        let Some((at, part)) = key.strip_prefix("f[").and_then(|rest| rest.split_once("].")) else {
            continue;
        };
        let Some(at) = at.parse::<usize>().ok().filter(|at| *at <= rows.len()) else {
            continue;
        };
        if at == rows.len() {
            rows.push(Condition::default());
        }
        match part {
            "was" => rows[at].was = value,
            "field" => rows[at].field = value,
            "operator" => rows[at].operator = value,
            "value" if !value.is_empty() => rows[at].values.push(value),
            "other" => rows[at].other = serde_json::from_str(&value).ok(),
            _ => {}
        }
    }
    let sent = rows.iter().filter(|row| !row.field.is_empty() || row.other.is_some());
    sent.map(|row| row.to_json(subjects)).collect()
}

/// A condition on a field of which nothing is chosen yet.
pub fn begun(field: &str) -> Json {
    json!({"field": field, "operator": ""})
}

fn is_begun(condition: &Json) -> bool {
    condition["operator"] == ""
}

impl Condition {
    /// As the API takes it. Several ticked choices are one of several.
    fn to_json(&self, subjects: &[FilterSubject]) -> Json {
        if let Some(other) = &self.other {
            return other.clone();
        }
        // The operator and the values were for another question.
        if !self.was.is_empty() && self.was != self.field {
            return begun(&self.field);
        }
        let subject = subjects.iter().find(|subject| subject.name == self.field);
        let value = |text: &String| typed(subject, text);
        let all = || self.values.iter().map(value).collect::<Json>();
        let mut operator = self.operator.as_str();
        let value = match Op::by_name(operator) {
            Some(Op::Null | Op::NotNull) => None,
            Some(Op::AnyIn | Op::NoneIn | Op::Between | Op::NotBetween) => Some(all()),
            Some(Op::Eq | Op::Ne) if self.values.len() > 1 => {
                operator = if operator == Op::Eq.name() { Op::AnyIn.name() } else { Op::NoneIn.name() };
                Some(all())
            }
            _ => self.values.first().map(value),
        };
        let mut out = Map::new();
        out.insert("field".to_owned(), json!(self.field));
        out.insert("operator".to_owned(), json!(operator));
        out.extend(value.map(|value| ("value".to_owned(), value)));
        Json::Object(out)
    }

    pub fn of_json(json: &Json) -> Self {
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let member = |name: &str| json.get(name).map(text).unwrap_or_default();
        let values = match json.get("value") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(values)) => values.iter().map(text).collect(),
            Some(value) => vec![text(value)],
        };
        let was = String::new();
        Self { was, field: member("field"), operator: member("operator"), values, other: Some(json.clone()) }
    }
}

/// The name of the condition that an exam was passed.
pub const PASSED: &str = "exam_passed";

/// A value as programs write it.
fn typed(subject: Option<&FilterSubject>, text: &str) -> Json {
    let is_flag = subject.is_some_and(|subject| subject.name == PASSED);
    match (text, subject) {
        ("true", _) if is_flag => json!(true),
        ("false", _) if is_flag => json!(false),
        (_, Some(subject)) => subject.kind.compared().value_of(text),
        (_, None) => json!(text),
    }
}
