//! The folder: an end at any moment of its making leaves one that starts, and a database that stood there
//! is neither changed by an older program nor made anew.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{PROGRAM, Server, field, formsvc, text};

/// Starts it and kills it after this long.
fn kill_at_start(dir: &Path, after: Duration) {
    let mut child = Command::new(PROGRAM)
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    thread::sleep(after);
    child.kill().expect("a child");
    child.wait().expect("a child");
}

#[test]
fn killed_while_it_is_made_it_starts_all_the_same() {
    let mut random = rand::rng();
    for _ in 0..20 {
        let home = tempfile::tempdir().expect("a folder");
        let dir = home.path().join("data");
        for _ in 0..random.random_range(1..4) {
            kill_at_start(&dir, Duration::from_millis(random.random_range(0..120)));
        }
        let server = Server::over(&dir, &[]);
        let form = server.user().form(json!([field("short_text", json!({}))]));
        let made = server.anon().post(
            form.submissions(),
            json!({"field_values": {"field_1": "x"}}),
        );
        assert_eq!(made.status, 201, "{made}");
    }
}

/// A data dir that was served, with a user in it; ended so that its log is still beside the file, or not.
fn served(in_order: bool) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &[]);
    server.user();
    if in_order {
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
    } else {
        server.kill();
    }
    dir
}

/// `serve` and a command beside it both end with this code and these words.
fn both_refuse(dir: &Path, code: i32, words: &str) {
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["user", "list"]] {
        let refused = formsvc(dir, args, "");
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_database_that_was_lost_is_not_made_anew() {
    for in_order in [true, false] {
        let dir = served(in_order);
        let log = dir.path().join("formsvc.db-wal");
        let before = fs::read(&log).ok();
        assert_eq!(before.is_some(), !in_order);
        let file = dir.path().join("formsvc.db");
        fs::write(&file, "").expect("empties it");
        both_refuse(dir.path(), 1, "is damaged");
        assert_eq!(fs::metadata(&file).expect("is there").len(), 0);
        fs::remove_file(&file).expect("removes it");
        both_refuse(dir.path(), 1, "is damaged");
        assert!(!file.exists());
        assert!(
            fs::read(&log).ok() == before,
            "the log may save what it holds"
        );
    }
}

#[test]
fn a_newer_database_and_its_log_stay_as_they_are() {
    let dir = served(false);
    let file = dir.path().join("formsvc.db");
    let newer = rusqlite::Connection::open(&file).expect("opens");
    newer
        .set_db_config(
            rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
            true,
        )
        .expect("keeps the log");
    newer
        .execute(
            "INSERT INTO refinery_schema_history VALUES (9000000000, 'later', '2030-01-01T00:00:00Z', '1')",
            [],
        )
        .expect("inserts");
    newer.close().expect("closes");
    let bytes = || {
        ["formsvc.db", "formsvc.db-wal"].map(|name| fs::read(dir.path().join(name)).expect(name))
    };
    let before = bytes();
    both_refuse(dir.path(), 5, "newer formsvc");
    assert!(bytes() == before, "something was written");
}
