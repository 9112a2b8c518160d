//! Webhooks as receivers see them: what is sent, in which order, what becomes of it, and where nothing is sent to
//! (contract section 9, S71 to S74).

mod again;
mod delivery;
mod failures;
mod places;
pub mod receiver;
mod refused;
mod resolving;
mod verified;

use serde_json::{Value, json};

use crate::support::steps::add;
use crate::support::{Caller, Form, Server, field, until};

/// Flags of a server whose receivers are on this machine.
const PRIVATE: [&str; 3] = ["--rate-limits", "off", "--allow-private-webhooks"];

/// A server whose receivers are on this machine.
fn server() -> Server {
    Server::with(&PRIVATE)
}

/// A form with a text (`field_1`).
fn form(owner: &Caller) -> Form {
    owner.form(json!([field("short_text", json!({}))]))
}

/// A webhook of a form.
struct Hook {
    /// Below the API.
    path: String,
    secret: String,
}

/// Adds a webhook for new and changed entries.
fn hook(owner: &Caller, form: &Form, url: &str) -> Hook {
    let made = owner.post(
        format!("{}/integrations/webhooks", form.path()),
        json!({"url": url, "trigger_events": ["entry_created", "entry_updated"]}),
    );
    assert_eq!(made.status, 201, "{url}: {made}");
    let made = made.data();
    let text = |key: &str| made[key].as_str().expect("text").to_owned();
    Hook { path: format!("{}/integrations/webhooks/{}", form.path(), text("id")), secret: text("secret") }
}

/// Adds an entry with this text.
fn enter(owner: &Caller, form: &Form, text: &str) {
    add(owner, form, json!({"field_1": text}));
}

impl Hook {
    /// The latest deliveries, latest first.
    fn deliveries(&self, owner: &Caller) -> Vec<Value> {
        let page = owner.get(format!("{}/deliveries?page_size=100", self.path));
        assert_eq!(page.status, 200, "{page}");
        page.data().as_array().expect("a list").clone()
    }

    /// Waits until the latest delivery is as it should be.
    fn until_latest(&self, owner: &Caller, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let mut latest = Value::Null;
        until(what, || {
            latest = self.deliveries(owner).into_iter().next().unwrap_or_default();
            is(&latest)
        });
        latest
    }

    /// Waits until the latest delivery has been tried and failed.
    fn until_fault(&self, owner: &Caller) -> Value {
        self.until_latest(owner, "a fault", |row| !row["error"].is_null())
    }

    fn until_delivered(&self, owner: &Caller) -> Value {
        self.until_latest(owner, "delivered", |row| row["status"] == "delivered")
    }
}

/// Makes deliveries that were put off due at once, as only time does otherwise.
fn make_due(server: &Server) {
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let sql = "UPDATE outbox SET next_attempt_at = 1 WHERE status = 'pending'";
    database.execute(sql, []).expect("made due");
}
