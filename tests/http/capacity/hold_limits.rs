//! Nobody keeps a stock from the others by holds (handbook `forms.md`): the most amounts of one hold, the most holds
//! that end unused, the managers' list of them, and how they end them at `/api/v1/forms/{form_token}/holds`.

use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};
use serde_json::{Value, json};
use support::clock::Clock;
use support::sharing::share;
use support::{Caller, Form, Response, Server, steps, until};

use super::{ALL, Thing, assert_counted, assert_full, assert_none_left, monday, submit};

/// The things that one entry can take more than once.
const MANY: [Thing; 4] = [Thing::Stock, Thing::Variant, Thing::Day, Thing::Slot];
const FLAGS: [&str; 4] = ["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"];

/// Somebody in another network.
fn from(server: &Server, host: usize) -> Caller {
    server.anon().header("x-forwarded-for", &format!("203.0.113.{host}"))
}

fn held(owner: &Caller, thing: Thing, most: i64, minutes: i64) -> Form {
    let form = owner.form(json!([thing.field(most)]));
    steps::set(owner, &form, json!({"capacity": {"hold_minutes": minutes}}));
    form
}

fn hold(caller: &Caller, form: &Form, thing: Thing, number: i64) -> Response {
    caller.post(format!("{}/holds", form.published()), thing.values(number))
}

/// The address of a hold that was given.
fn address(form: &Form, held: &Response) -> String {
    let held = held.clone().is(201).data();
    format!("{}/holds/{}", form.published(), held["hold_token"].as_str().expect("a token"))
}

/// Asserts that a hold is refused since it would keep too much: its limit is `most`.
#[track_caller]
fn assert_too_much(answer: &Response, thing: Thing, most: i64) {
    assert_eq!(answer.status, 409, "{thing:?}: {answer}");
    let attribute = thing.attribute();
    let expected = json!({
        "error": "A hold can reserve at most half of what is left: hold less, or submit without a hold", "code": "hold_limit",
        "error_details": [{"attribute": attribute, "message": format!(
            "can be held up to {most}, which is half of what is left: submit without a hold for more")}],
    });
    assert_eq!(answer.json(), expected);
}

/// The seconds to wait, of a network whose holds ended unused.
#[track_caller]
fn shut_out_for(answer: &Response) -> i64 {
    assert_eq!(answer.status, 429, "{answer}");
    assert_eq!(
        answer.json(),
        json!({"error": "Holds of this form that your network took ended without a submission: submit without a hold, or wait"})
    );
    answer.header("retry-after").parse().expect("seconds")
}

#[test]
fn others_order_while_a_stock_is_held_and_let_go_again_and_again() {
    let server = Server::with(&FLAGS);
    let owner = server.user();
    for thing in MANY {
        let form = held(&owner, thing, 100, 10);
        let (greedy, other) = (from(&server, 1), from(&server, 2));
        for round in 1..=30 {
            let taken = [100, 30].map(|number| hold(&greedy, &form, thing, number)).into_iter();
            let kept: Vec<String> = taken.filter(|it| it.status == 201).map(|it| address(&form, &it)).collect();
            assert_eq!(kept.len(), usize::from(round <= 2), "{thing:?}, round {round}");
            let ordered = other.post(form.submissions(), thing.values(1));
            assert_eq!(ordered.status, 201, "{thing:?}, round {round}: {ordered}");
            for path in kept {
                greedy.delete(path).is(200);
            }
        }
        assert_eq!(steps::count(&owner, &form), 30);
    }
    assert_counted(&server);
}

#[test]
fn a_hold_keeps_half_of_what_is_left_and_a_submission_takes_all() {
    let server = Server::with(&FLAGS);
    let owner = server.user();
    for thing in MANY {
        let form = held(&owner, thing, 10, 10);
        // Too much, and the most, with so many left.
        for (host, (more, most)) in [(6, 5), (3, 2), (2, 1)].into_iter().enumerate() {
            let caller = from(&server, host);
            assert_too_much(&hold(&caller, &form, thing, more), thing, most);
            let path = address(&form, &hold(&caller, &form, thing, most));
            // Another one in its place may keep as much, and no more.
            assert_too_much(&caller.put(&path, thing.values(more)), thing, most);
            for number in [1, most] {
                caller.put(&path, thing.values(number)).is(200);
            }
        }
        // One is always possible, then it is full.
        for host in 3..5 {
            address(&form, &hold(&from(&server, host), &form, thing, 1));
        }
        assert_full(&hold(&from(&server, 5), &form, thing, 1), thing);
        let form = held(&owner, thing, 10, 10);
        from(&server, 0).post(form.submissions(), thing.values(10)).is(201);
        assert_none_left(&server, &form, thing);
    }
    // A hold may become smaller, however little is left.
    let form = held(&owner, Thing::Stock, 10, 10);
    let path = address(&form, &hold(&from(&server, 0), &form, Thing::Stock, 5));
    server.anon().post(form.submissions(), Thing::Stock.values(5)).is(201);
    from(&server, 0).put(&path, Thing::Stock.values(4)).is(200);
    // A share of a quota is one.
    let form = held(&owner, Thing::Choice, 1, 10);
    address(&form, &hold(&from(&server, 0), &form, Thing::Choice, 1));
    assert_full(&hold(&from(&server, 1), &form, Thing::Choice, 1), Thing::Choice);
    assert_counted(&server);
}

#[test]
fn two_holds_that_end_unused_shut_their_network_out_for_ten_times_their_length() {
    let (dir, clock) = (tempfile::tempdir().expect("a folder"), Clock::on_time());
    // Far from midnight: pseudonyms of networks are others each day.
    let noon = (Zoned::now().date() + 1.day()).at(12, 0, 0, 0).in_tz("UTC").expect("a time").timestamp();
    let at = |secs: i64| -> Timestamp { noon + SignedDuration::from_secs(secs) };
    clock.stands_at(at(0));
    let server = clock.server(dir.path(), &FLAGS);
    let owner = server.user();
    let form = held(&owner, Thing::Stock, 100, 2);
    let (one, other) = (from(&server, 1), from(&server, 2));
    let asks = |caller: &Caller| hold(caller, &form, Thing::Stock, 1);
    // One is used, also after its end, and one gives way to another: none of these is unused.
    for late in [0, 121] {
        clock.stands_at(at(late));
        let used = asks(&one).is(201).data();
        clock.stands_at(at(late * 2));
        let mut values = Thing::Stock.values(1);
        values["hold_token"] = used["hold_token"].clone();
        one.post(form.submissions(), values).is(201);
    }
    let path = address(&form, &asks(&one));
    for number in [3, 2, 1] {
        one.put(&path, Thing::Stock.values(number)).is(200);
    }
    // It ends by itself.
    clock.stands_at(at(500));
    let path = address(&form, &asks(&one));
    one.delete(path).is(200);
    // The next holds of the same network wait, those of others do not, nor those in other forms, and submissions never.
    assert_eq!(shut_out_for(&asks(&one)), 1201);
    address(&form, &asks(&other));
    let elsewhere = held(&owner, Thing::Stock, 9, 2);
    address(&elsewhere, &hold(&one, &elsewhere, Thing::Stock, 1));
    one.post(form.submissions(), Thing::Stock.values(2)).is(201);
    clock.stands_at(at(500 + 1199));
    assert_eq!(shut_out_for(&asks(&one)), 2);
    clock.stands_at(at(500 + 1200));
    let path = address(&form, &asks(&one));
    // One more is enough after that.
    one.delete(path).is(200);
    assert_eq!(shut_out_for(&asks(&one)), 1201);
    // A day later all of it is forgotten.
    clock.stands_at(at(500 + 1200 + 25 * 3600));
    address(&form, &asks(&one));
    let rows = || -> i64 {
        let database = rusqlite::Connection::open(dir.path().join("formsvc.db")).expect("opens");
        database.query_row("SELECT count(*) FROM holds", [], |row| row.get(0)).expect("a number")
    };
    until("they are gone", || rows() == 1);
    assert_counted(&server);
}

/// The counts beside `remaining` of a thing whose field has one of them.
fn counts(caller: &Caller, form: &Form, thing: Thing) -> Value {
    let part = match thing {
        Thing::Day | Thing::Slot => {
            let day = monday();
            let days = caller.get(format!("{}/availability?field=field_1&from={day}&to={day}", form.published()));
            let day = days.is(200).data()[0].clone();
            if thing == Thing::Day { day } else { day["slots"][0].clone() }
        }
        Thing::Choice | Thing::Stock | Thing::Variant => {
            let own = caller.get(form.published()).is(200).data()["fields"][0].clone();
            match thing {
                Thing::Choice => own["choices"][0].clone(),
                Thing::Stock => own["goods_items"][0].clone(),
                _ => own["goods_items"][0]["skus"][0].clone(),
            }
        }
    };
    json!([part["remaining"], part.get("held")])
}

#[test]
fn managers_see_what_is_held() {
    let server = Server::shared();
    let owner = server.user();
    let [manager, editor, viewer] = ["manager", "editor", "viewer"].map(|role| (server.user(), role));
    for thing in ALL {
        let form = held(&owner, thing, 5, 10);
        for (user, role) in [&manager, &editor, &viewer] {
            share(&owner, &form, user, role);
        }
        submit(server, &form, thing);
        assert_eq!(counts(&owner, &form, thing), json!([4, 0]), "{thing:?}");
        address(&form, &hold(&server.anon(), &form, thing, 1));
        for caller in [&owner, &manager.0] {
            assert_eq!(counts(caller, &form, thing), json!([3, 1]), "{thing:?}");
        }
        let respondent = server.token(&owner.email, "form:respond");
        for caller in [&editor.0, &viewer.0, &server.user(), &server.anon(), &respondent] {
            assert_eq!(counts(caller, &form, thing), json!([3, null]), "{thing:?}");
        }
    }
    // Weekdays and slots say it of the next day.
    for thing in [Thing::Day, Thing::Slot] {
        let form = held(&owner, thing, 5, 10);
        let shown = |caller: &Caller| caller.get(form.published()).is(200).text.contains("\"held\":0");
        assert!(shown(&owner) && !shown(&server.anon()));
    }
}

#[test]
fn managers_end_all_holds_of_a_form() {
    let server = Server::alone("doctor counts all of it");
    let (owner, editor) = (server.user(), server.user());
    for thing in ALL {
        let [form, other] = [8, 8].map(|most| held(&owner, thing, most, 10));
        steps::set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
        share(&owner, &form, &editor, "editor");
        for form in [&form, &other] {
            for _ in 0..2 {
                address(form, &hold(&server.anon(), form, thing, 1));
            }
        }
        for _ in 0..6 {
            submit(&server, &form, thing);
        }
        let mut waits = thing.values(1);
        waits["waiting_list"] = json!(true);
        server.anon().post(form.submissions(), waits).is(201);
        let end = |caller: &Caller| caller.delete(form.part("holds"));
        assert_eq!(end(&editor).status, 403);
        assert_eq!(end(&server.user()).status, 404);
        assert_eq!(end(&server.anon()).status, 401);
        assert_eq!(end(&owner).is(200).data(), json!({"deleted": true, "holds": 2}), "{thing:?}");
        assert_eq!(end(&owner).is(200).data(), json!({"deleted": true, "holds": 0}));
        let noted = owner.get("/api/v1/audit_events?page_size=1").is(200).data()[0].clone();
        assert_eq!((&noted["action"], &noted["form_token"]), (&json!("form.holds_ended"), &json!(form.token)));
        // The waiting entry moved up, and those who lost their holds are not shut out for it.
        assert_eq!(owner.get(form.entry(7)).data()["waiting_position"], Value::Null, "{thing:?}");
        address(&form, &hold(&server.anon(), &form, thing, 1));
        assert_none_left(&server, &form, thing);
        // Holds of other forms stay.
        assert_eq!(counts(&owner, &other, thing), json!([6, 2]), "{thing:?}");
    }
    assert_counted(&server);
}
