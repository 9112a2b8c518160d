//! Refused conditions: for their field, their operator, their value.

use serde_json::{Value, json};
use support::{Server, field};

use crate::entries::filters::{Asked, choice, tea_and_coffee};

const OPERATORS: &[&str] = &[
    "any_in",
    "between",
    "eq",
    "gt",
    "gte",
    "like",
    "lt",
    "lte",
    "ne",
    "none_in",
    "not_between",
    "not_like",
    "not_null",
    "null",
];
const TEXT: &str = "eq, ne, any_in, none_in, like, not_like, null, not_null";
const NUMBER: &str = "eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, null, not_null";
const DATE: &str = "eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, like, null, not_null";
const CHOICE: &str = "eq, ne, any_in, none_in, like, null, not_null";
const SCORE: &str = "eq, ne, any_in, none_in, gt, gte, lt, lte, null, not_null";

/// Every type that can be filtered: its own keys, the operators of the spec's table, and a value.
pub fn filterable() -> Vec<(&'static str, Value, &'static str, Value)> {
    let weekly = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": null}]});
    let items = json!([{"api_code": "room", "name": "Room", "quota_setting": weekly}]);
    let goods = json!([{"api_code": "cake", "name": "Cake", "price": 5}]);
    let tree = json!([{"api_code": "cn", "label": "China", "children": [choice("sh", "Shanghai")]}]);
    let one = || json!({ "choices": tea_and_coffee() });
    vec![
        ("short_text", json!({}), TEXT, json!("x")),
        ("long_text", json!({}), TEXT, json!("x")),
        ("email", json!({}), TEXT, json!("x")),
        ("phone", json!({}), TEXT, json!("x")),
        ("name", json!({}), TEXT, json!("x")),
        ("url", json!({}), TEXT, json!("x")),
        ("number", json!({}), NUMBER, json!(5)),
        ("date", json!({}), DATE, json!("2026-11-20")),
        ("time", json!({}), CHOICE, json!("10:30")),
        ("dropdown", one(), CHOICE, json!("tea")),
        ("radio", one(), CHOICE, json!("tea")),
        ("checkbox", one(), CHOICE, json!("tea")),
        ("image_radio", one(), CHOICE, json!("tea")),
        ("image_checkbox", one(), CHOICE, json!("tea")),
        ("nps", json!({}), SCORE, json!(5)),
        ("rating", json!({}), SCORE, json!(5)),
        ("cascade", json!({ "choices": tree }), CHOICE, json!({"level_1": "cn"})),
        ("address", json!({}), CHOICE, json!({"city": "Shanghai"})),
        ("product", json!({ "goods_items": goods }), "any_in, none_in, like, null, not_null", json!("cake")),
        ("booking", json!({ "reservation_items": items }), NUMBER, json!("2026-11-20")),
        ("attachment", json!({}), "like, null, not_null", json!("x")),
        ("signature", json!({}), "null, not_null", json!("x")),
        ("formula", json!({"expression": "1 + 1", "result_type": "number"}), NUMBER, json!(5)),
        ("formula", json!({"expression": "today()", "result_type": "date"}), DATE, json!("2026-11-20")),
        ("formula", json!({"expression": "\"a\"", "result_type": "text"}), TEXT, json!("x")),
    ]
}

/// The value in the shape that the operator takes.
fn shaped(operator: &str, value: &Value) -> Value {
    match operator {
        "any_in" | "none_in" => json!([value]),
        "between" | "not_between" => json!([value, value]),
        "like" | "not_like" => json!("x"),
        "null" | "not_null" => Value::Null,
        _ => value.clone(),
    }
}

#[test]
fn every_type_takes_its_operators_and_no_other() {
    for (kind, own, allowed, value) in filterable() {
        let asked = Asked::new("UTC", json!([field(kind, own)]), &[]);
        for operator in OPERATORS {
            let value = shaped(operator, &value);
            if allowed.split(", ").any(|known| known == *operator) {
                asked.finds("field_1", operator, value, &[]);
            } else {
                let message = asked.refuses("field_1", operator, value, "operator");
                assert_eq!(message, format!("filters[0].operator: must be one of {allowed}"), "{kind}");
            }
        }
        for operator in ["equals", "EQ", "", "is", "not"] {
            asked.refuses("field_1", operator, value.clone(), "operator");
        }
    }
}

#[test]
fn what_cannot_be_filtered_is_refused_by_its_field() {
    let owner = Server::shared().user();
    let linked = owner.form(json!([field("name", json!({})), field("location", json!({})), field("phone", json!({}))]));
    let columns = json!([field("short_text", json!({})), field("number", json!({}))]);
    let statements = json!([{"api_code": "s1", "label": "One"}]);
    let dimensions = json!([{"api_code": "d1", "label": "One"}]);
    let form = owner.form(json!([
        field("location", json!({})),
        field("audio", json!({})),
        field("likert", json!({"statements": statements, "choices": tea_and_coffee()})),
        field("ranking", json!({"choices": tea_and_coffee()})),
        field("matrix_rating", json!({"statements": statements, "dimensions": dimensions, "rating_max": 5})),
        field("page_break", json!({})),
        field("description", json!({"content": "x"})),
        field("matrix", json!({"statements": statements, "dimensions": columns})),
        field("table", json!({"dimensions": columns})),
        field(
            "linked_form",
            json!({
                "form_token": linked.token, "search_fields": ["field_1"],
                "display_fields": [{"api_code": "field_2", "public": true}],
            })
        ),
    ]));
    let asked = Asked { owner, form };
    for operator in OPERATORS {
        for place in 1..=10 {
            let value = shaped(operator, &json!("x"));
            asked.refuses(&format!("field_{place}"), operator, value, "field");
        }
    }
    // The message names the fields inside of it.
    for (code, use_this) in [
        ("field_8", "field_8.field_1, field_8.field_2"),
        ("field_9", "field_9.field_1, field_9.field_2"),
        ("field_10", "field_10_associated_serial_number, field_10_associated_field_1"),
    ] {
        let message = asked.refuses(code, "eq", json!("x"), "field");
        assert_eq!(
            message,
            format!("filters[0].field: can't be filtered itself, only what is inside it (use {use_this})")
        );
    }
    let all = "field_8.field_1, field_8.field_2, field_9.field_1, field_9.field_2, \
               field_10_associated_serial_number, field_10_associated_field_1, serial_number, created_at, \
               updated_at";
    for code in [
        "field_11",
        "field_0",
        "",
        "FIELD_8",
        "field_8.",
        "field_8.field_3",
        "field_8.s1",
        "field_1.field_1",
        "field_9.field_1.field_1",
        "field_9[0].field_1",
        "token",
        "field_10.field_1",
        "field_10_associated_",
        // Neither searched nor shown there (S42).
        "field_10_associated_field_3",
        "field_10_associated_created_at",
        "field_10_associated_token",
        "field_9_associated_field_1",
    ] {
        let message = asked.refuses(code, "eq", json!("x"), "field");
        assert_eq!(message, format!("filters[0].field: is not a field of this form (use {all})"), "{code}");
    }
    // Shown, but a place can't be filtered; nor can the entry's own properties beyond three.
    for code in ["field_10_associated_field_2", "creator_name", "info_filling_duration", "exam_score", "total_price"] {
        let message = asked.refuses(code, "null", Value::Null, "field");
        assert_eq!(message, format!("filters[0].field: can't be filtered (use {all})"), "{code}");
    }
}

#[test]
fn values_have_the_shape_that_operator_and_type_ask_for() {
    for (kind, own, allowed, value) in filterable() {
        let asked = Asked::new("UTC", json!([field(kind, own)]), &[]);
        let is_set = kind.ends_with("checkbox");
        for operator in allowed.split(", ") {
            let bad: Vec<Value> = match operator {
                // An array for another `eq`, and `""`.
                "eq" | "ne" if is_set => vec![json!(5), json!(true), json!(""), json!({}), Value::Null, json!([5])],
                "eq" | "ne" | "gt" | "gte" | "lt" | "lte" => {
                    vec![json!([value]), json!([]), json!(true), json!(""), Value::Null]
                }
                // A bare scalar or `[]`.
                "any_in" | "none_in" => {
                    vec![value.clone(), json!([]), json!(true), Value::Null, json!([value, true]), json!([[value]])]
                }
                "between" | "not_between" => vec![
                    value.clone(),
                    json!([]),
                    json!([value]),
                    json!([value, value, value]),
                    json!([value, null]),
                    json!([value, true]),
                    json!({"0": value, "1": value}),
                    Value::Null,
                ],
                // Always a single string.
                "like" | "not_like" => {
                    vec![json!(""), json!(["x"]), json!(5), json!({}), Value::Null]
                }
                _ => Vec::new(),
            };
            for value in bad {
                asked.refuses("field_1", operator, value, "value");
            }
            // A value beside null or not_null is ignored.
            if operator.ends_with("null") {
                for value in [json!(5), json!("x"), json!([]), json!({}), json!("")] {
                    asked.finds("field_1", operator, value, &[]);
                }
            }
        }
    }
    // Values that look like the type but are of another.
    for (kind, own, bad) in [
        ("number", json!({}), json!("5")),
        ("nps", json!({}), json!("5")),
        ("rating", json!({}), json!("5")),
        ("short_text", json!({}), json!(5)),
        ("date", json!({}), json!(20261120)),
        ("date", json!({}), json!("2026-02-30")),
        ("date", json!({}), json!("20.11.2026")),
        ("date", json!({}), json!("tomorrow")),
        ("time", json!({}), json!("25:00")),
        ("time", json!({}), json!("10")),
        ("time", json!({}), json!({"hour": 10, "minute": 30})),
        ("dropdown", json!({ "choices": tea_and_coffee() }), json!({"value": "tea"})),
        ("phone", json!({}), json!({"country_id": "CN", "number": "1"})),
        ("address", json!({}), json!({})),
        ("address", json!({}), json!({"town": "x"})),
    ] {
        let asked = Asked::new("UTC", json!([field(kind, own)]), &[]);
        asked.refuses("field_1", "eq", bad, "value");
    }
    let asked = Asked::new("UTC", json!([field("number", json!({}))]), &[]);
    for field in ["serial_number", "created_at", "updated_at"] {
        for (operator, value) in
            [("eq", json!(true)), ("eq", json!([1])), ("any_in", json!(1)), ("between", json!([1]))]
        {
            asked.refuses(field, operator, value, "value");
        }
    }
    asked.refuses("serial_number", "eq", json!("1"), "value");
    asked.refuses("created_at", "eq", json!(1), "value");
    asked.refuses("serial_number", "like", json!("1"), "operator");
    asked.refuses("created_at", "not_like", json!("1"), "operator");
}

#[test]
fn an_address_is_utf_8() {
    let asked = Asked::new("UTC", json!([field("short_text", json!({}))]), &[json!({"field_1": "\u{fffd}"})]);
    let filters = |text: &str| {
        format!("filters=%5B%7B%22field%22:%22field_1%22,%22operator%22:%22eq%22,%22value%22:%22{text}%22%7D%5D")
    };
    for list in ["entries", "entries/report", "entries/export", "trash/entries"] {
        let get = |query: &str| asked.owner.get(format!("{}/{list}?format=csv&{query}", asked.form.path()));
        assert_eq!(get(&filters("%EF%BF%BD")).status, 200);
        for broken in ["%FF", "%E2%82", "%C0%80", "%ED%A0%80"] {
            assert_eq!(get(&filters(broken)).status, 400, "{list} {broken}");
            assert_eq!(get(&format!("keyword={broken}")).status, 400, "{list} {broken}");
        }
    }
    // A page makes the best of it.
    let page = asked.owner.get(format!("/f/{}?field_1=%FF", asked.form.token));
    assert_eq!(page.status, 200, "{page}");
}
