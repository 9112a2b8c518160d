//! The page of a form's settings in every light; unsaved changes are asked about, rows are added, sections are found,
//! on a desk and on a phone.

use std::cell::Cell;

use serde_json::json;
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::{look_at, look_at_on};

const TITLE: &str = "document.getElementById('after_submission.show_message.text.title')";

fn registration(server: &Server) -> (Caller, Form) {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write");
    let items = json!([{"name": "Ticket", "price": 12}]);
    let fields = json!([
        field("name", json!({"label": "Your name"})),
        field("email", json!({"label": "Email"})),
        field("product", json!({"label": "Tickets", "goods_items": items})),
    ]);
    let form = owner.form_with(json!({"name": "Summer party of the society", "scene": "order", "fields": fields}));
    let settings = json!({
        "pricing": {"discounts": [{"min_total": 100, "percent_off": 5}]},
        "availability": {"schedule": {"end_at": "2030-05-03T16:00:00Z"}, "entries_limit": 100},
    });
    owner.patch(form.part("settings"), settings).is(200);
    (owner, form)
}

#[test]
fn settings_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = format!("{}/forms/{}/settings", server.base, form.token);
    look_at(&browser, "settings", &page);
    look_at(&browser, "settings-saved", &format!("{page}?saved=availability#availability"));
    // A page with unsaved changes asks, which browsers allow only after a gesture: it learns of a post.
    let leave = || {
        browser.run(
            "const form = document.querySelector('form[data-changed]'); \
             if (form) { form.dataset.session = 'asked'; form.dispatchEvent(new Event('submit')); }",
        );
        browser.go(&page);
    };
    look_at_on(&browser, "settings-refused", Look::PHONE, &|| {
        leave();
        browser.run("document.getElementById('pricing.currency').value = 'XXL'");
        browser.run("document.getElementById('pricing.discounts[0].min_total').value = 'much'");
        browser.run("document.querySelector('#orders .save-row button').click()");
        browser.until("document.querySelectorAll('#orders .fault').length === 2");
    });
    let count = Cell::new(0);
    look_at_on(&browser, "settings-changed", Look::PHONE, &|| {
        leave();
        count.set(count.get() + 1);
        let text =
            json!({"title": format!("Thanks {}", count.get()), "description": format!("By Bob {}", count.get())});
        owner.patch(form.part("settings"), json!({"after_submission": {"show_message": {"text": text}}})).is(200);
        browser.run(&format!("{TITLE}.value = 'See you soon'"));
        browser.run("document.querySelector('#after .save-row button').click()");
        browser.until("document.querySelectorAll('#after .news').length === 2");
        browser.until(&format!("{TITLE}.value === 'See you soon'"));
    });
    // Saved again, it replaces the other user's value.
    browser.run("document.querySelector('#after .save-row button').click()");
    browser.until("document.querySelector('#after .message.good')?.textContent === 'Saved'");
    let text = owner.get(form.part("settings")).data()["after_submission"]["show_message"]["text"].clone();
    assert_eq!(text, json!({"title": "See you soon", "description": format!("By Bob {}", count.get())}));
}

/// Leaving a page asks while something typed is not saved, and does not when it was taken back or saved.
#[test]
fn what_is_not_saved_is_asked_about() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (_, form) = registration(&server);
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/forms/{}/settings", server.base, form.token));
    browser.until("document.querySelector('#after').open && document.querySelector('#after').dataset.ready === ''");
    // Folded, since the form is no exam.
    browser.until("!document.querySelector('#exam').open && document.querySelector('#orders').open");
    let asks = "(() => { const event = new Event('beforeunload', {cancelable: true}); \
                dispatchEvent(event); return event.defaultPrevented; })()";
    let typed = |text: &str| {
        browser.run(&format!("{TITLE}.value = '{text}'; {TITLE}.dispatchEvent(new Event('input', {{bubbles: true}}))"));
    };
    browser.until(&format!("{asks} === false"));
    typed("Thanks");
    browser.until(&format!("{asks} === true"));
    browser.until("document.querySelector('#after [data-text]').textContent === 'Not saved yet'");
    typed("");
    browser.until(&format!("{asks} === false"));
    browser.until("document.querySelector('#after [data-text]').textContent === ''");
    // A row more, of which nothing is typed, is no change.
    browser.run("document.querySelector('[data-add-row=\"pricing.discounts\"]').click()");
    browser.until("document.activeElement.name === 'pricing.discounts[1].min_total'");
    browser.until(&format!("{asks} === false"));
    browser.run("document.activeElement.value = '200'");
    browser.run("document.getElementById('pricing.discounts[1].amount_off').value = '25'");
    browser.until(&format!("{asks} === true"));
    browser.run("document.querySelector('[data-add-row=\"pricing.discounts\"]').click()");
    browser.until("document.activeElement.name === 'pricing.discounts[2].min_total'");
    // Saving leaves without a question.
    browser.run("document.querySelector('#orders .save-row button').click()");
    browser.until("document.querySelector('#orders .message.good')?.textContent === 'Saved'");
    browser.until("document.getElementById('pricing.discounts[1].amount_off').value === '25'");
    browser.until(&format!("{asks} === false"));
    // Sections are found by their words.
    let find = |words: &str| {
        browser.run(&format!(
            "const find = document.querySelector('#find-setting'); find.value = '{words}'; \
             find.dispatchEvent(new Event('input'))"
        ));
    };
    let shown = "[...document.querySelectorAll('.settings-section:not([hidden])')].map((it) => it.id).join()";
    find("countdown");
    browser.until(&format!("{shown} === 'availability'"));
    find("qwertz");
    browser.until("document.querySelector('.settings-find [role=status]').textContent.startsWith('No section')");
    find("");
    browser.until(&format!("{shown}.startsWith('general,availability,access')"));
}

/// On a phone the sections are a list; each one opens and is saved, without a script too.
#[test]
fn a_setting_is_changed_on_a_phone() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = registration(&server);
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        browser.go(&format!("{}/forms/{}/settings", server.base, form.token));
        browser.until("document.querySelectorAll('.settings-section[open]').length === 0");
        browser.run("document.querySelector('#filling-in > summary').click()");
        browser.until("document.querySelector('#filling-in').open");
        browser.run("document.getElementById('submission_options.show_progress').click()");
        browser.run("document.querySelector('#filling-in .save-row button').click()");
        browser.until("document.querySelector('#filling-in .message.good')?.textContent === 'Saved'");
        browser.until("document.querySelectorAll('.settings-section[open]').length === 1");
    }
    // Switched on, and off again.
    assert_eq!(owner.get(form.part("settings")).data()["submission_options"]["show_progress"], false);
}
