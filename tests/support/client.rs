//! Callers and answers: a thin client that gives every status back, not only the good ones.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Value, json};
use ureq::http::{self, HeaderMap};

use crate::{PATIENCE, contract};

/// Bodies of at least this size are sent again when the connection breaks off.
const LARGE: usize = 256 << 10;
const RETRIES: usize = 3;

/// A caller: nobody, or a user with a token.
#[derive(Clone)]
pub struct Caller {
    /// Where the server is.
    pub base: String,
    /// The bearer token.
    pub token: Option<String>,
    /// The user's address; empty for nobody.
    pub email: String,
    headers: Vec<(String, String)>,
}

fn agent() -> &'static ureq::Agent {
    static AGENT: OnceLock<ureq::Agent> = OnceLock::new();
    AGENT.get_or_init(|| {
        ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent()
    })
}

impl Caller {
    pub fn new(base: &str, token: Option<&str>, email: &str) -> Self {
        Self { base: base.to_owned(), token: token.map(str::to_owned), email: email.to_owned(), headers: Vec::new() }
    }

    /// The same, with one more header on every request.
    pub fn header(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    /// The same, with another token.
    pub fn with_token(&self, token: &str) -> Self {
        let mut other = self.clone();
        other.token = Some(token.to_owned());
        other
    }

    /// Sends a request with a body of any type; `path` begins with `/`, `/api/v1` is put before paths
    /// that begin otherwise than a known public one.
    pub fn send(&self, method: &str, path: &str, kind: Option<&str>, body: &[u8]) -> Response {
        let run = || {
            let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.base));
            if let Some(token) = &self.token {
                request = request.header("authorization", format!("Bearer {token}"));
            }
            if let Some(kind) = kind {
                request = request.header("content-type", kind);
            }
            for (name, value) in &self.headers {
                request = request.header(name, value);
            }
            if body.is_empty() && kind.is_none() {
                agent().run(request.body(()).expect("a request"))
            } else {
                agent().run(request.body(body).expect("a request"))
            }
        };
        let mut answer = run();
        // A server that refuses a body before its end closes the connection, and the client may see that before the
        // answer.
        let mut tries = if body.len() >= LARGE { RETRIES } else { 0 };
        while tries > 0 && matches!(answer, Err(ureq::Error::Io(_))) {
            tries -= 1;
            answer = run();
        }
        let mut answer = answer.unwrap_or_else(|e| panic!("{method} {path}: {e}"));
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_vec()
            .unwrap_or_else(|e| panic!("{method} {path}: {e}"));
        let response = Response {
            asked: format!("{method} {path}"),
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            bytes,
        };
        contract::check(method, path, &response);
        response
    }

    pub fn get(&self, path: impl AsRef<str>) -> Response {
        self.send("GET", path.as_ref(), None, b"")
    }

    pub fn delete(&self, path: impl AsRef<str>) -> Response {
        self.send("DELETE", path.as_ref(), None, b"")
    }

    pub fn post(&self, path: impl AsRef<str>, body: Value) -> Response {
        self.json("POST", path.as_ref(), &body)
    }

    pub fn put(&self, path: impl AsRef<str>, body: Value) -> Response {
        self.json("PUT", path.as_ref(), &body)
    }

    pub fn patch(&self, path: impl AsRef<str>, body: Value) -> Response {
        self.json("PATCH", path.as_ref(), &body)
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Response {
        let body = body.to_string();
        self.send(method, path, Some("application/json"), body.as_bytes())
    }

    /// Posts pairs as a page's form does.
    pub fn post_form(&self, path: impl AsRef<str>, pairs: &[(&str, &str)]) -> Response {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        let kind = "application/x-www-form-urlencoded";
        self.send("POST", path.as_ref(), Some(kind), body.as_bytes())
    }

    /// Makes a form of these fields.
    pub fn form(&self, fields: Value) -> Form {
        self.form_with(json!({"name": "A form", "fields": fields}))
    }

    /// Makes a form from a whole body.
    pub fn form_with(&self, body: Value) -> Form {
        let made = self.post("/api/v1/forms", body);
        assert_eq!(made.status, 201, "{made}");
        let body = made.json();
        Form { token: body["data"]["token"].as_str().expect("a token").to_owned(), body: body["data"].clone() }
    }
}

/// A form that a test made.
pub struct Form {
    pub token: String,
    /// As the answer to its making showed it.
    pub body: Value,
}

impl Form {
    /// `/api/v1/forms/{token}`
    pub fn path(&self) -> String {
        format!("/api/v1/forms/{}", self.token)
    }

    /// `/api/v1/forms/{token}/{name}`
    pub fn part(&self, name: &str) -> String {
        format!("/api/v1/forms/{}/{name}", self.token)
    }

    /// `/api/v1/forms/{token}/entries`
    pub fn entries(&self) -> String {
        format!("/api/v1/forms/{}/entries", self.token)
    }

    /// `/api/v1/forms/{token}/entries/query`
    pub fn query(&self) -> String {
        format!("/api/v1/forms/{}/entries/query", self.token)
    }

    /// `/api/v1/forms/{token}/entries/{serial}`
    pub fn entry(&self, serial: i64) -> String {
        format!("/api/v1/forms/{}/entries/{serial}", self.token)
    }

    /// `/api/v1/forms/{token}/trash/entries`
    pub fn trash(&self) -> String {
        format!("/api/v1/forms/{}/trash/entries", self.token)
    }

    /// `/api/v1/forms/{token}/trash/entries/{serial}`
    pub fn trashed(&self, serial: i64) -> String {
        format!("/api/v1/forms/{}/trash/entries/{serial}", self.token)
    }

    /// `/api/v1/f/{token}`
    pub fn published(&self) -> String {
        format!("/api/v1/f/{}", self.token)
    }

    /// `/api/v1/f/{token}/entries`
    pub fn submissions(&self) -> String {
        format!("/api/v1/f/{}/entries", self.token)
    }

    /// `/f/{token}`
    pub fn page(&self) -> String {
        format!("/f/{}", self.token)
    }
}

/// An answer, whatever its status. Shown as `STATUS body`, with ids and times hidden.
#[derive(Clone)]
pub struct Response {
    /// Method and path of the request.
    pub asked: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    /// As they came.
    pub bytes: Vec<u8>,
}

impl Response {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {self}"))
    }

    /// Whether a page runs this module.
    pub fn runs(&self, module: &str) -> bool {
        let named = self.text.split("data-modules=\"").nth(1);
        let named = named.and_then(|rest| rest.split('"').next());
        named.is_some_and(|named| named.split(' ').any(|one| one == module))
    }

    /// `data` of the body.
    pub fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// A header; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The faults, as `attribute: message` lines.
    pub fn faults(&self) -> Vec<String> {
        let body = self.json();
        let details = body["error_details"].as_array().cloned().unwrap_or_default();
        let word = |issue: &Value, key: &str| issue[key].as_str().unwrap_or("?").to_owned();
        details.iter().map(|issue| format!("{}: {}", word(issue, "attribute"), word(issue, "message"))).collect()
    }

    /// The attributes of the faults.
    pub fn attributes(&self) -> Vec<String> {
        let body = self.json();
        let details = body["error_details"].as_array().cloned().unwrap_or_default();
        details.iter().map(|issue| issue["attribute"].as_str().unwrap_or("?").to_owned()).collect()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, hide(&self.text))
    }
}

/// Hides values that differ from run to run, after checking their format.
fn hide(text: &str) -> String {
    let Ok(mut body) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    hide_in(&mut body);
    body.to_string()
}

fn hide_in(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(hide_in),
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("token", Value::String(token)) => {
                        let plain = token.bytes().all(|b| b.is_ascii_alphanumeric());
                        assert!(plain && [10, 22].contains(&token.len()), "{token}");
                        *token = "[token]".to_owned();
                    }
                    (key, Value::String(time)) if key.ends_with("_at") => {
                        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
                        assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{key}: {time}");
                        *time = "[time]".to_owned();
                    }
                    (_, value) => hide_in(value),
                }
            }
        }
        _ => {}
    }
}
