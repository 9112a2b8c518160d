//! The state of a booking: set by collaborators at
//! `/api/v1/forms/{form_token}/entries/{serial_number}/reservation_status`, cancelled by respondents at
//! `/api/v1/f/{form_token}/entries/{entry_token}/cancel_booking`.

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field, steps};

use super::{Thing, assert_counted, assert_full, assert_none_left, submit};

const BOOKINGS: [Thing; 2] = [Thing::Day, Thing::Slot];
const STATUS: &str = "reservation_status_fsf_field";

fn set(owner: &Caller, form: &Form, serial: i64, status: &str) -> Response {
    let path = format!("/api/v1/forms/{}/entries/{serial}/reservation_status", form.token);
    owner.patch(path, json!({ "status": status }))
}

fn own(server: &Server, form: &Form, values: Value) -> (String, Caller) {
    let done = server.anon().post(form.submissions(), values);
    assert_eq!(done.status, 201, "{done}");
    let data = done.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("an edit token");
    let path = format!("{}/{token}", form.submissions());
    (path, server.anon().header("X-Edit-Token", right))
}

/// Where the booking of the entry at `path` is cancelled.
fn cancelling(form: &Form, path: &str) -> String {
    let token = path.rsplit('/').next().expect("a token");
    format!("/api/v1/f/{}/entries/{token}/cancel_booking", form.token)
}

fn allow_edits(owner: &Caller, form: &Form) {
    let settings = json!({"submission_options": {"allow_edit_after_submission": true}});
    steps::set(owner, form, settings);
}

#[test]
fn a_new_booking_is_reserved_and_an_entry_without_one_has_no_state() {
    let server = Server::shared();
    let owner = server.user();
    for thing in BOOKINGS {
        let form = owner.form(json!([thing.field(9), field("short_text", json!({}))]));
        submit(server, &form, thing);
        let made = owner.post(form.entries(), thing.values(1));
        assert_eq!(made.data()[STATUS], "reserved", "{made}");
        steps::add(&owner, &form, json!({"field_2": "no booking"}));
        let status = |serial| owner.get(form.entry(serial)).data()[STATUS].clone();
        assert_eq!((status(1), status(3)), (json!("reserved"), Value::Null));
        let edit = |value: Value| {
            let done = owner.patch(form.entry(3), json!({"field_values": {"field_1": value}}));
            assert_eq!(done.status, 200, "{done}");
            done.data()[STATUS].clone()
        };
        assert_eq!(edit(thing.value(1)), "reserved");
        assert_eq!(edit(json!([])), Value::Null);
    }
}

#[test]
fn a_cancelled_booking_gives_its_places_back_and_needs_room_to_be_reserved_again() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in BOOKINGS {
        let form = owner.form(json!([thing.field(1), Thing::Choice.field(1)]));
        let values = json!({"field_values": {"field_1": thing.value(1), "field_2": ["a"]}});
        assert_eq!(server.anon().post(form.submissions(), values).status, 201);
        let cancelled = set(&owner, &form, 1, "cancelled");
        assert_eq!(cancelled.status, 200, "{cancelled}");
        assert_eq!(cancelled.data()[STATUS], "cancelled");
        let choice = json!({"field_values": {"field_2": ["a"]}});
        let full = server.anon().post(form.submissions(), choice);
        assert_eq!(full.attributes(), ["field_values.field_2[0]"], "the choice is kept");
        submit(&server, &form, thing);
        for status in ["reserved", "completed"] {
            assert_full(&set(&owner, &form, 1, status), thing);
        }
        assert_eq!(owner.get(form.entry(1)).data()[STATUS], "cancelled");
        // In the trash and back again it takes nothing either.
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
        assert_eq!(restored.status, 200, "{restored}");
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        assert_eq!(set(&owner, &form, 1, "reserved").status, 200);
        assert_none_left(&server, &form, thing);
        assert_eq!(set(&owner, &form, 1, "completed").status, 200, "it keeps its place");
        assert_none_left(&server, &form, thing);
        assert_eq!(set(&owner, &form, 1, "cancelled").status, 200);
        assert_eq!(set(&owner, &form, 1, "cancelled").status, 200, "again is nothing");
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn the_state_of_a_booking_is_set_by_those_who_may_edit_entries() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([Thing::Day.field(9), field("short_text", json!({}))]));
    submit(server, &form, Thing::Day);
    steps::add(&owner, &form, json!({"field_2": "no booking"}));
    assert_eq!(set(&server.anon(), &form, 1, "cancelled").status, 401);
    assert_eq!(set(&server.user(), &form, 1, "cancelled").status, 404);
    let reader = server.token(&owner.email, "entry:read");
    assert_eq!(set(&reader, &form, 1, "cancelled").status, 403);
    let viewer = server.user();
    let id = viewer.get("/api/v1/me").data()["id"].as_str().expect("an id").to_owned();
    let share = |role: &str| {
        let path = format!("{}/{id}", form.part("collaborators"));
        assert_eq!(owner.put(path, json!({ "role": role })).status, 200);
    };
    share("viewer");
    assert_eq!(set(&viewer, &form, 1, "cancelled").status, 403);
    share("editor");
    assert_eq!(set(&viewer, &form, 1, "completed").status, 200);
    assert_eq!(set(&owner, &form, 7, "cancelled").status, 404);
    let unknown = set(&owner, &form, 1, "gone");
    assert_eq!(unknown.status, 422);
    assert_eq!(unknown.faults(), ["status: must be one of reserved, cancelled, completed"]);
    let path = format!("{}/reservation_status", form.entry(1));
    assert_eq!(owner.patch(&path, json!({})).faults(), ["status: is required"]);
    let none = set(&owner, &form, 2, "cancelled");
    assert_eq!(none.status, 422);
    assert_eq!(none.faults(), ["status: is possible only for an entry with a booking"]);
}

#[test]
fn the_state_of_a_booking_is_part_of_the_entrys_version() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([Thing::Day.field(9)]));
    submit(server, &form, Thing::Day);
    let tag = owner.get(form.entry(1)).header("etag").to_owned();
    let expecting = owner.header("If-Match", &tag);
    let done = set(&expecting, &form, 1, "completed");
    assert_eq!(done.status, 200, "{done}");
    assert_ne!(done.header("etag"), tag);
    assert_eq!(owner.get(form.entry(1)).header("etag"), done.header("etag"));
    let late = set(&expecting, &form, 1, "cancelled");
    assert_eq!(late.status, 412, "{late}");
    assert_eq!(owner.get(form.entry(1)).data()[STATUS], "completed");
}

#[test]
fn respondents_cancel_their_own_bookings() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in BOOKINGS {
        let form = owner.form(json!([thing.field(1), field("short_text", json!({}))]));
        allow_edits(&owner, &form);
        let (path, caller) = own(&server, &form, thing.values(1));
        let cancel = |caller: &Caller, path: &str| caller.send("POST", &cancelling(&form, path), None, b"");
        assert_eq!(cancel(&server.anon(), &path).status, 404, "not without the right to it");
        let other = server.anon().header("X-Edit-Token", "wrong");
        assert_eq!(cancel(&other, &path).status, 404);
        let done = cancel(&caller, &path);
        assert_eq!(done.status, 200, "{done}");
        assert_eq!(done.data()[STATUS], "cancelled");
        assert_eq!(caller.get(&path).data()[STATUS], "cancelled");
        assert_eq!(cancel(&caller, &path).status, 200, "once more is no fault");
        let entry = owner.get(form.entry(1)).data();
        assert_eq!(entry[STATUS], "cancelled");
        assert_ne!(entry["updated_at"], entry["created_at"]);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        // A cancelled booking takes nothing, also while its entry is edited.
        let text = json!({"field_values": {"field_2": "sorry"}});
        assert_eq!(caller.patch(&path, text).status, 200);
        assert_eq!(caller.get(&path).data()[STATUS], "cancelled");

        let without = json!({"field_values": {"field_2": "no booking"}});
        let (path, caller) = own(&server, &form, without);
        let none = cancel(&caller, &path);
        assert_eq!(none.status, 422);
        let blank = format!("{STATUS}: is blank: the entry has no booking");
        assert_eq!(none.faults(), [blank]);
        assert_eq!(set(&owner, &form, 2, "completed").status, 200);
    }
    assert_counted(&server);
}

#[test]
fn a_booking_is_cancelled_only_while_its_entry_can_be_changed() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([Thing::Day.field(2)]));
    allow_edits(&owner, &form);
    let (path, caller) = own(server, &form, Thing::Day.values(1));
    let cancel = |caller: &Caller| caller.post(cancelling(&form, &path), json!({}));
    assert_eq!(set(&owner, &form, 1, "completed").status, 200);
    let done = cancel(&caller);
    assert_eq!(done.faults(), [format!("{STATUS}: is completed")]);
    assert_eq!(set(&owner, &form, 1, "reserved").status, 200);

    let close = |closed: bool| {
        let settings = json!({"availability": {"manually_closed": closed}});
        steps::set(&owner, &form, settings);
    };
    close(true);
    let refused = cancel(&caller);
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("form_closed")));
    close(false);
    steps::set(&owner, &form, json!({"access_control": {"access_password": "Sesame"}}));
    assert_eq!(cancel(&caller).json()["code"], "password_required");
    let by_body = caller.post(cancelling(&form, &path), json!({"password": "wrong"}));
    assert_eq!(by_body.json()["code"], "password_invalid");
    assert_eq!(cancel(&caller.header("X-Form-Password", "Sesame")).status, 200);
    let options = json!({"submission_options": {"allow_edit_after_submission": false}});
    steps::set(&owner, &form, options);
    assert_eq!(cancel(&caller.header("X-Form-Password", "Sesame")).status, 403);
}
