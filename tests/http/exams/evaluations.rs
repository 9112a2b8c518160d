//! Evaluations: the sum of the scores of the answers, and the comment of the range that holds it.

use serde_json::{Value, json};
use support::steps::{bulk, set};
use support::{Caller, Form, Server, field};

fn fields(api_code: Option<&str>, score: f64) -> Value {
    json!([
        field(
            "radio",
            json!({"api_code": api_code, "choices": [
                {"api_code": "a", "label": "Often", "score": score},
                {"api_code": "b", "label": "Seldom", "score": 2},
            ]})
        ),
        field("rating", json!({"api_code": api_code.map(|_| "field_2")})),
    ])
}

fn evaluation(owner: &Caller, mode: &str) -> Form {
    let form = owner.form_with(json!({"name": "Test", "scene": "evaluation", "fields": fields(None, 10.5)}));
    let ranges = json!([
        {"start_point": 0, "end_point": 5, "comment": "Take a break"},
        {"start_point": 6, "end_point": 20, "comment": "All is <well>"},
    ]);
    let report = json!({"score_based_feedbacks": ranges});
    set(owner, &form, json!({"after_submission": {"mode": mode, "report": report}}));
    form
}

#[test]
fn the_report_is_told_where_the_settings_say_so() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for (mode, is_told) in [("report", true), ("show_message", false)] {
        let form = evaluation(&owner, mode);
        for (values, report) in [
            (json!({"field_1": "a", "field_2": 3}), json!({"score": 13.5, "comment": "All is <well>"})),
            (json!({"field_1": "b", "field_2": 3}), json!({"score": 5, "comment": "Take a break"})),
            (json!({"field_1": "a", "field_2": 5}), json!({"score": 15.5, "comment": "All is <well>"})),
            (json!({"field_2": 1}), json!({"score": 1, "comment": "Take a break"})),
            (json!({}), json!({"score": 0, "comment": "Take a break"})),
        ] {
            let sent = anon.post(form.submissions(), json!({"field_values": values})).data();
            let told = if is_told { report.clone() } else { Value::Null };
            assert_eq!(sent["evaluation_report"], told, "{sent}");
            let serial = sent["entry"]["serial_number"].as_i64().expect("a number");
            assert_eq!(owner.get(form.entry(serial)).data()["evaluation_report"], report);
        }
        let done = anon.post_form(form.page(), &[("field_1", "a"), ("field_2", "2")]);
        let thanks = anon.get(done.header("location"));
        for text in ["Your result: 12.5", "All is &lt;well&gt;"] {
            assert_eq!(thanks.text.contains(text), is_told, "{text}: {thanks}");
        }
        let page = anon.get(form.page());
        for text in ["10.5", "Take a break", "well"] {
            assert!(!page.text.contains(text), "{text}: {page}");
            assert!(!anon.get(form.published()).text.contains(text));
        }
    }
}

#[test]
fn between_two_ranges_there_is_no_comment() {
    let owner = Server::shared().user();
    let form = evaluation(&owner, "report");
    let between = json!({"field_values": {"field_1": "b"}});
    set(
        &owner,
        &form,
        json!({"after_submission": {"report": {"score_based_feedbacks": [{"start_point": 3, "end_point": 4, "comment": "x"}]}}}),
    );
    let made = owner.post(form.entries(), between);
    assert_eq!(made.data()["evaluation_report"], json!({"score": 2, "comment": null}), "{made}");
}

#[test]
fn other_scores_of_choices_give_other_reports() {
    let owner = Server::shared().user();
    let form = evaluation(&owner, "report");
    bulk(&owner, &form, &[json!({"field_1": "a"}), json!({"field_1": "b"})]);
    let before = owner.get(form.entry(1)).data();
    let edited = owner.patch(form.path(), json!({"fields": fields(Some("field_1"), 1.0)}));
    assert_eq!(edited.status, 200, "{edited}");
    let after = owner.get(form.entry(1)).data();
    assert_eq!(after["evaluation_report"], json!({"score": 1, "comment": "Take a break"}));
    assert_eq!(after["updated_at"], before["updated_at"]);
    assert!(after["rescored_at"].is_string(), "{after}");
    assert_eq!(owner.get(form.entry(2)).data()["rescored_at"], Value::Null);
    // Another comment too.
    set(
        &owner,
        &form,
        json!({"after_submission": {"report": {"score_based_feedbacks": [{"start_point": 0, "end_point": 4, "comment": "Rest"}]}}}),
    );
    assert_eq!(owner.get(form.entry(2)).data()["evaluation_report"], json!({"score": 2, "comment": "Rest"}));
    let path = format!("{}/export?format=csv&headers=api_codes&fields=evaluation_report", form.entries());
    let csv = owner.get(path).text;
    assert!(csv.contains(r#""evaluation_report.score","evaluation_report.comment""#), "{csv}");
    assert!(csv.replace('"', "").contains(",2,Rest"), "{csv}");
}
