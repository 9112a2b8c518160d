//! A code is good for one exchange by whom it was made for (S31).

use support::{Server, at_once};

use crate::oauth::{Pair, TOKEN, VERIFIER, age, app, basic, but, count, error, exchange, somebody};

#[test]
fn a_code_is_exchanged_for_a_pair_of_tokens() {
    let server = Server::shared();
    let (browser, email) = somebody(server);
    for flags in [&[][..], &["--public"]] {
        let ours = app(server, flags);
        let answer = ours.exchange(&ours.code(&browser));
        assert_eq!(answer.status, 200, "{answer}");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("pragma"), "no-cache");
        let body = answer.json();
        let keys: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["access_token", "token_type", "expires_in", "refresh_token", "refresh_token_expires_in", "scope"]
        );
        assert_eq!(body["token_type"], "Bearer");
        assert_eq!(body["expires_in"], 3_600);
        assert_eq!(body["refresh_token_expires_in"], 2_592_000);
        let pair = Pair::of(&answer);
        assert_eq!(pair.refresh.len(), 43, "256 bits");
        let me = ours.call(&pair).get("/api/v1/me").data();
        assert_eq!(me["email"], email);
        assert_eq!(me["token"]["kind"], "oauth");
        assert_eq!(me["token"]["scopes"].as_array().map(Vec::len), Some(9));
    }
}

#[test]
fn each_check_alone_refuses_and_spends_the_code() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &["--redirect-uri", "https://app.example.com/other"]);
    let other = app(&server, &["--public"]);
    let (browser, email) = somebody(&server);
    let wrong_verifier = format!("{}x", &VERIFIER[..42]);
    // Another client.
    let code = ours.code(&browser);
    assert_eq!(error(&other.exchange(&code)), "invalid_grant");
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
    // Another address, another verifier, one that is none, and none at all.
    for (name, value, expected) in [
        ("redirect_uri", Some("https://app.example.com/other"), "invalid_grant"),
        ("redirect_uri", Some("https://app.example.com/callback/"), "invalid_grant"),
        ("code_verifier", Some(wrong_verifier.as_str()), "invalid_grant"),
        ("code_verifier", Some(&VERIFIER[..42]), "invalid_grant"),
        ("code_verifier", None, "invalid_request"),
    ] {
        let code = ours.code(&browser);
        let sent = exchange(&code);
        let refused = ours.post(TOKEN, &but(&sent, name, value));
        assert_eq!(error(&refused), expected, "{name} {value:?}");
        assert_eq!(error(&ours.exchange(&code)), "invalid_grant", "{name}: spent");
    }
    // Too late.
    let code = ours.code(&browser);
    age(&server, "UPDATE oauth_codes SET expires_at = expires_at - 59000 WHERE grant_id IS NULL");
    assert_eq!(ours.exchange(&code).status, 200, "within a minute");
    let code = ours.code(&browser);
    age(&server, "UPDATE oauth_codes SET expires_at = expires_at - 60001 WHERE grant_id IS NULL");
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
    // A user who was disabled meanwhile.
    let code = ours.code(&browser);
    assert!(server.run(&["user", "disable", &email]).status.success());
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
    assert_eq!(error(&ours.exchange("nothing")), "invalid_grant");
    // The address need not be sent again: the verifier proves the client.
    let (browser, _) = somebody(&server);
    let code = ours.code(&browser);
    let sent = exchange(&code);
    assert_eq!(ours.post(TOKEN, &but(&sent, "redirect_uri", None)).status, 200);
}

#[test]
fn who_is_not_the_client_does_not_spend_its_code() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let code = ours.code(&browser);
    let wrong = server.anon().header("authorization", &basic(&ours.id, "wrong"));
    assert_eq!(error(&wrong.post_form(TOKEN, &exchange(&code))), "invalid_client");
    assert_eq!(ours.exchange(&code).status, 200);
}

#[test]
fn a_second_exchange_ends_what_the_first_one_gave() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let code = ours.code(&browser);
    let first = Pair::of(&ours.exchange(&code));
    let next = Pair::of(&ours.refresh(&first.refresh));
    assert_eq!(ours.call(&next).get("/api/v1/me").status, 200);
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
    for pair in [&first, &next] {
        assert_eq!(ours.call(pair).get("/api/v1/me").status, 401);
        assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_grant");
    }
    // Other grants of the same user and client go on.
    let other = ours.tokens(&browser);
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
    assert_eq!(ours.call(&other).get("/api/v1/me").status, 200);
}

#[test]
fn of_many_exchanges_at_once_one_succeeds() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let code = ours.code(&browser);
    let answers = at_once(20, |_| ours.exchange(&code));
    let good: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(good.len(), 1);
    let refused = answers.iter().filter(|answer| answer.status != 200);
    assert!(refused.map(error).all(|error| error == "invalid_grant"));
    // The others were second ones.
    let pair = Pair::of(good[0]);
    assert_eq!(ours.call(&pair).get("/api/v1/me").status, 401);
}

#[test]
fn what_is_missing_or_unknown_is_said() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let post = |pairs: &[(&str, &str)]| error(&ours.post(TOKEN, pairs));
    assert_eq!(post(&[]), "invalid_request");
    assert_eq!(post(&[("grant_type", "authorization_code")]), "invalid_request");
    assert_eq!(post(&[("grant_type", "refresh_token")]), "invalid_request");
    for unknown in ["password", "client_credentials", "implicit", "Authorization_code"] {
        assert_eq!(post(&[("grant_type", unknown)]), "unsupported_grant_type");
    }
}

#[test]
fn codes_that_nobody_came_with_are_swept() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let code = ours.code(&browser);
    ours.tokens(&browser);
    assert_eq!(count(&server, "oauth_codes"), 2);
    age(&server, "UPDATE oauth_codes SET expires_at = 1");
    assert!(server.run(&["jobs", "run-once", "oauth"]).status.success());
    assert_eq!(count(&server, "oauth_codes"), 1, "the other one was exchanged");
    assert_eq!(error(&ours.exchange(&code)), "invalid_grant");
}
