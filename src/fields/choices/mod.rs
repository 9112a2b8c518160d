//! Choices: shared by radio, checkbox, dropdown and similar kinds. This file has the definition and one selection;
//! [`selection`] has the kinds made of them, `input` draws the controls.

mod capabilities;
mod input;
pub mod many;
pub mod selection;
pub mod sheet;
pub mod stored_selection;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set, Things};
use crate::base::text;
use crate::fields::choices::stored_selection::StoredSelection;
use crate::fields::definition::items::{MAX_CHOICES, item_code};
use crate::fields::filter::cond::Key;
use crate::fields::form_part::FormPart;
use crate::fields::images::Image;
use crate::fields::kind::{BuildCx, Cx, InputCx, Item, Limit, Take, Taken, put_remaining};
use crate::fields::schedule::occupancy::Left;
use crate::fields::values::formula::{Binary, Number, Value};

pub use input::{inputs, pictures, select};

const MAX_LABEL: usize = 500;
const MAX_TEXT: usize = 10_000;

/// One choice (contract 3.1).
#[derive(Debug, Serialize)]
pub struct Choice {
    api_code: String,
    label: String,
    #[serde(skip_serializing_if = "is_false")]
    hidden: bool,
    #[serde(skip_serializing_if = "is_false")]
    is_other: bool,
    #[serde(skip_serializing_if = "is_false")]
    allow_extended_text: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Image>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Which texts a kind's choices may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// What the "other" choice is, and further text for any other choice.
    OtherAndExtended,
    /// What the "other" choice is.
    Other,
    Nothing,
}

/// Reads `choices`: 1 to 1,000, at most one of them "other".
pub fn read(reader: &mut Reader, cx: &BuildCx) -> Vec<Choice> {
    read_with(reader, cx, Beside::OtherAndExtended)
}

/// Reads `choices` of a kind that allows fewer texts.
pub fn read_with(reader: &mut Reader, cx: &BuildCx, beside: Beside) -> Vec<Choice> {
    let mut seen = HashSet::new();
    let mut others = 0;
    reader.note("choices", || json!({"minItems": 1, "maxItems": MAX_CHOICES}));
    let Some(choices) = reader.objects("choices", |item| {
        let choice = Choice {
            api_code: item_code(item, cx, &mut seen),
            label: item.text("label", MAX_LABEL),
            hidden: item.bool("hidden", false),
            is_other: item.bool("is_other", false),
            allow_extended_text: item.bool("allow_extended_text", false),
            quota: item.opt_int("quota", 0..=i64::from(u32::MAX)),
            score: item.opt_number("score"),
            image: cx.images.read(item, "image", "choice_image"),
        };
        if choice.is_other {
            others += 1;
        }
        check_texts(item, &choice, beside, others > 1);
        choice
    }) else {
        return Vec::new();
    };
    if choices.is_empty() || choices.len() > MAX_CHOICES {
        reader.fault("choices", Reason::not_one_to(MAX_CHOICES, Things::Choices));
    }
    choices
}

/// Checks that the texts which a choice asks for are allowed.
fn check_texts(item: &mut Reader, choice: &Choice, beside: Beside, is_second: bool) {
    const NOT_HERE: Reason = Reason::Other(Cow::Borrowed("is not possible for this type"));
    if choice.is_other && beside == Beside::Nothing {
        item.fault("is_other", NOT_HERE);
    } else if choice.is_other && is_second {
        item.fault("is_other", Reason::other("is possible for one choice only"));
    }
    if choice.allow_extended_text && beside != Beside::OtherAndExtended {
        item.fault("allow_extended_text", NOT_HERE);
    } else if choice.allow_extended_text && choice.is_other {
        item.fault("allow_extended_text", Reason::other("is not possible for the other choice"));
    }
}

/// JSON Schema of one selection in the read shape.
pub fn read_schema(choices: &[Choice]) -> Json {
    let codes: Vec<&str> = choices.iter().map(|c| c.api_code.as_str()).collect();
    let mut properties = json!({"value": {"type": "string", "enum": codes}});
    if choices.iter().any(|choice| choice.is_other) {
        properties["other_text"] = json!({"type": "string"});
    }
    if choices.iter().any(|choice| choice.allow_extended_text) {
        properties["extended_text"] = json!({"type": "string"});
    }
    json!({"type": "object", "properties": properties, "required": ["value"]})
}

/// JSON Schema of one selection in the write shape: the code alone is enough.
pub fn write_schema(choices: &[Choice]) -> Json {
    let selection = read_schema(choices);
    let code = selection["properties"]["value"].clone();
    json!({"oneOf": [selection, code]})
}

/// The choice with this code.
pub fn find<'c>(choices: &'c [Choice], code: &str) -> Option<&'c Choice> {
    choices.iter().find(|choice| choice.api_code == code)
}

/// The choices as named parts of the definition.
pub fn items(choices: &[Choice]) -> Vec<Item<'_>> {
    choices.iter().map(|choice| Item { list: "choices", code: &choice.api_code, label: &choice.label }).collect()
}

/// What is left of a choice's quota, if it has one.
pub fn left(choices: &[Choice], code: &str, cx: &InputCx) -> Option<Left> {
    cx.left(code, find(choices, code)?.quota)
}

/// Whether what is left of some choice is shown.
pub fn are_limited(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.quota.is_some())
}

/// The choices that respondents see.
pub fn shown_items(choices: &[Choice]) -> impl Iterator<Item = Item<'_>> {
    let shown = choices.iter().filter(|choice| !choice.hidden);
    shown.map(|choice| Item { list: "choices", code: &choice.api_code, label: &choice.label })
}

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

/// The code of a stored selection.
pub fn code_of(selection: &Json) -> &str {
    selection["value"].as_str().unwrap_or_default()
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

/// The score: the sum over all selections; a choice without a score counts zero.
pub fn score(choices: &[Choice], stored: &Json) -> Option<Number> {
    chosen(choices, stored)
        .map(|choice| choice.score.unwrap_or_default())
        .map(|score| Number::of(&json!(score)))
        .reduce(|sum, score| sum?.calculate(Binary::Plus, score?))
        .flatten()
}

/// The choices of one selection or of a list; those that no longer exist are omitted.
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

/// The key of an api_code in a filter; otherwise what the value must be.
pub fn key(value: &Json) -> Result<Key, Reason> {
    match value.as_str() {
        Some("") => Err(Reason::Empty),
        Some(code) => Ok(Key::Code(code.to_owned())),
        None => Err(Reason::MustBe(Expected::Other("a choice's api_code"))),
    }
}

/// What is taken of the quota of a choice: one.
pub fn take(code: &str, at: String) -> Take {
    Take { counter: code.to_owned(), amount: 1, at }
}

/// The quota that selections use of their choices: one each.
pub fn takes(stored: &Json) -> Vec<Take> {
    let take = |(selection, at): (&Json, String)| {
        let code = code_of(selection);
        (!code.is_empty()).then(|| take(code, at))
    };
    match stored {
        Json::Array(several) => {
            let several = several.iter().enumerate();
            let several = several.map(|(i, selection)| (selection, format!("[{i}]")));
            several.filter_map(take).collect()
        }
        one => take((one, String::new())).into_iter().collect(),
    }
}

/// The quota of a choice.
pub fn limit(choices: &[Choice], code: &str) -> Option<Limit> {
    let place = choices.iter().position(|choice| choice.api_code == code)?;
    Limit::of(choices[place].quota, || format!("choices[{place}].quota"))
}

/// Adds what is left of the quotas to the choices that respondents see.
pub fn show_remaining(choices: &[Choice], shown: &mut Json, taken: Taken) {
    let shown = shown.get_mut("choices").and_then(Json::as_array_mut);
    for own in shown.into_iter().flatten() {
        let code = own["api_code"].as_str().unwrap_or_default();
        let remaining = limit(choices, code).map(|limit| limit.remaining(taken(code)));
        put_remaining(own, remaining);
    }
}

/// The definition as respondents see it: without hidden choices, quotas and scores.
pub fn for_respondent(mut own: Json) -> Json {
    if let Some(choices) = own.get_mut("choices").and_then(Json::as_array_mut) {
        choices.retain(|choice| choice["hidden"] != json!(true));
        for choice in choices {
            if let Some(choice) = choice.as_object_mut() {
                choice.shift_remove("quota");
                choice.shift_remove("score");
            }
        }
    }
    own
}

impl Choice {
    pub fn code(&self) -> &str {
        &self.api_code
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether respondents don't see it.
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The key of the text that belongs to this choice.
    fn text_key(&self) -> Option<&'static str> {
        if self.is_other { Some("other_text") } else { self.allow_extended_text.then_some("extended_text") }
    }
}

/// The posted selection of a choice, in the write shape. Its text is posted under the choice's code
/// (`field_2.CODE.other_text`), since a page without JavaScript posts those of all choices.
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
pub fn one_of_form(part: &FormPart) -> Json {
    let value = part.member("value").unwrap_or(part);
    match part.first().or_else(|| value.first()) {
        Some(code) => form_value(part, code),
        None => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::kind::Used;
    use crate::fields::kinds::KINDS;

    fn list(raw: Json, known: &[String], retired: &[String]) -> (Vec<Choice>, Vec<String>) {
        let mut at = Issues::new();
        let cx = BuildCx { kinds: KINDS, known, retired, ..BuildCx::default() };
        let choices = read(&mut Reader::new(json!({"choices": raw}), &mut at), &cx);
        (choices, at.into_list().into_iter().map(|issue| issue.attribute).collect())
    }

    fn drinks() -> Vec<Choice> {
        let raw = json!([
            {"api_code": "a", "label": "Tea", "score": 1, "quota": 2},
            {"api_code": "h", "label": "Gin", "hidden": true},
            {"api_code": "o", "label": "Other", "is_other": true},
            {"api_code": "x", "label": "Juice", "allow_extended_text": true},
        ]);
        list(raw, &[], &[]).0
    }

    #[test]
    fn names_are_given_once_and_never_again() {
        let (choices, faults) =
            list(json!([{"label": "A"}, {"label": "B"}, {"api_code": "mine", "label": "C"}]), &[], &[]);
        let codes: HashSet<&str> = choices.iter().map(|choice| choice.api_code.as_str()).collect();
        assert_eq!((codes.len(), faults.len()), (3, 0));
        assert!(codes.contains("mine") && codes.iter().all(|code| code.len() >= 4));
        let known = ["kept".to_owned(), "gone".to_owned()];
        let raw = json!([{"api_code": "kept", "label": "A"}, {"api_code": "new", "label": "B"}, {"api_code": "gone", "label": "C"}]);
        assert_eq!(list(raw, &known, &known[1..]).1, ["choices[2].api_code"]);
    }

    #[test]
    fn a_selection_holds_what_its_choice_takes() {
        let stored = |respondent, raw: Json| {
            let mut at = Issues::new();
            let stored = parse(&drinks(), raw, &Cx::of_a_test(respondent), &mut at);
            let faults = at.into_list().into_iter().map(|issue| issue.attribute).collect::<Vec<_>>();
            (stored, faults)
        };
        let all = |value: &str| json!({"value": value, "other_text": "1", "extended_text": "2"});
        let fine = |stored: Json| (stored, Vec::new());
        assert_eq!(stored(true, all("a")), fine(json!({"value": "a"})));
        assert_eq!(stored(true, all("o")), fine(json!({"value": "o", "other_text": "1"})));
        assert_eq!(stored(true, all("x")), fine(json!({"value": "x", "extended_text": "2"})));
        assert_eq!(stored(false, json!("h")), fine(json!({"value": "h"})));
        assert_eq!(stored(true, json!("h")).1, [""]);
        assert_eq!(stored(true, json!({"value": "o", "other_text": 1})).1, ["other_text"]);
    }

    #[test]
    fn a_selection_takes_one_of_its_quota() {
        let take = |counter: &str, at: &str| take(counter, at.to_owned());
        let tea = json!({"value": "a"});
        assert_eq!(takes(&tea), [take("a", "")]);
        let both = json!([{"value": "gone"}, {"value": "x"}, tea]);
        assert_eq!(
            takes(&both),
            [take("gone", "[0]"), take("x", "[1]"), take("a", "[2]")],
            "what was taken is given back, also of a choice that is gone"
        );
        assert_eq!(takes(&Json::Null), []);
        let limit = limit(&drinks(), "a").expect("a limit");
        assert_eq!((limit.most, limit.at.as_str()), (2, "choices[0].quota"));
        for unlimited in ["x", "gone"] {
            assert_eq!(super::limit(&drinks(), unlimited), None);
        }
    }

    #[test]
    fn what_is_left_is_shown_of_choices_with_a_quota() {
        let mut shown = for_respondent(json!({"choices": drinks()}));
        show_remaining(&drinks(), &mut shown, &|_| Used { taken: 5, held: None });
        let left: Vec<&Json> =
            shown["choices"].as_array().expect("choices").iter().map(|choice| &choice["remaining"]).collect();
        assert_eq!(left, [&json!(0), &Json::Null, &Json::Null]);
        assert_eq!(shown["choices"][0].get("held"), None);
        show_remaining(&drinks(), &mut shown, &|_| Used { taken: 1, held: Some(1) });
        assert_eq!((&shown["choices"][0]["remaining"], &shown["choices"][0]["held"]), (&json!(1), &json!(1)));
        assert_eq!(shown["choices"][1].get("held"), None, "it has no limit");
    }

    #[test]
    fn what_is_gone_is_pruned() {
        let selection = json!({"value": "a", "other_text": "typed when it could be"});
        assert_eq!(prune(&drinks(), selection), Some(json!({"value": "a"})));
        assert_eq!(prune(&drinks(), json!({"value": "gone"})), None);
    }

    #[test]
    fn people_read_labels_and_respondents_see_no_secrets() {
        let text = |selection: Json| text(&drinks(), &selection);
        assert_eq!(text(json!({"value": "x", "extended_text": "apple"})), "Juice: apple");
        assert_eq!(text(json!({"value": "gone"})), "gone");
        let shown = for_respondent(json!({"choices": drinks()}));
        assert_eq!(
            shown,
            json!({"choices": [
                {"api_code": "a", "label": "Tea"},
                {"api_code": "o", "label": "Other", "is_other": true},
                {"api_code": "x", "label": "Juice", "allow_extended_text": true},
            ]})
        );
    }
}
