//! What becomes of deliveries that a receiver does not take (S72).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::receiver::{Receiver, Wire, answer, raw};
use super::{Hook, enter, form, hook, make_due, server};
use crate::support::{Caller, Form, until};

const TIMED_OUT: &str = "the receiver took too long";
const NOT_HTTP: &str = "the receiver's answer is not valid HTTP";

/// The first faulty delivery to a receiver that answers so.
fn fault_of(answer: impl Fn(&mut dyn Wire, usize) + Send + Sync + 'static) -> Value {
    let receiver = Receiver::start(answer);
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    hook.until_fault(&owner)
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
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    let waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (tries, wait) in (1..).zip(waits) {
        if tries > 1 {
            make_due(&server);
            // It looks again at the latest when something new comes.
            enter(&owner, &form, "y");
        }
        let mut row = Value::Null;
        until(&format!("attempt {tries}"), || {
            row = hook.deliveries(&owner).pop().expect("a row");
            row["attempts"] == tries && row["error"] != Value::Null
        });
        assert_eq!(row["error"], "the receiver answered with an error");
        assert_eq!((&row["status"], &row["response_status"]), (&json!("pending"), &json!(503)));
        let next: jiff::Timestamp = row["next_attempt_at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        let left = next.duration_since(jiff::Timestamp::now()).as_secs();
        // A tenth is jitter; the machine may be busy.
        assert!(left > wait - 60 && left <= wait + wait / 10, "attempt {tries}: {left} s");
    }
    make_due(&server);
    enter(&owner, &form, "z");
    let mut row = Value::Null;
    until("it is given up", || {
        row = hook.deliveries(&owner).pop().expect("a row");
        row["status"] == "failed"
    });
    assert_eq!((&row["attempts"], &row["next_attempt_at"]), (&json!(10), &Value::Null));
    assert_eq!(row["error"], "the receiver answered with an error");
    assert!(!server.stderr().contains("127.0.0.1"), "{}", server.stderr());
}

#[test]
fn a_receiver_that_comes_back_gets_what_waited() {
    let receiver = Receiver::start(|socket, number| answer(socket, if number == 0 { 500 } else { 200 }));
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    let row = hook.until_delivered(&owner);
    assert_eq!((&row["attempts"], &row["error"]), (&json!(2), &Value::Null));
    assert_eq!(receiver.got().len(), 2);
    // The log names what failed where; no status where there was no answer.
    let id = hook.path.rsplit('/').next().expect("an id");
    let delivery = row["id"].as_str().expect("an id");
    let line = format!(
        "event not delivered: the receiver answered with an error form={} webhook={id} delivery={delivery} status=500",
        form.token
    );
    until("the line is logged", || server.stderr().contains(&line));
    let nobody = closed_hook(&owner, &form);
    enter(&owner, &form, "y");
    let row = nobody.until_fault(&owner);
    let delivery = row["id"].as_str().expect("an id");
    let line = format!("delivery={delivery}\n");
    until("the line is logged", || server.stderr().contains(&line));
}

/// A webhook at a port that nobody listens at.
fn closed_hook(owner: &Caller, form: &Form) -> Hook {
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    hook(owner, form, &format!("http://127.0.0.1:{port}/"))
}

#[test]
fn a_receiver_that_is_gone_disables_its_webhook() {
    let receiver = Receiver::with_status(410);
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    let entries: Vec<Value> = (0..5).map(|n| json!({"field_values": {"field_1": format!("n{n}")}})).collect();
    let bulk = format!("{}/entries/bulk", form.path());
    assert_eq!(owner.post(bulk, json!({"entries": entries})).status, 201);
    until("all failed", || {
        let rows = hook.deliveries(&owner);
        rows.len() == 5 && rows.iter().all(|row| row["status"] == "failed")
    });
    let rows = hook.deliveries(&owner);
    let first = rows.last().expect("a row");
    assert_eq!(first["response_status"], 410);
    assert_eq!(first["error"], "the receiver is gone (410), so the webhook was disabled");
    for row in &rows[..4] {
        assert_eq!(row["error"], "the webhook was disabled", "{row}");
        assert_eq!(row["attempts"], 0, "{row}");
    }
    let shown = owner.get(&hook.path).data();
    assert_eq!(shown["enabled"], false);
    assert_eq!(receiver.got().len(), 1);
    enter(&owner, &form, "x");
    assert_eq!(hook.deliveries(&owner).len(), 5);
    let audit = audit(&owner);
    assert!(audit.iter().any(|event| event["action"] == "webhook.gone" && event["via"] == "service"), "{audit:?}");
}

fn audit(owner: &Caller) -> Vec<Value> {
    let page = owner.get("/api/v1/audit_events?page_size=100");
    assert_eq!(page.status, 200, "{page}");
    page.data().as_array().expect("a list").clone()
}

#[test]
fn redirects_are_not_followed() {
    let other = Receiver::with_status(200);
    let to_other = format!("http://{}/secret", other.address);
    for to in ["/hook", "http://169.254.169.254/latest/meta-data/", &to_other] {
        for status in [301, 302, 307, 308] {
            let count = Arc::new(AtomicUsize::new(0));
            let (to, counted) = (to.to_owned(), Arc::clone(&count));
            let row = fault_of(move |socket, _| {
                counted.fetch_add(1, Ordering::SeqCst);
                raw(socket, &format!("HTTP/1.1 {status} X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"));
            });
            assert_eq!(row["error"], "the receiver answered with a redirect, which is not followed");
            assert_eq!(row["response_status"], status);
            assert_eq!(count.load(Ordering::SeqCst), 1);
        }
    }
    assert!(other.got().is_empty());
}

#[test]
fn a_receiver_that_says_nothing_is_left() {
    let row = fault_of(|_, _| std::thread::park());
    assert_eq!((&row["error"], &row["response_status"]), (&json!(TIMED_OUT), &Value::Null));
    let took = row["response_ms"].as_u64().expect("a time");
    assert!(took >= 15_000, "{row}");
}

#[test]
fn a_byte_a_second_of_the_head_is_left() {
    let row = fault_of(|socket, _| {
        raw(socket, "HTTP/1.1 200 OK\r\nX-Slow: ");
        endlessly(socket, "a", Duration::from_secs(1));
    });
    assert_eq!((&row["error"], &row["response_status"]), (&json!(TIMED_OUT), &Value::Null));
}

#[test]
fn a_byte_a_second_of_the_body_is_left() {
    let row = fault_of(|socket, _| {
        raw(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        endlessly(socket, "a", Duration::from_secs(1));
    });
    assert_eq!((&row["error"], &row["response_status"]), (&json!(TIMED_OUT), &json!(200)));
}

#[test]
fn interim_answers_without_end_are_left() {
    let row = fault_of(|socket, _| {
        endlessly(socket, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", Duration::ZERO);
    });
    assert_eq!(row["error"], NOT_HTTP);
    let row = fault_of(|socket, _| {
        endlessly(socket, "HTTP/1.1 100 Continue\r\n\r\n", Duration::from_millis(500));
    });
    assert_eq!(row["error"], TIMED_OUT);
}

#[test]
fn heads_without_end_are_left() {
    let row = fault_of(|socket, _| {
        raw(socket, "HTTP/1.1 200 OK\r\n");
        endlessly(socket, "X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", Duration::ZERO);
    });
    assert_eq!(row["error"], NOT_HTTP);
    let row = fault_of(|socket, _| endlessly(socket, "aaaaaaaaaaaaaaaa", Duration::ZERO));
    assert_eq!(row["error"], NOT_HTTP);
}

#[test]
fn what_is_no_http_is_a_fault() {
    for (said, error) in [
        ("220 mail.example.org ESMTP\r\n", NOT_HTTP),
        ("\u{16}\u{3}\u{1}\u{0}", NOT_HTTP),
        ("", "the connection to the receiver broke"),
        ("HTTP/1.1 200 OK\r\nContent-Le", "the connection to the receiver broke"),
    ] {
        let receiver = Receiver::over(
            "127.0.0.1:0",
            move |mut socket| {
                use std::io::{Read as _, Write as _};
                let mut some = [0; 4096];
                let _ = socket.read(&mut some);
                let _ = socket.write_all(said.as_bytes());
                let _ = socket.shutdown(std::net::Shutdown::Both);
                None
            },
            |_, _| {},
        );
        let server = server();
        let owner = server.user();
        let form = form(&owner);
        let hook = hook(&owner, &form, &receiver.url());
        enter(&owner, &form, "x");
        let row = hook.until_fault(&owner);
        assert_eq!(row["error"], error, "{said:?}: {row}");
    }
}

/// Whatever comes after a good head, and however much: it is delivered, and the rest is not read.
#[test]
fn endless_bodies_are_cut_off() {
    let chunk = format!("4000\r\n{}\r\n", "a".repeat(0x4000));
    let tiny = "1;x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\na\r\n";
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let plain = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
    let until_close = "HTTP/1.0 200 OK\r\n\r\n";
    for (head, part) in [(gzip, chunk.as_str()), (gzip, tiny), (plain, chunk.as_str()), (until_close, chunk.as_str())] {
        let sent = Arc::new(AtomicUsize::new(0));
        let (part, counted) = (part.to_owned(), Arc::clone(&sent));
        let receiver = Receiver::start(move |socket, _| {
            raw(socket, head);
            while socket.write_all(part.as_bytes()).is_ok() {
                counted.fetch_add(part.len(), Ordering::SeqCst);
            }
        });
        let server = server();
        let owner = server.user();
        let form = form(&owner);
        let hook = hook(&owner, &form, &receiver.url());
        enter(&owner, &form, "x");
        let row = hook.until_latest(&owner, head, |row| row["attempts"] == 1);
        assert_eq!(row["status"], "delivered", "{head}: {row}");
        let total = sent.load(Ordering::SeqCst);
        // What the two sockets hold between them comes to some megabytes.
        assert!(total < 32 << 20, "{head}: {total}");
    }
}

#[test]
fn a_name_that_nobody_knows_and_a_port_that_nobody_listens_at() {
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let unknown = hook(&owner, &form, "http://nobody.invalid/");
    let shut = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("an address").port()
    };
    let shut = hook(&owner, &form, &format!("http://127.0.0.1:{shut}/"));
    enter(&owner, &form, "x");
    let row = shut.until_fault(&owner);
    assert_eq!(row["error"], "the receiver can't be reached");
    let row = unknown.until_fault(&owner);
    let words = ["the receiver's name can't be resolved", TIMED_OUT];
    assert!(words.contains(&row["error"].as_str().expect("text")), "{row}");
}
