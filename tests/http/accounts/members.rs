//! The people of an organisation on the web: invited by link, given roles, kept out (S44, S93); and where
//! somebody is signed in.

use rusqlite::Connection;
use serde_json::Value;
use support::session::{PASSWORD, Session, account, shown, with_account};
use support::{Server, at_once, text};

const OWNER: &str = "ann@example.org";

fn people(server: &Server) -> Vec<(String, String)> {
    let listed = server.run(&["user", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    let rows = listed.as_array().expect("a list").iter();
    rows.map(|row| {
        let word = |value: &Value| value.as_str().expect("text").to_owned();
        (word(&row["email"]), word(&row["organization"]["role"]))
    })
    .collect()
}

fn id_of(server: &Server, email: &str) -> String {
    let listed = server.run(&["user", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    let rows = listed.as_array().expect("a list").clone();
    let row = rows.iter().find(|row| row["email"] == email).expect("a user");
    row["id"].as_str().expect("an id").to_owned()
}

/// The path of a new invitation.
fn invited(server: &Server, owner: &Session, role: &str) -> String {
    owner.get("/members");
    let page = owner.post_on("/members/invitations", &[("role", role)]);
    let link = shown(&page.text, "link");
    link.strip_prefix(&server.base).expect("our address").to_owned()
}

fn typed(email: &str) -> [(&str, &str); 4] {
    [("name", "Bob"), ("email", email), ("password", PASSWORD), ("timezone", "UTC")]
}

fn join(server: &Server, path: &str, email: &str) -> (Session, u16) {
    let browser = Session::on(server);
    // Before the page is looked at there is no visit to post in.
    if browser.get(path).status != 200 {
        browser.get("/sign-in");
    }
    let status = browser.post(path, &typed(email)).status;
    (browser, status)
}

#[test]
fn an_invitation_is_used_once_and_fixes_organisation_and_role() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    let owner = Session::on(&server).signed_in(OWNER);
    let path = invited(&server, &owner, "member");
    assert_eq!(server.anon().get("/invitation/{token}".replace("{token}", "x")).status, 404);
    // 256 bits; shown once; only a hash is kept.
    let secret = path.strip_prefix("/invitation/").expect("the path");
    assert!(secret.len() >= 43, "{secret}");
    assert!(!owner.get("/members").text.contains(secret));
    let files = ["formsvc.db", "formsvc.db-wal"].map(|file| std::fs::read(server.dir.join(file)));
    for file in files.into_iter().flatten() {
        assert!(!file.windows(secret.len()).any(|part| part == secret.as_bytes()));
    }
    let browser = Session::on(&server);
    for _ in 0..2 {
        let page = browser.get(&path);
        assert_eq!(page.status, 200);
        assert_eq!(page.header("x-robots-tag"), "noindex");
    }
    // What is asked for beside it changes nothing.
    let mut pairs = typed("bob@example.org").to_vec();
    pairs.extend([("role", "owner"), ("organization", "Elsewhere")]);
    let joined = browser.post(&path, &pairs);
    assert_eq!((joined.status, joined.header("location")), (303, "/forms"), "{joined}");
    let bob = ("bob@example.org".to_owned(), "member".to_owned());
    assert!(people(&server).contains(&bob));
    assert_eq!(browser.get("/profile").status, 200);
    let bobs = server.token("bob@example.org", "form:read");
    let anns = server.token(OWNER, "form:read");
    let organization = |me: Value| me["organization"]["id"].clone();
    assert_eq!(organization(bobs.get("/api/v1/me").data()), organization(anns.get("/api/v1/me").data()));
    let (_, again) = join(&server, &path, "eve@example.org");
    assert_eq!(again, 404);
    assert_eq!(people(&server).len(), 2);
    let path = invited(&server, &owner, "owner");
    assert_eq!(join(&server, &path, "cat@example.org").1, 303);
    assert!(people(&server).contains(&("cat@example.org".to_owned(), "owner".to_owned())));
}

#[test]
fn faults_are_said_and_the_link_still_works() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    let owner = Session::on(&server).signed_in(OWNER);
    let path = invited(&server, &owner, "member");
    let browser = Session::on(&server);
    browser.get(&path);
    for (field, value) in [("email", OWNER), ("password", "short"), ("name", ""), ("timezone", "Mars")] {
        let mut pairs = typed("bob@example.org");
        for pair in &mut pairs {
            if pair.0 == field {
                pair.1 = value;
            }
        }
        let page = browser.post(&path, &pairs);
        assert_eq!(page.status, 422, "{field}");
        assert!(page.text.contains(&format!("id=\"{field}-fault\"")), "{field}");
    }
    assert_eq!(browser.post(&path, &typed("bob@example.org")).status, 303);
}

#[test]
fn of_two_who_join_at_once_one_does() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    let owner = Session::on(&server).signed_in(OWNER);
    let path = invited(&server, &owner, "member");
    let statuses = at_once(3, |n| join(&server, &path, &format!("p{n}@example.org")).1);
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(people(&server).len(), 2);
}

#[test]
fn an_invitation_ends_with_its_time_its_owner_and_when_it_is_taken_back() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    let owner = Session::on(&server).signed_in(OWNER);
    let helper = invited(&server, &owner, "owner");
    let (helper, status) = join(&server, &helper, "helper@example.org");
    assert_eq!(status, 303);
    // Taken back.
    let path = invited(&server, &owner, "member");
    let page = owner.get("/members");
    let action = page.text.split("/members/invitations/").nth(1).expect("a row");
    let id = action.split('/').next().expect("a number");
    let taken = owner.post(&format!("/members/invitations/{id}/revoke"), &[]);
    assert_eq!(taken.status, 303, "{taken}");
    assert_eq!(join(&server, &path, "x@example.org").1, 404);
    assert_eq!(owner.post(&format!("/members/invitations/{id}/revoke"), &[]).status, 404);
    // Too old.
    let path = invited(&server, &owner, "member");
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    database.busy_timeout(std::time::Duration::from_secs(5)).expect("a time-out");
    let week = 7 * 86_400_000_i64;
    database.execute("UPDATE invitations SET expires_at = expires_at - ?1", [week + 1000]).expect("changed");
    assert_eq!(join(&server, &path, "x@example.org").1, 404);
    let swept = server.run(&["jobs", "run-once", "--json"]);
    assert!(swept.status.success());
    let left: i64 = database.query_row("SELECT count(*) FROM invitations", [], |row| row.get(0)).expect("a number");
    assert_eq!(left, 0);
    // Made by somebody who owns the organisation no more, or is gone.
    for end in [&["user", "set-role", "helper@example.org", "member"][..], &["user", "disable", "helper@example.org"]] {
        assert!(server.run(&["user", "set-role", "helper@example.org", "owner"]).status.success());
        let path = invited(&server, &helper, "owner");
        assert!(server.run(end).status.success());
        assert_eq!(join(&server, &path, "x@example.org").1, 404, "{end:?}");
    }
    assert_eq!(people(&server).len(), 2);
}

#[test]
fn members_see_the_others_and_owners_decide() {
    let (server, _) = with_account(&["--rate-limits", "off"]);
    account(&server, "bob@example.org");
    let made = server.run(&["user", "create", "far@example.org", "--name", "Far Away", "--organization", "Far"]);
    assert!(made.status.success());
    let owner = Session::on(&server).signed_in(OWNER);
    let bob = Session::on(&server).signed_in("bob@example.org");
    let page = bob.get("/members").text;
    assert!(page.contains(OWNER) && page.contains("bob@example.org"));
    assert!(!page.contains("far@example.org") && !page.contains("/members/invitations"));
    let (ann_id, bob_id) = (id_of(&server, OWNER), id_of(&server, "bob@example.org"));
    let far_id = id_of(&server, "far@example.org");
    // A member raises nobody, invites nobody, keeps nobody out.
    for (path, pairs) in [
        (format!("/members/{bob_id}/role"), &[("role", "owner")][..]),
        (format!("/members/{ann_id}/role"), &[("role", "member")]),
        (format!("/members/{ann_id}/disable"), &[]),
        (format!("/members/{ann_id}/enable"), &[]),
        ("/members/invitations".to_owned(), &[("role", "member")]),
        ("/members/invitations/1/revoke".to_owned(), &[]),
    ] {
        assert_eq!(bob.post(&path, pairs).status, 403, "{path}");
    }
    // An owner has no say elsewhere.
    owner.get("/members");
    for act in ["role", "disable", "enable"] {
        let path = format!("/members/{far_id}/{act}");
        assert_eq!(owner.post(&path, &[("role", "owner")]).status, 404, "{act}");
    }
    // The last owner stays one.
    for act in ["role", "disable"] {
        let refused = owner.post(&format!("/members/{ann_id}/{act}"), &[("role", "member")]);
        assert_eq!(refused.status, 422, "{act}");
        assert!(refused.text.contains("The organization needs an owner"));
    }
    // They are not asked first.
    let refused = owner.get(&format!("/members/{ann_id}/disable"));
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("The organization needs an owner"));
    let raised = owner.post(&format!("/members/{bob_id}/role"), &[("role", "owner")]);
    assert_eq!(raised.status, 303);
    // A word that is no role makes nobody anything.
    for pairs in [&[("role", "Member")][..], &[("role", "")], &[]] {
        for path in [format!("/members/{bob_id}/role"), "/members/invitations".to_owned()] {
            assert_eq!(owner.post(&path, pairs).status, 422, "{path} {pairs:?}");
        }
    }
    assert_eq!(bob.get("/members").status, 200);
    let lowered = bob.post(&format!("/members/{ann_id}/role"), &[("role", "member")]);
    assert_eq!(lowered.status, 303);
    assert_eq!(owner.post(&format!("/members/{bob_id}/disable"), &[]).status, 403);
    // Kept out at once, and let in again.
    let token = server.token(OWNER, "form:read");
    assert_eq!(bob.post(&format!("/members/{ann_id}/disable"), &[]).status, 303);
    assert_eq!(token.get("/api/v1/me").status, 401);
    assert_eq!(owner.get("/profile").status, 303);
    assert!(bob.get("/members").text.contains("disabled"));
    assert_eq!(bob.post(&format!("/members/{ann_id}/enable"), &[]).status, 303);
    assert_eq!(token.get("/api/v1/me").status, 200);
    Session::on(&server).signed_in(OWNER);
}

#[test]
fn the_profile_shows_sessions_and_ends_the_others() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let one = Session::on(&server).signed_in(email);
    let two = Session::on(&server).signed_in(email);
    let page = one.get("/profile").text;
    assert!(page.contains("This browser"));
    assert_eq!(page.matches("Signed in:").count(), 2, "{}", text(page.as_bytes()));
    let ended = one.post("/profile/sessions/end", &[]);
    assert_eq!((ended.status, ended.header("location")), (303, "/profile?done=sessions"));
    assert_eq!(one.get("/profile").status, 200);
    assert_eq!(two.get("/profile").status, 303);
    assert!(!one.get("/profile").text.contains("/profile/sessions/end"));
}
