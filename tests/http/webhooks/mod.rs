//! Webhooks and the events that changes of entries write (contract section 9): the API, which change writes which event,
//! and what is removed when.

mod api;
mod changes;
mod imports;
mod lives;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{Caller, Form, Response, Server};

const ALL: [&str; 4] = ["entry_created", "entry_updated", "entry_deleted", "entry_restored"];

/// Nothing answers there, and nothing is sent there: it is not public.
const NOWHERE: &str = "http://127.0.0.1:1025/";

/// A webhook of a form.
struct Hook {
    path: String,
    data: Value,
}

impl Hook {
    /// One that wants these kinds of events.
    fn of(owner: &Caller, form: &Form, kinds: &[&str]) -> Self {
        let body = json!({"url": NOWHERE, "trigger_events": kinds});
        let made = owner.post(hooks(form), body);
        assert_eq!(made.status, 201, "{made}");
        let data = made.data();
        let id = data["id"].as_str().expect("an id");
        let path = format!("{}/integrations/webhooks/{id}", form.path());
        Self { path, data }
    }

    fn part(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// All its deliveries, oldest first.
    fn deliveries(&self, owner: &Caller) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = self.part(&format!("deliveries?page_size=100&cursor={cursor}"));
            let page = owner.get(path);
            assert_eq!(page.status, 200, "{page}");
            all.extend(page.data().as_array().expect("a list").iter().cloned());
            let page = page.json();
            cursor = page["pagination"]["next_cursor"].as_str().expect("text").to_owned();
            if cursor.is_empty() {
                assert_eq!(page["pagination"]["total"], all.len());
                all.reverse();
                return all;
            }
        }
    }

    /// The kinds of what was delivered or waits, oldest first.
    fn kinds(&self, owner: &Caller) -> Vec<String> {
        let all = self.deliveries(owner);
        let kinds = all.iter().map(|it| it["event"].as_str().expect("a kind"));
        kinds.map(str::to_owned).collect()
    }
}

/// `/api/v1/forms/{token}/integrations/webhooks`
fn hooks(form: &Form) -> String {
    form.part("integrations/webhooks")
}

fn database(server: &Server) -> Connection {
    Connection::open(server.dir.join("formsvc.db")).expect("opens")
}

/// The bodies of a form's events as they are kept, in order.
fn bodies(server: &Server, form: &Form) -> Vec<String> {
    let database = database(server);
    let mut select = database
        .prepare(
            "SELECT CAST(body AS TEXT) FROM events WHERE id >> 32 = \
             (SELECT form_no FROM forms WHERE token = ?1) ORDER BY id",
        )
        .expect("SQL");
    let rows = select.query_map([&form.token], |row| row.get(0));
    let rows: rusqlite::Result<Vec<String>> = rows.expect("rows").collect();
    rows.expect("bodies")
}

/// What events say happened: kind and serial number.
fn told(server: &Server, form: &Form) -> Vec<(String, i64)> {
    let bodies = bodies(server, form);
    let events = bodies.iter().map(|body| {
        let body: Value = serde_json::from_str(body).expect("JSON");
        let kind = body["event"].as_str().expect("a kind").to_owned();
        let serial = body["entry"]["serial_number"].as_i64().expect("a number");
        (kind, serial)
    });
    events.collect()
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
