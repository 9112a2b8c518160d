//! `/api/v1/forms/{form_token}/integrations/webhooks` and what lies below: what is stored, shown and refused.

use serde_json::{Value, json};

use super::{ALL, Hook, NOWHERE, database, hooks};
use crate::support::steps::{add, simple};
use crate::support::{Caller, Form, Server, text};

fn good() -> Value {
    json!({"url": "https://example.com/hook?a=b", "trigger_events": ["entry_created"]})
}

fn with(key: &str, value: Value) -> Value {
    let mut body = good();
    body[key] = value;
    body
}

fn id(data: &Value) -> String {
    data["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_webhook_is_added_read_listed_changed_and_deleted() {
    let (owner, form) = simple();
    let made = owner.post(hooks(&form), good());
    assert_eq!(made.status, 201, "{made}");
    let data = made.data();
    let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
    let mut own = ["id", "url", "trigger_events", "enabled", "created_at", "updated_at"].to_vec();
    assert_eq!(keys, [&own[..], &["secret"]].concat());
    assert_eq!(data["url"], "https://example.com/hook?a=b");
    assert_eq!(data["trigger_events"], json!(["entry_created"]));
    assert_eq!(data["enabled"], true);
    let id = id(&data);
    assert!(id.starts_with("whk_"), "{id}");

    let path = format!("{}/{id}", hooks(&form));
    let shown = owner.get(&path);
    let keys: Vec<String> = shown.data().as_object().expect("an object").keys().cloned().collect();
    assert_eq!(keys, own);
    for key in own.drain(..) {
        assert_eq!(shown.data()[key], data[key]);
    }
    let second = owner.post(hooks(&form), with("enabled", json!(false)));
    assert_eq!(second.data()["enabled"], false);
    let listed = owner.get(hooks(&form));
    let ids: Vec<Value> = listed.data().as_array().expect("a list").iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [second.data()["id"].clone(), json!(id)]);
    assert_eq!(listed.json()["pagination"], json!({"total": 2, "next_cursor": ""}));
    assert!(!listed.text.contains("secret"), "{listed}");

    let changed = owner.patch(&path, json!({"url": "http://example.com:8080", "trigger_events": ["entry_deleted", "entry_updated", "entry_deleted"], "enabled": false}));
    assert_eq!(changed.status, 200, "{changed}");
    let data = changed.data();
    assert_eq!(data["url"], "http://example.com:8080");
    assert_eq!(data["trigger_events"], json!(["entry_deleted", "entry_updated"]));
    assert_eq!(data["enabled"], false);
    assert_ne!(data["updated_at"], data["created_at"]);
    assert_eq!(data.get("secret"), None);
    assert_eq!(owner.get(&path).data(), data);

    let deleted = owner.delete(&path);
    assert_eq!(deleted.data(), json!({"deleted": true, "id": id}));
    for gone in [owner.get(&path), owner.delete(&path), owner.patch(&path, json!({}))] {
        assert_eq!(gone.to_string(), r#"404 {"error":"Webhook not found"}"#);
    }
    assert_eq!(owner.get(hooks(&form)).json()["pagination"]["total"], 1);
}

#[test]
fn only_what_is_named_changes_and_an_etag_guards_it() {
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &["entry_created", "entry_updated"]);
    let first = owner.get(&hook.path);
    let etag = first.header("etag").to_owned();
    assert!(!etag.is_empty());
    assert_eq!(owner.header("If-None-Match", &etag).get(&hook.path).status, 304);
    // Unknown keys are ignored, and what changes nothing makes no new version.
    for nothing in [json!({}), json!({"x": 1}), json!({"enabled": true})] {
        let same = owner.patch(&hook.path, nothing);
        assert_eq!((same.status, same.data()), (200, first.data()));
        assert_eq!(same.header("etag"), etag);
    }
    let guarded = owner.header("If-Match", &etag);
    let changed = guarded.patch(&hook.path, json!({"enabled": false}));
    assert_eq!(changed.status, 200);
    assert_eq!(changed.data()["trigger_events"], first.data()["trigger_events"]);
    assert_ne!(changed.header("etag"), etag);
    let stale = guarded.patch(&hook.path, json!({"enabled": true}));
    assert_eq!((stale.status, stale.json()["code"].clone()), (412, json!("version_conflict")));
    assert_eq!(guarded.delete(&hook.path).status, 412);
    let rotate = hook.part("rotate_secret");
    assert_eq!(guarded.post(&rotate, json!({})).status, 412);
    assert_eq!(owner.get(&hook.path).header("etag"), changed.header("etag"), "no secret was replaced");
    let current = owner.header("If-Match", changed.header("etag"));
    assert_eq!(current.delete(&hook.path).status, 200);
}

#[test]
fn what_is_missing_or_wrong_is_told_at_its_path_all_at_once() {
    let (owner, form) = simple();
    let kinds = "must be one of entry_created, entry_updated, entry_deleted, entry_restored";
    let faults = |body: Value| {
        let refused = owner.post(hooks(&form), body);
        assert_eq!(refused.status, 422, "{refused}");
        refused.faults()
    };
    assert_eq!(faults(json!({})), ["url: is required", "trigger_events: is required"]);
    assert_eq!(
        faults(json!({"url": 3, "trigger_events": "entry_created", "enabled": "yes"})),
        ["url: must be a string", "trigger_events: must be a list", "enabled: must be true or false"]
    );
    assert_eq!(
        faults(json!({"url": "ftp://example.com", "trigger_events": ["ping", "entry_created", 3, "entries_created"]})),
        [
            "url: is invalid".to_owned(),
            "url: must begin with http:// or https://".to_owned(),
            format!("trigger_events[0]: {kinds}"),
            format!("trigger_events[2]: {kinds}"),
            format!("trigger_events[3]: {kinds}"),
        ]
    );
    assert_eq!(faults(with("trigger_events", json!([]))), ["trigger_events: must not be empty"]);
    assert_eq!(faults(with("url", json!(null))), ["url: is required"]);
    assert_eq!(faults(json!([])), [": must be an object"]);
    // A change is held to the same.
    let hook = Hook::of(&owner, &form, &["entry_created"]);
    let refused = owner.patch(&hook.path, json!({"url": "", "trigger_events": [], "enabled": 1}));
    assert_eq!(
        refused.faults(),
        [
            "url: is invalid",
            "url: must begin with http:// or https://",
            "trigger_events: must not be empty",
            "enabled: must be true or false"
        ]
    );
    // What every webhook has can't be taken from it.
    let refused = owner.patch(&hook.path, json!({"url": null, "trigger_events": null, "enabled": null}));
    assert_eq!(
        refused.faults(),
        ["url: must be a string", "trigger_events: must be a list", "enabled: must be true or false"]
    );
    assert_eq!(owner.get(&hook.path).data()["url"], NOWHERE);
    assert_eq!(owner.get(&hook.path).data()["enabled"], true);
    assert_eq!(owner.get(hooks(&form)).json()["pagination"]["total"], 1);
}

#[test]
fn an_address_is_http_or_https_with_a_host_and_no_user_at_a_usual_port() {
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &["entry_created"]);
    let longest = format!("https://example.com/{}", "a".repeat(2_028));
    for good in [
        "http://example.com",
        "HTTPS://EXAMPLE.COM/Path",
        "https://example.com:1024",
        "https://example.com:80",
        "http://example.com:443",
        // Where it leads to is asked when something is sent.
        "http://127.0.0.1:9000/x",
        "http://[::1]/",
        "http://localhost",
        "https://例え.example/",
        &longest,
    ] {
        let set = owner.patch(&hook.path, json!({"url": good}));
        assert_eq!((set.status, set.data()["url"].clone()), (200, json!(good)));
    }
    let (scheme, host, user, port, characters) = (
        "must begin with http:// or https://",
        "must have a valid host, such as example.com",
        "must not contain a user name or a password",
        "must have port 80, 443 or one from 1024 to 65535",
        "must not contain spaces, control characters or backslashes",
    );
    for (bad, wanted) in [
        ("", scheme),
        (" ", characters),
        ("example.com", scheme),
        ("//example.com", scheme),
        ("http://", host),
        ("http:///path", host),
        ("http:example.com", scheme),
        ("https:/example.com", scheme),
        ("ftp://example.com", scheme),
        ("javascript:alert(1)", scheme),
        ("http://user@example.com", user),
        ("http://user:password@example.com", user),
        ("http://@example.com", user),
        ("http://example.com:22", port),
        ("http://example.com:1023", port),
        ("http://example.com:0", port),
        ("http://example.com:70000", port),
        ("http://[::1", host),
        ("http://exa mple.com", characters),
        (" http://example.com", characters),
        ("http://example.com\n", characters),
        ("http://example.com\u{0}", characters),
        ("http:\\\\example.com", characters),
        (&format!("{longest}a"), "must be at most 2048 characters long"),
    ] {
        let refused = owner.patch(&hook.path, json!({"url": bad}));
        // The words of spec 4.11, then what would be valid.
        assert_eq!(
            (refused.status, refused.faults()),
            (422, vec!["url: is invalid".to_owned(), format!("url: {wanted}")]),
            "{bad:?}"
        );
    }
    assert_eq!(owner.get(&hook.path).data()["url"], longest);
}

#[test]
fn a_form_has_twenty_at_most() {
    let (owner, form) = simple();
    let made: Vec<Hook> = (0..20).map(|_| Hook::of(&owner, &form, &ALL)).collect();
    let refused = owner.post(hooks(&form), good());
    assert_eq!(
        (refused.status, refused.faults()),
        (422, vec![": the form has 20 webhooks already, the most it may have".to_owned()])
    );
    // Each form counts for itself, and what was deleted counts no more.
    let other = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    assert_eq!(owner.post(hooks(&other), good()).status, 201);
    assert_eq!(owner.delete(&made[7].path).status, 200);
    assert_eq!(owner.post(hooks(&form), good()).status, 201);
    assert_eq!(owner.post(hooks(&form), good()).status, 422);
    // By pages, latest first.
    let first = owner.get(format!("{}?page_size=15", hooks(&form))).json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    let second = owner.get(format!("{}?page_size=15&cursor={cursor}", hooks(&form))).json();
    let count = |page: &Value| page["data"].as_array().expect("a list").len();
    assert_eq!((count(&first), count(&second)), (15, 5));
    assert_eq!(second["data"][4]["id"], made[0].data["id"]);
    assert_eq!(second["pagination"]["next_cursor"], "");
    let of_others = owner.get(format!("{}?cursor={cursor}", hooks(&other)));
    assert_eq!(of_others.status, 400);
}

#[test]
fn refusals_come_in_the_order_of_all_routes() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let viewer = server.user();
    let me = viewer.get("/api/v1/me").data()["id"].clone();
    let share = format!("{}/collaborators/{}", form.path(), me.as_str().expect("an id"));
    assert_eq!(owner.put(share, json!({"role": "editor"})).status, 200);
    let reader = server.token(&owner.email, "integration:read");
    let bad = json!({"url": "x"});
    let answers = |caller: &Caller, form: &Form| {
        let path = format!("{}/whk_unknown", hooks(form));
        [caller.post(hooks(form), bad.clone()), caller.patch(path, bad.clone())].map(|it| it.to_string())
    };
    assert_eq!(answers(&server.anon(), &form)[0], r#"401 {"error":"Missing access token"}"#);
    assert_eq!(answers(&reader, &form), [r#"403 {"error":"Insufficient scope"}"#; 2]);
    assert_eq!(reader.get(&hook.path).status, 200);
    let broken = viewer.send("PATCH", &hook.path, Some("application/json"), b"{");
    assert_eq!(broken.status, 400);
    assert_eq!(answers(&server.user(), &form), [r#"404 {"error":"Form not found"}"#; 2]);
    assert_eq!(answers(&viewer, &form), [r#"403 {"error":"Forbidden"}"#; 2]);
    let [posted, patched] = answers(&owner, &form);
    assert!(posted.starts_with("422 "), "{posted}");
    assert_eq!(patched, r#"404 {"error":"Webhook not found"}"#);
    // A form in the trash is none.
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(owner.get(&hook.path).to_string(), r#"404 {"error":"Form not found"}"#);
    assert_eq!(owner.post(format!("{}/restore", form.path()), json!({})).status, 200);
    assert_eq!(owner.get(&hook.path).status, 200);
}

#[test]
fn a_secret_is_shown_twice_only_new_each_time_and_never_stored_as_it_is() {
    let server = Server::start();
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let hook = Hook::of(&owner, &form, &ALL);
    let secret = |data: &Value| data["secret"].as_str().expect("a secret").to_owned();
    let first = secret(&hook.data);
    assert!(first.starts_with("whsec_"), "{first}");
    assert_eq!(first.len(), "whsec_".len() + 44, "256 bits in base64: {first}");
    let before = owner.get(&hook.path);
    let id = id(&hook.data);
    let rotate = format!("{}/integrations/webhooks/{id}/rotate_secret", form.path());
    let rotated = owner.send("POST", &rotate, None, b"");
    assert_eq!(rotated.status, 200, "{rotated}");
    let second = secret(&rotated.data());
    assert_ne!(first, second);
    assert_eq!(rotated.data()["id"], hook.data["id"]);
    assert_ne!(rotated.header("etag"), before.header("etag"));
    let third = secret(&owner.post(hook.part("rotate_secret"), json!({})).data());
    assert_eq!(owner.get(&hook.path).data().get("secret"), None);
    for name in ["formsvc.db", "formsvc.db-wal"] {
        let bytes = std::fs::read(server.dir.join(name)).expect("a file");
        let kept = text(&bytes);
        for secret in [&first, &second, &third] {
            let bare = secret.trim_start_matches("whsec_");
            assert!(!kept.contains(bare), "{name}");
        }
    }
    let sealed: Vec<u8> =
        database(&server).query_row("SELECT secret FROM webhooks", [], |row| row.get(0)).expect("a row");
    assert!(sealed.len() > 32, "with nonce and tag");
}

#[test]
fn who_did_what_is_in_the_audit_log() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    assert_eq!(owner.patch(&hook.path, json!({"enabled": false})).status, 200);
    assert_eq!(owner.post(hook.part("rotate_secret"), json!({})).status, 200);
    // What changes nothing or is refused is not noted.
    assert_eq!(owner.patch(&hook.path, json!({"enabled": false})).status, 200);
    assert_eq!(owner.patch(&hook.path, json!({"url": ""})).status, 422);
    assert_eq!(owner.delete(&hook.path).status, 200);
    let database = database(server);
    let mut select = database
        .prepare(
            "SELECT action, subject FROM audit_events WHERE form_token = ?1 AND action LIKE 'webhook.%' ORDER BY id",
        )
        .expect("SQL");
    let rows = select.query_map([&form.token], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: rusqlite::Result<Vec<(String, String)>> = rows.expect("rows").collect();
    let id = id(&hook.data);
    let expected = ["created", "updated", "secret_rotated", "deleted"].map(|it| (format!("webhook.{it}"), id.clone()));
    assert_eq!(rows.expect("rows"), expected);
}

#[test]
fn deliveries_are_listed_latest_first_with_what_became_of_them() {
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let id = id(&hook.data);
    let listed = owner.get(format!("{}/integrations/webhooks/{id}/deliveries", form.path()));
    assert_eq!(listed.data(), json!([]));
    for n in 0..3 {
        add(&owner, &form, json!({"field_1": n.to_string()}));
    }
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let all = hook.deliveries(&owner);
    assert_eq!(hook.kinds(&owner), ["entry_created", "entry_created", "entry_created", "entry_deleted"]);
    for delivery in &all {
        let keys: Vec<&String> = delivery.as_object().expect("an object").keys().collect();
        assert_eq!(
            keys,
            [
                "id",
                "event",
                "status",
                "attempts",
                "response_status",
                "response_ms",
                "error",
                "created_at",
                "next_attempt_at"
            ]
        );
        assert!(delivery["id"].as_str().is_some_and(|id| id.starts_with("dlv_")), "{delivery}");
        assert_eq!(delivery["status"], "pending");
        assert_eq!(delivery["response_status"], Value::Null);
        assert!(delivery["next_attempt_at"].is_string(), "{delivery}");
    }
    let path = hook.part("deliveries?page_size=3");
    let first = owner.get(&path).json();
    assert_eq!(first["data"][0]["id"], all[3]["id"]);
    assert_eq!(first["pagination"]["total"], 4);
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    let second = owner.get(format!("{path}&cursor={cursor}")).json();
    assert_eq!(second["data"][0]["id"], all[0]["id"]);
    assert_eq!(owner.get(hook.part("deliveries?page_size=101")).status, 400);
    // Mail is listed elsewhere, and these are not there.
    assert_eq!(owner.get(form.part("notifications")).json()["pagination"]["total"], 0);
}
