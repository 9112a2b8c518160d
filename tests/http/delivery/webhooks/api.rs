//! `…/integrations/webhooks`: a webhook is added, read, listed, changed and deleted; a form has up to 20.

use std::collections::HashSet;

use serde_json::{Value, json};
use support::sharing::share;
use support::steps::simple;
use support::world::World;
use support::{Caller, Response, at_once};

use super::{DELIVERY, FORBIDDEN, KEYS, NO_FORM, NO_SCOPE, NO_TOKEN, NO_WEBHOOK};
use crate::delivery::{KINDS, NOWHERE, Webhook, database, enter, fields, has, keys, list, ok};

fn good() -> Value {
    json!({"url": "https://example.com/hook?a=b", "trigger_events": ["entry_created"]})
}

#[test]
fn a_webhook_is_added_read_listed_changed_and_deleted() {
    let (owner, form) = simple();
    let made = owner.post(list(&form), good());
    let webhook = Webhook::of(&made, &form);
    has(&made.data(), good());
    has(&made.data(), json!({"enabled": true}));
    assert!(webhook.id.starts_with("whk_"), "{made}");
    let shown = owner.get(webhook.path()).data();
    assert_eq!(keys(&shown), KEYS);
    has(&made.data(), shown);
    let second = owner.post(list(&form), json!({"url": NOWHERE, "trigger_events": KINDS, "enabled": false}));
    has(&second.data(), json!({"enabled": false}));
    let listed = owner.get(list(&form));
    let ids: Vec<Value> = listed.data().as_array().expect("a list").iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [second.data()["id"].clone(), json!(webhook.id)]);
    assert_eq!(listed.json()["pagination"], json!({"total": 2, "next_cursor": ""}));
    assert!(!listed.text.contains("secret"), "{listed}");

    let kinds = ["entry_deleted", "entry_updated", "entry_deleted"];
    let body = json!({"url": "http://example.com:8080", "trigger_events": kinds, "enabled": false});
    let data = webhook.set(&owner, body).data();
    has(&data, json!({"url": "http://example.com:8080", "trigger_events": kinds[..2], "enabled": false}));
    assert_ne!(data["updated_at"], data["created_at"]);
    assert_eq!(keys(&data), KEYS);
    assert_eq!(owner.get(webhook.path()).data(), data);

    let deleted = owner.delete(webhook.path());
    assert_eq!(deleted.data(), json!({"deleted": true, "id": webhook.id}));
    let path = webhook.path();
    for gone in [owner.get(&path), owner.delete(&path), owner.patch(&path, json!({}))] {
        assert_eq!(gone.to_string(), NO_WEBHOOK);
    }
    assert_eq!(owner.get(list(&form)).json()["pagination"]["total"], 1);
}

#[test]
fn only_what_is_named_changes_and_an_etag_guards_it() {
    let (owner, form) = simple();
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS[..2]);
    let path = webhook.path();
    let first = owner.get(&path);
    let etag = first.header("etag").to_owned();
    assert!(etag.starts_with('"'), "{etag}");
    assert_eq!(owner.header("If-None-Match", &etag).get(&path).status, 304);
    // Unknown keys are ignored, and a request without a change makes no new version.
    for nothing in [json!({}), json!({"x": 1}), json!({"enabled": true})] {
        let same = owner.patch(&path, nothing.clone());
        let told = (same.status, same.data(), same.header("etag"));
        assert_eq!(told, (200, first.data(), etag.as_str()), "{nothing}");
    }
    let guarded = owner.header("If-Match", &etag);
    let changed = ok(guarded.patch(&path, json!({"enabled": false})));
    has(&changed.data(), json!({"trigger_events": KINDS[..2], "enabled": false}));
    assert_ne!(changed.header("etag"), etag);
    for stale in [
        guarded.patch(&path, json!({"enabled": true})),
        guarded.delete(&path),
        guarded.post(webhook.part("rotate_secret"), json!({})),
    ] {
        assert_eq!((stale.status, &stale.json()["code"]), (412, &json!("version_conflict")), "{stale}");
    }
    assert_eq!(owner.get(&path).header("etag"), changed.header("etag"), "no secret was replaced");
    let current = owner.header("If-Match", changed.header("etag"));
    ok(current.delete(&path));
}

#[test]
fn a_form_has_up_to_20_webhooks_with_ids_that_are_not_guessed() {
    let (owner, form) = simple();
    let other = owner.form(fields());
    let made = at_once(5, |_| {
        let tries = (0..5).map(|_| owner.post(list(&form), good()));
        tries.collect::<Vec<Response>>()
    });
    let made: Vec<Response> = made.into_iter().flatten().collect();
    let (good_ones, refused): (Vec<&Response>, Vec<&Response>) = made.iter().partition(|one| one.status == 201);
    assert_eq!((good_ones.len(), refused.len()), (20, 5));
    let full = |refused: &Response| {
        let faults = [": the form has 20 webhooks already, the most it may have"];
        assert_eq!((refused.status, refused.faults()), (422, faults.map(str::to_owned).to_vec()), "{refused}");
    };
    refused.into_iter().for_each(full);
    // Each form counts for itself.
    assert_eq!(owner.post(list(&other), good()).status, 201);
    let id = |one: &Value| one["id"].as_str().expect("an id").to_owned();
    let ids: HashSet<String> = good_ones.iter().map(|one| id(&one.data())).collect();
    let random: Vec<&str> = ids.iter().map(|id| id.strip_prefix("whk_").expect("a prefix")).collect();
    assert_eq!(random.len(), 20);
    for id in &random {
        assert!(id.len() >= 10 && id.bytes().all(|b| b.is_ascii_alphanumeric()), "{id}");
    }
    // Nothing that all of them share: at no place is one letter in each of them.
    for place in 0..random[0].len() {
        let letters: HashSet<u8> = random.iter().map(|id| id.as_bytes()[place]).collect();
        assert!(letters.len() > 5, "{random:?}");
    }
    // Pages of the list have each of them once, the newest first.
    let (mut seen, mut cursor, mut sizes) = (Vec::new(), String::new(), Vec::new());
    loop {
        let page = owner.get(format!("{}?page_size=7&cursor={cursor}", list(&form))).json();
        assert_eq!(page["pagination"]["total"], 20);
        let rows = page["data"].as_array().expect("rows").clone();
        sizes.push(rows.len());
        seen.extend(rows);
        cursor = page["pagination"]["next_cursor"].as_str().expect("a text").to_owned();
        if cursor.is_empty() {
            break;
        }
        let elsewhere = owner.get(format!("{}?cursor={cursor}", list(&other)));
        assert_eq!(elsewhere.status, 400, "{elsewhere}");
    }
    assert_eq!(sizes, [7, 7, 6]);
    let made: Vec<&str> = seen.iter().map(|row| row["created_at"].as_str().expect("a time")).collect();
    assert!(made.iter().rev().is_sorted(), "{made:?}");
    assert_eq!(seen.iter().map(id).collect::<HashSet<String>>(), ids);
    // One that is deleted makes room for one other.
    ok(owner.delete(Webhook::of(good_ones[0], &form).path()));
    assert_eq!(owner.post(list(&form), good()).status, 201);
    full(&owner.post(list(&form), good()));
}

#[test]
fn refusals_come_in_the_order_of_all_routes() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let (editor, stranger, anon) = (server.user(), server.user(), server.anon());
    share(&owner, &form, &editor, "editor");
    let reader = server.token(&owner.email, "integration:read");
    let stale = owner.header("If-Match", "\"stale\"");
    let (all, known, unknown) = (list(&form), webhook.path(), format!("{}/whk_unknown", list(&form)));
    let (test, again) = (webhook.part("test"), webhook.part("deliveries/dlv_x/redeliver"));
    let wrong = r#"{"url": "nonsense", "trigger_events": []}"#;
    let right = r#"{"enabled": false}"#;
    let broken = r#"400 {"error":"Request body is not valid JSON"#;
    let cases: [(&str, &Caller, &str, &str, &str, &str); 24] = [
        ("nobody", &anon, "POST", &all, wrong, NO_TOKEN),
        ("nobody", &anon, "PATCH", &unknown, wrong, NO_TOKEN),
        ("without the scope", &reader, "POST", &all, wrong, NO_SCOPE),
        ("without the scope", &reader, "PATCH", &unknown, wrong, NO_SCOPE),
        ("without the scope", &reader, "PATCH", &known, "{", NO_SCOPE),
        ("a stranger", &stranger, "PATCH", &known, "{", broken),
        ("an editor", &editor, "PATCH", &known, "{", broken),
        ("the owner", &owner, "PATCH", &known, "{", broken),
        ("the owner", &owner, "POST", &test, "{", "400 "),
        ("the owner", &owner, "POST", &again, "{", "400 "),
        ("a stranger", &stranger, "POST", &all, wrong, NO_FORM),
        ("a stranger", &stranger, "PATCH", &known, wrong, NO_FORM),
        ("a stranger", &stranger, "PATCH", &unknown, wrong, NO_FORM),
        ("an editor", &editor, "POST", &all, wrong, FORBIDDEN),
        ("an editor", &editor, "PATCH", &known, wrong, FORBIDDEN),
        ("an editor", &editor, "PATCH", &unknown, wrong, FORBIDDEN),
        ("the owner", &owner, "PATCH", &unknown, wrong, NO_WEBHOOK),
        ("the owner", &owner, "POST", &format!("{unknown}/test"), "{}", NO_WEBHOOK),
        ("the owner", &owner, "POST", &format!("{unknown}/deliveries/dlv_x/redeliver"), "{}", NO_WEBHOOK),
        ("the owner", &owner, "POST", &all, wrong, "422 "),
        ("the owner", &owner, "PATCH", &known, wrong, "422 "),
        ("with an old version", &stale, "PATCH", &known, right, "412 "),
        ("with an old version", &stale, "DELETE", &known, "", "412 "),
        ("the reader", &reader, "GET", &known, "", "200 "),
    ];
    for (who, caller, method, path, body, expected) in cases {
        let kind = (!body.is_empty()).then_some("application/json");
        let answer = caller.send(method, path, kind, body.as_bytes()).to_string();
        assert!(answer.starts_with(expected), "{who}: {method} {path} {body}: {answer}");
    }
    // A form in the trash is none.
    ok(owner.delete(form.path()));
    assert_eq!(owner.get(&known).to_string(), NO_FORM);
    ok(owner.post(form.part("restore"), json!({})));
    ok(owner.get(&known));
}

#[test]
fn who_did_what_is_in_the_audit_log() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    webhook.set(&owner, json!({"enabled": false}));
    webhook.rotated(&owner);
    // Changes without effect and refused ones are not noted.
    webhook.set(&owner, json!({"enabled": false}));
    assert_eq!(owner.patch(webhook.path(), json!({"url": ""})).status, 422);
    ok(owner.delete(webhook.path()));
    let database = database(server);
    let sql = "SELECT action, subject FROM audit_events WHERE form_token = ?1 AND action LIKE 'webhook.%' ORDER BY id";
    let mut select = database.prepare(sql).expect("SQL");
    let rows = select.query_map([&form.token], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: rusqlite::Result<Vec<(String, String)>> = rows.expect("rows").collect();
    let actions = ["created", "updated", "secret_rotated", "deleted"];
    assert_eq!(rows.expect("rows"), actions.map(|it| (format!("webhook.{it}"), webhook.id.clone())));
}

#[test]
fn deliveries_are_listed_latest_first_with_what_became_of_them() {
    let (owner, form) = simple();
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    assert_eq!(owner.get(webhook.part("deliveries")).data(), json!([]));
    for n in 0..3 {
        enter(&owner, &form, &n.to_string());
    }
    ok(owner.delete(form.entry(2)));
    let all = webhook.deliveries(&owner);
    assert_eq!(webhook.kinds(&owner), ["entry_created", "entry_created", "entry_created", "entry_deleted"]);
    for delivery in &all {
        assert_eq!(keys(delivery), DELIVERY);
        assert!(delivery["id"].as_str().is_some_and(|id| id.starts_with("dlv_")), "{delivery}");
        has(delivery, json!({"status": "pending", "response_status": null}));
        assert!(delivery["next_attempt_at"].is_string(), "{delivery}");
    }
    let path = webhook.part("deliveries?page_size=3");
    let first = owner.get(&path).json();
    assert_eq!(first["data"][0]["id"], all[0]["id"]);
    assert_eq!(first["pagination"]["total"], 4);
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    let second = owner.get(format!("{path}&cursor={cursor}")).json();
    assert_eq!(second["data"][0]["id"], all[3]["id"]);
    assert_eq!(owner.get(webhook.part("deliveries?page_size=101")).status, 400);
    // Mail is listed elsewhere, and these are not there.
    assert_eq!(owner.get(form.part("notifications")).json()["pagination"]["total"], 0);
}
