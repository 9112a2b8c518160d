//! Hostile input: a clear 4xx wherever HTTP itself was understood, never a 5xx, and the server goes on.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

fn target() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({}))]));
    (owner, form)
}

/// Posts bytes as a submission; they must be refused with the envelope, and the next one stored.
fn refused(form: &Form, what: &str, body: &[u8], status: u16) {
    let anon = Server::shared().anon();
    let answer = anon.send("POST", &form.submissions(), Some("application/json"), body);
    assert_eq!(answer.status, status, "{what}: {answer}");
    assert!(answer.json()["error"].is_string(), "{what}: {answer}");
}

#[test]
fn bodies_that_are_no_json_are_refused() {
    let (owner, form) = target();
    let nested = |n: usize| format!("{{\"field_values\":{}{}}}", "[".repeat(n), "]".repeat(n));
    for (what, body) in [
        ("nothing", b"".to_vec()),
        ("garbage", (0..=255).collect()),
        ("half", b"{\"field_values\":".to_vec()),
        ("two values", b"{} {}".to_vec()),
        ("a doubled key", b"{\"field_values\":{},\"field_values\":{}}".to_vec()),
        ("a doubled key, deep", b"{\"field_values\":{\"field_1\":{\"a\":1,\"a\":2}}}".to_vec()),
        ("a lone surrogate", b"{\"field_values\":{\"field_1\":\"\\ud800\"}}".to_vec()),
        ("invalid UTF-8", b"{\"field_values\":{\"field_1\":\"\xff\"}}".to_vec()),
        ("NaN", b"{\"field_values\":{\"field_2\":NaN}}".to_vec()),
        ("a number beyond all", b"{\"field_values\":{\"field_2\":1e999}}".to_vec()),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
        ("100,000 nested arrays", nested(100_000).into_bytes()),
        ("65 levels", nested(64).into_bytes()),
    ] {
        refused(&form, what, &body, 400);
    }
    refused(&form, "2 MB", &vec![b' '; 2 << 20], 413);
    refused(&form, "another type of body", b"[]", 422);
    refused(&form, "a text", b"\"x\"", 422);
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 0);
}

#[test]
fn nul_has_a_path_and_other_controls_go() {
    let (owner, form) = target();
    let anon = Server::shared().anon();
    let submit = |value: &str| anon.post(form.submissions(), json!({"field_values": {"field_1": value}}));
    assert_eq!(submit("a\0b").faults(), ["field_values.field_1: must not contain NUL characters"]);
    let made = submit("e\u{301}\r\nx\u{7}\u{202e}y\u{85}");
    assert_eq!(made.data()["entry"]["field_1"], "é\nx\u{202e}y");
    let named =
        owner.post("/api/v1/forms", json!({"name": "a\0", "fields": [field("short_text", json!({"label": "\0"}))]}));
    assert_eq!(named.attributes(), ["name", "fields[0].label"]);
}

#[test]
fn types_charsets_and_codings_are_named() {
    let (_, form) = target();
    let anon = Server::shared().anon();
    let body = br#"{"field_values":{}}"#;
    for kind in [
        None,
        Some("text/plain"),
        Some("application/xml"),
        Some("application/json; charset=latin1"),
        Some("application/jsonx"),
        Some(";"),
        Some("multipart/form-data"),
    ] {
        let answer = anon.send("POST", &form.submissions(), kind.or(Some("")), body);
        assert_eq!(answer.status, 415, "{kind:?}: {answer}");
    }
    for kind in ["application/json", "APPLICATION/JSON; charset=\"UTF-8\""] {
        assert_eq!(anon.send("POST", &form.submissions(), Some(kind), body).status, 201, "{kind}");
    }
    let packed = anon.header("Content-Encoding", "gzip");
    assert_eq!(packed.send("POST", &form.submissions(), Some("application/json"), b"\x1f\x8b").status, 415);
}

#[test]
fn counts_are_bounded() {
    let owner = Server::shared().user();
    let make = |fields: Value| owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}));
    let many = |n: usize| Value::from(vec![field("page_break", json!({})); n]);
    assert_eq!(make(many(501)).faults(), ["fields: must have 1 to 500 fields"]);
    assert_eq!(make(many(500)).status, 201);
    let choices: Vec<Value> = (0..1001).map(|n| json!({"label": n.to_string()})).collect();
    let radio = |n: usize| json!([field("radio", json!({"choices": choices[..n]}))]);
    assert_eq!(make(radio(1001)).faults(), ["fields[0].choices: must have 1 to 1000 choices"]);
    assert_eq!(make(radio(1000)).status, 201);
    for pattern in ["((a{100}){100}){100}", r"\p{L}{1000}", "(", "a)|(b", "(?=x)"] {
        let refused = make(json!([field("short_text", json!({"pattern": pattern}))]));
        assert_eq!(refused.attributes(), ["fields[0].pattern"], "{pattern}: {refused}");
    }
    let form = owner.form(json!([field("short_text", json!({"pattern": "(?:a?){500}a{500}"}))]));
    let answer = owner.post(form.entries(), json!({"field_values": {"field_1": "a".repeat(90_000)}}));
    assert_eq!(answer.attributes(), ["field_values.field_1"]);
}
