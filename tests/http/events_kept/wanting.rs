//! Who is told of a change: all webhooks of its form that want its kind and are switched on at that moment.

use serde_json::{Value, json};

use crate::events_kept::changes::{values, world};
use crate::events_kept::programs::text_field;
use crate::events_kept::{KINDS, Webhook, list};

#[test]
fn all_webhooks_of_a_form_get_the_same_event_each_with_its_own_signature() {
    let (_server, mut oracle) = world(json!([text_field()]));
    oracle.want(0, &KINDS);
    let owner = oracle.owner.clone();
    let made = owner.post(oracle.form(0).entries(), values(json!({"field_1": "a"})));
    assert_eq!(made.status, 201);
    let one = oracle.receiver.first_taken("/0/0", 1).remove(0);
    let two = oracle.receiver.first_taken("/0/1", 1).remove(0);
    assert_eq!(one.bytes, two.bytes);
    assert_eq!(one.body["entry"], made.data());
    let (first, second) = (oracle.webhook(0, 0), oracle.webhook(0, 1));
    assert_ne!(first.secret, second.secret);
    assert_eq!([first.signed(&one), first.signed(&two)], [true, false]);
    assert_eq!([second.signed(&one), second.signed(&two)], [false, true]);
}

#[test]
fn a_webhook_that_is_switched_off_gets_nothing_of_that_time() {
    let (_server, mut oracle) = world(json!([text_field()]));
    let path = oracle.want(0, &KINDS[..1]);
    let (owner, form) = (oracle.owner.clone(), oracle.form(0).token.clone());
    let add = |text: &str| {
        let made = owner.post(format!("/api/v1/forms/{form}/entries"), values(json!({"field_1": text})));
        assert_eq!(made.status, 201, "{made}");
    };
    let receiver = &oracle.receiver;
    let texts = |path: &str, count: usize| -> Vec<String> {
        let first = receiver.first_taken(path, count);
        first.iter().map(|got| got.text().to_owned()).collect()
    };
    add("on");
    assert_eq!(texts("/0/1", 1), ["on"]);
    let webhook = oracle.webhook(0, path);
    let off = owner.patch(webhook.path(), json!({"enabled": false}));
    assert_eq!((off.status, &off.data()["enabled"]), (200, &json!(false)), "{off}");
    add("off");
    assert_eq!(texts("/0/0", 2), ["on", "off"]);
    let on = owner.patch(webhook.path(), json!({"enabled": true, "trigger_events": ["entry_updated"]}));
    assert_eq!(on.status, 200, "{on}");
    add("another kind");
    let kinds = json!({"trigger_events": ["entry_created", "entry_created"]});
    let back = owner.patch(webhook.path(), kinds);
    assert_eq!(back.data()["trigger_events"], json!(["entry_created"]), "{back}");
    add("on again");
    assert_eq!(texts("/0/1", 2), ["on", "on again"]);
    assert_eq!(owner.delete(webhook.path()).status, 200);
    add("gone");
    assert_eq!(texts("/0/0", 5)[4], "gone");
    let other = owner.form(json!([text_field()]));
    let later = Webhook::new(&owner, &other, &receiver.url("/later"), &KINDS);
    assert_eq!(later.deliveries(&owner), Vec::<Value>::new());
    assert_eq!(texts("/0/1", 2), ["on", "on again"]);
    assert_eq!(owner.get(list(&other)).json()["pagination"]["total"], 1);
}
