//! Receivers that are away for hours, for good, or hang: everything comes in the end by the schedule, and nobody waits
//! for another's receiver.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::events_kept::receiver::{Answer, Receiver, closed_port};
use crate::events_kept::{FLAGS, KINDS, Webhook};
use crate::support::clock::Clock;
use crate::support::steps::again;
use crate::support::{Caller, Form, Server, field, means, until};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
/// The seconds between one attempt and the next; each may be a tenth longer.
const WAITS: [i64; 9] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// After so many attempts one of the receivers is there.
const BACK_AFTER: usize = 4;

fn text_form(owner: &Caller) -> Form {
    owner.form(json!([field("short_text", json!({}))]))
}

fn add(owner: &Caller, form: &Form, text: &str) -> Value {
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": text}}));
    assert_eq!(made.status, 201, "{made}");
    made.data()
}

/// Waits until each delivery was tried so often; asserts that the next attempt follows the last one by this wait.
fn tried(webhook: &Webhook, owner: &Caller, attempts: usize, since: Timestamp, ahead: i64) {
    let wait = WAITS[attempts - 1];
    let rows = webhook.until_all(owner, "all were tried", |row| {
        row["attempts"] == attempts && !row["next_attempt_at"].is_null() && !row["error"].is_null()
    });
    let ahead = SignedDuration::from_secs(ahead);
    // What is shown has milliseconds alone.
    let first = since + ahead + SignedDuration::from_secs(wait) - SignedDuration::from_millis(1);
    let last = Timestamp::now() + ahead + SignedDuration::from_secs(wait + wait / 10 + 1);
    for row in rows {
        assert_eq!(row["status"], "pending", "{row}");
        assert_eq!(row["response_status"], Value::Null, "{row}");
        let next = row["next_attempt_at"].as_str().expect("a time");
        let next: Timestamp = next.parse().expect("a time");
        assert!(first <= next && next <= last, "{attempts}: {first} {next} {last}");
    }
}

#[test]
fn whoever_was_away_gets_everything_by_the_schedule() {
    if !means::has(&["cc"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::new();
    let mut since = Timestamp::now();
    let mut server = clock.server(dir.path(), &FLAGS);
    let mut owner = server.user();
    let form = text_form(&owner);
    let (away, gone) = (closed_port(), closed_port());
    let url = |port: u16| format!("http://127.0.0.1:{port}/a");
    let late = Webhook::new(&owner, &form, &url(away), &KINDS);
    let never = Webhook::new(&owner, &form, &url(gone), &KINDS[..1]);
    let entries = ["a", "b", "c"].map(|text| add(&owner, &form, text));
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let mut ahead = 0;
    let mut receiver = None;
    for attempts in 1..=WAITS.len() {
        tried(&never, &owner, attempts, since, ahead);
        if attempts <= BACK_AFTER {
            tried(&late, &owner, attempts, since, ahead);
        }
        server.kill();
        if attempts == BACK_AFTER {
            receiver = Some(Receiver::at(away, |_| Answer::Status(200)));
        }
        // As soon as the longest wait is over.
        ahead += WAITS[attempts - 1] * 11 / 10 + 2;
        clock.ahead(u32::try_from(ahead).expect("days"));
        since = Timestamp::now();
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
        assert_eq!((&row["status"], &row["attempts"]), (&json!("delivered"), &json!(BACK_AFTER + 1)));
    }
    // The other one is given up after the last attempt.
    let rows = never.until_all(&owner, "it is given up", |row| row["status"] == "failed");
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(row["attempts"], WAITS.len() + 1, "{row}");
        assert_eq!(row["next_attempt_at"], Value::Null, "{row}");
    }
    // Whoever asks for it gets it all the same, under the same id.
    let back = Receiver::at(gone, |_| Answer::Status(200));
    let path = format!("deliveries/{}/redeliver", rows[1]["id"].as_str().expect("an id"));
    let asked = owner.post(never.part(&path), json!({}));
    assert_eq!(asked.status, 200, "{asked}");
    let got = back.first_taken("/a", 1).remove(0);
    let same = first.iter().find(|one| (one.kind(), one.text()) == ("entry_created", got.text()));
    assert_eq!(got.bytes, same.expect("the other one got it too").bytes);
    assert_eq!(receiver.taken("/a").len(), 4, "each came once");
}

#[test]
fn one_that_hangs_holds_up_no_other() {
    let receiver = Receiver::with(|got| match got.path.as_str() {
        "/hangs" => Answer::Hang,
        _ => Answer::Status(200),
    });
    let server = Server::with(&FLAGS);
    let owner = server.user();
    let form = text_form(&owner);
    let hangs = Webhook::new(&owner, &form, &receiver.url("/hangs"), &KINDS);
    let good = Webhook::new(&owner, &form, &receiver.url("/good"), &KINDS);
    let texts: Vec<String> = (0..30).map(|n| format!("entry {n}")).collect();
    for text in &texts {
        add(&owner, &form, text);
    }
    let came = receiver.first_taken("/good", texts.len());
    until("the other one is asked", || !receiver.asked("/hangs").is_empty());
    assert!(receiver.taken("/hangs").is_empty(), "nothing was taken there by now");
    let came: Vec<&str> = came.iter().map(|got| got.text()).collect();
    assert_eq!(came, texts, "in their order");
    good.until_all(&owner, "noted as delivered", |row| row["status"] == "delivered");
    receiver.release();
    let mut late: Vec<String> =
        receiver.first_taken("/hangs", texts.len()).iter().map(|got| got.text().to_owned()).collect();
    late.sort_unstable_by_key(|text| text[6..].parse::<usize>().expect("a number"));
    assert_eq!(late, texts);
    hangs.until_all(&owner, "noted as delivered", |row| row["status"] == "delivered");
}

#[test]
fn many_that_hang_hold_up_no_other() {
    let receiver = Receiver::with(|got| Answer::Status(if got.path == "/good" { 200 } else { 500 }));
    let server = Server::with(&FLAGS);
    let owner = server.user();
    // More than there are places for attempts at the same time, each at a host of its own.
    let forms: Vec<Form> = (0..6).map(|_| text_form(&owner)).collect();
    for (nth, form) in forms.iter().enumerate() {
        for host in 1..=20 {
            let url = format!("http://127.0.{}.{host}:{}/hangs", nth + 1, receiver.port);
            Webhook::new(&owner, form, &url, &KINDS);
        }
    }
    let add_all = |text: &str| {
        for form in &forms {
            add(&owner, form, text);
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
    let form = text_form(&owner);
    Webhook::new(&owner, &form, &receiver.url("/good"), &KINDS);
    let texts: Vec<String> = (0..20).map(|n| format!("good {n}")).collect();
    for text in &texts {
        add(&owner, &form, text);
    }
    let came = receiver.first_taken("/good", texts.len());
    let came: Vec<&str> = came.iter().map(|got| got.text()).collect();
    assert_eq!(came, texts, "in their order");
    assert!(receiver.taken("/hangs").is_empty(), "nothing was taken there by now");
    receiver.release();
    until("the others get theirs", || receiver.taken("/hangs").len() >= 120);
}

#[test]
fn submissions_wait_for_no_receiver() {
    let receiver = Receiver::with(|_| Answer::Hang);
    let server = Server::with(&FLAGS);
    let owner = server.user();
    let form = text_form(&owner);
    for path in ["/a", "/b", "/c"] {
        Webhook::new(&owner, &form, &receiver.url(path), &KINDS);
    }
    add(&owner, &form, "first");
    until("all hang", || ["/a", "/b", "/c"].iter().all(|path| !receiver.asked(path).is_empty()));
    for n in 0..50 {
        add(&owner, &form, &n.to_string());
    }
    assert!(["/a", "/b", "/c"].iter().all(|path| receiver.taken(path).is_empty()));
}
