//! Forms: made, changed, listed, their settings, themes, rules, folders and formulas.

pub mod added_questions;
pub mod beginning;
pub mod controls;
pub mod draft_parts;
pub mod drafts;
pub mod field_changes;
pub mod field_edits;
pub mod filled;
pub mod folders;
pub mod formulas;
pub mod lifecycle;
pub mod lists;
pub mod logic;
pub mod look;
pub mod page_titles;
pub mod panels;
pub mod picked;
pub mod placeholders;
pub mod removed_values;
pub mod rename;
pub mod rules;
pub mod rules_on_pages;
pub mod rules_page;
pub mod settings;
pub mod settings_page;
pub mod share;
pub mod themes;
pub mod versions;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::store::database;
use support::uploads::files_in;
use support::{Caller, Form, Response, Server, field, text};

const FORMS: &str = "/api/v1/forms";
const NO_FORM: &str = r#"404 {"error":"Form not found"}"#;
const NO_FOLDER: &str = r#"404 {"error":"Folder not found"}"#;

/// Flags of servers that are not shared.
const FLAGS: [&str; 2] = ["--rate-limits", "off"];

/// Asserts that an object has these members.
#[track_caller]
fn has(object: &Value, members: Value) {
    for (key, member) in members.as_object().expect("members") {
        assert_eq!(object[key], *member, "{key} of {object}");
    }
}

/// A short text.
fn line() -> Value {
    field("short_text", json!({}))
}

/// A field that was there before.
fn old(code: &str, kind: &str, own: Value) -> Value {
    let mut field = field(kind, own);
    field["api_code"] = json!(code);
    field
}

/// Fields that were there before, from `field_1` on.
fn numbered<const N: usize>(fields: [Value; N]) -> Value {
    let mut fields = fields.to_vec();
    for (field, n) in fields.iter_mut().zip(1..) {
        field["api_code"] = json!(format!("field_{n}"));
    }
    json!(fields)
}

/// Choices with these names and labels like them.
fn choices<const N: usize>(codes: [&str; N]) -> Value {
    codes.map(|code| json!({"api_code": code, "label": code.to_uppercase()})).to_vec().into()
}

/// A field as tables have it: its type, and its choices or all of its members, where choices and the like are given by
/// their names alone.
fn from_table(cell: &str) -> (&str, Value) {
    let (kind, own) = cell.trim().split_once(' ').unwrap_or((cell.trim(), "{}"));
    let own: Value = serde_json::from_str(own).unwrap_or_else(|e| panic!("{cell}: {e}"));
    let mut own = if own.is_array() { json!({ "choices": own }) } else { own };
    for key in ["choices", "statements", "dimensions"] {
        let items = own.get_mut(key).and_then(Value::as_array_mut);
        items.into_iter().flatten().for_each(|item| *item = item_of_table(item));
    }
    (kind, own)
}

fn item_of_table(item: &Value) -> Value {
    let mut out = match item {
        Value::Array(items) => {
            let children: Vec<Value> = items[1..].iter().map(item_of_table).collect();
            json!({"api_code": items[0], "children": children})
        }
        Value::String(code) if code.ends_with('+') => json!({"api_code": code[..code.len() - 1], "is_other": true}),
        Value::String(code) if code.ends_with('*') => {
            json!({"api_code": code[..code.len() - 1], "allow_extended_text": true})
        }
        Value::String(code) => json!({ "api_code": code }),
        whole => return whole.clone(),
    };
    out["label"] = out["api_code"].clone();
    out
}

fn formula(expression: &str, result: &str) -> Value {
    field("formula", json!({"expression": expression, "result_type": result}))
}

/// Has the fields replaced.
fn replace(owner: &Caller, form: &Form, fields: Value) -> Response {
    owner.patch(form.path(), json!({ "fields": fields }))
}

/// Replaces the fields with the loss of data confirmed.
#[track_caller]
fn confirmed(owner: &Caller, form: &Form, fields: Value) {
    let refused = replace(owner, form, fields.clone());
    assert_eq!(refused.json()["code"], "data_loss", "{refused}");
    owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true})).is(200);
}

/// The fields that the form was made with.
fn fields(form: &Form) -> Vec<Value> {
    form.body["fields"].as_array().expect("fields").clone()
}

/// An entry as its owner reads it.
fn entry(owner: &Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).is(200).data()
}

fn when(field: &str, operator: &str, value: impl Into<Value>) -> Value {
    json!({"field": field, "operator": operator, "value": value.into()})
}

/// A rule in short: an action, the numbers of the fields that it is about, and when it holds, such as
/// `show 3 4: 1 eq a and 2 not_null`.
fn rule(short: &str) -> Value {
    let (action, rest) = short.split_once(' ').expect("fields");
    let (fields, conditions) = rest.split_once(": ").expect("conditions");
    let operand = if conditions.contains(" or ") { "or" } else { "and" };
    let named = |numbers: &str| format!("field_{}", numbers.replace('.', ".field_"));
    let condition = |text: &str| {
        let words: Vec<&str> = text.splitn(3, ' ').collect();
        let mut out = json!({"field": named(words[0]), "operator": words[1]});
        if let Some(value) = words.get(2) {
            out["value"] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        }
        out
    };
    let items: Vec<Value> = conditions.split(&format!(" {operand} ")).map(condition).collect();
    let fields: Vec<String> = fields.split(' ').map(named).collect();
    json!({"condition": {"operand": operand, "items": items}, "action": action, "fields": fields})
}

fn rules(short: &[&str]) -> Value {
    let rules: Vec<Value> = short.iter().map(|short| rule(short)).collect();
    json!({ "rules": rules })
}

fn set_rules(owner: &Caller, form: &Form, short: &[&str]) {
    owner.put(form.part("field_rules"), rules(short)).is(200);
}

/// A form of these fields on a server of its own. `why` tells readers what keeps the test from the shared one.
fn alone(why: &str, fields: Value) -> (Server, Caller, Form) {
    let server = Server::alone(why);
    let owner = server.user();
    let form = owner.form(fields);
    (server, owner, form)
}

/// Runs jobs of a server now.
fn run_jobs(server: &Server, jobs: &[&str]) {
    for job in jobs {
        let done = server.run(&["jobs", "run-once", job]);
        assert!(done.status.success(), "{job}: {}", text(&done.stderr));
    }
}

/// Asserts that the doctor finds nothing.
fn is_healthy(server: &Server) {
    let doctor = server.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
}

/// Gives the form's next entries serial numbers from this one on, as if those before were gone for good, so that one
/// block is full soon.
fn next_serial(server: &Server, form: &Form, serial: i64) {
    let sql = "UPDATE form_counters SET next_serial = ?1 WHERE form_no = (SELECT form_no FROM forms WHERE token = ?2)";
    assert_eq!(database(&server.dir).execute(sql, (serial, &form.token)).expect("SQL"), 1);
}

/// The files of the data dir that hold one of these texts.
fn holding(dir: &Path, marks: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for path in files_in(dir, "") {
        // One that was there may be gone.
        let bytes = fs::read(&path).unwrap_or_default();
        let found = marks.iter().filter(|mark| memchr::memmem::find(&bytes, mark.as_bytes()).is_some());
        out.extend(found.map(|mark| format!("{mark} in {}", path.display())));
    }
    out
}
