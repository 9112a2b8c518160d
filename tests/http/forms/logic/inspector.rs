//! The preview's reasons why a question is shown, compared with searches of the entries.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use support::rounds;

use crate::forms::rules_page::workshop;

/// The preview judges each condition as a search of the entries does for the same answers.
#[test]
fn the_preview_and_the_entries_agree_about_each_condition() {
    let desk = workshop();
    let conditions = [
        json!({"field": "field_1", "operator": "like", "value": "a"}),
        json!({"field": "field_1", "operator": "null"}),
        json!({"field": "field_2", "operator": "eq", "value": "a"}),
        json!({"field": "field_2", "operator": "none_in", "value": ["a", "b"]}),
        json!({"field": "field_2", "operator": "like", "value": "B"}),
        json!({"field": "field_3", "operator": "between", "value": [3, 8]}),
        json!({"field": "field_3", "operator": "ne", "value": 5}),
        json!({"field": "field_3", "operator": "not_null"}),
    ];
    let rule = json!({"condition": {"operand": "or", "items": conditions}, "action": "require", "fields": ["field_4"]});
    desk.owner.put(desk.form.part("field_rules"), json!({"rules": [rule]})).is(200);
    let preview = desk.at("/preview");
    let mut told: Vec<Vec<bool>> = Vec::new();
    let mut dice = StdRng::seed_from_u64(69);
    for _ in 0..rounds("TEST_INSPECTED", 60) {
        let pick = |dice: &mut StdRng, all: &[&'static str]| all[dice.random_range(0..all.len())];
        let name = pick(&mut dice, &["", "Ada", "bob", "Eve"]);
        let track = pick(&mut dice, &["", "a", "b", "c"]);
        let age = pick(&mut dice, &["", "0", "3", "5", "8", "9.5", "-1"]);
        let typed = [("field_1", name), ("field_2", track), ("field_3", age), ("_page", "0"), ("_action", "more")];
        let page = desk.ann.post(&preview, &typed).is(200).text;
        let (_, why) = page.split_once("data-why=\"field_4\"").expect("the rules about it");
        let why = why.split("</details>").next().expect("its end");
        told.push(why.split("data-holds=\"").skip(1).map(|rest| rest.starts_with("true")).collect());
        let number = age.parse::<f64>().map_or(Value::Null, |age| json!(age));
        let values = json!({"field_1": name, "field_2": track, "field_3": number, "field_4": "x"});
        desk.owner.post(desk.form.entries(), json!({"field_values": values})).is(201);
    }
    for (at, condition) in conditions.iter().enumerate() {
        let filters = json!([condition]).to_string();
        let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
        let (mut found, mut cursor) = (vec![false; told.len()], String::new());
        loop {
            let list = format!("{}?page_size=100&filters={filters}&cursor={cursor}", desk.form.entries());
            let page = desk.owner.get(list).is(200).json();
            for entry in page["data"].as_array().expect("entries") {
                let serial = entry["serial_number"].as_u64().expect("a number");
                found[usize::try_from(serial).expect("small") - 1] = true;
            }
            page["pagination"]["next_cursor"].as_str().expect("a cursor").clone_into(&mut cursor);
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(told.iter().map(|each| each[at]).collect::<Vec<_>>(), found, "{condition}");
    }
}
