//! Which days can be booked, by plan, moment and timezone; and that they are those which a booking is taken for.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use crate::base::clock::Time;
use crate::base::issue::Issues;
use crate::fields::definition::Definition;
use crate::fields::kind::{Counted, Cx, Kind, Places};

/// A plan as it is written in a definition, with what stands beside it.
fn plan(name: &str) -> Json {
    let day = |weekday: i64, quota: Json| json!({"weekday": weekday, "quota": quota});
    let slot = |code: &str, weekday: i64, start: &str, end: &str| json!({"code": code, "weekday": weekday, "start_time": start, "end_time": end, "quota": 2});
    let weekly = |own: Json| {
        let mut plan =
            json!({"kind": "weekly", "weekly_quotas": [day(5, json!(5)), day(6, json!(6)), day(7, json!(null))]});
        merge(&mut plan, own);
        plan
    };
    let slots = |own: Json| {
        let mut plan = json!({"kind": "time_range", "daily_time_range_quotas": [
            slot("late", 7, "22:00", "24:00"), slot("night", 7, "02:30", "03:30"), slot("mon", 1, "09:00", "10:00"),
        ]});
        merge(&mut plan, own);
        plan
    };
    match name {
        "weekend" => weekly(json!({})),
        "weekend from 28" => weekly(json!({"start_date": "2026-11-28"})),
        "weekend to 28" => weekly(json!({"end_date": "2026-11-28"})),
        "weekend without 22 and 28" => weekly(json!({"closed_dates": ["2026-11-22", "2026-11-28"]})),
        "weekend, two days ahead" => weekly(json!({"min_days_ahead": 2})),
        "weekend, today" => weekly(json!({"max_days_ahead": 0})),
        "weekend, one day ahead" => weekly(json!({"max_days_ahead": 1})),
        "weekend, from 28, eight days ahead" => weekly(json!({"start_date": "2026-11-28", "max_days_ahead": 8})),
        "slots" => slots(json!({})),
        "slots, one day ahead" => slots(json!({"max_days_ahead": 1})),
        other => panic!("no plan {other}"),
    }
}

fn merge(plan: &mut Json, own: Json) {
    if let (Some(plan), Json::Object(own)) = (plan.as_object_mut(), own) {
        plan.extend(own);
    }
}

/// Plan, moment, timezone, first and last day, and what can be booked.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str, &str, &str, &str)] = &[
    // Friday in California is Saturday in Shanghai.
    ("weekend", "2026-11-20T17:00:00Z", "America/Los_Angeles", "2026-11-19", "2026-11-23", "11-20=5 11-21=6 11-22=any"),
    ("weekend", "2026-11-20T17:00:00Z", "Asia/Shanghai", "2026-11-19", "2026-11-23", "11-21=6 11-22=any"),
    ("weekend", "2026-11-20T17:00:00Z", "Asia/Shanghai", "2026-11-27", "2026-11-28", "11-27=5 11-28=6"),
    ("weekend", "2026-11-20T17:00:00Z", "UTC", "2026-11-23", "2026-11-26", ""),
    ("weekend", "2026-11-20T17:00:00Z", "UTC", "2026-11-01", "2026-11-19", ""),
    ("weekend from 28", "2026-11-20T17:00:00Z", "UTC", "2026-11-20", "2026-11-29", "11-28=6 11-29=any"),
    ("weekend to 28", "2026-11-20T17:00:00Z", "UTC", "2026-11-27", "2026-12-20", "11-27=5 11-28=6"),
    ("weekend without 22 and 28", "2026-11-20T17:00:00Z", "UTC", "2026-11-21", "2026-11-29", "11-21=6 11-27=5 11-29=any"),
    ("weekend, two days ahead", "2026-11-20T17:00:00Z", "America/Los_Angeles", "2026-11-20", "2026-11-22", "11-22=any"),
    ("weekend, two days ahead", "2026-11-20T17:00:00Z", "Asia/Shanghai", "2026-11-20", "2026-11-27", "11-27=5"),
    ("weekend, today", "2026-11-20T17:00:00Z", "America/Los_Angeles", "2026-11-20", "2026-11-22", "11-20=5"),
    ("weekend, today", "2026-11-20T17:00:00Z", "Asia/Shanghai", "2026-11-20", "2026-11-22", "11-21=6"),
    ("weekend, from 28, eight days ahead", "2026-11-20T17:00:00Z", "UTC", "2026-11-20", "2026-12-20", "11-28=6"),
    // A day of 23 hours, from half past midnight on; and the days around it.
    ("weekend, one day ahead", "2027-03-26T23:30:00Z", "Europe/Berlin", "2027-03-26", "2027-03-29", "03-27=6 03-28=any"),
    ("weekend, one day ahead", "2027-03-27T23:30:00Z", "Europe/Berlin", "2027-03-26", "2027-03-29", "03-28=any"),
    // The hour of the night slot is skipped, or comes twice; midnight itself is skipped in Beirut.
    ("slots", "2026-11-20T17:00:00Z", "Europe/Berlin", "2027-03-27", "2027-03-29", "03-28[night=2 late=2] 03-29[mon=2]"),
    ("slots", "2026-11-20T17:00:00Z", "Europe/Berlin", "2027-10-31", "2027-10-31", "10-31[night=2 late=2]"),
    ("weekend", "2026-11-20T17:00:00Z", "Asia/Beirut", "2027-03-28", "2027-03-28", "03-28=any"),
    ("slots, one day ahead", "2027-10-30T22:30:00Z", "Europe/Berlin", "2027-10-30", "2027-11-02", "10-31[night=2 late=2] 11-01[mon=2]"),
    ("slots", "2026-11-20T17:00:00Z", "UTC", "2026-11-29", "2026-11-30", "11-29[night=2 late=2] 11-30[mon=2]"),
    // A slot that has begun is full; a day of no slots stays bookable to its end.
    ("slots", "2026-11-29T02:30:00Z", "UTC", "2026-11-29", "2026-11-29", "11-29[night=2 late=2]"),
    ("slots", "2026-11-29T02:30:01Z", "UTC", "2026-11-29", "2026-11-29", "11-29[night=0 late=2]"),
    ("slots", "2026-11-29T23:59:59Z", "UTC", "2026-11-29", "2026-11-30", "11-29[night=0 late=0] 11-30[mon=2]"),
    ("slots", "2026-11-29T10:00:01Z", "America/Los_Angeles", "2026-11-29", "2026-11-29", "11-29[night=2 late=2]"),
    ("slots", "2026-11-29T10:30:01Z", "America/Los_Angeles", "2026-11-29", "2026-11-29", "11-29[night=0 late=2]"),
    ("weekend", "2026-11-29T23:59:59Z", "UTC", "2026-11-29", "2026-11-29", "11-29=any"),
    // Its hour is skipped, and so begins an hour later; or comes twice, and begins with the first.
    ("slots", "2027-03-28T01:20:00Z", "Europe/Berlin", "2027-03-28", "2027-03-28", "03-28[night=2 late=2]"),
    ("slots", "2027-03-28T01:31:00Z", "Europe/Berlin", "2027-03-28", "2027-03-28", "03-28[night=0 late=2]"),
    ("slots", "2027-10-31T00:29:00Z", "Europe/Berlin", "2027-10-31", "2027-10-31", "10-31[night=2 late=2]"),
    ("slots", "2027-10-31T00:31:00Z", "Europe/Berlin", "2027-10-31", "2027-10-31", "10-31[night=0 late=2]"),
];

fn made(plan: &Json) -> Definition {
    let items = json!([
        {"api_code": "room", "name": "Room", "quota_setting": plan},
        {"api_code": "attic", "name": "Attic", "hidden": true, "quota_setting": plan},
    ]);
    let field = json!({"type": "booking", "label": "When", "reservation_items": items});
    let mut at = Issues::new();
    let definition = Definition::create(json!([field]), &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn shown(limit: &Counted) -> String {
    limit.places.map_or_else(|| "any".to_owned(), |places| places.to_string())
}

fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

/// The counter that a booking of a respondent takes from; none where it is refused.
fn taken(kind: &dyn Kind, line: Json, cx: &Cx) -> Option<String> {
    let mut at = Issues::new();
    let stored = kind.parse(json!([line]), cx, &mut at);
    let takes = kind.takes(&stored);
    at.is_empty().then(|| takes[0].counter.clone())
}

#[test]
fn days_are_those_that_can_be_booked() {
    for (name, now, zone, from, to, expected) in TABLE {
        let definition = made(&plan(name));
        let kind = &*definition.fields.get("field_1").expect("the field").kind;
        let timezone = TimeZone::get(zone).expect("a zone");
        let cx = Cx { timezone: &timezone, now: Time::parse(now).expect("a time"), ..Cx::of_a_test(true) };
        let calendar = kind.calendar().expect("a calendar");
        assert_eq!(calendar.bookable(), ["room"]);
        assert!(calendar.days("attic", day(from), day(to), &cx).is_empty());
        assert!(calendar.days("cellar", day(from), day(to), &cx).is_empty());
        let days = calendar.days("room", day(from), day(to), &cx);
        let words = days.iter().map(|day| {
            let date = day.date.strftime("%m-%d");
            match &day.places {
                Places::Whole(limit) => format!("{date}={}", shown(limit)),
                Places::Slots(slots) => {
                    let slots = slots.iter().map(|slot| format!("{}={}", slot.code, shown(&slot.limit)));
                    format!("{date}[{}]", slots.collect::<Vec<_>>().join(" "))
                }
            }
        });
        let case = format!("{name} {now} {zone} {from}");
        assert_eq!(words.collect::<Vec<_>>().join(" "), *expected, "{case}");
        // Listed places that have not begun are taken, by the same counter; the rest is refused.
        for one in day(from).series(jiff::Span::new().days(1)).take_while(|one| *one <= day(to)) {
            let listed = days.iter().find(|day| day.date == one);
            match listed.map(|day| &day.places) {
                Some(Places::Slots(slots)) => {
                    for slot in slots {
                        let at = format!("{one}T{}", slot.start_time);
                        let line = json!({"api_code": "room", "scheduled_at": at});
                        let counter = taken(kind, line, &cx);
                        let expected = (!slot.has_begun).then_some(&slot.limit.counter);
                        assert_eq!(counter.as_ref(), expected, "{case} {at}");
                    }
                }
                Some(Places::Whole(limit)) => {
                    let line = json!({"api_code": "room", "scheduled_at": one});
                    assert_eq!(taken(kind, line, &cx).as_ref(), Some(&limit.counter), "{case} {one}");
                }
                None => {
                    for hour in 0..24 {
                        let at = format!("{one}T{hour:02}:30");
                        let line = json!({"api_code": "room", "scheduled_at": at});
                        assert_eq!(taken(kind, line, &cx), None, "{case} {at}");
                    }
                    let line = json!({"api_code": "room", "scheduled_at": one});
                    assert_eq!(taken(kind, line, &cx), None, "{case} {one}");
                }
            }
        }
    }
}

#[test]
fn an_hour_that_comes_twice_is_one_slot() {
    let definition = made(&plan("slots"));
    let kind = &*definition.fields.get("field_1").expect("the field").kind;
    let timezone = TimeZone::get("Europe/Berlin").expect("a zone");
    let cx = Cx { timezone: &timezone, ..Cx::of_a_test(true) };
    for at in ["2027-10-31T02:30", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"] {
        let line = json!({"api_code": "room", "scheduled_at": at});
        let counter = taken(kind, line, &cx);
        assert_eq!(counter.as_deref(), Some("room/2027-10-31/night"), "{at}");
    }
}
