//! Data dirs of releases, with data in every table: the program of today opens them, and gives the released one's
//! answers. `make.py` makes one for a release that has new migrations; the existing ones never change.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::clock::Clock;
use support::session::{PASSWORD, Session};
use support::{Caller, Server, formsvc, text};
use tempfile::TempDir;

const RELEASES: &[&str] = &["V1"];

fn kept(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("http/backups/released").join(name)
}

/// The data dir as the release left it.
pub(in crate::backups) fn unpacked(release: &str) -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let file = File::open(kept(&format!("{release}.tar.zst"))).expect("a backup");
    let plain = zstd::Decoder::new(file).expect("Zstandard");
    tar::Archive::new(plain).unpack(home.path()).expect("unpacks");
    fs::remove_file(home.path().join("manifest.jsonl")).expect("a manifest");
    for folder in ["", "keys", "blobs"] {
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(home.path().join(folder), private).expect("a mode");
    }
    home
}

pub(in crate::backups) fn expected(release: &str) -> Value {
    let text = fs::read_to_string(kept(&format!("{release}.json"))).expect("answers");
    serde_json::from_str(&text).expect("JSON")
}

/// An answer without the service's own address, and without signatures, which are made for each reader.
fn plain(caller: &Caller, answer: &str) -> Value {
    let answer = answer.replace(&caller.base, "");
    let mut parts = answer.split("?expires=");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += &part[part.find('"').expect("the end of a text")..];
    }
    serde_json::from_str(&out).expect("JSON")
}

/// The differences of `new` from `old`, except for additions.
fn lacks(at: &str, old: &Value, new: &Value, faults: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(_)) => {
            for (key, value) in old {
                lacks(&format!("{at}.{key}"), value, &new[key], faults);
            }
        }
        (Value::Array(old), Value::Array(all)) if old.len() == all.len() => {
            for (nth, (old, new)) in old.iter().zip(all).enumerate() {
                lacks(&format!("{at}[{nth}]"), old, new, faults);
            }
        }
        _ if old == new => {}
        _ => faults.push(format!("{at} was {old}, is {new}")),
    }
}

fn empty_tables(database: &Path) -> Vec<String> {
    let database = Connection::open(database).expect("opens");
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut tables = database.prepare(tables).expect("a statement");
    let names = tables.query_map([], |row| row.get::<_, String>(0));
    let names = names.expect("tables").map(|name| name.expect("a name"));
    let is_empty = |name: &String| {
        let sql = format!("SELECT NOT EXISTS (SELECT 1 FROM {name})");
        let empty: bool = database.query_row(&sql, [], |row| row.get(0)).expect("an answer");
        empty
    };
    names.filter(is_empty).collect()
}

/// Checks that the service over this data dir gives the release's answers, and goes on.
fn answers_as(release: &str, server: &Server) {
    let expected = expected(release);
    let word = |key: &str| expected[key].as_str().expect("text").to_owned();
    let owner = server.anon().with_token(&word("token"));
    let mut faults = Vec::new();
    for (path, old) in expected["answers"].as_object().expect("answers") {
        let now = owner.get(format!("/api/v1{path}"));
        assert_eq!(now.status, 200, "{path}: {now}");
        lacks(path, old, &plain(&owner, &now.text), &mut faults);
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    let search = format!("/api/v1/q/{}/search", word("query"));
    let found = server.anon().post(search, json!({"values": {"field_1": "Person 3"}}));
    assert_eq!(found.status, 200, "{found}");
    assert_eq!(found.data()[0]["field_5"], 23, "{found}");
    let signed_in = Session::on(server).sign_in("ada@example.com", PASSWORD);
    assert_eq!(signed_in.status, 303, "{signed_in}");
    let form = word("form");
    let values = json!({"field_1": "New", "field_2": "p3@example.com"});
    let taken = server.anon().post(format!("/api/v1/f/{form}/entries"), json!({"field_values": values}));
    assert_eq!(taken.status, 422, "{taken}");
    let values = json!({"field_1": "New", "field_2": "new@example.com"});
    let made = server.anon().post(format!("/api/v1/f/{form}/entries"), json!({"field_values": values}));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(made.data()["entry"]["serial_number"], 7, "{made}");
    let papers = owner.get(format!("/api/v1/forms/{form}/entries/1")).data();
    let paper = papers["field_4"][0]["url"].as_str().expect("an address");
    let paper = owner.get(paper.strip_prefix(&owner.base).unwrap_or(paper));
    assert_eq!(paper.text, "paper 0", "{paper}");
}

#[test]
fn a_data_dir_of_each_release_is_opened_and_answers_as_it_did() {
    for release in RELEASES {
        let home = unpacked(release);
        let database = home.path().join("formsvc.db");
        assert!(empty_tables(&database).is_empty(), "{release} has tables without data: {:?}", empty_tables(&database));
        let doctor = formsvc(home.path(), &["doctor"], "");
        assert!(doctor.status.success(), "{}", text(&doctor.stdout));
        let server = Server::over(home.path(), &["--rate-limits", "off"]);
        answers_as(release, &server);
        let doctor = server.run(&["doctor"]);
        assert!(doctor.status.success(), "{}", text(&doctor.stdout));
    }
}

/// No data stored here may expire by itself, or these tests fail some day of their own accord.
#[test]
fn in_years_it_still_answers_so() {
    for release in RELEASES {
        let home = unpacked(release);
        let clock = Clock::on_time();
        clock.ahead(5 * 365 * 24 * 3600);
        let server = clock.server(home.path(), &["--rate-limits", "off"]);
        answers_as(release, &server);
    }
}

#[test]
fn a_backup_of_each_release_is_restored() {
    for release in RELEASES {
        let home = tempfile::tempdir().expect("a folder");
        let dir = home.path().join("data");
        let file = kept(&format!("{release}.tar.zst"));
        let restored = formsvc(&dir, &["restore", file.to_str().expect("a plain path")], "");
        assert!(restored.status.success(), "{}", text(&restored.stderr));
        let server = Server::over(&dir, &["--rate-limits", "off"]);
        answers_as(release, &server);
        let doctor = server.run(&["doctor"]);
        assert!(doctor.status.success(), "{}", text(&doctor.stdout));
    }
}
