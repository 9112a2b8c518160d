//! Long lists are drawn in part: what is not drawn stays as it is, whatever is done to the rest.

use std::fmt::Write as _;

use serde_json::{Value, json};
use support::Server;

use super::parts::Bench;
use crate::forms::controls::panel;

/// The choices of the draft.
fn choices(bench: &Bench) -> Vec<Value> {
    bench.drafted()["choices"].as_array().expect("choices").clone()
}

/// The number of rows that a page draws, besides the one for scripts.
fn rows(page: &str) -> usize {
    page.matches("<li class=\"part\">").count() - 1
}

fn thousand() -> String {
    let mut text = String::new();
    for at in 1..=1_000 {
        let _ = writeln!(text, "Choice {at}\t{at}\t7");
    }
    text
}

#[test]
fn a_hundred_of_a_thousand_choices_are_drawn_and_the_others_stay() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "radio");
    bench.press(&[("label", "Which one?"), ("_action", "choices.text"), ("_text.choices", &thousand())]);
    let text = |page: &str| page.split("name=\"_text.choices\"").nth(1).expect("the text").matches("\t7\n").count();
    let page = bench.page();
    assert_eq!((rows(&page), text(&page)), (100, 999), "the last line has no end");
    assert!(page.contains("900 more are not shown."));
    let all = format!("{}&amp;all=1#choices[100].label", bench.build(&format!("?field={}", bench.code)));
    assert!(page.contains(&format!("href=\"{all}\"")), "{page}");
    assert!(!page.contains("value=\"choices.add\""), "a new one would not stand where it is added");
    let mut expected = choices(&bench);
    assert_eq!((expected.len(), &expected[999]["quota"]), (1_000, &json!(7)));
    let check = |changes: &[(&str, &str)], expected: &[Value]| {
        bench.press(changes);
        let found = choices(&bench);
        let labels = |all: &[Value]| all.iter().map(|choice| choice["label"].clone()).collect::<Vec<_>>();
        assert_eq!(labels(&found), labels(expected), "{changes:?}");
        assert_eq!(found, expected, "{changes:?}");
    };
    check(&[], &expected);
    expected[2]["label"] = json!("The third");
    check(&[("choices[2].label", "The third")], &expected);
    expected.swap(99, 100);
    check(&[("_action", "choices[99].down")], &expected);
    expected.remove(5);
    check(&[("_action", "choices[5].remove")], &expected);
    // As a script posts a row that was added behind the last one that is drawn.
    bench.press(&[("choices[100].label", "New")]);
    let added = choices(&bench).remove(100);
    assert_eq!(added["label"], "New");
    expected.insert(100, added);
    assert_eq!(choices(&bench), expected);
    expected.reverse();
    check(&[("_action", "choices.reverse")], &expected);
    // The text that is applied unchanged changes nothing.
    check(&[("_action", "choices.text")], &expected);
    bench.press(&[("_action", "choices.sort")]);
    assert_eq!(choices(&bench).len(), 1_000);
    bench.ann.post(&bench.build("/undo"), &[]).leads();
    assert_eq!(choices(&bench), expected);
    // The page of all of them saves them all.
    let address = bench.build(&format!("?field={}&all=1", bench.code));
    let page = bench.ann.get(&address).is(200).text;
    assert_eq!((rows(&page), page.contains("choices.rest"), page.contains("choices.add")), (1_000, false, true));
    expected[500]["label"] = json!("The middle");
    let pairs = panel(&page, &bench.code, &[("choices[500].label", "The middle")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    bench.ann.post(&bench.build(&format!("/fields/{}", bench.code)), &pairs).leads();
    assert_eq!(choices(&bench), expected);
    let published = bench.published();
    assert_eq!(published["choices"].as_array().map(Vec::len), Some(1_000));
}

#[test]
fn what_needs_a_hand_is_drawn_wherever_it_stands() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "radio");
    bench.press(&[("label", "Which one?"), ("_action", "choices.text"), ("_text.choices", &thousand())]);
    let before = choices(&bench);
    let wrong = thousand().replace("Choice 700\t700", "Choice 700\tmany");
    bench.press(&[("_action", "choices.text"), ("_text.choices", &wrong)]);
    let page = bench.page();
    assert_eq!(rows(&page), 700);
    assert!(page.contains("id=\"choices[699].score-fault\"") && page.contains("300 more are not shown."));
    bench.press(&[("choices[699].score", "700")]);
    assert_eq!(choices(&bench), before);
    // A new one is the last.
    let page = bench.page();
    bench.press(&[("_action", "choices.add")]);
    assert_eq!(rows(&bench.page()), 1_001, "an empty one is drawn");
    bench.press(&[]);
    assert_eq!(choices(&bench), before, "and is not kept");
    // What was typed over a later text is drawn whole.
    bench.press(&[("label", "Which?")]);
    let pairs = panel(&page, &bench.code, &[("choices[0].label", "Mine")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    let page = bench.ann.post(&bench.build(&format!("/fields/{}", bench.code)), &pairs).is(412).text;
    assert_eq!(rows(&page), 1_000);
    assert!(page.contains("value=\"Mine\"") && page.contains("value=\"Choice 1000\""));
}
