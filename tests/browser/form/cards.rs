//! One question at a time: by keyboard alone, with and without a script.

use serde_json::json;
use support::Server;

use crate::driver::steps::{NOTHING, load};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::forms;

fn at_card(browser: &Browser, card: usize) {
    browser.until(&format!(
        "document.readyState === 'complete' && document.querySelector('[name=_page]')?.value === '{card}'"
    ));
}

#[test]
fn keys_alone_lead_through_the_cards() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::cards());
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    let on = |field: &str| {
        browser.until(&format!("document.activeElement?.name?.startsWith('{field}')"));
    };
    browser.run("field_2.focus()");
    // Nothing typed: the fault is on its card.
    browser.keys([ENTER]);
    browser.until("document.querySelector('[data-field=field_2] .fault')");
    assert!(browser.text("[data-field=field_2]").contains("Answer this"));
    // A card has one question: no summary, and the focus is in it.
    assert_eq!(browser.text("#summary"), "");
    on("field_2");
    browser.keys("Ada".chars());
    // Tab goes to the button and nowhere else.
    browser.keys([TAB]);
    browser.until("document.activeElement.id === 'forward'");
    at_card(&browser, 0);
    browser.keys([ENTER]);
    on("field_3");
    assert!(browser.text(".progress").contains("2 of 7"), "{}", browser.text(".progress"));
    // A letter picks, and is shown where it does.
    assert_eq!(
        browser.run(
            "return [...document.querySelectorAll('[data-field=field_3] .choice')].map(c => c.dataset.key).join('')"
        ),
        "ABC"
    );
    browser.keys(['b']);
    assert_eq!(browser.run("return document.querySelector('[name=field_3]:checked').value"), "press");
    browser.keys(['1']);
    assert_eq!(browser.run("return document.querySelector('[name=field_3]:checked').value"), "photo");
    browser.shot("card-choices-1280", Look::DESK);
    assert_eq!(browser.axe(), NOTHING);
    browser.keys([ENTER]);
    on("field_4");
    browser.keys(['a', 'c', 'a', ENTER]);
    on("field_5");
    // In a text of several lines Enter is a new line.
    browser.keys(['a', ENTER, 'b']);
    assert_eq!(browser.run("return field_5.value"), "a\nb");
    at_card(&browser, 3);
    browser.chord(&['\u{e009}', ENTER]);
    on("field_6");
    // Keys are letters again in a line of text.
    browser.keys("abc".chars());
    assert_eq!(browser.run("return field_6.value"), "abc");
    browser.back();
    on("field_5");
    assert_eq!(browser.run("return field_5.value"), "a\nb");
    browser.run("history.forward()");
    on("field_6");
    browser.keys([ENTER]);
    on("field_7");
    browser.keys(['7', ENTER]);
    on("field_8");
    browser.keys("Done".chars());
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entries()).data()[0].clone();
    assert_eq!(entry["field_3"]["value"], "photo", "{entry}");
    assert_eq!(entry["field_4"], json!([{"value": "child"}]), "{entry}");
    assert_eq!(entry["field_8"], "Done", "{entry}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn without_a_script_each_card_is_a_page() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::cards());
    let browser = Browser::open(Look::PHONE.without_script());
    load(&browser, server, &form);
    browser.until("performance.now() > 2100");
    for card in 0..7 {
        at_card(&browser, card);
        let shown = "[...document.querySelectorAll('section.page')].filter(s => s.checkVisibility()).length === 1";
        assert_eq!(browser.run(&format!("return {shown}")), json!(true));
        if card == 0 {
            browser.run("field_2.focus()");
            browser.keys("Ada".chars());
        }
        browser.run("document.getElementById('forward').focus()");
        browser.keys([ENTER]);
    }
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(owner.get(form.entries()).data()[0]["field_2"], "Ada");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn faults_of_other_cards_are_links_to_them() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let mut cards = forms::cards();
    cards["fields"][7]["required"] = json!(true);
    let form = server.user().form_with(cards);
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    assert!(browser.shifted() < 0.001);
    // The answer of the server, which shows the first card with a fault.
    browser.run("document.getElementById('forward').value = 'submit'; form.submit()");
    browser.until("document.readyState === 'complete' && document.getElementById('summary')");
    browser.until("document.activeElement.id === 'summary'");
    browser.run("document.querySelector('#summary a[data-to=field_8]').click()");
    browser.until("document.activeElement?.id === 'field_8'");
    at_card(&browser, 6);
    browser.back();
    at_card(&browser, 0);
    assert_eq!(browser.complaints(), NOTHING);
}
