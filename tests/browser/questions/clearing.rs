//! Optional answers can be taken back, and limits are shown before they are broken.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, send};
use crate::driver::webdriver::{Browser, Look, TAB};

fn choices() -> Value {
    json!([{"api_code": "a", "label": "Apple"}, {"api_code": "b", "label": "Pear"}])
}

fn everything(owner: &Caller, required: bool) -> Form {
    let named = json!([{"api_code": "s", "label": "The rooms"}, {"api_code": "t", "label": "The food"}]);
    let own = |more: Value| {
        let mut own = json!({"required": required});
        if let (Some(own), Some(more)) = (own.as_object_mut(), more.as_object()) {
            own.extend(more.clone());
        }
        own
    };
    let cell = json!({"type": "radio", "label": "Fruit", "choices": choices(), "required": required});
    owner.form(json!([
        field("radio", own(json!({"choices": choices()}))),
        field("rating", own(json!({}))),
        field("nps", own(json!({"min_label": "Never", "max_label": "Always"}))),
        field("likert", own(json!({"statements": named, "choices": choices()}))),
        field("matrix_rating", own(json!({"statements": named, "dimensions": [{"api_code": "now", "label": "Now"}]}))),
        field("image_radio", own(json!({"choices": choices()}))),
        field("table", own(json!({"dimensions": [cell], "min_rows": 1}))),
    ]))
}

/// The groups of radio buttons of that form, by name.
const GROUPS: [&str; 7] =
    ["field_1", "field_2", "field_3", "field_4.s", "field_5.s.now", "field_6", "field_7[0].field_1"];

fn clear_of(group: &str) -> String {
    format!("(document.getElementById('{group}-clear').closest('.clear'))")
}

fn pick(browser: &Browser, group: &str) {
    browser.run(&format!("document.querySelector('input[type=radio][name=\"{group}\"]:not([value=\"\"])').click()"));
}

fn is_shown(browser: &Browser, group: &str) -> Value {
    browser.run(&format!("return {}.checkVisibility({{visibilityProperty: true}})", clear_of(group)))
}

#[test]
fn an_optional_answer_can_be_taken_back() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = everything(&owner, false);
    for look in [Look::PHONE, Look::DESK] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.querySelector('button.clear')");
        for group in GROUPS {
            assert_eq!(is_shown(&browser, group), false, "{group}");
            let height = "return document.documentElement.scrollHeight";
            let before = browser.run(height);
            pick(&browser, group);
            assert_eq!(is_shown(&browser, group), true, "{group}");
            assert_eq!(browser.run(height), before, "{group}: nothing moves");
            let size = browser.run(&format!(
                "const box = {}.getBoundingClientRect(); return Math.min(box.width, box.height)",
                clear_of(group)
            ));
            let least = if look.width > 600 { 24.0 } else { 44.0 };
            assert!(size.as_f64() >= Some(least), "{group} {size}");
        }
        browser.shot(&format!("clear-{}", look.width), look);
        assert_eq!(browser.axe(), NOTHING);
        browser.run("window.changes = 0; form.addEventListener('change', () => { window.changes += 1; })");
        for (at, group) in GROUPS.into_iter().enumerate() {
            browser.run(&format!("{}.click()", clear_of(group)));
            assert_eq!(browser.run(&format!("return new FormData(form).get('{group}')")), json!(null), "{group}");
            assert_eq!(is_shown(&browser, group), false, "{group}");
            assert_eq!(browser.run("return window.changes"), at + 1);
            assert_eq!(browser.run("return document.activeElement.name"), group);
        }
        assert_eq!(browser.complaints(), NOTHING);
    }
    // By keyboard: behind the answers.
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.querySelector('button.clear')");
    browser.run("field_1.focus()");
    browser.keys([' ', TAB, ' ']);
    assert_eq!(browser.run("return [field_1.checked, document.activeElement.id]"), json!([false, "field_1"]));
}

#[test]
fn without_a_script_too() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = everything(&owner, false);
    let look = Look::PHONE.without_script();
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    for group in GROUPS {
        assert_eq!(is_shown(&browser, group), false, "{group}");
        pick(&browser, group);
        assert_eq!(is_shown(&browser, group), true, "{group}");
        if group != "field_2" {
            // By a pointer: a browser shows a focus that a script sets.
            let middle = browser.run(&format!(
                "const clear = {}; clear.scrollIntoView({{block: 'center'}}); \
                 const box = clear.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]",
                clear_of(group)
            ));
            let at = |i: usize| middle[i].as_f64().expect("a number");
            browser.drag(&[(at(0), at(1)); 2]);
            assert_eq!(is_shown(&browser, group), false, "{group}");
        }
    }
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entries()).data()[0].clone();
    let answered: Vec<_> = (1..=7)
        .filter(|n| !matches!(&entry[format!("field_{n}")], value if value.is_null() || value == &json!([]) || value == &json!({})))
        .collect();
    assert_eq!(answered, [2], "{entry}");
}

#[test]
fn what_must_be_answered_has_no_way_back() {
    let server = Server::shared();
    let form = everything(&server.user(), true);
    let page = server.anon().get(form.page()).text;
    assert!(!page.contains("class=\"clear\""), "{page}");
}

#[test]
fn limits_are_said_before_they_are_broken() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let cell = json!({"type": "number", "label": "Age", "min": 0, "precision": 0});
    let form = owner.form_with(json!({"name": "Limits", "locale": "en-GB", "timezone": "UTC", "fields": [
        field("short_text", json!({"min_length": 3, "max_length": 50})),
        field("long_text", json!({"max_length": 20})),
        field("number", json!({"min": 1, "max": 10000, "precision": 2})),
        field("date", json!({"min": "2026-11-23", "max": "2090-01-31"})),
        field("checkbox", json!({"choices": [{"label": "a"}, {"label": "b"}, {"label": "c"}], "min_selected": 2, "max_selected": 2})),
        field("ranking", json!({"choices": [{"label": "a"}, {"label": "b"}, {"label": "c"}], "max_ranked": 2})),
        field("table", json!({"dimensions": [cell], "min_rows": 2, "max_rows": 5})),
        field("email", json!({"allowed_domains": ["example.com", "example.org"]})),
        field("short_text", json!({})),
    ]}));
    for look in [Look::PHONE, Look::DESK.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        let said = browser.run(
            "return [...document.querySelectorAll('.field > .limits, .field > fieldset > .limits')].map((line) => line.textContent)",
        );
        let expected = json!([
            "3 to 50 characters",
            "Up to 20 characters",
            "Between 1 and 10,000, up to 2 decimals",
            "From 23 November 2026 to 31 January 2090",
            "Choose 2",
            "Rank up to 2 of them",
            "2 to 5 rows",
            "Only addresses at example.com or example.org",
        ]);
        assert_eq!(said, expected);
        // Each line is part of the control's description.
        let described = browser.run(
            "return [...document.querySelectorAll('.field')].map((box) => {
                const of = box.querySelector('fieldset') ?? box.querySelector('input, textarea');
                const ids = (of.getAttribute('aria-describedby') ?? '').split(' ');
                return ids.some((id) => document.getElementById(id)?.classList.contains('limits')); })",
        );
        assert_eq!(described, json!([true, true, true, true, true, true, true, true, false]));
        let cell = browser.run("return document.getElementById('field_7[0].field_1-limits').textContent");
        assert_eq!(cell, "0 or more, whole numbers");
        if look.script {
            assert_eq!(browser.axe(), NOTHING);
        }
        browser.shot(&format!("limits-{}", look.width), look);
    }
}

#[test]
fn nothing_is_cut_and_a_long_text_is_counted() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = server.user().form(json!([field("long_text", json!({"max_length": 20})), field("email", json!({}))]));
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run("return document.querySelectorAll('#form [maxlength]').length"), 0);
    let counter = "return document.querySelector('.counter').textContent";
    let height = "return document.documentElement.scrollHeight";
    let type_on = |text: &str| {
        browser.run("field_1.focus()");
        browser.keys(text.chars());
    };
    type_on("fifteen letters");
    assert_eq!(browser.run(counter), "");
    let before = browser.run(height);
    type_on("🙂");
    assert_eq!(browser.run(counter), "16 of 20 characters");
    browser.until("document.querySelector('#form > [role=status]').textContent === '16 of 20 characters'");
    type_on("too much");
    assert_eq!(browser.run(counter), "24 of 20 characters: 4 too many");
    assert_eq!(browser.run(height), before);
    assert_eq!(browser.run("return [...field_1.value].length"), 24);
    assert_eq!(browser.axe(), NOTHING);
    assert_eq!(browser.complaints(), NOTHING);
    browser.shot("counter", Look::PHONE);
}

#[test]
fn a_row_that_moves_up_keeps_its_own_way_back() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let cell = json!({"type": "radio", "label": "Fruit", "choices": choices()});
    let form = owner.form(json!([field("table", json!({"dimensions": [cell], "min_rows": 1}))]));
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.querySelector('.has-script button.clear')");
    while browser.run("return document.querySelectorAll('.grid-row').length < 3") == true {
        browser.run("document.querySelector('[data-add]').click()");
    }
    for row in 0..3 {
        pick(&browser, &format!("field_1[{row}].field_1"));
    }
    browser.run("document.querySelector('[data-remove]').click()");
    let clear = "document.querySelector('.grid-row button.clear')";
    browser.run(&format!("{clear}.click()"));
    assert_eq!(
        browser.run("const data = new FormData(form); return [0, 1].map((row) => data.get(`field_1[${row}].field_1`))"),
        json!([null, "a"])
    );
    assert_eq!(browser.run("return document.activeElement.name"), "field_1[0].field_1");
    assert_eq!(browser.run(&format!("return {clear}.hasAttribute('lang')")), false);
    assert_eq!(browser.complaints(), NOTHING);
}
