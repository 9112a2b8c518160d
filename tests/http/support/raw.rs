//! Bytes on a socket, for what no client library would send.

use std::io::{Read as _, Write as _};
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
