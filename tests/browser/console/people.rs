//! Signed-in pages of people: forms with folders and sharing, members and invitations, the second step and
//! the log, in every light; and joining without a script.

use serde_json::json;
use support::{Caller, Server, formsvc, text};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;
use crate::questions::images::{scene, uploaded};

pub const PASSWORD: &str = "a quiet harbour";
pub const OWNER: &str = "ada.lovelace@analytical-society.example.com";
const ALL: &str = "form:read form:write form:delete entry:read entry:write";

pub fn account(server: &Server, email: &str, name: &str) -> Caller {
    let args = ["user", "create", email, "--name", name, "--password-stdin"];
    let made = formsvc(&server.dir, &args, PASSWORD);
    assert!(made.status.success(), "{}", text(&made.stderr));
    server.token(email, ALL)
}

pub fn fill(browser: &Browser, fields: &[(&str, &str)], button: &str) {
    for (name, value) in fields {
        browser.run(&format!("document.querySelector('main [name={name}]').value = '{value}'"));
    }
    browser.run(&format!("document.querySelector('{button}').click()"));
}

pub fn sign_in(browser: &Browser, server: &Server) {
    browser.go(&format!("{}/sign-in", server.base));
    let fields = [("email", OWNER), ("password", PASSWORD)];
    fill(browser, &fields, "main [type=submit]");
    browser.until("location.pathname === '/forms'");
}

#[test]
fn pages_of_people_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    let owner = account(&server, OWNER, "Ada Lovelace");
    let bob = account(&server, "bob@analytical-society.example.com", "Bob Wolfeschlegelsteinhausenbergerdorff");
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    let page = |path: &str| format!("{}{path}", server.base);
    look_at(&browser, "forms-none", &page("/forms"));

    let fields = json!([{"type": "short_text", "label": "A"}]);
    let mut tokens = Vec::new();
    for name in
        ["Summer party", "How did you like the lectures on the difference engine this spring?", "<b>Bold</b> & brave"]
    {
        tokens.push(owner.form_with(json!({"name": name, "fields": fields})).token);
    }
    let made = owner.post("/api/v1/folders", json!({"name": "Events of the society"}));
    let folder = made.data()["token"].as_str().expect("a token").to_owned();
    owner.post("/api/v1/folders", json!({"name": "2026", "parent_folder_token": folder}));
    let placed = format!("/api/v1/forms/{}/folder", tokens[0]);
    assert_eq!(owner.put(placed, json!({"folder_token": folder})).status, 200);
    look_at(&browser, "forms", &page("/forms"));
    look_at(&browser, "forms-folder", &page(&format!("/forms?folder={folder}")));

    let people = format!("/forms/{}/people", tokens[1]);
    look_at(&browser, "sharing-none", &page(&people));
    let id = bob.get("/api/v1/me").data()["id"].clone();
    let share = format!("/api/v1/forms/{}/collaborators/{}", tokens[1], id.as_str().expect("an id"));
    assert_eq!(owner.put(share, json!({"role": "editor"})).status, 200);
    look_at(&browser, "sharing", &page(&people));

    browser.look(Look::PHONE);
    browser.go(&page("/members"));
    browser.run("document.querySelector('form[action$=\"/invitations\"] button').click()");
    browser.until("document.querySelector('#link')");
    browser.shot("members-link-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    browser.complaints();
    let link = browser.text("#link");
    look_at(&browser, "members", &page("/members"));
    look_at(&browser, "organization", &page("/members/organization"));
    let logo = uploaded(&owner, "organization_logo", &scene(900, 300, [15, 118, 110]));
    let look = json!({"name": "Analytical Society", "color": "#FFB000", "logo": logo});
    assert_eq!(owner.patch("/api/v1/organization", look).status, 200);
    look_at(&browser, "organization-set", &page("/members/organization"));
    look_at(&browser, "masthead", &page(&format!("/f/{}", tokens[1])));
    look_at(&browser, "audit", &page("/audit"));
    look_at(&browser, "second-factor", &page("/profile/second-factor"));
    look_at(&browser, "invitation", &link);
    look_at(&browser, "invitation-spent", &format!("{link}x"));
}

#[test]
fn inviting_and_joining_work_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its organization is its own");
    account(&server, OWNER, "Ada Lovelace");
    for (n, look) in [Look::PHONE, Look::PHONE.without_script()].into_iter().enumerate() {
        let link = {
            let browser = Browser::open(look);
            sign_in(&browser, &server);
            browser.go(&format!("{}/members", server.base));
            browser.run("document.querySelector('form[action$=\"/invitations\"] button').click()");
            browser.until("document.querySelector('#link')");
            browser.text("#link")
        };
        let browser = Browser::open(look);
        browser.go(&link);
        let email = format!("cat{n}@example.com");
        let fields = [("name", "Cat"), ("email", email.as_str()), ("password", "short")];
        fill(&browser, &fields, "main [type=submit]");
        browser.until("document.querySelector('#password-fault')");
        // The typed values are still there.
        let kept = browser.run("return document.querySelector('[name=email]').value");
        assert_eq!(kept, json!(email));
        fill(&browser, &[("password", PASSWORD)], "main [type=submit]");
        browser.until("location.pathname === '/forms'");
        // A folder of the user's own.
        browser.run("document.querySelector('details').open = true");
        fill(&browser, &[("folder_name", "Mine")], "details form button");
        browser.until("location.search.startsWith('?folder=')");
        assert_eq!(browser.text("main h2"), "Mine");
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn a_double_click_makes_one_token() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its accounts are its own");
    account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(Look::DESK);
    sign_in(&browser, &server);
    browser.go(&format!("{}/profile", server.base));
    browser.until("document.readyState === 'complete'");
    let make = "document.querySelector('form[action$=\"/profile/tokens\"]')";
    browser.run(&format!(
        "const form = {make}; form.querySelector('[value=\"form:read\"]').checked = true; \
         form.elements.token_name.value = 'Nightly report'; \
         const button = form.querySelector('button:not([type=button])'); button.click(); button.click()"
    ));
    browser.until("document.querySelector('#token')");
    browser.go(&format!("{}/profile", server.base));
    assert_eq!(
        browser.run("return [...document.querySelectorAll('a[href$=\"/revoke\"]')].filter((link) => link.innerText.includes('Nightly report')).length"),
        1
    );
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn tokens_are_made_shown_once_and_revoked_without_a_script() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::alone("its accounts are its own");
    account(&server, OWNER, "Ada Lovelace");
    for look in [Look::PHONE, Look::PHONE.without_script()] {
        let browser = Browser::open(look);
        sign_in(&browser, &server);
        browser.go(&format!("{}/profile", server.base));
        let make = "form[action$=\"/profile/tokens\"]";
        browser.run(&format!("document.querySelector('{make} [value=\"form:read\"]').checked = true"));
        let name = [("token_name", "Nightly report")];
        fill(&browser, &name, &format!("{make} button"));
        browser.until("document.querySelector('#token')");
        let token = browser.text("#token");
        assert!(token.starts_with("fsv_"), "{token}");
        let holder = server.anon().with_token(&token);
        let me = holder.get("/api/v1/me").data();
        assert_eq!(me["token"], json!({"kind": "personal", "scopes": ["form:read"]}));
        // Only once.
        browser.go(&format!("{}/profile", server.base));
        assert_eq!(
            browser.run(&format!("return document.documentElement.outerHTML.includes('{token}')")),
            json!(false)
        );
        let row = "[...document.querySelectorAll('a[href$=\"/revoke\"]')]\
            .find(a => a.innerText.includes('Nightly report'))";
        browser.run(&format!("{row}.click()"));
        browser.until("location.pathname.endsWith('/revoke')");
        assert!(browser.text("h1").contains("Nightly report"));
        browser.run("document.querySelector('main form button').click()");
        browser.until("location.search === '?done=revoked'");
        assert_eq!(holder.get("/api/v1/me").status, 401);
        assert_eq!(browser.complaints(), NOTHING);
    }
}
