//! Steps in the builder's panel of a question.

use serde_json::json;
use support::{Form, Server};

use crate::driver::webdriver::Browser;

/// Opens the builder at this question, and waits until the panel's script runs.
pub fn open(browser: &Browser, server: &Server, form: &Form, code: &str) {
    browser.go(&format!("{}/forms/{}/build?field={code}", server.base, form.token));
    browser.until("document.querySelector('#panel')?.dataset.live === ''");
}

/// A script that reads an expression of `field`, the draft's question at this place, from the server.
pub fn drafted(at: usize, expression: &str) -> String {
    format!(
        "(() => {{ const r = new XMLHttpRequest(); r.open('GET', location.pathname, false);
            r.setRequestHeader('Accept', 'application/json'); r.send();
            const field = JSON.parse(r.responseText).data.fields[{at}]; return {expression}; }})()"
    )
}

/// Sets the value of a control by its name, without a key.
pub fn put(browser: &Browser, name: &str, value: &str) {
    browser.run(&format!(
        "const input = document.querySelector('#panel [name=\"{name}\"]'); input.value = {};
         input.dispatchEvent(new Event('input', {{bubbles: true}})); input.dispatchEvent(new Event('change', {{bubbles: true}}))",
        json!(value)
    ));
}
