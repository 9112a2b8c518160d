//! Whoever removes a question that rules name sees these rules first; nothing else goes.

use serde_json::{Value, json};
use support::Response;

use crate::forms::controls::{attribute, sent_by};
use crate::forms::rules_page::{Desk, workshop};
use crate::forms::{rules, set_rules};

fn codes(desk: &Desk) -> Vec<Value> {
    desk.draft()["fields"].as_array().expect("fields").iter().map(|it| it["api_code"].clone()).collect()
}

/// Presses the button of the page that asks.
fn confirm(desk: &Desk, page: &Response) {
    let form = page.text.split("<form").find(|form| form.contains("name=\"rules_shown\"")).expect("a question");
    let form = form.split("</form>").next().expect("its end");
    let pairs = sent_by(form, &[]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    desk.ann.post(&attribute(form, "action").expect("an address"), &pairs).leads();
}

#[test]
fn rules_that_name_a_question_are_listed_before_it_goes() {
    let kept = ["show 4: 2 eq a", "hide 3: 1 eq x"];
    type Ask = fn(&Desk) -> Response;
    let one: Ask = |desk| desk.ann.post(&desk.at("/build/fields/field_2/remove"), &[]);
    let many: Ask = |desk| {
        let ticked = [("act", "remove"), ("code", "field_1"), ("code", "field_2")];
        desk.ann.post(&desk.at("/build/fields/many"), &ticked)
    };
    let [first, second] = ["When Track is A, then show Remark", "When Your name is x, then hide Age"];
    // The way, the title, the listed rules, what is left.
    let ways: [(Ask, &str, &[&str], &[&str]); 2] = [
        (one, "Remove “Track”", &[first], &["field_1", "field_3", "field_4"]),
        (many, "Remove 2 questions", &[first, second], &["field_3", "field_4"]),
    ];
    for (ask, title, listed, left) in ways {
        let desk = workshop();
        set_rules(&desk.owner, &desk.form, &kept);
        let asked = ask(&desk).is(200);
        let shown = asked.text.replace(['\u{2068}', '\u{2069}'], "");
        assert!(shown.contains(title), "{shown}");
        for sentence in [first, second] {
            assert_eq!(shown.contains(sentence), listed.contains(&sentence), "{sentence}: {shown}");
        }
        assert_eq!(codes(&desk).len(), 4, "nothing is removed yet");
        confirm(&desk, &asked);
        assert_eq!(codes(&desk), left);
        assert_eq!(desk.rules(), rules(&kept)["rules"], "rules stay");
    }
}

#[test]
fn a_question_that_no_rule_names_goes_at_once() {
    let desk = workshop();
    set_rules(&desk.owner, &desk.form, &["show 4: 2 eq a"]);
    desk.ann.post(&desk.at("/build/fields/field_1/remove"), &[]).leads();
    desk.ann.post(&desk.at("/build/fields/many"), &[("act", "remove"), ("code", "field_3")]).leads();
    assert_eq!(json!(codes(&desk)), json!(["field_2", "field_4"]));
}
