//! Each kind of field that can be searched by, exactly and by a part (`fuzzy`).

use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, Server, field};

use crate::queries::{Query, fill, group, monday, shown};

/// A form with these fields and entries.
struct Case {
    owner: Caller,
    form: Form,
}

impl Case {
    fn new(body: Value, entries: &[Value]) -> Self {
        let owner = Server::shared().user();
        let form = owner.form_with(body);
        fill(&owner, &form, entries);
        Self { owner, form }
    }

    fn of(kind: &str, own: Value, values: &[Value]) -> Self {
        let entries: Vec<Value> = values.iter().map(|value| json!({ "field_1": value })).collect();
        let fields = json!([field(kind, own)]);
        Self::new(json!({"name": "K", "timezone": "Asia/Shanghai", "fields": fields}), &entries)
    }

    fn by(&self, code: &str, fuzzy: bool) -> Query {
        let groups = json!([group("and", &[code], fuzzy)]);
        Query::ruled(&self.owner, &self.form, groups, shown(&["serial_number"]))
    }

    /// The entries that each value finds, on the page's address as well where it can stand there.
    fn finds(&self, code: &str, fuzzy: bool, rows: &[(Value, &[i64])]) {
        let query = self.by(code, fuzzy);
        let messages = self.owner.get(query.path()).data()["messages"].clone();
        let nothing = messages["no_result"].as_str().expect("a text");
        for (value, expected) in rows {
            query.finds(json!({ code: value }), expected);
            if value.is_string() || value.is_number() {
                let page = query.anon().get(query.typed(&json!({ code: value })));
                assert_eq!(page.status, 200, "{code} {value}: {page}");
                let is_none = page.text.contains(nothing);
                assert_eq!(is_none, expected.is_empty(), "{code} {value}: {page}");
            }
        }
    }
}

#[test]
fn texts_are_compared_without_case_and_width() {
    for kind in ["short_text", "long_text", "name"] {
        let values = [json!("Straße 1"), json!("ＡＢＣ"), json!("你好吗"), json!("a_b%")];
        let case = Case::of(kind, json!({}), &values);
        case.finds(
            "field_1",
            false,
            &[
                (json!("STRASSE 1"), &[1]),
                (json!("Straße"), &[]),
                (json!("abc"), &[2]),
                (json!("你好吗"), &[3]),
                (json!("你好"), &[]),
                (json!("a_b%"), &[4]),
            ],
        );
        case.finds(
            "field_1",
            true,
            &[
                (json!("SSE"), &[1]),
                (json!("ｂｃ"), &[2]),
                (json!("好吗"), &[3]),
                (json!("_b%"), &[4]),
                (json!("a%b"), &[]),
                (json!("nobody"), &[]),
            ],
        );
    }
}

#[test]
fn addresses_and_numbers() {
    let case = Case::of("email", json!({}), &[json!("Ada@Example.com"), json!("grace@example.com")]);
    case.finds("field_1", false, &[(json!("ada@example.COM"), &[1]), (json!("ada"), &[])]);
    case.finds("field_1", true, &[(json!("example"), &[2, 1]), (json!("GRACE@"), &[2])]);
    let phone = |number: &str| json!({"country_id": "CN", "number": number});
    let case = Case::of("phone", json!({"default_country": "CN"}), &[phone("13800138000"), phone("13900139000")]);
    case.finds(
        "field_1",
        false,
        &[
            (json!("13800138000"), &[1]),
            (json!("138 0013-8000"), &[1]),
            (json!("0138 0013 8000"), &[1]),
            (json!("+86 138 0013 8000"), &[1]),
            (json!("0086 138 0013 8000"), &[1]),
            (json!("+1 138 0013 8000"), &[]),
            (json!("1380013800"), &[]),
            (json!("8613800138000"), &[]),
        ],
    );
    case.finds("field_1", true, &[(json!("39000"), &[2]), (json!("138001"), &[1]), (json!("3800138"), &[1])]);
    let case = Case::of("number", json!({}), &[json!(36), json!(-0.5), json!(36)]);
    case.finds(
        "field_1",
        false,
        &[
            (json!(36), &[3, 1]),
            (json!("36"), &[3, 1]),
            (json!("36.0"), &[3, 1]),
            (json!(36.0), &[3, 1]),
            (json!("-0.5"), &[2]),
            (json!(3), &[]),
        ],
    );
    // Text that is no number is a fault, or found nowhere; it never fails.
    let odd = case.by("field_1", false).search(&json!({"field_1": "many"}));
    assert!([200, 422].contains(&odd.status), "{odd}");
}

#[test]
fn dates_are_found_by_day_or_beginning() {
    let days = [json!("2026-11-20"), json!("2026-11-21"), json!("2025-11-20")];
    let case = Case::of("date", json!({}), &days);
    case.finds("field_1", false, &[(json!("2026-11-20"), &[1]), (json!("2026-11-22"), &[])]);
    case.finds(
        "field_1",
        true,
        &[
            (json!("2026-11"), &[2, 1]),
            (json!("2026"), &[2, 1]),
            (json!("2026-11-21"), &[2]),
            // A part from the middle is none.
            (json!("11-20"), &[]),
            (json!("20"), &[3, 2, 1]),
        ],
    );
    let times = [json!("2026-11-20 09:30"), json!("2026-11-20 23:59"), json!("2026-11-21 00:00")];
    let case = Case::of("date", json!({"precision": "minute"}), &times);
    case.finds(
        "field_1",
        false,
        &[
            (json!("2026-11-20"), &[2, 1]),
            (json!("2026-11-20 09:30"), &[1]),
            (json!("2026-11-20T09:30"), &[1]),
            // Given with an offset, it is that moment.
            (json!("2026-11-20T01:30:00Z"), &[1]),
        ],
    );
    case.finds("field_1", true, &[(json!("2026-11-20"), &[2, 1]), (json!("2026-11"), &[3, 2, 1])]);
}

#[test]
fn choices_are_found_by_code_or_part_of_the_label() {
    let choices = json!([
        {"api_code": "red", "label": "Dark red"}, {"api_code": "blue", "label": "Red and blue"},
        {"api_code": "else", "label": "Something else", "is_other": true}]);
    for kind in ["radio", "dropdown"] {
        let values = [json!("red"), json!("blue"), json!({"value": "else", "other_text": "reddish"})];
        let case = Case::of(kind, json!({ "choices": choices }), &values);
        case.finds(
            "field_1",
            false,
            &[(json!("red"), &[1]), (json!("else"), &[3]), (json!("Dark red"), &[]), (json!("green"), &[])],
        );
        case.finds("field_1", true, &[(json!("RED"), &[2, 1]), (json!("and blue"), &[2]), (json!("green"), &[])]);
    }
}

#[test]
fn cascades_are_found_from_any_level() {
    let choices = json!([
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy"}, {"api_code": "de", "label": "Germany"}]},
        {"api_code": "as", "label": "Asia", "children": [{"api_code": "cn", "label": "China"}]}]);
    let at = |one: &str, two: &str| json!({"level_1": one, "level_2": two});
    let values = [at("eu", "it"), at("eu", "de"), at("as", "cn")];
    let case = Case::of("cascade", json!({ "choices": choices }), &values);
    case.finds(
        "field_1",
        false,
        &[
            (json!("eu"), &[2, 1]),
            (json!("it"), &[1]),
            (json!("cn"), &[3]),
            (json!("Italy"), &[]),
            (json!("xx"), &[]),
            (json!({"level_1": "eu"}), &[2, 1]),
            (at("eu", "de"), &[2]),
            (at("as", "de"), &[]),
        ],
    );
    case.finds("field_1", true, &[(json!("euro"), &[2, 1]), (json!("GERM"), &[2]), (json!("in"), &[3])]);
}

#[test]
fn bookings_are_found_by_item_and_time() {
    let first = monday();
    let slot = |code: &str, from: &str, to: &str| json!({"code": code, "weekday": 1, "start_time": from, "end_time": to, "quota": null});
    let items = json!([
        {"api_code": "room", "name": "Meeting room", "quota_setting": {
            "kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": null}]}},
        {"api_code": "hall", "name": "Town hall", "quota_setting": {"kind": "time_range",
            "daily_time_range_quotas": [slot("am", "09:00", "10:00"), slot("pm", "14:00", "15:00")]}},
    ]);
    let booked = |code: &str, at: &str| json!([{"api_code": code, "scheduled_at": at}]);
    let case = Case::of(
        "booking",
        json!({"reservation_items": items, "allow_multiple_items": true}),
        &[
            booked("room", &first),
            booked("hall", &format!("{first}T09:00")),
            booked("hall", &format!("{first}T14:00")),
            json!([
                {"api_code": "room", "scheduled_at": first},
                {"api_code": "hall", "scheduled_at": format!("{first}T14:00")}]),
            json!([]),
        ],
    );
    case.finds(
        "field_1_attribute_api_code",
        false,
        &[(json!("room"), &[4, 1]), (json!("hall"), &[4, 3, 2]), (json!("Meeting room"), &[]), (json!("am"), &[])],
    );
    case.finds(
        "field_1_attribute_api_code",
        true,
        &[(json!("MEET"), &[4, 1]), (json!("town h"), &[4, 3, 2]), (json!("nowhere"), &[])],
    );
    case.finds(
        "field_1_attribute_date_time",
        false,
        &[
            (json!(first), &[4, 3, 2, 1]),
            (json!(format!("{first} 14:00")), &[4, 3]),
            (json!(format!("{first} 09:00")), &[2]),
            (json!(format!("{first} 11:00")), &[]),
            (json!("2020-01-06"), &[]),
        ],
    );
    case.finds(
        "field_1_attribute_date_time",
        true,
        &[(json!(first[..7]), &[4, 3, 2, 1]), (json!(format!("{first} 14")), &[4, 3]), (json!("2020-01"), &[])],
    );
}

#[test]
fn serial_numbers_scores_and_codes_are_found() {
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let fields = json!([field("radio", json!({ "choices": choices }))]);
    let case = Case::new(json!({"name": "E", "scene": "exam", "fields": fields}), &[]);
    let (owner, form) = (&case.owner, &case.form);
    let settings = json!({
        "exam": {"questions": {"field_1": {"scored": true, "score": 2.5, "answer": "a"}}},
        "verification_code": {"enabled": true},
    });
    set(owner, form, settings);
    let values = ["a", "b", "a"].map(|code| json!({ "field_1": code }));
    fill(owner, form, &values);
    let codes: Vec<String> = (1..=3)
        .map(|serial| {
            let entry = owner.get(form.entry(serial)).data();
            entry["gen_code"].as_str().expect("a code").to_owned()
        })
        .collect();
    case.finds("serial_number", false, &[(json!(2), &[2]), (json!("3"), &[3]), (json!(9), &[]), (json!("0"), &[])]);
    case.finds(
        "exam_score",
        false,
        &[(json!(2.5), &[3, 1]), (json!("2.5"), &[3, 1]), (json!(0), &[2]), (json!(1), &[])],
    );
    case.finds(
        "gen_code",
        false,
        &[
            (json!(codes[1]), &[2]),
            (json!(codes[1].to_lowercase()), &[2]),
            (json!(codes[1][1..]), &[]),
            (json!("AAAAAAAAAAAAAAAAAAAA"), &[]),
        ],
    );
    let part = &codes[0][1..];
    let expected: Vec<i64> =
        (1..=3).rev().filter(|n| codes[*n - 1].contains(part)).map(|n| i64::try_from(n).expect("few")).collect();
    case.finds("gen_code", true, &[(json!(part), &expected)]);
}
