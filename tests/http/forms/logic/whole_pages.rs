//! A rule about all questions of a page, and the words for values that can't be compared.

use serde_json::json;
use support::field;

use crate::forms::rules_page::desk;

#[test]
fn a_rule_takes_all_questions_of_a_page_at_once() {
    let text = |label: &str| field("short_text", json!({"label": label}));
    let page = |label: &str| field("page_break", json!({"label": label}));
    let desk = desk(json!([
        field("number", json!({"label": "Guests"})),
        page(""),
        text("Their names"),
        text("Their diets"),
        page("Travel"),
        text("From"),
        text("To"),
        page(""),
        text("Remark"),
    ]));
    desk.add(["field_1", "gt", "1"], "show", "field_3");
    // A page of one question that is left is no choice of its own.
    let shown = desk.page();
    shown.has(["All questions of page 3 (\u{2068}Travel\u{2069})"]).lacks(["of page 2", "of page 4"]);
    desk.save(1, &[("fields", "field_5")]);
    assert_eq!(desk.rules()[0]["fields"], json!(["field_6", "field_7"]));
    desk.page().has(["All questions of page 2"]).lacks(["of page 3"]);
}

#[test]
fn a_value_of_another_kind_is_told_from_a_missing_one() {
    let desk = desk(json!([
        field("number", json!({"label": "Guests"})),
        field("short_text", json!({"label": "Their names"})),
    ]));
    for (value, wanted) in [("many", "Type a number"), ("", "Say what it is compared with")] {
        desk.add(["field_1", "gt", value], "show", "field_2");
        desk.page().has([wanted]);
        desk.ann.get(&desk.at("/publish")).is(200).has([&format!("Rule 1: {wanted}")]);
        desk.act(1, "remove", &[]).leads();
    }
}
