//! Values that visitors may change, how they are checked, and the handling of masks (contract section 8).

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

use crate::queries::{Query, all_of, condition, fill};

/// Fields that are edited, shown only, or neither.
struct Case {
    owner: Caller,
    form: Form,
    query: Query,
}

fn phone(number: &str) -> Value {
    json!({"country_id": "CN", "country_code": "86", "number": number})
}

impl Case {
    fn new() -> Self {
        let owner = Server::shared().user();
        let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
        let form = owner.form(json!([
            field("short_text", json!({"label": "Key"})),
            field("name", json!({"label": "Name", "required": true})),
            field("phone", json!({"label": "Phone"})),
            field("email", json!({"label": "Mail", "unique": true})),
            field("number", json!({"label": "Age", "min": 0, "precision": 1})),
            field("short_text", json!({"label": "Town"})),
            field("short_text", json!({"label": "Inside"})),
            field("checkbox", json!({"label": "Kinds", "choices": choices})),
            field("number", json!({"label": "Group"})),
            field("formula", json!({"label": "Twice", "expression": "field_5 * 2", "result_type": "number"})),
        ]));
        fill(
            &owner,
            &form,
            &[
                json!({"field_1": "k", "field_2": "Zoe Quartz", "field_3": phone("13812345678"),
                    "field_4": "jabber@example.com", "field_5": 5, "field_6": "Paris", "field_7": "inside",
                    "field_8": ["a"], "field_9": 1}),
                json!({"field_1": "k", "field_2": "Bea", "field_4": "bea@example.com", "field_9": 1}),
            ],
        );
        let rule = |code: &str, editable: bool, protected: bool| json!({"field": code, "editable": editable, "protected": protected});
        let rules = json!([
            rule("serial_number", false, false),
            rule("field_2", true, true),
            rule("field_3", true, true),
            rule("field_4", true, true),
            rule("field_5", true, false),
            rule("field_6", false, false),
            rule("field_8", true, false),
        ]);
        let query = Query::with(
            &owner,
            &form,
            all_of(&["field_1"]),
            rules,
            json!({"scope_conditions": [condition("field_9", "eq", json!(1))]}),
        );
        Self { owner, form, query }
    }

    fn row(&self, serial: i64) -> (Value, String) {
        self.query.row(&json!({"field_1": "k"}), serial)
    }

    fn send(&self, serial: i64, body: Value) -> Response {
        let (row, path) = self.row(serial);
        let right = row["edit_token"].as_str().expect("a right");
        let caller = self.query.anon().header("x-edit-token", right);
        caller.patch(path, body)
    }

    fn edit(&self, values: Value) -> Response {
        self.send(1, json!({ "field_values": values }))
    }

    fn entry(&self) -> Value {
        self.owner.get(self.form.entry(1)).data()
    }
}

#[test]
fn editable_fields_are_changed() {
    let case = Case::new();
    let before = case.entry();
    let (row, _) = case.row(1);
    let keys: Vec<&String> = row.as_object().expect("a row").keys().collect();
    assert_eq!(keys[..2], ["entry_token", "edit_token"], "{row}");
    let changed = case.edit(json!({"field_2": "Ada Lovelace", "field_5": 7.25, "field_8": ["b", "a"]})).is(200);
    let data = changed.data();
    assert_eq!((&data["field_2"], &data["field_5"]), (&json!("A**"), &json!(7.3)));
    changed.lacks(["Lovelace", "inside", "13812345678", "jabber", "field_7", "field_9"]);
    let after = case.entry();
    for (key, value) in [
        ("field_2", json!("Ada Lovelace")),
        ("field_5", json!(7.3)),
        ("field_8", json!([{"value": "b"}, {"value": "a"}])),
        ("field_10", json!(14.6)),
    ] {
        assert_eq!(after[key], value, "{key}");
    }
    for key in ["field_1", "field_3", "field_4", "field_6", "field_7", "field_9", "token", "serial_number"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_ne!(after["updated_at"], before["updated_at"]);
    // It is found by its current value.
    let (row, _) = case.row(1);
    assert_eq!((&row["field_2"], &row["field_5"]), (&json!("A**"), &json!(7.3)));
    case.edit(json!({"field_5": null, "field_8": []})).is(200);
    assert_eq!((&case.entry()["field_5"], &case.entry()["field_8"]), (&Value::Null, &json!([])));
}

#[test]
fn no_other_field_is_touched() {
    let case = Case::new();
    let before = case.entry();
    for (key, value) in [
        ("field_6", json!("Rome")),
        ("field_7", json!("x")),
        ("field_9", json!(2)),
        ("field_1", json!("x")),
        ("field_10", json!(1)),
        ("field_99", json!(1)),
        ("serial_number", json!(9)),
        ("created_at", json!("2020-01-01T00:00:00.000Z")),
        ("token", json!("x")),
    ] {
        let answer = case.edit(json!({ key: value }));
        assert!([200, 403, 422].contains(&answer.status), "{key}: {answer}");
        assert_eq!(case.entry(), before, "{key}");
    }
    // Beside one that may be, too.
    let answer = case.edit(json!({"field_5": 6, "field_6": "Rome", "field_7": "x"}));
    let after = case.entry();
    assert_eq!((&after["field_6"], &after["field_7"]), (&json!("Paris"), &json!("inside")));
    assert_eq!(after["field_5"] == json!(6), answer.status == 200, "{answer}");
    for (body, attribute) in [
        (json!({}), "field_values"),
        (json!({"field_values": 5}), "field_values"),
        (json!({"field_values": []}), "field_values"),
    ] {
        let refused = case.send(1, body);
        assert_eq!((refused.status, refused.attributes()), (422, vec![attribute.to_owned()]));
    }
}

#[test]
fn edits_are_checked_like_any_change_of_an_entry() {
    let case = Case::new();
    let before = case.entry();
    for (values, faults) in [
        (json!({"field_2": ""}), vec!["field_values.field_2: can't be blank"]),
        (json!({"field_2": null}), vec!["field_values.field_2: can't be blank"]),
        (json!({"field_2": 5}), vec!["field_values.field_2: must be a string"]),
        (json!({"field_4": "BEA@example.com"}), vec!["field_values.field_4: has already been taken"]),
        (
            json!({"field_4": "x", "field_5": "y"}),
            vec!["field_values.field_4: is not an email address", "field_values.field_5: must be a number"],
        ),
        (json!({"field_5": -1}), vec!["field_values.field_5: must be 0 or more"]),
        (json!({"field_8": ["c"]}), vec!["field_values.field_8[0]: is not one of the choices"]),
    ] {
        let refused = case.edit(values.clone());
        assert_eq!(
            (refused.status, refused.faults()),
            (422, faults.iter().map(ToString::to_string).collect()),
            "{values}"
        );
        // Word for word the messages for a collaborator.
        let same = case.owner.patch(case.form.entry(1), json!({ "field_values": values }));
        assert_eq!(same.faults(), refused.faults());
    }
    case.edit(json!({"field_3": {"country_id": "CN", "number": "1"}})).is(422);
    assert_eq!(case.entry(), before);
}

#[test]
fn masks_sent_back_change_nothing() {
    let case = Case::new();
    let before = case.entry();
    let (row, _) = case.row(1);
    assert_eq!(row["field_2"], "Z**");
    assert_eq!(row["field_3"], phone("138****5678"));
    assert_eq!(row["field_4"], "j***@example.com");
    let mut all = json!({});
    for code in ["field_2", "field_3", "field_4"] {
        all[code] = row[code].clone();
    }
    // Masks alone make no new version, and so no event.
    case.edit(all.clone()).is(200);
    assert_eq!(case.entry(), before);
    for code in ["field_5", "field_8"] {
        all[code] = row[code].clone();
    }
    case.edit(all.clone()).is(200);
    for code in ["field_2", "field_3", "field_4", "field_5", "field_8"] {
        assert_eq!(case.entry()[code], before[code], "{code}");
    }
    // One value beside the masks changes alone.
    all["field_5"] = json!(9);
    case.edit(all.clone()).is(200);
    let after = case.entry();
    assert_eq!(after["field_5"], 9);
    for code in ["field_2", "field_3", "field_4"] {
        assert_eq!(after[code], before[code], "{code}");
    }
    // So do those that are given anew beside others' masks.
    all["field_3"] = phone("13900139000");
    case.edit(all.clone()).is(200);
    let after = case.entry();
    assert_eq!(after["field_3"], phone("13900139000"));
    assert_eq!((&after["field_2"], &after["field_4"]), (&before["field_2"], &before["field_4"]));
    // A mask that is another value's is a value like any: a phone or an address it is not.
    let foreign = case.edit(json!({"field_3": phone("138****5678"), "field_4": "x***@example.com"}));
    assert!([200, 422].contains(&foreign.status), "{foreign}");
    assert_eq!(case.entry()["field_3"], phone("13900139000"), "{foreign}");
    // Without the mask in the rule, text that looks like one is plain text.
    let mut rules = case.owner.get(case.query.path()).data()["display_field_rules"].clone();
    for rule in rules.as_array_mut().expect("rules") {
        rule["protected"] = json!(false);
    }
    case.query.change(&case.owner, json!({ "display_field_rules": rules }));
    case.edit(json!({"field_2": "Z**"})).is(200);
    assert_eq!(case.entry()["field_2"], "Z**");
}

#[test]
fn blank_masked_values_can_be_filled_and_cleared() {
    let case = Case::new();
    let row = |serial: i64| case.row(serial).0;
    assert_eq!(row(2)["field_3"], Value::Null);
    case.send(2, json!({"field_values": {"field_3": phone("13800138000")}})).is(200);
    assert_eq!(row(2)["field_3"], phone("138****8000"));
    case.send(2, json!({"field_values": {"field_3": null}})).is(200);
    assert_eq!(row(2)["field_3"], Value::Null);
}

#[test]
fn edits_take_from_quotas() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B", "quota": 1}]);
    let form = owner.form(json!([field("short_text", json!({})), field("radio", json!({"choices": choices})),]));
    fill(&owner, &form, &[json!({"field_1": "k", "field_2": "b"}), json!({"field_1": "k", "field_2": "a"})]);
    let rules = json!([{"field": "serial_number"}, {"field": "field_2", "editable": true}]);
    let query = Query::ruled(&owner, &form, all_of(&["field_1"]), rules);
    let k = json!({"field_1": "k"});
    let left = || owner.get(form.published()).data()["fields"][1]["choices"][1]["remaining"].clone();
    // As a collaborator's change: a choice's quota does not stop it.
    let taken = query.edit(&k, 2, json!({"field_2": "b"}));
    assert!([200, 409].contains(&taken.status), "{taken}");
    assert_eq!(left(), 0);
    query.edit(&k, 2, json!({"field_2": "a"})).is(200);
    query.edit(&k, 1, json!({"field_2": "a"})).is(200);
    assert_eq!(left(), 1);
}
