//! Restoring: the parts that live on and those that end, and the data that a backup may replace.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;
use support::session::{Session, with_account};
use support::steps::again;
use support::{Server, field, formsvc, text};

use crate::backups::{backup, done, names, restore};

#[test]
fn what_was_open_ends_and_tokens_live_on() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let browser = Session::on(&server).signed_in(email);
    let owner = server.token(email, "form:read form:write entry:read entry:write");
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(owner.post(form.entries(), json!({"field_values": {"field_1": "x"}})).status, 201);
    let keys = owner.get("/api/v1/oauth/jwks");
    assert_eq!(keys.status, 200, "{keys}");
    let file = backup(&server.dir);
    assert_eq!(browser.get("/profile").status, 200);
    server.kill();
    // The pending message is in the database alone: no mail server is asked.
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let out = done(&formsvc(&dir, &["restore", file.to_str().expect("plain"), "--json"], ""));
    assert_eq!(out["lost_files"], 0);
    assert_eq!(names(&dir), ["blobs", "formsvc.db", "keys", "lock"]);
    for (name, mode) in
        [("", 0o700), ("keys", 0o700), ("blobs", 0o700), ("keys/instance", 0o600), ("formsvc.db", 0o600)]
    {
        let found = fs::metadata(dir.join(name)).expect("there").permissions().mode() & 0o777;
        assert_eq!(found, mode, "{name}");
    }
    let database = rusqlite::Connection::open(dir.join("formsvc.db")).expect("a database");
    for table in
        ["sessions", "oauth_grants", "oauth_codes", "setup_links", "password_resets", "invitations", "signing_keys"]
    {
        let count: i64 =
            database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).expect("a count");
        assert_eq!(count, 0, "{table}");
    }
    drop(database);
    let kept = Server::over(&dir, &["--rate-limits", "off"]);
    let there = again(&owner, &kept);
    assert_eq!(there.get(form.entry(1)).data()["field_1"], "x");
    let new_keys = there.get("/api/v1/oauth/jwks");
    assert_eq!(new_keys.status, 200);
    assert_ne!(new_keys.text, keys.text);
    assert!(kept.run(&["doctor"]).status.success());
}

#[test]
fn pending_messages_from_before_end_as_failed() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.token(email, "form:read form:write entry:read");
    let form = owner.form(json!([field("email", json!({}))]));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let put = |dir: &std::path::Path, sql: &str| {
        let database = rusqlite::Connection::open(dir.join("formsvc.db")).expect("a database");
        database.execute_batch(sql).expect("done");
    };
    put(
        &server.dir,
        "INSERT INTO outbox (kind, form_no, serial, target, body, status, attempts, next_attempt_at, is_underway, created_at) \
         SELECT 'notice', form_no, 1, 'ann@example.org', x'00', 'pending', 1, 1, 1, 4102444800000 FROM forms",
    );
    let file = backup(&server.dir);
    let home = tempfile::tempdir().expect("a folder");
    let out = restore(home.path(), &file);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let kept = Server::over(home.path(), &["--rate-limits", "off"]);
    let listed = again(&owner, &kept).get(form.part("notifications"));
    let message = &listed.data()[0];
    assert_eq!(message["status"], "failed", "{listed}");
    let words = "it was waiting when the backup was made that the service was restored from";
    assert_eq!(message["error"], words, "{listed}");
}

#[test]
fn data_is_replaced_only_by_who_says_so_and_backups_stay() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let file = backup(&server.dir);
    let later = owner.form(json!([field("short_text", json!({}))]));
    let path = file.to_str().expect("a plain path");
    let refused = server.run(&["restore", path, "--yes"]);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    assert_eq!(owner.get(later.path()).status, 200);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let refused = restore(&server.dir, &file);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let out = server.run(&["restore", path, "--yes", "--no-input"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("sign in again"), "{}", text(&out.stderr));
    assert!(file.exists());
    let kept = Server::over(&server.dir, &["--rate-limits", "off"]);
    let there = again(&owner, &kept);
    assert_eq!(there.get(form.path()).status, 200);
    assert_eq!(there.get(later.path()).status, 404);
    // Backups exist for a lost database.
    drop(kept);
    for name in ["formsvc.db", "formsvc.db-wal", "formsvc.db-shm"] {
        let _ = fs::remove_file(server.dir.join(name));
    }
    let listed = server.run(&["backup", "list", "--json"]);
    assert_eq!(done(&listed).as_array().map(Vec::len), Some(1));
    let out = server.run(&["restore", path, "--yes", "--no-input"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let kept = Server::over(&server.dir, &["--rate-limits", "off"]);
    assert_eq!(again(&owner, &kept).get(form.path()).status, 200);
}
