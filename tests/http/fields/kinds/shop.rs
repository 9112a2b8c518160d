//! `product` and `booking`.

use serde_json::{Value, json};
use support::{Server, field};

use super::Group;
use crate::fields::kinds::{faults, refuse};

pub fn groups() -> Vec<Group> {
    vec![plain_goods(), variants(), slots(), days()]
}

fn plain_goods() -> Group {
    let goods = json!([
        {"api_code": "tea", "name": "Tea", "price": "3.10", "min_number": 2, "max_number": 5},
        {"api_code": "bun", "name": "Bun", "price": 0, "stock": 100_000_000},
    ]);
    Group::of("product", json!({"goods_items": goods, "unit": "pieces"}))
        .keeps([
            json!([{"api_code": "tea", "number": 2}]),
            json!([{"api_code": "bun", "number": 1_000_000}, {"api_code": "tea", "number": 5}]),
            json!([]),
        ])
        .takes(
            json!([{"api_code": "tea", "number": 2.0, "specification": {"size": 5}, "price": 1}]),
            json!([{"api_code": "tea", "number": 2}]),
        )
        // Lines of the same good become one.
        .takes(
            json!([{"api_code": "tea", "number": 1}, {"api_code": "bun", "number": 1}, {"api_code": "tea", "number": 1}]),
            json!([{"api_code": "tea", "number": 2}, {"api_code": "bun", "number": 1}]),
        )
        .refuses(json!("tea"), "must be a list of goods")
        .refuses(json!({"api_code": "tea", "number": 2}), "must be a list of goods")
        .refuses(json!(5), "must be a list of goods")
        .refuses(json!(vec![json!({}); 1001]), "may have at most 1000 lines")
        .refuses(json!(["tea"]), "[0]: must be an object")
        .refuses(json!([null]), "[0]: must be an object")
        .refuses_for(
            json!([{}]),
            &["[0].number: can't be blank", "[0].api_code: can't be blank"],
        )
        .refuses(json!([{"api_code": "tea"}]), "[0].number: can't be blank")
        .refuses(json!([{"api_code": "Tea", "number": 2}]), "[0].api_code: is not one of the goods")
        .refuses(json!([{"api_code": 5, "number": 2}]), "[0].api_code: must be a string")
        .refuses(json!([{"api_code": "bun", "number": 0}]), "[0].number: must be 1 to 1000000")
        .refuses(json!([{"api_code": "bun", "number": -1}]), "[0].number: must be 1 to 1000000")
        .refuses(json!([{"api_code": "bun", "number": 1.5}]), "[0].number: must be a whole number")
        .refuses(json!([{"api_code": "bun", "number": "1"}]), "[0].number: must be a whole number")
        .refuses(json!([{"api_code": "bun", "number": 1}, {"api_code": "tea", "number": 1}]), "[1].number: must be 2 or more")
        .refuses(json!([{"api_code": "tea", "number": 6}]), "[0].number: must be 5 or less")
        .refuses(
            json!([{"api_code": "tea", "number": 3}, {"api_code": "tea", "number": 3}]),
            "[1].number: must be 5 or less",
        )
}

fn cake() -> Value {
    json!({"api_code": "cake", "name": "Cake", "price": 12, "max_number": 9, "dimensions": [
        {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]},
        {"api_code": "icing", "name": "Icing", "options": [{"api_code": "s", "name": "sweet"}, {"api_code": "n", "name": "none"}]},
    ], "skus": [{"specification": {"size": "l", "icing": "s"}, "price": "20.50", "stock": 300}]})
}

fn variants() -> Group {
    let line = |number: i64, specification: Value| json!({"api_code": "cake", "number": number, "specification": specification});
    Group::of("product", json!({"goods_items": [cake()]}))
        .keeps([
            json!([line(1, json!({"size": "s", "icing": "s"}))]),
            json!([line(9, json!({"size": "s", "icing": "s"})), line(9, json!({"size": "l", "icing": "s"}))]),
        ])
        .takes(
            json!([line(1, json!({"icing": "n", "taste": "x", "size": "l"}))]),
            json!([line(1, json!({"size": "l", "icing": "n"}))]),
        )
        .takes(
            json!([line(1, json!({"size": "l", "icing": "n"})), line(2, json!({"icing": "n", "size": "l"}))]),
            json!([line(3, json!({"size": "l", "icing": "n"}))]),
        )
        .refuses_for(
            json!([{"api_code": "cake", "number": 1}]),
            &["[0].specification.size: can't be blank", "[0].specification.icing: can't be blank"],
        )
        .refuses(json!([line(1, json!({"size": "s"}))]), "[0].specification.icing: can't be blank")
        .refuses(json!([line(1, json!({"size": "s", "icing": null}))]), "[0].specification.icing: can't be blank")
        .refuses(
            json!([line(1, json!({"size": "n", "icing": "n"}))]),
            "[0].specification.size: is not one of the options: use s (small), l (large)",
        )
        .refuses(
            json!([line(1, json!({"size": "small", "icing": "n"}))]),
            "[0].specification.size: is not one of the options: use s (small), l (large)",
        )
        .refuses_for(
            json!([line(1, json!({"Size": "small", "icing": "n"}))]),
            &["[0].specification.size: can't be blank: use one of s (small), l (large)"],
        )
        .refuses(json!([line(1, json!({"size": 5, "icing": "n"}))]), "[0].specification.size: must be a string")
        .refuses(json!([line(1, json!("s"))]), "[0].specification: must be an object")
        .refuses(
            json!([line(5, json!({"size": "s", "icing": "n"})), line(5, json!({"size": "s", "icing": "n"}))]),
            "[1].number: must be 9 or less",
        )
}

/// On Mondays of the far future: 2 January 2090 is one.
fn slots() -> Group {
    let slot = |code: &str, start: &str, end: &str| json!({"code": code, "weekday": 1, "start_time": start, "end_time": end, "quota": null});
    let item = json!({"api_code": "room", "name": "Room", "quota_setting": {
        "kind": "time_range", "start_date": "2090-01-01", "end_date": "2090-12-31", "closed_dates": ["2090-01-09"],
        "daily_time_range_quotas": [slot("am", "09:00", "10:00"), slot("day", "09:00", "17:00"), slot("pm", "14:00", "15:30")],
    }});
    let read = |from: &str, to: &str, code: &str, number: i64| {
        json!([{
            "api_code": "room", "scheduled_at": from, "end_at": to, "number": number,
            "item_name": "Room", "time_range_code": code,
        }])
    };
    let line = |at: &str| json!([{"api_code": "room", "scheduled_at": at}]);
    let whole = |at: &str, to: &str| json!([{"api_code": "room", "scheduled_at": at, "end_at": to}]);
    let pm = read("2090-01-02T14:00:00.000Z", "2090-01-02T15:30:00.000Z", "pm", 1);
    let unknown = "[0].scheduled_at: is not the start of a slot on that day";
    Group::of("booking", json!({"reservation_items": [item], "allow_multiple_number": true}))
        .takes(line("2090-01-02T14:00"), pm.clone())
        .takes(line("2090-01-02T14:00:00Z"), pm.clone())
        .takes(line("2090-01-02T22:00:00+08:00"), pm.clone())
        .takes(whole("2090-01-02 14:00", "2090-01-02T15:30:00.000Z"), pm)
        .takes(
            json!([{"api_code": "room", "scheduled_at": "2090-01-02T09:00", "end_at": "2090-01-02T17:00", "number": 4, "item_name": 5, "time_range_code": "am"}]),
            read("2090-01-02T09:00:00.000Z", "2090-01-02T17:00:00.000Z", "day", 4),
        )
        .takes(json!([]), json!([]))
        .refuses(json!("room"), "must be a list of bookings")
        .refuses(json!({"api_code": "room"}), "must be a list of bookings")
        .refuses(json!([{}, {}]), "may have at most 1 booking")
        .refuses(json!([5]), "[0]: must be an object")
        .refuses(json!([{"scheduled_at": "2090-01-02T14:00"}]), "[0].api_code: can't be blank")
        .refuses(json!([{"api_code": "hall", "scheduled_at": "2090-01-02T14:00"}]), "[0].api_code: is not one of the items to book")
        .refuses(json!([{"api_code": "room"}]), "[0].scheduled_at: can't be blank")
        .refuses(line("soon"), "[0].scheduled_at: must be an ISO 8601 date-time")
        .refuses(line("2090-02-30T14:00"), "[0].scheduled_at: must be an ISO 8601 date-time")
        .refuses(json!([{"api_code": "room", "scheduled_at": 5}]), "[0].scheduled_at: must be a string")
        .refuses(line("2090-01-02"), "[0].scheduled_at: must be a day and the time at which a slot begins")
        .refuses(line("2090-01-02T14:30"), unknown)
        .refuses(line("2090-01-02T14:00:01"), unknown)
        .refuses(line("2090-01-02T14:00:00+01:00"), unknown)
        .refuses(line("2090-01-03T14:00"), "[0].scheduled_at: is not a day that can be booked")
        .refuses(line("2090-01-09T14:00"), "[0].scheduled_at: is not a day that can be booked")
        .refuses(line("2089-12-26T14:00"), "[0].scheduled_at: must not be before 2090-01-01")
        .refuses(line("2091-01-01T14:00"), "[0].scheduled_at: must not be after 2090-12-31")
        .refuses(line("2090-01-02T09:00"), "[0].end_at: must be given: several slots begin then")
        .refuses(whole("2090-01-02T14:00", "2090-01-02T15:00"), "[0].end_at: is not the end of a slot that begins then")
        .refuses(whole("2090-01-02T14:00", "2090-01-02"), "[0].end_at: is not the end of a slot that begins then")
        .refuses(whole("2090-01-02T14:00", "x"), "[0].end_at: must be an ISO 8601 date-time")
        .refuses(json!([{"api_code": "room", "scheduled_at": "2090-01-02T14:00", "number": 0}]), "[0].number: must be 1 to 10000")
        .refuses(json!([{"api_code": "room", "scheduled_at": "2090-01-02T14:00", "number": "2"}]), "[0].number: must be a whole number")
}

/// At weekends: 7 January 2090 is a Saturday.
fn days() -> Group {
    let item = |code: &str| {
        json!({"api_code": code, "name": code.to_uppercase(), "quota_setting": {
            "kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 100}, {"weekday": 7, "quota": null}],
        }})
    };
    let read = |code: &str, at: &str| {
        json!({
            "api_code": code, "scheduled_at": at, "end_at": null, "number": 1,
            "item_name": code.to_uppercase(), "time_range_code": null,
        })
    };
    let line = |code: &str, at: &str| json!({"api_code": code, "scheduled_at": at});
    Group::of("booking", json!({"reservation_items": [item("a"), item("b")], "allow_multiple_items": true}))
        .takes(json!([line("a", "2090-01-07")]), json!([read("a", "2090-01-07T00:00:00.000Z")]))
        .takes(
            json!([line("a", "2090-01-07T10:30:00.5Z"), line("b", "2090-01-07T00:00"), line("a", "2090-01-08T00:00")]),
            json!([
                read("a", "2090-01-07T10:30:00.000Z"),
                read("b", "2090-01-07T00:00:00.000Z"),
                read("a", "2090-01-08T00:00:00.000Z"),
            ]),
        )
        .refuses(json!([line("a", "2090-01-09")]), "[0].scheduled_at: is not a day that can be booked")
        .refuses(json!([line("a", "2090-01-07"), line("a", "2090-01-07T10:00")]), "[1].scheduled_at: is booked twice")
        .refuses(json!([{"api_code": "a", "scheduled_at": "2090-01-07", "number": 2}]), "[0].number: must be 1")
        .refuses(json!(vec![line("a", "2090-01-07"); 101]), "may have at most 100 bookings")
}

#[test]
fn goods_are_checked() {
    let owner = Server::shared().user();
    let of = |goods: Value| faults(&owner, "product", json!({"goods_items": goods}));
    assert_eq!(faults(&owner, "product", json!({})), [".goods_items: is required"]);
    refuse(
        &of,
        &[
            (json!({}), &[".goods_items: must be a list"]),
            (json!([]), &[".goods_items: must have 1 to 1000 items"]),
            (json!([5]), &[".goods_items[0]: must be an object"]),
        ],
    );
    let with = |more: Value| {
        let mut good = json!({"api_code": "a", "name": "A", "price": 1});
        for (key, value) in more.as_object().into_iter().flatten() {
            good[key] = value.clone();
        }
        let cut = |fault: String| fault.replacen(".goods_items[0]", "", 1);
        of(json!([good])).into_iter().map(cut).collect::<Vec<_>>()
    };
    for (more, expected) in [
        (json!({"name": "", "price": null}), vec![".name: can't be blank", ".price: is required"]),
        (json!({"price": "dear"}), vec![".price: must be a number"]),
        (json!({"price": -1}), vec![".price: must be 0 to 999999999"]),
        (
            json!({"price": 1_000_000_000, "original_price": true}),
            vec![".price: must be 0 to 999999999", ".original_price: must be a number"],
        ),
        (json!({"price": "0.00001"}), vec![".price: may have at most 4 decimals"]),
        (
            json!({"stock": -1, "hidden": "no"}),
            vec![".stock: must be 0 to 4294967295", ".hidden: must be true or false"],
        ),
        (json!({"stock": 1.5}), vec![".stock: must be a whole number"]),
        (
            json!({"images": [{"id": "x"}, 5]}),
            vec![".images[0].id: is not an image of this organization", ".images[1]: must be an object"],
        ),
        (json!({"images": "x"}), vec![".images: must be a list"]),
        (
            json!({"min_number": 0, "max_number": "x"}),
            vec![".min_number: must be 1 to 1000000", ".max_number: must be a whole number"],
        ),
        (json!({"min_number": 3, "max_number": 2}), vec![".max_number: must not be less than min_number"]),
        (json!({"description": "x".repeat(5001)}), vec![".description: is too long (at most 5000 characters)"]),
        (json!({"skus": [{"specification": {"x": "y"}}]}), vec![".skus[0].specification: needs dimensions"]),
        (
            json!({"dimensions": [{"api_code": "a b"}, {"name": "B", "options": []}]}),
            vec![
                ".dimensions[0].api_code: must be 1 to 32 letters, digits or underscores",
                ".dimensions[0].name: can't be blank",
                ".dimensions[0].options: is required",
                ".dimensions[1].options: must have 1 to 100 options",
            ],
        ),
        (
            json!({"dimensions": [
                {"api_code": "x", "name": "X", "options": [{"api_code": "o", "name": "O"}, {"api_code": "o", "name": ""}]},
                {"api_code": "x", "name": "X", "options": [{"name": "O"}]},
            ]}),
            vec![
                ".dimensions[0].options[1].name: can't be blank",
                ".dimensions[0].options[1].api_code: is listed twice",
                ".dimensions[1].api_code: is listed twice",
            ],
        ),
    ] {
        let mut found = with(more.clone());
        let mut expected: Vec<_> = expected.into_iter().map(str::to_owned).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{more}");
    }
    let mut odd = cake();
    odd["skus"] = json!([
        {},
        {"specification": {"size": "s"}, "price": "x", "stock": -1},
        {"specification": {"size": "s", "icing": "s"}},
        {"specification": {"icing": "s", "size": "s", "x": 1}},
        {"specification": {"icing": "zz", "size": 5}},
    ]);
    assert_eq!(
        of(json!([{"api_code": "cake", "name": "x", "price": 1}, odd])),
        [
            "[1].api_code: is listed twice",
            "[1].skus[0].specification: is required",
            "[1].skus[1].specification.icing: can't be blank",
            "[1].skus[1].price: must be a number",
            "[1].skus[1].stock: must be 0 to 4294967295",
            "[1].skus[3].specification: is listed twice",
            "[1].skus[4].specification.size: must be a string",
            "[1].skus[4].specification.icing: is not one of the options: use s (sweet), n (none)",
        ]
        .map(|fault| format!(".goods_items{fault}"))
    );
    let unit = json!({"goods_items": [cake()], "unit": 5, "unique": true});
    assert_eq!(faults(&owner, "product", unit), [".unique: is not possible for product", ".unit: must be a string"]);
}

#[test]
fn reservation_items_are_checked() {
    let owner = Server::shared().user();
    let of = |items: Value| faults(&owner, "booking", json!({"reservation_items": items}));
    assert_eq!(faults(&owner, "booking", json!({})), [".reservation_items: is required"]);
    assert_eq!(of(json!([])), [".reservation_items: must have 1 to 1000 items"]);
    assert_eq!(
        of(json!([{"images": [1], "hidden": 1}])),
        [
            "[0].name: can't be blank",
            "[0].hidden: must be true or false",
            "[0].images[0]: must be an object",
            "[0].quota_setting: is required",
        ]
        .map(|fault| format!(".reservation_items{fault}"))
    );
    let with = |setting: Value| {
        let cut = |fault: String| fault.replacen(".reservation_items[0].quota_setting", "", 1);
        let found = of(json!([{"name": "A", "quota_setting": setting}]));
        found.into_iter().map(cut).collect::<Vec<_>>()
    };
    let day = json!([{"weekday": 1, "quota": 1}]);
    for (setting, expected) in [
        (json!("weekly"), vec![": must be an object"]),
        (json!({}), vec![".kind: is required"]),
        (json!({"kind": "monthly"}), vec![".kind: must be one of weekly, time_range"]),
        (json!({"kind": "weekly"}), vec![".weekly_quotas: is required"]),
        (json!({"kind": "weekly", "weekly_quotas": []}), vec![".weekly_quotas: must have at least one day"]),
        (
            json!({"kind": "weekly", "weekly_quotas": [{}, {"weekday": 8}, {"weekday": 2, "quota": -1}, {"weekday": 2, "quota": "x"}]}),
            vec![
                ".weekly_quotas[0].weekday: is required",
                ".weekly_quotas[1].weekday: must be 1 to 7",
                ".weekly_quotas[2].quota: must be 0 to 4294967295",
                ".weekly_quotas[3].weekday: is listed twice",
                ".weekly_quotas[3].quota: must be a whole number",
            ],
        ),
        (
            json!({"kind": "weekly", "weekly_quotas": day, "start_date": "2026-02-30", "end_date": 5, "closed_dates": ["2026-01-01", "x", 5]}),
            vec![
                ".start_date: must be a date in the format YYYY-MM-DD",
                ".end_date: must be a string",
                ".closed_dates[1]: must be a date in the format YYYY-MM-DD",
                ".closed_dates[2]: must be a string",
            ],
        ),
        (
            json!({"kind": "weekly", "weekly_quotas": day, "start_date": "2026-02-02", "end_date": "2026-02-01", "min_days_ahead": 5, "max_days_ahead": 4}),
            vec![".end_date: must not be before start_date", ".max_days_ahead: must not be less than min_days_ahead"],
        ),
        (
            json!({"kind": "weekly", "weekly_quotas": day, "min_days_ahead": -1}),
            vec![".min_days_ahead: must be 0 to 3660"],
        ),
        (json!({"kind": "time_range", "weekly_quotas": day}), vec![".daily_time_range_quotas: is required"]),
        (
            json!({"kind": "time_range", "daily_time_range_quotas": []}),
            vec![".daily_time_range_quotas: must have 1 to 1000 slots"],
        ),
        (
            json!({"kind": "time_range", "daily_time_range_quotas": [
                {"code": "a-b"},
                {"code": "a", "weekday": 1, "start_time": "9:00", "end_time": "24:01"},
                {"code": "a", "weekday": 1, "start_time": "10:00", "end_time": "10:00"},
                {"weekday": 1, "start_time": "24:00", "end_time": "24:00"},
                {"weekday": 1, "start_time": "22:00", "end_time": "24:00"},
                {"weekday": 1, "start_time": "22:00", "end_time": "24:00"},
            ]}),
            vec![
                ".daily_time_range_quotas[0].code: must be 1 to 32 letters, digits or underscores",
                ".daily_time_range_quotas[0].weekday: is required",
                ".daily_time_range_quotas[0].start_time: is required",
                ".daily_time_range_quotas[0].end_time: is required",
                ".daily_time_range_quotas[1].start_time: must be a time as HH:MM",
                ".daily_time_range_quotas[1].end_time: must be a time as HH:MM",
                ".daily_time_range_quotas[2].code: is listed twice",
                ".daily_time_range_quotas[2].end_time: must be after start_time",
                ".daily_time_range_quotas[3].start_time: must be a time as HH:MM",
                ".daily_time_range_quotas[5].start_time: is listed twice with this end_time",
            ],
        ),
    ] {
        assert_eq!(with(setting.clone()), expected, "{setting}");
    }
    let own = json!({"reservation_items": [{"name": "A", "quota_setting": {"kind": "weekly", "weekly_quotas": day}}], "allow_multiple_items": 1, "allow_multiple_number": "x"});
    assert_eq!(
        faults(&owner, "booking", own),
        [".allow_multiple_items: must be true or false", ".allow_multiple_number: must be true or false"]
    );
}

#[test]
fn every_key_is_kept() {
    let owner = Server::shared().user();
    let goods = json!([
        {"api_code": "tea", "name": "Tea", "description": "Green\nor not", "price": 3.1, "original_price": 4, "stock": 10, "hidden": true, "images": [], "min_number": 1, "max_number": 2},
        {"api_code": "cake", "name": "Cake", "price": 12, "images": [], "dimensions": [
            {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}]},
        ], "skus": [{"specification": {"size": "s"}, "price": 20.5, "stock": 3}]},
    ]);
    let items = json!([
        {"api_code": "room", "name": "Room", "description": "Big", "hidden": true, "images": [], "quota_setting": {
            "kind": "time_range", "start_date": "2026-01-01", "end_date": "2026-12-31", "closed_dates": ["2026-05-01"],
            "min_days_ahead": 0, "max_days_ahead": 60,
            "daily_time_range_quotas": [{"code": "am", "weekday": 7, "start_time": "00:00", "end_time": "24:00", "quota": null}],
        }},
        {"api_code": "tour", "name": "Tour", "images": [], "quota_setting": {
            "kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 0}, {"weekday": 7, "quota": null}],
        }},
    ]);
    let fields = json!([
        {"api_code": "field_1", "type": "product", "label": "P", "required": false, "hidden": false, "goods_items": goods, "unit": "kg"},
        {"api_code": "field_2", "type": "booking", "label": "B", "required": false, "hidden": false, "reservation_items": items, "allow_multiple_items": true, "allow_multiple_number": false},
    ]);
    let mut new = fields.clone();
    for field in new.as_array_mut().expect("a list") {
        field.as_object_mut().expect("an object").remove("api_code");
    }
    let form = owner.form(new);
    assert_eq!(form.body["fields"], fields);
    let again = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(again.data()["fields"], fields, "{again}");
    // Prices are numbers, however they were written.
    let written = json!([field("product", json!({"goods_items": [{"name": "A", "price": "0019.90"}]}))]);
    let read = owner.form(written);
    assert_eq!(read.body["fields"][0]["goods_items"][0]["price"].to_string(), "19.9");
    let code = &read.body["fields"][0]["goods_items"][0]["api_code"];
    assert!(code.as_str().is_some_and(|code| code.len() >= 4), "{code}");
}

#[test]
fn data_of_goods_options_and_items_is_not_lost_in_silence() {
    let owner = Server::shared().user();
    let tour = json!({"api_code": "tour", "name": "Tour", "quota_setting": {
        "kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 2}],
    }});
    let mut hall = tour.clone();
    hall["api_code"] = json!("hall");
    let tea = json!({"api_code": "tea", "name": "Tea", "price": 3});
    let form = owner.form(json!([
        field("product", json!({"goods_items": [cake(), tea]})),
        field("booking", json!({"reservation_items": [tour, hall]})),
    ]));
    let entry = json!({"field_values": {
        "field_1": [{"api_code": "cake", "number": 1, "specification": {"size": "l", "icing": "s"}}, {"api_code": "tea", "number": 1}],
        "field_2": [{"api_code": "tour", "scheduled_at": "2090-01-07"}],
    }});
    assert_eq!(owner.post(form.entries(), entry).status, 201);
    let mut small = cake();
    small["dimensions"][0]["options"] = json!([{"api_code": "s", "name": "small"}]);
    small["skus"] = json!([]);
    let fields = json!([
        field("product", json!({"api_code": "field_1", "goods_items": [small]})),
        field("booking", json!({"api_code": "field_2", "reservation_items": [hall]})),
    ]);
    let refused = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(
        refused.faults(),
        [
            "fields.field_1.goods_items.cake.size.l: holds data of 1 entry",
            "fields.field_1.goods_items.tea: holds data of 1 entry",
            "fields.field_2.reservation_items.tour: holds data of 1 entry",
        ]
    );
    let done = owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true}));
    assert_eq!(done.status, 200, "{done}");
    let left = owner.get(form.entry(1)).data();
    assert_eq!((&left["field_1"], &left["field_2"]), (&json!([]), &json!([])));
}

#[test]
fn respondents_book_no_past_and_nothing_hidden() {
    let server = Server::shared();
    let owner = server.user();
    let item = |code: &str| {
        json!({"api_code": code, "name": code, "hidden": code == "attic", "quota_setting": {
            "kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 31_337}],
        }})
    };
    let gin = json!({"api_code": "gin", "name": "Planted gin", "price": 9, "hidden": true, "stock": 31_337});
    let form = owner.form(json!([
        field("booking", json!({"reservation_items": [item("attic"), item("hall")]})),
        field(
            "product",
            json!({"goods_items": [gin, {"api_code": "tea", "name": "Tea", "price": 3, "stock": 31_337}]})
        ),
    ]));
    for (value, fault) in [
        (
            json!({"field_1": [{"api_code": "hall", "scheduled_at": "2001-01-06"}]}),
            "field_values.field_1[0].scheduled_at: must not be before ",
        ),
        (
            json!({"field_1": [{"api_code": "attic", "scheduled_at": "2090-01-07"}]}),
            "field_values.field_1[0].api_code: is not one of the items to book",
        ),
        (
            json!({"field_2": [{"api_code": "gin", "number": 1}]}),
            "field_values.field_2[0].api_code: is not one of the goods",
        ),
    ] {
        let body = json!({"field_values": value});
        let refused = server.anon().post(form.submissions(), body.clone());
        let faults = refused.faults();
        assert!(faults.len() == 1 && faults[0].starts_with(fault), "{faults:?}");
        let made = owner.post(form.entries(), body);
        assert_eq!(made.status, 201, "{made}");
    }
    let page = server.anon().get(form.page());
    for shown in [server.anon().get(form.published()), page] {
        // How many are left is shown, and not of how many.
        for mark in ["attic", "Planted", "\"quota\"", "\"stock\""] {
            assert!(!shown.text.contains(mark), "{mark}: {shown}");
        }
        assert!(shown.text.contains("hall") && shown.text.contains("Tea"), "{shown}");
    }
}

#[test]
fn a_page_orders_and_books_as_the_api_does() {
    let server = Server::shared();
    let owner = server.user();
    let tea = json!({"api_code": "tea", "name": "Tea <b>", "price": "3.10", "original_price": 4, "max_number": 5});
    let slot = |code: &str, weekday: i64| json!({"code": code, "weekday": weekday, "start_time": "09:00", "end_time": "10:00", "quota": 1});
    let room = |code: &str| {
        json!({"api_code": code, "name": "Room", "quota_setting": {
            "kind": "time_range", "start_date": "2090-01-01", "end_date": "2090-12-31",
            "daily_time_range_quotas": [slot("mon", 1), slot("tue", 2)],
        }})
    };
    let form = owner.form(json!([
        field("product", json!({"goods_items": [cake(), tea], "unit": "pcs"})),
        field("booking", json!({"reservation_items": [room("one"), room("two")], "allow_multiple_items": true})),
    ]));
    let anon = server.anon();
    let page = anon.get(form.page());
    for part in [
        "Tea &lt;b&gt;",
        "$3.10",
        "from $12.00",
        "name=\"field_1[0].api_code\" value=\"cake\"",
        "name=\"field_1[0].specification.size\"",
        "name=\"field_1[2].number\"",
        "name=\"field_2[0].scheduled_at\"",
        "min=\"2090-01-01\" max=\"2090-12-31\"",
        "label=\"Room · Tuesday\"",
        "value=\"two/mon\"",
        "product.js",
        "booking.js",
    ] {
        assert!(page.text.contains(part), "{part}: {page}");
    }
    let wrong = [
        ("_page", "0"),
        ("field_1[0].api_code", "cake"),
        ("field_1[0].specification.size", "l"),
        ("field_1[0].specification.icing", ""),
        ("field_1[0].number", "2"),
        ("field_1[1].api_code", "cake"),
        ("field_1[1].number", ""),
        ("field_1[2].api_code", "tea"),
        ("field_1[2].number", "a few"),
        ("field_2[0].api_code", "one"),
        ("field_2[0].scheduled_at", "2090-01-05"),
        ("field_2[0].time_range_code", "one/tue"),
        ("field_2[1].api_code", ""),
        ("field_2[1].scheduled_at", ""),
    ];
    let refused = anon.post_form(form.page(), &wrong);
    assert_eq!(refused.status, 422, "{refused}");
    for part in [
        "id=\"field_1[0].specification.icing-fault\">Choose one",
        "id=\"field_1[1].number-fault\">Enter a whole number",
        "value=\"a few\"",
        "<option value=\"l\" selected>",
        "id=\"field_2[0].scheduled_at-fault\">This day can’t be booked",
        "value=\"2090-01-05\"",
        "<option value=\"one/tue\" selected>",
    ] {
        assert!(refused.text.contains(part), "{part}: {refused}");
    }
    let mut right = wrong;
    right[3].1 = "n";
    right[8].1 = "5";
    right[10].1 = "2090-01-03";
    let stored = anon.post_form(form.page(), &right);
    assert_eq!(stored.status, 303, "{stored}");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(
        entry["field_1"],
        json!([
            {"api_code": "cake", "number": 2, "specification": {"size": "l", "icing": "n"}},
            {"api_code": "tea", "number": 5},
        ])
    );
    assert_eq!(
        entry["field_2"],
        json!([{
            "api_code": "one", "scheduled_at": "2090-01-03T09:00:00.000Z", "end_at": "2090-01-03T10:00:00.000Z",
            "number": 1, "item_name": "Room", "time_range_code": "tue",
        }])
    );
    // Nothing ordered and nothing booked is nothing.
    let empty =
        anon.post_form(form.page(), &[("_page", "0"), ("field_1[0].api_code", "tea"), ("field_1[0].number", "0")]);
    assert_eq!(empty.status, 303, "{empty}");
    assert_eq!(owner.get(form.entry(2)).data()["field_1"], json!([]));
}

#[test]
fn conditions_know_their_operators() {
    let owner = Server::shared().user();
    let tour = json!({"api_code": "tour", "name": "Tour", "quota_setting": {
        "kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 2}],
    }});
    let form = owner.form(json!([
        field("product", json!({"goods_items": [cake()]})),
        field("booking", json!({"reservation_items": [tour]})),
        field("name", json!({})),
    ]));
    let set = |condition: Value| {
        let rules = json!({"rules": [{
            "condition": {"operand": "and", "items": [condition]}, "action": "show", "fields": ["field_3"],
        }]});
        owner.put(format!("{}/field_rules", form.path()), rules)
    };
    let at = "rules[0].condition.items[0]";
    for (field, operators, odd) in [
        ("field_1", "any_in, none_in, like, null, not_null", "eq"),
        ("field_2", "eq, ne, any_in, none_in, gt, gte, lt, lte, between, not_between, null, not_null", "like"),
    ] {
        let refused = set(json!({"field": field, "operator": odd, "value": "x"}));
        assert_eq!(refused.faults(), [format!("{at}.operator: must be one of {operators}")]);
    }
    for (field, operator, value) in [
        ("field_1", "any_in", json!(["cake", {"api_code": "cake", "specs": ["l", "s"]}])),
        ("field_1", "none_in", json!(["gone"])),
        ("field_1", "like", json!("cak")),
        ("field_2", "eq", json!("tour")),
        ("field_2", "any_in", json!(["tour", "2090-01-07"])),
        ("field_2", "gte", json!("2090-01-07T10:00:00Z")),
        ("field_2", "not_between", json!(["2090-01-07", "2090-02-01"])),
        ("field_2", "not_null", json!(null)),
    ] {
        let done = set(json!({"field": field, "operator": operator, "value": value}));
        assert_eq!(done.status, 200, "{operator} {value}: {done}");
    }
    for (field, operator, value) in [
        ("field_1", "any_in", json!("cake")),
        ("field_1", "any_in", json!([{"specs": []}])),
        ("field_2", "gt", json!("tour")),
        ("field_2", "between", json!(["2090-01-07"])),
        ("field_2", "none_in", json!([])),
    ] {
        let refused = set(json!({"field": field, "operator": operator, "value": value}));
        assert_eq!(refused.attributes(), [format!("{at}.value")], "{operator} {value}");
    }
}
