//! Copies: of questions with their points, right answers and the rules about them, and of whole forms.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::steps::set_part;
use support::{Server, field};

use crate::forms::controls::value_of;
use crate::forms::rules_page::ANN;
use crate::forms::{choices, rules, set_rules};

const SCOPES: &str = "form:read form:write entry:read entry:write";

#[test]
fn a_copied_question_takes_its_answer_and_the_rules_about_it_along() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, SCOPES);
    let form = owner.form_with(json!({"name": "Finals", "scene": "exam", "fields": [
        field("radio", json!({"label": "Class", "choices": choices(["a", "b"])})),
        field("radio", json!({"label": "Capital", "choices": choices(["c", "d"]), "default_value": "d"})),
        field("short_text", json!({"label": "Author"})),
    ]}));
    let questions = json!({
        "field_2": {"scored": true, "score": 3.0, "answer": "c"},
        "field_3": {"scored": true, "score": 1.0, "answer": "c"},
    });
    set_part(&owner, &form, "settings", json!({"exam": {"questions": questions}}));
    set_rules(&owner, &form, &["show 2: 1 eq a", "require 3: 2 eq d"]);
    let ann = Session::on(&server).signed_in(ANN);
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    ann.get(&build("")).is(200);
    let draft = || ann.caller().header("accept", "application/json").get(build("")).is(200).data();
    let led = ann.post(&build("/fields/field_2/copy"), &[]).leads();
    assert!(led.ends_with("?field=field_4&done=copied"), "{led}");
    ann.get(&led).is(200).has(["do not look at the copy’s"]);
    let copied = draft();
    let codes: Vec<&Value> = copied["fields"].as_array().expect("fields").iter().map(|it| &it["api_code"]).collect();
    assert_eq!(codes, ["field_1", "field_2", "field_4", "field_3"]);
    let copy = &copied["fields"][2];
    let code = &copy["choices"][0]["api_code"];
    assert_ne!(*code, "c", "choices have codes of their own");
    assert_eq!(copy["default_value"], copy["choices"][1]["api_code"]);
    assert_eq!(copied["exam_questions"]["field_4"], json!({"scored": true, "score": 3.0, "answer": code}));
    // Its rule comes once more, so that each can be changed alone; conditions on the original stay on it.
    assert_eq!(copied["rules"], rules(&["show 2: 1 eq a", "show 4: 1 eq a", "require 3: 2 eq d"])["rules"]);
    // A text that happens to be a code of another question is a text.
    ann.post(&build("/fields/many"), &[("act", "copy"), ("code", "field_3")]).leads();
    assert_eq!(draft()["exam_questions"]["field_5"]["answer"], "c");
    // One step takes all of it back.
    for _ in 0..2 {
        ann.post(&build("/undo"), &[]).leads();
    }
    assert_eq!(draft()["exam_questions"], questions);
    assert_eq!(draft()["rules"], rules(&["show 2: 1 eq a", "require 3: 2 eq d"])["rules"]);
    for _ in 0..2 {
        ann.post(&build("/redo"), &[]).leads();
    }
    // It is published as it stands, and graded.
    let publish = format!("/forms/{}/publish", form.token);
    let version = value_of(&ann.get(&publish).is(200).text, "draft_version").expect("something to publish");
    ann.post(&publish, &[("draft_version", &*version)]).leads();
    let values = json!({"field_1": "a", "field_2": "c", "field_4": code, "field_3": "x", "field_5": "c"});
    let entry = owner.post(form.entries(), json!({"field_values": values})).is(201).data();
    assert_eq!(entry["exam_score"], 7);
}

#[test]
fn a_copied_form_has_all_that_its_owner_set() {
    let owner = Server::shared().user();
    let copies = |form: &support::Form| {
        let copy = owner.post(form.part("copy"), json!({})).is(201).data();
        format!("/api/v1/forms/{}", copy["token"].as_str().expect("a token"))
    };
    let radio = || field("radio", json!({"label": "Capital", "choices": choices(["a", "b"])}));
    let score = json!({"start_point": 0, "end_point": 5, "comment": "Well done"});
    for (scene, settings) in [
        ("form", json!({"availability": {"manually_closed": true, "entries_limit": 5, "show_countdown": true}})),
        ("form", json!({"submission_options": {"show_progress": true, "one_per_respondent": "browser"}})),
        ("form", json!({"after_submission": {"mode": "redirect", "redirect": {"url": "https://example.org/"}}})),
        ("form", json!({"verification_code": {"enabled": true, "length": 6}})),
        ("form", json!({"notifications": {"receipt": {"enabled": true, "subject": "Thanks"}}})),
        ("evaluation", json!({"after_submission": {"mode": "report", "report": {"score_based_feedbacks": [score]}}})),
        (
            "exam",
            json!({"exam": {"duration_minutes": 10, "pass_score": 1, "questions": {
            "field_1": {"scored": true, "score": 2.0, "answer": "b"}}}}),
        ),
    ] {
        let fields = json!([radio(), field("email", json!({"label": "Email"}))]);
        let form = owner.form_with(json!({"name": "First", "scene": scene, "fields": fields}));
        set_part(&owner, &form, "settings", settings.clone());
        set_part(&owner, &form, "theme", json!({"font": "serif", "primary_color": "#112233"}));
        set_rules(&owner, &form, &["require 2: 1 eq a"]);
        let copy = copies(&form);
        for part in ["settings", "theme", "field_rules"] {
            let (here, there) = (owner.get(form.part(part)).data(), owner.get(format!("{copy}/{part}")).data());
            assert_eq!(here, there, "{part} of {settings}");
        }
    }
    // Doors to the entries are the original's alone.
    let form = owner.form_with(json!({"name": "First", "fields": [radio()]}));
    let webhooks = form.part("integrations/webhooks");
    owner.post(&webhooks, json!({"url": "https://example.org/", "trigger_events": ["entry_created"]})).is(201);
    let copy = copies(&form);
    assert_eq!(owner.get(&webhooks).data().as_array().map(Vec::len), Some(1));
    assert_eq!(owner.get(format!("{copy}/integrations/webhooks")).data(), json!([]));
    let token = copy.rsplit('/').next().expect("a token");
    let queries = owner.get(format!("/api/v1/opensearch/queries?form_token={token}")).is(200).data();
    assert_eq!(queries, json!([]));
}
