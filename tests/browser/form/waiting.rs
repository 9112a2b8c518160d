//! Places that are kept while a page is filled in, and the waiting list: with a script and without.

use serde_json::{Value, json};
use support::{Form, Response, Server, field, until};

use crate::driver::steps::{NOTHING, PATIENT, click, load, put, reload, send, set, set_value};
use crate::driver::webdriver::{Browser, Look};
use crate::questions::picker::{day, day_button, day_out, loaded, taken_by_others};

/// Somebody else asks for the soup.
fn soup(form: &Form) -> Response {
    let values = json!({"field_values": {"field_1": "Ada", "field_2": "soup"}});
    Server::shared().anon().post(form.submissions(), values)
}

fn tour(form: &Form, day: &str) -> Response {
    let values = json!({"field_values": {"field_1": "Ada", "field_6": [{"api_code": "tour", "scheduled_at": day}]}});
    Server::shared().anon().post(form.submissions(), values)
}

const KEPT: &str = "document.getElementById('held').textContent.includes('is reserved until')";
const NOT_KEPT: &str = "document.getElementById('held').textContent === ''";

#[test]
fn what_is_chosen_is_kept_until_it_is_sent() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(day_out("en-GB"));
    set(&owner, &form, json!({"capacity": {"hold_minutes": 10}}));
    assert_eq!(tour(&form, "2090-01-07").status, 201);
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    put(&browser, "field_1", "Grace");
    assert_eq!(browser.run(&format!("return {NOT_KEPT}")), json!(true));
    click(&browser, "[name=field_2][value=soup]");
    browser.until(KEPT);
    assert_eq!(browser.axe(), NOTHING);
    assert_eq!(soup(&form).status, 409);
    // The last place of a day stays open to its holder.
    loaded(&browser, "field_6");
    browser.run("window.checks = 0; form.addEventListener('checked', () => { checks += 1; })");
    click(&browser, &day_button("field_6", "2090-01-07"));
    browser.until("document.querySelector('[data-field=field_6] [aria-pressed=true]')?.dataset.date === '2090-01-07'");
    browser.until("checks > 0 && !document.querySelector('[data-field=field_6] [aria-busy]')");
    assert_eq!(tour(&form, "2090-01-07").status, 409);
    let (name, is_shut) = day(&browser, "field_6", "2090-01-07");
    assert!(!is_shut && name.ends_with("1 left"), "{name}");
    // A page that is loaded again has it still.
    reload(&browser);
    browser.until("document.querySelector('[name=field_2][value=soup]')?.checked");
    browser.until(KEPT);
    // Something else frees it.
    click(&browser, "[name=field_2][value=bread]");
    browser.until("!document.querySelector('#form').ariaBusy && document.getElementsByName('_hold')[0].value !== ''");
    until("it is free again", || soup(&form).status == 201);
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    let entry = owner.get(form.entry(3)).data();
    assert_eq!(
        (&entry["field_2"]["value"], &entry["field_6"][0]["scheduled_at"]),
        (&json!("bread"), &json!("2090-01-07T00:00:00.000Z")),
        "{entry}"
    );
    browser.complaints();
}

#[test]
fn what_somebody_else_keeps_is_said_at_once() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(day_out("en-GB"));
    set(&owner, &form, json!({"capacity": {"hold_minutes": 10}}));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    assert_eq!(soup(&form).status, 201);
    click(&browser, "[name=field_2][value=soup]");
    browser.until("document.getElementById('field_2-fault')?.textContent.includes('full')");
    // No other fault is shown before it is sent: the name was left out so far.
    assert_eq!(browser.run("return document.querySelectorAll('.fault').length"), json!(1));
    click(&browser, "[name=field_2][value=pie]");
    browser.until(&format!("!document.getElementById('field_2-fault') && {KEPT}"));
    put(&browser, "field_1", "Grace");
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    browser.complaints();
}

#[test]
fn a_page_goes_on_where_nothing_is_kept() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let goods = json!([{"api_code": "bun", "name": "Bun", "price": 2, "stock": 9}]);
    let form = owner.form(json!([field("product", json!({"goods_items": goods}))]));
    set(&owner, &form, json!({"capacity": {"hold_minutes": 10}}));
    let browser = Browser::open(Look::PHONE);
    load(&browser, server, &form);
    set_value(&browser, "field_1[0].number", "5");
    browser.until("document.getElementById('held').textContent.includes('isn’t reserved')");
    browser.shot("hold-not-kept-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    set_value(&browser, "field_1[0].number", "4");
    browser.until(KEPT);
    set_value(&browser, "field_1[0].number", "9");
    browser.until("document.getElementById('held').textContent.includes('isn’t reserved')");
    send(&browser);
    browser.until("location.pathname.endsWith('/done')");
    browser.complaints();
}

/// The button of a page whose answers find no room.
const JOINS: &str = "document.querySelector('#forward[value=wait]') !== null";

fn position(owner: &support::Caller, form: &Form, serial: i64) -> Value {
    owner.get(form.entry(serial)).data()["waiting_position"].clone()
}

#[test]
fn the_waiting_list_is_joined_and_left() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let form = owner.form_with(day_out("en-GB"));
        set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
        taken_by_others(&form);
        let browser = Browser::open(look);
        load(&browser, server, &form);
        put(&browser, "field_1", "Grace");
        let soup = browser.text("[data-field=field_2] .choice:has([value=soup])");
        assert_eq!(soup.replace('\n', " "), "Soup Join the waiting list");
        click(&browser, "[name=field_2][value=soup]");
        if look.script {
            // A full day of the calendar, too.
            loaded(&browser, "field_6");
            let (name, is_shut) = day(&browser, "field_6", "2090-01-07");
            assert!(!is_shut && name.ends_with("Join the waiting list"), "{name}");
            click(&browser, &day_button("field_6", "2090-01-07"));
            // The button names its effect as soon as a full part is chosen, and no more once none is.
            browser.until(JOINS);
            assert_eq!(browser.run("return document.querySelectorAll('.wrong, .fault, #summary').length"), json!(0));
            let line = "What you chose is full. On the waiting list, you get your place as soon as there is room.";
            assert_eq!(browser.text("#waits"), line);
            is_sound(&browser, look);
            click(&browser, &day_button("field_6", "2090-01-08"));
            click(&browser, "[name=field_2][value=bread]");
            browser.until("document.getElementById('forward').value === 'submit'");
            assert_eq!((browser.text("#forward").as_str(), browser.text("#waits").as_str()), ("Submit", ""));
            click(&browser, "[name=field_2][value=soup]");
            browser.until(JOINS);
            send(&browser);
        } else {
            send(&browser);
            browser.until("document.querySelector('.question') && document.readyState === 'complete'");
            assert_eq!(browser.text(".question h2"), "This choice is full. Join the waiting list?");
            assert_eq!(browser.run("return document.querySelectorAll('.wrong, .fault, #summary').length"), json!(0));
            // Another part can be chosen, and the typed answers are there.
            click(&browser, "[name=_action][value=more]");
            browser.until("document.getElementById('forward') && document.readyState === 'complete'");
            assert_eq!(browser.run("return document.getElementById('field_1').value"), json!("Grace"));
            assert_eq!(browser.text("#forward"), "Join the waiting list");
            click(&browser, "#forward");
        }
        browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
        assert_eq!(browser.text("h1"), "You are on the waiting list");
        assert_eq!(browser.text(".wait-place"), "You are number 1 on the waiting list.");
        assert_eq!(position(&owner, &form, 4), 1);
        is_sound(&browser, look);
        click(&browser, "a[href*='/waiting?']");
        browser.until("location.pathname.endsWith('/waiting') && document.readyState === 'complete'");
        is_sound(&browser, look);
        click(&browser, "[name=_action][value=submit]");
        browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
        assert_eq!(browser.text("h1"), "You have left the waiting list");
        assert_eq!(owner.get(form.entry(4)).status, 404);
        browser.complaints();
    }
}

/// The checks of axe need a script.
fn is_sound(browser: &Browser, look: Look) {
    if look.script {
        assert_eq!(browser.axe(), NOTHING);
    }
}

/// The current page in every look.
fn seen(browser: &Browser, name: &str) {
    for (look, side) in [
        (Look::PHONE, "360-light"),
        (Look::PHONE.dark(), "360-dark"),
        (Look::DESK, "1280-light"),
        (Look::DESK.dark(), "1280-dark"),
    ] {
        browser.look(look);
        browser.shot(&format!("{name}-{side}"), look);
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert_eq!(wide, json!(look.width), "{name} {side}");
        assert_eq!(browser.axe(), NOTHING, "{name} {side}");
    }
    browser.look(Look::PHONE);
}

#[test]
fn the_waiting_list_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for locale in ["en-GB", "zh-CN"] {
        let form = owner.form_with(day_out(locale));
        set(&owner, &form, json!({"capacity": {"waiting_list": true, "hold_minutes": 10}}));
        taken_by_others(&form);
        let browser = Browser::open(Look::PHONE);
        load(&browser, server, &form);
        put(&browser, "field_1", "Grace");
        click(&browser, "[name=field_2][value=pie]");
        browser.until("document.getElementById('held').textContent !== ''");
        seen(&browser, &format!("kept-{locale}"));
        click(&browser, "[name=field_2][value=soup]");
        browser.until(NOT_KEPT);
        browser.until(JOINS);
        seen(&browser, &format!("wait-joins-{locale}"));
        // A part that is full only when the form is sent is asked about.
        browser.until(PATIENT);
        browser.run("const e = document.getElementById('forward'); e.value = 'submit'; e.click()");
        browser.until("document.querySelector('.question') && document.readyState === 'complete'");
        seen(&browser, &format!("wait-question-{locale}"));
        click(&browser, "[name=_action][value=wait]");
        browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
        seen(&browser, &format!("wait-done-{locale}"));
        click(&browser, "a[href*='/waiting?']");
        browser.until("location.pathname.endsWith('/waiting') && document.readyState === 'complete'");
        seen(&browser, &format!("wait-leave-{locale}"));
        browser.complaints();
    }
}
