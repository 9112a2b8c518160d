//! Account pages as a program sees them: the profile, confirmations, and the data that they keep to themselves.

use serde_json::json;
use support::session::{Session, account};
use support::sharing::id;

use super::{ANN, BOB, anns, folder, me};

#[test]
fn the_profile_changes_ones_own_account() {
    let (server, browser) = anns();
    let typed = [("name", "Ann Li"), ("locale", "zh-CN"), ("timezone", "Asia/Shanghai")];
    browser.post("/profile", &typed).leads_to("/profile?done=profile");
    browser.get("/profile?done=profile").has([r#"lang="zh-CN""#, "个人资料", "已保存"]);
    let me = me(&server.token(ANN, "form:read"));
    assert_eq!([&me["name"], &me["timezone"]], ["Ann Li", "Asia/Shanghai"]);
    browser.get("/profile?done=%3Cscript%3E").lacks(["<script>"]);
}

#[test]
fn a_question_changes_nothing_and_is_asked_of_who_may_answer_it() {
    let (server, browser) = anns();
    account(&server, BOB);
    let ann = server.token(ANN, "form:read form:write");
    let bob = Session::on(&server).signed_in(BOB);
    let page = browser.get("/profile").text;
    let number = page.split("/profile/tokens/").nth(1).and_then(|rest| rest.split('/').next());
    let revoke = format!("/profile/tokens/{}/revoke", number.expect("a row"));
    let disable = format!("/members/{}/disable", id(&server.token(BOB, "form:read")));
    let events = folder(&ann, "<i>Events</i>");
    let delete = format!("/forms/folders/{events}/delete");
    for (path, name) in [
        (revoke.as_str(), "test"),
        (&disable, "Ann &lt;b&gt;Lee&lt;/b&gt;"),
        (&delete, "&lt;i&gt;Events&lt;/i&gt;"),
        ("/profile/sessions/end", "everywhere else"),
    ] {
        // The yes posts to the same address.
        browser.get(path).is_for(200, path).has([name, &format!("action=\"{path}\"")]);
    }
    ann.get("/api/v1/me").is(200);
    bob.get("/profile").is(200);
    assert_eq!(ann.get("/api/v1/folders").data()[0]["token"], events);
    // Neither things of others nor missing ones.
    for (path, status) in [
        (revoke.as_str(), 404),
        (&disable, 403),
        (&delete, 403),
        ("/profile/tokens/x/revoke", 404),
        ("/profile/apps/x/disconnect", 404),
        ("/members/invitations/1/revoke", 403),
        ("/forms/folders/x/delete", 404),
        ("/forms/x/people/y/remove", 404),
        ("/forms/x/folder", 404),
        ("/forms/x/share", 404),
    ] {
        bob.get(path).is_for(status, path);
    }
}

#[test]
fn faults_of_people_keep_the_navigation_and_say_as_whom() {
    let (server, _) = anns();
    account(&server, BOB);
    let bob = Session::on(&server).signed_in(BOB);
    for (path, status, words) in [
        ("/audit", 403, "Only owners can do this"),
        ("/nowhere", 404, "Page not found"),
        ("/f/nothinghere", 404, "This form can’t be found"),
        ("/forms/nothinghere/people", 404, "This form can’t be found"),
    ] {
        let page = bob.get(path).is_for(status, path);
        page.has([words, "href=\"/members\"", BOB, "href=\"/forms\""]).lacks(["too long"]);
        // A stranger learns of nobody.
        Session::on(&server).get(path).lacks(["/sign-out"]);
    }
    // Only a post from no page of this session is called too old.
    let stale = bob.caller().header("origin", &server.base).post_form("/profile", &[("csrf", "x")]);
    stale.is(403).has(["open for too long", "href=\"/members\""]);
    // Another's folder is neither, and the way back is to this very folder.
    let path = format!("/forms?folder={}", folder(&server.token(ANN, "form:write"), "x"));
    let next = format!(r#"name="next" value="{path}""#);
    bob.get(&path).is(403).has(["don’t have access", &next]).lacks(["too long"]);
}

#[test]
fn browsers_are_asked_to_check_nothing() {
    let (server, browser) = anns();
    account(&server, BOB);
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form(json!([{"type": "short_text", "label": "A"}])).token;
    let inside = format!("/forms?folder={}", folder(&owner, "x"));
    let (people, place) = (format!("/forms/{form}/people"), format!("/forms/{form}/folder"));
    let mut pages = vec![Session::on(&server).get("/sign-in")];
    pages.extend(["/profile", "/profile/second-factor", "/profile/sessions/end"].map(|path| browser.get(path)));
    pages.extend(["/forms", &inside, &people, &place].map(|path| browser.get(path)));
    pages.extend(["/members", "/welcome", "/nowhere"].map(|path| browser.get(path)));
    let tags = pages.iter().flat_map(|page| page.text.split("<form").skip(1));
    let tags = tags.map(|rest| rest.split('>').next().expect("its end"));
    let tags: Vec<&str> = tags.filter(|tag| tag.contains("method=\"post\"")).collect();
    assert!(tags.len() > 20, "{tags:?}");
    let checked: Vec<&&str> = tags.iter().filter(|tag| !tag.contains(" novalidate")).collect();
    assert!(checked.is_empty(), "{checked:?}");
}
