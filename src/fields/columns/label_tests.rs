//! Values survive the way into cells and back whatever the labels are: equal to another's code, to another's label but
//! for blanks or case, or to two others side by side.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

use super::form::Headers;
use super::tests::{form, there_and_back};
use crate::base::cases::cases;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::columns::trimmed;
use crate::fields::kind::Cx;

const CODES: [&str; 4] = ["a", "b", "c", "d"];

const LABELS: &[&str] = &[
    "a",
    "A",
    "b",
    " b",
    "c\u{3000}",
    "d",
    "Tea",
    "tea",
    "Ｔｅａ",
    " Tea",
    "Milk",
    "Tea, Milk",
    "tea,milk",
    "a, b",
    "a,b",
    "\"Tea\"",
    "\"Tea\", Milk",
    "\"",
    ",",
    "'",
    "=Tea",
    "-",
    "Tea\nMilk",
    "a\nb",
    "Tea · Milk",
    "a · b",
    "field_1",
    "field_2 (field_2)",
    "field_3.a",
    "1",
    "{\"a\": 1}",
    "[]",
];

/// Codes of statements, different from those of choices.
const STATEMENTS: [&str; 4] = ["p", "q", "r", "s"];

fn statement(code: &str) -> &'static str {
    let place = CODES.iter().position(|known| *known == code);
    STATEMENTS[place.expect("a code")]
}

/// Items with these codes and labels.
fn named(codes: &[&str], labels: &[&str], label: &str) -> Vec<Json> {
    let both = codes.iter().zip(labels);
    both.map(|(code, text)| json!({"api_code": code, label: text})).collect()
}

fn fields(labels: &[&str]) -> Json {
    let choices = named(&CODES, labels, "label");
    let statements = named(&STATEMENTS, labels, "label");
    let mut with_text = choices.clone();
    with_text[3]["is_other"] = json!(true);
    with_text[0]["allow_extended_text"] = json!(true);
    let mut goods = named(&CODES, labels, "name");
    for good in &mut goods {
        good["price"] = json!(1);
        let options = named(&CODES, labels, "name");
        good["dimensions"] = json!([
            {"api_code": "x", "name": labels[0], "options": options},
            {"api_code": "y", "name": labels[1], "options": options},
        ]);
    }
    let mut bookable = named(&CODES, labels, "name");
    for item in &mut bookable {
        let quotas = json!([{"weekday": 1, "quota": null}]);
        item["quota_setting"] = json!({"kind": "weekly", "weekly_quotas": quotas});
    }
    let columns = json!([
        {"type": "checkbox", "label": labels[2], "choices": with_text},
        {"type": "radio", "label": labels[3], "choices": with_text},
    ]);
    let leaf = |i: usize, code: &str| json!({"api_code": code, "label": labels[i]});
    json!([
        {"type": "radio", "label": labels[0], "choices": with_text},
        {"type": "checkbox", "label": labels[1], "choices": with_text},
        {"type": "cascade", "label": labels[2], "choices": [
            {"api_code": "a", "label": labels[0], "children": [leaf(1, "c"), leaf(2, "d")]},
            {"api_code": "b", "label": labels[3], "children": [leaf(3, "e"), leaf(0, "f")]},
        ]},
        {"type": "ranking", "label": labels[3], "choices": choices},
        {"type": "likert", "label": labels[0], "statements": statements, "choices": choices, "multiple": true},
        {"type": "matrix", "label": labels[0], "statements": statements, "dimensions": columns},
        {"type": "table", "label": labels[0], "dimensions": columns},
        {"type": "product", "label": labels[0], "goods_items": goods},
        {"type": "booking", "label": labels[1], "reservation_items": bookable,
            "allow_multiple_items": true},
        {"type": "matrix_rating", "label": labels[2], "statements": statements, "dimensions": choices},
    ])
}

/// An answer to each field that chooses these.
fn answers(chosen: &[&str], text: &str) -> Json {
    let (first, last) = (chosen[0], chosen[chosen.len() - 1]);
    let selection = |code: &str| json!({"value": code, "other_text": text, "extended_text": text});
    let several: Vec<Json> = chosen.iter().map(|code| selection(code)).collect();
    let row = json!({"field_1": several, "field_2": selection(last)});
    let path = match first {
        "a" => json!({"level_1": "a", "level_2": if last == "a" { "d" } else { "c" }}),
        _ => json!({"level_1": "b", "level_2": if last == "b" { "f" } else { "e" }}),
    };
    let ranks = chosen.iter().zip(1..).map(|(code, rank)| ((*code).to_owned(), json!(rank)));
    let bookings = chosen.iter().map(|code| json!({"api_code": code, "scheduled_at": "2026-11-23"}));
    json!({
        "field_1": selection(first),
        "field_2": several,
        "field_3": path,
        "field_4": Json::Object(ranks.collect()),
        "field_5": {statement(first): chosen, statement(last): [last]},
        "field_6": {statement(first): row, statement(last): row},
        "field_7": [row, {"field_2": selection(first)}],
        "field_8": [
            {"api_code": first, "number": 2, "specification": {"x": first, "y": last}},
            {"api_code": last, "number": 1, "specification": {"x": last, "y": last}}],
        "field_9": bookings.collect::<Vec<_>>(),
        "field_10": {statement(first): {last: 3}},
    })
}

proptest! {
    // Each case makes a form of ten fields.
    #![proptest_config(ProptestConfig { cases: cases().cases / 8, ..cases() })]

    #[test]
    fn no_label_deceives(
        labels in prop::collection::vec(select(LABELS), 4),
        chosen in subsequence(CODES.to_vec(), 1..=4),
        text in select(LABELS),
    ) {
        let form = form(fields(&labels));
        let cx = Cx::of_a_test(false);
        let mut at = Issues::new();
        let answers = answers(&chosen, trimmed(text));
        let mut stored = answers;
        for (code, value) in stored.as_object_mut().expect("an object") {
            let kind = &form.fields.get(code).expect("a field").kind;
            *value = at.key(code, |at| kind.parse(value.take(), &cx, at));
        }
        prop_assert!(at.is_empty(), "{:?}", at.into_list());
        for headers in [Headers::Labels, Headers::ApiCodes] {
            let back = there_and_back(&form.fields, &stored, headers);
            prop_assert_eq!(&back, &stored);
        }
    }
}
