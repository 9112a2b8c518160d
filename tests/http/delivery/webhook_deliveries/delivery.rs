//! A delivery is the event with the headers of Standard Webhooks; events of a form arrive in order, over TLS too, and
//! also after a crash.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::wire_receiver::{Receiver, Wire, answer, raw};
use support::steps::again;
use support::tls::make_certificate;
use support::{PROGRAM, Server, text, until};

use crate::delivery::{FLAGS, change, enter, enter_many, has, keys, make_due, ok, told, values};

#[test]
fn a_delivery_is_the_event_with_headers_of_the_standard() {
    let receiver = Receiver::with_status(204);
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    enter(&owner, &form, "Ada \u{1F980}");
    let got = receiver.wait_for(1).remove(0);
    assert_eq!(got.line, "POST /hook HTTP/1.1");
    assert_eq!(got.header("host"), receiver.address.to_string());
    assert_eq!(got.header("content-type"), "application/json");
    let agent = concat!("formsvc/", env!("CARGO_PKG_VERSION"));
    assert_eq!(got.header("user-agent"), agent);
    assert_eq!(got.header("content-length"), got.body.len().to_string());
    let names: BTreeSet<&str> = got.headers.iter().map(|(name, _)| name.as_str()).collect();
    let known = [
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
    ];
    assert_eq!(names, BTreeSet::from(known));
    let body = got.json();
    assert_eq!(keys(&body), ["id", "event", "created_at", "form", "entry"]);
    has(&body, json!({"id": got.header("webhook-id"), "event": "entry_created"}));
    has(&body, json!({"form": {"token": form.token, "name": "A form"}, "entry": owner.get(form.entry(1)).data()}));
    let row = webhook.until_delivered(&owner);
    has(&row, json!({"attempts": 1, "response_status": 204, "event": "entry_created"}));
    has(&row, json!({"error": null, "next_attempt_at": null}));
    assert!(row["response_ms"].is_u64(), "{row}");
}

#[test]
fn of_what_is_being_sent_the_time_is_that_of_the_attempt() {
    let gate = Arc::new(Mutex::new(()));
    let closed = Arc::clone(&gate);
    let receiver = Receiver::start(move |socket, _| {
        drop(closed.lock());
        answer(socket, 200);
    });
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    let held = gate.lock().expect("no panic");
    let before = jiff::Timestamp::now();
    enter(&owner, &form, "x");
    receiver.wait_for(1);
    let row = webhook.deliveries(&owner).pop().expect("a row");
    has(&row, json!({"status": "pending", "attempts": 0, "error": null}));
    let at = row["next_attempt_at"].as_str().expect("a time");
    let at: jiff::Timestamp = at.parse().expect("a time");
    let since = jiff::Timestamp::now().duration_since(at).as_millis();
    let most = jiff::Timestamp::now().duration_since(before).as_millis();
    assert!((0..=most + 1).contains(&since), "{row}");
    drop(held);
    let row = webhook.until_delivered(&owner);
    has(&row, json!({"next_attempt_at": null}));
}

#[test]
fn the_body_is_that_of_the_moment_in_every_attempt() {
    let receiver = Receiver::start(|socket, number| answer(socket, [500, 200][number.min(1)]));
    let (owner, form, _) = told(Server::shared_with(&FLAGS), &receiver.url());
    enter(&owner, &form, "first");
    receiver.wait_for(1);
    change(&owner, &form, "second");
    // The second attempt comes after five seconds.
    let got = receiver.wait_for(3);
    let of_creation: Vec<_> = got.iter().filter(|got| got.json()["event"] == "entry_created").collect();
    assert_eq!(of_creation.len(), 2);
    assert_eq!(of_creation[0].body, of_creation[1].body);
    assert_eq!(of_creation[0].header("webhook-id"), of_creation[1].header("webhook-id"));
    assert_ne!(
        of_creation[0].header("webhook-timestamp"),
        of_creation[1].header("webhook-timestamp"),
        "the time is that of the attempt"
    );
}

#[test]
fn five_hundred_changes_arrive_in_their_order_over_few_connections() {
    const CHANGES: usize = 500;
    let receiver = Receiver::with_status(200);
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    // Entries of one commit, of several at once, and changes of one entry.
    enter_many(&owner, &form, 200);
    for n in 200..300 {
        enter(&owner, &form, &format!("n{n}"));
    }
    for n in 300..CHANGES {
        let serial = 1 + i64::try_from(n).expect("small") % 300;
        let body = values(json!({"field_1": format!("n{n}")}));
        ok(owner.patch(form.entry(serial), body));
    }
    let got = receiver.wait_for(CHANGES);
    let texts: Vec<Value> = got.iter().map(|got| got.json()["entry"]["field_1"].clone()).collect();
    let expected: Vec<String> = (0..CHANGES).map(|n| format!("n{n}")).collect();
    assert_eq!(texts, expected);
    let ids: BTreeSet<&str> = got.iter().map(|got| got.header("webhook-id")).collect();
    assert_eq!(ids.len(), CHANGES);
    // A run of 20 shares a connection; changes that came one by one may have runs of their own.
    let connections: BTreeSet<usize> = got[..200].iter().map(|got| got.connection).collect();
    assert!(connections.len() <= 40, "{}", connections.len());
    webhook.until_status(&owner, CHANGES, "delivered");
}

#[test]
fn a_receiver_that_closes_its_connections_gets_everything() {
    let receiver = Receiver::start(|socket, number| {
        answer(socket, 200);
        // Half of them say so, the others just close.
        if number % 2 == 0 {
            raw(socket, "nonsense that nobody asked for");
        }
    });
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    enter_many(&owner, &form, 30);
    webhook.until_status(&owner, 30, "delivered");
}

#[test]
fn tls_is_verified_and_authorities_can_be_added() {
    let dir = tempfile::tempdir().expect("a folder");
    make_certificate(dir.path(), "localhost");
    let cert = dir.path().join("cert.pem");
    let chain: Vec<_> = CertificateDer::pem_file_iter(&cert).and_then(Iterator::collect).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(dir.path().join("key.pem")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a pair");
    let config = Arc::new(config);
    let wrap = move |socket: std::net::TcpStream| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).expect("a session");
        let mut socket = socket;
        while tls.is_handshaking() {
            tls.complete_io(&mut socket).ok()?;
        }
        assert_eq!(tls.server_name(), Some("localhost"), "the old name in SNI");
        let stream: Box<dyn Wire> = Box::new(StreamOwned::new(tls, socket));
        Some(stream)
    };
    let receiver = Receiver::over("127.0.0.1:0", wrap, |socket, _| answer(socket, 200));
    let url = format!("https://localhost:{}/hook", receiver.address.port());
    let (owner, form, distrusted) = told(Server::shared_with(&FLAGS), &url);
    enter(&owner, &form, "x");
    let error = "the receiver's certificate is not trusted";
    has(&distrusted.until_fault(&owner), json!({"error": error, "response_status": null}));
    assert!(receiver.got().is_empty());
    let ca = cert.display().to_string();
    let trusting = Server::with(&[&FLAGS[..], &["--webhook-ca", &ca]].concat());
    let (owner, form, trusted) = told(&trusting, &url);
    enter(&owner, &form, "x");
    trusted.until_delivered(&owner);
    let got = receiver.wait_for(1).remove(0);
    assert_eq!(got.header("host"), format!("localhost:{}", receiver.address.port()));
}

#[test]
fn settings_of_webhooks_are_checked_and_shown() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let config = write("formsvc.toml", "allow_private_webhooks = true\n");
    let junk = write("junk.pem", "no certificate");
    let run = |flags: &[&str], variable: Option<(&str, &str)>| {
        let mut command = std::process::Command::new(&*PROGRAM);
        command.args(["config", "show", "--json"]).args(flags).envs(variable);
        command.output().expect("runs")
    };
    for (flags, variable, value, source) in [
        (&[][..], None, "false", ""),
        (&["--allow-private-webhooks"], None, "true", ""),
        (&[], Some(("FORMSVC_ALLOW_PRIVATE_WEBHOOKS", "1")), "true", "FORMSVC_"),
        (&["--config", &config], None, "true", ""),
    ] {
        let done = run(flags, variable);
        assert!(done.status.success(), "{flags:?} {variable:?}: {}", text(&done.stderr));
        let rows: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let row = &rows["allow_private_webhooks"];
        assert_eq!(row["value"], value, "{flags:?} {variable:?}: {row}");
        assert!(row["source"].as_str().is_some_and(|from| from.contains(source)), "{flags:?} {variable:?}: {row}");
    }
    for (path, said) in [(junk.as_str(), "contains no certificates"), ("/none", "can't be read")] {
        let done = run(&["--webhook-ca", path], None);
        assert_eq!(done.status.code(), Some(3), "{path}");
        assert!(text(&done.stderr).contains(said), "{path}: {}", text(&done.stderr));
    }
}

#[test]
fn what_was_committed_is_delivered_after_a_crash() {
    // The first server's receiver takes requests and never answers.
    let silent = Receiver::start(|_, _| std::thread::park());
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (owner, form, own) = told(&server, &silent.url());
    for n in 0..25 {
        enter(&owner, &form, &format!("n{n}"));
    }
    silent.wait_for(1);
    server.kill();
    let server = Server::over(dir.path(), &FLAGS);
    let owner = again(&owner, &server);
    let receiver = Receiver::with_status(200);
    // It moved.
    own.set(&owner, json!({"url": receiver.url()}));
    until("all are delivered", || {
        make_due(&server, &form);
        let rows = own.deliveries(&owner);
        rows.len() == 25 && rows.iter().all(|row| row["status"] == "delivered")
    });
    let ids: BTreeSet<String> = receiver.got().iter().map(|got| got.header("webhook-id").to_owned()).collect();
    assert_eq!(ids.len(), 25);
}

#[test]
fn stopping_waits_for_what_is_underway_but_not_for_ever() {
    let silent = Receiver::start(|_, _| std::thread::park());
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let (owner, form, _) = told(&server, &silent.url());
    enter(&owner, &form, "x");
    silent.wait_for(1);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_command_delivers_what_is_due() {
    let receiver = Receiver::start(|socket, number| answer(socket, [500, 200][number.min(1)]));
    // The server itself does not come to its second attempt.
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &FLAGS);
    let (owner, form, own) = told(&server, &receiver.url());
    enter(&owner, &form, "x");
    own.until_fault(&owner);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    make_due(&server, &form);
    let run = |allowed: &str| {
        let done = std::process::Command::new(&*PROGRAM)
            .args(["jobs", "run-once", "deliveries", "--json", "--data-dir"])
            .arg(dir.path())
            .env("FORMSVC_ALLOW_PRIVATE_WEBHOOKS", allowed)
            .output()
            .expect("runs");
        assert!(done.status.success(), "{}", text(&done.stderr));
        let said: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        said[0]["done"].clone()
    };
    assert_eq!(run("false"), 0);
    assert_eq!(receiver.got().len(), 1);
    make_due(&server, &form);
    assert_eq!(run("true"), 1);
    assert_eq!(run("true"), 0);
    assert_eq!(receiver.got().len(), 2);
}
