//! Questions of every kind that can be filled in ahead, with an answer to each, and a browser's post of a page.

pub mod alike;
pub mod defaults;
pub mod examples;
pub mod prefilled;

use serde_json::{Value, json};
use support::field;

use super::choices;
use super::controls::{attribute, plain};

/// A kind, its own keys, and an answer in the shape in which answers are written.
pub fn kinds() -> Vec<(&'static str, Value, Value)> {
    let three = json!({"choices": choices(["aaaa", "bbbb", "cccc"])});
    let with_other = json!({"choices": [
        {"api_code": "aaaa", "label": "A"}, {"api_code": "else", "label": "Else", "is_other": true},
    ]});
    let rows = json!([{"api_code": "row1", "label": "One"}, {"api_code": "row2", "label": "Two"}]);
    let tree = json!([{"api_code": "aaaa", "label": "A", "children": [{"api_code": "bbbb", "label": "B"}]}]);
    let columns = json!([field("short_text", json!({"label": "Name"})), field("number", json!({"label": "Age"}))]);
    let goods =
        json!([{"api_code": "teas", "name": "Tea", "price": 3}, {"api_code": "cake", "name": "Cake", "price": 4}]);
    let tours = json!([{"api_code": "tour", "name": "Tour", "quota_setting": {
        "kind": "weekly", "start_date": "2090-01-01", "weekly_quotas": [{"weekday": 6, "quota": 10}]}}]);
    let address = json!({"address_line1": "1 Dorset Street", "city": "London", "state": "GB-LND",
        "postal_code": "W1U 4EG", "country": "GB"});
    vec![
        ("short_text", json!({}), json!("A \"quoted\" & <b>")),
        ("long_text", json!({}), json!("One\nTwo")),
        ("name", json!({}), json!("Ada Lovelace")),
        ("email", json!({}), json!("ada@example.org")),
        ("url", json!({}), json!("https://example.org/?a=1&b=2")),
        ("phone", json!({}), json!({"country_id": "GB", "number": "2079460018"})),
        ("number", json!({"precision": 1}), json!(12.5)),
        ("date", json!({}), json!("2090-06-05")),
        ("time", json!({}), json!({"hour": 9, "minute": 30})),
        ("radio", with_other.clone(), json!({"value": "else", "other_text": "Weaving"})),
        ("checkbox", three.clone(), json!(["aaaa", "cccc"])),
        ("image_radio", three.clone(), json!("bbbb")),
        ("image_checkbox", three.clone(), json!(["bbbb", "cccc"])),
        ("dropdown", three.clone(), json!("cccc")),
        ("cascade", json!({"choices": tree}), json!({"level_1": "aaaa", "level_2": "bbbb"})),
        ("ranking", three.clone(), json!({"aaaa": 2, "bbbb": 3, "cccc": 1})),
        ("rating", json!({}), json!(4)),
        ("nps", json!({}), json!(0)),
        (
            "likert",
            json!({"statements": rows, "choices": choices(["aaaa", "bbbb"])}),
            json!({"row1": ["aaaa"], "row2": ["bbbb"]}),
        ),
        (
            "matrix_rating",
            json!({"statements": rows, "dimensions": [{"api_code": "col1", "label": "Taste"}]}),
            json!({"row1": {"col1": 2}, "row2": {"col1": 5}}),
        ),
        (
            "matrix",
            json!({"statements": rows, "dimensions": columns}),
            json!({"row1": {"field_1": "Ada", "field_2": 36}, "row2": {"field_1": "Bob", "field_2": 7}}),
        ),
        (
            "table",
            json!({"dimensions": columns}),
            json!([{"field_1": "Ada", "field_2": 36}, {"field_1": "Bob", "field_2": 7}]),
        ),
        ("address", json!({}), address),
        ("location", json!({}), json!({"longitude": -0.15, "latitude": 51.52, "address": "At the corner"})),
        ("product", json!({"goods_items": goods}), json!([{"api_code": "cake", "number": 2}])),
        ("booking", json!({"reservation_items": tours}), json!([{"api_code": "tour", "scheduled_at": "2090-06-03"}])),
    ]
}

/// The questions of all kinds, `field_1` and so on.
pub fn fields() -> Value {
    kinds().into_iter().map(|(kind, own, _)| field(kind, own)).collect()
}

/// A query that fills in all of them, or the one with this place.
pub fn query(only: Option<usize>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (at, (_, _, answer)) in kinds().into_iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at)) {
        query.append_pair(&format!("field_{}", at + 1), &answer.as_str().map_or(answer.to_string(), str::to_owned));
    }
    query.finish()
}

/// A browser's post of the questions of a page: the filled-in values.
pub fn filled(page: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut select = String::new();
    for part in page.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let (name, value) = (attribute(tag, "name").unwrap_or_default(), attribute(tag, "value").unwrap_or_default());
        let kind = attribute(tag, "type").unwrap_or_default();
        match tag.split([' ', '>']).next().unwrap_or_default() {
            "select" => select = name,
            "option" if tag.contains(" selected") => pairs.push((select.clone(), value)),
            "textarea" => pairs.push((name, plain(text.strip_prefix('\n').unwrap_or(text)))),
            "input" if !["checkbox", "radio"].contains(&&*kind) || tag.contains(" checked") => {
                pairs.push((name, value))
            }
            _ => {}
        }
    }
    pairs.retain(|(name, value)| name.starts_with("field_") && !value.is_empty());
    pairs
}

/// The same as the page's button posts it.
pub fn posted(page: &str) -> Vec<(String, String)> {
    let mut pairs = filled(page);
    pairs.push(("_page".to_owned(), "0".to_owned()));
    pairs
}

pub fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (&**name, &**value)).collect()
}
