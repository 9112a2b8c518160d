//! Bytes on a socket, for what no client library would send.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// The host and port of a server's address.
pub fn host(base: &str) -> &str {
    base.trim_start_matches("http://")
}

/// An open connection.
pub fn connect(base: &str) -> TcpStream {
    let socket = TcpStream::connect(host(base)).expect("connects");
    socket
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a time-out");
    socket
}

/// Sends bytes and reads until the other side closes; the server is asked to close by the request
/// itself (`Connection: close`) or does so because of what it was sent.
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

/// The statuses of all answers in what was read.
pub fn statuses(got: &str) -> Vec<&str> {
    got.match_indices("HTTP/1.")
        .map(|(at, _)| got.get(at + 9..at + 12).unwrap_or("cut"))
        .collect()
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
