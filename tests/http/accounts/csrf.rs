//! Posts to account pages are taken only from our own pages, in the session that they belong to (S21, S22).

use serde_json::json;
use support::Server;
use support::session::{PASSWORD, Session};
use support::store::database;

use super::{ANN, anns, printed};

/// The posts of somebody signed in, as the table of routes lists them.
fn session_posts(server: &Server) -> Vec<String> {
    let listed = printed(server, &["routes"]);
    let rows = listed.as_array().expect("a list").iter();
    let posts = rows.filter(|row| row["access"] == "session" && row["method"] == "POST");
    let filled = posts.map(|row| {
        let parts = row["path"].as_str().expect("text").split('/');
        parts.map(|part| if part.starts_with('{') { "1" } else { part }).collect::<Vec<_>>().join("/")
    });
    filled.collect()
}

/// All that those posts could change.
fn state(server: &Server) -> [String; 6] {
    let database = database(&server.dir);
    [
        "SELECT group_concat(name || locale || timezone || password_hash) FROM users",
        "SELECT group_concat(id || coalesce(revoked_at, '')) FROM tokens",
        "SELECT count(*) || '' FROM sessions",
        "SELECT count(*) || '' FROM forms",
        "SELECT count(*) || '' FROM folders",
        "SELECT count(*) || '' FROM invitations",
    ]
    .map(|sql| database.query_row(sql, [], |row| row.get(0)).expect("a row"))
}

#[test]
fn a_post_needs_its_own_token_from_our_own_page() {
    let (server, browser) = anns();
    server.token(ANN, "form:read");
    let other = Session::on(&server).signed_in(ANN).csrf();
    let own = browser.csrf();
    let before = state(&server);
    let posts = session_posts(&server);
    assert!(posts.len() >= 6, "{posts:?}");
    // The fields that any of them needs.
    let fields = format!(
        "name=Changed&locale=en&timezone=UTC&old_password={PASSWORD}&password=another quiet harbour\
         &token_name=x&scopes=form:read&folder_name=x&role=owner"
    );
    let fields: Vec<_> = fields.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let refused = |browser: &Session, path: &str, csrf: &str, headers: &[(&str, &str)]| {
        let pairs = [&[("csrf", csrf)], &fields[..]].concat();
        let caller = headers.iter().fold(browser.caller(), |caller, (name, value)| caller.header(name, value));
        caller.post_form(path, &pairs).is_for(403, (path, csrf, headers));
    };
    let (ours, foreign, null) = (("origin", &*server.base), ("origin", "http://evil.example"), ("origin", "null"));
    let from = |site| ("sec-fetch-site", site);
    let cross = from("cross-site");
    for path in &posts {
        for csrf in ["", &other, &format!("{own}x")] {
            refused(&browser, path, csrf, &[ours]);
        }
        for headers in [&[][..], &[foreign], &[null], &[ours, cross], &[ours, from("same-site")], &[from("none")]] {
            refused(&browser, path, &own, headers);
        }
    }
    assert_eq!(state(&server), before);
    // Before sign-in the page's forms are bound to the visit.
    let (visitor, stranger) = (Session::on(&server), Session::on(&server));
    visitor.get("/sign-in");
    stranger.get("/sign-in");
    let csrf = visitor.csrf();
    for path in ["/sign-in", "/setup/x"] {
        for csrf in ["", &stranger.csrf(), &own] {
            refused(&visitor, path, csrf, &[ours]);
        }
        for headers in [&[foreign][..], &[null], &[ours, cross]] {
            refused(&visitor, path, &csrf, headers);
        }
        refused(&Session::on(&server), path, &csrf, &[ours]);
    }
    // A browser's own request is let in, with either header.
    let pairs = [("csrf", own.as_str()), ("name", "Ann"), ("locale", "en"), ("timezone", "UTC")];
    for (name, value) in [from("same-origin"), ours] {
        browser.caller().header(name, value).post_form("/profile", &pairs).is_for(303, name);
    }
    // No page acts on GET: it shows something, asks, or is none.
    let before = state(&server);
    for path in &posts {
        let page = browser.get(path);
        assert!([200, 404, 405].contains(&page.status), "{path} {page}");
    }
    assert_eq!(state(&server), before);
    // Not signed in: to the sign-in page, and nothing else.
    for path in &posts {
        let led = Session::on(&server).post(path, &[("name", "x")]);
        assert_eq!((led.status, led.header("location")), (303, "/sign-in"), "{path}");
    }
}

#[test]
fn pages_carry_the_policy_and_take_forms_alone() {
    let (server, browser) = anns();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                  font-src 'self'; media-src 'self' blob:; connect-src 'self'; form-action 'self'; \
                  base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    for path in ["/profile", "/", "/setup/x"] {
        let page = browser.get(path);
        let headers = ["content-security-policy", "cache-control", "access-control-allow-origin"];
        assert_eq!(headers.map(|name| page.header(name)), [policy, "no-store", ""], "{path}");
    }
    let csrf = browser.csrf();
    let json = json!({"csrf": csrf, "name": "x"}).to_string();
    let long = format!("csrf={csrf}&name={}", "x".repeat(2 << 20));
    for (kind, body, status) in [("application/json", json, 415), ("application/x-www-form-urlencoded", long, 413)] {
        let caller = browser.caller().header("origin", &server.base);
        let refused = caller.send("POST", "/profile", Some(kind), body.as_bytes());
        assert!([403, status].contains(&refused.status), "{kind}: {refused}");
    }
}
