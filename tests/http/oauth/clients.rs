//! How applications authenticate, and which tokens they may revoke (S35, S38).

use serde_json::{Value, json};
use support::{Response, Server};

use crate::oauth::{App, Pair, REVOKE, TOKEN, app, basic, but, error, exchange, somebody};

const CHALLENGE: &str = "Basic realm=\"formsvc\", charset=\"UTF-8\"";

fn is_unknown(answer: &Response) {
    assert_eq!(error(answer), "invalid_client");
    assert_eq!(answer.header("www-authenticate"), CHALLENGE);
}

fn json_body(pairs: &[(&str, &str)]) -> Value {
    let pairs = pairs.iter();
    pairs.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn by_header_or_body_as_form_or_json() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let secret = ours.secret.clone().expect("a secret");
    let header = server.anon().header("authorization", &basic(&ours.id, &secret));
    let code = ours.code(&browser);
    let mut pair = Pair::of(&header.post_form(TOKEN, &exchange(&code)));
    let uses = |pair: &Pair| vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", pair.refresh.clone())];
    for way in 0..5 {
        let pairs = uses(&pair);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let own = [pairs.clone(), ours.credentials()].concat();
        let answer = match way {
            0 => header.post_form(TOKEN, &pairs),
            1 => header.post(TOKEN, json_body(&pairs)),
            2 => server.anon().post_form(TOKEN, &own),
            3 => server.anon().post(TOKEN, json_body(&own)),
            // The id may be in the body as well, when it is the same.
            _ => header.post_form(TOKEN, &[pairs, vec![("client_id", ours.id.as_str())]].concat()),
        };
        pair = Pair::of(&answer);
    }
    // Null counts as left out, and unknown members are ignored.
    let mut body = json_body(&[ours.credentials(), vec![("grant_type", "refresh_token")]].concat());
    body["refresh_token"] = json!(pair.refresh);
    body["scope"] = Value::Null;
    body["resource"] = json!("https://x.example");
    body["authorization_details"] = json!([{"type": "x"}]);
    body["expires_in"] = json!(3600);
    Pair::of(&server.anon().post(TOKEN, body));
}

#[test]
fn one_way_alone_and_each_parameter_once() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let other = app(server, &[]);
    let secret = ours.secret.clone().expect("a secret");
    let header = server.anon().header("authorization", &basic(&ours.id, &secret));
    let grant = ("grant_type", "refresh_token");
    let both = [ours.credentials(), vec![grant]].concat();
    assert_eq!(error(&header.post_form(TOKEN, &both)), "invalid_request");
    let differing = [("client_id", other.id.as_str()), grant];
    assert_eq!(error(&header.post_form(TOKEN, &differing)), "invalid_request");
    for doubled in ["client_id", "client_secret", "grant_type", "code", "x"] {
        let pairs =
            [but(&ours.credentials(), doubled, Some("a")), vec![(doubled, "b"), ("refresh_token", "c")]].concat();
        let pairs = match doubled {
            "grant_type" => [pairs, vec![]].concat(),
            _ => [pairs, vec![grant]].concat(),
        };
        assert_eq!(error(&server.anon().post_form(TOKEN, &pairs)), "invalid_request", "{doubled}");
        assert_eq!(error(&server.anon().post_form(REVOKE, &pairs)), "invalid_request", "{doubled}");
    }
    let kind = Some("application/json");
    for body in [
        r#"{"grant_type":"refresh_token","grant_type":"refresh_token"}"#,
        r#"{"grant_type":"refresh_token""#,
        r#"{"grant_type":1}"#,
        r#"{"grant_type":["refresh_token"]}"#,
        "[]",
        "null",
        "",
    ] {
        for path in [TOKEN, REVOKE] {
            let answer = server.anon().send("POST", path, kind, body.as_bytes());
            assert_eq!(error(&answer), "invalid_request", "{body}");
        }
    }
}

#[test]
fn who_is_unknown_is_told_no_more() {
    let server = Server::shared();
    let (ours, public) = (app(server, &[]), app(server, &["--public"]));
    let (browser, _) = somebody(server);
    let secret = ours.secret.clone().expect("a secret");
    let mut wrong = secret.clone();
    wrong.replace_range(0..1, if secret.starts_with('a') { "b" } else { "a" });
    let body = |id: &str, secret: Option<&str>| {
        let secret = secret.map(|secret| ("client_secret", secret));
        let pairs: Vec<(&str, &str)> =
            [("client_id", id), ("grant_type", "refresh_token")].into_iter().chain(secret).collect();
        server.anon().post_form(TOKEN, &pairs)
    };
    let header = |value: &str| {
        let anon = server.anon().header("authorization", value);
        anon.post_form(TOKEN, &[("grant_type", "refresh_token")])
    };
    let texts: Vec<String> = [
        body("nobody", Some(&secret)),
        body(&ours.id, Some(&wrong)),
        body(&ours.id, None),
        body(&ours.id, Some("")),
        body(&public.id, Some(&secret)),
        body("", Some(&secret)),
        header(&basic(&ours.id, &wrong)),
        header(&basic(&ours.id, "")),
        header(&basic("nobody", &secret)),
        header(&basic(&public.id, "x")),
        header("Basic"),
        header("Basic !"),
        header("Basic eA=="),
        header("Digest x"),
    ]
    .iter()
    .map(|answer| {
        is_unknown(answer);
        answer.text.clone()
    })
    .collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    // A public client by its id alone, in either place.
    let code = public.code(&browser);
    let anon = server.anon().header("authorization", &basic(&public.id, ""));
    Pair::of(&anon.post_form(TOKEN, &exchange(&code)));
}

#[test]
fn wrong_secrets_are_counted_by_client_and_address() {
    let server = Server::with(&["--trusted-proxies", "127.0.0.0/8"]);
    let (ours, other) = (app(&server, &[]), app(&server, &[]));
    let from = |app: &App, address: &str, secret: &str| {
        let caller = server.anon().header("x-forwarded-for", address);
        let caller = caller.header("authorization", &basic(&app.id, secret));
        caller.post_form(REVOKE, &[("token", "x")])
    };
    let right = ours.secret.clone().expect("a secret");
    for _ in 0..10 {
        is_unknown(&from(&ours, "192.0.2.1", "wrong"));
    }
    for secret in ["wrong", &right] {
        let refused = from(&ours, "192.0.2.1", secret);
        assert_eq!(refused.status, 429, "{refused}");
        assert_eq!(refused.json()["error"], "temporarily_unavailable");
        assert!(!refused.header("retry-after").is_empty());
    }
    assert_eq!(from(&ours, "192.0.2.2", &right).status, 200);
    let theirs = other.secret.clone().expect("a secret");
    assert_eq!(from(&other, "192.0.2.1", &theirs).status, 200);
    // Right ones are not counted.
    for _ in 0..15 {
        assert_eq!(from(&other, "192.0.2.1", &theirs).status, 200);
    }
}

#[test]
fn revoking_tells_nobody_what_was_there() {
    let server = Server::shared();
    let (ours, other) = (app(server, &[]), app(server, &[]));
    let (browser, _) = somebody(server);
    let pair = ours.tokens(&browser);
    let (message, signature) = pair.access.rsplit_once('.').expect("a signature");
    let forged = format!("{message}.{}", signature.chars().rev().collect::<String>());
    let revoke = |app: &App, token: &str| app.post(REVOKE, &[("token", token)]);
    for token in ["nothing", "a.b.c", &forged, &ours.id] {
        let answer = revoke(&ours, token);
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"), "{token}");
    }
    // Another client's token is answered alike, and lives on.
    for token in [&pair.access, &pair.refresh] {
        let answer = revoke(&other, token);
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    }
    assert_eq!(ours.call(&pair).get("/api/v1/me").status, 200);
    let next = Pair::of(&ours.refresh(&pair.refresh));
    // By JSON as the specification has it, with a hint of whatever kind, and again.
    for _ in 0..2 {
        let mut body = json_body(&ours.credentials());
        body["token"] = json!(next.refresh);
        body["token_type_hint"] = json!("access_token");
        let answer = server.anon().post(REVOKE, body);
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    }
    assert_eq!(ours.call(&next).get("/api/v1/me").status, 401);
    assert_eq!(error(&revoke(&ours, "")), "invalid_request");
    is_unknown(&server.anon().post(REVOKE, json!({"token": "x"})));
    let wrong = json!({"client_id": ours.id, "client_secret": "wrong", "token": "x"});
    is_unknown(&server.anon().post(REVOKE, wrong));
}

#[test]
fn a_used_refresh_token_ends_its_grant_when_it_is_revoked() {
    let server = Server::shared();
    let ours = app(server, &["--public"]);
    let (browser, _) = somebody(server);
    let pair = ours.tokens(&browser);
    let next = Pair::of(&ours.refresh(&pair.refresh));
    assert_eq!(ours.post(REVOKE, &[("token", &pair.refresh)]).status, 200);
    assert_eq!(ours.call(&next).get("/api/v1/me").status, 401);
}

#[test]
fn what_is_wrong_with_the_request_itself_is_said_in_their_words() {
    let server = Server::shared();
    let ours = app(server, &[]);
    for path in [TOKEN, REVOKE] {
        let text = server.anon().send("POST", path, Some("text/plain"), b"grant_type=x");
        assert_eq!((text.status, text.json()["error"].clone()), (415, json!("invalid_request")));
        let none = server.anon().send("POST", path, None, b"");
        assert_eq!((none.status, none.json()["error"].clone()), (415, json!("invalid_request")));
        let long = "x".repeat((1 << 20) + 1);
        let long = server.anon().post_form(path, &[("token", &long)]);
        assert_eq!((long.status, long.json()["error"].clone()), (413, json!("invalid_request")));
        let query = format!("{path}?client_id={}&token=x", ours.id);
        is_unknown(&server.anon().post_form(query, &[("token", "x")]));
        assert_eq!(server.anon().get(path).status, 405);
        // A token is not asked for, but a wrong one is one everywhere.
        let bearer = server.anon().with_token("garbage");
        let refused = bearer.post_form(path, &ours.credentials());
        assert_eq!(refused.status, 401);
        assert_eq!(refused.json()["error"], "invalid_client");
    }
    let kind = Some("application/x-www-form-urlencoded; charset=UTF-8");
    let body = format!("client_id={}&client_secret={}&token=x", ours.id, ours.secret.clone().expect("a secret"));
    assert_eq!(server.anon().send("POST", REVOKE, kind, body.as_bytes()).status, 200);
    // Any site may ask, since no cookie counts.
    let preflight = server.anon().send("OPTIONS", TOKEN, None, b"");
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
}
