//! `GET /f/{form_token}/availability`: the days and slots of a booking field, with the places left.

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use support::form_page::hidden;
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

/// A tour at weekends, and rooms in slots on Mondays, far ahead.
fn booking(own: Value) -> Value {
    let slot = |code: &str, start: &str, end: &str, quota: Value| json!({"code": code, "weekday": 1, "start_time": start, "end_time": end, "quota": quota});
    let mut field = field(
        "booking",
        json!({"label": "When", "allow_multiple_number": true, "reservation_items": [
            {"api_code": "tour", "name": "Tour", "quota_setting": {"kind": "weekly", "start_date": "2090-01-01", "end_date": "2090-12-31",
                "closed_dates": ["2090-01-14"],
                "weekly_quotas": [{"weekday": 6, "quota": 3}, {"weekday": 7, "quota": null}]}},
            {"api_code": "room", "name": "Room", "quota_setting": {"kind": "time_range", "start_date": "2090-01-01",
                "daily_time_range_quotas": [slot("pm", "14:00", "24:00", json!(null)), slot("am", "09:00", "10:00", json!(2))]}},
            {"api_code": "attic", "name": "Attic", "hidden": true, "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 77}]}},
        ]}),
    );
    if let (Some(field), Value::Object(own)) = (field.as_object_mut(), own) {
        field.extend(own);
    }
    field
}

fn ask(caller: &Caller, form: &Form, query: &str) -> Response {
    caller.get(format!("/api/v1/f/{}/availability?{query}", form.token))
}

fn days(form: &Form, query: &str) -> Value {
    let anon = Server::shared().anon();
    let found = ask(&anon, form, query);
    assert_eq!(found.status, 200, "{found}");
    assert_eq!(found.header("cache-control"), "no-store");
    found.data()
}

fn book(form: &Form, lines: Value) {
    let body = json!({"field_values": {"field_1": lines}});
    let sent = Server::shared().anon().post(form.submissions(), body);
    assert_eq!(sent.status, 201, "{sent}");
}

#[test]
fn days_and_slots_are_listed_with_the_places_left() {
    let owner = Server::shared().user();
    let form = owner.form(json!([booking(json!({}))]));
    let weekend = "field=field_1&item=tour&from=2090-01-06&to=2090-01-15";
    assert_eq!(
        days(&form, weekend),
        json!([
            {"date": "2090-01-07", "remaining": 3},
            {"date": "2090-01-08", "remaining": null},
            {"date": "2090-01-15", "remaining": null},
        ])
    );
    let slots = |am: i64| {
        json!([
            {"code": "am", "start_time": "09:00", "end_time": "10:00", "remaining": am},
            {"code": "pm", "start_time": "14:00", "end_time": "24:00", "remaining": null},
        ])
    };
    let monday = "field=field_1&item=room&from=2090-01-09&to=2090-01-15";
    assert_eq!(days(&form, monday), json!([{"date": "2090-01-09", "slots": slots(2)}]));
    // Full days and slots are listed too, and each day is counted for itself.
    book(&form, json!([{"api_code": "tour", "scheduled_at": "2090-01-07", "number": 2}]));
    book(&form, json!([{"api_code": "tour", "scheduled_at": "2090-01-07"}]));
    book(&form, json!([{"api_code": "room", "scheduled_at": "2090-01-09T09:00"}]));
    let tour = days(&form, "field=field_1&item=tour&from=2090-01-07&to=2090-01-21");
    assert_eq!(tour[0], json!({"date": "2090-01-07", "remaining": 0}));
    assert_eq!(tour.as_array().and_then(|days| days.last()), Some(&json!({"date": "2090-01-21", "remaining": 3})));
    assert_eq!(
        days(&form, "field=field_1&item=room&from=2090-01-09&to=2090-01-16"),
        json!([
            {"date": "2090-01-09", "slots": slots(1)},
            {"date": "2090-01-16", "slots": slots(2)},
        ])
    );
    // Without an item all that respondents see are listed, and each row says which one it is of.
    assert_eq!(
        days(&form, "field=field_1&from=2090-01-08&to=2090-01-09"),
        json!([
            {"date": "2090-01-08", "remaining": null, "item": "tour"},
            {"date": "2090-01-09", "slots": slots(1), "item": "room"},
        ])
    );
}

#[test]
fn an_entry_in_the_trash_gives_its_place_back() {
    let owner = Server::shared().user();
    let form = owner.form(json!([booking(json!({}))]));
    let day = "field=field_1&item=tour&from=2090-01-07&to=2090-01-07";
    let left = || days(&form, day)[0]["remaining"].clone();
    book(&form, json!([{"api_code": "tour", "scheduled_at": "2090-01-07", "number": 3}]));
    assert_eq!(left(), 0);
    owner.delete(form.entry(1));
    assert_eq!(left(), 3);
    let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert_eq!(left(), 0);
}

#[test]
fn days_are_those_of_the_forms_timezone() {
    let owner = Server::shared().user();
    let every_day: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": 1})).collect();
    // Never the same day in both, whatever the time is: they are 25 hours apart.
    for (zone, ahead) in [("Pacific/Kiritimati", 0), ("Pacific/Pago_Pago", 3)] {
        let plan =
            json!({"kind": "weekly", "min_days_ahead": ahead, "max_days_ahead": ahead + 2, "weekly_quotas": every_day});
        let item = json!({"api_code": "tour", "name": "Tour", "quota_setting": plan});
        let form = owner.form_with(json!({"name": "Tours", "timezone": zone, "fields": [
            field("booking", json!({"label": "When", "reservation_items": [item]})),
        ]}));
        let zone = TimeZone::get(zone).expect("a zone");
        let today = || now().to_zoned(zone.clone()).date();
        loop {
            let day = today();
            let (from, to) = (plus(day, -3), plus(day, 10));
            let found = days(&form, &format!("field=field_1&from={from}&to={to}"));
            // At midnight the question and the answer may be of two days.
            if today() != day {
                continue;
            }
            let expected: Vec<Value> =
                (ahead..=ahead + 2).map(|n| json!({"date": plus(day, n).to_string(), "remaining": 1})).collect();
            assert_eq!(found, json!(expected), "{zone:?}");
            break;
        }
    }
}

fn now() -> jiff::Timestamp {
    let at = std::time::SystemTime::now();
    jiff::Timestamp::try_from(at).expect("a time")
}

fn plus(day: Date, days: i64) -> Date {
    day.checked_add(days.days()).expect("a day")
}

#[test]
fn wrong_questions_are_answered_with_all_their_faults() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        booking(json!({})),
        field("short_text", json!({"label": "Name"})),
        booking(json!({"hidden": true})),
    ]));
    let anon = Server::shared().anon();
    const NO_FIELD: &str = "field: must be a booking field of this form";
    for (query, faults) in [
        ("", &["field: is required", "from: is required", "to: is required"][..]),
        ("field=&from=&to=", &["field: is required", "from: is required", "to: is required"]),
        ("field=field_2&from=2090-01-01&to=2090-01-02", &[NO_FIELD]),
        ("field=field_3&from=2090-01-01&to=2090-01-02", &[NO_FIELD]),
        ("field=field_9&item=x&from=2090-01-01&to=2090-01-02", &[NO_FIELD]),
        ("field=field_1&item=attic&from=2090-01-01&to=2090-01-02", &["item: is not one of the items to book"]),
        ("field=field_1&item=&from=2090-01-01&to=2090-01-02", &["item: is not one of the items to book"]),
        (
            "field=field_1&from=soon&to=2090-02-30",
            &["from: must be a date in the format YYYY-MM-DD", "to: must be a date in the format YYYY-MM-DD"],
        ),
        (
            "field=field_1&from=2090-01-01T00:00&to=20900102",
            &["from: must be a date in the format YYYY-MM-DD", "to: must be a date in the format YYYY-MM-DD"],
        ),
        ("field=field_1&from=2090-01-02&to=2090-01-01", &["to: must not be before from"]),
        ("field=field_1&from=2090-01-01&to=2090-04-04", &["to: must be at most 92 days after from"]),
        ("field=field_1&from=0001-01-01&to=9999-12-31", &["to: must be at most 92 days after from"]),
        ("field=x&item=y&from=z&to=2090-01-01", &[NO_FIELD, "from: must be a date in the format YYYY-MM-DD"]),
    ] {
        let answer = ask(&anon, &form, query);
        assert_eq!(answer.status, 422, "{query}: {answer}");
        assert_eq!(answer.faults(), faults, "{query}");
    }
    let whole = "field=field_1&item=room&from=2090-01-01&to=2090-04-03";
    assert_eq!(days(&form, whole).as_array().map(Vec::len), Some(14));
    assert_eq!(ask(&anon, &form, "field=%FF").status, 400);
}

#[test]
fn it_is_open_to_those_who_see_the_form() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([booking(json!({}))]));
    let anon = server.anon();
    let query = "field=field_1&from=2090-01-07&to=2090-01-07";
    let code = |answer: Response| (answer.status, answer.json()["code"].clone());
    // A token needs the scope of respondents, as for the form.
    assert_eq!(ask(&anon.with_token("nonsense"), &form, query).status, 401);
    let reader = server.token(&owner.email, "entry:read");
    assert_eq!(ask(&reader, &form, query).status, 403);
    let respondent = server.token(&owner.email, "form:respond");
    assert_eq!(ask(&respondent, &form, query).status, 200);
    set(&owner, &form, json!({"access_control": {"access_password": "sesame"}}));
    assert_eq!(code(ask(&anon, &form, query)), (403, json!("password_required")));
    let wrong = anon.header("X-Form-Password", "no");
    assert_eq!(code(ask(&wrong, &form, query)), (403, json!("password_invalid")));
    let right = anon.header("X-Form-Password", "sesame");
    assert_eq!(ask(&right, &form, query).status, 200);
    // The page behind the password has it sealed, for its script.
    let page = anon.post_form(form.page(), &[("_action", "open"), ("_password", "sesame")]);
    let carried = anon.header("X-Form-Grant", &hidden(&page, "_grant"));
    assert_eq!(ask(&carried, &form, query).status, 200);
    let other = owner.form(json!([booking(json!({}))]));
    set(&owner, &other, json!({"access_control": {"access_password": "sesame"}}));
    assert_eq!(code(ask(&carried, &other, query)), (403, json!("password_required")));
    // As the form's own fields.
    for (settings, expected) in [
        (json!({"manually_closed": true}), Some("form_closed")),
        (json!({"manually_closed": false, "schedule": {"start_at": "2099-01-01T00:00:00Z"}}), Some("form_not_open")),
        (json!({"show_form_before_open": true}), None),
    ] {
        set(&owner, &form, json!({"availability": settings}));
        let answer = ask(&right, &form, query);
        match expected {
            Some(expected) => assert_eq!(code(answer), (403, json!(expected))),
            None => assert_eq!(answer.status, 200, "{answer}"),
        }
    }
    owner.patch(form.path(), json!({"published": false}));
    assert_eq!(ask(&right, &form, query).status, 404);
}
