//! The last places, for many at once: exactly as many are taken as there are, none over, and the counts agree with the
//! entries, also across kill -9.
//!
//! 10 rounds; `TEST_CRASH_ROUNDS=50` in the environment sets the number of kills.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::raw::Talk;
use support::steps::{self, again};
use support::{Server, at_once, rounds, until};

use super::{ALL, Thing, assert_counted, assert_none_left};

const ROUNDS: usize = 10;
const SUBMITTERS: usize = 64;
const LAST: usize = 7;

#[test]
fn the_last_choices_go_to_as_many_as_there_are() {
    race_for_the_last(Thing::Choice);
}

#[test]
fn the_last_pieces_go_to_as_many_as_there_are() {
    race_for_the_last(Thing::Stock);
}

#[test]
fn the_last_pieces_of_a_variant_go_to_as_many_as_there_are() {
    race_for_the_last(Thing::Variant);
}

#[test]
fn the_last_places_of_a_day_go_to_as_many_as_there_are() {
    race_for_the_last(Thing::Day);
}

#[test]
fn the_last_places_of_a_slot_go_to_as_many_as_there_are() {
    race_for_the_last(Thing::Slot);
}

fn race_for_the_last(thing: Thing) {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for round in 0..ROUNDS {
        let most = i64::try_from(LAST).expect("few");
        let form = owner.form(json!([thing.field(most)]));
        let statuses = at_once(SUBMITTERS, |_| {
            let mut talk = Talk::open(&server.base).expect("connects");
            let answer = talk.post(&form.submissions(), &thing.values(1));
            answer.expect("an answer").0
        });
        let with = |status: u16| statuses.iter().filter(|one| **one == status).count();
        assert_eq!((with(201), with(409)), (LAST, SUBMITTERS - LAST), "{thing:?}, round {round}: {statuses:?}");
        assert_eq!(steps::count(&owner, &form), most);
        assert_none_left(&server, &form, thing);
    }
    assert_counted(&server);
}

/// Submissions, edits, cancellations, deletions and restores at once.
#[test]
fn places_that_come_and_go_are_never_overbooked() {
    let server = Server::alone("doctor counts all of it");
    let owner = server.user();
    for thing in ALL {
        let most = 5;
        let form = owner.form(json!([thing.field(most)]));
        let known = AtomicUsize::new(0);
        let some = |n: usize| {
            let known = known.load(Ordering::Relaxed).max(1);
            i64::try_from(n % known + 1).expect("few")
        };
        at_once(16, |n| {
            for step in 0..12 {
                let serial = some(n * 7 + step);
                let answer = match (n + step) % 5 {
                    0 => owner.delete(form.entry(serial)),
                    // Quotas of choices don't bind collaborators.
                    1 if thing != Thing::Choice => owner.post(format!("{}/restore", form.trashed(serial)), json!({})),
                    2 if thing != Thing::Choice => {
                        let value = if step % 2 == 0 { thing.value(2) } else { thing.other() };
                        owner.patch(form.entry(serial), json!({"field_values": {"field_1": value}}))
                    }
                    _ => {
                        let done = server.anon().post(form.submissions(), thing.values(1));
                        if done.status == 201 {
                            known.fetch_add(1, Ordering::Relaxed);
                        }
                        done
                    }
                };
                let expected = [200, 201, 404, 409];
                assert!(expected.contains(&answer.status), "{thing:?}: {answer}");
            }
        });
        let entries = owner.get(format!("{}?page_size=100", form.entries())).data();
        let taken: i64 = entries
            .as_array()
            .expect("entries")
            .iter()
            .flat_map(|entry| entry["field_1"].as_array().cloned().unwrap_or_default())
            .map(|line| line["number"].as_i64().unwrap_or(1))
            .sum();
        assert!(taken <= most, "{thing:?}: {taken}");
        assert_counted(&server);
    }
}

#[test]
fn the_last_choices_are_exact_across_a_kill() {
    race_across_kills(Thing::Choice);
}

#[test]
fn the_last_pieces_are_exact_across_a_kill() {
    race_across_kills(Thing::Stock);
}

#[test]
fn the_last_pieces_of_a_variant_are_exact_across_a_kill() {
    race_across_kills(Thing::Variant);
}

#[test]
fn the_last_places_of_a_day_are_exact_across_a_kill() {
    race_across_kills(Thing::Day);
}

#[test]
fn the_last_places_of_a_slot_are_exact_across_a_kill() {
    race_across_kills(Thing::Slot);
}

/// Sixty-four submit until the server is killed in the middle; the next one sells the rest.
fn race_across_kills(thing: Thing) {
    const MOST: usize = 300;
    let rounds = rounds("TEST_CRASH_ROUNDS", ROUNDS);
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let mut rng = rand::rng();
    let mut cut_short = 0;
    for round in 0..rounds {
        let caller = again(&owner, &server);
        let form = caller.form(json!([thing.field(i64::try_from(MOST).expect("few"))]));
        let life = Duration::from_millis(rng.random_range(0..40));
        let stored = AtomicUsize::new(0);
        let answered: Vec<i64> = std::thread::scope(|scope| {
            let (server, form, stored) = (&server, &form, &stored);
            let all: Vec<_> = (0..SUBMITTERS)
                .map(|_| scope.spawn(move || submit_until_cut(server, &form.submissions(), thing, stored)))
                .collect();
            until("some are stored", || stored.load(Ordering::Relaxed) > 8);
            std::thread::sleep(life);
            server.kill();
            let all = all.into_iter().map(|one| one.join().expect("no panic"));
            all.flatten().collect()
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let caller = again(&owner, &server);
        let kept = usize::try_from(steps::count(&caller, &form)).expect("few");
        assert!(kept <= MOST, "{thing:?}, round {round}: {kept}");
        assert!(kept >= answered.len(), "{thing:?}, round {round}: what was answered is there");
        let serials: HashSet<i64> = answered.into_iter().collect();
        for serial in serials {
            assert_eq!(caller.get(form.entry(serial)).status, 200);
        }
        cut_short += usize::from(kept < MOST);
        let rest = i64::try_from(MOST - kept).expect("few");
        if thing == Thing::Choice {
            for _ in 0..rest {
                super::submit(&server, &form, thing);
            }
        } else if rest > 0 {
            let done = caller.post(form.entries(), thing.values(rest));
            assert_eq!(done.status, 201, "{thing:?}, round {round}: {done}");
        }
        assert_none_left(&server, &form, thing);
        assert_counted(&server);
    }
    assert!(cut_short > 0, "every kill came too late");
}

/// The serial numbers that were answered before the connection broke or nothing was left.
fn submit_until_cut(server: &Server, path: &str, thing: Thing, stored: &AtomicUsize) -> Vec<i64> {
    let mut out = Vec::new();
    let Some(mut talk) = Talk::open(&server.base) else {
        return out;
    };
    while let Some((status, body)) = talk.post(path, &thing.values(1)) {
        match status {
            201 => {
                let body: Value = serde_json::from_str(&body).expect("JSON");
                let serial = body["data"]["entry"]["serial_number"].as_i64();
                out.push(serial.expect("a number"));
                stored.fetch_add(1, Ordering::Relaxed);
            }
            409 => break,
            other => panic!("{other} {body}"),
        }
    }
    out
}
