//! The thank-you page as a receipt: its readers, and the answers on it.

use regex::Regex;

use super::*;

const PLANTED: &str = "planted-mark";
/// Ada's answer, as a page shows it.
const ADA: &str = "Ada &lt;b&gt;King";

fn registration() -> World {
    let choices = |choices: [(&str, &str); 2]| -> Value {
        choices.iter().map(|(code, label)| json!({"api_code": code, "label": label})).collect()
    };
    let w = asking(json!([
        {"short_text": {"label": "Full name", "required": true}},
        {"short_text": {"label": "Inside", "hidden": true, "default_value": PLANTED}},
        {"radio": {"label": "Guest?", "choices": choices([("yes", "Yes"), ("no", "Alone")])}},
        {"short_text": {"label": "Name of the guest"}},
        {"checkbox": {"label": "Meals", "choices": choices([("a", "Breakfast"), ("b", "Dinner")])}},
        {"long_text": {"label": "Wishes"}}
    ]));
    set_rules(&w.owner, &w.form, json!([rule("field_3", "yes", "show", "field_4")]));
    w
}

/// Ada sends the form; the address of the receipt.
fn ada(w: &World) -> String {
    w.post(&typed("field_1=Ada <b>King</b>&field_3=no&field_5=a&field_5=b")).leads()
}

/// The receipt, with the answers.
fn shown(w: &World, address: &str) -> Response {
    let page = w.anon.get(address).is(200);
    page.has([ADA]);
    page
}

/// The receipt, without the answers.
fn bare(w: &World, address: &str) -> Response {
    let page = w.anon.get(address).is(200);
    page.lacks([ADA, "office", "edit-link"]);
    page
}

fn note(w: &World, serial: i64) {
    let note = json!({"field_values": {"field_6": "A note of the office"}});
    w.owner.patch(w.form.entry(serial), note).is(200);
}

#[test]
fn receipt_shows_what_was_sent_and_no_more() {
    let w = registration();
    let page = shown(&w, &ada(&w));
    page.has(["Full name", "Guest?", "Alone", "Breakfast", "Dinner", "Wishes", "Not answered"]);
    page.has(["<strong>1</strong>", "<time "]);
    // A hidden field, one that rules hide, and a choice that was not made.
    page.lacks([PLANTED, "Inside", "Name of the guest", "Yes", "<b>King"]);
    assert_eq!([page.header("cache-control"), page.header("x-robots-tag")], ["no-store", "noindex"]);
    assert_eq!(w.newest()["field_2"], PLANTED);
}

#[test]
fn receipt_is_for_its_own_entry() {
    let (w, other) = (registration(), registration());
    let (one, two, foreign) = (ada(&w), ada(&w), ada(&other));
    for forged in [
        one.replace("n=1", "n=2"),
        two.replace("n=2", "n=1"),
        two.replace("n=2", "n=3"),
        foreign.replace(&other.form.token, &w.form.token),
        one.split("&s=").next().unwrap_or_default().to_owned(),
        format!("{one}x"),
    ] {
        let page = w.anon.get(&forged);
        assert_eq!(page.status, 404, "{forged}: {page}");
        page.lacks(["King"]);
    }
}

#[test]
fn answers_are_shown_while_they_are_as_they_were_sent() {
    let w = registration();
    let address = ada(&w);
    shown(&w, &address);
    // Somebody else has changed it since, so it is not as it was sent.
    note(&w, 1);
    bare(&w, &address).has(["<strong>1</strong>"]);
    // In the trash.
    let address = ada(&w);
    w.owner.delete(w.form.entry(2)).is(200);
    bare(&w, &address).has(["<strong>2</strong>"]);
    // The setting.
    let address = ada(&w);
    set(&w.owner, &w.form, json!({"after_submission": {"show_answers": false}}));
    bare(&w, &address);
    set(&w.owner, &w.form, json!({"after_submission": {"show_answers": null}}));
    shown(&w, &address);
}

#[test]
fn who_may_edit_an_entry_sees_it_as_it_is_now() {
    let w = registration().settings(editable(true));
    let address = ada(&w);
    let page = shown(&w, &address);
    // A code to scan.
    page.has(["role=\"img\""]);
    // The link is on the page beside text of strangers: nothing of that is compressed.
    let packed = w.anon.header("accept-encoding", "gzip").get(&address);
    assert_eq!(packed.header("content-encoding"), "");
    let link = hidden(&page, "edit-link").replace("&amp;", "&");
    w.anon.get(link.strip_prefix(&w.anon.base).expect("a whole address")).is(200);
    note(&w, 1);
    shown(&w, &address).has(["office"]);
    // Without the right, or with a wrong one, nothing of it.
    let (without, right) = address.split_once("&edit_token=").expect("a right");
    for wrong in ["", "&edit_token=", &format!("&edit_token={right}x")] {
        bare(&w, &format!("{without}{wrong}"));
    }
    // Nor when the owner no longer lets anybody.
    set(&w.owner, &w.form, editable(false));
    bare(&w, &address);
}

/// Every kind says its answer, a line for each part of it.
#[test]
fn answers_of_several_parts_are_shown_by_lines() {
    let items = |of: &[(&str, &str)]| -> Value {
        of.iter().map(|(code, label)| json!({"api_code": code, "label": label})).collect()
    };
    let rooms = items(&[("room", "The room"), ("food", "The food")]);
    let w = asking(json!([
        {"rating": {"label": "Stars"}}, {"number": {"label": "Years", "unit": "years"}},
        {"ranking": {"label": "Order", "choices": items(&[("a", "Talks"), ("b", "Walks")])}},
        {"likert": {"label": "Opinions", "statements": rooms, "choices": items(&[("good", "Good"), ("bad", "Bad")])}},
        {"product": {"label": "Order here", "goods_items": [{"api_code": "bag", "name": "Bag", "price": 12.5}]}},
        {"name": {"label": "Signed by"}}
    ]));
    let inputs = "field_1=4&field_2=12&field_3.a=2&field_3.b=1&field_4.room=good&field_4.food=bad\
        &field_5[0].api_code=bag&field_5[0].number=2";
    let page = w.anon.get(w.post(&typed(inputs)).leads());
    let tag = Regex::new("<[^>]*>").expect("a pattern");
    let answers = page.text.split("</dd>").filter_map(|part| part.split_once("<dd"));
    let answers = answers.map(|(_, dd)| tag.replace_all(&format!("<dd{dd}").replace("</li>", "; "), "").into_owned());
    let answers: Vec<String> = answers.collect();
    let order = ["2 × Bag", "Total: $25.00"];
    let lists = ["1. Walks; 2. Talks; ", "The room: Good; The food: Bad; "];
    // At the end, the amount to pay.
    let last = ["Not answered", "$25.00"];
    assert_eq!(answers, [&["4 / 5", "12 years"], &lists, &order, &last[..]].concat(), "{page}");
}
