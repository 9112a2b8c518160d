//! Typed answers are kept in the browser until they are sent, and no longer; without a network nothing is lost.

use serde_json::json;
use support::{Server, field};

use crate::driver::steps::{NOTHING, load, put};
use crate::driver::webdriver::{Browser, Look};
use crate::forms;

/// The names under which the browser keeps answers.
fn names(browser: &Browser) -> usize {
    let count = browser.run("return Object.keys(localStorage).filter(k => k.startsWith('formsvc.form.')).length");
    count.as_u64().and_then(|n| usize::try_from(n).ok()).expect("a count")
}

#[test]
fn answers_come_back_until_they_are_sent() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    assert!(browser.text("#kept").contains("stays on this device"), "{}", browser.text("#kept"));
    assert_eq!(names(&browser), 0, "nothing is kept of who only looks");
    assert!(browser.shifted() < 0.001);
    put(&browser, "field_2", "Ada");
    put(&browser, "field_3", "ada@example.com");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.querySelector('[name=_page]').value === '1'");
    browser.run("document.getElementById('field_7.other').click()");
    browser.run("document.getElementsByName('field_7.other.other_text')[0].focus()");
    browser.keys("Weaving".chars());
    browser.run("document.getElementById('field_8').click()");

    // Away, and back: all is where it was, and nothing moved.
    browser.go(&format!("{}/sign-in", server.base));
    load(&browser, server, &form);
    assert_eq!(browser.run("return document.querySelector('[name=_page]').value"), "1");
    assert_eq!(browser.run("return field_2.value"), "Ada");
    assert_eq!(browser.run("return document.getElementsByName('field_7.other.other_text')[0].value"), "Weaving");
    assert_eq!(browser.run("return document.getElementById('field_8').checked"), json!(true));
    assert!(browser.text("#toast").contains("We’ve restored"), "{}", browser.text("#toast"));
    assert!(browser.shifted() < 0.001, "{}", browser.shifted());
    browser.shot("form-restored-360", Look::PHONE);
    assert_eq!(browser.complaints(), NOTHING);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();

    // Another link to the form has nothing to do with it, and neither has its password-free frame.
    browser.go(&format!("{}{}?field_2=Grace", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run("return field_2.value"), "Grace");
    assert_eq!(browser.text("#toast"), "");
    browser.go(&format!("{}{}?embed=1", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run("return field_2.value"), "");

    // Sent, it is gone from here.
    load(&browser, server, &form);
    put(&browser, "field_9", "06062027");
    browser.run("document.getElementById('forward').click()");
    browser.until("document.querySelector('[name=_page]').value === '2'");
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    browser.until("document.readyState === 'complete'");
    assert_eq!(names(&browser), 0);
    assert_eq!(owner.get(form.entries()).data()[0]["field_2"], "Ada");
    load(&browser, server, &form);
    assert_eq!(browser.run("return field_2.value"), "");
}

#[test]
fn starting_over_clears_everything() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    put(&browser, "field_2", "Ada");
    browser.until("Object.keys(localStorage).some(k => k.startsWith('formsvc.form.'))");
    load(&browser, server, &form);
    browser.until("field_2.value === 'Ada'");
    browser.run("setTimeout(() => document.querySelector('#toast [value=over]').click(), 50)");
    browser.agree();
    browser.until("document.readyState === 'complete' && field_2.value === ''");
    assert_eq!(names(&browser), 0);
    assert_eq!(browser.text("#toast"), "");
    // Kept answers to questions of another type do not come back.
    put(&browser, "field_2", "Ada");
    browser.until("Object.keys(localStorage).some(k => k.startsWith('formsvc.form.'))");
    let fields = json!({"fields": [{"api_code": "field_2", "type": "long_text", "label": "Another name"}], "confirm_data_loss": true});
    assert_eq!(owner.patch(form.path(), fields).status, 200);
    load(&browser, server, &form);
    assert_eq!(browser.run("return field_2.value"), "");
    assert_eq!(names(&browser), 0);
}

#[test]
fn without_a_network_nothing_typed_is_lost() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_2", "Ada");
    put(&browser, "field_3", "ada@example.com");
    browser.offline(true);
    for page in ["1", "2"] {
        browser.run("document.getElementById('forward').click()");
        browser.until(&format!("document.querySelector('[name=_page]').value === '{page}'"));
        if page == "1" {
            browser.run("document.getElementById('field_7').click()");
            put(&browser, "field_9", "06062027");
        }
    }
    browser.run("document.getElementById('forward').click()");
    browser.until("document.querySelector('#before-fields .message') === document.activeElement");
    assert!(browser.text("#before-fields").contains("offline"));
    assert_eq!(browser.run("return field_2.value"), "Ada");
    browser.shot("form-offline-360", Look::PHONE);
    // Back on, it is sent on request.
    browser.offline(false);
    browser.until("document.querySelector('#before-fields button')");
    assert!(browser.text("#before-fields").contains("back online"));
    browser.run("document.querySelector('#before-fields button').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(owner.get(form.entries()).data()[0]["field_2"], "Ada");
}

#[test]
fn the_way_back_is_right_after_answers_came_back() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let page_break = || json!({"type": "page_break"});
    let text = || field("short_text", json!({}));
    let fields = json!([text(), page_break(), text(), page_break(), text()]);
    let form = server.user().form(fields);
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    let press = |button: &str, page: &str| {
        browser.run(&format!("document.getElementById('{button}').click()"));
        browser.until(&format!("form.elements._page.value === '{page}'"));
    };
    press("forward", "1");
    put(&browser, "field_3", "Ada");
    browser.go("about:blank");
    load(&browser, server, &form);
    browser.until("form.elements._page.value === '1'");
    // Two ways: the page's own button, and the browser's.
    press("backward", "0");
    press("forward", "1");
    press("backward", "0");
    press("forward", "1");
    browser.back();
    browser.until("form.elements._page.value === '0'");
    press("forward", "1");
    press("forward", "2");
    press("backward", "1");
    assert_eq!(browser.run("return field_3.value"), "Ada");
    assert_eq!(browser.complaints(), NOTHING);
}
