//! A day of bookings at the desk and on paper, and the check-in at the door; also without a script.

use serde_json::{Value, json};
use support::steps::set;
use support::{Caller, Form, Server, field};

use crate::console::people::{OWNER, account, sign_in};
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

/// Slots and a tour of 9 January 2090, with people who come, wait and don't come.
fn museum(server: &Server) -> (Caller, Form) {
    account(server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write entry:read entry:write");
    let slot = |code: &str, from: &str, to: &str, quota: i64| json!({"code": code, "weekday": 1, "start_time": from, "end_time": to, "quota": quota});
    let form = owner.form_with(json!({"name": "Night at the museum", "fields": [
        field("name", json!({"label": "Your name"})),
        field("booking", json!({"label": "When", "allow_multiple_number": true, "reservation_items": [
            {"api_code": "hall", "name": "The hall of the dinosaurs", "quota_setting": {"kind": "time_range",
                "daily_time_range_quotas": [slot("a", "18:00", "19:30", 4), slot("b", "20:00", "24:00", 12)]}},
            {"api_code": "tour", "name": "Tour", "quota_setting": {"kind": "weekly",
                "weekly_quotas": [{"weekday": 1, "quota": 30}]}},
        ]})),
    ]}));
    set(&owner, &form, json!({"verification_code": {"enabled": true}, "capacity": {"waiting_list": true}}));
    let book = |name: &str, item: &str, at: &str, number: i64| -> Value {
        json!({"field_values": {"field_1": name, "field_2": [{"api_code": item, "scheduled_at": at, "number": number}]}})
    };
    for (name, item, at, number) in [
        ("Ines Faber", "hall", "2090-01-09T18:00", 3),
        ("Bartholomew Featherstonehaugh-Cholmondeley", "hall", "2090-01-09T20:00", 2),
        ("李小龙", "hall", "2090-01-09T18:00", 1),
        ("Grace Hopper", "tour", "2090-01-09", 4),
    ] {
        owner.post(form.entries(), book(name, item, at, number)).is(201);
    }
    let mut waits = book("Max Wait", "hall", "2090-01-09T18:00", 1);
    waits["waiting_list"] = json!(true);
    server.anon().post(form.submissions(), waits).is(201);
    (owner, form)
}

#[test]
fn a_day_is_worked_at_the_desk_and_the_door() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let (owner, form) = museum(&server);
    let code = owner.get(form.entry(1)).data()["gen_code"].as_str().expect("a code").to_owned();
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |rest: &str| format!("{}/forms/{}/{rest}", server.base, form.token);
    let day = page("bookings?day=2090-01-09");
    browser.go(&page("entries"));
    browser.run("[...document.querySelectorAll('.toolbar a')].find(it => it.textContent === 'Bookings').click()");
    browser.until("location.pathname.endsWith('/bookings')");
    look_at(&browser, "bookings", &day);
    look_at(&browser, "bookings-closed", &page("bookings?day=2090-01-10"));
    look_at(&browser, "checkin", &page("checkin"));
    // One press, and one back.
    browser.look(Look::DESK);
    browser.go(&day);
    browser.run("document.querySelector('[value=completed]').click()");
    browser.until("document.querySelector('.message.good h2')?.textContent === 'Booking of entry 1: Completed'");
    browser.run("document.querySelector('.message.good button').click()");
    browser.until("document.querySelector('.message.good h2')?.textContent === 'Booking of entry 1: Reserved'");
    // On paper there are names and large times, and no controls.
    browser.print();
    let seen = |selector: &str| {
        browser.run(&format!("return document.querySelector('{selector}').checkVisibility()")) == json!(true)
    };
    assert!(seen(".day-hours h3") && seen(".day-people h3"));
    assert!(!seen(".day-bar") && !seen(".day-people form"));
    let points = browser.run("return parseFloat(getComputedStyle(document.querySelector('.day-hours h3')).fontSize)");
    assert!(points.as_f64() > Some(26.0), "{points}");
    // The code of a picture is read where the browser can; a keyboard types it, without a script too.
    browser.look(Look::DESK);
    browser.go(&page("checkin"));
    browser.until("document.activeElement.id === 'code'");
    browser.keys(code.to_lowercase().chars().chain([ENTER]));
    browser.until("document.querySelector('.message.good h2')?.textContent.includes('is checked in')");
    browser.until("document.activeElement.id === 'code' && document.activeElement.value === ''");
    assert!(browser.text(".lead").starts_with("1 of 4"), "{}", browser.text(".lead"));
    look_at(&browser, "checkin-again", &page("checkin?entry=1"));
    let blind = Browser::open(Look::PHONE.without_script());
    sign_in(&blind, &server);
    blind.go(&page("checkin?entry=1"));
    blind.run("document.querySelector('form[action$=\"/checkin/1/undo\"] button').click()");
    blind.until("document.querySelector('.message.warn h2')?.textContent.includes('undone')");
    blind.run("document.getElementById('code').value = 'ACDE34'");
    blind.run("document.querySelector('.code-desk button').click()");
    blind.until("document.querySelector('#code-fault')?.textContent.startsWith('No entry of this form')");
}
