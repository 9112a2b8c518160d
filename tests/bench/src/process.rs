//! Child processes: starting, requests, and their resources.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of any kind; killed on drop.
pub struct Running {
    /// `http://127.0.0.1:PORT`
    pub base: String,
    /// From start until the program has printed its address and answered a first request.
    pub ready_after: Duration,
    child: Child,
}

impl Running {
    /// Starts a program that prints a line with its address.
    pub fn start(command: &mut Command) -> Self {
        let begun = Instant::now();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let base = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                let at = line.find("http://")?;
                line.contains("listening").then(|| line[at..].trim_end_matches('/').trim().to_owned())
            })
            .expect("an address");
        std::thread::spawn(move || lines.for_each(drop));
        wait_for(&base);
        Self { base, ready_after: begun.elapsed(), child }
    }

    /// Takes over a running program with a known address.
    pub fn at(base: String, child: Child) -> Self {
        wait_for(&base);
        Self { base, ready_after: Duration::ZERO, child }
    }

    /// Resident memory in megabytes.
    pub fn memory_mb(&self) -> f64 {
        self.status_mb("VmRSS:")
    }

    /// Peak resident memory in megabytes.
    pub fn peak_mb(&self) -> f64 {
        self.status_mb("VmHWM:")
    }

    fn status_mb(&self, name: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find(|line| line.starts_with(name));
        let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        kb.expect("a figure") / 1024.0
    }

    /// CPU seconds used so far.
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(&format!("/proc/{}/stat", self.child.id()))
    }

    /// CPU seconds of its threads with that name.
    pub fn cpu_seconds_of(&self, thread: &str) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let paths = tasks.expect("it runs").flatten().map(|task| task.path());
        let own = paths.filter(|path| {
            let name = std::fs::read_to_string(path.join("comm"));
            name.is_ok_and(|name| name.trim() == thread)
        });
        own.map(|path| cpu_seconds(&path.join("stat").display().to_string())).sum()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// CPU seconds used by the calling thread so far.
pub fn own_cpu_seconds() -> f64 {
    cpu_seconds("/proc/thread-self/stat")
}

/// Reads one of the kernel's `stat` files, which count in hundredths.
fn cpu_seconds(path: &str) -> f64 {
    let stat = std::fs::read_to_string(path).unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |parts| parts.1);
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Waits until something answers at the address.
fn wait_for(base: &str) {
    let address = base.trim_start_matches("http://");
    let begun = Instant::now();
    while std::net::TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing at {base}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a command and returns its output.
pub fn output(program: &Path, args: &[&str], stdin: &str) -> String {
    let mut child =
        Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    let done = child.wait_with_output().expect("ends");
    assert!(done.status.success(), "{} {args:?} failed", program.display());
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// One request with a JSON answer, for setup.
pub fn ask(base: &str, method: &str, path: &str, token: Option<&str>, body: &str) -> serde_json::Value {
    use std::io::{Read as _, Write as _};
    let mut socket = std::net::TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
    let head = head(method, path, token, "application/json", body);
    socket.write_all(head.as_bytes()).expect("sends");
    socket.write_all(body.as_bytes()).expect("sends");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 2"), "{answer}");
    serde_json::from_str(body).unwrap_or_default()
}

/// Sends a request and returns the status of the answer.
pub fn status(base: &str, request: &[u8]) -> u16 {
    use std::io::{Read as _, Write as _};
    let mut socket = std::net::TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
    socket.write_all(request).expect("sends");
    let mut head = [0; 12];
    socket.read_exact(&mut head).expect("answers");
    let status = std::str::from_utf8(&head[9..]).expect("text");
    status.parse().expect("a status")
}

/// Sends a body, reads the answer without keeping it, and returns its length.
pub fn drain(base: &str, method: &str, path: &str, token: Option<&str>, (kind, body): (&str, &str)) -> usize {
    use std::io::{Read as _, Write as _};
    let mut socket = std::net::TcpStream::connect(base.trim_start_matches("http://")).expect("connects");
    let head = head(method, path, token, kind, body);
    socket.write_all(head.as_bytes()).expect("sends");
    socket.write_all(body.as_bytes()).expect("sends");
    let (mut length, mut piece) = (0, vec![0; 1 << 16]);
    loop {
        let read = socket.read(&mut piece).expect("answers");
        if length == 0 {
            let start = String::from_utf8_lossy(&piece[..read]);
            assert!(start.starts_with("HTTP/1.1 2"), "{start}");
        }
        if read == 0 {
            return length;
        }
        length += read;
    }
}

fn head(method: &str, path: &str, token: Option<&str>, kind: &str, body: &str) -> String {
    let auth = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    format!(
        "{method} {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n{auth}\
         Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
}
