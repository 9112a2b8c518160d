//! Outgoing events and mail, as `packaging/handbook/webhooks.md` and `mail.md` describe them. Where their sentences are
//! tested:
//!
//! - A webhook is added with an address and kinds of events, has a secret, takes scopes and a manager: `webhooks`
//! - Events, their bodies, how long they are kept: `events`
//! - Headers, signatures, order, attempts, 410, `test` and `redeliver`, public addresses: `webhook_deliveries`
//! - The pages of webhooks: `webhook_pages`
//! - The stream, `Last-Event-ID`, `formsvc events tail`: `event_stream`
//! - Receipts, notices, the mail server: `mail`
//! - Data deleted for good while it waited: `gone_for_good`
//!
//! Here are the common parts of all these tests.

pub mod event_stream;
pub mod events;
pub mod gone_for_good;
pub mod mail;
pub mod webhook_deliveries;
pub mod webhook_pages;
pub mod webhooks;

use std::fmt::Debug;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use rusqlite::Connection;
use serde_json::{Value, json};
use support::peers::receiver::Got;
use support::{Caller, Form, PATIENCE, Response, Server, field, steps, store};

/// Flags of a server that delivers to this machine too.
pub const FLAGS: [&str; 3] = ["--rate-limits", "off", "--allow-private-webhooks"];

/// All that webhooks can be told of.
pub const KINDS: [&str; 4] = ["entry_created", "entry_updated", "entry_deleted", "entry_restored"];

/// Nothing answers there; and without `--allow-private-webhooks` nothing is sent there.
pub const NOWHERE: &str = "http://127.0.0.1:1025/";

/// The fields of a form with one text, `field_1`.
pub fn fields() -> Value {
    json!([field("short_text", json!({}))])
}

/// Somebody with such a form.
pub fn simple(server: &Server) -> (Caller, Form) {
    let owner = server.user();
    let form = owner.form(fields());
    (owner, form)
}

/// Somebody with a form of one text and a webhook of it for everything.
pub fn told(server: &Server, url: &str) -> (Caller, Form, Webhook) {
    let (owner, form) = simple(server);
    let webhook = Webhook::new(&owner, &form, url, &KINDS);
    (owner, form, webhook)
}

/// The body of an entry with these values.
pub fn values(values: Value) -> Value {
    json!({ "field_values": values })
}

/// Adds an entry with this text.
pub fn enter(owner: &Caller, form: &Form, text: &str) {
    steps::add(owner, form, json!({"field_1": text}));
}

/// Adds so many entries at once: `n0`, `n1` and so on.
pub fn enter_many(owner: &Caller, form: &Form, count: usize) {
    let entries: Vec<Value> = (0..count).map(|n| values(json!({"field_1": format!("n{n}")}))).collect();
    let made = owner.post(form.part("entries/bulk"), json!({ "entries": entries }));
    assert_eq!(made.status, 201, "{made}");
}

/// Changes the first entry's text.
pub fn change(owner: &Caller, form: &Form, text: &str) {
    let changed = owner.patch(form.entry(1), values(json!({"field_1": text})));
    assert_eq!(changed.status, 200, "{changed}");
}

/// Takes an entry out of the trash.
pub fn restore(owner: &Caller, form: &Form, serial: i64) -> Response {
    owner.post(format!("{}/restore", form.trashed(serial)), json!({}))
}

/// Imports a CSV file; `query` is empty or `?dry_run=true`.
pub fn import(owner: &Caller, form: &Form, query: &str, file: &str) -> Response {
    owner.send("POST", &format!("{}{query}", form.part("entries/import")), Some("text/csv"), file.as_bytes())
}

/// The address of a submitted entry, and its respondent, who may change it.
pub fn respondent(anon: &Caller, form: &Form, submitted: &Response) -> (String, Caller) {
    assert_eq!(submitted.status, 201, "{submitted}");
    let data = submitted.data();
    let token = data["entry"]["token"].as_str().expect("a token");
    let right = data["edit_token"].as_str().expect("an edit token");
    (format!("{}/{token}", form.submissions()), anon.header("x-edit-token", right))
}

/// A field that links to entries of this form and shows their text.
pub fn link(form: &Form) -> Value {
    let shown = json!([{"api_code": "field_1", "public": true}]);
    field("linked_form", json!({"form_token": form.token, "search_fields": ["field_1"], "display_fields": shown}))
}

/// A public query that finds entries by their numbers and lets visitors change their text; its token.
pub fn query(owner: &Caller, form: &Form) -> String {
    let body = json!({
        "form_token": form.token, "name": "Look up",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "serial_number", "fuzzy": false}]}],
        "display_field_rules": [{"field": "serial_number"}, {"field": "field_1", "editable": true}],
    });
    let made = owner.post("/api/v1/opensearch/queries", body);
    assert_eq!(made.status, 201, "{made}");
    made.data()["token"].as_str().expect("a token").to_owned()
}

/// The address of the entry with this number on a public query, and a caller with the right to edit it, as found there.
pub fn visitor(anon: &Caller, query: &str, serial: i64) -> (String, Caller) {
    let public = format!("/api/v1/q/{query}");
    let found = anon.post(format!("{public}/search"), json!({"values": {"serial_number": serial}}));
    assert_eq!(found.status, 200, "{found}");
    let word = |key: &str| found.data()[0][key].as_str().expect("a text").to_owned();
    (format!("{public}/entries/{}", word("entry_token")), anon.header("x-edit-token", &word("edit_token")))
}

/// `/api/v1/forms/{token}/integrations/webhooks`
pub fn list(form: &Form) -> String {
    form.part("integrations/webhooks")
}

/// The keys of an object.
pub fn keys(value: &Value) -> Vec<String> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().cloned().collect()
}

/// An answer, which has to be a 200.
#[track_caller]
pub fn ok(answer: Response) -> Response {
    assert_eq!(answer.status, 200, "{answer}");
    answer
}

/// Asserts that a row has these values at these keys.
#[track_caller]
pub fn has(row: &Value, expected: Value) {
    has_in("", row, &expected);
}

/// The same in one of several cases.
#[track_caller]
pub fn has_in(case: &str, row: &Value, expected: &Value) {
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(row[key], *value, "{case}: {key} of {row}");
    }
}

/// Waits until the value passes the check, and returns it. If it never does, the failure shows the last value.
pub fn until_shown<T: Debug>(what: &str, look: impl Fn() -> T, is: impl Fn(&T) -> bool) -> T {
    let begun = Instant::now();
    loop {
        let seen = look();
        if is(&seen) {
            return seen;
        }
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}: {seen:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The database of a server.
pub fn database(server: &Server) -> Connection {
    store::database(&server.dir)
}

/// Makes a form's deliveries that were put off due at once, as only time does otherwise.
pub fn make_due(server: &Server, form: &Form) {
    let sql = "UPDATE outbox SET next_attempt_at = 1 WHERE status = 'pending' AND event_id >> 32 = \
               (SELECT form_no FROM forms WHERE token = ?1)";
    database(server).execute(sql, [&form.token]).expect("made due");
}

/// A webhook that a test made.
#[derive(Clone)]
pub struct Webhook {
    pub id: String,
    /// The address of its form.
    form: String,
    pub secret: String,
}

impl Webhook {
    /// One that wants events of these kinds.
    pub fn new(owner: &Caller, form: &Form, url: &str, kinds: &[&str]) -> Self {
        let body = json!({"url": url, "trigger_events": kinds});
        let made = owner.post(list(form), body);
        assert_eq!(made.status, 201, "{url}: {made}");
        Self::of(&made, form)
    }

    pub fn of(made: &Response, form: &Form) -> Self {
        let text = |key: &str| made.data()[key].as_str().expect("a text").to_owned();
        Self { id: text("id"), form: form.path(), secret: text("secret") }
    }

    /// `/api/v1/forms/{token}/integrations/webhooks/{id}`
    pub fn path(&self) -> String {
        format!("{}/integrations/webhooks/{}", self.form, self.id)
    }

    /// `…/{id}/{name}`
    pub fn part(&self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// Changes it.
    pub fn set(&self, owner: &Caller, body: Value) -> Response {
        let changed = owner.patch(self.path(), body);
        assert_eq!(changed.status, 200, "{changed}");
        changed
    }

    /// Sends a `ping`; returns its outcome.
    pub fn test(&self, owner: &Caller) -> Value {
        let tested = owner.post(format!("{}/integrations/webhooks/{}/test", self.form, self.id), json!({}));
        assert_eq!(tested.status, 200, "{tested}");
        tested.data()
    }

    /// Asks for one of its deliveries once more.
    pub fn redeliver(&self, owner: &Caller, delivery: &str) -> Response {
        let path = format!("{}/integrations/webhooks/{}/deliveries/{delivery}/redeliver", self.form, self.id);
        owner.post(path, json!({}))
    }

    /// Replaces its secret; the webhook with the new one.
    pub fn rotated(&self, owner: &Caller) -> Self {
        let path = format!("{}/integrations/webhooks/{}/rotate_secret", self.form, self.id);
        let rotated = owner.post(path, json!({}));
        assert_eq!(rotated.status, 200, "{rotated}");
        let secret = rotated.data()["secret"].as_str().expect("a secret").to_owned();
        assert_ne!(secret, self.secret);
        Self { secret, ..self.clone() }
    }

    /// All its deliveries, the newest first.
    pub fn deliveries(&self, owner: &Caller) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{}/integrations/webhooks/{}/deliveries", self.form, self.id);
            let page = owner.get(format!("{path}?page_size=100&cursor={cursor}"));
            assert_eq!(page.status, 200, "{page}");
            let page = page.json();
            all.extend(page["data"].as_array().expect("rows").clone());
            let next = page["pagination"]["next_cursor"].as_str();
            cursor = next.expect("a cursor").to_owned();
            if cursor.is_empty() {
                return all;
            }
        }
    }

    /// The kinds of the deliveries, done and waiting, oldest first.
    pub fn kinds(&self, owner: &Caller) -> Vec<String> {
        let kinds = self.deliveries(owner).into_iter().rev();
        kinds.map(|row| row["event"].as_str().expect("a kind").to_owned()).collect()
    }

    /// Waits until all its deliveries are as they should be; they, the newest first.
    pub fn until_all(&self, owner: &Caller, what: &str, is: impl Fn(&Value) -> bool) -> Vec<Value> {
        until_shown(what, || self.deliveries(owner), |all| all.iter().all(&is))
    }

    /// Waits until it has so many deliveries and all have this status; returns them, the newest first.
    pub fn until_status(&self, owner: &Caller, count: usize, status: &str) -> Vec<Value> {
        let is = |all: &Vec<Value>| all.len() == count && all.iter().all(|row| row["status"] == status);
        until_shown(&format!("{count} are {status}"), || self.deliveries(owner), is)
    }

    /// Waits until the latest delivery is as it should be.
    pub fn until_latest(&self, owner: &Caller, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let latest = || self.deliveries(owner).into_iter().next().unwrap_or_default();
        until_shown(what, latest, is)
    }

    /// Waits until the latest delivery has been tried and failed.
    pub fn until_fault(&self, owner: &Caller) -> Value {
        self.until_latest(owner, "a fault", |row| !row["error"].is_null())
    }

    pub fn until_delivered(&self, owner: &Caller) -> Value {
        self.until_latest(owner, "delivered", |row| row["status"] == "delivered")
    }

    /// Whether one of the request's signatures was made with this webhook's secret.
    pub fn signed(&self, got: &Got) -> bool {
        let key = self.secret.strip_prefix("whsec_").expect("a prefix");
        let key = STANDARD.decode(key).expect("base64");
        assert_eq!(key.len(), 32);
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
        let mut message = [got.header("webhook-id"), ".", got.header("webhook-timestamp"), "."].concat().into_bytes();
        message.extend_from_slice(&got.bytes);
        got.header("webhook-signature").split(' ').any(|one| {
            let one = one.strip_prefix("v1,").expect("a version");
            let one = STANDARD.decode(one).expect("base64");
            hmac::verify(&key, &message, &one).is_ok()
        })
    }

    /// Asserts that a request is of the shape of the contract, of this form, and signed.
    pub fn check(&self, form: &Form, got: &Got) {
        let body = &got.body;
        assert_eq!(keys(body), ["id", "event", "created_at", "form", "entry"]);
        assert_eq!(body["form"], json!({"token": form.token, "name": form.body["name"]}), "{body}");
        assert!(KINDS.contains(&got.kind()), "{body}");
        assert!(got.id().starts_with("evt_"), "{body}");
        assert_eq!(got.header("webhook-id"), got.id());
        assert_eq!(got.header("content-type"), "application/json");
        let version = concat!("formsvc/", env!("CARGO_PKG_VERSION"));
        assert_eq!(got.header("user-agent"), version);
        let stamp = got.header("webhook-timestamp");
        assert!(stamp.parse::<u64>().is_ok(), "{stamp}");
        let made = body["created_at"].as_str().expect("a time");
        assert!(made.parse::<jiff::Timestamp>().is_ok(), "{made}");
        assert!(self.signed(got), "{body}");
    }
}
