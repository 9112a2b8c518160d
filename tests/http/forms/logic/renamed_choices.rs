//! Choices that are renamed or removed: rules that name them by their codes follow, and rules that look for a part of a
//! label are pointed out.

use serde_json::{Value, json};
use support::page_text::page_text;

use crate::forms::controls::panel;
use crate::forms::rules_page::{Desk, workshop};
use crate::forms::{rules, set_rules};

/// Types a label of the second question's choices.
fn rename(desk: &Desk, choice: usize, label: &str) {
    change(desk, &[(&format!("choices[{choice}].label"), label)]);
}

fn change(desk: &Desk, changes: &[(&str, &str)]) {
    let page = desk.ann.get(&desk.at("/build?field=field_2")).is(200).text;
    let pairs = panel(&page, "field_2", changes);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    desk.ann.post(&desk.at("/build/fields/field_2"), &pairs).leads();
}

/// Whether an answer needs the remark, which the form's rules ask for.
fn needs_remark(desk: &Desk, track: &str) -> bool {
    let body = json!({"field_values": {"field_1": "Ada", "field_2": track}});
    desk.server.anon().post(desk.form.submissions(), body).status == 422
}

#[test]
fn a_rule_by_code_follows_a_new_label() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["require 4: 2 eq a"]);
    assert!(needs_remark(&desk, "a") && !needs_remark(&desk, "b"));
    rename(&desk, 0, "Printing");
    let page = page_text(&desk.page());
    assert!(page.contains("Printing") && !page.contains("is now"), "{page}");
    desk.publish();
    assert_eq!(desk.rules(), rules(&["require 4: 2 eq a"])["rules"]);
    assert!(needs_remark(&desk, "a") && !needs_remark(&desk, "b"));
}

#[test]
fn a_rule_by_text_is_a_question_for_the_owner() {
    let desk = workshop();
    let fields = desk.owner.get(desk.form.path()).data()["fields"].clone();
    let label = |label: &str| {
        let mut fields = fields.clone();
        fields[1]["choices"][0]["label"] = json!(label);
        json!({ "fields": fields })
    };
    desk.owner.patch(desk.form.path(), label("Letterpress")).is(200);
    set_rules(&desk.owner, &desk.form, &["require 4: 2 like letter"]);
    assert!(needs_remark(&desk, "a"));
    rename(&desk, 0, "Printing");
    let told = "“\u{2068}Letterpress\u{2069}” is now “\u{2068}Printing\u{2069}” and no longer contains";
    let is_told =
        |page: &str| page.replace(['\u{2068}', '\u{2069}'], "").contains(&told.replace(['\u{2068}', '\u{2069}'], ""));
    assert!(is_told(&page_text(&desk.page())), "{}", desk.page());
    desk.page().has(["Can never hold"]);
    desk.ann.get(&desk.at("/build?field=field_2")).is(200).has(["Needs your attention"]);
    // It hinders nobody: the owner may mean it.
    let publish = desk.ann.get(&desk.at("/publish")).is(200);
    publish.has(["Choices have new names that change rules", "rules#rule-1", "name=\"draft_version\""]);
    assert!(is_told(&page_text(&publish)), "{publish}");
    // A condition that is written for the new label is none of these.
    desk.save(1, &[("condition.items[0].value", "print")]);
    desk.page().lacks(["Can never hold"]);
    assert!(!is_told(&page_text(&desk.page())));
    desk.publish();
    assert!(needs_remark(&desk, "a"));
    // Programs get a warning when they rename.
    let answer = desk.owner.patch(desk.form.path(), label("Sourdough")).is(200).json();
    let told = "renames \"Printing\" to \"Sourdough\", which no longer contains \"print\": rules[0].condition.items[0]";
    assert!(answer["warnings"].to_string().replace("\\\"", "\"").contains(told), "{answer}");
    let same = desk.owner.patch(desk.form.path(), label("Sourdough bread")).is(200).json();
    assert_eq!(same.get("warnings").unwrap_or(&Value::Null), &Value::Null, "{same}");
}

#[test]
fn a_rule_on_a_removed_choice_says_so() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["require 4: 2 eq c", "require 3: 2 any_in [\"b\",\"c\"]"]);
    desk.page().lacks(["Can never hold"]);
    change(&desk, &[("_action", "choices[2].remove")]);
    let page = page_text(&desk.page());
    assert_eq!(page.matches("Can never hold").count(), 1, "{page}");
    assert!(page.replace(['\u{2068}', '\u{2069}'], "").contains("Track is C (removed)"), "{page}");
    assert_eq!(desk.rules().as_array().map(Vec::len), Some(2));
}
