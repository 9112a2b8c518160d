//! Kill -9 while a backup is made or restored: nothing half is left.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::{Rng as _, RngExt as _};
use serde_json::json;
use support::steps::again;
use support::uploads::uploaded;
use support::{Caller, Form, PROGRAM, Server, field, formsvc, rounds, text};

use crate::backups::{backup, done, names};

/// Runs a command and kills it after a while; whether it was faster.
fn killed(dir: &Path, args: &[&str], after: Duration) -> bool {
    let mut child = Command::new(&*PROGRAM)
        .args(args)
        .arg("--data-dir")
        .arg(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    thread::sleep(after);
    let was_done = child.try_wait().expect("a child").is_some();
    let _ = child.kill();
    let _ = child.wait();
    was_done
}

/// A service with four entries of a file each.
fn filled() -> (Server, Caller, Form) {
    let server = Server::alone("it is backed up");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({})), field("short_text", json!({}))]));
    let mut noise = vec![0; 1 << 20];
    for _ in 0..4 {
        rand::rng().fill_bytes(&mut noise);
        let hex: String = noise.iter().map(|byte| format!("{byte:02x}")).collect();
        let content = json!(hex).to_string();
        let id = uploaded(&owner, &form, "a.json", "application/json", content.as_bytes());
        let values = json!({"field_1": [id], "field_2": "old"});
        assert_eq!(owner.post(form.entries(), json!({"field_values": values})).status, 201);
    }
    (server, owner, form)
}

fn stop(server: &Server) {
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

/// Sources to restore from, each by several ways in turn, and the data found then.
struct Restores<'a> {
    home: &'a Path,
    ways: &'a [&'a [&'a str]],
    owner: &'a Caller,
    form: &'a Form,
}

impl Restores<'_> {
    fn args(&self, round: usize, answer: &'static str) -> Vec<&str> {
        let way = self.ways[round % self.ways.len()];
        [&["restore"], way, &[answer]].concat()
    }

    /// Checks that a restored data dir has all entries.
    fn has_all(&self, dir: &Path) {
        let kept = Server::over(dir, &["--rate-limits", "off"]);
        let there = again(self.owner, &kept);
        assert_eq!(there.get(self.form.entries()).json()["pagination"]["total"], 4);
    }

    /// Checks that a killed restore leaves none of it or all, and over data the old or the new.
    fn killed_in_the_middle(&self, rounds: usize) {
        let begun = Instant::now();
        for round in 0..self.ways.len() {
            let timed = self.home.join(format!("timed-{round}"));
            let out = formsvc(&timed, &self.args(round, "--no-input"), "");
            assert!(out.status.success(), "{}", text(&out.stderr));
        }
        let time = begun.elapsed() / u32::try_from(self.ways.len()).expect("few");
        let mut rng = rand::rng();
        for round in 0..rounds {
            let after = time.mul_f64(rng.random_range(0.1..1.2));
            let empty = self.home.join(format!("empty-{round}"));
            killed(&empty, &self.args(round, "--no-input"), after);
            let looked = formsvc(&empty, &["user", "list", "--json"], "");
            if looked.status.success() {
                assert!(formsvc(&empty, &["doctor"], "").status.success(), "round {round}");
            } else {
                assert_eq!(looked.status.code(), Some(4), "{}", text(&looked.stderr));
                // It can be tried again as if nothing had been.
                let out = formsvc(&empty, &self.args(round, "--no-input"), "");
                assert!(out.status.success(), "round {round}: {}", text(&out.stderr));
            }
            fs::remove_dir_all(&empty).expect("removed");
            let old = self.home.join("old");
            if !old.exists() {
                let other = Server::over(&old, &["--rate-limits", "off"]);
                other.user_named("old@example.org", "Old");
                stop(&other);
            }
            let after = time.mul_f64(rng.random_range(0.5..1.2));
            killed(&old, &self.args(round, "--yes"), after);
            let looked = formsvc(&old, &["doctor"], "");
            assert!(looked.status.success(), "round {round}: {}", text(&looked.stdout));
            let users = formsvc(&old, &["user", "list", "--json"], "");
            if !text(&users.stdout).contains("old@example.org") {
                self.has_all(&old);
                fs::remove_dir_all(&old).expect("removed");
            }
        }
        // The next one works over whatever the last one left.
        let last = self.home.join("old");
        let out = formsvc(&last, &self.args(0, "--yes"), "");
        assert!(out.status.success(), "{}", text(&out.stderr));
        self.has_all(&last);
    }
}

#[test]
fn a_kill_leaves_no_half_backup_and_no_half_data() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 4);
    let (server, owner, form) = filled();
    let begun = Instant::now();
    let file = backup(&server.dir);
    let time = begun.elapsed();
    let mut rng = rand::rng();
    for round in 0..rounds {
        let after = time.mul_f64(rng.random_range(0.1..1.1));
        killed(&server.dir, &["backup", "create", "--quiet"], after);
        for backup in done(&server.run(&["backup", "list", "--json"])).as_array().expect("a list") {
            let path = backup["file"].as_str().expect("a path");
            let verified = server.run(&["backup", "verify", path]);
            assert!(verified.status.success(), "round {round}: {}", text(&verified.stderr));
        }
    }
    // Leftovers go with the next.
    backup(&server.dir);
    let left = names(&server.dir.join("backups"));
    assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
    assert!(names(&server.dir.join("tmp")).is_empty());
    stop(&server);
    let home = tempfile::tempdir().expect("a folder");
    let restores =
        Restores { home: home.path(), ways: &[&[file.to_str().expect("a plain path")]], owner: &owner, form: &form };
    restores.killed_in_the_middle(rounds);
}

#[test]
fn a_kill_leaves_no_half_data_of_what_litestream_restored() {
    let (server, owner, form) = filled();
    stop(&server);
    let home = tempfile::tempdir().expect("a folder");
    let database = home.path().join("of-litestream.db");
    fs::copy(server.dir.join("formsvc.db"), &database).expect("copied");
    let folder = server.dir.to_str().expect("a plain path");
    let restores = Restores {
        home: home.path(),
        ways: &[&[folder], &[folder, "--database", database.to_str().expect("a plain path")]],
        owner: &owner,
        form: &form,
    };
    restores.killed_in_the_middle(rounds("TEST_CRASH_ROUNDS", 4));
}
