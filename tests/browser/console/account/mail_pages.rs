//! Pages that mail leads to: another password by a link, invitations by mail, and the end of notices; in every light,
//! and without a script.

use serde_json::json;
use support::Server;
use support::peers::mail::{MailServer, flags, serving};

use crate::console::people::{OWNER, account, fill, sign_in};
use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

const OTHER_PASSWORD: &str = "a louder harbour";

#[test]
fn pages_of_mail_in_every_light() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = account(&server, OWNER, "Ada Lovelace");
    let page = |path: &str| format!("{}{path}", server.base);
    let browser = Browser::open(Look::DESK);
    look_at(&browser, "sign-in-mail", &page("/sign-in"));
    look_at(&browser, "forgot", &page("/forgot-password"));
    fill(&browser, &[("email", OWNER)], "main [type=submit]");
    browser.until("document.querySelector('h1').textContent === 'Check your email'");
    browser.look(Look::PHONE);
    browser.shot("forgot-sent-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    let link = mail.mail_to(OWNER).link(&server.base, "/reset-password/");
    look_at(&browser, "reset", &page(&link));
    look_at(&browser, "reset-spent", &page("/reset-password/x"));
    sign_in(&browser, &server);
    look_at(&browser, "members-mail", &page("/members"));
    browser.go(&page("/members"));
    let button = "form[action$=\"/invitations\"] button";
    fill(&browser, &[("email", "bob@example.com")], button);
    browser.until("document.querySelector('#link')");
    browser.shot("members-mailed-1280", Look::DESK);
    assert_eq!(browser.axe(), NOTHING);
    let form = owner.form(json!([{"type": "short_text", "label": "A"}]));
    let notice = json!({"notifications": {"notice": {"enabled": true, "to": ["grace@example.com"]}}});
    assert_eq!(owner.patch(form.part("settings"), notice).status, 200);
    let sent = server.anon().post(form.submissions(), json!({"field_values": {}}));
    assert_eq!(sent.status, 201, "{sent}");
    let stop = mail.mail_to("grace@example.com").link(&server.base, "/f/");
    look_at(&browser, "notices", &page(&stop));
    fill(&browser, &[], "main [type=submit]");
    browser.until("document.querySelector('h1').textContent === 'Emails stopped'");
    browser.shot("notices-done-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
    let notice =
        json!({"notifications": {"notice": {"enabled": true, "to": ["mary@example.com"], "include_values": true}}});
    assert_eq!(owner.patch(form.part("settings"), notice).status, 200);
    let confirm = mail.mail_to("mary@example.com").link(&server.base, "/f/");
    look_at(&browser, "consent", &page(&confirm));
    fill(&browser, &[], "main [type=submit]");
    browser.until("document.querySelector('h1').textContent === 'You’ll get emails'");
    browser.shot("consent-done-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
}

#[test]
fn a_forgotten_password_is_replaced_without_a_script() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    account(&server, OWNER, "Ada Lovelace");
    for look in [Look::PHONE.without_script(), Look::DESK] {
        let known = mail.mails().len();
        let browser = Browser::open(look);
        browser.go(&format!("{}/sign-in", server.base));
        browser.run("document.querySelector('a[href$=\"/forgot-password\"]').click()");
        browser.until("location.pathname === '/forgot-password'");
        fill(&browser, &[("email", "nobody")], "main [type=submit]");
        browser.until("document.querySelector('#email-fault')");
        fill(&browser, &[("email", OWNER)], "main [type=submit]");
        browser.until("document.querySelector('h1').textContent === 'Check your email'");
        support::until("mail", || mail.mails().len() > known);
        let mails = mail.mails();
        let link = mails[known].link(&server.base, "/reset-password/");
        browser.go(&format!("{}{link}", server.base));
        fill(&browser, &[("password", "short")], "main [type=submit]");
        browser.until("document.querySelector('#password-fault')");
        fill(&browser, &[("password", OTHER_PASSWORD)], "main [type=submit]");
        browser.until("location.pathname === '/sign-in'");
        assert!(browser.text("main").contains("Your password has been changed"));
        let fields = [("email", OWNER), ("password", OTHER_PASSWORD)];
        fill(&browser, &fields, "main [type=submit]");
        browser.until("location.pathname === '/forms'");
        assert_eq!(browser.complaints(), NOTHING);
    }
}

#[test]
fn a_wrong_address_of_an_invitation_is_told_beside_it() {
    let server = Server::with(&flags("smtp://127.0.0.1:1"));
    account(&server, OWNER, "Ada Lovelace");
    let browser = Browser::open(Look::PHONE);
    sign_in(&browser, &server);
    browser.go(&format!("{}/members", server.base));
    let button = "form[action$=\"/invitations\"] button";
    fill(&browser, &[("email", "bob")], button);
    browser.until("document.querySelector('#email-fault')");
    browser.shot("members-fault-360", Look::PHONE);
    assert_eq!(browser.axe(), NOTHING);
}
