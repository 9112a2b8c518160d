//! A standby: checkpoints that are left to Litestream, the copy that it restores, and the restore of a data dir from
//! it. `TEST_LITESTREAM` names the program; otherwise it is the one that tests/run installs.

mod checkpoints;
mod litestream;
mod restoring;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::{PROGRAM, Server, means, text};

const EXTERNAL: [&str; 4] = ["--rate-limits", "off", "--checkpoints", "external"];

/// Where Litestream is; `None` if the test is skipped without it.
fn program() -> Option<PathBuf> {
    let path =
        env::var_os("TEST_LITESTREAM").map_or_else(|| means::python().with_file_name("litestream"), PathBuf::from);
    if !path.is_file() {
        means::skip("TEST_LITESTREAM, the program litestream, as tests/run installs it");
        return None;
    }
    Some(path)
}

/// The bytes of the database file without its log: they change with a checkpoint alone.
fn database(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("formsvc.db")).expect("a database")
}

fn log_size(dir: &Path) -> u64 {
    fs::metadata(dir.join("formsvc.db-wal")).map_or(0, |log| log.len())
}

/// Ends a server as a supervisor does.
fn stop(server: &Server) {
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

/// Runs the program with variables.
fn with_variables(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(&*PROGRAM)
        .args(args)
        .arg("--data-dir")
        .arg(dir)
        .envs(variables.iter().copied())
        .output()
        .expect("it runs")
}

/// The JSON of a command, however it ended.
fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)))
}

/// The report of `doctor` on checkpoints: state and words.
fn told(output: &Output) -> (String, String) {
    let found = printed(output);
    let found = found.as_array().expect("a list").iter();
    let line = found
        .filter(|it| it["check"] == "checkpoints")
        .map(|it| {
            let word = |key: &str| it[key].as_str().expect("text").to_owned();
            (word("state"), word("text"))
        })
        .next();
    line.expect("a line")
}
