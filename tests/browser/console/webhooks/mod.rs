//! A webhook in the browser: made, its secret shown once, tested, and a failed delivery sent again.

use serde_json::json;
use support::peers::receiver::{Answer, Receiver};
use support::{Server, field, steps};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

#[test]
fn a_webhook_is_made_tested_and_sent_again() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::with(&["--rate-limits", "off", "--allow-private-webhooks"]);
    account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write integration:write");
    let choices = json!([{"label": "Soup"}, {"label": "Pie with mushrooms, leek and a little cream"}]);
    let form = owner.form_with(json!({"name": "Summer party of the society", "fields": [
        field("name", json!({"label": "Your name"})),
        field("radio", json!({"label": "What will you eat at the table of the founders?", "choices": choices})),
    ]}));
    let receiver = Receiver::start();
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let list = format!("{}/forms/{}/webhooks", server.base, form.token);
    look_at(&browser, "webhooks-none", &list);
    browser.look(Look::DESK);
    browser.go(&format!("{}/forms/{}/settings#integrations", server.base, form.token));
    browser.run("document.querySelector('#integrations a[href$=\"/webhooks\"]').click()");
    browser.until("location.pathname.endsWith('/webhooks') && document.readyState === 'complete'");
    // A fault is shown beside its control, with the typed value.
    let send = |url: &str| {
        browser.run(&format!("document.getElementById('url').value = '{url}'"));
        browser.run("document.getElementById('url').form.querySelector('[type=submit]').click()");
    };
    send("example.com/a place");
    browser.until("document.getElementById('url-fault')");
    assert_eq!(browser.run("return document.getElementById('url').value"), json!("example.com/a place"));
    assert_eq!(browser.axe(), NOTHING);
    send(&receiver.url("/hooks"));
    browser.until("document.getElementById('secret') && document.readyState === 'complete'");
    assert!(browser.text("#secret").starts_with("whsec_"));
    browser.run("document.querySelector('button[data-copy=secret]').focus()");
    browser.keys([ENTER]);
    browser.until("document.querySelector('button[data-copy=secret]').textContent === 'Copied'");
    assert_eq!(browser.axe(), NOTHING);
    browser.shot("webhook-secret", Look::DESK);
    let secret_page = browser.run("return location.href");
    look_at(&browser, "webhook-secret-gone", secret_page.as_str().expect("an address"));
    browser.look(Look::DESK);
    browser.run("document.querySelector('main a.button').click()");
    browser.until("document.querySelector('#deliveries') && document.readyState === 'complete'");
    let own = browser.run("return location.href");
    let own = own.as_str().expect("an address").to_owned();
    // A test shows its record at once.
    browser.run("document.querySelector('form[action$=\"/test\"] button').click()");
    browser.until("document.querySelector('.message.good')?.textContent.includes('200 after')");
    assert_eq!(browser.run("return document.querySelectorAll('section:has(> #deliveries) tbody tr').length"), json!(1));
    // A failed event is reported without moving the rows.
    receiver.now(|_| Answer::Status(500));
    browser.go(&own);
    steps::add(&owner, &form, json!({"field_1": "Ines Faber"}));
    browser.until("document.getElementById('new-deliveries').checkVisibility()");
    assert_eq!(browser.text("#new-deliveries > span"), "1 new delivery");
    assert_eq!(browser.run("return document.querySelectorAll('section:has(> #deliveries) tbody tr').length"), json!(1));
    browser.run("document.querySelector('#new-deliveries a').click()");
    browser.until("document.querySelectorAll('section:has(> #deliveries) tbody tr').length === 2");
    browser.until("Number(document.querySelector('[data-cell=attempts]').textContent) > 0");
    let first = "document.querySelector('section:has(> #deliveries) tbody tr')";
    browser.until(&format!("{first}.textContent.includes('The host answered with an error')"));
    look_at(&browser, "webhook", &own);
    look_at(&browser, "webhooks", &list);
    browser.look(Look::DESK);
    // A test that failed is sent again from its row, which then changes by itself.
    browser.go(&own);
    browser.run("document.querySelector('form[action$=\"/test\"] button').click()");
    browser.until("document.querySelector('.message.bad')");
    receiver.now(|_| Answer::Hang);
    browser.run("document.querySelector('[data-cell=again]:not([hidden]) button').click()");
    browser.until("document.querySelector('.message.good')?.textContent.includes('It is sent again')");
    browser.until(&format!("{first}.querySelector('.chip').textContent === 'Waiting'"));
    receiver.release();
    browser.until(&format!("{first}.querySelector('.chip.good')?.textContent === 'Delivered'"));
    assert_eq!(browser.complaints(), NOTHING);
    // By state, then off and gone.
    browser.run("document.querySelector('.view-tabs a[href*=\"status=failed\"]').click()");
    browser.until("location.search === '?status=failed' && document.readyState === 'complete'");
    browser.run("document.getElementById('enabled').click()");
    browser.run("document.querySelector('section:has(> #webhook) form [type=submit]').click()");
    browser.until("location.search === '?saved=1'");
    browser.until("document.querySelector('.page-head .chip').textContent === 'Off'");
    browser.run("document.querySelector('a[href$=\"/delete\"]').click()");
    browser.until("location.pathname.endsWith('/delete') && document.readyState === 'complete'");
    browser.run("document.querySelector('main form button').click()");
    browser.until("document.querySelector('.message.good')?.textContent === 'Webhook deleted'");
}
