//! Access tokens, and other secrets that are shown once and kept as hashes (S15, S16, S93).

use serde_json::json;
use support::session::{PASSWORD, SETUP, Session, account, link_path, shown};
use support::store::database;
use support::{Server, text};

use super::{ANN, BOB, anns, files_hold_none, me, printed};

#[test]
fn tokens_are_made_and_revoked_on_the_profile() {
    let (server, browser) = anns();
    browser.get("/profile").has(["You have no tokens."]);
    let mut typed = vec![("token_name", "CI <b>"), ("expires", "30")];
    typed.extend(["form:read", "entry:read", "odd"].map(|scope| ("scopes", scope)));
    let made = browser.post_on("/profile/tokens", &typed).is(200);
    let token = shown(&made.text, "token");
    let caller = server.anon().with_token(&token);
    assert_eq!(me(&caller)["token"]["scopes"], json!(["form:read", "entry:read"]));
    browser.get("/profile").has(["CI &lt;b&gt;"]).lacks([&token]);
    let listed = printed(&server, &["token", "list"])[0].clone();
    let at = |key: &str| listed[key].as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time");
    let hours = (at("expires_at") - at("created_at")).total(jiff::Unit::Hour).expect("hours");
    assert_eq!(hours, 30.0 * 24.0, "{listed}");
    // Somebody else's can't be revoked, nor seen.
    account(&server, BOB);
    let bob = Session::on(&server).signed_in(BOB);
    bob.get("/profile").lacks(["CI &lt;b&gt;"]);
    let revoke = format!("/profile/tokens/{}/revoke", listed["id"]);
    bob.post(&revoke, &[]).is(404);
    bob.post("/profile/tokens/x/revoke", &[]).is(404);
    caller.get("/api/v1/me").is(200);
    browser.post(&revoke, &[]).leads_to("/profile?done=revoked");
    caller.get("/api/v1/me").is(401);
    browser.get(&revoke).is(404);
    browser.get("/profile").lacks(["CI &lt;b&gt;"]);
}

/// A user has at most 100 tokens that are valid (S99).
#[test]
fn a_hundred_tokens_are_enough_for_anybody() {
    let (server, browser) = anns();
    let made = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101) \
        INSERT INTO tokens (hash, user_id, name, scopes, created_at, expires_at) \
        SELECT randomblob(32), (SELECT id FROM users), 'x', 'form:read', 0, iif(i > 99, 1, NULL) FROM n";
    assert_eq!(database(&server.dir).execute(made, []).expect("made"), 101);
    let typed = [("token_name", "mk-new"), ("expires", "30"), ("scopes", "form:read")];
    browser.get("/profile");
    // Two of them are over.
    browser.post_on("/profile/tokens", &typed).is(200);
    let fault = "would be more than 100 tokens: revoke one that is no longer used";
    browser.get("/profile");
    browser.post("/profile/tokens", &typed).is(422).has(["revoke one that is no longer used"]);
    let refused = server.run(&["token", "create", "--user", ANN, "--name", "x", "--scope", "form:read"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains(fault), "{refused:?}");
    server.run(&["token", "revoke", "1"]);
    browser.get("/profile");
    browser.post_on("/profile/tokens", &typed).is(200);
}

#[test]
fn only_tokens_that_were_made_are_taken() {
    let server = Server::shared();
    let token = server.user().token.expect("a token");
    let anon = server.anon();
    me(&anon.with_token(&token));
    // A right checksum on another body; a wrong one on the right body.
    let elsewhere = Server::alone("its tokens are those of another service").user().token.expect("a token");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let wrong = format!("{}{last}", &token[..token.len() - 1]);
    let (upper, longer, long) = (token.to_uppercase(), format!("{token}0"), "x".repeat(4000));
    for odd in ["", "fsv_", &elsewhere, &wrong, &token[4..], &upper, &longer, &long] {
        anon.with_token(odd).get("/api/v1/me").is_for(401, odd);
    }
    // Nor is a right one taken in another place (see `api/routes.rs`).
    anon.header("authorization", &format!("Basic {token}")).get("/api/v1/me").is(401);
    anon.header("cookie", &format!("formsvc_session={token}")).get("/api/v1/me").is(401);
}

#[test]
fn a_new_secret_is_for_the_session_that_made_it_once() {
    let (server, browser) = anns();
    let other = Session::on(&server).signed_in(ANN);
    for (post, page, pairs, id) in [
        ("/profile/tokens", "/profile/tokens/made", &[("token_name", "x"), ("scopes", "form:read")][..], "token"),
        ("/members/invitations", "/members/invitations/made", &[("role", "member")], "link"),
    ] {
        let mark = format!("id=\"{id}\"");
        assert_eq!(browser.post(post, pairs).leads_to(page).text, "");
        // Another session of the same person sees nothing, and looking at the headers spends nothing.
        other.get(page).lacks([&mark]);
        browser.caller().send("HEAD", page, None, b"").is(405);
        let made = browser.get(page).is(200);
        assert_eq!(made.header("cache-control"), "no-store", "{page}");
        assert_ne!(shown(&made.text, id), "", "{page}");
        browser.get(page).is_for(200, page).has(["shown only once"]).lacks([&mark]);
        Session::on(&server).get(page).is_for(303, page);
    }
}

#[test]
fn files_and_logs_hold_no_secret_that_was_handed_out() {
    let server = Server::alone("its database is changed");
    let (path, browser) = (link_path(&server), Session::on(&server));
    browser.get(&path);
    let visit = browser.csrf();
    let token = shown(&browser.post_on(&path, &SETUP).text, "token");
    let by_cli = server.token(ANN, "form:read").token.expect("a token");
    browser.get("/profile");
    let made = browser.post_on("/profile/tokens", &[("token_name", "x"), ("scopes", "form:read")]);
    let by_page = shown(&made.text, "token");
    let [session, device] = ["formsvc_session", "formsvc_device"].map(|name| browser.cookie(name).expect("a cookie"));
    let csrf = browser.csrf();
    let link = path.rsplit('/').next().expect("a secret");
    let bodies = [&token, &by_cli, &by_page].map(|token| token.strip_prefix("fsv_").expect("a token"));
    let secrets = [&[PASSWORD, link, &session, &device, &csrf, &visit][..], &bodies].concat();
    files_hold_none(&server, &secrets);
    server.signal("TERM");
    server.wait();
    let logged = server.stderr();
    for secret in secrets {
        assert!(!logged.contains(secret), "{secret}: {logged}");
    }
}
