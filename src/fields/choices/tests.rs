//! Choices as they are defined, one selection of them, and their quotas.

use super::*;
use crate::base::issue::Issues;
use crate::fields::choices::one::*;
use crate::fields::kind::{Cx, Used};
use crate::fields::kinds::KINDS;

fn list(raw: Json, known: &[String], retired: &[String]) -> (Vec<Choice>, Vec<String>) {
    let mut at = Issues::new();
    let cx = BuildCx { kinds: KINDS, known, retired, ..BuildCx::default() };
    let choices = read(&mut Reader::new(json!({"choices": raw}), &mut at), &cx);
    (choices, at.into_list().into_iter().map(|issue| issue.attribute).collect())
}

fn drinks() -> Vec<Choice> {
    let raw = json!([
        {"api_code": "a", "label": "Tea", "score": 1, "quota": 2},
        {"api_code": "h", "label": "Gin", "hidden": true},
        {"api_code": "o", "label": "Other", "is_other": true},
        {"api_code": "x", "label": "Juice", "allow_extended_text": true},
    ]);
    list(raw, &[], &[]).0
}

#[test]
fn names_are_given_once_and_never_again() {
    let (choices, faults) = list(json!([{"label": "A"}, {"label": "B"}, {"api_code": "mine", "label": "C"}]), &[], &[]);
    let codes: HashSet<&str> = choices.iter().map(|choice| choice.api_code.as_str()).collect();
    assert_eq!((codes.len(), faults.len()), (3, 0));
    assert!(codes.contains("mine") && codes.iter().all(|code| code.len() >= 4));
    let known = ["kept".to_owned(), "gone".to_owned()];
    let raw = json!([{"api_code": "kept", "label": "A"}, {"api_code": "new", "label": "B"}, {"api_code": "gone", "label": "C"}]);
    assert_eq!(list(raw, &known, &known[1..]).1, ["choices[2].api_code"]);
}

#[test]
fn a_selection_holds_what_its_choice_takes() {
    let stored = |respondent, raw: Json| {
        let mut at = Issues::new();
        let stored = parse(&drinks(), raw, &Cx::of_a_test(respondent), &mut at);
        let faults = at.into_list().into_iter().map(|issue| issue.attribute).collect::<Vec<_>>();
        (stored, faults)
    };
    let all = |value: &str| json!({"value": value, "other_text": "1", "extended_text": "2"});
    let fine = |stored: Json| (stored, Vec::new());
    assert_eq!(stored(true, all("a")), fine(json!({"value": "a"})));
    assert_eq!(stored(true, all("o")), fine(json!({"value": "o", "other_text": "1"})));
    assert_eq!(stored(true, all("x")), fine(json!({"value": "x", "extended_text": "2"})));
    assert_eq!(stored(false, json!("h")), fine(json!({"value": "h"})));
    assert_eq!(stored(true, json!("h")).1, [""]);
    assert_eq!(stored(true, json!({"value": "o", "other_text": 1})).1, ["other_text"]);
}

#[test]
fn a_selection_takes_one_of_its_quota() {
    let take = |counter: &str, at: &str| take(counter, at.to_owned());
    let tea = json!({"value": "a"});
    assert_eq!(takes(&tea), [take("a", "")]);
    let both = json!([{"value": "gone"}, {"value": "x"}, tea]);
    assert_eq!(
        takes(&both),
        [take("gone", "[0]"), take("x", "[1]"), take("a", "[2]")],
        "what was taken is given back, also of a choice that is gone"
    );
    assert_eq!(takes(&Json::Null), []);
    let limit = limit(&drinks(), "a").expect("a limit");
    assert_eq!((limit.most, limit.at.as_str()), (2, "choices[0].quota"));
    for unlimited in ["x", "gone"] {
        assert_eq!(super::limit(&drinks(), unlimited), None);
    }
}

#[test]
fn what_is_left_is_shown_of_choices_with_a_quota() {
    let mut shown = for_respondent(json!({"choices": drinks()}));
    show_remaining(&drinks(), &mut shown, &|_| Used { taken: 5, held: None });
    let left: Vec<&Json> =
        shown["choices"].as_array().expect("choices").iter().map(|choice| &choice["remaining"]).collect();
    assert_eq!(left, [&json!(0), &Json::Null, &Json::Null]);
    assert_eq!(shown["choices"][0].get("held"), None);
    show_remaining(&drinks(), &mut shown, &|_| Used { taken: 1, held: Some(1) });
    assert_eq!((&shown["choices"][0]["remaining"], &shown["choices"][0]["held"]), (&json!(1), &json!(1)));
    assert_eq!(shown["choices"][1].get("held"), None, "it has no limit");
}

#[test]
fn what_is_gone_is_pruned() {
    let selection = json!({"value": "a", "other_text": "typed when it could be"});
    assert_eq!(prune(&drinks(), selection), Some(json!({"value": "a"})));
    assert_eq!(prune(&drinks(), json!({"value": "gone"})), None);
}

#[test]
fn people_read_labels_and_respondents_see_no_secrets() {
    let text = |selection: Json| text(&drinks(), &selection);
    assert_eq!(text(json!({"value": "x", "extended_text": "apple"})), "Juice: apple");
    assert_eq!(text(json!({"value": "gone"})), "gone");
    let shown = for_respondent(json!({"choices": drinks()}));
    assert_eq!(
        shown,
        json!({"choices": [
            {"api_code": "a", "label": "Tea"},
            {"api_code": "o", "label": "Other", "is_other": true},
            {"api_code": "x", "label": "Juice", "allow_extended_text": true},
        ]})
    );
}
