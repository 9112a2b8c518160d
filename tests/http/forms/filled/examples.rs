//! The preview filled in with examples: one press, and a trial can be sent.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::{Server, field};

use super::{borrowed, filled, kinds, posted};

const ANN: &str = "ann@example.org";

/// The questions of all kinds, each required; the tours are open from today on.
fn required() -> Value {
    let fields = kinds().into_iter().map(|(kind, mut own, _)| {
        own["required"] = json!(true);
        if let Some(plan) = own.pointer_mut("/reservation_items/0/quota_setting").and_then(Value::as_object_mut) {
            plan.remove("start_date");
        }
        field(kind, own)
    });
    fields.collect()
}

#[test]
fn one_press_fills_in_every_kind_so_that_a_trial_can_be_sent() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write entry:read entry:write");
    let other = owner.form_with(json!({"name": "Members", "fields": [field("name", json!({}))]}));
    owner.post(other.entries(), json!({"field_values": {"field_1": "Grace Hopper"}})).is(201);
    // How little a respondent has to type to find entries is that form's decision.
    owner.patch(other.part("settings"), json!({"browse_linked_entries": true})).is(200);
    let mut fields = required();
    let linked = json!({"form_token": other.token, "search_fields": ["field_1"], "required": true,
        "display_fields": [{"api_code": "field_1", "public": true}]});
    fields.as_array_mut().expect("a list").push(field("linked_form", linked));
    let form = owner.form_with(json!({"name": "All", "fields": fields}));
    let ann = Session::on(&server).signed_in(ANN);
    let preview = format!("/forms/{}/preview", form.token);
    let page = ann.get(&preview).is(200);
    page.has(["Fill in with examples", &*format!("formaction=\"{preview}?examples=1\"")]);
    // Of what was typed nothing is lost.
    let examples = format!("{preview}?examples=1");
    let shown = ann.post(&examples, &[("_page", "0"), ("_action", "more"), ("field_3", "Zoe")]).is(200);
    let pairs = posted(&shown.text);
    assert!(pairs.contains(&("field_3".to_owned(), "Zoe".to_owned())), "{pairs:?}");
    let sent = [borrowed(&pairs), vec![("_action", "submit")]].concat();
    let thanks = page_text(&ann.post(&preview, &sent).is(200));
    assert!(thanks.contains("Your booking is confirmed"), "{thanks}");
    assert_eq!(owner.get(form.entries()).is(200).json()["pagination"]["total"], 0);
    // The frame of the builder, and what is filled in for a default, have no such button.
    for query in ["canvas=1", "take=field_1", "prefill=1"] {
        ann.get(&format!("{preview}?{query}")).is(200).lacks(["Fill in with examples"]);
    }
    server.anon().get(form.page()).is(200).lacks(["Fill in with examples"]);
    let public = server.anon().get(format!("{}?examples=1", form.page())).is(200);
    assert!(filled(&public.text).iter().all(|(_, value)| value != "Ada Lovelace"), "{public}");
}
