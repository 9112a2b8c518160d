//! Entries by fingers alone, on a phone: a list is narrowed by conditions and opened again, an entry is read, changed and
//! trashed. What the device itself shows for a select is left to it: its choice is set.

use serde_json::{Value, json};
use support::Server;

use crate::console::desk::week::READY;
use crate::console::entries::registration;
use crate::console::people::{OWNER, sign_in};
use crate::driver::steps::{NOTHING, set_value};
use crate::driver::webdriver::{Browser, Look};

const CHOSEN: &str = "document.getElementsByName('f[0].operator')[0]";

/// Empties the line of text with the focus, and types into it.
fn type_over(browser: &Browser, text: &str) {
    browser.run("document.activeElement.select()");
    browser.keys(text.chars());
}

#[test]
fn entries_are_narrowed_read_and_changed_by_touch() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let owner = server.token(OWNER, "form:read entry:read");
    let browser = Browser::open(Look { width: 390, height: 844, ..Look::PHONE });
    browser.fingers(true);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/entries", server.base, form.token);
    // A tap on a part opens it; what is chosen there is sent by a tap.
    let narrow = |field: &str, operator: &str, values: &[&str]| -> i64 {
        browser.go(&list);
        browser.until(READY);
        browser.tap("details:has(#add) > summary");
        browser.until("document.querySelector('details:has(#add)').open");
        set_value(&browser, "add", field);
        browser.until(&format!("{CHOSEN}?.options.length > 1"));
        set_value(&browser, "f[0].operator", operator);
        for (at, value) in values.iter().enumerate() {
            let line = format!("document.querySelectorAll('.condition-value')[{at}]");
            browser.run(&format!("{line}.dataset.tapped = ''"));
            browser.tap("[data-tapped]");
            browser.until(&format!("document.activeElement === {line}"));
            if browser.run("return document.activeElement.type") == json!("text") {
                type_over(&browser, value);
            } else {
                browser.run(&format!("document.activeElement.value = '{value}'"));
            }
            browser.run(&format!("delete {line}.dataset.tapped"));
        }
        browser.tap("details:has(#add) form > button");
        browser.until(&format!("location.search.includes('filters=') && {READY}"));
        let count = browser.run("return document.querySelector('#entries').textContent");
        // The same that the API finds.
        let filters = browser.run("return new URLSearchParams(location.search).get('filters')");
        let filters: Value = serde_json::from_str(filters.as_str().expect("conditions")).expect("JSON");
        assert_eq!((&filters[0]["field"], &filters[0]["operator"]), (&json!(field), &json!(operator)));
        let found = owner.post(form.query(), json!({"filters": filters})).is(200).json();
        let total = found["pagination"]["total"].as_i64().expect("a number");
        assert!(
            count.as_str().is_some_and(|words| words.starts_with(&format!("{total} of 59 "))),
            "{filters}: {count}"
        );
        assert!(total > 0, "{filters}");
        // A tap takes the condition away.
        browser.tap(".condition > a.button");
        browser.until(&format!("!location.search.includes('filters=') && {READY}"));
        total
    };
    let typed: [(&str, &str, &[&str], i64); 8] = [
        ("field_2", "like", &["guest4"], 11),
        ("field_2", "not_like", &["guest4"], 48),
        ("field_4", "gt", &["50"], 10),
        ("field_4", "between", &["10", "12"], 3),
        ("field_4", "any_in", &["7"], 1),
        ("field_6", "lte", &["2026-12-24"], 59),
        ("field_7", "not_null", &[], 15),
        ("field_7", "null", &[], 44),
    ];
    for (field, operator, values, found) in typed {
        assert_eq!(narrow(field, operator, values), found, "{field} {operator}");
    }
    // Ticks of choices.
    browser.go(&list);
    browser.until(READY);
    browser.tap("details:has(#add) > summary");
    set_value(&browser, "add", "field_5");
    browser.until(&format!("{CHOSEN}?.options.length > 1"));
    browser.tap(".condition-choices .choice:nth-of-type(2)");
    browser.until("document.querySelectorAll('.condition-choices input:checked').length === 1");
    browser.tap("details:has(#add) form > button");
    browser.until(&format!("document.querySelector('#entries').textContent.startsWith('59 of 59') && {READY}"));
    // The page of an entry: its neighbours, a change, the trash and back.
    let entry = |n: i64| format!("document.querySelector('h1')?.textContent === 'Entry {n}'");
    browser.tap("tbody tr:nth-child(2) th a");
    browser.until(&entry(59));
    browser.tap(".pager a[rel=next]");
    browser.until(&entry(58));
    browser.tap("a[href*='/58/edit']");
    browser.until("document.querySelector('[name=field_2]') && document.readyState === 'complete'");
    browser.tap("[name=field_2]");
    browser.until("document.activeElement.name === 'field_2'");
    type_over(&browser, "ines@example.org");
    browser.tap("#forward");
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 58 is saved')");
    assert_eq!(owner.get(form.entry(58)).data()["field_2"], "ines@example.org");
    browser.tap("[popovertarget=entry-more]");
    browser.until("document.querySelector('#entry-more:popover-open')");
    browser.tap("#entry-more form[action*='/58/trash'] button");
    browser.until("document.querySelector('.message.good')?.textContent.includes('Entry 58 is in the trash')");
    browser.tap(".message.good form button");
    browser.until(&format!("document.querySelector('#entries').textContent.startsWith('59 of 59') && {READY}"));
    owner.get(form.entry(58)).is(200);
    assert_eq!(browser.complaints(), NOTHING);
}
