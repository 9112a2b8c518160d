//! Data deleted for good is not sent (handbook: webhooks.md, mail.md; S101): here it is deleted while its events and
//! its mail wait.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use support::peers::mail::{MailServer, flags, serving_with};
use support::peers::receiver::{Answer, Got, Receiver};
use support::steps::{add, again};
use support::store::{count, settled};
use support::{Caller, Form, Response, Server, field, until};

use super::event_stream::Stream;
use super::{FLAGS, KINDS, NOWHERE, Webhook, database, enter_many, make_due, ok, values};

/// A member, who gets notices.
const READER: &str = "grace@example.com";

const MARK: &str = "gone-mark";

fn two_texts() -> Value {
    json!([field("short_text", json!({})), field("short_text", json!({}))])
}

/// Deletes an entry, and then for good.
fn purge(owner: &Caller, form: &Form, serial: i64) {
    ok(owner.delete(form.entry(serial)));
    ok(owner.delete(form.trashed(serial)));
}

/// Removes the second field, with all that entries hold in it.
fn remove_second(owner: &Caller, form: &Form) -> Response {
    let fields = json!([form.body["fields"][0]]);
    ok(owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true})))
}

/// A receiver that is down, with its own path for a webhook of a form of two texts.
fn down() -> (&'static Server, Receiver, Caller, Form, Webhook) {
    let server = Server::shared_with(&FLAGS);
    let receiver = Receiver::with(|_| Answer::Status(500));
    let owner = server.user();
    let form = owner.form(two_texts());
    let webhook = Webhook::new(&owner, &form, &receiver.url("/hook"), &KINDS);
    (server, receiver, owner, form, webhook)
}

/// Lets the receiver take the waiting events; so many, deletions last. Failed ones are sent again beside new ones, in
/// either order.
fn up(server: &Server, receiver: &Receiver, form: &Form, count: usize) -> Vec<Got> {
    receiver.now(|_| Answer::Status(200));
    make_due(server, form);
    let mut taken = Vec::new();
    until("all are delivered", || {
        make_due(server, form);
        taken = receiver.taken("/hook");
        taken.len() >= count
    });
    taken.sort_by_key(|got| (got.kind() == "entry_deleted", got.serial()));
    taken
}

/// Asserts that none of these requests carries the mark.
#[track_caller]
fn clean(all: &[Got]) {
    for got in all {
        let text = String::from_utf8_lossy(&got.bytes);
        assert!(!text.contains(MARK), "{text}");
    }
}

#[test]
fn an_entry_purged_while_the_receiver_is_down_leaves_its_number_and_token_alone() {
    let (server, receiver, owner, form, webhook) = down();
    add(&owner, &form, json!({"field_1": MARK, "field_2": MARK}));
    add(&owner, &form, json!({"field_1": "stays"}));
    let token = owner.get(form.entry(1)).data()["token"].clone();
    webhook.until_fault(&owner);
    let asked = receiver.asked("/hook");
    assert!(asked[0].text() == MARK, "{asked:?}");
    ok(owner.delete(form.entry(1)));
    webhook.until_fault(&owner); // or its deletion would still be on its way when the entry is purged
    ok(owner.delete(form.trashed(1)));
    let got = up(server, &receiver, &form, 3);
    clean(&got);
    let told: Vec<(&str, i64)> = got.iter().map(|got| (got.kind(), got.serial())).collect();
    assert_eq!(told, [("entry_created", 1), ("entry_created", 2), ("entry_deleted", 1)]);
    for gone in [&got[0], &got[2]] {
        assert_eq!(gone.body["entry"], json!({"serial_number": 1, "token": token, "purged": true}));
        webhook.check(&form, gone);
    }
    assert_eq!(got[0].id(), asked[0].id());
    for key in ["id", "event", "created_at", "form"] {
        assert_eq!(got[0].body[key], asked[0].body[key]);
    }
    assert_eq!(got[1].text(), "stays");
    // Then nothing is left of it.
    until("its events are gone", || webhook.deliveries(&owner).len() == 1);
}

#[test]
fn an_entry_purged_behind_one_that_is_being_sent_does_not_leave() {
    let (server, receiver, owner, form, webhook) = down();
    receiver.now(|_| Answer::Hang);
    enter_many(&owner, &form, 3);
    until("the first is being sent", || receiver.asked("/hook").len() == 1);
    purge(&owner, &form, 2);
    webhook.set(&owner, json!({"trigger_events": ["entry_created"]}));
    receiver.release();
    let got = up(server, &receiver, &form, 4);
    let purged: Vec<bool> = got.iter().map(|got| got.body["entry"]["purged"] == true).collect();
    assert_eq!(purged, [false, true, false, true]);
}

#[test]
fn what_the_trash_lets_go_after_thirty_days_does_not_leave_either() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(two_texts());
    Webhook::new(&owner, &form, NOWHERE, &KINDS);
    add(&owner, &form, json!({"field_1": MARK}));
    ok(owner.delete(form.entry(1)));
    let aged = "UPDATE entries_trash SET deleted_at = deleted_at - 31 * 86400000";
    assert_eq!(database(&server).execute(aged, []).expect("updates"), 1);
    assert!(server.run(&["jobs", "run-once", "deleted-entries"]).status.success());
    let purged = "SELECT count(*) FROM events WHERE json_extract(CAST(body AS TEXT), '$.entry.purged')";
    assert_eq!(count(&server.dir, purged), 2);
    assert_eq!(count(&server.dir, &format!("SELECT count(*) FROM events WHERE instr(body, '{MARK}')")), 0);
}

#[test]
fn a_field_removed_while_the_receiver_is_down_is_left_out() {
    let (server, receiver, owner, form, webhook) = down();
    let mut stream = Stream::open(&owner, &form);
    add(&owner, &form, json!({"field_1": "first"}));
    let first = stream.next().expect("an event");
    add(&owner, &form, json!({"field_1": "stays", "field_2": MARK}));
    webhook.until_fault(&owner);
    remove_second(&owner, &form);
    // At once, before the stored events were cleaned.
    let mut resumed = Stream::after(&owner, &form, Some(&first.id));
    let event = resumed.next().expect("an event");
    assert_eq!(event.data["entry"]["field_1"], "stays");
    assert!(!event.text.contains(MARK) && event.data["entry"].get("field_2").is_none(), "{}", event.text);
    let got = up(server, &receiver, &form, 2);
    clean(&got);
    assert_eq!(got[1].body["entry"], owner.get(form.entry(2)).data());
    webhook.check(&form, &got[1]);
}

#[test]
fn what_was_removed_goes_from_stored_events() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(two_texts());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    for n in 0..250 {
        add(&owner, &form, json!({"field_1": format!("n{n}"), "field_2": MARK}));
    }
    purge(&owner, &form, 7);
    remove_second(&owner, &form);
    settled(&server.dir);
    assert_eq!(count(&server.dir, &format!("SELECT count(*) FROM events WHERE instr(body, '{MARK}')")), 0);
    let of_entries = "SELECT count(*) FROM events WHERE CAST(body AS TEXT) -> '$.entry.field_1' IS NOT NULL";
    assert_eq!(count(&server.dir, of_entries), 249);
    assert_eq!(webhook.deliveries(&owner).len(), 251);
}

/// A form with an email field and a text, whose notices have the answers.
fn noticing(owner: &Caller) -> Form {
    let form = owner.form(json!([field("short_text", json!({})), field("short_text", json!({}))]));
    let notice = json!({"enabled": true, "to": [READER], "include_values": true});
    ok(owner.patch(form.part("settings"), json!({"notifications": {"notice": notice}})));
    form
}

#[test]
fn mail_that_waits_carries_nothing_of_it() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let server = serving_with(dir.path(), &flags("smtp://127.0.0.1:1"), &[]);
    let owner = server.user_named(READER, "Grace");
    let form = noticing(&owner);
    let submit = |answers: Value| {
        let made = server.anon().post(form.submissions(), values(answers));
        assert_eq!(made.status, 201, "{made}");
    };
    submit(json!({"field_1": format!("all of {MARK}")}));
    submit(json!({"field_1": "stays", "field_2": MARK}));
    purge(&owner, &form, 1);
    remove_second(&owner, &form);
    assert_eq!(count(dir.path(), "SELECT count(*) FROM outbox WHERE body IS NOT NULL"), 0, "at once");
    settled(dir.path());
    server.signal("TERM");
    server.wait();
    let server = serving_with(dir.path(), &flags(&mail.url()), &[]);
    let owner = again(&owner, &server);
    let rows = || ok(owner.get(form.part("notifications"))).data();
    until("the mail went", || {
        database(&server).execute("UPDATE outbox SET next_attempt_at = 1 WHERE status = 'pending'", []).expect("due");
        thread::sleep(Duration::from_millis(50));
        rows()[0]["status"] == "delivered"
    });
    assert_eq!(rows().as_array().map(Vec::len), Some(1), "{}", rows());
    let notice = mail.mail_to(READER);
    let all = mail.mails();
    assert_eq!(all.len(), 1, "{all:?}");
    for text in [notice.text(), notice.html()] {
        assert!(text.contains("stays") && !text.contains(MARK), "{text}");
    }
}

#[test]
fn a_request_that_is_repeated_does_not_bring_its_entry_back() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(two_texts());
    let body = values(json!({"field_1": MARK}));
    for (caller, path) in [(&owner, form.entries()), (&server.anon(), form.submissions())] {
        let once = caller.header("Idempotency-Key", "once");
        let made = once.post(&path, body.clone()).is(201);
        let shown = if path == form.entries() { made.data() } else { made.data()["entry"].clone() };
        assert_eq!(once.post(&path, body.clone()).text, made.text);
        purge(&owner, &form, shown["serial_number"].as_i64().expect("a number"));
        let again = once.post(&path, body.clone());
        let gone = r#"410 {"error":"The entry that this request added was deleted for good"}"#;
        assert_eq!(again.to_string(), gone, "{path}");
    }
    assert_eq!(support::steps::count(&owner, &form), 0);
}
