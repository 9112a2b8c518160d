//! A signed-in user gets nothing at the addresses of others' things, on every page that takes a post (S40, S44).

use std::collections::BTreeMap;

use serde_json::json;
use support::session::{PASSWORD, Session, account};
use support::sharing::id;
use support::store::database;
use support::{Server, field, formsvc, steps, text};

use super::{ALL, ANN, BOB, anns, folder, invited, printed};

const FAR: &str = "far@example.org";

/// Posts of pages that need nothing but the address: anyone with a form's address may answer it.
const OPEN: [&str; 1] = ["/f/{form_token}"];

/// The parameters of an address, with the values of Ann's things.
pub type Own = BTreeMap<&'static str, String>;

/// The addresses of all posts of pages with parameters, filled in with Ann's things. A page with another parameter has
/// to be added to `own` below.
fn posts(server: &Server, own: &Own) -> Vec<String> {
    let listed = printed(server, &["routes"]);
    let rows = listed.as_array().expect("a list").iter();
    let pages = rows.filter(|row| row["method"] == "POST" && (row["access"] == "session" || row["access"] == "page"));
    let paths = pages.map(|row| row["path"].as_str().expect("text"));
    let named = paths.filter(|path| path.contains('{') && !OPEN.contains(path));
    named.map(|path| filled(path, own)).collect()
}

pub fn filled(path: &str, own: &Own) -> String {
    let mut before = String::new();
    for part in path.split('/').skip(1) {
        let name = match part {
            // A part without a name of its own is named by the part before it.
            "{id}" | "{token}" => before.clone() + "/" + part,
            _ => part.to_owned(),
        };
        let value = match part.starts_with('{') {
            true => own.get(name.as_str()).unwrap_or_else(|| panic!("{path}: what of Ann's is {name}?")),
            false => part,
        };
        before = before + "/" + value;
    }
    before
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
    let (server, ann) = anns();
    let caller = server.token(ANN, ALL);
    account(&server, "cat@example.org");
    let cat = server.token("cat@example.org", "form:read");
    let form = caller.form(json!([field("short_text", json!({}))]));
    support::sharing::share(&caller, &form, &cat, "editor");
    steps::add(&caller, &form, json!({"field_1": "hers"}));
    let folder = folder(&caller, "Hers");
    caller.put(form.part("folder"), json!({ "folder_token": folder })).is(200);
    invited(&server, &ann, "member");
    let app = crate::oauth::app(&server, &[]);
    app.tokens(&ann);
    let page = [ann.get("/profile").text, ann.get("/members").text].concat();
    let number = |begin: &str| {
        let rest = page.split_once(begin).unwrap_or_else(|| panic!("no {begin}")).1;
        rest.split('/').next().expect("a number").to_owned()
    };
    let rules = json!({
        "form_token": form.token, "name": "Look up",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "serial_number", "fuzzy": false}]}],
        "display_field_rules": [{"field": "field_1", "editable": true}],
    });
    let query = caller.post("/api/v1/opensearch/queries", rules).is(201).data();
    let word = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let bulk = json!({"serial_numbers": [99], "expected_total": 0});
    let job = caller.post(form.part("entries/bulk_trash"), bulk).is(202).data();
    let webhook = json!({"url": "https://example.com", "trigger_events": ["entry_created"]});
    let webhook =
        server.token(ANN, "integration:write").post(form.part("integrations/webhooks"), webhook).is(201).data();
    let own = Own::from([
        ("{job_id}", word(&job["id"])),
        ("{import_token}", "x".repeat(22)),
        ("/profile/tokens/{id}", number("/profile/tokens/")),
        ("{grant}", number("/profile/apps/")),
        ("{folder_token}", folder.clone()),
        ("{form_token}", form.token.clone()),
        ("{view_id}", "x".repeat(16)),
        ("{webhook_id}", word(&webhook["id"])),
        ("{delivery_id}", "dlv_x".to_owned()),
        ("{section}", "general".to_owned()),
        ("{code}", "field_1".to_owned()),
        ("{part}", "rules".to_owned()),
        ("{rule}", "0123abcd".to_owned()),
        ("{act}", "remove".to_owned()),
        ("{version}", "1".to_owned()),
        ("{user_id}", id(&cat)),
        ("/members/invitations/{id}", number("/members/invitations/")),
        ("{entry_token}", word(&caller.get(form.entry(1)).data()["token"])),
        ("{query_token}", word(&query["token"])),
        ("{serial_number}", "1".to_owned()),
        // Nobody knows the secrets of these.
        ("/setup/{token}", "x".repeat(43)),
        ("/reset-password/{token}", "x".repeat(43)),
        ("/invitation/{token}", "x".repeat(43)),
    ]);
    let posts = posts(&server, &own);
    assert!(posts.len() >= 18, "{posts:?}");
    // A member of the same organization, and the owner of another.
    account(&server, BOB);
    let made = formsvc(
        &server.dir,
        &["user", "create", FAR, "--name", "F", "--organization", "Far", "--password-stdin"],
        PASSWORD,
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let strangers = [BOB, FAR].map(|email| (email, Session::on(&server).signed_in(email)));
    let before = state(&server);
    let fields = format!(
        "name=Changed&folder_name=Changed&email={BOB}&role=owner&folder={folder}&folder_token={folder}&to={BOB}\
         &field_1=changed&locale=en&timezone=UTC&password={PASSWORD} again&reservation=x&signature=x&s=x"
    );
    let fields: Vec<_> = fields.split('&').filter_map(|pair| pair.split_once('=')).collect();
    for (who, browser) in &strangers {
        for path in &posts {
            let answer = browser.post(path, &fields);
            assert!([403, 404].contains(&answer.status), "{who} at {path}: {answer}");
            assert_eq!(state(&server), before, "{who} at {path}");
        }
    }
    // Ann herself is let in, so the addresses are right.
    ann.get("/profile");
    let is_plain = |path: &&String| path.contains("/revoke") || path.contains("/folders/") && path.contains("/rename");
    for path in posts.iter().filter(is_plain) {
        ann.post(path, &[("name", "Changed"), ("folder_name", "Changed")]).is_for(303, path);
    }
    assert_ne!(state(&server), before);
}
