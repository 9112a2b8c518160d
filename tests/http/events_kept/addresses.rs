//! What webhooks may be made of: `tables/webhooks.txt`, for new ones and for changes alike (spec 4.11).

use serde_json::{Value, json};

use crate::events_kept::receiver::closed_port;
use crate::events_kept::{FLAGS, KINDS, Webhook, list};
use crate::support::{Caller, Form, Response, Server, field};

const TABLE: &str = include_str!("../tables/webhooks.txt");

/// A row of the table.
struct Row {
    body: String,
    status: Option<u16>,
    faults: Vec<String>,
}

/// An address of so many characters.
fn long(length: usize) -> String {
    let begin = "https://example.com/";
    format!("{begin}{}", "é".repeat(length - begin.len()))
}

impl Row {
    fn read(line: &str) -> Self {
        let mut columns = line.split("||").map(str::trim);
        let mut next = || columns.next().unwrap_or_else(|| panic!("{line} has too few columns"));
        let (body, status, faults) = (next(), next(), next());
        let faults = faults.split(';').map(|fault| fault.trim().to_owned());
        let mut row = Self {
            body: body.to_owned(),
            status: status.parse().ok(),
            faults: faults.filter(|fault| !fault.is_empty()).collect(),
        };
        assert!(row.status.is_some() || status == "?", "{line}");
        if let Some(body) = body.strip_prefix('+') {
            let mut body: Value = serde_json::from_str(body).unwrap_or_else(|fault| panic!("{line}: {fault}"));
            let map = body.as_object_mut().expect("an object");
            map.entry("url").or_insert(json!("https://example.com/hook"));
            map.entry("trigger_events").or_insert(json!(["entry_created"]));
            let length = body["url"].as_str().unwrap_or_default();
            let length = length.strip_prefix('@').and_then(|rest| rest.strip_suffix('@'));
            if let Some(length) = length {
                body["url"] = json!(long(length.parse().expect("a number")));
            }
            row.body = body.to_string();
        }
        row
    }

    /// Asserts that an answer is as the row says.
    fn check(&self, answer: &Response, good: u16) {
        let body: String = self.body.chars().take(300).collect();
        let expected = self.status.map(|status| if status == 201 { good } else { status });
        match expected {
            Some(status) => assert_eq!(answer.status, status, "{body}: {answer}"),
            None => assert!([good, 422].contains(&answer.status), "{body}: {answer}"),
        }
        if answer.status == 400 {
            assert!(answer.text.contains("Request body is not valid JSON"), "{answer}");
        }
        if answer.status != 422 || self.status.is_none() {
            return;
        }
        assert_eq!(answer.json()["error"].as_str().map(str::is_empty), Some(false));
        let faults = answer.faults();
        let mut left = faults.clone();
        for expected in &self.faults {
            let fits = |fault: &String| match expected.strip_suffix('…') {
                Some(begin) => fault.starts_with(begin),
                None => fault == expected,
            };
            let place = left.iter().position(fits);
            let place = place.unwrap_or_else(|| panic!("{body}: no {expected}: {faults:?}"));
            left.remove(place);
        }
        assert!(left.is_empty(), "{body}: {left:?} too");
    }
}

fn send(caller: &Caller, method: &str, path: &str, body: &str) -> Response {
    caller.send(method, path, Some("application/json"), body.as_bytes())
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<Row> = lines.map(Row::read).collect();
    assert!(rows.len() >= 100, "{}", rows.len());
    rows
}

fn set() -> (Caller, Form) {
    static SERVER: std::sync::LazyLock<Server> = std::sync::LazyLock::new(|| Server::with(&FLAGS));
    let owner = SERVER.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    (owner, form)
}

/// The keys of a value.
fn keys(value: &Value) -> Vec<String> {
    let map = value.as_object().expect("an object");
    map.keys().cloned().collect()
}

const KEYS: [&str; 6] = ["id", "url", "trigger_events", "enabled", "created_at", "updated_at"];

#[test]
fn new_webhooks_are_of_what_the_table_says() {
    let (owner, form) = set();
    for row in rows() {
        let made = send(&owner, "POST", &list(&form), &row.body);
        row.check(&made, 201);
        let count = owner.get(list(&form)).json()["pagination"]["total"].clone();
        if made.status != 201 {
            assert_eq!(count, 0, "{}: nothing is kept", row.body);
            continue;
        }
        let data = made.data();
        let sent: Value = serde_json::from_str(&row.body).expect("JSON");
        assert_eq!(keys(&data), [&KEYS[..], &["secret"]].concat(), "{made}");
        assert_eq!(data["url"], sent["url"], "as it was sent");
        assert_eq!(data["enabled"], sent.get("enabled") != Some(&json!(false)), "{made}");
        assert_eq!(data["created_at"], data["updated_at"], "{made}");
        let secret = data["secret"].as_str().expect("a secret");
        assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
        let mut shown = data.clone();
        shown.as_object_mut().expect("an object").remove("secret");
        let webhook = Webhook::of(&made, &form);
        assert_eq!(owner.get(webhook.path()).data(), shown);
        assert_eq!(owner.get(list(&form)).data(), json!([shown]));
        assert_eq!(owner.delete(webhook.path()).status, 200);
    }
}

#[test]
fn changes_are_of_what_the_table_says_and_wrong_ones_change_nothing() {
    let (owner, form) = set();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let webhook = Webhook::new(&owner, &form, &url, &KINDS);
    let is_partial = |row: &Row| row.faults.iter().any(|fault| fault.ends_with("is required"));
    for row in rows().iter().filter(|row| !is_partial(row)) {
        let before = owner.get(webhook.path()).data();
        let changed = send(&owner, "PATCH", &webhook.path(), &row.body);
        row.check(&changed, 200);
        let after = owner.get(webhook.path()).data();
        if changed.status == 200 {
            assert_eq!(keys(&after), KEYS, "{after}");
            assert_eq!(changed.data(), after);
            let sent: Value = serde_json::from_str(&row.body).expect("JSON");
            assert_eq!(after["url"], sent["url"]);
            assert_eq!(after["id"], before["id"]);
            assert_eq!(after["created_at"], before["created_at"]);
        } else {
            assert_eq!(after, before, "{}", row.body);
        }
    }
    // What is left out stays.
    let whole = owner.get(webhook.path()).data();
    for (key, value) in [
        ("url", json!("https://example.org/other")),
        ("trigger_events", json!(["entry_deleted"])),
        ("enabled", json!(false)),
    ] {
        let changed = owner.patch(webhook.path(), json!({ key: value }));
        assert_eq!(changed.status, 200, "{changed}");
        assert_eq!(changed.data()[key], value);
    }
    let changed = owner.patch(webhook.path(), json!({}));
    assert_eq!(changed.status, 200, "{changed}");
    let after = changed.data();
    assert_eq!(
        (&after["url"], &after["trigger_events"], &after["enabled"]),
        (&json!("https://example.org/other"), &json!(["entry_deleted"]), &json!(false))
    );
    assert_eq!(after["id"], whole["id"]);
}

#[test]
fn kinds_by_the_hundred_are_each_named_once_or_each_refused() {
    let (owner, form) = set();
    let hundred: Vec<&str> = (0..100).map(|n| KINDS[n % 4]).collect();
    let made = owner.post(list(&form), json!({"url": "https://example.com/", "trigger_events": hundred}));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(made.data()["trigger_events"], json!(KINDS));
    let unknown: Vec<String> = (0..100).map(|n| format!("kind_{n}")).collect();
    let refused = owner.post(list(&form), json!({"url": "https://example.com/", "trigger_events": unknown}));
    assert_eq!(refused.status, 422, "{refused}");
    let attributes: Vec<String> = (0..100).map(|n| format!("trigger_events[{n}]")).collect();
    assert_eq!(refused.attributes(), attributes);
    let huge: Vec<&str> = vec!["entry_created"; 40_000];
    let made = owner.post(list(&form), json!({"url": "https://example.com/", "trigger_events": huge}));
    assert!([201, 422].contains(&made.status), "{made}");
}

#[test]
fn two_webhooks_may_have_the_same_address() {
    let (owner, form) = set();
    let ids = [(); 2].map(|()| Webhook::new(&owner, &form, "https://example.com/", &KINDS).id);
    assert_ne!(ids[0], ids[1]);
}
