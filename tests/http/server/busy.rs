//! More writes than may wait: those are refused with 503 and `Retry-After`, all others are answered and kept.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use rusqlite::Connection;
use serde_json::json;
use support::raw::connect;
use support::{Server, field, until};

/// More writes than the queue takes, with those in progress beside it.
const WRITES: usize = 1400;
const TOO_MANY: &str = "too many writes are waiting";

/// The whole answer that has come, if it is there.
fn answer(socket: &mut TcpStream) -> Option<String> {
    socket.set_nonblocking(true).expect("a mode");
    let mut got = vec![0; 8192];
    match socket.peek(&mut got) {
        Ok(n @ 1..) => Some(String::from_utf8_lossy(&got[..n]).into_owned()),
        _ => None,
    }
}

#[test]
fn writes_beyond_the_queue_are_refused_and_none_is_lost() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    // Nothing is committed while another holds the database.
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let hold = "PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE";
    database.execute_batch(hold).expect("is held");
    let body = json!({"field_values": {"field_1": "x"}}).to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        form.submissions(),
        body.len()
    );
    let mut sockets: Vec<TcpStream> = (0..WRITES)
        .map(|_| {
            let mut socket = connect(&server.base);
            socket.write_all(request.as_bytes()).expect("sent");
            socket
        })
        .collect();
    until("some are refused", || {
        let mut answers = sockets.iter_mut().filter_map(answer);
        answers.any(|got| got.to_lowercase().contains(TOO_MANY))
    });
    // Reads go on.
    assert_eq!(owner.get(form.entries()).status, 200);
    database.execute_batch("ROLLBACK").expect("let go");
    drop(database);
    let (mut kept, mut refused) = (0, 0);
    for mut socket in sockets {
        socket.set_nonblocking(false).expect("a mode");
        let mut got = String::new();
        socket.read_to_string(&mut got).expect("an answer");
        if got.starts_with("HTTP/1.1 201") {
            kept += 1;
        } else {
            assert!(got.starts_with("HTTP/1.1 503"), "{got}");
            assert!(got.to_lowercase().contains("\r\nretry-after: "), "{got}");
            refused += 1;
        }
    }
    assert!(refused > 0 && kept > 0, "{kept} kept, {refused} refused");
    let listed = owner.get(form.entries()).json();
    assert_eq!(listed["pagination"]["total"], kept);
    let again = json!({"field_values": {"field_1": "x"}});
    assert_eq!(server.anon().post(form.submissions(), again).status, 201);
}
