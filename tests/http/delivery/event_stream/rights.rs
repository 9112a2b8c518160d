//! A stream takes the scope `entry:read` and a role on the form, and ends when its token, user or role loses the right
//! (security S96).

use std::time::{Duration, Instant};

use serde_json::json;
use support::clock::Clock;
use support::world::World;
use support::{Caller, Form, Server, at_once, sharing, text};

use crate::delivery::event_stream::{Event, Stream, add, fields, path, refused, simple};
use crate::delivery::ok;
use crate::oauth;

/// The time that S96 allows, and as much again for a busy machine.
const END: Duration = Duration::from_secs(60);

#[test]
fn who_may_not_read_the_entries_gets_no_stream() {
    let World { server, owner, form, .. } = World::with(fields());
    let all_but = "form:read form:write entry:write entry:delete integration:read integration:write";
    for (who, caller, expected) in [
        ("nobody", server.anon(), r#"401 {"error":"Missing access token"}"#),
        ("without the scope", server.token(&owner.email, all_but), r#"403 {"error":"Insufficient scope"}"#),
        ("a stranger", server.user(), r#"404 {"error":"Form not found"}"#),
    ] {
        assert_eq!(refused(&caller, &form, None).to_string(), expected, "{who}");
    }
    let token = owner.token.as_deref().expect("a token");
    let in_query = server.anon().get(format!("{}?access_token={token}", path(&form)));
    assert_eq!(in_query.status, 401, "{in_query}");
    // The least role and the one scope suffice.
    let viewer = server.user();
    sharing::share(&owner, &form, &viewer, "viewer");
    let token = server.token(&viewer.email, "entry:read");
    let mut stream = Stream::open(&token, &form);
    add(&owner, &form, "x");
    assert_eq!(stream.event().serial(), 1);
}

/// The right is lost now. The stream ends, and shows no event after that.
fn ends(mut stream: Stream, owner: &Caller, form: &Form, why: &str) {
    add(owner, form, "later");
    let lost = Instant::now();
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
    let server = Server::alone("commands change all of it");
    let owner = server.user();
    let revoke = |user: &Caller| run(&server, &["token", "revoke", &token_number(&server, &user.email, "entry:read")]);
    type Loss<'t> = &'t (dyn Fn(&Caller, &Form) + Sync);
    let cases: [(&str, Loss); 4] = [
        ("its token was revoked", &|user, _| revoke(user)),
        ("its user was disabled", &|user, _| run(&server, &["user", "disable", &user.email])),
        ("its user was deleted", &|user, _| run(&server, &["user", "delete", &user.email, "--yes"])),
        ("its user lost the role", &|user, form| {
            ok(owner.delete(sharing::path(form, user)));
        }),
    ];
    // Together, since each is looked at every few seconds.
    at_once(cases.len(), |case| {
        let (why, lose) = cases[case];
        let (user, form) = (server.user(), owner.form(fields()));
        sharing::share(&owner, &form, &user, "viewer");
        let stream = Stream::open(&server.token(&user.email, "entry:read"), &form);
        lose(&user, &form);
        ends(stream, &owner, &form, why);
    });
    let form = owner.form(fields());
    let mut stream = Stream::open(&owner, &form);
    ok(owner.delete(form.path()));
    assert_eq!((stream.next(), stream.end), (None, Some(true)), "its form was deleted");
}

#[test]
fn a_stream_ends_when_its_token_expires() {
    let clock = Clock::on_time();
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
        assert_eq!((stream.next(), stream.end), (None, Some(true)));
    }
    // A stream of a longer-lived token goes on.
    assert_eq!(refused(&short, &form, None).status, 401);
    drop(Stream::open(&owner, &form));
}

#[test]
fn a_stream_ends_with_its_grant() {
    let server = Server::shared();
    let app = oauth::app(server, &[]);
    let (browser, email) = oauth::somebody(server);
    let owner = server.token(&email, "form:write entry:write");
    let form = owner.form(fields());
    let pair = app.tokens(&browser);
    let stream = Stream::open(&app.call(&pair), &form);
    ok(app.post(oauth::REVOKE, &[("token", pair.refresh.as_str())]));
    ends(stream, &owner, &form, "its grant was revoked");
}
