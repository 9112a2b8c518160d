//! Webhooks as things that are listed, changed and deleted: their versions, ids, pages, and how many there may be.

use std::collections::HashSet;

use serde_json::json;

use crate::collaborators::share;
use crate::events_kept::receiver::{Receiver, closed_port};
use crate::events_kept::rights::{FORBIDDEN, NO_FORM, NO_WEBHOOK, World};
use crate::events_kept::{FLAGS, Webhook, list};
use crate::support::{Caller, Response, Server, at_once, field};

#[test]
fn refusals_come_in_their_order() {
    let server = Server::with(&FLAGS);
    let receiver = Receiver::start();
    let world = World::new(server.user(), &receiver);
    let editor = server.user();
    share(&world.owner, &world.form, &editor, "editor");
    let stranger = server.user();
    let (path, unknown) = (world.webhook.path(), format!("{}/whk_x", list(&world.form)));
    let send = |caller: &Caller, path: &str, body: &str| {
        let answer = caller.send("PATCH", path, Some("application/json"), body.as_bytes());
        answer.to_string()
    };
    let wrong = r#"{"url": "nonsense", "trigger_events": []}"#;
    for caller in [&world.owner, &editor, &stranger] {
        let broken = send(caller, &path, "{");
        assert!(broken.starts_with(r#"400 {"error":"Request body is not valid JSON"#), "{broken}");
    }
    assert_eq!(send(&stranger, &path, wrong), NO_FORM);
    assert_eq!(send(&editor, &path, wrong), FORBIDDEN);
    assert_eq!(send(&editor, &unknown, wrong), FORBIDDEN);
    assert_eq!(send(&world.owner, &unknown, wrong), NO_WEBHOOK);
    let stale = world.owner.header("If-Match", "\"stale\"");
    for (caller, body, status) in [(&world.owner, wrong, "422 "), (&stale, r#"{"enabled": false}"#, "412 ")] {
        let answer = send(caller, &path, body);
        assert!(answer.starts_with(status), "{answer}");
    }
    let read = world.owner.get(&path);
    let tag = read.header("etag").to_owned();
    assert!(tag.starts_with('"'), "{tag}");
    let known = world.owner.header("If-None-Match", &tag);
    assert_eq!(known.get(&path).status, 304);
    let right = world.owner.header("If-Match", &tag);
    let changed = right.patch(&path, json!({"enabled": false}));
    assert_eq!(changed.status, 200, "{changed}");
    assert_ne!(world.owner.get(&path).header("etag"), tag);
    assert_eq!(right.patch(&path, json!({"enabled": true})).status, 412);
    assert_eq!(right.delete(&path).status, 412);
}

#[test]
fn ids_are_not_guessed_and_a_form_has_at_most_twenty() {
    let server = Server::with(&FLAGS);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let body = json!({"url": url, "trigger_events": ["entry_created"]});
    let made = at_once(5, |_| {
        let tries = (0..5).map(|_| owner.post(list(&form), body.clone()));
        tries.collect::<Vec<Response>>()
    });
    let made: Vec<Response> = made.into_iter().flatten().collect();
    let (good, refused): (Vec<&Response>, Vec<&Response>) = made.iter().partition(|one| one.status == 201);
    assert_eq!((good.len(), refused.len()), (20, 5));
    for one in refused {
        assert_eq!(one.status, 422, "{one}");
        assert!(one.text.contains("20"), "{one}");
    }
    let ids: HashSet<String> = good.iter().map(|one| one.data()["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids.len(), 20);
    let random: Vec<&str> = ids.iter().map(|id| id.strip_prefix("whk_").expect("a prefix")).collect();
    for id in &random {
        assert!(id.len() >= 10 && id.bytes().all(|b| b.is_ascii_alphanumeric()), "{id}");
    }
    // Nothing that all of them share: at no place is one letter in each of them.
    for place in 0..random[0].len() {
        let letters: HashSet<u8> = random.iter().map(|id| id.as_bytes()[place]).collect();
        assert!(letters.len() > 5, "{random:?}");
    }
    // Pages of the list have each of them once, the newest first.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = owner.get(format!("{}?page_size=7&cursor={cursor}", list(&form))).json();
        assert_eq!(page["pagination"]["total"], 20);
        seen.extend(page["data"].as_array().expect("rows").clone());
        cursor = page["pagination"]["next_cursor"].as_str().expect("a text").to_owned();
        if cursor.is_empty() {
            break;
        }
        let other = owner.form(json!([field("short_text", json!({}))]));
        let elsewhere = owner.get(format!("{}?cursor={cursor}", list(&other)));
        assert_eq!(elsewhere.status, 400, "{elsewhere}");
    }
    let made: Vec<&str> = seen.iter().map(|row| row["created_at"].as_str().expect("a time")).collect();
    assert!(made.iter().rev().is_sorted(), "{made:?}");
    let listed: HashSet<String> = seen.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!((seen.len(), listed), (20, ids));
    // One that is deleted makes room for another.
    let gone = Webhook::of(good[0], &form);
    let deleted = owner.delete(gone.path());
    assert_eq!(deleted.status, 200, "{deleted}");
    assert_eq!(deleted.data(), json!({"deleted": true, "id": gone.id}));
    assert_eq!(owner.get(gone.path()).to_string(), NO_WEBHOOK);
    assert_eq!(owner.post(list(&form), body).status, 201);
}
