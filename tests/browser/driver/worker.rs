//! Browsers that stay: a driver and a Chromium start once for many tests, two of them at most. Each test gets its own
//! context, which shares no cookie, storage, cache or permission with any other, and which is deleted with the test.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Browsers at the same time. More of them are slower on two cores.
pub const AT_ONCE: usize = 2;

static FREE: Mutex<Free> = Mutex::new(Free { workers: Vec::new(), started: 0 });
static RETURNED: Condvar = Condvar::new();

struct Free {
    workers: Vec<Worker>,
    /// Those that tests use now included.
    started: usize,
}

/// The place of one browser among those at the same time. Dropped with it, also when it did not start.
struct Place;

impl Drop for Place {
    fn drop(&mut self) {
        lock().started -= 1;
        RETURNED.notify_one();
    }
}

/// A driver and its browser.
pub struct Worker {
    /// The address of the driver's session.
    pub session: String,
    pub agent: ureq::Agent,
    /// The browser's own connection, for commands that concern all its windows.
    devtools: WebSocket<MaybeTlsStream<TcpStream>>,
    sent: u64,
    /// The window that stays open between two tests.
    window: String,
    /// Ends the processes and removes the profile as soon as its standard input is closed, by whatever end of the tests.
    guard: Child,
    _place: Place,
}

/// A context of the browser and its first window, to which the driver has gone.
pub struct Context {
    pub id: String,
}

impl Worker {
    /// A browser that no other test uses, until it is given back.
    pub fn take() -> Self {
        let mut free = lock();
        loop {
            if let Some(worker) = free.workers.pop() {
                return worker;
            }
            if free.started < AT_ONCE {
                free.started += 1;
                drop(free);
                return Self::start(Place);
            }
            free = RETURNED.wait(free).unwrap_or_else(|broken| broken.into_inner());
        }
    }

    /// Lets another test use it.
    pub fn give_back(self) {
        lock().workers.push(self);
        RETURNED.notify_one();
    }

    /// Ends it, as nobody knows the state that a failed test left behind.
    pub fn end(mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }

    fn start(place: Place) -> Self {
        // The browser's profile lies in it.
        let profile = tempfile::tempdir().expect("a temporary folder");
        let (driver, port) = start_driver(&profile);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(90)))
            .build()
            .new_agent();
        let base = format!("http://127.0.0.1:{port}/session");
        let made = post(&agent, &base, &capabilities());
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no session: {made}")).to_owned();
        let session = format!("{base}/{}", text(&made["sessionId"]));
        let browser = made["capabilities"]["goog:processID"].as_u64().expect("a process");
        let guard = guard(driver.id(), browser, profile);
        let address = text(&made["capabilities"]["goog:chromeOptions"]["debuggerAddress"]);
        let version = get(&agent, &format!("http://{address}/json/version"));
        let socket = version["webSocketDebuggerUrl"].as_str().expect("an address");
        let (devtools, _) = tungstenite::connect(socket).expect("the browser takes connections");
        let window = get(&agent, &format!("{session}/window"))["value"].as_str().expect("a window").to_owned();
        Self { session, agent, devtools, sent: 0, window, guard, _place: place }
    }

    /// A new context. The driver's commands go to its window from now on.
    pub fn open_context(&mut self) -> Context {
        let made = self.devtools("Target.createBrowserContext", json!({}));
        let id = made["browserContextId"].as_str().expect("a context").to_owned();
        let target = json!({"url": "about:blank", "browserContextId": id});
        let window = self.devtools("Target.createTarget", target)["targetId"].clone();
        self.post("window", json!({"handle": window}));
        Context { id }
    }

    /// Closes the windows of a context and forgets all that it stored.
    pub fn close_context(&mut self, context: &Context) {
        self.devtools("Target.disposeBrowserContext", json!({"browserContextId": context.id}));
        self.post("window", json!({"handle": self.window}));
        for log in ["browser", "performance"] {
            self.post("se/log", json!({"type": log}));
        }
    }

    /// A command of the DevTools protocol to the browser itself.
    fn devtools(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let command = json!({"id": self.sent, "method": method, "params": params}).to_string();
        self.devtools.send(Message::text(command)).expect("the browser listens");
        loop {
            let message = self.devtools.read().expect("the browser answers");
            let message: Value = serde_json::from_str(message.to_text().unwrap_or_default()).unwrap_or_default();
            if message["id"] == json!(self.sent) {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// A command of the driver.
    pub fn post(&self, path: &str, body: Value) -> Value {
        post(&self.agent, &format!("{}/{path}", self.session), &body)
    }
}

fn lock() -> std::sync::MutexGuard<'static, Free> {
    FREE.lock().unwrap_or_else(|broken| broken.into_inner())
}

fn capabilities() -> Value {
    let args = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--lang=en-GB",
        // A microphone that beeps, and that needs no consent.
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
    ];
    json!({"capabilities": {"alwaysMatch": {
        "browserName": "chrome",
        // As long as the tests wait: checks of long pages take a while on a busy machine.
        "timeouts": {"script": 80_000},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        // The browser without windows: the same pages for a third of the processor's time.
        "goog:chromeOptions": {
            "binary": "/usr/bin/chromium-headless-shell",
            "args": args,
            "perfLoggingPrefs": {"enablePage": false},
        },
    }}})
}

/// Nothing drops statics that tests share: a shell waits for the end of a pipe that this process holds.
fn guard(driver: u32, browser: u64, profile: TempDir) -> Child {
    let script = "cat >/dev/null; kill -s KILL \"$0\" \"$1\"; sleep 0.1; rm -rf \"$2\"";
    Command::new("sh")
        .args(["-c", script, &driver.to_string(), &browser.to_string()])
        .arg(profile.keep())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh runs")
}

/// A driver of browsers that listens, and its port. It looks for a free port on 127.0.0.1 and wants the same
/// on ::1, where another program may have it: then it ends, and the next one finds another.
fn start_driver(profile: &TempDir) -> (Child, String) {
    let mut said = String::new();
    for _ in 0..20 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", profile.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: install chromium-headless-shell and chromium-driver, as tests/run does");
        let mut lines = BufReader::new(driver.stdout.take().expect("piped")).lines();
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                std::thread::spawn(move || lines.for_each(drop));
                return (driver, port.trim_end_matches('.').to_owned());
            }
            said = line;
        }
        let _ = driver.wait();
    }
    panic!("chromedriver does not start: {said}");
}

fn get(agent: &ureq::Agent, address: &str) -> Value {
    let answer = agent.get(address).call();
    let body = answer.and_then(|mut answer| answer.body_mut().read_json());
    body.unwrap_or_else(|e| panic!("{address}: {e}"))
}

/// The value of a driver's answer.
fn post(agent: &ureq::Agent, address: &str, body: &Value) -> Value {
    let mut answer = agent.post(address).send_json(body).unwrap_or_else(|e| panic!("{address}: {e}"));
    let status = answer.status();
    let body: Value =
        answer.body_mut().with_config().limit(64 << 20).read_json().unwrap_or_else(|e| panic!("{address}: {e}"));
    let message = &body["value"]["message"];
    assert!(status.is_success(), "{address}: {message}");
    body["value"].clone()
}
