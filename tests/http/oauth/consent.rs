//! The user decides (S36).

use support::Server;
use support::session::Session;

use crate::oauth::{AUTHORIZE, Back, REDIRECT, REVOKE, address, allowed, app, but, count, decide, resume, somebody};

#[test]
fn the_page_says_who_wants_what_and_where_it_leads() {
    let server = Server::shared();
    let named = ["--name", "Ann's <b>\"App\"</b> \u{202e}x"];
    let flags = ["--redirect-uri", "http://127.0.0.1:1/cb", "--scope", "form:read", "entry:delete"];
    let made = server.run(&[&["app", "create", "--json"][..], &named, &flags].concat());
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let mut ours = app(server, &[]);
    ours.id = made["client_id"].as_str().expect("an id").to_owned();
    let (browser, email) = somebody(server);
    let asks = but(&ours.asks(), "redirect_uri", Some("http://127.0.0.1:2/cb"));
    let page = browser.get(&address(&asks)).text;
    assert!(page.contains("Ann&#39;s &lt;b&gt;") || page.contains("Ann's &lt;b&gt;"), "{page}");
    assert!(!page.contains("<b>\""));
    let title = page.split("<h1>").nth(1).expect("a title");
    assert!(title.starts_with("<bdi>Ann") && title.contains("x</bdi> wants to access your account"), "{title}");
    for part in ["Read forms and folders", "Delete entries", "127.0.0.1", &email] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("Create and edit forms"));
    assert!(!page.contains("<script"), "it works without one");
}

#[test]
fn only_its_own_form_in_this_session_allows() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let page = browser.get(&ours.address());
    let request = resume(&page);
    let pairs = [("resume", request.as_str()), ("decision", "approve")];
    let (other, _) = somebody(&server);
    other.get(&ours.address());
    let theirs = other.csrf();
    let own = browser.csrf();
    let origin = server.base.as_str();
    let sites = [
        (None, own.as_str(), Some("same-origin")),
        (Some("https://evil.example"), own.as_str(), None),
        (Some("null"), own.as_str(), None),
        (None, own.as_str(), None),
        (Some(origin), theirs.as_str(), None),
        (Some(origin), "", None),
        (Some(origin), own.as_str(), Some("cross-site")),
    ];
    for (i, (origin, csrf, site)) in sites.into_iter().enumerate() {
        let mut caller = browser.caller();
        if let Some(origin) = origin {
            caller = caller.header("origin", origin);
        }
        if let Some(site) = site {
            caller = caller.header("sec-fetch-site", site);
        }
        let answer = caller.post_form(AUTHORIZE, &[&[("csrf", csrf)], &pairs[..]].concat());
        // The first one is right: it says where it comes from in the other way.
        assert_eq!(answer.status, if i == 0 { 303 } else { 403 }, "{i}: {answer}");
    }
    assert_eq!(count(&server, "oauth_codes"), 1);
    // Looking at the page never allows anything, whatever its address says.
    for more in ["&decision=approve", "&approve=1&csrf=x"] {
        let page = browser.get(&format!("{}{more}", ours.address()));
        assert_eq!(page.status, 200);
    }
    let again = browser.get(&format!("{AUTHORIZE}?resume={request}&decision=approve"));
    assert_eq!(again.status, 200);
    assert_eq!(count(&server, "oauth_codes"), 1);
    // A post that decides nothing shows the page again.
    let none = browser.post(AUTHORIZE, &[("resume", &request), ("decision", "perhaps")]);
    assert_eq!(none.status, 200);
    // And the form's fields may be there one by one.
    let posted = [ours.asks(), vec![("decision", "approve")]].concat();
    Back::of(&browser.post(AUTHORIZE, &posted)).code();
}

#[test]
fn who_says_no_is_led_back_without_a_code() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let back = decide(&browser, &browser.get(&ours.address()), "deny");
    assert_eq!(back.to, REDIRECT);
    assert_eq!(back.get("error"), Some("access_denied"));
    assert_eq!(back.get("state"), Some("a state"));
    assert_eq!(back.get("iss"), Some(server.base.as_str()));
    assert_eq!(back.get("code"), None);
}

#[test]
fn it_cannot_be_framed() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let page = browser.get(&ours.address());
    let policy = page.header("content-security-policy");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(page.header("cross-origin-opener-policy"), "same-origin");
}

#[test]
fn who_allowed_it_before_is_asked_again_for_more_and_always_for_public_apps() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let asks = but(&ours.asks(), "scope", Some("form:read entry:read"));
    let is_asked = |pairs: &[(&str, &str)]| browser.get(&address(pairs)).status == 200;
    let code = allowed(&browser, &asks).code();
    // A code that nobody exchanged allowed nothing yet.
    assert!(is_asked(&asks));
    let pair = super::Pair::of(&ours.exchange(&code));
    assert!(!is_asked(&asks));
    assert!(!is_asked(&but(&asks, "scope", Some("form:read"))));
    assert!(is_asked(&but(&asks, "scope", Some("form:read form:write"))));
    assert!(is_asked(&ours.asks()));
    let (stranger, _) = somebody(server);
    assert_eq!(stranger.get(&address(&asks)).status, 200);
    ours.post(REVOKE, &[("token", &pair.refresh)]);
    assert!(is_asked(&asks), "it has ended");

    let public = app(server, &["--public"]);
    public.tokens(&browser);
    assert!(is_asked(&public.asks()));
}

#[test]
fn who_allowed_it_sees_it_on_the_profile_and_ends_it_there() {
    let server = Server::shared();
    let ours = app(server, &["--scope", "form:read"]);
    let (browser, _) = somebody(server);
    assert!(browser.get("/profile").text.contains("No apps have access to your account"));
    let (one, other) = (ours.tokens(&browser), ours.tokens(&browser));
    for pair in [&one, &other] {
        assert_eq!(ours.call(pair).get("/api/v1/me").status, 200);
    }
    let page = browser.get("/profile").text;
    assert_eq!(page.matches("Example App</bdi></h3>").count(), 2, "{page}");
    // The newest stands first.
    let (_, rest) = page.split_once("/profile/apps/").expect("an app");
    let grant = rest.split('/').next().expect("a name");
    let path = format!("/profile/apps/{grant}/disconnect");
    let (stranger, _) = somebody(server);
    assert_eq!(stranger.post(&path, &[]).status, 404);
    assert_eq!(ours.call(&other).get("/api/v1/me").status, 200);
    let done = browser.post(&path, &[]);
    assert_eq!((done.status, done.header("location")), (303, "/profile?done=disconnected"));
    assert!(browser.get("/profile?done=disconnected").text.contains("App disconnected"));
    assert_eq!(ours.call(&other).get("/api/v1/me").status, 401);
    assert_eq!(super::error(&ours.refresh(&other.refresh)), "invalid_grant");
    assert_eq!(ours.call(&one).get("/api/v1/me").status, 200);
    assert_eq!(browser.post(&path, &[]).status, 404);
}

#[test]
fn somebody_else_may_sign_in_on_the_way() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let (_, other) = somebody(server);
    let page = browser.get(&ours.address());
    let left = browser.post(AUTHORIZE, &[("resume", &resume(&page)), ("decision", "switch")]);
    assert_eq!(left.status, 303);
    assert!(browser.cookie("formsvc_session").is_none());
    let door = browser.get(left.header("location"));
    let (_, next) = door.text.split_once(r#"name="next" value=""#).expect("next");
    let next = next.split('"').next().unwrap_or_default();
    let pairs = [("email", other.as_str()), ("password", "a quiet harbour"), ("next", next)];
    let on = browser.post("/sign-in", &pairs);
    let page = browser.get(on.header("location"));
    assert!(page.text.contains(&other));
    decide(&browser, &page, "approve").code();
}

#[test]
fn a_session_that_ended_meanwhile_begins_anew_and_goes_on() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, email) = somebody(server);
    let page = browser.get(&ours.address());
    let request = resume(&page);
    server.run(&["user", "disable", &email]);
    let led = browser.post(AUTHORIZE, &[("resume", &request), ("decision", "approve")]);
    assert_eq!(led.status, 303);
    assert!(led.header("location").starts_with("/sign-in?next="), "{led}");
    let stranger = Session::on(server);
    let led = stranger.get(led.header("location"));
    assert_eq!(led.status, 200);
}

#[test]
fn head_hands_out_nothing() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    // Allowed once, so that nothing would be asked.
    ours.tokens(&browser);
    assert_eq!(browser.get(&ours.address()).status, 303);
    for caller in [browser.caller(), server.anon()] {
        let refused = caller.send("HEAD", &ours.address(), None, b"");
        assert_eq!(refused.status, 405, "{refused}");
        assert_eq!(refused.header("allow"), "GET, POST, OPTIONS");
        assert_eq!(refused.header("location"), "");
    }
}
