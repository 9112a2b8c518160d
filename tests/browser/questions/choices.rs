//! Controls of choices that a script improves: an order, a way down a cascade, the text of "Other". All of them are
//! complete without it.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::driver::steps::{NOTHING, PATIENT, load};
use crate::driver::webdriver::{Browser, ENTER, Look, TAB};
use crate::forms;

const DOWN: char = '\u{e015}';
fn open(look: Look) -> (Browser, Caller, Form) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form_with(forms::choices());
    let browser = Browser::open(look);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    (browser, owner, form)
}

/// Sends the form, and returns the stored answers.
fn send(browser: &Browser, owner: &Caller, form: &Form) -> Value {
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').focus()");
    browser.keys([ENTER]);
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(browser.complaints(), NOTHING);
    owner.get(form.entry(1)).data()
}

/// Focuses the element of an expression, and presses keys.
fn press(browser: &Browser, what: &str, keys: &[char]) {
    browser.run(&format!("({what}).focus()"));
    assert_eq!(browser.run(&format!("return document.activeElement === ({what})")), json!(true), "{what} has no focus");
    browser.keys(keys.iter().copied());
}

/// A button of the ranking, by the words that a screen reader says.
fn button(words: &str) -> String {
    format!("document.querySelector('.rank-list button[aria-label={}]')", json!(words))
}

fn order(browser: &Browser) -> Value {
    browser
        .run("return [...document.querySelectorAll('.rank-item')].map(e => e.innerText.replace(/\\s+/g, ' ').trim())")
}

#[test]
fn an_order_is_made_with_buttons_and_told() {
    if !Browser::is_installed() {
        return;
    }
    let (browser, owner, form) = open(Look::PHONE);
    assert_eq!(order(&browser), json!(["– Talks", "– Workshops", "– The walk by the sea"]));
    press(&browser, &button("Rank Workshops"), &[ENTER]);
    press(&browser, &button("Rank The walk by the sea"), &[' ']);
    press(&browser, &button("Rank Talks"), &[' ']);
    assert_eq!(order(&browser), json!(["1 Workshops", "2 The walk by the sea", "3 Talks"]));
    assert_eq!(
        browser.run("return document.querySelector('.ranking [role=status]').textContent"),
        "Talks is ranked 3 of 3"
    );
    // The focus stays where it makes sense: the moved choice goes up until it is on top.
    press(&browser, &button("Move Talks up"), &[ENTER, ENTER]);
    assert_eq!(order(&browser), json!(["1 Talks", "2 Workshops", "3 The walk by the sea"]));
    assert_eq!(browser.run("return document.activeElement.getAttribute('aria-label')"), "Move Talks down");
    press(&browser, &button("Remove Workshops from the ranking"), &[ENTER]);
    assert_eq!(order(&browser), json!(["1 Talks", "2 The walk by the sea", "– Workshops"]));
    assert_eq!(
        browser.run("return document.querySelector('.ranking [role=status]').textContent"),
        "Workshops is not ranked"
    );
    browser.shot("choices-ranked-360", Look::PHONE);
    let stored = send(&browser, &owner, &form);
    assert_eq!(stored["field_9"], json!({"talk": 1, "walk": 2}));
}

#[test]
fn nothing_moves_when_the_script_takes_over() {
    if !Browser::is_installed() {
        return;
    }
    let tops = |look: Look| {
        let (browser, _, _) = open(look);
        browser
            .run("return [...document.querySelectorAll('.field')].map(e => Math.round(e.getBoundingClientRect().top))")
    };
    for look in [Look::PHONE, Look::DESK] {
        assert_eq!(tops(look), tops(look.without_script()));
    }
}

#[test]
fn a_way_is_gone_level_by_level() {
    if !Browser::is_installed() {
        return;
    }
    let (browser, owner, form) = open(Look::PHONE);
    let levels = "document.querySelectorAll('.cascade-levels select')";
    let level = |at: usize| format!("{levels}[{at}]");
    assert_eq!(browser.run(&format!("return {levels}.length")), json!(1));
    press(&browser, &level(0), &['E']);
    browser.until(&format!("{levels}.length === 2"));
    assert_eq!(
        browser.run(&format!("return {}.getAttribute('aria-label')", level(1))),
        "Where do you come from?: Europe"
    );
    // An unfinished choice is no answer, and stays as it is.
    browser.run("document.getElementById('forward').click()");
    browser.until("document.getElementById('summary')");
    assert!(browser.text("#summary").contains("Where do you come from?"), "{}", browser.text("#summary"));
    assert_eq!(browser.run(&format!("return [{levels}.length, {}.value]", level(0))), json!([2, "eu"]));
    browser.run("document.querySelector('#summary a').click()");
    assert_eq!(browser.run(&format!("return document.activeElement === {}", level(0))), json!(true));
    press(&browser, &level(1), &['I', TAB]);
    press(&browser, &level(2), &['R', TAB]);
    browser.until("!document.querySelector('[data-field=field_8]').classList.contains('wrong')");
    assert_eq!(
        browser.run("return new FormData(document.getElementById('form')).getAll('field_8')"),
        json!(["eu/it/rome"])
    );
    // Another first step takes the rest away.
    press(&browser, &level(0), &['A', TAB]);
    assert_eq!(browser.run(&format!("return {levels}.length")), json!(1));
    press(&browser, &level(0), &['E', TAB]);
    press(&browser, &level(1), &['V', TAB]);
    assert_eq!(browser.run(&format!("return {levels}.length")), json!(2));
    let stored = send(&browser, &owner, &form);
    assert_eq!(stored["field_8"], json!({"level_1": "eu", "level_2": "va"}));
}

#[test]
fn the_other_choice_asks_what_it_is() {
    if !Browser::is_installed() {
        return;
    }
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let (browser, owner, form) = open(look);
        let text = "document.getElementById('field_4.else.other_text')";
        let seen = || browser.run(&format!("return {text}.checkVisibility()"));
        assert_eq!(seen(), json!(false));
        press(&browser, "field_4", &['S']);
        assert_eq!(seen(), json!(true));
        press(&browser, text, &['C', 'o', 'd']);
        let stored = send(&browser, &owner, &form);
        assert_eq!(stored["field_4"], json!({"value": "else", "other_text": "Cod"}));
    }
}

#[test]
fn all_of_it_works_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let (browser, owner, form) = open(Look::PHONE.without_script());
    browser.run("document.getElementById('field_1').value = 'example.com/me'");
    browser.run("document.getElementById('field_2').value = '09:30'");
    browser.run("document.getElementById('field_3').value = '09:30:15'");
    press(&browser, "field_4", &[DOWN, DOWN]);
    press(&browser, "document.getElementById('field_5')", &[' ']);
    press(&browser, "document.getElementById('field_6.4')", &[' ']);
    press(&browser, "document.getElementById('field_7.10')", &[' ']);
    browser.run("document.getElementById('field_8').value = 'eu/it/bari'");
    press(&browser, "document.getElementById('field_9.walk')", &['1']);
    press(&browser, "document.getElementById('field_9')", &['1']);
    press(&browser, "document.getElementById('field_10.hills')", &[' ']);
    press(&browser, "document.getElementById('field_11')", &[' ']);
    browser.shot("choices-filled-360-plain", Look::PHONE);
    browser.run("document.getElementById('forward').focus()");
    browser.until(PATIENT);
    browser.keys([ENTER]);
    browser.until("document.getElementById('summary') && document.readyState === 'complete'");
    assert!(browser.text("#summary").contains("the same rank"), "{}", browser.text("#summary"));
    // Everything is still there.
    assert_eq!(browser.run("return document.getElementById('field_6.4').checked"), json!(true));
    assert_eq!(browser.run("return document.getElementById('field_8').value"), "eu/it/bari");
    assert_eq!(browser.run("return document.getElementById('field_2').value"), "09:30");
    browser.shot("choices-faults-360-plain", Look::PHONE);
    press(&browser, "document.getElementById('field_9')", &['2']);
    let stored = send(&browser, &owner, &form);
    for (field, value) in [
        ("field_1", json!("https://example.com/me")),
        ("field_2", json!({"hour": 9, "minute": 30})),
        ("field_3", json!({"hour": 9, "minute": 30, "second": 15})),
        ("field_4", json!({"value": "meat"})),
        ("field_5", json!(1)),
        ("field_6", json!(4)),
        ("field_7", json!(10)),
        ("field_8", json!({"level_1": "eu", "level_2": "it", "level_3": "bari"})),
        ("field_9", json!({"walk": 1, "talk": 2})),
        ("field_10", json!({"value": "hills"})),
        ("field_11", json!([{"value": "bus"}])),
    ] {
        assert_eq!(stored[field], value, "{field}: {stored}");
    }
}

#[test]
fn what_is_full_is_not_ranked() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let choices = json!([{"api_code": "a", "label": "Talks", "quota": 1}, {"api_code": "b", "label": "Walks"}]);
    let form = owner.form(json!([field("ranking", json!({ "choices": choices }))]));
    let browser = Browser::open(Look::PHONE);
    let load = || crate::driver::steps::load(&browser, server, &form);
    load();
    assert_eq!(order(&browser), json!(["– Talks 1 left", "– Walks"]));
    press(&browser, &button("Rank Talks"), &[ENTER]);
    press(&browser, &button("Rank Walks"), &[ENTER]);
    // Somebody else is quicker, and the answers come back.
    let taken = json!({"field_values": {"field_1": {"a": 1}}});
    assert_eq!(anon.post(form.submissions(), taken).status, 201);
    browser.go("about:blank");
    load();
    browser.until("document.getElementsByName('field_1.b')[0].value === '1'");
    assert_eq!(order(&browser), json!(["1 Walks", "– Talks Full"]));
    let add = format!("return {}.disabled", button("Rank Talks"));
    assert_eq!(browser.run(&add), json!(true));
    browser.shot("ranking-full-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    browser.until(PATIENT);
    browser.run("document.getElementById('forward').click()");
    browser.until("location.pathname.endsWith('/done')");
    assert_eq!(browser.complaints(), NOTHING);
    assert_eq!(owner.get(form.entry(2)).data()["field_1"], json!({"b": 1}));
}

#[test]
fn tab_from_a_choice_that_is_not_ticked_opens_no_text() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let choices = json!([
        {"api_code": "tea", "label": "Tea", "allow_extended_text": true}, {"api_code": "o", "label": "Other", "is_other": true},
    ]);
    let form = owner.form(json!([
        field("checkbox", json!({"label": "Drinks", "choices": choices})),
        field("short_text", json!({"label": "Name"})),
    ]));
    let browser = Browser::open(Look::DESK);
    load(&browser, server, &form);
    let active = || browser.run("return document.activeElement.name + ' ' + document.activeElement.type");
    browser.run("document.getElementById('field_1').focus()");
    for expected in ["field_1 checkbox", "field_2 text"] {
        browser.keys([TAB]);
        assert_eq!(active(), expected);
        assert_eq!(
            browser.run("return [...document.querySelectorAll('.choice-text')].some(text => text.checkVisibility())"),
            json!(false)
        );
    }
    // Ticked, it has its text next.
    browser.run("document.getElementById('field_1').focus()");
    browser.keys([' ', TAB]);
    assert_eq!(active(), "field_1.tea.extended_text text");
}
