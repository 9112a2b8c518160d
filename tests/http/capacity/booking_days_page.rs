//! `/forms/{form_token}/bookings`: a day of bookings on a page, its readers, and changes of a booking's state there.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::sharing::share;
use support::steps::{add, set};
use support::{Caller, Form, Server, field};

const ANN: &str = "ann@example.org";
const EVE: &str = "eve@example.org";
const SCOPES: &str = "form:read form:write entry:read entry:write entry:delete";
const STATUS: &str = "reservation_status_fsf_field";

/// A name and a booking: a room in slots on Mondays, and a tour on Mondays that nobody is offered.
fn bookings(owner: &Caller) -> Form {
    let slot = |code: &str, from: &str, to: &str, quota: Value| json!({"code": code, "weekday": 1, "start_time": from, "end_time": to, "quota": quota});
    let form = owner.form(json!([
        field("name", json!({"label": "Your name"})),
        field("booking", json!({"label": "When", "allow_multiple_number": true, "reservation_items": [
            {"api_code": "room", "name": "Room <A>", "quota_setting": {"kind": "time_range",
                "daily_time_range_quotas": [slot("pm", "14:00", "24:00", json!(null)), slot("am", "09:00", "10:00", json!(2))]}},
            {"api_code": "tour", "name": "Tour", "hidden": true, "quota_setting": {"kind": "weekly",
                "closed_dates": ["2090-01-16"], "weekly_quotas": [{"weekday": 1, "quota": 5}]}},
        ]})),
    ]));
    set(owner, &form, json!({"capacity": {"waiting_list": true}}));
    form
}

fn room(name: &str, hour: &str, number: i64) -> Value {
    json!({"field_1": name, "field_2": [
        {"api_code": "room", "scheduled_at": format!("2090-01-09T{hour}"), "number": number}]})
}

fn status(owner: &Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).data()[STATUS].clone()
}

#[test]
fn a_day_shows_free_and_taken_places_and_whose_they_are() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, SCOPES);
    let form = bookings(&owner);
    add(&owner, &form, room("Ada <i>", "09:00", 2));
    let waits =
        server.anon().post(form.submissions(), json!({"field_values": room("Ben", "09:00", 1), "waiting_list": true}));
    assert_eq!(waits.status, 201, "{waits}");
    add(&owner, &form, room("Cyd", "14:00", 3));
    add(
        &owner,
        &form,
        json!({"field_1": "Dan", "field_2": [
        {"api_code": "tour", "scheduled_at": "2090-01-09"}]}),
    );
    let browser = Session::on(&server).signed_in(ANN);
    let day = |query: &str| browser.get(&format!("/forms/{}/bookings?{query}", form.token));
    browser.get(&format!("/forms/{}/entries", form.token)).has([&format!("/forms/{}/bookings\"", form.token)]);
    let page = day("day=2090-01-09").is(200);
    page.has([
        "Monday, 9 January 2090",
        "Room &lt;A&gt;",
        "09:00–10:00",
        "14:00–24:00",
        "Ada &lt;i&gt;",
        "Waiting list: 1",
        "Reserved",
        "day=2090-01-08",
        "day=2090-01-10",
    ]);
    let text = page_text(&page);
    for said in ["2 of 2 places taken", "3 places taken, no limit", "1 of 5 places taken", "3 places"] {
        assert!(text.contains(said), "no {said}: {text}");
    }
    let places: Vec<usize> =
        ["09:00–10:00", "Ada", "Ben", "14:00–24:00", "Cyd", "Dan"].map(|it| text.find(it).expect(it)).into();
    assert!(places.is_sorted(), "{places:?}: {text}");
    // One item, another day, a closed one, today.
    day("day=2090-01-09&item=field_2.tour").is(200).has(["Dan"]).lacks(["Cyd", "09:00–10:00"]);
    day("day=2090-01-16").is(200).has(["Nobody so far", "09:00–10:00"]).lacks(["0 of 5", "Ada"]);
    day("day=2090-01-10").is(200).has(["Nothing can be booked on this day"]);
    day("").is(200).has(["Bookings on"]);
    for query in ["day=monday", "day=2090-13-01", "item=field_2.attic"] {
        day(query).is_for(400, query);
    }
    let plain = owner.form(json!([field("short_text", json!({}))]));
    browser.get(&format!("/forms/{}/bookings", plain.token)).is(404);
    browser.get(&format!("/forms/{}/entries", plain.token)).lacks(["/bookings"]);
}

#[test]
fn a_booking_is_set_in_one_step_and_back_by_editors_alone() {
    let server = Server::alone("its accounts sign in with a password");
    for email in [ANN, EVE, "vic@example.org", "bob@example.org"] {
        account(&server, email);
    }
    let owner = server.token(ANN, SCOPES);
    let form = bookings(&owner);
    add(&owner, &form, room("Ada", "09:00", 1));
    add(&owner, &form, room("Ben", "09:00", 1));
    share(&owner, &form, &server.token(EVE, "form:read"), "editor");
    share(&owner, &form, &server.token("vic@example.org", "form:read"), "viewer");
    let day = format!("/forms/{}/bookings?day=2090-01-09&item=field_2.room", form.token);
    let act = |serial: i64| format!("/forms/{}/bookings/{serial}?day=2090-01-09&item=field_2.room", form.token);
    let eve = Session::on(&server).signed_in(EVE);
    eve.get(&day).has([act(1).replace('&', "&amp;")]);
    let done = eve.post_on(&act(1), &[("status", "cancelled"), ("was", "reserved")]).is(200);
    done.has(["Booking of entry 1: Cancelled", "Undo", "09:00–10:00"]).lacks(["of 5 places taken"]);
    assert_eq!(status(&owner, &form, 1), "cancelled");
    let undone = eve.post_on(&act(1), &[("status", "reserved"), ("was", "")]).is(200);
    undone.has(["Booking of entry 1: Reserved"]).lacks(["Undo"]);
    eve.post_on(&act(2), &[("status", "completed"), ("was", "reserved")]).has(["Booking of entry 2: Completed"]);
    // Meanwhile somebody else took the place.
    eve.post_on(&act(1), &[("status", "cancelled"), ("was", "reserved")]);
    add(&owner, &form, room("Cyd", "09:00", 1));
    eve.post(&act(1), &[("status", "reserved")]).is(409).has(["The booking was not changed", "no place left", "Cyd"]);
    eve.post(&act(1), &[("status", "x")]).is(422).has(["The booking was not changed"]);
    assert_eq!(status(&owner, &form, 1), "cancelled");
    // Viewers read, without a control.
    let vic = Session::on(&server).signed_in("vic@example.org");
    vic.get(&day).is(200).has(["Ada"]).lacks([&format!("/forms/{}/bookings/", form.token)]);
    vic.post(&act(1), &[("status", "completed")]).is(403);
    let bob = Session::on(&server).signed_in("bob@example.org");
    bob.get(&day).is(404);
    bob.post(&act(1), &[("status", "completed")]).is(404);
    // The calendar of an edited entry asks for hidden questions too, and when nobody can send the form.
    owner.patch(form.path(), json!({"published": false})).is(200);
    let days = |item: &str| {
        let query = format!("field=field_2&item={item}&from=2090-01-01&to=2090-01-31");
        format!("/forms/{}/bookings/days?{query}", form.token)
    };
    let room = eve.get(&days("room")).is(200).data();
    assert_eq!(room[1]["slots"][0], json!({"code": "am", "start_time": "09:00", "end_time": "10:00", "remaining": 0}));
    eve.get(&days("attic")).is(422);
    vic.get(&days("room")).is(403);
    bob.get(&days("room")).is(404);
    let nobody = Session::on(&server).get(&day);
    assert_eq!(nobody.status, 303);
    assert_eq!(status(&owner, &form, 1), "cancelled");
}
