//! Requests of a client, and where its user is led (S28, S29, S30, S37).

use support::session::Session;
use support::{Response, Server};

use crate::oauth::{AUTHORIZE, Back, CHALLENGE, REDIRECT, REVOKE, TOKEN, address, allowed, app, but, decide, somebody};

fn is_dead_end(answer: &Response) {
    assert_eq!(answer.status, 400, "{answer}");
    assert_eq!(answer.header("location"), "");
    assert!(answer.header("content-type").starts_with("text/html"));
    assert!(answer.text.contains("This link does not work"), "{answer}");
}

#[test]
fn a_wrong_client_or_address_gets_a_page_and_nobody_is_led_anywhere() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let asks = ours.asks();
    let bad = [
        but(&asks, "client_id", None),
        but(&asks, "client_id", Some("")),
        but(&asks, "client_id", Some("nobody")),
        but(&asks, "redirect_uri", None),
        but(&asks, "redirect_uri", Some("https://evil.example/callback")),
        [asks.clone(), vec![("redirect_uri", REDIRECT)]].concat(),
        [asks.clone(), vec![("client_id", ours.id.as_str())]].concat(),
    ];
    for pairs in bad {
        // Signed in or not, and whatever else is wrong.
        for pairs in [pairs.clone(), but(&pairs, "scope", Some("everything"))] {
            is_dead_end(&browser.get(&address(&pairs)));
            is_dead_end(&Session::on(server).get(&address(&pairs)));
            let posted = [pairs, vec![("decision", "approve")]].concat();
            is_dead_end(&browser.post(AUTHORIZE, &posted));
        }
    }
}

#[test]
fn an_address_is_compared_letter_by_letter() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let asks = ours.asks();
    for other in [
        "https://app.example.com/callback/",
        "https://app.example.com/Callback",
        "https://APP.example.com/callback",
        "https://app.example.com/%63allback",
        "https://app.example.com/%2e/callback",
        "https://app.example.com/./callback",
        "https://app.example.com/callback?x=1",
        "https://app.example.com/callback#x",
        "https://app.example.com:443/callback",
        "https://me@app.example.com/callback",
        "https://www.app.example.com/callback",
        "https://app.example.com.evil.example/callback",
        "http://app.example.com/callback",
        "//app.example.com/callback",
        "javascript:alert(1)",
        "https://app.example.com/callback\r\nX: y",
        "https://app.example.com/callback\0",
    ] {
        let pairs = but(&asks, "redirect_uri", Some(other));
        is_dead_end(&server.anon().get(address(&pairs)));
    }
}

#[test]
fn of_a_loopback_address_only_the_port_may_vary() {
    let server = Server::shared();
    let local = ["--redirect-uri", "http://127.0.0.1/cb", "--redirect-uri", "http://[::1]:1/cb"];
    let ours = app(server, &[&local[..], &["--public"]].concat());
    let (browser, _) = somebody(server);
    let asks = ours.asks();
    for good in ["http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", "http://[::1]:50000/cb"] {
        let back = allowed(&browser, &but(&asks, "redirect_uri", Some(good)));
        assert_eq!(back.to, good);
        back.code();
    }
    for bad in [
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:99999/cb",
        "http://127.0.0.1:80@evil.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://127.0.0.1/cb/x",
        "http://localhost/cb",
        "https://127.0.0.1/cb",
    ] {
        let pairs = but(&asks, "redirect_uri", Some(bad));
        is_dead_end(&browser.get(&address(&pairs)));
    }
}

#[test]
fn without_s256_nobody_gets_a_code() {
    let server = Server::shared();
    let (browser, _) = somebody(server);
    let (short, long) = ("a".repeat(42), "a".repeat(129));
    let odd = format!("{}+", &CHALLENGE[..42]);
    for flags in [&[][..], &["--public"]] {
        let ours = app(server, flags);
        let asks = ours.asks();
        let bad = [
            but(&asks, "code_challenge", None),
            but(&asks, "code_challenge", Some(&short)),
            but(&asks, "code_challenge", Some(&long)),
            but(&asks, "code_challenge", Some(&odd)),
            but(&asks, "code_challenge_method", None),
            but(&asks, "code_challenge_method", Some("plain")),
            but(&asks, "code_challenge_method", Some("s256")),
            but(&but(&asks, "code_challenge", None), "code_challenge_method", None),
        ];
        for pairs in bad {
            let back = Back::of(&browser.get(&address(&pairs)));
            assert_eq!(back.to, REDIRECT);
            assert_eq!(back.get("error"), Some("invalid_request"), "{pairs:?}");
            assert_eq!(back.get("code"), None);
        }
    }
}

#[test]
fn code_and_error_alike_carry_the_untouched_state_and_who_answers() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let longest = "é".repeat(400) + &"+".repeat(1_648);
    for state in ["x", "a b&c=d%2F#?", "\r\nLocation: x", "\"\\<\u{202e}>", "\0", &longest] {
        let asks = but(&ours.asks(), "state", Some(state));
        let back = allowed(&browser, &asks);
        assert_eq!(back.to, REDIRECT);
        let names: Vec<&str> = back.with.keys().map(String::as_str).collect();
        assert_eq!(names, ["code", "iss", "state"]);
        assert_eq!(back.get("state"), Some(state));
        assert_eq!(back.get("iss"), Some(server.base.as_str()));
        assert_eq!(back.code().len(), 43, "256 bits");

        let refused = browser.get(&address(&but(&asks, "scope", Some("everything"))));
        let back = Back::of(&refused);
        let names: Vec<&str> = back.with.keys().map(String::as_str).collect();
        assert_eq!(names, ["error", "error_description", "iss", "state"]);
        assert_eq!(back.get("state"), Some(state));
        assert_eq!(back.get("iss"), Some(server.base.as_str()));
    }
    let none = allowed(&browser, &but(&ours.asks(), "state", None));
    assert_eq!(none.get("state"), None);
    let too_long = "x".repeat(2_049);
    let back = Back::of(&browser.get(&address(&but(&ours.asks(), "state", Some(&too_long)))));
    assert_eq!(back.get("error"), Some("invalid_request"));
    assert_eq!(back.get("state"), None);
}

#[test]
fn what_stands_in_a_registered_query_stays_there() {
    let server = Server::shared();
    let uri = "https://app.example.com/cb?tenant=a%2Fb";
    let ours = app(server, &["--redirect-uri", uri]);
    let (browser, _) = somebody(server);
    let page = browser.get(&address(&but(&ours.asks(), "redirect_uri", Some(uri))));
    let back = decide(&browser, &page, "approve");
    assert_eq!(back.to, "https://app.example.com/cb");
    assert_eq!(back.get("tenant"), Some("a/b"));
    back.code();
}

#[test]
fn what_else_is_wrong_is_told_to_the_client() {
    let server = Server::shared();
    let ours = app(server, &["--scope", "form:read", "entry:read"]);
    let (browser, _) = somebody(server);
    let asks = ours.asks();
    let with = |name, value| [asks.clone(), vec![(name, value)]].concat();
    for (pairs, error) in [
        (but(&asks, "response_type", Some("token")), "unsupported_response_type"),
        (but(&asks, "response_type", Some("code id_token")), "unsupported_response_type"),
        (with("response_mode", "fragment"), "invalid_request"),
        (with("scope", "form:read form:write"), "invalid_scope"),
        (with("scope", "openid"), "invalid_scope"),
        (with("scope", " "), "invalid_scope"),
        // Nothing but a space parts two.
        (with("scope", "form:read\u{a0}entry:read"), "invalid_scope"),
        (with("scope", "form:read\u{3000}entry:read"), "invalid_scope"),
        (with("scope", "form:read\tentry:read"), "invalid_scope"),
        (with("scope", "form:read\nentry:read"), "invalid_scope"),
        (with("scope", "\u{a0}form:read"), "invalid_scope"),
        (with("state", "again"), "invalid_request"),
        (with("code_challenge", CHALLENGE), "invalid_request"),
        (with("request", "eyJ"), "request_not_supported"),
        (with("request_uri", "https://x.example/"), "request_uri_not_supported"),
    ] {
        // Nobody need be signed in for that.
        for browser in [&browser, &Session::on(server)] {
            let back = Back::of(&browser.get(&address(&pairs)));
            assert_eq!(back.to, REDIRECT);
            assert_eq!(back.get("error"), Some(error), "{pairs:?}");
        }
    }
    // The type may be left out, unknown parameters are ignored, and no scope means all of them.
    let plain = [but(&asks, "response_type", None), vec![("nonce", "x"), ("scope", "")]].concat();
    let code = allowed(&browser, &plain).code();
    let scope = ours.exchange(&code).json()["scope"].clone();
    assert_eq!(scope, "form:read entry:read");
    let fewer = allowed(&browser, &with("scope", "entry:read")).code();
    assert_eq!(ours.exchange(&fewer).json()["scope"], "entry:read");
}

const WITHOUT_FORM_ACTION: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; font-src 'self'; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

#[test]
fn who_is_not_signed_in_does_so_first_and_comes_on() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (_, email) = somebody(server);
    let browser = Session::on(server);
    // The longest state that an address can bring.
    let state = format!("x\r\n\\\"{}", "+".repeat(2_000));
    let led = browser.get(&address(&but(&ours.asks(), "state", Some(&state))));
    assert_eq!(led.status, 303);
    let page = browser.get(led.header("location"));
    assert_eq!(page.status, 200, "{page}");
    assert_eq!(page.header("content-security-policy"), WITHOUT_FORM_ACTION);
    let (_, next) = page.text.split_once(r#"name="next" value=""#).expect("next");
    let next = next.split('"').next().unwrap_or_default().to_owned();
    assert!(next.starts_with(AUTHORIZE), "{next}");
    let sign_in = |password: &str| {
        let pairs = [("email", email.as_str()), ("password", password), ("next", &next)];
        browser.post("/sign-in", &pairs)
    };
    let wrong = sign_in("not the password");
    assert_eq!(wrong.status, 422);
    assert_eq!(wrong.header("content-security-policy"), WITHOUT_FORM_ACTION);
    let on = sign_in("a quiet harbour");
    assert_eq!(on.status, 303, "{on}");
    let consent = browser.get(on.header("location"));
    assert_eq!(consent.header("content-security-policy"), WITHOUT_FORM_ACTION);
    let back = decide(&browser, &consent, "approve");
    assert_eq!(back.get("state"), Some(state.as_str()));
    assert_eq!(ours.exchange(&back.code()).status, 200);
    // On other ways the page's forms lead nowhere else.
    let plain = Session::on(server).get("/sign-in?next=%2Fprofile");
    let policy = plain.header("content-security-policy").to_owned();
    assert!(policy.contains("form-action 'self'"), "{policy}");
}

#[test]
fn a_personal_token_allows_nothing() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let user = server.user();
    let led = user.get(ours.address());
    assert_eq!(led.status, 303);
    assert!(led.header("location").starts_with("/sign-in?next="), "{led}");
    let posted = [ours.asks(), vec![("decision", "approve")]].concat();
    let led = user.header("origin", &server.base).post_form(AUTHORIZE, &posted);
    assert!(led.header("location").starts_with("/sign-in?next="), "{led}");
}

#[test]
fn odd_values_are_refused_and_never_a_fault_of_ours() {
    let server = Server::shared();
    let ours = app(server, &["--public"]);
    let (browser, _) = somebody(server);
    let long = "x".repeat(3_000);
    let odd = ["", "\0", "\u{fffd}", "%", "\r\n", "null", "[]", "{}", "é", "\u{202e}", "-1", &long];
    let asks = ours.asks();
    for name in asks.iter().map(|(name, _)| *name).chain(["scope", "resume", "response_mode"]) {
        for value in odd {
            let pairs = but(&asks, name, Some(value));
            for answer in [
                browser.get(&address(&pairs)),
                Session::on(server).get(&address(&pairs)),
                browser.post(AUTHORIZE, &[pairs.clone(), vec![("decision", "approve")]].concat()),
            ] {
                assert!(matches!(answer.status, 200 | 303 | 400), "{name}={value:?}: {answer}");
            }
        }
    }
    for query in ["%", "%ff=%ff", "client_id=%ff&redirect_uri=%00", "resume=%ff", "&&&", "=", "a=b&a=b"] {
        let answer = browser.get(&format!("{AUTHORIZE}?{query}"));
        assert_eq!(answer.status, 400, "{query}: {answer}");
    }
    for name in ["grant_type", "code", "code_verifier", "redirect_uri", "refresh_token", "scope", "token"] {
        for value in odd {
            for grant in ["authorization_code", "refresh_token"] {
                let pairs = [("grant_type", grant), ("code", "x"), ("refresh_token", "x"), ("token", "x")];
                let pairs = but(&pairs, name, Some(value));
                let answer = ours.post(TOKEN, &pairs);
                assert_eq!(answer.status, 400, "{name}={value:?}: {answer}");
                let answer = ours.post(REVOKE, &pairs);
                assert!(matches!(answer.status, 200 | 400), "{name}={value:?}: {answer}");
            }
        }
    }
}

#[test]
fn the_page_is_no_part_of_the_api_for_other_sites() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let page = browser.get(&ours.address());
    assert_eq!(page.header("access-control-allow-origin"), "");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-robots-tag"), "noindex");
}
