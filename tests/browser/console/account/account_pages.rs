//! Account pages: faults are in words of ours, nothing is a dead end, irreversible actions are confirmed first, and one
//! button stands out.

use serde_json::json;
use support::Server;

use crate::console::people::{self, OWNER, PASSWORD, fill, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, ENTER, Look};
use crate::looks::look_at;

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };
const CONTROL: char = '\u{e009}';
const BOB: &str = "bob@analytical-society.example.com";

/// Sends a form of the page unchanged.
fn send(browser: &Browser, form: &str) {
    let button = format!("{form} button[type=submit]");
    browser.run(&format!("document.querySelector('{button}').click()"));
}

#[test]
fn faults_are_a_summary_and_messages_beside_the_fields() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    for look in [PHONE, Look::DESK, PHONE.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}/sign-in", server.base));
        // Nothing typed: no bubble of the browser's keeps the form from being sent.
        send(&browser, "main form");
        summary(&browser, &["email", "password"], look, "sign-in");
        let title = browser.run("return document.title");
        assert_eq!(title, json!("Error: Sign in"));
        sign_in(&browser, &server);
        let page = |path: &str| format!("{}{path}", server.base);
        browser.go(&page("/profile"));
        let about = "form[action$=\"/profile\"]";
        fill(&browser, &[("name", ""), ("timezone", "Mars")], &format!("{about} button[type=submit]"));
        summary(&browser, &["name", "timezone"], look, "profile");
        browser.go(&page("/profile"));
        send(&browser, "form[action$=\"/password\"]");
        summary(&browser, &["old_password", "password"], look, "password");
        browser.go(&page("/profile"));
        browser.run("document.querySelector('details').open = true");
        send(&browser, "form[action$=\"/profile/tokens\"]");
        summary(&browser, &["token_name", "scopes"], look, "tokens");
        browser.go(&page("/profile/second-factor"));
        send(&browser, "form[action$=\"/second-factor\"]");
        summary(&browser, &["code", "password"], look, "second-factor");
        // A page of one question says it there alone.
        browser.go(&page("/forms"));
        browser.run("document.querySelector('details').open = true");
        send(&browser, "details form");
        browser.until("document.querySelector('#new-folder-fault')");
        assert_eq!(browser.text("#new-folder-fault"), "Fill in this field");
        browser.until("document.activeElement.id === 'new-folder'");
        assert_eq!(browser.complaints(), NOTHING);
    }
}

/// The summary has the focus, leads to each field, and each field shows its fault.
fn summary(browser: &Browser, fields: &[&str], look: Look, name: &str) {
    browser.until("document.activeElement.id === 'summary'");
    browser.shot(&format!("faults-{name}-{}", look.width), look);
    let links = browser.run("return [...document.querySelectorAll('#summary a')].map(a => a.hash)");
    let wanted: Vec<String> = fields.iter().map(|field| format!("#{field}")).collect();
    assert_eq!(links, json!(wanted), "{name}");
    for field in fields {
        assert_ne!(browser.text(&format!("#{field}-fault")), "", "{field}");
        browser.run(&format!("document.querySelector('#summary a[href=\"#{field}\"]').click()"));
        browser.until(&format!("document.activeElement.id === '{field}'"));
    }
}

#[test]
fn faults_speak_of_what_is_wrong() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(PHONE);
    sign_in(&browser, &server);
    let page = |path: &str| format!("{}{path}", server.base);
    for n in 0..2 {
        browser.go(&page("/forms"));
        browser.run("document.querySelector('details').open = true");
        fill(&browser, &[("folder_name", "Mine")], "details form button");
        if n == 0 {
            browser.until("location.search.startsWith('?folder=')");
        }
    }
    browser.until("document.querySelector('#new-folder-fault')");
    assert_eq!(browser.text("#new-folder-fault"), "There is already a folder with this name");
    browser.until("document.activeElement.id === 'new-folder'");
    assert_eq!(browser.run("return document.activeElement.value"), "Mine");
    browser.shot("folder-taken-390", PHONE);

    browser.go(&page("/profile/second-factor"));
    let typed = [("code", "000000"), ("password", PASSWORD)];
    fill(&browser, &typed, "main form button[type=submit]");
    browser.until("document.querySelector('#code-fault')");
    assert_eq!(browser.text("#code-fault"), "This code is wrong or has expired");
    assert_eq!(browser.text("#password-fault"), "");
}

#[test]
fn nothing_is_a_dead_end_for_who_is_signed_in() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    people::account(&server, BOB, "Bob");
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}/sign-in", server.base));
    let typed = [("email", BOB), ("password", PASSWORD)];
    fill(&browser, &typed, "main form button[type=submit]");
    browser.until("location.pathname === '/forms'");
    let page = |path: &str| format!("{}{path}", server.base);
    for (name, path, title) in [
        ("dead-end-404", "/nowhere", "Page not found"),
        ("dead-end-owners", "/audit", "Only owners can do this"),
        ("dead-end-form", "/forms/nothinghere/people", "This form can’t be found"),
    ] {
        look_at(&browser, name, &page(path));
        assert_eq!(browser.text("h1"), title);
        let said = browser.text("main");
        assert!(said.contains(BOB) && !said.contains("too long"), "{said}");
        assert_eq!(
            browser.run("return Boolean(document.querySelector('header nav a[href=\"/members\"]'))"),
            json!(true),
            "{name}"
        );
    }
    browser.run("document.querySelector('main a[href=\"/forms\"]').click()");
    browser.until("location.pathname === '/forms'");
    // With another account the browser is back at the page.
    browser.go(&page("/audit"));
    send(&browser, "main form[action$=\"/sign-out\"]");
    browser.until("location.pathname === '/sign-in'");
    let typed = [("email", OWNER), ("password", PASSWORD)];
    fill(&browser, &typed, "main form button[type=submit]");
    browser.until("location.pathname === '/audit'");
    assert_eq!(browser.text("h1"), "Activity log");
    // Only a post of an outdated page is told so.
    browser.go(&page("/profile"));
    browser.run("for (const e of document.getElementsByName('csrf')) e.value = 'x'");
    // As without a script, which would ask for another token first.
    browser.run("document.querySelector('form[action$=\"/profile\"]').submit()");
    browser.until("document.querySelector('h1').innerText.includes('too long')");
    browser.shot("dead-end-stale-1280", Look::DESK);
    assert_eq!(browser.run("return Boolean(document.querySelector('header nav'))"), json!(true));
}

#[test]
fn what_takes_something_away_is_asked_first() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    let bob = people::account(&server, BOB, "Bob Babbage");
    let owner = server.token(OWNER, "form:read form:write");
    let fields = json!([{"type": "short_text", "label": "A"}]);
    let form = owner.form_with(json!({"name": "Summer party", "fields": fields}));
    let bob = bob.get("/api/v1/me").data()["id"].clone();
    let bob = bob.as_str().expect("an id");
    let share = format!("{}/collaborators/{bob}", form.path());
    assert_eq!(owner.put(share, json!({"role": "editor"})).status, 200);
    let folder = owner.post("/api/v1/folders", json!({"name": "Events"}));
    let folder = folder.data()["token"].as_str().expect("a token").to_owned();

    let browser = Browser::open(PHONE);
    sign_in(&browser, &server);
    let page = |path: &str| format!("{}{path}", server.base);
    browser.go(&page("/members"));
    send(&browser, "form[action$=\"/invitations\"]");
    browser.until("document.querySelector('#link')");
    for (name, path, way, said, done) in [
        ("revoke", "/profile", "/profile/tokens/", "test", "done=revoked"),
        ("disable", "/members", &format!("/members/{bob}/disable"), "Bob Babbage", "done=disabled"),
        ("uninvite", "/members", "/members/invitations/", "Member", "done=revoked"),
        ("unshare", &format!("/forms/{}/people", form.token), "/remove", "Summer party", "done=removed"),
        ("folder-delete", &format!("/forms?folder={folder}"), "/delete", "Events", ""),
    ] {
        let link = format!("document.querySelector('main a[href*=\"{way}\"]')");
        browser.go(&page(path));
        let address = browser.run(&format!("return {link}.getAttribute('href')"));
        let link = format!("document.querySelector('main a[href={address}]')");
        // A no changes nothing and leads back.
        browser.run(&format!("{link}.click()"));
        browser.until("document.querySelector('main .danger[type=submit]')");
        let title = browser.text("h1");
        assert!(title.contains(said) && title.ends_with('?'), "{name}: {title}");
        browser.shot(&format!("ask-{name}-390"), PHONE);
        assert_eq!(browser.axe(), NOTHING, "{name}");
        browser.complaints();
        browser.run("document.querySelector('main form a').click()");
        browser.until(&link);
        browser.run(&format!("{link}.click()"));
        browser.until("document.querySelector('main .danger[type=submit]')");
        send(&browser, "main form");
        browser.until(&format!(
            "location.search.includes('{done}') && !{link} && !document.querySelector('main .danger[type=submit]')"
        ));
    }
}

#[test]
fn one_button_stands_out_and_nothing_moves() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    people::account(&server, BOB, "Bob Babbage");
    let owner = server.token(OWNER, "form:read form:write entry:read");
    let fields = json!([{"type": "short_text", "label": "A"}]);
    let form = owner.form_with(json!({"name": "Summer party", "fields": fields}));
    owner.post("/api/v1/folders", json!({"name": "Events"}));
    let narrow = Look { width: 320, ..PHONE };
    for look in [narrow, PHONE, Look::DESK] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        for path in [
            "/forms",
            &format!("/forms/{}/people", form.token),
            &format!("/forms/{}/folder", form.token),
            &format!("/forms/{}/share", form.token),
            "/members",
            "/profile",
            "/profile/second-factor",
            "/profile/sessions/end",
            "/audit",
            "/welcome",
            "/nowhere",
        ] {
            browser.go(&format!("{}{path}", server.base));
            browser.until("document.readyState === 'complete'");
            let name = path.replace('/', "-").replace(&form.token, "x");
            browser.shot(&format!("page{name}-{}", look.width), look);
            let strong = browser.run(
                "return [...document.querySelectorAll('.button:not(.quiet, .danger)')]
                    .filter(e => e.checkVisibility()).map(e => e.innerText)",
            );
            let count = strong.as_array().map(Vec::len);
            assert!(count <= Some(1), "{path}: {strong}");
            let moved = browser.shifted();
            // A busy browser paints the head of a page while the rest of it still arrives.
            assert!(moved < 0.01, "{path} {}: {moved} {}", look.width, browser.shifts());
            assert_eq!(browser.complaints(), NOTHING, "{path}");
            let wide = browser.run("return document.documentElement.scrollWidth");
            assert_eq!(wide, json!(look.width), "{path}");
            if look.width == PHONE.width {
                assert_eq!(browser.axe(), NOTHING, "{path}");
                browser.complaints();
            }
        }
        // No list of folders in each row.
        browser.go(&format!("{}/forms", server.base));
        assert_eq!(browser.run("return document.querySelectorAll('main tbody select').length"), json!(0));
        let move_it = format!("main a[href$=\"/forms/{}/folder\"]", form.token);
        browser.run(&format!("document.querySelector('{move_it}').click()"));
        browser.until("document.querySelector('#to')");
        browser.run("document.querySelector('#to').selectedIndex = 1");
        send(&browser, "main form");
        browser.until("location.pathname === '/forms'");
        browser.until("document.querySelector('main').innerText.includes('Folder: Events')");
        owner.put(format!("/api/v1/forms/{}/folder", form.token), json!({"folder_token": null}));
    }
}

#[test]
fn scopes_are_words_and_texts_are_copied() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(PHONE);
    sign_in(&browser, &server);
    browser.go(&format!("{}/profile", server.base));
    let row = browser.text("section[aria-labelledby=tokens] .rows li");
    assert!(row.contains("Read entries") && row.contains("entry:read"), "{row}");
    browser.run("document.querySelector('details').open = true");
    browser.run("document.querySelector('[value=\"entry:read\"]').checked = true");
    fill(&browser, &[("token_name", "Report")], "form[action$=\"/profile/tokens\"] button[type=submit]");
    browser.until("document.querySelector('#token')");
    for id in ["token", "curl"] {
        browser.run(&format!("document.querySelector('[data-copy={id}]').focus()"));
        browser.keys([ENTER]);
        browser.until(&format!(
            "document.querySelector('[data-copy={id}]').innerText === 'Copied'
             && [...document.querySelectorAll('[role=status]')].some(e => e.textContent === 'Copied')"
        ));
        browser.run(
            "const box = document.createElement('textarea'); box.id = 'pasted';
             document.querySelector('#pasted')?.remove(); document.querySelector('main').append(box); box.focus()",
        );
        browser.chord(&[CONTROL, 'v']);
        let pasted = browser.run("return document.querySelector('#pasted').value");
        assert_eq!(pasted, json!(browser.text(&format!("#{id}"))), "{id}");
        // Its own words come back.
        browser.until(&format!("document.querySelector('[data-copy={id}]').textContent.trim().startsWith('Copy ')"));
    }
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn a_password_can_be_shown() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(PHONE);
    browser.go(&format!("{}/sign-in", server.base));
    let button = "document.querySelector('[data-reveal=password]')";
    let kind = || browser.run("return document.querySelector('#password').type");
    browser.run("document.querySelector('#password').value = 'a quiet harbour'");
    assert_eq!(browser.text("[data-reveal=password] span"), "Show");
    browser.run(&format!("{button}.focus()"));
    browser.keys([ENTER]);
    assert_eq!(kind(), "text");
    let name = browser.run(&format!("return {button}.innerText.replace(/\\s+/g, ' ')"));
    assert_eq!(name, "Hide password");
    browser.until(
        "[...document.querySelectorAll('[role=status]')].some(e => e.textContent === 'Your password is visible')",
    );
    browser.shot("password-shown-390", PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.keys([ENTER]);
    assert_eq!(kind(), "password");
    // Without a script there is no such button.
    drop(browser);
    let browser = Browser::open(PHONE.without_script());
    browser.go(&format!("{}/sign-in", server.base));
    assert_eq!(browser.text("[data-reveal=password]"), "");
}
