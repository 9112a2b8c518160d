//! Goes anywhere by name: a key opens a list of forms, questions, entries, pages and acts; and keys of one letter, on and
//! off.

use serde_json::{Value, json};
use support::{Server, field};

use crate::console::entries::registration;
use crate::console::people::sign_in;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at_on;

const ESCAPE: char = '\u{e00c}';
const CONTROL: char = '\u{e009}';
const DOWN: char = '\u{e015}';
const UP: char = '\u{e013}';

const IS_OPEN: &str = "document.getElementById('finder').open";

fn open(browser: &Browser) {
    browser.until("document.getElementById('finder') && document.readyState === 'complete'");
    browser.chord(&[CONTROL, 'k']);
    browser.until(IS_OPEN);
}

/// The chosen option: its name and its kind.
fn chosen(browser: &Browser) -> Value {
    let option =
        "document.getElementById(document.getElementById('finder-text').getAttribute('aria-activedescendant'))";
    browser.run(&format!(
        "return {option} && [{option}.querySelector('bdi').textContent, {option}.querySelector('span').textContent]"
    ))
}

/// Types a name and goes to the first thing that has it.
fn go_to(browser: &Browser, typed: &str, name: &str, address: &str) {
    open(browser);
    browser.keys(typed.chars());
    browser.until(&format!(
        "[...document.querySelectorAll('#finder-list [aria-selected=true] bdi')].some((it) => it.textContent === {})",
        json!(name)
    ));
    browser.keys([ENTER]);
    browser.until(&format!("(location.pathname + location.search).endsWith('{address}')"));
}

/// Part of a name and Enter lead there; composed text is not taken for keys; no markup is made of names.
#[test]
fn names_lead_to_forms_questions_pages_entries_and_acts() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let owner = server.token(crate::console::people::OWNER, "form:read form:write");
    let marker = "\"><img src=x onerror=alert(1)> {{7*7}}";
    owner.form_with(json!({"name": format!("Poll {marker}"), "fields": [field("short_text", json!({}))]}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let of_form = |rest: &str| format!("/forms/{}/{rest}", form.token);
    let list = format!("{}/forms", server.base);
    browser.go(&list);
    go_to(&browser, "summer", "Summer party of the society", &of_form("entries"));
    go_to(&browser, "sha", "Share", &of_form("share"));
    go_to(&browser, "what will", "What will you eat at the table of the founders?", &of_form("build?field=field_5"));
    go_to(&browser, "#41", "Entry 41", &of_form("entries/41"));
    go_to(&browser, "prof", "Profile", "/profile");
    browser.go(&format!("{}{}", server.base, of_form("entries")));
    go_to(&browser, "impo", "Import", &of_form("entries/import"));
    // A name of markup is text, and a form without a name says so.
    open(&browser);
    browser.keys("poll".chars());
    browser.until("document.querySelector('#finder-list bdi')?.textContent.includes('<img')");
    assert_eq!(browser.run("return document.querySelectorAll('#finder img').length"), json!(0));
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.keys("xyzzy".chars());
    browser.until("document.querySelector('.finder-none').textContent === 'Nothing has this name.'");
    browser.keys([ESCAPE]);
    browser.until(&format!("!{IS_OPEN}"));
    // Each place has a name of its own; where somebody went last comes first of those that fit as well.
    browser.run("document.querySelector('[data-finder]').click()");
    browser.until(IS_OPEN);
    browser.keys("people".chars());
    browser.until("document.querySelector('#finder [role=status]').textContent.startsWith('Found: ')");
    let names = "return [...document.querySelectorAll('#finder-list bdi')].slice(0, 2).map((it) => it.textContent)";
    assert_eq!(browser.run(names), json!(["People – Account", "People – Pages of this form"]));
    browser.keys([DOWN, ENTER]);
    browser.until(&format!("location.pathname.endsWith('{}')", of_form("people")));
    browser.go(&format!("{}{}", server.base, of_form("entries")));
    open(&browser);
    browser.keys("people".chars());
    browser.until("document.querySelector('#finder [role=status]').textContent.startsWith('Found: ')");
    assert_eq!(browser.run(names), json!(["People – Pages of this form", "People – Account"]));
    browser.keys([ESCAPE]);
    browser.until(&format!("!{IS_OPEN}"));
    // Arrows go round; the key closes what it opened; a button does the same.
    browser.run("document.querySelector('[data-finder]').click()");
    browser.until(IS_OPEN);
    let first = chosen(&browser);
    browser.keys([DOWN]);
    assert_ne!(chosen(&browser), first);
    browser.keys([UP]);
    assert_eq!(chosen(&browser), first);
    browser.chord(&[CONTROL, 'k']);
    browser.until(&format!("!{IS_OPEN}"));
    // An Enter that ends a composition goes nowhere, nor does half-composed text.
    open(&browser);
    browser.run(
        "const box = document.getElementById('finder-text'); box.value = 'prof'; \
         box.dispatchEvent(new InputEvent('input', {isComposing: true})); \
         box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', keyCode: 229, bubbles: true}))",
    );
    assert_eq!(browser.run(&format!("return {IS_OPEN}")), json!(true));
    browser.run("document.getElementById('finder-text').dispatchEvent(new CompositionEvent('compositionend'))");
    browser.until("document.querySelector('#finder-list [aria-selected=true] bdi')?.textContent === 'Profile'");
    browser.keys([ESCAPE]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    look_at_on(&browser, "finder", Look::PHONE, &|| {
        browser.go(&format!("{}{}", server.base, of_form("entries")));
        open(&browser);
        browser.keys("e".chars());
        browser.until("document.querySelectorAll('#finder-list > li').length > 3");
    });
}

/// Letters alone do nothing where somebody turned them off; the list of keys says so.
#[test]
fn letters_are_keys_only_for_who_wants_them() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let form = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/profile", server.base));
    browser.run("document.querySelector('[name=letter_keys]').click()");
    browser.run("document.querySelector('form[action$=\"/profile/preferences\"] button').click()");
    browser.until("location.search === '?done=preferences'");
    for (page, stop) in [("entries", "tbody th a"), ("build", ".outline-row a")] {
        browser.go(&format!("{}/forms/{}/{page}", server.base, form.token));
        browser.until("document.querySelector('[tabindex=\"0\"]') && document.readyState === 'complete'");
        browser.run(&format!("document.querySelector('{stop}').focus()"));
        let focused = "return document.activeElement.textContent";
        let before = browser.run(focused);
        browser.keys("jx/c".chars());
        assert_eq!(browser.run(focused), before, "{page}");
        browser.run("document.activeElement.blur()");
        browser.keys("j/".chars());
        assert_eq!(browser.run("return document.activeElement.localName"), json!("body"), "{page}");
        browser.run(&format!("document.querySelector('{stop}').focus()"));
        browser.keys([DOWN]);
        assert_ne!(browser.run(focused), before, "{page}");
        browser.keys("?".chars());
        browser.until("document.getElementById('keys').open");
        let said =
            browser.run("return document.getElementById('keys').textContent.includes('Keys of one letter are off')");
        assert_eq!(said, json!(true), "{page}");
        browser.keys([ESCAPE]);
    }
}
