//! Receivers that are away for hours or for good get everything by the schedule; one slow receiver does not hold up the
//! others.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::receiver::{Answer, Receiver, closed_port};
use support::steps::again;
use support::{Caller, Form, Server, until};

use crate::delivery::{FLAGS, KINDS, Webhook, enter, fields, has, ok, told, values};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
/// The seconds between one attempt and the next; each may be a tenth longer.
const WAITS: [i64; 9] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// One of the receivers is up after so many attempts.
const BACK_AFTER: usize = 4;

/// Waits until each delivery was tried so often at this time; asserts that the next attempt follows by this wait.
fn tried(webhook: &Webhook, owner: &Caller, attempts: usize, now: Timestamp) {
    let wait = WAITS[attempts - 1];
    let rows = webhook.until_all(owner, "all were tried", |row| {
        row["attempts"] == attempts && !row["next_attempt_at"].is_null() && !row["error"].is_null()
    });
    let (first, last) = (now + SignedDuration::from_secs(wait), now + SignedDuration::from_secs(wait + wait / 10 + 1));
    for row in rows {
        has(&row, json!({"status": "pending", "response_status": null}));
        let next = row["next_attempt_at"].as_str().expect("a time");
        let next: Timestamp = next.parse().expect("a time");
        assert!(first <= next && next <= last, "{attempts}: {first} {next} {last}");
    }
}

#[test]
fn whoever_was_away_gets_everything_by_the_schedule() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let mut now = Timestamp::from_second(Timestamp::now().as_second()).expect("a time");
    clock.stands_at(now);
    let mut server = clock.server(dir.path(), &FLAGS);
    let mut owner = server.user();
    let form = owner.form(fields());
    let (away, gone) = (closed_port(), closed_port());
    let url = |port: u16| format!("http://127.0.0.1:{port}/a");
    let late = Webhook::new(&owner, &form, &url(away), &KINDS);
    let never = Webhook::new(&owner, &form, &url(gone), &KINDS[..1]);
    let entries = ["a", "b", "c"].map(|text| owner.post(form.entries(), values(json!({"field_1": text}))).data());
    ok(owner.delete(form.entry(2)));
    let mut receiver = None;
    for attempts in 1..=WAITS.len() {
        tried(&never, &owner, attempts, now);
        if attempts <= BACK_AFTER {
            tried(&late, &owner, attempts, now);
        }
        server.kill();
        if attempts == BACK_AFTER {
            receiver = Some(Receiver::at(away, |_| Answer::Status(200)));
        }
        // As soon as the longest wait is over.
        now += SignedDuration::from_secs(WAITS[attempts - 1] * 11 / 10 + 2);
        clock.stands_at(now);
        server = clock.server(dir.path(), &FLAGS);
        owner = again(&owner, &server);
    }
    let receiver = receiver.expect("it is back");
    let first = receiver.first_taken("/a", 4);
    let mut came: Vec<(&str, &str)> = first.iter().map(|got| (got.kind(), got.text())).collect();
    came.sort_unstable();
    assert_eq!(came, [("entry_created", "a"), ("entry_created", "b"), ("entry_created", "c"), ("entry_deleted", "b")]);
    for got in &first {
        late.check(&form, got);
        let same = |entry: &&Value| entry["field_1"] == got.text();
        let entry = entries.iter().find(same).expect("an entry");
        assert_eq!(got.body["entry"], *entry, "as it was when it happened");
    }
    for row in late.deliveries(&owner) {
        has(&row, json!({"status": "delivered", "attempts": BACK_AFTER + 1}));
    }
    // The other one is given up after the last attempt.
    let rows = never.until_all(&owner, "it is given up", |row| row["status"] == "failed");
    assert_eq!(rows.len(), 3);
    for row in &rows {
        has(row, json!({"attempts": WAITS.len() + 1, "next_attempt_at": null}));
    }
    // A redelivery sends it all the same, under the same id.
    let back = Receiver::at(gone, |_| Answer::Status(200));
    ok(never.redeliver(&owner, rows[1]["id"].as_str().expect("an id")));
    let got = back.first_taken("/a", 1).remove(0);
    let same = first.iter().find(|one| (one.kind(), one.text()) == ("entry_created", got.text()));
    assert_eq!(got.bytes, same.expect("the other one got it too").bytes);
    assert_eq!(receiver.taken("/a").len(), 4, "each came once");
}

#[test]
fn receivers_that_hang_hold_up_neither_submissions_nor_another() {
    let receiver = Receiver::with(|got| if got.path == "/good" { Answer::Status(200) } else { Answer::Hang });
    // On its own server, as the other below: hanging attempts take the places of one host.
    let server = Server::with(&FLAGS);
    let (owner, form, good) = told(&server, &receiver.url("/good"));
    let paths = ["/a", "/b", "/c"];
    let hanging = paths.map(|path| Webhook::new(&owner, &form, &receiver.url(path), &KINDS));
    enter(&owner, &form, "entry 0");
    until("all of them hang", || paths.iter().all(|path| !receiver.asked(path).is_empty()));
    let texts: Vec<String> = (0..50).map(|n| format!("entry {n}")).collect();
    for text in &texts[1..] {
        enter(&owner, &form, text);
    }
    let came = receiver.first_taken("/good", texts.len());
    let came: Vec<&str> = came.iter().map(|got| got.text()).collect();
    assert_eq!(came, texts, "in their order");
    assert!(paths.iter().all(|path| receiver.taken(path).is_empty()), "nothing was taken there by now");
    good.until_status(&owner, texts.len(), "delivered");
    receiver.release();
    for (path, webhook) in paths.iter().zip(hanging) {
        let late = receiver.first_taken(path, texts.len());
        let mut late: Vec<&str> = late.iter().map(|got| got.text()).collect();
        late.sort_unstable_by_key(|text| text[6..].parse::<usize>().expect("a number"));
        assert_eq!(late, texts, "{path}");
        webhook.until_status(&owner, texts.len(), "delivered");
    }
}

#[test]
fn many_that_hang_hold_up_no_other() {
    let receiver = Receiver::with(|got| Answer::Status(if got.path == "/good" { 200 } else { 500 }));
    let server = Server::with(&FLAGS);
    let owner = server.user();
    // More than there are places for attempts at the same time, each at its own host.
    let forms: Vec<Form> = (0..6).map(|_| owner.form(fields())).collect();
    for (nth, form) in forms.iter().enumerate() {
        for host in 1..=20 {
            let url = format!("http://127.0.{}.{host}:{}/hangs", nth + 1, receiver.port);
            Webhook::new(&owner, form, &url, &KINDS);
        }
    }
    let add_all = |text: &str| {
        for form in &forms {
            enter(&owner, form, text);
        }
    };
    add_all("first");
    until("all have failed once", || {
        let asked = receiver.asked("/hangs");
        asked.iter().filter(|got| got.text() == "first").count() >= 120
    });
    receiver.now(|got| match got.path.as_str() {
        "/good" => Answer::Status(200),
        _ => Answer::Hang,
    });
    add_all("second");
    until("some hang", || {
        let asked = receiver.asked("/hangs");
        asked.iter().any(|got| got.text() == "second")
    });
    let form = owner.form(fields());
    Webhook::new(&owner, &form, &receiver.url("/good"), &KINDS);
    let texts: Vec<String> = (0..20).map(|n| format!("good {n}")).collect();
    for text in &texts {
        enter(&owner, &form, text);
    }
    let came = receiver.first_taken("/good", texts.len());
    let came: Vec<&str> = came.iter().map(|got| got.text()).collect();
    assert_eq!(came, texts, "in their order");
    assert!(receiver.taken("/hangs").is_empty(), "nothing was taken there by now");
    receiver.release();
    until("the others get theirs", || receiver.taken("/hangs").len() >= 120);
}
