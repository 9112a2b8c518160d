//! Backups in a bucket of an S3-compatible store.

use std::fs;
use std::path::Path;
use std::process::Output;

use rand::Rng as _;
use serde_json::json;
use support::peers::s3::{BUCKET, Store};
use support::steps::again;
use support::uploads::uploaded;
use support::{Caller, Form, Server, field, text, until};

use crate::backups::{done, names};

const PLACE: &str = "s3://forms-backup/of/mine";

/// A form with an entry, whose file has so many incompressible megabytes.
fn filled(owner: &Caller, megabytes: usize) -> Form {
    let form = owner.form(json!([field("attachment", json!({"max_size": 50}))]));
    let mut noise = vec![0; megabytes << 19];
    rand::rng().fill_bytes(&mut noise);
    // Of 16 letters, so that half of it stays.
    let hex: String = noise.iter().map(|byte| format!("{byte:02x}")).collect();
    let content = json!(hex).to_string();
    let id = uploaded(owner, &form, "a.json", "application/json", content.as_bytes());
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": [id]}}));
    assert_eq!(made.status, 201, "{made}");
    form
}

fn refused(out: &Output, code: i32, word: &str) {
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{said}");
    assert!(said.contains(word) && said.lines().count() == 1, "{word}: {said}");
}

#[test]
fn a_bucket_is_a_place_like_a_folder() {
    let (store, server) = (Store::start(), Server::alone("its data dir is looked at"));
    let owner = server.user();
    let form = filled(&owner, 1);
    let run = |args: &[&str]| store.run(&server.dir, args);
    let made = done(&run(&["backup", "create", "-o", PLACE, "--json"]));
    let file = made["file"].as_str().expect("a place").to_owned();
    assert!(file.starts_with("s3://forms-backup/of/mine/formsvc-"), "{file}");
    let named = format!("{PLACE}/by-name.tar.zst");
    done(&run(&["backup", "create", "-o", &named, "--json"]));
    for _ in 0..2 {
        done(&run(&["backup", "create", "-o", PLACE, "--json"]));
    }
    assert_eq!(store.keys().len(), 4);
    let listed = done(&run(&["backup", "list", PLACE, "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
    let oldest = &listed[2];
    assert_eq!((&oldest["file"], &oldest["size"]), (&json!(file), &made["size"]));
    for place in [&file, &named] {
        let verified = done(&run(&["backup", "verify", place, "--json"]));
        assert_eq!(verified["ok"], json!(true));
    }
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("restored");
    done(&store.run(&dir, &["restore", &file, "--no-input", "--json"]));
    let kept = Server::over(&dir, &["--rate-limits", "off"]);
    let entries = again(&owner, &kept).get(form.entries());
    assert_eq!(entries.json()["pagination"]["total"], 1, "{entries}");
    let pruned = done(&run(&["backup", "prune", "--keep", "1", PLACE, "--json"]));
    assert_eq!(pruned["deleted"].as_array().map(Vec::len), Some(2));
    assert_eq!(store.keys().len(), 2);
    refused(&run(&["backup", "verify", &file]), 6, "there is no backup");
    // Damage there is found, as in a file.
    let key = listed[0]["file"].as_str().expect("a place");
    let key = key.strip_prefix("s3://forms-backup/").expect("in the bucket");
    let mut bytes = fs::read(store.object(key)).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(store.object(key), bytes).expect("written");
    let place = format!("s3://{BUCKET}/{key}");
    refused(&run(&["backup", "verify", &place]), 7, "is damaged");
}

#[test]
fn a_large_backup_goes_in_parts_and_survives_what_stores_do() {
    let (store, server) = (Store::start(), Server::alone("it is ended"));
    let owner = server.user();
    filled(&owner, 40);
    let run = |args: &[&str]| store.run(&server.dir, args);
    store.fail(&json!({"every": 3}));
    let made = done(&run(&["backup", "create", "-o", PLACE, "--json"]));
    let file = made["file"].as_str().expect("a place");
    assert!(store.log().contains("partNumber=2"), "{}", store.log());
    assert_eq!(done(&run(&["backup", "verify", file, "--json"]))["ok"], json!(true));
    // Slow is not broken.
    store.fail(&json!({"slow": 0.05}));
    assert_eq!(done(&run(&["backup", "verify", file, "--json"]))["ok"], json!(true));
    store.fail(&json!({}));
    assert_eq!((store.keys().len(), store.uploads()), (1, 0));
    assert!(!names(&server.dir.join("backups")).iter().any(|it| it.starts_with("upload-")));

    // Killed within a part: nothing can be seen of it, and the next backup ends the upload.
    store.fail(&json!({"hold_part": 2}));
    let mut child = store.command(&server.dir, &["backup", "create", "-o", PLACE, "--quiet"]).spawn().expect("it runs");
    until("a part is on its way", || store.holds_a_part());
    child.kill().expect("it runs");
    child.wait().expect("it ran");
    store.fail(&json!({}));
    assert_eq!((store.keys().len(), store.uploads()), (1, 1));
    let listed = done(&run(&["backup", "list", PLACE, "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    done(&run(&["backup", "create", "-o", PLACE, "--json"]));
    assert_eq!((store.keys().len(), store.uploads()), (2, 0));
    assert!(!names(&server.dir.join("backups")).iter().any(|it| it.starts_with("upload-")));
}

#[test]
fn what_is_wrong_with_a_store_is_said() {
    let (store, server) = (Store::start(), Server::alone("its data dir is looked at"));
    let create = |place: &str, name: &str, value: &str| {
        let args = ["backup", "create", "-o", place, "--json"];
        let mut command = store.command(&server.dir, &args);
        match value {
            "" => command.env_remove(name),
            value => command.env(name, value),
        };
        command.output().expect("it runs")
    };
    let secret = "FORMSVC_S3_SECRET_KEY";
    refused(&create(PLACE, secret, "wrong"), 1, "SignatureDoesNotMatch");
    refused(&create(PLACE, secret, "wrong"), 1, "check FORMSVC_S3_ACCESS_KEY");
    refused(&create(PLACE, secret, ""), 3, "set FORMSVC_S3_ACCESS_KEY");
    refused(&create(PLACE, "FORMSVC_S3_ACCESS_KEY", "nobody"), 1, "InvalidAccessKeyId");
    refused(&create(PLACE, "FORMSVC_S3_REGION", "moon"), 1, "FORMSVC_S3_REGION");
    refused(&create("s3://no-such-bucket/a", "X", "x"), 1, "a bucket that the store does not have");
    refused(&create("s3://NO", "X", "x"), 2, "must be a folder or s3://bucket/prefix");
    refused(&create(PLACE, "FORMSVC_S3_ENDPOINT", "s3.example.org"), 3, "must be an address");
    // Nobody listens there.
    let closed = "http://127.0.0.1:9";
    refused(&create(PLACE, "FORMSVC_S3_ENDPOINT", closed), 1, "can't be reached");
    assert!(store.keys().is_empty());
    let shown = store.run(&server.dir, &["config", "show", "--json"]);
    let said = text(&shown.stdout);
    assert!(!said.contains("secret-of-the-tests"), "{said}");
    let shown = done(&shown);
    assert_eq!(shown["s3_secret_key"]["value"], "********");
    assert_eq!(shown["s3_region"]["value"], "us-east-1");
}

#[test]
fn a_list_that_does_not_end_is_a_fault() {
    let (store, dir) = (Store::start(), tempfile::tempdir().expect("a folder"));
    for (how, said) in [("same page", "its list does not end"), ("endless", "its answer is too large")] {
        store.fail(&json!({ "list": how }));
        refused(&store.run(dir.path(), &["backup", "list", PLACE, "--json"]), 1, said);
    }
}

/// A server that makes backups in the store.
fn scheduled(store: &Store, dir: &Path) -> Server {
    let args = ["serve", "--listen", "127.0.0.1:0", "--backup-every", "1s"];
    let more = ["--backup-keep", "2", "--backup-to", PLACE];
    let mut command = store.command(dir, &[&args[..], &more].concat());
    command.env("FORMSVC_BACKUP_PASSPHRASE", "correct horse battery staple");
    Server::launch(command, dir)
}

#[test]
fn scheduled_backups_go_there_and_an_outage_is_only_a_pause() {
    let store = Store::start();
    let home = tempfile::tempdir().expect("a folder");
    store.fail(&json!({"down": true}));
    let server = scheduled(&store, home.path());
    until("it fails", || server.stderr().contains("can't be used (SlowDown"));
    store.fail(&json!({}));
    until("one is made", || !store.keys().is_empty());
    let first = store.keys().remove(0);
    assert!(first.ends_with(".tar.zst.age"), "{first}");
    until("the first is gone", || !store.keys().contains(&first));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let kept = store.keys();
    assert!((1..=3).contains(&kept.len()) && store.uploads() == 0, "{kept:?}");
    assert!(names(&home.path().join("backups")).iter().all(|name| name == "lock"));
    // Commands look there too, and so does doctor.
    let run = |args: &[&str]| {
        let mut command = store.command(home.path(), args);
        command.env("FORMSVC_BACKUP_TO", PLACE).output().expect("it runs")
    };
    let listed = done(&run(&["backup", "list", "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(kept.len()));
    let found = done(&run(&["doctor", "--json"]));
    let mut found = found.as_array().expect("a list").iter();
    let found = found.find(|it| it["check"] == "backups").expect("a check");
    assert_eq!(found["state"], "OK");
    assert!(found["text"].as_str().expect("text").contains(PLACE), "{found}");
}

#[test]
fn a_store_that_does_not_answer_holds_up_no_end() {
    let store = Store::start();
    let home = tempfile::tempdir().expect("a folder");
    store.fail(&json!({"slow": 600}));
    let server = scheduled(&store, home.path());
    until("the store is asked", || !store.log().is_empty());
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}
