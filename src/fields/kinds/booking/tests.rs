//! Days, slots and windows; hours skipped by the clock; filters by item and by date.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::*;
use crate::fields::definition::Definition;
use crate::fields::form_part::FormPart;

/// A room by the hour, with two slots that start at the same time, and a tour at weekends.
fn own() -> Json {
    let slot = |code: &str, weekday: i64, start: &str, end: &str, quota: Json| json!({"code": code, "weekday": weekday, "start_time": start, "end_time": end, "quota": quota});
    json!({"type": "booking", "label": "When", "allow_multiple_items": true, "allow_multiple_number": true, "reservation_items": [
        {"api_code": "room", "name": "Room A", "quota_setting": {"kind": "time_range",
            "closed_dates": ["2026-12-28", "2026-12-21", "2026-12-28"],
            "daily_time_range_quotas": [
                slot("am", 1, "09:00", "10:00", json!(2)),
                slot("long", 1, "09:00", "12:00", json!(null)),
                slot("pm", 1, "14:00", "15:00", json!(1)),
                slot("night", 7, "02:30", "03:30", json!(4)),
            ],
        }},
        {"api_code": "tour", "name": "Tour", "quota_setting": {"kind": "weekly",
            "start_date": "2026-11-14", "end_date": "2027-06-30", "min_days_ahead": 2, "max_days_ahead": 30,
            "weekly_quotas": [{"weekday": 6, "quota": 20}, {"weekday": 7, "quota": null}],
        }},
        {"api_code": "attic", "name": "Attic", "hidden": true, "quota_setting": {"kind": "weekly",
            "weekly_quotas": [{"weekday": 1, "quota": 77}],
        }},
    ]})
}

fn made(raw: &Json) -> Definition {
    let mut at = Issues::new();
    let definition = Definition::create(json!([raw]), &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn with<T>(raw: &Json, f: impl FnOnce(&dyn Kind) -> T) -> T {
    f(&*made(raw).fields.get("field_1").expect("the field").kind)
}

/// The stored value of some lines, and its faults.
fn parsed(raw: &Json, cx: &Cx, lines: Json) -> (Json, Vec<String>) {
    let mut at = Issues::new();
    let stored = with(raw, |kind| kind.parse(lines, cx, &mut at));
    let faults = at.into_list().into_iter();
    let faults = faults.map(|issue| issue.to_string());
    (stored, faults.collect())
}

fn room(at: &str) -> Json {
    json!({"api_code": "room", "scheduled_at": at})
}

fn tour(at: &str) -> Json {
    json!({"api_code": "tour", "scheduled_at": at})
}

fn until(mut line: Json, at: &str) -> Json {
    line["end_at"] = json!(at);
    line
}

fn cx_in(timezone: &TimeZone, respondent: bool) -> Cx<'_> {
    Cx { timezone, ..Cx::of_a_test(respondent) }
}

#[test]
fn slots_are_found_by_their_times_in_any_offset() {
    let timezone = TimeZone::get("Asia/Shanghai").expect("a zone");
    let cx = cx_in(&timezone, true);
    for (line, code) in [
        (room("2026-11-23T14:00"), "pm"),
        (room("2026-11-23 14:00:00"), "pm"),
        (room("2026-11-23T14:00:00+08:00"), "pm"),
        (room("2026-11-23T06:00:00.000Z"), "pm"),
        (until(room("2026-11-23T14:00"), "2026-11-23T15:00"), "pm"),
        (until(room("2026-11-23T09:00"), "2026-11-23T12:00"), "long"),
        (until(room("2026-11-23T01:00Z"), "2026-11-23T10:00+08:00"), "am"),
        // On Sunday evening in Paris it is Monday there.
        (room("2026-11-23T07:00:00+01:00"), "pm"),
    ] {
        let (stored, faults) = parsed(&own(), &cx, json!([line]));
        assert_eq!(faults, Vec::<String>::new(), "{line}");
        assert_eq!(stored[0]["time_range_code"], code, "{line}");
        let read = with(&own(), |kind| kind.read(&stored, &cx));
        assert_eq!(parsed(&own(), &cx, read).0, stored, "{line}");
    }
    let (stored, _) = parsed(&own(), &cx, json!([room("2026-11-23T14:00")]));
    assert_eq!(
        with(&own(), |kind| kind.read(&stored, &cx)),
        json!([{
            "api_code": "room",
            "scheduled_at": "2026-11-23T06:00:00.000Z",
            "end_at": "2026-11-23T07:00:00.000Z",
            "number": 1,
            "item_name": "Room A",
            "time_range_code": "pm",
        }])
    );
}

#[test]
fn an_hour_that_the_clock_leaves_out_can_be_booked() {
    let timezone = TimeZone::get("Europe/Berlin").expect("a zone");
    let cx = cx_in(&timezone, true);
    // On the last Sunday of March 02:30 does not exist; on the last of October it occurs twice.
    for day in ["2027-03-28", "2026-11-29", "2027-10-31"] {
        let (stored, faults) = parsed(&own(), &cx, json!([room(&format!("{day}T02:30"))]));
        assert_eq!(faults, Vec::<String>::new(), "{day}");
        assert_eq!(stored[0]["scheduled_at"], format!("{day}T02:30:00"));
        let read = with(&own(), |kind| kind.read(&stored, &cx));
        assert_eq!(parsed(&own(), &cx, read).0, stored, "{day}");
    }
}

#[test]
fn wrong_days_slots_and_windows_are_refused_at_their_place() {
    let cx = Cx::of_a_test(true);
    let shut = "is not a day that can be booked";
    for (line, fault) in [
        (room("2026-11-24T09:00"), format!("scheduled_at {shut}")),
        (room("2026-12-21T14:00"), format!("scheduled_at {shut}")),
        (room("2026-11-23T14:01"), "scheduled_at is not the start of a slot on that day".into()),
        (room("2026-11-23T02:30"), "scheduled_at is not the start of a slot on that day".into()),
        (room("2026-11-23"), "scheduled_at must be a day and the time at which a slot begins".into()),
        (room("2026-11-23T09:00"), "end_at must be given: several slots begin then".into()),
        (
            until(room("2026-11-23T09:00"), "2026-11-23T11:00"),
            "end_at is not the end of a slot that begins then".into(),
        ),
        (
            until(room("2026-11-23T14:00"), "2026-11-30T15:00"),
            "end_at is not the end of a slot that begins then".into(),
        ),
        (until(room("2026-11-23T14:00"), "later"), "end_at must be an ISO 8601 date-time".into()),
        (room("tomorrow"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room("2026-02-30T14:00"), "scheduled_at must be an ISO 8601 date-time".into()),
        // An offset or a zone that can't be one is not passed over.
        (room("2026-11-23T14:00+25:00"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room("2026-11-23T14:00:00-24:00"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room("2026-11-23T14:00[UTC]"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room("2026-11-23T14:00+08:00[Europe/Berlin]"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room("+002026-11-23T14:00"), "scheduled_at must be an ISO 8601 date-time".into()),
        (room(""), "scheduled_at can't be blank".into()),
        (room("2026-11-16T14:00"), "scheduled_at must not be before 2026-11-20".into()),
        (tour("2026-11-21"), "scheduled_at must not be before 2026-11-22".into()),
        (tour("2026-12-26"), "scheduled_at must not be after 2026-12-20".into()),
        (tour("2026-11-23"), format!("scheduled_at {shut}")),
        (until(tour("2026-11-22T10:00"), "2026-11-22T09:00"), "end_at must not be before scheduled_at".into()),
        (json!({"api_code": "attic", "scheduled_at": "2026-11-23"}), "api_code is not one of the items to book".into()),
    ] {
        let (_, faults) = parsed(&own(), &cx, json!([line]));
        assert_eq!(faults, [format!("[0].{fault}")], "{line}");
    }
}

#[test]
fn others_than_respondents_may_book_the_past_and_what_is_hidden() {
    let cx = Cx::of_a_test(false);
    for line in
        [room("2026-11-16T14:00"), tour("2026-11-15"), json!({"api_code": "attic", "scheduled_at": "2020-01-06"})]
    {
        assert_eq!(parsed(&own(), &cx, json!([line])).1, Vec::<String>::new());
    }
    // The owner's limits apply to everyone.
    for (line, fault) in [
        (tour("2026-11-08"), "must not be before 2026-11-14"),
        (tour("2026-11-21"), "must not be before 2026-11-22"),
        (tour("2026-12-26"), "must not be after 2026-12-20"),
    ] {
        let (_, faults) = parsed(&own(), &cx, json!([line]));
        assert_eq!(faults, [format!("[0].scheduled_at {fault}")], "{line}");
    }
}

#[test]
fn several_lines_and_places_are_for_the_owner_to_allow() {
    let cx = Cx::of_a_test(true);
    let two = json!([tour("2026-11-22"), tour("2026-11-28T10:00")]);
    assert_eq!(parsed(&own(), &cx, two.clone()).1, Vec::<String>::new());
    let twice = json!([tour("2026-11-22"), tour("2026-11-22T10:00")]);
    assert_eq!(parsed(&own(), &cx, twice).1, ["[1].scheduled_at is booked twice"]);
    let mut strict = own();
    strict["allow_multiple_items"] = json!(false);
    strict["allow_multiple_number"] = json!(null);
    assert_eq!(parsed(&strict, &cx, two).1, [" may have at most 1 booking"]);
    let numbered = |number: Json| json!([{"api_code": "tour", "scheduled_at": "2026-11-22", "number": number}]);
    for (raw, number, faults) in [
        (own(), json!(3), vec![]),
        (own(), json!(0), vec!["[0].number must be 1 to 10000"]),
        (own(), json!(1.5), vec!["[0].number must be a whole number"]),
        (strict.clone(), json!(1), vec![]),
        (strict.clone(), json!(null), vec![]),
        (strict.clone(), json!(2), vec!["[0].number must be 1"]),
        (strict, json!("1"), vec!["[0].number must be a whole number"]),
    ] {
        assert_eq!(parsed(&raw, &cx, numbered(number.clone())).1, faults, "{number}");
    }
}

#[test]
fn filters_look_at_items_and_at_dates() {
    let timezone = TimeZone::get("Asia/Shanghai").expect("a zone");
    let cx = cx_in(&timezone, false);
    let lines = json!([tour("2026-11-22"), room("2026-11-23T14:00")]);
    let (stored, faults) = parsed(&own(), &cx, lines);
    assert_eq!(faults, Vec::<String>::new());
    with(&own(), |kind| {
        let holds = |op: &str, value: Json| {
            let op = Op::by_name(op).expect("an operator");
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&kind.keys(&stored, &cx))
        };
        for (op, value, expected) in [
            ("eq", json!("room"), true),
            ("eq", json!("attic"), false),
            ("ne", json!("room"), false),
            ("ne", json!("attic"), true),
            ("any_in", json!(["attic", "tour"]), true),
            ("none_in", json!(["attic", "tour"]), false),
            ("none_in", json!(["attic", "no-such"]), true),
            ("not_null", json!(null), true),
            ("null", json!(null), false),
            ("eq", json!("2026-11-23"), true),
            ("eq", json!("2026-11-23 14:00"), true),
            ("eq", json!("2026-11-23T06:00:00Z"), true),
            ("eq", json!("2026-11-23 15:00"), false),
            ("eq", json!("2026-11"), true),
            ("ne", json!("2026-11-23"), false),
            ("ne", json!("2026-11-24"), true),
            ("any_in", json!(["2026-11-24", "2026-11-22"]), true),
            ("none_in", json!(["2026-11-24", "2026-11-22"]), false),
            ("gt", json!("2026-11-22"), true),
            ("gt", json!("2026-11-23"), false),
            ("gte", json!("2026-11-23"), true),
            ("lt", json!("2026-11-22"), false),
            ("lte", json!("2026-11-22"), true),
            ("between", json!(["2026-11-23", "2026-11-30"]), true),
            ("between", json!(["2026-11-24", "2026-11-30"]), false),
            ("not_between", json!(["2026-11-23", "2026-11-30"]), false),
            ("not_between", json!(["2026-11-24", "2026-11-30"]), true),
        ] {
            assert_eq!(holds(op, value.clone()), expected, "{op} {value}");
        }
        for (op, value) in [
            (Op::Gt, json!("room")),
            (Op::Eq, json!("2026-13-01")),
            (Op::Eq, json!("")),
            (Op::Eq, json!(5)),
            (Op::AnyIn, json!("room")),
            (Op::Between, json!(["2026-11-23"])),
        ] {
            let fault = kind.condition(op, &value, &cx).expect_err("a fault");
            assert_eq!(fault.attribute, "value", "{value}");
        }
    });
}

#[test]
fn places_are_counted_by_day_and_slot() {
    let cx = Cx::of_a_test(false);
    let lines = json!([
        {"api_code": "tour", "scheduled_at": "2026-11-28", "number": 3},
        {"api_code": "tour", "scheduled_at": "2026-11-29"},
        room("2026-11-23T14:00"),
    ]);
    let (stored, _) = parsed(&own(), &cx, lines);
    let takes = with(&own(), |kind| {
        let limit = |counter: &str| kind.capacity()?.limit(counter);
        let takes = kind.takes(&stored).into_iter();
        takes
            .map(|take| {
                let limit = limit(&take.counter).map(|limit| limit.most);
                (take.counter, take.amount, limit, take.at)
            })
            .collect::<Vec<_>>()
    });
    let takes: Vec<_> =
        takes.iter().map(|(counter, amount, limit, at)| (counter.as_str(), *amount, *limit, at.as_str())).collect();
    assert_eq!(
        takes,
        [
            ("tour/2026-11-28", 3, Some(20), "[0].scheduled_at"),
            ("tour/2026-11-29", 1, None, "[1].scheduled_at"),
            ("room/2026-11-23/pm", 1, Some(1), "[2].scheduled_at"),
        ]
    );
}

#[test]
fn bookings_outlive_their_slots_but_not_their_items() {
    let cx = Cx::of_a_test(false);
    let form = made(&own());
    let (stored, _) = parsed(&own(), &cx, json!([room("2026-11-23T14:00"), tour("2026-11-22")]));
    let mut raw = own();
    raw["api_code"] = json!("field_1");
    let items = raw["reservation_items"].as_array_mut().expect("a list");
    items.remove(1);
    let slots = &mut items[0]["quota_setting"]["daily_time_range_quotas"];
    slots.as_array_mut().expect("a list").remove(2);
    let edit = form.replace(json!([raw]), &cx, &mut Issues::new());
    let old = &form.fields.get("field_1").expect("the field").kind;
    let held: Vec<_> = edit
        .removals
        .iter()
        .map(|removal| {
            let item = removal.item.as_deref().expect("an item");
            (removal.attribute.as_str(), old.points_to(&stored, item))
        })
        .collect();
    assert_eq!(
        held,
        [("fields.field_1.reservation_items.room.pm", false), ("fields.field_1.reservation_items.tour", true),]
    );
    let new = Definition::from_stored(edit.definition.to_stored()).expect("reads back");
    let kind = &new.fields.get("field_1").expect("the field").kind;
    let left = kind.prune(stored, &cx);
    assert_eq!(kind.text(&left, &cx), "Room A 2026-11-23 14:00–15:00");
    // Another slot must not take the code of the removed one.
    let mut again = own();
    again["api_code"] = json!("field_1");
    let mut at = Issues::new();
    new.replace(json!([again]), &cx, &mut at);
    let faults: Vec<_> = at.into_list().into_iter().map(|issue| issue.attribute).collect();
    assert_eq!(
        faults,
        [
            "fields[0].reservation_items[0].quota_setting.daily_time_range_quotas[2].code",
            "fields[0].reservation_items[1].api_code",
        ]
    );
}

#[test]
fn respondents_see_no_quotas_and_nothing_hidden() {
    let shown = with(&own(), |kind| kind.for_respondent());
    let text = shown.to_string();
    assert!(!text.contains("\"quota\"") && !text.contains("ttic"), "{text}");
    assert_eq!(shown["reservation_items"].as_array().map(Vec::len), Some(2));
    let whole = with(&own(), |kind| kind.as_json());
    let setting = &whole["reservation_items"][0]["quota_setting"];
    assert_eq!(setting["closed_dates"], json!(["2026-12-21", "2026-12-28"]));
    assert_eq!(setting["daily_time_range_quotas"][1]["quota"], json!(null));
}

#[test]
fn a_page_posts_days_and_slots() {
    let posted = |raw: &Json, pairs: &[(&str, &str)]| {
        let part = FormPart::tree(pairs.iter().copied());
        with(raw, |kind| kind.form_value(part.member("f").expect("posted"), &Cx::of_a_test(true)))
    };
    let whole = json!([{
        "api_code": "room",
        "scheduled_at": "2026-11-23T09:00:00",
        "end_at": "2026-11-23T12:00:00",
        "time_range_code": "room/long",
        "number": 2,
    }]);
    let given = [
        ("f[0].api_code", "room"),
        ("f[0].scheduled_at", "2026-11-23"),
        ("f[0].time_range_code", "room/long"),
        ("f[0].number", "2"),
        ("f[1].api_code", ""),
        ("f[1].scheduled_at", ""),
    ];
    assert_eq!(posted(&own(), &given), whole);
    assert_eq!(parsed(&own(), &Cx::of_a_test(true), whole.clone()).1, Vec::<String>::new());
    // Browsers without such a control post a day as it was typed.
    let mut typed = given;
    typed[1].1 = "23/11/2026";
    assert_eq!(posted(&own(), &typed), whole);
    // With a slot of another item, or none, only the day counts, and the time is missing.
    for slot in ["attic/long", "room/none", ""] {
        let given = [("f[0].api_code", "room"), ("f[0].scheduled_at", "2026-11-23"), ("f[0].time_range_code", slot)];
        let value = posted(&own(), &given);
        let (_, faults) = parsed(&own(), &Cx::of_a_test(true), value);
        let fault = "[0].scheduled_at must be a day and the time at which a slot begins";
        assert_eq!(faults, [fault], "{slot}");
    }
    // The write shape's path works too.
    let given = [("f[0].api_code", "room"), ("f[0].scheduled_at", "2026-11-23T14:00")];
    let value = posted(&own(), &given);
    assert_eq!(parsed(&own(), &Cx::of_a_test(true), value).1, Vec::<String>::new());
    let mut single = own();
    single["reservation_items"].as_array_mut().expect("a list").drain(1..);
    assert_eq!(posted(&single, &[("f[0].api_code", "room")]), json!([]));
    assert_eq!(posted(&own(), &[("f[0].api_code", "room")]), json!([{"api_code": "room"}]));
}

#[test]
fn the_definition_describes_both_schemes() {
    let schema = Reader::describe(|reader| drop(build(reader, &BuildCx::default())));
    assert_eq!(schema["required"], json!(["reservation_items"]));
    let item = &schema["properties"]["reservation_items"]["items"];
    assert_eq!(item["required"], json!(["name", "quota_setting"]));
    let setting = &item["properties"]["quota_setting"];
    assert_eq!(setting["required"], json!(["kind"]));
    for list in ["weekly_quotas", "daily_time_range_quotas"] {
        let quota = &setting["properties"][list]["items"]["properties"]["quota"];
        assert_eq!(quota["type"], json!(["integer", "null"]), "{list}");
    }
}

#[test]
fn what_is_read_is_written_again_on_every_day_of_every_clock() {
    let slot = |code: &str, weekday: i64, start: &str, end: &str| json!({"code": code, "weekday": weekday, "start_time": start, "end_time": end, "quota": null});
    let slots: Vec<Json> = (1..=7)
        .flat_map(|day| {
            [("00:00", "00:45"), ("02:15", "02:50"), ("23:00", "24:00")]
                .map(|(start, end)| slot(&format!("d{day}_{}", &start[..2]), day, start, end))
        })
        .collect();
    let days: Vec<Json> = (1..=7).map(|day| json!({"weekday": day})).collect();
    let raw = json!({"type": "booking", "label": "When", "allow_multiple_items": true, "reservation_items": [
        {"api_code": "slot", "name": "S", "quota_setting": {"kind": "time_range", "daily_time_range_quotas": slots}},
        {"api_code": "day", "name": "D", "quota_setting": {"kind": "weekly", "weekly_quotas": days}},
    ]});
    with(&raw, |kind| {
        for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai", "America/Sao_Paulo"] {
            let timezone = TimeZone::get(zone).expect("a zone");
            let cx = cx_in(&timezone, true);
            let mut day: Date = "2026-11-21".parse().expect("a day");
            for _ in 0..370 {
                let mut lines: Vec<Json> = ["00:00", "02:15", "23:00"]
                    .map(|start| json!({"api_code": "slot", "scheduled_at": format!("{day}T{start}")}))
                    .to_vec();
                lines.push(json!({"api_code": "day", "scheduled_at": format!("{day}T02:15")}));
                let mut at = Issues::new();
                let stored = kind.parse(json!(lines), &cx, &mut at);
                assert!(at.is_empty(), "{zone} {day}: {:?}", at.into_list());
                let again = kind.parse(kind.read(&stored, &cx), &cx, &mut at);
                assert!(at.is_empty(), "{zone} {day}: {:?}", at.into_list());
                assert_eq!(again, stored, "{zone} {day}");
                assert_eq!(stored[1]["scheduled_at"], format!("{day}T02:15:00"));
                day = day.tomorrow().expect("a day after");
            }
        }
    });
}
