//! Deliveries are listed for 30 days, events kept for 7; a webhook that is disabled gets nothing; an entry that is
//! removed for good takes its events with it.

use rusqlite::Connection;
use serde_json::{Value, json};
use support::steps::simple;
use support::world::World;
use support::{Form, Server, store};

use super::{bodies, expect, happened};
use crate::delivery::{self, KINDS, NOWHERE, Webhook, database, enter, enter_many, fields, has, ok};

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
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let other = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    for name in ["a", "b"] {
        enter(&owner, &form, name);
    }
    webhook.set(&owner, json!({"enabled": false}));
    enter(&owner, &form, "c");
    let ended = webhook.deliveries(&owner);
    assert_eq!(ended.len(), 2);
    for delivery in &ended {
        has(delivery, json!({"status": "failed", "error": "the webhook was disabled", "next_attempt_at": null}));
    }
    let waits = other.deliveries(&owner);
    assert_eq!(waits.len(), 3);
    assert!(waits.iter().all(|it| it["status"] == "pending"));
    // Enabled again it gets the events from then on.
    webhook.set(&owner, json!({"enabled": true}));
    enter(&owner, &form, "d");
    let statuses: Vec<Value> = webhook.deliveries(&owner).iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, ["pending", "failed", "failed"]);
}

#[test]
fn a_deleted_webhook_takes_its_deliveries_with_it() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let other = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    for _ in 0..3 {
        enter_many(&owner, &form, 500);
    }
    ok(owner.delete(webhook.path()));
    assert_eq!(number(&database(server), OF_FORM, &form), 1_500);
    assert_eq!(other.deliveries(&owner).len(), 1_500);
    ok(owner.delete(other.path()));
    assert_eq!(number(&database(server), OF_FORM, &form), 0);
    // The events are kept for readers of the stream, as long as any.
    assert_eq!(happened(server, &form).len(), 1_500);
}

#[test]
fn an_entry_that_is_gone_for_good_takes_its_events_with_it_but_what_waits_is_still_delivered() {
    let World { server, owner, form, .. } = World::with(fields());
    let webhook = Webhook::new(&owner, &form, NOWHERE, &["entry_created"]);
    for name in ["a", "b"] {
        enter(&owner, &form, name);
    }
    settle(&database(server), &form, 1);
    for serial in [1, 2] {
        ok(owner.delete(form.entry(serial)));
        ok(owner.delete(form.trashed(serial)));
    }
    expect(server, &form, &[("entry_created", 2)]);
    let left = webhook.deliveries(&owner);
    assert_eq!((left.len(), left[0]["status"].clone()), (1, json!("pending")));
    // The delivery ends: then both go.
    webhook.set(&owner, json!({"enabled": false}));
    assert_eq!(webhook.deliveries(&owner).len(), 0);
    assert_eq!(bodies(server, &form).len(), 0);
}

#[test]
fn deliveries_are_kept_for_thirty_days_and_events_as_long_as_one_names_them_or_seven() {
    const DAY: i64 = 86_400_000;
    let server = Server::alone("its jobs run now");
    let (owner, form) = delivery::simple(&server);
    let webhook = Webhook::new(&owner, &form, NOWHERE, &KINDS);
    let gone = Webhook::new(&owner, &form, NOWHERE, &["entry_deleted"]);
    for name in ["a", "b", "c"] {
        enter(&owner, &form, name);
    }
    let database = database(&server);
    let age = |table: &str, days: i64, condition: &str| {
        let sql = format!("UPDATE {table} SET created_at = created_at - {} WHERE {condition}", days * DAY);
        database.execute(&sql, []).expect("updates")
    };
    let sweep = || {
        let swept = server.run(&["jobs", "run-once", "messages"]);
        assert!(swept.status.success(), "{}", support::text(&swept.stderr));
    };
    // Of the first the delivery is too old, of the second it is not, though the event is.
    assert_eq!(age("outbox", 31, "event_id IN (SELECT id FROM events WHERE serial = 1)"), 1);
    assert_eq!(age("outbox", 29, "event_id IN (SELECT id FROM events WHERE serial = 2)"), 1);
    assert_eq!(age("events", 31, "serial IN (1, 2)"), 2);
    sweep();
    assert_eq!(webhook.deliveries(&owner).len(), 2);
    expect(&server, &form, &[("entry_created", 2), ("entry_created", 3)]);
    // Without a delivery an event is kept for seven days.
    ok(owner.delete(webhook.path()));
    sweep();
    expect(&server, &form, &[("entry_created", 3)]);
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
    let server = Server::alone("its jobs run now");
    let (owner, form) = delivery::simple(&server);
    let kept = owner.form(fields());
    for form in [&form, &kept] {
        Webhook::new(&owner, form, NOWHERE, &KINDS);
        let deleted = Webhook::new(&owner, form, NOWHERE, &KINDS);
        enter(&owner, form, "a");
        ok(owner.delete(deleted.path()));
    }
    ok(owner.delete(form.path()));
    let database = database(&server);
    let sql = "UPDATE forms SET deleted_at = deleted_at - 31 * 86400000 WHERE token = ?1";
    database.execute(sql, [&form.token]).expect("updates");
    let swept = server.run(&["jobs", "run-once", "deleted-forms"]);
    assert!(swept.status.success());
    for table in ["webhooks", "events", "outbox"] {
        assert_eq!(store::count(&server.dir, &format!("SELECT count(*) FROM {table}")), 1, "{table}");
    }
    assert_eq!(happened(&server, &kept).len(), 1);
}
