//! A receiver of webhooks for tests of deliveries: it serves several paths, keeps events by them, and answers each with
//! a status, a hang-up or nothing, as it is told. Tests of the bytes on the wire use `wire_receiver`.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::until;
use rustix::net::{self, AddressFamily, SocketType};
use serde_json::Value;

/// The receiver's reaction to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Status(u16),
    /// It takes the request and closes the connection.
    HangUp,
    /// It closes the connection before it has read the body.
    HangUpEarly,
    /// It closes the connection in the middle of a good answer.
    Half,
    /// It says nothing until the test lets it.
    Hang,
}

/// A request received; its answer is decided before its body is read.
#[derive(Clone, Debug)]
pub struct Got {
    pub path: String,
    headers: HashMap<String, String>,
    pub bytes: Vec<u8>,
    pub body: Value,
}

impl Got {
    /// A header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The event's id.
    pub fn id(&self) -> &str {
        self.body["id"].as_str().expect("an id")
    }

    /// The event's kind.
    pub fn kind(&self) -> &str {
        self.body["event"].as_str().expect("a kind")
    }

    /// The entry's number.
    pub fn serial(&self) -> i64 {
        let serial = self.body["entry"]["serial_number"].as_i64();
        serial.expect("a number")
    }

    /// The text of the entry's first field.
    pub fn text(&self) -> &str {
        self.body["entry"]["field_1"].as_str().unwrap_or_default()
    }
}

type Policy = Box<dyn FnMut(&Got) -> Answer + Send>;

struct Shared {
    policy: Mutex<Policy>,
    /// All that came whole.
    asked: Mutex<Vec<Got>>,
    /// Requests that got a good answer.
    taken: Mutex<Vec<Got>>,
    hang: AtomicBool,
    ended: AtomicBool,
}

/// A running receiver; it ends with the test.
pub struct Receiver {
    pub port: u16,
    shared: Arc<Shared>,
}

/// A port on which nobody listens. A socket that is bound to it keeps it from other tests; this one may listen later.
pub fn closed_port() -> u16 {
    let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    net::sockopt::set_socket_reuseaddr(&socket, true).expect("an option");
    net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0)).expect("a port");
    let bound = TcpListener::from(socket);
    let port = bound.local_addr().expect("an address").port();
    std::mem::forget(bound);
    port
}

impl Receiver {
    /// One that takes everything.
    pub fn start() -> Self {
        Self::with(|_| Answer::Status(200))
    }

    /// A receiver with this policy.
    pub fn with(policy: impl FnMut(&Got) -> Answer + Send + 'static) -> Self {
        Self::at(0, policy)
    }

    /// One at this port.
    pub fn at(port: u16, policy: impl FnMut(&Got) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind(("0.0.0.0", port)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            policy: Mutex::new(Box::new(policy)),
            asked: Mutex::default(),
            taken: Mutex::default(),
            hang: AtomicBool::new(true),
            ended: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                if theirs.ended.load(Ordering::Relaxed) {
                    break;
                }
                let (Ok(socket), theirs) = (socket, Arc::clone(&theirs)) else {
                    continue;
                };
                std::thread::spawn(move || serve(&socket, &theirs));
            }
        });
        Self { port, shared }
    }

    /// The address of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// From now on it does so.
    pub fn now(&self, policy: impl FnMut(&Got) -> Answer + Send + 'static) {
        *self.shared.policy.lock().expect("no panic") = Box::new(policy);
    }

    /// Lets all that hang go: they are taken.
    pub fn release(&self) {
        self.shared.hang.store(false, Ordering::Relaxed);
    }

    /// The requests to this path, whatever was answered.
    pub fn asked(&self, path: &str) -> Vec<Got> {
        at(&self.shared.asked, path)
    }

    /// The requests to this path that got a good answer.
    pub fn taken(&self, path: &str) -> Vec<Got> {
        at(&self.shared.taken, path)
    }

    /// Waits until so many events were taken at this path; returns them, in the order in which each came first.
    pub fn first_taken(&self, path: &str, count: usize) -> Vec<Got> {
        let mut first = Vec::new();
        until(&format!("{count} events at {path}"), || {
            first = firsts(self.taken(path));
            first.len() >= count
        });
        first
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        self.release();
        // The thread that accepts sees it at the next connection, and gives the port back.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Each event once, as it came first; a repeated event is the same to the byte.
pub fn firsts(all: Vec<Got>) -> Vec<Got> {
    let mut known: HashMap<String, Vec<u8>> = HashMap::new();
    let mut first = Vec::new();
    for got in all {
        match known.get(got.id()) {
            Some(bytes) => assert_eq!(*bytes, got.bytes, "another body under the same id"),
            None => {
                known.insert(got.id().to_owned(), got.bytes.clone());
                first.push(got);
            }
        }
    }
    first
}

fn at(list: &Mutex<Vec<Got>>, path: &str) -> Vec<Got> {
    let list = list.lock().expect("no panic");
    list.iter().filter(|got| got.path == path).cloned().collect()
}

/// Answers requests of one connection until either side closes it.
fn serve(socket: &TcpStream, shared: &Shared) {
    let _ = socket.set_nodelay(true);
    let mut from = BufReader::new(socket);
    while let Some(mut got) = head(&mut from) {
        let answer = (shared.policy.lock().expect("no panic"))(&got);
        if answer == Answer::HangUpEarly || from.read_exact(&mut got.bytes).is_err() {
            return;
        }
        got.body = serde_json::from_slice(&got.bytes).expect("JSON");
        shared.asked.lock().expect("no panic").push(got.clone());
        let status = match answer {
            Answer::Status(status) => status,
            Answer::HangUp | Answer::HangUpEarly => return,
            Answer::Half => {
                let _ = (&*socket).write_all(b"HTTP/1.1 200 OK\r\nContent-Le");
                return;
            }
            Answer::Hang => {
                while shared.hang.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                200
            }
        };
        let text = "mk-receiver-answer";
        let answer = format!(
            "HTTP/1.1 {status} Mk-Reason\r\nContent-Length: {}\r\nX-Receiver: mk-receiver-header\r\n\
             Location: http://127.0.0.1:{}/elsewhere\r\n\r\n{text}",
            text.len(),
            socket.local_addr().map_or(0, |address| address.port()),
        );
        if (200..300).contains(&status) {
            shared.taken.lock().expect("no panic").push(got);
        }
        if (&*socket).write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// The head of the next request, with room for its body.
fn head(from: &mut BufReader<&TcpStream>) -> Option<Got> {
    let mut line = String::new();
    let mut next = || {
        line.clear();
        let read = from.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    };
    let first = next()?;
    let mut words = first.split(' ');
    assert_eq!(words.next(), Some("POST"), "{first}");
    let path = words.next()?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let line = next()?;
        let Some((name, value)) = line.split_once(": ") else {
            assert_eq!(line, "");
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").expect("a length");
    let bytes = vec![0; length.parse().expect("a number")];
    Some(Got { path, headers, bytes, body: Value::Null })
}
