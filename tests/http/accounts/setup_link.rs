//! The set-up link of a service without accounts: its visitor creates the first one (S14, S15).

use std::process::Command;

use serde_json::Value;
use support::session::{SETUP, Session, account, link_path, shown};
use support::store::database;
use support::{Server, at_once, text};

use super::{ANN, but, me, people, ran, tokens};

#[test]
fn the_setup_link_makes_the_first_account_and_leads_to_a_first_form() {
    let server = Server::with(&[]);
    let (path, browser) = (link_path(&server), Session::on(&server));
    // Looking does not spend it: previews and reloads do no harm.
    for _ in 0..3 {
        let page = browser.get(&path).is(200);
        assert_eq!((page.header("x-robots-tag"), page.header("cache-control")), ("noindex", "no-store"));
    }
    browser.post(&path, &SETUP).leads_to("/welcome");
    let welcome = browser.get("/welcome");
    welcome.has(["Your account is ready"]);
    assert_eq!(welcome.header("cache-control"), "no-store");
    let me = me(&server.anon().with_token(&shown(&welcome.text, "token")));
    let told = [&me["email"], &me["timezone"], &me["organization"]["name"], &me["organization"]["role"]];
    assert_eq!(told, [ANN, "Europe/Berlin", "Example <i>Club</i>", "owner"]);
    assert_eq!(me["token"]["scopes"].as_array().map(Vec::len), Some(9), "{me}");

    // The line works as pasted.
    let line = shown(&welcome.text, "curl");
    let pasted = Command::new("sh").args(["-c", &format!("{line} --silent")]).output().expect("sh runs");
    let form: Value =
        serde_json::from_slice(&pasted.stdout).unwrap_or_else(|e| panic!("{e}: {line}: {}", text(&pasted.stderr)));
    assert_eq!(form["data"]["name"], "My first form");

    // The button makes a form that can be filled in at once.
    browser.post_on("/profile/sample-form", &[]).is(200).has(["Garden party"]);

    // The token is not shown again, nor is another one made; the link is spent, and its user is redirected.
    for path in ["/profile", "/welcome", "/profile/tokens/made"] {
        browser.get(path).is_for(200, path).lacks(["fsv_"]);
    }
    assert_eq!(tokens(&server), 1);
    browser.get(&path).leads_to("/forms");
    let stranger = Session::on(&server);
    stranger.get(&path).is(404);
    stranger.get("/sign-in");
    stranger.post(&path, &SETUP).is(404);
    assert_eq!(people(&server).len(), 1);
}

#[test]
fn a_setup_link_makes_one_account_of_several_at_once() {
    let server = Server::with(&[]);
    let path = link_path(&server);
    let mut statuses = at_once(4, |n| {
        let browser = Session::on(&server);
        browser.get(&path);
        browser.post(&path, &but(SETUP, "email", &format!("ann{n}@example.org"))).status
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 404, 404, 404]);
    assert_eq!(people(&server).len(), 1);
}

#[test]
fn a_setup_link_ends_with_its_time_a_newer_one_and_the_first_account() {
    let server = Server::with(&[]);
    let browser = Session::on(&server);
    let newer = || ran(&server, &["setup-link", "--base-url", &server.base])[server.base.len()..].to_owned();
    let first = link_path(&server);
    browser.get(&first).is(200);
    let second = newer();
    browser.get(&first).is(404);
    browser.get(&second).is(200);
    browser.get("/setup/x").is(404);
    database(&server.dir).execute("UPDATE setup_links SET expires_at = 1", []).expect("ages");
    browser.get(&second).is(404);
    let swept = ran(&server, &["jobs", "run-once", "setup-links", "--json"]);
    assert_eq!(swept, r#"[{"job":"setup-links","done":1}]"#);

    let last = newer();
    browser.get(&last).is(200);
    account(&server, ANN);
    browser.get(&last).is(404);
    browser.get("/sign-in");
    browser.post(&last, &SETUP).is(404);
    assert_eq!(people(&server).len(), 1);
}

#[test]
fn setup_pages_speak_the_browsers_language() {
    let server = Server::with(&[]);
    let browser = Session::on(&server).header("accept-language", "zh-CN,zh;q=0.9,en;q=0.5");
    let path = link_path(&server);
    for (path, words) in [("/sign-in", "还没有任何账号"), ("/setup/x", "此链接已失效"), (&path, "欢迎使用 formsvc")]
    {
        browser.get(path).has([words, r#"lang="zh-CN""#]);
    }
    let welcome = browser.post_on(&path, &SETUP);
    welcome.has(["您的账号已就绪"]);
    assert_eq!(me(&server.anon().with_token(&shown(&welcome.text, "token")))["locale"], "zh-CN");
}
