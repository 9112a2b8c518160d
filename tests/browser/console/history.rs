//! The history of a form: three publications, the words that differ, and an old version that becomes the draft; in every
//! light, on a phone, and with keys alone.

use serde_json::json;
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

fn course(server: &Server) -> (Caller, Form) {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read");
    let choices = json!([{"api_code": "a", "label": "Letterpress"}, {"api_code": "b", "label": "Sourdough"}]);
    let form = owner.form_with(json!({"name": "Evening course", "fields": [
        field("name", json!({"label": "Your name", "required": true})),
        field("radio", json!({"label": "Which track would you like?", "choices": choices})),
        field("long_text", json!({"label": "Anything else?"})),
    ]}));
    (owner, form)
}

/// Types another label for a question and publishes it under a name.
fn publish(browser: &Browser, base: &str, label: &str, name: &str) {
    browser.go(&format!("{base}/build?field=field_2"));
    browser.until("document.querySelector('[data-save-chip]') !== null && document.getElementById('label') !== null");
    browser.run("const label = document.getElementById('label'); label.focus(); label.value = ''");
    browser.keys(label.chars());
    // A pause between two keys saves what is there by then; leaving the line saves all of it.
    browser.run("document.activeElement.blur()");
    browser.until("document.querySelector('[data-save-chip]').dataset.state === 'saved'");
    browser.go(&format!("{base}/publish"));
    browser.run(&format!("document.getElementById('version_name').value = '{name}'"));
    browser.run("document.querySelector('form[action$=\"/publish\"] button').click()");
    browser.until("location.pathname.endsWith('/share')");
}

#[test]
fn old_versions_are_compared_and_brought_back() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = course(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let base = format!("{}/forms/{}", server.base, form.token);
    publish(&browser, &base, "Which track would you like this summer?", "Summer");
    publish(&browser, &base, "Which course would you like this summer?", "");
    // A question that a program removes returns as a new one.
    let fields = owner.get(form.path()).is(200).data()["fields"].clone();
    let left = json!([fields[0], fields[1]]);
    owner.patch(form.path(), json!({"fields": left})).is(200);
    browser.go(&format!("{base}/build"));
    browser.run("document.querySelector('[popovertarget=form-more]').click()");
    browser.run("document.querySelector('#form-more a[href$=\"/history\"]').click()");
    browser.until("location.pathname.endsWith('/history') && document.querySelectorAll('tbody tr').length === 4");
    look_at(&browser, "history", &format!("{base}/history"));
    look_at(&browser, "history-version", &format!("{base}/history/1"));
    browser.until("document.getElementById('version').contentDocument.body.textContent.includes('Anything else?')");
    look_at(&browser, "history-compare", &format!("{base}/history/2?compare=1"));
    let texts =
        "return [...document.querySelectorAll('td del, td ins')].map((it) => it.tagName + ' ' + it.textContent)";
    let marked = browser.run(texts);
    assert_eq!(marked[0], "DEL track");
    assert_eq!(marked[1], "INS course");
    let page = browser.run("return document.querySelector('main').textContent");
    let page = page.as_str().expect("a text");
    assert!(page.contains("Not everything can be restored") && page.contains("Anything else?"), "{page}");
    browser.run("document.querySelector('form[action$=\"/restore\"] button').click()");
    browser.until("location.pathname.endsWith('/build') && location.search === '?done=restored'");
    let labels = "return [...document.querySelectorAll('.outline-label')].map((it) => it.textContent)";
    let wanted = json!(["Your name", "Which track would you like this summer?", "Anything else?"]);
    assert_eq!(browser.run(labels), wanted);
    let now = owner.get(form.path()).is(200).data()["fields"].clone();
    assert_eq!(now, left, "nothing is published");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
