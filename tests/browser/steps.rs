//! Steps that several journeys take.

use serde_json::{Value, json};

use crate::support::{Caller, Form, Server};
use crate::webdriver::{Browser, TAB};

/// Loads a form's page.
pub fn load(browser: &Browser, server: &Server, form: &Form) {
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
}

/// Types into a control by its id and leaves it.
pub fn put(browser: &Browser, id: &str, text: &str) {
    browser.run(&format!("document.getElementById({}).focus()", json!(id)));
    browser.keys(text.chars().chain([TAB]));
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
