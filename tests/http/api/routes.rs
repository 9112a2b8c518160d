//! Every row of the route table, from outside: its callers, and the answers to other callers and methods. The rows are
//! the output of `formsvc routes --json`, so that a new one is walked at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field, formsvc, raw};

const SCOPES: &[&str] = &[
    "form:read",
    "form:write",
    "form:delete",
    "entry:read",
    "entry:write",
    "entry:delete",
    "form:respond",
    "integration:read",
    "integration:write",
];

/// A look at these hands something out that is handed out once.
const SHOWN_ONCE: &[&str] = &[
    "/api/v1/oauth/authorize",
    "/welcome",
    "/profile/tokens/made",
    "/profile/second-factor/codes",
    "/members/invitations/made",
    "/forms/{form_token}/webhooks/{webhook_id}/secret",
];

struct Row {
    method: String,
    path: String,
    access: String,
}

impl Row {
    /// The address with a form of ours, and plain values for the other parameters.
    fn address(&self, form: &Form) -> String {
        let path = self.path.replace("{form_token}", &form.token).replace("{serial_number}", "1");
        let mut out = String::new();
        for part in path.split('/').skip(1) {
            out.push('/');
            out.push_str(if part.starts_with('{') { "x" } else { part });
        }
        out
    }

    fn is_api(&self) -> bool {
        self.path.starts_with("/api/") && !self.is_page()
    }

    fn is_page(&self) -> bool {
        ["page", "session"].contains(&self.access.as_str())
    }
}

fn rows() -> Vec<Row> {
    let printed = formsvc(std::path::Path::new("/nowhere"), &["routes", "--json"], "");
    let listed: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    let rows: Vec<Row> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().expect("text").to_owned();
            Row { method: text("method"), path: text("path"), access: text("access") }
        })
        .collect();
    assert!(rows.len() > 30, "{}", rows.len());
    rows
}

/// Sends a request that would succeed for the right caller.
fn ask(caller: &Caller, method: &str, path: &str) -> Response {
    match method {
        "GET" | "HEAD" | "DELETE" | "TRACE" => caller.send(method, path, None, b""),
        _ if path.ends_with("/import") => caller.send(method, path, Some("text/csv"), b"field_1\n"),
        _ => caller.send(method, path, Some("application/json"), b"{}"),
    }
}

fn made(server: &Server) -> (Caller, Form) {
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(owner.post(form.entries(), json!({"field_values": {}})).status, 201);
    (owner, form)
}

#[test]
fn who_is_nobody_or_lacks_the_scope_is_told_so() {
    let server = Server::shared();
    let (owner, form) = made(server);
    let mut without: BTreeMap<&str, Caller> = BTreeMap::new();
    for scope in SCOPES {
        let others: Vec<&str> = SCOPES.iter().copied().filter(|other| other != scope).collect();
        without.insert(scope, server.token(&owner.email, &others.join(" ")));
    }
    for row in rows().iter().filter(|row| row.is_api()) {
        let at = format!("{} {}", row.method, row.path);
        let path = row.address(&form);
        let needed = row.access.trim_start_matches("open or ");
        if needed == row.access && !["open", "client"].contains(&needed) {
            let nobody = ask(&server.anon(), &row.method, &path);
            assert_eq!(nobody.to_string(), r#"401 {"error":"Missing access token"}"#, "{at}");
            assert_eq!(nobody.header("www-authenticate"), "Bearer", "{at}");
        }
        if let Some(caller) = without.get(needed) {
            let refused = ask(caller, &row.method, &path);
            assert_eq!(refused.to_string(), r#"403 {"error":"Insufficient scope"}"#, "{at}");
            assert_eq!(
                refused.header("www-authenticate"),
                format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\""),
                "{at}"
            );
        } else {
            assert!(
                ["open", "known", "open or known", "client"].contains(&row.access.as_str()),
                "{at}: {}",
                row.access
            );
        }
    }
}

#[test]
fn a_token_that_is_none_is_refused_everywhere() {
    let server = Server::shared();
    let (owner, form) = made(server);
    let token = owner.token.clone().expect("a token");
    let (body, checksum) = token.split_at(token.len() - 6);
    let other = server.token(&owner.email, "form:read").token.expect("a token");
    let swapped = format!("{}{checksum}", &other[..other.len() - 6]);
    for row in rows().iter().filter(|row| row.is_api()) {
        for bearer in [
            "Bearer garbage",
            "Bearer",
            "bearer Bearer",
            &format!("Bearer {body}"),
            &format!("Bearer {body}AAAAAA"),
            &format!("Bearer {swapped}"),
            &format!("Bearer {token} x"),
            &format!("Bearer {}", token.to_uppercase()),
        ] {
            let caller = server.anon().header("Authorization", bearer);
            let refused = ask(&caller, &row.method, &row.address(&form));
            let at = format!("{} {} as {bearer}", row.method, row.path);
            let expected = match row.access.as_str() {
                "client" => r#"401 {"error":"invalid_client","error_description":"Invalid access token"}"#,
                _ => r#"401 {"error":"Invalid access token"}"#,
            };
            assert_eq!(refused.to_string(), expected, "{at}");
            assert_eq!(refused.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{at}");
        }
    }
    // A client library would not send this one.
    let odd = format!(
        "GET {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer fsv_\u{e9}\r\nConnection: close\r\n\r\n",
        form.published()
    );
    let answer = raw::exchange(&server.base, odd.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert_eq!(server.anon().header("Authorization", &format!("bEaReR {token}")).get("/api/v1/me").status, 200);
}

#[test]
fn a_token_stands_in_the_header_alone() {
    let server = Server::shared();
    let (owner, form) = made(server);
    let token = owner.token.clone().expect("a token");
    for key in ["access_token", "token", "bearer"] {
        let asked = server.anon().get(format!("{}?{key}={token}", form.path()));
        assert_eq!(asked.status, 401);
        let body = json!({key: token, "name": "x"});
        assert_eq!(server.anon().patch(form.path(), body).status, 401);
    }
    let twice = owner.header("Authorization", &format!("Bearer {token}"));
    assert_eq!(twice.get(form.path()).status, 400);
}

#[test]
fn another_method_is_told_which_would_do() {
    let server = Server::shared();
    let (owner, form) = made(server);
    let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows() {
        let methods = paths.entry(row.address(&form)).or_default();
        let open = ["/api/", "/.well-known/", "/uploads/"];
        if open.iter().any(|folder| row.path.starts_with(folder)) {
            methods.insert("OPTIONS".to_owned());
        }
        if row.method == "GET" && !SHOWN_ONCE.contains(&row.path.as_str()) {
            methods.insert("HEAD".to_owned());
        }
        methods.insert(row.method);
    }
    for (path, methods) in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"] {
            if methods.contains(method) {
                continue;
            }
            let refused = ask(&owner, method, &path);
            assert_eq!(refused.status, 405, "{method} {path}: {refused}");
            let allowed: BTreeSet<String> = refused.header("allow").split(", ").map(str::to_owned).collect();
            assert_eq!(allowed, methods, "{method} {path}");
            if path.starts_with("/api/") && method != "HEAD" {
                assert_eq!(refused.text, r#"{"error":"Method not allowed"}"#);
            }
        }
    }
}

#[test]
fn who_has_nothing_to_do_with_a_form_finds_none() {
    let server = Server::shared();
    let (_, form) = made(server);
    let stranger = server.user();
    let unknown = Form { token: "AAAAAAAAAA".to_owned(), body: Value::Null };
    let rows = rows();
    let below: Vec<&Row> = rows.iter().filter(|row| row.path.starts_with("/api/v1/forms/{form_token}")).collect();
    assert!(below.len() > 10);
    for row in below {
        let at = format!("{} {}", row.method, row.path);
        let theirs = ask(&stranger, &row.method, &row.address(&form));
        assert_eq!(theirs.to_string(), r#"404 {"error":"Form not found"}"#, "{at}");
        let none = ask(&stranger, &row.method, &row.address(&unknown));
        assert_eq!((none.status, none.text), (theirs.status, theirs.text), "{at}");
    }
}

#[test]
fn only_whole_paths_are_known() {
    let server = Server::shared();
    let (owner, form) = made(server);
    for path in [
        "/api/v1/forms/".to_owned(),
        "/api/v1//forms".to_owned(),
        "/api/v1/Forms".to_owned(),
        "/api/v1".to_owned(),
        "/api/v2/forms".to_owned(),
        "/api/v1/forms/../me".to_owned(),
        format!("{}/", form.path()),
        format!("{}/entries/", form.path()),
        format!("{}/entries/1/x", form.path()),
        format!("{}/%65ntries", form.path()),
        format!("/api/v1/forms/{}%00", form.token),
        "/api/v1/forms/%ff".to_owned(),
        format!("/api/v1/forms/{}%2Fentries", form.token),
    ] {
        let answer = owner.get(&path);
        assert_eq!(answer.status, 404, "{path}: {answer}");
        assert!(answer.text.starts_with("{\"error\":\""), "{path}: {answer}");
    }
}

#[test]
fn a_method_of_nobodys_making_is_refused_too() {
    let server = Server::shared();
    let asked = b"BREW /api/v1/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = raw::exchange(&server.base, asked);
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
}

#[test]
fn pages_for_who_is_signed_in_lead_others_to_the_door() {
    let server = Server::shared();
    let (_, form) = made(server);
    let rows = rows();
    let doors = [
        "/sign-out",
        "/profile",
        "/profile/password",
        "/profile/tokens",
        "/profile/tokens/{id}/revoke",
        "/profile/sample-form",
    ];
    for path in doors {
        let known = rows.iter().any(|row| row.path == path && row.access == "session");
        assert!(known, "{path}");
    }
    for row in rows.iter().filter(|row| row.access == "session") {
        let path = row.address(&form);
        let answer = match row.method.as_str() {
            "GET" => server.anon().get(&path),
            _ => server.anon().post_form(&path, &[("csrf", "x")]),
        };
        let at = format!("{} {}", row.method, row.path);
        assert_eq!(answer.status, 303, "{at}: {answer}");
        let to = answer.header("location").trim_start_matches(&server.base);
        assert!(to.starts_with("/sign-in"), "{at}: {to}");
    }
}

#[test]
fn pages_that_are_not_there_are_pages_all_the_same() {
    let server = Server::shared();
    let (_, form) = made(server);
    for row in rows() {
        if !["/setup/{token}", "/assets/{hash}/{name}"].contains(&row.path.as_str()) || row.method != "GET" {
            continue;
        }
        let answer = server.anon().get(row.address(&form));
        assert_eq!(answer.status, 404, "{}: {answer}", row.path);
        assert!(answer.header("content-type").starts_with("text/html"), "{}", row.path);
    }
}

#[test]
fn a_body_that_nobody_reads_leaves_the_connection_open() {
    let server = Server::shared();
    for asked in ["POST /api/v1/nothing", "PUT /", "DELETE /api/v1/forms/AAAAAAAAAA", "GET /healthz"] {
        let mut socket = raw::connect(&server.base);
        let head = format!("{asked} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n");
        socket.write_all(head.as_bytes()).expect("the head goes out");
        let rest = "{}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        socket.write_all(rest.as_bytes()).expect("the body goes out");
        let mut answers = String::new();
        socket.read_to_string(&mut answers).expect("two answers");
        assert_eq!(raw::statuses(&answers).get(1), Some(&"200"), "{asked}: {answers}");
    }
}
