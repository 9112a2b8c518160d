//! Tests of a webhook, and deliveries that are sent once more.

use serde_json::{Value, json};

use super::receiver::{Receiver, answer};
use super::{PRIVATE, enter, form, hook, make_due, server};
use crate::support::clock::Clock;
use crate::support::{Caller, Server, means, until};

fn test(owner: &Caller, path: &str) -> crate::support::Response {
    owner.post(format!("{path}/test"), json!({}))
}

#[test]
fn a_test_sends_a_ping_at_once_and_answers_with_its_delivery() {
    let receiver = Receiver::start(|socket, number| answer(socket, [200, 500, 200][number.min(2)]));
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let hook = hook(&owner, &form, &receiver.url());
    let tested = test(&owner, &hook.path);
    assert_eq!(tested.status, 200, "{tested}");
    let row = tested.data();
    assert_eq!((&row["event"], &row["status"], &row["attempts"]), (&json!("ping"), &json!("delivered"), &json!(1)));
    assert_eq!(row["response_status"], 200);
    assert_eq!(hook.deliveries(&owner), [row]);
    let got = receiver.wait_for(1).remove(0);
    let body = got.json();
    assert_eq!(body["event"], "ping");
    assert_eq!(body["entry"], Value::Null);
    assert_eq!(body["form"]["token"], form.token);
    assert_eq!(body["id"], got.header("webhook-id"));
    assert!(got.header("webhook-signature").starts_with("v1,"));
    // A failure is an answer too, and is not tried again.
    let tested = test(&owner, &hook.path);
    assert_eq!(tested.status, 200, "{tested}");
    let row = tested.data();
    assert_eq!(
        (&row["status"], &row["response_status"], &row["next_attempt_at"]),
        (&json!("failed"), &json!(500), &Value::Null)
    );
    assert_eq!(row["error"], "the receiver answered with an error");
    // A disabled one is tested as well.
    let off = owner.patch(&hook.path, json!({"enabled": false}));
    assert_eq!(off.status, 200, "{off}");
    assert_eq!(test(&owner, &hook.path).data()["status"], "delivered");
    assert_eq!(receiver.got().len(), 3);
    // Without a body too.
    let bare = owner.send("POST", &format!("{}/test", hook.path), None, b"");
    assert_eq!(bare.status, 200, "{bare}");
}

#[test]
fn a_test_of_nothing_that_listens_is_answered_too() {
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("an address").port()
    };
    let hook = hook(&owner, &form, &format!("http://127.0.0.1:{port}/"));
    let tested = test(&owner, &hook.path);
    assert_eq!(tested.status, 200, "{tested}");
    let row = tested.data();
    assert_eq!(
        (&row["status"], &row["error"], &row["response_status"]),
        (&json!("failed"), &json!("the receiver can't be reached"), &Value::Null)
    );
}

#[test]
fn ten_tests_a_minute() {
    if !means::has(&["cc"]) {
        return;
    }
    let receiver = Receiver::with_status(200);
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::new();
    let server = clock.server(dir.path(), &PRIVATE);
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, &receiver.url());
    let other = hook(&owner, &form, &receiver.url());
    for n in 0..10 {
        assert_eq!(test(&owner, &own.path).status, 200, "{n}");
    }
    let refused = test(&owner, &own.path);
    assert_eq!(refused.status, 429, "{refused}");
    let wait: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(receiver.got().len(), 10);
    assert_eq!(test(&owner, &other.path).status, 200);
    clock.ahead(61);
    assert_eq!(test(&owner, &own.path).status, 200);
}

#[test]
fn what_came_to_an_end_is_sent_once_more() {
    let receiver = Receiver::with_status(200);
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "first");
    let row = own.until_delivered(&owner);
    let changed = owner.patch(form.entry(1), json!({"field_values": {"field_1": "second"}}));
    assert_eq!(changed.status, 200, "{changed}");
    receiver.wait_for(2);
    let path = format!("{}/deliveries/{}/redeliver", own.path, row["id"].as_str().expect("an id"));
    let again = owner.post(&path, json!({}));
    assert_eq!(again.status, 200, "{again}");
    let pending = again.data();
    assert_eq!((&pending["id"], &pending["status"], &pending["attempts"]), (&row["id"], &json!("pending"), &json!(0)));
    let got = receiver.wait_for(3);
    assert_eq!(got[2].body, got[0].body);
    assert_eq!(got[2].header("webhook-id"), got[0].header("webhook-id"));
    until("it is noted", || {
        let rows = own.deliveries(&owner);
        rows.len() == 2 && rows.iter().all(|row| row["status"] == "delivered")
    });
}

#[test]
fn what_can_not_be_sent_once_more_is_refused() {
    let receiver = Receiver::with_status(500);
    let server = server();
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, &receiver.url());
    let other = hook(&owner, &form, &receiver.url());
    enter(&owner, &form, "x");
    let row = own.until_fault(&owner);
    let again =
        |hook: &super::Hook, id: &str| owner.post(format!("{}/deliveries/{id}/redeliver", hook.path), json!({}));
    let id = row["id"].as_str().expect("an id");
    let refused = again(&own, id);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.faults(), [": the delivery is pending"]);
    for (hook, id) in [(&other, id), (&own, "dlv_unknown"), (&own, "x")] {
        let missing = again(hook, id);
        assert_eq!(missing.status, 404, "{missing}");
        assert_eq!(missing.json()["error"], "Delivery not found");
    }
    let off = owner.patch(&own.path, json!({"enabled": false}));
    assert_eq!(off.status, 200, "{off}");
    let refused = again(&own, id);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.faults(), [": the webhook is disabled"]);
    let on = owner.patch(&own.path, json!({"enabled": true}));
    assert_eq!(on.status, 200, "{on}");
    assert_eq!(again(&own, id).status, 200);
    until("it is tried again", || receiver.got().len() >= 3);
    make_due(&server);
}

#[test]
fn both_are_for_managers_with_the_scope() {
    let server = Server::start();
    let owner = server.user();
    let form = form(&owner);
    let own = hook(&owner, &form, "http://127.0.0.1:1025/");
    let row = test(&owner, &own.path).data();
    let id = row["id"].as_str().expect("an id");
    let paths = [format!("{}/test", own.path), format!("{}/deliveries/{id}/redeliver", own.path)];
    let reader = server.token(&owner.email, "form:read integration:read");
    let others = [("viewer", 403), ("editor", 403), ("manager", 200)];
    for path in &paths {
        let anon = server.anon().post(path, json!({}));
        assert_eq!(anon.status, 401, "{anon}");
        let scope = reader.post(path, json!({}));
        assert_eq!(scope.status, 403, "{scope}");
        assert!(scope.header("www-authenticate").contains("integration:write"));
        let stranger = server.user().post(path, json!({}));
        assert_eq!(stranger.status, 404, "{stranger}");
        assert_eq!(stranger.json()["error"], "Form not found");
        for (role, status) in others {
            let user = server.user();
            let id = user.get("/api/v1/me").data()["id"].clone();
            let put = owner.put(
                format!("{}/collaborators/{}", form.path(), id.as_str().unwrap_or_default()),
                json!({"role": role}),
            );
            assert_eq!(put.status, 200, "{put}");
            let answer = user.post(path, json!({}));
            assert_eq!(answer.status, status, "{role}: {answer}");
            if status == 403 {
                assert_eq!(answer.json(), json!({"error": "Forbidden"}));
            }
            until("it is settled", || {
                own.deliveries(&owner).iter().all(|row| row["status"] == "failed" || row["attempts"] == 1)
            });
            make_due(&server);
        }
    }
    let unknown = "whk_unknown";
    for path in [
        format!("{}/integrations/webhooks/{unknown}/test", form.path()),
        format!("{}/integrations/webhooks/{unknown}/deliveries/{id}/redeliver", form.path()),
    ] {
        let gone = owner.post(path, json!({}));
        assert_eq!(gone.status, 404, "{gone}");
        assert_eq!(gone.json()["error"], "Webhook not found");
    }
    let garbled = owner.send("POST", &paths[0], Some("application/json"), b"{");
    assert_eq!(garbled.status, 400, "{garbled}");
}
