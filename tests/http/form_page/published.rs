//! Published forms over the API: the respondents' view, and the stored values of their submissions.

use std::collections::BTreeSet;

use super::*;

/// The keys of a published form.
const KEYS: &str = "token name description scene layout locale timezone fields field_rules submission_options \
    after_submission status opens_at closes_at show_countdown theme";

#[test]
fn anybody_submits_and_is_answered_with_the_entry() {
    let w = simple();
    let made = submit(&w.anon, &w.form, json!({"field_1": "Ada", "field_9": "unknown"}));
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"entry":{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_1":"Ada"},"after_submission":{"mode":"show_message","show_message":{"style":"text","rich_text":"","text":{"title":"","description":""}},"redirect":{"url":null,"fields":[]},"report":{"score_based_feedbacks":[]},"show_answers":true}},"warnings":[{"attribute":"field_values.field_9","message":"is not a known key"}]}"#
    );
}

#[test]
fn form_is_shown_without_what_is_not_for_respondents() {
    let w = asking(json!([
        {"radio": {"choices": [{"api_code": "a", "label": "A", "score": 5, "quota": 3},
            {"api_code": "b", "label": "PLANTED-CHOICE", "hidden": true}]}},
        {"short_text": {"label": "PLANTED-FIELD", "hidden": true}}
    ]));
    let shown = w.anon.get(w.form.published()).is(200);
    shown.lacks(["PLANTED"]);
    let data = shown.data();
    let choices = json!([{"api_code": "a", "label": "A", "remaining": 3}]);
    let field =
        json!({"api_code": "field_1", "type": "radio", "label": "radio", "required": false, "choices": choices});
    assert_eq!((&data["fields"], &data["status"]), (&json!([field]), &json!("open")));
    let keys: BTreeSet<&str> = data.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, KEYS.split_whitespace().collect());
}

#[test]
fn hidden_fields_are_written_by_collaborators_alone() {
    let w = asking(json!([
        {"short_text": {}}, {"short_text": {"hidden": true, "required": true, "default_value": "web"}}
    ]));
    let values = json!({"field_1": "x", "field_2": "mine"});
    assert_eq!(submit(&w.anon, &w.form, values.clone()).data()["entry"].get("field_2"), None);
    assert_eq!(w.newest()["field_2"], "web");
    let added = w.owner.post(w.form.entries(), json!({ "field_values": values }));
    assert_eq!(added.data()["field_2"], "mine", "{added}");
}

#[test]
fn token_needs_form_respond() {
    let w = simple();
    let reader = w.server.token(&w.owner.email, "form:read");
    let refused = submit(&reader, &w.form, json!({}));
    assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    assert_eq!(refused.header("www-authenticate"), r#"Bearer error="insufficient_scope", scope="form:respond""#);
    reader.get(w.form.published()).is(403);
    submit(&w.server.token(&w.owner.email, "form:respond"), &w.form, json!({"field_1": "x"})).is(201);
    assert_eq!(w.newest()["creator_name"], "Ada Lovelace");
    w.anon.with_token("fsv_garbage").get(w.form.published()).is(401);
}

#[test]
fn unpublished_unknown_and_deleted_forms_are_not_found() {
    const NOT_FOUND: &str = r#"404 {"error":"Form not found"}"#;
    let w = simple();
    let send = || submit(&w.anon, &w.form, json!({"field_1": "x"}));
    assert_eq!(w.anon.get("/api/v1/f/aaaaaaaaaa").to_string(), NOT_FOUND);
    w.owner.patch(w.form.path(), json!({"published": false})).is(200);
    assert_eq!([w.anon.get(w.form.published()).to_string(), send().to_string()], [NOT_FOUND; 2]);
    w.owner.patch(w.form.path(), json!({"published": true})).is(200);
    send().is(201);
    w.owner.delete(w.form.path()).is(200);
    assert_eq!(send().to_string(), NOT_FOUND);
}

#[test]
fn serial_numbers_have_no_gaps_and_no_doubles() {
    let w = World::with(one_line(json!({"required": true})));
    let serials = at_once(8, |n| {
        // Every third one is refused and must leave no gap.
        let values = (0..20).map(|i| if i % 3 == 0 { json!("") } else { json!(format!("{n}.{i}")) });
        let made = values.map(|value| submit(&w.anon, &w.form, json!({ "field_1": value })));
        let made = made.filter(|made| made.status == 201);
        made.map(|made| made.data()["entry"]["serial_number"].as_i64().expect("a number")).collect::<Vec<_>>()
    });
    let mut serials = serials.concat();
    serials.sort_unstable();
    assert_eq!(serials, (1..=8 * 13).collect::<Vec<_>>());
}

#[test]
fn of_two_equal_unique_values_one_is_stored() {
    let w = asking(json!([{"email": {"unique": true}}]));
    let statuses = at_once(8, |n| {
        let address = if n % 2 == 0 { "Ada@Example.com" } else { "ada@example.com" };
        submit(&w.anon, &w.form, json!({ "field_1": address })).status
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(w.count(), 1);
}

#[test]
fn taken_value_is_told_beside_other_faults() {
    let w = asking(json!([{"email": {"unique": true}}, {"short_text": {"required": true}}]));
    let body = |text: &str| -> Value { json!({"field_values": {"field_1": "a@example.com", "field_2": text}}) };
    w.anon.post(w.form.submissions(), body("x")).is(201);
    for address in [w.form.submissions(), w.form.entries()] {
        let mut faults = w.owner.post(&address, body("")).faults();
        faults.sort();
        assert_eq!(
            faults,
            ["field_values.field_1: has already been taken", "field_values.field_2: can't be blank"],
            "{address}"
        );
    }
}
