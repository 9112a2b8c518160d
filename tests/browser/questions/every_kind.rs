//! Every kind of question in both layouts, in English, Chinese and Arabic, right and wrong: nothing
//! that axe-core finds, nothing too wide, nothing in the console.

use serde_json::{Value, json};
use support::{Caller, Server};

use crate::driver::steps::{NOTHING, PATIENT};
use crate::driver::webdriver::{Browser, Look, TAB};
use crate::forms;
use crate::looks::look_at;

pub fn form_in(owner: &Caller, locale: &str, layout: &str) -> Value {
    let companies = owner.form(json!([{"type": "short_text", "label": "Company"}]));
    for name in ["Riverside Print", "Riverside Paper", "Northern Type"] {
        let made = owner.post(companies.entries(), json!({"field_values": {"field_1": name}}));
        assert_eq!(made.status, 201, "{made}");
    }
    let mut form = forms::every_kind(locale, &companies.token);
    form["layout"] = json!(layout);
    form
}

#[test]
fn every_kind_in_every_light_and_language() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for (locale, name) in [("en", "every-en"), ("zh-CN", "every-zh"), ("ar", "every-ar")] {
        let form = owner.form_with(form_in(&owner, locale, "classic"));
        look_at(&browser, name, &format!("{}{}", server.base, form.page()));
        assert_eq!(browser.text("#toast"), "", "nobody typed anything");
        browser.run("document.getElementById('forward').click()");
        browser.until("document.activeElement?.id === 'summary'");
        for (look, side) in [(Look::PHONE, "360-light"), (Look::DESK.dark(), "1280-dark")] {
            browser.look(look);
            browser.shot(&format!("{name}-faults-{side}"), look);
            assert_eq!(browser.axe(), NOTHING, "{name} with faults");
            let wide = browser.run("return document.documentElement.scrollWidth");
            assert_eq!(wide, json!(look.width), "{name} with faults");
        }
        // Complaints provoked by axe itself, and the answer that told the faults.
        browser.complaints();
    }
    let form = owner.form_with(form_in(&owner, "en", "classic"));
    browser.look(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert!(browser.shifted() < 0.001, "{}", browser.shifted());
    browser.print();
    browser.shot("every-print", Look::DESK);
    let buttons =
        browser.run("return [...document.querySelectorAll('button')].filter(b => b.checkVisibility()).length");
    assert_eq!(buttons, json!(0), "nobody presses a button on paper");
}

#[test]
fn every_card_is_whole() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::PHONE);
    for (locale, look) in [("en", Look::DESK), ("en", Look::PHONE), ("ar", Look::PHONE.dark())] {
        let form = owner.form_with(form_in(&owner, locale, "card"));
        browser.look(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        let count = browser.run("return document.querySelectorAll('section.page').length");
        let count = count.as_u64().expect("a count");
        for card in 0..count {
            browser.run(&format!(
                "form.dispatchEvent(new CustomEvent('goto', {{detail: document.querySelectorAll('section.page')[{card}]}}))"
            ));
            browser.until("document.getAnimations().length === 0");
            let name = format!("card-{locale}-{}{}-{card:02}", look.width, if look.dark { "-dark" } else { "" });
            browser.shot(&name, look);
            let wide = browser.run("return document.documentElement.scrollWidth");
            assert_eq!(wide, json!(look.width), "{name}");
            assert_eq!(browser.complaints(), NOTHING, "{name}");
            if look.width < 600 {
                assert_eq!(browser.axe(), NOTHING, "{name}");
                browser.complaints();
            }
        }
    }
}

/// An answer to every question of the form, in the write shape.
pub fn answers() -> Value {
    json!({
        "field_2": "Ada Lovelace", "field_3": "Analytical Society", "field_4": "One\nTwo",
        "field_5": "ada@example.com", "field_6": "https://example.com/ada",
        "field_7": {"country_id": "GB", "number": "2079460018"}, "field_8": "12",
        "field_9": "2090-06-05", "field_10": {"hour": 9, "minute": 30},
        "field_11": {"value": "else", "other_text": "Weaving"}, "field_12": ["mon", "thu"],
        "field_13": {"value": "else", "other_text": "A friend"}, "field_14": "good", "field_15": ["tue", "wed"],
        "field_16": {"level_1": "n", "level_2": "b"}, "field_17": {"food": 1, "talk": 2, "room": 3},
        "field_18": 4, "field_19": 10, "field_20": {"room": ["good"], "food": ["fair"], "talk": ["bad"]},
        "field_21": {"room": {"field_1": "3", "field_2": "quiet"}, "food": {"field_1": "4", "field_2": "warm"}, "talk": {"field_1": "5", "field_2": "short"}},
        "field_22": {"room": {"now": 2}, "food": {"now": 3}, "talk": {"now": 5}},
        "field_23": [{"field_1": "Charles", "field_2": "41"}, {"field_1": "Mary", "field_2": "50"}, {"field_1": "Byron", "field_2": "7"}],
        "field_24": {"address_line1": "12 St James's Square", "city": "London", "state": "GB-LND", "postal_code": "SW1Y 4JH", "country": "GB"},
        "field_25": {"longitude": -0.13, "latitude": 51.5, "address": "At the door"},
        "field_26": [{"api_code": "bag", "number": 2}, {"api_code": "shirt", "number": 1, "specification": {"size": "m"}}],
        "field_27": [{"api_code": "mill", "scheduled_at": "2090-06-06"}],
    })
}

const POSTED: &str =
    "JSON.stringify([...new FormData(form)].filter(([n, v]) => n.startsWith('field_') && v !== '').sort())";

#[test]
fn every_kind_is_filled_in_by_its_address_kept_and_sent() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(form_in(&owner, "en", "classic"));
    let browser = Browser::open(Look::DESK);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (code, value) in answers().as_object().expect("an object") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        query.append_pair(code, &text);
    }
    let query = query.finish();
    let address = format!("{}{}", server.base, form.page());
    browser.go(&format!("{address}?{query}"));
    browser.until("document.readyState === 'complete'");
    browser.run("field_3.value = 'Analytical Society of London'");
    let first = browser.run(&format!("return {POSTED}"));
    browser.shot("every-filled-1280", Look::DESK);
    // The browser keeps it; as if it had been typed at the plain address.
    browser.run("field_3.dispatchEvent(new Event('input', {bubbles: true}))");
    browser.until("Object.keys(localStorage).some(k => k.startsWith('formsvc.form.'))");
    browser.run(
        "const old = Object.keys(localStorage).find(k => k.startsWith('formsvc.form.'));
         localStorage.setItem(old.split('?')[0], localStorage.getItem(old)); localStorage.removeItem(old)",
    );
    browser.go(&address);
    browser.until("document.readyState === 'complete' && document.querySelector('#toast button')");
    assert_eq!(browser.run(&format!("return {POSTED}")), first);
    assert_eq!(browser.complaints(), NOTHING);
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done') || document.getElementById('summary')");
    assert!(browser.text("main").contains("Your booking is confirmed"), "{}", browser.text("#summary"));
    let entry = owner.get(form.entries()).data()[0].clone();
    for code in answers().as_object().expect("an object").keys() {
        let value = &entry[code];
        assert!(!value.is_null() && *value != json!([]), "{code}: {entry}");
    }
    assert_eq!(entry["field_23"].as_array().map(Vec::len), Some(3), "{entry}");
    assert_eq!(entry["field_32"], 144, "{entry}");
}

#[test]
fn tab_reaches_every_kind_and_goes_on() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(form_in(&owner, "en", "classic"));
    for look in [Look::DESK, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("document.readyState === 'complete'");
        let mut reached = Vec::new();
        for _ in 0..250 {
            browser.keys([TAB]);
            let at = browser.run(
                "const e = document.activeElement; const box = e.getBoundingClientRect();
                 return {field: e.closest('.field')?.dataset.field ?? '', id: e.id, seen: box.width > 0 && box.height > 0,
                         ring: [e, e.closest('.choice, .grid-choice'), e.nextElementSibling].some(x => x &&
                             getComputedStyle(x).outlineStyle !== 'none' && parseFloat(getComputedStyle(x).outlineWidth) >= 2),
                         what: e.outerHTML.slice(0, 120)}",
            );
            assert_eq!(at["seen"], json!(true), "the focus is where nothing is seen: {at}");
            assert_eq!(at["ring"], json!(true), "the focus is not seen: {at}");
            if at["id"] == "forward" {
                break;
            }
            let field = at["field"].as_str().unwrap_or_default().to_owned();
            if reached.last() != Some(&field) {
                reached.push(field);
            }
        }
        let fields = browser.run(
            "return [...document.querySelectorAll('.field')].filter(f => f.querySelector('input:not([type=hidden]), select, textarea, button, a')).map(f => f.dataset.field)",
        );
        reached.retain(|field| !field.is_empty());
        assert_eq!(json!(reached), fields, "in the order of the page, each once");
        assert_eq!(browser.complaints(), NOTHING);
    }
}
