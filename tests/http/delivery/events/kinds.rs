//! Each way of changing an entry is one event, whose `entry` is the API's view right after the change; an edit without
//! a change is no event.

use serde_json::{Value, json};
use support::steps::{count, newest};
use support::world::World;
use support::{Caller, Form, Response, Server, at_once, field};

use super::{bodies, data_of, entry_of, expect};
use crate::delivery::{
    KINDS, NOWHERE, Webhook, change, enter, fields, has, keys, query, respondent, restore, values, visitor,
};

const CREATED: &str = "entry_created";
const UPDATED: &str = "entry_updated";
const DELETED: &str = "entry_deleted";
const RESTORED: &str = "entry_restored";

#[track_caller]
fn good(answer: &Response) {
    assert!((200..300).contains(&answer.status), "{answer}");
}

fn wants(owner: &Caller, form: &Form, kinds: &[&str]) -> Webhook {
    Webhook::new(owner, form, NOWHERE, kinds)
}

/// A form of these fields whose respondents may edit their answers.
fn editable(fields: Value) -> World {
    World::with(fields).settings(json!({"submission_options": {"allow_edit_after_submission": true}}))
}

/// An entry that a respondent submitted: its path, and the caller who may change it.
fn respond(server: &Server, form: &Form, values: Value) -> (String, Caller) {
    let anon = server.anon();
    respondent(&anon, form, &anon.post(form.submissions(), values))
}

#[test]
fn changes_by_collaborators() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = wants(&owner, &form, &KINDS);
    // A request repeated by its key happens once.
    let once = owner.header("Idempotency-Key", "once");
    for _ in 0..3 {
        good(&once.post(form.entries(), values(json!({"field_1": "a"}))));
    }
    change(&owner, &form, "b");
    good(&owner.delete(form.entry(1)));
    good(&restore(&owner, &form, 1));
    let many = [json!({"field_1": "c"}), json!({}), json!({"field_1": "d"})].map(values);
    good(&owner.post(form.part("entries/bulk"), json!({"entries": many})));
    good(&owner.delete(form.entry(2)));
    good(&owner.delete(form.trashed(2)));
    // The entry that is gone for good took its own events with it, except for those that wait to be delivered.
    let expected = [
        (CREATED, 1),
        (UPDATED, 1),
        (DELETED, 1),
        (RESTORED, 1),
        (CREATED, 2),
        (CREATED, 3),
        (CREATED, 4),
        (DELETED, 2),
    ];
    expect(server, &form, &expected);
    assert_eq!(webhook.kinds(&owner), expected.map(|(kind, _)| kind));
}

#[test]
fn changes_by_respondents() {
    let World { server, owner, form, .. } = editable(fields());
    wants(&owner, &form, &KINDS);
    let (path, right) = respond(server, &form, values(json!({"field_1": "a"})));
    good(&right.patch(&path, values(json!({"field_1": "b"}))));
    let page = server.anon().post_form(form.page(), &[("field_1", "c")]);
    assert!(page.status < 400, "{page}");
    // A page that was sent too quickly asks again before it stores.
    let serials = if count(&owner, &form) == 2 { 3 } else { 2 };
    expect(server, &form, &[(CREATED, 1), (UPDATED, 1), (CREATED, 2)][..serials]);
}

#[test]
fn changes_by_visitors_of_a_public_query() {
    let World { server, owner, form, .. } = World::with(fields());
    wants(&owner, &form, &[UPDATED]);
    enter(&owner, &form, "a");
    let token = query(&owner, &form);
    let (path, visitor) = visitor(&server.anon(), &token, 1);
    good(&visitor.patch(path, values(json!({"field_1": "b"}))));
    expect(server, &form, &[(UPDATED, 1)]);
    assert_eq!(entry_of(&bodies(server, &form)[0]), data_of(&owner.get(form.entry(1))));
}

#[test]
fn an_edit_that_changes_nothing_is_none() {
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let fields = json!([
        field("short_text", json!({"unique": true, "required": true})),
        field("number", json!({"precision": 1})),
        field("checkbox", json!({ "choices": choices })),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
        field("phone", json!({})),
    ]);
    let World { server, owner, form, .. } = editable(fields);
    wants(&owner, &form, &[UPDATED]);
    let phone = json!({"country_id": "CN", "country_code": "86", "number": "13812345678"});
    let all = json!({"field_1": "a", "field_2": 2, "field_3": ["a", "b"], "field_5": phone});
    let (path, right) = respond(server, &form, values(all.clone()));
    let before = owner.get(form.entry(1));
    let shown = |key: &str| json!({ key: before.data()[key] });
    for nothing in [
        json!({}),
        json!({"nobody_knows": 1}),
        all,
        json!({"field_1": "a"}),
        json!({"field_2": 2.0}),
        json!({"field_2": 2.04}),
        // A computed value can't be set.
        json!({"field_4": 7}),
        // A value that was read may be written back.
        shown("field_3"),
        shown("field_5"),
    ] {
        let body = values(nothing);
        let tagged = owner.header("If-Match", before.header("etag"));
        let same = tagged.patch(form.entry(1), body.clone());
        assert_eq!((same.status, same.data()), (200, before.data()), "{body}");
        assert_eq!(same.header("etag"), before.header("etag"), "{body}");
        good(&right.patch(&path, body));
    }
    assert_eq!(owner.get(form.entry(1)).data(), before.data());
    expect(server, &form, &[]);
    // A faulty request is refused all the same, and a change is one.
    let refused = owner.patch(form.entry(1), values(json!({"field_1": null})));
    assert_eq!(refused.status, 422, "{refused}");
    good(&owner.patch(form.entry(1), values(json!({"field_3": ["b"]}))));
    good(&owner.patch(form.entry(1), values(json!({"field_5": null}))));
    good(&owner.patch(form.entry(1), values(json!({"field_5": null}))));
    expect(server, &form, &[(UPDATED, 1), (UPDATED, 1)]);
}

#[test]
fn a_waiting_list_tells_who_moves_up_and_who_leaves() {
    let choices = json!([{"api_code": "a", "label": "A", "quota": 1}]);
    let fields = json!([field("checkbox", json!({"choices": choices}))]);
    let World { server, owner, form, .. } = editable(fields).settings(json!({"capacity": {"waiting_list": true}}));
    wants(&owner, &form, &KINDS);
    let body = json!({"field_values": {"field_1": ["a"]}, "waiting_list": true});
    let all = [(); 4].map(|()| respond(server, &form, body.clone()));
    let (third, right) = &all[2];
    // The entry that makes room and the one that moves up have one event each; the others only wait at other places.
    good(&owner.delete(form.entry(1)));
    good(&right.delete(format!("{third}/waiting")));
    let expected = [(CREATED, 1), (CREATED, 2), (CREATED, 3), (CREATED, 4), (DELETED, 1), (UPDATED, 2), (DELETED, 3)];
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
    let days = json!([{"weekday": 1, "quota": null}, {"weekday": 2, "quota": null}]);
    let items =
        json!([{"api_code": "room", "name": "Room", "quota_setting": {"kind": "weekly", "weekly_quotas": days}}]);
    let fields = json!([field("booking", json!({ "reservation_items": items }))]);
    let World { server, owner, form, .. } = editable(fields);
    wants(&owner, &form, &KINDS);
    let in_two_weeks = jiff::Zoned::now().date() + jiff::ToSpan::days(14);
    let day = in_two_weeks.nth_weekday(1, jiff::civil::Weekday::Monday).expect("a day");
    let booked = json!([{"api_code": "room", "scheduled_at": day.to_string(), "number": 1}]);
    let (path, right) = respond(server, &form, values(json!({"field_1": booked})));
    let status = format!("{}/reservation_status", form.entry(1));
    good(&owner.patch(&status, json!({"status": "completed"})));
    // A request that makes no new version is no change.
    good(&owner.patch(&status, json!({"status": "completed"})));
    good(&owner.patch(&status, json!({"status": "reserved"})));
    good(&right.post(format!("{path}/cancel_booking"), json!({})));
    let expected = [(CREATED, 1), (UPDATED, 1), (UPDATED, 1), (UPDATED, 1)];
    expect(server, &form, &expected);
    let last: Value = serde_json::from_str(&bodies(server, &form)[3]).expect("JSON");
    assert_eq!(last["entry"]["reservation_status_fsf_field"], "cancelled");
}

#[test]
fn a_body_is_what_get_showed_at_that_moment() {
    let fields = json!([
        field("short_text", json!({})),
        field("number", json!({})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
        field("date", json!({})),
        field("short_text", json!({"hidden": true, "default_value": "within"})),
    ]);
    let World { server, owner, form, .. } = World::of(json!({"name": "Um \"laut\" ä", "fields": fields}));
    wants(&owner, &form, &KINDS);
    let mut shown = Vec::new();
    let mut look = || shown.push(data_of(&owner.get(form.entry(1))).to_owned());
    let all = json!({"field_1": "\u{1F600} <b>", "field_2": 2.5, "field_4": "2026-11-20"});
    good(&owner.post(form.entries(), json!({"field_values": all, "x_field_1": "mark"})));
    look();
    good(&owner.patch(form.entry(1), values(json!({"field_2": null}))));
    look();
    look();
    good(&owner.delete(form.entry(1)));
    good(&restore(&owner, &form, 1));
    look();
    let bodies = bodies(server, &form);
    let entries: Vec<&str> = bodies.iter().map(|body| entry_of(body)).collect();
    assert_eq!(entries, shown);
    let mut ids = Vec::new();
    for (body, kind) in bodies.iter().zip(KINDS) {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(keys(&body), ["id", "event", "created_at", "form", "entry"]);
        has(&body, json!({"event": kind, "form": {"token": form.token, "name": "Um \"laut\" ä"}}));
        assert!(body["id"].as_str().is_some_and(|id| id.starts_with("evt_")), "{body}");
        assert!(body["created_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{body}");
        ids.push(body["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 4);
    let created: Value = serde_json::from_str(&bodies[0]).expect("JSON");
    assert_eq!(created["entry"]["created_at"], created["created_at"]);
    // It is unchanged.
    good(&owner.patch(form.path(), json!({"name": "Another"})));
    assert_eq!(super::bodies(server, &form), bodies);
}

#[test]
fn only_the_kinds_that_somebody_wants_are_written_for_each_webhook_that_wants_them() {
    let World { server, owner, form, .. } = World::with(fields());
    let change_all = |name: &str| {
        enter(&owner, &form, name);
        let serial = newest(&owner, &form)["serial_number"].as_i64().expect("a number");
        good(&owner.patch(form.entry(serial), values(json!({"field_1": "other"}))));
        good(&owner.delete(form.entry(serial)));
    };
    change_all("before");
    expect(server, &form, &[]);
    let created = wants(&owner, &form, &[CREATED]);
    let both = wants(&owner, &form, &["entry_deleted", "entry_created"]);
    let disabled = wants(&owner, &form, &KINDS);
    disabled.set(&owner, json!({"enabled": false}));
    change_all("a");
    expect(server, &form, &[(CREATED, 2), (DELETED, 2)]);
    assert_eq!(created.kinds(&owner), ["entry_created"]);
    assert_eq!(both.kinds(&owner), ["entry_created", "entry_deleted"]);
    assert_eq!(disabled.kinds(&owner), [] as [&str; 0]);
    // From now on.
    created.set(&owner, json!({"trigger_events": ["entry_updated"]}));
    disabled.set(&owner, json!({"enabled": true}));
    change_all("b");
    assert_eq!(created.kinds(&owner), ["entry_created", "entry_updated"]);
    assert_eq!(both.kinds(&owner), ["entry_created", "entry_deleted", "entry_created", "entry_deleted"]);
    assert_eq!(disabled.kinds(&owner), ["entry_created", "entry_updated", "entry_deleted"]);
    // Other forms have nothing of it.
    let other = owner.form(fields());
    enter(&owner, &other, "x");
    expect(server, &other, &[]);
}

#[test]
fn many_at_the_same_time_are_as_many_events() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = wants(&owner, &form, &KINDS);
    at_once(8, |thread| {
        for n in 0..25 {
            good(&server.anon().post(form.submissions(), values(json!({"field_1": format!("{thread}-{n}")}))));
        }
    });
    let expected: Vec<(&str, i64)> = (1..=200).map(|serial| (CREATED, serial)).collect();
    expect(server, &form, &expected);
    assert_eq!(webhook.deliveries(&owner).len(), 200);
}
