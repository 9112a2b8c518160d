//! Copies of the database from before an upgrade: listed, and restored into the data dir that they come from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;
use support::steps::{add, again, count};
use support::uploads::uploaded;
use support::{Server, field, formsvc, text};

use crate::backups::{backup, done, names, restore};

/// A copy as an upgrade makes one.
fn snapshot(dir: &Path) -> PathBuf {
    let path = dir.join("backups/before-upgrade-from-1.db");
    let database = rusqlite::Connection::open(dir.join("formsvc.db")).expect("opens");
    database.execute("VACUUM INTO ?1", [path.to_str().expect("a plain path")]).expect("a copy");
    path
}

fn over(dir: &Path, file: &Path) -> Output {
    let file = file.to_str().expect("a plain path");
    formsvc(dir, &["restore", file, "--yes", "--no-input"], "")
}

#[test]
fn the_database_from_before_an_upgrade_is_restored_with_the_files_that_are_there() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({})), field("short_text", json!({})),]));
    let id = uploaded(&owner, &form, "a.txt", "text/plain", b"kept");
    add(&owner, &form, json!({"field_1": [id], "field_2": "old"}));
    let copy = snapshot(&server.dir);
    add(&owner, &form, json!({"field_2": "later"}));
    let refused = over(&server.dir, &copy);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    // A later program has been at it.
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let later = "INSERT INTO refinery_schema_history VALUES (9000000000, 'later', '2030-01-01T00:00:00Z', '1')";
    database.execute_batch(later).expect("done");
    drop(database);
    assert_eq!(server.run(&["user", "list"]).status.code(), Some(5));
    let out = over(&server.dir, &copy);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(copy.exists());
    let kept = Server::over(&server.dir, &["--rate-limits", "off"]);
    let there = again(&owner, &kept);
    assert_eq!(count(&there, &form), 1);
    let file = there.get(form.entry(1)).data()["field_1"][0]["url"].clone();
    let file = file.as_str().expect("an address");
    let file = there.get(file.strip_prefix(&there.base).expect("ours"));
    assert_eq!(file.text, "kept", "{file}");
    assert!(kept.run(&["doctor"]).status.success());
}

#[test]
fn a_database_is_restored_only_where_its_keys_are() {
    let server = Server::alone("it is ended");
    server.user();
    let copy = snapshot(&server.dir);
    let home = tempfile::tempdir().expect("a folder");
    let out = restore(&home.path().join("missing"), &copy);
    assert_eq!(out.status.code(), Some(7), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("a database alone"));
    assert!(names(home.path()).is_empty());
    let other = Server::alone("it is ended");
    other.user();
    other.signal("TERM");
    assert_eq!(other.wait(), Some(0));
    let before = fs::read(other.dir.join("formsvc.db")).expect("a database");
    let out = over(&other.dir, &copy);
    assert_eq!(out.status.code(), Some(7), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("not the key of its database"));
    assert!(fs::read(other.dir.join("formsvc.db")).expect("a database") == before);
    assert!(!other.dir.join("restoring").exists());
}

#[test]
fn a_list_shows_copies_and_names_what_is_no_backup() {
    let server = Server::alone("its data dir is looked at");
    server.user();
    let made = backup(&server.dir);
    let copy = snapshot(&server.dir);
    for name in ["formsvc-20261399T000000Z.tar.zst", "notes.txt"] {
        fs::write(server.dir.join("backups").join(name), "x").expect("written");
    }
    let out = server.run(&["backup", "list", "--json"]);
    let listed = done(&out);
    let rows: Vec<(&str, &str)> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().expect("text");
            (word("file"), word("kind"))
        })
        .collect();
    let [made, copy] = [&made, &copy].map(|path| path.to_str().expect("a plain path"));
    assert_eq!(rows, [(made, "backup"), (copy, "database_before_upgrade")]);
    let said = text(&out.stderr);
    assert!(said.contains("formsvc-20261399T000000Z.tar.zst, notes.txt"), "{said}");
    // Copies are no backups that would be counted.
    let pruned = done(&server.run(&["backup", "prune", "--keep", "1", "--json"]));
    assert_eq!(pruned["deleted"], json!([]));
}

#[test]
fn a_missing_backup_is_a_document_too_and_keeping_without_making_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let out = formsvc(home.path(), &["backup", "verify", "missing.tar.zst", "--json"], "");
    assert_eq!(out.status.code(), Some(6), "{}", text(&out.stderr));
    let document: serde_json::Value = serde_json::from_slice(&out.stdout).expect("one document");
    assert_eq!(document["ok"], false, "{document}");
    let problem = document["problem"].as_str().expect("a sentence");
    assert!(problem.contains("name another file"), "{problem}");
    // A damaged header is reported in plain words.
    let file = home.path().join("x.tar.zst");
    fs::write(&file, [&[0x28, 0xb5, 0x2f, 0xfe][..], &[0; 200]].concat()).expect("written");
    let path = file.to_str().expect("a plain path");
    let out = formsvc(home.path(), &["backup", "verify", path], "");
    assert_eq!(out.status.code(), Some(7));
    let words = "it does not begin as one, or its beginning is damaged";
    assert!(text(&out.stderr).contains(words), "{}", text(&out.stderr));
    let out = formsvc(&home.path().join("data"), &["serve", "--listen", "127.0.0.1:0", "--backup-keep", "3"], "");
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("without --backup-every"));
    assert!(!home.path().join("data").exists());
}
