//! A delivery that fails is tried again with growing waits; 15 seconds are all the time there is, redirects are not
//! followed, and 410 disables the webhook (S72).

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::receiver::closed_port;
use support::peers::wire_receiver::{Receiver, Wire, answer, raw};
use support::{Server, until};

use super::UNREACHABLE;
use crate::delivery::{FLAGS, KINDS, Webhook, enter, enter_many, has, has_in, make_due, simple, told, until_shown};

const TIMED_OUT: &str = "the receiver took too long";
const NOT_HTTP: &str = "the receiver's answer is not valid HTTP";
const BROKE: &str = "the connection to the receiver broke";
const ERROR: &str = "the receiver answered with an error";

/// The behaviour of a receiver, the receiver, and the outcome of a delivery to it.
type Case = (String, Receiver, Value);

/// Sends an event to all of these receivers, and compares the first attempt with the expected one.
fn check(server: &Server, cases: &[Case]) {
    let (owner, form) = simple(server);
    let webhooks: Vec<Webhook> =
        cases.iter().map(|(_, receiver, _)| Webhook::new(&owner, &form, &receiver.url(), &KINDS)).collect();
    enter(&owner, &form, "x");
    for ((what, _, expected), webhook) in cases.iter().zip(webhooks) {
        let tried = |row: &Value| row["attempts"] != 0 && (row["status"] == "delivered" || !row["error"].is_null());
        has_in(what, &webhook.until_latest(&owner, what, tried), expected);
    }
}

/// A case of a receiver that answers so.
fn case(what: &str, expected: Value, answer: impl Fn(&mut dyn Wire, usize) + Send + Sync + 'static) -> Case {
    (what.to_owned(), Receiver::start(answer), expected)
}

/// Until the other side goes.
fn endlessly(socket: &mut dyn Wire, part: &str, pause: Duration) {
    while socket.write_all(part.as_bytes()).is_ok() && socket.flush().is_ok() {
        std::thread::sleep(pause);
    }
}

#[test]
fn a_receiver_that_fails_is_tried_again_with_growing_waits_and_then_given_up() {
    let receiver = Receiver::with_status(503);
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    // What is put off is due only when the test says so.
    let now = Timestamp::from_second(Timestamp::now().as_second()).expect("a time");
    clock.stands_at(now);
    let server = clock.server(dir.path(), &FLAGS);
    let (owner, form, webhook) = told(&server, &receiver.url());
    enter(&owner, &form, "x");
    let oldest = || webhook.deliveries(&owner).pop().expect("a row");
    let waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (tries, wait) in (1..).zip(waits) {
        if tries > 1 {
            make_due(&server, &form);
            // It looks again at the latest when something new comes.
            enter(&owner, &form, "y");
        }
        let tried = |row: &Value| row["attempts"] == tries && !row["error"].is_null();
        let row = until_shown(&format!("attempt {tries}"), oldest, tried);
        has(&row, json!({"error": ERROR, "status": "pending", "response_status": 503}));
        let next: Timestamp = row["next_attempt_at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        let left = next.duration_since(now).as_secs();
        // A tenth is jitter.
        assert!(left >= wait && left <= wait + wait / 10, "attempt {tries}: {left} s");
    }
    make_due(&server, &form);
    enter(&owner, &form, "z");
    let row = until_shown("it is given up", oldest, |row| row["status"] == "failed");
    has(&row, json!({"attempts": 10, "next_attempt_at": null, "error": ERROR}));
    assert!(!server.stderr().contains("127.0.0.1"), "{}", server.stderr());
}

#[test]
fn a_receiver_that_comes_back_gets_what_waited() {
    let receiver = Receiver::start(|socket, number| answer(socket, if number == 0 { 500 } else { 200 }));
    // By itself: its log is read.
    let server = Server::with(&FLAGS);
    let (owner, form, webhook) = told(&server, &receiver.url());
    enter(&owner, &form, "x");
    let row = webhook.until_delivered(&owner);
    has(&row, json!({"attempts": 2, "error": null}));
    assert_eq!(receiver.got().len(), 2);
    // The log names the failure and its place; no status where there was no answer.
    let logged = |line: String| until(&line, || server.stderr().contains(&line));
    let (id, token, delivery) = (&webhook.id, &form.token, row["id"].as_str().expect("an id"));
    logged(format!("event not delivered: {ERROR} form={token} webhook={id} delivery={delivery} status=500"));
    let nobody = Webhook::new(&owner, &form, &format!("http://127.0.0.1:{}/", closed_port()), &KINDS);
    enter(&owner, &form, "y");
    let row = nobody.until_fault(&owner);
    logged(format!("delivery={}\n", row["id"].as_str().expect("an id")));
}

#[test]
fn a_receiver_that_is_gone_disables_its_webhook() {
    let receiver = Receiver::with_status(410);
    // By itself: its audit log is read.
    let server = Server::with(&FLAGS);
    let (owner, form, webhook) = told(&server, &receiver.url());
    enter_many(&owner, &form, 5);
    let rows = webhook.until_status(&owner, 5, "failed");
    let gone = "the receiver is gone (410), so the webhook was disabled";
    has(&rows[4], json!({"response_status": 410, "error": gone}));
    for row in &rows[..4] {
        has(row, json!({"error": "the webhook was disabled", "attempts": 0}));
    }
    has(&owner.get(webhook.path()).data(), json!({"enabled": false}));
    assert_eq!(receiver.got().len(), 1);
    enter(&owner, &form, "x");
    assert_eq!(webhook.deliveries(&owner).len(), 5);
    let audit = owner.get("/api/v1/audit_events?page_size=100").data();
    let is = |event: &Value| event["action"] == "webhook.gone" && event["via"] == "service";
    assert!(audit.as_array().expect("a list").iter().any(is), "{audit}");
}

#[test]
fn redirects_are_not_followed() {
    let other = Receiver::with_status(200);
    let to_other = format!("http://{}/secret", other.address);
    let mut cases = Vec::new();
    for to in ["/hook", "http://169.254.169.254/latest/meta-data/", &to_other] {
        for status in [301, 302, 307, 308] {
            let head = format!("HTTP/1.1 {status} X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            let error = "the receiver answered with a redirect, which is not followed";
            let expected = json!({"error": error, "response_status": status});
            cases.push(case(&format!("{status} to {to}"), expected, move |socket, _| raw(socket, &head)));
        }
    }
    assert_eq!(cases.len(), 12);
    check(Server::shared_with(&FLAGS), &cases);
    for (what, receiver, _) in &cases {
        let got = receiver.got();
        let times: Vec<&str> = got.iter().map(|got| got.header("webhook-timestamp")).collect();
        assert!(!times.is_empty() && times.is_sorted_by(|a, b| a < b), "{what}: one request an attempt: {times:?}");
    }
    assert!(other.got().is_empty());
}

#[test]
fn a_receiver_that_takes_more_than_15_seconds_is_left() {
    let left = |status: Value| json!({"error": TIMED_OUT, "response_status": status});
    let second = Duration::from_secs(1);
    let cases = [
        case("it says nothing", left(Value::Null), |_, _| std::thread::park()),
        case("a byte of the head each second", left(Value::Null), move |socket, _| {
            raw(socket, "HTTP/1.1 200 OK\r\nX-Slow: ");
            endlessly(socket, "a", second);
        }),
        case("a byte of the body each second", left(json!(200)), move |socket, _| {
            raw(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            endlessly(socket, "a", second);
        }),
        case("interim answers now and then", left(Value::Null), |socket, _| {
            endlessly(socket, "HTTP/1.1 100 Continue\r\n\r\n", Duration::from_millis(200));
        }),
    ];
    // By itself: it has few places for one host, which these take for long.
    let server = Server::with(&FLAGS);
    let begun = std::time::Instant::now();
    check(&server, &cases);
    assert!(begun.elapsed().as_secs() >= 15, "{:?}", begun.elapsed());
}

#[test]
fn what_is_no_http_is_a_fault() {
    let fault = |error: &str| json!({"error": error, "status": "pending", "response_status": null});
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    let more = "X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n";
    let mut cases = vec![
        case("interim answers without end", fault(NOT_HTTP), move |socket, _| {
            endlessly(socket, hints, Duration::ZERO);
        }),
        case("a head without end", fault(NOT_HTTP), move |socket, _| {
            raw(socket, "HTTP/1.1 200 OK\r\n");
            endlessly(socket, more, Duration::ZERO);
        }),
        case("a line without end", fault(NOT_HTTP), |socket, _| {
            endlessly(socket, "aaaaaaaaaaaaaaaa", Duration::ZERO);
        }),
    ];
    for (said, error) in [
        ("220 mail.example.org ESMTP\r\n", NOT_HTTP),
        ("\u{16}\u{3}\u{1}\u{0}", NOT_HTTP),
        ("", BROKE),
        ("HTTP/1.1 200 OK\r\nContent-Le", BROKE),
    ] {
        let hang_up = move |mut socket: std::net::TcpStream| {
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(said.as_bytes());
            let _ = socket.shutdown(Shutdown::Both);
            None
        };
        cases.push((format!("{said:?}"), Receiver::over("127.0.0.1:0", hang_up, |_, _| {}), fault(error)));
    }
    check(Server::shared_with(&FLAGS), &cases);
}

/// After a good head, the delivery succeeds whatever follows, and the rest is not read.
#[test]
fn endless_bodies_are_cut_off() {
    let chunk = format!("4000\r\n{}\r\n", "a".repeat(0x4000));
    let tiny = "1;x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\na\r\n";
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let plain = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
    let until_close = "HTTP/1.0 200 OK\r\n\r\n";
    let mut sent = Vec::new();
    let mut cases = Vec::new();
    for (head, part) in [(gzip, chunk.as_str()), (gzip, tiny), (plain, chunk.as_str()), (until_close, chunk.as_str())] {
        let count = Arc::new(AtomicUsize::new(0));
        sent.push(Arc::clone(&count));
        let part = part.to_owned();
        cases.push(case(head, json!({"attempts": 1, "status": "delivered"}), move |socket, _| {
            raw(socket, head);
            while socket.write_all(part.as_bytes()).is_ok() {
                count.fetch_add(part.len(), Ordering::SeqCst);
            }
        }));
    }
    check(Server::shared_with(&FLAGS), &cases);
    for ((head, ..), sent) in cases.iter().zip(sent) {
        // The buffers of the two sockets hold some megabytes.
        let total = sent.load(Ordering::SeqCst);
        assert!(total < 32 << 20, "{head}: {total}");
    }
}

#[test]
fn a_name_that_nobody_knows_and_a_port_that_nobody_listens_at() {
    let (owner, form, unknown) = told(Server::shared_with(&FLAGS), "http://nobody.invalid/");
    let shut = Webhook::new(&owner, &form, &format!("http://127.0.0.1:{}/", closed_port()), &KINDS);
    enter(&owner, &form, "x");
    has(&shut.until_fault(&owner), json!({"error": UNREACHABLE}));
    let row = unknown.until_fault(&owner);
    let words = ["the receiver's name can't be resolved", TIMED_OUT];
    assert!(words.contains(&row["error"].as_str().expect("text")), "{row}");
}
