//! Started by a supervisor such as systemd: sockets that are passed in, and the messages to the supervisor.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use support::peers::receiver::closed_port;
use support::raw::{connect, statuses};
use support::{PROGRAM, Server, field, means, text};

const GET: &str = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// Opens sockets (`tcp`, `tcp6`, `unix:PATH`, `udp`, and `deaf`, which does not listen), puts them where a supervisor
/// does and becomes the command: `python3 -c LAUNCHER KINDS PID COMMAND…`, `own` for its own PID.
const LAUNCHER: &str = r#"
import fcntl, os, socket, sys
kinds, pid, command = sys.argv[1].split(","), sys.argv[2], sys.argv[3:]
high = []
for kind in kinds:
    kind, _, path = kind.partition(":")
    family = {"unix": socket.AF_UNIX, "tcp6": socket.AF_INET6}.get(kind, socket.AF_INET)
    one = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    one.bind(path if kind == "unix" else ("::1" if kind == "tcp6" else "127.0.0.1", 0))
    if kind not in ("udp", "deaf"):
        one.listen(16)
    high.append(fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, 100))
for at, fd in enumerate(high):
    os.dup2(fd, 3 + at)
    os.close(fd)
os.environ["LISTEN_FDS"] = str(len(high))
os.environ["LISTEN_PID"] = str(os.getpid()) if pid == "own" else pid
os.execv(command[0], command)
"#;

fn launcher(kinds: &str, pid: &str, dir: &Path) -> Command {
    let mut command = Command::new("python3");
    command
        .args(["-c", LAUNCHER, kinds, pid, PROGRAM.as_str()])
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir);
    command
}

fn ask(mut socket: impl std::io::Read + std::io::Write) -> String {
    socket.write_all(GET.as_bytes()).expect("sent");
    let mut got = String::new();
    socket.read_to_string(&mut got).expect("an answer");
    got
}

#[test]
fn sockets_that_are_passed_in_are_served_instead_of_listen() {
    if !means::has(&["python3"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let path = dir.path().join("http.sock");
    let kinds = format!("tcp,unix:{},tcp6", path.display());
    let mut command = launcher(&kinds, "own", &data);
    command.arg("--json");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("python3 runs");
    let mut said = String::new();
    let mut stdout = child.stdout.take().expect("piped");
    while !said.ends_with('\n') {
        let mut byte = [0];
        stdout.read_exact(&mut byte).expect("an announcement");
        said.push(char::from(byte[0]));
    }
    let child = Killed(child);
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let urls = said["listening"].as_array().expect("a list");
    assert_eq!(urls.len(), 3, "{said}");
    assert_eq!(urls[1], format!("unix:{}", path.display()));
    assert!(urls[2].as_str().expect("text").starts_with("http://[::1]:"));
    for at in [0, 2] {
        let address = urls[at].as_str().expect("text").trim_start_matches("http://");
        let got = ask(TcpStream::connect(address).expect("connects"));
        assert_eq!(statuses(&got), ["200"], "{address}: {got}");
    }
    let got = ask(UnixStream::connect(&path).expect("connects"));
    assert_eq!(statuses(&got), ["200"]);
    // A process that it started would not inherit them.
    for fd in [3, 4, 5] {
        let info = std::fs::read_to_string(format!("/proc/{}/fdinfo/{fd}", child.0.id()));
        let info = info.expect("it is open");
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = i64::from_str_radix(flags.expect("flags").trim(), 8).expect("octal");
        assert_ne!(flags & 0o2_000_000, 0, "{fd} closes on exec: {info}");
    }
    let done = Command::new("kill").arg(child.0.id().to_string()).status();
    assert!(done.expect("kill runs").success());
    let mut child = child;
    assert_eq!(child.0.wait().expect("an end").code(), Some(0));
    assert!(path.exists(), "the file belongs to the supervisor");
}

/// A process that does not outlive the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sockets_for_another_process_are_left_alone() {
    if !means::has(&["python3"]) {
        return;
    }
    for pid in ["1", "", "none"] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("http.sock");
        let command = launcher(&format!("unix:{}", path.display()), pid, dir.path());
        let server = Server::launch(command, dir.path());
        assert!(server.base.starts_with("http://127.0.0.1:"), "{pid}");
        assert_eq!(server.anon().get("/readyz").status, 200);
    }
}

#[test]
fn what_can_not_be_served_is_refused() {
    if !means::has(&["python3"]) {
        return;
    }
    for (kinds, fd) in [("udp", 3), ("tcp,deaf", 4)] {
        let dir = tempfile::tempdir().expect("a folder");
        let done = launcher(kinds, "own", dir.path()).output();
        let done = done.expect("python3 runs");
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(3), "{said}");
        let expected = format!("the file descriptor {fd} from LISTEN_FDS is not a listening TCP or unix stream socket");
        assert!(said.contains(&expected), "{said}");
    }
    // The address that `--listen` names is not served, so nothing could validate a certificate.
    let dir = tempfile::tempdir().expect("a folder");
    let kind = format!("unix:{}", dir.path().join("http.sock").display());
    let mut command = launcher(&kind, "own", dir.path());
    command.args(["--acme-domain", "forms.example.org"]);
    let done = command.output().expect("python3 runs");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{said}");
    let expected = "the service listens only on unix sockets: add one, for example with ListenStream=443";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn health_of_sockets_that_are_passed_in_is_asked_where_they_are() {
    if !means::has(&["python3"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (data, path) = (dir.path().join("data"), dir.path().join("http.sock"));
    let socket = format!("unix:{}", path.display());
    let server = Server::launch(launcher(&format!("tcp,{socket}"), "own", &data), &data);
    // `--listen` is of no use to that service, and nobody listens there.
    let unused = format!("127.0.0.1:{}", closed_port());
    let by_setting = server.run(&["healthcheck", "--listen", &unused]);
    let said = text(&by_setting.stderr);
    assert_eq!(by_setting.status.code(), Some(7), "{said}");
    let remedy = "name its address with --listen, which is the ListenStream= of its socket unit if systemd";
    assert!(said.contains(&format!("nothing answers at {unused}")) && said.contains(remedy), "{said}");
    for address in [server.base.trim_start_matches("http://"), &socket] {
        let asked = server.run(&["healthcheck", "--listen", address]);
        assert!(asked.status.success(), "{}", text(&asked.stderr));
    }
}

/// The supervisor's end.
struct Supervisor {
    socket: UnixDatagram,
    name: String,
}

impl Supervisor {
    fn at_path(dir: &Path) -> Self {
        let path = dir.join("notify");
        Self::over(UnixDatagram::bind(&path).expect("a socket"), path.display().to_string())
    }

    fn abstract_one() -> Self {
        let name = format!("formsvc-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let socket = UnixDatagram::bind_addr(&address).expect("a socket");
        Self::over(socket, format!("@{name}"))
    }

    fn over(socket: UnixDatagram, name: String) -> Self {
        socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        Self { socket, name }
    }

    fn launch(&self, dir: &Path, variables: &[(&str, &str)]) -> Server {
        let mut command = Command::new(&*PROGRAM);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(dir)
            .env("NOTIFY_SOCKET", &self.name)
            .envs(variables.iter().copied());
        Server::launch(command, dir)
    }

    fn next(&self) -> String {
        let mut buffer = [0; 4096];
        let size = self.socket.recv(&mut buffer).expect("a message");
        text(&buffer[..size])
    }

    /// Reads until a message has this line; returns the lines up to it.
    fn until(&self, line: &str) -> Vec<String> {
        let mut got = Vec::new();
        loop {
            let message = self.next();
            let is_it = message.lines().any(|one| one == line);
            got.push(message);
            if is_it {
                return got;
            }
        }
    }

    /// Messages received and not read.
    fn rest(&self) -> Vec<String> {
        self.socket.set_nonblocking(true).expect("it can be set");
        let mut got = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match self.socket.recv(&mut buffer) {
                Ok(size) => got.push(text(&buffer[..size])),
                Err(fault) => {
                    assert_eq!(fault.kind(), ErrorKind::WouldBlock);
                    self.socket.set_nonblocking(false).expect("it can be set");
                    return got;
                }
            }
        }
    }
}

fn micros(at: rustix::time::Timespec) -> i64 {
    at.tv_sec * 1_000_000 + at.tv_nsec / 1_000
}

#[test]
fn the_supervisor_hears_of_start_reload_and_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    for supervisor in [Supervisor::at_path(dir.path()), Supervisor::abstract_one()] {
        let server = supervisor.launch(&data, &[]);
        let start = supervisor.until("READY=1");
        assert_eq!(start[0], "STATUS=Opening the data dir");
        assert_eq!(start.len(), 2, "{start:?}");
        let status = format!("READY=1\nSTATUS=Listening on {}", server.base);
        assert_eq!(start[1], status);
        assert_eq!(server.anon().get("/readyz").status, 200);

        let before = micros(clock_gettime(ClockId::Monotonic));
        server.signal("HUP");
        let reload = supervisor.next();
        let after = micros(clock_gettime(ClockId::Monotonic));
        assert_eq!(reload.lines().next(), Some("RELOADING=1"));
        let at = reload.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC="));
        let at: i64 = at.expect("a time").parse().expect("a number");
        assert!((before..=after).contains(&at), "{before} {at} {after}");
        assert_eq!(supervisor.next(), status);

        server.signal("TERM");
        assert!(supervisor.next().starts_with("STOPPING=1\nSTATUS="));
        assert_eq!(server.wait(), Some(0));
        assert_eq!(supervisor.rest(), [""; 0], "no watchdog was asked for");
    }
}

#[test]
fn the_watchdog_hears_of_a_service_that_answers_and_of_no_other() {
    if !means::has(&["python3"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let supervisor = Supervisor::at_path(dir.path());
    let data = dir.path().join("data");
    let server = supervisor.launch(&data, &[("WATCHDOG_USEC", "30000")]);
    supervisor.until("READY=1");
    for _ in 0..5 {
        assert_eq!(supervisor.next(), "WATCHDOG=1");
    }
    // Another process keeps the database from being written.
    let script = "import sqlite3, sys\n\
                  held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                  held.execute('BEGIN IMMEDIATE')\n\
                  print('held', flush=True)\n\
                  sys.stdin.read()";
    let mut holder = Command::new("python3")
        .args(["-c", script])
        .arg(data.join("formsvc.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs");
    let mut held = [0; 5];
    let mut stdout = holder.stdout.take().expect("piped");
    stdout.read_exact(&mut held).expect("it is held");
    supervisor.rest();
    // At most the work in progress in these seconds, which have hundreds of beats.
    assert_eq!(server.anon().get("/readyz").status, 503);
    let rest = supervisor.rest();
    assert!(rest.len() < 2, "{rest:?}");
    assert_eq!(server.anon().get("/healthz").status, 200);
    drop(holder.stdin.take());
    holder.wait().expect("an end");
    assert_eq!(supervisor.next(), "WATCHDOG=1");
}

#[test]
fn the_watchdog_of_another_process_hears_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let supervisor = Supervisor::at_path(dir.path());
    let variables = [("WATCHDOG_USEC", "3000"), ("WATCHDOG_PID", "1")];
    let server = supervisor.launch(&dir.path().join("data"), &variables);
    supervisor.until("READY=1");
    for _ in 0..20 {
        assert_eq!(server.anon().get("/readyz").status, 200);
    }
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let rest = supervisor.rest();
    assert!(rest.iter().all(|it| !it.contains("WATCHDOG")), "{rest:?}");
}

#[test]
fn the_second_signal_ends_it_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let supervisor = Supervisor::at_path(dir.path());
    let data = dir.path().join("data");
    for second in ["TERM", "INT"] {
        let server = supervisor.launch(&data, &[]);
        let form = server.user().form(json!([field("short_text", json!({}))]));
        let mut flying = connect(&server.base);
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{{",
            form.submissions()
        );
        flying.write_all(head.as_bytes()).expect("sent");
        server.signal("TERM");
        supervisor.until_beginning("STOPPING=1");
        assert!(server.is_running(), "it waits for the request");
        server.signal(second);
        // After the time for open requests it would be 0.
        assert_eq!(server.wait(), Some(1));
    }
}

impl Supervisor {
    /// Reads until a message begins so.
    fn until_beginning(&self, start: &str) {
        while !self.next().starts_with(start) {}
    }
}
