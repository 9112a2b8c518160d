//! The secret is not shown again once it was made or rotated; neither deliveries nor the answers of a receiver are kept
//! where they can be read (S72, S73, S75, S77).

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use support::peers::receiver::{Answer, Receiver};
use support::{Caller, Form, Response, Server, field, text};

use super::DELIVERY;
use crate::delivery::{FLAGS, KINDS, Webhook, database, enter, has, keys, list, ok, told};

/// A server that says as much as it can, for tests that look for secrets in its data dir and its log.
fn server() -> Server {
    Server::with(&[&FLAGS[..], &["--log-level", "debug", "--access-log", "on"]].concat())
}

/// The whole answer, with its head.
fn whole(answer: &Response) -> String {
    let headers = answer.headers.iter();
    let headers = headers.map(|(name, value)| format!("{name}: {}\n", text(value.as_bytes())));
    headers.collect::<String>() + &answer.text
}

/// Traces of a secret that may show: itself, its bytes as other programs write them, and the beginnings of both.
fn marks(secret: &str) -> Vec<String> {
    let inner = secret.strip_prefix("whsec_").expect("a prefix");
    let bytes = STANDARD.decode(inner).expect("base64");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    vec![inner.to_owned(), inner[..16].to_owned(), hex, "whsec_".to_owned()]
}

/// All readable data about a form's webhooks and their deliveries.
fn reads(server: &Server, owner: &Caller, form: &Form, webhook: &Webhook) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut keep = |name: &str, text: String| out.push((name.to_owned(), text));
    for path in [
        list(form),
        webhook.path(),
        webhook.part("deliveries?page_size=100"),
        form.path(),
        form.part("settings"),
        form.part("entries"),
        form.part("notifications"),
        form.part("entries/export?format=csv"),
        form.part("entries/export?format=json"),
        "/api/v1/me".to_owned(),
        "/api/v1/audit_events?page_size=100".to_owned(),
        "/api/v1/forms".to_owned(),
        form.published(),
        form.page(),
    ] {
        keep(&path, whole(&owner.get(&path)));
    }
    for (name, body) in [
        ("a change", json!({"enabled": true})),
        ("a wrong change", json!({"url": "x", "trigger_events": [7], "secret": "y"})),
        ("a wrong kind of body", json!(["x"])),
    ] {
        keep(name, whole(&owner.patch(webhook.path(), body)));
    }
    let stale = owner.header("If-Match", "\"x\"");
    keep("a stale change", whole(&stale.patch(webhook.path(), json!({"enabled": true}))));
    let tested = ok(owner.post(webhook.part("test"), json!({})));
    keep("a test", whole(&tested));
    let rows = webhook.until_all(owner, "all is delivered", |row| row["status"] == "delivered");
    let again = ok(webhook.redeliver(owner, rows[0]["id"].as_str().expect("an id")));
    keep("again", whole(&again));
    let copied = owner.post(form.part("copy"), json!({}));
    assert_eq!(copied.status, 201, "{copied}");
    keep("a copy of the form", whole(&copied));
    for args in [&["doctor", "--json"][..], &["config", "show"], &["user", "list", "--json"]] {
        let said = server.run(args);
        keep(&args.join(" "), text(&said.stdout) + &text(&said.stderr));
    }
    keep("the log", server.stderr());
    out
}

/// The files below a folder that hold these bytes.
fn holding(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            out.extend(holding(&path, bytes));
        } else if fs::read(&path).is_ok_and(|file| file.windows(bytes.len()).any(|part| part == bytes)) {
            out.push(path.display().to_string());
        }
    }
    out
}

#[test]
fn a_secret_is_told_when_it_is_made_and_never_again() {
    let server = server();
    let receiver = Receiver::start();
    let (owner, form, first) = told(&server, &receiver.url("/a"));
    enter(&owner, &form, "a");
    assert!(first.signed(&receiver.first_taken("/a", 1)[0]));
    let before = owner.get(first.path());
    let rotated = ok(owner.send("POST", &first.part("rotate_secret"), None, b""));
    assert_ne!(rotated.header("etag"), before.header("etag"));
    for key in ["id", "url", "trigger_events", "enabled", "created_at"] {
        assert_eq!(rotated.data()[key], before.data()[key], "{key}");
    }
    let second = Webhook::of(&rotated, &form);
    // For a day both sign, the newer one first.
    enter(&owner, &form, "b");
    let got = receiver.first_taken("/a", 2).remove(1);
    assert!(first.signed(&got) && second.signed(&got));
    assert_eq!(got.header("webhook-signature").split(' ').count(), 2);
    let third = second.rotated(&owner);
    let reads = reads(&server, &owner, &form, &third);
    let secrets = [&first.secret, &second.secret, &third.secret];
    assert!(secrets[0] != secrets[1] && secrets[1] != secrets[2] && secrets[2] != secrets[0]);
    for secret in secrets {
        for mark in marks(secret) {
            for (name, text) in &reads {
                assert!(!text.contains(&mark), "{name} tells {mark}: {text}");
            }
        }
        let inner = secret.strip_prefix("whsec_").expect("a prefix");
        assert_eq!(inner.len(), 44, "256 bits in base64: {secret}");
        let raw = STANDARD.decode(inner).expect("base64");
        for bytes in [inner.as_bytes(), &raw] {
            assert_eq!(holding(&server.dir, bytes), Vec::<String>::new());
        }
    }
    let sql = "SELECT secret FROM webhooks";
    let sealed: Vec<u8> = database(&server).query_row(sql, [], |row| row.get(0)).expect("a row");
    assert!(sealed.len() > 32, "with nonce and tag");
    // The form's copy has no webhooks, whose receivers know nothing of it.
    let copy = owner.get("/api/v1/forms").data()[0]["token"].clone();
    let copy = copy.as_str().expect("a token");
    assert_ne!(copy, form.token);
    let of_copy = owner.get(format!("/api/v1/forms/{copy}/integrations/webhooks"));
    assert_eq!(of_copy.json()["pagination"]["total"], 0);
}

#[test]
fn deliveries_tell_nothing_of_what_was_sent_or_said() {
    let server = server();
    let receiver = Receiver::with(|got| match got.path.as_str() {
        "/bad" => Answer::Status(500),
        "/away" => Answer::Status(302),
        "/cut" => Answer::HangUp,
        _ => Answer::Status(202),
    });
    let owner = server.user();
    let fields = json!([field("short_text", json!({"label": "mk-label"}))]);
    let form = owner.form_with(json!({"name": "mk-form", "fields": fields}));
    let webhook = |path: &str| {
        let url = format!("http://localhost:{}{path}", receiver.port);
        Webhook::new(&owner, &form, &url, &KINDS)
    };
    let cases = [("/good", json!(202)), ("/bad", json!(500)), ("/away", json!(302)), ("/cut", Value::Null)];
    let cases = cases.map(|(path, status)| (webhook(path), status));
    enter(&owner, &form, "mk-value");
    for (webhook, status) in &cases {
        let tried = |row: &Value| row["status"] == "delivered" || !row["error"].is_null();
        let row = webhook.until_latest(&owner, "a try is noted", tried);
        assert_eq!(keys(&row), DELIVERY, "{row}");
        let is_good = *status == 202;
        let became = if is_good { "delivered" } else { "pending" };
        has(&row, json!({"event": "entry_created", "status": became, "attempts": 1, "response_status": status}));
        assert_eq!(row["error"].is_null(), is_good, "{row}");
        assert_eq!(row["next_attempt_at"].is_null(), is_good, "{row}");
        assert!(row["id"].as_str().is_some_and(|id| id.starts_with("dlv_")), "{row}");
    }
    let log = server.stderr();
    let tells = |what: &str, text: &str, marks: &[&str]| {
        for mark in marks {
            assert!(!text.contains(mark), "{what} tells {mark}: {text}");
        }
    };
    let of_receiver = ["mk-receiver", "Mk-Reason", "mk-form", "127.0.0.1", "elsewhere"];
    for (webhook, _) in &cases {
        for path in [webhook.part("deliveries"), webhook.path()] {
            tells(&path, &whole(&owner.get(&path)), &[&of_receiver[..], &["mk-value", "mk-label"]].concat());
        }
        let tested = ok(owner.post(webhook.part("test"), json!({})));
        tells("a test", &whole(&tested), &of_receiver);
    }
    tells("the log", &log, &["mk-value", "mk-receiver", "Mk-Reason", "mk-label", "/bad", "elsewhere"]);
    // Nobody went where one receiver pointed.
    assert!(receiver.asked("/elsewhere").is_empty());
}
