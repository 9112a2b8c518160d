//! The headers of every answer, the effects of request headers, and that no request ends the service.

use std::collections::BTreeMap;

use serde_json::json;
use support::clock::Clock;
use support::raw::{exchange, statuses};
use support::session::{Session, account};
use support::{Caller, Response, Server, field};

const JSON_CSP: &str = "default-src 'none'; frame-ancestors 'none'";

/// S9's text for pages, with the two varying parts.
fn page_csp(nonce: &str, ancestors: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'{nonce}; img-src 'self' blob:; font-src 'self'; \
         media-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

/// The policy with its nonce, which has to be 128 bits in base64, taken out.
fn without_nonce(csp: &str) -> String {
    let Some(at) = csp.find(" 'nonce-") else {
        return csp.to_owned();
    };
    let end = at + csp[at + 2..].find('\'').expect("its end") + 3;
    let nonce = &csp[at + " 'nonce-".len()..end - 1];
    let bits = nonce.trim_end_matches('=').len() * 6;
    assert!((126..=132).contains(&bits) || nonce.len() == 32, "{nonce}");
    format!("{}{}", &csp[..at], &csp[end..])
}

/// Answers of every possible status, by the request.
fn walk(server: &Server) -> BTreeMap<String, Response> {
    let owner = server.user();
    let anon = server.anon();
    let viewer = server.token(&owner.email, "form:read");
    let form = owner.form(json!([field("short_text", json!({"required": true}))]));
    let etag = owner.get(form.path()).header("etag").to_owned();
    let mut seen = BTreeMap::new();
    let mut note = |status: u16, caller: &Caller, method: &str, path: &str, kind: Option<&str>, body: &str| {
        let answer = caller.send(method, path, kind, body.as_bytes());
        assert_eq!(answer.status, status, "{method} {path}: {answer}");
        seen.insert(format!("{status} {method} {path}"), answer);
    };
    let json = Some("application/json");
    let big = format!("\"{}\"", "x".repeat(2 << 20));
    note(200, &anon, "GET", "/healthz", None, "");
    note(200, &anon, "GET", "/readyz", None, "");
    note(200, &owner, "GET", "/api/v1/me", None, "");
    note(200, &owner, "GET", "/api/v1/forms", None, "");
    note(200, &owner, "GET", &form.path(), None, "");
    note(200, &anon, "GET", &form.published(), None, "");
    note(200, &anon, "HEAD", &form.published(), None, "");
    note(200, &anon, "GET", &form.page(), None, "");
    note(200, &anon, "GET", "/sign-in", None, "");
    note(201, &anon, "POST", &form.submissions(), json, "{\"field_values\":{\"field_1\":\"a\"}}");
    note(304, &owner.header("If-None-Match", &etag), "GET", &form.path(), None, "");
    note(400, &owner, "POST", "/api/v1/forms", json, "{");
    note(400, &owner, "GET", "/api/v1/forms?page_size=0", None, "");
    note(401, &anon, "GET", "/api/v1/me", None, "");
    note(401, &anon.with_token("fsv_nonsense"), "GET", &form.published(), None, "");
    note(403, &viewer, "POST", "/api/v1/forms", json, "{}");
    note(404, &owner, "GET", "/api/v1/nothing", None, "");
    note(404, &owner, "GET", "/api/v1/forms/AAAAAAAAAA", None, "");
    note(404, &anon, "GET", "/nothing", None, "");
    note(404, &anon, "GET", "/f/AAAAAAAAAA", None, "");
    note(404, &anon, "GET", "/assets/nothing.css", None, "");
    note(404, &anon, "GET", "/metrics", None, "");
    note(405, &owner, "PUT", "/api/v1/forms", json, "{}");
    note(405, &anon, "DELETE", "/healthz", None, "");
    note(405, &anon, "DELETE", "/sign-in", None, "");
    note(412, &owner.header("If-Match", "\"other\""), "PATCH", &form.path(), json, "{\"name\":\"b\"}");
    note(413, &owner, "POST", "/api/v1/forms", json, &big);
    note(413, &anon, "POST", "/sign-in", Some("application/x-www-form-urlencoded"), &big);
    note(415, &owner, "POST", "/api/v1/forms", Some("text/plain"), "{}");
    note(415, &owner.header("Content-Encoding", "gzip"), "POST", "/api/v1/forms", json, "{}");
    note(422, &owner, "POST", "/api/v1/forms", json, "{}");
    note(422, &anon, "POST", &form.submissions(), json, "{\"field_values\":{}}");
    note(303, &anon, "GET", "/profile", None, "");
    seen
}

#[test]
fn every_answer_has_its_headers() {
    let server = Server::alone("it is asked in odd ways");
    let mut ids = Vec::new();
    for (asked, answer) in walk(&server) {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=(), microphone=(self), geolocation=(self)"),
            ("strict-transport-security", ""),
            ("access-control-allow-credentials", ""),
        ] {
            assert_eq!(answer.header(name), value, "{asked}: {name}");
        }
        ids.push(answer.header("x-request-id").to_owned());
        let csp = without_nonce(answer.header("content-security-policy"));
        let is_api = asked.contains(" /api/");
        let is_json = answer.header("content-type").starts_with("application/json");
        if is_api || is_json {
            assert_eq!(csp, JSON_CSP, "{asked}");
        } else {
            assert!(csp == page_csp("", "'none'") || csp == JSON_CSP, "{asked}: {csp}");
        }
        if answer.header("content-type").starts_with("text/html") {
            assert_eq!(csp, page_csp("", "'none'"), "{asked}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), if is_api { "*" } else { "" }, "{asked}");
        assert_eq!(answer.header("cache-control"), "no-store", "{asked}");
        assert!(!answer.text.contains(env!("CARGO_PKG_VERSION")) || asked.contains(" /f/"), "{asked}: {answer}");
        assert!(answer.header("server").is_empty(), "{asked}");
    }
    assert!(ids.iter().all(|id| id.len() >= 8), "{ids:?}");
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "each answer has an id of its own");
}

/// Requests that no row of the table gets to see, and how they are answered.
fn refused_early() -> Vec<(u16, String)> {
    let fields = "X: y\r\n".repeat(101);
    let get = |rest: &str| format!("GET /api/v1/forms HTTP/1.1\r\n{rest}\r\n");
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "u".repeat(9_000));
    vec![
        (400, get("")),
        (400, get("Host: a\r\nHost: b\r\n")),
        (400, get("Host: a b\r\n")),
        (400, get("Host: a\r\nNo colon\r\n")),
        (400, get("Host: a\r\nX: \0\r\n")),
        (400, get("Host: a\r\nX: y\rz\r\n")),
        (400, get("Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n")),
        (400, get("Host: a\r\nTransfer-Encoding: gzip\r\n")),
        (400, get("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n")),
        (400, get("Host: a\r\n").replace("/1.1", "/1.2")),
        (400, get("Host: a\r\n").replace("/api/v1/forms", "http://[")),
        (400, get("Host: a\r\n").replace("/api/v1/forms", "/a b")),
        (400, "GET / HTTP/1.1\nHost: a\n\n".to_owned()),
        (400, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        (400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        (400, "\x16\x03\x01\x02\x00\x01\x00\x01\u{7f}".to_owned()),
        (414, long),
        (431, get(&format!("Host: a\r\n{fields}"))),
        (431, get(&format!("Host: a\r\nX: {}\r\n", "y".repeat(17_000)))),
    ]
}

#[test]
fn what_never_reaches_a_route_has_them_too() {
    let plain = Server::alone("it is asked in odd ways");
    let flags = ["--rate-limits", "off", "--base-url", "https://forms.example"];
    let https = Server::with(&flags);
    for (server, lines) in [(&plain, 0), (&https, 1)] {
        for (status, sent) in refused_early() {
            let got = exchange(&server.base, sent.as_bytes());
            assert_eq!(statuses(&got), [status.to_string()], "{sent:?}: {got}");
            let (head, body) = got.split_once("\r\n\r\n").expect("a head");
            let head = head.to_lowercase();
            for line in [
                "x-content-type-options: nosniff",
                "referrer-policy: same-origin",
                "cross-origin-opener-policy: same-origin",
                "permissions-policy: camera=(), microphone=(self), geolocation=(self)",
                "cache-control: no-store",
                "content-type: application/json",
                "connection: close",
                &format!("content-security-policy: {JSON_CSP}"),
            ] {
                assert_eq!(head.matches(line).count(), 1, "{line}: {sent:?}: {got}");
            }
            assert!(head.contains("\r\nx-request-id: "), "{got}");
            let https = "strict-transport-security: max-age=31536000";
            assert_eq!(head.matches(https).count(), lines, "{got}");
            let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
            assert!(body["error"].as_str().is_some_and(|text| text.len() > 10));
        }
    }
    // An answer to HEAD has no body.
    let got = exchange(&plain.base, b"HEAD / HTTP/1.1\r\n\r\n");
    assert!(got.ends_with("\r\n\r\n"), "{got}");
}

#[test]
fn an_https_address_is_told_to_browsers() {
    let server = Server::with(&["--rate-limits", "off", "--base-url", "https://forms.example"]);
    for (asked, answer) in walk(&server) {
        assert_eq!(answer.header("strict-transport-security"), "max-age=31536000", "{asked}");
    }
}

#[test]
fn pages_say_who_may_frame_them_and_assets_may_be_kept() {
    let server = Server::shared();
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let anon = server.anon();
    let page = anon.get(form.page());
    let embedded = anon.header("Cookie", "formsvc_session=x").get(format!("{}?embed=1", form.page()));
    for (answer, ancestors) in [(&page, "'none'"), (&embedded, "*")] {
        assert_eq!(without_nonce(answer.header("content-security-policy")), page_csp("", ancestors));
    }
    assert_eq!(embedded.header("set-cookie"), "");
    // The theme's style block has its own nonce each time, and the policy names it.
    let owner = server.user();
    let themed = owner.form(json!([field("short_text", json!({}))]));
    let theme = owner.patch(format!("{}/theme", themed.path()), json!({"primary_color": "#7A1FA2"}));
    assert_eq!(theme.status, 200, "{theme}");
    let nonces = [(); 2].map(|()| {
        let answer = anon.get(themed.page());
        let csp = answer.header("content-security-policy");
        assert_eq!(without_nonce(csp), page_csp("", "'none'"));
        let nonce = csp.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
        assert!(answer.text.contains(&format!("nonce=\"{nonce}\"")), "{answer}");
        nonce.to_owned()
    });
    assert_ne!(nonces[0], nonces[1]);
    let asset = page.text.split('"').find(|text| text.contains("/assets/")).expect("an asset");
    let asset = asset.strip_prefix(&server.base).unwrap_or(asset);
    let answer = anon.get(asset);
    assert_eq!(answer.status, 200, "{asset}");
    assert!(answer.header("cache-control").contains("immutable"), "{:?}", answer.headers);
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

/// One of the pages for owners has frames, and only those of an entry may be framed.
#[test]
fn the_table_of_entries_frames_an_entry() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let form = owner.form(json!([field("short_text", json!({}))]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "a"}})).is(201);
    let browser = Session::on(&server).signed_in("ann@example.org");
    let policy = |page: &str| {
        let answer = browser.get(&format!("/forms/{}/{page}", form.token)).is(200);
        without_nonce(answer.header("content-security-policy"))
    };
    let framing = page_csp("", "'none'").replace("form-action", "frame-src 'self'; form-action");
    let (framed, plain) = (page_csp("", "'self'"), page_csp("", "'none'"));
    for (page, expected) in [
        ("entries", &framing),
        ("entries?frame=1", &framing),
        ("entries/1", &plain),
        ("entries/1?frame=0", &plain),
        ("entries/1?frame=1", &framed),
        ("entries/1/edit?frame=1", &framed),
        ("entries/1/edit", &plain),
        ("trash?frame=1", &plain),
        ("share?frame=1", &plain),
        ("people?frame=1", &plain),
        ("settings?frame=1", &plain),
    ] {
        assert_eq!(policy(page), *expected, "{page}");
    }
    let other = browser.get("/forms?frame=1");
    assert_eq!(without_nonce(other.header("content-security-policy")), plain);
}

#[test]
fn forged_headers_change_nothing() {
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &["--limit-submissions", "2", "--log-level", "debug"]);
    let owner = server.user();
    let forged = |caller: &Caller, address: &str| {
        caller
            .header("Host", "evil.example")
            .header("X-Forwarded-Host", "evil.example")
            .header("X-Forwarded-Proto", "gopher")
            .header("X-Forwarded-For", address)
            .header("X-Real-IP", address)
            .header("Forwarded", &format!("for={address};host=evil.example"))
            .header("X-Request-Id", "evil-request")
    };
    let form = forged(&owner, "203.0.113.1").form(json!([field("short_text", json!({}))]));
    let url = form.body["url"].as_str().expect("a url");
    assert_eq!(url, format!("{}{}", server.base, form.page()));
    let page = forged(&server.anon(), "203.0.113.1").get(form.page());
    assert!(!page.text.contains("evil"), "{page}");
    assert_ne!(page.header("x-request-id"), "evil-request");
    let profile = forged(&server.anon(), "203.0.113.1").get("/profile");
    assert!(!profile.header("location").contains("evil"), "{:?}", profile.headers);
    let statuses: Vec<_> = (1..=3)
        .map(|i| {
            let caller = forged(&server.anon(), &format!("203.0.113.{}, 198.51.{i}.1", i * 50));
            caller.post(form.submissions(), json!({"field_values": {}})).status
        })
        .collect();
    assert_eq!(statuses, [201, 201, 429], "limits count the peer");
    assert!(!server.stderr().contains("evil") && !server.stderr().contains("203.0.113."), "{}", server.stderr());
}

#[test]
fn trusted_proxies_say_who_asks() {
    let flags = ["--limit-submissions", "2", "--trusted-proxies", "127.0.0.0/8"];
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &flags);
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let submit = |chain: &str| {
        let caller = server.anon().header("X-Forwarded-For", chain);
        caller.post(form.submissions(), json!({"field_values": {}})).status
    };
    // The addresses that a client claims stand to the left of the one that the proxy saw.
    assert_eq!([submit("198.51.100.1"), submit("192.0.2.9, 198.51.100.1")], [201, 201]);
    assert_eq!(submit("192.0.2.10, 198.51.100.1, 127.0.0.7"), 429);
    assert_eq!(submit("203.0.113.5"), 201);
}

#[test]
fn who_asks_is_told_by_proxies_in_a_row_and_by_no_garbage() {
    let flags = ["--limit-submissions", "1", "--trusted-proxies", "127.0.0.0/8,2001:db8:aa::/48,10.0.0.7"];
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &flags);
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let submit = |lines: &[&str]| {
        let caller = lines.iter().fold(server.anon(), |caller, line| caller.header("X-Forwarded-For", line));
        let body = json!({"field_values": {}});
        caller.post(form.submissions(), body).status
    };
    for (lines, status) in [
        // Several hops, of both families; a client of IPv6 counts by its /64.
        (&["2001:db8:1::5, 2001:db8:aa::1, 10.0.0.7"][..], 201),
        (&["2001:db8:1::6"], 429),
        (&["2001:db8:1:1::6,2001:db8:aa:5::1"], 201),
        // An IPv4 address within IPv6 is that address.
        (&["::ffff:198.51.100.20"], 201),
        (&["198.51.100.20"], 429),
        // Several lines are one list.
        (&["198.51.100.21", "10.0.0.7"], 201),
        (&["198.51.100.21"], 429),
        // The one to the left of a stranger is a stranger's claim.
        (&["127.0.0.9, 198.51.100.21"], 429),
        // Behind garbage nothing is believed: then it is the last proxy that is known, here that of this machine.
        (&["198.51.100.22, what"], 201),
        (&["198.51.100.23, 1.2.3.4.5"], 429),
        (&["198.51.100.24, "], 429),
        (&["unknown"], 429),
        (&["\"[2001:db8::1]:4711\""], 429),
        (&[""], 429),
        (&[], 429),
    ] {
        assert_eq!(submit(lines), status, "{lines:?}");
    }
}

#[test]
fn no_header_is_split() {
    let server = Server::shared();
    for path in [
        "/f/%0d%0aX-Split:%20yes",
        "/sign-in?next=%0d%0aX-Split:%20yes",
        "/assets/%0d%0aX-Split:%20yes",
        "/%00",
        "/%ff%fe",
    ] {
        let sent = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let got = exchange(&server.base, sent.as_bytes());
        let head = got.split("\r\n\r\n").next().unwrap_or_default().to_lowercase();
        assert!(!head.contains("\r\nx-split"), "{got}");
        assert!(head.starts_with("http/1.1 2") || head.starts_with("http/1.1 4"), "{got}");
    }
}

#[test]
fn garbage_ends_no_service() {
    let server = Server::alone("it is ended");
    let form = server.user().form(json!([field("short_text", json!({}))]));
    let paths = [
        "/",
        "/healthz",
        "/sign-in",
        "/api/v1/forms",
        "/api/v1/me",
        &form.page(),
        &form.submissions(),
        &form.published(),
    ];
    let kinds =
        ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html", ""];
    // A fixed sequence: a fault that it finds can be found again.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("31 bits")
    };
    let pieces = [
        "{",
        "}",
        "[",
        "\"",
        ":",
        ",",
        "field_values",
        "--x\r\n",
        "\r\n",
        "%",
        "=",
        "&",
        "\u{0}",
        "\u{202e}",
        "\\ud800",
        "1e999",
        "null",
        "é",
    ];
    for _ in 0..400 {
        let method = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "X"][next() % 8];
        let path = paths[next() % paths.len()];
        let kind = kinds[next() % kinds.len()];
        let mut body: Vec<u8> = (0..next() % 40).flat_map(|_| pieces[next() % pieces.len()].bytes()).collect();
        body.extend((0..next() % 8).map(|_| (next() % 256) as u8));
        let mut sent = format!(
            "{method} {path}?{} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            ["", "page_size=%", "cursor=\"", "a=%ff&a"][next() % 4],
            body.len()
        )
        .into_bytes();
        sent.extend(&body);
        let got = exchange(&server.base, &sent);
        let status = got.get(9..12).unwrap_or_default();
        assert!(status.starts_with(['2', '3', '4']), "{:?} {got}", String::from_utf8_lossy(&sent));
    }
    assert!(server.is_running());
    assert_eq!(server.anon().get("/healthz").status, 200);
}
