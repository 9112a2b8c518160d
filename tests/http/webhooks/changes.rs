//! Each way of changing an entry writes one event of the right kind, and what is refused writes none.

use serde_json::{Value, json};

use super::{ALL, Hook, bodies, data_of, entry_of, told};
use crate::support::steps::{add, set, simple};
use crate::support::{Caller, Form, Response, Server, field};

fn expect(server: &Server, form: &Form, events: &[(&str, i64)]) {
    let told = told(server, form);
    let told: Vec<(&str, i64)> = told.iter().map(|(kind, serial)| (kind.as_str(), *serial)).collect();
    assert_eq!(told, events);
}

fn good(answer: &Response) {
    assert!((200..300).contains(&answer.status), "{answer}");
}

/// An entry that a respondent submitted: its path, and who may change it.
fn respond(server: &Server, form: &Form, values: Value) -> (String, Caller) {
    let done = server.anon().post(form.submissions(), values);
    assert_eq!(done.status, 201, "{done}");
    let data = done.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("an edit token");
    let path = format!("{}/{token}", form.submissions());
    (path, server.anon().header("X-Edit-Token", right))
}

#[test]
fn changes_by_collaborators() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    add(&owner, &form, json!({"field_1": "a"}));
    good(&owner.patch(form.entry(1), json!({"field_values": {"field_1": "b"}})));
    good(&owner.delete(form.entry(1)));
    good(&owner.post(format!("{}/restore", form.trashed(1)), json!({})));
    let many = json!({"entries": [{"field_values": {"field_1": "c"}}, {"field_values": {}}, {"field_values": {"field_1": "d"}}]});
    good(&owner.post(format!("{}/bulk", form.entries()), many));
    good(&owner.delete(form.entry(2)));
    good(&owner.delete(form.trashed(2)));
    // The entry that is gone for good took the events of its own with it, but for those that wait to be delivered.
    let expected = [
        ("entry_created", 1),
        ("entry_updated", 1),
        ("entry_deleted", 1),
        ("entry_restored", 1),
        ("entry_created", 2),
        ("entry_created", 3),
        ("entry_created", 4),
        ("entry_deleted", 2),
    ];
    expect(server, &form, &expected);
    assert_eq!(hook.kinds(&owner), expected.map(|(kind, _)| kind));
}

#[test]
fn changes_by_respondents() {
    let server = Server::shared();
    let (owner, form) = simple();
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    Hook::of(&owner, &form, &ALL);
    let (path, respondent) = respond(server, &form, json!({"field_values": {"field_1": "a"}}));
    good(&respondent.patch(&path, json!({"field_values": {"field_1": "b"}})));
    let page = server.anon().post_form(form.page(), &[("field_1", "c")]);
    assert!(page.status < 400, "{page}");
    // A page that was sent too quickly asks again before it stores.
    let serial = crate::support::steps::count(&owner, &form);
    let mut expected = vec![("entry_created", 1), ("entry_updated", 1)];
    if serial == 2 {
        expected.push(("entry_created", 2));
    }
    expect(server, &form, &expected);
}

#[test]
fn changes_by_visitors_of_a_public_query() {
    let server = Server::shared();
    let (owner, form) = simple();
    Hook::of(&owner, &form, &["entry_updated"]);
    add(&owner, &form, json!({"field_1": "a"}));
    let query = owner.post(
        "/api/v1/opensearch/queries",
        json!({
            "form_token": form.token,
            "name": "Q",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "field_1", "editable": true}],
        }),
    );
    good(&query);
    let token = query.data()["token"].as_str().expect("a token").to_owned();
    let found = server.anon().post(format!("/api/v1/q/{token}/search"), json!({"values": {"field_1": "a"}}));
    let row = found.data()[0].clone();
    let text = |key: &str| row[key].as_str().expect("text").to_owned();
    let visitor = server.anon().header("x-edit-token", &text("edit_token"));
    let path = format!("/api/v1/q/{token}/entries/{}", text("entry_token"));
    good(&visitor.patch(path, json!({"field_values": {"field_1": "b"}})));
    expect(server, &form, &[("entry_updated", 1)]);
    assert_eq!(entry_of(&bodies(server, &form)[0]), data_of(&owner.get(form.entry(1))));
}

#[test]
fn an_edit_that_changes_nothing_is_none() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([
        field("short_text", json!({"unique": true, "required": true})),
        field("number", json!({"precision": 1})),
        field("checkbox", json!({ "choices": choices })),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
        field("phone", json!({})),
    ]));
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    Hook::of(&owner, &form, &["entry_updated"]);
    let phone = json!({"country_id": "CN", "country_code": "86", "number": "13812345678"});
    let values = json!({"field_1": "a", "field_2": 2, "field_3": ["a", "b"], "field_5": phone});
    let (path, respondent) = respond(server, &form, json!({"field_values": values}));
    let before = owner.get(form.entry(1));
    let shown = |key: &str| json!({ key: before.data()[key] });
    for nothing in [
        json!({}),
        json!({"nobody_knows": 1}),
        values.clone(),
        json!({"field_1": "a"}),
        json!({"field_2": 2.0}),
        json!({"field_2": 2.04}),
        // What is computed is nobody's to set.
        json!({"field_4": 7}),
        // What a read gives may be written back.
        shown("field_3"),
        shown("field_5"),
    ] {
        let body = json!({ "field_values": nothing });
        let tagged = owner.header("If-Match", before.header("etag"));
        let same = tagged.patch(form.entry(1), body.clone());
        assert_eq!((same.status, same.data()), (200, before.data()), "{body}");
        assert_eq!(same.header("etag"), before.header("etag"), "{body}");
        good(&respondent.patch(&path, body));
    }
    assert_eq!(owner.get(form.entry(1)).data(), before.data());
    expect(server, &form, &[]);
    // What is wrong is refused all the same, and a change is one.
    let refused = owner.patch(form.entry(1), json!({"field_values": {"field_1": null}}));
    assert_eq!(refused.status, 422, "{refused}");
    good(&owner.patch(form.entry(1), json!({"field_values": {"field_3": ["b"]}})));
    good(&owner.patch(form.entry(1), json!({"field_values": {"field_5": null}})));
    good(&owner.patch(form.entry(1), json!({"field_values": {"field_5": null}})));
    expect(server, &form, &[("entry_updated", 1), ("entry_updated", 1)]);
}

#[test]
fn a_waiting_list_tells_who_moves_up_and_who_leaves() {
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([{"api_code": "a", "label": "A", "quota": 1}]);
    let form = owner.form(json!([field("checkbox", json!({"choices": choices}))]));
    set(
        &owner,
        &form,
        json!({"capacity": {"waiting_list": true}, "submission_options": {"allow_edit_after_submission": true}}),
    );
    Hook::of(&owner, &form, &ALL);
    let values = json!({"field_values": {"field_1": ["a"]}, "waiting_list": true});
    respond(server, &form, values.clone());
    respond(server, &form, values.clone());
    let (third, right) = respond(server, &form, values.clone());
    respond(server, &form, values);
    // Who makes room and who moves up are told once each; the others only wait at other places.
    good(&owner.delete(form.entry(1)));
    good(&right.delete(format!("{third}/waiting")));
    let expected = [
        ("entry_created", 1),
        ("entry_created", 2),
        ("entry_created", 3),
        ("entry_created", 4),
        ("entry_deleted", 1),
        ("entry_updated", 2),
        ("entry_deleted", 3),
    ];
    expect(server, &form, &expected);
    let place = |at: usize| {
        let body: Value = serde_json::from_str(&bodies(server, &form)[at]).expect("JSON");
        body["entry"]["waiting_position"].clone()
    };
    assert_eq!((place(2), place(3)), (json!(2), json!(3)));
    assert_eq!((place(5), place(6)), (Value::Null, json!(1)));
}

#[test]
fn bookings_that_are_cancelled_are_changes() {
    let server = Server::shared();
    let owner = server.user();
    let days = json!([{"weekday": 1, "quota": null}, {"weekday": 2, "quota": null}]);
    let items =
        json!([{"api_code": "room", "name": "Room", "quota_setting": {"kind": "weekly", "weekly_quotas": days}}]);
    let form = owner.form(json!([field("booking", json!({ "reservation_items": items }))]));
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    Hook::of(&owner, &form, &ALL);
    let mut day = jiff::Zoned::now().date();
    for _ in 0..14 {
        day = day.tomorrow().expect("a day");
    }
    while day.weekday() != jiff::civil::Weekday::Monday {
        day = day.tomorrow().expect("a day");
    }
    let booked = json!([{"api_code": "room", "scheduled_at": day.to_string(), "number": 1}]);
    let values = json!({"field_values": {"field_1": booked}});
    let (path, right) = respond(server, &form, values);
    let status = format!("{}/reservation_status", form.entry(1));
    good(&owner.patch(&status, json!({"status": "completed"})));
    // What makes no new version is none.
    good(&owner.patch(&status, json!({"status": "completed"})));
    good(&owner.patch(&status, json!({"status": "reserved"})));
    good(&right.post(format!("{path}/cancel_booking"), json!({})));
    let expected = [("entry_created", 1), ("entry_updated", 1), ("entry_updated", 1), ("entry_updated", 1)];
    expect(server, &form, &expected);
    let last: Value = serde_json::from_str(&bodies(server, &form)[3]).expect("JSON");
    assert_eq!(last["entry"]["reservation_status_fsf_field"], "cancelled");
}

#[test]
fn what_is_refused_writes_nothing() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"unique": true})), field("number", json!({}))]));
    add(&owner, &form, json!({"field_1": "a"}));
    Hook::of(&owner, &form, &ALL);
    let entry = |name: &str| json!({"field_values": {"field_1": name}});
    for refused in [
        owner.post(form.entries(), entry("a")),
        owner.post(form.entries(), json!({"field_values": {"field_2": "x"}})),
        server.anon().post(form.submissions(), entry("a")),
        owner.post(format!("{}/bulk", form.entries()), json!({"entries": [entry("b"), entry("a")]})),
        owner.post(format!("{}/bulk", form.entries()), json!({"entries": [entry("b"), entry("b")]})),
        owner.patch(form.entry(1), json!({"field_values": {"field_2": "x"}})),
        owner.patch(form.entry(9), entry("b")),
        owner.header("If-Match", "\"x\"").patch(form.entry(1), entry("b")),
        owner.header("If-Match", "\"x\"").delete(form.entry(1)),
        owner.delete(form.entry(9)),
        owner.post(format!("{}/restore", form.trashed(1)), json!({})),
        owner.send("POST", &format!("{}/import", form.entries()), Some("text/csv"), b"field_1\nb\na\n"),
    ] {
        assert!((400..500).contains(&refused.status), "{refused}");
    }
    let dry = format!("{}/import?dry_run=true", form.entries());
    good(&owner.send("POST", &dry, Some("text/csv"), b"field_1\nb\nc\n"));
    expect(server, &form, &[]);
    // What changes the form is no change of its entries.
    let edit =
        json!({"fields": [{"api_code": "field_1", "type": "short_text", "label": "N"}], "confirm_data_loss": true});
    good(&owner.patch(form.path(), edit));
    expect(server, &form, &[]);
    add(&owner, &form, json!({"field_1": "b"}));
    expect(server, &form, &[("entry_created", 2)]);
}

#[test]
fn a_request_that_is_repeated_by_its_key_is_one_event() {
    let server = Server::shared();
    let (owner, form) = simple();
    Hook::of(&owner, &form, &ALL);
    let caller = owner.header("Idempotency-Key", "once");
    for _ in 0..3 {
        good(&caller.post(form.entries(), json!({"field_values": {"field_1": "a"}})));
    }
    expect(server, &form, &[("entry_created", 1)]);
}

#[test]
fn a_body_is_what_get_showed_at_that_moment() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "Um \"laut\" ä", "fields": [
        field("short_text", json!({})),
        field("number", json!({})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
        field("date", json!({})),
        field("short_text", json!({"hidden": true, "default_value": "within"})),
    ]}));
    Hook::of(&owner, &form, &ALL);
    let mut shown = Vec::new();
    let mut look = || shown.push(data_of(&owner.get(form.entry(1))).to_owned());
    let values = json!({"field_1": "\u{1F600} <b>", "field_2": 2.5, "field_4": "2026-11-20"});
    good(&owner.post(form.entries(), json!({"field_values": values, "x_field_1": "mark"})));
    look();
    good(&owner.patch(form.entry(1), json!({"field_values": {"field_2": null}})));
    look();
    look();
    good(&owner.delete(form.entry(1)));
    good(&owner.post(format!("{}/restore", form.trashed(1)), json!({})));
    look();
    let bodies = bodies(server, &form);
    let entries: Vec<&str> = bodies.iter().map(|body| entry_of(body)).collect();
    assert_eq!(entries, shown);
    let mut ids = Vec::new();
    for (body, kind) in bodies.iter().zip(["entry_created", "entry_updated", "entry_deleted", "entry_restored"]) {
        let body: Value = serde_json::from_str(body).expect("JSON");
        let keys: Vec<&String> = body.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["id", "event", "created_at", "form", "entry"]);
        assert_eq!(body["event"], kind);
        assert_eq!(body["form"], json!({"token": form.token, "name": "Um \"laut\" ä"}));
        assert!(body["id"].as_str().is_some_and(|id| id.starts_with("evt_")), "{body}");
        assert!(body["created_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{body}");
        ids.push(body["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 4);
    let created: Value = serde_json::from_str(&bodies[0]).expect("JSON");
    assert_eq!(created["entry"]["created_at"], created["created_at"]);
    // It stays what it was.
    good(&owner.patch(form.path(), json!({"name": "Another"})));
    assert_eq!(super::bodies(server, &form), bodies);
}

#[test]
fn linked_entries_are_shown_in_it() {
    let server = Server::shared();
    let owner = server.user();
    let people = owner.form(json!([field("short_text", json!({}))]));
    add(&owner, &people, json!({"field_1": "Ada"}));
    let token = owner.get(people.entry(1)).data()["token"].clone();
    let link = json!({"form_token": people.token, "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}]});
    let form = owner.form(json!([field("linked_form", link)]));
    Hook::of(&owner, &form, &["entry_created"]);
    good(&owner.post(form.entries(), json!({"field_values": {"field_1": token}})));
    let body = bodies(server, &form).remove(0);
    assert!(body.contains("Ada"), "{body}");
    assert_eq!(entry_of(&body), data_of(&owner.get(form.entry(1))));
}

#[test]
fn only_the_kinds_that_somebody_wants_are_written_for_each_webhook_that_wants_them() {
    let server = Server::shared();
    let (owner, form) = simple();
    let change = |name: &str| {
        add(&owner, &form, json!({"field_1": name}));
        let serial = crate::support::steps::newest(&owner, &form)["serial_number"].as_i64().expect("a number");
        good(&owner.patch(form.entry(serial), json!({"field_values": {"field_1": "other"}})));
        good(&owner.delete(form.entry(serial)));
    };
    change("before");
    expect(server, &form, &[]);
    let created = Hook::of(&owner, &form, &["entry_created"]);
    let both = Hook::of(&owner, &form, &["entry_deleted", "entry_created"]);
    let disabled = Hook::of(&owner, &form, &ALL);
    good(&owner.patch(&disabled.path, json!({"enabled": false})));
    change("a");
    expect(server, &form, &[("entry_created", 2), ("entry_deleted", 2)]);
    assert_eq!(created.kinds(&owner), ["entry_created"]);
    assert_eq!(both.kinds(&owner), ["entry_created", "entry_deleted"]);
    assert_eq!(disabled.kinds(&owner), [] as [&str; 0]);
    // From now on.
    good(&owner.patch(&created.path, json!({"trigger_events": ["entry_updated"]})));
    good(&owner.patch(&disabled.path, json!({"enabled": true})));
    change("b");
    assert_eq!(created.kinds(&owner), ["entry_created", "entry_updated"]);
    assert_eq!(both.kinds(&owner), ["entry_created", "entry_deleted", "entry_created", "entry_deleted"]);
    assert_eq!(disabled.kinds(&owner), ["entry_created", "entry_updated", "entry_deleted"]);
    // Other forms have nothing of it.
    let other = owner.form(json!([field("short_text", json!({}))]));
    add(&owner, &other, json!({"field_1": "x"}));
    expect(server, &other, &[]);
}

#[test]
fn five_hundred_at_once_are_five_hundred_events_in_order() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let entries: Vec<Value> = (0..500).map(|n| json!({"field_values": {"field_1": n.to_string()}})).collect();
    good(&owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries})));
    let expected: Vec<(&str, i64)> = (1..=500).map(|serial| ("entry_created", serial)).collect();
    expect(server, &form, &expected);
    let deliveries = hook.deliveries(&owner);
    assert_eq!(deliveries.len(), 500);
    let bodies = bodies(server, &form);
    assert_eq!(entry_of(&bodies[499]), data_of(&owner.get(form.entry(500))));
}

#[test]
fn many_at_the_same_time_are_as_many_events() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    crate::support::at_once(8, |thread| {
        for n in 0..25 {
            let values = json!({"field_values": {"field_1": format!("{thread}-{n}")}});
            good(&server.anon().post(form.submissions(), values));
        }
    });
    let expected: Vec<(&str, i64)> = (1..=200).map(|serial| ("entry_created", serial)).collect();
    expect(server, &form, &expected);
    assert_eq!(hook.deliveries(&owner).len(), 200);
}
