//! Dates, times of day, and when entries came and changed.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use serde_json::json;
use support::field;

use crate::entries::filters::Asked;

#[test]
fn dates_are_read_as_whole_days_and_months_in_the_forms_timezone() {
    let precision = |precision: &str| field("date", json!({ "precision": precision }));
    let fields = json!([precision("month"), precision("day"), precision("minute"), precision("second")]);
    let asked = Asked::new(
        "Asia/Shanghai",
        fields,
        &[
            json!({"field_1": "2026-10", "field_2": "2026-11-19", "field_3": "2026-11-20 00:00", "field_4": "2026-11-20 10:30:45"}),
            json!({"field_1": "2026-11", "field_2": "2026-11-20", "field_3": "2026-11-20 23:59", "field_4": "2026-11-20 10:30:00"}),
            json!({"field_1": "2026-12", "field_2": "2026-12-01", "field_3": "2026-11-21 00:00", "field_4": "2026-11-19 23:59:59"}),
            json!({}),
        ],
    );
    for (code, operator, value, expected) in [
        // A date-only value means that whole day.
        ("field_3", "eq", json!("2026-11-20"), vec![1, 2]),
        ("field_3", "ne", json!("2026-11-20"), vec![3, 4]),
        ("field_3", "gt", json!("2026-11-20"), vec![3]),
        ("field_3", "gte", json!("2026-11-20"), vec![1, 2, 3]),
        ("field_3", "lt", json!("2026-11-20"), vec![]),
        ("field_3", "lt", json!("2026-11-21"), vec![1, 2]),
        ("field_3", "lte", json!("2026-11-20"), vec![1, 2]),
        ("field_3", "between", json!(["2026-11-20", "2026-11-20"]), vec![1, 2]),
        ("field_3", "between", json!(["2026-11-21", "2026-11-20"]), vec![]),
        ("field_3", "not_between", json!(["2026-11-20", "2026-11-20"]), vec![3]),
        ("field_3", "any_in", json!(["2026-11-21", "2026-11-20 00:00"]), vec![1, 3]),
        ("field_3", "none_in", json!(["2026-11-21", "2026-11-20 00:00"]), vec![2, 4]),
        // A space may replace T, and an offset is used as given.
        ("field_3", "eq", json!("2026-11-20T23:59"), vec![2]),
        ("field_3", "eq", json!("2026-11-20 23:59"), vec![2]),
        ("field_3", "eq", json!("2026-11-20T15:59:00Z"), vec![2]),
        ("field_3", "eq", json!("2026-11-20T16:59:00+01:00"), vec![2]),
        ("field_3", "gte", json!("2026-11-20T16:00:00.000Z"), vec![3]),
        // The whole month.
        ("field_3", "eq", json!("2026-11"), vec![1, 2, 3]),
        ("field_2", "eq", json!("2026-11"), vec![1, 2]),
        ("field_2", "gt", json!("2026-11"), vec![3]),
        ("field_2", "gte", json!("2026-11"), vec![1, 2, 3]),
        ("field_1", "eq", json!("2026-11"), vec![2]),
        ("field_1", "gt", json!("2026-11"), vec![3]),
        // A date-time against a day or month is that moment's local date.
        ("field_2", "eq", json!("2026-11-19T16:00:00Z"), vec![2]),
        ("field_2", "eq", json!("2026-11-19T15:59:59Z"), vec![1]),
        ("field_2", "eq", json!("2026-11-20 23:59"), vec![2]),
        ("field_1", "eq", json!("2026-10-31T16:00:00Z"), vec![2]),
        ("field_1", "eq", json!("2026-11-20"), vec![2]),
        ("field_1", "lt", json!("2026-11-20"), vec![1]),
        // A coarser time is that point.
        ("field_4", "eq", json!("2026-11-20 10:30"), vec![2]),
        ("field_4", "gt", json!("2026-11-20 10:30"), vec![1]),
        ("field_4", "eq", json!("2026-11-20 10:30:45"), vec![1]),
        ("field_4", "eq", json!("2026-11-20"), vec![1, 2]),
        ("field_4", "lt", json!("2026-11-20"), vec![3]),
        // Like sees the text.
        ("field_4", "like", json!("10:30"), vec![1, 2]),
        ("field_2", "like", json!("-11-"), vec![1, 2]),
        ("field_3", "like", json!("2026-11-20 2"), vec![2]),
        ("field_1", "like", json!("2026"), vec![1, 2, 3]),
        ("field_1", "null", json!(null), vec![4]),
        ("field_1", "not_null", json!(null), vec![1, 2, 3]),
    ] {
        asked.finds(code, operator, value, &expected);
    }
}

#[test]
fn a_finer_time_lies_between_two_coarser_ones() {
    let asked = Asked::new(
        "Asia/Shanghai",
        json!([field("date", json!({"precision": "minute"})), field("date", json!({"precision": "second"})),]),
        &[
            json!({"field_1": "2026-11-20 10:30", "field_2": "2026-11-20 10:30:15"}),
            json!({"field_1": "2026-11-20 10:31", "field_2": "2026-11-20 10:30:16"}),
            json!({}),
        ],
    );
    let day = |time: &str| format!("2026-11-20 {time}");
    for (code, on, between, after) in [
        ("field_1", "10:30:00", "10:30:30", "10:31:00"),
        ("field_1", "10:30:00.000", "10:30:00.001", "10:31"),
        ("field_2", "10:30:15", "10:30:15.5", "10:30:16.0"),
        ("field_2", "10:30:15.000", "10:30:15.999999", "10:30:16"),
    ] {
        let (on, between, after) = (day(on), day(between), day(after));
        let in_utc = between.replace(" 10:", "T02:") + "Z";
        asked.finds(code, "eq", json!(on), &[1]);
        asked.finds(code, "any_in", json!([on, after]), &[1, 2]);
        for between in [&between, &in_utc] {
            for (operator, expected) in [
                ("eq", vec![]),
                ("ne", vec![1, 2, 3]),
                ("lt", vec![1]),
                ("lte", vec![1]),
                ("gt", vec![2]),
                ("gte", vec![2]),
            ] {
                asked.finds(code, operator, json!(between), &expected);
            }
            asked.finds(code, "between", json!([between, after]), &[2]);
            asked.finds(code, "not_between", json!([between, after]), &[1]);
            asked.finds(code, "between", json!([on, between]), &[1]);
            asked.finds(code, "any_in", json!([between]), &[]);
            asked.finds(code, "none_in", json!([between]), &[1, 2, 3]);
        }
    }
}

#[test]
fn when_an_entry_came_is_known_to_the_millisecond() {
    let asked = Asked::new("UTC", json!([field("date", json!({}))]), &[json!({})]);
    let entry = asked.ask(&json!({})).json()["data"][0].clone();
    let came = entry["created_at"].as_str().expect("a moment").to_owned();
    let finer = came.replace('Z', "5Z");
    for (operator, at, expected) in [
        ("eq", &came, vec![1]),
        ("eq", &finer, vec![]),
        ("lt", &finer, vec![1]),
        ("gt", &finer, vec![]),
        ("gte", &finer, vec![]),
        ("gte", &came, vec![1]),
    ] {
        asked.finds("created_at", operator, json!(at), &expected);
    }
}

#[test]
fn offsets_are_shorter_than_a_day() {
    let asked = Asked::new(
        "UTC",
        json!([field("date", json!({"precision": "minute"}))]),
        &[json!({"field_1": "2026-11-20 10:30"})],
    );
    asked.finds("field_1", "eq", json!("2026-11-21T10:29+23:59"), &[1]);
    for offset in ["+24:00", "-24:00", "+25:00", "+2500"] {
        let value = json!(format!("2026-11-20T10:30:00{offset}"));
        asked.refuses("field_1", "eq", value.clone(), "value");
        asked.refuses("created_at", "gt", value, "value");
    }
}

#[test]
fn an_hour_that_comes_twice_is_the_first_one_and_one_that_is_left_out_is_as_written() {
    let asked = Asked::new(
        "Europe/Berlin",
        json!([field("date", json!({"precision": "minute"}))]),
        &[
            json!({"field_1": "2026-10-25 02:30"}),
            json!({"field_1": "2026-10-25 23:30"}),
            json!({"field_1": "2026-03-29 02:30"}),
        ],
    );
    for (operator, value, expected) in [
        ("eq", json!("2026-10-25"), vec![1, 2]),
        ("eq", json!("2026-10-25T00:30:00Z"), vec![1]),
        // On the wall it was 02:30 twice: the stored time was the first one.
        ("eq", json!("2026-10-25T01:30:00Z"), vec![]),
        ("lt", json!("2026-10-25T01:15:00Z"), vec![1, 3]),
        ("gt", json!("2026-10-25T01:15:00Z"), vec![2]),
        ("eq", json!("2026-10-25T22:30:00Z"), vec![2]),
        ("eq", json!("2026-03-29 02:30"), vec![3]),
        ("eq", json!("2026-03-29"), vec![3]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
}

#[test]
fn a_moment_at_the_end_of_time_is_one_too() {
    for zone in ["Asia/Shanghai", "America/New_York", "UTC"] {
        let asked = Asked::new(
            zone,
            json!([field("date", json!({"precision": "second"})), field("date", json!({}))]),
            &[json!({"field_1": "2026-11-20 10:30:45", "field_2": "2026-11-20"}), json!({})],
        );
        // Times that people write to mean that there is no end.
        for last in [
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59.999Z",
            "9999-12-31 23:59:59+00:00",
            "9999-12-31T23:59:59-12:00",
            "9999-12-31T23:59:59",
            "9999-12-31",
        ] {
            for (code, expected) in [("created_at", vec![1, 2]), ("field_1", vec![1]), ("field_2", vec![1])] {
                asked.finds(code, "lte", json!(last), &expected);
                asked.finds(code, "gt", json!(last), &[]);
                let from_now = json!(["2026-11-20T00:00:00Z", last]);
                asked.finds(code, "between", from_now, &expected);
            }
        }
        for none in ["9999-12-32T23:59:59Z", "9999-12-31T25:59:59Z", "10000-01-01T00:00:00Z"] {
            asked.refuses("created_at", "lte", json!(none), "value");
            asked.refuses("field_1", "lte", json!(none), "value");
        }
    }
}

#[test]
fn when_an_entry_came_and_changed_is_asked_on_the_forms_wall_clock() {
    // It is another day there for half of the day.
    for name in ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"] {
        let asked = Asked::new(name, json!([field("number", json!({}))]), &[json!({})]);
        let shown = asked.owner.get(asked.form.entry(1)).data();
        let text = shown["created_at"].as_str().expect("a time");
        let at: Timestamp = text.parse().expect("a time");
        let zone = TimeZone::get(name).expect("a zone");
        let local = Zoned::new(at, zone.clone());
        let day = |days: i64| (&local + days.days()).strftime("%Y-%m-%d").to_string();
        let second = local.strftime("%Y-%m-%d %H:%M:%S").to_string();
        let (own, none): (&[i64], &[i64]) = (&[1], &[]);
        for code in ["created_at", "updated_at"] {
            for (operator, value, expected) in [
                ("eq", json!(day(0)), own),
                ("eq", json!(day(1)), none),
                ("eq", json!(day(-1)), none),
                ("eq", json!(&day(0)[..7]), own),
                ("ne", json!(day(0)), none),
                ("gt", json!(day(0)), none),
                ("gt", json!(day(-1)), own),
                ("gte", json!(day(0)), own),
                ("gte", json!(day(1)), none),
                ("lt", json!(day(0)), none),
                ("lt", json!(day(1)), own),
                ("lte", json!(day(0)), own),
                ("lte", json!(day(-1)), none),
                ("between", json!([day(0), day(0)]), own),
                ("between", json!([day(1), day(-1)]), none),
                ("not_between", json!([day(1), day(2)]), own),
                ("any_in", json!([day(3), day(0)]), own),
                ("none_in", json!([day(3), day(0)]), none),
                ("eq", json!(text), own),
                ("gt", json!(text), none),
                ("gte", json!(text), own),
                ("lt", json!(text), none),
                ("like", json!(second), own),
                ("like", json!(&second[..13]), own),
                ("like", json!(day(1)), none),
                ("null", json!(null), none),
                ("not_null", json!(null), own),
            ] {
                asked.finds(code, operator, value, expected);
            }
        }
    }
}

#[test]
fn times_of_day() {
    let fields = json!([field("time", json!({})), field("time", json!({"include_second": true}))]);
    let asked = Asked::new(
        "UTC",
        fields,
        &[
            json!({"field_1": {"hour": 9, "minute": 5}, "field_2": {"hour": 9, "minute": 5, "second": 0}}),
            json!({"field_1": {"hour": 23, "minute": 59}, "field_2": {"hour": 9, "minute": 5, "second": 7}}),
            json!({}),
        ],
    );
    for (code, operator, value, expected) in [
        ("field_1", "eq", json!("09:05"), vec![1]),
        ("field_1", "eq", json!("09:05:00"), vec![1]),
        ("field_1", "ne", json!("09:05"), vec![2, 3]),
        ("field_1", "any_in", json!(["09:05", "23:59"]), vec![1, 2]),
        ("field_1", "none_in", json!(["09:05"]), vec![2, 3]),
        ("field_1", "like", json!("23:"), vec![2]),
        ("field_1", "like", json!(":05"), vec![1]),
        ("field_1", "null", json!(null), vec![3]),
        ("field_1", "not_null", json!(null), vec![1, 2]),
        ("field_2", "eq", json!("09:05"), vec![1]),
        ("field_2", "eq", json!("09:05:07"), vec![2]),
        ("field_2", "like", json!("5:07"), vec![2]),
    ] {
        asked.finds(code, operator, value, &expected);
    }
}
