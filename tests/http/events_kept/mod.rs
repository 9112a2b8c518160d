//! Events and the webhooks that get them (spec 2.11, 4.11 and 6; contract section 9; S71 to S74): every change that was
//! answered arrives, whatever fails in between, and nothing arrives that did not happen.

mod addresses;
mod changes;
mod crashes;
mod listed;
mod oracle;
mod programs;
pub mod receiver;
mod rights;
mod schedule;
mod secrets;
mod wanting;
mod writers;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::{Value, json};

use crate::events_kept::receiver::Got;
use crate::support::{Caller, Form, Response, until};

/// A server that delivers to this machine too.
const FLAGS: [&str; 3] = ["--rate-limits", "off", "--allow-private-webhooks"];

/// All that webhooks can be told of.
const KINDS: [&str; 4] = ["entry_created", "entry_updated", "entry_deleted", "entry_restored"];

/// A webhook that a test made.
#[derive(Clone)]
struct Webhook {
    id: String,
    /// The address of the form's webhooks.
    list: String,
    secret: String,
}

/// `/api/v1/forms/{token}/integrations/webhooks`
fn list(form: &Form) -> String {
    format!("/api/v1/forms/{}/integrations/webhooks", form.token)
}

impl Webhook {
    /// One that wants events of these kinds.
    fn new(owner: &Caller, form: &Form, url: &str, kinds: &[&str]) -> Self {
        let body = json!({"url": url, "trigger_events": kinds});
        let made = owner.post(list(form), body);
        assert_eq!(made.status, 201, "{made}");
        Self::of(&made, form)
    }

    fn of(made: &Response, form: &Form) -> Self {
        let text = |key: &str| made.data()[key].as_str().expect("a text").to_owned();
        Self { id: text("id"), list: list(form), secret: text("secret") }
    }

    /// `/api/v1/forms/{token}/integrations/webhooks/{id}`
    fn path(&self) -> String {
        format!("{}/{}", self.list, self.id)
    }

    /// `…/{id}/{name}`
    fn part(&self, name: &str) -> String {
        format!("{}/{}/{name}", self.list, self.id)
    }

    /// All its deliveries, the newest first.
    fn deliveries(&self, owner: &Caller) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("deliveries?page_size=100&cursor={cursor}");
            let page = owner.get(self.part(&path));
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

    /// Waits until all its deliveries are as they should be; they, the newest first.
    fn until_all(&self, owner: &Caller, what: &str, is: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = Vec::new();
        until(what, || {
            all = self.deliveries(owner);
            all.iter().all(&is)
        });
        all
    }

    /// Whether one of the request's signatures is by this webhook's secret.
    fn signed(&self, got: &Got) -> bool {
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
    fn check(&self, form: &Form, got: &Got) {
        let keys = |value: &Value| -> Vec<String> {
            let map = value.as_object().expect("an object");
            map.keys().cloned().collect()
        };
        let body = &got.body;
        assert_eq!(keys(body), ["id", "event", "created_at", "form", "entry"]);
        assert_eq!(keys(&body["form"]), ["token", "name"], "{body}");
        assert_eq!(body["form"]["token"], form.token, "{body}");
        assert_eq!(body["form"]["name"], form.body["name"], "{body}");
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
