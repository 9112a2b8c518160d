//! The access log: its lines, and the data that they don't hold; and the warning of a proxy that is not trusted.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use support::raw::{exchange, host};
use support::{Server, field, until};

/// The lines of the log that are of requests, as data.
fn lines(server: &Server) -> Vec<Value> {
    let log = server.stderr();
    // The last line may not have come whole.
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    let all = whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    all.filter(|line| line["target"] == "access").collect()
}

/// The line of the request with this id.
fn line_of(server: &Server, id: &str) -> Value {
    let find = || lines(server).into_iter().find(|line| line["id"] == id);
    until("the request is logged", || find().is_some());
    find().expect("a line")
}

#[test]
fn every_line_is_an_object_with_the_same_keys() {
    let flags = ["--access-log", "address", "--log-format", "json", "--log-level", "debug"];
    let server = Server::with(&flags);
    let odd = server.anon().get("/%0a%1b%5b2J");
    line_of(&server, odd.header("x-request-id"));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let log = server.stderr();
    assert!(log.lines().count() > 2, "{log}");
    for line in log.lines() {
        assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
        let line: Value = serde_json::from_str(line).expect("JSON");
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert!(keys.starts_with(&[&"timestamp".to_owned(), &"level".to_owned()]), "{line}");
        assert!(line["message"].is_string() && line["target"].is_string(), "{line}");
        if line["target"] == "access" {
            let expected = [
                "timestamp",
                "level",
                "message",
                "id",
                "method",
                "route",
                "status",
                "ms",
                "bytes",
                "address",
                "target",
            ];
            assert_eq!(keys, expected, "{line}");
        }
    }
}

#[test]
fn a_line_says_what_was_asked_and_answered() {
    let server = Server::with(&["--access-log", "on", "--log-format", "json"]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let anon = server.anon();

    let read = owner.get(form.path());
    let line = line_of(&server, read.header("x-request-id"));
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["method"], "GET");
    assert_eq!(line["route"], "/api/v1/forms/{form_token}");
    assert_eq!(line["status"], 200);
    assert_eq!(line["bytes"], read.text.len());
    assert!(line["ms"].as_i64().is_some_and(|ms| ms >= 0), "{line}");
    assert_eq!(line.get("address"), None, "nobody asked for it");

    let values = json!({"field_values": {"field_1": "secret-5"}});
    for (answer, method, route) in [
        (anon.get(form.page()), "GET", "/f/{form_token}"),
        (anon.send("HEAD", &form.page(), None, b""), "HEAD", "/f/{form_token}"),
        (anon.get("/no/such/page?key=secret-1"), "GET", "-"),
        (anon.get("/api/v1/secret-2"), "GET", "-"),
        (anon.get("/setup/secret-3"), "GET", "/setup/{token}"),
        (anon.get("/api/v1/me?access_token=secret-4"), "GET", "/api/v1/me"),
        (anon.post(form.submissions(), values), "POST", "/api/v1/f/{form_token}/entries"),
        (owner.send("PUT", &form.path(), None, b""), "PUT", "-"),
    ] {
        let line = line_of(&server, answer.header("x-request-id"));
        assert_eq!(line["method"], method);
        assert_eq!(line["route"], route);
        assert_eq!(line["status"], answer.status);
        assert_eq!(line["bytes"], answer.text.len(), "{method} {route}");
    }
    // An answer that is made while it is sent is counted, too.
    let export = owner.get(format!("{}/entries/export?format=csv", form.path()));
    let line = line_of(&server, export.header("x-request-id"));
    assert_eq!(line["bytes"], export.bytes.len());
    // So is a request that never came to a route.
    let twice = b"GET /secret-6 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n";
    let refused = exchange(&server.base, twice);
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    until("a malformed request is logged", || {
        let lines = lines(&server);
        let mut refused = lines.iter().filter(|line| line["status"] == 400);
        refused.any(|line| line["route"] == "-")
    });
    let log = server.stderr();
    for secret in ["secret-", &form.token, "127.0.0.1"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn who_asks_for_addresses_gets_them() {
    let flags = ["--access-log", "address", "--log-format", "json"];
    let server = Server::with(&[&flags[..], &["--trusted-proxies", "127.0.0.0/8"]].concat());
    let answer = server.anon().get("/healthz");
    let line = line_of(&server, answer.header("x-request-id"));
    assert_eq!(line["address"], "127.0.0.1");
    let proxied = server.anon().header("x-forwarded-for", "2001:db8::7");
    let answer = proxied.get("/healthz");
    let line = line_of(&server, answer.header("x-request-id"));
    assert_eq!(line["address"], "2001:db8::7");
    exchange(&server.base, b"GET / HTTP/1.1\r\n\r\n");
    until("a malformed request is logged", || {
        let lines = lines(&server);
        let refused = lines.iter().find(|line| line["status"] == 400);
        refused.is_some_and(|line| line["address"] == "127.0.0.1")
    });
}

#[test]
fn nothing_is_logged_of_requests_unless_it_is_asked_for() {
    for flags in [&[][..], &["--access-log", "off"], &["--access-log", "on", "--log-level", "warn"]] {
        let server = Server::with(&[&["--log-format", "json"], flags].concat());
        assert_eq!(server.anon().get("/healthz").status, 200);
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        assert_eq!(lines(&server), Vec::<Value>::new(), "{flags:?}");
    }
    // An operator can have them at level debug.
    let server = Server::with(&["--log-level", "debug", "--log-format", "json"]);
    let answer = server.anon().get("/healthz");
    let line = line_of(&server, answer.header("x-request-id"));
    assert_eq!((&line["level"], &line["status"]), (&json!("DEBUG"), &json!(200)));
    assert_eq!(line.get("address"), None);
}

const NOT_HEEDED: &str = "which is not heeded";

#[test]
fn a_proxy_that_is_not_trusted_is_warned_of_once() {
    for header in ["x-forwarded-for", "forwarded", "x-real-ip"] {
        let server = Server::alone("it is ended");
        assert_eq!(server.anon().get("/healthz").status, 200);
        let proxied = server.anon().header(header, "192.0.2.77");
        for _ in 0..3 {
            assert_eq!(proxied.get("/healthz").status, 200);
        }
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        until("it warns", || server.stderr().contains(NOT_HEEDED));
        let log = server.stderr();
        let said: Vec<&str> = log.lines().filter(|line| line.contains(NOT_HEEDED)).collect();
        assert_eq!(said.len(), 1, "{log}");
        assert!(said[0].contains("WARN") && said[0].contains(header), "{log}");
        let advice = "name 127.0.0.1 with --trusted-proxies";
        assert!(said[0].contains(advice), "{log}");
        assert!(!log.contains("192.0.2.77"), "{log}");
    }
    let server = Server::with(&["--trusted-proxies", "127.0.0.1"]);
    let proxied = server.anon().header("x-forwarded-for", "192.0.2.77");
    assert_eq!(proxied.get("/healthz").status, 200);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(!server.stderr().contains(NOT_HEEDED), "{}", server.stderr());
}

#[test]
fn a_client_that_goes_away_leaves_a_line() {
    let server = Server::with(&["--access-log", "on", "--log-format", "json"]);
    let mut socket = TcpStream::connect(host(&server.base)).expect("connects");
    let ask = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
    socket.write_all(ask).expect("sent");
    socket.read_exact(&mut [0; 1]).expect("an answer begins");
    drop(socket);
    until("it is logged", || {
        let lines = lines(&server);
        let mut routes = lines.iter().map(|line| &line["route"]);
        routes.any(|route| route == "/api/v1/openapi.json")
    });
}
