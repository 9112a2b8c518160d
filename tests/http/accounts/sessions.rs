//! Sessions on the web: when they end, on the server and not in the browser alone (S18, S19, S44).

use sha2::{Digest as _, Sha256};
use support::session::{PASSWORD, Session};
use support::store::database;
use support::{Server, formsvc};

use super::members::typed;
use super::{ANN, BOB, anns, invited, ran};

#[test]
fn a_sign_in_replaces_the_session_that_was_given() {
    let (server, browser) = anns();
    let planted = Session::on(&server);
    planted.set_cookie("formsvc_session", "planted");
    planted.signed_in(ANN);
    let first = browser.cookie("formsvc_session").expect("a session");
    // Another tab still shows the sign-in page.
    let tab = Session::on(&server);
    tab.get("/sign-in");
    tab.set_cookie("formsvc_session", &first);
    tab.post("/sign-in", &[("email", ANN), ("password", PASSWORD)]).is(303);
    assert_ne!(tab.cookie("formsvc_session").expect("a session"), first);
    assert_eq!(browser.get("/profile").status, 303, "the one before has ended");
    tab.get("/profile").is(200);
}

#[test]
fn a_session_ends_with_the_password_with_time_and_with_the_account() {
    let (server, kept) = anns();
    let live = || Session::on(&server).signed_in(ANN);
    let has_ended = |browser: &Session| browser.get("/profile").header("location").starts_with("/sign-in");
    // A new password ends all others.
    let ended = live();
    let typed = [("old_password", PASSWORD), ("password", "another quiet harbour")];
    kept.post("/profile/password", &typed).leads_to("/profile?done=password");
    kept.get("/profile?done=password").has(["Password changed"]);
    assert!(has_ended(&ended) && !has_ended(&kept));
    Session::on(&server).sign_in(ANN, PASSWORD).is(422);
    // So does one that is set on the command line, for all of them.
    let set = formsvc(&server.dir, &["user", "set-password", ANN, "--password-stdin"], PASSWORD);
    assert!(set.status.success() && has_ended(&kept), "{set:?}");
    // Too long idle, or too old.
    for (column, days, ends) in
        [("seen_at", 6, false), ("seen_at", 8, true), ("created_at", 29, false), ("created_at", 31, true)]
    {
        let browser = live();
        let hash = Sha256::digest(browser.cookie("formsvc_session").expect("a session")).to_vec();
        let age = format!("UPDATE sessions SET {column} = {column} - ?1 WHERE hash = ?2");
        let aged = database(&server.dir).execute(&age, (days * 86_400_000_i64, hash)).expect("ages");
        assert_eq!((aged, has_ended(&browser)), (1, ends), "{column} {days}");
    }
    assert_eq!(ran(&server, &["jobs", "run-once", "sessions", "--json"]), r#"[{"job":"sessions","done":2}]"#);
    // Disabled.
    let browser = live();
    ran(&server, &["user", "disable", ANN]);
    assert!(has_ended(&browser));
    Session::on(&server).sign_in(ANN, PASSWORD).is(422);
}

#[test]
fn the_profile_names_the_browser_and_the_system_of_each_session() {
    let (server, one) = anns();
    let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                  Version/18.5 Mobile/15E148 Safari/604.1";
    let hostile = "<script>alert(1)</script>";
    for agent in [firefox, safari, hostile] {
        Session::on(&server).header("user-agent", agent).signed_in(ANN);
    }
    one.get("/profile").has(["Firefox on Linux", "Safari on iOS", "Unknown browser"]).lacks([hostile, "Firefox/145"]);
    // A user who joins or sets the service up is signed in at once.
    let joined = Session::on(&server).header("user-agent", safari);
    let path = invited(&server, &one, "member");
    joined.get(&path);
    joined.post(&path, &typed(BOB)).is(303);
    joined.get("/profile").has(["Safari on iOS"]).lacks(["Unknown browser"]);
    let fresh = Server::alone("nobody has an account there");
    let link = ran(&fresh, &["setup-link"]);
    let path = link.split_once("/setup/").expect("a link").1;
    let first = Session::on(&fresh).header("user-agent", firefox);
    first.get(&format!("/setup/{path}"));
    first.post(&format!("/setup/{path}"), &[&typed(ANN)[..], &[("organization", "Lee")]].concat()).is(303);
    first.get("/profile").has(["Firefox on Linux"]);
}

#[test]
fn the_profile_shows_sessions_and_ends_the_others() {
    let (server, one) = anns();
    let two = Session::on(&server).signed_in(ANN);
    let page = one.get("/profile");
    page.has(["This browser", "Unknown browser"]);
    assert_eq!(page.text.matches("Signed in:").count(), 2, "{page}");
    one.post("/profile/sessions/end", &[]).leads_to("/profile?done=sessions");
    one.get("/profile").is(200).lacks(["/profile/sessions/end"]);
    two.get("/profile").is(303);
}
