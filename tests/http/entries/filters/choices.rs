//! Choices and sets of them, places, products and bookings.

use serde_json::{Value, json};
use support::field;

use crate::entries::filters::{Asked, choice, tea_and_coffee};

#[test]
fn choices_are_found_by_code_and_partly_by_label() {
    let other = json!([choice("tea", "Darjeeling"), choice("coffee", "Ｍokka"), {"api_code": "else", "label": "Else", "is_other": true}]);
    let own = json!({ "choices": other });
    for kind in ["radio", "dropdown"] {
        let asked = Asked::new(
            "UTC",
            json!([field(kind, own.clone())]),
            &[
                json!({"field_1": "tea"}),
                json!({"field_1": {"value": "else", "other_text": "tea"}}),
                json!({}),
                json!({"field_1": "coffee"}),
            ],
        );
        for (operator, value, expected) in [
            ("eq", json!("tea"), vec![1]),
            ("eq", json!("Darjeeling"), vec![]),
            ("eq", json!("TEA"), vec![]),
            ("eq", json!("unknown"), vec![]),
            ("ne", json!("tea"), vec![2, 3, 4]),
            ("ne", json!("unknown"), vec![1, 2, 3, 4]),
            ("any_in", json!(["tea", "else", "unknown"]), vec![1, 2]),
            ("none_in", json!(["tea", "else"]), vec![3, 4]),
            ("like", json!("JEEL"), vec![1]),
            ("like", json!("mokka"), vec![4]),
            ("like", json!("tea"), vec![]),
            ("like", json!("coffee"), vec![]),
            ("null", json!(null), vec![3]),
            ("not_null", json!(null), vec![1, 2, 4]),
        ] {
            asked.finds("field_1", operator, value, &expected);
        }
    }
}

#[test]
fn a_set_of_choices_equals_the_given_set_exactly() {
    let asked = Asked::new(
        "UTC",
        json!([field("checkbox", json!({"choices": tea_and_coffee()}))]),
        &[
            json!({"field_1": ["tea"]}),
            json!({"field_1": ["coffee", "tea"]}),
            json!({"field_1": []}),
            json!({"field_1": ["tea", "coffee", "milk"]}),
        ],
    );
    for (operator, value, expected) in [
        ("eq", json!(["tea"]), vec![1]),
        ("eq", json!("tea"), vec![1]),
        ("eq", json!(["tea", "coffee"]), vec![2]),
        ("eq", json!(["tea", "coffee", "tea"]), vec![2]),
        ("eq", json!(["tea", "unknown"]), vec![]),
        ("eq", json!([]), vec![3]),
        ("ne", json!(["coffee", "tea"]), vec![1, 3, 4]),
        ("ne", json!([]), vec![1, 2, 4]),
        // Entries that merely include it.
        ("any_in", json!(["tea"]), vec![1, 2, 4]),
        ("any_in", json!(["milk", "unknown"]), vec![4]),
        ("none_in", json!(["coffee"]), vec![1, 3]),
        ("none_in", json!(["milk", "coffee"]), vec![1, 3]),
        ("like", json!("mok"), vec![2, 4]),
        ("like", json!("tea"), vec![]),
        ("null", json!(null), vec![3]),
        ("not_null", json!(null), vec![1, 2, 4]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
}

#[test]
fn a_part_of_a_cascades_path_matches_what_begins_with_it() {
    let tree = json!([
        {"api_code": "cn", "label": "China", "children": [choice("sh", "Shanghai"), choice("bj", "Beijing")]},
        {"api_code": "de", "label": "Germany", "children": [choice("be", "Berlin")]},
    ]);
    let asked = Asked::new(
        "UTC",
        json!([field("cascade", json!({ "choices": tree }))]),
        &[
            json!({"field_1": {"level_1": "cn", "level_2": "sh"}}),
            json!({"field_1": {"level_1": "cn", "level_2": "bj"}}),
            json!({"field_1": {"level_1": "de", "level_2": "be"}}),
            json!({}),
        ],
    );
    for (operator, value, expected) in [
        ("eq", json!({"level_1": "cn"}), vec![1, 2]),
        ("eq", json!({"level_1": "cn", "level_2": "sh"}), vec![1]),
        ("eq", json!({"level_1": "de", "level_2": "sh"}), vec![]),
        ("eq", json!({"level_1": "unknown"}), vec![]),
        // Names of nothing, however they are put together.
        ("eq", json!({"level_1": "cn/sh"}), vec![]),
        ("ne", json!({"level_1": "cn", "level_2": "sh/"}), vec![1, 2, 3, 4]),
        ("ne", json!({"level_1": "cn"}), vec![3, 4]),
        ("any_in", json!([{"level_1": "cn", "level_2": "bj"}, {"level_1": "de"}]), vec![2, 3]),
        ("none_in", json!([{"level_1": "cn", "level_2": "bj"}, {"level_1": "de"}]), vec![1, 4]),
        // Any level's label.
        ("like", json!("CHIN"), vec![1, 2]),
        ("like", json!("berl"), vec![3]),
        ("like", json!("cn"), vec![]),
        ("null", json!(null), vec![4]),
        ("not_null", json!(null), vec![1, 2, 3]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
    for bad in [json!({}), json!("cn"), json!({"level_2": "sh"}), json!({"level_1": 5})] {
        asked.refuses("field_1", "eq", bad, "value");
    }
}

#[test]
fn of_an_address_only_the_given_parts_count() {
    let asked = Asked::new(
        "UTC",
        json!([field("address", json!({}))]),
        &[
            json!({"field_1": {"address_line1": "Nanjing Rd 1", "city": "Shanghai", "state": "CN-SH", "country": "CN", "postal_code": "200001"}}),
            json!({"field_1": {"city": "ＳＨＡＮＧＨＡＩ", "country": "US"}}),
            json!({}),
            json!({"field_1": {"city": "Straßburg", "country": "FR"}}),
        ],
    );
    for (operator, value, expected) in [
        ("eq", json!({"city": "shanghai"}), vec![1, 2]),
        ("eq", json!({"city": "shanghai", "country": "CN"}), vec![1]),
        ("eq", json!({"city": "shanghai", "country": "FR"}), vec![]),
        ("eq", json!({"city": "STRASSBURG"}), vec![4]),
        ("eq", json!({"city": "shang"}), vec![]),
        ("eq", json!({"state": "CN-SH"}), vec![1]),
        ("ne", json!({"city": "shanghai", "country": "CN"}), vec![2, 3, 4]),
        ("any_in", json!([{"country": "US"}, {"country": "FR"}]), vec![2, 4]),
        ("none_in", json!([{"country": "US"}, {"country": "FR"}]), vec![1, 3]),
        ("like", json!("nanjing"), vec![1]),
        ("like", json!("HAI"), vec![1, 2]),
        ("null", json!(null), vec![3]),
        ("not_null", json!(null), vec![1, 2, 4]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
}

#[test]
fn products_are_found_by_item_and_by_all_of_the_named_options() {
    let size = json!([{"api_code": "size", "name": "Size", "options": [{"api_code": "big", "name": "Big"}, {"api_code": "small", "name": "Small"}]},
                      {"api_code": "icing", "name": "Icing", "options": [{"api_code": "sweet", "name": "Sweet"}, {"api_code": "plain", "name": "Plain"}]}]);
    let goods = json!([
        {"api_code": "cake", "name": "Sacher Torte", "price": 5, "dimensions": size},
        {"api_code": "bread", "name": "Sourdough", "price": 3},
    ]);
    let cake = |size: &str, icing: &str| json!({"api_code": "cake", "number": 1, "specification": {"size": size, "icing": icing}});
    let bread = json!({"api_code": "bread", "number": 2});
    let asked = Asked::new(
        "UTC",
        json!([field("product", json!({ "goods_items": goods }))]),
        &[
            json!({"field_1": [cake("big", "sweet")]}),
            json!({"field_1": [cake("small", "sweet"), bread]}),
            json!({"field_1": [bread]}),
            json!({}),
            // The options of different lines are not one line's.
            json!({"field_1": [cake("big", "plain"), cake("small", "sweet")]}),
        ],
    );
    for (operator, value, expected) in [
        ("any_in", json!(["cake"]), vec![1, 2, 5]),
        ("any_in", json!(["bread", "unknown"]), vec![2, 3]),
        // Names of nothing, however they are put together.
        ("any_in", json!(["cake/big", "cake/big/sweet"]), vec![]),
        ("none_in", json!(["cake/big"]), vec![1, 2, 3, 4, 5]),
        ("any_in", json!([{"api_code": "cake", "specs": ["big/sweet"]}]), vec![]),
        ("any_in", json!([{"api_code": "cake", "specs": ["big"]}]), vec![1, 5]),
        ("any_in", json!([{"api_code": "cake", "specs": ["sweet", "big"]}]), vec![1]),
        ("any_in", json!([{"api_code": "cake", "specs": []}]), vec![1, 2, 5]),
        ("any_in", json!([{"api_code": "cake"}, "bread"]), vec![1, 2, 3, 5]),
        ("any_in", json!([{"api_code": "bread", "specs": ["big"]}]), vec![]),
        ("none_in", json!(["cake"]), vec![3, 4]),
        ("none_in", json!([{"api_code": "cake", "specs": ["small"]}]), vec![1, 3, 4]),
        ("like", json!("TORTE"), vec![1, 2, 5]),
        ("like", json!("cake"), vec![]),
        ("null", json!(null), vec![4]),
        ("not_null", json!(null), vec![1, 2, 3, 5]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
    for bad in [
        json!([5]),
        json!([""]),
        json!([{}]),
        json!([{"specs": ["big"]}]),
        json!([{"api_code": "cake", "specs": "big"}]),
    ] {
        asked.refuses("field_1", "any_in", bad, "value");
    }
}

#[test]
fn bookings_are_found_by_item_or_by_date() {
    let every_day: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": null})).collect();
    let quota = json!({"kind": "weekly", "weekly_quotas": every_day});
    let slots: Vec<Value> = (1..=7)
        .map(|day| json!({"code": format!("s{day}"), "weekday": day, "start_time": "09:00", "end_time": "10:00", "quota": null}))
        .collect();
    let slots = json!({"kind": "time_range", "daily_time_range_quotas": slots});
    let items = json!([
        {"api_code": "room", "name": "Room", "quota_setting": quota},
        {"api_code": "hall", "name": "Hall", "quota_setting": slots},
    ]);
    let own = json!({"reservation_items": items, "allow_multiple_items": true});
    let line = |item: &str, at: &str| json!({"api_code": item, "scheduled_at": at});
    let asked = Asked::new(
        "Asia/Shanghai",
        json!([field("booking", own)]),
        &[
            json!({"field_1": [line("room", "2026-11-20T00:00:00")]}),
            json!({"field_1": [line("hall", "2026-11-21T09:00:00"), line("room", "2026-11-23T00:00:00")]}),
            json!({}),
            json!({"field_1": [line("hall", "2026-11-20T09:00:00")]}),
        ],
    );
    for (operator, value, expected) in [
        // By item.
        ("eq", json!("room"), vec![1, 2]),
        ("eq", json!("unknown"), vec![]),
        ("ne", json!("room"), vec![3, 4]),
        ("any_in", json!(["hall"]), vec![2, 4]),
        ("none_in", json!(["hall"]), vec![1, 3]),
        ("null", json!(null), vec![3]),
        ("not_null", json!(null), vec![1, 2, 4]),
        // By date.
        ("eq", json!("2026-11-20"), vec![1, 4]),
        ("eq", json!("2026-11-20 09:00"), vec![4]),
        ("eq", json!("2026-11-20T01:00:00Z"), vec![4]),
        ("eq", json!("2026-11"), vec![1, 2, 4]),
        ("ne", json!("2026-11-20"), vec![2, 3]),
        ("any_in", json!(["2026-11-23", "2026-11-22"]), vec![2]),
        ("none_in", json!(["2026-11-23"]), vec![1, 3, 4]),
        ("gt", json!("2026-11-21"), vec![2]),
        ("gte", json!("2026-11-21"), vec![2]),
        ("lt", json!("2026-11-21"), vec![1, 4]),
        ("lte", json!("2026-11-20 08:59"), vec![1]),
        ("between", json!(["2026-11-21", "2026-11-22"]), vec![2]),
        // One line lies between: no line lies outside of it alone.
        ("not_between", json!(["2026-11-21", "2026-11-22"]), vec![1, 4]),
        // Either in one list.
        ("any_in", json!(["room", "2026-11-20"]), vec![1, 2, 4]),
    ] {
        asked.finds("field_1", operator, value, &expected);
    }
    for (operator, value) in
        [("gt", json!("room")), ("between", json!(["room", "room"])), ("eq", json!("2026-13-01")), ("eq", json!(5))]
    {
        asked.refuses("field_1", operator, value, "value");
    }
}
