//! Fields of a form that has entries: replaced, removed, changed in type, made unique (contract
//! sections 3 and 3.2).

use serde_json::{Value, json};
use support::steps::add;
use support::{Caller, Form, Response, Server, field};

fn text() -> Value {
    field("short_text", json!({}))
}

fn replace(owner: &Caller, form: &Form, fields: Value) -> Response {
    owner.patch(form.path(), json!({"fields": fields}))
}

fn fields(owner: &Caller, form: &Form) -> Vec<Value> {
    let shown = owner.get(form.path()).data();
    shown["fields"].as_array().expect("fields").clone()
}

fn codes(fields: &[Value]) -> Vec<&str> {
    fields.iter().map(|field| field["api_code"].as_str().expect("a name")).collect()
}

#[test]
fn the_list_replaces_the_fields_and_numbers_are_never_used_again() {
    let owner = Server::shared().user();
    let form = owner.form(json!([text(), text(), text()]));
    let old = fields(&owner, &form);
    // The last goes, the first two change places, one comes.
    let list = json!([old[1], field("date", json!({})), old[0]]);
    assert_eq!(replace(&owner, &form, list).status, 200);
    let new = fields(&owner, &form);
    assert_eq!(codes(&new), ["field_2", "field_4", "field_1"]);
    let list = json!([new[0]]);
    assert_eq!(replace(&owner, &form, list).status, 200);
    let list = json!([new[0], text()]);
    assert_eq!(replace(&owner, &form, list).status, 200);
    assert_eq!(codes(&fields(&owner, &form)), ["field_2", "field_5"]);
    // An entry shows the fields of today.
    add(&owner, &form, json!({"field_1": "x", "field_2": "y"}));
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry["field_2"], "y");
    assert_eq!(entry["field_5"], json!(null));
    assert_eq!(entry.get("field_1"), None);
}

#[test]
fn names_of_fields_are_known_or_refused() {
    let owner = Server::shared().user();
    let form = owner.form(json!([text(), text()]));
    let old = fields(&owner, &form);
    let edit = |list: Value| replace(&owner, &form, list).faults();
    assert_eq!(
        edit(json!([old[0], field("short_text", json!({"api_code": "field_9"}))])),
        ["fields[1].api_code: is not a field of this form"]
    );
    assert_eq!(edit(json!([old[0], old[0]])), ["fields[1].api_code: stands twice"]);
    assert_eq!(
        edit(json!([{"api_code": "field_1", "label": "x"}, 7])),
        ["fields[0].type: is required", "fields[1]: must be an object"]
    );
    assert_eq!(edit(json!([])), ["fields: must have 1 to 500 fields"]);
    // Nothing of a refused edit stays.
    assert_eq!(fields(&owner, &form), old);
    // A field that was removed is as unknown as one that never was.
    assert_eq!(replace(&owner, &form, json!([old[0]])).status, 200);
    assert_eq!(edit(json!([old[0], old[1]])), ["fields[1].api_code: is not a field of this form"]);
}

#[test]
fn items_keep_their_names_and_a_retired_name_stays_retired() {
    let owner = Server::shared().user();
    let choices = |choices: Value| json!([field("radio", json!({"choices": choices}))]);
    let form = owner.form(choices(json!([{"api_code": "a", "label": "A"}, {"label": "B"}])));
    let first = form.body["fields"][0]["choices"].clone();
    let named = first[1]["api_code"].as_str().expect("a name");
    assert!(named.len() >= 4 && named.bytes().all(|b| b.is_ascii_alphanumeric()));
    let edit = |choices: Value| {
        let list = json!([field("radio", json!({"api_code": "field_1", "choices": choices}))]);
        replace(&owner, &form, list)
    };
    // Renamed, in another order, and a new one.
    let list =
        json!([{"api_code": named, "label": "Bee"}, {"api_code": "c", "label": "C"}, {"api_code": "a", "label": "A"}]);
    let edited = edit(list.clone()).data()["fields"][0]["choices"].clone();
    assert_eq!(edited, list);
    assert_eq!(edit(json!([{"api_code": "c", "label": "C"}])).status, 200);
    assert_eq!(
        edit(json!([{"api_code": "c", "label": "C"}, {"api_code": "a", "label": "A"}])).to_string(),
        r#"422 {"error":"Validation failed","error_details":[{"attribute":"fields[0].choices[1].api_code","message":"was used before in this field"}]}"#
    );
    assert_eq!(
        edit(json!([{"api_code": "c", "label": "C"}, {"api_code": "c", "label": "D"}])).faults(),
        ["fields[0].choices[1].api_code: stands twice"]
    );
}

#[test]
fn removing_a_field_with_data_asks_first() {
    let owner = Server::shared().user();
    let form = owner.form(json!([text(), text(), field("description", json!({"content": "x"}))]));
    for values in
        [json!({"field_1": "a", "field_2": "b"}), json!({"field_1": "c"}), json!({"field_1": "d", "field_2": "e"})]
    {
        add(&owner, &form, values);
    }
    let old = fields(&owner, &form);
    let refused = replace(&owner, &form, json!([old[0]]));
    assert_eq!(
        refused.to_string(),
        r#"422 {"error":"This would delete collected data: send confirm_data_loss: true to go on","code":"data_loss","error_details":[{"attribute":"fields.field_2","message":"holds data of 2 entries"}]}"#
    );
    assert_eq!(fields(&owner, &form), old);
    let both = replace(&owner, &form, json!([text()]));
    assert_eq!(both.faults(), ["fields.field_1: holds data of 3 entries", "fields.field_2: holds data of 2 entries"]);
    // What holds nothing may go at any time.
    assert_eq!(replace(&owner, &form, json!([old[0], old[1]])).status, 200);
    let confirmed = json!({"fields": [old[0]], "confirm_data_loss": true});
    assert_eq!(owner.patch(form.path(), confirmed).status, 200);
    for (serial, value) in [(1, "a"), (2, "c"), (3, "d")] {
        let entry = owner.get(form.entry(serial)).data();
        assert_eq!(entry["field_1"], value);
        assert_eq!(entry.get("field_2"), None);
    }
    // A field that comes later does not inherit.
    replace(&owner, &form, json!([old[0], text()]));
    assert_eq!(owner.get(form.entry(1)).data()["field_4"], json!(null));
}

#[test]
fn removing_a_choice_with_data_asks_first() {
    let owner = Server::shared().user();
    let abc =
        json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}, {"api_code": "c", "label": "C"}]);
    let form =
        owner.form(json!([field("radio", json!({"choices": abc})), field("checkbox", json!({"choices": abc})),]));
    add(&owner, &form, json!({"field_1": "a", "field_2": ["a", "b"]}));
    add(&owner, &form, json!({"field_1": "b", "field_2": ["a"]}));
    let b_c = json!([{"api_code": "b", "label": "B"}, {"api_code": "c", "label": "C"}]);
    let list = json!([
        field("radio", json!({"api_code": "field_1", "choices": b_c})),
        field("checkbox", json!({"api_code": "field_2", "choices": b_c})),
    ]);
    let refused = replace(&owner, &form, list.clone());
    assert_eq!(refused.json()["code"], "data_loss");
    assert_eq!(
        refused.faults(),
        ["fields.field_1.choices.a: holds data of 1 entry", "fields.field_2.choices.a: holds data of 2 entries"]
    );
    let confirmed = json!({"fields": list, "confirm_data_loss": true});
    assert_eq!(owner.patch(form.path(), confirmed).status, 200);
    let values = |serial| {
        let entry = owner.get(form.entry(serial)).data();
        (entry["field_1"].clone(), entry["field_2"].clone())
    };
    assert_eq!(values(1), (json!(null), json!([{"value": "b"}])));
    assert_eq!(values(2), (json!({"value": "b"}), json!([])));
    // The same edit again loses nothing more; a choice that nobody took goes unasked.
    let b = json!([{"api_code": "b", "label": "B"}]);
    let list = json!([
        field("radio", json!({"api_code": "field_1", "choices": b})),
        field("checkbox", json!({"api_code": "field_2", "choices": b})),
    ]);
    assert_eq!(replace(&owner, &form, list).status, 200);
}

/// A form with one field of this type, that holds these values; changed to the other type.
fn changed(kind: &str, own: &Value, values: &[Value], to: &str, new: &Value) -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field(kind, own.clone())]));
    for value in values {
        add(&owner, &form, json!({"field_1": value}));
    }
    let mut edited = field(to, new.clone());
    edited["api_code"] = json!("field_1");
    let answer = replace(&owner, &form, json!([edited]));
    assert_eq!(answer.status, 200, "{kind} to {to}: {answer}");
    assert_eq!(answer.data()["fields"][0]["type"], to);
    (owner, form)
}

fn reads(owner: &Caller, form: &Form, expected: &[Value]) {
    for (serial, value) in (1..).zip(expected) {
        let read = owner.get(form.entry(serial)).data();
        assert_eq!(read["field_1"], *value, "{serial}");
        // What is read can be written.
        let body = json!({"field_values": {"field_1": value}});
        let written = owner.patch(form.entry(serial), body);
        assert_eq!(written.data()["field_1"], *value, "{written}");
    }
}

#[test]
fn texts_become_one_another() {
    let none = json!({});
    let values = [json!("Ada"), json!(null), json!("one\ntwo")];
    for from in ["short_text", "long_text", "name"] {
        for to in ["short_text", "long_text", "name"] {
            let values = if from == "long_text" && to == "long_text" { &values[..] } else { &values[..2] };
            let (owner, form) = changed(from, &none, values, to, &none);
            reads(&owner, &form, values);
        }
    }
}

#[test]
fn one_choice_becomes_another_kind_of_one_or_a_list() {
    let own =
        json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "o", "label": "Other", "is_other": true}]});
    let values = [json!("a"), json!({"value": "o", "other_text": "else"}), json!(null)];
    let single = [json!({"value": "a"}), values[1].clone(), json!(null)];
    let listed = [json!([{"value": "a"}]), json!([values[1]]), json!([])];
    for (from, to) in [("radio", "dropdown"), ("radio", "checkbox"), ("dropdown", "radio"), ("dropdown", "checkbox")] {
        // Drop-downs are one of the kinds that may not be there yet.
        if !has_kind("dropdown") && [from, to].contains(&"dropdown") {
            continue;
        }
        let (owner, form) = changed(from, &own, &values, to, &own);
        reads(&owner, &form, if to == "checkbox" { &listed } else { &single });
    }
}

fn has_kind(kind: &str) -> bool {
    let owner = Server::shared().user();
    let body = json!({"name": "x", "fields": [{"type": kind}]});
    let refused = owner.post("/api/v1/forms", body);
    !refused.attributes().contains(&"fields[0].type".to_owned())
}

#[test]
fn numbers_addresses_and_phones_become_text_and_stay_text() {
    let none = json!({});
    let (owner, form) = changed(
        "number",
        &json!({"precision": 2}),
        &[json!(12), json!(-1.5), json!(null), json!(1e6)],
        "short_text",
        &none,
    );
    reads(&owner, &form, &[json!("12"), json!("-1.5"), json!(null), json!("1000000")]);
    let (owner, form) = changed("email", &none, &[json!("Ada@example.com")], "short_text", &none);
    reads(&owner, &form, &[json!("Ada@example.com")]);
    let phone = json!({"country_id": "CN", "number": "13812345678"});
    let (owner, form) = changed("phone", &none, std::slice::from_ref(&phone), "short_text", &none);
    reads(&owner, &form, &[json!("+86 13812345678")]);
    // On from there, over values that were never written again.
    for (kind, value, text) in [("number", json!(7), "7"), ("phone", phone, "+86 13812345678")] {
        let (owner, form) = changed(kind, &none, &[value], "short_text", &none);
        for to in ["long_text", "name", "short_text"] {
            let edited = json!({"api_code": "field_1", "type": to, "label": "x"});
            assert_eq!(replace(&owner, &form, json!([edited])).status, 200);
            assert_eq!(owner.get(form.entry(1)).data()["field_1"], text, "{kind} by way of {to}");
        }
    }
}

#[test]
fn every_other_change_of_type_is_refused() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}]);
    let own = |kind: &str| match kind {
        "radio" | "checkbox" => json!({"choices": choices}),
        "description" => json!({"content": "x"}),
        _ => json!({}),
    };
    let kinds = [
        "short_text",
        "long_text",
        "name",
        "email",
        "phone",
        "number",
        "date",
        "radio",
        "checkbox",
        "page_break",
        "description",
    ];
    let allowed = |from: &str, to: &str| {
        let texts = ["short_text", "long_text", "name"];
        texts.contains(&from) && texts.contains(&to)
            || (from, to) == ("radio", "checkbox")
            || to == "short_text" && ["number", "email", "phone"].contains(&from)
    };
    for from in kinds {
        let form = owner.form(json!([field(from, own(from))]));
        for to in kinds {
            if from == to || allowed(from, to) {
                continue;
            }
            let mut edited = field(to, own(to));
            edited["api_code"] = json!("field_1");
            assert_eq!(
                replace(&owner, &form, json!([edited])).faults(),
                [format!("fields[0].type: can't change from {from} to {to}")]
            );
        }
    }
}

#[test]
fn a_choice_that_goes_with_the_type_is_lost_data() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field(
        "radio",
        json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]})
    )]));
    add(&owner, &form, json!({"field_1": "a"}));
    let edited = field("checkbox", json!({"api_code": "field_1", "choices": [{"api_code": "b", "label": "B"}]}));
    assert_eq!(replace(&owner, &form, json!([edited])).faults(), ["fields.field_1.choices.a: holds data of 1 entry"]);
}

#[test]
fn doubles_keep_a_field_from_becoming_unique() {
    let owner = Server::shared().user();
    let form = owner.form(json!([text(), text()]));
    for value in ["Ada", "ADA", "Bob"] {
        add(&owner, &form, json!({"field_2": value}));
    }
    let unique = json!([fields(&owner, &form)[0], field("short_text", json!({"api_code": "field_2", "unique": true}))]);
    assert_eq!(
        replace(&owner, &form, unique.clone()).to_string(),
        r#"422 {"error":"Validation failed","error_details":[{"attribute":"fields[1].unique","message":"is not possible: entries have the same value already"}]}"#
    );
    // The form goes on as it was.
    add(&owner, &form, json!({"field_2": "Bob"}));
    owner.delete(form.entry(2));
    owner.delete(form.entry(4));
    assert_eq!(replace(&owner, &form, unique).status, 200);
    let again = owner.post(form.entries(), json!({"field_values": {"field_2": "ada"}}));
    assert_eq!(again.faults(), ["field_values.field_2: has already been taken"]);
    add(&owner, &form, json!({"field_2": "Cid"}));
    add(&owner, &form, json!({}));
    add(&owner, &form, json!({}));
}

#[test]
fn unique_holds_through_changes_of_type() {
    let none = json!({});
    let phone = json!({"country_id": "CN", "number": "13812345678"});
    for (kind, value, text) in [
        ("number", json!(12), "12"),
        ("number", json!(1.5), "1.5"),
        ("number", json!(1e21), "1e+21"),
        ("number", json!(-0.0), "0"),
        ("email", json!("Ada@Example.com"), "Ada@Example.com"),
        ("phone", phone, "+86 13812345678"),
        ("long_text", json!("Ada"), "Ada"),
    ] {
        let unique = json!({"unique": true});
        let (owner, form) = changed(kind, &unique, &[value], "short_text", &unique);
        let double = json!({"field_values": {"field_1": text}});
        assert_eq!(
            owner.post(form.entries(), double.clone()).faults(),
            ["field_values.field_1: has already been taken"],
            "{kind}"
        );
        // And a value is free again with the entry that had it.
        owner.delete(form.entry(1));
        assert_eq!(owner.post(form.entries(), double).status, 201, "{kind}");
        // Two that were different may not become alike unseen.
        let (owner, form) = changed(kind, &none, &[], "short_text", &unique);
        add(&owner, &form, json!({"field_1": text}));
    }
}

#[test]
fn typed_texts_go_with_the_choice_that_asked_for_them() {
    let owner = Server::shared().user();
    let choices = |other: bool, extended: bool| {
        json!([
            {"api_code": "a", "label": "A", "allow_extended_text": extended},
            {"api_code": "o", "label": "O", "is_other": other},
        ])
    };
    let form = owner.form(json!([
        field("radio", json!({"choices": choices(true, true)})),
        field("checkbox", json!({"choices": choices(true, true)})),
    ]));
    let a = json!({"value": "a", "extended_text": "more"});
    let o = json!({"value": "o", "other_text": "else"});
    add(&owner, &form, json!({"field_1": o, "field_2": [a, o]}));
    add(&owner, &form, json!({"field_1": a}));
    assert_eq!(owner.get(form.entry(1)).data()["field_2"], json!([a, o]));
    let list = json!([
        field("radio", json!({"api_code": "field_1", "choices": choices(false, false)})),
        field("checkbox", json!({"api_code": "field_2", "choices": choices(false, false)})),
    ]);
    let edited = replace(&owner, &form, list);
    assert_eq!(edited.status, 200, "{edited}");
    let values = |serial| {
        let entry = owner.get(form.entry(serial)).data();
        (entry["field_1"].clone(), entry["field_2"].clone())
    };
    let (a, o) = (json!({"value": "a"}), json!({"value": "o"}));
    assert_eq!(values(1), (o.clone(), json!([a, o])));
    assert_eq!(values(2), (a, json!([])));
}

#[test]
fn a_default_is_one_of_todays_choices() {
    let owner = Server::shared().user();
    let b = json!([{"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([field(
        "radio",
        json!({"choices": [{"api_code": "a", "label": "A"}, b[0]], "default_value": "a"})
    )]));
    let list = json!([field("radio", json!({"api_code": "field_1", "choices": b, "default_value": "a"}))]);
    assert_eq!(replace(&owner, &form, list).faults(), ["fields[0].default_value: is not one of the choices"]);
}

/// Writes entries with these values until the edit has been answered.
fn while_writing(
    owner: &Caller,
    form: &Form,
    values: &(dyn Fn(usize) -> Value + Sync),
    edit: &dyn Fn() -> Response,
) -> (Response, usize) {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let is_over = &is_over;
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                scope.spawn(move || {
                    let mut stored = 0;
                    for n in 0..500 {
                        if is_over.load(std::sync::atomic::Ordering::Relaxed) {
                            break;
                        }
                        let body = json!({"field_values": values(n * 4 + writer)});
                        match owner.post(form.entries(), body).status {
                            201 => stored += 1,
                            status => assert_eq!(status, 422),
                        }
                    }
                    stored
                })
            })
            .collect();
        let answer = edit();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let stored = writers.into_iter().map(|writer| writer.join().expect("no panic")).sum();
        (answer, stored)
    })
}

#[test]
fn edits_go_through_while_entries_come() {
    let owner = Server::shared().user();
    let form = owner.form(json!([text(), text()]));
    let kept = fields(&owner, &form)[0].clone();
    for round in 0..8 {
        let new = json!([kept, text()]);
        let edit = || owner.patch(form.path(), json!({"fields": new, "confirm_data_loss": true}));
        let (answer, _) = while_writing(&owner, &form, &|n| json!({"field_1": n.to_string(), "field_2": "x"}), &edit);
        assert_eq!(answer.status, 200, "{round}: {answer}");
        assert_eq!(codes(&fields(&owner, &form))[1], format!("field_{}", round + 3));
    }
    let total = owner.get(form.path()).data()["entries_count"].clone();
    let listed = owner.get(form.entries()).json()["pagination"]["total"].clone();
    assert_eq!(total, listed);
}

#[test]
fn no_double_slips_in_while_a_field_becomes_unique() {
    for _ in 0..5 {
        let owner = Server::shared().user();
        let form = owner.form(json!([text()]));
        for n in 0..50 {
            add(&owner, &form, json!({"field_1": format!("old {n}")}));
        }
        let unique = json!([field("short_text", json!({"api_code": "field_1", "unique": true}))]);
        // Two writers each bring the same value, and some bring an old one again.
        let value = |n: usize| json!({"field_1": if n.is_multiple_of(97) { format!("old {}", n % 50) } else { format!("new {}", n / 2) }});
        let (answer, _) = while_writing(&owner, &form, &value, &|| replace(&owner, &form, unique.clone()));
        assert!([200, 422].contains(&answer.status), "{answer}");
        let is_unique = answer.status == 200;
        assert_eq!(fields(&owner, &form)[0]["unique"] == true, is_unique);
        let mut values = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = owner.get(format!("{}?page_size=100&cursor={cursor}", form.entries())).json();
            values.extend(page["data"].as_array().expect("rows").iter().map(|row| row["field_1"].to_string()));
            cursor = page["pagination"]["next_cursor"].as_str().expect("a string").to_owned();
            if cursor.is_empty() {
                break;
            }
        }
        let count = values.len();
        values.sort();
        values.dedup();
        if is_unique {
            assert_eq!(values.len(), count, "doubles in a unique field");
        }
    }
}

#[test]
fn many_changes_at_once_all_stay() {
    let owner = Server::shared().user();
    let form = owner.form(json!(vec![text(); 8]));
    add(&owner, &form, json!({}));
    let groups = ["show_progress", "show_field_number", "allow_edit_after_submission"];
    std::thread::scope(|scope| {
        for n in 1..=8 {
            let (owner, form) = (&owner, &form);
            scope.spawn(move || {
                for round in 0..10 {
                    let body = json!({"field_values": {format!("field_{n}"): format!("{round}")}});
                    let changed = owner.patch(form.entry(1), body);
                    assert_eq!(changed.status, 200, "{changed}");
                    let key = groups[n % 3];
                    let body = json!({"submission_options": {key: round % 2 == 1}});
                    let changed = owner.patch(format!("{}/settings", form.path()), body);
                    assert_eq!(changed.status, 200, "{changed}");
                }
            });
        }
    });
    let entry = owner.get(form.entry(1)).data();
    for n in 1..=8 {
        assert_eq!(entry[format!("field_{n}")], "9");
    }
    let settings = owner.get(format!("{}/settings", form.path())).data();
    for key in groups {
        assert_eq!(settings["submission_options"][key], true, "{key}");
    }
}

#[test]
fn choices_within_choices_go_and_move() {
    let owner = Server::shared().user();
    let town = |code: &str| json!({"api_code": code, "label": code});
    let form = owner.form(json!([field(
        "cascade",
        json!({"choices": [
            {"api_code": "a", "label": "A", "children": [town("x"), town("y")]},
            {"api_code": "b", "label": "B", "children": [town("z")]},
        ]})
    )]));
    for (one, two) in [("a", "x"), ("a", "y")] {
        let value = json!({"field_values": {"field_1": {"level_1": one, "level_2": two}}});
        assert_eq!(owner.post(form.entries(), value).status, 201);
    }
    let tree = |choices: Value| json!({"fields": [{"api_code": "field_1", "type": "cascade", "label": "c", "choices": choices}]});
    let value = |serial: i64| owner.get(form.entry(serial)).data()["field_1"].clone();
    // What is moved is found where it is now.
    let moved = tree(json!([
        {"api_code": "a", "label": "A", "children": [town("y")]},
        {"api_code": "b", "label": "B", "children": [town("z"), town("x")]},
    ]));
    assert_eq!(owner.patch(form.path(), moved).status, 200);
    assert_eq!(value(1), json!({"level_1": "b", "level_2": "x"}));
    assert_eq!(value(2), json!({"level_1": "a", "level_2": "y"}));
    // What goes takes nothing else with it.
    let smaller = tree(json!([
        {"api_code": "a", "label": "A"},
        {"api_code": "b", "label": "B", "children": [town("z"), town("x")]},
    ]));
    let refused = owner.patch(form.path(), smaller.clone());
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.attributes(), ["fields.field_1.choices.y"]);
    let mut sure = smaller;
    sure["confirm_data_loss"] = json!(true);
    assert_eq!(owner.patch(form.path(), sure).status, 200);
    assert_eq!(value(2), json!({"level_1": "a"}));
    assert_eq!(value(1), json!({"level_1": "b", "level_2": "x"}));
    let again = owner.patch(form.path(), tree(json!([town("y")])));
    assert!(
        again.faults().contains(&"fields[0].choices[0].api_code: was used before in this field".to_owned()),
        "{again}"
    );
}

#[test]
fn ranks_move_up_when_a_choice_goes() {
    let owner = Server::shared().user();
    let choices =
        |codes: &[&str]| -> Value { codes.iter().map(|code| json!({"api_code": code, "label": code})).collect() };
    let form = owner.form(json!([field("ranking", json!({"choices": choices(&["a", "b", "c"])}))]));
    let value = json!({"field_values": {"field_1": {"c": 3, "a": 1, "b": 2}}});
    assert_eq!(owner.post(form.entries(), value).status, 201);
    let edit = json!({"confirm_data_loss": true, "fields": [
        {"api_code": "field_1", "type": "ranking", "label": "r", "choices": choices(&["b", "c"])}]});
    assert_eq!(owner.patch(form.path(), edit).status, 200);
    let read = owner.get(form.entry(1)).data();
    assert_eq!(read["field_1"], json!({"b": 1, "c": 2}));
}

#[test]
fn what_a_narrower_field_does_not_show_outlives_changes_of_other_fields() {
    let owner = Server::shared().user();
    let radio = |own: Value| {
        let mut other = json!({"api_code": "o", "label": "O", "is_other": true});
        for (key, value) in own.as_object().expect("an object") {
            other[key] = value.clone();
        }
        json!([{"api_code": "a", "label": "A"}, other])
    };
    let whole = |precision: &str, other: Value| {
        let mut fields = json!([
            field("date", json!({"precision": precision})),
            field("radio", json!({"choices": radio(other)})),
            field("short_text", json!({})),
        ]);
        for (at, one) in fields.as_array_mut().expect("a list").iter_mut().enumerate() {
            one["api_code"] = json!(format!("field_{}", at + 1));
        }
        fields
    };
    let mut new = whole("second", json!({}));
    for one in new.as_array_mut().expect("a list") {
        one.as_object_mut().expect("an object").remove("api_code");
    }
    let form = owner.form(new);
    let (date, other) = (json!("2026-01-02 03:04:05"), json!({"value": "o", "other_text": "mine"}));
    add(&owner, &form, json!({"field_1": date, "field_2": other}));
    let narrow = whole("month", json!({"is_other": false}));
    assert_eq!(replace(&owner, &form, narrow).status, 200);
    let change = json!({"field_values": {"field_3": "x"}});
    let read = owner.patch(form.entry(1), change).data();
    assert_eq!((&read["field_1"], &read["field_2"]), (&json!("2026-01"), &json!({"value": "o"})));
    assert_eq!(replace(&owner, &form, whole("second", json!({}))).status, 200);
    let read = owner.get(form.entry(1)).data();
    assert_eq!((&read["field_1"], &read["field_2"]), (&date, &other));
}
