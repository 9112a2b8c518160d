//! The conditions that rows of controls were sent with: `f[0].field`, `f[0].operator` and `f[0].value`, repeated for
//! several values; `f[0].value[0].city` for those of several parts.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::form_part::FormPart;
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
    /// Typed ones are texts, or objects of texts.
    pub values: Vec<Json>,
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
    let pairs: Vec<_> = call.pairs().collect();
    let all = of_pairs(pairs.iter().map(|(key, value)| (&**key, &**value)), &FilterSubject::all(frame));
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
pub fn of_pairs<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>, subjects: &[FilterSubject]) -> Vec<Json> {
    let posted = FormPart::tree(pairs.filter(|(name, _)| name.starts_with("f[")));
    let rows = posted.member("f").into_iter().flat_map(FormPart::members).map(|(_, row)| Condition::of_row(row));
    let sent = rows.filter(|row| !row.field.is_empty() || row.other.is_some());
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
    fn of_row(row: &FormPart) -> Self {
        let text = |part: &str| row.member(part).and_then(FormPart::first).unwrap_or_default().to_owned();
        let value = row.member("value");
        let texts = value.into_iter().flat_map(FormPart::values).map(Json::from);
        Self {
            was: text("was"),
            field: text("field"),
            operator: text("operator"),
            values: texts.chain(value.into_iter().flat_map(FormPart::objects)).collect(),
            other: serde_json::from_str(&text("other")).ok(),
        }
    }

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
        let mut operator = self.operator.as_str();
        // Controls that the operator doesn't use may have been filled in for another one.
        let takes_objects =
            subject.zip(Op::by_name(operator)).is_some_and(|(it, op)| it.kind.compared().takes_objects(op));
        let own = self.values.iter().filter(|value| value.is_object() == takes_objects);
        let values: Vec<Json> =
            own.map(|value| value.as_str().map_or_else(|| value.clone(), |text| typed(subject, text))).collect();
        let value = match Op::by_name(operator) {
            Some(Op::Null | Op::NotNull) => None,
            Some(Op::AnyIn | Op::NoneIn | Op::Between | Op::NotBetween) => Some(json!(values)),
            Some(Op::Eq | Op::Ne) if values.len() > 1 => {
                operator = if operator == Op::Eq.name() { Op::AnyIn.name() } else { Op::NoneIn.name() };
                Some(json!(values))
            }
            _ => values.first().cloned(),
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
            Some(Json::Array(values)) => values.clone(),
            Some(value) => vec![value.clone()],
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
