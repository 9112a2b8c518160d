//! Fields of a form that has entries: replaced, removed, made unique (contract sections 3 and 3.2).

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use support::steps::{add, count, set};
use support::world::World;
use support::{Caller, Form, Response, at_once, field};

use crate::forms::{choices, confirmed, entry, has, line, old, replace};

/// The fields as they are today.
fn fields(owner: &Caller, form: &Form) -> Vec<Value> {
    let shown = owner.get(form.path()).data();
    shown["fields"].as_array().expect("fields").clone()
}

fn codes(owner: &Caller, form: &Form) -> Vec<String> {
    fields(owner, form).iter().map(|field| field["api_code"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn list_replaces_the_fields_and_numbers_are_never_used_again() {
    let World { owner, form, .. } = World::with(json!([line(), line(), line()]));
    let old = fields(&owner, &form);
    // The last goes, the first two change places, one comes.
    replace(&owner, &form, json!([old[1], field("date", json!({})), old[0]])).is(200);
    assert_eq!(codes(&owner, &form), ["field_2", "field_4", "field_1"]);
    replace(&owner, &form, json!([old[1]])).is(200);
    replace(&owner, &form, json!([old[1], line()])).is(200);
    assert_eq!(codes(&owner, &form), ["field_2", "field_5"]);
    // An entry shows the fields of today.
    add(&owner, &form, json!({"field_1": "x", "field_2": "y"}));
    let entry = entry(&owner, &form, 1);
    has(&entry, json!({"field_2": "y", "field_5": null}));
    assert_eq!(entry.get("field_1"), None);
}

#[test]
fn names_of_fields_are_known_or_refused() {
    let World { owner, form, .. } = World::with(json!([line(), line()]));
    let before = fields(&owner, &form);
    let unknown = &["fields[1].api_code: is not a field of this form"][..];
    for (list, faults) in [
        (json!([before[0], old("field_9", "short_text", json!({}))]), unknown),
        (json!([before[0], before[0]]), &["fields[1].api_code: is listed twice"]),
        (
            json!([{"api_code": "field_1", "label": "x"}, 7]),
            &["fields[0].type: is required", "fields[1]: must be an object"],
        ),
        (json!([]), &["fields: must have 1 to 500 fields"]),
    ] {
        replace(&owner, &form, list).refuses_with(faults);
    }
    // Nothing of a refused edit stays.
    assert_eq!(fields(&owner, &form), before);
    // A field that was removed is as unknown as one that never was.
    replace(&owner, &form, json!([before[0]])).is(200);
    replace(&owner, &form, json!(before)).refuses_with(unknown);
}

#[test]
fn items_keep_their_names_and_a_retired_name_stays_retired() {
    let b = json!({"label": "B"});
    let World { owner, form, .. } = World::with(json!([field("radio", json!({"choices": [choices(["a"])[0], b]}))]));
    let named = form.body["fields"][0]["choices"][1]["api_code"].as_str().expect("a name");
    assert!(named.len() >= 4 && named.bytes().all(|b| b.is_ascii_alphanumeric()), "{named}");
    let edit = |choices: Value| replace(&owner, &form, json!([old("field_1", "radio", json!({ "choices": choices }))]));
    // Renamed, in another order, and a new one.
    let [a, c] = ["a", "c"].map(|code| choices([code])[0].clone());
    let list = json!([{"api_code": named, "label": "Bee"}, c, a]);
    assert_eq!(edit(list.clone()).data()["fields"][0]["choices"], list);
    edit(json!([c])).is(200);
    let refused = edit(json!([c, a]));
    assert_eq!(
        refused.to_string(),
        r#"422 {"error":"Validation failed","error_details":[{"attribute":"fields[0].choices[1].api_code","message":"was used before in this field"}]}"#
    );
    edit(json!([c, {"api_code": "c", "label": "D"}])).refuses_with(&["fields[0].choices[1].api_code: is listed twice"]);
}

#[test]
fn removing_a_field_with_data_asks_first() {
    let World { owner, form, .. } = World::with(json!([line(), line(), field("description", json!({"content": "x"}))]))
        .entries([
            json!({"field_1": "a", "field_2": "b"}),
            json!({"field_1": "c"}),
            json!({"field_1": "d", "field_2": "e"}),
        ]);
    let old = fields(&owner, &form);
    assert_eq!(
        replace(&owner, &form, json!([old[0]])).to_string(),
        r#"422 {"error":"This would delete collected data: send confirm_data_loss: true to go on","code":"data_loss","error_details":[{"attribute":"fields.field_2","message":"holds data of 2 entries"}]}"#
    );
    assert_eq!(fields(&owner, &form), old);
    replace(&owner, &form, json!([line()]))
        .refuses_with(&["fields.field_1: holds data of 3 entries", "fields.field_2: holds data of 2 entries"]);
    // A field without data may go at any time.
    replace(&owner, &form, json!([old[0], old[1]])).is(200);
    confirmed(&owner, &form, json!([old[0]]));
    for (serial, value) in [(1, "a"), (2, "c"), (3, "d")] {
        let entry = entry(&owner, &form, serial);
        assert_eq!((&entry["field_1"], entry.get("field_2")), (&json!(value), None), "{entry}");
    }
    // A field that comes later does not inherit.
    replace(&owner, &form, json!([old[0], line()])).is(200);
    assert_eq!(codes(&owner, &form)[1], "field_4");
    assert_eq!(entry(&owner, &form, 1)["field_4"], json!(null));
}

#[test]
fn doubles_keep_a_field_from_becoming_unique() {
    let World { owner, form, .. } =
        World::with(json!([line(), line()])).entries(["Ada", "ADA", "Bob"].map(|value| json!({ "field_2": value })));
    let unique = json!([form.body["fields"][0], old("field_2", "short_text", json!({"unique": true}))]);
    assert_eq!(
        replace(&owner, &form, unique.clone()).to_string(),
        r#"422 {"error":"Validation failed","error_details":[{"attribute":"fields[1].unique","message":"is not possible: entries have the same value already"}]}"#
    );
    // The form continues as it was.
    add(&owner, &form, json!({"field_2": "Bob"}));
    owner.delete(form.entry(2)).is(200);
    owner.delete(form.entry(4)).is(200);
    replace(&owner, &form, unique).is(200);
    let again = owner.post(form.entries(), json!({"field_values": {"field_2": "ada"}}));
    again.refuses_with(&["field_values.field_2: has already been taken"]);
    for values in [json!({"field_2": "Cid"}), json!({}), json!({})] {
        add(&owner, &form, values);
    }
}

/// Writes entries with these values until the edit has been answered.
fn while_writing(
    owner: &Caller,
    form: &Form,
    values: impl Fn(usize) -> Value + Sync,
    edit: impl FnOnce() -> Response,
) -> Response {
    let (is_over, values) = (&AtomicBool::new(false), &values);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for n in (0..500).take_while(|_| !is_over.load(Ordering::Relaxed)) {
                    let body = json!({"field_values": values(n * 4 + writer)});
                    let written = owner.post(form.entries(), body);
                    assert!([201, 422].contains(&written.status), "{written}");
                }
            });
        }
        let answer = edit();
        is_over.store(true, Ordering::Relaxed);
        answer
    })
}

#[test]
fn edits_go_through_while_entries_come() {
    let World { owner, form, .. } = World::with(json!([line(), line()]));
    for round in 0..8 {
        let body = json!({"fields": [form.body["fields"][0], line()], "confirm_data_loss": true});
        let values = |n: usize| json!({"field_1": n.to_string(), "field_2": "x"});
        let answer = while_writing(&owner, &form, values, || owner.patch(form.path(), body));
        assert_eq!(answer.status, 200, "{round}: {answer}");
        assert_eq!(codes(&owner, &form)[1], format!("field_{}", round + 3));
    }
    assert_eq!(owner.get(form.path()).data()["entries_count"], count(&owner, &form));
}

#[test]
fn no_double_slips_in_while_a_field_becomes_unique() {
    for _ in 0..5 {
        let World { owner, form, .. } =
            World::with(json!([line()])).entries((0..50).map(|n| json!({"field_1": format!("old {n}")})));
        let unique = json!([old("field_1", "short_text", json!({"unique": true}))]);
        // Two writers each bring the same value, and some bring an old one again.
        let value = |n: usize| {
            let is_old = n.is_multiple_of(97);
            json!({"field_1": if is_old { format!("old {}", n % 50) } else { format!("new {}", n / 2) }})
        };
        let answer = while_writing(&owner, &form, value, || replace(&owner, &form, unique));
        assert!([200, 422].contains(&answer.status), "{answer}");
        let is_unique = answer.status == 200;
        assert_eq!(fields(&owner, &form)[0]["unique"] == true, is_unique);
        if !is_unique {
            continue;
        }
        let all = owner.get(format!("{}/export?format=json", form.entries())).is(200).json();
        let mut values: Vec<String> =
            all.as_array().expect("rows").iter().map(|row| row["field_1"].to_string()).collect();
        let total = values.len();
        assert!(total >= 50, "{all}");
        values.sort();
        values.dedup();
        assert_eq!(values.len(), total, "doubles in a unique field");
    }
}

#[test]
fn many_changes_at_once_all_stay() {
    let World { owner, form, .. } = World::with(json!(vec![line(); 8])).entries([json!({})]);
    let groups = ["show_progress", "show_field_number", "allow_edit_after_submission"];
    at_once(8, |n| {
        for round in 0..10 {
            let body = json!({"field_values": {format!("field_{}", n + 1): round.to_string()}});
            owner.patch(form.entry(1), body).is(200);
            set(&owner, &form, json!({"submission_options": {groups[n % 3]: round % 2 == 1}}));
        }
    });
    let values: Value = (1..=8).map(|n| (format!("field_{n}"), json!("9"))).collect();
    has(&entry(&owner, &form, 1), values);
    let settings = owner.get(form.part("settings")).data();
    has(&settings["submission_options"], groups.iter().map(|key| ((*key).to_owned(), json!(true))).collect());
}
