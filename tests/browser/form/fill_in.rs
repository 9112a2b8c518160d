//! A form of all kinds is filled in and sent by keyboard alone, and faults are corrected.

use serde_json::json;
use support::{Caller, Form, Server};

use crate::driver::steps::{NOTHING, put};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::forms;

/// The text to type, by the control's name.
const ANSWERS: [(&str, &str); 7] = [
    ("field_2", "Ada Lovelace"),
    ("field_3", "ada@example.com"),
    ("field_4.number", "020 7946 0018"),
    ("field_5", "Analytical Society"),
    ("field_9", "06062027"), // The same day whether days or months come first.
    ("field_10", "12"),
    ("field_12", "No nuts, please."),
];

/// Goes from control to control with Tab, answers each, and presses the first button of each page.
fn fill_by_keyboard(browser: &Browser) {
    let mut seen = Vec::new();
    for _ in 0..120 {
        browser.keys([TAB]);
        let at = browser.run(
            "const e = document.activeElement; const box = e.getBoundingClientRect();
             return {name: e.name ?? '', type: e.type ?? '', value: e.value ?? '', tag: e.tagName,
                     seen: box.width > 0 && box.height > 0, id: e.id, page: document.querySelector('[name=_page]')?.value}",
        );
        let word = |key: &str| at[key].as_str().unwrap_or_default();
        let name = word("name");
        seen.push(name.to_owned());
        assert_ne!(name, "_homepage", "the trap can't be reached");
        if let Some((_, text)) = ANSWERS.iter().find(|(known, _)| *known == name) {
            if word("value").is_empty() {
                browser.keys(text.chars());
            }
            // A date has several parts, which Tab walks through; its last one is left by the next Tab.
        } else if word("type") == "radio" || word("value") == "step" {
            browser.keys([' ']);
        } else if word("id") == "forward" {
            let (before, is_last) = (word("page").to_owned(), word("value") == "submit");
            browser.keys([ENTER]);
            if is_last {
                browser.until("location.pathname.endsWith('/done')");
                return;
            }
            browser.until(&format!(
                "document.readyState === 'complete' && document.querySelector('[name=_page]')?.value !== '{before}'"
            ));
        }
    }
    panic!("the form was not sent: {seen:?}; {}", browser.text("main"));
}

fn stored(owner: &Caller, form: &Form) -> serde_json::Value {
    let entries = owner.get(form.entries()).data();
    assert_eq!(entries.as_array().map(Vec::len), Some(1), "{entries}");
    entries[0].clone()
}

fn journey(look: Look) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    // Nobody reads as fast as a program types.
    browser.until("performance.now() > 2100");
    fill_by_keyboard(&browser);
    assert!(browser.text("main").contains("Thank you"), "{}", browser.text("main"));
    let entry = stored(&owner, &form);
    assert_eq!(entry["field_2"], "Ada Lovelace");
    assert_eq!(entry["field_3"], "ada@example.com");
    assert_eq!(entry["field_4"]["country_id"], "GB");
    assert_eq!(entry["field_9"], "2027-06-06");
    assert_eq!(entry["field_10"], 12);
    assert_eq!(entry["field_12"], "No nuts, please.");
    assert!(entry["field_7"].to_string().contains("photo"), "{entry}");
    assert!(entry["field_8"].to_string().contains("step"), "{entry}");
    assert!(entry["info_filling_duration"].as_i64().is_some(), "{entry}");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn on_a_phone_with_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::PHONE);
}

#[test]
fn on_a_phone_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::PHONE.without_script());
}

#[test]
fn on_a_desk_with_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK);
}

#[test]
fn on_a_desk_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK.without_script());
}

#[test]
fn faults_take_the_focus_and_go_when_they_are_corrected() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    put(&browser, "field_3", "not an address");
    // No fault is shown while typing.
    assert_eq!(browser.run("return document.querySelectorAll('.wrong, .fault').length"), json!(0));
    browser.run("document.getElementById('forward').focus()");
    browser.keys([ENTER]);
    browser.until("document.activeElement?.id === 'summary'");
    browser.shot("form-faults-1280", Look::DESK);
    let summary = browser.text("#summary");
    assert!(summary.contains("a problem with 2 answers") && summary.contains("Full name"), "{summary}");
    assert!(browser.text("[data-field=field_3]").contains("name@example.com"));
    assert_eq!(browser.run("return field_3.value"), "not an address");
    assert_eq!(browser.complaints(), NOTHING);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    // The summary's link leads into the field.
    browser.keys([TAB, ENTER]);
    browser.until("document.activeElement?.id === 'field_2'");
    browser.keys("Ada".chars().chain([TAB]));
    browser.until("!document.querySelector('[data-field=field_2]').classList.contains('wrong')");
    put(&browser, "field_3", "ada@example.com");
    browser.until("!document.getElementById('summary')");
    // On, and back with the browser's own button: the typed answers are there.
    browser.run("document.getElementById('forward').focus()");
    browser.keys([ENTER]);
    browser.until("document.querySelector('[name=_page]').value === '1'");
    assert!(browser.text(".progress").contains("Page 2 of 3"));
    assert_eq!(browser.run("return document.activeElement.getAttribute('aria-label')"), "Page 2 of 3");
    browser.back();
    browser.until("document.querySelector('[name=_page]').value === '0'");
    assert_eq!(browser.run("return field_2.value"), "Ada");
    // The text of a choice appears with it.
    let other = "document.getElementsByName('field_7.other.other_text')[0].checkVisibility()";
    browser.run("history.forward()");
    browser.until("document.querySelector('[name=_page]').value === '1'");
    assert_eq!(browser.run(&format!("return {other}")), json!(false));
    browser.run("document.getElementById('field_7.other').click()");
    assert_eq!(browser.run(&format!("return {other}")), json!(true));
    put(&browser, "field_10", "7");
    browser.shot("form-choices-1280", Look::DESK);
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn without_a_script_faults_keep_what_was_typed() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&format!("{}{}", server.base, form.page()));
    put(&browser, "field_3", "not an address");
    browser.run("document.getElementById('forward').focus()");
    browser.keys([ENTER]);
    browser.until("document.getElementById('summary') && document.readyState === 'complete'");
    assert_eq!(browser.run("return field_3.value"), "not an address");
    browser.until("document.activeElement.id === 'summary'");
    assert!(browser.run("return document.title").as_str().is_some_and(|title| title.starts_with("Error:")));
    browser.shot("form-faults-360-plain", Look::PHONE);
    assert_eq!(browser.complaints(), NOTHING);
}
