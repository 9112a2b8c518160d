//! Definitions of questions that were just added, and of questions that change their kind.

use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::id;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text::texts::Texts;
use crate::fields::definition::convert;
use crate::fields::kind::{BuildCx, KindRow};
use crate::fields::kinds::{KINDS, by_name};
use crate::fields::panel::{self, Control, Shape};
use crate::fields::places;
use crate::fields::schemas;

/// Choices of a new question.
const CHOICES: usize = 2;

/// The definition of a new question: only its label is missing, and parts that can't be empty have descriptive names.
pub fn of_kind(row: &'static KindRow, texts: &Texts) -> Json {
    let mut definition = Map::new();
    definition.insert("type".to_owned(), json!(row.name));
    definition.insert("label".to_owned(), json!(""));
    // Samples are constants that a test parses.
    let sample =
        row.samples.first().and_then(|sample| serde_json::from_str(sample.definition).ok()).unwrap_or(Json::Null);
    let controls = panel::controls(row);
    for key in missing(row, &definition) {
        let shape = controls.iter().find(|control| control.key == key).map(|control| &control.shape);
        let value = match (shape, sample.get(&key)) {
            // The form of a sample is nobody's.
            (Some(Shape::Form), _) => json!(""),
            (Some(Shape::Found | Shape::Shown), _) => json!([]),
            (Some(Shape::Rows(inner)), Some(value)) if !inner.iter().any(|it| it.key == "label") => {
                let needed = &schemas::definition(row)["properties"][&key]["items"]["required"];
                json!([first_item(inner, &value[0], needed, &name_of(&key, 1, texts))])
            }
            (_, Some(value)) => named(&key, value, texts),
            (_, None) => continue,
        };
        definition.insert(key, value);
    }
    Json::Object(definition)
}

/// A new question of a form asks for the country of the form's locale first, such as `zh-CN`, where its kind has one.
pub fn at_home(row: &'static KindRow, mut definition: Json, locale: &str) -> Json {
    let Some(country) = locale.split('-').skip(1).find_map(places::country) else {
        return definition;
    };
    for control in panel::controls(row).iter().filter(|control| control.shape == Shape::Country) {
        definition[&control.key] = json!(country.id);
    }
    definition
}

/// Gives the column that a button such as `dimensions.add-radio` has added a name, and what its kind can't do without.
pub fn complete_column(definition: &mut Json, action: &str, texts: &Texts) {
    let added = action.split_once(".add-").and_then(|(list, kind)| Some((list, by_name(kind)?)));
    let Some((list, row)) = added else { return };
    let columns = panel::at_path_mut(definition, list).and_then(Json::as_array_mut);
    let Some(columns) = columns else { return };
    let number = columns.len();
    if let Some(column) = columns.last_mut() {
        *column = of_kind(row, texts);
        column["label"] = json!(name_of(list, number, texts));
    }
}

/// The first product, or the first bookable item: with the properties that it needs and nothing else.
fn first_item(inner: &[Control], sample: &Json, needed: &Json, name: &str) -> Json {
    let mut item = panel::fresh(inner);
    for key in needed.as_array().into_iter().flatten().filter_map(Json::as_str) {
        if item.get(key).is_none() {
            item[key] = sample[key].clone();
        }
    }
    item["name"] = json!(name);
    item
}

/// The name of a new part of a list, which says what belongs there.
fn name_of(list: &str, number: usize, texts: &Texts) -> String {
    let words = match list {
        "statements" => "build-new-statement",
        "dimensions" => "build-new-column",
        "goods_items" => "build-new-product",
        "reservation_items" => "build-new-item",
        _ => "build-choice",
    };
    texts.fill(words, &[("number", number.into())])
}

/// The keys that a definition lacks.
fn missing(row: &'static KindRow, definition: &Map<String, Json>) -> Vec<String> {
    let mut at = Issues::new();
    let cx = BuildCx { kinds: KINDS, ..BuildCx::default() };
    let _ = (row.build)(&mut Reader::new(Json::Object(definition.clone()), &mut at), &cx);
    at.into_list().into_iter().map(|issue| issue.attribute).collect()
}

/// A part of a sample, with names in the reader's language and without codes.
fn named(list: &str, sample: &Json, texts: &Texts) -> Json {
    match sample {
        Json::Array(items) if items.iter().all(|item| item.get("label").is_some()) => (0..CHOICES)
            .zip(items.iter().cycle())
            .map(|(at, item)| {
                // A column is a new question, too.
                let column = item["type"].as_str().and_then(by_name).map(|row| of_kind(row, texts));
                let mut item = column.unwrap_or_else(|| without_codes(item));
                item["label"] = json!(name_of(list, at + 1, texts));
                for (below, child) in item["children"].as_array_mut().into_iter().flatten().enumerate() {
                    let number = format!("{}.{}", at + 1, below + 1);
                    child["label"] = json!(texts.fill("build-choice", &[("number", number.into())]));
                }
                item
            })
            .collect(),
        other => without_codes(other),
    }
}

fn without_codes(sample: &Json) -> Json {
    match sample {
        Json::Array(items) => items.iter().map(without_codes).collect(),
        Json::Object(members) => {
            let members = members.iter().filter(|(key, _)| *key != "api_code");
            Json::Object(members.map(|(key, value)| (key.clone(), without_codes(value))).collect())
        }
        other => other.clone(),
    }
}

/// The keys of a question that name its own parts by their codes.
const NAMING: [&str; 2] = ["default_value", "skus"];
/// The keys of a question that name questions of another form.
const ELSEWHERE: [&str; 2] = ["search_fields", "display_fields"];

/// A copy of a question: it says the same, and its parts have codes of their own.
pub struct Copied {
    pub body: Json,
    /// The new codes, by the old ones.
    codes: HashMap<String, String>,
}

impl Copied {
    pub fn of(question: &Json) -> Self {
        let mut codes = HashMap::new();
        let mut body = question.clone();
        if let Some(members) = body.as_object_mut() {
            members.shift_remove("api_code");
            members.values_mut().for_each(without_column_codes);
            for (_, part) in members.iter().filter(|(key, _)| !ELSEWHERE.contains(&key.as_str())) {
                note_codes(part, &mut codes);
            }
        }
        let copied = Self { body: Json::Null, codes };
        Self { body: copied.part(body), ..copied }
    }

    /// The value with the codes of the copy: a code of one of the question's parts becomes that of the copy's part.
    pub fn named(&self, value: &Json) -> Json {
        let code = |text: &str| self.codes.get(text).map_or_else(|| text.to_owned(), String::clone);
        match value {
            Json::String(text) => Json::String(code(text)),
            Json::Array(items) => items.iter().map(|item| self.named(item)).collect(),
            Json::Object(members) => {
                Json::Object(members.iter().map(|(key, value)| (code(key), self.named(value))).collect())
            }
            other => other.clone(),
        }
    }

    fn part(&self, part: Json) -> Json {
        let member = |(key, value): (String, Json)| {
            let value = match key.as_str() {
                "api_code" => self.named(&value),
                name if NAMING.contains(&name) => self.named(&value),
                name if ELSEWHERE.contains(&name) => value,
                _ => self.part(value),
            };
            (key, value)
        };
        match part {
            Json::Array(items) => items.into_iter().map(|item| self.part(item)).collect(),
            Json::Object(members) => Json::Object(members.into_iter().map(member).collect()),
            other => other,
        }
    }
}

/// Columns are questions: they get their codes when they are published.
fn without_column_codes(part: &mut Json) {
    for column in part.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        if column.contains_key("type") {
            column.shift_remove("api_code");
        }
    }
}

fn note_codes(part: &Json, codes: &mut HashMap<String, String>) {
    match part {
        Json::Array(items) => items.iter().for_each(|item| note_codes(item, codes)),
        Json::Object(members) => {
            if let Some(code) = members.get("api_code").and_then(Json::as_str) {
                codes.entry(code.to_owned()).or_insert_with(|| id::random(6));
            }
            members.values().for_each(|inner| note_codes(inner, codes));
        }
        _ => {}
    }
}

/// The kinds that a question may become: those that keep the answers of a published one, all for a new one.
pub fn kinds_for(base: Option<&Json>) -> Vec<&'static KindRow> {
    let from = base.and_then(|base| base["type"].as_str()).and_then(by_name);
    let allowed = |row: &&&'static KindRow| match (base, from) {
        (None, _) => true,
        (Some(_), Some(from)) => from.name == row.name || convert::is_allowed(from, row),
        (Some(_), None) => false,
    };
    KINDS.iter().filter(allowed).copied().collect()
}

/// A question as another kind. It keeps the properties that the new kind has too.
pub fn become_kind(body: &Json, row: &'static KindRow, texts: &Texts) -> Json {
    let mut fresh = of_kind(row, texts);
    if let (Json::Object(fresh), Json::Object(old)) = (&mut fresh, body) {
        for (key, value) in old.iter().filter(|(key, _)| *key != "type") {
            fresh.insert(key.clone(), value.clone());
        }
    }
    fresh
}

/// A question with what its kind can't do without.
pub fn completed(body: Json, texts: &Texts) -> Json {
    match body["type"].as_str().and_then(by_name) {
        Some(row) => become_kind(&body, row, texts),
        None => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_its_own_parts() {
        let question = json!({
            "api_code": "field_1", "type": "radio", "label": "a", "default_value": {"value": "a"},
            "choices": [{"api_code": "a", "label": "a"}, {"api_code": "b", "label": "b"}],
        });
        let copied = Copied::of(&question);
        let body = &copied.body;
        let code = &body["choices"][0]["api_code"];
        assert!(body.get("api_code").is_none() && *code != "a" && *code != body["choices"][1]["api_code"], "{body}");
        assert_eq!((&body["default_value"]["value"], &body["label"]), (code, &json!("a")));
        assert_eq!(copied.named(&json!(["a", "else"])), json!([code, "else"]));
        let goods = json!({"type": "product", "goods_items": [{
            "api_code": "mug", "dimensions": [{"api_code": "size", "options": [{"api_code": "big"}]}],
            "skus": [{"specification": {"size": "big"}, "price": 3}],
        }]});
        let item = &Copied::of(&goods).body["goods_items"][0];
        let size = item["dimensions"][0]["api_code"].as_str().expect("a code");
        assert_eq!(item["skus"][0]["specification"][size], item["dimensions"][0]["options"][0]["api_code"]);
        // The fields that it shows of another form, and columns that are questions.
        let linked = json!({"type": "linked_form", "display_fields": [{"api_code": "field_2", "public": true}]});
        assert_eq!(Copied::of(&linked).body, linked);
        let table = json!({"type": "table", "dimensions": [{"api_code": "field_1", "type": "number", "label": "n"}]});
        let without = json!({"type": "table", "dimensions": [{"type": "number", "label": "n"}]});
        assert_eq!(Copied::of(&table).body, without);
    }
}
