//! The people of an organisation on the web: invited by link, given roles, kept out (S44, S93).

use support::session::{PASSWORD, Session, account, with_account};
use support::sharing::id;
use support::store::{count, database};
use support::{Response, Server, at_once};

use super::{ANN, BOB, anns, files_hold_none, invited, me, people, ran};

/// The form of somebody who joins.
pub fn typed(email: &str) -> [(&str, &str); 4] {
    [("name", "Bob"), ("email", email), ("password", PASSWORD), ("timezone", "UTC")]
}

fn join(server: &Server, path: &str, email: &str) -> (Session, Response) {
    let browser = Session::on(server);
    // Before the page is looked at there is no visit to post in.
    if browser.get(path).status != 200 {
        browser.get("/sign-in");
    }
    let answer = browser.post(path, &typed(email));
    (browser, answer)
}

#[test]
fn an_invitation_is_used_once_and_fixes_organisation_and_role() {
    let (server, owner) = anns();
    let path = invited(&server, &owner, "member");
    server.anon().get("/invitation/{token}".replace("{token}", "x")).is(404);
    // 256 bits; shown once; only a hash is kept.
    let secret = path.strip_prefix("/invitation/").expect("the path");
    assert!(secret.len() >= 43, "{secret}");
    owner.get("/members").lacks([secret]);
    files_hold_none(&server, &[secret]);
    let browser = Session::on(&server);
    for _ in 0..2 {
        assert_eq!(browser.get(&path).is(200).header("x-robots-tag"), "noindex");
    }
    // Other parameters in the post change nothing.
    let odd = [("role", "owner"), ("organization", "Elsewhere")];
    browser.post(&path, &[&typed(BOB)[..], &odd].concat()).leads_to("/forms");
    browser.get("/profile").is(200);
    let organization = |email: &str| me(&server.token(email, "form:read"))["organization"]["id"].clone();
    assert_eq!(organization(BOB), organization(ANN));
    join(&server, &path, "eve@example.org").1.is(404);
    join(&server, &invited(&server, &owner, "owner"), "cat@example.org").1.is(303);
    assert_eq!(people(&server), ["ann@example.org owner", "bob@example.org member", "cat@example.org owner"]);
}

#[test]
fn an_invitation_lets_one_of_several_at_once_join() {
    let (server, owner) = anns();
    let path = invited(&server, &owner, "member");
    let statuses = at_once(3, |n| join(&server, &path, &format!("p{n}@example.org")).1.status);
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(people(&server).len(), 2);
}

#[test]
fn an_invitation_ends_with_its_time_its_owner_and_when_it_is_taken_back() {
    let (server, owner) = anns();
    let ends = |path: &str, why: &str| {
        join(&server, path, "x@example.org").1.is_for(404, why);
    };
    let (helper, joined) = join(&server, &invited(&server, &owner, "owner"), "helper@example.org");
    joined.is(303);
    let path = invited(&server, &owner, "member");
    let page = owner.get("/members");
    let number = page.text.split("/members/invitations/").nth(1).and_then(|rest| rest.split('/').next());
    let revoke = format!("/members/invitations/{}/revoke", number.expect("a row"));
    owner.post(&revoke, &[]).is(303);
    ends(&path, "taken back");
    owner.post(&revoke, &[]).is(404);
    let path = invited(&server, &owner, "member");
    let week = 7 * 86_400_000 + 1000;
    let age = format!("UPDATE invitations SET expires_at = expires_at - {week}");
    database(&server.dir).execute(&age, []).expect("ages");
    ends(&path, "too old");
    ran(&server, &["jobs", "run-once", "--json"]);
    assert_eq!(count(&server.dir, "SELECT count(*) FROM invitations"), 0);
    // The inviting owner has lost that role, or is disabled.
    for end in [&["user", "set-role", "helper@example.org", "member"][..], &["user", "disable", "helper@example.org"]] {
        ran(&server, &["user", "set-role", "helper@example.org", "owner"]);
        let path = invited(&server, &helper, "owner");
        ran(&server, end);
        ends(&path, &end.join(" "));
    }
    assert_eq!(people(&server).len(), 2);
}

#[test]
fn members_see_the_others_and_owners_decide() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    account(&server, BOB);
    server.stranger("far@example.org");
    let (ann, bob) = (Session::on(&server).signed_in(email), Session::on(&server).signed_in(BOB));
    let page = bob.get("/members");
    page.has([ANN, BOB]).lacks(["far@example.org", "/members/invitations"]);
    let [ann_id, bob_id, far_id] = [ANN, BOB, "far@example.org"].map(|email| id(&server.token(email, "form:read")));
    let role_of = |id: &str| format!("/members/{id}/role");
    let (disable, enable) = (format!("/members/{ann_id}/disable"), format!("/members/{ann_id}/enable"));
    let role = |role| [("role", role)];
    // A member raises nobody, invites nobody, keeps nobody out.
    for (path, pairs) in [
        (&*role_of(&bob_id), &role("owner")[..]),
        (&role_of(&ann_id), &role("member")),
        (&disable, &[]),
        (&enable, &[]),
        ("/members/invitations", &role("member")),
        ("/members/invitations/1/revoke", &[]),
    ] {
        bob.post(path, pairs).is_for(403, path);
    }
    // An owner has no say elsewhere.
    for path in ["role", "disable", "enable"].map(|act| format!("/members/{far_id}/{act}")) {
        ann.post(&path, &role("owner")).is_for(404, &path);
    }
    // The last owner stays one, and is not asked first.
    let post = |path: &str| ann.post(path, &role("member"));
    for refused in [post(&role_of(&ann_id)), post(&disable), ann.get(&disable)] {
        refused.is(422).has(["The organization needs an owner"]);
    }
    ann.post(&role_of(&bob_id), &role("owner")).is(303);
    // A word that is no role makes nobody anything.
    for pairs in [&role("Member")[..], &role(""), &[]] {
        for path in [&role_of(&bob_id), "/members/invitations"] {
            ann.post(path, pairs).is_for(422, (path, pairs));
        }
    }
    bob.get("/members").is(200);
    bob.post(&role_of(&ann_id), &role("member")).is(303);
    ann.post(&format!("/members/{bob_id}/disable"), &[]).is(403);
    // Kept out at once, and let in again.
    let token = server.token(ANN, "form:read");
    bob.post(&disable, &[]).is(303);
    token.get("/api/v1/me").is(401);
    ann.get("/profile").is(303);
    bob.get("/members").has(["Disabled"]);
    bob.post(&enable, &[]).is(303);
    token.get("/api/v1/me").is(200);
    Session::on(&server).signed_in(ANN);
}
