//! Upgrades with migrations of these tests' own behind the released one: the state after an interruption at any moment,
//! the message of a failure, the copies made and kept, and an older program.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::types::Value;
use tempfile::TempDir;

use super::*;
use crate::store::db::connection;

/// Adds a table and a column.
const SECOND: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT; \
    INSERT INTO notes (text) SELECT 'of ' || name FROM users; \
    ALTER TABLE users ADD COLUMN nick TEXT; \
    UPDATE users SET nick = lower(name);";
/// Rebuilds a table that others refer to, with the referring tables.
const THIRD: &str = "CREATE TABLE users_new ( \
        id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, \
        organization_id INTEGER NOT NULL REFERENCES organizations (id), role TEXT NOT NULL, \
        email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE, name TEXT NOT NULL, locale TEXT NOT NULL, \
        timezone TEXT NOT NULL, password_hash TEXT, disabled_at INTEGER, deleted_at INTEGER, \
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, preferences TEXT, nick TEXT NOT NULL) STRICT; \
    INSERT INTO users_new SELECT * FROM users; \
    DROP TABLE users; \
    ALTER TABLE users_new RENAME TO users;";
const USERS: usize = 40;

fn migration(name: &str, sql: &str) -> Migration {
    Migration::unapplied(name, sql).expect("a well-formed name")
}

fn second() -> Migration {
    migration("U1800000000__second", SECOND)
}

fn third() -> Migration {
    migration("U1800000001__third", THIRD)
}

/// The released migrations and others behind them.
fn with(others: &[Migration]) -> Vec<Migration> {
    [&own()[..], others].concat()
}

fn opened(path: &Path) -> (DataDir, Connection) {
    let dir = DataDir::create(path).expect("a data dir");
    dir.keys().expect("a key");
    let connection = connection::open(&dir.database()).expect("opens");
    connection::make_writer(&connection).expect("a writer");
    (dir, connection)
}

/// A data dir of the released version, with users that have sessions.
fn released() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let (dir, mut connection) = opened(home.path());
    bring_to(&own(), &mut connection, &dir).expect("a database");
    let sql = format!(
        "INSERT INTO organizations (id, token, name, created_at) VALUES (1, 'o', 'Ours', 1); \
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {USERS}) \
         INSERT INTO users (id, token, organization_id, role, email, email_folded, name, locale, timezone, \
             password_hash, created_at, updated_at) \
         SELECT i, 'u' || i, 1, 'owner', 'u' || i, 'u' || i, 'User ' || i, 'en', 'UTC', \
             hex(zeroblob(200)), i, i FROM n; \
         INSERT INTO sessions (hash, user_id, created_at, seen_at) \
         SELECT CAST('s' || id AS BLOB), id, 1, 1 FROM users;"
    );
    connection.execute_batch(&sql).expect("data");
    // The last server did so at its end.
    let emptied = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    emptied.expect("an empty log");
    connection.close().expect("closes");
    dir.mark_clean();
    home
}

/// All tables with all rows, but when migrations ran.
fn dump(connection: &Connection) -> String {
    let mut out = String::new();
    let mut tables = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .expect("a statement");
    let tables = tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let tables: rusqlite::Result<Vec<(String, Option<String>)>> = tables.expect("tables").collect();
    for (name, sql) in tables.expect("tables") {
        out += &format!("{name} {sql:?}\n");
        let columns = match &name[..] {
            "refinery_schema_history" => "version, name, checksum",
            _ => "*",
        };
        let mut rows = connection.prepare(&format!("SELECT {columns} FROM {name} ORDER BY 1")).expect("a statement");
        let count = rows.column_count();
        let rows = rows.query_map([], |row| {
            let values = (0..count).map(|at| row.get::<_, Value>(at));
            values.collect::<rusqlite::Result<Vec<Value>>>()
        });
        for row in rows.expect("rows") {
            out += &format!("{:?}\n", row.expect("a row"));
        }
    }
    out
}

fn dump_of(database: &Path) -> String {
    let connection = Connection::open(database).expect("opens");
    let report: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a report");
    assert_eq!(report, "ok");
    dump(&connection)
}

/// The data dir before and after the upgrade to the third version.
fn both() -> (String, String) {
    let home = released();
    let before = dump_of(&home.path().join("formsvc.db"));
    let (dir, mut connection) = opened(home.path());
    bring_to(&with(&[second(), third()]), &mut connection, &dir).expect("upgrades");
    let after = dump(&connection);
    assert_ne!(before, after);
    assert_eq!(before.matches("Blob([115").count(), USERS);
    assert_eq!(after.matches("Blob([115").count(), USERS);
    (before, after)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for name in ["formsvc.db", "formsvc.db-wal", "keys/instance"] {
        if let Some(parent) = to.join(name).parent() {
            fs::create_dir_all(parent).expect("a folder");
        }
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name)).expect("a copy");
        }
    }
}

fn snapshot(home: &Path, version: i64) -> PathBuf {
    home.join(format!("backups/before-upgrade-from-{version}.db"))
}

#[test]
fn a_kill_at_any_moment_of_an_upgrade_leaves_the_old_version_or_the_new() {
    let (before, after) = both();
    let home = released();
    let kills = tempfile::tempdir().expect("a folder");
    let (dir, mut connection) = opened(home.path());
    // So that changes are written to the log before they are committed.
    connection.pragma_update(None, "cache_size", 2).expect("a setting");
    // The files on disk while the upgrade runs are those that a kill at that moment leaves.
    let count = Arc::new(AtomicUsize::new(0));
    let (from, to) = (home.path().to_owned(), kills.path().to_owned());
    let counted = Arc::clone(&count);
    let handler = move || {
        let nth = counted.fetch_add(1, Ordering::Relaxed);
        copy(&from, &to.join(nth.to_string()));
        false
    };
    connection.progress_handler(25, Some(handler)).expect("a handler");
    let known = with(&[second(), third()]);
    bring_to(&known, &mut connection, &dir).expect("upgrades");
    connection.progress_handler(0, None::<fn() -> bool>).expect("no handler");
    assert_eq!(dump(&connection), after);
    let count = count.load(Ordering::Relaxed);
    assert!(count > 100, "{count}");
    let mut with_log = 0;
    for nth in 0..count {
        let at = kills.path().join(nth.to_string());
        let log = fs::metadata(at.join("formsvc.db-wal"));
        with_log += usize::from(log.is_ok_and(|log| log.len() > 10_000));
        assert_eq!(dump_of(&at.join("formsvc.db")), before, "{nth}");
        // The next start upgrades it.
        if nth % (count / 10) == 0 {
            let (dir, mut connection) = opened(&at);
            bring_to(&known, &mut connection, &dir).expect("upgrades");
            assert_eq!(dump(&connection), after, "{nth}");
        }
    }
    assert!(with_log > 10, "{with_log}");
}

#[test]
fn an_error_at_any_moment_of_an_upgrade_leaves_the_old_version() {
    let (before, after) = both();
    let known = with(&[second(), third()]);
    let home = released();
    let mut stopped = 0;
    for nth in 0.. {
        let (dir, mut connection) = opened(home.path());
        let mut left = nth * 12;
        let handler = move || {
            left -= 1;
            left < 0
        };
        connection.progress_handler(25, Some(handler)).expect("a handler");
        let done = bring_to(&known, &mut connection, &dir);
        connection.progress_handler(0, None::<fn() -> bool>).expect("no handler");
        match done {
            Ok(()) => {
                assert_eq!(dump(&connection), after);
                break;
            }
            Err(fault) => assert_eq!(dump(&connection), before, "{nth}: {fault}"),
        }
        stopped += 1;
    }
    assert!(stopped > 10, "{stopped}");
}

#[test]
fn a_migration_that_fails_says_where_the_copy_is_and_how_to_go_on() {
    let (before, after) = both();
    let home = released();
    let (dir, mut connection) = opened(home.path());
    let copy = snapshot(home.path(), latest());
    let bad = [
        ("SELECT 1; INSERT INTO missing VALUES (1);", "U1800000001__third: no such table"),
        // The referring row stays, so the referenced row must not be deleted.
        ("DELETE FROM users WHERE id = 7;", "rows of sessions refer to rows that are gone"),
    ];
    for (sql, words) in bad {
        let known = with(&[second(), migration("U1800000001__third", sql)]);
        let said = bring_to(&known, &mut connection, &dir).expect_err("fails").to_string();
        let shown = fs::canonicalize(&copy).expect("a copy");
        for words in [
            words,
            "is unchanged: continue with the formsvc that you had before",
            shown.to_str().expect("a plain path"),
        ] {
            assert!(said.contains(words), "{said}");
        }
        assert_eq!(dump(&connection), before);
        assert_eq!(dump_of(&copy), before);
        let keys: bool = connection.pragma_query_value(None, "foreign_keys", |row| row.get(0)).expect("a setting");
        assert!(keys);
    }
    bring_to(&with(&[second(), third()]), &mut connection, &dir).expect("upgrades");
    assert_eq!(dump(&connection), after);
}

#[test]
fn the_copy_takes_the_place_of_what_an_earlier_attempt_left() {
    let (before, _) = both();
    let home = released();
    let copy = snapshot(home.path(), latest());
    let part = home.path().join(format!("backups/.before-upgrade-from-{}.db.part", latest()));
    fs::write(&copy, "half").expect("written");
    fs::write(&part, vec![7; 3 << 20]).expect("written");
    let (dir, mut connection) = opened(home.path());
    bring_to(&with(&[second()]), &mut connection, &dir).expect("upgrades");
    assert_eq!(dump_of(&copy), before);
    assert!(!part.exists());
    let whole = fs::metadata(home.path().join("backups"));
    assert!(whole.is_ok());
}

#[test]
fn the_copies_of_the_last_two_upgrades_are_kept() {
    let home = released();
    let (dir, mut connection) = opened(home.path());
    let fourth = migration("U1800000002__fourth", "CREATE TABLE more (id INTEGER) STRICT;");
    let all = [second(), third(), fourth];
    for upto in 1..=3 {
        bring_to(&with(&all[..upto]), &mut connection, &dir).expect("upgrades");
    }
    // Nothing is due, so nothing is copied.
    bring_to(&with(&all), &mut connection, &dir).expect("there already");
    let folder = crate::store::backups::files::BackupFolder::open(&home.path().join("backups"));
    let kept = snapshots::list(&folder.expect("a folder")).expect("a list");
    let kept: Vec<i64> = kept.iter().map(|it| it.version).collect();
    assert_eq!(kept, [1_800_000_001, 1_800_000_000]);
}

#[test]
fn a_damaged_database_is_not_upgraded_and_its_earlier_copy_stays() {
    let home = released();
    let copy = snapshot(home.path(), latest());
    fs::write(&copy, "of a whole one").expect("written");
    let file = home.path().join("formsvc.db");
    let mut bytes = fs::read(&file).expect("a database");
    // The beginning of the page with this user is overwritten.
    let at = bytes.windows(7).position(|it| it == b"User 17");
    let page = at.expect("a user") / 4096 * 4096;
    bytes[page..page + 8].fill(0xa5);
    fs::write(&file, &bytes).expect("written");
    let (dir, mut connection) = opened(home.path());
    let refused = bring_to(&with(&[second()]), &mut connection, &dir);
    assert!(refused.is_err());
    assert_eq!(fs::read(&copy).expect("there"), b"of a whole one");
}

#[test]
fn an_older_program_says_what_to_install_or_restore_and_touches_nothing() {
    let home = released();
    let (dir, mut connection) = opened(home.path());
    bring_to(&with(&[second()]), &mut connection, &dir).expect("upgrades");
    connection.close().expect("closes");
    let before = fs::read(dir.database()).expect("a database");
    let refuse = || {
        let connection = connection::open(&dir.database()).expect("opens");
        let refused = refuse_unknown(&own(), &connection, &dir);
        refused.expect_err("newer").to_string()
    };
    let said = refuse();
    let copy = fs::canonicalize(snapshot(home.path(), latest())).expect("a copy");
    let path = dir.path().display();
    for words in [
        format!("a newer formsvc (formsvc 0.1.0; its version is 1800000000, this program knows {})", latest()),
        "install formsvc 0.1.0 or a newer one, or go back".to_owned(),
        format!("`formsvc restore {} --data-dir {path}`", copy.display()),
    ] {
        let words = words.replace("0.1.0", PROGRAM);
        assert!(said.contains(&words), "{said}");
    }
    fs::remove_file(&copy).expect("removed");
    let said = refuse();
    assert!(said.contains("or restore a backup that formsvc"), "{said}");
    assert!(fs::read(dir.database()).expect("a database") == before);
}

#[test]
fn a_command_does_not_upgrade_under_a_server_of_the_version_before() {
    let home = released();
    let server = DataDir::create(home.path()).expect("locks it");
    let beside = DataDir::existing(home.path()).expect("a data dir");
    let mut connection = connection::open(&beside.database()).expect("opens");
    connection::make_writer(&connection).expect("a writer");
    let known = with(&[second()]);
    let refused = bring_to(&known, &mut connection, &beside).expect_err("a server runs");
    assert!(refused.to_string().contains("restart it, which upgrades"), "{refused}");
    drop(server);
    bring_to(&known, &mut connection, &beside).expect("upgrades");
}
