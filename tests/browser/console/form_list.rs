//! The list of forms: its keys, the folders beside it, and the name of a form in its head.

use serde_json::json;
use support::{Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

const ESCAPE: char = '\u{e00c}';
const DOWN: char = '\u{e015}';
const RIGHT: char = '\u{e014}';

#[test]
fn forms_are_worked_by_keys_and_found_in_folders() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write");
    for name in ["Poll", "Garden party", "Registration"] {
        owner.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}));
    }
    let outer =
        owner.post("/api/v1/folders", json!({"name": "Events of the year 2026"})).is(201).data()["token"].clone();
    owner.post("/api/v1/folders", json!({"name": "Summer", "parent_folder_token": outer})).is(201);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms", server.base);
    let ready = "document.querySelector('tbody [tabindex=\"0\"]') && document.readyState === 'complete'";
    browser.go(&list);
    browser.until(ready);
    let stops =
        "return document.querySelectorAll('tbody :is(a, button, td):not([tabindex=\"-1\"], [popover] *)').length";
    assert_eq!(browser.run(stops), json!(1), "the list is one stop");
    let focused = || browser.run("return document.activeElement.textContent.trim()");
    let start = || {
        browser.go(&list);
        browser.until(ready);
        browser.run("document.querySelector('tbody th a').focus()");
    };
    start();
    browser.keys(['j', DOWN, 'k']);
    assert_eq!(focused(), json!("Garden party"));
    // A cell's own button takes the focus, and opens.
    browser.keys([RIGHT, RIGHT, RIGHT, RIGHT, ENTER]);
    browser.until("document.querySelector('.menu:popover-open')");
    browser.keys([ESCAPE]);
    browser.keys("?".chars());
    browser.until("document.getElementById('keys').open");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.keys([ESCAPE]);
    for (key, end) in [("e", "/entries"), ("s", "/share"), ("m", "/folder")] {
        start();
        browser.keys(key.chars());
        browser.until(&format!("location.pathname.endsWith('{end}')"));
    }
    start();
    // Nobody answered it yet: it leads to its questions.
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/build')");
    start();
    browser.keys("#".chars());
    browser.until("document.querySelector('.message.good')?.textContent.includes('Registration')");
    // One press restores it; deleted again, it is in the trash with the days that are left, and is restored from there.
    browser.run("document.querySelector('.message.good form button').click()");
    browser.until("location.pathname.endsWith('/build')");
    start();
    browser.keys("#".chars());
    browser.until("document.querySelector('.message.good')?.textContent.includes('Registration')");
    browser.run("document.querySelector('.toolbar a[href$=\"/forms/trash\"]').click()");
    browser.until("location.pathname === '/forms/trash' && document.readyState === 'complete'");
    assert!(browser.text("tbody tr").contains("30 days"), "{}", browser.text("main"));
    look_at(&browser, "forms-trash", &format!("{list}/trash"));
    browser.look(Look::DESK);
    browser.run("document.querySelector('form[action$=\"/restore\"] button').click()");
    browser.until("location.pathname.endsWith('/build')");
    browser.go(&list);
    browser.until(ready);
    // The folders stand at the left, all levels of them.
    let places =
        "return ['.folder-tree', 'table.data'].map(part => document.querySelector(part).getBoundingClientRect().left)";
    let places = browser.run(places);
    assert!(places[0].as_f64() < places[1].as_f64(), "{places}");
    browser.run("[...document.querySelectorAll('.folder-tree ul ul a')].at(-1).click()");
    browser.until("document.querySelector('h2#forms')?.textContent === 'Summer'");
    look_at(&browser, "forms-tree", &list);
}

#[test]
fn a_form_is_renamed_in_its_head() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write");
    let form = owner.form_with(json!({"name": "Poll", "fields": [field("short_text", json!({}))]}));
    let browser = Browser::open(Look::PHONE.without_script());
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/share", server.base, form.token));
    browser.run("document.querySelector('.form-name').click()");
    browser.until("document.activeElement.id === 'form-name'");
    browser.run("document.activeElement.select()");
    browser.keys("Garden party".chars().chain([ENTER]));
    browser.until("document.querySelector('.form-name')?.textContent === 'Garden party'");
    assert!(browser.run("return location.pathname").as_str().is_some_and(|path| path.ends_with("/share")));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/entries", server.base, form.token));
    browser.run("document.querySelector('.form-name').focus()");
    browser.keys([ENTER]);
    browser.until("document.activeElement.id === 'form-name'");
    assert_eq!(browser.axe(), Vec::<String>::new());
    browser.shot("rename-1280", Look::DESK);
    browser.keys([ESCAPE]);
    browser.until("document.activeElement.matches('.form-name')");
}
