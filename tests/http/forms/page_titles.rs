//! The titles of a form's pages in the browser's tabs, and the times on its pages.

use serde_json::json;
use support::session::{Session, account};
use support::steps::add;
use support::{Server, field};

const SCOPES: &str = "form:read form:write entry:read entry:write";

#[test]
fn each_page_of_a_form_is_named_by_itself_then_by_the_form() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", SCOPES);
    let fields = json!([field("short_text", json!({"label": "Town"}))]);
    let form = owner.form_with(json!({"name": "Party <1>", "published": true, "fields": fields}));
    add(&owner, &form, json!({"field_1": "Evenford"}));
    let browser = Session::on(&server).signed_in("ann@example.org");
    for (page, title) in [
        ("build", "Build"),
        ("build/paste", "Paste a list"),
        ("publish", "Publish"),
        ("rules", "Logic"),
        ("history", "History"),
        ("history/1", "Version 1"),
        ("theme", "Look"),
        ("entries", "Entries"),
        ("entries/1", "Entry 1"),
        ("entries/new", "Add an entry"),
        ("report", "Report"),
        ("trash", "Trash"),
        ("folder", "Move to a folder"),
        ("share", "Share"),
        ("queries", "Public queries"),
        ("people", "Sharing"),
        ("settings", "Settings"),
        ("webhooks", "Webhooks"),
    ] {
        let shown = browser.get(&format!("/forms/{}/{page}", form.token)).is(200);
        shown.has([format!("<title>{title} – Party &lt;1&gt;</title>")]);
    }
}

#[test]
fn times_are_written_as_the_pages_language_does() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", SCOPES);
    let form = owner.form(json!([field("short_text", json!({"label": "Town"}))]));
    add(&owner, &form, json!({"field_1": "Evenford"}));
    let browser = Session::on(&server).signed_in("ann@example.org");
    let shown = |page: &str| -> String {
        let page = browser.get(page).is(200);
        let time = page.text.split_once("<time datetime=\"").and_then(|(_, rest)| rest.split_once("\">"));
        let time = time.and_then(|(_, rest)| rest.split_once("</time>")).map(|(time, _)| time.to_owned());
        time.unwrap_or_else(|| panic!("no time: {page}"))
    };
    for page in
        ["/forms".to_owned(), format!("/forms/{}/entries", form.token), format!("/forms/{}/history", form.token)]
    {
        let time = shown(&page);
        // `29 Nov 2026, 09:05`
        let parts: Vec<&str> = time.split([' ', ',']).filter(|part| !part.is_empty()).collect();
        let is_month = parts.get(1).is_some_and(|month| month.chars().all(char::is_alphabetic));
        assert!(parts.len() == 4 && is_month && parts[3].contains(':'), "{page}: {time}");
    }
    owner.patch("/api/v1/me", json!({"locale": "zh-CN"})).is(200);
    let time = shown("/forms");
    assert!(time.contains('年') && time.contains("日 "), "{time}");
}
