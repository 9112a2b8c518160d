//! The webhooks that get an event: all of the form that want its kind and are enabled at that moment.

use serde_json::{Value, json};

use crate::delivery::events::oracle::Oracle;
use crate::delivery::{KINDS, Webhook, enter, fields, list, ok, values};

#[test]
fn all_webhooks_of_a_form_get_the_same_event_each_with_its_own_signature() {
    let mut oracle = Oracle::of(fields());
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
    let mut oracle = Oracle::of(fields());
    let path = oracle.want(0, &KINDS[..1]);
    let (owner, receiver) = (oracle.owner.clone(), &oracle.receiver);
    let add = |text: &str| enter(&owner, oracle.form(0), text);
    let texts = |path: &str, count: usize| -> Vec<String> {
        let first = receiver.first_taken(path, count);
        first.iter().map(|got| got.text().to_owned()).collect()
    };
    add("on");
    assert_eq!(texts("/0/1", 1), ["on"]);
    let webhook = oracle.webhook(0, path);
    webhook.set(&owner, json!({"enabled": false}));
    add("off");
    assert_eq!(texts("/0/0", 2), ["on", "off"]);
    webhook.set(&owner, json!({"enabled": true, "trigger_events": ["entry_updated"]}));
    add("another kind");
    webhook.set(&owner, json!({"trigger_events": ["entry_created", "entry_created"]}));
    add("on again");
    assert_eq!(texts("/0/1", 2), ["on", "on again"]);
    ok(owner.delete(webhook.path()));
    add("gone");
    assert_eq!(texts("/0/0", 5)[4], "gone");
    let other = owner.form(fields());
    let later = Webhook::new(&owner, &other, &receiver.url("/later"), &KINDS);
    assert_eq!(later.deliveries(&owner), Vec::<Value>::new());
    assert_eq!(texts("/0/1", 2), ["on", "on again"]);
    assert_eq!(owner.get(list(&other)).json()["pagination"]["total"], 1);
}
