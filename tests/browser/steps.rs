//! Steps that several journeys take.

use serde_json::{Value, json};

use crate::support::{Caller, Form, Server};
use crate::webdriver::{Browser, TAB};

/// What a console, or axe, should say.
pub const NOTHING: Vec<String> = Vec::new();

/// Loads a form's page.
pub fn load(browser: &Browser, server: &Server, form: &Form) {
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
}

/// Types into a control by its id, in place of what is there, and leaves it.
pub fn put(browser: &Browser, id: &str, text: &str) {
    browser.run(&format!(
        "const e = document.getElementById({}); e.focus(); e.select?.()",
        json!(id)
    ));
    browser.keys(text.chars().chain([TAB]));
}

/// Sets the value of a control by its name, without a key.
pub fn set_value(browser: &Browser, name: &str, value: &str) {
    browser.run(&format!(
        "const e = document.getElementsByName({})[0]; e.value = {};
         for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {{bubbles: true}}))",
        json!(name),
        json!(value)
    ));
}

/// Clicks on the button that says this.
pub fn press_button(browser: &Browser, button: &str) {
    let is_found = browser.run(&format!(
        "const e = [...document.querySelectorAll('main button')].find(e => e.checkVisibility() && (e.ariaLabel ?? e.textContent) === {});
         e?.click(); return Boolean(e)",
        json!(button)
    ));
    let page = browser.text("main");
    assert_eq!(is_found, json!(true), "no button {button}: {page}");
}

/// Sends the form, no sooner than a person could.
pub fn send(browser: &Browser) {
    browser.until("performance.now() > 2300");
    click(browser, "#forward");
}

/// Clicks on what this selector finds.
pub fn click(browser: &Browser, selector: &str) {
    browser.run(&format!(
        "document.querySelector({}).click()",
        json!(selector)
    ));
}

/// Changes a form's settings.
pub fn set(owner: &Caller, form: &Form, settings: Value) {
    let done = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(done.status, 200, "{done}");
}

/// How many entries there are.
pub fn count(owner: &Caller, form: &Form) -> usize {
    let all = owner.get(form.entries()).data();
    all.as_array().expect("a list").len()
}
