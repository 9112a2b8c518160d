//! `--checkpoints external`: neither the service nor a command writes the log back into the database.

use std::fs::{self, OpenOptions};

use rusqlite::Connection;
use serde_json::json;
use support::steps::{add, again};
use support::{Server, field, formsvc, text, until};

use super::{EXTERNAL, database, log_size, printed, stop, told, with_variables};

#[test]
fn the_log_is_left_to_others_by_the_service_and_by_commands_beside_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &EXTERNAL);
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({})), field("short_text", json!({}))]));
    // More than the service itself lets a log grow to: 4,000 pages.
    let other = Connection::open(dir.path().join("formsvc.db")).expect("a database");
    other
        .execute_batch(
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE filler (x);
             INSERT INTO filler VALUES (zeroblob(18000000)); DROP TABLE filler;",
        )
        .expect("done");
    drop(other);
    for _ in 0..3 {
        add(&owner, &form, json!({"field_1": "as long as can be", "field_2": "x"}));
    }
    assert!(log_size(dir.path()) > 18_000_000);
    let untouched = database(dir.path());
    assert_eq!(untouched.len(), 4096, "only the page that begins it");
    // A field that goes is taken out of all entries, and of the unused parts of the file.
    let fields = json!([field("long_text", json!({"api_code": "field_1"}))]);
    let edit = json!({"fields": fields, "confirm_data_loss": true});
    let edited = owner.patch(form.path(), edit);
    assert_eq!(edited.status, 200, "{edited}");
    let commands: [&[&str]; 7] = [
        &["doctor", "--fix"],
        &["doctor"],
        &["backup", "create"],
        &["jobs", "run-once"],
        &["user", "list"],
        &["entries", "export", &form.token, "-o", "/dev/null"],
        &["keys", "rotate"],
    ];
    let size = log_size(dir.path());
    for command in commands {
        let out = server.run(command);
        assert!(out.status.success(), "{command:?}: {}", text(&out.stderr));
        assert!(database(dir.path()) == untouched, "{command:?}");
        assert!(log_size(dir.path()) >= size, "{command:?}");
    }
    let (state, words) = told(&server.run(&["doctor", "--json"]));
    assert_eq!(state, "OK", "{words}");
    assert!(words.contains("left to another program"), "{words}");

    // Nor when the service ends, is killed, or a command is the only one to have the file open. None is reported again.
    stop(&server);
    for command in commands {
        let out = formsvc(dir.path(), command, "");
        assert!(out.status.success(), "{command:?}: {}", text(&out.stderr));
        assert!(database(dir.path()) == untouched, "{command:?}");
        assert!(log_size(dir.path()) >= size, "{command:?}");
    }
    let server = Server::over(dir.path(), &EXTERNAL);
    let count = again(&owner, &server).get(form.entries()).json()["pagination"]["total"].clone();
    server.kill();
    let server = Server::over(dir.path(), &EXTERNAL);
    let list = again(&owner, &server).get(form.entries());
    assert_eq!(list.json()["pagination"]["total"], count);
    stop(&server);
    assert!(database(dir.path()) == untouched);

    // Without the setting the service writes it back, and so do commands from then on.
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let (_, words) = told(&server.run(&["doctor", "--json"]));
    assert!(words.contains("the service writes"), "{words}");
    stop(&server);
    assert_eq!(log_size(dir.path()), 0);
    let before = database(dir.path());
    assert!(before.len() > 4096);
    let made = formsvc(dir.path(), &["user", "create", "b@example.com", "--name", "B"], "");
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(log_size(dir.path()), 0);
    // A command that is told to leave the log does so, whatever the last service did.
    let before = database(dir.path());
    let create = ["user", "create", "c@example.com", "--name", "C"];
    let set = [("FORMSVC_CHECKPOINTS", "external")];
    let made = with_variables(dir.path(), &create, &set);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(database(dir.path()) == before && log_size(dir.path()) > 0);
}

#[test]
fn a_log_that_nobody_writes_back_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &EXTERNAL);
    server.user();
    assert!(!server.stderr().contains("nobody writes it back"));
    stop(&server);
    // As long as a log that grew for days; the bytes behind its end count for nothing.
    let log = dir.path().join("formsvc.db-wal");
    let log = OpenOptions::new().write(true).open(log).expect("a log");
    log.set_len(300 << 20).expect("longer");
    let (state, words) = told(&formsvc(dir.path(), &["doctor", "--json"], ""));
    assert_eq!(state, "WARN", "{words}");
    assert!(words.contains("grown to 300 MB") && words.contains("start Litestream"), "{words}");
    let server = Server::over(dir.path(), &EXTERNAL);
    until("the log says so", || server.stderr().contains("grown to 300 MB"));
    assert_eq!(server.user().get("/api/v1/forms").status, 200);
}

#[test]
fn it_is_a_setting() {
    let dir = tempfile::tempdir().expect("a folder");
    let show = ["config", "show", "--json"];
    let shown = |flags: &[&str], variables: &[(&str, &str)]| {
        let out = with_variables(dir.path(), &[&show[..], flags].concat(), variables);
        printed(&out)["checkpoints"].clone()
    };
    let set = [("FORMSVC_CHECKPOINTS", "external")];
    assert_eq!(shown(&[], &[]), json!({"value": "own", "source": "default"}));
    let of_variable = json!({"value": "external", "source": "variable FORMSVC_CHECKPOINTS"});
    assert_eq!(shown(&[], &set), of_variable);
    assert_eq!(shown(&["--checkpoints", "own"], &set), json!({"value": "own", "source": "flag"}));
    let file = dir.path().join("own.toml");
    fs::write(&file, "checkpoints = \"external\"\n").expect("written");
    let file = file.to_str().expect("a plain path");
    assert_eq!(shown(&["--config", file], &[])["value"], "external");
    let wrong = with_variables(dir.path(), &[&show[..], &["--checkpoints", "mine"]].concat(), &[]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("must be own or external"));
    for command in [&["config", "show"][..], &["doctor"]] {
        let wrong = with_variables(dir.path(), command, &[("FORMSVC_CHECKPOINTS", "mine")]);
        assert_eq!(wrong.status.code(), Some(3), "{}", text(&wrong.stderr));
        assert!(text(&wrong.stderr).contains("must be own or external"));
    }
}
