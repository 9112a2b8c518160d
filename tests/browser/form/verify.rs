//! The page that checks a verification code, and the code and the certificate on the thank-you page.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, set};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::looks::look_at;

fn made(owner: &Caller, locale: &str) -> Form {
    let form = owner.form_with(json!({
        "name": if locale == "zh-CN" { "书法工作坊" } else { "Letterpress workshop" },
        "locale": locale,
        "fields": [field("short_text", json!({"label": "Name"}))],
    }));
    set(
        owner,
        &form,
        json!({
            "verification_code": {"enabled": true, "length": 16},
            "certificate": {"enabled": true, "title": "Certificate", "body": "{{field_1}}"},
        }),
    );
    form
}

fn code_of(owner: &Caller, form: &Form) -> String {
    let entry = owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    let code = &entry.data()["gen_code"];
    code.as_str().expect("a code").to_owned()
}

fn address(form: &Form, code: &str) -> String {
    let base = &Server::shared().base;
    format!("{base}{}/verify?code={code}", form.page())
}

#[test]
fn checking_a_code_in_every_light() {
    let owner = Server::shared().user();
    let browser = Browser::open(Look::DESK);
    for locale in ["en", "zh-CN"] {
        let form = made(&owner, locale);
        let code = code_of(&owner, &form);
        look_at(&browser, &format!("verify-ask-{locale}"), &address(&form, ""));
        look_at(&browser, &format!("verify-valid-{locale}"), &address(&form, &code));
        look_at(&browser, &format!("verify-invalid-{locale}"), &address(&form, "AAAA-BBBB"));
    }
}

#[test]
fn a_code_is_checked_by_keyboard_alone() {
    let owner = Server::shared().user();
    let form = made(&owner, "en");
    let code = code_of(&owner, &form);
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        let focused = "document.activeElement?.localName === 'input'";
        browser.go(&address(&form, ""));
        browser.until(focused);
        browser.keys("nothing".chars().chain([ENTER]));
        until_said(&browser, "This code is not valid");
        browser.go(&address(&form, ""));
        browser.until(focused);
        let typed = code.to_lowercase();
        browser.keys(typed.chars().chain([TAB, ENTER]));
        until_said(&browser, "This code is valid");
        assert!(browser.text("main").contains(&typed));
        assert_eq!(browser.complaints(), NOTHING);
    }
}

fn until_said(browser: &Browser, text: &str) {
    browser.until(&format!(
        "document.readyState === 'complete' && document.querySelector('h1')?.textContent === {}",
        json!(text)
    ));
}

#[test]
fn the_thank_you_page_has_code_and_certificate() {
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for locale in ["en", "zh-CN"] {
        let form = made(&owner, locale);
        let done = server.anon().post_form(form.page(), &[("field_1", "Ada")]);
        assert_eq!(done.status, 303, "{done}");
        let done = format!("{}{}", server.base, done.header("location"));
        look_at(&browser, &format!("done-code-{locale}"), &done);
        browser.go(&done);
        let link = browser.run("return document.querySelector('a[download]').href");
        assert!(link.as_str().is_some_and(|link| link.contains("/certificates/")));
        let code = browser.text(".code-text");
        browser.run("document.querySelector('.edit-link a').click()");
        browser.until("location.pathname.endsWith('/verify')");
        let shown = browser.run("return document.querySelector('.typed-code').textContent");
        assert_eq!(shown, Value::String(code));
        assert_eq!(browser.complaints(), NOTHING);
    }
}
