//! Who may read a stream, and that it ends with the right to it (security S96).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::collaborators;
use crate::event_stream::{Event, Stream, add, fields, path, refused, simple};
use crate::oauth;
use crate::support::clock::Clock;
use crate::support::{Caller, Form, Server, at_once, text};

/// What S96 allows, and as much again for a busy machine.
const END: Duration = Duration::from_secs(60);

#[test]
fn who_may_not_read_the_entries_gets_no_stream() {
    let server = Server::shared();
    let (owner, form) = simple(server);
    let nobody = refused(&server.anon(), &form, None);
    assert_eq!(nobody.to_string(), r#"401 {"error":"Missing access token"}"#);
    let all_but = "form:read form:write entry:write entry:delete integration:read integration:write";
    let without = refused(&server.token(&owner.email, all_but), &form, None);
    assert_eq!(without.to_string(), r#"403 {"error":"Insufficient scope"}"#);
    let stranger = refused(&server.user(), &form, None);
    assert_eq!(stranger.to_string(), r#"404 {"error":"Form not found"}"#);
    let in_query =
        server.anon().get(format!("{}?access_token={}", path(&form), owner.token.as_deref().expect("a token")));
    assert_eq!(in_query.status, 401, "{in_query}");
    // The least role and the one scope suffice.
    let viewer = server.user();
    collaborators::share(&owner, &form, &viewer, "viewer");
    let token = server.token(&viewer.email, "entry:read");
    let mut stream = Stream::open(&token, &form);
    add(&owner, &form, "x");
    assert_eq!(stream.event().serial(), 1);
}

/// The right is lost now. The stream ends, and tells nothing of what happens after that.
fn ends(mut stream: Stream, owner: &Caller, form: &Form, why: &str) {
    let lost = Instant::now();
    add(owner, form, "later");
    let rest: Vec<Event> = std::iter::from_fn(|| stream.next()).collect();
    assert_eq!(rest, [], "{why}");
    assert!(lost.elapsed() < END, "{why}: {:?}", lost.elapsed());
}

fn run(server: &Server, args: &[&str]) {
    let done = server.run(args);
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
}

/// The number of a user's token with these scopes.
fn token_number(server: &Server, email: &str, scopes: &str) -> String {
    let listed = server.run(&["token", "list", "--user", email, "--json"]);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let all = listed.as_array().expect("a list");
    let found = all.iter().find(|one| one["scopes"] == json!([scopes]));
    found.unwrap_or_else(|| panic!("{listed}"))["id"].to_string()
}

#[test]
fn a_stream_ends_with_the_right_to_it() {
    let server = Server::start();
    let owner = server.user();
    let reader = || {
        let (user, form) = (server.user(), owner.form(fields()));
        collaborators::share(&owner, &form, &user, "viewer");
        let token = server.token(&user.email, "entry:read");
        let stream = Stream::open(&token, &form);
        (user, form, stream)
    };
    // Together, since each is looked at every few seconds.
    at_once(5, |case| match case {
        0 => {
            let (user, form, stream) = reader();
            let number = token_number(&server, &user.email, "entry:read");
            run(&server, &["token", "revoke", &number]);
            ends(stream, &owner, &form, "its token was revoked");
        }
        1 => {
            let (user, form, stream) = reader();
            run(&server, &["user", "disable", &user.email]);
            ends(stream, &owner, &form, "its user was disabled");
        }
        2 => {
            let (user, form, stream) = reader();
            let taken = owner.delete(collaborators::path(&form, &user));
            assert_eq!(taken.status, 200, "{taken}");
            ends(stream, &owner, &form, "its user lost the role");
        }
        3 => {
            let (user, form, stream) = reader();
            run(&server, &["user", "delete", &user.email, "--yes"]);
            ends(stream, &owner, &form, "its user was deleted");
        }
        _ => {
            let other = owner.form(fields());
            let mut stream = Stream::open(&owner, &other);
            assert_eq!(owner.delete(other.path()).status, 200);
            assert_eq!(stream.next(), None, "its form was deleted");
            assert_eq!(stream.end, Some(true));
        }
    });
}

#[test]
fn a_stream_ends_when_its_token_expires() {
    let clock = Clock::new();
    let dir = tempfile::tempdir().expect("a folder");
    let server = clock.server(dir.path(), &["--rate-limits", "off"]);
    let (owner, form) = simple(&server);
    let args = ["token", "create", "--user", &owner.email, "--name", "short", "--scope", "entry:read"];
    let made = server.run(&[&args[..], &["--expires", "1h"]].concat());
    let short = owner.with_token(text(&made.stdout).trim());
    let app = oauth::app(&server, &[]);
    let (browser, email) = oauth::somebody(&server);
    let theirs = server.token(&email, "form:write").form(fields());
    let granted = app.call(&app.tokens(&browser));
    let mut streams = [Stream::open(&short, &form), Stream::open(&granted, &theirs)];
    add(&owner, &form, "within the hour");
    assert_eq!(streams[0].event().serial(), 1);
    clock.ahead(3600 + 60);
    for stream in &mut streams {
        assert_eq!(stream.next(), None);
        assert_eq!(stream.end, Some(true));
    }
    // What lives longer goes on.
    assert_eq!(refused(&short, &form, None).status, 401);
    drop(Stream::open(&owner, &form));
}

#[test]
fn a_stream_ends_with_its_grant() {
    let server = Server::shared();
    let app = oauth::app(server, &[]);
    let (browser, email) = oauth::somebody(server);
    let owner = server.token(&email, "form:write entry:write");
    let form = owner.form(json!([{"type": "short_text", "label": "x"}]));
    let pair = app.tokens(&browser);
    let stream = Stream::open(&app.call(&pair), &form);
    let revoked = app.post(oauth::REVOKE, &[("token", pair.refresh.as_str())]);
    assert_eq!(revoked.status, 200, "{revoked}");
    ends(stream, &owner, &form, "its grant was revoked");
}
