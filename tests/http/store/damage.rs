//! The file as it is created, and a damaged file: it is refused in one sentence and left unchanged.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::{PROGRAM, Server, field, formsvc, text};
use tempfile::TempDir;

const FLAGS: [&str; 2] = ["--rate-limits", "off"];

fn serve(dir: &Path) -> Command {
    let mut command = Command::new(&*PROGRAM);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir).args(FLAGS);
    command
}

#[test]
fn the_file_is_made_as_it_should_be() {
    let server = Server::alone("its data dir is looked at");
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let number = |name: &str| -> i64 { database.pragma_query_value(None, name, |row| row.get(0)).expect("a number") };
    let mode: String = database.pragma_query_value(None, "journal_mode", |row| row.get(0)).expect("text");
    assert_eq!(mode, "wal");
    assert_eq!(number("page_size"), 4096);
    assert_eq!(number("auto_vacuum"), 2, "incremental");
    let strict = "SELECT count(*) FROM pragma_table_list WHERE NOT strict AND type = 'table' \
                  AND schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                  AND name NOT LIKE 'refinery\\_%' ESCAPE '\\'";
    let loose: i64 = database.query_row(strict, [], |row| row.get(0)).expect("a row");
    assert_eq!(loose, 0, "every table is strict");
}

/// How `serve` ended, or `None` when it serves.
fn outcome(dir: &Path) -> Option<(i32, String)> {
    let mut child = serve(dir).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    out.read_line(&mut line).expect("text");
    if !line.is_empty() {
        child.kill().expect("killed");
        child.wait().expect("ends");
        return None;
    }
    let code = child.wait().expect("ends").code().expect("a code");
    let mut said = String::new();
    let mut err = child.stderr.take().expect("piped");
    err.read_to_string(&mut said).expect("text");
    Some((code, said))
}

/// A data dir with a user and some entries, not served any more.
fn filled() -> (TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let form = server.user().form(json!([field("long_text", json!({}))]));
    for n in 0..20 {
        let made =
            server.anon().post(form.submissions(), json!({"field_values": {"field_1": "kept ".repeat(n * 50 + 1)}}));
        assert_eq!(made.status, 201, "{made}");
    }
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let bytes = fs::read(dir.path().join("formsvc.db")).expect("reads");
    assert!(!dir.path().join("formsvc.db-wal").exists());
    (dir, bytes)
}

/// Checks that `serve` refuses this file in one clear sentence and leaves it unchanged.
fn is_refused(dir: &Path, bytes: &[u8], what: &str) {
    let file = dir.join("formsvc.db");
    fs::write(&file, bytes).expect("written");
    let (code, said) = outcome(dir).unwrap_or_else(|| panic!("{what} is served"));
    assert_eq!(code, 1, "{what}: {said}");
    assert!(said.contains("is damaged"), "{what}: {said}");
    assert!(!said.contains("panicked"), "{what}: {said}");
    assert!(fs::read(&file).expect("reads") == bytes, "{what}");
    doctor_fails(dir, what);
    assert!(fs::read(&file).expect("reads") == bytes, "{what}");
}

/// Checks that `doctor` says so too, in lines and as one document, and that a check failed.
fn doctor_fails(dir: &Path, what: &str) {
    for args in [&["doctor"][..], &["doctor", "--json"], &["doctor", "--fix"]] {
        let done = formsvc(dir, args, "");
        let (out, err) = (text(&done.stdout), text(&done.stderr));
        assert_eq!(done.status.code(), Some(7), "{what}: {args:?}: {out}{err}");
        assert!(!err.contains("panicked"), "{what}: {err}");
        if args.contains(&"--json") {
            let found: Value = serde_json::from_str(&out).expect("one document");
            let found = found.as_array().expect("checks").iter();
            let mut found = found.filter(|check| check["check"] == "database");
            let database = found.next().expect("a check");
            assert_eq!(database["state"], "FAIL", "{what}: {database}");
        } else {
            let says = |line: &str| line.starts_with("FAIL  database: the database");
            assert!(out.lines().any(says), "{what}: {out}");
        }
    }
}

#[test]
fn a_damaged_head_is_refused() {
    let (dir, whole) = filled();
    for at in [0, 15, 16, 19, 20, 21, 100] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        is_refused(dir.path(), &bytes, &format!("byte {at}"));
    }
    is_refused(dir.path(), &whole[..whole.len() / 2], "half a file");
    is_refused(dir.path(), &whole[..100], "a head alone");
    is_refused(dir.path(), &[0; 8192], "zeros");
    is_refused(dir.path(), b"hello, I am a text", "a text");
    is_refused(dir.path(), b"", "an empty file");
    // This byte says that the file may only be read.
    let mut bytes = whole.clone();
    bytes[18] ^= 0x55;
    fs::write(dir.path().join("formsvc.db"), &bytes).expect("written");
    let (code, said) = outcome(dir.path()).expect("refused");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("can't be used"), "{said}");
    fs::remove_file(dir.path().join("formsvc.db")).expect("removed");
    let (code, said) = outcome(dir.path()).expect("refused");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("is damaged"), "{said}");
    fs::write(dir.path().join("formsvc.db"), &whole).expect("written");
    assert_eq!(outcome(dir.path()), None, "the whole file is served again");
}

#[test]
fn a_damaged_page_is_found_after_an_unclean_stop() {
    let (dir, whole) = filled();
    let mut refused = 0;
    let pages = whole.len() / 4096;
    for page in 0..pages {
        let mut bytes = whole.clone();
        let head = page * 4096 + if page == 0 { 100 } else { 0 };
        for byte in &mut bytes[head..head + 12] {
            *byte ^= 0xff;
        }
        fs::write(dir.path().join("formsvc.db"), &bytes).expect("written");
        fs::write(dir.path().join("lock"), "running\n").expect("written");
        match outcome(dir.path()) {
            Some((code, said)) => {
                assert_eq!(code, 1, "page {page}: {said}");
                assert!(said.contains("is damaged"), "page {page}: {said}");
                assert!(!said.contains("panicked"), "page {page}: {said}");
                refused += 1;
                if page % 8 == 0 {
                    doctor_fails(dir.path(), &format!("page {page}"));
                }
            }
            // A page that holds nothing: then everything is still there.
            None => {
                let users = formsvc(dir.path(), &["user", "list", "--json"], "");
                let users: Value = serde_json::from_slice(&users.stdout).expect("JSON");
                assert_eq!(users.as_array().map(Vec::len), Some(1), "page {page}");
            }
        }
        for aside in ["formsvc.db-wal", "formsvc.db-shm"] {
            let _ = fs::remove_file(dir.path().join(aside));
        }
    }
    assert!(refused * 10 > pages * 8, "{refused} of {pages}");
}
