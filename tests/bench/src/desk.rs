//! Somebody signed in to the pages, as a browser is.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::load::Make;

const POLL: Duration = Duration::from_millis(100);
/// The kind of a posted form.
const PAIRS: &str = "application/x-www-form-urlencoded";

/// A session, with the token that its forms are posted with.
pub struct Desk {
    base: String,
    cookie: String,
    csrf: String,
}

/// How long an answer took, and its size.
pub struct Told {
    /// Seconds until something came.
    pub first: f64,
    /// Seconds until all had come.
    pub whole: f64,
    pub bytes: usize,
}

impl Desk {
    pub fn sign_in(base: &str, email: &str, password: &str) -> Self {
        let mut desk = Self { base: base.to_owned(), cookie: String::new(), csrf: String::new() };
        desk.visit("/sign-in");
        let body = format!("csrf={}&email={email}&password={}", desk.csrf, password.replace(' ', "+"));
        let (head, _) = desk.exchange("POST", "/sign-in", "text/html", (PAIRS, body.as_bytes()));
        assert!(head.starts_with("HTTP/1.1 303"), "{head}");
        desk.keep(&head);
        desk.visit("/profile");
        desk
    }

    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Goes to a page and keeps its cookies and its token.
    fn visit(&mut self, path: &str) {
        let (head, page) = self.exchange("GET", path, "text/html", ("text/plain", b""));
        self.keep(&head);
        let token = page.split_once("name=\"csrf\" value=\"").and_then(|(_, rest)| rest.split('"').next());
        self.csrf = token.expect("a token").to_owned();
    }

    fn keep(&mut self, head: &str) {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let pairs: Vec<&str> = cookies.filter_map(|(_, cookie)| cookie.split(';').next()).collect();
        if !pairs.is_empty() {
            self.cookie = pairs.join("; ");
        }
    }

    fn host(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    fn send(&self, method: &str, path: &str, accept: &str, (kind, body): (&str, &[u8])) -> TcpStream {
        let mut socket = TcpStream::connect(self.host()).expect("connects");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nConnection: close\r\nAccept: {accept}\r\n\
             Cookie: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.host(),
            self.base,
            self.cookie,
            body.len()
        );
        socket.write_all(head.as_bytes()).expect("sends");
        socket.write_all(body).expect("sends");
        socket
    }

    /// A request as a browser makes it: the head and the body of the answer.
    pub fn exchange(&self, method: &str, path: &str, accept: &str, body: (&str, &[u8])) -> (String, String) {
        let mut answer = Vec::new();
        self.send(method, path, accept, body).read_to_end(&mut answer).expect("answers");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        (head.to_owned(), body.to_owned())
    }

    /// Posts a form; the address to which that leads.
    pub fn post(&self, path: &str, pairs: &str) -> String {
        let body = format!("csrf={}&{pairs}", self.csrf);
        led(&self.exchange("POST", path, "text/html", (PAIRS, body.as_bytes())))
    }

    /// Waits until a job is over.
    pub fn wait_for(&self, job: &str) {
        loop {
            let (_, state) = self.exchange("GET", job, "application/json", ("text/plain", b""));
            let state: Value = serde_json::from_str(&state).expect("JSON");
            if state["data"]["is_over"] == true {
                return;
            }
            thread::sleep(POLL);
        }
    }

    /// The address of a page's link with this relation.
    pub fn link(&self, path: &str, rel: &str) -> Option<String> {
        let (head, page) = self.exchange("GET", path, "text/html", ("text/plain", b""));
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        let (before, _) = page.split_once(&format!("\" rel=\"{rel}\""))?;
        let (_, address) = before.rsplit_once("href=\"")?;
        Some(address.replace("&amp;", "&"))
    }

    /// Requests for a page.
    pub fn page(&self, path: &str) -> Make {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host(), self.cookie).into_bytes();
        Arc::new(move |_| request.clone())
    }

    /// Fetches a page or a file without keeping it.
    pub fn fetch(&self, path: &str) -> Told {
        let begun = Instant::now();
        let mut socket = self.send("GET", path, "text/html", ("text/plain", b""));
        let (mut first, mut bytes, mut piece) = (0.0, 0, vec![0; 1 << 16]);
        loop {
            let read = socket.read(&mut piece).expect("answers");
            if bytes == 0 {
                first = begun.elapsed().as_secs_f64();
                let start = String::from_utf8_lossy(&piece[..read]);
                assert!(start.starts_with("HTTP/1.1 200"), "{start}");
            }
            if read == 0 {
                return Told { first, whole: begun.elapsed().as_secs_f64(), bytes };
            }
            bytes += read;
        }
    }
}

/// Where an answer leads.
pub fn led((head, body): &(String, String)) -> String {
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let location = lines.filter(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, value)| value).next();
    location.expect("a location").to_owned()
}

/// A text in an address.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
