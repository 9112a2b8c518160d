//! A signed-in user gets nothing at the addresses of others' things, on every page that takes a post (S40, S44).

use support::session::{PASSWORD, Session, account};
use support::store::database;
use support::{Server, formsvc, text};

use super::owned::{Own, desk, filled};
use super::{BOB, printed};

const FAR: &str = "far@example.org";

/// Posts of pages that need nothing but the address: anyone with a form's address may answer it.
const OPEN: [&str; 1] = ["/f/{form_token}"];

/// The addresses of all posts of pages with parameters, filled in with Ann's things.
fn posts(server: &Server, own: &Own) -> Vec<String> {
    let listed = printed(server, &["routes"]);
    let rows = listed.as_array().expect("a list").iter();
    let pages = rows.filter(|row| row["method"] == "POST" && (row["access"] == "session" || row["access"] == "page"));
    let paths = pages.map(|row| row["path"].as_str().expect("text"));
    let named = paths.filter(|path| path.contains('{') && !OPEN.contains(path));
    named.map(|path| filled(path, own)).collect()
}

/// All that those posts could change of others.
fn state(server: &Server) -> [String; 10] {
    let database = database(&server.dir);
    [
        "SELECT group_concat(id || role || name || email || password_hash || coalesce(disabled_at, '')) FROM users",
        "SELECT group_concat(id || coalesce(revoked_at, '')) FROM tokens",
        "SELECT group_concat(id || role) FROM invitations",
        "SELECT group_concat(id || scopes) FROM oauth_grants",
        "SELECT group_concat(id || name || coalesce(parent_id, '')) FROM folders",
        "SELECT group_concat(user_id || '-' || form_no || '-' || folder_id) FROM placements",
        "SELECT group_concat(user_id || '-' || form_no || '-' || role) FROM collaborators",
        "SELECT group_concat(version || name || coalesce(deleted_at, '')) FROM forms",
        "SELECT group_concat(id || version || \"values\") FROM entries",
        "SELECT group_concat(id || at) FROM check_ins",
    ]
    .map(|sql| {
        let found = database.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
        found.unwrap_or_else(|e| panic!("{sql}: {e}")).unwrap_or_default()
    })
}

#[test]
fn nobody_acts_on_what_is_of_others() {
    let desk = desk();
    let (server, ann, own) = (&desk.server, &desk.ann, &desk.own);
    let folder = &own["{folder_token}"];
    let posts = posts(server, own);
    assert!(posts.len() >= 18, "{posts:?}");
    // A member of the same organization, and the owner of another.
    account(server, BOB);
    let made = formsvc(
        &server.dir,
        &["user", "create", FAR, "--name", "F", "--organization", "Far", "--password-stdin"],
        PASSWORD,
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let strangers = [BOB, FAR].map(|email| (email, Session::on(server).signed_in(email)));
    let before = state(server);
    let fields = format!(
        "name=Changed&folder_name=Changed&email={BOB}&role=owner&folder={folder}&folder_token={folder}&to={BOB}\
         &field_1=changed&locale=en&timezone=UTC&password={PASSWORD} again&reservation=x&signature=x&s=x"
    );
    let fields: Vec<_> = fields.split('&').filter_map(|pair| pair.split_once('=')).collect();
    for (who, browser) in &strangers {
        for path in &posts {
            let answer = browser.post(path, &fields);
            assert!([403, 404].contains(&answer.status), "{who} at {path}: {answer}");
            assert_eq!(state(server), before, "{who} at {path}");
        }
    }
    // Ann herself is let in, so the addresses are right.
    ann.get("/profile");
    let is_plain = |path: &&String| path.contains("/revoke") || path.contains("/folders/") && path.contains("/rename");
    for path in posts.iter().filter(is_plain) {
        ann.post(path, &[("name", "Changed"), ("folder_name", "Changed")]).is_for(303, path);
    }
    assert_ne!(state(server), before);
}
