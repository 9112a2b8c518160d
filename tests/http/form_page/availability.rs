//! Forms that take nothing: closed, not open yet or full. The page and the API say so, first of all.

use super::*;

/// The buttons that send a page or turn it.
const SENDS: [&str; 2] = [r#"name="_action" value="submit""#, r#"name="_action" value="next""#];

fn available(w: &World, group: Value) {
    set(&w.owner, &w.form, json!({ "availability": group }));
}

#[test]
fn page_says_why_it_takes_nothing_and_keeps_what_was_typed() {
    let w = simple();
    let stamp = patient(&w.page());
    let post = || w.post(&[("_page", "0"), ("_time", &stamp), ("field_1", "typed")]);
    let schedule = json!({"start_at": "2090-01-01T00:00:00Z"});
    for (group, words, opens) in [
        (json!({"manually_closed": true}), "is closed", false),
        (json!({"manually_closed": false, "schedule": schedule, "show_countdown": true}), "not open yet", true),
    ] {
        available(&w, group);
        w.page().is(200).has([words]).lacks(["field_1"]);
        // Nothing sends the typed values; a form that opens later can be asked for again.
        let refused = post().is(403);
        refused.has([words, r#"value="typed""#]).lacks(SENDS);
        assert_eq!(refused.text.contains(r#"value="more""#), opens, "{refused}");
        // A sender who was never given the questions gets none.
        w.post(&typed("_page=0&_action=more&_time=1.x")).is(403).has([words]).lacks(["field_1"]);
    }
    available(&w, json!({"show_form_before_open": true}));
    // The questions can be read, and are plainly not to be answered yet.
    let read = w.page();
    read.has(["field_1", "<fieldset class=\"inert\" disabled", "answer them once it opens"]).lacks(SENDS);
    read.lacks(["data-keep", "saved on this device", "answers are saved when"]);
    let asked = w.post(&typed("_page=0&_action=more"));
    asked.is(200).has(["<fieldset class=\"inert\" disabled"]);
    available(&w, json!({"schedule": null, "entries_limit": 2}));
    for expected in [303, 303, 403] {
        post().is(expected);
    }
    w.page().has(["is full"]);
    assert_eq!(w.count(), 2);
}

#[test]
fn a_form_that_is_taken_down_gives_back_what_was_typed() {
    let w = simple();
    let stamp = hidden(&w.page(), "_time");
    let post = |stamp: &str| w.post(&[("_page", "0"), ("_time", stamp), ("_action", "submit"), ("field_1", "typed")]);
    w.owner.patch(w.form.path(), json!({"published": false})).is(200);
    w.page().is(404);
    let refused = post(&stamp).is(404);
    refused.has(["no longer available", "nothing was saved", r#"value="typed""#]).lacks(SENDS);
    post("1.x").is(404).lacks([r#"value="typed""#]);
    w.owner.delete(w.form.path()).is(200);
    post(&stamp).is(404).has([r#"value="typed""#]);
    // What nobody was shown stays so.
    w.owner.post(w.form.part("restore"), json!({})).is(200);
    let label = json!({"fields": [{"api_code": "field_1", "type": "short_text", "label": "Secret"}]});
    w.owner.patch(w.form.path(), label).is(200);
    post(&stamp).is(404).lacks([r#"value="typed""#, "Secret"]);
}

/// The answers to a submission in each state are in `tables/availability.txt`.
#[test]
fn api_says_which_state_a_form_is_in() {
    let w = simple().entries([json!({}), json!({})]);
    let schedule = json!({"start_at": "2100-01-01T00:00:00Z"});
    for (group, status, opens_at, fields) in [
        (json!({"manually_closed": true}), "closed", None, 0),
        (json!({"manually_closed": false, "schedule": schedule}), "not_open", Some("2100-01-01T00:00:00.000Z"), 0),
        (json!({"show_form_before_open": true}), "not_open", Some("2100-01-01T00:00:00.000Z"), 1),
        (json!({"schedule": null, "entries_limit": 2}), "full", None, 0),
    ] {
        available(&w, group.clone());
        let shown = w.anon.get(w.form.published()).data();
        let state = (&shown["status"], shown["opens_at"].as_str(), shown["fields"].as_array().map(Vec::len));
        assert_eq!(state, (&json!(status), opens_at, Some(fields)), "{group}: {shown}");
    }
    available(&w, json!({"manually_closed": true}));
    let refused = submit(&w.anon, &w.form, json!({}));
    assert_eq!(refused.to_string(), r#"403 {"error":"This form no longer takes submissions","code":"form_closed"}"#);
}

#[test]
fn limit_holds_under_many_submissions_at_once() {
    let w = simple().settings(json!({"availability": {"entries_limit": 10}}));
    let stored = at_once(16, |_| submit(&w.anon, &w.form, json!({"field_1": "x"})).status);
    assert_eq!(stored.iter().filter(|status| **status == 201).count(), 10, "{stored:?}");
}

#[test]
fn who_may_not_submit_is_told_that_before_any_fault() {
    let w = simple();
    let post = |body: &Value| -> Response { w.anon.post(w.form.submissions(), body.clone()) };
    let faulty = json!({"field_values": {"field_1": 5}, "x_field_1": 5, "started_at": 5});
    let closed = json!({"access_control": {"access_password": null}, "availability": {"manually_closed": true}});
    for (settings, code) in [(password("open sesame"), "password_required"), (closed, "form_closed")] {
        set(&w.owner, &w.form, settings);
        for body in [&json!({}), &json!({"field_values": 5}), &faulty] {
            post(body).refuses(403, code);
        }
    }
    available(&w, json!({"manually_closed": false}));
    let mut all = post(&faulty).attributes();
    all.sort();
    assert_eq!(all, ["field_values.field_1", "started_at", "x_field_1"]);
}
