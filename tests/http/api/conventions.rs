//! Conventions of every route: envelopes, errors, CORS, ETags, limits (contract section 1).

use serde_json::{Value, json};
use support::contract::CONTRACT;
use support::raw::{self, exchange};
use support::steps::{self, simple};
use support::{Caller, Response, Server, field};

fn values(text: &str) -> Value {
    json!({"field_values": {"field_1": text}})
}

#[test]
fn bodies_that_are_no_json_are_told_where() {
    let owner = Server::shared().user();
    let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    let deepest = "[".repeat(100_000);
    for (body, said) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{\"name\": \"x\",}", "trailing comma at line 1 column 14"),
        ("{}\n{}", "trailing characters at line 2 column 1"),
        ("{\"name\": NaN}", "expected value at line 1 column 10"),
        ("{\"n\": 1e999}", "number out of range at line 1 column 11"),
        ("{\"name\": \"\\ud800\"}", "unexpected end of hex escape at line 1 column 17"),
        ("{\"a\": {\"b\": 1, \"b\": 2}}", "key \"b\" occurs twice in one object at line 1 column 22"),
        (&deep, "nested deeper than 64 levels at line 1 column 65"),
        (&deepest, "nested deeper than 64 levels at line 1 column 65"),
    ] {
        let kind = Some("application/json");
        let answer = owner.send("POST", "/api/v1/forms", kind, body.as_bytes());
        let said = json!({"error": format!("Request body is not valid JSON: {said}")});
        assert_eq!(answer.to_string(), format!("400 {said}"), "{body:.40}");
    }
    // So is a body that the route makes no use of.
    let unused =
        owner.send("POST", "/api/v1/forms/AAAAAAAAAA/restore", Some("application/json"), b"{\"a\": 1, \"a\": 2}");
    let said =
        r#"400 {"error":"Request body is not valid JSON: key \"a\" occurs twice in one object at line 1 column 16"}"#;
    assert_eq!(unused.to_string(), said);
    let not_utf8 = owner.send("POST", "/api/v1/forms", Some("application/json"), b"{\"name\": \"\xff\"}");
    assert_eq!(not_utf8.status, 400, "{not_utf8}");
    let nul = owner.post("/api/v1/forms", json!({"name": "a\0b", "fields": []}));
    assert_eq!(nul.attributes(), ["name", "fields"]);
    for body in [json!([]), json!("x"), json!(null), json!(7)] {
        assert_eq!(
            owner.post("/api/v1/forms", body).to_string(),
            r#"422 {"error":"Validation failed","error_details":[{"attribute":"","message":"must be an object"}]}"#
        );
    }
}

/// Nothing else: no missing key is reported.
#[test]
fn a_body_that_is_no_object_is_told_that_alone() {
    let (owner, form) = simple();
    steps::set(&owner, &form, json!({"capacity": {"hold_minutes": 5}}));
    steps::add(&owner, &form, json!({"field_1": "x"}));
    let made = owner.post("/api/v1/folders", json!({"name": "No object"}));
    let folder = made.data()["token"].as_str().expect("a token").to_owned();
    let webhook = json!({"url": "https://example.com", "trigger_events": ["entry_created"]});
    let made = owner.post(form.part("integrations/webhooks"), webhook);
    let webhook = made.data()["id"].as_str().expect("an id").to_owned();
    let held = owner.post(format!("{}/holds", form.published()), values("x"));
    let hold = held.data()["hold_token"].as_str().expect("a token").to_owned();
    let mut refused = 0;
    for (path, methods) in CONTRACT.document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let takes = &operation["requestBody"]["content"]["application/json"];
            // OAuth has errors of its own shape; a respondent's entry and an organization have their own rights.
            let is_other = ["/oauth/", "{entry_token}", "/organization"].iter().any(|part| path.contains(part));
            if !takes.is_object() || is_other {
                continue;
            }
            let address = path
                .replace("{form_token}", &form.token)
                .replace("{folder_token}", &folder)
                .replace("{hold_token}", &hold)
                .replace("{webhook_id}", &webhook)
                .replace("{serial_number}", "1");
            if address.contains('{') {
                continue;
            }
            let method = method.to_ascii_uppercase();
            for body in ["[]", "null", "3", "\"x\""] {
                let answer = owner.send(&method, &address, Some("application/json"), body.as_bytes());
                assert_eq!(
                    answer.to_string(),
                    r#"422 {"error":"Validation failed","error_details":[{"attribute":"","message":"must be an object"}]}"#,
                    "{method} {path} {body}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused >= 4 * 18, "{refused}");
}

#[test]
fn a_token_is_missing_or_wrong() {
    let anon = Server::shared().anon();
    let missing = anon.get("/api/v1/forms");
    assert_eq!(missing.to_string(), r#"401 {"error":"Missing access token"}"#);
    assert_eq!(missing.header("www-authenticate"), "Bearer");
    let garbage = ["fsv_x", "", "x y", "eyJhbGciOiJub25lIn0.e30."];
    for token in garbage {
        let refused = anon.with_token(token).get("/api/v1/forms");
        assert_eq!(refused.to_string(), r#"401 {"error":"Invalid access token"}"#, "{token}");
        assert_eq!(refused.header("www-authenticate"), r#"Bearer error="invalid_token""#);
    }
    let basic = anon.header("Authorization", "Basic YTpi");
    assert_eq!(basic.get("/api/v1/forms").status, 401);
}

#[test]
fn a_token_counts_in_one_header_alone() {
    let (owner, form) = simple();
    let token = owner.token.clone().expect("a token");
    let anon = Server::shared().anon();
    for name in ["access_token", "token", "bearer"] {
        let asked = anon.get(format!("/api/v1/forms?{name}={token}"));
        assert_eq!(asked.status, 401, "{asked}");
    }
    let cookie = anon.header("Cookie", &format!("session={token}; token={token}"));
    assert_eq!(cookie.get("/api/v1/forms").status, 401);
    let two = owner.header("Authorization", &format!("Bearer {token}"));
    for path in ["/api/v1/forms", &form.published()] {
        assert_eq!(two.get(path).to_string(), r#"400 {"error":"Only one Authorization header may be sent"}"#);
    }
}

#[test]
fn a_token_that_is_garbage_is_refused_on_open_routes_too() {
    let (_, form) = simple();
    let garbage = Server::shared().anon().with_token("fsv_garbage");
    for answer in
        [garbage.get(form.published()), garbage.post(form.submissions(), values("x")), garbage.get("/healthz")]
    {
        assert_eq!(answer.to_string(), r#"401 {"error":"Invalid access token"}"#);
    }
}

#[test]
fn a_scope_is_asked_for_before_the_thing() {
    let owner = Server::shared().user();
    let reader = Server::shared().token(&owner.email, "form:read");
    let refused = reader.delete("/api/v1/forms/aaaaaaaaaa");
    assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    assert_eq!(refused.header("www-authenticate"), r#"Bearer error="insufficient_scope", scope="form:delete""#);
    // Before the body as well.
    let kind = Some("application/json");
    let refused = reader.send("POST", "/api/v1/forms", kind, b"{");
    assert_eq!(refused.status, 403, "{refused}");
}

#[test]
fn unknown_addresses_and_methods() {
    let owner = Server::shared().user();
    for path in ["/api/v1/nothing", "/api/v1", "/api/v1/forms/", "/api/v2/forms", "/api/v1/Forms", "/api/v1/forms/%ff"]
    {
        let answer = owner.get(path);
        assert_eq!(answer.to_string(), r#"404 {"error":"Not found"}"#, "{path}");
    }
    assert_eq!(owner.get("/api/v1/forms/aaaaaaaaaa").to_string(), r#"404 {"error":"Form not found"}"#);
    let wrong = owner.put("/api/v1/forms", json!({}));
    assert_eq!(wrong.to_string(), r#"405 {"error":"Method not allowed"}"#);
    assert_eq!(wrong.header("allow"), "GET, POST, HEAD, OPTIONS");
    let wrong = owner.delete("/api/v1/me");
    assert_eq!((wrong.status, wrong.header("allow")), (405, "GET, PATCH, HEAD, OPTIONS"));
}

#[test]
fn a_body_has_a_limit() {
    let owner = Server::shared().user();
    let limit = 1 << 20;
    let frame = json!({"name": "", "fields": []}).to_string().len();
    let fits = json!({"name": "x".repeat(limit - frame), "fields": []});
    assert_eq!(fits.to_string().len(), limit);
    assert_eq!(owner.post("/api/v1/forms", fits).status, 422);
    let over = json!({"name": "x".repeat(limit - frame + 1), "fields": []});
    let too_large = r#"413 {"error":"Request body is larger than 1048576 bytes"}"#;
    assert_eq!(owner.post("/api/v1/forms", over).to_string(), too_large);
    // Its length alone is enough, and a body in chunks is counted.
    let token = owner.token.clone().expect("a token");
    let head = format!(
        "POST /api/v1/forms HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    let announced = format!("{head}Content-Length: 1048577\r\n\r\n");
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(17));
    for request in [announced, chunked] {
        let got = exchange(&owner.base, request.as_bytes());
        assert!(got.starts_with("HTTP/1.1 413 "), "{got}");
        assert!(got.ends_with(&too_large[4..]), "{got}");
    }
    let few = chunk.repeat(2);
    let request = format!("{head}Transfer-Encoding: chunked\r\n\r\n{few}2\r\n{{}}\r\n0\r\n\r\n");
    let got = exchange(&owner.base, request.as_bytes());
    assert!(got.starts_with("HTTP/1.1 422 "), "{got}");
}

#[test]
fn a_body_is_json_in_utf_8() {
    let (owner, form) = simple();
    let body = json!({"name": "x", "fields": [field("short_text", json!({}))]}).to_string();
    let send = |kind: Option<&str>| owner.send("POST", "/api/v1/forms", kind, body.as_bytes());
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("json")] {
        assert_eq!(send(kind).to_string(), r#"415 {"error":"Content-Type must be application/json"}"#, "{kind:?}");
    }
    assert_eq!(
        send(Some("application/json; charset=latin1")).to_string(),
        r#"415 {"error":"The charset must be utf-8"}"#
    );
    for kind in ["application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "Application/JSON"] {
        assert_eq!(send(Some(kind)).status, 201, "{kind}");
    }
    let packed = owner.header("Content-Encoding", "gzip");
    assert_eq!(
        packed.post("/api/v1/forms", json!({})).to_string(),
        r#"415 {"error":"Request bodies must not be compressed"}"#
    );
    // Nothing to read, nothing to declare.
    let copied = owner.send("POST", &format!("{}/copy", form.path()), None, b"");
    assert_eq!(copied.status, 201, "{copied}");
}

#[test]
fn all_faults_are_told_at_once() {
    let owner = Server::shared().user();
    let body = json!({
        "name": "", "scene": "party", "timezone": "Mars/Base", "description": 7,
        "fields": [field("short_text", json!({"label": "", "min_length": -1})), {"type": "riddle"}, 7],
        "unknown": "ignored",
    });
    let refused = owner.post("/api/v1/forms", body);
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["error"], "Validation failed");
    let mut faults = refused.attributes();
    faults.sort();
    assert_eq!(
        faults,
        [
            "description",
            "fields[0].label",
            "fields[0].min_length",
            "fields[1].label",
            "fields[1].type",
            "fields[2]",
            "name",
            "scene",
            "timezone"
        ]
    );
}

#[test]
fn who_asks_too_often_waits() {
    let server = Server::with(&["--limit-api", "3", "--limit-submissions", "2"]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let second = owner.get(form.path());
    assert_eq!(second.header("ratelimit-limit"), "3");
    assert_eq!(second.header("ratelimit-remaining"), "1");
    let reset: u64 = second.header("ratelimit-reset").parse().expect("seconds");
    assert!(reset <= 60, "{reset}");
    assert_eq!(owner.get(form.path()).header("ratelimit-remaining"), "0");
    let over = owner.get(form.path());
    assert_eq!(over.to_string(), r#"429 {"error":"Too many requests: wait, then try again"}"#);
    let wait: u64 = over.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(over.header("ratelimit-limit"), "3");
    assert_eq!(over.header("ratelimit-remaining"), "0");
    // Another token of the same user has its own.
    let other = server.token(&owner.email, "form:read");
    assert_eq!(other.get(form.path()).status, 200);
    // But all of them make no more than four tokens could.
    let tokens: Vec<Caller> = (0..6).map(|_| server.token(&owner.email, "form:read")).collect();
    let taken = tokens.iter().flat_map(|token| [token.get(form.path()), token.get(form.path())]);
    let refused: Vec<Response> = taken.filter(|answer| answer.status == 429).collect();
    // 3 of the first token and 1 of the second are among the 12.
    assert_eq!(refused.len(), 4);
    assert_eq!(refused[0].header("ratelimit-limit"), "12");
    let anon = server.anon();
    let statuses: Vec<u16> = (0..3).map(|_| anon.post(form.submissions(), values("x")).status).collect();
    assert_eq!(statuses, [201, 201, 429]);
    // Reading the form costs nothing, and another form has its own count.
    assert_eq!(anon.get(form.published()).status, 200);
}

#[test]
fn any_origin_may_ask_with_a_token() {
    let (owner, form) = simple();
    let answer = owner.header("Origin", "https://elsewhere.example").get(form.path());
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let exposed = answer.header("access-control-expose-headers");
    for name in ["ETag", "Retry-After", "X-Request-Id", "RateLimit-Remaining"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let preflight = Server::shared()
        .anon()
        .header("Origin", "https://elsewhere.example")
        .header("Access-Control-Request-Method", "PATCH")
        .header("Access-Control-Request-Headers", "authorization, if-match")
        .send("OPTIONS", &form.path(), None, b"");
    assert_eq!((preflight.status, preflight.text.as_str()), (204, ""));
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    let methods = preflight.header("access-control-allow-methods");
    for method in ["GET", "PATCH", "DELETE"] {
        assert!(methods.contains(method), "{methods}");
    }
    let headers = preflight.header("access-control-allow-headers");
    for name in ["Authorization", "Content-Type", "If-Match", "Idempotency-Key"] {
        assert!(headers.contains(name), "{headers}");
    }
    // Browsers get the headers on refusals too, else scripts could not read them.
    let refused = Server::shared().anon().get("/api/v1/forms");
    assert_eq!(refused.header("access-control-allow-origin"), "*");
    // Pages are not for other origins' scripts.
    let page = Server::shared().anon().get(form.page());
    assert_eq!(page.header("access-control-allow-origin"), "");
}

#[test]
fn where_people_authorise_no_other_origin_may_ask() {
    let anon = Server::shared()
        .anon()
        .header("Origin", "https://elsewhere.example")
        .header("Access-Control-Request-Method", "GET");
    let path = "/api/v1/oauth/authorize";
    for (method, path) in
        [("GET", path), ("OPTIONS", path), ("PUT", path), ("GET", "/api/v1/oauth/authorize?client_id=x")]
    {
        let answer = anon.send(method, path, None, b"");
        let cors = answer.headers.keys().find(|name| {
            let name = name.as_str();
            name.starts_with("access-control-")
        });
        assert_eq!(cors, None, "{method} {path}: {answer}");
    }
    // Where applications ask for tokens it may.
    let token = anon.send("OPTIONS", "/api/v1/oauth/token", None, b"");
    assert_eq!(token.header("access-control-allow-origin"), "*");
}

#[test]
fn a_header_that_says_how_to_read_a_body_is_sent_once() {
    let (owner, form) = simple();
    let body = values("x").to_string();
    let json = Some("application/json");
    let page = "application/x-www-form-urlencoded";
    let twice = |name: &str, value: &str| Server::shared().anon().header(name, value);
    for (caller, path, kind, body, name) in [
        (twice("Content-Type", "application/json"), form.submissions(), json, &*body, "Content-Type"),
        (twice("Content-Type", "text/plain"), form.submissions(), json, &body, "Content-Type"),
        (twice("Content-Type", page), form.page(), Some(page), "field_1=x", "Content-Type"),
        (
            twice("Idempotency-Key", "a").header("Idempotency-Key", "a"),
            form.submissions(),
            json,
            &body,
            "Idempotency-Key",
        ),
        (
            owner.header("Idempotency-Key", "a").header("Idempotency-Key", "b"),
            form.entries(),
            json,
            &body,
            "Idempotency-Key",
        ),
        (owner.header("Content-Type", "application/json"), form.entries(), json, &body, "Content-Type"),
        (
            owner.header("Content-Type", "text/csv"),
            format!("{}/import", form.entries()),
            Some("text/csv"),
            "field_1\nx\n",
            "Content-Type",
        ),
    ] {
        let refused = caller.send("POST", &path, kind, body.as_bytes());
        assert_eq!(refused.status, 400, "{path}: {refused}");
        let says = format!("Only one {name} header may be sent");
        // Pages say it in their own words.
        assert!(path.starts_with("/f/") || refused.json()["error"] == says, "{refused}");
    }
    // A caller without access is told that first.
    let unknown = twice("Content-Type", "a/b").send("POST", &form.entries(), json, body.as_bytes());
    assert_eq!(unknown.status, 401, "{unknown}");
    for coding in ["chunked, chunked", "gzip, chunked", "chunked\r\nTransfer-Encoding: chunked"] {
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: {coding}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            form.submissions(),
            body.len()
        );
        let got = raw::exchange(&owner.base, request.as_bytes());
        assert_eq!(raw::statuses(&got), ["400"], "{coding}: {got}");
    }
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 0);
}

#[test]
fn head_answers_as_get_without_a_body() {
    let (owner, form) = simple();
    for path in [form.path(), form.entries(), form.published()] {
        let (get, head) = (owner.get(&path), owner.send("HEAD", &path, None, b""));
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        for name in ["etag", "content-type", "content-length", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
    let missing = owner.send("HEAD", "/api/v1/forms/aaaaaaaaaa", None, b"");
    assert_eq!((missing.status, missing.text.as_str()), (404, ""));
}

#[test]
fn what_is_known_is_not_sent_again() {
    let (owner, form) = simple();
    owner.post(form.entries(), values("x"));
    let path = form.path();
    let parts = ["settings", "theme", "field_rules"].map(|part| format!("{path}/{part}"));
    for path in [&path, &form.entry(1)].into_iter().chain(&parts) {
        let tag = owner.get(path).header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{path}: {tag}");
        for names in [tag.clone(), "*".to_owned(), format!("\"other\", {tag}"), format!("W/{tag}")] {
            let again = owner.header("If-None-Match", &names).get(path);
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{names}");
            assert_eq!(again.header("etag"), tag);
        }
        for names in ["\"other\"", "nonsense", ""] {
            let again = owner.header("If-None-Match", names).get(path);
            assert_eq!(again.status, 200, "{names}");
        }
    }
}

#[test]
fn a_write_may_name_the_version_that_it_changes() {
    let (owner, form) = simple();
    let conflict = r#"412 {"error":"This was changed by somebody else: read it again","code":"version_conflict"}"#;
    let path = form.path();
    let writes = [
        ("PATCH", path.clone(), json!({"name": "new"})),
        ("PATCH", format!("{path}/settings"), json!({"availability": {"show_countdown": true}})),
        ("PATCH", format!("{path}/theme"), json!({"font": "serif"})),
        ("PUT", format!("{path}/field_rules"), json!({"rules": []})),
    ];
    for (method, path, body) in writes {
        let old = owner.get(&path).header("etag").to_owned();
        let write = |tag: &str| {
            let body = body.to_string();
            owner.header("If-Match", tag).send(method, &path, Some("application/json"), body.as_bytes())
        };
        assert_eq!(write("\"other\"").to_string(), conflict, "{path}");
        // Comparison is strong here.
        assert_eq!(write(&format!("W/{old}")).to_string(), conflict, "{path}");
        let new = write(&format!("\"other\", {old}"));
        assert_eq!(new.status, 200, "{path}: {new}");
        assert_ne!(new.header("etag"), old, "{path}");
        assert_eq!(owner.get(&path).header("etag"), new.header("etag"));
        assert_eq!(write(&old).to_string(), conflict, "{path}");
        assert_eq!(write("*").status, 200, "{path}");
        assert_eq!(write("nonsense").status, 400, "{path}");
    }
    assert_eq!(owner.header("If-Match", "\"x\"").delete(&path).to_string(), conflict);
}

#[test]
fn entries_and_other_parts_do_not_change_a_forms_tag() {
    let (owner, form) = simple();
    let path = form.path();
    let tag = || owner.get(&path).header("etag").to_owned();
    let first = tag();
    owner.post(form.entries(), values("x"));
    Server::shared().anon().post(form.submissions(), values("y"));
    owner.delete(form.entry(1));
    assert_eq!(tag(), first);
    owner.patch(format!("{path}/settings"), json!({"availability": {"manually_closed": true}}));
    owner.patch(format!("{path}/theme"), json!({"font": "mono"}));
    assert_eq!(tag(), first);
    owner.patch(&path, json!({"name": "renamed"}));
    assert_ne!(tag(), first);
}

#[test]
fn a_request_with_a_key_counts_once() {
    let (owner, form) = simple();
    let anon = Server::shared().anon();
    for (caller, path) in [(&owner, form.entries()), (&anon, form.submissions())] {
        let caller = caller.header("Idempotency-Key", "order-1");
        let before = owner.get(form.path()).data()["entries_count"].clone();
        let first = caller.post(&path, values("x"));
        assert_eq!(first.status, 201, "{first}");
        let again = caller.post(&path, values("x"));
        assert_eq!((again.status, &again.text), (201, &first.text));
        assert_eq!(again.header("etag"), first.header("etag"));
        let after = owner.get(form.path()).data()["entries_count"].clone();
        assert_eq!(after.as_i64(), before.as_i64().map(|n| n + 1));
        assert_eq!(
            caller.post(&path, values("y")).to_string(),
            r#"409 {"error":"This Idempotency-Key was used for another request","code":"idempotency_conflict"}"#
        );
    }
}

#[test]
fn keys_of_requests_have_a_form() {
    let (owner, form) = simple();
    for key in ["", "two words", "ümlaut", &"x".repeat(256)] {
        let refused = owner.header("Idempotency-Key", key).post(form.entries(), values("x"));
        assert_eq!(refused.to_string(), r#"400 {"error":"Idempotency-Key must be 1 to 255 visible ASCII characters"}"#);
    }
    let longest = owner.header("Idempotency-Key", &"~".repeat(255));
    assert_eq!(longest.post(form.entries(), values("x")).status, 201);
}

#[test]
fn keys_belong_to_the_form_and_the_caller() {
    let (owner, form) = simple();
    let other_form = owner.form(json!([field("short_text", json!({}))]));
    let stranger = Server::shared().user();
    let anon = Server::shared().anon();
    let post = |caller: &Caller, path: String| {
        let made = caller.header("Idempotency-Key", "the-same").post(path, values("x"));
        assert_eq!(made.status, 201, "{made}");
        let data = made.data();
        let entry = data.get("entry").unwrap_or(&data);
        entry["serial_number"].as_i64()
    };
    assert_eq!(post(&owner, form.entries()), Some(1));
    assert_eq!(post(&owner, other_form.entries()), Some(1));
    assert_eq!(post(&stranger, form.submissions()), Some(2));
    assert_eq!(post(&anon, form.submissions()), Some(3));
    // Another token of the same user is the same caller.
    let token = Server::shared().token(&owner.email, "entry:write");
    assert_eq!(post(&token, form.entries()), Some(1));
    assert_eq!(owner.get(form.path()).data()["entries_count"], 3);
}

#[test]
fn another_network_is_another_caller() {
    let flags = ["--rate-limits", "off", "--trusted-proxies", "127.0.0.1/32"];
    let server = Server::with(&flags);
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let serial = |address: &str| {
        let caller = server.anon().header("X-Forwarded-For", address).header("Idempotency-Key", "k");
        let made = caller.post(form.submissions(), values("a")).data();
        made["entry"]["serial_number"].as_i64().expect("a number")
    };
    assert_eq!(["192.0.2.1", "192.0.2.200", "192.0.3.1"].map(serial), [1, 1, 2]);
    assert_eq!(["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"].map(serial), [3, 3, 4]);
}

#[test]
fn an_answer_is_remembered_after_the_form_has_closed() {
    let (owner, form) = simple();
    let anon = Server::shared().anon().header("Idempotency-Key", "k");
    let first = anon.post(form.submissions(), values("x"));
    owner.patch(format!("{}/settings", form.path()), json!({"availability": {"manually_closed": true}}));
    let again = anon.post(form.submissions(), values("x"));
    assert_eq!((again.status, &again.text), (201, &first.text));
    let new = Server::shared().anon().header("Idempotency-Key", "l");
    assert_eq!(new.post(form.submissions(), values("x")).json()["code"], "form_closed");
    // The entry may even be gone.
    owner.delete(form.entry(1));
    assert_eq!(anon.post(form.submissions(), values("x")).text, first.text);
}

#[test]
fn a_refusal_is_not_remembered() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({"max_length": 3}))]));
    let keyed = owner.header("Idempotency-Key", "k");
    assert_eq!(keyed.post(form.entries(), values("long")).status, 422);
    assert_eq!(keyed.post(form.entries(), values("ok")).status, 201);
    assert_eq!(keyed.post(form.entries(), values("long")).status, 409);
}

#[test]
fn of_many_equal_requests_at_once_one_is_stored() {
    let (owner, form) = simple();
    let keyed = owner.header("Idempotency-Key", "rush");
    let texts: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| keyed.post(form.entries(), values("x")).text)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    assert_eq!(owner.get(form.path()).data()["entries_count"], 1);
}
