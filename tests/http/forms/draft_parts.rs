//! The parts of a draft besides its questions: rules, theme and the exam's questions wait for publishing, two people
//! who change different rules lose nothing, and changes over the API are kept or asked about.

use serde_json::{Value, json};

use super::rules_page::{BOB, workshop};
use super::{rules, set_rules};

fn short(rules: &Value) -> Vec<String> {
    let all = rules.as_array().expect("rules").iter();
    all.map(|rule| format!("{} {}", rule["action"], rule["condition"]["items"][0]["value"])).collect()
}

#[test]
fn rules_wait_until_they_are_published() {
    let desk = workshop();
    let published = || desk.owner.get(desk.form.part("field_rules")).is(200).data()["rules"].clone();
    desk.add(["field_2", "eq", "a"], "show", "field_4");
    assert_eq!((published(), desk.rules().as_array().map(Vec::len)), (json!([]), Some(1)));
    desk.ann.get(&desk.at("/publish")).is(200).has(["The rules"]);
    desk.publish();
    assert_eq!(published(), rules(&["show 4: 2 eq a"])["rules"]);
    assert_eq!((desk.draft()["version"].clone(), desk.rules()), (json!(0), published()));
    // A question that comes with a rule about it, in one publishing.
    let build = desk.at("/build/fields");
    desk.ann.post(&build, &[("type", "email"), ("after", "field_4")]).leads();
    desk.ann.post(&format!("{build}/field_5"), &[("_tag", "1"), ("label", "E-mail")]).leads();
    desk.add(["field_1", "not_null", ""], "require", "field_5");
    desk.publish();
    assert_eq!(published()[1]["fields"], json!(["field_5"]));
    // Discarded, the draft equals the published form.
    desk.act(1, "remove", &[]).leads();
    desk.ann.post(&desk.at("/build/discard"), &[]).leads();
    assert_eq!(desk.rules(), published());
}

#[test]
fn people_meet_only_at_the_same_rule() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq a", "hide 4: 2 eq b"]);
    let bob = desk.manager(BOB);
    let page = desk.page();
    desk.save_from(&desk.ann, &page, 1, &[("condition.items[0].value", "c")]).leads();
    desk.save_from(&bob, &page, 2, &[("condition.items[0].value", "a")]).leads();
    assert_eq!(short(&desk.rules()), ["\"show\" \"c\"", "\"hide\" \"a\""]);
    // The same change twice is none.
    desk.save_from(&bob, &page, 2, &[("condition.items[0].value", "a")]).leads();
    // The same rule: nothing is overwritten, and the typed values are on the page.
    let late = desk.save_from(&bob, &page, 1, &[("condition.items[0].value", "b")]).is(412);
    late.has(["Somebody else changed or removed this rule meanwhile", "Add it as a rule of its own"]);
    assert_eq!(short(&desk.rules()), ["\"show\" \"c\"", "\"hide\" \"a\""]);
    let mine = super::controls::value_of(&late.text, "rule").expect("what was typed");
    bob.post(&desk.at("/rules"), &[("rule", &mine)]).leads();
    assert_eq!(short(&desk.rules()), ["\"show\" \"c\"", "\"hide\" \"a\"", "\"show\" \"b\""]);
    // Each undoes their own change, whatever happened to other rules.
    desk.ann.post(&desk.at("/rules/undo"), &[]).leads();
    assert_eq!(short(&desk.rules()), ["\"show\" \"a\"", "\"hide\" \"a\"", "\"show\" \"b\""]);
    desk.ann.post(&desk.at("/rules/redo"), &[]).leads();
    let page = desk.page();
    desk.save_from(&bob, &page, 1, &[("condition.items[0].value", "a")]).leads();
    assert_eq!(desk.ann.post(&desk.at("/rules/undo"), &[]).leads(), desk.at("/rules?done=overtaken"));
}

#[test]
fn what_the_api_changes_meanwhile_is_kept_or_asked_about() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq a", "hide 4: 2 eq b"]);
    desk.save(1, &[("condition.items[0].value", "c")]);
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq a", "hide 4: 1 eq x"]);
    assert_eq!(short(&desk.rules()), ["\"show\" \"c\"", "\"hide\" \"x\""]);
    // The same rule here and there.
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq b", "hide 4: 1 eq x"]);
    let page = desk.ann.get(&desk.at("/publish")).is(200);
    page.has(["The rules were also changed over the API"]).lacks(["name=\"draft_version\""]);
    let version = desk.draft()["version"].to_string();
    desk.ann.post(&desk.at("/publish"), &[("draft_version", &version)]).is(422);
    let settle = |act: &str| format!("/forms/{}/build/parts/{}/{act}", desk.form.token, "rules");
    desk.ann.post(&settle("keep"), &[]).leads();
    desk.publish();
    let published = desk.owner.get(desk.form.part("field_rules")).data()["rules"].clone();
    // The draft's rules hold as a whole, as it had them before the conflict.
    assert_eq!(short(&published), ["\"show\" \"c\"", "\"hide\" \"b\""]);
    desk.save(1, &[("condition.items[0].value", "a")]);
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq b"]);
    desk.ann.post(&settle("take"), &[]).leads();
    assert_eq!(short(&desk.rules()), ["\"show\" \"b\""]);
    desk.ann.post(&settle("turn"), &[]).is(404);
    // Theme and exam follow the published ones.
    desk.owner.patch(desk.form.part("theme"), json!({"primary_color": "#112233"})).is(200);
    assert_eq!(desk.draft()["theme"], json!({"primary_color": "#112233"}));
    assert_eq!(desk.draft()["exam_questions"], json!({}));
}
