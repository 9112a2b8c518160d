//! Without a script, buttons add, remove and move the lines of a part; nothing is saved before its own button is pressed.

use super::{controls, desk, section};

fn values(pairs: &[(String, String)], ends: &str) -> Vec<String> {
    let named = pairs.iter().filter(|(name, _)| name.ends_with(ends));
    named.map(|(_, value)| value.clone()).collect()
}

#[test]
fn buttons_change_lines_and_save_nothing() {
    let desk = desk();
    let before = desk.stored();
    let browser = &desk.browser;
    let added = desk.post("search", &[("act", "add-field:0")]).is(200);
    added.has(["Not saved yet", "data-unsaved=\"changed\""]);
    let pairs = controls(&added, "search");
    assert_eq!(values(&pairs, ".field"), ["field_2", "field_1"], "the first field that is not searched yet");
    assert!(section(&added, "search").contains("autofocus"), "where to go on");
    let grouped = desk.post_from(browser, &added, "search", &[("act", "add-group")]).is(200);
    assert_eq!(values(&controls(&grouped, "search"), ".operand"), ["and", "and"]);
    let fewer = desk.post_from(browser, &grouped, "search", &[("act", "remove-field:0:0")]).is(200);
    assert_eq!(values(&controls(&fewer, "search"), ".field").len(), 2);
    let alone = desk.post_from(browser, &fewer, "search", &[("act", "remove-group:1")]).is(200);
    assert_eq!(values(&controls(&alone, "search"), ".field"), ["field_1"]);
    // Up and down among the fields that are shown.
    let moved = desk.post("shows", &[("act", "down:0"), ("display_field_rules[0].label", "Who")]).is(200);
    let pairs = controls(&moved, "shows");
    assert_eq!(values(&pairs, ".field")[..2], ["field_2", "field_1"]);
    assert_eq!(values(&pairs, ".label")[1], "Who", "what was typed is kept");
    let back = desk.post_from(browser, &moved, "shows", &[("act", "up:1")]).is(200);
    assert_eq!(values(&controls(&back, "shows"), ".field")[..2], ["field_1", "field_2"]);
    // Conditions, as the list of entries has them.
    let begun = desk.post("only", &[("add", "field_3")]).is(200);
    begun.has(["name=\"f[0].operator\"", "Soup"]);
    let second = desk.post_from(browser, &begun, "only", &[("add", "field_4"), ("act", "add-condition")]).is(200);
    let left = desk.post_from(browser, &second, "only", &[("act", "remove-condition:0")]).is(200);
    assert_eq!(values(&controls(&left, "only"), ".field"), ["field_4"]);
    assert_eq!(desk.stored(), before);
    desk.post_from(browser, &moved, "shows", &[]).leads();
    assert_eq!(desk.stored()["display_field_rules"][1]["label"], "Who");
}
