//! Kill -9 while files come, are used, kept and removed: files that an answer confirmed are there whole, and
//! unreferenced ones are gone after the sweep.
//!
//! 10 rounds; `TEST_CRASH_ROUNDS=50` in the environment sets their number.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::raw::Talk;
use support::uploads::{files_in, path_of};
use support::{Server, field, rounds, until};

const SENDERS: usize = 4;
const FLAGS: [&str; 2] = ["--rate-limits", "off"];

/// The content of a file of this name: the name and more, of one piece or of many.
fn content_of(name: &str) -> Value {
    let sum: usize = name.bytes().map(usize::from).sum();
    json!(format!("{name} {}", "x".repeat(sum * 977 % 200_000)))
}

/// Prepares a file and sends it; its `upload_id`.
fn upload(talk: &mut Talk, server: &Server, form: &str, name: &str) -> Option<String> {
    let content = content_of(name);
    let body = json!({
        "field_api_code": "field_1", "file_name": name, "content_type": "application/json",
        "file_size": content.to_string().len(),
    });
    let (_, prepared) = talk.post(&format!("/api/v1/f/{form}/entry_attachments"), &body)?;
    let prepared: Value = serde_json::from_str(&prepared).ok()?;
    let prepared = &prepared["data"];
    let url = prepared["upload_url"].as_str()?.to_owned();
    let path = path_of(&server.anon(), &url).to_owned();
    let (status, _) = talk.ask("PUT", &path, "X-Nothing: more", Some(&content))?;
    (status == 200).then(|| prepared["upload_id"].as_str().unwrap_or_default().to_owned())
}

/// Adds entries with a file each and exchanges the file of the one before, until nobody answers: which files
/// each entry was last known to have, or may have.
fn send(server: &Server, form: &str, token: &str, who: &str) -> BTreeMap<i64, Vec<String>> {
    let mut known = BTreeMap::new();
    let Some(mut talk) = Talk::open(&server.base) else {
        return known;
    };
    let bearer = format!("Authorization: Bearer {token}");
    let entries = format!("/api/v1/forms/{form}/entries");
    let mut step = |round: usize| -> Option<()> {
        let name = format!("{who} {round}");
        let id = upload(&mut talk, server, form, &name)?;
        let body = json!({"field_values": {"field_1": [id]}});
        let (status, made) = talk.ask("POST", &entries, &bearer, Some(&body))?;
        assert_eq!(status, 201, "{made}");
        let made: Value = serde_json::from_str(&made).ok()?;
        let serial = made["data"]["serial_number"].as_i64()?;
        known.insert(serial, vec![name.clone()]);
        let other = format!("{name} again");
        let id = upload(&mut talk, server, form, &other)?;
        let body = json!({"field_values": {"field_1": [id]}});
        // Until it is answered, either may be there.
        known.insert(serial, vec![name, other.clone()]);
        let (status, _) = talk.ask("PATCH", &format!("{entries}/{serial}"), &bearer, Some(&body))?;
        assert_eq!(status, 200);
        known.insert(serial, vec![other]);
        Some(())
    };
    (0..).take_while(|round| step(*round).is_some()).count();
    known
}

#[test]
fn files_outlive_a_kill_whole() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 5);
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &FLAGS);
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))])).token;
    let token = owner.token.clone().expect("a token");
    let mut known: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let mut rng = rand::rng();
    for round in 0..rounds {
        let life = Duration::from_millis(rng.random_range(100..500));
        let (server_now, form, token) = (&server, &form, &token);
        thread::scope(|scope| {
            let senders: Vec<_> = (0..SENDERS)
                .map(|nth| {
                    let who = format!("{round} {nth}");
                    scope.spawn(move || send(server_now, form, token, &who))
                })
                .collect();
            let list = format!("/api/v1/forms/{form}/entries");
            let owner = server_now.anon().with_token(token);
            let total = || owner.get(&list).json()["pagination"]["total"].as_u64();
            let before = total();
            until("some are stored", || total() > before.map(|total| total + 1));
            thread::sleep(life / 2);
            // A sweep from another process, in the middle.
            server_now.run(&["jobs", "run-once", "files"]);
            server_now.run(&["jobs", "run-once", "unknown-files"]);
            thread::sleep(life / 2);
            server_now.kill();
            for sender in senders {
                known.extend(sender.join().expect("no panic"));
            }
        });
        server = Server::over(dir.path(), &FLAGS);
        assert!(files_in(dir.path(), "tmp").is_empty(), "round {round}");
    }
    assert!(known.len() > rounds, "{}", known.len());
    let owner = server.anon().with_token(&token);
    for (serial, names) in &known {
        let entry = owner.get(format!("/api/v1/forms/{form}/entries/{serial}"));
        let file = entry.data()["field_1"][0].clone();
        let url = file["url"].as_str().expect("a link");
        let content = owner.get(path_of(&owner, url));
        let name = file["name"].as_str().expect("a name");
        assert!(names.iter().any(|known| known == name), "{name}");
        let whole = content_of(name).to_string();
        assert!(content.text == whole, "{name}");
    }
    assert!(server.run(&["jobs", "run-once"]).status.success());
    let looked = server.run(&["doctor"]);
    let said = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(said.contains("OK    files: "), "{said}");
}
