//! The audit log: who did what, append-only, for owners of the organisation (S93).

use serde_json::{Value, json};
use support::session::{PASSWORD, Session, account, with_account};
use support::sharing::{id, path, share};
use support::steps::{add, set_part};
use support::store::{count, database};
use support::{Caller, Server, field, until};

use super::{ALL, BOB, alone, events, folder, me, printed, ran};

const PATH: &str = "/api/v1/audit_events";

/// The actions of the log, the oldest first.
fn actions(owner: &Caller, query: &str) -> String {
    let page = owner.get(format!("{PATH}?page_size=100&{query}")).is(200).data();
    let rows = page.as_array().expect("rows").iter().rev();
    rows.map(|row| row["action"].as_str().expect("text")).collect::<Vec<&str>>().join(" ")
}

fn newest(owner: &Caller) -> Value {
    owner.get(format!("{PATH}?page_size=1")).data()[0].clone()
}

/// Asserts these members of the newest event.
#[track_caller]
fn noted(owner: &Caller, expected: Value) {
    let newest = newest(owner);
    for (key, value) in expected.as_object().expect("keys") {
        assert_eq!(newest[key], *value, "{key}: {newest}");
    }
}

/// Asserts that the log holds none of these.
#[track_caller]
fn keeps_to_itself(owner: &Caller, secrets: &[&str]) {
    owner.get(format!("{PATH}?page_size=100")).is(200).lacks(secrets);
}

#[test]
fn what_is_so_already_is_not_noted() {
    let (server, ann) = super::anns();
    account(&server, BOB);
    let owner = server.token(super::ANN, "form:read form:write");
    let bob = id(&server.token(BOB, "form:read"));
    let own = me(&owner)["organization"]["id"].as_str().expect("an id").to_owned();
    ran(&server, &["plan", "set", &own, "business"]);
    let form = owner.form(json!([field("short_text", json!({}))]));
    owner.put(format!("{}/{bob}", form.part("collaborators")), json!({"role": "viewer"})).is(200);
    let before = actions(&owner, "");
    ann.post(&format!("/members/{bob}/role"), &[("role", "member")]).leads_to("/members");
    ann.post(&format!("/members/{bob}/enable"), &[]).leads_to("/members");
    ran(&server, &["user", "set-role", BOB, "member"]);
    ran(&server, &["user", "enable", BOB]);
    ran(&server, &["plan", "set", &own, "business"]);
    owner.put(format!("{}/{bob}", form.part("collaborators")), json!({"role": "viewer"})).is(200);
    assert_eq!(actions(&owner, ""), before);
    ann.post(&format!("/members/{bob}/disable"), &[]).leads_to("/members?done=disabled");
    let before = actions(&owner, "");
    ann.post(&format!("/members/{bob}/disable"), &[]).leads_to("/members");
    ran(&server, &["user", "disable", BOB]);
    assert_eq!(actions(&owner, ""), before);
    // A change still is noted.
    ran(&server, &["user", "enable", BOB]);
    ann.post(&format!("/members/{bob}/role"), &[("role", "owner")]).leads_to("/members?done=role");
    assert_eq!(actions(&owner, ""), format!("{before} member.enabled member.role_changed"));
}

#[test]
fn what_is_done_to_forms_is_noted() {
    let (server, owner, form) = alone("commands change all of it");
    let made = newest(&owner);
    let expected = json!({
        "id": made["id"], "action": "form.created", "via": "token",
        "actor": {"id": id(&owner), "name": "Ada Lovelace", "email": owner.email},
        "subject": {"kind": "form", "id": form.token}, "form_token": form.token, "created_at": made["created_at"],
    });
    assert_eq!(made, expected);
    let bob = server.user();
    let fields = json!([field("short_text", json!({"api_code": "field_1"})), field("email", json!({}))]);
    for body in [json!({"name": "B"}), json!({ "fields": fields })] {
        owner.patch(form.path(), body).is(200);
    }
    set_part(&owner, &form, "settings", json!({"locale": "zh-CN"}));
    set_part(&owner, &form, "theme", json!({"font": "serif"}));
    owner.put(form.part("field_rules"), json!({"rules": []})).is(200);
    share(&owner, &form, &bob, "manager");
    noted(&owner, json!({"subject": {"kind": "user", "id": id(&bob)}}));
    bob.get(form.part("entries/export?format=csv")).is(200);
    noted(&owner, json!({"action": "entries.exported"}));
    assert_eq!(newest(&owner)["actor"]["id"], id(&bob));
    // A dry run is not noted.
    for (query, status) in [("?dry_run=true", 200), ("", 201)] {
        let import = form.part("entries/import") + query;
        owner.send("POST", &import, Some("text/csv"), b"field_1\nx\n").is_for(status, query);
    }
    owner.delete(path(&form, &bob)).is(200);
    owner.delete(form.path()).is(200);
    owner.post(form.part("restore"), json!({})).is(200);
    let own = format!("form_token={}", form.token);
    let all = "form.created form.updated form.updated form.settings_updated form.theme_updated \
               form.field_rules_updated collaborator.put entries.exported entries.imported collaborator.removed \
               form.deleted form.restored";
    assert_eq!(actions(&owner, &own), all);
    assert_eq!(actions(&owner, "action=form.deleted"), "form.deleted");
    // A refused change is not noted.
    bob.patch(form.path(), json!({"name": "C"})).is(404);
    owner.patch(form.path(), json!({"name": ""})).is(422);
    assert_eq!(actions(&owner, &own), all);
    owner.get(format!("{PATH}?action=form.eaten")).is(400).has(["action must be one of form.created, "]);
}

#[test]
fn what_is_done_to_people_tokens_apps_and_plans_is_noted() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, ALL);
    account(&server, BOB);
    let bob_id = id(&server.token(BOB, ALL));
    let organization = me(&owner)["organization"]["id"].clone();
    ran(&server, &["plan", "set", organization.as_str().expect("an id"), "free"]);
    noted(&owner, json!({"action": "organization.plan_changed", "actor": null, "via": "command_line"}));
    let app = ["app", "create", "--name", "A", "--redirect-uri", "https://a.example/", "--public"];
    let app = printed(&server, &app)["client_id"].clone();
    noted(&owner, json!({"subject": {"kind": "app", "id": app}}));
    ran(&server, &["app", "delete", app.as_str().expect("an id"), "--yes"]);
    ran(&server, &["token", "revoke", "2"]);
    noted(&owner, json!({"subject": {"kind": "token", "id": "2", "user_id": bob_id}}));
    ran(&server, &["user", "set-role", BOB, "owner"]);
    ran(&server, &["user", "disable", BOB]);
    let browser = Session::on(&server).signed_in(email);
    let bobs = |act: &str| format!("/members/{bob_id}/{act}");
    for (path, pairs) in [
        (bobs("enable"), &[][..]),
        (bobs("role"), &[("role", "member")]),
        (bobs("disable"), &[]),
        ("/members/invitations".to_owned(), &[("role", "member")]),
        ("/members/invitations/1/revoke".to_owned(), &[]),
        ("/profile/tokens".to_owned(), &[("token_name", "n"), ("scopes", "form:read")]),
        ("/profile/tokens/3/revoke".to_owned(), &[]),
    ] {
        let done = browser.post(&path, pairs);
        assert!(done.status < 400, "{path}: {done}");
    }
    noted(&owner, json!({"via": "session"}));
    let password = [("old_password", PASSWORD), ("password", "another quiet harbour")];
    browser.post("/profile/password", &password).is(303);
    ran(&server, &["user", "delete", BOB, "--yes"]);
    let all = "member.joined token.created member.joined token.created organization.plan_changed app.created \
               app.deleted token.revoked member.role_changed member.disabled member.signed_in member.enabled \
               member.role_changed member.disabled invitation.created invitation.revoked token.created \
               token.revoked member.password_changed member.deleted";
    assert_eq!(actions(&owner, ""), all);
    // Neither values nor secrets.
    keeps_to_itself(&owner, &["another quiet harbour", "fsv_", PASSWORD, BOB]);
    // The page tells the same in words.
    browser.get("/audit").is(200).has(["Account deleted", "on the command line"]);
}

#[test]
fn owners_of_the_organisation_alone_read_their_own() {
    let server = Server::alone("commands change all of it");
    let (owner, member) = (server.user(), server.user());
    server.stranger("far@x.example");
    let far = server.token("far@x.example", ALL);
    let form = member.form(json!([field("short_text", json!({}))]));
    assert_eq!(member.get(PATH).to_string(), r#"403 {"error":"Forbidden"}"#);
    // A member's form too, of which they see nothing else.
    noted(&owner, json!({"form_token": form.token}));
    owner.get(form.path()).is(404);
    assert_eq!(actions(&far, ""), "member.joined token.created");
    assert_eq!(actions(&far, &format!("form_token={}", form.token)), "");
    let first = owner.get(format!("{PATH}?page_size=2")).json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    let rest = owner.get(format!("{PATH}?page_size=2&cursor={cursor}")).json();
    assert!(rest["data"][0]["id"].as_i64() < first["data"][1]["id"].as_i64(), "{first} {rest}");
    far.get(format!("{PATH}?cursor={cursor}")).is(400);
}

#[test]
fn the_log_only_grows() {
    let (server, owner, form) = alone("its jobs run now");
    let database = database(&server.dir);
    for sql in [
        "DELETE FROM audit_events",
        "UPDATE audit_events SET action = 'x'",
        "UPDATE audit_events SET actor_id = NULL WHERE id = 1",
    ] {
        let refused = database.execute(sql, []).expect_err(sql);
        assert!(refused.to_string().contains("audit events do not"), "{sql}: {refused}");
    }
    // Nor are its events deleted with their subjects.
    let before = actions(&owner, "");
    owner.delete(form.path()).is(200);
    database.execute("UPDATE forms SET deleted_at = 1", []).expect("changed");
    ran(&server, &["jobs", "run-once"]);
    assert_eq!(count(&server.dir, "SELECT count(*) FROM forms"), 0);
    assert_eq!(actions(&owner, ""), before + " form.deleted form.purged");
    noted(&owner, json!({"action": "form.purged", "via": "service", "actor": null, "form_token": form.token}));
}

#[test]
fn entries_that_go_and_come_back_are_noted() {
    let (server, owner, form) = alone("its jobs run now");
    (0..3).for_each(|_| add(&owner, &form, json!({})));
    owner.delete(form.entry(1)).is(200);
    noted(&owner, json!({"subject": {"kind": "entry", "id": "1"}, "form_token": form.token}));
    assert_eq!(newest(&owner)["actor"]["id"], id(&owner));
    owner.post(format!("{}/restore", form.trashed(1)), json!({})).is(200);
    for n in 1..=3 {
        owner.delete(form.entry(n)).is(200);
    }
    owner.delete(form.trashed(1)).is(200);
    // A refused change is not noted.
    owner.delete(form.trashed(1)).is(404);
    database(&server.dir).execute("UPDATE entries_trash SET deleted_at = 1", []).expect("ages");
    ran(&server, &["jobs", "run-once", "deleted-entries"]);
    // Once for both.
    noted(&owner, json!({"subject": {"kind": "form", "id": form.token}, "via": "service", "actor": null}));
    let all = "form.created entry.deleted entry.restored entry.deleted entry.deleted entry.deleted entry.purged \
               entries.purged";
    assert_eq!(actions(&owner, &format!("form_token={}", form.token)), all);
}

#[test]
fn what_is_done_to_folders_is_noted_without_their_names() {
    let (_server, owner, form) = alone("its audit log is counted");
    let before = actions(&owner, "");
    let folder = folder(&owner, "Quiet harbours");
    noted(&owner, json!({"subject": {"kind": "folder", "id": folder}}));
    let path = format!("/api/v1/folders/{folder}");
    owner.patch(&path, json!({"name": "Loud ones"})).is(200);
    owner.put(form.part("folder"), json!({"folder_token": folder})).is(200);
    owner.delete(&path).is(200);
    assert_eq!(actions(&owner, ""), before + " folder.created folder.updated form.moved folder.deleted");
    keeps_to_itself(&owner, &["harbours", "Loud"]);
}

#[test]
fn another_signing_key_is_noted_everywhere() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    server.stranger("far@x.example");
    let far = server.token("far@x.example", ALL);
    // The first one takes no other's place.
    server.anon().get("/api/v1/oauth/jwks").is(200);
    assert_eq!(actions(&far, ""), "member.joined token.created");
    let kid = ran(&server, &["keys", "rotate"]);
    let subject = json!({"kind": "key", "id": kid});
    for caller in [&owner, &far] {
        let rotated = json!({"action": "keys.rotated", "subject": subject, "via": "command_line", "actor": null});
        noted(caller, rotated);
    }
    database(&server.dir).execute("UPDATE signing_keys SET created_at = created_at - 91 * 86400000", []).expect("ages");
    ran(&server, &["jobs", "run-once", "signing-keys"]);
    noted(&far, json!({"action": "keys.rotated", "via": "service"}));
    assert_eq!(events(&far, "keys.rotated"), 2);
}

#[test]
fn sign_ins_are_noted_and_guessing_does_not_fill_the_log() {
    let (server, email) = with_account(&["--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.token(email, ALL);
    server.stranger("far@x.example");
    let far = server.token("far@x.example", ALL);
    let home = Session::from(&server, "203.0.113.1").signed_in(email);
    let signed_in = newest(&owner);
    let subject = json!({"kind": "user", "id": id(&owner)});
    let expected = json!({
        "id": signed_in["id"], "action": "member.signed_in", "via": "session",
        "actor": {"id": id(&owner), "name": "Ann <b>Lee</b>", "email": email},
        "subject": subject, "form_token": null, "created_at": signed_in["created_at"],
    });
    assert_eq!(signed_in, expected);
    // From as many networks as there are tries: ten an hour are noted.
    for network in 0..15 {
        Session::from(&server, &format!("198.51.{network}.1")).sign_in(email, "wrong").is_for(422, network);
    }
    // From one network, until it has to wait, and on: noted once.
    let guesser = Session::from(&server, "192.0.2.1");
    let waits = (0..9).filter(|_| guesser.sign_in(email, "wrong").status == 429);
    assert_eq!(waits.count(), 4);
    // An unknown account is in nobody's log.
    Session::from(&server, "192.0.3.1").sign_in("no@x.example", "wrong").is(422);
    until("what failed is noted", || events(&owner, "member.sign_in_throttled") == 1);
    assert_eq!((events(&owner, "member.sign_in_failed"), events(&owner, "member.signed_in")), (10, 1));
    let failed = owner.get(format!("{PATH}?action=member.sign_in_failed")).data()[0].clone();
    assert_eq!((&failed["via"], &failed["actor"], &failed["subject"]), (&json!("session"), &Value::Null, &subject));
    assert_eq!(events(&far, "member.sign_in_failed"), 0);
    keeps_to_itself(&owner, &["wrong", "198.51.", "192.0.", "203.0.113", "no@x.example"]);
    home.get("/audit").has(["Sign-in failed", "Signed in", "Sign-in refused after too many attempts"]);
}
