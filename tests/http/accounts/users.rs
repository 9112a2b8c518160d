//! Accounts from the command line: listed, disabled and deleted (contract section 10).

use serde_json::{Value, json};
use support::sharing::share;
use support::{Server, field, formsvc, text};

fn emails(server: &Server) -> Vec<String> {
    let listed = server.run(&["user", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let rows = listed.as_array().expect("a list").clone();
    rows.iter().map(|row| row["email"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn organisations_are_joined_or_founded() {
    let server = Server::alone("commands change all of it");
    let create = |email: &str, organization: &[&str]| -> Value {
        let mut args = vec!["user", "create", email, "--name", email, "--json"];
        args.extend(organization);
        let made = server.run(&args);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let user: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        json!([user["organization"]["name"], user["organization"]["role"]])
    };
    assert_eq!(create("a@x.example", &[]), json!(["a@x.example", "owner"]));
    assert_eq!(create("b@x.example", &[]), json!(["a@x.example", "member"]));
    assert_eq!(create("c@x.example", &["--organization", "Two"]), json!(["Two", "owner"]));
    assert_eq!(create("d@x.example", &["--organization", "Two"]), json!(["Two", "member"]));
    assert_eq!(create("e@x.example", &[]), json!(["a@x.example", "member"]));
    let set = server.run(&["user", "set-role", "d@x.example", "owner", "--json"]);
    let set: Value = serde_json::from_slice(&set.stdout).expect("JSON");
    assert_eq!(set["organization"]["role"], "owner");
    assert_eq!(server.run(&["user", "set-role", "d@x.example", "king"]).status.code(), Some(2));
}

#[test]
fn who_is_disabled_calls_no_more_and_keeps_what_they_have() {
    let server = Server::alone("commands change all of it");
    let (ann, bob) = (server.user(), server.user());
    let form = ann.form(json!([field("short_text", json!({}))]));
    share(&ann, &form, &bob, "viewer");
    let done = server.run(&["user", "disable", &ann.email]);
    assert!(done.status.success());
    assert!(text(&done.stderr).contains("has no owner now"), "{}", text(&done.stderr));
    assert_eq!(ann.get("/api/v1/me").status, 401);
    assert_eq!(bob.get(form.path()).status, 200);
    assert_eq!(server.anon().get(form.published()).status, 200);
    assert_eq!(emails(&server).len(), 2);
    assert!(server.run(&["user", "disable", &bob.email]).status.success());
    assert_eq!(bob.get(form.path()).status, 401);
    assert_eq!(server.run(&["user", "disable", "x@y.example"]).status.code(), Some(6));
}

#[test]
fn deletion_asks_first() {
    let server = Server::alone("its data dir is looked at");
    let ann = server.user();
    for flags in [&["--no-input"][..], &[]] {
        let mut args = vec!["user", "delete", &ann.email];
        args.extend(flags);
        let refused = server.run(&args);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("--yes"), "{}", text(&refused.stderr));
    }
    let no = formsvc(&server.dir, &["user", "delete", &ann.email], "n\n");
    assert_eq!(no.status.code(), Some(2));
    assert_eq!(ann.get("/api/v1/me").status, 200);
    let nobody = server.run(&["user", "delete", "x@y.example", "--yes"]);
    assert_eq!(nobody.status.code(), Some(6));
}

#[test]
fn a_deleted_account_takes_its_forms_along() {
    let server = Server::alone("commands change all of it");
    let (ann, bob) = (server.user(), server.user());
    let form = ann.form(json!([field("short_text", json!({}))]));
    let bobs = bob.form(json!([field("short_text", json!({}))]));
    share(&ann, &form, &bob, "manager");
    share(&bob, &bobs, &ann, "viewer");
    assert_eq!(ann.post("/api/v1/folders", json!({"name": "x"})).status, 201);
    let sent = ann.post(bobs.submissions(), json!({"field_values": {"field_1": "x"}}));
    assert_eq!(sent.status, 201);
    let gone = server.run(&["user", "delete", &ann.email, "--yes", "--no-input", "--json"]);
    assert!(gone.status.success(), "{}", text(&gone.stderr));
    let said: Value = serde_json::from_slice(&gone.stdout).expect("JSON");
    assert_eq!((said["email"].as_str(), said["deleted"].as_bool()), (Some(ann.email.as_str()), Some(true)));
    assert_eq!(ann.get("/api/v1/me").to_string(), r#"401 {"error":"Invalid access token"}"#);
    assert_eq!(server.anon().get(form.published()).status, 404);
    assert_eq!(bob.get(form.path()).status, 404);
    assert_eq!(bob.get(bobs.entry(1)).status, 200);
    let listed = bob.get(format!("{}/collaborators", bobs.path())).json();
    assert_eq!(listed["pagination"]["total"], 0);
    assert_eq!(emails(&server), [bob.email.as_str()]);
    let tokens = server.run(&["token", "list", "--json"]);
    let tokens: Value = serde_json::from_slice(&tokens.stdout).expect("JSON");
    assert_eq!(tokens.as_array().map(Vec::len), Some(1));
    assert_eq!(server.run(&["user", "delete", &ann.email, "--yes"]).status.code(), Some(6));
    // The address is free again, for an account that has nothing of the old one.
    let again = server.user_named(&ann.email, "Another");
    assert_eq!(again.get("/api/v1/forms").json()["pagination"]["total"], 0);
    assert_eq!(again.get("/api/v1/folders").json()["pagination"]["total"], 0);
    assert_eq!(again.get(form.path()).status, 404);
}

#[test]
fn forms_may_go_to_a_colleague() {
    let server = Server::alone("commands change all of it");
    let (ann, bob) = (server.user(), server.user());
    let form = ann.form(json!([field("short_text", json!({}))]));
    share(&ann, &form, &bob, "viewer");
    server.stranger("far@x.example");
    for heir in ["far@x.example", &ann.email] {
        let refused = server.run(&["user", "delete", &ann.email, "--forms-to", heir, "--yes"]);
        assert_eq!(refused.status.code(), Some(2), "{heir}");
    }
    let gone = server.run(&["user", "delete", &ann.email, "--forms-to", &bob.email, "--yes"]);
    assert!(gone.status.success(), "{}", text(&gone.stderr));
    assert_eq!(bob.get(form.path()).data()["owned"], true);
    let listed = bob.get("/api/v1/forms").json();
    assert_eq!(listed["pagination"]["total"], 1);
    assert_eq!(listed["data"][0]["role"], "manager");
    assert_eq!(bob.delete(form.path()).status, 200);
}

#[test]
fn a_sole_owner_is_let_in_again() {
    let server = Server::alone("its data dir is looked at");
    let ann = server.user();
    let run = |args: &[&str]| server.run(&[&["user"], args].concat());
    assert!(run(&["disable", &ann.email]).status.success());
    assert_eq!(ann.get("/api/v1/me").status, 401);
    let enabled = run(&["enable", &ann.email]);
    assert!(enabled.status.success());
    assert!(text(&enabled.stderr).contains("can sign in again"));
    // Access tokens were not ended, only refused.
    assert_eq!(ann.get("/api/v1/me").status, 200);
    assert_eq!(ann.get("/api/v1/me").data()["organization"]["role"], "owner");
    // Again changes nothing, and is no event.
    let again = run(&["enable", &ann.email, "--json"]);
    assert!(again.status.success());
    let again: Value = serde_json::from_slice(&again.stdout).expect("one document");
    assert_eq!((&again["email"], &again["disabled_at"]), (&json!(ann.email), &Value::Null));
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let events = "SELECT count(*) FROM audit_events WHERE action = 'member.enabled'";
    let events: i64 = database.query_row(events, [], |row| row.get(0)).expect("a count");
    assert_eq!(events, 1);
    let unknown = run(&["enable", "no@example.org"]);
    assert_eq!(unknown.status.code(), Some(6));
}

#[test]
fn the_first_of_a_deserted_organisation_owns_it() {
    let server = Server::alone("commands change all of it");
    let ann = server.user();
    assert!(server.run(&["user", "delete", &ann.email, "--yes"]).status.success());
    let link = server.run(&["setup-link"]);
    assert!(link.status.success(), "{}", text(&link.stderr));
    let bob = server.user();
    assert_eq!(bob.get("/api/v1/me").data()["organization"]["role"], "owner");
}

#[test]
fn an_account_is_created_with_a_token() {
    let server = Server::alone("commands change all of it");
    let create = |more: &[&str]| server.run(&[&["user", "create", "--name", "Ann", "--with-token"], more].concat());
    let made = create(&["ann@x.example"]);
    let token = text(&made.stdout);
    assert_eq!(token.lines().count(), 1, "the token alone: {token}");
    assert!(text(&made.stderr).contains("this token is shown once; it works until 20"), "{}", text(&made.stderr));
    let me = server.anon().with_token(token.trim()).get("/api/v1/me").data();
    assert_eq!(me["email"], "ann@x.example", "{me}");
    assert_eq!(me["token"]["scopes"].as_array().map(Vec::len), Some(9), "{me}");

    let made = create(&["bob@x.example", "--json"]);
    let user: Value = serde_json::from_slice(&made.stdout).expect("one document");
    assert_eq!((&user["email"], &user["organization"]["role"]), (&json!("bob@x.example"), &json!("member")));
    let bob = server.anon().with_token(user["token"].as_str().expect("a token"));
    assert_eq!(bob.get("/api/v1/me").status, 200);

    // Nothing is left of what is refused.
    let tokens = || text(&server.run(&["token", "list", "--json"]).stdout).matches("\"id\"").count();
    assert_eq!((emails(&server).len(), tokens()), (2, 2));
    for refused in [create(&["no address"]), create(&["bob@x.example"])] {
        assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
    }
    assert_eq!((emails(&server).len(), tokens()), (2, 2));
}
