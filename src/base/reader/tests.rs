//! Faults with their paths, and the schemas that describing readers build.

use serde_json::json;

use super::*;
use crate::base::json::schema_builder;

#[test]
fn collects_every_fault_with_its_path() {
    let mut at = Issues::new();
    let body = json!({"a": 1, "n": 2.5, "list": [{"x": "ok"}, {"x": 7}, 3], "odd": 1});
    let mut reader = Reader::new(body, &mut at);
    reader.text("a", 10);
    reader.text("b", 10);
    reader.opt_int("n", 1..=5);
    reader.opt_objects("list", |item| item.text("x", 5));
    reader.close();
    let found: Vec<_> = at.into_list().into_iter().map(|issue| issue.to_string()).collect();
    assert_eq!(
        found,
        [
            "a must be a string",
            "b can't be blank",
            "n must be a whole number",
            "list[1].x must be a string",
            "list[2] must be an object",
            "odd is not allowed",
        ]
    );
}

/// One call of each kind.
fn read(reader: &mut Reader) {
    reader.text("name", 10);
    if reader.contains_key("title") {
        reader.text("title", 5);
    }
    reader.opt_word("scene", &[("form", 1), ("survey", 2)]);
    reader.patch_text("notes", 20);
    let list = reader.objects("list", |item| item.opt_int("n", 1..=5));
    assert!(list.is_none_or(|list| list.len() == 1));
    reader.note("list", || json!({"minItems": 1}));
    reader.opt_object("schedule", |inner| {
        if !inner.has("start") {
            inner.fault("start", Reason::Required);
        }
        inner.opt_time("start")
    });
    reader.opt_map("questions", |_, item| Some(item.opt_bool("scored")));
    let _ = reader.raw("value");
    reader.close();
}

#[test]
fn a_describing_reader_builds_the_schema_of_what_is_read() {
    let expected = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 10},
            "title": {"type": "string", "minLength": 1, "maxLength": 5},
            "scene": {"type": "string", "enum": ["form", "survey"]},
            "notes": {"type": ["string", "null"], "maxLength": 20},
            "list": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 5}},
                },
                "minItems": 1,
            },
            "schedule": {
                "type": "object",
                "properties": {"start": {"format": "date-time", "type": "string", "maxLength": 64}},
                "required": ["start"],
            },
            "questions": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {"scored": {"type": "boolean"}},
                },
            },
            "value": {},
        },
        "required": ["name", "list"],
        "additionalProperties": false,
    });
    assert_eq!(Reader::describe(read), expected);
}

#[test]
fn the_schema_of_a_recursive_object_is_finite() {
    fn tree(reader: &mut Reader) {
        reader.text("label", 5);
        reader.opt_objects("children", tree);
    }
    let text = Reader::describe(tree).to_string();
    assert_eq!(text.matches("label").count(), 2 * (1 + schema_builder::MAX_DEPTH));
}

#[test]
fn null_clears_where_a_body_patches() {
    let mut at = Issues::new();
    let mut reader = Reader::new(json!({"a": null, "b": "x", "c": 1}), &mut at);
    assert_eq!(reader.patch_text("a", 5), Patch::Null);
    assert_eq!(reader.patch_text("b", 5), Patch::Value("x".to_owned()));
    assert_eq!(reader.patch_text("c", 5), Patch::Absent);
    assert_eq!(reader.patch_text("d", 5), Patch::Absent);
    assert_eq!(at.count(), 1);
}
