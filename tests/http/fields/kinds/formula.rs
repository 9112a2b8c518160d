//! `formula`: computed when its entry is written, refused when its form is saved, read like any field.

use serde_json::{Value, json};
use support::{Caller, Server, field};

fn formula(expression: &str, result: &str) -> Value {
    field("formula", json!({"expression": expression, "result_type": result}))
}

fn order() -> Value {
    json!([
        field("number", json!({"min": 0})),
        field("number", json!({"default_value": 1})),
        field(
            "radio",
            json!({"choices": [
            {"api_code": "plain", "label": "Plain", "score": 1}, {"api_code": "gift", "label": "As a gift", "score": 2.5}]})
        ),
        formula("field_1 * field_2 * 1.1", "number"),
        formula("CONCAT(field_3, \": \", field_4)", "text"),
        formula("DATE_ADD(TODAY(), 1, \"day\")", "date"),
        field("number", json!({"hidden": true, "default_value": 3})),
        formula("field_7 + 1", "number"),
        formula("SCORE(field_3)", "number"),
    ])
}

fn faults(owner: &Caller, fields: Value) -> Vec<String> {
    let answer = owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}));
    assert_eq!(answer.status, 422, "{answer}");
    answer.faults()
}

#[test]
fn values_are_computed_and_never_taken() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(order());
    let given = json!({"field_values": {"field_1": 0.1, "field_2": 2, "field_3": "gift", "field_4": 99, "field_6": "2001-01-01", "field_8": 7}});
    for entry in
        [owner.post(form.entries(), given.clone()).data(), anon.post(form.submissions(), given).data()["entry"].clone()]
    {
        assert_eq!(entry["field_4"], 0.22, "{entry}");
        assert_eq!(entry["field_5"], "As a gift: 0.22", "{entry}");
        assert_eq!(entry["field_6"].as_str().map(str::len), Some(10), "{entry}");
        assert_ne!(entry["field_6"], "2001-01-01", "{entry}");
        assert_eq!((&entry["field_8"], &entry["field_9"]), (&json!(4), &json!(2.5)), "{entry}");
    }
    // Anew with every change, and null where something is missing.
    let change = |values: Value| owner.patch(form.entry(1), json!({"field_values": values})).data();
    assert_eq!(change(json!({"field_2": 3}))["field_4"], 0.33);
    assert_eq!(change(json!({"field_3": null}))["field_5"], ": 0.33");
    let cleared = change(json!({"field_1": null, "field_4": 5}));
    assert_eq!((&cleared["field_4"], &cleared["field_9"]), (&json!(null), &json!(null)));
    assert_eq!(owner.get(form.entry(1)).data(), cleared);
    assert_eq!(change(json!({"field_1": 10}))["field_4"], 33);
}

#[test]
fn definitions_are_kept_and_refused_with_paths() {
    let owner = Server::shared().user();
    let whole =
        json!({"type": "formula", "label": "F", "expression": "1 / 3", "result_type": "number", "precision": 2});
    let form = owner.form(json!([whole]));
    for (key, value) in whole.as_object().expect("an object") {
        assert_eq!(form.body["fields"][0][key], *value, "{key}");
    }
    for (own, expected) in [
        (json!({}), &["expression: can't be blank", "result_type: is required"][..]),
        (json!({"expression": 1, "result_type": "number"}), &["expression: must be a string"]),
        (json!({"expression": " ", "result_type": "number"}), &["expression: can't be blank"]),
        (json!({"expression": "1 +", "result_type": "number"}), &["expression: ends where a value must follow"]),
        (json!({"expression": "1", "result_type": "truth"}), &["result_type: must be one of number, date, text"]),
        (json!({"expression": "1", "result_type": "number", "precision": 7}), &["precision: must be 0 to 6"]),
        (json!({"expression": "1", "result_type": "text"}), &["expression: gives a number, not a text"]),
        (
            json!({"expression": "(".repeat(1000), "result_type": "text"}),
            &["expression: is nested too deeply (at most 64 levels)"],
        ),
        (
            json!({"expression": "1+".repeat(1000) + "1", "result_type": "number"}),
            &["expression: is too long (at most 2000 characters)"],
        ),
        (
            json!({"expression": "field_2", "result_type": "number"}),
            &["expression: names field_2, which is not a field of this form"],
        ),
        (json!({"expression": "field_1", "result_type": "number"}), &["expression: depends on itself"]),
        (json!({"expression": "1", "result_type": "number", "unique": true}), &["unique: is not possible for formula"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|fault| format!("fields[0].{fault}")).collect();
        assert_eq!(faults(&owner, json!([field("formula", own.clone())])), expected, "{own}");
    }
}

#[test]
fn a_field_that_a_formula_needs_stays_as_it_is() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("number", json!({})), formula("field_1 + 1", "number"),]));
    let fields = form.body["fields"].as_array().expect("fields").clone();
    let changed = |fields: Value| owner.patch(form.path(), json!({"fields": fields}));
    let removed = changed(json!([fields[1]]));
    assert_eq!(removed.faults(), ["fields[0].expression: names field_1, which is not a field of this form"]);
    let mut text = fields[0].clone();
    text["type"] = json!("short_text");
    assert_eq!(changed(json!([text, fields[1]])).faults(), ["fields[1].expression: + needs a number, not a text"]);
    // Where it stands does not matter.
    let moved = changed(json!([fields[1], fields[0]]));
    assert_eq!(moved.status, 200, "{moved}");
    let entry = owner.post(form.entries(), json!({"field_values": {"field_1": 1}}));
    assert_eq!(entry.data()["field_2"], 2);
    // Another result type counts for the existing entry.
    let mut other = fields[1].clone();
    other["expression"] = json!("CONCAT(\"n\", field_1)");
    other["result_type"] = json!("text");
    let retyped = changed(json!([other, fields[0]]));
    assert_eq!(retyped.status, 200, "{retyped}");
    assert_eq!(owner.get(form.entry(1)).data()["field_2"], "n1");
}

#[test]
fn respondents_see_no_expression_that_tells_what_is_hidden() {
    let server = Server::shared();
    let form = server.user().form(order());
    let shown = server.anon().get(form.published()).data();
    let of = |code: &str| {
        let fields = shown["fields"].as_array().expect("fields").iter();
        fields.clone().find(|field| field["api_code"] == code).expect(code)["expression"].clone()
    };
    assert_eq!(of("field_4"), "field_1 * field_2 * 1.1");
    assert_eq!((of("field_8"), of("field_9")), (json!(null), json!(null)));
    assert!(!shown.to_string().contains("field_7"), "{shown}");
    assert!(!server.anon().get(form.page()).text.contains("field_7"));
}
