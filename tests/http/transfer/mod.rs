//! Import and export.

pub mod columns;
pub mod command;
pub mod exports;
pub mod imports;
pub mod mapping;
pub mod member_list;
pub mod workbooks;

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server};

const CSV: &str = "text/csv";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// `POST /api/v1/forms/{form_token}/entries/import`
pub fn import(owner: &Caller, form: &Form, query: &str, kind: &str, file: &[u8]) -> Response {
    let path = format!("{}/entries/import", form.path());
    owner.send("POST", &format!("{path}{query}"), Some(kind), file)
}

pub fn csv(owner: &Caller, form: &Form, file: &str) -> Response {
    import(owner, form, "", CSV, file.as_bytes())
}

/// `GET /api/v1/forms/{form_token}/entries/export`
pub fn export(owner: &Caller, form: &Form, query: &str) -> Response {
    let answer = owner.get(format!("{}/export?{query}", form.entries()));
    assert_eq!(answer.status, 200, "{answer}");
    answer
}

/// The values of all entries, in order, without the entries' own properties.
pub fn values(owner: &Caller, form: &Form) -> Vec<Value> {
    let all = export(owner, form, "format=json").json();
    let entries = all.as_array().expect("a list").iter();
    entries
        .map(|entry| {
            let mut entry = entry.clone();
            let own = entry.as_object_mut().expect("an object");
            own.retain(|key, _| key.starts_with("field_"));
            entry
        })
        .collect()
}

pub fn plain() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "number", "label": "Age", "min": 0},
        {"type": "date", "label": "Day", "default_value": "2026-01-01"},
    ]));
    (owner, form)
}
