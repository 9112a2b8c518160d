//! Kill -9 under load, again and again over one data dir, with receivers of which one fails now and then: every change
//! that was answered arrives, in the end once each by its id, and nothing arrives that is not in the form.
//!
//! 3 rounds; `TEST_CRASH_ROUNDS=50` in the environment asks for as many as it says.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::receiver::{Answer, Got, Receiver, firsts};
use support::steps::{again, set};
use support::{Caller, Form, Server, field, rounds, until};

use super::writers::{Writer, Writing};
use crate::delivery::{FLAGS, KINDS, Webhook, ok, query, told, values};

const WRITERS: usize = 6;
const HOUR: u32 = 3600;
/// A receiver never fails the same event more often: after ten attempts it would be given up.
const FAILURES: u32 = 3;

/// A change as its writer knows it.
#[derive(Clone, Debug)]
pub struct Change {
    pub kind: &'static str,
    /// The text of the entry's first field then; no other change of this kind has the same.
    pub text: String,
    /// The entry's number, where it is known.
    pub serial: Option<i64>,
    /// The answer; none if nothing was answered.
    pub answer: Option<Value>,
}

/// The expected deliveries, each with its entry.
type Expected = HashMap<(String, String), Value>;

fn key(got: &Got) -> (String, String) {
    (got.kind().to_owned(), got.text().to_owned())
}

/// Fails about a third of the requests to `/flaky`, in every way.
fn now_and_then(seed: u64) -> impl FnMut(&Got) -> Answer + Send + 'static {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut failures: HashMap<String, u32> = HashMap::new();
    move |got| {
        let failed = failures.entry(got.header("webhook-id").to_owned()).or_default();
        if got.path != "/flaky" || *failed == FAILURES || rng.random_range(0..3) > 0 {
            return Answer::Status(200);
        }
        *failed += 1;
        let ways = [
            Answer::Status(500),
            Answer::Status(503),
            Answer::Status(429),
            Answer::Status(404),
            Answer::Status(302),
            Answer::HangUp,
            Answer::HangUpEarly,
            Answer::Half,
        ];
        ways[rng.random_range(0..ways.len())]
    }
}

#[test]
fn every_change_that_was_answered_arrives_although_the_server_is_killed() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 3);
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::on_time();
    let receiver = Receiver::with(now_and_then(20_261_126));
    let mut server = clock.server(dir.path(), &FLAGS);
    let mut owner = server.user();
    let form = owner
        .form(json!([field("short_text", json!({"max_length": 60, "required": true})), field("number", json!({})),]));
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let query = query(&owner, &form);
    let webhook = |path: &str, kinds: &[&str]| {
        let url = receiver.url(path);
        Webhook::new(&owner, &form, &url, kinds)
    };
    let flaky = webhook("/flaky", &KINDS);
    let steady = webhook("/steady", &KINDS);
    let some = webhook("/some", &["entry_deleted", "entry_restored"]);
    let mut expected = Expected::new();
    let mut orders: Vec<Vec<Change>> = Vec::new();
    let mut rng = rand::rng();
    for round in 0..rounds {
        let life = Duration::from_millis(rng.random_range(50..500));
        let token = owner.token.clone().expect("a token");
        let writing = Writing { base: &server.base, token: &token, form: &form, query: &query };
        let written: Vec<Vec<Change>> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let name = format!("{round}.{writer}");
                    scope.spawn(move || Writer::new(writing, name).write())
                })
                .collect();
            let before = receiver.taken("/steady").len();
            let is_last = round + 1 == rounds;
            until("some have arrived, and in the end of every kind", || {
                let taken = receiver.taken("/steady");
                let kinds: HashSet<&str> = taken.iter().map(|got| got.kind()).collect();
                taken.len() > before + WRITERS && (!is_last || kinds.len() == KINDS.len())
            });
            thread::sleep(life);
            server.kill();
            let written = writers.into_iter();
            written.map(|writer| writer.join().expect("no panic")).collect()
        });
        clock.ahead(HOUR * u32::try_from(round + 1).expect("few"));
        server = clock.server(dir.path(), &FLAGS);
        owner = again(&owner, &server);
        for change in written.iter().flatten() {
            if let Some(entry) = happened(&owner, &form, change) {
                let key = (change.kind.to_owned(), change.text.clone());
                assert!(expected.insert(key, entry).is_none(), "{change:?}");
            }
        }
        orders.extend(written);
    }
    // A delivery that waits for its next attempt is due a day later.
    server.kill();
    receiver.now(|_| Answer::Status(200));
    clock.ahead(HOUR * u32::try_from(rounds + 30).expect("few"));
    server = clock.server(dir.path(), &FLAGS);
    let owner = again(&owner, &server);
    for webhook in [&flaky, &steady, &some] {
        webhook.until_all(&owner, "all is delivered", |row| {
            assert_ne!(row["status"], "failed", "{row}");
            row["status"] == "delivered"
        });
    }
    for (webhook, path) in [(&flaky, "/flaky"), (&steady, "/steady"), (&some, "/some")] {
        let first = firsts(receiver.taken(path));
        let wanted = |kind: &str| path != "/some" || ["entry_deleted", "entry_restored"].contains(&kind);
        let wanted = expected.iter().filter(|((kind, _), _)| wanted(kind));
        compare(&first, wanted.collect(), path);
        for got in &first {
            webhook.check(&form, got);
        }
    }
    in_order(&firsts(receiver.taken("/steady")), &orders);
    let kinds: HashSet<&str> = expected.keys().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds.len(), KINDS.len(), "{kinds:?}");
    assert!(receiver.asked("/flaky").len() > expected.len(), "some failed");
}

/// Whether a change took place, asked of the server that was started after it; with the expected entry of its event.
fn happened(owner: &Caller, form: &Form, change: &Change) -> Option<Value> {
    if let Some(answer) = &change.answer {
        return Some(answer.clone());
    }
    let text = json!({"field_1": change.text});
    match (change.kind, change.serial) {
        ("entry_created", _) => {
            let filters = json!([{"field": "field_1", "operator": "eq", "value": change.text}]);
            let found = ok(owner.post(form.query(), json!({"filters": filters}))).data();
            let found = found.as_array().expect("rows");
            assert!(found.len() < 2, "stored twice: {}", change.text);
            found.first().cloned()
        }
        ("entry_updated", Some(serial)) => {
            let entry = owner.get(form.entry(serial)).data();
            (entry["field_1"] == change.text).then_some(entry)
        }
        ("entry_deleted", Some(serial)) => (owner.get(form.entry(serial)).status == 404).then_some(text),
        ("entry_restored", Some(serial)) => {
            let entry = owner.get(form.entry(serial));
            (entry.status == 200).then(|| entry.data())
        }
        _ => panic!("{change:?}"),
    }
}

/// Compares the arrived deliveries with the expected ones: each once, and with the entry that was answered.
fn compare(first: &[Got], expected: HashMap<&(String, String), &Value>, path: &str) {
    let mut left = expected;
    for got in first {
        let entry = left.remove(&key(got));
        let entry = entry.unwrap_or_else(|| panic!("{path}: nobody made this: {}", got.body));
        for (name, value) in entry.as_object().expect("an entry") {
            assert_eq!(got.body["entry"][name], *value, "{path}: {name}: {}", got.body);
        }
    }
    let missing: Vec<_> = left.keys().collect();
    assert!(missing.is_empty(), "{path}: lost: {missing:?}");
}

/// Asserts that each writer's events came in the order of the answers, and new entries by their numbers.
fn in_order(first: &[Got], orders: &[Vec<Change>]) {
    let mut newest = 0;
    for got in first.iter().filter(|got| got.kind() == "entry_created") {
        assert!(got.serial() > newest, "{} after {newest}", got.serial());
        newest = got.serial();
    }
    let places: HashMap<(String, String), usize> = first.iter().map(key).zip(0..).collect();
    for order in orders {
        let answered = order.iter().filter(|change| change.answer.is_some());
        let places: Vec<usize> =
            answered.map(|change| places[&(change.kind.to_owned(), change.text.clone())]).collect();
        assert!(places.is_sorted(), "{order:?} came as {places:?}");
    }
}

#[test]
fn a_change_that_waits_while_its_entry_is_removed_for_good_still_arrives() {
    let receiver = Receiver::with(|_| Answer::Hang);
    // On its own server: hanging attempts take the places of one host.
    let server = Server::with(&FLAGS);
    let (owner, form, webhook) = told(&server, &receiver.url("/a"));
    let made = owner.post(form.entries(), values(json!({"field_1": "a"})));
    until("the first is under way", || !receiver.asked("/a").is_empty());
    ok(owner.delete(form.entry(1)));
    ok(owner.delete(form.trashed(1)));
    let kept = owner.post(form.entries(), values(json!({"field_1": "b"})));
    receiver.now(|_| Answer::Status(200));
    receiver.release();
    let first = receiver.first_taken("/a", 3);
    let kinds: Vec<(&str, &str)> = first.iter().map(|got| (got.kind(), got.text())).collect();
    assert_eq!(kinds, [("entry_created", "a"), ("entry_deleted", ""), ("entry_created", "b")]);
    assert_eq!(first[0].body["entry"], made.data());
    assert_eq!(first[1].body["entry"]["purged"], true);
    assert_eq!(first[2].body["entry"], kept.data());
    // Settled deliveries are deleted with the entry.
    until("the deliveries of the entry are gone", || webhook.deliveries(&owner).len() == 1);
}
