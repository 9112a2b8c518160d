//! Credentials of browsers that are longer than they can be, or no text: passwords, addresses of sign-in, codes,
//! cookies.

use std::collections::BTreeMap;

use support::session::{PASSWORD, SETUP, Session, account, link_path, traits, with_account};
use support::{Server, at_once, formsvc, raw, text};

/// A megabyte of a character that folds into eighteen.
fn huge() -> String {
    "\u{fdfa}".repeat(110_000)
}

/// How many of the answers have each status.
fn counts(answers: impl IntoIterator<Item = u16>) -> BTreeMap<u16, usize> {
    let mut counts = BTreeMap::new();
    for status in answers {
        *counts.entry(status).or_default() += 1;
    }
    counts
}

#[test]
fn what_is_too_long_to_be_right_is_refused_as_what_is_wrong_is() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let (huge, long) = (huge(), "x".repeat(257));
    let browser = Session::on(&server);
    let wrong = traits(&browser.sign_in(email, "wrong"), email);
    assert!(wrong.starts_with("422 "), "{wrong}");
    let unknown = format!("{}@example.org", "a".repeat(243));
    for (email, password) in [
        (email, long.as_str()),
        ("nobody@example.org", &long),
        (email, &huge),
        ("nobody@example.org", &huge),
        (&huge, "wrong"),
        (&unknown, "wrong"),
    ] {
        let answer = traits(&browser.sign_in(email, password), email);
        assert!(answer == wrong, "{}: {}", email.len(), password.len());
    }
    // The longest password there can be, in the longest way to write it, is right.
    let password = "\u{1f82}".repeat(256);
    let set = ["user", "set-password", email, "--password-stdin"];
    let set = formsvc(&server.dir, &set, &password);
    assert!(set.status.success(), "{}", text(&set.stderr));
    let apart = "\u{3b1}\u{313}\u{300}\u{345}".repeat(256);
    assert_eq!(browser.sign_in(email, &apart).status, 303);
}

#[test]
fn what_is_too_long_is_refused_without_a_hash() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let (long, long_email) = ("x".repeat(257), format!("{}@x.example", "a".repeat(250)));
    // As many at once would leave hashes waiting, and those above their number refused with 503.
    for (email, password) in [(email, &*long), ("no@x.example", &long), (&long_email, "wrong")] {
        let browsers = [(); 60].map(|()| Session::on(&server));
        for browser in &browsers {
            browser.get("/sign-in");
        }
        let pairs = [("email", email), ("password", password)];
        let statuses = at_once(60, |n| browsers[n].post("/sign-in", &pairs).status);
        assert_eq!(counts(statuses), BTreeMap::from([(422, 60)]));
    }
}

#[test]
fn what_is_too_long_counts_as_a_try() {
    let (server, email) = with_account(&[]);
    let (long, huge) = ("x".repeat(257), huge());
    let browser = Session::on(&server);
    let statuses: Vec<u16> = (0..6).map(|_| browser.sign_in(email, &long).status).collect();
    assert_eq!(statuses, [422, 422, 422, 422, 422, 429]);
    let statuses: Vec<u16> = (0..5).map(|_| browser.sign_in(&huge, "wrong").status).collect();
    assert_eq!(statuses, [422, 422, 422, 422, 429], "ten a minute of one address");
}

#[test]
fn whoever_makes_an_account_or_changes_it_is_told_what_is_too_long() {
    let server = Server::alone("its database is changed");
    let path = link_path(&server);
    let huge = huge();
    let browser = Session::on(&server);
    browser.get(&path);
    let mut typed = SETUP;
    (typed[2].1, typed[3].1) = (&huge[..165_000], &huge[..90_000]);
    let told = browser.post(&path, &typed);
    assert_eq!(told.status, 422);
    for fault in ["Enter an email address", "Use at most 256 characters"] {
        assert!(told.text.contains(fault), "{fault}");
    }
    account(&server, "ann@example.org");
    let browser = Session::on(&server).signed_in("ann@example.org");
    let long = "x".repeat(257);
    let change = |old: &str, new: &str| browser.post("/profile/password", &[("old_password", old), ("password", new)]);
    let told = change(&long, "another quiet harbour");
    assert!(told.status == 422 && told.text.contains("Incorrect password"), "{told}");
    let told = change(PASSWORD, &huge);
    assert!(told.status == 422 && told.text.contains("Use at most 256 characters"));
    for path in ["/profile/second-factor", "/profile/second-factor/remove"] {
        let pairs = [("password", long.as_str()), ("code", &huge)];
        assert_eq!(browser.post(path, &pairs).status, 422, "{path}");
    }
    for args in [
        ["user", "create", &long, "--name", "X"].as_slice(),
        &["user", "disable", &format!("{long}@example.org")],
        &["token", "create", "--user", &long, "--name", "X", "--scope", "form:read"],
    ] {
        let refused = server.run(args);
        assert_ne!(refused.status.code(), Some(0), "{args:?}");
        assert!(!text(&refused.stderr).contains("panicked"), "{args:?}");
    }
}

#[test]
fn bytes_of_other_cookies_do_not_hide_ours() {
    let (server, email) = with_account(&[]);
    let browser = Session::on(&server);
    browser.get("/sign-in");
    let visit = browser.cookie("formsvc_visit").expect("a visit");
    let (visit, csrf) = (format!("formsvc_visit={visit}"), browser.csrf());
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("csrf", csrf.as_str()), ("email", email), ("password", PASSWORD)])
        .finish();
    for other in [&b"caf\xc3\xa9=\xff\x80; "[..], b"a=\xe4; ", b"=; ;; a; \xff; ", b"a=\"\xe4\"; "] {
        let mut request = format!(
            "POST /sign-in HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nCookie: ",
            server.base,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(other);
        request.extend_from_slice(format!("{visit}\r\n\r\n{body}").as_bytes());
        let got = raw::exchange(&server.base, &request);
        assert!(got.starts_with("HTTP/1.1 303"), "{other:?}: {got}");
    }
}
