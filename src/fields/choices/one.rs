//! One selection of a choice: its stored value, its text and keys, and its posted form.

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason, Set};
use crate::base::text;
use crate::fields::choices::stored_selection::{StoredSelection, code_of};
use crate::fields::choices::{Choice, find};
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::kind::Cx;
use crate::fields::values::formula::{Binary, Number, Value};

const MAX_TEXT: usize = 10_000;

/// The fault of a value that selects nothing.
const NO_SELECTION: Reason = Reason::MustBe(Expected::Choice);

/// Reads one selection: `{ value, other_text?, extended_text? }`, or a string as a short form of `{ value }`. Texts
/// that the choice does not take are dropped, as are blank ones. Null and an empty object are blank.
pub fn parse(choices: &[Choice], raw: Json, cx: &Cx, at: &mut Issues) -> Json {
    let mut given = match raw {
        Json::String(code) => Map::from_iter([("value".to_owned(), json!(code))]),
        Json::Object(given) => given,
        _ => {
            at.push(NO_SELECTION);
            return Json::Null;
        }
    };
    let code = match given.shift_remove("value") {
        None if given.is_empty() => return Json::Null,
        None => {
            at.push(NO_SELECTION);
            return Json::Null;
        }
        Some(Json::Null) => String::new(),
        Some(Json::String(code)) => code,
        Some(_) => {
            at.push_at("value", Reason::MustBe(Expected::Text));
            return Json::Null;
        }
    };
    if code.is_empty() {
        // A text without a choice would be lost.
        let mut texts = given.values().filter_map(Json::as_str);
        if texts.any(|text| !text::is_blank(text)) {
            at.push(NO_SELECTION);
        }
        return Json::Null;
    }
    let Some(choice) = find(choices, &code).filter(|choice| !(choice.hidden && cx.respondent)) else {
        at.push(Reason::NotOneOf(Set::Choices));
        return Json::Null;
    };
    let mut stored = Map::from_iter([("value".to_owned(), json!(code))]);
    for (key, allowed) in texts_of(choice) {
        if let Some(text) = given.shift_remove(key).filter(|_| allowed)
            && let Some(text) = parse_text(key, text, at)
        {
            stored.insert(key.to_owned(), json!(text));
        }
    }
    Json::Object(stored)
}

fn parse_text(key: &str, raw: Json, at: &mut Issues) -> Option<String> {
    let fault = match raw {
        Json::Null => return None,
        Json::String(raw) => match text::clean(raw) {
            None => Reason::Nul,
            Some(text) if text::length(&text) > MAX_TEXT => Reason::TooLong { most: MAX_TEXT },
            Some(text) => return Some(text).filter(|text| !text::is_blank(text)),
        },
        _ => Reason::MustBe(Expected::Text),
    };
    at.push_at(key, fault);
    None
}

/// A stored selection without texts that its choice no longer takes; `None` if the choice no longer exists.
pub fn prune(choices: &[Choice], mut selection: Json) -> Option<Json> {
    let choice = find(choices, code_of(&selection))?;
    if let Json::Object(selection) = &mut selection {
        for (key, allowed) in texts_of(choice) {
            if !allowed {
                selection.shift_remove(key);
            }
        }
    }
    Some(selection)
}

/// The texts of a selection, each with whether this choice takes it.
fn texts_of(choice: &Choice) -> [(&'static str, bool); 2] {
    [("other_text", choice.is_other), ("extended_text", choice.allow_extended_text)]
}

/// A stored selection for people: the label and the texts.
pub fn text(choices: &[Choice], selection: &Json) -> String {
    let own = StoredSelection::of(selection);
    let code = own.value;
    let label = find(choices, code).map_or(code, |choice| &choice.label);
    match own.other_text.or(own.extended_text) {
        Some(typed) => format!("{label}: {typed}"),
        None => label.to_owned(),
    }
}

/// The value in formulas: the labels of one selection or a list.
pub fn operand(choices: &[Choice], stored: &Json) -> Option<Value> {
    let labels: Vec<&str> = chosen(choices, stored).map(|choice| choice.label.as_str()).collect();
    (!labels.is_empty()).then(|| Value::Text(labels.join(", ")))
}

/// The scores of the choices; without one, a choice has none.
pub fn scores(choices: &[Choice]) -> Vec<f64> {
    choices.iter().map(|choice| choice.score.unwrap_or_default()).collect()
}

/// The score: the sum over all selections; a choice without a score counts zero.
pub fn score(choices: &[Choice], stored: &Json) -> Option<Number> {
    chosen(choices, stored)
        .map(|choice| choice.score.unwrap_or_default())
        .map(|score| Number::of(&json!(score)))
        .reduce(|sum, score| sum?.calculate(Binary::Plus, score?))
        .flatten()
}

/// The selected choices of one selection or of a list; choices that no longer exist are omitted.
fn chosen<'c>(choices: &'c [Choice], stored: &Json) -> impl Iterator<Item = &'c Choice> {
    let selections = match stored {
        Json::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    selections.iter().filter_map(|selection| find(choices, code_of(selection))).collect::<Vec<_>>().into_iter()
}

/// The filter keys: the code, and the label for `like`.
pub fn keys(choices: &[Choice], selection: &Json) -> Vec<Key> {
    let code = code_of(selection);
    let label = find(choices, code).map(|choice| Key::label(&choice.label));
    [Key::Code(code.to_owned())].into_iter().chain(label).collect()
}

/// The key of an api_code in a filter; otherwise the expected format.
pub fn key(value: &Json) -> Result<Key, Reason> {
    match value.as_str() {
        Some("") => Err(Reason::Empty),
        Some(code) => Ok(Key::Code(code.to_owned())),
        None => Err(Reason::MustBe(Expected::Other("a choice's api_code"))),
    }
}

/// The posted selection of a choice, in the write shape. Its text is posted under the choice's code
/// (`field_2.CODE.other_text`), since a page without JavaScript posts the texts of all choices.
pub fn form_value(part: &FormPart, code: &str) -> Json {
    let own = part.member(code);
    let mut out = Map::from_iter([("value".to_owned(), json!(code))]);
    for key in ["other_text", "extended_text"] {
        let text = own.map_or(Json::Null, |own| own.single_at(key));
        let text = if text.is_null() { part.single_at(key) } else { text };
        if !text.is_null() {
            out.insert(key.to_owned(), text);
        }
    }
    if out.len() == 1 { json!(code) } else { Json::Object(out) }
}

/// The posted value of a field with one selection, by its own name or by the write shape's path (`field_2.value`).
pub fn of_form(part: &FormPart) -> Json {
    let value = part.member("value").unwrap_or(part);
    match part.first().or_else(|| value.first()) {
        Some(code) => form_value(part, code),
        None => Json::Null,
    }
}
