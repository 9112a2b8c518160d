//! Kill -9 while many entries are added at once, moved to the trash, restored and removed for good: each request has
//! happened whole or not at all, and the counters agree with the entries.
//!
//! 5 rounds; `TEST_CRASH_ROUNDS=50` in the environment sets their number.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use rusqlite::Connection;
use serde_json::{Value, json};
use support::raw::Talk;
use support::{Server, field, rounds, until};

const AT_ONCE: i64 = 100;
const WRITERS: i64 = 4;

#[test]
fn many_are_there_whole_or_not_at_all() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 3);
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let token = owner.token.clone().expect("a token");
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({"unique": true})),]));
    let mut rng = rand::rng();
    for round in 0..rounds {
        let life = Duration::from_millis(rng.random_range(100..700));
        let count = &AtomicUsize::new(0);
        let answered: Vec<String> = thread::scope(|scope| {
            let (path, token, base) = (form.path(), token.as_str(), server.base.as_str());
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let path = path.clone();
                    scope.spawn(move || write(base, token, &path, round * WRITERS + writer, count))
                })
                .collect();
            until("some are answered", || count.load(Ordering::Relaxed) > 0);
            thread::sleep(life);
            server.kill();
            let answered = writers.into_iter();
            answered.flat_map(|writer| writer.join().expect("no panic")).collect()
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        look(dir.path(), &answered, round);
        let caller = server.anon().with_token(&token);
        let body = json!({"field_values": {"field_1": "after"}});
        assert_eq!(caller.post(form.entries(), body).status, 201);
    }
}

/// Adds, moves and removes until nobody answers; the batches that were answered, which it counts.
fn write(base: &str, token: &str, path: &str, writer: i64, count: &AtomicUsize) -> Vec<String> {
    let mut answered = Vec::new();
    let Some(mut talk) = Talk::open(base) else {
        return answered;
    };
    let bearer = format!("Authorization: Bearer {token}");
    for n in 0_i64.. {
        let batch = format!("{writer}.{n}");
        let first = (writer * 10_000 + n) * AT_ONCE;
        let entries: Vec<Value> = (first..first + AT_ONCE)
            .map(|number| json!({"field_values": {"field_1": batch, "field_2": number}}))
            .collect();
        let body = json!({"entries": entries});
        let made = talk.ask("POST", &format!("{path}/entries/bulk"), &bearer, Some(&body));
        let Some((201, made)) = made else {
            return answered;
        };
        answered.push(batch);
        count.fetch_add(1, Ordering::Relaxed);
        let made: Value = serde_json::from_str(&made).expect("JSON");
        for (i, serial) in made["data"]["serial_numbers"].as_array().expect("numbers").iter().enumerate().take(9) {
            // Of nine, three stay in the trash, three come back, three are gone for good.
            let entry = format!("{path}/entries/{serial}");
            if talk.ask("DELETE", &entry, &bearer, None).is_none() {
                return answered;
            }
            let trashed = format!("{path}/trash/entries/{serial}");
            let then = match i % 3 {
                0 => Some(()),
                1 => {
                    let path = format!("{trashed}/restore");
                    talk.ask("POST", &path, &bearer, None).map(drop)
                }
                _ => talk.ask("DELETE", &trashed, &bearer, None).map(drop),
            };
            if then.is_none() {
                return answered;
            }
        }
    }
    answered
}

/// Compares the file with the answers.
fn look(dir: &Path, answered: &[String], round: i64) {
    let database = Connection::open(dir.join("formsvc.db")).expect("opens");
    let one = |sql: &str| -> String {
        let text = database.query_row(sql, [], |row| row.get(0));
        text.expect("a row")
    };
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    assert_eq!(
        one("SELECT live_count || ' ' || trash_count FROM form_counters"),
        one("SELECT (SELECT count(*) FROM entries) || ' ' || (SELECT count(*) FROM entries_trash)"),
        "round {round}: the counters agree with the entries"
    );
    assert_eq!(
        one("SELECT count(*) || '' FROM entries e JOIN entries_trash t ON e.id = t.id"),
        "0",
        "round {round}: an entry lies in one place"
    );
    assert_eq!(
        one("SELECT coalesce(group_concat(serial, ' '), '') FROM (SELECT serial FROM entry_keys ORDER BY serial)"),
        one("SELECT coalesce(group_concat(serial, ' '), '') FROM (SELECT id & 4294967295 AS serial FROM entries \
             WHERE \"values\" ->> '2' IS NOT NULL ORDER BY id)"),
        "round {round}: live entries have their keys, and no others"
    );
    let mut select = database
        .prepare(
            "SELECT \"values\" ->> '1', count(*) FROM (SELECT \"values\" FROM entries \
             UNION ALL SELECT \"values\" FROM entries_trash) GROUP BY 1",
        )
        .expect("SQL");
    let batches: HashMap<String, i64> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).and_then(Iterator::collect).expect("rows");
    for (batch, count) in &batches {
        // Up to three of each were removed for good.
        let whole = AT_ONCE - 3..=AT_ONCE;
        assert!(whole.contains(count) || batch == "after", "{batch}: {count}");
    }
    for batch in answered {
        assert!(batches.contains_key(batch), "{batch} was answered 201");
    }
}
