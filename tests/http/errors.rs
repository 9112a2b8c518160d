//! What every kind of failure looks like, in one snapshot, and that errors tell nothing they should not.

use serde_json::{Value, json};

use crate::support::{Caller, Response, Server, field};

/// The headers that belong to some errors alone.
const TELLING: &[&str] = &["www-authenticate", "allow", "retry-after"];

/// What was asked, and the answer with its telling headers.
struct Log(String);

impl Log {
    fn note(&mut self, what: &str, answer: &Response) {
        let body: Value = answer.json();
        let error = body["error"].as_str().unwrap_or_default();
        assert!(!error.is_empty(), "{what}: {answer}");
        assert!(
            body.as_object().expect("an object").keys().all(|key| [
                "error",
                "code",
                "error_details"
            ]
            .contains(&key.as_str())),
            "{what}: {answer}"
        );
        assert_eq!(answer.header("content-type"), "application/json", "{what}");
        assert_eq!(
            answer.status == 401,
            !answer.header("www-authenticate").is_empty() && answer.status != 403,
            "{what}"
        );
        self.0.push_str(&format!("{what}\n  {answer}\n"));
        for name in TELLING {
            let value = answer.header(name);
            if !value.is_empty() {
                self.0.push_str(&format!("  {name}: {value}\n"));
            }
        }
    }
}

fn send(caller: &Caller, method: &str, path: &str, kind: &str, body: &[u8]) -> Response {
    caller.send(method, path, (!kind.is_empty()).then_some(kind), body)
}

#[test]
fn every_error_has_its_shape() {
    let server = Server::shared();
    let owner = server.user();
    let anon = server.anon();
    let form = owner.form(json!([field("short_text", json!({"unique": true}))]));
    let values = |text: &str| json!({"field_values": {"field_1": text}});
    assert_eq!(owner.post(form.entries(), values("a")).status, 201);
    let settings = format!("{}/settings", form.path());
    let set = |group: Value| assert_eq!(owner.patch(&settings, group).status, 200);
    let json_type = "application/json";
    let mut log = Log(String::new());

    let sort = owner.get("/api/v1/forms?sort=name");
    log.note("an unknown sort", &sort);
    log.note("a page of nothing", &owner.get("/api/v1/forms?page_size=0"));
    log.note("a garbled cursor", &owner.get("/api/v1/forms?cursor=x"));
    let odd = owner.header("If-Match", "x").patch(form.path(), json!({}));
    log.note("an odd If-Match", &odd);
    let blank = owner
        .header("Idempotency-Key", "a b")
        .post(form.entries(), values("b"));
    log.note("an odd Idempotency-Key", &blank);
    for (what, body) in [
        ("no JSON", &b"{"[..]),
        ("an empty body", b""),
        ("a key twice", br#"{"name":1,"name":2}"#),
        ("a lone surrogate", br#"{"name":"\ud800"}"#),
        ("a number beyond all", b"1e999"),
        ("bytes that are no UTF-8", b"\"\xff\""),
    ] {
        log.note(
            what,
            &send(&owner, "POST", "/api/v1/forms", json_type, body),
        );
    }
    let twice = owner.header("Authorization", "Bearer x").get("/api/v1/me");
    log.note("two Authorization headers", &twice);

    log.note("no token", &anon.get("/api/v1/me"));
    log.note(
        "another scheme",
        &anon.header("Authorization", "Basic YTpi").get("/api/v1/me"),
    );
    log.note(
        "a token that is none",
        &anon.with_token("fsv_x").get("/api/v1/me"),
    );
    log.note(
        "the same where nobody needs one",
        &anon.with_token("fsv_x").get(form.published()),
    );

    let reader = server.token(&owner.email, "form:read");
    log.note("a scope too few", &reader.patch(form.path(), json!({})));
    set(json!({"access_control": {"access_password": "sesame"}}));
    log.note("no password", &anon.get(form.published()));
    log.note(
        "a wrong password",
        &anon.header("X-Form-Password", "x").get(form.published()),
    );
    set(json!({"access_control": null, "availability": {"manually_closed": true}}));
    log.note("a closed form", &anon.post(form.submissions(), values("c")));
    set(
        json!({"availability": {"manually_closed": false, "schedule": {"start_at": "2100-01-01T00:00:00Z"}}}),
    );
    log.note(
        "a form not yet open",
        &anon.post(form.submissions(), values("c")),
    );
    set(json!({"availability": {"schedule": null, "entries_limit": 2}}));
    assert_eq!(anon.post(form.submissions(), values("b")).status, 201);
    log.note("a full form", &anon.post(form.submissions(), values("c")));
    set(json!({"availability": null}));

    log.note("an unknown path", &owner.get("/api/v1/nothing"));
    log.note("an unknown form", &owner.get("/api/v1/forms/AAAAAAAAAA"));
    log.note("an unknown entry", &owner.get(form.entry(99)));
    log.note(
        "an unknown folder",
        &owner.get("/api/v1/forms?folder_token=AAAAAAAAAA"),
    );
    log.note("another method", &owner.put(form.entries(), json!({})));

    let once = owner.header("Idempotency-Key", "key");
    assert_eq!(once.post(form.entries(), values("d")).status, 201);
    log.note("a key used twice", &once.post(form.entries(), values("e")));
    let late = owner
        .header("If-Match", "\"x\"")
        .patch(form.path(), json!({}));
    log.note("a version that is gone", &late);
    let big = vec![b' '; (1 << 20) + 1];
    log.note(
        "a large body",
        &send(&owner, "POST", "/api/v1/forms", json_type, &big),
    );
    log.note(
        "another type",
        &send(&owner, "POST", "/api/v1/forms", "text/plain", b"{}"),
    );
    log.note("no type", &send(&owner, "POST", "/api/v1/forms", "", b"{}"));
    let latin = "application/json; charset=latin1";
    log.note(
        "another charset",
        &send(&owner, "POST", "/api/v1/forms", latin, b"{}"),
    );
    let packed = owner.header("Content-Encoding", "gzip");
    log.note(
        "a compressed body",
        &packed.post("/api/v1/forms", json!({})),
    );

    log.note("no object", &owner.post("/api/v1/forms", json!([])));
    log.note("what is missing", &owner.post("/api/v1/forms", json!({})));
    log.note("a value taken", &anon.post(form.submissions(), values("A")));
    let edit = json!({"fields": [{"type": "number", "label": "n"}]});
    log.note("a loss of data", &owner.patch(form.path(), edit));
    insta::assert_snapshot!("errors", log.0);
}

#[test]
fn a_path_is_known_before_a_caller_and_a_caller_before_the_body() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let reader = server.token(&owner.email, "form:read");
    let status = |caller: &Caller, method: &str, path: &str, kind: &str, body: &[u8]| {
        send(caller, method, path, kind, body).status
    };
    let unknown = "/api/v1/forms/AAAAAAAAAA";
    assert_eq!(status(&anon, "PUT", "/api/v1/nothing", "", b""), 404);
    assert_eq!(status(&anon, "PUT", &form.entries(), "", b""), 405);
    assert_eq!(status(&anon, "PATCH", unknown, "text/plain", b"{"), 401);
    assert_eq!(status(&reader, "PATCH", unknown, "text/plain", b"{"), 403);
    assert_eq!(status(&owner, "PATCH", unknown, "text/plain", b"{"), 415);
    assert_eq!(
        status(&owner, "PATCH", unknown, "application/json", b"{"),
        400
    );
    assert_eq!(
        status(&owner, "PATCH", unknown, "application/json", b"[]"),
        404
    );
    assert_eq!(
        status(&owner, "PATCH", &form.path(), "application/json", b"[]"),
        422
    );
}
