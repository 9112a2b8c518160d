//! Kill -9 while a backup is made or restored: nothing half is left.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::{Rng as _, RngExt as _};
use serde_json::json;

use crate::backups::{backup, done, names};
use crate::support::steps::again;
use crate::support::{PROGRAM, Server, field, formsvc, rounds, text};
use crate::uploads::uploaded;

/// Runs a command and kills it after a while; whether it was faster.
fn killed(dir: &Path, args: &[&str], after: Duration) -> bool {
    let mut child = Command::new(PROGRAM)
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

#[test]
fn a_kill_leaves_no_half_backup_and_no_half_data() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 10);
    let server = Server::start();
    let owner = server.user();
    let form = owner.form(json!([
        field("attachment", json!({})),
        field("short_text", json!({}))
    ]));
    let mut noise = vec![0; 1 << 20];
    for _ in 0..4 {
        rand::rng().fill_bytes(&mut noise);
        let hex: String = noise.iter().map(|byte| format!("{byte:02x}")).collect();
        let content = json!(hex).to_string();
        let id = uploaded(
            &owner,
            &form,
            "a.json",
            "application/json",
            content.as_bytes(),
        );
        let values = json!({"field_1": [id], "field_2": "old"});
        assert_eq!(
            owner
                .post(form.entries(), json!({"field_values": values}))
                .status,
            201
        );
    }
    let begun = Instant::now();
    let file = backup(&server.dir);
    let time = begun.elapsed();
    let mut rng = rand::rng();
    for round in 0..rounds {
        let after = time.mul_f64(rng.random_range(0.1..1.1));
        killed(&server.dir, &["backup", "create", "--quiet"], after);
        for backup in done(&server.run(&["backup", "list", "--json"]))
            .as_array()
            .expect("a list")
        {
            let path = backup["file"].as_str().expect("a path");
            let verified = server.run(&["backup", "verify", path]);
            assert!(
                verified.status.success(),
                "round {round}: {}",
                text(&verified.stderr)
            );
        }
    }
    // Leftovers go with the next.
    backup(&server.dir);
    let left = names(&server.dir.join("backups"));
    assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
    assert!(names(&server.dir.join("tmp")).is_empty());
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));

    let path = file.to_str().expect("a plain path");
    let home = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    done(&formsvc(
        &home.path().join("timed"),
        &["restore", path, "--json"],
        "",
    ));
    let time = begun.elapsed();
    for round in 0..rounds {
        let after = time.mul_f64(rng.random_range(0.1..1.2));
        // Over nothing: none of it, or all.
        let empty = home.path().join(format!("empty-{round}"));
        killed(&empty, &["restore", path, "--no-input"], after);
        let looked = formsvc(&empty, &["user", "list", "--json"], "");
        if looked.status.success() {
            assert!(
                formsvc(&empty, &["doctor"], "").status.success(),
                "round {round}"
            );
        } else {
            assert_eq!(looked.status.code(), Some(4), "{}", text(&looked.stderr));
            // It can be tried again as if nothing had been.
            let out = formsvc(&empty, &["restore", path, "--no-input"], "");
            assert!(out.status.success(), "round {round}: {}", text(&out.stderr));
        }
        let _ = fs::remove_dir_all(&empty);
        // Over data: the old, or the new.
        let old = home.path().join("old");
        if !old.exists() {
            let other = Server::over(&old, &["--rate-limits", "off"]);
            other.user_named("old@example.org", "Old");
            other.signal("TERM");
            assert_eq!(other.wait(), Some(0));
        }
        let after = time.mul_f64(rng.random_range(0.5..1.2));
        killed(&old, &["restore", path, "--yes"], after);
        let looked = formsvc(&old, &["doctor"], "");
        assert!(
            looked.status.success(),
            "round {round}: {}",
            text(&looked.stdout)
        );
        let users = formsvc(&old, &["user", "list", "--json"], "");
        if !text(&users.stdout).contains("old@example.org") {
            let kept = Server::over(&old, &["--rate-limits", "off"]);
            let there = again(&owner, &kept);
            assert_eq!(there.get(form.entries()).json()["pagination"]["total"], 4);
            drop(kept);
            fs::remove_dir_all(&old).expect("removed");
        }
    }
}
