//! The whole way of a respondent under each condition that people meet: a phone and a desk, light and dark, with
//! and without a script, at 400 % zoom, and over a slow mobile network. On each page of it axe-core finds nothing,
//! nothing moves by itself, and nothing is wider than the window.

use std::net::TcpListener;

use serde_json::json;
use support::{Caller, Server, field};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::forms;
use crate::questions::every_kind;

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
/// A window of 1,280 × 1,024 at 400 %.
const ZOOMED: Look = Look { width: 320, height: 256, ..Look::PHONE };

/// Checks the page that the respondent is on.
fn look(browser: &Browser, look: Look, place: &str) {
    browser.shot(&format!("journey-{place}-{}", name(look)), look);
    let wide = browser.run("return document.documentElement.scrollWidth");
    assert_eq!(wide, json!(look.width), "{place} is wider than the window");
    assert_eq!(browser.complaints(), NOTHING, "{place}");
    // Where no script may run, no timer of a test does either.
    if look.script {
        let moved = browser.shifted();
        let moves = browser.shifts();
        assert!(moved < 0.001, "{place}: {moved} moved by itself: {moves}");
        assert_eq!(browser.axe(), NOTHING, "{place}");
        browser.complaints(); // What axe itself provokes is not the page's.
    }
}

fn name(look: Look) -> String {
    let script = if look.script { "" } else { "-plain" };
    let dark = if look.dark { "-dark" } else { "" };
    format!("{}{script}{dark}", look.width)
}

/// Puts a text into the control of this id, as typing does, and leaves it.
fn put(browser: &Browser, id: &str, text: &str) {
    browser.run(&format!("const e = document.getElementById({}); e.focus(); e.select?.()", json!(id)));
    browser.keys(text.chars());
}

fn press(browser: &Browser, id: &str) {
    browser.run(&format!("document.getElementById({}).focus()", json!(id)));
    browser.keys([ENTER]);
}

/// Waits for this page of the form, which a slow network brings long after the press that turns to it.
fn page(browser: &Browser, at: Look, number: usize) {
    browser.until(&format!(
        "document.readyState === 'complete' && document.querySelector('[name=_page]')?.value === '{number}'"
    ));
    if at.script {
        browser.answered();
    }
}

/// A registration of three pages: sent too early, put right, looked at again, and sent.
fn journey(at: Look, slow: bool) {
    journey_of(&Server::shared().user(), at, slow);
}

/// The same, with a form of this owner.
fn journey_of(owner: &Caller, at: Look, slow: bool) {
    let form = owner.form_with(forms::workshop());
    let browser = Browser::open(at);
    if slow {
        browser.mobile_network();
    }
    browser.go(&format!("{}{}", owner.base, form.page()));
    browser.until("document.readyState === 'complete'");
    if !at.script {
        // Nobody reads as fast as a program types.
        browser.until("performance.now() > 2100");
    }
    look(&browser, at, "first");

    press(&browser, "forward");
    browser.until("document.activeElement?.id === 'summary'");
    assert!(browser.text("#summary").contains("2 answers"));
    if at.script {
        browser.answered();
    }
    look(&browser, at, "faults");

    put(&browser, "field_2", "Ada Lovelace");
    put(&browser, "field_3", "ada@example.com");
    press(&browser, "forward");
    page(&browser, at, 1);
    browser.run("document.getElementById('field_7.press').focus()");
    browser.keys([' ']);
    put(&browser, "field_9", "06062027");
    look(&browser, at, "second");
    if at.script {
        browser.back();
    } else {
        press(&browser, "backward");
    }
    page(&browser, at, 0);
    assert_eq!(browser.run("return field_2.value"), "Ada Lovelace");
    press(&browser, "forward");
    page(&browser, at, 1);
    assert_eq!(browser.run("return field_9.value"), "2027-06-06");
    press(&browser, "forward");
    page(&browser, at, 2);
    put(&browser, "field_12", "No nuts, please.");
    look(&browser, at, "last");

    press(&browser, "forward");
    browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
    look(&browser, at, "receipt");
    let entries = owner.get(form.entries()).data();
    assert_eq!(entries.as_array().map(Vec::len), Some(1), "{entries}");
    assert_eq!(entries[0]["field_2"], "Ada Lovelace");
    assert_eq!(entries[0]["field_9"], "2027-06-06");
    assert_eq!(entries[0]["field_12"], "No nuts, please.");
}

#[test]
fn beside_other_sites() {
    if !Browser::is_installed() {
        return;
    }
    // The address has to be known before the service starts.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let address = port.expect("a free port").to_string();
    let base = format!("http://{address}/at/forms");
    let server = Server::with(&["--listen", &address, "--base-url", &base]);
    let owner = server.user();
    let owner = Caller::new(&base, owner.token.as_deref(), &owner.email);
    journey_of(&owner, Look::DESK, false);
}

#[test]
fn on_a_phone() {
    if !Browser::is_installed() {
        return;
    }
    journey(PHONE, false);
}

#[test]
fn on_a_phone_in_the_dark_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(PHONE.dark().without_script(), false);
}

#[test]
fn on_a_desk_in_the_dark() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK.dark(), false);
}

#[test]
fn on_a_desk_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(Look::DESK.without_script(), false);
}

#[test]
fn at_400_percent() {
    if !Browser::is_installed() {
        return;
    }
    journey(ZOOMED, false);
}

#[test]
fn at_400_percent_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(ZOOMED.without_script(), false);
}

#[test]
fn over_a_slow_network() {
    if !Browser::is_installed() {
        return;
    }
    journey(PHONE, true);
}

#[test]
fn over_a_slow_network_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    journey(PHONE.without_script(), true);
}

/// A busy browser paints a page while it still arrives: the part of a card seen first stays where it is when the rest
/// comes.
#[test]
fn a_card_that_arrives_in_pieces_stays_where_it_is() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let form = server.user().form_with(json!({"name": "A name", "fields": [field("short_text", json!({}))]}));
    for at in [PHONE, Look::DESK, ZOOMED] {
        let browser = Browser::open(at);
        browser.go(&format!("{}{}", server.base, form.page()));
        put(&browser, "field_1", "Ada");
        press(&browser, "forward");
        browser.until("location.pathname.endsWith('/done') && document.readyState === 'complete'");
        let receipt = browser.run("return location.href");
        let receipt = receipt.as_str().expect("an address");
        for address in [receipt.to_owned(), format!("{}/sign-in", server.base), format!("{}/f/nothing", server.base)] {
            browser.go(&address);
            let tops = browser.run(
                "const card = document.querySelector('.card'), first = card.firstElementChild;
                 const tops = () => [card, first].map(e => e.getBoundingClientRect()).map(box => [box.left, box.top]);
                 const whole = tops();
                 document.querySelector('.site-foot').remove();
                 while (first.nextSibling) first.nextSibling.remove();
                 return [whole, tops()]",
            );
            // On a phone the card begins at the window's edge, and its content below that.
            assert!(tops[0][1][1].as_f64().is_some_and(|top| top > 0.0), "{tops}");
            assert_eq!(tops[0], tops[1], "{address}");
        }
    }
}

/// The pages as they are drawn for those without a script, asked by one.
#[test]
fn plain_pages_are_accessible() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    for at in [PHONE, Look::DESK.dark()] {
        let browser = Browser::open(at);
        browser.without_modules();
        for layout in ["classic", "card"] {
            let form = owner.form_with(every_kind::form_in(&owner, "en", layout));
            browser.go(&format!("{}{}", server.base, form.page()));
            browser.until("document.readyState === 'complete'");
            assert_eq!(browser.axe(), NOTHING, "{layout}");
            press(&browser, "forward");
            browser.until("document.readyState === 'complete' && (document.querySelector('[aria-invalid]') || form.dataset.page !== '0')");
            assert_eq!(browser.axe(), NOTHING, "{layout}, sent");
        }
    }
}

/// Scripts that arrive after the page was drawn must not move text that is being read.
#[test]
fn nothing_moves_however_late_a_script_comes() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let token = |form: serde_json::Value| owner.form_with(form).page();
    let mut all = vec![
        ("cards", token(forms::cards())),
        ("choices", token(forms::choices())),
        ("shop", token(forms::shop())),
        ("places", token(forms::places_and_files())),
        ("arabic", token(forms::arabic())),
        ("sign-in", "/sign-in".to_owned()),
        ("docs", "/docs".to_owned()),
    ];
    for layout in ["classic", "card"] {
        all.push(("every", token(every_kind::form_in(&owner, "en", layout))));
    }
    let mut moved = Vec::new();
    for at in [PHONE, Look::DESK] {
        for (name, address) in &all {
            // A new browser each: nothing is in its cache.
            let browser = Browser::open(at);
            browser.mobile_network();
            browser.go(&format!("{}{address}", server.base));
            browser.until("document.readyState === 'complete'");
            if browser.shifted() >= 0.001 {
                let sum = browser.shifted();
                moved.push(format!("{name} {}: {sum} {}", at.width, browser.shifts()));
            }
        }
    }
    assert_eq!(moved, NOTHING);
}
