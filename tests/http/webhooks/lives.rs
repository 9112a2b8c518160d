//! How long events and deliveries are kept, and what goes with what.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{ALL, Hook, bodies, database, told};
use crate::support::steps::{add, simple};
use crate::support::{Form, Server};

fn number(database: &Connection, sql: &str, form: &Form) -> i64 {
    let found = database.query_row(sql, [&form.token], |row| row.get(0));
    found.expect("a number")
}

const OF_FORM: &str = "SELECT count(*) FROM outbox JOIN events e ON e.id = event_id \
     JOIN forms f ON f.form_no = e.id >> 32 WHERE f.token = ?1";

fn settle(database: &Connection, form: &Form, serial: i64) {
    let sql = "UPDATE outbox SET status = 'delivered', next_attempt_at = NULL, is_underway = 0 WHERE event_id IN \
         (SELECT e.id FROM events e JOIN forms f ON f.form_no = e.id >> 32 \
          WHERE f.token = ?1 AND e.serial = ?2)";
    database.execute(sql, (&form.token, serial)).expect("updates");
}

#[test]
fn a_disabled_webhook_gets_nothing_more_and_what_waited_fails() {
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let other = Hook::of(&owner, &form, &ALL);
    for name in ["a", "b"] {
        add(&owner, &form, json!({"field_1": name}));
    }
    assert_eq!(owner.patch(&hook.path, json!({"enabled": false})).status, 200);
    add(&owner, &form, json!({"field_1": "c"}));
    let ended = hook.deliveries(&owner);
    assert_eq!(ended.len(), 2);
    for delivery in &ended {
        assert_eq!(delivery["status"], "failed");
        assert_eq!(delivery["error"], "the webhook was disabled");
        assert_eq!(delivery["next_attempt_at"], Value::Null);
    }
    let waits = other.deliveries(&owner);
    assert_eq!(waits.len(), 3);
    assert!(waits.iter().all(|it| it["status"] == "pending"));
    // Enabled again it gets what happens from then on.
    assert_eq!(owner.patch(&hook.path, json!({"enabled": true})).status, 200);
    add(&owner, &form, json!({"field_1": "d"}));
    let statuses: Vec<Value> = hook.deliveries(&owner).iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "failed", "pending"]);
}

#[test]
fn a_deleted_webhook_takes_its_deliveries_with_it() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &ALL);
    let other = Hook::of(&owner, &form, &ALL);
    let entries: Vec<Value> = (0..500).map(|_| json!({"field_values": {}})).collect();
    for _ in 0..3 {
        let made = owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
        assert_eq!(made.status, 201);
    }
    assert_eq!(owner.delete(&hook.path).status, 200);
    assert_eq!(number(&database(server), OF_FORM, &form), 1_500);
    assert_eq!(other.deliveries(&owner).len(), 1_500);
    assert_eq!(owner.delete(&other.path).status, 200);
    assert_eq!(number(&database(server), OF_FORM, &form), 0);
    // The events are kept for those who read the stream, as long as any.
    assert_eq!(told(server, &form).len(), 1_500);
}

#[test]
fn an_entry_that_is_gone_for_good_takes_its_events_with_it_but_what_waits_is_still_delivered() {
    let server = Server::shared();
    let (owner, form) = simple();
    let hook = Hook::of(&owner, &form, &["entry_created"]);
    for name in ["a", "b"] {
        add(&owner, &form, json!({"field_1": name}));
    }
    settle(&database(server), &form, 1);
    for serial in [1, 2] {
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
        assert_eq!(owner.delete(form.trashed(serial)).status, 200);
    }
    assert_eq!(told(server, &form), [("entry_created".to_owned(), 2)]);
    let left = hook.deliveries(&owner);
    assert_eq!((left.len(), left[0]["status"].clone()), (1, json!("pending")));
    // It comes to an end: then both go.
    assert_eq!(owner.patch(&hook.path, json!({"enabled": false})).status, 200);
    assert_eq!(hook.deliveries(&owner).len(), 0);
    assert_eq!(bodies(server, &form).len(), 0);
}

#[test]
fn deliveries_are_kept_for_thirty_days_and_events_as_long_as_one_names_them_or_seven() {
    const DAY: i64 = 86_400_000;
    let server = Server::start();
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let hook = Hook::of(&owner, &form, &ALL);
    let gone = Hook::of(&owner, &form, &["entry_deleted"]);
    for name in ["a", "b", "c"] {
        add(&owner, &form, json!({"field_1": name}));
    }
    let database = database(&server);
    let age = |table: &str, days: i64, condition: &str| {
        let sql = format!("UPDATE {table} SET created_at = created_at - {} WHERE {condition}", days * DAY);
        database.execute(&sql, []).expect("updates")
    };
    let sweep = || {
        let swept = server.run(&["jobs", "run-once", "messages"]);
        assert!(swept.status.success(), "{}", crate::support::text(&swept.stderr));
    };
    // Of the first the delivery is too old, of the second it is not, though the event is.
    assert_eq!(age("outbox", 31, "event_id IN (SELECT id FROM events WHERE serial = 1)"), 1);
    assert_eq!(age("outbox", 29, "event_id IN (SELECT id FROM events WHERE serial = 2)"), 1);
    assert_eq!(age("events", 31, "serial IN (1, 2)"), 2);
    sweep();
    assert_eq!(hook.deliveries(&owner).len(), 2);
    assert_eq!(told(&server, &form).iter().map(|it| it.1).collect::<Vec<_>>(), [2, 3]);
    // Without a delivery an event is kept for seven days.
    assert_eq!(owner.delete(&hook.path).status, 200);
    sweep();
    assert_eq!(told(&server, &form).iter().map(|it| it.1).collect::<Vec<_>>(), [3]);
    age("events", 6, "serial = 3");
    sweep();
    assert_eq!(bodies(&server, &form).len(), 1);
    age("events", 2, "serial = 3");
    sweep();
    assert_eq!(bodies(&server, &form).len(), 0);
    assert_eq!(gone.deliveries(&owner).len(), 0);
}

#[test]
fn a_form_that_is_gone_for_good_takes_everything_with_it() {
    let server = Server::start();
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let kept = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    for form in [&form, &kept] {
        Hook::of(&owner, form, &ALL);
        let deleted = Hook::of(&owner, form, &ALL);
        add(&owner, form, json!({"field_1": "a"}));
        assert_eq!(owner.delete(&deleted.path).status, 200);
    }
    assert_eq!(owner.delete(form.path()).status, 200);
    let database = database(&server);
    let sql = "UPDATE forms SET deleted_at = deleted_at - 31 * 86400000 WHERE token = ?1";
    database.execute(sql, [&form.token]).expect("updates");
    let swept = server.run(&["jobs", "run-once", "deleted-forms"]);
    assert!(swept.status.success());
    for table in ["webhooks", "events", "outbox"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = database.query_row(&sql, [], |row| row.get(0)).expect("a number");
        assert_eq!(left, 1, "{table}");
    }
    assert_eq!(told(&server, &kept).len(), 1);
}
