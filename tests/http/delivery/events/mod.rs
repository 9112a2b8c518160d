//! Which changes are events, of which kind, with which body, and how long they are kept (handbook: webhooks.md; spec
//! 2.11; contract section 9).

mod changes;
mod imports;
mod kept;
mod kinds;
mod oracle;
mod programs;
mod wanting;

use serde_json::Value;
use support::{Form, Response, Server};

use crate::delivery::database;

/// The bodies of a form's events as they are kept, in order.
fn bodies(server: &Server, form: &Form) -> Vec<String> {
    let database = database(server);
    let sql = "SELECT CAST(body AS TEXT) FROM events WHERE id >> 32 = \
               (SELECT form_no FROM forms WHERE token = ?1) ORDER BY id";
    let mut select = database.prepare(sql).expect("SQL");
    let rows = select.query_map([&form.token], |row| row.get(0));
    let rows: rusqlite::Result<Vec<String>> = rows.expect("rows").collect();
    rows.expect("bodies")
}

/// The changes that events report: kind and serial number.
fn happened(server: &Server, form: &Form) -> Vec<(String, i64)> {
    let events = bodies(server, form).into_iter().map(|body| {
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let kind = body["event"].as_str().expect("a kind").to_owned();
        let serial = body["entry"]["serial_number"].as_i64().expect("a number");
        (kind, serial)
    });
    events.collect()
}

#[track_caller]
fn expect(server: &Server, form: &Form, events: &[(&str, i64)]) {
    let happened = happened(server, form);
    let happened: Vec<(&str, i64)> = happened.iter().map(|(kind, serial)| (kind.as_str(), *serial)).collect();
    assert_eq!(happened, events);
}

/// The text of the entry in a body.
fn entry_of(body: &str) -> &str {
    let (_, entry) = body.split_once(",\"entry\":").expect("an entry");
    entry.strip_suffix('}').expect("an object")
}

/// The text of `data` in an answer.
fn data_of(answer: &Response) -> &str {
    let text = answer.text.strip_prefix("{\"data\":").expect("data");
    text.strip_suffix('}').expect("an object")
}
