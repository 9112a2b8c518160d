//! Verification codes: the entries that have one, that no two are the same, and the answer to a look-up.

use std::collections::HashSet;

use serde_json::{Value, json};
use support::steps::{add, set};
use support::{Caller, Form, Response, Server, at_once, field};

fn form_with_codes(owner: &Caller) -> Form {
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    set(owner, &form, json!({"verification_code": {"enabled": true}}));
    form
}

fn code(entry: &Value) -> String {
    let code = entry["gen_code"].as_str();
    code.unwrap_or_else(|| panic!("no code: {entry}")).to_owned()
}

/// The page's address of a question about a code.
fn page(form: &Form, code: &str) -> String {
    format!("{}/verify?code={code}", form.page())
}

fn ask(form: &Form, code: &str) -> Response {
    let anon = Server::shared().anon();
    let by_page = anon.header("accept", "application/json").get(page(form, code));
    let by_api = anon.get(format!("/api/v1/f/{}/verify?code={code}", form.token));
    assert_eq!(by_page.text, by_api.text);
    assert_eq!(by_page.status, by_api.status);
    by_page
}

fn is_valid(form: &Form, code: &str) -> bool {
    let answer = ask(form, code);
    assert_eq!(answer.status, 200, "{answer}");
    let valid = answer.data()["valid"].as_bool().expect("true or false");
    assert_eq!(answer.json(), json!({"data": {"valid": valid}}));
    valid
}

#[test]
fn every_new_entry_has_a_code_for_ever() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    add(&owner, &form, json!({"field_1": "before"}));
    assert_eq!(owner.get(form.entry(1)).data().get("gen_code"), None);
    set(&owner, &form, json!({"verification_code": {"enabled": true, "length": 6}}));
    assert_eq!(owner.get(form.entry(1)).data()["gen_code"], json!(null));
    add(&owner, &form, json!({"field_1": "one"}));
    let bulk = json!({"entries": [{"field_values": {}}, {"field_values": {"field_1": "three"}}]});
    assert_eq!(owner.post(format!("{}/bulk", form.entries()), bulk).status, 201);
    let csv = owner.send("POST", &format!("{}/import", form.entries()), Some("text/csv"), b"Name\nfour\nfive\n");
    assert_eq!(csv.status, 201, "{csv}");
    let sent = Server::shared().anon().post(form.submissions(), json!({"field_values": {"field_1": "six"}}));
    assert_eq!(sent.status, 201, "{sent}");
    let codes: Vec<String> = (2..=7).map(|serial| code(&owner.get(form.entry(serial)).data())).collect();
    assert_eq!(sent.data()["gen_code"], json!(codes[5]));
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 6);
    for code in &codes {
        let is_clear = code.bytes().all(|letter| b"ACDEFHJKMNPQRTVWXY34679".contains(&letter));
        assert!(code.len() == 6 && is_clear, "{code}");
        assert!(is_valid(&form, code), "{code}");
    }
    // Changed, deleted and restored: it stays the same.
    let changed = json!({"field_values": {"field_1": "changed"}});
    assert_eq!(code(&owner.patch(form.entry(2), changed).data()), codes[0]);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    assert!(!is_valid(&form, &codes[0]));
    let restored = owner.post(format!("{}/restore", form.trashed(2)), json!({}));
    assert_eq!(code(&restored.data()), codes[0]);
    assert!(is_valid(&form, &codes[0]));
    // For good: the code is nobody's.
    assert_eq!(owner.delete(form.entry(3)).status, 200);
    assert_eq!(owner.delete(form.trashed(3)).status, 200);
    assert!(!is_valid(&form, &codes[1]));
    // Another length is for new entries.
    set(&owner, &form, json!({"verification_code": {"length": 16}}));
    add(&owner, &form, json!({}));
    assert_eq!(code(&owner.get(form.entry(8)).data()).len(), 16);
    assert_eq!(code(&owner.get(form.entry(2)).data()), codes[0]);
}

#[test]
fn a_large_import_has_codes_too() {
    let owner = Server::shared().user();
    let form = form_with_codes(&owner);
    let rows: String = (0..1500).map(|n| format!("row {n}\n")).collect();
    let csv =
        owner.send("POST", &format!("{}/import", form.entries()), Some("text/csv"), format!("Name\n{rows}").as_bytes());
    assert_eq!(csv.status, 201, "{csv}");
    let file = owner.get(format!("{}/export?format=json", form.entries()));
    let all: Value = file.json();
    let codes: HashSet<String> = all.as_array().expect("rows").iter().map(code).collect();
    assert_eq!(codes.len(), 1500);
    let last = owner.get(form.entry(1500)).data();
    assert!(is_valid(&form, &code(&last)));
}

#[test]
fn thirty_two_at_once_get_codes_of_their_own() {
    let server = Server::shared();
    let owner = server.user();
    let form = form_with_codes(&owner);
    let sent = at_once(32, |_| {
        let one = || {
            let sent = server.anon().post(form.submissions(), json!({"field_values": {}}));
            assert_eq!(sent.status, 201, "{sent}");
            code(&sent.data())
        };
        [one(), one(), one(), one()]
    });
    let codes: HashSet<String> = sent.into_iter().flatten().collect();
    assert_eq!(codes.len(), 128);
}

#[test]
fn only_whether_a_code_is_valid_is_told() {
    let server = Server::shared();
    let owner = server.user();
    let form = form_with_codes(&owner);
    let other = form_with_codes(&owner);
    add(&owner, &form, json!({"field_1": "planted-mark"}));
    let code = code(&owner.get(form.entry(1)).data());
    let spaced = format!("%20{}%20-{}", &code[..3].to_lowercase(), &code[3..]);
    assert!(is_valid(&form, &spaced));
    assert!(!is_valid(&other, &code));
    for wrong in ["", "%20", "x", "%00", &code[1..], &"A".repeat(5000), "%F0%9F%98%80"] {
        assert!(!is_valid(&form, wrong), "{wrong}");
    }
    let page = server.anon().get(page(&form, &code));
    assert_eq!(page.status, 200, "{page}");
    assert!(page.text.contains("This code is valid"), "{page}");
    assert!(!page.text.contains("planted-mark"), "{page}");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert_eq!(page.header("cache-control"), "no-store");
    let asked = server.anon().get(format!("{}/verify", form.page()));
    assert!(asked.text.contains("Enter a verification code"), "{asked}");
    let hostile = server.anon().get(self::page(&form, "%3Cscript%3E%7B%7Bfield_1%7D%7D"));
    assert!(hostile.text.contains("This code is not valid"), "{hostile}");
    assert!(hostile.text.contains("&lt;script&gt;{{field_1}}"), "{hostile}");
}

#[test]
fn the_page_shows_masked_whose_certificate_it_is() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({})), field("name", json!({}))]));
    set(&owner, &form, json!({"verification_code": {"enabled": true}}));
    add(&owner, &form, json!({"field_1": "Grace", "field_2": "Ada Lovelace"}));
    let code = code(&owner.get(form.entry(1)).data());
    let shown = || anon.get(page(&form, &code)).text;
    let paper = |body: &str| json!({"certificate": {"enabled": true, "body": body}});
    for (settings, is_told) in [
        // Without a certificate, or one that tells a name, there is none.
        (json!({}), false),
        (paper("For {{field_1}}"), false),
        (paper("For {{ field_2 }} and {{field_1}}"), true),
        (json!({"certificate": {"min_score": 1}}), false),
        (json!({"certificate": {"min_score": null}}), true),
        (json!({"access_control": {"access_password": "secret"}}), false),
    ] {
        set(&owner, &form, settings.clone());
        let page = shown();
        assert!(page.contains("This code is valid"), "{settings}: {page}");
        assert_eq!(page.contains("The certificate is for A**."), is_told, "{settings}: {page}");
        assert!(!["Lovelace", "Ada", "Grace"].iter().any(|name| page.contains(name)), "{settings}: {page}");
        // Programs learn whether it is valid, and nothing else.
        assert!(is_valid(&form, &code));
    }
    let wrong = anon.get(page(&form, "AAAAAA")).text;
    assert!(!wrong.contains("The certificate is for"), "{wrong}");
}

#[test]
fn there_is_nothing_to_verify_without_codes() {
    let server = Server::shared();
    let owner = server.user();
    let form = form_with_codes(&owner);
    add(&owner, &form, json!({}));
    let code = code(&owner.get(form.entry(1)).data());
    let gone = |form: &Form| {
        let answer = ask(form, &code);
        assert_eq!(answer.to_string(), r#"404 {"error":"Form not found"}"#);
        let page = server.anon().get(page(form, &code));
        assert_eq!(page.status, 404, "{page}");
        assert!(page.header("content-type").starts_with("text/html"), "{page}");
    };
    set(&owner, &form, json!({"verification_code": {"enabled": false}}));
    gone(&form);
    set(&owner, &form, json!({"verification_code": {"enabled": true}}));
    assert!(is_valid(&form, &code));
    // A password is for respondents; the form's name is shown only to them.
    set(&owner, &form, json!({"access_control": {"access_password": "secret"}}));
    assert!(is_valid(&form, &code));
    let name = owner.get(form.path()).data()["name"].clone();
    let name = name.as_str().expect("a name");
    let renamed = owner.patch(form.path(), json!({"name": "planted-name"}));
    assert_eq!(renamed.status, 200, "{name} {renamed}");
    let page = server.anon().get(page(&form, &code));
    assert!(!page.text.contains("planted-name"), "{page}");
    let hidden = owner.patch(form.path(), json!({"published": false}));
    assert_eq!(hidden.status, 200, "{hidden}");
    gone(&form);
    assert_eq!(owner.delete(form.path()).status, 200);
    gone(&form);
    gone(&Form { token: "A".repeat(10), body: Value::Null });
}

#[test]
fn twenty_codes_a_minute_may_be_tried() {
    let server = Server::with(&[]);
    let owner = server.user();
    let (form, other) = (form_with_codes(&owner), form_with_codes(&owner));
    add(&owner, &form, json!({}));
    let code = code(&owner.get(form.entry(1)).data());
    let anon = server.anon();
    let api = |form: &Form| anon.get(format!("/api/v1/f/{}/verify?code=AAAAAA", form.token));
    for _ in 0..10 {
        assert_eq!(api(&form).status, 200);
        assert_eq!(anon.get(page(&form, "AAAAAA")).status, 200);
    }
    let late = api(&form);
    assert_eq!(late.status, 429, "{late}");
    assert!(late.header("retry-after").parse::<u32>().is_ok(), "{late}");
    for typed in [code.as_str(), "AAAAAA"] {
        let page = anon.get(page(&form, typed));
        assert_eq!(page.status, 429, "{page}");
        assert!(page.text.contains("Too many attempts"), "{page}");
        assert!(!page.text.contains("code is valid"), "{page}");
        assert!(page.header("retry-after").parse::<u32>().is_ok(), "{page}");
    }
    // The empty page and other forms are still there.
    assert_eq!(anon.get(format!("{}/verify", form.page())).status, 200);
    assert_eq!(api(&other).status, 200);
}
