//! Accounts on the web: the set-up link, signing in and out, sessions, CSRF, throttling, the profile
//! (security statements S14 to S23).

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::session::{PASSWORD, SETUP, Session, account, link_path, shown, traits, with_account};
use support::store::database;
use support::{Server, formsvc, raw, text, until};

fn people(server: &Server) -> usize {
    let listed = server.run(&["user", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    listed.as_array().expect("a list").len()
}

fn tokens_of(server: &Server) -> Vec<Value> {
    let listed = server.run(&["token", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    listed.as_array().expect("a list").clone()
}

#[test]
fn the_link_makes_the_first_account_and_leads_to_a_first_form() {
    let server = Server::with(&[]);
    let path = link_path(&server);
    let browser = Session::on(&server);
    // Looking does not spend it: previews and reloads do no harm.
    for _ in 0..3 {
        let page = browser.get(&path);
        assert_eq!(page.status, 200);
        assert_eq!(page.header("x-robots-tag"), "noindex");
        assert_eq!(page.header("cache-control"), "no-store");
    }
    let led = browser.post(&path, &SETUP);
    assert_eq!((led.status, led.header("location")), (303, "/welcome"));
    let welcome = browser.get("/welcome");
    assert_eq!(welcome.header("cache-control"), "no-store");
    assert!(welcome.text.contains("Your account is ready"));
    let token = shown(&welcome.text, "token");
    let me = server.anon().with_token(&token).get("/api/v1/me").data();
    assert_eq!(me["email"], "ann@example.org");
    assert_eq!(me["timezone"], "Europe/Berlin");
    assert_eq!(me["organization"]["name"], "Example <i>Club</i>");
    assert_eq!(me["organization"]["role"], "owner");
    assert_eq!(me["token"]["scopes"].as_array().map(Vec::len), Some(9));

    // The line works as pasted.
    let line = shown(&welcome.text, "curl");
    let pasted = Command::new("sh").args(["-c", &format!("{line} --silent")]).output().expect("sh runs");
    let form: Value =
        serde_json::from_slice(&pasted.stdout).unwrap_or_else(|e| panic!("{e}: {line}: {}", text(&pasted.stderr)));
    assert_eq!(form["data"]["name"], "My first form");

    // The button makes a form that can be filled in at once.
    let made = browser.post("/profile/sample-form", &[]);
    assert_eq!(made.status, 303, "{made}");
    let page = browser.get(made.header("location"));
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Garden party"));

    // The token is not shown again, nor is another one made; the link is spent, and whoever used it is led on.
    for path in ["/profile", "/welcome", "/profile/tokens/made"] {
        let page = browser.get(path);
        assert!(page.status == 200 && !page.text.contains("fsv_"), "{path}");
    }
    assert_eq!(tokens_of(&server).len(), 1);
    let again = browser.get(&path);
    assert_eq!((again.status, again.header("location")), (303, "/forms"));
    let stranger = Session::on(&server);
    assert_eq!(stranger.get(&path).status, 404);
    stranger.get("/sign-in");
    assert_eq!(stranger.post(&path, &SETUP).status, 404);
    assert_eq!(people(&server), 1);
}

#[test]
fn what_is_faulty_is_said_and_what_was_typed_is_kept() {
    let server = Server::with(&[]);
    let path = link_path(&server);
    let browser = Session::on(&server);
    browser.get(&path);
    let answer = browser.post(
        &path,
        &[
            ("name", "Ann \"<Lee>"),
            ("organization", ""),
            ("email", "ann"),
            ("password", "password123"),
            ("timezone", "Mars"),
        ],
    );
    assert_eq!(answer.status, 422);
    for part in [
        "Ann &quot;&lt;Lee&gt;",
        "id=\"organization-fault\">Fill in this field",
        "id=\"email-fault\">Enter an email address",
        "id=\"password-fault\">Many people use this password",
        "id=\"timezone-fault\">Choose a time zone from the list",
    ] {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    assert!(!answer.text.contains("password123"));
    for (password, fault) in [
        ("short", "Use at least 10 characters"),
        (&"x".repeat(257), "Use at most 256 characters"),
        ("ann@example.org", "can’t be your email address"),
    ] {
        let mut typed = SETUP;
        typed[3].1 = password;
        let answer = browser.post(&path, &typed);
        assert_eq!(answer.status, 422);
        assert!(answer.text.contains(fault), "{fault}");
    }
    assert_eq!(people(&server), 0);
    assert_eq!(browser.post(&path, &SETUP).status, 303);
}

#[test]
fn of_two_posts_at_once_one_makes_the_account() {
    let server = Server::with(&[]);
    let path = link_path(&server);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let posts: Vec<_> = (0..4)
            .map(|i| {
                let (server, path) = (&server, &path);
                scope.spawn(move || {
                    let browser = Session::on(server);
                    browser.get(path);
                    let mut typed = SETUP;
                    let email = format!("ann{i}@example.org");
                    typed[2].1 = &email;
                    browser.post(path, &typed).status
                })
            })
            .collect();
        posts.into_iter().map(|post| post.join().expect("joins")).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 3, "{statuses:?}");
    assert_eq!(people(&server), 1);
}

#[test]
fn a_link_ends_with_its_time_with_a_newer_one_and_with_the_first_account() {
    let server = Server::with(&[]);
    let first = link_path(&server);
    let browser = Session::on(&server);
    assert_eq!(browser.get(&first).status, 200);
    let newer = text(&server.run(&["setup-link", "--base-url", &server.base]).stdout);
    let newer = newer.trim()[server.base.len()..].to_owned();
    assert_eq!(browser.get(&first).status, 404);
    assert_eq!(browser.get(&newer).status, 200);
    assert_eq!(browser.get("/setup/x").status, 404);
    database(&server.dir).execute("UPDATE setup_links SET expires_at = 1", []).expect("ages");
    assert_eq!(browser.get(&newer).status, 404);
    let swept = server.run(&["jobs", "run-once", "setup-links", "--json"]);
    assert_eq!(text(&swept.stdout).trim(), r#"[{"job":"setup-links","done":1}]"#);

    let last = text(&server.run(&["setup-link", "--base-url", &server.base]).stdout);
    let last = last.trim()[server.base.len()..].to_owned();
    assert_eq!(browser.get(&last).status, 200);
    account(&server, "ann@example.org");
    assert_eq!(browser.get(&last).status, 404);
    browser.get("/sign-in");
    assert_eq!(browser.post(&last, &SETUP).status, 404);
    assert_eq!(people(&server), 1);
}

#[test]
fn signing_in_and_out() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server);
    let home = browser.get("/");
    assert_eq!((home.status, home.header("location")), (303, "/sign-in"));
    let led = browser.get("/profile?done=profile");
    assert_eq!((led.status, led.header("location")), (303, "/sign-in?next=%2Fprofile%3Fdone%3Dprofile"));
    let page = browser.get(led.header("location"));
    assert!(page.text.contains(r#"name="next" value="/profile?done=profile""#));
    let answer = browser
        .post("/sign-in", &[("email", " ANN@example.org "), ("password", PASSWORD), ("next", "/profile?done=profile")]);
    assert_eq!((answer.status, answer.header("location")), (303, "/profile?done=profile"));
    let cookie = answer.headers.get_all("set-cookie").iter().next().expect("a cookie").to_str().expect("text");
    let value = browser.cookie("formsvc_session").expect("a session");
    assert_eq!(value.len(), 43, "256 bits");
    assert_eq!(cookie, format!("formsvc_session={value}; HttpOnly; SameSite=Lax; Path=/"));
    assert!(browser.cookie("formsvc_visit").is_none());
    let profile = browser.get("/profile");
    assert_eq!(profile.status, 200);
    assert_eq!(profile.header("cache-control"), "no-store");
    assert!(profile.text.contains("Ann &lt;b&gt;Lee&lt;/b&gt;") && !profile.text.contains("<b>Lee"));
    for path in ["/", "/sign-in"] {
        let led = browser.get(path);
        assert_eq!((led.status, led.header("location")), (303, "/forms"));
    }
    // A session is of no use for the API.
    assert_eq!(browser.get("/api/v1/me").status, 401);

    let old = browser.cookie("formsvc_session").expect("a session");
    let left = browser.post("/sign-out", &[]);
    assert_eq!((left.status, left.header("location")), (303, "/sign-in"));
    assert!(browser.cookie("formsvc_session").is_none());
    browser.set_cookie("formsvc_session", &old);
    assert_eq!(browser.get("/profile").status, 303, "the session has ended on the server");

    let other = Session::on(&server).signed_in(email);
    let again = other.cookie("formsvc_session").expect("a session");
    assert_ne!(again, old);
    other.get("/sign-in");
}

#[test]
fn a_session_that_was_given_is_replaced_at_sign_in() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server);
    browser.set_cookie("formsvc_session", "planted");
    browser.signed_in(email);
    let browser = Session::on(&server).signed_in(email);
    let first = browser.cookie("formsvc_session").expect("a session");
    // Another tab still shows the sign-in page.
    let tab = Session::on(&server);
    tab.get("/sign-in");
    tab.set_cookie("formsvc_session", &first);
    assert_eq!(tab.post("/sign-in", &[("email", email), ("password", PASSWORD)]).status, 303);
    let second = tab.cookie("formsvc_session").expect("a session");
    assert_ne!(first, second);
    assert_eq!(browser.get("/profile").status, 303, "the one before has ended");
    assert_eq!(tab.get("/profile").status, 200);
}

#[test]
fn with_an_https_address_cookies_are_the_hosts_alone() {
    let server = Server::with(&["--base-url", "https://forms.example.org/sub"]);
    account(&server, "ann@example.org");
    let browser = Session::on(&server).at("https://forms.example.org");
    let led = browser.get("/sub/profile");
    assert_eq!(led.header("location"), "/sub/sign-in?next=%2Fsub%2Fprofile");
    browser.get("/sub/sign-in");
    let answer = browser.post("/sub/sign-in", &[("email", "ann@example.org"), ("password", PASSWORD)]);
    assert_eq!((answer.status, answer.header("location")), (303, "/sub/forms"), "{answer}");
    let lines: Vec<&str> =
        answer.headers.get_all("set-cookie").iter().map(|line| line.to_str().expect("text")).collect();
    let session = browser.cookie("__Host-formsvc_session").expect("a session");
    assert_eq!(lines[0], format!("__Host-formsvc_session={session}; Secure; HttpOnly; SameSite=Lax; Path=/"));
    for line in &lines {
        assert!(line.starts_with("__Host-") && line.contains("; Secure; HttpOnly; SameSite=Lax; Path=/"), "{line}");
    }
    let page = browser.get("/sub/profile");
    assert_eq!(page.status, 200);
    assert!(page.text.contains(r#"action="/sub/sign-out""#));
    assert_eq!(page.header("strict-transport-security"), "max-age=31536000");
}

#[test]
fn sessions_end_on_the_server() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let live = || Session::on(&server).signed_in(email);
    let has_ended = |browser: &Session| {
        let answer = browser.get("/profile");
        answer.status == 303 && answer.header("location").starts_with("/sign-in")
    };
    // A new password ends all others.
    let (kept, ended) = (live(), live());
    let posted = [("old_password", PASSWORD), ("password", "another quiet harbour")];
    let changed = kept.post("/profile/password", &posted);
    assert_eq!((changed.status, changed.header("location")), (303, "/profile?done=password"));
    assert!(kept.get("/profile?done=password").text.contains("Password changed"));
    assert!(has_ended(&ended) && !has_ended(&kept));
    assert_eq!(Session::on(&server).sign_in(email, PASSWORD).status, 422);
    // So does one that is set on the command line, for all of them.
    let set = formsvc(&server.dir, &["user", "set-password", email, "--password-stdin"], PASSWORD);
    assert!(set.status.success());
    assert!(has_ended(&kept));
    // Too long idle, or too old.
    let day = 86_400_000_i64;
    for (column, days, ends) in
        [("seen_at", 6, false), ("seen_at", 8, true), ("created_at", 29, false), ("created_at", 31, true)]
    {
        let browser = live();
        let hash = Sha256::digest(browser.cookie("formsvc_session").expect("a session")).to_vec();
        let aged = database(&server.dir)
            .execute(&format!("UPDATE sessions SET {column} = {column} - ?1 WHERE hash = ?2"), (days * day, hash))
            .expect("ages");
        assert_eq!(aged, 1);
        assert_eq!(has_ended(&browser), ends, "{column} {days}");
    }
    let swept = server.run(&["jobs", "run-once", "sessions", "--json"]);
    assert_eq!(text(&swept.stdout).trim(), r#"[{"job":"sessions","done":2}]"#);
    // Disabled.
    let browser = live();
    assert!(server.run(&["user", "disable", email]).status.success());
    assert!(has_ended(&browser));
    assert_eq!(Session::on(&server).sign_in(email, PASSWORD).status, 422);
}

/// The posts of somebody signed in, as the table of routes lists them.
fn session_posts(server: &Server) -> Vec<String> {
    let listed = server.run(&["routes", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    let rows = listed.as_array().expect("a list").clone();
    rows.iter()
        .filter(|row| row["access"] == "session" && row["method"] == "POST")
        .map(|row| {
            let path = row["path"].as_str().expect("text");
            let parts = path.split('/');
            let parts: Vec<&str> = parts.map(|part| if part.starts_with('{') { "1" } else { part }).collect();
            parts.join("/")
        })
        .collect()
}

#[test]
fn a_post_needs_its_own_token_from_our_own_page() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    server.token(email, "form:read");
    let browser = Session::on(&server).signed_in(email);
    let other = Session::on(&server).signed_in(email);
    let own = browser.csrf();
    let state = || {
        let database = database(&server.dir);
        let ask = |sql: &str| -> String { database.query_row(sql, [], |row| row.get(0)).expect("a row") };
        [
            ask("SELECT group_concat(name || locale || timezone || password_hash) FROM users"),
            ask("SELECT group_concat(id || coalesce(revoked_at, '')) FROM tokens"),
            ask("SELECT count(*) || '' FROM sessions"),
            ask("SELECT count(*) || '' FROM forms"),
            ask("SELECT count(*) || '' FROM folders"),
            ask("SELECT count(*) || '' FROM invitations"),
        ]
    };
    let before = state();
    let posts = session_posts(&server);
    assert!(posts.len() >= 6, "{posts:?}");
    let fields = [
        ("name", "Changed"),
        ("locale", "en"),
        ("timezone", "UTC"),
        ("old_password", PASSWORD),
        ("password", "another quiet harbour"),
        ("token_name", "x"),
        ("scopes", "form:read"),
        ("folder_name", "x"),
        ("role", "owner"),
    ];
    let origin = server.base.clone();
    let foreign = "http://evil.example".to_owned();
    let refused = |browser: &Session, path: &str, csrf: &str, headers: &[(&str, &str)]| {
        let pairs = [&[("csrf", csrf)], &fields[..]].concat();
        let mut caller = browser.caller();
        for (name, value) in headers {
            caller = caller.header(name, value);
        }
        let answer = caller.post_form(path, &pairs);
        assert_eq!(answer.status, 403, "{path} {csrf} {headers:?}: {answer}");
    };
    for path in &posts {
        refused(&browser, path, "", &[("origin", &origin)]);
        refused(&browser, path, &other.csrf(), &[("origin", &origin)]);
        refused(&browser, path, &format!("{own}x"), &[("origin", &origin)]);
        refused(&browser, path, &own, &[]);
        refused(&browser, path, &own, &[("origin", &foreign)]);
        refused(&browser, path, &own, &[("origin", "null")]);
        refused(&browser, path, &own, &[("origin", &origin), ("sec-fetch-site", "cross-site")]);
        refused(&browser, path, &own, &[("origin", &origin), ("sec-fetch-site", "same-site")]);
        refused(&browser, path, &own, &[("sec-fetch-site", "none")]);
    }
    assert_eq!(state(), before);
    // Before sign-in the page's forms are bound to the visit.
    let visitor = Session::on(&server);
    visitor.get("/sign-in");
    let stranger = Session::on(&server);
    stranger.get("/sign-in");
    let csrf = visitor.csrf();
    for path in ["/sign-in", "/setup/x"] {
        refused(&visitor, path, "", &[("origin", &origin)]);
        refused(&visitor, path, &stranger.csrf(), &[("origin", &origin)]);
        refused(&visitor, path, &own, &[("origin", &origin)]);
        refused(&visitor, path, &csrf, &[("origin", &foreign)]);
        refused(&visitor, path, &csrf, &[("origin", "null")]);
        refused(&visitor, path, &csrf, &[("origin", &origin), ("sec-fetch-site", "cross-site")]);
        refused(&Session::on(&server), path, &csrf, &[("origin", &origin)]);
    }
    // What a browser really sends is let in, with either header.
    let pairs = [("csrf", own.as_str()), ("name", "Ann"), ("locale", "en"), ("timezone", "UTC")];
    for headers in [("sec-fetch-site", "same-origin"), ("origin", origin.as_str())] {
        let answer = browser.caller().header(headers.0, headers.1).post_form("/profile", &pairs);
        assert_eq!(answer.status, 303, "{answer}");
    }
    // No page acts on GET: it shows something, asks, or is none.
    let before = state();
    for path in &posts {
        let status = browser.get(path).status;
        assert!([200, 404, 405].contains(&status), "{path} {status}");
    }
    assert_eq!(state(), before);
    // Not signed in: to the sign-in page, and nothing else.
    for path in &posts {
        let answer = Session::on(&server).post(path, &[("name", "x")]);
        assert_eq!((answer.status, answer.header("location")), (303, "/sign-in"), "{path}");
    }
}

#[test]
fn the_way_on_is_ours_alone() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    for (next, on) in [
        ("/profile?done=profile", "/profile?done=profile"),
        ("/f/abc", "/f/abc"),
        ("//evil.example", "/forms"),
        ("/\\evil.example", "/forms"),
        ("/\t/evil.example", "/forms"),
        ("/%09/evil.example", "/forms"),
        ("https:evil.example", "/forms"),
        ("https://evil.example/", "/forms"),
        ("/..//evil.example", "/forms"),
        ("/\r\nset-cookie: a=b", "/forms"),
        ("evil", "/forms"),
        ("", "/forms"),
    ] {
        let browser = Session::on(&server);
        browser.get("/sign-in");
        let answer = browser.post("/sign-in", &[("email", email), ("password", PASSWORD), ("next", next)]);
        assert_eq!((answer.status, answer.header("location")), (303, on), "{next:?}");
        let encoded: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let led = browser.get(&format!("/sign-in?next={encoded}"));
        assert_eq!((led.status, led.header("location")), (303, on), "{next:?}");
    }
}

#[test]
fn nobody_learns_whether_an_account_is_there() {
    let (server, email) = with_account(&["--rate-limits", "off", "--log-level", "debug"]);
    account(&server, "gone@example.org");
    assert!(server.run(&["user", "disable", "gone@example.org"]).status.success());
    // One without a password.
    assert!(server.run(&["user", "create", "none@example.org", "--name", "X"]).status.success());
    let browser = Session::on(&server);
    let try_in = |email: &str, password: &str| {
        browser.get("/sign-in");
        let logged = server.stderr().len();
        let answer = browser.post("/sign-in", &[("email", email), ("password", password)]);
        // The line about the request follows those about its hashes.
        let request = format!("id={}", answer.header("x-request-id"));
        until("the request is logged", || server.stderr().contains(&request));
        let hashes = server.stderr()[logged..]
            .lines()
            .filter_map(|line| Some(line.split_once("hashed a password ")?.1.to_owned()))
            .collect::<Vec<_>>();
        (traits(&answer, email), hashes)
    };
    let kinds = [
        (email, "wrong"),
        ("nobody@example.org", "wrong"),
        ("gone@example.org", PASSWORD),
        ("none@example.org", "wrong"),
    ];
    let (wrong, _) = try_in(email, "wrong");
    assert!(wrong.starts_with("422 ") && wrong.contains("Incorrect email or password"), "{wrong}");
    for (email, password) in kinds {
        let (answer, hashes) = try_in(email, password);
        assert_eq!(answer, wrong, "{email}");
        assert_eq!(hashes, ["memory_kib=19456 passes=2"], "{email}");
    }
}

#[test]
fn an_address_has_ten_tries_a_minute() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server);
    let statuses: Vec<u16> = (0..11).map(|i| browser.sign_in(&format!("a{i}@example.org"), "wrong").status).collect();
    assert_eq!(statuses[..10], [422; 10]);
    assert_eq!(statuses[10], 429);
    let answer = browser.sign_in(email, PASSWORD);
    assert_eq!(answer.status, 429);
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait));
    assert!(answer.text.contains("Too many attempts") && answer.text.contains(email), "what was typed is kept");
    // A forged header does not make another address of it.
    let forged = Session::from(&server, "203.0.113.9");
    assert_eq!(forged.sign_in(email, PASSWORD).status, 429);
}

#[test]
fn guessing_from_one_network_waits_longer_and_longer() {
    let flags = ["--limit-sign-ins", "10000", "--trusted-proxies", "127.0.0.0/8"];
    let (server, email) = with_account(&flags);
    let owner = Session::from(&server, "203.0.113.7").signed_in(email);
    let owners_device = owner.cookie("formsvc_device").expect("a device cookie");
    let attacker = Session::from(&server, "203.0.113.200");
    for _ in 0..5 {
        assert_eq!(attacker.sign_in(email, "wrong").status, 422);
    }
    let waits = attacker.sign_in(email, PASSWORD);
    assert_eq!(waits.status, 429);
    let wait: u64 = waits.header("retry-after").parse().expect("seconds");
    assert!((30..=60).contains(&wait), "{wait}");
    // So does the whole network, be the password right, but other networks and other accounts do not.
    assert_eq!(Session::from(&server, "203.0.113.9").sign_in(email, PASSWORD).status, 429);
    assert_eq!(Session::from(&server, "203.0.114.9").sign_in(email, PASSWORD).status, 303);
    assert_eq!(attacker.sign_in("other@example.org", "wrong").status, 422);
    // The owner's own browser is known and signs in from there as well.
    let known = Session::from(&server, "203.0.113.7");
    known.set_cookie("formsvc_device", &owners_device);
    assert_eq!(known.sign_in(email, PASSWORD).status, 303);
    // Its cookie is no free pass for guesses, nor for another account, nor forged.
    account(&server, "bob@example.org");
    let guesser = Session::from(&server, "198.51.100.1");
    guesser.set_cookie("formsvc_device", &owners_device);
    for _ in 0..5 {
        assert_eq!(guesser.sign_in(email, "wrong").status, 422);
    }
    assert_eq!(guesser.sign_in(email, PASSWORD).status, 429);
    let forged = Session::from(&server, "203.0.113.8");
    forged.set_cookie("formsvc_device", &format!("{}x", &owners_device[..owners_device.len() - 1]));
    assert_eq!(forged.sign_in(email, PASSWORD).status, 429);
}

#[test]
fn without_rate_limits_an_account_waits_all_the_same() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server);
    // An address may try as many accounts as it likes.
    for i in 0..20 {
        let answer = browser.sign_in(&format!("a{i}@example.org"), "wrong");
        assert_eq!(answer.status, 422, "{answer}");
    }
    for _ in 0..5 {
        assert_eq!(browser.sign_in(email, "wrong").status, 422);
    }
    let waits = browser.sign_in(email, PASSWORD);
    assert_eq!(waits.status, 429, "{waits}");
}

#[test]
fn an_account_under_attack_from_everywhere_lets_its_owner_in() {
    let flags = ["--limit-sign-ins", "10000", "--trusted-proxies", "127.0.0.0/8"];
    let (server, email) = with_account(&flags);
    let device =
        Session::from(&server, "203.0.113.7").signed_in(email).cookie("formsvc_device").expect("a device cookie");
    let guess = |network: usize| Session::from(&server, &format!("10.{}.{}.1", network / 250, network % 250));
    for network in 0..20 {
        let attacker = guess(network);
        for _ in 0..5 {
            let answer = attacker.sign_in(email, "wrong");
            assert_eq!(answer.status, 422, "{network}");
        }
        if network == 18 {
            // Below the hundredth failure a right password is let in from a network that nobody knows.
            assert_eq!(Session::from(&server, "198.51.100.9").sign_in(email, PASSWORD).status, 303);
        }
    }
    // Now only known browsers may try.
    for network in 20..40 {
        assert_eq!(guess(network).sign_in(email, "wrong").status, 429);
    }
    let unknown = Session::from(&server, "198.51.100.9").sign_in(email, PASSWORD);
    assert_eq!(unknown.status, 429);
    let known = Session::from(&server, "198.51.100.9");
    known.set_cookie("formsvc_device", &device);
    assert_eq!(known.sign_in(email, PASSWORD).status, 303);
    // Others are not touched by it.
    account(&server, "bob@example.org");
    assert_eq!(Session::from(&server, "198.51.100.9").sign_in("bob@example.org", PASSWORD).status, 303);
}

#[test]
fn hashing_is_bounded_and_the_rest_goes_on() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    Session::on(&server).signed_in(email);
    let before = server.peak_memory();
    let reader = server.token(email, "form:read");
    let ended = AtomicUsize::new(0);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..200)
            .map(|_| {
                scope.spawn(|| {
                    let browser = Session::on(&server);
                    browser.get("/sign-in");
                    let typed = [("email", email), ("password", PASSWORD)];
                    let answer = browser.post("/sign-in", &typed);
                    ended.fetch_add(1, Ordering::Relaxed);
                    answer
                })
            })
            .collect();
        assert_eq!(reader.get("/api/v1/me").status, 200);
        let ended = ended.load(Ordering::Relaxed);
        assert!(ended < 200, "the API answers meanwhile");
        tries
            .into_iter()
            .map(|one| {
                let answer = one.join().expect("joins");
                if answer.status == 503 {
                    assert!(!answer.header("retry-after").is_empty());
                }
                answer.status
            })
            .collect()
    });
    assert!(statuses.iter().all(|status| [303, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&303));
    let grown = (server.peak_memory() - before) >> 20;
    assert!(grown <= 100, "{grown} MB more");
}

#[test]
fn passwords_are_kept_as_todays_hash_and_renewed() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let stored = || -> String {
        database(&server.dir).query_row("SELECT password_hash FROM users", [], |row| row.get(0)).expect("a hash")
    };
    let today = "$argon2id$v=19$m=19456,t=2,p=1$";
    assert!(stored().starts_with(today), "{}", stored());
    let salt = stored()[today.len()..].split('$').next().map(str::len);
    assert_eq!(salt, Some(22), "16 bytes of salt");
    let params = argon2::Params::new(8, 1, 1, None).expect("parameters");
    let weak = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let old =
        argon2::password_hash::PasswordHasher::hash_password(&weak, PASSWORD.as_bytes()).expect("hashes").to_string();
    database(&server.dir).execute("UPDATE users SET password_hash = ?1", [&old]).expect("sets");
    assert_eq!(Session::on(&server).sign_in(email, "wrong password").status, 422);
    assert_eq!(stored(), old);
    Session::on(&server).signed_in(email);
    assert!(stored().starts_with(today), "{}", stored());
    Session::on(&server).signed_in(email);
    // The same text from another keyboard.
    let set = |password: &str| {
        let set = formsvc(&server.dir, &["user", "set-password", email, "--password-stdin"], password);
        assert!(set.status.success());
    };
    set("caf\u{e9} au lait");
    assert_eq!(Session::on(&server).sign_in(email, "cafe\u{301} au lait").status, 303);
}

#[test]
fn a_password_that_is_changed_during_a_sign_in_stays_changed_and_lets_nobody_in() {
    let flags = ["--rate-limits", "off", "--trusted-proxies", "127.0.0.0/8"];
    let (server, email) = with_account(&flags);
    // Each from a network of its own: how many fail, after which an account waits, is chance here.
    let networks = AtomicUsize::new(0);
    let browser = || {
        let network = networks.fetch_add(1, Ordering::Relaxed);
        Session::from(&server, &format!("10.0.{network}.1"))
    };
    let hashed = |params: argon2::Params, password: &str| {
        let hasher = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        argon2::password_hash::PasswordHasher::hash_password(&hasher, password.as_bytes()).expect("hashes").to_string()
    };
    // The old one is checked quickly and renewed slowly, so that the change comes in between.
    let weak = argon2::Params::new(8, 1, 1, None).expect("parameters");
    let old = hashed(weak, PASSWORD);
    let new = hashed(argon2::Params::default(), "another quiet harbour");
    let set = |hash: &str| {
        let change = "UPDATE users SET password_hash = ?1";
        let database = database(&server.dir);
        database.execute_batch("BEGIN IMMEDIATE; DELETE FROM sessions").expect("ends sessions");
        database.execute(change, [hash]).expect("sets");
        database.execute_batch("COMMIT").expect("commits");
    };
    for round in 1..=8 {
        set(&old);
        let browsers: Vec<Session> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let browser = browser();
                        browser.sign_in(email, PASSWORD);
                        browser
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(round * 12));
            set(&new);
            let joined = tries.into_iter().map(|one| one.join().expect("joins"));
            joined.collect()
        });
        for browser in browsers {
            assert_eq!(browser.get("/profile").status, 303, "{round}");
        }
        let stored: String =
            database(&server.dir).query_row("SELECT password_hash FROM users", [], |row| row.get(0)).expect("a hash");
        assert_eq!(stored, new, "{round}");
    }
    // Nor does somebody who still knew the old one set another.
    let old = hashed(argon2::Params::default(), PASSWORD);
    for round in 1..=8 {
        set(&old);
        let browser = browser().signed_in(email);
        browser.get("/profile");
        let typed = [("old_password", PASSWORD), ("password", "a third quiet harbour")];
        std::thread::scope(|scope| {
            scope.spawn(|| browser.post("/profile/password", &typed));
            std::thread::sleep(Duration::from_millis(round * 12));
            set(&new);
        });
        let stored: String =
            database(&server.dir).query_row("SELECT password_hash FROM users", [], |row| row.get(0)).expect("a hash");
        assert_eq!(stored, new, "{round}");
    }
}

#[test]
fn the_files_hold_no_secret_that_was_handed_out() {
    let server = Server::alone("its database is changed");
    let path = link_path(&server);
    let browser = Session::on(&server);
    browser.get(&path);
    let visit = browser.csrf();
    let welcome = browser.post_on(&path, &SETUP);
    let token = shown(&welcome.text, "token");
    let by_cli = server.token("ann@example.org", "form:read").token.expect("a token");
    browser.get("/profile");
    let made = browser.post_on("/profile/tokens", &[("token_name", "x"), ("scopes", "form:read")]);
    let by_page = shown(&made.text, "token");
    let secrets = [
        PASSWORD,
        path.rsplit('/').next().expect("a secret"),
        &token["fsv_".len()..],
        &by_cli["fsv_".len()..],
        &by_page["fsv_".len()..],
        &browser.cookie("formsvc_session").expect("a session"),
        &browser.cookie("formsvc_device").expect("a device"),
        &browser.csrf(),
        &visit,
    ]
    .map(str::to_owned);
    let mut read = 0;
    for entry in fs::read_dir(&server.dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let bytes = fs::read(&path).expect("reads");
            read += bytes.len();
            for secret in &secrets {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "{secret} is in {}", Path::display(&path));
            }
        }
    }
    assert!(read > 10_000);
    server.signal("TERM");
    server.wait();
    for secret in &secrets {
        assert!(!server.stderr().contains(secret));
    }
}

#[test]
fn the_profile_changes_ones_own_account() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let saved = browser.post("/profile", &[("name", "Ann Li"), ("locale", "zh-CN"), ("timezone", "Asia/Shanghai")]);
    assert_eq!((saved.status, saved.header("location")), (303, "/profile?done=profile"));
    let page = browser.get("/profile?done=profile");
    assert!(page.text.contains(r#"lang="zh-CN""#) && page.text.contains("个人资料") && page.text.contains("已保存"));
    let me = server.token(email, "form:read").get("/api/v1/me").data();
    assert_eq!((&me["name"], &me["timezone"]), (&json!("Ann Li"), &json!("Asia/Shanghai")));
    let refused = browser.post("/profile", &[("name", ""), ("locale", "en"), ("timezone", "Mars")]);
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("id=\"name-fault\"") && refused.text.contains("value=\"Mars\""));
    browser.post("/profile", &[("name", "Ann Li"), ("locale", "en"), ("timezone", "UTC")]);

    let wrong = browser.post("/profile/password", &[("old_password", "wrong"), ("password", "short")]);
    assert_eq!(wrong.status, 422);
    assert!(wrong.text.contains("Incorrect password"));
    assert!(wrong.text.contains("Use at least 10 characters"));
    assert_eq!(Session::on(&server).sign_in(email, PASSWORD).status, 303, "nothing has changed");
    assert!(!browser.get("/profile?done=%3Cscript%3E").text.contains("<script>"));
}

#[test]
fn a_session_does_not_serve_to_guess_the_password() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server).signed_in(email);
    for _ in 0..5 {
        let posted = [("old_password", "wrong"), ("password", "another quiet harbour")];
        assert_eq!(browser.post("/profile/password", &posted).status, 422);
    }
    let posted = [("old_password", PASSWORD), ("password", "another quiet harbour")];
    let waits = browser.post("/profile/password", &posted);
    assert_eq!(waits.status, 429);
    assert!(!waits.header("retry-after").is_empty());
}

#[test]
fn tokens_are_made_and_revoked_on_the_profile() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    assert!(browser.get("/profile").text.contains("You have no tokens."));
    let made = browser.post_on(
        "/profile/tokens",
        &[
            ("token_name", "CI <b>"),
            ("scopes", "form:read"),
            ("scopes", "entry:read"),
            ("scopes", "odd"),
            ("expires", "30"),
        ],
    );
    assert_eq!(made.status, 200);
    let token = shown(&made.text, "token");
    let caller = server.anon().with_token(&token);
    let me = caller.get("/api/v1/me").data();
    assert_eq!(me["token"]["scopes"], json!(["form:read", "entry:read"]));
    let page = browser.get("/profile");
    assert!(page.text.contains("CI &lt;b&gt;") && !page.text.contains(&token));
    let listed = tokens_of(&server);
    let days = |row: &Value| {
        let at = |key: &str| row[key].as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time");
        (at("expires_at") - at("created_at")).total(jiff::Unit::Hour).expect("hours") / 24.0
    };
    assert_eq!(days(&listed[0]), 30.0);

    for (posted, fault) in [
        (&[("token_name", "x")][..], "Choose at least one permission"),
        (&[("token_name", " "), ("scopes", "form:read")], "id=\"token_name-fault\">Fill in this field"),
    ] {
        let refused = browser.post("/profile/tokens", posted);
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains(fault), "{fault}");
    }
    // Somebody else's can't be revoked, nor seen.
    account(&server, "bob@example.org");
    let bob = Session::on(&server).signed_in("bob@example.org");
    assert!(!bob.get("/profile").text.contains("CI &lt;b&gt;"));
    let id = listed[0]["id"].to_string();
    assert_eq!(bob.post(&format!("/profile/tokens/{id}/revoke"), &[]).status, 404);
    assert_eq!(bob.post("/profile/tokens/x/revoke", &[]).status, 404);
    assert_eq!(caller.get("/api/v1/me").status, 200);
    let revoked = browser.post(&format!("/profile/tokens/{id}/revoke"), &[]);
    assert_eq!((revoked.status, revoked.header("location")), (303, "/profile?done=revoked"));
    assert_eq!(caller.get("/api/v1/me").status, 401);
    assert!(!browser.get("/profile").text.contains("CI &lt;b&gt;"));
}

#[test]
fn pages_speak_the_browsers_language() {
    let server = Server::with(&[]);
    let browser = Session::on(&server).header("accept-language", "zh-CN,zh;q=0.9,en;q=0.5");
    for (path, words) in
        [("/sign-in", "还没有任何账号"), (&*link_path(&server), "欢迎使用 formsvc"), ("/setup/x", "此链接已失效")]
    {
        let page = browser.get(path);
        assert!(page.text.contains(words) && page.text.contains(r#"lang="zh-CN""#), "{path}");
    }
    let path = link_path(&server);
    browser.get(&path);
    let welcome = browser.post_on(&path, &SETUP);
    assert!(welcome.text.contains("您的账号已就绪"));
    let token = shown(&welcome.text, "token");
    assert_eq!(server.anon().with_token(&token).get("/api/v1/me").data()["locale"], "zh-CN");
}

#[test]
fn pages_carry_the_policy_and_take_forms_alone() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                  font-src 'self'; media-src 'self' blob:; connect-src 'self'; form-action 'self'; \
                  base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
    for path in ["/profile", "/", "/setup/x"] {
        let page = browser.get(path);
        assert_eq!(page.header("content-security-policy"), policy, "{path}");
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(page.header("access-control-allow-origin").is_empty());
    }
    assert_eq!(Session::on(&server).get("/sign-in").header("content-security-policy"), policy);
    let csrf = browser.csrf();
    let body = json!({"csrf": csrf, "name": "x"}).to_string();
    let caller = browser.caller().header("origin", &server.base);
    let refused = caller.send("POST", "/profile", Some("application/json"), body.as_bytes());
    assert!([403, 415].contains(&refused.status), "{refused}");
    let long = format!("csrf={csrf}&name={}", "x".repeat(2 << 20));
    let kind = Some("application/x-www-form-urlencoded");
    let refused = caller.send("POST", "/profile", kind, long.as_bytes());
    assert!([403, 413].contains(&refused.status), "{refused}");
    assert!(raw::host(&server.base).starts_with("127."));
}

#[test]
fn whoever_uses_another_address_is_told_the_right_one() {
    let server = Server::with(&["--base-url", "http://forms.example.org"]);
    account(&server, "ann@example.org");
    // On a plain address that is not this machine's, browsers send no more than Origin.
    let browser = Session::on(&server);
    let answer = browser.sign_in("ann@example.org", PASSWORD);
    assert_eq!(answer.status, 403);
    assert!(answer.text.contains(r#"<a href="http://forms.example.org">"#), "{}", answer.text);
    assert!(answer.text.contains("--base-url"));
    assert!(browser.cookie("formsvc_session").is_none());
}

#[test]
fn only_tokens_that_were_made_are_taken() {
    let server = Server::shared();
    let user = server.user();
    let token = user.token.clone().expect("a token");
    let me = |token: &str| server.anon().with_token(token).get("/api/v1/me").status;
    assert_eq!(me(&token), 200);
    // A right checksum on another body; a wrong one on the right body.
    let elsewhere = Server::alone("its tokens are those of another service").user().token.expect("a token");
    assert_eq!(me(&elsewhere), 401);
    let last = if token.ends_with('0') { "1" } else { "0" };
    assert_eq!(me(&format!("{}{last}", &token[..token.len() - 1])), 401);
    for odd in ["", "fsv_", &token[4..], &token.to_uppercase(), &format!("{token}0"), &"x".repeat(4000)] {
        assert_eq!(me(odd), 401, "{odd}");
    }
    // A token counts in its header alone, and there only once.
    let anon = server.anon();
    assert_eq!(anon.get(format!("/api/v1/me?access_token={token}")).status, 401);
    let bearer = format!("Bearer {token}");
    let twice = anon.header("authorization", &bearer).header("authorization", &bearer);
    assert_eq!(twice.get("/api/v1/me").status, 400);
    assert_eq!(anon.header("authorization", &format!("Basic {token}")).get("/api/v1/me").status, 401);
    assert_eq!(anon.header("cookie", &format!("formsvc_session={token}")).get("/api/v1/me").status, 401);
}
