//! Each secret is of use in one place (S26), and none of them is in the files (S31, S38).

use std::fs;

use serde_json::json;
use support::Server;

use crate::oauth::{TOKEN, app, error, exchange, somebody};

#[test]
fn each_secret_is_of_use_in_one_place() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, email) = somebody(server);
    let personal = server.token(&email, "form:read form:write entry:read entry:write");
    let token = personal.token.clone().expect("a token");
    let form = personal.form(json!([{"type": "short_text", "label": "Name"}]));
    let settings = json!({"submission_options": {"allow_edit_after_submission": true}});
    assert_eq!(personal.patch(format!("{}/settings", form.path()), settings).status, 200);
    let submitted = server.anon().post(form.submissions(), json!({"field_values": {"field_1": "Ann"}}));
    let submitted = submitted.data();
    let entry = submitted["entry"]["token"].as_str().expect("a token").to_owned();
    let edit = submitted["edit_token"].as_str().unwrap_or_else(|| panic!("{submitted}")).to_owned();
    for _ in 0..2 {
        personal.post(form.entries(), json!({"field_values": {}}));
    }
    let list = personal.get(format!("{}?page_size=1", form.entries())).json();
    let cursor = list["pagination"]["next_cursor"].as_str().expect("a cursor").to_owned();
    let pair = ours.tokens(&browser);
    let secret = ours.secret.clone().expect("a secret");
    let session = browser.cookie("formsvc_session").expect("a session");
    browser.get("/profile");
    let csrf = browser.csrf();

    let made = |name: &'static str, text: &str| (name, text.to_owned());
    let secrets = [
        made("personal token", &token),
        made("access token", &pair.access),
        made("refresh token", &pair.refresh),
        made("client secret", &secret),
        made("edit token", &edit),
        made("cursor", &cursor),
        made("session", &session),
        made("csrf token", &csrf),
    ];
    let own = format!("{}/entries/{entry}", form.published());
    for (name, text) in &secrets {
        let is = |other: &str| *name == other;
        let me = server.anon().with_token(text).get("/api/v1/me").status;
        let opens = is("personal token") || is("access token");
        assert_eq!(me, if opens { 200 } else { 401 }, "{name} as bearer");
        if !is("edit token") {
            let asked = server.anon().header("x-edit-token", text).get(&own);
            assert_eq!(asked.to_string(), r#"404 {"error":"Entry not found"}"#, "{name} as edit token");
        }
        if !is("cursor") {
            let paged = personal.get(format!("{}?page_size=1&cursor={text}", form.entries()));
            assert_eq!(paged.status, 400, "{name} as cursor");
        }
        if !is("refresh token") {
            assert_eq!(error(&ours.refresh(text)), "invalid_grant", "{name} as refresh token");
        }
        assert_eq!(error(&ours.exchange(text)), "invalid_grant", "{name} as code");
        if !is("client secret") {
            let pairs = [("client_id", ours.id.as_str()), ("client_secret", text)];
            let pairs = [&pairs[..], &exchange("x")].concat();
            assert_eq!(error(&server.anon().post_form(TOKEN, &pairs)), "invalid_client", "{name} as client secret");
        }
        if !is("session") {
            let cookie = format!("formsvc_session={text}");
            let profile = server.anon().header("cookie", &cookie).get("/profile");
            assert_eq!(profile.status, 303, "{name} as session");
        }
        if !is("csrf token") {
            let caller = browser.caller().header("origin", &server.base);
            let posted = caller.post_form("/profile", &[("csrf", text)]);
            assert_eq!(posted.status, 403, "{name} as CSRF token");
        }
    }
    // Each of them is still good in its own place.
    assert_eq!(server.anon().header("x-edit-token", &edit).get(&own).status, 200);
    assert_eq!(ours.refresh(&pair.refresh).status, 200);
}

#[test]
fn the_files_hold_none_of_them() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let code = ours.code(&browser);
    let unused = ours.code(&browser);
    let pair = super::Pair::of(&ours.exchange(&code));
    let next = super::Pair::of(&ours.refresh(&pair.refresh));
    let secret = ours.secret.clone().expect("a secret");
    for file in ["formsvc.db", "formsvc.db-wal"] {
        let bytes = fs::read(server.dir.join(file)).unwrap_or_default();
        for text in [&code, &unused, &pair.access, &pair.refresh, &next.access, &next.refresh, &secret] {
            let is_there = bytes.windows(text.len()).any(|part| part == text.as_bytes());
            assert!(!is_there, "{file} holds {text}");
        }
    }
}
