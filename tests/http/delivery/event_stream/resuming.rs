//! A client that sends `Last-Event-ID` continues with the next event: none is left out and none comes twice, also after
//! a restart or a kill; events are kept for 7 days, after that the answer is 410.

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::clock::Clock;
use support::raw::Talk;
use support::steps::again;
use support::store::count;
use support::world::World;
use support::{Caller, FAULTY_PROGRAM, Form, Server, rounds, text, until};

use crate::delivery::event_stream::{Event, Stream, add, fields, refused, simple};
use crate::delivery::ok;

const GONE: &str = r#"410 {"error":"The events after this one are no longer stored: read the entries instead, and open the stream without Last-Event-ID"}"#;

#[test]
fn a_stream_goes_on_after_the_event_that_was_seen_last() {
    let World { owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    for n in 1..=250 {
        add(&owner, &form, &format!("entry {n}"));
    }
    let all = stream.events(250);
    drop(stream);
    for seen in [0, 1, 99, 100, 101, 249] {
        let mut stream = Stream::after(&owner, &form, Some(&all[seen].id));
        let rest = stream.events(all.len() - seen - 1);
        assert_eq!(rest, all[seen + 1..], "after {seen}");
    }
    // Nothing is missing in between either, while nobody reads.
    add(&owner, &form, "unseen");
    let mut stream = Stream::after(&owner, &form, Some(&all[249].id));
    let unseen = stream.event();
    assert_eq!(unseen.serial(), 251);
    add(&owner, &form, "seen");
    assert_eq!(stream.event().serial(), 252);
    // Without one it begins with the events from now on, and so it does with an empty one.
    let mut stream = Stream::after(&owner, &form, Some(""));
    add(&owner, &form, "new");
    assert_eq!(stream.event().serial(), 253);
}

#[test]
fn an_event_that_is_not_known_is_410_and_what_is_none_400() {
    let World { server, owner, form, .. } = World::with(fields());
    let other = owner.form(fields());
    let mut stream = Stream::open(&owner, &other);
    add(&owner, &other, "x");
    let id = stream.event().id;
    let altered = format!("{}{}", &id[..id.len() - 1], if id.ends_with('1') { '2' } else { '1' });
    for last in ["evt_AAAAAAAAAAAAAAAAAAAAAA", &altered, &id] {
        let answer = refused(&owner, &form, Some(last));
        assert_eq!(answer.to_string(), GONE, "{last}");
    }
    for last in [
        "1",
        "evt_",
        "x",
        &id[..id.len() - 1],
        &format!("{id}0"),
        &id.to_uppercase(),
        &id.replace("evt_", "dlv_"),
        &"x".repeat(4000),
    ] {
        let answer = refused(&owner, &form, Some(last));
        let expected = r#"400 {"error":"Last-Event-ID must be the id of an event of this stream, such as evt_ and 22 letters and digits"}"#;
        assert_eq!(answer.to_string(), expected, "{last}");
    }
    // It is read from the header alone.
    let mut stream = Stream::after(&owner, &other, Some(&id));
    add(&owner, &other, "y");
    assert_eq!(stream.event().serial(), 2);
    // The form comes first: a caller who may not read it learns nothing of its events.
    for last in [&id, "1"] {
        let stranger = refused(&server.user(), &other, Some(last));
        assert_eq!(stranger.status, 404, "{stranger}");
    }
}

#[test]
fn events_are_kept_for_7_days() {
    let clock = Clock::on_time();
    let dir = tempfile::tempdir().expect("a folder");
    let flags = ["--rate-limits", "off"];
    let server = clock.server(dir.path(), &flags);
    let (owner, form) = simple(&server);
    let mut stream = Stream::open(&owner, &form);
    add(&owner, &form, "on the first day");
    let first = stream.event();
    drop(stream);
    let days = |days: u32| days * 86_400;
    clock.ahead(days(3));
    add(&owner, &form, "on the fourth day, while nobody reads");
    clock.ahead(days(7) - 600);
    add(&owner, &form, "on the seventh day");
    let mut stream = Stream::after(&owner, &form, Some(&first.id));
    let rest = stream.events(2);
    assert_eq!((rest[0].serial(), rest[1].serial()), (2, 3));
    drop(stream);
    clock.ahead(days(7) + 600);
    assert_eq!(refused(&owner, &form, Some(&first.id)).to_string(), GONE);
    let mut stream = Stream::after(&owner, &form, Some(&rest[0].id));
    assert_eq!(stream.event(), rest[1]);
    drop(stream);
    // The sweep of old events leaves newer ones.
    let mut sweep = Command::new(&*FAULTY_PROGRAM);
    sweep.args(["jobs", "run-once", "--data-dir"]).arg(dir.path());
    clock.lend(&mut sweep);
    let swept = sweep.output().expect("it runs");
    assert!(swept.status.success(), "{}", text(&swept.stderr));
    assert_eq!(count(dir.path(), "SELECT count(*) FROM events"), 2);
    let mut stream = Stream::after(&owner, &form, Some(&rest[0].id));
    assert_eq!(stream.event(), rest[1]);
    drop(stream);
    // After a week without a reader the events of that time are gone.
    clock.ahead(days(14) + 1800);
    add(&owner, &form, "for nobody");
    assert_eq!(refused(&owner, &form, Some(&rest[1].id)).to_string(), GONE);
    let mut stream = Stream::open(&owner, &form);
    assert_eq!(refused(&owner, &form, Some(&rest[1].id)).to_string(), GONE);
    add(&owner, &form, "for a reader");
    assert_eq!(stream.event().serial(), 5);
}

#[test]
fn an_entry_that_is_gone_for_good_stops_no_reader() {
    let World { owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    for n in 1..=3 {
        add(&owner, &form, &format!("{n}"));
    }
    let seen = stream.events(2);
    drop(stream);
    ok(owner.delete(form.entry(2)));
    ok(owner.delete(form.trashed(2)));
    // Its events went with it.
    let mut stream = Stream::after(&owner, &form, Some(&seen[1].id));
    assert_eq!(stream.event().serial(), 3);
    let mut stream = Stream::after(&owner, &form, Some(&seen[0].id));
    assert_eq!(stream.event().serial(), 3);
}

/// The state that the threads of the test share.
struct Shared<'t> {
    /// Where the server is now.
    base: Mutex<String>,
    owner: &'t Caller,
    form: &'t Form,
    /// The event that the readers begin after.
    first: String,
}

impl Shared<'_> {
    fn caller(&self) -> Caller {
        let mut caller = self.owner.clone();
        caller.base.clone_from(&self.base.lock().expect("no panic"));
        caller
    }

    /// Reads up to the entry `last`, and comes back as a client should, whatever the server does meanwhile. It also
    /// leaves by itself now and then.
    fn follow(&self) -> Vec<Event> {
        let mut all: Vec<Event> = Vec::new();
        loop {
            let seen = all.last().map_or(&self.first, |event| &event.id);
            let Some(mut stream) = Stream::try_open(&self.caller(), self.form, Some(seen)) else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let most = rand::rng().random_range(1..200);
            for event in std::iter::from_fn(|| stream.next()).take(most) {
                let is_last = event.data["entry"]["field_1"] == "last";
                all.push(event);
                if is_last {
                    return all;
                }
            }
        }
    }

    /// Adds entries until the server is gone; returns the serial numbers of those that were answered.
    fn write(&self, count: &AtomicUsize) -> Vec<i64> {
        let token = self.owner.token.as_deref().expect("a token");
        let header = format!("Authorization: Bearer {token}");
        let mut answered = Vec::new();
        let Some(mut talk) = Talk::open(&self.caller().base) else {
            return answered;
        };
        let body = json!({"field_values": {"field_1": "one of many"}});
        while let Some((201, body)) = talk.ask("POST", &self.form.entries(), &header, Some(&body)) {
            let body: Value = serde_json::from_str(&body).expect("JSON");
            answered.push(body["data"]["serial_number"].as_i64().expect("a number"));
            count.fetch_add(1, Ordering::Relaxed);
        }
        answered
    }
}

#[test]
fn nothing_is_lost_or_told_twice_over_restarts_and_kills() {
    let dir = tempfile::tempdir().expect("a folder");
    let flags = ["--rate-limits", "off"];
    let mut server = Server::over(dir.path(), &flags);
    let (owner, form) = simple(&server);
    let mut stream = Stream::open(&owner, &form);
    add(&owner, &form, "first");
    let shared = Shared { base: Mutex::new(server.base.clone()), owner: &owner, form: &form, first: stream.event().id };
    drop(stream);
    let count = AtomicUsize::new(0);
    let (mut answered, seen) = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3).map(|_| scope.spawn(|| shared.follow())).collect();
        let mut answered = Vec::new();
        for round in 0..rounds("TEST_CRASH_ROUNDS", 6) {
            count.store(0, Ordering::Relaxed);
            let writers: Vec<_> = (0..4).map(|_| scope.spawn(|| shared.write(&count))).collect();
            until("some are answered", || count.load(Ordering::Relaxed) > 100);
            if round % 2 == 0 {
                server.kill();
            } else {
                server.signal("TERM");
                assert_eq!(server.wait(), Some(0));
            }
            for writer in writers {
                answered.extend(writer.join().expect("no panic"));
            }
            server = Server::over(dir.path(), &flags);
            shared.base.lock().expect("no panic").clone_from(&server.base);
        }
        answered.push(add(&shared.caller(), &form, "last"));
        let seen = readers.into_iter().map(|it| it.join().expect("no panic"));
        (answered, seen.collect::<Vec<_>>())
    });
    answered.sort_unstable();
    for events in &seen {
        assert_eq!(events, &seen[0]);
        let serials: Vec<i64> = events.iter().map(Event::serial).collect();
        assert!(serials.is_sorted_by(|a, b| a < b), "each once, in order: {serials:?}");
        let untold = answered.iter().find(|it| serials.binary_search(it).is_err());
        assert_eq!(untold, None);
    }
    let stored = again(&owner, &server).get(form.entries());
    let stored = stored.json()["pagination"]["total"].as_u64();
    assert_eq!(stored, Some(seen[0].len() as u64 + 1), "the first, and what was told");
}
