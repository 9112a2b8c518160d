//! Backups on a schedule.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::{PROGRAM, Server, field, text, until};

use crate::backups::{backup, done};

fn listed(server: &Server) -> Vec<String> {
    let rows = done(&server.run(&["backup", "list", "--json"]));
    let path = |row: &Value| row["file"].as_str().expect("a path").to_owned();
    rows.as_array().expect("a list").iter().map(path).collect()
}

#[test]
fn a_server_makes_backups_by_itself_and_keeps_the_newest() {
    let server = Server::with(&["--backup-every", "1s", "--backup-keep", "2"]);
    until("one is made", || !listed(&server).is_empty());
    let first = listed(&server).pop().expect("one");
    until("the first is gone", || !listed(&server).contains(&first));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let kept = listed(&server);
    // The end may come before the oldest is removed.
    assert!((1..=3).contains(&kept.len()), "{kept:?}");
    for path in kept {
        assert!(server.run(&["backup", "verify", &path]).status.success());
    }
}

#[test]
fn a_backup_is_made_when_it_is_due() {
    let server = Server::alone("its jobs run now");
    let run = |every: Option<&str>, args: &[&str]| {
        let mut command = Command::new(&*PROGRAM);
        command.args(args).arg("--data-dir").arg(&server.dir);
        command.envs(every.map(|every| ("FORMSVC_BACKUP_EVERY", every)));
        command.output().expect("it runs")
    };
    let job = ["jobs", "run-once", "backups", "--json"];
    let count = |every| done(&run(every, &job))[0]["done"].clone();
    assert_eq!(count(None), 0);
    let doctor = |every| {
        let found = done(&run(every, &["doctor", "--json"]));
        let found = found.as_array().expect("a list").clone();
        let mut found = found.into_iter().filter(|it| it["check"] == "backups");
        let found = found.next().expect("a check");
        (found["state"].clone(), found["text"].as_str().expect("text").to_owned())
    };
    assert_eq!(doctor(None).0, "OK", "there is nothing to lose");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}})).is(201);
    let (state, said) = doctor(None);
    assert_eq!(state, "WARN");
    assert!(said.contains("no backup has been made in the data dir, and there are entries"), "{said}");
    let (state, said) = doctor(Some("24h"));
    assert_eq!(state, "WARN");
    assert!(said.contains("no backup has been made in the data dir yet"), "{said}");
    assert_eq!(count(Some("24h")), 1);
    assert_eq!(count(Some("24h")), 0);
    assert_eq!(doctor(Some("24h")).0, "OK");
    // One that was made by hand counts too; an old one does not.
    let new = backup(&server.dir);
    let old = new.with_file_name("formsvc-20200101T000000Z.tar.zst");
    for path in listed(&server) {
        fs::rename(path, &old).expect("renamed");
    }
    let (state, said) = doctor(Some("24h"));
    assert_eq!(state, "WARN");
    assert!(said.contains("overdue"), "{said}");
    assert_eq!(count(Some("24h")), 1);
    // A failed backup is reported, and is no backup.
    let before = listed(&server).len();
    until("a second has passed", || {
        let out = Command::new(&*PROGRAM)
            .args(["jobs", "run-once", "backups", "--data-dir"])
            .arg(&server.dir)
            .env("FORMSVC_BACKUP_EVERY", "1s")
            .env("FORMSVC_MIN_FREE_MB", "1048576")
            .output()
            .expect("it runs");
        text(&out.stderr).contains("too little space")
    });
    assert_eq!(listed(&server).len(), before);
}

#[test]
fn the_schedule_is_a_setting() {
    let server = Server::alone("commands change all of it");
    let shown = done(&server.run(&["config", "show", "--backup-every", "24h", "--backup-keep", "7", "--json"]));
    assert_eq!(shown["backup_every"]["value"], "24h");
    assert_eq!(shown["backup_keep"]["value"], json!("7"));
    for flags in [["--backup-every", "never"], ["--backup-keep", "0"]] {
        let out = server.run(&[&["config", "show"], &flags[..]].concat());
        assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    }
}
