//! Beginning a form: the page in every light, all ways to begin by clicks, and lists that are pasted into the builder.

use serde_json::json;
use support::{Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::{NOTHING, click, press_button, put};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

/// The list that the console's design names.
const LIST: &str = "Your name *\nEmail *\nPhone\nDate of birth\nHow many people will come?\nTrack *\n- Letterpress\n\
    - Sourdough\n- Other\n---\nRate your experience 1–5\nUpload a photo\nI agree to the rules *\nAnything else? (long)";

/// The number of questions in the builder's list.
const COUNT: &str = "document.querySelectorAll('.outline-row').length";

#[test]
fn forms_begin_in_all_ways() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    owner.form_with(json!({"name": "Summer party", "fields": [field("short_text", json!({}))]}));
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = format!("{}/forms/new", server.base);
    look_at(&browser, "new-form", &page);
    browser.look(Look::DESK);
    // From the list to the page, then each way; each leads to the questions of a form that nobody else sees.
    let built = |count: usize| {
        browser.until("location.pathname.endsWith('/build')");
        browser.until(&format!("{COUNT} === {count}"));
        let path = browser.run("return location.pathname.split('/').at(-2)");
        let token = path.as_str().expect("a token").to_owned();
        server.anon().get(format!("/f/{token}")).is(404);
    };
    browser.go(&format!("{}/forms", server.base));
    click(&browser, "main a[href$='/forms/new']");
    browser.until("location.pathname === '/forms/new'");
    put(&browser, "name", "Picnic");
    press_button(&browser, "Create an empty form");
    built(0);
    browser.go(&page);
    click(&browser, "button[name=scene][value=exam]");
    built(5);
    browser.go(&page);
    // The form that was changed last comes first: the exam.
    press_button(&browser, "Make a copy");
    built(5);
    // A pasted list: one kind is changed in the table, and stays so.
    browser.go(&page);
    browser.run(&format!("document.getElementById('list').value = {}", json!(LIST)));
    press_button(&browser, "Read the list");
    browser.until("document.querySelectorAll('.paste-label').length === 11");
    assert_eq!(browser.axe(), NOTHING);
    browser.run("document.querySelector('[name=\"q[3].type\"]').value = 'short_text'");
    put(&browser, "name", "Fair");
    press_button(&browser, "Create a form with 10 questions");
    built(11);
    assert!(browser.text(".outline-row:nth-child(4)").contains("Short answer"));
    // The same list, pasted outside of a box, is added after the chosen question; one step takes all of it back.
    let paste = format!(
        "const data = new DataTransfer(); data.setData('text/plain', {}); \
         document.body.dispatchEvent(new ClipboardEvent('paste', {{clipboardData: data, bubbles: true, cancelable: true}}))",
        json!(LIST)
    );
    browser.run(&paste);
    browser.until("document.querySelectorAll('.paste-label').length === 11");
    browser.run("document.querySelector('[name=\"q[2].type\"]').value = 'short_text'");
    press_button(&browser, "Add 10 questions");
    browser.until(&format!("{COUNT} === 22"));
    assert!(browser.text(".outline-row:nth-child(14)").contains("Short answer"));
    click(&browser, "#undo");
    browser.until(&format!("{COUNT} === 11"));
}
