//! The stream of a form's events (handbook: webhooks.md; contract section 9, security S96): its events, its readers,
//! and its duration.

mod limits;
mod reading;
mod resuming;
mod rights;
mod tail;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use support::{Caller, Form, Response, raw};

use crate::delivery::values;
pub use crate::delivery::{fields, simple};

/// The path of a form's stream.
pub fn path(form: &Form) -> String {
    format!("{}/events", form.path())
}

/// Adds an entry; its serial number.
pub fn add(caller: &Caller, form: &Form, text: &str) -> i64 {
    let made = caller.post(form.entries(), values(json!({"field_1": text})));
    assert_eq!(made.status, 201, "{made}");
    made.data()["serial_number"].as_i64().expect("a number")
}

/// One event as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: String,
    pub kind: String,
    pub data: Value,
    /// Its `data` line.
    pub text: String,
}

impl Event {
    pub fn serial(&self) -> i64 {
        let serial = self.data["entry"]["serial_number"].as_i64();
        serial.unwrap_or_else(|| panic!("no entry: {self:?}"))
    }
}

/// An open stream, read byte by byte, since libraries hide the bytes that matter here.
pub struct Stream {
    from: BufReader<TcpStream>,
    pub headers: HashMap<String, String>,
    /// Text received and not read yet.
    text: String,
    pub comments: usize,
    pub retry: Option<u64>,
    /// `Some(true)` after its proper end, `Some(false)` where it broke off.
    pub end: Option<bool>,
}

/// A request for a stream.
pub fn request(caller: &Caller, path: &str, last: Option<&str>) -> String {
    let token = caller.token.as_deref().expect("a token");
    let last = last.map(|last| format!("Last-Event-ID: {last}\r\n"));
    let last = last.unwrap_or_default();
    format!(
        "GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
         Accept: text/event-stream\r\nAccept-Encoding: gzip, br\r\n{last}\r\n"
    )
}

impl Stream {
    /// A stream of the events from now on.
    pub fn open(caller: &Caller, form: &Form) -> Self {
        Self::after(caller, form, None)
    }

    /// A stream that continues after an event.
    pub fn after(caller: &Caller, form: &Form, last: Option<&str>) -> Self {
        Self::try_open(caller, form, last).expect("a stream")
    }

    /// The same; `None` where too many are open, or the server is going down.
    pub fn try_open(caller: &Caller, form: &Form, last: Option<&str>) -> Option<Self> {
        let mut socket = TcpStream::connect(raw::host(&caller.base)).ok()?;
        socket.set_read_timeout(Some(std::time::Duration::from_secs(90))).expect("a time-out");
        socket.write_all(request(caller, &path(form), last).as_bytes()).ok()?;
        let mut from = BufReader::new(socket);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            from.read_line(&mut line).ok().filter(|n| *n > 0)?;
            match line.trim_end() {
                "" => break,
                line => head.push(line.to_owned()),
            }
        }
        if ["HTTP/1.1 429 ", "HTTP/1.1 503 "].iter().any(|no| head[0].starts_with(no)) {
            return None;
        }
        assert_eq!(head[0], "HTTP/1.1 200 OK", "{head:?}");
        let headers = head[1..].iter().filter_map(|line| line.split_once(": "));
        let headers: HashMap<String, String> =
            headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        assert_eq!(headers["transfer-encoding"], "chunked");
        Some(Self { from, headers, text: String::new(), comments: 0, retry: None, end: None })
    }

    /// The next event; `None` at the end of the stream.
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.parsed() {
                return Some(event);
            }
            if self.end.is_some() {
                return None;
            }
            self.receive();
        }
    }

    /// The next event, which has to come.
    pub fn event(&mut self) -> Event {
        self.next().expect("an event before the end")
    }

    /// So many events.
    pub fn events(&mut self, count: usize) -> Vec<Event> {
        (0..count).map(|_| self.event()).collect()
    }

    /// Reads until another comment came.
    pub fn comment(&mut self) {
        let before = self.comments;
        while self.comments == before {
            assert_eq!(self.end, None, "it ended");
            self.receive();
            assert_eq!(self.parsed(), None);
        }
    }

    /// The next event of the text received.
    fn parsed(&mut self) -> Option<Event> {
        while let Some(at) = self.text.find("\n\n") {
            let block: String = self.text.drain(..at + 2).collect();
            if let Some(event) = self.understand(block.trim_end_matches('\n')) {
                return Some(event);
            }
        }
        None
    }

    /// Reads one chunk.
    fn receive(&mut self) {
        let mut line = String::new();
        let size = match self.from.read_line(&mut line) {
            Ok(1..) => usize::from_str_radix(line.trim_end(), 16).ok(),
            Ok(0) => None,
            Err(fault) if fault.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("nothing came for long")
            }
            Err(_) => None,
        };
        let mut chunk = vec![0; size.unwrap_or(0) + 2];
        match size {
            Some(size) if self.from.read_exact(&mut chunk).is_ok() => {
                assert_eq!(&chunk[size..], b"\r\n");
                chunk.truncate(size);
                // A character may be split between chunks of other servers, but each of ours holds whole events.
                self.text.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
                if size == 0 {
                    self.end = Some(true);
                }
            }
            _ => self.end = Some(false),
        }
    }

    fn understand(&mut self, block: &str) -> Option<Event> {
        let (mut id, mut kind, mut data) = (None, None, Vec::new());
        for line in block.split('\n') {
            match line.split_once(':') {
                Some(("", _)) => self.comments += 1,
                Some(("retry", value)) => self.retry = Some(value.trim().parse().expect("ms")),
                Some(("id", value)) => id = Some(value.trim_start().to_owned()),
                Some(("event", value)) => kind = Some(value.trim_start().to_owned()),
                Some(("data", value)) => data.push(value.trim_start().to_owned()),
                _ => panic!("not of the standard: {line:?}"),
            }
        }
        let id = id?;
        assert_eq!(data.len(), 1, "one line");
        Some(Event {
            id,
            kind: kind.expect("a kind"),
            data: serde_json::from_str(&data[0]).expect("JSON"),
            text: data.remove(0),
        })
    }
}

/// The answer where no stream begins.
pub fn refused(caller: &Caller, form: &Form, last: Option<&str>) -> Response {
    let caller = match last {
        Some(last) => caller.header("last-event-id", last),
        None => caller.clone(),
    };
    let answer = caller.get(path(form));
    assert_ne!(answer.status, 200, "{answer}");
    answer
}
