//! What is linked in (S90): `formsvc licenses` prints the licences of all of it. Which licences, sources and versions
//! are allowed stands in `.cargo/deny.toml`. Advisories are a matter of the day: `tests/advisories` asks for them, which
//! is held here against a server of the tests' own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const STATIC: &str = "x86_64-unknown-linux-musl";

/// What cargo prints.
fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let done = Command::new(cargo).args(args).current_dir(ROOT).output().expect("cargo runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    String::from_utf8(done.stdout).expect("text")
}

fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--locked", "--filter-platform", STATIC]);
    let data: Value = serde_json::from_str(&metadata).expect("JSON");
    data["packages"].as_array().expect("packages").clone()
}

/// Name and version of each crate in the program.
fn linked(target: &str) -> BTreeSet<(String, String)> {
    let tree = cargo(&["tree", "--locked", "-p", "formsvc", "-e", "normal", "--prefix", "none", "--target", target]);
    let lines = tree.lines().filter_map(|line| line.split_once(" v"));
    lines
        .map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap_or_default().to_owned()))
        .filter(|(name, _)| name != "formsvc")
        .collect()
}

/// `formsvc licenses` prints this file.
#[test]
fn the_licenses_are_those_of_all_crates_in_the_program() {
    let file = format!("{ROOT}/assets/licenses/parts.json");
    let listed: Value = serde_json::from_str(&fs::read_to_string(file).expect("the licenses")).expect("JSON");
    let text_of = |value: &Value| value.as_str().expect("text").to_owned();
    let key = |one: &Value| (text_of(&one["name"]), text_of(&one["version"]));
    let licences: BTreeMap<_, _> =
        packages().iter().map(|package| (key(package), package["license"].clone())).collect();
    let parts = listed["parts"].as_array().expect("parts").iter();
    let crates: BTreeMap<_, &Value> =
        parts.filter(|part| part["kind"] == "crate").map(|part| (key(part), part)).collect();
    let lock = fs::read_to_string(format!("{ROOT}/Cargo.lock"));
    let lock: toml::Table = lock.expect("a lock file").parse().expect("TOML");
    let locked = lock["package"].as_array().expect("packages").iter();
    let locked: BTreeSet<_> = locked.map(|one| (one["name"].as_str(), one["version"].as_str())).collect();
    let is_locked = |(name, version): &&(String, String)| locked.contains(&(Some(name), Some(version)));
    let gone: Vec<_> = crates.keys().filter(|one| !is_locked(one)).collect();
    assert!(gone.is_empty(), "run assets/licenses/make: {gone:?}");
    let used = linked(STATIC);
    assert!(used.len() > 300, "{used:?}");
    for one in &used {
        let part = crates.get(one);
        let part = part.unwrap_or_else(|| panic!("run assets/licenses/make: it lacks {one:?}"));
        assert_eq!(part["license"], licences[one], "{one:?}");
        let texts = part["texts"].as_array().expect("keys");
        assert!(!texts.is_empty(), "{one:?}");
        for text in texts {
            assert!(listed["texts"][text.as_str().expect("a key")].is_string(), "{one:?}");
        }
    }
}

/// Answers as OSV does, as long as the test runs: `bad` has an advisory, `old` one that only informs.
fn osv() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.expect("a client");
            let answer = osv_answer(&mut socket);
            let status = if answer.is_null() { "404 Not Found" } else { "200 OK" };
            let body = answer.to_string();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
            let whole = format!("{head}Connection: close\r\n\r\n{body}");
            socket.write_all(whole.as_bytes()).expect("sent");
        }
    });
    base
}

fn osv_answer(socket: &mut TcpStream) -> Value {
    let mut reader = BufReader::new(socket);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).expect("a line");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if let Some(bytes) = line.to_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().expect("a number");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let path = first.split(' ').nth(1).expect("a path");
    let about = |name: &str| json!([{"package": {"ecosystem": "crates.io", "name": name}}]);
    match path {
        "/v1/querybatch" => {
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            let asked = asked["queries"].as_array().expect("a list").iter();
            let results = asked.map(|query| {
                assert_eq!(query["package"]["ecosystem"], "crates.io");
                match query["package"]["name"].as_str().expect("a name") {
                    // The second is the first under another name.
                    "bad" => json!({"vulns": [{"id": "RUSTSEC-1"}, {"id": "GHSA-1"}]}),
                    "old" => json!({"vulns": [{"id": "RUSTSEC-2"}]}),
                    "taken-back" => json!({"vulns": [{"id": "RUSTSEC-3"}]}),
                    // There is more to come than fits one answer.
                    "paged" if query["page_token"] == "next" => {
                        json!({"vulns": [{"id": "RUSTSEC-4"}]})
                    }
                    "paged" => json!({"next_page_token": "next"}),
                    _ => json!({}),
                }
            });
            json!({"results": results.collect::<Vec<_>>()})
        }
        "/v1/vulns/RUSTSEC-1" => {
            json!({"summary": "It leaks", "aliases": ["GHSA-1"], "affected": about("bad")})
        }
        "/v1/vulns/GHSA-1" => json!({"aliases": ["RUSTSEC-1"], "affected": about("bad")}),
        "/v1/vulns/RUSTSEC-2" => {
            let mut affected = about("old");
            affected[0]["database_specific"] = json!({"informational": "unmaintained"});
            json!({"affected": affected})
        }
        "/v1/vulns/RUSTSEC-3" => json!({"withdrawn": "2026-01-01T00:00:00Z"}),
        "/v1/vulns/RUSTSEC-4" => json!({"summary": "It leaks, too", "affected": about("paged")}),
        _ => Value::Null,
    }
}

/// The exit code of `tests/advisories` on these crates, and what it says.
fn advisories(base: &str, crates: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let lock = folder.path().join("Cargo.lock");
    let packages = crates.iter().map(|name| {
        let source = "registry+https://github.com/rust-lang/crates.io-index";
        format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n")
    });
    let own = "[[package]]\nname = \"bad\"\nversion = \"0.1.0\"\n";
    fs::write(&lock, own.to_owned() + &packages.collect::<String>()).expect("written");
    let script = format!("{ROOT}/tests/advisories");
    let mut command = Command::new("python3");
    command.arg(script).arg(&lock).env("OSV_URL", base);
    let done = command.env("no_proxy", "*").output().expect("it runs");
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8(said).expect("text");
    (done.status.code().expect("a code"), said)
}

#[test]
fn advisories_are_asked_for_and_said_loudly_where_nobody_answers() {
    let osv = osv();
    assert_eq!(advisories(&osv, &["fine", "taken-back"]), (0, "2 crates, 0 with advisories\n".to_owned()));
    let (code, said) = advisories(&osv, &["fine", "old"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("note: old 1.0.0: RUSTSEC-2: unmaintained"), "{said}");
    let (code, said) = advisories(&osv, &["bad", "fine", "old", "paged"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("FAIL: bad 1.0.0: RUSTSEC-1: It leaks\n"), "{said}");
    assert!(said.contains("FAIL: paged 1.0.0: RUSTSEC-4: It leaks, too\n"), "{said}");
    assert!(said.contains("4 crates, 2 with advisories"), "{said}");
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port");
    let nowhere = format!("http://{}", nobody.local_addr().expect("an address"));
    drop(nobody);
    for base in [nowhere, format!("{osv}/elsewhere")] {
        let (code, said) = advisories(&base, &["bad"]);
        assert_eq!(code, 3, "{said}");
        assert!(said.contains("!!! NOBODY ASKED FOR ADVISORIES"), "{said}");
    }
}
