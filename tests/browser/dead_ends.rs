//! Pages that say why something can't be done: a link that no longer works, a booking that is not cancelled, an edit that
//! does not book again, and a booking without a day.

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, field};

use crate::driver::steps::{NOTHING, send, set};
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

fn tours(owner: &Caller) -> Form {
    let days: Vec<Value> = (1..=7).map(|day| json!({"weekday": day, "quota": 2})).collect();
    let item = |code: &str, name: &str| json!({"api_code": code, "name": name, "quota_setting": {"kind": "weekly", "weekly_quotas": days}});
    let items = json!([item("tour", "Tour of the press"), item("talk", "Talk")]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("booking", json!({"label": "When", "reservation_items": items})),
    ]));
    let edits = json!({"submission_options": {"allow_edit_after_submission": true}});
    set(owner, &form, edits);
    form
}

/// The address of a page that a page links to.
fn link(page: &Response, part: &str) -> String {
    let links = page.text.split("href=\"").skip(1);
    let links = links.filter_map(|rest| rest.split('"').next());
    let mut links = links.filter(|link| link.contains(part));
    links.next().expect("a link").replace("&amp;", "&")
}

#[test]
fn a_link_that_no_longer_works_says_so() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let browser = Browser::open(Look::DESK);
    for path in ["/files/none/plan.pdf", "/certificates/none"] {
        let address = format!("{}{path}?expires=1&signature=x", server.base);
        look_at(&browser, "dead-end-link", &address);
        assert_eq!(browser.text("h1"), "This link no longer works");
        let said = browser.text("main");
        assert!(said.contains("Open the page it came from again."), "{said}");
    }
}

#[test]
fn what_becomes_of_a_booking_is_said() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = tours(&owner);
    let anon = server.anon();
    let pairs = [("field_1", "Ada"), ("field_2[0].api_code", "tour"), ("field_2[0].scheduled_at", "2090-01-07")];
    let sent = anon.post_form(form.page(), &pairs);
    assert_eq!(sent.status, 303, "{sent}");
    let cancel = link(&anon.get(sent.header("location")), "/cancel?");
    let settle = |status: &str| {
        let path = format!("{}/reservation_status", form.entry(1));
        assert_eq!(owner.patch(path, json!({"status": status})).status, 200);
    };
    let browser = Browser::open(Look::DESK);
    let page = |path: &str| format!("{}{path}", server.base);
    settle("completed");
    let refused = anon.post_form(&cancel, &[("_action", "submit")]);
    for (name, path) in [("cancel-completed", cancel.as_str()), ("done-completed", refused.header("location"))] {
        look_at(&browser, name, &page(path));
        assert_eq!(browser.text("h1"), "This booking can’t be cancelled");
    }
    settle("cancelled");
    look_at(&browser, "edit-cancelled", &page(&cancel.replace("/cancel?", "?")));
    let said = browser.text("main");
    assert!(said.contains("Editing your answers doesn’t book again."), "{said}");
}

#[test]
fn a_booking_without_a_day_is_told_which_one() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = tours(&owner);
    let browser = Browser::open(Look::PHONE.without_script());
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.run("document.querySelector('[name=\"field_2[0].api_code\"][value=\"tour\"]').click()");
    send(&browser);
    browser.until("document.body.innerText.includes('Choose a day for Tour of the press')");
    browser.shot("booking-no-day-360", Look::PHONE);
    assert_eq!(browser.complaints(), NOTHING);
}
