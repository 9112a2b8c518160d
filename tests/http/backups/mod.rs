//! Backups: made beside a running server, checked byte by byte, and restored whole or not at all.
//!
//! 200 flipped bytes and 50 cut ends; `TEST_BACKUP_DAMAGE=2000` in the environment asks for that many flips, and a
//! quarter as many ends. `TEST_CRASH_ROUNDS=50` crashes as often.

pub mod costs;
pub mod crash;
pub mod creating;
pub mod damage;
pub mod encrypted;
pub mod folding;
pub mod hostile;
pub mod later;
pub mod released;
pub mod restoring;
pub mod schedule;
pub mod snapshots;
pub mod standby;
pub mod store;
pub mod syncing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use support::{formsvc, text};

/// Runs a command that succeeds; its JSON.
fn done(output: &Output) -> Value {
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"))
}

/// Makes a backup of a data dir.
fn backup(dir: &Path) -> PathBuf {
    let made = done(&formsvc(dir, &["backup", "create", "--json"], ""));
    PathBuf::from(made["file"].as_str().expect("a path"))
}

fn restore(dir: &Path, file: &Path) -> Output {
    let file = file.to_str().expect("a plain path");
    formsvc(dir, &["restore", file, "--no-input"], "")
}

/// Names in a folder, in order.
fn names(dir: &Path) -> Vec<String> {
    let listed = fs::read_dir(dir).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = listed.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

/// Checks that both commands refuse a backup with this exit code and word, and nothing is left of the restore.
fn refused(file: &Path, code: i32, word: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let path = file.to_str().expect("a plain path");
    let verified = formsvc(home.path(), &["backup", "verify", path], "");
    let said = text(&verified.stderr);
    assert_eq!(verified.status.code(), Some(code), "{said}");
    assert!(said.contains(word), "{said}");
    restore_refused(file, code, word);
}

/// The same for a fault that shows when it is unpacked.
fn restore_refused(file: &Path, code: i32, word: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let empty = home.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    for target in [&empty, &home.path().join("missing")] {
        let done = restore(target, file);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(said.contains(word) && said.lines().count() == 1, "{said}");
    }
    assert_eq!(names(home.path()), ["empty"]);
    assert!(names(&empty).is_empty(), "{:?}", names(&empty));
}
