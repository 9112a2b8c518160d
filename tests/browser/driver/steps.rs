//! Steps that several journeys take.

use std::time::{Duration, SystemTime};

use serde_json::json;
pub use support::steps::{count, set};
use support::{Form, Server};

use crate::driver::webdriver::{Browser, TAB};

/// The expected complaints of a console, or of axe.
pub const NOTHING: Vec<String> = Vec::new();

/// Loads a form's page.
pub fn load(browser: &Browser, server: &Server, form: &Form) {
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
}

/// Loads the current page again.
pub fn reload(browser: &Browser) {
    browser.run("window.isOld = true; location.reload()");
    browser.until("!window.isOld && document.readyState === 'complete'");
}

/// Types into a control by its id, in place of its text, and leaves it.
pub fn put(browser: &Browser, id: &str, text: &str) {
    browser.run(&format!("const e = document.getElementById({}); e.focus(); e.select?.()", json!(id)));
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

/// True as soon as a person could have filled in the page: an earlier post is taken for a program's. The server counts
/// from the moment when it draws the page.
pub const PATIENT: &str =
    "performance.now() - (performance.getEntriesByType('navigation')[0]?.responseStart ?? 0) > 2300";

/// Sends the form, no sooner than a person could.
pub fn send(browser: &Browser) {
    browser.until(PATIENT);
    click(browser, "#forward");
}

/// Clicks on the element of this selector.
pub fn click(browser: &Browser, selector: &str) {
    browser.run(&format!("document.querySelector({}).click()", json!(selector)));
}

/// The time in so many seconds, as the API takes it.
pub fn soon(secs: u64) -> String {
    let at = SystemTime::now() + Duration::from_secs(secs);
    let at = at.duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_secs();
    jiff::Timestamp::from_second(i64::try_from(at).expect("now")).expect("a time").to_string()
}
