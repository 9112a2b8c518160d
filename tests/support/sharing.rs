//! Forms that are shared with others.

use serde_json::json;

use crate::{Caller, Form};

pub fn id(user: &Caller) -> String {
    let me = user.get("/api/v1/me").data();
    me["id"].as_str().expect("an id").to_owned()
}

pub fn path(form: &Form, user: &Caller) -> String {
    format!("{}/collaborators/{}", form.path(), id(user))
}

pub fn share(owner: &Caller, form: &Form, user: &Caller, role: &str) {
    let shared = owner.put(path(form, user), json!({"role": role}));
    assert_eq!(shared.status, 200, "{shared}");
}
