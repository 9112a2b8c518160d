//! Bytes on a socket, for requests that no client library would send.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// The host and port of a server's address.
pub fn host(base: &str) -> &str {
    base.trim_start_matches("http://")
}

/// An open connection.
pub fn connect(base: &str) -> TcpStream {
    let socket = TcpStream::connect(host(base)).expect("connects");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    socket
}

/// Sends bytes and reads until the other side closes; the server is asked to close by the request itself (`Connection:
/// close`) or closes because of the request.
pub fn exchange(base: &str, request: &[u8]) -> String {
    let mut socket = connect(base);
    // The other side may refuse before it has read everything.
    let _ = socket.write_all(request);
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// How many answers the text holds.
pub fn answers(text: &str) -> usize {
    text.matches("HTTP/1.1 ").count()
}

/// The statuses of all answers in the text.
pub fn statuses(got: &str) -> Vec<&str> {
    got.match_indices("HTTP/1.").map(|(at, _)| got.get(at + 9..at + 12).unwrap_or("cut")).collect()
}

/// Whether the other end has closed; waits for that at most this long.
pub fn is_closed(mut socket: TcpStream, within: Duration) -> bool {
    socket.set_read_timeout(Some(within)).expect("a time-out");
    let mut rest = Vec::new();
    match socket.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(fault) => fault.kind() != ErrorKind::WouldBlock,
    }
}

/// One connection that is kept for many requests, of a client that bears it to break off at any byte.
pub struct Talk(TcpStream);

impl Talk {
    /// `None` when nobody listens any more.
    pub fn open(base: &str) -> Option<Self> {
        let socket = TcpStream::connect(host(base)).ok()?;
        socket.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        socket.set_nodelay(true).ok()?;
        Some(Self(socket))
    }

    /// Posts JSON; the status and the body, or `None` when no whole answer came.
    pub fn post(&mut self, path: &str, body: &Value) -> Option<(u16, String)> {
        self.ask("POST", path, "X-Nothing: more", Some(body))
    }

    /// Asks with one more header, and with a body or without; the status and the body of the answer.
    pub fn ask(&mut self, method: &str, path: &str, header: &str, body: Option<&Value>) -> Option<(u16, String)> {
        let body = body.map(ToString::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        self.send(method, path, &format!("{header}\r\n{kind}"), &body)
    }

    /// Sends a body of any type under these lines of the head, each with its end; the status and the body of the answer.
    pub fn send(&mut self, method: &str, path: &str, head: &str, body: &str) -> Option<(u16, String)> {
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: a\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.0.write_all(request.as_bytes()).ok()?;
        let mut got = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match self.0.read(&mut buffer) {
                Ok(n @ 1..) => got.extend_from_slice(&buffer[..n]),
                _ => return None,
            }
            let text = String::from_utf8_lossy(&got);
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1)?;
                if body.len() >= length.lines().next()?.parse().ok()? {
                    return Some((statuses(&text)[0].parse().ok()?, body.to_owned()));
                }
            }
        }
    }
}
