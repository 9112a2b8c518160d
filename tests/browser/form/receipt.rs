//! The thank-you page: the parts that it keeps for the respondent, on a phone, on a desk and on paper, and its links
//! inside another site's page.

use serde_json::{Value, json};
use support::{Caller, Form, Server};

use crate::driver::steps::{NOTHING, PATIENT, set};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::forms;
use crate::looks::look_at;
use crate::questions::every_kind;

fn editable(owner: &Caller, form: &Form) {
    set(owner, form, json!({"submission_options": {"allow_edit_after_submission": true}}));
}

/// The address of the thank-you page of an entry sent over the page.
fn sent(form: &Form, pairs: &[(&str, &str)]) -> String {
    let server = Server::shared();
    let done = server.anon().post_form(form.page(), pairs);
    assert_eq!(done.status, 303, "{done}");
    format!("{}{}", server.base, done.header("location"))
}

fn registration() -> Vec<(&'static str, &'static str)> {
    vec![
        ("field_2", "Ada Lovelace"),
        ("field_3", "ada@example.com"),
        ("field_4.country_id", "GB"),
        ("field_4.number", "2079460018"),
        ("field_7", "press"),
        ("field_8", "veg"),
        ("field_8", "step"),
        ("field_9", "2027-06-06"),
        ("field_10", "12"),
        ("field_12", "No nuts, please.\nAnd a seat at the window, if there is one left."),
    ]
}

#[test]
fn a_receipt_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for (locale, name) in [("en", "receipt"), ("zh-CN", "receipt-zh"), ("ar", "receipt-ar")] {
        let mut body = forms::workshop();
        body["locale"] = json!(locale);
        let form = owner.form_with(body);
        editable(&owner, &form);
        let address = sent(&form, &registration());
        look_at(&browser, name, &address);
        for look in [Look { width: 390, ..Look::PHONE }, Look::DESK, Look::PHONE.dark()] {
            browser.look(look);
            browser.go(&address);
            browser.until("document.readyState === 'complete'");
            assert!(browser.shifted() < 0.001, "{} {}", look.width, browser.shifted());
            browser.shot(&format!("{name}-whole-{}", look.width), look);
        }
        assert!(browser.text("main").contains("Letterpress and bookbinding"));
        assert!(!browser.text("main").contains("Analogue photography"));
    }
    // On paper: the answers and the code, and nothing to press.
    let paper = Look { width: 760, ..Look::DESK };
    browser.look(paper);
    browser.print();
    browser.shot("receipt-paper", paper);
    let seen =
        "[...document.querySelectorAll('button, a.button, input, .sign')].filter(e => e.checkVisibility()).length";
    assert_eq!(browser.run(&format!("return {seen}")), json!(0));
    assert_eq!(browser.run("return document.querySelector('svg.scan').checkVisibility()"), json!(true));
    let widths = "['main', 'main > .card'].map(part => document.querySelector(part).getBoundingClientRect().width)";
    assert_eq!(browser.run(&format!("return new Set({widths}).size")), json!(1), "the card is as wide as the paper");
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn the_edit_link_is_copied_and_leads_to_the_answers() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::workshop());
    editable(&owner, &form);
    let browser = Browser::open(Look::DESK);
    browser.go(&sent(&form, &registration()));
    browser.until("document.querySelector('[data-copy]') && !document.querySelector('[data-copy]').hidden");
    let button = "document.querySelector('[data-copy=edit-link]')";
    browser.run(&format!(
        "const button = {button}; button.focus(); window.isCopied = false;
         new MutationObserver(() => {{ isCopied ||= button.textContent === 'Copied'; }}).observe(button, {{childList: true}})"
    ));
    browser.keys([ENTER]);
    browser.until("isCopied");
    browser.run("window.print = () => { window.printed = true; }; document.getElementById('print').click()");
    assert_eq!(browser.run("return window.printed"), json!(true));
    let link = browser.run("return document.getElementById('edit-link').value");
    let link = link.as_str().expect("a link").to_owned();
    assert_eq!(browser.complaints(), NOTHING);
    browser.go(&link);
    browser.until("document.getElementById('field_2')?.value === 'Ada Lovelace'");
}

#[test]
fn many_answers_are_folded_and_printed_whole() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(every_kind::form_in(&owner, "en", "classic"));
    let answers = every_kind::answers();
    let browser = Browser::open(Look::DESK);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (code, value) in answers.as_object().expect("an object") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        query.append_pair(code, &text);
    }
    browser.go(&format!("{}{}?{}", server.base, form.page(), query.finish()));
    browser.until(&format!("document.readyState === 'complete' && {PATIENT}"));
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
    assert_eq!(browser.run("return document.querySelector('.receipt-all').open"), json!(false));
    let summary = browser.text(".receipt-all > summary");
    assert!(summary.starts_with("All 27"), "{summary}");
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    browser.run("document.querySelector('.receipt-all > summary').click()");
    for look in [Look { width: 390, ..Look::PHONE }, Look::DESK] {
        browser.look(look);
        browser.shot(&format!("receipt-long-{}", look.width), look);
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert_eq!(wide, json!(look.width));
    }
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    // Folded again, paper has all of it.
    browser.run("document.querySelector('.receipt-all > summary').click()");
    browser.print();
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.run("return document.querySelector('.receipt dd').checkVisibility()"), json!(true));
    browser.run("dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.run("return document.querySelector('.receipt-all').open"), json!(false));
}

#[test]
fn inside_a_frame_a_press_leads_on() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(json!({"name": "Guest book", "fields": [{"type": "short_text", "label": "Name"}]}));
    let target = format!("{}/docs", server.base);
    set(&owner, &form, json!({"after_submission": {"mode": "redirect", "redirect": {"url": target}}}));
    let browser = Browser::open(Look::DESK);
    let address = sent(&form, &[("field_1", "Ada")]);
    browser.go(&format!("{address}&embed=1"));
    browser.until("document.readyState === 'complete'");
    assert_eq!(browser.run("return document.querySelector('meta[http-equiv=refresh]')"), Value::Null);
    let button = browser.run("const a = document.querySelector('.ways a.button'); return [a.href, a.target]");
    assert_eq!(button, json!([target, "_top"]));
    assert!(browser.text("main").contains("Thank you"));
    // Outside of one it leads on by itself.
    browser.go(&address);
    browser.until("location.pathname === '/docs'");
}
