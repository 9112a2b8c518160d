//! The public door: a running server, callers, builders. Nothing here looks inside the program.

pub mod client;
pub mod clock;
pub mod contract;
pub mod expect;
pub mod form_page;
pub mod images;
pub mod means;
pub mod multipart;
pub mod page_text;
pub mod pdf;
pub mod peers;
pub mod random_forms;
pub mod raw;
pub mod refusals;
pub mod session;
pub mod sharing;
pub mod sheets;
pub mod steps;
pub mod store;
pub mod tables;
pub mod tls;
pub mod uploads;
pub mod world;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub use client::{Caller, Form, Response};

/// The program that tests start: the one that the variable TEST_PROGRAM names, such as a released one, or else the one
/// that cargo built beside them.
pub static PROGRAM: LazyLock<String> =
    LazyLock::new(|| std::env::var("TEST_PROGRAM").unwrap_or_else(|_| built("formsvc")));

/// The same with a clock and a disk that tests command: see `tests/faults`.
pub static FAULTY_PROGRAM: LazyLock<String> = LazyLock::new(|| built("formsvc-faults"));

/// A program that cargo built beside the tests.
fn built(name: &str) -> String {
    let tests = std::env::current_exe().expect("the tests' own path");
    let profile = tests.ancestors().nth(2).expect("target/PROFILE/deps");
    let program = profile.join(name);
    assert!(program.is_file(), "{} is missing: run `cargo build --workspace` before the tests", program.display());
    program.to_str().expect("a plain path").to_owned()
}

/// The longest wait for what a test waits for. Work of low priority takes minutes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// The most lines of a server's stderr that a failing test shows.
const LINES_SHOWN: usize = 20;

/// A running server in its own data dir; killed on drop.
pub struct Server {
    /// Where it is reached.
    pub base: String,
    /// The one-time link that it printed, when it had no users.
    pub setup_link: Option<String>,
    /// Its data dir.
    pub dir: PathBuf,
    child: Mutex<Child>,
    stderr: std::sync::Arc<Mutex<String>>,
    stderr_reader: Mutex<Option<JoinHandle<()>>>,
    owned: Option<TempDir>,
}

static USERS: AtomicU32 = AtomicU32::new(1);

impl Server {
    /// A server that no other test uses, with the default settings but for the rate limits. `why` tells readers what
    /// keeps the test from the shared one.
    pub fn alone(why: &str) -> Self {
        assert!(!why.is_empty());
        Self::with(&["--rate-limits", "off"])
    }

    /// A server with its own data dir and these flags.
    pub fn with(flags: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut server = Self::over(dir.path(), flags);
        server.owned = Some(dir);
        server
    }

    /// One over a data dir that the test keeps.
    pub fn over(dir: &Path, flags: &[&str]) -> Self {
        let mut command = Command::new(&*PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir).args(flags);
        Self::launch(command, dir)
    }

    /// Runs a command that serves, and waits until it says where.
    pub fn launch(mut command: Command, dir: &Path) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stderr = std::sync::Arc::new(Mutex::new(String::new()));
        let (mut from, to) = (child.stderr.take().expect("piped"), stderr.clone());
        let stderr_reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
                to.lock().expect("no panic").push_str(&text);
            }
        });
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut base = None;
        let mut setup_link = None;
        for line in lines.by_ref() {
            let line = line.expect("text");
            if let Some(at) = line.find("/setup/") {
                let start = line[..at].rfind("http").expect("an address");
                setup_link = Some(line[start..].trim().to_owned());
            } else if base.is_none() && line.contains("listening on") {
                base = line.split_whitespace().last().map(str::to_owned);
            }
            if base.is_some() && (setup_link.is_some() || dir_has_users(dir)) {
                break;
            }
        }
        // Later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let Some(base) = base else {
            let _ = child.wait();
            panic!("no address was printed; stderr: {}", stderr.lock().expect("no panic"));
        };
        Self {
            base: base.trim_end_matches('/').to_owned(),
            setup_link,
            dir: dir.to_owned(),
            child: Mutex::new(child),
            stderr,
            stderr_reader: Mutex::new(Some(stderr_reader)),
            owned: None,
        }
    }

    /// The one that tests share when they don't need their own; users keep them apart.
    pub fn shared() -> &'static Self {
        Self::shared_with(&["--rate-limits", "off"])
    }

    /// The one that tests share that need these flags.
    pub fn shared_with(flags: &[&str]) -> &'static Self {
        type Servers = Mutex<HashMap<Vec<String>, &'static OnceLock<Server>>>;
        static SHARED: LazyLock<Servers> = LazyLock::new(Servers::default);
        let key = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let place = *SHARED.lock().expect("no panic").entry(key).or_insert_with(|| Box::leak(Box::default()));
        place.get_or_init(|| {
            let server = Self::with(flags);
            server.end_with_tests();
            server
        })
    }

    /// Nothing drops statics that tests share: a shell waits for the end of a pipe that this process holds, and ends
    /// the server then.
    fn end_with_tests(&self) {
        let script = "cat >/dev/null; kill -s KILL \"$0\"; rm -rf \"$1\"";
        let guard = Command::new("sh")
            .args(["-c", script, &self.pid().to_string()])
            .arg(&self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        std::mem::forget(guard);
    }

    /// A new user of the first organisation, with a token of all scopes.
    pub fn user(&self) -> Caller {
        let email = format!("user{}@example.com", USERS.fetch_add(1, Ordering::Relaxed));
        self.user_named(&email, "Ada Lovelace")
    }

    /// A new user with this address.
    pub fn user_named(&self, email: &str, name: &str) -> Caller {
        let made = self.run(&["user", "create", email, "--name", name, "--with-token"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        Caller::new(&self.base, Some(text(&made.stdout).trim()), email)
    }

    /// The owner of another organisation, who has no token yet.
    pub fn stranger(&self, email: &str) {
        let organization = ["--name", "F", "--organization", "Far"];
        let made = self.run(&[&["user", "create", email][..], &organization].concat());
        assert!(made.status.success(), "{}", text(&made.stderr));
    }

    /// A caller with a new token of these scopes.
    pub fn token(&self, email: &str, scopes: &str) -> Caller {
        let mut args = vec!["token", "create", "--user", email, "--name", "test", "--scope"];
        args.extend(scopes.split_whitespace());
        let made = self.run(&args);
        assert!(made.status.success(), "{}", text(&made.stderr));
        Caller::new(&self.base, Some(text(&made.stdout).trim()), email)
    }

    /// Nobody.
    pub fn anon(&self) -> Caller {
        Caller::new(&self.base, None, "")
    }

    /// Runs a command of the program on this data dir.
    pub fn run(&self, args: &[&str]) -> Output {
        formsvc(&self.dir, args, "")
    }

    /// Its output on stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no panic").clone()
    }

    /// The most memory that it took so far, in bytes.
    pub fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let status = status.expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        let kilobytes: usize = kilobytes.and_then(|text| text.parse().ok()).expect("kB");
        kilobytes << 10
    }

    /// The processor time that it took so far. Other programs make a task slower, but hardly dearer.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        let stat = stat.expect("it runs");
        // Behind the name, which stands in parentheses: user and system time are the 12th and 13th.
        let (_, rest) = stat.rsplit_once(") ").expect("a name");
        let ticks = rest.split(' ').skip(11).take(2);
        let ticks: u64 = ticks.map(|n| n.parse::<u64>().expect("ticks")).sum();
        // Linux counts a hundred to the second here, whatever its own clock does.
        Duration::from_millis(ticks * 10)
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.lock().expect("no panic").id()
    }

    /// Whether it still runs.
    pub fn is_running(&self) -> bool {
        let mut child = self.child.lock().expect("no panic");
        child.try_wait().expect("a child").is_none()
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&self) {
        let mut child = self.child.lock().expect("no panic");
        let _ = child.kill();
        let _ = child.wait();
        drop(child);
        self.read_stderr();
    }

    /// Waits until all that it wrote before its end is read.
    fn read_stderr(&self) {
        let reader = self.stderr_reader.lock().expect("no panic").take();
        if let Some(reader) = reader {
            let _ = reader.join();
        }
    }

    /// Sends a signal by name (`TERM`, `HUP`).
    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status();
        assert!(done.expect("kill runs").success());
    }

    /// Waits until it has ended; its exit code.
    pub fn wait(&self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            let mut child = self.child.lock().expect("no panic");
            if let Some(status) = child.try_wait().expect("a child") {
                drop(child);
                self.read_stderr();
                return status.code();
            }
            drop(child);
            assert!(begun.elapsed() < PATIENCE, "the server did not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if !std::thread::panicking() {
            return;
        }
        let written = self.stderr();
        let lines: Vec<&str> = written.lines().collect();
        let last = &lines[lines.len().saturating_sub(LINES_SHOWN)..];
        if !last.is_empty() {
            eprintln!("last lines on stderr of the server at {}:\n{}", self.base, last.join("\n"));
        }
    }
}

/// A data dir that was served before has users or had its link printed: then none is waited for.
fn dir_has_users(dir: &Path) -> bool {
    let listed = formsvc(dir, &["user", "list", "--json"], "");
    serde_json::from_slice::<Value>(&listed.stdout)
        .ok()
        .and_then(|users| users.as_array().map(|users| !users.is_empty()))
        .unwrap_or(false)
}

/// Runs the program to its end on a data dir, with this text on stdin; and again where its message asks for that: on a
/// busy machine, a write of the server may take longer than another process waits.
pub fn formsvc(dir: &Path, args: &[&str], stdin: &str) -> Output {
    let is_busy = |done: &Output| text(&done.stderr).contains("the database is busy: try again");
    let mut attempts = (0..10).map(|_| formsvc_once(dir, args, stdin));
    attempts.find(|done| !is_busy(done)).expect("the database is free in the end")
}

fn formsvc_once(dir: &Path, args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(&*PROGRAM)
        .args(args)
        .arg("--data-dir")
        .arg(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A command that reads nothing may be gone before all is written.
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("output")
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The number of rounds of a test: the value of this environment variable, or else the default.
pub fn rounds<T: FromStr>(variable: &str, default: T) -> T {
    let Ok(text) = std::env::var(variable) else {
        return default;
    };
    let number = text.parse().ok();
    number.unwrap_or_else(|| panic!("{variable} is no number: {text}"))
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until the next write has a later time: times have milliseconds, and a request takes less.
pub fn next_moment() {
    std::thread::sleep(Duration::from_millis(2));
}

/// Runs `f` on several threads at once; returns the result of each.
pub fn at_once<T: Send>(threads: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let f = &f;
        let all: Vec<_> = (0..threads).map(|n| scope.spawn(move || f(n))).collect();
        all.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// A field definition, short: `field("short_text", json!({"required": true}))`.
pub fn field(kind: &str, own: Value) -> Value {
    let mut field = json!({"type": kind, "label": kind});
    for (key, value) in own.as_object().into_iter().flatten() {
        field[key] = value.clone();
    }
    field
}
