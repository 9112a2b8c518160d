//! What a receiver gets.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use super::receiver::{Receiver, Wire, answer, raw};
use super::{PRIVATE, enter, form, hook, make_due, server};
use crate::support::steps::again;
use crate::support::{PROGRAM, Server, text, until};
use crate::tls::make_certificate;

#[test]
fn a_delivery_is_the_event_with_headers_of_the_standard() {
    let receiver = Receiver::with_status(204);
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
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
    let keys: Vec<&String> = body.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "event", "created_at", "form", "entry"]);
    assert_eq!(body["id"], got.header("webhook-id"));
    assert_eq!(body["event"], "entry_created");
    let name = owner.get(form.path()).data()["name"].clone();
    assert_eq!(body["form"], json!({"token": form.token, "name": name}));
    assert_eq!(body["entry"], owner.get(form.entry(1)).data());
    let row = hook.until_delivered(&owner);
    assert_eq!(
        (&row["attempts"], &row["response_status"], &row["event"]),
        (&json!(1), &json!(204), &json!("entry_created"))
    );
    assert!(row["response_ms"].is_u64(), "{row}");
    assert_eq!((&row["error"], &row["next_attempt_at"]), (&Value::Null, &Value::Null));
}

#[test]
fn of_what_is_being_sent_the_time_is_that_of_the_attempt() {
    let gate = Arc::new(Mutex::new(()));
    let closed = Arc::clone(&gate);
    let receiver = Receiver::start(move |socket, _| {
        drop(closed.lock());
        answer(socket, 200);
    });
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    let held = gate.lock().expect("no panic");
    let before = jiff::Timestamp::now();
    enter(&owner, &form, "x");
    receiver.wait_for(1);
    let row = hook.deliveries(&owner).pop().expect("a row");
    assert_eq!((&row["status"], &row["attempts"], &row["error"]), (&json!("pending"), &json!(0), &Value::Null));
    let at = row["next_attempt_at"].as_str().expect("a time");
    let at: jiff::Timestamp = at.parse().expect("a time");
    let since = jiff::Timestamp::now().duration_since(at).as_millis();
    let most = jiff::Timestamp::now().duration_since(before).as_millis();
    assert!((0..=most + 1).contains(&since), "{row}");
    drop(held);
    let row = hook.until_delivered(&owner);
    assert_eq!(row["next_attempt_at"], Value::Null);
}

#[test]
fn the_body_is_that_of_the_moment_in_every_attempt() {
    let receiver = Receiver::start(|socket, number| answer(socket, [500, 200][number.min(1)]));
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "first");
    receiver.wait_for(1);
    let changed = owner.patch(form.entry(1), json!({"field_values": {"field_1": "second"}}));
    assert_eq!(changed.status, 200, "{changed}");
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
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    // Entries of one commit, of several at once, and changes of one entry.
    let entries: Vec<Value> = (0..200).map(|n| json!({"field_values": {"field_1": format!("n{n}")}})).collect();
    let made = owner.post(format!("{}/entries/bulk", form.path()), json!({"entries": entries}));
    assert_eq!(made.status, 201, "{made}");
    for n in 200..300 {
        enter(&owner, &form, &format!("n{n}"));
    }
    for n in 300..CHANGES {
        let serial = 1 + i64::try_from(n).expect("small") % 300;
        let body = json!({"field_values": {"field_1": format!("n{n}")}});
        assert_eq!(owner.patch(form.entry(serial), body).status, 200);
    }
    let got = receiver.wait_for(CHANGES);
    let texts: Vec<String> = got
        .iter()
        .map(|got| {
            let body = got.json();
            let value = &body["entry"]["field_1"];
            value.as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
        })
        .collect();
    let expected: Vec<String> = (0..CHANGES).map(|n| format!("n{n}")).collect();
    assert_eq!(texts, expected);
    let ids: BTreeSet<&str> = got.iter().map(|got| got.header("webhook-id")).collect();
    assert_eq!(ids.len(), CHANGES);
    // A run of 20 shares a connection; changes that came one by one may have runs of their own.
    let connections: BTreeSet<usize> = got[..200].iter().map(|got| got.connection).collect();
    assert!(connections.len() <= 40, "{}", connections.len());
    until("all are noted", || hook.deliveries(&owner).iter().all(|row| row["status"] == "delivered"));
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
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    let entries: Vec<Value> = (0..30).map(|n| json!({"field_values": {"field_1": format!("n{n}")}})).collect();
    let bulk = format!("{}/entries/bulk", form.path());
    assert_eq!(owner.post(bulk, json!({"entries": entries})).status, 201);
    until("all are delivered", || {
        let rows = hook.deliveries(&owner);
        rows.len() == 30 && rows.iter().all(|row| row["status"] == "delivered")
    });
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
    let strict = server();
    let owner = strict.user();
    let own = form(&owner);
    let distrusted = hook(&owner, &own, &url);
    enter(&owner, &own, "x");
    let row = distrusted.until_fault(&owner);
    assert_eq!(row["error"], "the receiver's certificate is not trusted");
    assert_eq!(row["response_status"], Value::Null);
    assert!(receiver.got().is_empty());
    let ca = cert.display().to_string();
    let trusting = Server::with(&[&PRIVATE[..], &["--webhook-ca", &ca]].concat());
    let owner = trusting.user();
    let own = form(&owner);
    let trusted = hook(&owner, &own, &url);
    enter(&owner, &own, "x");
    trusted.until_delivered(&owner);
    let got = receiver.wait_for(1).remove(0);
    assert_eq!(got.header("host"), format!("localhost:{}", receiver.address.port()));
}

#[test]
fn settings_of_webhooks_are_checked_and_shown() {
    let dir = tempfile::tempdir().expect("a folder");
    let junk = dir.path().join("junk.pem");
    std::fs::File::create(&junk).and_then(|mut file| file.write_all(b"no certificate")).expect("written");
    let run = |flags: &[&str], variables: &[(&str, &str)]| {
        std::process::Command::new(PROGRAM)
            .args(["config", "show", "--json"])
            .args(flags)
            .envs(variables.iter().copied())
            .output()
            .expect("runs")
    };
    let shown = |flags: &[&str], variables: &[(&str, &str)]| {
        let done = run(flags, variables);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let rows: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let row = &rows["allow_private_webhooks"];
        (row["value"].clone(), row["source"].clone())
    };
    assert_eq!(shown(&[], &[]).0, "false");
    assert_eq!(shown(&["--allow-private-webhooks"], &[]).0, "true");
    let (value, source) = shown(&[], &[("FORMSVC_ALLOW_PRIVATE_WEBHOOKS", "1")]);
    assert_eq!(value, "true");
    assert!(source.as_str().expect("text").contains("FORMSVC_"));
    let file = dir.path().join("formsvc.toml");
    std::fs::write(&file, "allow_private_webhooks = true\n").expect("written");
    let path = file.to_str().expect("a path");
    assert_eq!(shown(&["--config", path], &[]).0, "true");
    let junk = junk.to_str().expect("a path");
    for (path, said) in [(junk, "holds no certificates"), ("/none", "can't be read")] {
        let done = run(&["--webhook-ca", path], &[]);
        assert_eq!(done.status.code(), Some(3));
        assert!(text(&done.stderr).contains(said), "{}", text(&done.stderr));
    }
}

#[test]
fn what_was_committed_is_delivered_after_a_crash() {
    // The first server's receiver takes requests and never answers.
    let silent = Receiver::start(|_, _| std::thread::park());
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &PRIVATE);
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, &silent.url());
    for n in 0..25 {
        enter(&owner, &form, &format!("n{n}"));
    }
    silent.wait_for(1);
    server.kill();
    let server = Server::over(dir.path(), &PRIVATE);
    let owner = again(&owner, &server);
    let receiver = Receiver::with_status(200);
    // It moved.
    let moved = owner.patch(&own.path, json!({"url": receiver.url()}));
    assert_eq!(moved.status, 200, "{moved}");
    until("all are delivered", || {
        make_due(&server);
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
    let server = Server::over(dir.path(), &PRIVATE);
    let owner = server.user();
    let form = form(&owner);
    hook(&owner, &form, &silent.url());
    enter(&owner, &form, "x");
    silent.wait_for(1);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_command_delivers_what_is_due() {
    let receiver = Receiver::start(|socket, number| answer(socket, [500, 200][number.min(1)]));
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &PRIVATE);
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    own.until_fault(&owner);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    make_due(&server);
    let run = |allowed: &str| {
        let done = std::process::Command::new(PROGRAM)
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
    make_due(&server);
    assert_eq!(run("true"), 1);
    assert_eq!(run("true"), 0);
    assert_eq!(receiver.got().len(), 2);
}
