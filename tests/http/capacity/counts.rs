//! `doctor` counts again, and puts right.

use serde_json::json;
use support::Server;

use super::{ALL, Thing, assert_counted, assert_none_left, doctor, submit};

#[test]
fn a_doctor_finds_wrong_counts_and_puts_them_right() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let forms = ALL.map(|thing| (thing, owner.form(json!([thing.field(2)]))));
    for (thing, form) in &forms {
        submit(&server, form, *thing);
    }
    assert_counted(&server);
    for damage in [
        "UPDATE capacity_taken SET taken = 2",
        "DELETE FROM capacity_taken",
        "INSERT INTO capacity_taken SELECT DISTINCT form_no, field, 'nothing', 7 FROM capacity_taken",
    ] {
        let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
        database.busy_timeout(std::time::Duration::from_secs(10)).expect("waits");
        let changed = database.execute(damage, []).expect("SQL");
        assert!(changed >= 5, "{damage}: {changed}");
        let found = doctor(&server, &[]);
        assert_eq!(found["state"], "FAIL", "{damage}: {found}");
        let text = found["text"].as_str().expect("text");
        assert!(text.contains("run doctor --fix"), "{text}");
        assert_eq!(doctor(&server, &[])["state"], "FAIL", "it only looks");
        let found = doctor(&server, &["--fix"]);
        assert_eq!(found["state"], "WARN", "{damage}: {found}");
        assert_counted(&server);
    }
    for (thing, form) in &forms {
        submit(&server, form, *thing);
        assert_none_left(&server, form, *thing);
    }
}

#[test]
fn counts_outlive_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let forms = ALL.map(|thing| (thing, owner.form(json!([thing.field(2)]))));
    for (thing, form) in &forms {
        submit(&server, form, *thing);
    }
    server.kill();
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    for (thing, form) in &forms {
        submit(&server, form, *thing);
        assert_none_left(&server, form, *thing);
    }
    assert_eq!(Thing::Choice.remaining(&server.anon(), &forms[0].1), 0);
    assert_counted(&server);
}
