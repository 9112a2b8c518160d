//! What account pages say of something wrong: each fault in the words of its own field, in the reader's language, and
//! never in those of the API or of another field.

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account, link_path, shown, with_account};
use support::{Response, Server};

const LONG: &str =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// The message beside a field.
fn beside(page: &Response, field: &str) -> String {
    assert_eq!(page.status, 422, "{field}: {page}");
    shown(&page.text, &format!("{field}-fault"))
}

/// That each field says this, and no other field says anything.
fn says(page: &Response, wanted: &[(&str, &str)]) {
    for (field, words) in wanted {
        assert_eq!(beside(page, field), *words, "{field}");
    }
    let faults = page.text.matches("<p class=\"fault\"").count();
    assert_eq!(faults, wanted.len(), "{page}");
}

#[test]
fn a_new_account() {
    let server = Server::alone("its database is changed");
    let path = link_path(&server);
    let browser = Session::on(&server);
    browser.get(&path);
    let post = |values: [&str; 5]| {
        let names = ["name", "organization", "email", "password", "timezone"];
        let pairs: Vec<_> = names.into_iter().zip(values).collect();
        browser.post(&path, &pairs)
    };
    says(
        &post(["", "", "x", "short", "Mars"]),
        &[
            ("name", "Fill in this field"),
            ("organization", "Fill in this field"),
            ("email", "Enter an email address, such as ann@example.org"),
            ("password", "Use at least 10 characters"),
            ("timezone", "Choose a time zone from the list, such as Europe/Berlin"),
        ],
    );
    let common = "Many people use this password, so it is easy to guess. Choose another one.";
    says(&post(["Ann", "Club", "ann@example.org", "password123", "UTC"]), &[("password", common)]);
    says(
        &post(["Ann", "Club", "ann@example.org", "ann@example.org", "UTC"]),
        &[("password", "The password can’t be your email address")],
    );
    let long = LONG.repeat(3);
    says(&post([&long, "Club", "ann@example.org", PASSWORD, "UTC"]), &[("name", "Use at most 200 characters")]);
}

#[test]
fn an_address_that_is_taken() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = Session::on(&server).signed_in(email);
    owner.get("/members");
    let page = owner.post_on("/members/invitations", &[("role", "member")]);
    let link = shown(&page.text, "link");
    let path = link.strip_prefix(&server.base).expect("our address");
    let browser = Session::on(&server);
    browser.get(path);
    let pairs = [("name", "Bob"), ("email", email), ("password", PASSWORD), ("timezone", "UTC")];
    says(&browser.post(path, &pairs), &[("email", "An account with this email already exists")]);
}

#[test]
fn ones_own_account() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    says(
        &browser.post("/profile", &[("name", ""), ("locale", "en"), ("timezone", "Mars")]),
        &[("name", "Fill in this field"), ("timezone", "Choose a time zone from the list, such as Europe/Berlin")],
    );
    // The list of languages has no place for a message: the summary says it.
    let odd = browser.post("/profile", &[("name", "Ann"), ("locale", "?"), ("timezone", "UTC")]);
    assert!(odd.status == 422 && odd.text.contains("Choose a language from the list"));
    says(
        &browser.post("/profile/password", &[("old_password", "wrong"), ("password", "short")]),
        &[("old_password", "Incorrect password"), ("password", "Use at least 10 characters")],
    );
    says(
        &browser.post("/profile/password", &[]),
        &[("old_password", "Fill in this field"), ("password", "Use at least 10 characters")],
    );
    says(
        &browser.post("/profile/tokens", &[("token_name", " ")]),
        &[("token_name", "Fill in this field"), ("scopes", "Choose at least one permission")],
    );
    let page = browser.get("/profile/second-factor");
    let (_, offer) = page.text.split_once("name=\"offer\" value=\"").expect("an offer");
    let offer = offer.split('"').next().expect("its end");
    let post = |code: &str, password: &str| {
        let pairs = [("offer", offer), ("code", code), ("password", password)];
        browser.post("/profile/second-factor", &pairs)
    };
    says(
        &post("000000", "not mine at all"),
        &[("code", "This code is wrong or has expired"), ("password", "Incorrect password")],
    );
    says(&post("", ""), &[("code", "Fill in this field"), ("password", "Fill in this field")]);
}

#[test]
fn folders() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, "form:read form:write");
    let browser = Session::on(&server).signed_in(email);
    browser.get("/forms");
    let made = |name: &str, above: Value| {
        let body = json!({"name": name, "parent_folder_token": above});
        let made = owner.post("/api/v1/folders", body);
        assert_eq!(made.status, 201, "{made}");
        made.data()["token"].as_str().expect("a token").to_owned()
    };
    let events = made("Events", Value::Null);
    let taken = "There is already a folder with this name";
    let new = |name: &str, above: &str| browser.post("/forms/folders", &[("folder_name", name), ("folder", above)]);
    says(&new("events", ""), &[("new-folder", taken)]);
    says(&new("", ""), &[("new-folder", "Fill in this field")]);
    says(&new(LONG, ""), &[("new-folder", "Use at most 100 characters")]);
    let page = new(LONG, "");
    assert!(page.text.contains(&format!("value=\"{LONG}\"")), "nothing typed is cut");
    let other = made("Other", Value::Null);
    let renamed = browser.post(&format!("/forms/folders/{other}/rename"), &[("folder_name", "Events")]);
    says(&renamed, &[("folder-name", taken)]);
    // The page is still that of the folder.
    assert!(renamed.text.contains(&format!("/forms/folders/{other}/delete")));
    // What lies in a folder can't move up beside one of its name.
    made("Events", json!(other));
    let kept = browser.post(&format!("/forms/folders/{other}/delete"), &[]);
    assert_eq!(kept.status, 422);
    assert!(kept.text.contains("A folder in it has the same name as one on the level above"));
    let mut deepest = events;
    for name in ["2", "3", "4", "5"] {
        deepest = made(name, json!(deepest));
    }
    says(&new("6", &deepest), &[("new-folder", "Folders can be nested up to 5 levels deep")]);
}

#[test]
fn sharing() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    account(&server, "bob@example.org");
    let owner = server.token(email, "form:read form:write");
    let form = owner.form(json!([{"type": "short_text", "label": "A"}])).token;
    let browser = Session::on(&server).signed_in(email);
    let path = format!("/forms/{form}/people");
    for (typed, words) in [
        ("", "Fill in this field"),
        ("nobody@example.org", "No one in your organization has this email"),
        (email, "This person already owns the form"),
    ] {
        let page = browser.post(&path, &[("email", typed), ("role", "viewer")]);
        says(&page, &[("email", words)]);
        assert!(page.text.contains(&format!("value=\"{typed}\"")));
    }
}

#[test]
fn in_the_readers_language() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let chinese = [("name", "Ann"), ("locale", "zh-CN"), ("timezone", "UTC")];
    assert_eq!(browser.post("/profile", &chinese).status, 303);
    for (path, pairs, fields) in [
        ("/profile", &[("name", ""), ("timezone", "Mars")][..], &["name", "timezone"][..]),
        ("/profile/password", &[("old_password", "x")], &["old_password", "password"]),
        ("/profile/tokens", &[], &["token_name", "scopes"]),
        ("/profile/second-factor/codes", &[("password", "x")], &["password"]),
        ("/forms/folders", &[("folder_name", LONG)], &["new-folder"]),
    ] {
        let page = browser.post(path, pairs);
        if path.ends_with("codes") {
            // Without a second factor there are none.
            assert!([404, 422].contains(&page.status), "{page}");
            continue;
        }
        for field in fields {
            let words = beside(&page, field);
            let is_chinese = words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(is_chinese, "{path} {field}: {words}");
        }
    }
}
