//! Field rules (contract section 5): how they are set, their effects on entries, and how edits of a form keep them
//! true.

use serde_json::{Value, json};
use support::refusals::refusals;
use support::steps::{add, newest};
use support::tables::table_rows;
use support::world::World;
use support::{Caller, Form, Server, field};

use crate::forms::{choices, confirmed, entry, fields, formula, has, line, replace, rule, rules, set_rules};

/// A choice and three texts; the second of them must be answered.
pub fn simple(owner: &Caller) -> Form {
    let radio = field("radio", json!({"choices": choices(["a", "b", "c"])}));
    owner.form(json!([radio, line(), field("short_text", json!({"required": true})), line()]))
}

#[test]
fn rules_are_replaced_as_a_whole() {
    let owner = Server::shared().user();
    let form = simple(&owner);
    let path = form.part("field_rules");
    assert_eq!(owner.get(&path).to_string(), r#"200 {"data":{"rules":[]}}"#);
    let rules = rules(&["show 3 4: 1 eq a or 2 null", "require 4: 2 eq x"]);
    assert_eq!(owner.put(&path, rules.clone()).is(200).data(), rules);
    assert_eq!(owner.get(&path).data(), rules);
    assert_eq!(Server::shared().anon().get(form.published()).data()["field_rules"], rules["rules"]);
    assert_eq!(owner.put(&path, json!({"rules": []})).data(), json!({"rules": []}));
}

#[test]
fn faulty_rules_are_refused_with_paths() {
    let World { owner, form, .. } = World::with(json!([
        field("radio", json!({"choices": choices(["a", "b"])})),
        line(),
        field("table", json!({"dimensions": [field("number", json!({})), line()]})),
        formula("field_6 + 1", "number"),
        field("long_text", json!({})),
        field("number", json!({})),
        {"type": "page_break"},
        line(),
    ]));
    let good = rules(&["show 5: 1 eq a"]);
    owner.put(form.part("field_rules"), good.clone()).is(200);
    for row in refusals(include_str!("../tables/field_rules.txt")) {
        row.check(&owner.put(form.part("field_rules"), row.spoil(&good)));
    }
    assert_eq!(owner.get(form.part("field_rules")).data(), good);
}

#[test]
fn rules_hold_for_respondents_and_collaborators() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for row in table_rows(include_str!("../tables/rules.txt")) {
        let [rules, answers, outcome] = row[..] else { panic!("three cells: {row:?}") };
        let form = simple(&owner);
        set_rules(&owner, &form, &rules.split("; ").collect::<Vec<_>>());
        let answers = answers.split(' ').zip(1..).filter(|(answer, _)| *answer != "-");
        let values: Value = answers.map(|(answer, n)| (format!("field_{n}"), json!(answer))).collect();
        for (who, path) in [(&anon, form.submissions()), (&owner, form.entries())] {
            let sent = who.post(path, json!({ "field_values": values }));
            if let Some(number) = outcome.strip_prefix("needs ") {
                assert_eq!(sent.faults(), [format!("field_values.field_{number}: can't be blank")], "{row:?}: {sent}");
                continue;
            }
            assert_eq!(sent.status, 201, "{row:?}: {sent}");
            let data = sent.data();
            let stored = data.get("entry").unwrap_or(&data);
            let stored = ["field_2", "field_3", "field_4"].map(|code| stored[code].as_str().unwrap_or("-"));
            assert_eq!(stored.join(" "), outcome, "{row:?}: {sent}");
        }
    }
}

#[test]
fn hidden_fields_have_no_faults() {
    let World { owner, anon, form, .. } = World::with(json!([
        field("number", json!({"min": 0})),
        field("number", json!({"required": true})),
        field("email", json!({"default_value": "a@example.com"})),
    ]));
    set_rules(&owner, &form, &["show 2 3: 1 gt 5"]);
    let answer = |values: Value| anon.post(form.submissions(), json!({"field_values": values}));
    let hidden = answer(json!({"field_1": 5, "field_2": "wrong", "field_3": "wrong"})).is(201);
    assert_eq!(hidden.data()["entry"]["field_3"], json!(null), "no default either: {hidden}");
    answer(json!({"field_1": 6, "field_2": "wrong", "field_3": "wrong"}))
        .refuses_with(&["field_values.field_2: must be a number", "field_values.field_3: is not an email address"]);
    // A value that is refused is none, so nothing is shown for it.
    answer(json!({"field_1": "9"})).refuses_with(&["field_values.field_1: must be a number"]);
    assert_eq!(answer(json!({"field_1": 6, "field_2": 1})).data()["entry"]["field_3"], "a@example.com");
}

#[test]
fn update_follows_the_rules_from_what_it_changes_on() {
    let owner = Server::shared().user();
    let form = simple(&owner);
    let patch = |values: Value| owner.patch(form.entry(1), json!({"field_values": values}));
    add(&owner, &form, json!({"field_1": "a", "field_3": "3", "field_4": "4"}));
    // Rules that come later take nothing away, until the entry changes where they look.
    set_rules(&owner, &form, &["show 4: 1 eq b", "require 2: 1 eq b"]);
    has(&patch(json!({"field_3": "33"})).data(), json!({"field_3": "33", "field_4": "4"}));
    patch(json!({"field_1": "b"})).refuses_with(&["field_values.field_2: can't be blank"]);
    has(&patch(json!({"field_1": "b", "field_2": "2"})).data(), json!({"field_2": "2", "field_4": "4"}));
    has(&patch(json!({"field_1": "c"})).data(), json!({"field_2": "2", "field_4": null}));
    assert_eq!(patch(json!({"field_4": "back"})).is(200).data()["field_4"], json!(null));
    patch(json!({"field_3": null})).refuses_with(&["field_values.field_3: can't be blank"]);
}

#[test]
fn formulas_and_rules_work_together() {
    let World { owner, anon, form, .. } = World::with(json!([
        field("number", json!({})),
        field("number", json!({})),
        formula("SUM(field_1, field_2)", "number"),
        line(),
        field("formula", json!({"expression": "CONCAT(field_4, \"!\")", "result_type": "text", "required": true})),
    ]));
    set_rules(&owner, &form, &["show 2: 1 gt 1", "show 4: 3 gte 10", "require 4 5: 3 gte 10"]);
    let sent = |values: Value| anon.post(form.submissions(), json!({"field_values": values}));
    let hidden = sent(json!({"field_1": 1, "field_2": 99, "field_4": "x"})).is(201);
    has(&hidden.data()["entry"], json!({"field_3": 1, "field_4": null, "field_5": "!"}));
    let shown = sent(json!({"field_1": 2, "field_2": 99, "field_4": "x"})).is(201);
    has(&shown.data()["entry"], json!({"field_3": 101, "field_5": "x!"}));
    sent(json!({"field_1": 20})).refuses_with(&["field_values.field_4: can't be blank"]);
    // No edit may make a rule hide the input of a formula that the rule looks at.
    let old = fields(&form);
    let moved = json!({"fields": [old[3], old[0], old[1], old[2]], "confirm_data_loss": true});
    let fault = |rule: i64| {
        format!(
            "fields[3]: doesn't fit field rule {rule}, which looks at it: must stand before the fields that the rule is about"
        )
    };
    owner.patch(form.path(), moved).refuses_with(&[&fault(2), &fault(3)]);
    let mut later = old;
    later[2]["expression"] = json!("SUM(field_1, field_2, LEN(field_4))");
    replace(&owner, &form, json!(later))
        .refuses_with(&["fields[3]: makes what field rule 2 looks at, which is about it"]);
    assert_eq!(owner.get(form.part("field_rules")).data()["rules"].as_array().map(Vec::len), Some(3));
}

#[test]
fn texts_of_conditions_are_taken_as_answers_are() {
    let World { owner, form, .. } = World::with(json!([field("long_text", json!({})), line()]));
    set_rules(&owner, &form, &["show 2: 1 eq one\r\ntwo"]);
    for lines in ["one\r\ntwo", "one\ntwo"] {
        add(&owner, &form, json!({"field_1": lines, "field_2": "kept"}));
        assert_eq!(newest(&owner, &form)["field_2"], "kept", "{lines:?}");
    }
}

#[test]
fn conditions_look_into_columns() {
    let table = field("table", json!({"dimensions": [field("number", json!({})), line()]}));
    let World { owner, anon, form, .. } = World::with(json!([table, line(), line()]));
    set_rules(&owner, &form, &["show 2: 1.1 gt 5", r#"show 3: 1.2 none_in ["x"]"#]);
    for (rows, second, third) in [
        (json!([]), json!(null), json!("3")),
        (json!([{"field_1": 1, "field_2": "x"}, {"field_1": 6}]), json!("2"), json!(null)),
        (json!([{"field_1": 5, "field_2": "y"}]), json!(null), json!("3")),
    ] {
        let values = json!({"field_1": rows, "field_2": "2", "field_3": "3"});
        let sent = anon.post(form.submissions(), json!({"field_values": values})).is(201);
        has(&sent.data()["entry"], json!({"field_2": second, "field_3": third}));
    }
    // The page's script does not know hidden questions: it asks.
    let page = anon.get(form.page());
    assert!(page.text.contains("&quot;asks&quot;:true") && !page.text.contains("field_1.field_1&quot;"), "{page}");
    // A column that goes takes its rules along.
    let mut smaller = fields(&form);
    smaller[0]["dimensions"].as_array_mut().expect("columns").remove(0);
    confirmed(&owner, &form, json!(smaller));
    assert_eq!(owner.get(form.part("field_rules")).data()["rules"].as_array().map(Vec::len), Some(1));
}

#[test]
fn edit_of_the_fields_keeps_rules_true() {
    let World { owner, form, .. } = World::with(json!([field("number", json!({})), line(), line()]));
    set_rules(&owner, &form, &["show 2: 1 gt 1"]);
    let old = fields(&form);
    let edit = |fields: Value| replace(&owner, &form, fields);
    edit(json!([old[1], old[0], old[2]])).refuses_with(&[
        "fields[1]: doesn't fit field rule 1, which looks at it: must stand before the fields that the rule is about",
    ]);
    let mut other = old[0].clone();
    other["type"] = json!("short_text");
    edit(json!([other, old[1], old[2]])).refuses_with(&["fields[0]: doesn't fit field rule 1, whose operator must be one of eq, ne, any_in, none_in, like, not_like, null, not_null"]);
    edit(json!([old[0], old[2], old[1]])).is(200);
}

#[test]
fn rules_of_hidden_fields_are_not_told() {
    let World { owner, anon, form, .. } = World::with(json!([
        line(),
        field("short_text", json!({"hidden": true, "default_value": "planted"})),
        {"type": "page_break"},
        line(),
        field("short_text", json!({"hidden": true})),
    ]));
    set_rules(&owner, &form, &["show 4: 2 not_null", "show 4 5: 1 not_null", "show 5: 1 not_null"]);
    let shown = anon.get(form.published());
    assert_eq!(shown.data()["field_rules"], json!([rule("show 4: 1 not_null")]));
    for text in [shown.text, anon.get(form.page()).text] {
        assert!(!text.contains("field_2") && !text.contains("planted") && !text.contains("field_5"), "{text}");
    }
    // The default of a hidden field counts all the same.
    anon.post(form.submissions(), json!({"field_values": {"field_4": "x"}})).is(201);
    assert_eq!(entry(&owner, &form, 1)["field_4"], "x");
}
