//! A posted panel as a definition.

use std::collections::HashMap;

use serde_json::{Map, Number, json};

use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::kind::KindRow;
use crate::fields::kinds::by_name;
use crate::fields::panel::{Control, REST, Shape, column_controls, controls, is_line, outline, plan, variants};

/// The definition after a post of its panel: properties with controls as posted, the others as in `old`. A value that
/// does not fit its control stays as it was typed, so that the check reports it.
pub fn read(row: &'static KindRow, old: &Json, posted: &FormPart) -> Json {
    let mut out = old.as_object().cloned().unwrap_or_default();
    let controls = controls(row);
    take(&controls, posted, &mut out);
    let is_another = |control: &Control| control.shape == Shape::Form && old.get(&control.key) != out.get(&control.key);
    if controls.iter().any(is_another) {
        // Codes of one form mean nothing in another.
        for control in controls.iter().filter(|control| matches!(control.shape, Shape::Found | Shape::Shown)) {
            out.insert(control.key.clone(), json!([]));
        }
    }
    out.entry("label").or_insert_with(|| json!(""));
    Json::Object(out)
}

fn take(controls: &[Control], posted: &FormPart, out: &mut Map<String, Json>) {
    for control in controls {
        let part = posted.member(&control.key);
        let taken = match &control.shape {
            // The variants follow the options above them.
            Shape::Variants => unless_empty(variants::read(part, out), out.get(&control.key)),
            shape => value_of(shape, part, out.get(&control.key)),
        };
        match taken {
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
    /// Unchanged.
    Same,
    /// Not set.
    Nothing,
    Value(Json),
}

fn value_of(shape: &Shape, part: Option<&FormPart>, old: Option<&Json>) -> Taken {
    let first = part.and_then(FormPart::first);
    match shape {
        Shape::Untouched | Shape::Variants => Taken::Same,
        Shape::Switch => match (first, old) {
            (Some(_), _) => Taken::Value(json!(true)),
            // A switch that is off is missing in a definition, or false.
            (None, None) => Taken::Same,
            (None, Some(_)) => Taken::Value(json!(false)),
        },
        Shape::Number { .. } => match first.map(str::trim) {
            None | Some("") if old.is_some_and(Json::is_null) => Taken::Same,
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
        Shape::Line { .. } | Shape::Area { .. } | Shape::Rich | Shape::Word(_) | Shape::Country | Shape::Day => {
            match first {
                // Browsers send line breaks of two characters.
                Some(typed) => Taken::Value(json!(typed.replace("\r\n", "\n"))),
                None => Taken::Nothing,
            }
        }
        Shape::Rows(inner) => match part {
            Some(part) => unless_empty(rows(inner, part, old), old),
            None => unless_empty(json!([]), old),
        },
        Shape::Group(inner) => {
            let mut group = old.and_then(Json::as_object).cloned().unwrap_or_default();
            take(inner, part.unwrap_or(&FormPart::default()), &mut group);
            Taken::Value(Json::Object(group))
        }
        Shape::Columns(_) => Taken::Value(part.map_or_else(|| json!([]), |part| columns(part, old))),
        Shape::Tree => tree(first, old),
        Shape::Week => unless_empty(part.map_or_else(|| json!([]), |part| plan::read_week(part, old)), old),
        Shape::Slots => unless_empty(part.map_or_else(|| json!([]), |part| plan::read_slots(part, old)), old),
        Shape::Pictures { is_list } => match part {
            None => Taken::Same,
            Some(part) if *is_list => {
                Taken::Value(numbered(part).filter_map(|(_, image)| picture(image, old)).collect())
            }
            Some(part) => picture(part, old).map_or(Taken::Nothing, Taken::Value),
        },
        Shape::Form => Taken::Value(json!(first.unwrap_or_default())),
        Shape::Found => Taken::Value(part.map_or_else(|| json!([]), |part| part.values().collect())),
        Shape::Shown => Taken::Value(part.map_or_else(|| json!([]), shown)),
    }
}

/// A list of parts. One that is not there is as good as an empty one.
fn unless_empty(list: Json, old: Option<&Json>) -> Taken {
    match (list.as_array().is_some_and(Vec::is_empty), old) {
        (false, _) => Taken::Value(list),
        (true, None) => Taken::Same,
        (true, Some(old)) if *old == list => Taken::Same,
        (true, Some(_)) => Taken::Value(list),
    }
}

/// Choices as an outline. An unreadable text stays text.
fn tree(text: Option<&str>, old: Option<&Json>) -> Taken {
    let text = text.unwrap_or_default().replace("\r\n", "\n");
    match old {
        Some(old) if outline::write(old) == text.trim_end() => Taken::Same,
        old => match outline::read(&text, old.unwrap_or(&Json::Null)) {
            Ok(choices) => Taken::Value(choices),
            Err(_) => Taken::Value(json!(text)),
        },
    }
}

/// A picture by its name, with its known properties.
fn picture(part: &FormPart, old: Option<&Json>) -> Option<Json> {
    let name = |key: &str| part.member(key).and_then(FormPart::first);
    let id = name("id")?;
    let is_it = |old: &&Json| old["id"] == id;
    let old = old.and_then(|old| old.as_array().map_or(Some(old).filter(is_it), |old| old.iter().find(is_it)));
    Some(old.cloned().unwrap_or_else(|| json!({"id": id})))
}

/// The ticked rows of the other form's questions.
fn shown(part: &FormPart) -> Json {
    let rows = numbered(part).filter_map(|(_, row)| {
        let code = row.member("api_code").and_then(FormPart::first)?;
        let is_on = |key: &str| row.member(key).and_then(FormPart::first).is_some();
        let mut out = json!({"api_code": code, "public": is_on("public")});
        if is_on("protected") {
            out["protected"] = json!(true);
        }
        Some(out)
    });
    rows.collect()
}

/// Questions within the question. One that has no code yet is known by its place.
fn columns(part: &FormPart, old: Option<&Json>) -> Json {
    let old: Vec<&Json> = old.and_then(Json::as_array).into_iter().flatten().collect();
    let columns = numbered(part).filter_map(|(at, posted)| {
        let kind = posted.member("type").and_then(FormPart::first)?;
        let code = posted.member("api_code").and_then(FormPart::first);
        let known = match code {
            Some(code) => old.iter().find(|column| column["api_code"] == code),
            None => old.get(at).filter(|column| column["api_code"].is_null()),
        };
        let known = known.filter(|column| column["type"] == kind);
        let mut out = known.and_then(|column| column.as_object()).cloned().unwrap_or_default();
        out.insert("type".to_owned(), json!(kind));
        if let Some(code) = code {
            out.insert("api_code".to_owned(), json!(code));
        }
        if let Some(row) = by_name(kind) {
            take(&column_controls(row), posted, &mut out);
        }
        out.entry("label").or_insert_with(|| json!(""));
        Some(Json::Object(out))
    });
    columns.collect()
}

/// A number as it was typed; text that is none stays text.
pub fn number(typed: &str) -> Json {
    if let Ok(whole) = typed.parse::<i64>() {
        return json!(whole);
    }
    let float = typed.parse::<f64>().ok().and_then(Number::from_f64);
    float.map_or_else(|| json!(typed), Json::Number)
}

/// The parts of a list, by their places.
pub fn numbered(part: &FormPart) -> impl Iterator<Item = (usize, &FormPart)> {
    let mut rows: Vec<(usize, &FormPart)> =
        part.members().filter_map(|(at, row)| Some((at.parse().ok()?, row))).collect();
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter()
}

fn is_blank(part: &FormPart) -> bool {
    part.values().all(|text| text.trim().is_empty()) && part.members().all(|(_, member)| is_blank(member))
}

/// The parts of a list: those that were drawn as they are posted, and behind them those that were not, as they were.
fn rows(controls: &[Control], part: &FormPart, old: Option<&Json>) -> Json {
    let mut by_code = HashMap::new();
    for item in old.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_object) {
        if let Some(code) = item.get("api_code").and_then(Json::as_str) {
            by_code.entry(code).or_insert(item);
        }
    }
    let known = |code: &str| by_code.get(code).map(|item| (*item).clone());
    let rows = numbered(part).filter_map(|(_, row)| {
        let code = row.member("api_code").and_then(FormPart::first);
        if is_blank(row) {
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
    let rest = part.member(REST).and_then(FormPart::first).unwrap_or_default();
    rows.chain(rest.split(' ').filter_map(known).map(Json::Object)).collect()
}
