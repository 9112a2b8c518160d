//! Panels of all kinds: drawn, posted, read.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::cases::cases;
use crate::fields::form_part::FormPart;
use crate::fields::kinds::{KINDS, by_name};
use crate::fields::schemas::examples;

/// The pairs that a page with these controls posts for a definition.
fn pairs(controls: &[Control], definition: &Json, prefix: &str, out: &mut Vec<(String, String)>) {
    for control in controls {
        let (name, value) = (format!("{prefix}{}", control.key), &definition[&control.key]);
        match (&control.shape, value) {
            (Shape::Untouched | Shape::Pictures { .. }, _) => {}
            (Shape::Variants, _) => {
                for (at, variant) in variants::of(definition).into_iter().enumerate() {
                    for (dimension, option) in &variant.specification {
                        let option = option.as_str().unwrap_or_default().to_owned();
                        out.push((format!("{name}[{at}].specification.{dimension}"), option));
                    }
                    let set = variant.place.map_or(&Json::Null, |place| &definition["skus"][place]);
                    for key in ["price", "stock"] {
                        let value = if set[key].is_null() { String::new() } else { set[key].to_string() };
                        out.push((format!("{name}[{at}].{key}"), value));
                    }
                }
            }
            (_, Json::Null) => {}
            (Shape::Group(inner), value) => pairs(inner, value, &format!("{name}."), out),
            (Shape::Columns(_), Json::Array(columns)) => {
                for (at, column) in columns.iter().enumerate() {
                    let kind = column["type"].as_str().expect("a kind");
                    out.push((format!("{name}[{at}].type"), kind.to_owned()));
                    pairs(&column_controls(by_name(kind).expect("a kind")), column, &format!("{name}[{at}]."), out);
                }
            }
            (Shape::Tree, value) => out.push((name, outline::write(value).replace('\n', "\r\n"))),
            (Shape::Week, Json::Array(days)) => {
                for day in days {
                    let at = day["weekday"].as_u64().expect("a day") - 1;
                    out.push((format!("{name}[{at}].weekday"), day["weekday"].to_string()));
                    let places = day["quota"].as_u64().map(|places| places.to_string()).unwrap_or_default();
                    out.push((format!("{name}[{at}].quota"), places));
                }
            }
            (Shape::Slots | Shape::Shown, Json::Array(rows)) => {
                for (at, row) in rows.iter().enumerate() {
                    for (key, value) in row.as_object().expect("a row") {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        if !["null", "false"].contains(&text.as_str()) {
                            out.push((format!("{name}[{at}].{key}"), text));
                        }
                    }
                }
            }
            (Shape::Found, Json::Array(codes)) => {
                out.extend(codes.iter().filter_map(Json::as_str).map(|code| (name.clone(), code.to_owned())));
            }
            (Shape::Switch, value) if *value == true => out.push((name, "true".to_owned())),
            (Shape::Switch, _) => {}
            (Shape::Words(_), Json::Array(words)) => {
                out.extend(words.iter().filter_map(Json::as_str).map(|word| (name.clone(), word.to_owned())));
            }
            (Shape::Lines, Json::Array(lines)) => {
                let lines: Vec<&str> = lines.iter().filter_map(Json::as_str).collect();
                out.push((name, lines.join("\r\n")));
            }
            (Shape::Rows(inner), Json::Array(rows)) => {
                for (at, row) in rows.iter().enumerate() {
                    if let Some(code) = row["api_code"].as_str() {
                        out.push((format!("{name}[{at}].api_code"), code.to_owned()));
                    }
                    pairs(inner, row, &format!("{name}[{at}]."), out);
                }
                // The empty row below them.
                out.push((format!("{name}[{}].label", rows.len()), String::new()));
            }
            (_, Json::String(text)) => out.push((name, text.clone())),
            (_, other) => out.push((name, other.to_string())),
        }
    }
}

fn tree(pairs: &[(String, String)]) -> FormPart {
    FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

#[test]
fn a_panel_that_is_sent_as_it_was_drawn_changes_nothing() {
    for row in KINDS {
        let controls = controls(row);
        for example in examples(row) {
            let mut sent = Vec::new();
            pairs(&controls, &example.definition, "", &mut sent);
            assert_eq!(read(row, &example.definition, &tree(&sent)), example.definition, "{}", row.name);
        }
    }
}

#[test]
fn each_key_of_each_kind_has_a_control() {
    for row in KINDS {
        let schema = schemas::definition(row);
        let controls = controls(row);
        for (key, schema) in schema["properties"].as_object().expect("keys") {
            if ["type", "api_code", "default_value"].contains(&key.as_str()) || !is_open(schema) {
                continue;
            }
            let control = controls.iter().find(|control| control.key == *key);
            let control = control.unwrap_or_else(|| panic!("{} {key} has no control", row.name));
            assert_eq!(left_alone(control), Vec::<String>::new(), "{} {key}", row.name);
        }
    }
}

/// The keys that can't be changed, in a control or below it.
fn left_alone(control: &Control) -> Vec<String> {
    match &control.shape {
        Shape::Untouched => vec![control.key.clone()],
        Shape::Rows(inner) | Shape::Group(inner) => inner.iter().flat_map(left_alone).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn typed_values_have_the_types_of_their_keys_and_others_stay_as_typed() {
    let number = by_name("number").expect("a kind");
    let sent = [("label", "Guests"), ("min", "1.5"), ("max", "many"), ("precision", "2"), ("required", "true")];
    let sent = FormPart::tree(sent);
    let old = json!({"type": "number", "label": "x", "unit": "kg", "hidden": true});
    assert_eq!(
        read(number, &old, &sent),
        json!({"type": "number", "label": "Guests", "hidden": false, "min": 1.5, "max": "many", "precision": 2,
               "required": true})
    );
    let radio = by_name("radio").expect("a kind");
    let old = json!({"type": "radio", "label": "T", "choices": [
        {"api_code": "a", "label": "A", "score": 2, "image": {"id": "i"}}, {"api_code": "b", "label": "B"}]});
    let sent = FormPart::tree([
        ("label", "T"),
        ("choices[0].label", "New"),
        ("choices[1].api_code", "a"),
        ("choices[1].label", "Renamed"),
        ("choices[1].quota", "5"),
        ("choices[2].label", ""),
    ]);
    assert_eq!(
        read(radio, &old, &sent)["choices"],
        json!([{"label": "New"}, {"api_code": "a", "label": "Renamed", "image": {"id": "i"}, "quota": 5}])
    );
}

#[test]
fn buttons_change_lists() {
    let radio = by_name("radio").expect("a kind");
    let mut definition = json!({"choices": [{"label": "b"}, {"label": "A"}, {"label": "c"}]});
    let labels = |definition: &Json| -> Vec<String> {
        definition["choices"].as_array().expect("a list").iter().map(|item| item["label"].to_string()).collect()
    };
    for (action, after) in [
        ("choices.sort", r#""A" "b" "c""#),
        ("choices[0].down", r#""b" "A" "c""#),
        ("choices[2].up", r#""b" "c" "A""#),
        ("choices[1].remove", r#""b" "A""#),
        ("choices.add", r#""b" "A" """#),
        ("choices.reverse", r#""" "A" "b""#),
    ] {
        assert!(act(radio, &mut definition, action), "{action}");
        assert_eq!(labels(&definition).join(" "), after, "{action}");
    }
    for action in ["", "choices", "choices[9].remove", "choices[0].up", "label.add", "nothing.sort"] {
        assert!(!act(radio, &mut definition, action), "{action}");
    }
}

#[test]
fn text_keeps_the_codes_of_choices_that_stay_or_are_renamed() {
    let old = json!([
        {"api_code": "y", "label": "Yes", "score": 1}, {"api_code": "n", "label": "No"},
        {"api_code": "m", "label": "Maybe", "quota": 3}]);
    assert_eq!(choice_text::write(&old), "Yes\t1\nNo\nMaybe\t\t3");
    let codes = |text: &str| -> Vec<String> {
        let read = choice_text::read(text, &old);
        read.as_array().expect("a list").iter().map(|it| it["api_code"].as_str().unwrap_or("new").to_owned()).collect()
    };
    assert_eq!(codes("Maybe\nYes\nNo"), ["m", "y", "n"]);
    assert_eq!(codes("Yes, please\nNo\nMaybe"), ["y", "n", "m"]);
    assert_eq!(codes("Yes\nNo\nPerhaps\nNever"), ["y", "n", "new", "new"]);
    assert_eq!(codes("Yes\n\n"), ["y"]);
    let read = choice_text::read("Yes\t2.5\nNo\t\t4\nMaybe", &old);
    assert_eq!((&read[0]["score"], &read[1]["quota"], &read[2]["quota"]), (&json!(2.5), &json!(4), &json!(3)));
}

#[test]
fn buttons_change_lists_within_parts() {
    let product = by_name("product").expect("a kind");
    let mut definition = json!({"type": "product", "label": "x", "goods_items": []});
    for action in [
        "goods_items.add",
        "goods_items[0].dimensions.add",
        "goods_items[0].dimensions[0].options.add",
        "goods_items[0].dimensions[0].options.add",
        "goods_items[0].dimensions[0].options[0].remove",
    ] {
        assert!(act(product, &mut definition, action), "{action}");
    }
    assert_eq!(
        definition["goods_items"],
        json!([{"name": "", "dimensions": [{"name": "", "options": [{"name": ""}]}]}])
    );
    let table = by_name("table").expect("a kind");
    let mut definition = json!({"type": "table", "label": "x"});
    assert!(act(table, &mut definition, "dimensions.add-radio"));
    assert!(act(table, &mut definition, "dimensions.add-number"));
    assert!(act(table, &mut definition, "dimensions[0].choices.add"));
    assert!(act(table, &mut definition, "dimensions[0].down"));
    assert_eq!(
        definition["dimensions"],
        json!([{"type": "number", "label": ""}, {"type": "radio", "label": "", "choices": [{"label": ""}]}])
    );
    for action in ["dimensions.add", "dimensions.add-cascade", "dimensions[0].choices.add", "dimensions[9].label.add"] {
        assert!(!act(table, &mut definition, action), "{action}");
    }
}

#[test]
fn a_week_is_planned_by_its_monday() {
    let booking = by_name("booking").expect("a kind");
    let slot = |code: &str, weekday: i64, from: &str| json!({"code": code, "weekday": weekday, "start_time": from, "end_time": "24:00", "quota": 2});
    let mut definition = json!({"reservation_items": [{"quota_setting": {"daily_time_range_quotas":
        [slot("a", 1, "09:00"), slot("b", 1, "10:00"), slot("c", 2, "10:00"), slot("d", 3, "12:00")]}}]});
    assert!(act(booking, &mut definition, "reservation_items[0].quota_setting.daily_time_range_quotas.week"));
    let slots = definition.pointer("/reservation_items/0/quota_setting/daily_time_range_quotas").expect("slots");
    let slots = slots.as_array().expect("a list");
    assert_eq!(slots.len(), 14);
    assert_eq!(slots[..2], [slot("a", 1, "09:00"), slot("b", 1, "10:00")]);
    assert_eq!((&slots[2]["code"], &slots[3]["code"]), (&Json::Null, &json!("c")), "a time keeps its code");
    assert!(slots.iter().all(|slot| slot["weekday"] != 3 || slot["start_time"] != "12:00"));
    // The end of the day is midnight in a control.
    let sent = [("a[0].weekday", "1"), ("a[0].start_time", "09:00"), ("a[0].end_time", "00:00"), ("a[1].weekday", "2")];
    let tree = FormPart::tree(sent);
    let read = plan::read_slots(tree.member("a").expect("posted"), None);
    assert_eq!(read, json!([{"weekday": 1, "start_time": "09:00", "end_time": "24:00"}]));
}

#[test]
fn variants_are_the_combinations_of_options() {
    let dimension = |code: &str, options: &[&str]| {
        let options: Vec<Json> = options.iter().map(|name| json!({"api_code": name, "name": name})).collect();
        json!({"api_code": code, "name": code, "options": options})
    };
    let mut good = json!({"name": "Shirt", "dimensions": [dimension("size", &["s", "l"]), dimension("colour", &["r", "g", "b"])],
        "skus": [{"specification": {"size": "l", "colour": "g"}, "stock": 3}]});
    let found = variants::of(&good);
    assert_eq!(found.len(), 6);
    assert_eq!(found.iter().filter_map(|variant| variant.place).collect::<Vec<_>>(), [0]);
    assert_eq!((found[4].label.as_str(), found[4].place), ("l · g", Some(0)));
    // Another dimension ends the variants that lack it; a new option without a code is none yet.
    good["dimensions"][0]["options"][0] = json!({"name": "new"});
    assert_eq!(variants::of(&good).len(), 3);
    good["dimensions"][0]["api_code"].take();
    assert_eq!(variants::of(&good), []);
    assert_eq!(variants::read(None, good.as_object().expect("a good")), json!([]));
}

#[test]
fn an_outline_keeps_the_codes_of_its_lines() {
    let old = json!([
        {"api_code": "eu", "label": "Europe", "children": [
            {"api_code": "it", "label": "Italy"}, {"api_code": "fr", "label": "France"}]},
        {"api_code": "as", "label": "Asia"}]);
    assert_eq!(outline::write(&old), "Europe\n  Italy\n  France\nAsia");
    assert_eq!(outline::read("Europe\n\tItaly\n　France\n\nAsia", &old), Ok(old.clone()));
    assert_eq!(
        outline::read("Africa\nEurope\n  France\n  Spain\n    Madrid\nAsia", &old),
        Ok(json!([
            {"label": "Africa"},
            {"api_code": "eu", "label": "Europe", "children": [
                {"api_code": "fr", "label": "France"},
                {"api_code": "it", "label": "Spain", "children": [{"label": "Madrid"}]}]},
            {"api_code": "as", "label": "Asia"}]))
    );
    let fault = |text: &str| outline::fault_of(text).map(|fault| (fault.line, fault.wrong));
    assert_eq!(fault("a\n    b"), Some((2, outline::Wrong::Jump)));
    assert_eq!(fault("\n  a"), Some((2, outline::Wrong::Jump)));
    assert_eq!(fault("a\n b\n  c\n    d\n      e\n        f\n          g"), Some((7, outline::Wrong::Deep)));
    assert_eq!(outline::line_of(&old, "choices[0].children[1].label"), Some(3));
    assert_eq!(outline::line_of(&old, "choices[1].label"), Some(4));
    assert_eq!(outline::line_of(&old, "choices[2].label"), None);
    assert_eq!(outline::line_of(&old, "choices"), None);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whatever_is_posted_is_read(
        pairs in prop::collection::vec(("(label|choices|min|statements)([.\\[](label|0|1|api_code|.{0,3})\\]?){0,3}", ".{0,9}"), 0..8),
        action in "(choices|label|x)(\\[[0-9]{1,2}\\])?\\.(add|remove|up|down|sort|reverse|.{0,3})",
        text in "([ \t]{0,3}[a-c]{0,2}\t?[0-9]{0,2}\n){0,6}", start in any::<prop::sample::Index>(),
    ) {
        let tree = FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        for row in KINDS.iter().cycle().skip(start.index(KINDS.len())).take(2) {
            let mut read = read(row, &json!({}), &tree);
            act(row, &mut read, &action);
            prop_assert!(read.is_object());
            choice_text::read(&text, &read["choices"]);
            let tree = outline::read(&text, &read["choices"]);
            prop_assert_eq!(tree.is_err(), outline::fault_of(&text).is_some());
            if let Ok(tree) = tree {
                prop_assert_eq!(outline::read(&outline::write(&tree), &tree), Ok(tree));
            }
        }
    }
}
