//! A posted panel as a definition.

use serde_json::{Map, Number, json};

use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::kind::KindRow;
use crate::fields::panel::{Control, Shape, controls, is_line};

/// The definition after a post of its panel: what stands in the controls, and what has none as in `old`. What does not
/// fit its control stays as it was typed, so that the check says so.
pub fn read(row: &'static KindRow, old: &Json, posted: &FormPart) -> Json {
    let mut out = old.as_object().cloned().unwrap_or_default();
    take(&controls(row), posted, &mut out);
    out.entry("label").or_insert_with(|| json!(""));
    Json::Object(out)
}

fn take(controls: &[Control], posted: &FormPart, out: &mut Map<String, Json>) {
    for control in controls {
        let part = posted.member(&control.key);
        match value_of(&control.shape, part, out.get(&control.key)) {
            Taken::Same => {}
            Taken::Nothing => {
                out.shift_remove(&control.key);
            }
            Taken::Value(value) => {
                out.insert(control.key.clone(), value);
            }
        }
    }
}

enum Taken {
    /// As it was.
    Same,
    /// Not set.
    Nothing,
    Value(Json),
}

fn value_of(shape: &Shape, part: Option<&FormPart>, old: Option<&Json>) -> Taken {
    let first = part.and_then(FormPart::first);
    match shape {
        Shape::Untouched => Taken::Same,
        Shape::Switch => match (first, old) {
            (Some(_), _) => Taken::Value(json!(true)),
            // A definition leaves out what is off, or says so.
            (None, None) => Taken::Same,
            (None, Some(_)) => Taken::Value(json!(false)),
        },
        Shape::Number { .. } => match first.map(str::trim) {
            None | Some("") => Taken::Nothing,
            // A price may be a text of digits.
            Some(typed) if old.and_then(Json::as_str) == Some(typed) => Taken::Same,
            Some(typed) => Taken::Value(number(typed)),
        },
        Shape::Words(known) => {
            let is_chosen = |word: &&String| part.is_some_and(|part| part.values().any(|value| value == **word));
            let chosen: Vec<&String> = known.iter().filter(is_chosen).collect();
            if chosen.is_empty() { Taken::Nothing } else { Taken::Value(json!(chosen)) }
        }
        Shape::Lines => {
            let lines = first.unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
            let lines: Vec<&str> = lines.collect();
            if lines.is_empty() { Taken::Nothing } else { Taken::Value(json!(lines)) }
        }
        Shape::Line { .. } | Shape::Area { .. } | Shape::Rich | Shape::Word(_) | Shape::Country => match first {
            // Browsers send line breaks of two characters.
            Some(typed) => Taken::Value(json!(typed.replace("\r\n", "\n"))),
            None => Taken::Nothing,
        },
        Shape::Rows(inner) => match part {
            Some(part) => Taken::Value(rows(inner, part, old)),
            None => Taken::Value(json!([])),
        },
    }
}

/// A number as it was typed; text that is none stays text.
fn number(typed: &str) -> Json {
    if let Ok(whole) = typed.parse::<i64>() {
        return json!(whole);
    }
    let float = typed.parse::<f64>().ok().and_then(Number::from_f64);
    float.map_or_else(|| json!(typed), Json::Number)
}

fn rows(controls: &[Control], part: &FormPart, old: Option<&Json>) -> Json {
    let known = |code: &str| old?.as_array()?.iter().find(|item| item["api_code"] == code)?.as_object().cloned();
    let mut numbered: Vec<(usize, &FormPart)> =
        part.members().filter_map(|(at, row)| Some((at.parse().ok()?, row))).collect();
    numbered.sort_by_key(|(at, _)| *at);
    let rows = numbered.into_iter().filter_map(|(_, row)| {
        let code = row.member("api_code").and_then(FormPart::first);
        let is_blank = row.members().all(|(_, member)| member.first().is_none_or(|text| text.trim().is_empty()));
        if is_blank {
            // The row below the others, for those who have no script to add one.
            return None;
        }
        let mut out = code.and_then(known).unwrap_or_default();
        if let Some(code) = code {
            out.insert("api_code".to_owned(), json!(code));
        }
        take(controls, row, &mut out);
        if let Some(line) = controls.iter().find(|control| is_line(&control.key)) {
            out.entry(line.key.clone()).or_insert_with(|| json!(""));
        }
        Some(Json::Object(out))
    });
    rows.collect()
}
