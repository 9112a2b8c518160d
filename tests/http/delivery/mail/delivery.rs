//! Submissions never wait for the mail server: emails are sent in the background, also after a crash, tried again when
//! put off, and not when refused for good.

use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::mail::{MailServer, SENDER, flags, serving_with};
use support::peers::receiver::closed_port;
use support::steps::{add, again};
use support::store::database;
use support::tls::make_certificate;
use support::{Server, field, text, until};

use super::{
    CLOSED, OWNER, answered, both, form, form_of, listed, receipts, sending, submit, until_delivered, until_fault,
    until_latest,
};
use crate::delivery::{has, has_in, ok, values};

fn tls_options(dir: &Path) -> Value {
    make_certificate(dir, "localhost");
    let file = |name: &str| dir.join(name).display().to_string();
    json!({"cert": file("cert.pem"), "key": file("key.pem"), "user": "ann", "password": "s3cret ü"})
}

/// A server that signs in as `ann` at this address.
fn signing_in(dir: &Path, url: &str, password: &str, ca: bool) -> Server {
    let ca_file = dir.join("cert.pem").display().to_string();
    let mut all = flags(url).to_vec();
    if ca {
        all.extend(["--smtp-ca", &ca_file]);
    }
    let data = dir.join("data");
    serving_with(&data, &all, &[("FORMSVC_SMTP_PASSWORD", password)])
}

#[test]
fn mail_arrives_without_encryption_on_the_same_machine() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let form = answered(&owner, "ada@example.com");
    let got = mail.mail_to("ada@example.com");
    assert_eq!(got.0["from"], "forms@example.org");
    assert_eq!(got.0["tls"], false);
    assert_eq!(got.0["hello"], "[127.0.0.1]");
    assert_eq!(got.header("From"), SENDER);
    assert_eq!(got.header("To"), "ada@example.com");
    assert_eq!(got.header("Auto-Submitted"), "auto-generated");
    assert!(got.header("Message-ID").ends_with("@example.org>"), "{got:?}");
    assert!(!got.header("Date").is_empty());
    let row = until_delivered(&owner, &form);
    has(&row, json!({"attempts": 1, "error": null, "next_attempt_at": null, "entry_serial_number": 1}));
    has(&row, json!({"kind": "receipt", "to": "ada@example.com"}));
}

#[test]
fn a_password_is_sent_over_encryption_whose_certificate_is_known_or_on_the_same_machine() {
    let delivered = |tls: bool| json!({"status": "delivered", "tls": tls, "user": "ann", "sign_ins": 1});
    let refused = |error: &str| json!({"status": "pending", "error": error, "sign_ins": 0});
    let unknown = || refused("the mail server's certificate is not trusted");
    let open = refused("the mail server offers no encryption, so the password was not sent");
    // The use of TLS, the host, whether its certificate's authority is given, and the result for a mail. 0.0.0.0 is no
    // address of this machine's own, as far as anybody can tell.
    for (case, scheme, tls, host, ca, expected) in [
        ("STARTTLS", "smtp", true, "localhost", true, delivered(true)),
        ("TLS", "smtps", true, "localhost", true, delivered(true)),
        ("TLS, not trusted", "smtps", true, "localhost", false, unknown()),
        ("STARTTLS, not trusted", "smtp", true, "0.0.0.0", false, unknown()),
        ("STARTTLS, not trusted, on this machine", "smtp", true, "127.0.0.1", false, delivered(false)),
        ("no TLS", "smtp", false, "0.0.0.0", false, open),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let mut options = tls_options(dir.path());
        options["implicit"] = json!(scheme == "smtps");
        options["auth_require_tls"] = json!(ca && scheme == "smtp");
        if !tls {
            options = json!({"user": "ann", "password": "s3cret ü"});
        }
        let Some(mail) = MailServer::with(&options) else {
            return;
        };
        let server = signing_in(dir.path(), &format!("{scheme}://ann@{host}:{}", mail.port), "s3cret ü", ca);
        let owner = server.user();
        let form = answered(&owner, "ada@example.com");
        let mut row = until_latest(&owner, &form, case, |row| row["status"] == "delivered" || !row["error"].is_null());
        if row["status"] == "delivered" {
            let got = mail.mail_to("ada@example.com");
            (row["tls"], row["user"]) = (got.0["tls"].clone(), got.0["user"].clone());
        } else {
            assert!(mail.mails().is_empty(), "{case}: {row}");
        }
        row["sign_ins"] = json!(mail.sign_ins().len());
        has_in(case, &row, &expected);
        assert!(!server.stderr().contains("s3cret"), "{case}: {}", server.stderr());
    }
}

#[test]
fn a_wrong_password_is_told_and_may_be_put_right() {
    let dir = tempfile::tempdir().expect("a folder");
    let options = json!({"user": "ann", "password": "s3cret"});
    let Some(mail) = MailServer::with(&options) else {
        return;
    };
    let url = format!("smtp://ann@127.0.0.1:{}", mail.port);
    let server = signing_in(dir.path(), &url, "guess", false);
    let owner = server.user();
    let form = answered(&owner, "ada@example.com");
    let error = "the mail server refused the user or the password";
    has(&until_fault(&owner, &form), json!({"error": error, "status": "pending"}));
    drop(server);
    let server = signing_in(dir.path(), &url, "s3cret", false);
    let owner = again(&owner, &server);
    mail.mail_to("ada@example.com");
    until_delivered(&owner, &form);
}

#[test]
fn a_server_that_wants_a_user_first_may_be_given_one() {
    let options = json!({"user": "ann", "password": "secret", "auth_required": true});
    let Some(mail) = MailServer::with(&options) else {
        return;
    };
    let server = Server::with(&flags(&mail.url()));
    let owner = server.user();
    let form = answered(&owner, "ada@example.com");
    let row = until_fault(&owner, &form);
    has(&row, json!({"status": "pending", "error": "the mail server takes no mail without a user and encryption"}));
    assert!(row["next_attempt_at"].is_string(), "{row}");
}

#[test]
fn a_refusal_for_good_ends_at_once_and_in_our_words() {
    let Some((_mail, server, owner)) = sending() else {
        return;
    };
    let form = answered(&owner, "refused@example.com");
    let row = until_latest(&owner, &form, "failed", |row| row["status"] == "failed");
    has(&row, json!({"error": "the mail server refused the message", "attempts": 1, "next_attempt_at": null}));
    assert!(!server.stderr().contains("mailbox"), "{}", server.stderr());
}

#[test]
fn what_is_put_off_or_cut_off_is_tried_again() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let form = form(&owner, &receipts());
    for (name, error) in
        [("deferred", "the mail server put the message off"), ("broken", "the connection to the mail server broke")]
    {
        submit(&owner, &form, &json!({"field_1": format!("{name}@example.com")}));
        let row = until_latest(&owner, &form, name, |row| !row["error"].is_null());
        has_in(name, &row, &json!({"error": error, "status": "pending"}));
        let time = |key: &str| -> jiff::Timestamp { row[key].as_str().expect("a time").parse().expect("a time") };
        let wait = time("next_attempt_at").duration_since(time("created_at"));
        assert!(wait.as_secs() >= 5, "{name}: {wait:?}");
    }
    submit(&owner, &form, &json!({"field_1": "once@example.com"}));
    let row = until_delivered(&owner, &form);
    assert_eq!(row["attempts"], 2);
    mail.mail_to("once@example.com");
    assert_eq!(mail.mails().len(), 1);
}

#[test]
fn a_server_that_hangs_holds_up_neither_submissions_nor_other_mail() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let form = form(&owner, &receipts());
    for _ in 0..3 {
        submit(&owner, &form, &json!({"field_1": "hangs@example.com"}));
    }
    submit(&owner, &form, &json!({"field_1": "ada@example.com"}));
    mail.mail_to("ada@example.com");
    until_delivered(&owner, &form);
    let rows = listed(&owner, &form);
    assert!(rows[1..].iter().all(|row| row["status"] == "pending"), "{rows:?}");
    // Since when they are being sent, not when they would be taken for lost.
    for row in rows[1..].iter().filter(|row| row["attempts"] == 1) {
        let at = row["next_attempt_at"].as_str().expect("a time");
        let at: jiff::Timestamp = at.parse().expect("a time");
        assert!(at <= jiff::Timestamp::now(), "{row}");
    }
    // Nor does it hold up the end.
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_mail_server_that_is_not_there_is_found_when_it_comes() {
    let port = closed_port();
    let url = format!("smtp://127.0.0.1:{port}");
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &flags(&url));
    let owner = server.user();
    let form = answered(&owner, "ada@example.com");
    has(&until_fault(&owner, &form), json!({"error": "the mail server can't be reached"}));
    let Some(mail) = MailServer::with(&json!({"port": port})) else {
        return;
    };
    // However many tries there were by now: the next one is due.
    clock.ahead(3600);
    mail.mail_to("ada@example.com");
}

#[test]
fn what_was_committed_is_delivered_after_a_crash() {
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("smtp://{}", silent.local_addr().expect("an address"));
    let dir = tempfile::tempdir().expect("a folder");
    let server = serving_with(dir.path(), &flags(&url), &[]);
    let owner = server.user();
    let form = form(&owner, &receipts());
    for n in 0..6 {
        submit(&owner, &form, &json!({"field_1": format!("ada{n}@example.com")}));
    }
    // Some of them are being sent at this moment.
    until("a try", || listed(&owner, &form).iter().any(|row| row["attempts"] == 1));
    server.kill();
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving_with(dir.path(), &flags(&mail.url()), &[]);
    let owner = again(&owner, &server);
    for n in 0..6 {
        mail.mail_to(&format!("ada{n}@example.com"));
    }
    until("all are noted", || listed(&owner, &form).iter().all(|row| row["status"] == "delivered"));
    assert_eq!(mail.mails().len(), 6);
}

#[test]
fn a_command_delivers_what_is_due() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = serving_with(dir.path(), &flags(CLOSED), &[]);
    let owner = server.user();
    let form = answered(&owner, "ada@example.com");
    until_fault(&owner, &form);
    drop(server);
    let Some(mail) = MailServer::start() else {
        return;
    };
    database(dir.path()).execute("UPDATE outbox SET next_attempt_at = 0", []).expect("made due");
    let run = || {
        std::process::Command::new(&*support::PROGRAM)
            .args(["jobs", "run-once", "deliveries", "--json", "--data-dir"])
            .arg(dir.path())
            .env("FORMSVC_SMTP_URL", mail.url())
            .env("FORMSVC_MAIL_FROM", SENDER)
            .output()
            .expect("runs")
    };
    for done in [1, 0] {
        let ran = run();
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let said: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        assert_eq!(said, json!([{"job": "deliveries", "done": done}]));
    }
    mail.mail_to("ada@example.com");
}

#[test]
fn nothing_is_queued_for_what_is_refused() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let fields = json!([field("email", json!({"unique": true, "required": true}))]);
    let own = form_of(&owner, fields, &both(OWNER));
    let anon = server.anon();
    for (value, status) in [("no address", 422), ("ada@example.com", 201), ("ada@example.com", 422)] {
        let sent = anon.post(own.submissions(), values(json!({"field_1": value})));
        assert_eq!(sent.status, status, "{value}: {sent}");
    }
    assert_eq!(listed(&owner, &own).len(), 2);
    // Nor is mail sent for entries by the form's own people, nor twice for one request.
    add(&owner, &own, json!({"field_1": "own@example.com"}));
    let once = anon.header("idempotency-key", "k1");
    let body = values(json!({"field_1": "bob@example.com"}));
    for _ in 0..2 {
        assert_eq!(once.post(own.submissions(), body.clone()).status, 201);
    }
    assert_eq!(listed(&owner, &own).len(), 4);
    mail.mail_to("bob@example.com");
}

#[test]
fn nothing_readable_waits_in_the_database_and_old_mail_goes() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = serving_with(dir.path(), &flags(CLOSED), &[]);
    let owner = server.user();
    let form = form(
        &owner,
        &json!({"receipt": {"enabled": true, "for_programs": true, "subject": "PLAINLY WRITTEN {{field_2}}"}}),
    );
    submit(&owner, &form, &json!({"field_1": "ada@example.com", "field_2": "x"}));
    until_fault(&owner, &form);
    let database = database(dir.path());
    let body: Vec<u8> = database.query_row("SELECT body FROM outbox", [], |row| row.get(0)).expect("a body");
    assert!(!text(&body).contains("PLAINLY WRITTEN"));
    let age = |days: i64| {
        database.execute("UPDATE outbox SET created_at = created_at - ?1 * 86400000", [days]).expect("aged");
        let swept = server.run(&["jobs", "run-once", "messages", "--json"]);
        let said: Value = serde_json::from_slice(&swept.stdout).expect("JSON");
        said[0]["done"].clone()
    };
    assert_eq!(age(29), 0);
    assert_eq!(age(2), 1);
    assert!(listed(&owner, &form).is_empty());
}

#[test]
fn mail_about_an_entry_goes_with_it() {
    let owner = Server::shared_with(&flags(CLOSED)).user();
    let form = form(&owner, &receipts());
    for name in ["ada", "bob"] {
        submit(&owner, &form, &json!({"field_1": format!("{name}@example.com")}));
    }
    ok(owner.delete(form.entry(1)));
    assert_eq!(listed(&owner, &form).len(), 2);
    ok(owner.delete(form.trashed(1)));
    let rows = listed(&owner, &form);
    assert_eq!((rows.len(), &rows[0]["to"]), (1, &json!("bob@example.com")));
}
