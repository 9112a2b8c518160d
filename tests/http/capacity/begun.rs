//! Time slots that have begun: respondents can't book them any more; collaborators can.

use serde_json::{Value, json};
use support::clock::{Clock, noon};
use support::steps::set;
use support::{Caller, Form, Server, field};

const BEGUN: &str = "field_values.field_1[0].scheduled_at: is the start of a slot that has begun: choose a later one";

/// Today there, where it is about noon.
fn today() -> String {
    noon().1
}

/// A desk with a slot from midnight and one to midnight of every day, a room by the day, and a name.
fn form(owner: &Caller, days_ahead: i64, is_only: bool) -> Form {
    let slot = |code: &str, weekday: i64, start: &str, end: &str| json!({"code": format!("{code}{weekday}"), "weekday": weekday, "start_time": start, "end_time": end, "quota": if code == "early" { json!(null) } else { json!(5) }});
    let slots: Vec<Value> =
        (1..=7).flat_map(|day| [slot("early", day, "00:00", "00:30"), slot("late", day, "23:30", "24:00")]).collect();
    let days: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": 9})).collect();
    let mut items = vec![
        json!({"api_code": "desk", "name": "Desk", "quota_setting": {
            "kind": "time_range", "max_days_ahead": days_ahead, "daily_time_range_quotas": slots}}),
        json!({"api_code": "room", "name": "Room", "quota_setting": {"kind": "weekly", "weekly_quotas": days}}),
    ];
    items.truncate(if is_only { 1 } else { 2 });
    let form = owner.form_with(json!({"name": "Desks", "timezone": noon().0, "fields": [
        field("booking", json!({"label": "When", "allow_multiple_number": true, "reservation_items": items})),
        field("short_text", json!({"label": "Name"})),
    ]}));
    set(
        owner,
        &form,
        json!({"capacity": {"waiting_list": true, "hold_minutes": 10},
            "submission_options": {"allow_edit_after_submission": true}}),
    );
    form
}

fn desk(time: &str) -> Value {
    json!({"field_1": [{"api_code": "desk", "scheduled_at": format!("{}T{time}", today())}]})
}

#[test]
fn respondents_cant_book_a_slot_that_has_begun() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner, 30, false);
    let early = json!({"field_values": desk("00:00")});
    anon.post(form.submissions(), early.clone()).refuses_with(&[BEGUN]);
    let mut waits = early.clone();
    waits["waiting_list"] = json!(true);
    anon.post(form.submissions(), waits).refuses_with(&[BEGUN]);
    anon.post(format!("{}/holds", form.published()), early.clone()).refuses_with(&[BEGUN]);
    anon.post_form(
        form.page(),
        &[("field_1[0].api_code", "desk"), ("field_1[0].scheduled_at", &format!("{}T00:00", today()))],
    )
    .is(422)
    .has(["This time has already started. Choose a later one."]);
    // A slot that has not begun can be booked, and so can a whole day.
    anon.post(form.submissions(), json!({"field_values": desk("23:30")})).is(201);
    let room = json!({"field_values": {"field_1": [{"api_code": "room", "scheduled_at": today()}]}});
    anon.post(form.submissions(), room).is(201);
    owner.post(form.entries(), early.clone()).is(201);
    let many = json!({"entries": [early]});
    owner.post(format!("{}/bulk", form.entries()), many).is(201);
}

#[test]
fn a_slot_that_has_begun_has_no_places_left_and_is_not_offered() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner, 0, true);
    let query = format!("field=field_1&from={0}&to={0}", today());
    let days = anon.get(format!("{}/availability?{query}", form.published())).is(200).data();
    let slots = days[0]["slots"].as_array().expect("slots").clone();
    let left: Vec<_> = slots.iter().map(|slot| (slot["remaining"].clone(), slot.get("has_begun").cloned())).collect();
    assert_eq!(left, [(json!(0), Some(json!(true))), (json!(5), None)], "{days}");
    // Today is the last day that can be booked.
    let shown = anon.get(form.published()).is(200).data();
    let weekday = slots[1]["code"].as_str().expect("a code").replace("late", "");
    let quotas = &shown["fields"][0]["reservation_items"][0]["quota_setting"]["daily_time_range_quotas"];
    let late = quotas.as_array().expect("slots").iter().find(|slot| slot["code"] == format!("late{weekday}"));
    assert_eq!(late.expect("the slot")["remaining"], 5, "{shown}");
    let page = anon.get(form.page()).is(200);
    page.has([format!("value=\"{}/late{weekday}\"", today())]);
    page.lacks([format!("value=\"{}/early{weekday}\"", today())]);
}

#[test]
fn a_booking_that_has_begun_holds_up_no_other_change() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner, 30, false);
    let sent = anon.post(form.submissions(), json!({"field_values": desk("23:30")})).is(201).data();
    let early = json!({"field_values": desk("00:00")});
    owner.patch(form.entry(1), early).is(200);
    let token = sent["entry"]["token"].as_str().expect("a token");
    let own = anon.header("x-edit-token", sent["edit_token"].as_str().expect("a right"));
    let path = format!("{}/{token}", form.submissions());
    let stored = own.get(&path).is(200).data()["field_1"].clone();
    own.patch(&path, json!({"field_values": {"field_1": stored, "field_2": "Ada"}})).is(200);
    let mut more = stored.clone();
    more[0]["number"] = json!(2);
    own.patch(&path, json!({"field_values": {"field_1": more}})).refuses_with(&[BEGUN]);
}

#[test]
fn nobody_moves_up_to_a_slot_that_has_begun() {
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &[]);
    let (owner, anon) = (server.user(), server.anon());
    let (zone, today) = noon();
    let slot = |weekday: i64| json!({"code": format!("late{weekday}"), "weekday": weekday, "start_time": "23:30", "end_time": "24:00", "quota": 1});
    let slots: Vec<Value> = (1..=7).map(slot).collect();
    let form = owner.form_with(json!({"name": "Desks", "timezone": zone, "fields": [
        field("booking", json!({"label": "When", "reservation_items": [{"api_code": "desk", "name": "Desk",
            "quota_setting": {"kind": "time_range", "daily_time_range_quotas": slots}}]})),
    ]}));
    set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
    let late = json!({"field_1": [{"api_code": "desk", "scheduled_at": format!("{today}T23:30")}]});
    for _ in 0..3 {
        let sent = json!({"field_values": late, "waiting_list": true});
        anon.post(form.submissions(), sent).is(201);
    }
    let positions = || [1, 2, 3].map(|serial| owner.get(form.entry(serial)).data()["waiting_position"].clone());
    assert_eq!(positions(), [json!(null), json!(1), json!(2)]);
    owner.delete(form.entry(1)).is(200);
    assert_eq!(positions()[1..], [json!(null), json!(1)]);
    clock.ahead(12 * 3_600);
    owner.delete(form.entry(2)).is(200);
    assert_eq!(positions()[2], 1);
}
