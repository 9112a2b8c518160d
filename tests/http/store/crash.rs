//! Kill -9 under load, again and again over one data dir: answered writes are there whole, refused ones are not, and
//! the numbers have no gap and no double.
//!
//! 10 rounds; `TEST_CRASH_ROUNDS=50` in the environment sets their number.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use support::raw::Talk;
use support::steps::again;
use support::{Form, Server, field, rounds, until};

const WRITERS: usize = 16;

/// The outcome of a submission, as its sender knows it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    Stored(i64),
    Refused,
    Unknown,
}

/// Everything that was sent in all rounds, by its text.
type Sent = HashMap<String, (String, Fate)>;

#[test]
fn what_was_answered_outlives_a_kill() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 5);
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form =
        owner.form(json!([field("long_text", json!({"required": true})), field("email", json!({"unique": true})),]));
    let mut sent = Sent::new();
    let mut rng = rand::rng();
    for round in 0..rounds {
        // The preparations at a program's first submission are not under test here.
        let refused = json!({"field_values": {"field_2": "nobody@example.com"}});
        assert_eq!(server.anon().post(form.submissions(), refused).status, 422);
        let life = Duration::from_millis(rng.random_range(50..600));
        sent.extend(load_until_killed(&server, &form, round, life));
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let stored = look(dir.path(), &sent);
        let caller = again(&owner, &server);
        let list = caller.get(form.entries());
        assert_eq!(list.json()["pagination"]["total"], stored, "round {round}");
        let next = json!({"field_values": {"field_1": format!("after {round}")}});
        let next = caller.post(form.submissions(), next);
        let serial = next.data()["entry"]["serial_number"].clone();
        assert_eq!(serial, stored + 1, "round {round}: {next}");
        sent.insert(format!("after {round}"), (String::new(), Fate::Stored(stored + 1)));
    }
    let stored = |fate: &Fate| matches!(fate, Fate::Stored(_));
    let answered = sent.values().filter(|(_, fate)| stored(fate)).count();
    let refused = sent.values().filter(|(_, fate)| *fate == Fate::Refused);
    let refused = refused.count();
    assert!(answered > rounds * WRITERS && refused > rounds, "{answered} {refused}");
}

/// Sixteen send until the server is killed, which is `life` after some were stored and some refused.
fn load_until_killed(server: &Server, form: &Form, round: usize, life: Duration) -> Sent {
    let (stored, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let count = &|fate: &Fate| match fate {
        Fate::Stored(_) => stored.fetch_add(1, Ordering::Relaxed),
        Fate::Refused => refused.fetch_add(1, Ordering::Relaxed),
        Fate::Unknown => 0,
    };
    thread::scope(|scope| {
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(server, form, round, writer, count))).collect();
        until("some are stored and some refused", || {
            stored.load(Ordering::Relaxed) > WRITERS && refused.load(Ordering::Relaxed) > 1
        });
        thread::sleep(life);
        server.kill();
        writers.into_iter().flat_map(|writer| writer.join().expect("no panic")).collect()
    })
}

fn write(server: &Server, form: &Form, round: usize, writer: usize, count: &(dyn Fn(&Fate) -> usize + Sync)) -> Sent {
    let mut sent = Sent::new();
    let Some(mut talk) = Talk::open(&server.base) else {
        return sent;
    };
    for n in 0.. {
        // Some fill several pages of the file.
        let filler = "whole ".repeat(if n % 16 == 0 { 2000 } else { n % 50 });
        let text = format!("{round}.{writer}.{n} {filler}.");
        // Two writers want each address, so that one of them is refused.
        let email = format!("{round}.{}.{n}@example.com", writer / 2);
        let body = json!({"field_values": {"field_1": text, "field_2": email}});
        let answer = talk.post(&form.submissions(), &body);
        let fate = match &answer {
            Some((201, body)) => {
                let body: Value = serde_json::from_str(body).expect("JSON");
                let serial = body["data"]["entry"]["serial_number"].as_i64();
                Fate::Stored(serial.expect("a number"))
            }
            Some((422, _)) => Fate::Refused,
            Some(other) => panic!("{other:?}"),
            None => Fate::Unknown,
        };
        count(&fate);
        sent.insert(text, (email, fate));
        if fate == Fate::Unknown {
            break;
        }
    }
    sent
}

/// Compares the file with the sent entries; returns the number of entries.
fn look(dir: &Path, sent: &Sent) -> i64 {
    let database =
        Connection::open_with_flags(dir.join("formsvc.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opens");
    let one = |sql: &str| -> Value {
        let text: String = database.query_row(sql, [], |row| row.get(0)).expect("a row");
        Value::String(text)
    };
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    assert_eq!(
        one("SELECT count(*) || ' ' || (SELECT (next_serial - 1) || ' ' || live_count FROM form_counters) \
             FROM entries"),
        one("SELECT count(*) || ' ' || count(*) || ' ' || count(*) FROM entries"),
        "the counters agree with the entries"
    );
    let mut select = database
        .prepare(
            "SELECT id & 0xffffffff, \"values\" ->> '1', \"values\" ->> '2', \
             (SELECT count(*) FROM entry_keys AS k WHERE k.form_no = id >> 32 \
              AND k.serial = id & 0xffffffff) FROM entries ORDER BY id",
        )
        .expect("SQL");
    let rows = select
        .query_map([], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, i64>(3)?,
            ))
        })
        .expect("rows");
    let mut stored = HashMap::new();
    let mut emails = HashSet::new();
    for (expected, row) in (1..).zip(rows) {
        let (serial, text, email, keys) = row.expect("a row");
        assert_eq!(serial, expected, "serials have no gap and no double");
        let (wanted, fate) = sent.get(&text).expect("only what was sent, and whole");
        assert_ne!(*fate, Fate::Refused, "{text}");
        let email = email.unwrap_or_default();
        assert_eq!(email, *wanted);
        assert_eq!(keys, i64::from(!email.is_empty()), "{email}");
        assert!(email.is_empty() || emails.insert(email), "stored twice");
        stored.insert(text, serial);
    }
    assert_eq!(one("SELECT count(*) || '' FROM entry_keys"), emails.len().to_string());
    for (text, (_, fate)) in sent {
        if let Fate::Stored(serial) = fate {
            assert_eq!(stored.get(text), Some(serial), "{text} was answered 201");
        }
    }
    i64::try_from(stored.len()).expect("few")
}
