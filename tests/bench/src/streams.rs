//! Event streams: what a thousand open ones cost, how soon an event reaches them all, and what a client costs that comes
//! back after many events.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, process};

/// The most that a server has open.
const STREAMS: usize = 1_000;
/// The most of one token.
const EACH: usize = 5;
const MAX_MEMORY_MB: f64 = 40.0;
/// Events that a client missed.
const MISSED: usize = 100_000;
const MAX_BACKLOG_MB: f64 = 20.0;
const IDLE: Duration = Duration::from_secs(30);

/// Measures them on a service of its own.
pub fn measure(plan: &Plan) -> Table {
    let mut table = Table::default();
    let dir = std::env::temp_dir().join(format!("formsvc-streams-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let fields = json!([{"type": "short_text", "label": "Name"}]);
    let subject = Subject::start(&plan.program, &dir, &fields);
    let seen = open_streams(plan, &subject, &mut table);
    read_backlog(&subject, &seen, &mut table);
    drop(subject);
    std::fs::remove_dir_all(&dir).expect("our own folder");
    table
}

/// Opens all, and returns the id of an event that they got.
fn open_streams(plan: &Plan, subject: &Subject, table: &mut Table) -> String {
    let tokens: Vec<String> = (0..STREAMS / EACH).map(|_| token(plan, subject)).collect();
    add(subject, 1);
    let before = subject.server.memory_mb();
    let owners = tokens.iter().flat_map(|token| [token; EACH]);
    let mut streams: Vec<Stream> = owners.map(|token| Stream::open(subject, token, None)).collect();
    let grown = subject.server.memory_mb() - before;
    table.limit("memory of 1,000 open streams", grown, "MB", MAX_MEMORY_MB);
    let cpu = subject.server.cpu_seconds();
    std::thread::sleep(IDLE);
    let share = (subject.server.cpu_seconds() - cpu) / IDLE.as_secs_f64();
    table.note("CPU while nothing happens", &format!("{:.1} %", share * 100.0));
    let begun = Instant::now();
    add(subject, 1);
    let mut ids: Vec<String> = streams.iter_mut().map(|it| it.ids(1)).collect();
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    table.note("until an event has reached all of them", &format!("{took:.0} ms"));
    ids.pop().expect("an id")
}

/// Comes back after many events.
fn read_backlog(subject: &Subject, seen: &str, table: &mut Table) {
    add(subject, MISSED);
    let before = subject.server.memory_mb();
    let begun = Instant::now();
    Stream::open(subject, &subject.token, Some(seen)).ids(MISSED);
    let rate = MISSED as f64 / begun.elapsed().as_secs_f64();
    table.note("events that one client catches up on", &format!("{rate:.0}/s"));
    let grown = subject.server.memory_mb() - before;
    table.limit("memory of that", grown, "MB", MAX_BACKLOG_MB);
}

fn token(plan: &Plan, subject: &Subject) -> String {
    let data = subject.data.to_str().expect("a path");
    let args = ["token", "create", "--user", "bench@example.com"];
    let more = ["--name", "stream", "--scope", "entry:read"];
    let all = [&args[..], &more, &["--data-dir", data]].concat();
    process::output(&plan.program, &all, "")
}

/// Adds so many entries.
fn add(subject: &Subject, count: usize) {
    let entry = json!({"field_values": {"field_1": "Ada Lovelace"}});
    let path = format!("/api/v1/forms/{}/entries/bulk", subject.form);
    for begin in (0..count).step_by(500) {
        let entries = vec![&entry; (count - begin).min(500)];
        subject.ask("POST", &path, &json!({"entries": entries}).to_string());
    }
}

/// An open stream.
struct Stream {
    socket: TcpStream,
    text: String,
}

impl Stream {
    fn open(subject: &Subject, token: &str, last: Option<&str>) -> Self {
        let address = subject.server.base.trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).expect("connects");
        let last = last.map_or_else(String::new, |last| format!("Last-Event-ID: {last}\r\n"));
        let head = format!(
            "GET /api/v1/forms/{}/events HTTP/1.1\r\nHost: bench\r\n\
             Authorization: Bearer {token}\r\n{last}\r\n",
            subject.form
        );
        socket.write_all(head.as_bytes()).expect("sends");
        let mut stream = Self { socket, text: String::new() };
        while !stream.text.contains("\r\n\r\n") {
            stream.receive();
        }
        assert!(stream.text.starts_with("HTTP/1.1 200 "), "{}", stream.text);
        stream
    }

    fn receive(&mut self) {
        let mut piece = [0; 1 << 16];
        let read = self.socket.read(&mut piece).expect("a stream");
        assert!(read > 0, "it ended");
        self.text.push_str(&String::from_utf8_lossy(&piece[..read]));
    }

    /// Reads so many events; the id of the last one.
    fn ids(&mut self, count: usize) -> String {
        let mut last = String::new();
        for _ in 0..count {
            loop {
                let whole = self.text.find("\ndata: ").and_then(|at| {
                    let end = at + self.text[at..].find("}\n\n")?;
                    let (_, id) = self.text[..at].split_once("\nid: ")?;
                    Some((id.split('\n').next()?.to_owned(), end))
                });
                if let Some((id, end)) = whole {
                    last = id;
                    self.text.drain(..end);
                    break;
                }
                self.receive();
            }
        }
        last
    }
}
