//! The audit log: who did what, append-only, for owners of the organisation (S93).

use rusqlite::Connection;
use serde_json::{Value, json};
use support::session::{Session, account, with_account};
use support::sharing::{id, path, share};
use support::store::database;
use support::{Caller, Server, field, until};

const PATH: &str = "/api/v1/audit_events";
const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

/// The actions of the log, the oldest first.
fn actions(owner: &Caller, query: &str) -> Vec<String> {
    let page = owner.get(format!("{PATH}?page_size=100&{query}"));
    assert_eq!(page.status, 200, "{page}");
    let rows = page.json()["data"].as_array().expect("rows").clone();
    let names = rows.iter().map(|row| row["action"].as_str().expect("text").to_owned());
    names.rev().collect()
}

fn newest(owner: &Caller) -> Value {
    owner.get(format!("{PATH}?page_size=1")).json()["data"][0].clone()
}

#[test]
fn what_is_done_to_forms_is_noted() {
    let server = Server::alone("commands change all of it");
    let (owner, bob) = (server.user(), server.user());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let made = newest(&owner);
    assert_eq!(
        made,
        json!({
            "id": made["id"], "action": "form.created", "via": "token",
            "actor": {"id": id(&owner), "name": "Ada Lovelace", "email": owner.email},
            "subject": {"kind": "form", "id": form.token}, "form_token": form.token,
            "created_at": made["created_at"],
        })
    );
    assert_eq!(owner.patch(form.path(), json!({"name": "B"})).status, 200);
    let fields = json!([field("short_text", json!({"api_code": "field_1"})), field("email", json!({}))]);
    assert_eq!(owner.patch(form.path(), json!({"fields": fields})).status, 200);
    let part = |name: &str| format!("{}/{name}", form.path());
    assert_eq!(owner.patch(part("settings"), json!({"locale": "zh-CN"})).status, 200);
    assert_eq!(owner.patch(part("theme"), json!({"font": "serif"})).status, 200);
    assert_eq!(owner.put(part("field_rules"), json!({"rules": []})).status, 200);
    share(&owner, &form, &bob, "manager");
    assert_eq!(newest(&owner)["subject"], json!({"kind": "user", "id": id(&bob)}));
    assert_eq!(bob.get(format!("{}/export?format=csv", form.entries())).status, 200);
    let exported = newest(&owner);
    assert_eq!(exported["action"], "entries.exported");
    assert_eq!(exported["actor"]["id"], id(&bob));
    let import = format!("{}/import", form.entries());
    let file = b"field_1\nx\n";
    assert_eq!(owner.send("POST", &format!("{import}?dry_run=true"), Some("text/csv"), file).status, 200);
    assert_eq!(owner.send("POST", &import, Some("text/csv"), file).status, 201);
    assert_eq!(owner.delete(path(&form, &bob)).status, 200);
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(owner.post(part("restore"), json!({})).status, 200);
    let all = [
        "form.created",
        "form.updated",
        "form.updated",
        "form.settings_updated",
        "form.theme_updated",
        "form.field_rules_updated",
        "collaborator.put",
        "entries.exported",
        "entries.imported",
        "collaborator.removed",
        "form.deleted",
        "form.restored",
    ];
    assert_eq!(actions(&owner, &format!("form_token={}", form.token)), all);
    assert_eq!(actions(&owner, "action=form.deleted"), ["form.deleted"]);
    // What was refused was not done.
    assert_eq!(bob.patch(form.path(), json!({"name": "C"})).status, 404);
    assert_eq!(owner.patch(form.path(), json!({"name": ""})).status, 422);
    assert_eq!(actions(&owner, &format!("form_token={}", form.token)), all);
    let odd = owner.get(format!("{PATH}?action=form.eaten"));
    assert_eq!(odd.status, 400);
    assert!(odd.text.contains("action must be one of form.created, "));
}

#[test]
fn what_is_done_to_people_tokens_apps_and_plans_is_noted() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, ALL);
    account(&server, "bob@example.org");
    let bob = server.token("bob@example.org", ALL);
    let bob_id = id(&bob);
    let run = |args: &[&str]| {
        let done = server.run(args);
        assert!(done.status.success(), "{args:?}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    };
    let organization = owner.get("/api/v1/me").data()["organization"]["id"].clone();
    let organization = organization.as_str().expect("an id");
    run(&["plan", "set", organization, "free"]);
    let plan = newest(&owner);
    assert_eq!((plan["action"].clone(), plan["actor"].clone()), (json!("organization.plan_changed"), Value::Null));
    assert_eq!(plan["via"], "command_line");
    let app = run(&["app", "create", "--name", "A", "--redirect-uri", "https://a.example/", "--public", "--json"]);
    let app: Value = serde_json::from_str(&app).expect("JSON");
    let app = app["client_id"].as_str().expect("an id").to_owned();
    assert_eq!(newest(&owner)["subject"], json!({"kind": "app", "id": app}));
    run(&["app", "delete", &app, "--yes"]);
    run(&["token", "revoke", "2"]);
    assert_eq!(newest(&owner)["subject"], json!({"kind": "token", "id": "2", "user_id": bob_id}));
    run(&["user", "set-role", "bob@example.org", "owner"]);
    run(&["user", "disable", "bob@example.org"]);
    let browser = Session::on(&server).signed_in(email);
    for (path, pairs) in [
        (format!("/members/{bob_id}/enable"), &[][..]),
        (format!("/members/{bob_id}/role"), &[("role", "member")]),
        (format!("/members/{bob_id}/disable"), &[]),
        ("/members/invitations".to_owned(), &[("role", "member")]),
        ("/members/invitations/1/revoke".to_owned(), &[]),
        ("/profile/tokens".to_owned(), &[("token_name", "n"), ("scopes", "form:read")]),
        ("/profile/tokens/3/revoke".to_owned(), &[]),
    ] {
        let done = browser.post(&path, pairs);
        assert!(done.status < 400, "{path}: {done}");
    }
    assert_eq!(newest(&owner)["via"], "session");
    let password = [("old_password", support::session::PASSWORD), ("password", "another quiet harbour")];
    assert_eq!(browser.post("/profile/password", &password).status, 303);
    run(&["user", "delete", "bob@example.org", "--yes"]);
    assert_eq!(
        actions(&owner, ""),
        [
            "member.joined",
            "token.created",
            "member.joined",
            "token.created",
            "organization.plan_changed",
            "app.created",
            "app.deleted",
            "token.revoked",
            "member.role_changed",
            "member.disabled",
            "member.signed_in",
            "member.enabled",
            "member.role_changed",
            "member.disabled",
            "invitation.created",
            "invitation.revoked",
            "token.created",
            "token.revoked",
            "member.password_changed",
            "member.deleted",
        ]
    );
    // Neither values nor secrets.
    let whole = owner.get(format!("{PATH}?page_size=100")).text;
    for secret in ["another quiet harbour", "fsv_", support::session::PASSWORD, "bob@example.org"] {
        assert!(!whole.contains(secret), "{secret}");
    }
    // The page tells the same in words.
    let page = browser.get("/audit");
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Account deleted") && page.text.contains("on the command line"));
}

#[test]
fn owners_of_the_organisation_alone_read_their_own() {
    let server = Server::alone("commands change all of it");
    let (owner, member) = (server.user(), server.user());
    let made = server.run(&["user", "create", "far@x.example", "--name", "F", "--organization", "Far"]);
    assert!(made.status.success());
    let far = server.token("far@x.example", ALL);
    let form = member.form(json!([field("short_text", json!({}))]));
    assert_eq!(member.get(PATH).to_string(), r#"403 {"error":"Forbidden"}"#);
    // A member's form too, of which they see nothing else.
    assert_eq!(newest(&owner)["form_token"], form.token);
    assert_eq!(owner.get(form.path()).status, 404);
    assert_eq!(actions(&far, ""), ["member.joined", "token.created"]);
    assert_eq!(actions(&far, &format!("form_token={}", form.token)), Vec::<String>::new());
    let first = owner.get(format!("{PATH}?page_size=2")).json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    let rest = owner.get(format!("{PATH}?page_size=2&cursor={cursor}")).json();
    assert!(rest["data"][0]["id"].as_i64() < first["data"][1]["id"].as_i64());
    assert_eq!(far.get(format!("{PATH}?cursor={cursor}")).status, 400);
}

#[test]
fn the_log_only_grows() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    database.busy_timeout(std::time::Duration::from_secs(5)).expect("a time-out");
    for sql in [
        "DELETE FROM audit_events",
        "UPDATE audit_events SET action = 'x'",
        "UPDATE audit_events SET actor_id = NULL WHERE id = 1",
    ] {
        let refused = database.execute(sql, []).expect_err("refused");
        assert!(refused.to_string().contains("audit events do not"), "{refused}");
    }
    // Nor does it end with what it tells of.
    let before = actions(&owner, "").len();
    assert_eq!(owner.delete(form.path()).status, 200);
    database.execute("UPDATE forms SET deleted_at = 1", []).expect("changed");
    assert!(server.run(&["jobs", "run-once"]).status.success());
    let left: i64 = database.query_row("SELECT count(*) FROM forms", [], |row| row.get(0)).expect("a number");
    assert_eq!(left, 0);
    assert_eq!(actions(&owner, "").len(), before + 2);
    let purged = newest(&owner);
    assert_eq!(
        (&purged["action"], &purged["via"], &purged["actor"]),
        (&json!("form.purged"), &json!("service"), &Value::Null)
    );
    assert_eq!(purged["form_token"], form.token);
}

#[test]
fn entries_that_go_and_come_back_are_noted() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    for _ in 0..3 {
        let made = owner.post(form.entries(), json!({"field_values": {}}));
        assert_eq!(made.status, 201);
    }
    let entry = |n: u32| format!("{}/{n}", form.entries());
    let trashed = |n: u32| format!("{}/trash/entries/{n}", form.path());
    assert_eq!(owner.delete(entry(1)).status, 200);
    let noted = newest(&owner);
    assert_eq!(noted["subject"], json!({"kind": "entry", "id": "1"}));
    assert_eq!((&noted["form_token"], &noted["actor"]["id"]), (&json!(form.token), &json!(id(&owner))));
    let restored = owner.post(format!("{}/restore", trashed(1)), json!({}));
    assert_eq!(restored.status, 200);
    for n in 1..=3 {
        assert_eq!(owner.delete(entry(n)).status, 200);
    }
    assert_eq!(owner.delete(trashed(1)).status, 200);
    // What was refused was not done.
    assert_eq!(owner.delete(trashed(1)).status, 404);
    database(&server.dir).execute("UPDATE entries_trash SET deleted_at = 1", []).expect("ages");
    let swept = server.run(&["jobs", "run-once", "deleted-entries"]);
    assert!(swept.status.success());
    let purged = newest(&owner);
    assert_eq!(purged["subject"], json!({"kind": "form", "id": form.token}), "once for both");
    assert_eq!((&purged["via"], &purged["actor"]), (&json!("service"), &Value::Null));
    let all = [
        "form.created",
        "entry.deleted",
        "entry.restored",
        "entry.deleted",
        "entry.deleted",
        "entry.deleted",
        "entry.purged",
        "entries.purged",
    ];
    assert_eq!(actions(&owner, &format!("form_token={}", form.token)), all);
}

#[test]
fn what_is_done_to_folders_is_noted_without_their_names() {
    let server = Server::alone("its audit log is counted");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let before = actions(&owner, "").len();
    let made = owner.post("/api/v1/folders", json!({"name": "Quiet harbours"}));
    let folder = made.data()["token"].as_str().expect("a token").to_owned();
    assert_eq!(newest(&owner)["subject"], json!({"kind": "folder", "id": folder}));
    let path = format!("/api/v1/folders/{folder}");
    assert_eq!(owner.patch(&path, json!({"name": "Loud ones"})).status, 200);
    let placed = owner.put(format!("{}/folder", form.path()), json!({"folder_token": folder}));
    assert_eq!(placed.status, 200);
    assert_eq!(owner.delete(&path).status, 200);
    assert_eq!(actions(&owner, "")[before..], ["folder.created", "folder.updated", "form.moved", "folder.deleted"]);
    let whole = owner.get(format!("{PATH}?page_size=100")).text;
    assert!(!whole.contains("harbours") && !whole.contains("Loud"), "{whole}");
}

#[test]
fn another_signing_key_is_noted_everywhere() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    server.stranger("far@x.example");
    let far = server.token("far@x.example", ALL);
    // The first one takes no other's place.
    assert_eq!(server.anon().get("/api/v1/oauth/jwks").status, 200);
    assert_eq!(actions(&far, ""), ["member.joined", "token.created"]);
    let rotated = server.run(&["keys", "rotate"]);
    let kid = String::from_utf8_lossy(&rotated.stdout).trim().to_owned();
    for caller in [&owner, &far] {
        let noted = newest(caller);
        assert_eq!(noted["action"], "keys.rotated");
        assert_eq!(noted["subject"], json!({"kind": "key", "id": kid}));
        assert_eq!((&noted["via"], &noted["actor"]), (&json!("command_line"), &Value::Null));
    }
    database(&server.dir).execute("UPDATE signing_keys SET created_at = created_at - 91 * 86400000", []).expect("ages");
    assert!(server.run(&["jobs", "run-once", "signing-keys"]).status.success());
    let noted = newest(&far);
    assert_eq!((&noted["action"], &noted["via"]), (&json!("keys.rotated"), &json!("service")));
    assert_eq!(actions(&far, "action=keys.rotated").len(), 2);
}

#[test]
fn sign_ins_are_noted_and_guessing_does_not_fill_the_log() {
    let (server, email) = with_account(&["--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.token(email, ALL);
    server.stranger("far@x.example");
    let far = server.token("far@x.example", ALL);
    let count = |action: &str| actions(&owner, &format!("action=member.{action}")).len();
    let home = Session::from(&server, "203.0.113.1").signed_in(email);
    let noted = newest(&owner);
    assert_eq!(
        noted,
        json!({
            "id": noted["id"], "action": "member.signed_in", "via": "session",
            "actor": {"id": id(&owner), "name": "Ann <b>Lee</b>", "email": email},
            "subject": {"kind": "user", "id": id(&owner)}, "form_token": null,
            "created_at": noted["created_at"],
        })
    );
    // From as many networks as there are tries: ten an hour are noted.
    for network in 0..15 {
        let browser = Session::from(&server, &format!("198.51.{network}.1"));
        assert_eq!(browser.sign_in(email, "wrong").status, 422);
    }
    // From one network, until it has to wait, and on: noted once.
    let guesser = Session::from(&server, "192.0.2.1");
    let waits = (0..9).filter(|_| guesser.sign_in(email, "wrong").status == 429);
    assert_eq!(waits.count(), 4);
    // Who is not there is in nobody's log.
    assert_eq!(Session::from(&server, "192.0.3.1").sign_in("no@x.example", "wrong").status, 422);
    until("what failed is noted", || count("sign_in_throttled") == 1);
    assert_eq!((count("sign_in_failed"), count("signed_in")), (10, 1));
    let failed = owner.get(format!("{PATH}?action=member.sign_in_failed")).json()["data"][0].clone();
    assert_eq!((&failed["via"], &failed["actor"]), (&json!("session"), &Value::Null));
    assert_eq!(failed["subject"], json!({"kind": "user", "id": id(&owner)}));
    assert_eq!(actions(&far, "action=member.sign_in_failed").len(), 0);
    let whole = owner.get(format!("{PATH}?page_size=100")).text;
    for secret in ["wrong", "198.51.", "192.0.", "203.0.113", "no@x.example"] {
        assert!(!whole.contains(secret), "{secret}");
    }
    let page = home.get("/audit").text;
    for words in ["Sign-in failed", "Signed in", "Sign-in refused after too many attempts"] {
        assert!(page.contains(words), "{words}");
    }
}
