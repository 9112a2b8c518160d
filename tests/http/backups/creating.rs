//! Making, listing and removing backups.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use support::raw::Talk;
use support::session::{Session, with_account};
use support::steps::again;
use support::uploads::{files_in, path_of, uploaded};
use support::{Caller, Server, field, text, until};

use crate::backups::{backup, done, names, restore};

/// Ends the load, also when the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_backup_under_load_has_all_that_was_answered_before() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let owner = server.token(email, "form:read form:write entry:read entry:write entry:delete");
    let form = owner.form(json!([field("attachment", json!({})), field("short_text", json!({}))]));
    for n in 0..8 {
        let content = json!({"n": n}).to_string();
        let id = uploaded(&owner, &form, "a.json", "application/json", content.as_bytes());
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
        assert_eq!(made.status, 201, "{made}");
    }
    let known = owner.get(form.entries()).data();
    let known = known.as_array().expect("a list");
    assert_eq!(known.len(), 8);
    let (is_over, answered) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let (before, file) = thread::scope(|scope| {
        let over = Over(&is_over);
        for who in 0..3 {
            let (server, form, is_over, answered) = (&server, &form, &is_over, &answered);
            scope.spawn(move || {
                let mut talk = Talk::open(&server.base).expect("a connection");
                while !is_over.load(Ordering::Relaxed) {
                    let body = json!({"field_values": {"field_2": format!("of {who}")}});
                    let (status, made) = talk.post(&form.submissions(), &body).expect("an answer");
                    assert_eq!(status, 201, "{made}");
                    let made: Value = serde_json::from_str(&made).expect("JSON");
                    let serial = made["data"]["entry"]["serial_number"].as_i64();
                    answered.lock().expect("no panic").push(serial.expect("a number"));
                }
            });
        }
        // Contents come and go meanwhile.
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let id = uploaded(&owner, &form, "b.json", "application/json", b"[1]");
                let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
                let serial = made.data()["serial_number"].as_i64().expect("a number");
                assert_eq!(owner.delete(form.entry(serial)).status, 200);
                assert_eq!(owner.delete(form.trashed(serial)).status, 200);
                server.run(&["jobs", "run-once", "files"]);
            }
        });
        until("some are answered", || answered.lock().expect("no panic").len() > 20);
        let before = answered.lock().expect("no panic").clone();
        let file = backup(&server.dir);
        drop(over);
        (before, file)
    });
    let mode = fs::metadata(&file).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);

    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("restored");
    let out = restore(&dir, &file);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let kept = Server::over(&dir, &["--rate-limits", "off"]);
    let there = again(&owner, &kept);
    let shown = |caller: &Caller| {
        let form = caller.get(form.path()).data();
        json!([form["token"], form["name"], form["fields"]])
    };
    assert_eq!(shown(&there), shown(&owner));
    for entry in known {
        let serial = entry["serial_number"].as_i64().expect("a number");
        let found = there.get(form.entry(serial)).data();
        assert_eq!(found["token"], entry["token"]);
        assert_eq!(found["created_at"], entry["created_at"]);
        let content = |caller: &Caller, entry: &Value| {
            let url = entry["field_1"][0]["url"].as_str().expect("a link");
            let got = caller.get(path_of(caller, url));
            assert_eq!(got.status, 200);
            got.bytes
        };
        assert_eq!(content(&there, &found), content(&owner, entry));
    }
    for serial in &before {
        let found = there.get(form.entry(*serial));
        assert_eq!(found.status, 200, "{serial}: {found}");
        assert_eq!(found.data(), owner.get(form.entry(*serial)).data());
    }
    // The token works, the session does not.
    assert_eq!(browser.get("/profile").status, 200);
    let mut signed_in = browser.caller();
    signed_in.base.clone_from(&kept.base);
    assert_eq!(signed_in.get("/profile").status, 303);
    let looked = kept.run(&["doctor"]);
    assert!(looked.status.success(), "{}", text(&looked.stdout));
}

#[test]
fn a_sweep_leaves_what_a_running_backup_names() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&owner, &form, "a.json", "application/json", b"[1,2,3]");
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
    let serial = made.data()["serial_number"].as_i64().expect("a number");
    backup(&server.dir);
    // As a backup of another process holds it.
    let lock = File::open(server.dir.join("backups/lock")).expect("there");
    lock.lock_shared().expect("no sweep runs for long");
    assert_eq!(owner.delete(form.entry(serial)).status, 200);
    assert_eq!(owner.delete(form.trashed(serial)).status, 200);
    for job in ["files", "unknown-files"] {
        assert!(server.run(&["jobs", "run-once", job]).status.success());
    }
    assert_eq!(files_in(&server.dir, "blobs").len(), 1);
    drop(lock);
    until("it is gone", || {
        server.run(&["jobs", "run-once", "files"]);
        files_in(&server.dir, "blobs").is_empty()
    });
}

#[test]
fn a_backup_says_what_it_holds_and_where_it_is() {
    let server = Server::alone("commands change all of it");
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("mine.tar.zst");
    let path = path.to_str().expect("a plain path");
    let made = server.run(&["backup", "create", "-o", path]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stderr).contains("contains the keys"), "{}", text(&made.stderr));
    assert_eq!(text(&made.stdout).trim(), path);
    assert_eq!(names(home.path()), ["mine.tar.zst"]);
    // It takes the place of another file only if told to.
    let again = server.run(&["backup", "create", "-o", path, "--no-input"]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again.stderr));
    fs::write(path, "old").expect("written");
    done(&server.run(&["backup", "create", "-o", path, "--yes", "--json"]));
    let verified = done(&server.run(&["backup", "verify", path, "--json"]));
    assert_eq!((&verified["ok"], &verified["format"]), (&json!(true), &json!(1)));
    let missing = server.run(&["backup", "verify", "/nowhere/at/all"]);
    assert_eq!(missing.status.code(), Some(6));
    // Nothing but a file is ever replaced, and nothing else is waited for.
    let link = home.path().join("link");
    std::os::unix::fs::symlink("/dev/null", &link).expect("a link");
    let link = link.to_str().expect("a plain path");
    let special = server.run(&["backup", "create", "-o", link, "--yes"]);
    let said = text(&special.stderr);
    assert_eq!(special.status.code(), Some(1), "{said}");
    assert!(said.contains("neither a file nor a folder"), "{said}");
    assert!(fs::symlink_metadata(link).expect("it stays").is_symlink());
    let folder = home.path().to_str().expect("a plain path");
    let folder = server.run(&["backup", "verify", folder]);
    assert!(text(&folder.stderr).contains("it is not a file"));
    let nowhere = server.run(&["backup", "create", "-o", "/nowhere/at/all"]);
    assert_eq!(nowhere.status.code(), Some(6));
    let none = support::formsvc(home.path(), &["backup", "create"], "");
    assert_eq!(none.status.code(), Some(4));
    // Standard tools unpack it.
    let listed = zstd::decode_all(File::open(path).expect("there")).expect("unpacked");
    let mut archive = tar::Archive::new(listed.as_slice());
    let parts: Vec<String> = archive
        .entries()
        .expect("an archive")
        .map(|entry| entry.expect("a part").path().expect("a path").display().to_string())
        .collect();
    assert_eq!(parts[..2], ["manifest.jsonl", "keys/instance"]);
    assert!(parts.contains(&"formsvc.db".to_owned()), "{parts:?}");
}

#[test]
fn backups_are_listed_and_the_oldest_are_removed() {
    let server = Server::alone("its data dir is looked at");
    let files: Vec<_> = (0..3).map(|_| backup(&server.dir)).collect();
    fs::write(server.dir.join("backups/of-mine"), "x").expect("written");
    let listed = || -> Vec<String> {
        let rows = done(&server.run(&["backup", "list", "--json"]));
        let rows = rows.as_array().expect("a list").clone();
        let path = |row: &Value| row["file"].as_str().expect("a path").to_owned();
        rows.iter().map(path).collect()
    };
    let newest_first: Vec<String> = files.iter().rev().map(|path| path.display().to_string()).collect();
    assert_eq!(listed(), newest_first);
    let removed = done(&server.run(&["backup", "prune", "--keep", "1", "--json"]));
    assert_eq!(removed["deleted"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed(), newest_first[..1]);
    assert!(server.dir.join("backups/of-mine").exists());
    assert_eq!(server.run(&["backup", "prune", "--keep", "0"]).status.code(), Some(2));
    assert_eq!(server.run(&["backup", "prune"]).status.code(), Some(2));
}

#[test]
fn what_is_lost_does_not_stop_a_backup_and_is_told() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    for content in [&b"[1]"[..], b"[2]", b"[3]"] {
        let id = uploaded(&owner, &form, "a.json", "application/json", content);
        assert_eq!(owner.post(form.entries(), json!({"field_values": {"field_1": [id]}})).status, 201);
    }
    let blobs = files_in(&server.dir, "blobs");
    fs::remove_file(&blobs[0]).expect("removed");
    fs::write(&blobs[1], b"[9]").expect("written");
    let made = done(&server.run(&["backup", "create", "--json"]));
    assert_eq!((&made["files"], &made["lost_files"]), (&json!(1), &json!(2)));
    let file = made["file"].as_str().expect("a path");
    let verified = done(&server.run(&["backup", "verify", file, "--json"]));
    assert_eq!(verified["lost_files"], 2);
    let told = server.run(&["backup", "verify", file]);
    let told = text(&told.stdout);
    assert!(told.contains("2 files of entries were missing"), "{told}");
    let home = tempfile::tempdir().expect("a folder");
    let out = restore(home.path(), std::path::Path::new(file));
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("2 files of entries are missing"));
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let server = Server::alone("commands change all of it");
    let home = tempfile::tempdir().expect("a folder");
    let at = |name: &str| home.path().join(name).display().to_string();
    for args in [
        ["create", "-o", &at("missing/mine.tar.zst")],
        ["create", "-o", &at("missing/")],
        ["prune", "--keep=1", &at("missing")],
    ] {
        let out = server.run(&[&["backup"], &args[..]].concat());
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(6), "{said}");
        assert!(said.contains("there is no folder"), "{said}");
    }
    assert!(names(home.path()).is_empty());
}

/// Neither in rows nor in pages of the database that became free (S101).
#[test]
fn what_was_deleted_for_good_is_in_no_later_backup() {
    let server = Server::alone("its backup is looked through");
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    for n in 0..60 {
        // Every other one is longer than a page.
        let mark = if n < 20 { "mk-purged " } else { "mk-kept " };
        let values = json!({"field_1": mark.repeat(if n % 2 == 0 { 1_500 } else { 20 })});
        owner.post(form.entries(), json!({ "field_values": values })).is(201);
    }
    for serial in 1..=20 {
        owner.delete(form.entry(serial)).is(200);
        owner.delete(form.trashed(serial)).is(200);
    }
    // Some of the freed pages are used again, in part.
    for _ in 0..5 {
        owner.post(form.entries(), json!({"field_values": {"field_1": "x".repeat(5_000)}})).is(201);
    }
    let to = tempfile::tempdir().expect("a folder");
    assert!(restore(to.path(), &backup(&server.dir)).status.success());
    let content = fs::read(to.path().join("formsvc.db")).expect("a database");
    let count = |mark: &str| memchr::memmem::find_iter(&content, mark).count();
    assert_eq!((count("mk-purged"), count("mk-kept") > 0), (0, true));
}
