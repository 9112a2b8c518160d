//! Attacks of clients on connections: slow, many, malformed, and two readings of one request. Over raw sockets.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use support::raw::{self, connect, exchange, is_closed, statuses};
use support::{PROGRAM, Server, formsvc, means, text, until};

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const LAST_GET: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

fn ask(server: &Server, request: impl AsRef<[u8]>) -> String {
    exchange(&server.base, request.as_ref())
}

/// Kilobytes of memory that the server takes.
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line");
    let kilobytes = line.split_whitespace().nth(1).expect("a number");
    kilobytes.parse().expect("a number")
}

#[test]
fn two_readings_of_one_request_are_never_both_served() {
    let server = Server::shared();
    let second = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n";
    for sent in [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\n\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\rGET /3 HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let got = ask(server, format!("{sent}{second}"));
        assert_eq!(statuses(&got), ["400"], "{sent:?} {got}");
    }
    // A client that forgot to escape an address is told that.
    for target in ["/a b", "/api/v1/forms?name=a b", "/api/v1/forms?name=\"a\"", "/f/a?field_1=<b>"] {
        let got = ask(server, format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n{second}"));
        assert_eq!(statuses(&got), ["400"], "{target} {got}");
        let said = r#"{"error":"The address is malformed: characters such as a space (%20), \" (%22), < (%3C) and > (%3E) must be percent-encoded"}"#;
        assert!(got.ends_with(said), "{target} {got}");
    }
    // A chunked body is the connection's last, whatever its contents.
    let chunked = "POST /api/v1/f/none/entries HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\
                   Content-Type: application/json\r\n\r\n";
    for body in [
        "2\r\n{}\r\n0\r\n\r\n",
        "2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}}\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "g\r\n",
    ] {
        let got = ask(server, format!("{chunked}{body}{second}"));
        assert_eq!(statuses(&got).len(), 1, "{body:?} {got}");
        assert!(got.starts_with("HTTP/1.1 4"), "{body:?} {got}");
    }
    // Valid requests are answered in order, and a fault leaves the answers before it.
    let got = ask(server, format!("{GET}{second}{LAST_GET}"));
    assert_eq!(statuses(&got), ["200"; 3], "{got}");
    let got = ask(server, format!("{GET}GET / HTTP/1.1\nHost: a\n\n{GET}"));
    assert_eq!(statuses(&got), ["200", "400"], "{got}");
}

/// A client that keeps a connection learns that it ends before the next request is lost on it.
#[test]
fn a_body_that_is_refused_costs_no_other_request() {
    let server = Server::alone("its connections are counted");
    let owner = server.user();
    let form = owner.form(serde_json::json!([support::field("short_text", serde_json::json!({}))]));
    let long = format!("--b\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\nx\r\n--b--\r\n", "n".repeat(20_000));
    let right = "--b\r\nContent-Disposition: form-data; name=\"field_1\"\r\n\r\nx\r\n--b--\r\n";
    let (page, api) = (form.page(), form.submissions());
    let cut = right.replace("--b--", "");
    for (path, kind, body) in [
        (&page, "multipart/form-data", right.to_owned()),
        (&page, "multipart/form-data; boundary=c", right.to_owned()),
        (&page, "multipart/form-data; boundary=", right.to_owned()),
        (&page, "multipart/form-data; boundary=b", long.clone()),
        (&page, "multipart/form-data; boundary=b", cut),
        (&page, "multipart/form-data; boundary=b", format!("{right}{}", "x".repeat(30_000))),
        (&page, "multipart/form-data; boundary=c", "x".repeat(200_000)),
        (&page, "multipart/form-data; boundary=b", format!("{long}{}", "x".repeat(500_000))),
        (&page, "text/plain", "x".repeat(200_000)),
        (&api, "application/json", "x".repeat(5_000_000)),
        (&api, "multipart/form-data; boundary=b", right.to_owned()),
        (&"/nowhere".to_owned(), "application/json", "x".repeat(200_000)),
    ] {
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nContent-Length: {}", body.len());
        let got = ask(&server, format!("{head}\r\n\r\n{body}{LAST_GET}"));
        let statuses = statuses(&got);
        let said = got.split("\r\n\r\n").next().expect("a head").to_lowercase();
        let ends = said.contains("\r\nconnection: close");
        assert!(statuses.len() == 2 || ends, "{kind} of {}: {statuses:?} {said}", body.len());
        assert!(statuses.len() == 1 || !ends, "{kind} of {}: {statuses:?} {said}", body.len());
    }
}

#[test]
fn heads_have_a_size() {
    let server = Server::shared();
    let url = |size: usize| {
        let path = "u".repeat(size - "/healthz?".len());
        format!("GET /healthz?{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    };
    for (size, status) in [(5000, "200"), (8192, "200"), (8193, "414"), (20_000, "414"), (1_000_000, "414")] {
        assert_eq!(statuses(&ask(server, url(size))), [status], "a URL of {size}");
    }
    for (count, status) in [(100, "200"), (101, "431"), (5000, "431")] {
        let fields = "X: y\r\n".repeat(count - 2);
        let sent = LAST_GET.replace("\r\n\r\n", &format!("\r\n{fields}\r\n"));
        assert_eq!(statuses(&ask(server, sent)), [status], "{count} fields");
    }
    for (size, status) in [(16 << 10, "200"), ((16 << 10) + 1, "431"), (1 << 20, "431")] {
        let value = "x".repeat(size - LAST_GET.len() - "X: \r\n".len());
        let sent = LAST_GET.replace("\r\n\r\n", &format!("\r\nX: {value}\r\n\r\n"));
        assert_eq!(statuses(&ask(server, sent)), [status], "a head of {size}");
    }
}

#[test]
fn nothing_but_http_1_is_spoken() {
    let server = Server::shared();
    let got = ask(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    assert!(got.is_empty() || statuses(&got) == ["400"], "{got}");
    let upgrade = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\
                   Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n";
    assert_eq!(statuses(&ask(server, upgrade)), ["200"]);
    for line in ["CONNECT a:80", "OPTIONS *", "GET http://a/healthz", "BREW /healthz"] {
        let got = ask(server, format!("{line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        assert!(["200", "204", "400", "404", "405"].contains(&statuses(&got)[0]), "{line}: {got}");
    }
}

#[test]
fn a_dribbling_crowd_is_sent_away_in_time() {
    let server = Server::alone("crowds take its connections");
    let mut crowd: Vec<_> = (0..500).map(|_| connect(&server.base)).collect();
    // They go on dribbling, and are sent away all the same.
    until("the crowd is gone", || {
        assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
        thread::sleep(Duration::from_millis(500));
        crowd.retain_mut(|socket| {
            let _ = socket.write_all(b"G");
            let socket = socket.try_clone().expect("a clone");
            !is_closed(socket, Duration::from_millis(1))
        });
        crowd.is_empty()
    });
}

#[test]
fn slow_bodies_and_slow_readers_are_sent_away_in_time() {
    let server = Server::with(&["--request-timeout", "3"]);
    let dribble = |head: String| {
        let begun = Instant::now();
        let mut socket = connect(&server.base);
        let mut reading = socket.try_clone().expect("a clone");
        let writing = thread::spawn(move || {
            let _ = socket.write_all(head.as_bytes());
            // Until it is closed, or long after it should have been.
            for _ in 0..180 {
                if socket.write_all(b" ").is_err() {
                    return true;
                }
                thread::sleep(Duration::from_millis(500));
            }
            false
        });
        thread::spawn(move || {
            let mut status = [0; 12];
            let _ = reading.read_exact(&mut status);
            let answered_after = begun.elapsed();
            drop(reading);
            let is_closed = writing.join().expect("no panic");
            let status = String::from_utf8_lossy(&status).into_owned();
            (status, answered_after, is_closed)
        })
    };
    let post = |path: &str, kind: &str, rest: &str| {
        format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\n{rest}\r\n")
    };
    let (json, pairs) = ("application/json", "application/x-www-form-urlencoded");
    let (sized, chunked) = ("Content-Length: 999\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8");
    let slow = [
        dribble(post("/api/v1/f/none/entries", json, sized)),
        dribble(post("/api/v1/f/none/entries", json, chunked)),
        dribble(post("/sign-in", pairs, sized)),
        dribble(post("/f/none", "multipart/form-data; boundary=x", sized)),
    ];
    // One that never reads: answers pile up until nothing more can be sent, and nothing more is taken.
    let mut deaf = connect(&server.base);
    deaf.set_write_timeout(Some(Duration::from_secs(90))).expect("a time-out");
    let begun = Instant::now();
    let requests = GET.repeat(1000);
    let end = loop {
        if let Err(fault) = deaf.write_all(requests.as_bytes()) {
            break fault.kind();
        }
    };
    assert_ne!(end, ErrorKind::WouldBlock, "it is closed");
    // No sooner than each may take; how much later is the machine's matter.
    assert!(begun.elapsed().as_secs() >= 3, "{:?}", begun.elapsed());
    for slow in slow {
        let (status, answered, is_closed) = slow.join().expect("no panic");
        assert_eq!(status, "HTTP/1.1 408", "after {answered:?}");
        assert!(answered.as_secs() >= 2, "{answered:?}");
        assert!(is_closed);
    }
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
}

#[test]
fn one_address_has_its_share() {
    let server = Server::with(&["--max-connections-per-address", "50"]);
    let mut held = Vec::new();
    for _ in 0..50 {
        let mut socket = connect(&server.base);
        socket.write_all(GET.as_bytes()).expect("sent");
        socket.read_exact(&mut [0]).expect("an answer");
        held.push(socket);
    }
    assert_eq!(ask(&server, LAST_GET), "", "the 51st is refused");
    // Another address, and the connections that came first, are served.
    let address: SocketAddr = raw::host(&server.base).parse().expect("an address");
    let other =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).expect("a socket");
    let source: SocketAddr = "127.0.0.2:0".parse().expect("an address");
    rustix::net::bind(&other, &source).expect("bound");
    rustix::net::connect(&other, &address).expect("connected");
    let mut other = TcpStream::from(other);
    other.write_all(LAST_GET.as_bytes()).expect("sent");
    let mut got = String::new();
    other.read_to_string(&mut got).expect("an answer");
    assert_eq!(statuses(&got), ["200"]);
    held[49].write_all(LAST_GET.as_bytes()).expect("sent");
    let mut got = Vec::new();
    held[49].read_to_end(&mut got).expect("an answer");
    assert!(String::from_utf8_lossy(&got).contains("HTTP/1.1 200"));
    // That connection has gone, so there is room for one.
    until("there is room again", || statuses(&ask(&server, LAST_GET)) == ["200"]);
}

#[test]
fn a_want_of_file_descriptors_passes() {
    if !means::has(&["prlimit"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\"", PROGRAM.as_str()])
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir.path());
    let server = Server::launch(command, dir.path());
    let crowd: Vec<_> = (0..200).map(|_| connect(&server.base)).collect();
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"], "the silent give way");
    drop(crowd);
    until("it answers", || statuses(&ask(&server, LAST_GET)) == ["200"]);
    // Fewer than the cap was fitted to: now accepting itself fails.
    let limited = Command::new("prlimit").args(["--nofile=40:40", "--pid", &server.pid().to_string()]).status();
    assert!(limited.expect("prlimit runs").success());
    let crowd: Vec<_> = (0..100).map(|_| connect(&server.base)).collect();
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
    drop(crowd);
    until("it answers", || statuses(&ask(&server, LAST_GET)) == ["200"]);
    assert!(server.is_running());
}

#[test]
fn ten_thousand_idle_connections_are_borne() {
    const CROWD: usize = 10_000;
    let limit = getrlimit(Resource::Nofile);
    let needed = Rlimit { current: Some(CROWD as u64 + 500), maximum: limit.maximum };
    if limit.current.is_some_and(|current| current < CROWD as u64 + 500) {
        setrlimit(Resource::Nofile, needed).expect("the hard limit of open files allows for it");
    }
    let server = Server::alone("crowds take its connections");
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
    let before = memory(&server);
    let mut crowd = Vec::new();
    for i in 0..CROWD {
        let mut socket = connect(&server.base);
        match i % 4 {
            0 => {}
            1 => drop(socket.write_all(format!("GET /healthz HTTP/1.1\r\nX: {}", "x".repeat(15_000)).as_bytes())),
            _ => drop(socket.write_all(GET.as_bytes())),
        }
        crowd.push(socket);
        if i % 1000 == 0 {
            assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"], "among {i}");
        }
    }
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
    let grown = memory(&server).saturating_sub(before);
    assert!(grown < 200 << 10, "{grown} kB more");
    drop(crowd);
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"]);
}

#[test]
fn a_unix_socket_is_served_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("http.sock");
    let listen = format!("unix:{}", path.display());
    let server = Server::with(&["--listen", &listen]);
    let mode = path.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    let mut socket = UnixStream::connect(&path).expect("connects");
    socket.write_all(LAST_GET.as_bytes()).expect("sent");
    let mut got = String::new();
    socket.read_to_string(&mut got).expect("an answer");
    assert_eq!(statuses(&got), ["200"]);
    assert_eq!(statuses(&ask(&server, LAST_GET)), ["200"], "and the other address");
    // One that answers is left to it.
    let other = tempfile::tempdir().expect("a folder");
    let refused = formsvc(other.path(), &["serve", "--listen", &listen], "");
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains(&listen) && said.contains("another server answers there"), "{said}");
    assert!(UnixStream::connect(&path).is_ok());
    // A socket left behind by a crash is taken over.
    server.kill();
    assert!(path.exists());
    let server = Server::with(&["--listen", &listen]);
    assert!(UnixStream::connect(&path).is_ok());
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(!path.exists());
}
