//! The end of the service: earlier requests are answered or refused.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use support::raw::{self, connect, is_closed, statuses};
use support::{Server, field, until};

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn a_request_in_flight_is_answered_at_the_end() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let body = json!({"field_values": {"field_1": "the last one"}}).to_string();
    let (first, rest) = body.split_at(10);
    let mut flying = connect(&server.base);
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{first}",
        form.submissions(),
        body.len()
    );
    flying.write_all(head.as_bytes()).expect("sent");
    let mut idle = connect(&server.base);
    idle.write_all(GET.as_bytes()).expect("sent");
    idle.read_exact(&mut [0]).expect("an answer");
    server.signal("TERM");
    assert!(is_closed(idle, Duration::from_secs(60)));
    until("new clients are refused", || TcpStream::connect(raw::host(&server.base)).is_err());
    assert!(server.is_running());
    flying.write_all(rest.as_bytes()).expect("sent");
    let mut got = String::new();
    flying.read_to_string(&mut got).expect("an answer");
    assert_eq!(statuses(&got), ["201"], "{got}");
    assert_eq!(server.wait(), Some(0));
}

/// Sends a request and reads its answer whole; `None` if the connection was closed instead.
fn submit(socket: &mut TcpStream, request: &[u8]) -> Option<u16> {
    let mut head = Vec::new();
    let mut byte = [0];
    let sent = socket.write_all(request);
    while sent.is_ok() && !head.ends_with(b"\r\n\r\n") {
        match socket.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => break,
        }
    }
    if head.is_empty() {
        return None;
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.split("content-length: ").nth(1).expect("a length");
    let length = length.lines().next().expect("a line").parse().expect("a number");
    socket.read_exact(&mut vec![0; length]).expect("the whole answer");
    Some(statuses(&head.to_uppercase())[0].parse().expect("a status"))
}

#[test]
fn what_is_stored_was_answered_though_the_end_came() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let body = json!({"field_values": {"field_1": "one of many"}}).to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        form.submissions(),
        body.len()
    );
    let first = AtomicU64::new(0);
    let stored = thread::scope(|scope| {
        let senders: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut stored = 0;
                    while let Ok(mut socket) = TcpStream::connect(raw::host(&server.base)) {
                        // Some on one connection, then a new one: both ends of it are tried.
                        for _ in 0..5 {
                            match submit(&mut socket, request.as_bytes()) {
                                Some(201) => {
                                    stored += 1;
                                    first.fetch_add(1, Ordering::Relaxed);
                                }
                                Some(503) | None => break,
                                Some(status) => panic!("{status}"),
                            }
                        }
                    }
                    stored
                })
            })
            .collect();
        until("many are stored", || first.load(Ordering::Relaxed) > 200);
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        senders.into_iter().map(|sender| sender.join().expect("no panic")).sum::<u64>()
    });
    let server = Server::over(dir.path(), &[]);
    let list = server.anon().with_token(owner.token.as_deref().expect("a token")).get(form.entries());
    assert_eq!(list.json()["pagination"]["total"], stored, "{list}");
}
