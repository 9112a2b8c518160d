//! Choosing an entry of another form: with a script as one box that is searched by keyboard, without one
//! by a search that the page answers.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, PATIENT};
use crate::driver::webdriver::{Browser, ENTER, Look};

const DOWN: char = '\u{e015}';
const ESCAPE: char = '\u{e00c}';
const SPACE: char = ' ';
struct Case {
    owner: Caller,
    people: Form,
    form: Form,
}

fn case(settings: Value) -> Case {
    let owner = Server::shared().user();
    let people =
        owner.form(json!([field("name", json!({"label": "Name"})), field("phone", json!({"label": "Phone"})),]));
    for name in ["Ada Lovelace", "Grace Hopper", "Ada Byron"] {
        let phone = json!({"country_id": "CN", "number": "13800138000"});
        let made = owner.post(people.entries(), json!({"field_values": {"field_1": name, "field_2": phone}}));
        assert_eq!(made.status, 201, "{made}");
    }
    let path = format!("{}/settings", people.path());
    assert_eq!(owner.patch(path, settings).status, 200);
    let form = owner.form(json!([
        field(
            "linked_form",
            json!({
                "label": "Who invited you?", "required": true, "form_token": people.token,
                "search_fields": ["field_1"],
                "display_fields": [
                    {"api_code": "field_1", "public": true},
                    {"api_code": "field_2", "public": true, "protected": true},
                ],
            })
        ),
        field("short_text", json!({"label": "Your name"})),
    ]));
    Case { owner, people, form }
}

impl Case {
    fn load(&self, browser: &Browser) {
        browser.go(&format!("{}{}", Server::shared().base, self.form.page()));
        browser.until("document.readyState === 'complete'");
    }

    fn stored(&self) -> Value {
        let entries = self.owner.get(self.form.entries()).data();
        assert_eq!(entries.as_array().map(Vec::len), Some(1), "{entries}");
        entries[0]["field_1"]["serial_number"].clone()
    }
}

/// Of two letters the list is drawn once: one is too short.
fn find(browser: &Browser, keyword: &str) {
    browser.keys(keyword.chars());
    browser.until("!document.querySelector('[role=listbox]').hidden");
}

const VALUE: &str = "document.querySelector('input[type=hidden][name=field_1]').value";

#[test]
fn an_entry_is_chosen_by_keyboard_alone() {
    if !Browser::is_installed() {
        return;
    }
    let case = case(json!({}));
    for look in [Look::DESK, Look::PHONE.dark()] {
        let browser = Browser::open(look);
        case.load(&browser);
        browser.until("document.querySelector('#field_1')?.role === 'combobox'");
        browser.run("field_1.focus()");
        // One letter finds nothing, and the list says so.
        browser.keys("a".chars());
        browser.until("document.querySelector('.linked-said').innerText.includes('2 characters')");
        find(&browser, "d");
        assert_eq!(
            browser.run("return [...document.querySelectorAll('[role=option] .linked-label')].map(o => o.innerText)"),
            json!(["Ada Byron", "Ada Lovelace"])
        );
        assert!(browser.text("[role=listbox]").contains("138****8000"));
        assert_eq!(browser.axe(), NOTHING);
        browser.shot(&format!("linked-{}", look.width), look);
        browser.keys([DOWN, DOWN]);
        assert_eq!(
            browser.run("return document.getElementById(field_1.getAttribute('aria-activedescendant')).innerText.split('\\n')[0]"),
            "Ada Lovelace"
        );
        // Escape leaves the list, the arrow brings it back, Enter takes the marked option and sends nothing.
        browser.keys([ESCAPE]);
        assert_eq!(browser.run("return field_1.ariaExpanded"), "false");
        browser.keys([DOWN, DOWN, DOWN, DOWN, ENTER]);
        assert_eq!(browser.run("return field_1.value"), "Ada Lovelace");
        assert_eq!(browser.run("return location.pathname"), case.form.page());
        assert!(browser.text(".linked-shown").contains("138****8000"));
        assert_eq!(browser.axe(), NOTHING);
        // Changed or cleared, nothing is chosen any more.
        browser.keys("x".chars());
        assert_eq!(browser.run(&format!("return {VALUE}")), "");
        browser.keys([ESCAPE]);
        assert_eq!(browser.run("return field_1.value"), "");
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert_eq!(wide, look.width);
        assert_eq!(browser.complaints(), NOTHING);
        if look.width == Look::DESK.width {
            browser.until(PATIENT);
            browser.run("document.querySelector('#forward').click()");
            browser.until("document.activeElement?.id === 'summary' || document.querySelector('#summary')");
            browser.run("field_1.focus()");
            find(&browser, "lo");
            browser.keys([DOWN, ENTER]);
            browser.until("!document.querySelector('.field.wrong')");
            browser.run("document.querySelector('#forward').click()");
            browser.until("location.pathname.endsWith('/done')");
            assert_eq!(case.stored(), 1);
        }
    }
}

#[test]
fn what_was_chosen_comes_back_with_its_name() {
    if !Browser::is_installed() {
        return;
    }
    let case = case(json!({"browse_linked_entries": true}));
    let browser = Browser::open(Look::DESK);
    case.load(&browser);
    assert!(browser.shifted() < 0.001, "{}", browser.shifted());
    browser.run("field_1.focus()");
    browser.until("!document.querySelector('[role=listbox]').hidden");
    browser.run("[...document.querySelectorAll('[role=option]')].find(o => o.innerText.includes('Grace')).click()");
    browser.until(&format!("{VALUE} !== ''"));
    browser.until("Object.keys(localStorage).some(key => localStorage[key].includes('field_1'))");
    case.load(&browser);
    browser.until("field_1.value === 'Grace Hopper'");
    browser.until(&format!("{VALUE} !== ''"));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn without_a_script_the_page_answers_the_search() {
    if !Browser::is_installed() {
        return;
    }
    let case = case(json!({}));
    let browser = Browser::open(Look::PHONE.without_script());
    case.load(&browser);
    browser.run("field_1.focus()");
    browser.keys("grace".chars());
    browser.keys([ENTER]);
    browser.until("document.querySelector('input[type=radio][name=field_1]')");
    assert!(browser.text("main").contains("Grace Hopper"));
    assert!(!browser.text("main").contains("Ada"));
    browser.shot("linked-plain", Look::PHONE);
    browser.run("document.querySelector('input[type=radio][name=field_1]').focus()");
    browser.keys([SPACE]);
    // Nobody reads as fast as a program types.
    browser.until(PATIENT);
    browser.run("document.querySelector('#forward').focus()");
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(case.stored(), 2);
    assert_eq!(case.people.body["fields"].as_array().map(Vec::len), Some(2));
}
