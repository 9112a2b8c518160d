//! Steps that many tests take.

use serde_json::{Value, json};

use crate::{Caller, Form, Response, Server, field};

/// A new user's form of one short text.
pub fn simple() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    (owner, form)
}

/// The answer to making a form of these fields.
pub fn make(owner: &Caller, fields: &Value) -> Response {
    owner.post("/api/v1/forms", json!({"name": "x", "fields": fields}))
}

/// Changes a form's settings.
pub fn set(owner: &Caller, form: &Form, settings: Value) {
    set_part(owner, form, "settings", settings);
}

/// Changes a part with an address of its own below the form's, such as its theme.
pub fn set_part(owner: &Caller, form: &Form, part: &str, body: Value) {
    let done = owner.patch(format!("{}/{part}", form.path()), body);
    assert_eq!(done.status, 200, "{done}");
}

/// Adds an entry.
pub fn add(owner: &Caller, form: &Form, values: Value) {
    let made = owner.post(form.entries(), json!({ "field_values": values }));
    assert_eq!(made.status, 201, "{made}");
}

/// The newest entry.
pub fn newest(owner: &Caller, form: &Form) -> Value {
    owner.get(form.entries()).data()[0].clone()
}

/// How many entries there are.
pub fn count(owner: &Caller, form: &Form) -> i64 {
    let total = owner.get(form.entries()).json()["pagination"]["total"].clone();
    total.as_i64().expect("a number")
}

/// The serial numbers of a page of a list.
pub fn serials(page: &Value) -> Vec<i64> {
    let rows = page["data"].as_array().expect("rows").iter();
    rows.map(|row| row["serial_number"].as_i64().expect("a number")).collect()
}

/// The same owner, on a server that was started later.
pub fn again(owner: &Caller, server: &Server) -> Caller {
    let token = owner.token.as_deref().expect("a token");
    server.anon().with_token(token)
}

/// Adds many entries.
pub fn bulk(owner: &Caller, form: &Form, values: &[Value]) {
    for some in values.chunks(500) {
        let entries: Vec<Value> = some.iter().map(|values| json!({"field_values": values})).collect();
        let path = format!("{}/entries/bulk", form.path());
        let made = owner.post(path, json!({ "entries": entries }));
        assert_eq!(made.status, 201, "{made}");
    }
}
