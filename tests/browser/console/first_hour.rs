//! The first hour with a new service: set-up, the first token, the first form, and signing in on the way to a form.

use serde_json::{Value, json};
use support::{Server, text};

use crate::console::people::{self, OWNER, PASSWORD, fill, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};

const PHONE: Look = Look { width: 390, height: 844, ..Look::PHONE };

fn tokens(server: &Server) -> usize {
    let listed = server.run(&["token", "list", "--json"]);
    let listed: Value =
        serde_json::from_slice(&listed.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&listed.stderr)));
    listed.as_array().expect("a list").len()
}

fn includes(browser: &Browser, text: &str) -> bool {
    let script = format!("return document.documentElement.outerHTML.includes({})", json!(text));
    browser.run(&script) == json!(true)
}

fn still(browser: &Browser, name: &str, look: Look) {
    browser.shot(name, look);
    assert!(browser.shifted() < 0.01, "{name} {}: {}", look.width, browser.shifts());
    assert_eq!(browser.complaints(), NOTHING, "{name}");
    assert_eq!(browser.run("return document.documentElement.scrollWidth"), json!(look.width), "{name}");
}

#[test]
fn set_up_leads_to_the_first_token_which_is_shown_once() {
    if !Browser::is_installed() {
        return;
    }
    for look in [Look::DESK, PHONE, PHONE.without_script()] {
        let server = Server::alone("its organization is its own");
        let browser = Browser::open(look);
        browser.go(server.setup_link.as_deref().expect("a link"));
        let side = format!("{}-{}", look.width, look.script);
        if look.script {
            still(&browser, &format!("setup-{side}"), look);
            // Faults move nothing either.
            fill(&browser, &[("name", "Ada")], "main form button[type=submit]");
            browser.until("document.activeElement.id === 'summary'");
            still(&browser, &format!("setup-faults-{side}"), look);
        }
        let typed =
            [("name", "Ada Lovelace"), ("organization", "The Society"), ("email", OWNER), ("password", PASSWORD)];
        fill(&browser, &typed, "main form button[type=submit]");
        browser.until("location.pathname === '/welcome'");
        let token = browser.text("#token");
        assert!(token.starts_with("fsv_"), "{token}");
        let me = server.anon().with_token(&token).get("/api/v1/me");
        assert_eq!(me.status, 200, "{me}");
        if look.script {
            still(&browser, &format!("welcome-{side}"), look);
            assert_eq!(browser.axe(), NOTHING);
            browser.complaints();
        }
        let page = browser.run("return location.href");
        browser.go(page.as_str().expect("an address"));
        browser.until("document.readyState === 'complete'");
        assert_eq!(browser.text("h1"), "Your account is ready");
        assert!(!includes(&browser, &token) && includes(&browser, "shown only once"));
        assert_eq!(tokens(&server), 1);
        // Nor does the way back show it.
        browser.go(&format!("{}/profile", server.base));
        browser.back();
        browser.until("location.pathname === '/welcome'");
        assert!(!includes(&browser, &token));
    }
}

#[test]
fn tokens_links_and_codes_are_shown_once_and_a_reload_makes_no_other() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    people::account(&server, OWNER, "Ada Lovelace");
    let made = tokens(&server);
    for look in [Look::DESK, PHONE.without_script()] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        let before = tokens(&server);
        browser.go(&format!("{}/profile", server.base));
        let make = "form[action$=\"/profile/tokens\"]";
        browser.run(&format!("document.querySelector('{make} [value=\"form:read\"]').checked = true"));
        fill(&browser, &[("token_name", "Report")], &format!("{make} button[type=submit]"));
        browser.until("location.pathname === '/profile/tokens/made'");
        let token = browser.text("#token");
        assert!(token.starts_with("fsv_"), "{token}");
        if look.script {
            still(&browser, "token-made-1280", look);
        }
        again(&browser, &token);
        assert_eq!(tokens(&server), before + 1);

        browser.go(&format!("{}/members", server.base));
        fill(&browser, &[], "form[action$=\"/invitations\"] button[type=submit]");
        browser.until("location.pathname === '/members/invitations/made'");
        let link = browser.text("#link");
        assert!(link.contains("/invitation/"), "{link}");
        if look.script {
            still(&browser, "invitation-made-1280", look);
        }
        again(&browser, &link);
    }
    assert!(tokens(&server) > made);
}

/// Loads the page once more: the secret is gone, and the next step is shown.
fn again(browser: &Browser, secret: &str) {
    let page = browser.run("return location.href");
    browser.go(page.as_str().expect("an address"));
    browser.until("document.readyState === 'complete'");
    assert!(!includes(browser, secret));
    assert!(browser.text("main").contains("shown only once"));
}

#[test]
fn set_up_notices_another_address_than_its_own() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("it has no account yet");
    let link = server.setup_link.clone().expect("a link");
    let elsewhere = link.replacen("127.0.0.1", "localhost", 1);
    for look in [Look::DESK, PHONE, PHONE.without_script()] {
        let browser = Browser::open(look);
        browser.go(&link);
        assert_eq!(browser.text("[data-origin]"), "");
        browser.go(&elsewhere);
        browser.until("document.readyState === 'complete'");
        let said = browser.text("[data-origin]");
        let host = server.base.replacen("http://127.0.0.1", "localhost", 1);
        assert!(said.contains(&host) && said.contains(&server.base) && said.contains("--base-url"), "{said}");
        if look.script {
            assert!(said.contains(&format!("--base-url http://{host}")), "{said}");
            still(&browser, &format!("setup-elsewhere-{}", look.width), look);
        }
    }
}

#[test]
fn the_first_form_comes_with_its_link() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("it has no account yet");
    people::account(&server, OWNER, "Ada Lovelace");
    for look in [PHONE.without_script(), Look::DESK] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        browser.go(&server.base);
        browser.until("location.pathname === '/forms'");
        if !look.script {
            // Nobody has a form yet: the page says how to get one.
            let said = browser.text("main");
            for part in ["No forms yet", "curl ", "/api/v1/forms", "Bearer"] {
                assert!(said.contains(part), "{part}: {said}");
            }
            browser.shot("forms-first-390", look);
        }
        let button = if look.script {
            browser.go(&format!("{}/profile", server.base));
            "form[action$=\"/profile/sample-form\"] button"
        } else {
            "main form[action$=\"/profile/sample-form\"] button"
        };
        fill(&browser, &[], button);
        browser.until("location.pathname.endsWith('/share')");
        let link = browser.run("return document.querySelector('#link').value");
        let link = link.as_str().expect("an address").to_owned();
        assert!(link.starts_with(&format!("{}/f/", server.base)), "its whole address: {link}");
        if look.script {
            still(&browser, "form-share-1280", look);
            assert_eq!(browser.axe(), NOTHING);
            browser.complaints();
        }
        browser.run("document.querySelector('main a.button[href*=\"/f/\"]').click()");
        browser.until("location.pathname.startsWith('/f/')");
        assert_eq!(browser.run("return location.href"), json!(link));
        assert!(browser.text("main").contains("Garden party"));
    }
}

#[test]
fn signing_in_says_for_which_form_it_is() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("it has no account yet");
    people::account(&server, OWNER, "Ada Lovelace");
    let owner = server.token(OWNER, "form:read form:write");
    let fields = json!([{"type": "short_text", "label": "Your vote"}]);
    let form = owner.form_with(json!({"name": "Board election", "fields": fields}));
    let settings = json!({"submission_options": {"one_per_respondent": "account"}});
    let set = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(set.status, 200, "{set}");
    for look in [PHONE, Look::DESK.without_script()] {
        let browser = Browser::open(look);
        browser.go(&format!("{}{}", server.base, form.page()));
        browser.until("location.pathname === '/sign-in'");
        assert_eq!(browser.text("h1").replace(['\u{2068}', '\u{2069}'], ""), "Sign in to answer “Board election”");
        assert!(browser.text("main").contains("needs your account"));
        browser.shot(&format!("sign-in-form-{}", look.width), look);
        // Still so after a slip.
        let typed = [("email", OWNER), ("password", "wrong wrong")];
        fill(&browser, &typed, "main form button[type=submit]");
        browser.until("document.querySelector('.message.bad')");
        assert!(browser.text("h1").contains("Board election"));
        browser.until("document.activeElement.id === 'password'");
        let typed = [("email", OWNER), ("password", PASSWORD)];
        fill(&browser, &typed, "main form button[type=submit]");
        browser.until(&format!("location.pathname === '{}'", form.page()));
        assert!(browser.text("main").contains("Your vote"));
    }
}
