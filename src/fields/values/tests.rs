//! Defaults, faults by field, updates, and spliced text.

use std::sync::Arc;

use super::*;
use crate::fields::definition::Definition;
use crate::fields::kinds::KINDS;
use crate::fields::values::stored;

fn fields(raw: Json) -> Arc<Fields> {
    let mut at = Issues::new();
    let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition.fields
}

fn form() -> Arc<Fields> {
    fields(json!([
        {"type": "short_text", "label": "a", "required": true},
        {"type": "number", "label": "b", "hidden": true, "default_value": 7},
        {"type": "description", "label": "c"},
        {"type": "date", "label": "d", "default_value": "today"},
    ]))
}

fn none() -> Rules {
    Rules::read(&json!([]), &form(), &Cx::of_a_test(false)).0
}

fn faults(at: Issues) -> Vec<String> {
    let list = at.into_list().into_iter();
    list.map(|issue| issue.to_string()).collect()
}

#[test]
fn new_entries_take_defaults_and_drop_what_is_not_theirs() {
    let given = json!({"field_1": "x", "field_2": 5, "field_3": "y", "field_9": 1, "id": 1});
    let made = |respondent, given: Json| {
        let mut at = Issues::new();
        let checked = create(&form(), &none(), given, &Cx::of_a_test(respondent), &mut at);
        assert_eq!(faults(at), Vec::<String>::new());
        Json::Object(checked.values)
    };
    assert_eq!(made(true, given.clone()), json!({"field_1": "x", "field_2": 7, "field_4": "2026-11-20"}));
    assert_eq!(made(false, given), json!({"field_1": "x", "field_2": 5, "field_4": "2026-11-20"}));
    let cleared = json!({"field_1": "x", "field_2": null, "field_4": null});
    assert_eq!(made(false, cleared), json!({"field_1": "x"}));
}

#[test]
fn every_fault_is_found_under_its_field() {
    let mut at = Issues::new();
    create(&form(), &none(), json!({"field_2": "x", "field_4": "y"}), &Cx::of_a_test(false), &mut at);
    assert_eq!(
        faults(at),
        [
            "field_values.field_1 can't be blank",
            "field_values.field_2 must be a number",
            "field_values.field_4 must be a date in the format YYYY-MM-DD",
        ]
    );
    for odd in [json!(null), json!([]), json!("x")] {
        let mut at = Issues::new();
        create(&form(), &none(), odd, &Cx::of_a_test(false), &mut at);
        assert_eq!(faults(at), ["field_values must be an object"]);
    }
}

#[test]
fn an_update_changes_the_named_fields_alone() {
    let Json::Object(old) = json!({"field_1": "x", "field_2": 5, "field_9": "gone"}) else {
        panic!("an object");
    };
    let changed = |given: Json| {
        let mut at = Issues::new();
        let checked = update(&form(), &none(), &old, given, &Cx::of_a_test(false), &mut at);
        (Json::Object(checked.values), faults(at))
    };
    let none = Vec::<String>::new();
    // No default comes back, and values of unknown fields are dropped.
    assert_eq!(changed(json!({})), (json!({"field_1": "x", "field_2": 5}), none.clone()));
    assert_eq!(changed(json!({"field_2": null})), (json!({"field_1": "x"}), none));
    let (_, faults) = changed(json!({"field_1": " "}));
    assert_eq!(faults, ["field_values.field_1 can't be blank"]);
}

#[test]
fn blank_is_nothing_to_read() {
    for blank in [json!(null), json!(""), json!(" \n"), json!([]), json!({})] {
        assert!(is_blank(&blank), "{blank}");
    }
    for value in [json!("x"), json!(0), json!(false), json!([null]), json!({"a": null})] {
        assert!(!is_blank(&value), "{value}");
    }
}

#[test]
fn spliced_text_says_what_reading_says() {
    for row in KINDS {
        for sample in row.samples {
            let mut raw: Json = serde_json::from_str(sample.definition).expect("JSON");
            raw["type"] = json!(row.name);
            raw["label"] = json!("a label");
            let fields = fields(json!([raw]));
            let Some(field) = fields.with_values().next() else {
                continue;
            };
            let value: Json = serde_json::from_str(sample.stored).expect("JSON");
            for stored in [json!({"field_1": value, "field_2": "of another"}), json!({})] {
                let mut out = String::from("{\"serial_number\":1");
                write_members(fields.with_values(), &stored::of_test(&stored), &Cx::of_a_test(false), &mut out)
                    .expect("an object");
                out.push('}');
                let read = read(field, stored.get("field_1"), &Cx::of_a_test(false));
                let written: Json = serde_json::from_str(&out).expect("JSON");
                assert_eq!(written, json!({"serial_number": 1, "field_1": read}), "{}", row.name);
            }
        }
    }
    let mut out = String::new();
    assert!(write_members(form().with_values(), "[]", &Cx::of_a_test(false), &mut out).is_err());
}
