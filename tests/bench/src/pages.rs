//! The form page: the server's time for it, and what a browser loads to show it.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::load::Make;
use crate::process::Running;
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, rows};

/// This many fields of common kinds, every second one with help.
fn fields(count: usize) -> Value {
    let choices = json!([
        {"api_code": "a", "label": "Every day"}, {"api_code": "b", "label": "Once a week"},
        {"api_code": "c", "label": "Now and then"}, {"api_code": "d", "label": "Never"}]);
    let kinds =
        ["short_text", "radio", "email", "long_text", "number", "checkbox", "date", "dropdown", "name", "rating"];
    let field = |n: usize| {
        let kind = kinds[n % kinds.len()];
        let mut field = json!({"type": kind, "label": format!("Question number {n}"), "required": n.is_multiple_of(3)});
        if n.is_multiple_of(2) {
            field["notes"] = json!("<p>A sentence that says what is meant.</p>");
        }
        if matches!(kind, "radio" | "checkbox" | "dropdown") {
            field["choices"] = choices.clone();
        }
        field
    };
    (0..count).map(field).collect()
}

fn request(path: &str, encoding: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAccept-Encoding: {encoding}\r\n\r\n").into_bytes()
}

/// One whole answer, undecoded.
fn fetch(base: &str, path: &str, encoding: &str) -> Vec<u8> {
    let mut socket = TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
    let closing = String::from_utf8_lossy(&request(path, encoding)).replacen(
        "Host: bench",
        "Host: bench\r\nConnection: close",
        1,
    );
    socket.write_all(closing.as_bytes()).expect("sends");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).expect("answers");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{path}");
    answer
}

/// Everything a browser loads for a page: the page, style, scripts and their imports.
fn parts(base: &str, path: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([path.to_owned()]);
    let mut next = vec![path.to_owned()];
    while let Some(at) = next.pop() {
        let text = String::from_utf8_lossy(&fetch(base, &at, "identity")).into_owned();
        let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
        for piece in text.split('"') {
            let found = match piece.strip_prefix("./") {
                Some(name) if name.ends_with(".js") => format!("{folder}/{name}"),
                _ if piece.starts_with("/assets/") => piece.to_owned(),
                _ => continue,
            };
            if all.insert(found.clone()) && found.ends_with(".js") {
                next.push(found);
            }
        }
    }
    all
}

/// Forms of 30 and of 300 fields.
pub fn measure(plan: &Plan, subject: &Subject, constant: &Running, table: &mut Table) {
    let server = &subject.server;
    let nothing: Make = Arc::new(|_| request("/", "gzip"));
    for (count, share, most_kb) in [(30, 0.01, 60.0), (300, 0.001, 90.0)] {
        let path = format!("/f/{}", subject.new_form("Page", &fields(count)));
        let page: Make = Arc::new({
            let path = path.clone();
            move |_| request(&path, "gzip")
        });
        let work = format!("form page of {count} fields");
        let all: [(&str, &[u16], &Make); 2] = [(&server.base, &[200], &page), (&constant.base, &[200], &nothing)];
        let figures = rows::by_turns(plan.seconds, 4, &all);
        table.ratio(&work, figures[0].rate, "constant answer", figures[1].rate, share);
        let alone = rows::by_turns(plan.seconds, 1, &all[..1]);
        table.note(&format!("{work}, p50 and p99"), &format!("{:.2} and {:.2} ms", alone[0].p50, alone[0].p99));
        let bytes: usize = parts(&server.base, &path).iter().map(|part| fetch(&server.base, part, "gzip").len()).sum();
        table.limit(&format!("{work}, all that is fetched"), bytes as f64 / 1024.0, "KB", most_kb);
    }
}
