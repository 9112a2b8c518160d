//! The thank-you page as a receipt: who sees the answers on it, and which.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::steps::set;
use support::{Caller, Form, Response, Server, field};

const PLANTED: &str = "planted-mark";

fn registration(owner: &Caller) -> Form {
    let form = owner.form(json!([
        field("short_text", json!({"label": "Full name", "required": true})),
        field("short_text", json!({"label": "Inside", "hidden": true, "default_value": PLANTED})),
        field("radio", json!({"label": "Guest?", "choices": [{"api_code": "yes", "label": "Yes"}, {"api_code": "no", "label": "Alone"}]})),
        field("short_text", json!({"label": "Name of the guest"})),
        field("checkbox", json!({"label": "Meals", "choices": [{"api_code": "a", "label": "Breakfast"}, {"api_code": "b", "label": "Dinner"}]})),
        field("long_text", json!({"label": "Wishes"})),
    ]));
    let is_guest = json!({"operand": "and", "items": [{"field": "field_3", "operator": "eq", "value": "yes"}]});
    let rules = json!({"rules": [{"condition": is_guest, "action": "show", "fields": ["field_4"]}]});
    let done = owner.put(format!("{}/field_rules", form.path()), rules);
    assert_eq!(done.status, 200, "{done}");
    form
}

/// The address of the receipt of a sent form.
fn sent(form: &Form, pairs: &[(&str, &str)]) -> String {
    let done = Server::shared().anon().post_form(form.page(), pairs);
    assert_eq!(done.status, 303, "{done}");
    done.header("location").to_owned()
}

fn ada(form: &Form) -> String {
    sent(form, &[("field_1", "Ada <b>King</b>"), ("field_3", "no"), ("field_5", "a"), ("field_5", "b")])
}

fn get(address: &str) -> Response {
    Server::shared().anon().get(address)
}

fn shows(page: &Response) -> bool {
    assert_eq!(page.status, 200, "{page}");
    page.text.contains("Ada &lt;b&gt;King")
}

#[test]
fn a_receipt_shows_what_was_sent_and_no_more() {
    let owner = Server::shared().user();
    let form = registration(&owner);
    let page = get(&ada(&form));
    assert!(shows(&page), "{page}");
    for seen in [
        "Full name",
        "Guest?",
        "Alone",
        "Breakfast",
        "Dinner",
        "Wishes",
        "Not answered",
        "<strong>1</strong>",
        "<time ",
    ] {
        assert!(page.text.contains(seen), "{seen}: {page}");
    }
    // A hidden field, one that rules hide, and a choice that was not made.
    for unseen in [PLANTED, "Inside", "Name of the guest", "Yes", "<b>King"] {
        assert!(!page.text.contains(unseen), "{unseen}: {page}");
    }
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    let stored = owner.get(form.entry(1)).data();
    assert_eq!(stored["field_2"], PLANTED, "{stored}");
}

#[test]
fn a_receipt_is_for_its_own_entry() {
    let owner = Server::shared().user();
    let (form, other) = (registration(&owner), registration(&owner));
    let (one, two, foreign) = (ada(&form), ada(&form), ada(&other));
    let serial = |address: &str, from: &str, to: &str| address.replace(from, to);
    for forged in [
        serial(&one, "n=1", "n=2"),
        serial(&two, "n=2", "n=1"),
        serial(&two, "n=2", "n=3"),
        foreign.replace(&other.token, &form.token),
        one.split("&s=").next().unwrap_or_default().to_owned(),
        format!("{one}x"),
    ] {
        let page = get(&forged);
        assert_eq!(page.status, 404, "{forged}");
        assert!(!page.text.contains("King"), "{page}");
    }
}

#[test]
fn answers_are_shown_while_they_are_as_they_were_sent() {
    let owner = Server::shared().user();
    let form = registration(&owner);
    let address = ada(&form);
    assert!(shows(&get(&address)));
    // Somebody else has changed it since: that is not what was sent.
    let done = owner.patch(form.entry(1), json!({"field_values": {"field_6": "A note of the office"}}));
    assert_eq!(done.status, 200, "{done}");
    let page = get(&address);
    assert!(!shows(&page) && !page.text.contains("office"), "{page}");
    assert!(page.text.contains("<strong>1</strong>"), "{page}");
    // In the trash, and out of it.
    let address = ada(&form);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let page = get(&address);
    assert!(!shows(&page), "{page}");
    assert!(page.text.contains("<strong>2</strong>"), "{page}");
    // The setting.
    let address = ada(&form);
    set(&owner, &form, json!({"after_submission": {"show_answers": false}}));
    assert!(!shows(&get(&address)));
    set(&owner, &form, json!({"after_submission": {"show_answers": null}}));
    assert!(shows(&get(&address)));
}

#[test]
fn who_may_edit_an_entry_sees_it_as_it_is_now() {
    let owner = Server::shared().user();
    let form = registration(&owner);
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let address = ada(&form);
    let page = get(&address);
    assert!(shows(&page), "{page}");
    assert!(page.text.contains("role=\"img\""), "a code to scan: {page}");
    // The link stands beside what strangers may have written: nothing of that is compressed.
    let anon = Server::shared().anon().header("accept-encoding", "gzip");
    assert_eq!(anon.get(&address).header("content-encoding"), "");
    let link = hidden(&page, "edit-link").replace("&amp;", "&");
    assert!(link.starts_with(&Server::shared().base), "{link}");
    assert_eq!(get(link.trim_start_matches(&*Server::shared().base)).status, 200, "{link}");
    let done = owner.patch(form.entry(1), json!({"field_values": {"field_6": "A note of the office"}}));
    assert_eq!(done.status, 200, "{done}");
    let page = get(&address);
    assert!(shows(&page) && page.text.contains("office"), "{page}");
    // Without the right, or with a wrong one, nothing of it.
    let (without, right) = address.split_once("&edit_token=").expect("a right");
    for wrong in [without.to_owned(), format!("{without}&edit_token={right}x"), format!("{without}&edit_token=")] {
        let page = get(&wrong);
        assert!(!shows(&page) && !page.text.contains("office") && !page.text.contains("edit-link"), "{page}");
    }
    // Nor when the owner no longer lets anybody.
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": false}}));
    assert!(!shows(&get(&address)));
}

/// Every kind says its answer, a line for each part of it.
#[test]
fn answers_of_several_parts_are_shown_by_lines() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("rating", json!({"label": "Stars"})),
        field("number", json!({"label": "Years", "unit": "years"})),
        field("ranking", json!({"label": "Order", "choices": [{"api_code": "a", "label": "Talks"}, {"api_code": "b", "label": "Walks"}]})),
        field("likert", json!({"label": "Opinions", "statements": [{"api_code": "room", "label": "The room"}, {"api_code": "food", "label": "The food"}],
            "choices": [{"api_code": "good", "label": "Good"}, {"api_code": "bad", "label": "Bad"}]})),
        field("product", json!({"label": "Order here", "goods_items": [{"api_code": "bag", "name": "Bag", "price": 12.5}]})),
        field("name", json!({"label": "Signed by"})),
    ]));
    let page = get(&sent(
        &form,
        &[
            ("field_1", "4"),
            ("field_2", "12"),
            ("field_3.a", "2"),
            ("field_3.b", "1"),
            ("field_4.room", "good"),
            ("field_4.food", "bad"),
            ("field_5[0].api_code", "bag"),
            ("field_5[0].number", "2"),
        ],
    ));
    let lines: Vec<Value> = page
        .text
        .split("<dd")
        .skip(1)
        .map(|part| {
            let part = part.split("</dd>").next().unwrap_or_default();
            let items = part.split("<li").skip(1).map(|item| json!(text_of(item)));
            let items: Vec<Value> = items.collect();
            if items.is_empty() { json!(text_of(part)) } else { json!(items) }
        })
        .collect();
    assert_eq!(
        json!(lines[..4]),
        json!(["4 / 5", "12 years", ["1. Walks", "2. Talks"], ["The room: Good", "The food: Bad"]]),
        "{page}"
    );
    assert_eq!(lines[4], "2 × Bag", "{page}");
    let total = lines[5].as_str().unwrap_or_default();
    assert!(total.starts_with("Total: ") && total.contains("25.00"), "{total}");
}

/// What is read of a piece of markup that begins within a tag.
fn text_of(markup: &str) -> String {
    let mut out = String::new();
    let mut rest = markup;
    while let Some((text, tag)) = rest.split_once('>').map(|(_, after)| after.split_once('<').unwrap_or((after, ""))) {
        out.push_str(text);
        rest = tag;
    }
    out
}
