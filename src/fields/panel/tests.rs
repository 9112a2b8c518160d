//! Panels of all kinds: drawn, posted, read.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::cases::cases;
use crate::fields::form_part::FormPart;
use crate::fields::kinds::{KINDS, by_name};
use crate::fields::schemas::examples;

/// What a page with these controls posts of a definition.
fn pairs(controls: &[Control], definition: &Json, prefix: &str, out: &mut Vec<(String, String)>) {
    for control in controls {
        let (name, value) = (format!("{prefix}{}", control.key), &definition[&control.key]);
        match (&control.shape, value) {
            (Shape::Untouched, _) | (_, Json::Null) => {}
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
fn each_key_of_each_kind_has_a_control_or_is_named_as_left_alone() {
    let mut untouched = Vec::new();
    for row in KINDS {
        let schema = schemas::definition(row);
        let controls = controls(row);
        for key in schema["properties"].as_object().expect("keys").keys() {
            if ["type", "api_code", "default_value"].contains(&key.as_str()) {
                continue;
            }
            let control = controls.iter().find(|control| control.key == *key);
            let control = control.unwrap_or_else(|| panic!("{} {key} has no control", row.name));
            if control.shape == Shape::Untouched {
                untouched.push(format!("{} {key}", row.name));
            }
        }
    }
    assert_eq!(
        untouched,
        [
            "cascade choices",
            "booking reservation_items",
            "matrix dimensions",
            "table dimensions",
            "linked_form form_token",
            "linked_form search_fields",
            "linked_form display_fields",
        ]
    );
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
        assert!(act(&mut definition, action), "{action}");
        assert_eq!(labels(&definition).join(" "), after, "{action}");
    }
    for action in ["", "choices", "choices[9].remove", "choices[0].up", "label.add", "nothing.sort"] {
        assert!(!act(&mut definition, action), "{action}");
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

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whatever_is_posted_is_read(
        pairs in prop::collection::vec(("(label|choices|min|statements)([.\\[](label|0|1|api_code|.{0,3})\\]?){0,3}", ".{0,9}"), 0..8),
        action in "(choices|label|x)(\\[[0-9]{1,2}\\])?\\.(add|remove|up|down|sort|reverse|.{0,3})",
        text in "([a-c]{0,2}\t?[0-9]{0,2}\n){0,6}", start in any::<prop::sample::Index>(),
    ) {
        let tree = FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        for row in KINDS.iter().cycle().skip(start.index(KINDS.len())).take(2) {
            let mut read = read(row, &json!({}), &tree);
            act(&mut read, &action);
            prop_assert!(read.is_object());
            choice_text::read(&text, &read["choices"]);
        }
    }
}
