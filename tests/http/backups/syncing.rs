//! `backup sync`: files and the key for a standby.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::peers::s3::Store;
use support::steps::again;
use support::uploads::{files_in, uploaded};
use support::{Caller, Form, Server, field, text};

use crate::backups::done;

const PASSPHRASE: &str = "correct horse battery staple";

fn add(owner: &Caller, form: &Form, n: usize) -> i64 {
    let content = json!({"n": n}).to_string();
    let id = uploaded(owner, form, "a.json", "application/json", content.as_bytes());
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
    made.data()["serial_number"].as_i64().expect("a number")
}

fn sync(store: &Store, dir: &Path, target: &str, args: &[&str], passphrase: bool) -> Value {
    let mut command = store.command(dir, &[&["backup", "sync", target, "--json"], args].concat());
    if passphrase {
        command.env("FORMSVC_BACKUP_PASSPHRASE", PASSPHRASE);
    }
    done(&command.output().expect("it runs"))
}

#[test]
fn a_target_gets_what_it_lacks_and_keeps_what_it_has() {
    let (store, server) = (Store::start(), Server::alone("its jobs run now"));
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().to_str().expect("a plain path");
    let mut serials: Vec<i64> = (0..4).map(|n| add(&owner, &form, n)).collect();
    let bucket = "s3://forms-backup/standby";
    for target in [folder, bucket] {
        let first = sync(&store, &server.dir, target, &[], false);
        assert_eq!((&first["copied"], &first["present"]), (&json!(4), &json!(0)), "{first}");
        let second = sync(&store, &server.dir, target, &[], false);
        assert_eq!((&second["copied"], &second["present"]), (&json!(0), &json!(4)), "{second}");
    }
    // As in the data dir.
    let own = files_in(&server.dir, "blobs");
    for path in &own {
        let name = path.strip_prefix(&server.dir).expect("in it");
        let content = fs::read(path).expect("there");
        assert_eq!(fs::read(home.path().join(name)).expect("copied"), content);
        let key = format!("standby/{}", name.display());
        assert_eq!(fs::read(store.object(&key)).expect("copied"), content);
    }
    let key = fs::read(server.dir.join("keys/instance")).expect("there");
    assert_eq!(fs::read(home.path().join("keys/instance")).expect("there"), key);
    // A new one comes, one that was cut off comes again, and an old one stays until its deletion is requested.
    serials.push(add(&owner, &form, 9));
    let cut = home.path().join(own[0].strip_prefix(&server.dir).expect("in it"));
    fs::write(cut, "[").expect("cut off");
    let gone = serials[1];
    assert_eq!(owner.delete(form.entry(gone)).status, 200);
    assert_eq!(owner.delete(form.trashed(gone)).status, 200);
    assert!(server.run(&["jobs", "run-once", "files"]).status.success());
    let left = files_in(&server.dir, "blobs").len();
    let third = sync(&store, &server.dir, folder, &[], false);
    assert_eq!((&third["kept"], &third["deleted"]), (&json!(5 - left), &json!(0)), "{third}");
    assert!(third["copied"].as_u64().expect("a number") >= 1, "{third}");
    let fourth = sync(&store, &server.dir, folder, &["--delete-removed"], false);
    assert_eq!(fourth["deleted"], json!(5 - left), "{fourth}");
    assert_eq!(files_in(home.path(), "blobs").len(), left);
    add(&owner, &form, 7);
    let told = store.run(&server.dir, &["backup", "sync", folder]);
    assert!(text(&told.stdout).contains(": 1 file copied ("), "{}", text(&told.stdout));
}

#[test]
fn the_data_dir_itself_is_no_place_for_copies() {
    let (store, server) = (Store::start(), Server::alone("its data dir is looked at"));
    let key = fs::read(server.dir.join("keys/instance")).expect("there");
    let home = tempfile::tempdir().expect("a folder");
    let link = home.path().join("link");
    std::os::unix::fs::symlink(&server.dir, &link).expect("linked");
    for place in [&server.dir, &server.dir.join("blobs"), &link] {
        let place = place.to_str().expect("a plain path");
        let out = store
            .command(&server.dir, &["backup", "sync", place])
            .env("FORMSVC_BACKUP_PASSPHRASE", PASSPHRASE)
            .output()
            .expect("it runs");
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains("lies in the data dir itself"), "{said}");
    }
    assert_eq!(fs::read(server.dir.join("keys/instance")).expect("there"), key);
    assert!(!server.dir.join("blobs/blobs").exists());
    let missing = home.path().join("missing");
    let missing = missing.to_str().expect("a plain path");
    let out = store.run(&server.dir, &["backup", "sync", missing]);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{said}");
    assert!(said.contains("there is no folder"), "{said}");
}

#[test]
fn the_key_is_encrypted_where_there_is_a_passphrase_and_no_other_service_writes_there() {
    let (store, server) = (Store::start(), Server::alone("its data dir is looked at"));
    let target = "s3://forms-backup/standby";
    sync(&store, &server.dir, target, &[], false);
    assert_eq!(store.keys(), ["standby/keys/instance"]);
    for _ in 0..2 {
        sync(&store, &server.dir, target, &[], true);
        assert_eq!(store.keys(), ["standby/keys/instance.age"]);
    }
    let refused = store.run(&server.dir, &["backup", "sync", target]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
    let other = Server::alone("its data dir is looked at");
    let refused = store
        .command(&other.dir, &["backup", "sync", target])
        .env("FORMSVC_BACKUP_PASSPHRASE", PASSPHRASE)
        .output()
        .expect("it runs");
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("the key of another service"), "{said}");
    store.fail(&json!({"down": true}));
    let down = store.run(&server.dir, &["backup", "sync", target]);
    assert_eq!(down.status.code(), Some(1), "{}", text(&down.stderr));
}

#[test]
fn a_data_dir_is_restored_from_what_was_copied_and_a_database() {
    let (store, server) = (Store::start(), Server::alone("it is ended"));
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    for n in 0..3 {
        add(&owner, &form, n);
    }
    let target = "s3://forms-backup/standby";
    sync(&store, &server.dir, target, &[], true);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let home = tempfile::tempdir().expect("a folder");
    let database = home.path().join("database");
    fs::copy(server.dir.join("formsvc.db"), &database).expect("copied");
    let database = database.to_str().expect("a plain path");
    let dir = home.path().join("restored");
    let restore = |passphrase: &str| {
        let args = ["restore", target, "--database", database, "--no-input", "--json"];
        let mut command = store.command(&dir, &args);
        if !passphrase.is_empty() {
            command.env("FORMSVC_BACKUP_PASSPHRASE", passphrase);
        }
        command.output().expect("it runs")
    };
    let refused = |passphrase: &str, code: i32, word: &str| {
        let out = restore(passphrase);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{said}");
        assert!(said.contains(word) && !dir.exists(), "{said}");
    };
    refused("", 3, "FORMSVC_BACKUP_PASSPHRASE");
    refused("another passphrase", 7, "does not open");
    store.fail(&json!({"down": true}));
    refused(PASSPHRASE, 1, "503");
    store.fail(&json!({"every": 4}));
    // One of the files had not been copied yet.
    let own = files_in(&server.dir, "blobs");
    let lost = own[0].strip_prefix(&server.dir).expect("in it").display();
    fs::remove_file(store.object(&format!("standby/{lost}"))).expect("there");
    let done = done(&restore(PASSPHRASE));
    assert_eq!((&done["files"], &done["lost_files"]), (&json!(2), &json!(1)));
    assert_eq!(done["lost"], json!([lost.to_string()]));
    for path in &own[1..] {
        let name = path.strip_prefix(&server.dir).expect("in it");
        let content = fs::read(path).expect("there");
        assert_eq!(fs::read(dir.join(name)).expect("restored"), content);
    }
    let second = Server::over(&dir, &["--rate-limits", "off"]);
    let entries = again(&owner, &second).get(form.entries());
    assert_eq!(entries.json()["pagination"]["total"], 3, "{entries}");
}

#[test]
fn a_folder_that_was_copied_to_is_restored_from() {
    let (store, server) = (Store::start(), Server::alone("it is ended"));
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    add(&owner, &form, 1);
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("standby");
    fs::create_dir(&folder).expect("a folder");
    let target = folder.to_str().expect("a plain path");
    sync(&store, &server.dir, target, &[], false);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    fs::copy(server.dir.join("formsvc.db"), folder.join("formsvc.db")).expect("copied");
    let dir = home.path().join("restored");
    let done = done(&store.run(&dir, &["restore", target, "--no-input", "--json"]));
    assert_eq!((&done["files"], &done["lost_files"]), (&json!(1), &json!(0)));
    let second = Server::over(&dir, &["--rate-limits", "off"]);
    let entries = again(&owner, &second).get(form.entries());
    assert_eq!(entries.json()["pagination"]["total"], 1, "{entries}");
}
