//! Bodies of webhooks: `tables/webhooks.txt`, for new ones and for changes alike (spec 4.11).

use serde_json::{Value, json};
use support::steps::simple;
use support::{Caller, Response};

use super::KEYS;
use crate::delivery::{KINDS, NOWHERE, Webhook, has, keys, list, ok};

const TABLE: &str = include_str!("../../tables/webhooks.txt");

/// A row of the table.
struct Row {
    body: String,
    status: Option<u16>,
    faults: Vec<String>,
}

/// An address of this length, padded with one character.
fn long(length: usize, filling: &str) -> String {
    let begin = "https://example.com/";
    format!("{begin}{}", filling.repeat(length - begin.len()))
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
            let length = body["url"].as_str().and_then(|url| url.strip_prefix('@')?.split_once('@'));
            if let Some((length, filling)) = length {
                body["url"] = json!(long(length.parse().expect("a number"), filling));
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
        let (mut faults, mut expected) = (answer.faults(), self.faults.clone());
        faults.sort();
        expected.sort();
        assert_eq!(faults, expected, "{body}");
    }
}

fn send(caller: &Caller, method: &str, path: &str, body: &str) -> Response {
    caller.send(method, path, Some("application/json"), body.as_bytes())
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<Row> = lines.map(Row::read).collect();
    assert!(rows.len() >= 160, "{}", rows.len());
    rows
}

#[test]
fn new_webhooks_are_of_what_the_table_says() {
    let (owner, form) = simple();
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
        ok(owner.delete(webhook.path()));
    }
}

#[test]
fn changes_are_of_what_the_table_says_and_wrong_ones_change_nothing() {
    let (owner, form) = simple();
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
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
    // Required members can't be removed.
    let refused = owner.patch(webhook.path(), json!({"url": null, "trigger_events": null, "enabled": null}));
    let faults = ["url: must be a string", "trigger_events: must be a list", "enabled: must be true or false"];
    assert_eq!((refused.status, refused.faults()), (422, faults.map(str::to_owned).to_vec()), "{refused}");
    // Members that are left out stay.
    let mut whole = owner.get(webhook.path()).data();
    for (key, value) in [
        ("url", json!("https://example.org/other")),
        ("trigger_events", json!(["entry_deleted"])),
        ("enabled", json!(false)),
    ] {
        whole[key] = value.clone();
        let changed = webhook.set(&owner, json!({ key: value })).data();
        whole["updated_at"] = changed["updated_at"].clone();
        assert_eq!(changed, whole, "{key}");
    }
    has(&webhook.set(&owner, json!({})).data(), whole);
}

#[test]
fn kinds_by_the_hundred_are_each_named_once_or_each_refused() {
    let (owner, form) = simple();
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
    let (owner, form) = simple();
    let ids = [(); 2].map(|()| Webhook::new(&owner, &form, "https://example.com/", &KINDS).id);
    assert_ne!(ids[0], ids[1]);
}
