//! The time that an exam allows: what runs from when, and what becomes of what comes late.

use std::fs;

use formsvc::base::clock::{self, Time};
use formsvc::base::secret::Keys;
use formsvc::ops::exam_time;
use serde_json::{Value, json};

use crate::form_page::hidden;
use crate::removed_values::database;
use crate::support::steps::set;
use crate::support::{Caller, Form, Server, field};

const MINUTES: i64 = 30;

fn exam(owner: &Caller) -> Form {
    let form = owner.form_with(json!({"name": "Exam", "scene": "exam", "fields": [
        field("short_text", json!({"label": "Author", "required": true})),
        field("number", json!({"label": "Year"})),
    ]}));
    let questions = json!({"field_2": {"scored": true, "score": 1, "answer": 1843}});
    set(owner, &form, json!({"exam": {"duration_minutes": MINUTES, "questions": questions}}));
    form
}

/// The start of somebody who began so many seconds ago.
fn start(server: &Server, form: &Form, secs_ago: i64) -> String {
    let key = fs::read(server.dir.join("keys/instance")).expect("the instance key");
    let keys = Keys::new(key.try_into().expect("32 bytes"));
    exam_time::start_token(&keys, &form.token, clock::now().minus_secs(secs_ago))
}

fn newest(owner: &Caller, form: &Form) -> Value {
    owner.get(form.entries()).data()[0].clone()
}

#[test]
fn the_time_runs_from_the_start_that_was_given_out() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let shown = anon.get(form.published()).data();
    assert_eq!(shown["exam"]["duration_minutes"], MINUTES);
    let began = Time::parse(shown["exam"]["started_at"].as_str().expect("a time")).expect("a time");
    assert!(clock::now().secs_since(began) < 60);
    let given = shown["exam"]["start_token"].as_str().expect("a token").to_owned();
    let other = start(&server, &exam(&owner), 0);
    for (token, is_late) in [
        (json!(given), false),
        (json!(start(&server, &form, MINUTES * 60 - 60)), false),
        (json!(start(&server, &form, MINUTES * 60 + 60)), true),
        (json!(start(&server, &form, 0).replacen('1', "2", 1)), true),
        (json!(other), true),
        (json!("odd"), true),
        (Value::Null, true),
    ] {
        let body = json!({"field_values": {"field_1": "Ada", "field_2": 1843}, "start_token": token});
        let sent = anon.post(form.submissions(), body);
        assert_eq!(sent.status, 201, "{sent}");
        assert!(!sent.text.contains("is_late"), "{sent}");
        let entry = newest(&owner, &form);
        assert_eq!((&entry["is_late"], &entry["exam_score"]), (&json!(is_late), &json!(1)), "{token}");
    }
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    assert_eq!(made.data()["is_late"], false, "{made}");
    let long = "x".repeat(200);
    let refused = anon.post(form.submissions(), json!({"field_values": {"field_1": "x"}, "start_token": long}));
    assert_eq!(refused.attributes(), ["start_token"], "{refused}");
}

#[test]
fn without_a_limit_nothing_is_late() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    set(&owner, &form, json!({"exam": {"duration_minutes": null}}));
    assert!(anon.get(form.published()).data().get("exam").is_none());
    let page = anon.get(form.page());
    assert_eq!(page.header("set-cookie"), "");
    assert!(!page.text.contains("exam-time"), "{page}");
    anon.post(form.submissions(), json!({"field_values": {"field_1": "Ada"}}));
    assert_eq!(newest(&owner, &form)["is_late"], false);
    set(&owner, &form, json!({"exam": {"duration_minutes": 5}, "availability": {"manually_closed": true}}));
    assert!(anon.get(form.published()).data().get("exam").is_none());
}

#[test]
fn opening_the_page_again_gives_no_new_time() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let page = anon.get(form.page());
    assert!(page.text.contains("You have 30 minutes. Submit by "), "{page}");
    assert!(page.runs("exam.js"), "{page}");
    let stamp = hidden(&page, "_time");
    let cookie = page.header("set-cookie").to_owned();
    assert!(cookie.starts_with(&format!("formsvc_exam={stamp};")), "{cookie}");
    for part in ["HttpOnly", "SameSite=Lax", &format!("Path=/f/{}", form.token)] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let browser = anon.header("cookie", &format!("formsvc_exam={stamp}"));
    let again = browser.get(form.page());
    assert_eq!(hidden(&again, "_time"), stamp);
    assert_eq!(again.header("set-cookie"), "");
    // A cookie of another form, or one that nobody signed, counts as none.
    for odd in [start(&server, &exam(&owner), 9999), "1.x".to_owned()] {
        let browser = anon.header("cookie", &format!("formsvc_exam={odd}"));
        assert_ne!(hidden(&browser.get(form.page()), "_time"), odd);
    }
    let old = start(&server, &form, MINUTES * 60 + 60);
    let browser = anon.header("cookie", &format!("formsvc_exam={old}"));
    let late = browser.get(form.page());
    assert!(late.text.contains("will be marked as late"), "{late}");
    // The earlier of cookie and page counts.
    let fresh = start(&server, &form, 30);
    for (caller, stamp, is_late) in [
        (&anon, fresh.as_str(), false),
        (&browser, fresh.as_str(), true),
        (&browser, old.as_str(), true),
        (&anon, old.as_str(), true),
    ] {
        let sent = caller.post_form(form.page(), &[("_time", stamp), ("_page", "0"), ("field_1", "Ada")]);
        assert_eq!(sent.status, 303, "{sent}");
        let gone = sent.header("set-cookie");
        assert!(gone.starts_with("formsvc_exam=;") && gone.contains("Max-Age=0"), "{gone}");
        assert_eq!(newest(&owner, &form)["is_late"], is_late, "{stamp}");
        let thanks = anon.get(sent.header("location"));
        assert_eq!(thanks.text.contains("after the time was up"), is_late, "{thanks}");
    }
}

#[test]
fn what_is_there_when_the_time_is_up_is_taken() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let over = start(&server, &form, MINUTES * 60 + 1);
    let script = anon.header("accept", "application/json");
    let typed = |stamp: &str, action: &'static str, year: &'static str| {
        [
            ("_time", stamp.to_owned()),
            ("_page", "0".to_owned()),
            ("_action", action.to_owned()),
            ("field_2", year.to_owned()),
        ]
    };
    let post = |pairs: &[(&str, String)]| {
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        script.post_form(form.page(), &pairs)
    };
    // The required answer is missing.
    let begun = start(&server, &form, 60);
    assert_eq!(post(&typed(&begun, "submit", "1843")).status, 422);
    let checked = post(&typed(&over, "check", "1843"));
    assert_eq!(checked.json()["faults"], json!([]), "{checked}");
    let sent = post(&typed(&over, "submit", "1843"));
    assert!(sent.json()["receipt"].is_string(), "{sent}");
    let entry = newest(&owner, &form);
    assert_eq!((&entry["field_2"], &entry["is_late"]), (&json!(1843), &json!(false)), "{entry}");
    // What is wrong stays wrong.
    assert_eq!(post(&typed(&over, "submit", "soon")).status, 422);
    let body = |token: &str| json!({"field_values": {"field_2": 1}, "start_token": token});
    assert_eq!(anon.post(form.submissions(), body(&over)).status, 201);
    assert_eq!(anon.post(form.submissions(), body(&begun)).status, 422);
    assert_eq!(anon.post(form.submissions(), json!({"field_values": {"field_2": 1}})).status, 422);
}

#[test]
fn a_late_change_is_late() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let body = json!({"field_values": {"field_1": "Ada"}, "start_token": start(&server, &form, 60)});
    let sent = anon.post(form.submissions(), body).data();
    let token = sent["entry"]["token"].as_str().expect("a token");
    let right = sent["edit_token"].as_str().expect("a right");
    let path = format!("{}/{token}", form.submissions());
    let own = anon.header("x-edit-token", right);
    let change = |by: &Caller, path: &str, text: &str| {
        let changed = by.patch(path, json!({"field_values": {"field_1": text}}));
        assert_eq!(changed.status, 200, "{changed}");
        newest(&owner, &form)["is_late"].clone()
    };
    assert_eq!(change(&own, &path, "in time"), false);
    let sql = "UPDATE entries SET results = json_set(results, '$.due_at', '2026-01-01T00:00:00.000Z')";
    assert_eq!(database(&server.dir).execute(sql, []).expect("SQL"), 1);
    assert_eq!(change(&owner, &form.entry(1), "by its owner"), false);
    assert_eq!(change(&own, &path, "too late"), true);
    assert_eq!(change(&owner, &form.entry(1), "by its owner again"), true);
}

#[test]
fn a_page_in_a_frame_keeps_no_cookie() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let framed = format!("{}?embed=1", form.page());
    let page = anon.get(&framed);
    assert_eq!(page.header("set-cookie"), "");
    assert!(page.text.contains("You have 30 minutes."), "{page}");
    let old = start(&server, &form, MINUTES * 60 + 60);
    let browser = anon.header("cookie", &format!("formsvc_exam={old}"));
    assert_ne!(hidden(&browser.get(&framed), "_time"), old);
    // The page itself says when it was begun.
    for (secs, is_late) in [(60, false), (MINUTES * 60 + 60, true)] {
        let stamp = start(&server, &form, secs);
        let typed = [("_time", stamp.as_str()), ("_page", "0"), ("field_1", "Ada")];
        let sent = browser.post_form(&framed, &typed);
        assert_eq!((sent.status, sent.header("set-cookie")), (303, ""), "{sent}");
        assert_eq!(newest(&owner, &form)["is_late"], is_late);
    }
}

#[test]
fn the_time_is_over_before_the_form_closes() {
    let server = Server::start();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let closes = clock::now().plus_secs(600);
    set(&owner, &form, json!({"availability": {"schedule": {"end_at": closes.to_string()}}}));
    let page = anon.get(form.page());
    let until = page.text.split("data-until=\"").nth(1).expect("a time");
    let until: i64 = until.split('"').next().and_then(|until| until.parse().ok()).expect("a number");
    assert_eq!(until, closes.millis() - 15_000);
    let stamp = hidden(&page, "_time");
    let body = json!({"field_values": {"field_1": "Ada"}, "start_token": stamp});
    assert_eq!(anon.post(form.submissions(), body).status, 201);
    let stored: String = database(&server.dir)
        .query_row("SELECT results ->> 'due_at' FROM entries", [], |row| row.get(0))
        .expect("an entry");
    assert_eq!(stored, closes.minus_secs(15).to_string());
}
