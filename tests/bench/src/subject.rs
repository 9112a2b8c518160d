//! The measured service, with one owner and one form.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::process::{self, Running};

/// A running service.
pub struct Subject {
    pub server: Running,
    pub form: String,
    /// The owner's access token.
    pub token: String,
    /// The data directory.
    pub data: PathBuf,
}

impl Subject {
    /// Starts the program without rate limits and creates a form with these fields.
    pub fn start(program: &Path, dir: &Path, fields: &Value) -> Self {
        Self::start_with(program, dir, &["--rate-limits", "off"], fields)
    }

    /// The same with other flags.
    pub fn start_with(program: &Path, dir: &Path, flags: &[&str], fields: &Value) -> Self {
        let dir = dir.join("formsvc");
        let data = dir.to_str().expect("a path").to_owned();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &data];
        let server = Running::start(Command::new(program).args(serve).args(flags));
        let run =
            |args: &[&str], stdin: &str| process::output(program, &[args, &["--data-dir", &data]].concat(), stdin);
        run(&["user", "create", "bench@example.com", "--name", "Bench"], "");
        let scopes = ["form:read", "form:write", "entry:read", "entry:write", "integration:write"];
        let ask = ["token", "create", "--user", "bench@example.com", "--name", "bench", "--scope"];
        let token = run(&[&ask[..], &scopes[..]].concat(), "");
        let mut subject = Self { server, form: String::new(), token, data: dir };
        subject.form = subject.new_form("Bench", fields);
        subject
    }

    /// Creates another form and returns its token.
    pub fn new_form(&self, name: &str, fields: &Value) -> String {
        let form = json!({"name": name, "fields": fields});
        let made = self.ask("POST", "/api/v1/forms", &form.to_string());
        made["data"]["token"].as_str().expect("a form").to_owned()
    }

    /// A request with the owner's token.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        process::ask(&self.server.base, method, path, Some(&self.token), body)
    }

    /// The status of a request with the owner's token.
    pub fn status(&self, path: &str, body: &Value) -> u16 {
        let request = load::post_json(path, &self.token, &body.to_string());
        process::status(&self.server.base, &request)
    }

    /// Requests to read the form or its entries.
    pub fn read(&self, path: &str) -> Make {
        let (path, token) = (format!("/api/v1/forms/{}{path}", self.form), self.token.clone());
        Arc::new(move |_| load::get(&path, Some(&token)))
    }

    /// Requests for its entries by serial number.
    pub fn by_serial(&self, entries: u64) -> Make {
        let (form, token) = (self.form.clone(), self.token.clone());
        Arc::new(move |n| {
            let serial = n.wrapping_mul(7919) % entries + 1;
            load::get(&format!("/api/v1/forms/{form}/entries/{serial}"), Some(&token))
        })
    }
}
