//! Mail (handbook: mail.md): its letters, their recipients, and their outcomes.

mod accounts;
mod contents;
mod delivery;
mod every_letter;
mod exam_letters;
mod letters;
mod limits;
mod reminders;
mod settings;

use serde_json::{Value, json};
use support::peers::mail::{MailServer, serving};
use support::{Caller, Form, Response, Server, field};

use super::{ok, until_shown, values};

/// A member, whose address needs no confirmation for notices.
const OWNER: &str = "owner@example.com";

/// Nothing listens there.
const CLOSED: &str = "smtp://127.0.0.1:1";

/// A mail server, a server that sends its mail there, and a user of it; none where the mail server's program is
/// missing.
fn sending() -> Option<(MailServer, Server, Caller)> {
    let mail = MailServer::start()?;
    let server = serving(&mail);
    let owner = server.user_named(OWNER, "Ada Lovelace");
    Some((mail, server, owner))
}

/// Receipts, for submissions by the API too.
fn receipts() -> Value {
    json!({"receipt": {"enabled": true, "for_programs": true}})
}

/// Receipts, and notices with the answers to this address.
fn both(to: &str) -> Value {
    let notice = json!({"enabled": true, "to": [to], "include_values": true});
    json!({"receipt": receipts()["receipt"], "notice": notice})
}

/// A form with an email field (`field_1`) and a text (`field_2`), with these notifications.
fn form(owner: &Caller, notifications: &Value) -> Form {
    form_of(owner, json!([field("email", json!({})), field("short_text", json!({}))]), notifications)
}

fn form_of(owner: &Caller, fields: Value, notifications: &Value) -> Form {
    let form = owner.form(fields);
    notify(owner, &form, notifications);
    form
}

fn notify(owner: &Caller, form: &Form, notifications: &Value) -> Response {
    ok(owner.patch(form.part("settings"), json!({ "notifications": notifications })))
}

fn submit(owner: &Caller, form: &Form, answers: &Value) -> Value {
    let anon = Caller::new(&owner.base, None, "");
    let made = anon.post(form.submissions(), values(answers.clone()));
    assert_eq!(made.status, 201, "{made}");
    made.data()
}

/// A form whose receipts are on, with a submission by this address.
fn answered(owner: &Caller, address: &str) -> Form {
    let form = form(owner, &receipts());
    submit(owner, &form, &json!({ "field_1": address }));
    form
}

/// The form's mail, latest first.
fn listed(owner: &Caller, form: &Form) -> Vec<Value> {
    let page = ok(owner.get(format!("{}/notifications?page_size=100", form.path())));
    page.data().as_array().expect("a list").clone()
}

/// Waits until the form's latest mail is as it should be.
fn until_latest(owner: &Caller, form: &Form, what: &str, is: impl Fn(&Value) -> bool) -> Value {
    let latest = || listed(owner, form).into_iter().next().unwrap_or_default();
    until_shown(what, latest, is)
}

/// Waits until the form's latest mail was tried and failed.
fn until_fault(owner: &Caller, form: &Form) -> Value {
    until_latest(owner, form, "a fault", |row| !row["error"].is_null())
}

fn until_delivered(owner: &Caller, form: &Form) -> Value {
    until_latest(owner, form, "delivered", |row| row["status"] == "delivered")
}
