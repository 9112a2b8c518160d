//! Messages for faults on account pages: each fault in the words of its own field, in the reader's language, and never
//! in those of the API or of another field.

use serde_json::{Value, json};
use support::form_page::hidden;
use support::session::{PASSWORD, SETUP, Session, account, link_path, shown};
use support::{Response, Server};

use super::members::typed;
use super::{ANN, BOB, anns, but, invited, people};

const FILL: &str = "Fill in this field";
const SHORT: &str = "Use at least 10 characters";
const ZONE: &str = "Choose a time zone from the list, such as Europe/Berlin";

/// The message beside a field.
fn beside(page: &Response, field: &str) -> String {
    assert_eq!(page.status, 422, "{field}: {page}");
    shown(&page.text, &format!("{field}-fault"))
}

/// Checks that each field shows this fault, and no other field shows any.
#[track_caller]
fn says<'a>(page: &'a Response, wanted: &[(&str, &str)]) -> &'a Response {
    for (field, words) in wanted {
        assert_eq!(beside(page, field), *words, "{field}");
    }
    let faults = page.text.matches("<p class=\"fault\"").count();
    assert_eq!(faults, wanted.len(), "{page}");
    page
}

#[test]
fn faults_of_a_new_account() {
    let server = Server::alone("it has no account yet");
    let (path, browser) = (link_path(&server), Session::on(&server));
    browser.get(&path);
    let names = ["name", "organization", "email", "password", "timezone"];
    let typed = ["Ann \"<Lee>", "", "ann", "password123", "Mars"];
    let common = "Many people use this password, so it is easy to guess. Choose another one.";
    let address = "Enter an email address, such as ann@example.org";
    let pairs: Vec<_> = names.into_iter().zip(typed).collect();
    let faults = [("organization", FILL), ("email", address), ("password", common), ("timezone", ZONE)];
    // Typed values are kept, except for the password.
    says(&browser.post(&path, &pairs), &faults).has(["Ann &quot;&lt;Lee&gt;"]).lacks(["password123"]);
    for (field, value, words) in [
        ("name", "", FILL),
        ("name", &*"x".repeat(201), "Use at most 200 characters"),
        ("email", "x", address),
        ("password", "short", SHORT),
        ("password", &"x".repeat(257), "Use at most 256 characters"),
        ("password", ANN, "The password can’t be your email address"),
    ] {
        says(&browser.post(&path, &but(SETUP, field, value)), &[(field, words)]);
    }
    assert_eq!(people(&server).len(), 0);
    browser.post(&path, &SETUP).is(303);
}

#[test]
fn faults_of_who_joins() {
    let (server, owner) = anns();
    let path = invited(&server, &owner, "member");
    let browser = Session::on(&server);
    browser.get(&path);
    for (field, value, words) in [
        ("email", ANN, "An account with this email already exists"),
        ("password", "short", SHORT),
        ("name", "", FILL),
        ("timezone", "Mars", ZONE),
    ] {
        says(&browser.post(&path, &but(typed(BOB), field, value)), &[(field, words)]);
    }
    // The link still works.
    browser.post(&path, &typed(BOB)).is(303);
}

#[test]
fn faults_of_ones_own_account() {
    let (server, browser) = anns();
    let page = browser.post("/profile", &[("name", ""), ("locale", "en"), ("timezone", "Mars")]);
    says(&page, &[("name", FILL), ("timezone", ZONE)]).has(["value=\"Mars\""]);
    // The list of languages has no place for a message: the summary says it.
    let odd = browser.post("/profile", &[("name", "Ann"), ("locale", "?"), ("timezone", "UTC")]);
    odd.is(422).has(["Choose a language from the list"]);
    let (scopes, wrong) = (("scopes", "Choose at least one permission"), "Incorrect password");
    let offer = hidden(&browser.get("/profile/second-factor"), "offer");
    let factor = |code, password| [("offer", offer.as_str()), ("code", code), ("password", password)];
    for (path, typed, faults) in [
        (
            "/profile/password",
            &[("old_password", "wrong"), ("password", "short")][..],
            &[("old_password", wrong), ("password", SHORT)][..],
        ),
        ("/profile/password", &[], &[("old_password", FILL), ("password", SHORT)]),
        ("/profile/tokens", &[("token_name", " ")], &[("token_name", FILL), scopes]),
        ("/profile/tokens", &[("token_name", " "), ("scopes", "form:read")], &[("token_name", FILL)]),
        ("/profile/tokens", &[("token_name", "x")], &[scopes]),
        (
            "/profile/second-factor",
            &factor("000000", "not mine at all"),
            &[("code", "This code is wrong or has expired"), ("password", wrong)],
        ),
        ("/profile/second-factor", &factor("", ""), &[("code", FILL), ("password", FILL)]),
    ] {
        says(&browser.post(path, typed), faults);
    }
    // Nothing has changed.
    Session::on(&server).sign_in(ANN, PASSWORD).is(303);
}

#[test]
fn faults_of_folders() {
    let (server, browser) = anns();
    let owner = server.token(ANN, "form:read form:write");
    let made = |name: &str, above: Value| {
        let made = owner.post("/api/v1/folders", json!({"name": name, "parent_folder_token": above})).is(201);
        made.data()["token"].as_str().expect("a token").to_owned()
    };
    let events = made("Events", Value::Null);
    let (taken, long) = ("There is already a folder with this name", "x".repeat(101));
    let new = |name: &str, above: &str| browser.post("/forms/folders", &[("folder_name", name), ("folder", above)]);
    for (name, words) in [("EVENTS", taken), ("", FILL), (&long, "Use at most 100 characters")] {
        // Nothing typed is cut.
        says(&new(name, ""), &[("new-folder", words)]).has([&format!("value=\"{name}\"")]);
    }
    let other = made("Other", Value::Null);
    let renamed = browser.post(&format!("/forms/folders/{other}/rename"), &[("folder_name", "Events")]);
    // The page is still that of the folder.
    says(&renamed, &[("folder-name", taken)]).has([&format!("/forms/folders/{other}/delete")]);
    // A folder can't move up beside one of its name.
    made("Events", json!(other));
    let kept = browser.post(&format!("/forms/folders/{other}/delete"), &[]).is(422);
    kept.has(["A folder in it has the same name as one on the level above"]);
    let deepest = ["2", "3", "4", "5"].into_iter().fold(events, |above, name| made(name, json!(above)));
    says(&new("6", &deepest), &[("new-folder", "Folders can be nested up to 5 levels deep")]);
}

#[test]
fn faults_of_sharing() {
    let (server, browser) = anns();
    account(&server, BOB);
    let form = server.token(ANN, "form:read form:write").form(json!([{"type": "short_text", "label": "A"}])).token;
    for (typed, words) in [
        ("", FILL),
        ("nobody@example.org", "No one in your organization has this email"),
        (ANN, "This person already owns the form"),
    ] {
        let page = browser.post(&format!("/forms/{form}/people"), &[("email", typed), ("role", "viewer")]);
        says(&page, &[("email", words)]).has([&format!("value=\"{typed}\"")]);
    }
}

#[test]
fn faults_are_in_the_readers_language() {
    let (_server, browser) = anns();
    browser.post("/profile", &[("name", "Ann"), ("locale", "zh-CN"), ("timezone", "UTC")]).is(303);
    let long = "x".repeat(101);
    for (path, typed, fields) in [
        ("/profile", &[("name", ""), ("timezone", "Mars")][..], &["name", "timezone"][..]),
        ("/profile/password", &[("old_password", "x")], &["old_password", "password"]),
        ("/profile/tokens", &[], &["token_name", "scopes"]),
        ("/forms/folders", &[("folder_name", &long)], &["new-folder"]),
    ] {
        let page = browser.post(path, typed);
        for field in fields {
            let words = beside(&page, field);
            let is_chinese = words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(is_chinese, "{path} {field}: {words}");
        }
    }
    // Without a second factor there are none.
    let codes = browser.post("/profile/second-factor/codes", &[("password", "x")]);
    assert!([404, 422].contains(&codes.status), "{codes}");
}
