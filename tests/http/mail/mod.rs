//! Mail: what is sent, to whom, and what becomes of it.

mod accounts;
mod contents;
mod delivery;
mod settings;

use serde_json::{Value, json};

use crate::support::{Caller, Form, Response, field, until};

/// A form with an email field (`field_1`) and a text (`field_2`), with these notifications.
fn form(owner: &Caller, notifications: &Value) -> Form {
    let form = owner.form(json!([field("email", json!({})), field("short_text", json!({}))]));
    notify(owner, &form, notifications);
    form
}

fn notify(owner: &Caller, form: &Form, notifications: &Value) -> Response {
    let set = owner.patch(form.part("settings"), json!({ "notifications": notifications }));
    assert_eq!(set.status, 200, "{set}");
    set
}

fn submit(owner: &Caller, form: &Form, values: &Value) -> Value {
    let anon = Caller::new(&owner.base, None, "");
    let made = anon.post(form.submissions(), json!({ "field_values": values }));
    assert_eq!(made.status, 201, "{made}");
    made.data()
}

/// The form's mail, latest first.
fn listed(owner: &Caller, form: &Form) -> Vec<Value> {
    let page = owner.get(format!("{}/notifications", form.path()));
    assert_eq!(page.status, 200, "{page}");
    page.data().as_array().expect("a list").clone()
}

/// Waits until the form's latest mail is as it should be.
fn until_latest(owner: &Caller, form: &Form, what: &str, is: impl Fn(&Value) -> bool) -> Value {
    let mut latest = Value::Null;
    until(what, || {
        latest = listed(owner, form).into_iter().next().unwrap_or_default();
        is(&latest)
    });
    latest
}
