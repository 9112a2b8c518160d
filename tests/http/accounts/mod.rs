//! Accounts: sign-in, sessions, second factor, members, collaborators, plans and the audit log (handbook `people.md`).

mod audit;
mod collaborators;
mod csrf;
mod every_page;
mod faults;
mod find;
mod form_folders;
mod me;
mod members;
mod organizations;
mod owned;
mod pages;
mod passwords;
mod plans;
mod second_factor;
mod sessions;
mod setup_link;
mod sign_in;
mod strangers;
mod throttling;
mod tokens;
mod users;

use std::fs;

use memchr::memmem;
use serde_json::{Value, json};
use support::session::{Session, shown, with_account};
use support::{Caller, Form, Server, field, text};

/// The owner of the organisation on servers that have an account at all.
const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

/// Every scope of forms and entries.
const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

/// A server of the test's own where an address may try as often as it likes, and a browser that Ann is signed in with.
fn anns() -> (Server, Session) {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    (server, browser)
}

/// A server of the test's own, its first user and a form of theirs.
fn alone(why: &str) -> (Server, Caller, Form) {
    let server = Server::alone(why);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    (server, owner, form)
}

/// The output of a command, which must succeed.
#[track_caller]
fn ran(server: &Server, args: &[&str]) -> String {
    let done = server.run(args);
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
    text(&done.stdout).trim().to_owned()
}

/// The same as JSON.
#[track_caller]
fn printed(server: &Server, args: &[&str]) -> Value {
    let out = ran(server, &[args, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}"))
}

/// The message of a command that must end with this code.
#[track_caller]
fn refused(server: &Server, args: &[&str], code: i32) -> String {
    let done = server.run(args);
    let (out, said) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "{args:?}: {out}{said}");
    said
}

/// The address and the role of everybody, in the order of `user list`: `ann@example.org owner`.
fn people(server: &Server) -> Vec<String> {
    let word = |value: &Value| value.as_str().expect("text").to_owned();
    let row = |row: &Value| word(&row["email"]) + " " + &word(&row["organization"]["role"]);
    printed(server, &["user", "list"]).as_array().expect("a list").iter().map(row).collect()
}

/// How many access tokens there are.
fn tokens(server: &Server) -> usize {
    printed(server, &["token", "list"]).as_array().expect("a list").len()
}

fn me(caller: &Caller) -> Value {
    caller.get("/api/v1/me").is(200).data()
}

/// Makes a folder at the top; its token.
fn folder(owner: &Caller, name: &str) -> String {
    let made = owner.post("/api/v1/folders", json!({ "name": name })).is(201);
    made.data()["token"].as_str().expect("a token").to_owned()
}

/// How many events of this action its organisation's audit log has.
fn events(owner: &Caller, action: &str) -> i64 {
    let page = owner.get(format!("/api/v1/audit_events?action={action}")).is(200).json();
    page["pagination"]["total"].as_i64().expect("a number")
}

/// The path of a new invitation.
fn invited(server: &Server, owner: &Session, role: &str) -> String {
    owner.get("/members");
    let page = owner.post_on("/members/invitations", &[("role", role)]);
    shown(&page.text, "link").strip_prefix(&server.base).expect("our address").to_owned()
}

/// The typed values, with one of them replaced.
fn but<'a, const N: usize>(mut typed: [(&'a str, &'a str); N], name: &str, value: &'a str) -> [(&'a str, &'a str); N] {
    let pair = typed.iter_mut().find(|pair| pair.0 == name);
    pair.unwrap_or_else(|| panic!("no {name}")).1 = value;
    typed
}

/// An address as a value of a query.
fn encoded(address: &str) -> String {
    url::form_urlencoded::byte_serialize(address.as_bytes()).collect()
}

/// Asserts that no file of the data dir holds any of these.
fn files_hold_none(server: &Server, secrets: &[&str]) {
    let paths = fs::read_dir(&server.dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut read = 0;
    for path in paths.filter(|path| path.is_file()) {
        let bytes = fs::read(&path).expect("reads");
        read += bytes.len();
        for secret in secrets {
            assert!(memmem::find(&bytes, secret.as_bytes()).is_none(), "{secret} is in {}", path.display());
        }
    }
    assert!(read > 10_000, "{read} bytes are the database");
}
