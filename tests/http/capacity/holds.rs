//! Holds: kept while somebody fills in, used up by the submission, ended by the clock: `/api/v1/f/{form_token}/holds` and
//! `/api/v1/f/{form_token}/holds/{hold_token}`.

use std::collections::HashSet;

use serde_json::{Value, json};
use support::steps::{self, again};
use support::{Caller, Form, Response, Server, at_once, field, until};

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, submit};

fn allow(owner: &Caller, form: &Form, minutes: i64) {
    steps::set(owner, form, json!({"capacity": {"hold_minutes": minutes}}));
}

fn hold(caller: &Caller, form: &Form, values: Value) -> Response {
    caller.post(format!("/api/v1/f/{}/holds", form.token), values)
}

fn token(held: &Response) -> String {
    assert_eq!(held.status, 201, "{held}");
    held.data()["hold_token"].as_str().expect("a token").to_owned()
}

fn with_hold(mut values: Value, token: &str) -> Value {
    values["hold_token"] = json!(token);
    values
}

/// Ends every hold, as time would.
fn end_holds(server: &Server) {
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    database.busy_timeout(std::time::Duration::from_secs(10)).expect("waits");
    for table in ["holds", "hold_takes"] {
        let end = format!("UPDATE {table} SET expires_at = 1");
        database.execute(&end, []).expect("SQL");
    }
}

#[test]
fn what_is_held_is_taken_until_its_submission_uses_it() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1), field("short_text", json!({"required": true}))]));
        allow(&owner, &form, 10);
        let anon = server.anon();
        let held = token(&hold(&anon, &form, thing.values(1)));
        let values = |text: &str| json!({"field_values": {"field_1": thing.value(1), "field_2": text}});
        assert_full(&anon.post(form.submissions(), values("another")), thing);
        assert_full(&hold(&anon, &form, thing.values(1)), thing);
        if thing != Thing::Choice {
            assert_full(&owner.post(form.entries(), values("owner")), thing);
        }
        let done = anon.post(form.submissions(), with_hold(values("own"), &held));
        assert_eq!(done.status, 201, "{thing:?}: {done}");
        let twice = anon.post(form.submissions(), with_hold(values("again"), &held));
        assert_full(&twice, thing);
    }
    assert_counted(&server);
}

#[test]
fn a_hold_is_shown_as_taken() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Choice, Thing::Stock, Thing::Variant] {
        let form = owner.form(json!([thing.field(3)]));
        allow(&owner, &form, 10);
        let held = token(&hold(&server.anon(), &form, thing.values(1)));
        assert_eq!(thing.remaining(&server.anon(), &form), 2);
        let path = format!("/api/v1/f/{}/holds/{held}", form.token);
        assert_eq!(server.anon().delete(&path).status, 200);
        assert_eq!(thing.remaining(&server.anon(), &form), 3);
        assert_eq!(server.anon().delete(&path).status, 404);
    }
    assert_counted(&server);
}

#[test]
fn a_refused_submission_keeps_its_hold() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot] {
        let form = owner.form(json!([thing.field(4)]));
        allow(&owner, &form, 10);
        let held = token(&hold(&server.anon(), &form, thing.values(2)));
        for _ in 0..2 {
            submit(&server, &form, thing);
        }
        let more = with_hold(thing.values(3), &held);
        assert_full(&server.anon().post(form.submissions(), more), thing);
        assert_none_left(&server, &form, thing);
        let fewer = with_hold(thing.values(1), &held);
        assert_eq!(server.anon().post(form.submissions(), fewer).status, 201);
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

#[test]
fn a_hold_is_replaced_where_there_is_room() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot] {
        let form = owner.form(json!([thing.field(5)]));
        allow(&owner, &form, 10);
        let anon = server.anon();
        let first = hold(&anon, &form, thing.values(2));
        let path = format!("/api/v1/f/{}/holds/{}", form.token, token(&first));
        for _ in 0..3 {
            submit(&server, &form, thing);
        }
        assert_full(&anon.put(&path, thing.values(3)), thing);
        assert_none_left(&server, &form, thing);
        let less = anon.put(&path, thing.values(1));
        assert_eq!(less.status, 200, "{less}");
        assert_eq!(less.data(), first.data(), "the end stays");
        submit(&server, &form, thing);
        assert_none_left(&server, &form, thing);
        let unknown = format!("{}/holds/unknown", form.published());
        assert_eq!(anon.put(unknown, thing.values(1)).status, 404);
    }
    assert_counted(&server);
}

#[test]
fn a_hold_ends_by_itself_and_survives_a_restart_before() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let held = ALL.map(|thing| {
        let form = owner.form(json!([thing.field(1)]));
        allow(&owner, &form, 60);
        let held = token(&hold(&server.anon(), &form, thing.values(1)));
        (thing, form, held)
    });
    server.kill();
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    for (thing, form, _) in &held {
        assert_none_left(&server, form, *thing);
    }
    end_holds(&server);
    for (thing, form, token) in &held {
        // It finds room like any other.
        let late = with_hold(thing.values(1), token);
        assert_eq!(server.anon().post(form.submissions(), late).status, 201);
        assert_none_left(&server, form, *thing);
        let path = format!("/api/v1/f/{}/holds/{token}", form.token);
        assert_eq!(server.anon().delete(path).status, 404);
    }
    let left = || -> i64 {
        let database = rusqlite::Connection::open(dir.path().join("formsvc.db")).expect("opens");
        let all = "SELECT (SELECT count(*) FROM holds) + (SELECT count(*) FROM hold_takes)";
        database.query_row(all, [], |row| row.get(0)).expect("a number")
    };
    until("what ended is deleted", || left() == 0);
    let owner = again(&owner, &server);
    assert_eq!(owner.get(held[0].1.path()).status, 200);
    assert_counted(&server);
}

#[test]
fn what_an_ended_hold_kept_is_anybodys() {
    let server = Server::alone("its database is changed");
    let owner = server.user();
    let forms = ALL.map(|thing| {
        let form = owner.form(json!([thing.field(1)]));
        allow(&owner, &form, 60);
        token(&hold(&server.anon(), &form, thing.values(1)));
        assert_none_left(&server, &form, thing);
        (thing, form)
    });
    end_holds(&server);
    for (thing, form) in forms {
        submit(&server, &form, thing);
    }
}

#[test]
fn an_address_keeps_five_holds_of_a_form() {
    let server = Server::alone("its database is changed");
    let owner = server.user();
    let form = owner.form(json!([Thing::Stock.field(100)]));
    let other = owner.form(json!([Thing::Stock.field(100)]));
    for form in [&form, &other] {
        allow(&owner, form, 5);
    }
    let held: Vec<String> = (0..5).map(|_| token(&hold(&server.anon(), &form, Thing::Stock.values(1)))).collect();
    let sixth = hold(&server.anon(), &form, Thing::Stock.values(1));
    assert_eq!(sixth.status, 429, "{sixth}");
    let text =
        "Your network has 5 holds of this form, as many as it may: submit without a hold, or wait until one ends";
    assert_eq!(sixth.json(), json!({ "error": text }));
    let wait: i64 = sixth.header("retry-after").parse().expect("seconds");
    assert!((1..=301).contains(&wait), "{wait}");
    token(&hold(&server.anon(), &other, Thing::Stock.values(1)));
    let path = format!("{}/holds/{}", form.published(), held[0]);
    assert_eq!(server.anon().delete(path).status, 200);
    token(&hold(&server.anon(), &form, Thing::Stock.values(1)));
    end_holds(&server);
    token(&hold(&server.anon(), &form, Thing::Stock.values(1)));
}

#[test]
fn holds_are_where_the_settings_allow_them() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([Thing::Stock.field(9)]));
    let ask = || hold(&server.anon(), &form, Thing::Stock.values(1));
    assert_eq!(ask().to_string(), r#"403 {"error":"This form has no holds: its setting capacity.hold_minutes is 0"}"#);
    for odd in [-1, 61] {
        let settings = json!({"capacity": {"hold_minutes": odd}});
        let refused = owner.patch(form.part("settings"), settings);
        assert_eq!(refused.attributes(), ["capacity.hold_minutes"]);
    }
    let shown = || owner.get(form.part("settings")).data()["capacity"].clone();
    assert_eq!(shown(), json!({"hold_minutes": 0, "waiting_list": false}));
    allow(&owner, &form, 15);
    let before = jiff::Timestamp::now();
    let held = ask();
    let end: jiff::Timestamp = held.data()["expires_at"].as_str().and_then(|text| text.parse().ok()).expect("a time");
    let minutes = end.duration_since(before).as_secs_f64() / 60.0;
    assert!((14.9..15.5).contains(&minutes), "{minutes}");
    steps::set(&owner, &form, json!({"availability": {"manually_closed": true}}));
    assert_eq!(ask().json()["code"], "form_closed");
    let settings = json!({"availability": {"manually_closed": false}, "access_control": {"access_password": "Sesame"}});
    steps::set(&owner, &form, settings);
    assert_eq!(ask().json()["code"], "password_required");
    let mut with_password = Thing::Stock.values(1);
    with_password["password"] = json!("Sesame");
    assert_eq!(hold(&server.anon(), &form, with_password).status, 201);
    let caller = server.anon().header("X-Form-Password", "Sesame");
    let odd = json!({"field_values": {"field_1": [{"api_code": "gone", "number": 0}]}});
    let refused = hold(&caller, &form, odd);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(hold(&caller, &form, json!({})).attributes(), ["field_values"]);
    let token = server.token(&owner.email, "form:read");
    assert_eq!(hold(&token, &form, Thing::Stock.values(1)).status, 403);
}

#[test]
fn holds_and_submissions_race_for_the_last() {
    let server = Server::with(&["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.user();
    for thing in ALL {
        for round in 0..10 {
            let form = owner.form(json!([thing.field(6)]));
            allow(&owner, &form, 10);
            // Some clients hold first and submit then, some free their holds, some just submit.
            let stored: i64 = at_once(32, |n| {
                let anon = server.anon().header("x-forwarded-for", &format!("203.0.113.{n}"));
                if n % 2 == 1 {
                    let done = anon.post(form.submissions(), thing.values(1));
                    return i64::from(done.status == 201);
                }
                let held = hold(&anon, &form, thing.values(1));
                if held.status != 201 {
                    assert_eq!(held.status, 409, "{held}");
                    return 0;
                }
                let held = token(&held);
                if n % 4 == 0 {
                    let path = format!("/api/v1/f/{}/holds/{held}", form.token);
                    assert_eq!(anon.delete(path).status, 200);
                    return 0;
                }
                let done = anon.post(form.submissions(), with_hold(thing.values(1), &held));
                assert_eq!(done.status, 201, "{thing:?}: what is held is there: {done}");
                1
            })
            .into_iter()
            .sum();
            assert!(stored <= 6, "{thing:?}, round {round}: {stored}");
            assert_eq!(steps::count(&owner, &form), stored);
            for _ in stored..6 {
                submit(&server, &form, thing);
            }
            assert_none_left(&server, &form, thing);
        }
    }
    assert_counted(&server);
}

#[test]
fn one_hold_is_used_by_one_submission() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let form = owner.form(json!([thing.field(1)]));
        allow(&owner, &form, 10);
        let held = token(&hold(&server.anon(), &form, thing.values(1)));
        let statuses = at_once(16, |_| {
            let body = with_hold(thing.values(1), &held);
            server.anon().post(form.submissions(), body).status
        });
        let stored = statuses.iter().filter(|status| **status == 201).count();
        assert_eq!(stored, 1, "{thing:?}: {statuses:?}");
        let all: HashSet<u16> = statuses.into_iter().collect();
        assert_eq!(all, HashSet::from([201, 409]));
    }
    assert_counted(&server);
}
