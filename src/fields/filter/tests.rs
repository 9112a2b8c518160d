//! Faults and matches of filters. The conditions of each kind are tested with the kind.

use serde_json::json;

use super::*;
use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::fields::definition::Definition;
use crate::model::results::Results;

fn form() -> Definition {
    let mut at = Issues::new();
    let raw = json!([
        {"type": "short_text", "label": "Text"},
        {"type": "table", "label": "Table", "dimensions": [
            {"type": "short_text", "label": "Thing"},
            {"type": "number", "label": "Price"},
        ]},
        {"type": "linked_form", "label": "Person", "form_token": "LinkedForm",
         "search_fields": ["field_1"], "display_fields": [{"api_code": "field_3", "public": true}]},
        {"type": "location", "label": "Where"},
        {"type": "number", "label": "Number"},
        {"type": "phone", "label": "Phone"},
        {"type": "description", "label": "Words", "content": "x"},
    ]);
    let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn entry(serial: i64) -> Entry {
    Entry {
        serial,
        token: EntryToken::new("0"),
        created_at: Time::parse("2026-11-20T10:30:00Z").expect("a time"),
        updated_at: Time::parse("2026-11-21T10:30:00Z").expect("a time"),
        version: 1,
        creator_name: None,
        duration_secs: None,
        x_field_1: None,
        waiting_position: None,
        values: String::new(),
        results: Results::default(),
    }
}

fn read(conditions: &Json, keyword: Option<&str>) -> (Filter, Vec<String>) {
    let mut at = Issues::new();
    let cx = Cx::of_a_test(false);
    let filter = Filter::read(conditions, keyword, &form().fields, &cx, &mut at);
    let faults = at.into_list().into_iter();
    let faults = faults.map(|issue| issue.to_string());
    (filter, faults.collect())
}

fn holds(conditions: &Json, keyword: Option<&str>, values: &Json) -> bool {
    let (filter, faults) = read(conditions, keyword);
    assert_eq!(faults, [""; 0], "{conditions}");
    let form = form();
    let values = values.as_object().cloned().expect("an object");
    // The values that the filter says it reads are enough.
    let codes = filter.codes(&form.fields);
    let picked: Values = values.into_iter().filter(|(key, _)| codes.contains(&key.as_str())).collect();
    filter.holds(&form.fields, &entry(7), &picked, &Cx::of_a_test(false))
}

const ALL: &str = "field_1, field_2.field_1, field_2.field_2, field_3_associated_serial_number, \
                   field_3_associated_field_1, field_3_associated_field_3, field_5, field_6, \
                   serial_number, created_at, updated_at";

#[test]
fn every_fault_has_its_path_and_says_what_is_allowed() {
    let one =
        |field: &str, operator: &str, value: Json| json!([{"field": field, "operator": operator, "value": value}]);
    for (conditions, expected) in [
        (json!({}), vec!["filters must be a list of conditions".to_owned()]),
        (json!("x"), vec!["filters must be a list of conditions".to_owned()]),
        (
            json!([1, null]),
            vec![
                "filters[0] must be an object with field, operator and value".to_owned(),
                "filters[1] must be an object with field, operator and value".to_owned(),
            ],
        ),
        (
            json!([{}]),
            vec![
                "filters[0].field is required".to_owned(),
                format!("filters[0].operator {}", Op::must_be_one_of(&Op::ALL)),
            ],
        ),
        (one("field_9", "eq", json!("x")), vec![format!("filters[0].field is not a field of this form (use {ALL})")]),
        (
            one("field_1.field_1", "is", json!("x")),
            vec![
                format!("filters[0].field is not a field of this form (use {ALL})"),
                format!("filters[0].operator {}", Op::must_be_one_of(&Op::ALL)),
            ],
        ),
        (
            one("field_2", "null", Json::Null),
            vec![
                "filters[0].field can't be filtered itself, only what is inside it (use \
                 field_2.field_1, field_2.field_2)"
                    .to_owned(),
            ],
        ),
        (
            one("field_3", "eq", json!("x")),
            vec![
                "filters[0].field can't be filtered itself, only what is inside it (use \
                 field_3_associated_serial_number, field_3_associated_field_1, \
                 field_3_associated_field_3)"
                    .to_owned(),
            ],
        ),
        (
            one("field_4", "null", Json::Null),
            vec![format!("filters[0].field is of type location, which can't be filtered (use {ALL})")],
        ),
        // Not among what the link searches or shows (S42).
        (
            one("field_3_associated_field_2", "null", Json::Null),
            vec![format!("filters[0].field is not a field of this form (use {ALL})")],
        ),
        (one("creator_name", "null", Json::Null), vec![format!("filters[0].field can't be filtered (use {ALL})")]),
        (one("field_5", "like", json!(5)), vec![format!("filters[0].operator {}", Op::must_be_one_of(Op::NUMBER))]),
        (one("field_5", "eq", json!("5")), vec!["filters[0].value must be a number".to_owned()]),
        (
            one("field_1", "any_in", json!(["a", "b\u{0}"])),
            vec!["filters[0].value must not contain NUL characters".to_owned()],
        ),
        (
            json!(vec![json!({"field": "field_1", "operator": "null"}); 101]),
            vec!["filters may have at most 100 conditions".to_owned()],
        ),
    ] {
        let faults = read(&conditions, None).1;
        assert_eq!(faults, expected, "{conditions}");
    }
    let most = json!(vec![json!({"field": "field_1", "operator": "null"}); 100]);
    assert_eq!(read(&most, None).1, [""; 0]);
    for (keyword, fault) in [
        ("x".repeat(201), "keyword is too long (at most 200 characters)"),
        ("a\u{0}".to_owned(), "keyword must not contain NUL characters"),
    ] {
        assert_eq!(read(&Json::Null, Some(&keyword)).1, [fault]);
    }
}

#[test]
fn conditions_hold_together_each_by_any_cell() {
    let values = json!({
        "field_1": "Ada",
        "field_2": [{"field_1": "tea", "field_2": 3}, {"field_1": "cake", "field_2": 9}, {"field_2": 4}],
        "field_3": {"form_token": "LinkedForm", "entry_token": "0000000000000000000001", "serial_number": 1},
    });
    let all = |conditions: &[(&str, &str, Json)]| -> bool {
        let conditions = conditions.iter();
        let conditions = conditions.map(|(field, op, value)| json!({"field": field, "operator": op, "value": value}));
        holds(&conditions.collect(), None, &values)
    };
    assert!(all(&[]));
    assert!(all(&[("field_1", "eq", json!("ada")), ("serial_number", "lte", json!(7))]));
    assert!(!all(&[("field_1", "eq", json!("ada")), ("serial_number", "lt", json!(7))]));
    // Two conditions on a table may be met by different rows.
    assert!(all(&[("field_2.field_1", "eq", json!("tea")), ("field_2.field_2", "gt", json!(8))]));
    assert!(!all(&[("field_2.field_1", "ne", json!("tea"))]));
    assert!(all(&[("field_2.field_1", "ne", json!("milk"))]));
    assert!(!all(&[("field_2.field_2", "not_between", json!([9, 20]))]));
    assert!(all(&[("field_2.field_2", "not_between", json!([5, 8]))]));
    assert!(all(&[("field_2.field_1", "not_null", Json::Null)]));
    assert!(!all(&[("field_2.field_1", "null", Json::Null)]));
    assert!(all(&[("field_6", "null", Json::Null), ("field_6", "ne", json!("1"))]));
    assert!(all(&[("field_3_associated_field_1", "like", json!("LOVE"))]));
    assert!(!all(&[("field_3_associated_field_3", "eq", json!(35))]));
    assert!(all(&[("created_at", "eq", json!("2026-11-20")), ("updated_at", "gt", json!("2026-11-20"))]));
}

#[test]
fn a_keyword_is_part_of_any_text() {
    let values = json!({
        "field_1": "Straße 5",
        "field_2": [{"field_1": "Ｔｅａ %", "field_2": 42}],
        "field_5": 77,
        "field_6": {"country_id": "CN", "country_code": "86", "number": "13800138000"},
    });
    for (keyword, is) in [
        ("strasse", true),
        ("TEA %", true),
        ("138001", true),
        ("+86138", true),
        ("+86 138", true),
        ("138 0013", true),
        ("", true),
        ("t%a", false),
        ("42", false),
        ("77", false),
        ("strasse tea", false),
    ] {
        assert_eq!(holds(&Json::Null, Some(keyword), &values), is, "{keyword}");
    }
    assert!(!holds(&Json::Null, Some("x"), &json!({})));
}

#[test]
fn it_names_what_it_looks_at() {
    let form = form();
    let codes = |conditions: Json, keyword: Option<&str>| -> Vec<String> {
        let found = read(&conditions, keyword).0;
        found.codes(&form.fields).into_iter().map(str::to_owned).collect()
    };
    let blank = |field: &str| json!({"field": field, "operator": "null"});
    assert_eq!(codes(json!([blank("serial_number")]), None), [""; 0]);
    assert_eq!(
        codes(json!([blank("field_2.field_2"), blank("field_1"), blank("field_2.field_1")]), None),
        ["field_1", "field_2"]
    );
    assert_eq!(codes(json!([blank("field_3_associated_serial_number")]), None), ["field_3"]);
    assert_eq!(codes(json!([]), Some("x")), ["field_1", "field_2", "field_6"]);
    assert!(read(&json!([]), Some("")).0.is_empty());
    assert!(!read(&json!([]), Some(" ")).0.is_empty());
}
