//! Tests of a webhook (`…/test`), and deliveries that are sent again (`…/redeliver`).

use serde_json::json;
use support::clock::Clock;
use support::peers::receiver::closed_port;
use support::peers::wire_receiver::{Receiver, answer};
use support::{Server, until};

use super::UNREACHABLE;
use crate::delivery::{FLAGS, KINDS, Webhook, change, enter, has, ok, told};

#[test]
fn a_test_sends_a_ping_at_once_and_answers_with_its_delivery() {
    let receiver = Receiver::start(|socket, number| answer(socket, [200, 500, 200][number.min(2)]));
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    let row = webhook.test(&owner);
    has(&row, json!({"event": "ping", "status": "delivered", "attempts": 1, "response_status": 200}));
    assert_eq!(webhook.deliveries(&owner), [row]);
    let got = receiver.wait_for(1).remove(0);
    let body = got.json();
    has(&body, json!({"event": "ping", "entry": null, "id": got.header("webhook-id")}));
    assert_eq!(body["form"]["token"], form.token);
    assert!(got.header("webhook-signature").starts_with("v1,"));
    // A failure is an answer too, and is not tried again.
    let error = "the receiver answered with an error";
    let failed = json!({"status": "failed", "response_status": 500, "next_attempt_at": null, "error": error});
    has(&webhook.test(&owner), failed);
    let nobody = Webhook::new(&owner, &form, &format!("http://127.0.0.1:{}/", closed_port()), &KINDS);
    has(&nobody.test(&owner), json!({"status": "failed", "error": UNREACHABLE, "response_status": null}));
    // A disabled one is tested as well.
    webhook.set(&owner, json!({"enabled": false}));
    has(&webhook.test(&owner), json!({"status": "delivered"}));
    assert_eq!(receiver.got().len(), 3);
    // Without a body too.
    ok(owner.send("POST", &webhook.part("test"), None, b""));
}

#[test]
fn ten_tests_a_minute() {
    let receiver = Receiver::with_status(200);
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::still();
    let server = clock.server(dir.path(), &FLAGS);
    let (owner, form, own) = told(&server, &receiver.url());
    let other = Webhook::new(&owner, &form, &receiver.url(), &KINDS);
    for _ in 0..10 {
        own.test(&owner);
    }
    let refused = owner.post(own.part("test"), json!({}));
    assert_eq!(refused.status, 429, "{refused}");
    let wait: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(receiver.got().len(), 10);
    other.test(&owner);
    clock.ahead(61);
    own.test(&owner);
}

#[test]
fn what_came_to_an_end_is_sent_once_more() {
    let receiver = Receiver::with_status(200);
    let (owner, form, webhook) = told(Server::shared_with(&FLAGS), &receiver.url());
    enter(&owner, &form, "first");
    let row = webhook.until_delivered(&owner);
    change(&owner, &form, "second");
    receiver.wait_for(2);
    let again = ok(webhook.redeliver(&owner, row["id"].as_str().expect("an id")));
    has(&again.data(), json!({"id": row["id"], "status": "pending", "attempts": 0}));
    let got = receiver.wait_for(3);
    assert_eq!(got[2].body, got[0].body);
    assert_eq!(got[2].header("webhook-id"), got[0].header("webhook-id"));
    webhook.until_status(&owner, 2, "delivered");
}

#[test]
fn what_can_not_be_sent_once_more_is_refused() {
    let receiver = Receiver::with_status(500);
    // Nothing is tried again by itself.
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let server = clock.server(dir.path(), &FLAGS);
    let (owner, form, own) = told(&server, &receiver.url());
    let other = Webhook::new(&owner, &form, &receiver.url(), &KINDS);
    enter(&owner, &form, "x");
    let row = own.until_fault(&owner);
    let id = row["id"].as_str().expect("an id");
    let refused = own.redeliver(&owner, id);
    assert_eq!((refused.status, refused.faults()), (422, vec![": the delivery is pending".to_owned()]), "{refused}");
    for (webhook, id) in [(&other, id), (&own, "dlv_unknown"), (&own, "x")] {
        let missing = webhook.redeliver(&owner, id);
        assert_eq!(missing.to_string(), r#"404 {"error":"Delivery not found"}"#, "{id}");
    }
    own.set(&owner, json!({"enabled": false}));
    let refused = own.redeliver(&owner, id);
    assert_eq!((refused.status, refused.faults()), (422, vec![": the webhook is disabled".to_owned()]), "{refused}");
    own.set(&owner, json!({"enabled": true}));
    ok(own.redeliver(&owner, id));
    until("it is tried again", || receiver.got().len() >= 3);
}
