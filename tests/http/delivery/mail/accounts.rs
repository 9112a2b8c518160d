//! Mail of the service itself: invitations, and links for users who forgot their password.

use crate::delivery::ok;
use serde_json::json;
use support::clock::Clock;
use support::peers::mail::{MailServer, SENDER, flags, serving};
use support::session::{PASSWORD, Session, account, shown};
use support::store::{count, database};
use support::{Server, at_once, text, until};

const OWNER: &str = "ann@example.org";
const OTHER_PASSWORD: &str = "a louder harbour";

/// A mail server, and a server that sends its mail there, with an account.
fn with_account() -> Option<(MailServer, Server)> {
    let mail = MailServer::start()?;
    let server = serving(&mail);
    account(&server, OWNER);
    Some((mail, server))
}

fn actions(server: &Server) -> Vec<String> {
    let events = server.token(OWNER, "form:read").get("/api/v1/audit_events?page_size=100").data();
    let events = events.as_array().expect("events").iter();
    events.map(|event| event["action"].as_str().expect("text").to_owned()).collect()
}

/// The path of a link that was asked for; earlier mails are known already.
fn reset_link(server: &Server, mail: &MailServer, known: usize) -> String {
    let browser = Session::on(server);
    browser.get("/forgot-password");
    ok(browser.post("/forgot-password", &[("email", OWNER)]));
    until("mail", || mail.mails().len() > known);
    let mails = mail.mails();
    let latest = mails.last().expect("a mail");
    assert_eq!(latest.to(), OWNER);
    latest.link(&server.base, "/reset-password/")
}

#[test]
fn an_invitation_is_mailed_where_an_address_is_given() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let owner = Session::on(&server).signed_in(OWNER);
    assert!(owner.get("/members").text.contains("name=\"email\""));
    let pairs = [("role", "member"), ("email", " bob@example.org ")];
    let page = owner.post_on("/members/invitations", &pairs);
    assert!(page.text.contains("The invitation is on its way"), "{page}");
    let got = mail.mail_to("bob@example.org");
    let link = got.link(&server.base, "/invitation/");
    assert_eq!(format!("{}{link}", server.base), shown(&page.text, "link"));
    assert_eq!(got.header("From"), SENDER);
    assert!(got.subject().starts_with("Invitation to "), "{}", got.subject());
    assert!(got.text().contains("Ann <b>Lee</b> invites you") && !got.html().contains("<b>Lee"));
    // Its owner sees whom it was sent to, and is asked about that one.
    let list = owner.get("/members");
    list.has(["<bdi>bob@example.org"]);
    let number = list.text.split("/members/invitations/").nth(1).and_then(|rest| rest.split('/').next());
    let number = number.expect("a row");
    owner.get(&format!("/members/invitations/{number}/revoke")).has(["bob@example.org"]);
    let bob = Session::on(&server);
    ok(bob.get(&link));
    let account = [("name", "Bob"), ("email", "bob@example.org"), ("password", PASSWORD), ("timezone", "UTC")];
    assert_eq!(bob.post(&link, &account).status, 303);
    // Without an address the link is shown alone; a wrong one makes none.
    owner.get("/members");
    let page = owner.post_on("/members/invitations", &[("role", "member"), ("email", "")]);
    assert!(!page.text.contains("on its way"));
    let open = || owner.get("/members").text.matches("/revoke\"").count();
    let before = open();
    for wrong in ["nobody", "a@b\r\nBcc: c@d"] {
        owner.get("/members");
        let page = owner.post("/members/invitations", &[("role", "owner"), ("email", wrong)]);
        assert_eq!(page.status, 422, "{page}");
        assert!(page.text.contains("value=\"owner\" selected"), "{page}");
    }
    assert_eq!(open(), before);
    assert_eq!(mail.mails().len(), 1);
    // Sent mail is no longer kept, not even sealed.
    until("delivered", || bodies(&server) == 0);
}

fn bodies(server: &Server) -> i64 {
    count(&server.dir, "SELECT count(*) FROM outbox WHERE body IS NOT NULL")
}

#[test]
fn a_forgotten_password_is_replaced_by_a_link_that_works_once() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let elsewhere = Session::on(&server).signed_in(OWNER);
    assert!(Session::on(&server).get("/sign-in").text.contains("/forgot-password"));
    let link = reset_link(&server, &mail, 0);
    let secret = link.strip_prefix("/reset-password/").expect("the path");
    assert!(secret.len() >= 43, "{secret}");
    let got = mail.mail_to(OWNER);
    assert!(got.text().contains(OWNER) && got.html().contains("30 minutes"));
    let browser = Session::on(&server);
    // Looking does not spend it.
    for _ in 0..2 {
        let page = browser.get(&link);
        assert_eq!((page.status, page.header("x-robots-tag")), (200, "noindex"));
        assert_eq!(page.header("referrer-policy"), Session::on(&server).get("/setup/x").header("referrer-policy"));
    }
    for wrong in ["", "short", OWNER] {
        let page = browser.post(&link, &[("password", wrong)]);
        assert_eq!(page.status, 422, "{wrong}");
    }
    let set = browser.post(&link, &[("password", OTHER_PASSWORD)]);
    assert_eq!((set.status, set.header("location")), (303, "/sign-in?password=new"), "{set}");
    assert!(browser.get("/sign-in?password=new").text.contains("Your password has been changed"));
    // The user of a link is not signed in by that, and everybody else was signed out.
    assert_eq!(browser.get("/profile").status, 303);
    assert_eq!(elsewhere.get("/profile").status, 303);
    assert_eq!(browser.sign_in(OWNER, PASSWORD).status, 422);
    assert_eq!(browser.sign_in(OWNER, OTHER_PASSWORD).status, 303);
    assert!(actions(&server).contains(&"member.password_reset".to_owned()));
    let again = Session::on(&server);
    assert_eq!(again.get(&link).status, 404);
    again.get("/sign-in");
    assert_eq!(again.post(&link, &[("password", PASSWORD)]).status, 404);
    assert_eq!(again.get(&"/reset-password/{token}".replace("{token}", "x")).status, 404);
}

#[test]
fn a_link_ends_by_time_by_a_newer_one_and_by_another_password() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let status = |link: &str| Session::on(&server).get(link).status;
    let first = reset_link(&server, &mail, 0);
    let second = reset_link(&server, &mail, 1);
    assert_eq!((status(&first), status(&second)), (404, 200));
    let database = database(&server.dir);
    let left = count(&server.dir, "SELECT expires_at FROM password_resets");
    let now = jiff::Timestamp::now().as_millisecond();
    assert!((29 * 60_000..=30 * 60_000).contains(&(left - now)), "{}", left - now);
    database.execute("UPDATE password_resets SET expires_at = ?1", [now]).expect("aged");
    assert_eq!(status(&second), 404);
    assert_eq!(server.run(&["jobs", "run-once", "setup-links"]).status.code(), Some(0));
    assert_eq!(count(&server.dir, "SELECT count(*) FROM password_resets"), 0);
    let third = reset_link(&server, &mail, 2);
    assert_eq!(status(&third), 200);
    let changed = support::formsvc(&server.dir, &["user", "set-password", OWNER, "--password-stdin"], OTHER_PASSWORD);
    assert!(changed.status.success(), "{}", text(&changed.stderr));
    assert_eq!(status(&third), 404);
}

#[test]
fn of_two_who_use_a_link_at_once_one_does() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let link = reset_link(&server, &mail, 0);
    let codes = at_once(4, |n| {
        let browser = Session::on(&server);
        browser.get(&link);
        let password = format!("a harbour number {n}");
        browser.post(&link, &[("password", &password)]).status
    });
    assert_eq!(codes.iter().filter(|code| **code == 303).count(), 1, "{codes:?}");
}

#[test]
fn nobody_learns_which_accounts_there_are() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let disabled = server.run(&["user", "create", "off@example.org", "--name", "Off"]);
    assert!(disabled.status.success());
    assert!(server.run(&["user", "disable", "off@example.org"]).status.success());
    let ask = |email: &str| {
        let browser = Session::on(&server);
        browser.get("/forgot-password");
        let page = browser.post("/forgot-password", &[("email", email)]);
        let mut headers: Vec<String> = page.headers.keys().map(ToString::to_string).collect();
        headers.sort();
        (page.status, page.text, headers)
    };
    let there = ask(" Ann@Example.org ");
    assert_eq!(there.0, 200);
    // A nonce and a request's id differ each time.
    let plain = |text: &str| -> String {
        let parts = text.split("nonce=\"").enumerate();
        parts.map(|(i, part)| if i == 0 { part } else { part.split_once('"').expect("its end").1 }).collect()
    };
    for email in ["nobody@example.org", "off@example.org"] {
        let other = ask(email);
        assert_eq!((other.0, plain(&other.1), &other.2), (200, plain(&there.1), &there.2), "{email}");
    }
    mail.mail_to(OWNER);
    for wrong in ["", "nobody"] {
        assert_eq!(ask(wrong).0, 422);
    }
    // An account is not flooded, and the answer stays the same.
    for _ in 0..5 {
        assert_eq!(ask(OWNER).0, 200);
    }
    ask("nobody@example.org");
    // They are queued after the answer.
    until("all are sent", || mail.mails().len() >= 3);
    until("one is left, for later", || bodies(&server) == 1);
    assert_eq!(mail.mails().len(), 3);
    // It is no page of others, and no browser's without its own visit.
    let foreign = server.anon().post_form("/forgot-password", &[("email", OWNER)]);
    assert_eq!(foreign.status, 403, "{foreign}");
}

/// Requests for links to others' accounts keep nobody from getting one.
#[test]
fn strangers_who_ask_for_links_do_not_shut_out_the_owner() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    let url = mail.url();
    let flags = [&flags(&url)[..], &["--trusted-proxies", "127.0.0.1/32"]].concat();
    let server = clock.server(dir.path(), &flags);
    account(&server, OWNER);
    let ask = |email: &str, address: &str| {
        let browser = Session::on(&server).header("x-forwarded-for", address);
        browser.get("/forgot-password");
        ok(browser.post("/forgot-password", &[("email", email)]));
    };
    let sent = |many: usize| {
        until("mail", || mail.mails().len() == many);
        mail.mails()[many - 1].link(&server.base, "/reset-password/")
    };
    // One stranger fills their own share.
    for _ in 0..5 {
        ask(OWNER, "192.0.2.1");
    }
    sent(3);
    ask(OWNER, "198.51.100.1");
    sent(4);
    // Several fill the account's.
    for address in ["192.0.2.2", "192.0.2.3"] {
        (0..4).for_each(|_| ask(OWNER, address));
    }
    let last = sent(9);
    ask(OWNER, "198.51.100.1");
    // The last link stays valid, and is sent once more in ten minutes.
    assert_eq!(Session::on(&server).get(&last).status, 200);
    let waiting = || count(&server.dir, "SELECT count(*) FROM outbox WHERE status = 'pending'");
    until("it is queued", || waiting() == 1);
    clock.ahead(601);
    // Queued mail wakes the sender.
    assert!(server.run(&["user", "create", "cem@example.org", "--name", "Cem"]).status.success());
    ask("cem@example.org", "198.51.100.2");
    until("both", || mail.mails().len() == 11);
    let again = mail.mails().into_iter().rfind(|got| got.to() == OWNER).expect("mail");
    assert_eq!(again.link(&server.base, "/reset-password/"), last);
    assert_eq!(Session::on(&server).get(&last).status, 200);
}

#[test]
fn asking_is_limited_like_signing_in() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (clock, dir) = (Clock::still(), tempfile::tempdir().expect("a folder"));
    let flags = ["--smtp-url", &mail.url(), "--mail-from", SENDER, "--limit-sign-ins", "3"];
    let server = clock.server(dir.path(), &flags);
    account(&server, OWNER);
    let browser = Session::on(&server);
    browser.get("/forgot-password");
    let codes: Vec<u16> = (0..4)
        .map(|n| {
            let email = format!("nobody{n}@example.org");
            browser.post("/forgot-password", &[("email", &email)]).status
        })
        .collect();
    assert_eq!(codes, [200, 200, 200, 429]);
    let waits = browser.post("/forgot-password", &[("email", OWNER)]);
    assert!(!waits.header("retry-after").is_empty(), "{waits}");
}

#[test]
fn without_a_mail_server_there_are_no_such_pages() {
    let server = Server::alone("its database is changed");
    account(&server, OWNER);
    let browser = Session::on(&server);
    assert!(!browser.get("/sign-in").text.contains("/forgot-password"));
    assert_eq!(browser.get("/forgot-password").status, 404);
    assert_eq!(browser.post("/forgot-password", &[("email", OWNER)]).status, 404);
    let owner = Session::on(&server).signed_in(OWNER);
    assert!(!owner.get("/members").text.contains("name=\"email\""));
    assert_eq!(count(&server.dir, "SELECT count(*) FROM outbox"), 0);
}

#[test]
fn mail_of_an_account_is_in_its_language() {
    let Some((mail, server)) = with_account() else {
        return;
    };
    let token = server.token(OWNER, "form:write");
    ok(token.patch("/api/v1/me", json!({"locale": "zh-CN"})));
    reset_link(&server, &mail, 0);
    let got = mail.mail_to(OWNER);
    assert_eq!(got.subject(), "设置新密码");
    assert!(got.text().contains("30 分钟内有效"), "{}", got.text());
}
