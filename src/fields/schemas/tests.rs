//! Samples and odd values against the schemas of their kinds.

use super::*;
use crate::base::issue::Issues;
use crate::fields::kind::{Cx, Sample};
use crate::fields::schemas::examples::parsed;
use crate::fields::schemas::join::join;

fn each(f: impl Fn(&'static KindRow, &Sample, &dyn Kind)) {
    for row in KINDS {
        for sample in row.samples {
            let kind = build(row, sample);
            if kind.has_value() {
                f(row, sample, kind.as_ref());
            }
        }
    }
}

fn validator(schema: &Json) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).expect("a schema")
}

/// Values of every shape that some kind takes, and of some that none does.
fn odd_values() -> Vec<Json> {
    let mut all = vec![
        json!(true),
        json!(0),
        json!(-1),
        json!(2.5),
        json!(11),
        json!("x"),
        json!([]),
        json!([1]),
        json!([[]]),
        json!([{}]),
        json!({}),
        json!({"x": 1}),
        json!({"value": 1}),
        json!({"value": []}),
    ];
    for row in KINDS {
        all.extend(examples(row).into_iter().filter_map(|example| example.write));
    }
    all
}

#[test]
fn samples_keep_to_the_schemas_of_their_own_definition() {
    each(|row, sample, kind| {
        if kind.is_written() {
            let write = parsed(sample.write);
            assert!(validator(&kind.write_schema()).is_valid(&write), "{}: {write}", row.name);
        }
        let cx = Cx::of_a_test(false);
        let stored = parsed(sample.stored);
        if stored.is_null() {
            return;
        }
        let read = kind.read(&stored, &cx);
        assert!(validator(&kind.read_schema()).is_valid(&read), "{}: {read}", row.name);
    });
}

#[test]
fn what_is_taken_keeps_to_the_schema_and_what_is_read_too() {
    let odd = odd_values();
    each(|row, _, kind| {
        if !kind.is_written() {
            return;
        }
        let cx = Cx::of_a_test(false);
        let (write, read) = (validator(&kind.write_schema()), validator(&kind.read_schema()));
        assert!(!write.is_valid(&json!(true)), "{}: anything goes", row.name);
        for value in &odd {
            let mut at = Issues::new();
            let stored = kind.parse(value.clone(), &cx, &mut at);
            if !at.is_empty() || crate::fields::values::is_blank(&stored) {
                continue;
            }
            assert!(write.is_valid(value), "{}: {value} is taken", row.name);
            let shown = kind.read(&stored, &cx);
            assert!(read.is_valid(&shown), "{}: {shown} is read", row.name);
        }
    });
}

#[test]
fn names_of_one_definition_are_not_in_the_schema_of_all() {
    let components = components();
    let radio = &components["RadioValue"];
    assert_eq!(radio["properties"]["value"], json!({"type": "string"}));
    assert_eq!(radio["required"], json!(["value"]));
    assert_eq!(components["NumberValue"]["type"], "number");
    assert!(components["NumberValue"].get("minimum").is_none());
}

#[test]
fn what_is_true_of_two_is_joined() {
    let a = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 5}}, "required": ["a", "b"]});
    let b =
        json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 7}, "c": {}}, "required": ["a"]});
    let both =
        json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 7}, "c": {}}, "required": ["a"]});
    assert_eq!(join(a, b), both);
    let mixed = join(json!({"type": "string"}), json!({"type": "number"}));
    assert_eq!(mixed, json!({"anyOf": [{"type": "string"}, {"type": "number"}]}));
    assert_eq!(join(mixed.clone(), json!({"type": "number"})), mixed);
}
