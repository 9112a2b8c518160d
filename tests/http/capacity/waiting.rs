//! The waiting list: an entry that finds no room may wait, and moves up within the change that makes some. A waiting
//! respondent may leave at `/api/v1/f/{form_token}/entries/{entry_token}/waiting`.

use serde_json::{Value, json};
use support::peers::mail::flags;
use support::steps;
use support::{Caller, Form, Response, Server, at_once, field, until};

use crate::entries::filters::Asked;

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, submit};

const STATUS: &str = "reservation_status_fsf_field";

fn allow(owner: &Caller, form: &Form) {
    steps::set(owner, form, json!({"capacity": {"waiting_list": true}}));
}

fn wait(server: &Server, form: &Form, values: Value) -> Response {
    wait_from(server, 0, form, values)
}

/// The same from another network, where the server trusts the forwarded address.
fn wait_from(server: &Server, host: usize, form: &Form, mut values: Value) -> Response {
    values["waiting_list"] = json!(true);
    server.anon().header("x-forwarded-for", &format!("203.0.113.{host}")).post(form.submissions(), values)
}

fn position(owner: &Caller, form: &Form, serial: i64) -> Value {
    let entry = owner.get(form.entry(serial));
    assert_eq!(entry.status, 200, "{entry}");
    entry.data()["waiting_position"].clone()
}

/// A form of one of a thing that is taken by entry 1, for which entries 2 to 4 wait.
fn full(server: &Server, owner: &Caller, thing: Thing) -> Form {
    let form = owner.form(json!([thing.field(1), field("short_text", json!({}))]));
    allow(owner, &form);
    submit(server, &form, thing);
    for place in 1..=3 {
        let waits = wait(server, &form, thing.values(1));
        assert_eq!(waits.status, 201, "{thing:?}: {waits}");
        let entry = &waits.data()["entry"];
        assert_eq!(entry["waiting_position"], place, "{waits}");
    }
    form
}

#[test]
fn places_can_be_filtered() {
    let server = Server::shared();
    let owner = server.user();
    let form = full(server, &owner, Thing::Stock);
    let asked = Asked { owner, form };
    let place = |operator: &str, value: Value, found: &[i64]| asked.finds("waiting_position", operator, value, found);
    for (operator, value, found) in [
        ("null", Value::Null, &[1][..]),
        ("not_null", Value::Null, &[2, 3, 4]),
        ("eq", json!(1), &[2]),
        ("ne", json!(1), &[1, 3, 4]),
        ("lte", json!(2), &[2, 3]),
        ("between", json!([2, 3]), &[3, 4]),
        ("eq", json!(4), &[]),
    ] {
        place(operator, value, found);
    }
    // An entry that moves up leaves the list, and those behind come nearer.
    asked.owner.delete(asked.form.entry(1)).is(200);
    place("null", Value::Null, &[2]);
    place("eq", json!(1), &[3]);
    // In the trash nobody waits.
    asked.owner.delete(asked.form.entry(3)).is(200);
    place("not_null", Value::Null, &[4]);
    steps::set(&asked.owner, &asked.form, json!({"capacity": {"waiting_list": false}}));
    asked.refuses("waiting_position", "not_null", Value::Null, "field");
}

#[test]
fn who_waits_takes_nothing_and_moves_up_in_order() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = full(&server, &owner, thing);
        assert_none_left(&server, &form, thing);
        let places = || [1, 2, 3, 4].map(|serial| position(&owner, &form, serial));
        assert_eq!(places(), [json!(null), json!(1), json!(2), json!(3)]);
        let before = owner.get(form.entry(2)).header("etag").to_owned();
        let third = owner.get(form.entry(3)).header("etag").to_owned();
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(position(&owner, &form, 2), Value::Null, "{thing:?}");
        assert_eq!(position(&owner, &form, 3), 1);
        assert_eq!(position(&owner, &form, 4), 2);
        let moved = owner.get(form.entry(2));
        assert_ne!(moved.header("etag"), before);
        assert_ne!(owner.get(form.entry(3)).header("etag"), third);
        assert_ne!(moved.data()["updated_at"], moved.data()["created_at"]);
        assert_none_left(&server, &form, thing);
        let list = owner.get(form.entries()).data();
        let listed: Vec<Value> =
            list.as_array().expect("entries").iter().map(|entry| entry["waiting_position"].clone()).collect();
        assert_eq!(listed, [json!(2), json!(1), Value::Null], "{thing:?}");
    }
    assert_counted(&server);
}

#[test]
fn nobody_waits_where_there_is_room_or_who_did_not_ask() {
    let server = Server::shared();
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        let none = wait(server, &form, thing.values(1));
        assert_eq!(none.status, 201);
        assert_eq!(none.data()["entry"].get("waiting_position"), None);
        assert_full(&wait(server, &form, thing.values(1)), thing);
        allow(&owner, &form);
        assert_none_left(server, &form, thing);
        if thing != Thing::Choice {
            assert_full(&owner.post(form.entries(), thing.values(1)), thing);
        }
        assert_eq!(position(&owner, &form, 1), Value::Null);
    }
}

#[test]
fn every_change_that_makes_room_moves_somebody_up() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let moved = |form: &Form| position(&owner, form, 2) == Value::Null;
        // An edit to less.
        let form = full(&server, &owner, thing);
        let less = json!({"field_values": {"field_1": thing.other()}});
        assert_eq!(owner.patch(form.entry(1), less).status, 200);
        assert!(moved(&form), "{thing:?}");
        assert_eq!(position(&owner, &form, 3), 1);
        // A higher limit: for two of them.
        let form = full(&server, &owner, thing);
        let fields = json!([thing.field(3), form.body["fields"][1]]);
        let mut fields = fields;
        fields[0]["api_code"] = json!("field_1");
        assert_eq!(owner.patch(form.path(), json!({"fields": fields})).status, 200);
        let places = [2, 3, 4].map(|serial| position(&owner, &form, serial));
        assert_eq!(places, [json!(null), json!(null), json!(1)], "{thing:?}");
        // A hold that is freed.
        let form = owner.form(json!([thing.field(1)]));
        let settings = json!({"capacity": {"waiting_list": true, "hold_minutes": 10}});
        steps::set(&owner, &form, settings);
        let held = server.anon().post(format!("{}/holds", form.published()), thing.values(1));
        let token = held.data()["hold_token"].as_str().expect("a token").to_owned();
        assert_eq!(wait(&server, &form, thing.values(1)).data()["entry"]["waiting_position"], 1);
        let path = format!("{}/holds/{token}", form.published());
        assert_eq!(server.anon().delete(path).status, 200);
        assert_eq!(position(&owner, &form, 1), Value::Null, "{thing:?}");
    }
    for thing in [Thing::Day, Thing::Slot] {
        let form = full(&server, &owner, thing);
        assert_eq!(owner.get(form.entry(2)).data()[STATUS], Value::Null);
        let path = format!("{}/reservation_status", form.entry(1));
        let refused = owner.patch(format!("{}/reservation_status", form.entry(2)), json!({"status": "completed"}));
        assert_eq!(refused.status, 422, "nothing is booked so far: {refused}");
        assert_eq!(owner.patch(path, json!({"status": "cancelled"})).status, 200);
        assert_eq!(position(&owner, &form, 2), Value::Null);
        assert_eq!(owner.get(form.entry(2)).data()[STATUS], "reserved");
    }
    assert_counted(&server);
}

#[test]
fn a_hold_that_ends_is_for_those_who_wait() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        let settings = json!({"capacity": {"waiting_list": true, "hold_minutes": 10}});
        steps::set(&owner, &form, settings);
        let held = server.anon().post(format!("{}/holds", form.published()), thing.values(1));
        assert_eq!(held.status, 201, "{held}");
        assert_eq!(wait(&server, &form, thing.values(1)).status, 201);
        let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
        database.busy_timeout(std::time::Duration::from_secs(10)).expect("waits");
        for table in ["hold_takes", "holds"] {
            let end = format!("UPDATE {table} SET expires_at = 1");
            database.execute(&end, []).expect("SQL");
        }
        // A new entry does not come before them.
        assert_none_left(&server, &form, thing);
        until("it moves up", || position(&owner, &form, 1) == Value::Null);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn the_first_who_fits_moves_up() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot] {
        let form = owner.form(json!([thing.field(4)]));
        allow(&owner, &form);
        for number in [2, 2] {
            assert_eq!(owner.post(form.entries(), thing.values(number)).status, 201);
        }
        for number in [4, 2] {
            assert_eq!(wait(&server, &form, thing.values(number)).status, 201);
        }
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(position(&owner, &form, 3), 1, "four don't fit");
        assert_eq!(position(&owner, &form, 4), Value::Null, "two do");
        for serial in [2, 4] {
            assert_eq!(owner.delete(form.entry(serial)).status, 200);
        }
        assert_eq!(position(&owner, &form, 3), Value::Null);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn entries_that_wait_are_edited_deleted_and_restored() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = full(&server, &owner, thing);
        let text = json!({"field_values": {"field_2": "still here"}});
        let edited = owner.patch(form.entry(2), text);
        assert_eq!(edited.data()["waiting_position"], 1, "{edited}");
        // Without the missing thing it has nothing to wait for.
        let other = json!({"field_values": {"field_1": thing.other()}});
        let edited = owner.patch(form.entry(3), other);
        assert_eq!(edited.status, 200, "{edited}");
        assert_eq!(edited.data()["waiting_position"], Value::Null, "{edited}");
        assert_eq!(owner.get(form.entry(3)).header("etag"), edited.header("etag"));
        assert_eq!(position(&owner, &form, 4), 2);
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        assert_eq!(position(&owner, &form, 4), 1);
        let restore = |serial| owner.post(format!("{}/restore", form.trashed(serial)), json!({}));
        let restored = restore(2);
        assert_eq!(restored.status, 200, "{restored}");
        assert_eq!(restored.data()["waiting_position"], 1, "at its old place: {restored}");
        assert_eq!(position(&owner, &form, 4), 2);
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        assert_eq!(owner.delete(form.entry(4)).status, 200);
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let restored = restore(4);
        assert_eq!(restored.data()["waiting_position"], Value::Null, "there is room: {restored}");
        assert_none_left(&server, &form, thing);
        assert_eq!(restore(2).data()["waiting_position"], 1);
    }
    assert_counted(&server);
}

#[test]
fn a_list_that_is_switched_off_tells_who_still_waits() {
    let server = Server::shared();
    let owner = server.user();
    let thing = Thing::Stock;
    let form = full(server, &owner, thing);
    let switch = |settings: Value| {
        let done = owner.patch(form.part("settings"), settings);
        assert_eq!(done.status, 200, "{done}");
        done.json().get("warnings").cloned()
    };
    let off = || switch(json!({"capacity": {"waiting_list": false}}));
    let says = |message: &str| Some(json!([{"attribute": "capacity.waiting_list", "message": message}]));
    assert_eq!(
        off(),
        says(
            "is off, but 3 entries wait: they keep their places and still move up when there is room; nobody else can wait"
        )
    );
    // So it is.
    assert_full(&wait(server, &form, thing.values(1)), thing);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    let places = || [2, 3, 4].map(|serial| position(&owner, &form, serial));
    assert_eq!(places(), [json!(null), json!(1), json!(2)]);
    assert_eq!(owner.delete(form.entry(4)).status, 200);
    assert_eq!(
        off(),
        says(
            "is off, but 1 entry waits: it keeps its place and still moves up when there is room; nobody else can wait"
        )
    );
    // Other settings, and a list that is on, have nothing to tell.
    assert_eq!(switch(json!({"submission_options": {"show_progress": true}})), None);
    assert_eq!(switch(json!({"capacity": {"waiting_list": true}})), None);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    assert_eq!(position(&owner, &form, 3), Value::Null);
    assert_eq!(off(), None, "nobody waits");
}

#[test]
fn who_waits_may_leave() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = full(&server, &owner, thing);
        let waits = wait(&server, &form, thing.values(1)).data();
        let right = waits["edit_token"].as_str().expect("an edit token");
        let path = format!("{}/{}", form.submissions(), waits["entry"]["token"].as_str().expect("a token"));
        let caller = server.anon().header("X-Edit-Token", right);
        // It gives no other right than that.
        assert_eq!(caller.get(&path).status, 403);
        let token = waits["entry"]["token"].as_str().expect("a token");
        let leave = format!("/api/v1/f/{}/entries/{token}/waiting", form.token);
        assert_eq!(server.anon().delete(&leave).status, 404);
        let left = caller.delete(&leave);
        assert_eq!(left.data(), json!({"deleted": true, "serial_number": 5}), "{left}");
        assert_eq!(owner.get(form.entry(5)).status, 404);
        assert_eq!(caller.delete(&leave).status, 404);
        assert_eq!(owner.post(format!("{}/restore", form.trashed(5)), json!({})).status, 200);
        for serial in [1, 2, 3, 4] {
            assert_eq!(owner.delete(form.entry(serial)).status, 200);
        }
        assert_eq!(position(&owner, &form, 5), Value::Null);
        let late = caller.delete(&leave);
        assert_eq!(late.faults(), ["waiting_position: is null: the entry does not wait"]);
    }
    assert_counted(&server);
}

#[test]
fn who_waits_survives_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let forms = ALL.map(|thing| (thing, full(&server, &owner, thing)));
    server.kill();
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = steps::again(&owner, &server);
    for (thing, form) in &forms {
        assert_eq!(position(&owner, form, 2), 1);
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(position(&owner, form, 2), Value::Null, "{thing:?}");
    }
    assert_counted(&server);
}

#[test]
fn many_wait_leave_and_move_up_at_once() {
    let server = Server::with(&["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.user();
    for thing in ALL {
        for round in 0..10 {
            let most = 5;
            let form = owner.form(json!([thing.field(most)]));
            allow(&owner, &form);
            at_once(32, |n| {
                let done = wait_from(&server, n, &form, thing.values(1));
                assert_eq!(done.status, 201, "{thing:?}: {done}");
                if n % 3 == 0 {
                    let serial = done.data()["entry"]["serial_number"].as_i64();
                    let gone = owner.delete(form.entry(serial.expect("a number")));
                    assert_eq!(gone.status, 200, "{gone}");
                }
            });
            let entries = owner.get(format!("{}?page_size=100&sort=serial_number", form.entries()));
            let entries = entries.data().as_array().cloned().expect("entries");
            let places: Vec<Option<i64>> = entries.iter().map(|entry| entry["waiting_position"].as_i64()).collect();
            let stored = places.iter().filter(|place| place.is_none()).count();
            assert_eq!(stored, 5, "{thing:?}, round {round}: {places:?}");
            let waiting: Vec<i64> = places.into_iter().flatten().collect();
            let expected: Vec<i64> = (1..).take(waiting.len()).collect();
            assert_eq!(waiting, expected, "{thing:?}, round {round}");
            assert_none_left(&server, &form, thing);
        }
    }
    assert_counted(&server);
}

#[test]
fn who_waits_is_told_so_and_who_moves_up_too() {
    let server = Server::with(&flags("smtp://127.0.0.1:9"));
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1), field("email", json!({}))]));
        allow(&owner, &form);
        steps::set(&owner, &form, json!({"notifications": {"receipt": {"enabled": true, "for_programs": true}}}));
        let values = |to: &str| json!({"field_values": {"field_1": thing.value(1), "field_2": to}});
        for to in ["ada@example.com", "grace@example.com"] {
            assert_eq!(wait(&server, &form, values(to)).status, 201);
        }
        let mail = || {
            let listed = owner.get(form.part("notifications")).data();
            let listed = listed.as_array().expect("mail").iter();
            let told = listed.map(|mail| ["kind", "to"].map(|key| mail[key].clone()));
            told.collect::<Vec<_>>()
        };
        let (ada, grace) = ("ada@example.com", "grace@example.com");
        assert_eq!(mail(), [["waiting", grace], ["receipt", ada]], "{thing:?}");
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        assert_eq!(mail(), [["moved_up", grace], ["waiting", grace], ["receipt", ada]], "{thing:?}");
    }
}

#[test]
fn a_network_has_twenty_places_in_the_waiting_list_of_a_form() {
    let server = Server::with(&["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.user();
    for thing in ALL {
        let [form, other] = [(), ()].map(|()| owner.form(json!([thing.field(1)])));
        for form in [&form, &other] {
            allow(&owner, form);
            submit(&server, form, thing);
        }
        let asks = |host: usize, form: &Form| wait_from(&server, host, form, thing.values(1));
        let waits: Vec<Value> = (0..20).map(|_| asks(1, &form).is(201).data()).collect();
        let refused = asks(1, &form);
        assert_eq!(refused.status, 409, "{thing:?}: {refused}");
        let text = "20 entries from your network are already on the waiting list of this form, which is the maximum: take one of them off the list, or submit something that there is room for";
        assert_eq!(refused.json(), json!({"error": text, "code": "waiting_list_full"}));
        // Other networks and other forms have places of their own, and a respondent who wants another thing submits.
        asks(2, &form).is(201);
        asks(1, &other).is(201);
        let values = json!({"field_values": {"field_1": thing.other()}});
        server.anon().header("x-forwarded-for", "203.0.113.1").post(form.submissions(), values).is(201);
        // A place is given back by a respondent who leaves, or moves up.
        let first = &waits[0];
        let path = format!("{}/{}/waiting", form.submissions(), first["entry"]["token"].as_str().expect("a token"));
        server.anon().header("x-edit-token", first["edit_token"].as_str().expect("a right")).delete(path).is(200);
        asks(1, &form).is(201);
        assert_eq!(asks(1, &form).status, 409);
        owner.delete(form.entry(1)).is(200);
        assert_eq!(position(&owner, &form, 3), Value::Null);
        asks(1, &form).is(201);
        assert_eq!(asks(1, &form).status, 409);
    }
    assert_counted(&server);
}
