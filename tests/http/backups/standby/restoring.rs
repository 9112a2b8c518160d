//! A data dir restored from a database and a folder with files and keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rusqlite::Connection;
use serde_json::{Value, json};
use support::session::{Session, with_account};
use support::steps::again;
use support::uploads::{files_in, path_of, uploaded};
use support::{Caller, Form, Server, field, formsvc, text};

use super::{database, printed, stop};

/// The advice for data of a newer version.
const INSTALL: &str = "install that version or a newer one";

/// A service with files, and a standby's copy of it: the database, as one file, and a folder with files and keys.
struct Original {
    owner: Caller,
    form: Form,
    home: tempfile::TempDir,
    contents: Vec<Vec<u8>>,
}

impl Original {
    fn new() -> Self {
        let (server, email) = with_account(&["--rate-limits", "off"]);
        let browser = Session::on(&server).signed_in(email);
        let owner = server.token(email, "form:read form:write entry:read entry:write");
        let form = owner.form(json!([field("attachment", json!({}))]));
        let contents: Vec<Vec<u8>> = (0..3).map(|n| format!("[{n}]").into_bytes()).collect();
        for content in &contents {
            let id = uploaded(&owner, &form, "a.json", "application/json", content);
            let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
            assert_eq!(made.status, 201, "{made}");
        }
        assert_eq!(browser.get("/profile").status, 200);
        stop(&server);
        let home = tempfile::tempdir().expect("a folder");
        let copied = std::process::Command::new("cp")
            .arg("-r")
            .args([server.dir.join("blobs"), server.dir.join("keys")])
            .arg(home.path())
            .status();
        assert!(copied.expect("cp runs").success());
        // A database as Litestream restores it: one file in WAL mode, with its own tables.
        let path = server.dir.join("formsvc.db");
        let from = Connection::open(&path).expect("a database");
        from.execute_batch(
            "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
             CREATE TABLE _litestream_lock (id INTEGER);",
        )
        .expect("done");
        drop(from);
        fs::copy(path, home.path().join("formsvc.db")).expect("copied");
        Self { owner, form, home, contents }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn restore(&self, dir: &Path) -> Output {
        let folder = self.home.path().to_str().expect("a plain path");
        formsvc(dir, &["restore", folder, "--no-input", "--json"], "")
    }

    /// Checks that it is refused with these words and nothing is left.
    fn refused(&self, words: &str) {
        let dir = self.path("empty");
        fs::create_dir(&dir).expect("a folder");
        let out = self.restore(&dir);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(7), "{said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
        // Only an empty folder can be removed.
        fs::remove_dir(&dir).expect("it is empty");
    }
}

fn sql(path: &Path, sql: &str) {
    let database = Connection::open(path).expect("a database");
    database.execute_batch(sql).expect("done");
    drop(database);
}

#[test]
fn a_database_and_a_folder_become_a_data_dir() {
    let original = Original::new();
    // Named beside the folder.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let database_file = elsewhere.path().join("of-litestream");
    fs::rename(original.path("formsvc.db"), &database_file).expect("moved");
    let dir = original.path("data");
    let folder = original.home.path().to_str().expect("a plain path");
    let args = ["restore", folder, "--database"];
    let file = database_file.to_str().expect("a plain path");
    let out = formsvc(&dir, &[&args[..], &[file, "--json", "--no-input"]].concat(), "");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("sign in again"));
    let shown = printed(&out);
    assert_eq!((&shown["files"], &shown["lost_files"], &shown["lost"]), (&json!(3), &json!(0), &json!([])));
    assert!(!dir.join("formsvc.db-wal").exists());
    let tables = Connection::open(dir.join("formsvc.db")).expect("a database");
    for sql in [
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%litestream%'",
        "SELECT count(*) FROM sessions",
        "SELECT count(*) FROM setup_links",
        "SELECT count(*) FROM signing_keys",
    ] {
        let count: i64 = tables.query_row(sql, [], |row| row.get(0)).expect("a row");
        assert_eq!(count, 0, "{sql}");
    }
    drop(tables);
    let server = Server::over(&dir, &["--rate-limits", "off"]);
    let there = again(&original.owner, &server);
    for (n, content) in original.contents.iter().enumerate() {
        let serial = i64::try_from(n).expect("few") + 1;
        let entry = there.get(original.form.entry(serial)).data();
        let url = entry["field_1"][0]["url"].as_str().expect("a link");
        assert_eq!(&there.get(path_of(&there, url)).bytes, content);
    }
    let looked = server.run(&["doctor"]);
    assert!(looked.status.success(), "{}", text(&looked.stdout));
    stop(&server);

    // Data is replaced only on request, and Litestream's notes on the old database are deleted with it.
    fs::rename(&database_file, original.path("formsvc.db")).expect("moved");
    let litestream = dir.join(".formsvc.db-litestream/ltx");
    fs::create_dir_all(&litestream).expect("a folder");
    let out = original.restore(&dir);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert!(litestream.exists());
    let out = formsvc(&dir, &["restore", folder, "--yes"], "");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(!dir.join(".formsvc.db-litestream").exists() && !dir.join("replaced").exists());
}

#[test]
fn files_that_are_missing_are_counted_and_named() {
    let original = Original::new();
    let blobs = files_in(original.home.path(), "blobs");
    fs::remove_file(&blobs[0]).expect("removed");
    fs::write(&blobs[1], b"[9]").expect("written");
    // A file that the database does not name is left.
    let stray = original.path("blobs/ff/not-of-formsvc");
    fs::create_dir_all(stray.parent().expect("a folder")).expect("a folder");
    fs::write(&stray, "x").expect("written");
    let dir = original.path("data");
    let out = original.restore(&dir);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let shown = printed(&out);
    assert_eq!((&shown["files"], &shown["lost_files"]), (&json!(1), &json!(2)));
    let name = |path: &PathBuf| {
        let path = path.strip_prefix(original.home.path()).expect("in it");
        Value::from(path.to_str().expect("a plain path"))
    };
    let mut lost = [name(&blobs[0]), name(&blobs[1])];
    lost.sort_by_key(ToString::to_string);
    assert_eq!(shown["lost"], json!(lost));
    let said = text(&out.stderr);
    assert!(said.contains("2 files of entries are missing or damaged"), "{said}");
    for path in &lost {
        assert!(said.contains(path.as_str().expect("text")), "{said}");
    }
    assert_eq!(files_in(&dir, "blobs").len(), 1);
    let server = Server::over(&dir, &["--rate-limits", "off"]);
    let there = again(&original.owner, &server);
    let total = there.get(original.form.entries()).json()["pagination"]["total"].clone();
    assert_eq!(total, 3);
}

#[test]
fn what_can_not_be_used_is_refused_and_nothing_is_left_of_it() {
    let original = Original::new();
    let file = original.path("formsvc.db");
    let whole = fs::read(&file).expect("there");
    let put_back = || fs::write(&file, &whole).expect("written");

    let log = original.path("formsvc.db-wal");
    fs::write(&log, "x").expect("written");
    original.refused("it has a log beside it");
    fs::remove_file(&log).expect("removed");

    fs::remove_file(&file).expect("removed");
    original.refused(&format!("{} can't be restored (there is no such file)", file.display()));
    original.refused("formsvc.db in that folder or what --database names");
    fs::write(&file, "no database at all, but as long as the header of one: a hundred bytes and more. ".repeat(9))
        .expect("written");
    original.refused("is damaged");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2 / 4096 * 4096;
    damaged[middle..middle + 4096].fill(0x55);
    fs::write(&file, damaged).expect("written");
    original.refused("is damaged");
    fs::remove_file(&file).expect("removed");
    sql(&file, "CREATE TABLE notes (text)");
    original.refused("is not one of formsvc");
    put_back();
    sql(&file, "CREATE TABLE _other_lock (id INTEGER)");
    original.refused("has other tables");
    put_back();
    sql(&file, "CREATE TRIGGER _litestream_x AFTER INSERT ON _litestream_seq BEGIN DELETE FROM entries; END");
    original.refused("has other tables");
    put_back();
    sql(
        &file,
        "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
         SELECT 99999999999, name, applied_on, checksum FROM refinery_schema_history LIMIT 1",
    );
    sql(&file, "PRAGMA user_version = 9008007");
    let out = original.restore(&original.path("newer"));
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(5), "{said}");
    assert!(said.contains("made by a newer formsvc (formsvc 9.8.7; ") && said.contains(INSTALL), "{said}");
    put_back();

    let key = original.path("keys/instance");
    let right = fs::read(&key).expect("there");
    fs::remove_file(&key).expect("removed");
    original.refused("keys/instance can't be restored");
    fs::write(&key, [7; 32]).expect("written");
    original.refused("not the key of its database");
    fs::write(&key, right).expect("written");

    // A backup has its own database.
    let backup = original.path("backup");
    fs::write(&backup, "x").expect("written");
    let (backup, file) = (backup.to_str().expect("plain"), file.to_str().expect("plain"));
    let out = formsvc(&original.path("x"), &["restore", backup, "--database", file], "");
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));

    let out = original.restore(&original.path("data"));
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(database(&original.path("data")).starts_with(b"SQLite format 3"));
}
