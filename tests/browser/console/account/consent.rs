//! An application asks for access: the pages on the way, in every light, with and without a script.

use serde_json::json;
use support::{Server, formsvc, text};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};
use crate::looks::{self, look_at};

const PASSWORD: &str = "a quiet harbour";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Where an application that was just registered sends its user.
fn address(server: &Server, name: &str, callback: &str, flags: &[&str]) -> String {
    let args = ["app", "create", "--json", "--name", name, "--redirect-uri"];
    let args = [&args[..], &[callback], flags].concat();
    let made = server.run(&args);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
    format!(
        "{}/api/v1/oauth/authorize?client_id={}&redirect_uri={callback}&state=xyz\
         &code_challenge={CHALLENGE}&code_challenge_method=S256",
        server.base,
        made["client_id"].as_str().expect("an id")
    )
}

fn account(server: &Server) {
    let email = "ada.lovelace@analytical-society.example.com";
    let args = ["user", "create", email, "--name", "Ada", "--password-stdin"];
    let made = formsvc(&server.dir, &args, PASSWORD);
    assert!(made.status.success(), "{}", text(&made.stderr));
}

fn sign_in(browser: &Browser) {
    browser.run(&format!(
        "document.getElementsByName('email')[0].value = 'ada.lovelace@analytical-society.example.com';
         document.getElementsByName('password')[0].value = '{PASSWORD}';
         document.querySelector('main [type=submit]').click()"
    ));
    browser.until("document.querySelector('[value=approve]')");
}

#[test]
fn consent_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its accounts are its own");
    account(&server);
    let browser = Browser::open(Look::DESK);
    let board = "https://board.example.com/callback";
    let few = address(&server, "Survey board", board, &["--scope", "form:read", "entry:read"]);
    let name = "Mobile companion of the Analytical Society";
    let all = address(&server, name, "com.example.companion:/callback", &["--public"]);
    look_at(&browser, "consent-sign-in", &few);
    browser.go(&few);
    sign_in(&browser);
    look_at(&browser, "consent", &few);
    look_at(&browser, "consent-public", &all);
    look_at(&browser, "consent-dead-end", &few.replace("client_id=", "client_id=x"));
}

#[test]
fn allowing_and_denying_lead_back_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its accounts are its own");
    account(&server);
    // The application's own page.
    let callback = looks::host("<!doctype html><title>The app</title><p>Back again");
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        let asks = address(&server, "Survey board", &callback, &["--public"]);
        browser.go(&asks);
        sign_in(&browser);
        for (button, with) in [("deny", "error=access_denied"), ("approve", "code=")] {
            browser.go(&asks);
            browser.run(&format!("document.querySelector('[value={button}]').click()"));
            browser.until("document.title === 'The app'");
            let led = browser.run("return location.href");
            let led = led.as_str().expect("an address");
            let start = format!("{callback}?{with}");
            assert!(led.starts_with(&start) && led.contains("&state=xyz"), "{led}");
        }
        assert_eq!(browser.complaints(), NOTHING);
        // The outcome stands on the profile.
        let led = browser.run("return new URL(location.href).searchParams.get('code')");
        let (_, id) = asks.split_once("client_id=").expect("an id");
        let made = server.anon().post_form(
            "/api/v1/oauth/token",
            &[
                ("grant_type", "authorization_code"),
                ("client_id", id.split('&').next().unwrap_or_default()),
                ("code", led.as_str().expect("a code")),
                ("code_verifier", VERIFIER),
            ],
        );
        assert_eq!(made.status, 200, "{made}");
        browser.go(&format!("{}/profile", server.base));
        browser.shot("connected-apps", look);
        browser.run("document.querySelector('[href*=\"/profile/apps/\"]').click()");
        browser.until("location.pathname.endsWith('/disconnect')");
        assert!(browser.text("h1").contains("Survey board"));
        browser.run("document.querySelector('main form button').click()");
        browser.until("location.search === '?done=disconnected'");
    }
}

#[test]
fn no_other_site_shows_it_in_a_frame() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its accounts are its own");
    account(&server);
    let browser = Browser::open(Look::DESK);
    let asks = address(&server, "Survey board", "http://127.0.0.1:9/", &[]);
    browser.go(&asks);
    sign_in(&browser);
    let page = format!("<!doctype html><title>Host</title><iframe src=\"{asks}\"></iframe>");
    browser.go(&looks::host(&page));
    browser.until("document.readyState === 'complete' && frames.length === 1");
    // The page that a browser puts in place of one that it may not show is another site's.
    let shown = browser.run(
        "try { return document.querySelector('iframe').contentDocument?.body?.innerText ?? '' } catch { return '' }",
    );
    assert_eq!(shown, json!(""));
    let said = browser.complaints().join("\n");
    assert!(said.contains("frame-ancestors"), "{said}");
}
