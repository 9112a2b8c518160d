//! PocketBase with the same values, over its own API.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::process::{self, Running};

/// A running PocketBase with a public collection `entries` of twelve values.
pub fn start(program: &Path, dir: &Path) -> Running {
    start_with(program, dir, 12, &[5])
}

/// The same with this many values; `numbers` are numeric.
pub fn start_with(program: &Path, dir: &Path, fields: usize, numbers: &[usize]) -> Running {
    let folder = dir.join("pocketbase");
    let folder = folder.to_str().expect("a path");
    let account = ["superuser", "upsert", "bench@example.com", "bench-password"];
    process::output(program, &[&account[..], &["--dir", folder]].concat(), "");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let child = Command::new(program)
        .args(["serve", "--dir", folder, "--http", &format!("127.0.0.1:{port}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let running = Running::at(format!("http://127.0.0.1:{port}"), child);
    let signed_in = process::ask(
        &running.base,
        "POST",
        "/api/collections/_superusers/auth-with-password",
        None,
        &json!({"identity": "bench@example.com", "password": "bench-password"}).to_string(),
    );
    let token = signed_in["token"].as_str().expect("a token");
    let kind = |n: usize| {
        if numbers.contains(&n) { "number" } else { "text" }
    };
    let fields: Vec<_> = (1..=fields).map(|n| json!({"name": format!("field_{n}"), "type": kind(n)})).collect();
    let open = json!({
        "name": "entries", "type": "base", "fields": fields,
        "createRule": "", "listRule": "", "viewRule": "",
    });
    let path = "/api/collections";
    process::ask(&running.base, "POST", path, Some(token), &open.to_string());
    running
}
