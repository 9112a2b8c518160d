//! Secrets of webhooks are told once, when they are made; and neither what is sent nor what a receiver says is kept where
//! it can be read (S72, S73, S75, S77).

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::events_kept::receiver::{Answer, Receiver};
use crate::events_kept::{FLAGS, KINDS, Webhook, list};
use crate::support::{Caller, Form, Response, Server, field, text, until};

/// What an answer is made of, with its head.
fn whole(answer: &Response) -> String {
    let headers = answer.headers.iter();
    let headers = headers.map(|(name, value)| format!("{name}: {}\n", text(value.as_bytes())));
    headers.collect::<String>() + &answer.text
}

/// What may be seen of a secret: itself, its bytes as other programs write them, and both of the parts that it begins with.
fn marks(secret: &str) -> Vec<String> {
    let inner = secret.strip_prefix("whsec_").expect("a prefix");
    let bytes = STANDARD.decode(inner).expect("base64");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    vec![inner.to_owned(), inner[..16].to_owned(), hex, "whsec_".to_owned()]
}

/// All that can be read about a form's webhooks and what they did.
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
    let tested = owner.post(webhook.part("test"), json!({}));
    assert_eq!(tested.status, 200, "{tested}");
    keep("a test", whole(&tested));
    let delivered = |row: &Value| row["status"] == "delivered";
    let rows = webhook.until_all(owner, "all is delivered", delivered);
    let id = rows[0]["id"].as_str().expect("an id");
    let again = owner.post(webhook.part(&format!("deliveries/{id}/redeliver")), json!({}));
    assert_eq!(again.status, 200, "{again}");
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
    let flags = [&FLAGS[..], &["--log-level", "debug", "--access-log", "on"]].concat();
    let server = Server::with(&flags);
    let receiver = Receiver::start();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let mut webhook = Webhook::new(&owner, &form, &receiver.url("/a"), &KINDS);
    let first = webhook.secret.clone();
    let add = || {
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": "a"}}));
        assert_eq!(made.status, 201, "{made}");
    };
    add();
    assert!(webhook.signed(&receiver.first_taken("/a", 1)[0]));
    let before = owner.get(webhook.path());
    let rotated = owner.post(webhook.part("rotate_secret"), json!({}));
    assert_eq!(rotated.status, 200, "{rotated}");
    webhook.secret = rotated.data()["secret"].as_str().expect("a secret").to_owned();
    let old = Webhook { secret: first.clone(), ..webhook.clone() };
    assert_ne!(first, webhook.secret);
    for key in ["id", "url", "trigger_events", "enabled", "created_at"] {
        assert_eq!(rotated.data()[key], before.data()[key], "{key}");
    }
    // For a day both sign, the newer one first.
    add();
    let got = receiver.first_taken("/a", 2).remove(1);
    assert!(webhook.signed(&got) && old.signed(&got));
    assert_eq!(got.header("webhook-signature").split(' ').count(), 2);
    let reads = reads(&server, &owner, &form, &webhook);
    for secret in [&first, &webhook.secret] {
        for mark in marks(secret) {
            for (name, text) in &reads {
                assert!(!text.contains(&mark), "{name} tells {mark}: {text}");
            }
        }
        let inner = secret.strip_prefix("whsec_").expect("a prefix");
        let raw = STANDARD.decode(inner).expect("base64");
        for bytes in [inner.as_bytes(), &raw] {
            assert_eq!(holding(&server.dir, bytes), Vec::<String>::new());
        }
    }
    // The form's copy has no webhooks, whose receivers know nothing of it.
    let copy = owner.get("/api/v1/forms").data()[0]["token"].clone();
    let copy = copy.as_str().expect("a token");
    assert_ne!(copy, form.token);
    let of_copy = owner.get(format!("/api/v1/forms/{copy}/integrations/webhooks"));
    assert_eq!(of_copy.json()["pagination"]["total"], 0);
}

#[test]
fn deliveries_tell_nothing_of_what_was_sent_or_said() {
    let flags = [&FLAGS[..], &["--log-level", "debug", "--access-log", "on"]].concat();
    let server = Server::with(&flags);
    let receiver = Receiver::with(|got| match got.path.as_str() {
        "/bad" => Answer::Status(500),
        "/away" => Answer::Status(302),
        "/cut" => Answer::HangUp,
        _ => Answer::Status(202),
    });
    let owner = server.user();
    let form =
        owner.form_with(json!({"name": "mk-form", "fields": [field("short_text", json!({"label": "mk-label"}))]}));
    let paths = ["/good", "/bad", "/away", "/cut"];
    let webhooks = paths.map(|path| {
        let url = format!("http://localhost:{}{path}", receiver.port);
        Webhook::new(&owner, &form, &url, &KINDS)
    });
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "mk-value"}}));
    assert_eq!(made.status, 201, "{made}");
    let keys = [
        "id",
        "event",
        "status",
        "attempts",
        "response_status",
        "response_ms",
        "error",
        "created_at",
        "next_attempt_at",
    ];
    let statuses = [json!(202), json!(500), json!(302), Value::Null];
    for (webhook, status) in webhooks.iter().zip(statuses) {
        let mut row = Value::Null;
        until("a try is noted", || {
            row = webhook.deliveries(&owner).remove(0);
            row["status"] == "delivered" || !row["error"].is_null()
        });
        assert_eq!(row["attempts"], 1, "{row}");
        let own: Vec<&String> = row.as_object().expect("an object").keys().collect();
        assert_eq!(own, keys, "{row}");
        assert_eq!(row["event"], "entry_created", "{row}");
        assert_eq!(row["response_status"], status, "{row}");
        let is_good = status == 202;
        assert_eq!(row["status"], if is_good { "delivered" } else { "pending" }, "{row}");
        assert_eq!(row["error"].is_null(), is_good, "{row}");
        assert_eq!(row["next_attempt_at"].is_null(), is_good, "{row}");
        assert!(row["id"].as_str().is_some_and(|id| id.starts_with("dlv_")), "{row}");
    }
    let log = server.stderr();
    for webhook in &webhooks {
        for path in [webhook.part("deliveries"), webhook.path()] {
            let text = whole(&owner.get(&path));
            for mark in ["mk-value", "mk-receiver", "Mk-Reason", "mk-label", "mk-form", "127.0.0.1", "elsewhere"] {
                assert!(!text.contains(mark), "{path} tells {mark}: {text}");
            }
        }
        let tested = owner.post(webhook.part("test"), json!({}));
        assert_eq!(tested.status, 200, "{tested}");
        let tested = whole(&tested);
        for mark in ["mk-receiver", "Mk-Reason", "mk-form", "127.0.0.1", "elsewhere"] {
            assert!(!tested.contains(mark), "a test tells {mark}: {tested}");
        }
    }
    for mark in ["mk-value", "mk-receiver", "Mk-Reason", "mk-label", "/bad", "elsewhere"] {
        assert!(!log.contains(mark), "the log tells {mark}: {log}");
    }
    // Nobody went where one receiver pointed.
    assert!(receiver.asked("/elsewhere").is_empty());
}
