//! Definitions of questions that were just added, and of those that become another kind.

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text::texts::Texts;
use crate::fields::definition::convert;
use crate::fields::kind::{BuildCx, KindRow};
use crate::fields::kinds::{KINDS, by_name};
use crate::fields::panel::{self, Control, Shape};
use crate::fields::schemas;

/// Choices of a new question.
const CHOICES: usize = 2;

/// The definition of a new question: only its label is missing, and parts that can't be empty have names that tell what
/// belongs there.
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

/// The first product, or the first thing that can be booked: with what it needs and nothing else.
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
                let mut item = without_codes(item);
                item["label"] = json!(name_of(list, at + 1, texts));
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

/// A copy of a question: all but the codes, which the copy gets anew.
pub fn copied(body: &Json) -> Json {
    without_codes(body)
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

/// A question as another kind. It keeps what that kind has too.
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
