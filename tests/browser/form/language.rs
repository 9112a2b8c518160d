//! Parts drawn by scripts of a form whose language has no words of ours: the owner's words keep their language there
//! too.

use serde_json::{Value, json};
use support::{Server, field};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};

#[test]
fn what_scripts_draw_says_whose_language_it_is() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let tree = json!([{"label": "Obst", "children": [{"label": "Apfel"}, {"label": "Birne"}]}]);
    let plain = json!([{"label": "Eins"}, {"label": "Zwei"}]);
    let form = owner.form_with(json!({"name": "Anmeldung", "locale": "de", "fields": [
        field("short_text", json!({"label": "Kennwort", "required": true, "pattern": "[A-Z]+",
            "pattern_message": "Nur Großbuchstaben"})),
        field("cascade", json!({"label": "Stufen", "choices": tree})),
        field("ranking", json!({"label": "Rang", "choices": plain})),
        {"type": "page_break", "next_text": "Weiter geht’s", "previous_text": "Davor"},
        field("long_text", json!({"label": "Text"})),
    ]}));
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete' && document.querySelector('.rank-list')");
    // The language that an element is in, as the browser reads it.
    let languages = |what: &str| -> Value {
        browser.run(&format!(
            "return [...document.querySelectorAll({})].map((found) => found.closest('[lang]').lang)",
            json!(what)
        ))
    };
    assert_eq!(languages("body"), json!(["en"]));
    assert_eq!(languages(".cascade-levels select"), json!(["de"]));
    assert_eq!(languages(".rank-label"), json!(["de", "de"]));
    assert_eq!(languages(".rank-hint"), json!(["en"]));
    assert_eq!(languages("#forward"), json!(["de"]));
    let forward = || {
        browser.run("document.getElementById('forward').focus()");
        browser.keys([ENTER]);
    };
    // The page's words beside the field and, after the owner's label, in the summary.
    forward();
    browser.until("document.activeElement?.id === 'summary'");
    assert_eq!(languages("#field_1-fault"), json!(["en"]));
    assert_eq!(languages("#summary a > span"), json!(["de", "en"]));
    assert_eq!(browser.axe(), NOTHING);
    browser.run("field_1.value = 'klein'; field_1.dispatchEvent(new Event('change', {bubbles: true}))");
    browser.until("document.getElementById('field_1-fault')?.textContent === 'Nur Großbuchstaben'");
    assert_eq!(languages("#field_1-fault"), json!(["de"]));
    browser.run("field_1.value = 'GROSS'; field_1.dispatchEvent(new Event('change', {bubbles: true}))");
    browser.until("!document.getElementById('field_1-fault')");
    // The last page's button is ours, the one back the owner's.
    forward();
    browser.until("document.querySelector('[name=_page]').value === '1'");
    assert_eq!(languages("#forward, #backward"), json!(["en", "de"]));
    browser.until("document.getElementById('forward').textContent === 'Submit'");
    assert_eq!(browser.axe(), NOTHING);
}
