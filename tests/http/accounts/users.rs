//! Accounts from the command line: created, listed, disabled and deleted (contract section 10).

use serde_json::{Value, json};
use support::sharing::share;
use support::store::count;
use support::{Caller, Form, Server, field, formsvc, text};

use super::{me, people, printed, ran, refused, tokens};

/// A server of two, the first of whom has a form.
fn two() -> (Server, Caller, Caller, Form) {
    let (server, ann, form) = super::alone("commands change all of it");
    let bob = server.user();
    (server, ann, bob, form)
}

#[test]
fn organisations_are_joined_or_founded() {
    let server = Server::alone("commands change all of it");
    for (email, named, organisation, role) in [
        ("a@x.example", &[][..], "a@x.example", "owner"),
        ("b@x.example", &[], "a@x.example", "member"),
        ("c@x.example", &["--organization", "Two"], "Two", "owner"),
        ("d@x.example", &["--organization", "Two"], "Two", "member"),
        ("e@x.example", &[], "a@x.example", "member"),
    ] {
        let user = printed(&server, &[&["user", "create", email, "--name", email], named].concat());
        let made = &user["organization"];
        assert_eq!([&made["name"], &made["role"]], [organisation, role], "{email}");
    }
    let set = printed(&server, &["user", "set-role", "d@x.example", "owner"]);
    assert_eq!(set["organization"]["role"], "owner");
    refused(&server, &["user", "set-role", "d@x.example", "king"], 2);
}

#[test]
fn who_is_disabled_calls_no_more_and_keeps_what_they_have() {
    let (server, ann, bob, form) = two();
    share(&ann, &form, &bob, "viewer");
    let done = server.run(&["user", "disable", &ann.email]);
    assert!(done.status.success() && text(&done.stderr).contains("has no owner now"), "{done:?}");
    ann.get("/api/v1/me").is(401);
    bob.get(form.path()).is(200);
    server.anon().get(form.published()).is(200);
    assert_eq!(people(&server).len(), 2);
    ran(&server, &["user", "disable", &bob.email]);
    bob.get(form.path()).is(401);
    refused(&server, &["user", "disable", "x@y.example"], 6);
}

#[test]
fn deletion_asks_first() {
    let server = Server::alone("its data dir is looked at");
    let ann = server.user();
    for flags in [&["--no-input"][..], &[]] {
        let said = refused(&server, &[&["user", "delete", &ann.email], flags].concat(), 2);
        assert!(said.contains("--yes"), "{flags:?}: {said}");
    }
    let no = formsvc(&server.dir, &["user", "delete", &ann.email], "n\n");
    assert_eq!(no.status.code(), Some(2), "{no:?}");
    me(&ann);
    refused(&server, &["user", "delete", "x@y.example", "--yes"], 6);
}

#[test]
fn a_deleted_account_takes_its_forms_along() {
    let (server, ann, bob, form) = two();
    let bobs = bob.form(json!([field("short_text", json!({}))]));
    share(&ann, &form, &bob, "manager");
    share(&bob, &bobs, &ann, "viewer");
    super::folder(&ann, "x");
    ann.post(bobs.submissions(), json!({"field_values": {"field_1": "x"}})).is(201);
    let gone = printed(&server, &["user", "delete", &ann.email, "--yes", "--no-input"]);
    assert_eq!((&gone["email"], &gone["deleted"]), (&json!(ann.email), &json!(true)));
    assert_eq!(ann.get("/api/v1/me").to_string(), r#"401 {"error":"Invalid access token"}"#);
    server.anon().get(form.published()).is(404);
    bob.get(form.path()).is(404);
    bob.get(bobs.entry(1)).is(200);
    assert_eq!(bob.get(bobs.part("collaborators")).json()["pagination"]["total"], 0);
    assert_eq!((people(&server), tokens(&server)), (vec![format!("{} member", bob.email)], 1));
    refused(&server, &["user", "delete", &ann.email, "--yes"], 6);
    // The address is free again, for an account that has nothing of the old one.
    let again = server.user_named(&ann.email, "Another");
    for list in ["/api/v1/forms", "/api/v1/folders"] {
        assert_eq!(again.get(list).json()["pagination"]["total"], 0, "{list}");
    }
    again.get(form.path()).is(404);
}

#[test]
fn forms_of_a_deleted_account_may_go_to_a_colleague() {
    let (server, ann, bob, form) = two();
    share(&ann, &form, &bob, "viewer");
    server.stranger("far@x.example");
    let delete = |heir| ["user", "delete", &ann.email, "--forms-to", heir, "--yes"];
    for heir in ["far@x.example", &ann.email] {
        refused(&server, &delete(heir), 2);
    }
    ran(&server, &delete(&bob.email));
    assert_eq!(bob.get(form.path()).data()["owned"], true);
    let listed = bob.get("/api/v1/forms").json();
    assert_eq!((&listed["pagination"]["total"], &listed["data"][0]["role"]), (&json!(1), &json!("manager")));
    bob.delete(form.path()).is(200);
}

#[test]
fn a_sole_owner_is_let_in_again() {
    let server = Server::alone("its data dir is looked at");
    let ann = server.user();
    ran(&server, &["user", "disable", &ann.email]);
    ann.get("/api/v1/me").is(401);
    let enabled = server.run(&["user", "enable", &ann.email]);
    assert!(enabled.status.success() && text(&enabled.stderr).contains("can sign in again"), "{enabled:?}");
    // Access tokens were not ended, only refused.
    assert_eq!(me(&ann)["organization"]["role"], "owner");
    // Again changes nothing, and is no event.
    let again = printed(&server, &["user", "enable", &ann.email]);
    assert_eq!((&again["email"], &again["disabled_at"]), (&json!(ann.email), &Value::Null));
    let events = count(&server.dir, "SELECT count(*) FROM audit_events WHERE action = 'member.enabled'");
    assert_eq!(events, 1);
    refused(&server, &["user", "enable", "no@example.org"], 6);
}

#[test]
fn the_first_of_a_deserted_organisation_owns_it() {
    let server = Server::alone("commands change all of it");
    ran(&server, &["user", "delete", &server.user().email, "--yes"]);
    ran(&server, &["setup-link"]);
    assert_eq!(me(&server.user())["organization"]["role"], "owner");
}

#[test]
fn an_address_is_one_however_it_is_written() {
    let server = Server::alone("commands change all of it");
    let eve = server.user_named("eve@ü.example", "Eve");
    for same in ["EVE@Ü.example", "eve@xn--tda.example", "e\u{200b}ve@ü.example\u{ad}", " eve@\u{202e}ü.example\u{a0}"]
    {
        let said = refused(&server, &["user", "create", same, "--name", "Another"], 6);
        assert!(said.contains("email has already been taken"), "{same:?}: {said}");
        let found = printed(&server, &["user", "enable", same]);
        assert_eq!(found["email"], json!(eve.email), "{same:?}");
    }
    assert_eq!(people(&server).len(), 1);
    server.user_named("eve@u.example", "Another");
}

#[test]
fn an_account_is_created_with_a_token() {
    let server = Server::alone("commands change all of it");
    let create = |more: &[&str]| server.run(&[&["user", "create", "--name", "Ann", "--with-token"], more].concat());
    let made = create(&["ann@x.example"]);
    let (token, said) = (text(&made.stdout), text(&made.stderr));
    assert_eq!(token.lines().count(), 1, "the token alone: {token}");
    assert!(said.contains("this token is shown only once; it works until 20"), "{said}");
    let told = me(&server.anon().with_token(token.trim()));
    assert_eq!(told["email"], "ann@x.example", "{told}");
    assert_eq!(told["token"]["scopes"].as_array().map(Vec::len), Some(9), "{told}");

    let user = printed(&server, &["user", "create", "bob@x.example", "--name", "Ann", "--with-token"]);
    assert_eq!([&user["email"], &user["organization"]["role"]], ["bob@x.example", "member"]);
    me(&server.anon().with_token(user["token"].as_str().expect("a token")));

    // A refused command leaves nothing behind.
    for email in ["no address", "bob@x.example"] {
        let refused = create(&[email]);
        assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
        assert_eq!((people(&server).len(), tokens(&server)), (2, 2));
    }
}
