//! The time that an exam allows: when it starts, and what happens to late answers.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use support::clock::Clock;
use support::form_page::hidden;
use support::steps::set;
use support::store::database;
use support::{Caller, Form, Server, field};
use tempfile::TempDir;

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

/// A server and the clock that it uses.
struct Exams {
    server: Server,
    clock: Clock,
    _dir: TempDir,
}

impl Exams {
    fn start() -> Self {
        let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
        let server = clock.server(dir.path(), &["--rate-limits", "off"]);
        Self { server, clock, _dir: dir }
    }

    /// The start token of a respondent who began so many seconds ago.
    fn start_token(&self, form: &Form, secs_ago: i64) -> String {
        self.clock.ahead(-secs_ago);
        let shown = self.server.anon().get(form.published()).data();
        self.clock.ahead(0);
        shown["exam"]["start_token"].as_str().expect("a token").to_owned()
    }
}

/// The address at which an exam begins.
fn begin(form: &Form) -> String {
    format!("{}?start=1", form.page())
}

fn newest(owner: &Caller, form: &Form) -> Value {
    owner.get(form.entries()).data()[0].clone()
}

#[test]
fn the_time_runs_from_the_start_that_was_given_out() {
    let exams = Exams::start();
    let server = &exams.server;
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let shown = anon.get(form.published()).data();
    assert_eq!(shown["exam"]["duration_minutes"], MINUTES);
    let began: Timestamp = shown["exam"]["started_at"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    assert!(Timestamp::now().duration_since(began) < SignedDuration::from_mins(1));
    let given = shown["exam"]["start_token"].as_str().expect("a token").to_owned();
    let other = exams.start_token(&exam(&owner), 0);
    for (token, is_late) in [
        (json!(given), false),
        (json!(exams.start_token(&form, MINUTES * 60 - 60)), false),
        (json!(exams.start_token(&form, MINUTES * 60 + 60)), true),
        (json!(exams.start_token(&form, 0).replacen('1', "2", 1)), true),
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
    let exams = Exams::start();
    let server = &exams.server;
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    // Nobody's time runs before they begin, and nobody sees a question: the start page shows the conditions.
    let start = anon.get(format!("{}?field_1=Ada&x_field_1=a%20b", form.page()));
    assert_eq!((start.status, start.header("set-cookie")), (200, ""), "{start}");
    for said in [
        ">Exam</bdi></h1>",
        "<dt>Time</dt><dd>30 minutes</dd>",
        "<dt>Questions</dt><dd>2</dd>",
        "The time begins when you select “Start” and can’t be paused",
        "the page sends your answers by itself",
        "<form method=\"get\"",
        "name=\"field_1\" value=\"Ada\"",
        "name=\"x_field_1\" value=\"a b\"",
        "name=\"start\" value=\"1\"",
    ] {
        assert!(start.text.contains(said), "{said}: {start}");
    }
    assert!(!start.text.contains("Author") && !start.text.contains("_time"), "{start}");
    let page = anon.get(begin(&form));
    assert!(page.text.contains(">30 minutes</p>") && page.text.contains("<p class=\"muted\">until "), "{page}");
    assert!(page.text.contains("max=\"1800\" value=\"1800\""), "{page}");
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
    for odd in [exams.start_token(&exam(&owner), 9999), "1.x".to_owned()] {
        let browser = anon.header("cookie", &format!("formsvc_exam={odd}"));
        assert_ne!(hidden(&browser.get(begin(&form)), "_time"), odd);
        assert!(!browser.get(form.page()).text.contains("Author"));
    }
    let old = exams.start_token(&form, MINUTES * 60 + 60);
    let browser = anon.header("cookie", &format!("formsvc_exam={old}"));
    let late = browser.get(form.page());
    assert!(late.text.contains("will be marked as late"), "{late}");
    // The earlier of cookie and page counts.
    let fresh = exams.start_token(&form, 30);
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
    let exams = Exams::start();
    let server = &exams.server;
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    // Given out anew for each request, since the last answers are taken for some seconds only.
    let over = || exams.start_token(&form, MINUTES * 60 + 1);
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
    let begun = exams.start_token(&form, 60);
    assert_eq!(post(&typed(&begun, "submit", "1843")).status, 422);
    let checked = post(&typed(&over(), "check", "1843"));
    assert_eq!(checked.json()["faults"], json!([]), "{checked}");
    let sent = post(&typed(&over(), "submit", "1843"));
    assert!(sent.json()["receipt"].is_string(), "{sent}");
    let entry = newest(&owner, &form);
    assert_eq!((&entry["field_2"], &entry["is_late"]), (&json!(1843), &json!(false)), "{entry}");
    // A fault remains a fault.
    assert_eq!(post(&typed(&over(), "submit", "soon")).status, 422);
    let body = |token: &str| json!({"field_values": {"field_2": 1}, "start_token": token});
    assert_eq!(anon.post(form.submissions(), body(&over())).status, 201);
    assert_eq!(anon.post(form.submissions(), body(&begun)).status, 422);
    assert_eq!(anon.post(form.submissions(), json!({"field_values": {"field_2": 1}})).status, 422);
}

#[test]
fn a_late_change_is_late() {
    let exams = Exams::start();
    let server = &exams.server;
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let body = json!({"field_values": {"field_1": "Ada"}, "start_token": exams.start_token(&form, 60)});
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
    let exams = Exams::start();
    let server = &exams.server;
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let start = anon.get(format!("{}?embed=1", form.page()));
    assert!(start.text.contains("name=\"embed\" value=\"1\"") && !start.text.contains("Author"), "{start}");
    let framed = format!("{}?embed=1&start=1", form.page());
    let page = anon.get(&framed);
    assert_eq!(page.header("set-cookie"), "");
    assert!(page.text.contains(">30 minutes</p>"), "{page}");
    let old = exams.start_token(&form, MINUTES * 60 + 60);
    let browser = anon.header("cookie", &format!("formsvc_exam={old}"));
    assert_ne!(hidden(&browser.get(&framed), "_time"), old);
    // The page itself says when it was begun.
    for (secs, is_late) in [(60, false), (MINUTES * 60 + 60, true)] {
        let stamp = exams.start_token(&form, secs);
        let typed = [("_time", stamp.as_str()), ("_page", "0"), ("field_1", "Ada")];
        let sent = browser.post_form(&framed, &typed);
        assert_eq!((sent.status, sent.header("set-cookie")), (303, ""), "{sent}");
        assert_eq!(newest(&owner, &form)["is_late"], is_late);
    }
}

#[test]
fn the_time_is_over_before_the_form_closes() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    let closes = Timestamp::from_second(Timestamp::now().as_second() + 600).expect("a time");
    set(&owner, &form, json!({"availability": {"schedule": {"end_at": closes.to_string()}}}));
    let start = anon.get(form.page());
    assert!(start.text.contains("Your time ends when the exam closes."), "{start}");
    let page = anon.get(begin(&form));
    let until = page.text.split("data-until=\"").nth(1).expect("a time");
    let until: i64 = until.split('"').next().and_then(|until| until.parse().ok()).expect("a number");
    assert_eq!(until, closes.as_millisecond() - 15_000);
    let stamp = hidden(&page, "_time");
    let body = json!({"field_values": {"field_1": "Ada"}, "start_token": stamp});
    assert_eq!(anon.post(form.submissions(), body).status, 201);
    let stored: String = database(&server.dir)
        .query_row("SELECT results ->> 'due_at' FROM entries", [], |row| row.get(0))
        .expect("an entry");
    let stored: Timestamp = stored.parse().expect("a time");
    assert_eq!(stored, closes - SignedDuration::from_secs(15));
}

#[test]
fn an_exam_behind_a_password_begins_with_it() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = exam(&owner);
    set(&owner, &form, json!({"access_control": {"access_password": "secret"}}));
    assert!(anon.get(begin(&form)).text.contains("_password"));
    let start = anon.post_form(format!("{}?field_1=Ada", form.page()), &[("_action", "open"), ("_password", "secret")]);
    assert!(start.text.contains("<form method=\"post\"") && !start.text.contains("Author"), "{start}");
    assert!(start.text.contains("?field_1=Ada&amp;start=1\""), "{start}");
    let grant = hidden(&start, "_grant");
    let page =
        anon.post_form(format!("{}?field_1=Ada&start=1", form.page()), &[("_action", "open"), ("_grant", &grant)]);
    assert!(page.text.contains("Author") && page.text.contains("value=\"Ada\""), "{page}");
    assert!(page.header("set-cookie").starts_with("formsvc_exam="), "{page}");
}
