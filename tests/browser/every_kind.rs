//! Every kind of question in both layouts, in English, Chinese and Arabic, right and wrong: nothing
//! that axe-core finds, nothing too wide, nothing in the console.

use serde_json::{Value, json};

use crate::forms;
use crate::looks::look_at;
use crate::support::Server;
use crate::webdriver::{Browser, Look};

const NOTHING: Vec<String> = Vec::new();

fn form_in(locale: &str, layout: &str) -> Value {
    let mut form = forms::every_kind(locale);
    form["layout"] = json!(layout);
    form
}

#[test]
fn every_kind_in_every_light_and_language() {
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for (locale, name) in [
        ("en", "every-en"),
        ("zh-CN", "every-zh"),
        ("ar", "every-ar"),
    ] {
        let form = owner.form_with(form_in(locale, "classic"));
        look_at(&browser, name, &format!("{}{}", server.base, form.page()));
        browser.run("document.getElementById('forward').click()");
        browser.until("document.activeElement?.id === 'summary'");
        for (look, side) in [(Look::PHONE, "360-light"), (Look::DESK.dark(), "1280-dark")] {
            browser.look(look);
            browser.shot(&format!("{name}-faults-{side}"), look);
            assert_eq!(browser.axe(), NOTHING, "{name} with faults");
            let wide = browser.run("return document.documentElement.scrollWidth");
            assert_eq!(wide, json!(look.width), "{name} with faults");
        }
        // What axe itself provokes, and the answer that told the faults.
        browser.complaints();
    }
    let form = owner.form_with(form_in("en", "classic"));
    browser.look(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    assert!(browser.shifted() < 0.001, "{}", browser.shifted());
    browser.print();
    browser.shot("every-print", Look::DESK);
    let buttons = browser.run(
        "return [...document.querySelectorAll('button')].filter(b => b.checkVisibility()).length",
    );
    assert_eq!(buttons, json!(0), "nobody presses a button on paper");
}

#[test]
fn every_card_is_whole() {
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::PHONE);
    for (locale, look) in [
        ("en", Look::DESK),
        ("en", Look::PHONE),
        ("ar", Look::PHONE.dark()),
    ] {
        let form = owner.form_with(form_in(locale, "card"));
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
            let name = format!(
                "card-{locale}-{}{}-{card:02}",
                look.width,
                if look.dark { "-dark" } else { "" }
            );
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
