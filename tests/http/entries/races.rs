//! Many at once on the same thing: no change is lost, no unique value is there twice, nobody is told to come back
//! because others were quicker.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

#[test]
fn changes_of_one_entry_are_merged_whoever_comes_first() {
    let server = Server::shared();
    let owner = server.user();
    let numbers: Vec<Value> = (0..12).map(|_| field("number", json!({}))).collect();
    let form = owner.form(Value::Array(numbers));
    let made = owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(made.status, 201, "{made}");
    thread::scope(|scope| {
        for n in 1..=12 {
            let (owner, form) = (&owner, &form);
            scope.spawn(move || {
                for value in 1..=15 {
                    let values = json!({format!("field_{n}"): value});
                    let changed = owner.patch(form.entry(1), json!({"field_values": values}));
                    assert_eq!(changed.status, 200, "{changed}");
                }
            });
        }
    });
    let entry = owner.get(form.entry(1)).data();
    for n in 1..=12 {
        assert_eq!(entry[format!("field_{n}")].as_f64(), Some(15.0), "{entry}");
    }
}

#[test]
fn with_a_precondition_one_of_many_changes_an_entry() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("number", json!({}))]));
    owner.post(form.entries(), json!({"field_values": {"field_1": 0}}));
    for round in 1..=5 {
        let tag = owner.get(form.entry(1)).header("etag").to_owned();
        let expecting = owner.header("If-Match", &tag);
        let statuses: Vec<u16> = thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|n| {
                    let (expecting, form) = (&expecting, &form);
                    let values = json!({"field_1": round * 10 + n});
                    scope.spawn(move || expecting.patch(form.entry(1), json!({"field_values": values})).status)
                })
                .collect();
            all.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        let with = |status| statuses.iter().filter(|one| **one == status).count();
        assert_eq!((with(200), with(412)), (1, 7), "{statuses:?}");
    }
}

/// Every text that live entries hold in `field_1`, with how often, as the database has it; and how many
/// exact keys there are.
fn stored(dir: &Path, form_no: i64) -> (BTreeMap<String, i64>, i64) {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let database = rusqlite::Connection::open_with_flags(dir.join("formsvc.db"), flags).expect("opens");
    let mut select = database
        .prepare("SELECT \"values\" ->> '1', count(*) FROM entries WHERE id >> 32 = ?1 GROUP BY 1")
        .expect("SQL");
    let texts = select
        .query_map([form_no], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect();
    let keys = database
        .query_row("SELECT count(*) FROM entry_keys WHERE form_no = ?1", [form_no], |row| row.get(0))
        .expect("a number");
    (texts, keys)
}

fn form_no(dir: &Path, form: &Form) -> i64 {
    rusqlite::Connection::open(dir.join("formsvc.db"))
        .and_then(|database| {
            database.query_row("SELECT form_no FROM forms WHERE token = ?1", [&form.token], |row| row.get(0))
        })
        .expect("the form")
}

fn make_unique(owner: &Caller, form: &Form) -> u16 {
    let text = json!({"api_code": "field_1", "type": "short_text", "label": "x", "unique": true});
    let answer = owner.patch(form.path(), json!({"fields": [text]}));
    let known = [200, 422, 503].contains(&answer.status);
    assert!(known, "{answer}");
    answer.status
}

/// Two make a field unique while others submit and change settings; the result is sound whichever of them was first.
/// Returns whether it became unique.
fn race_for_unique(server: &Server, owner: &Caller, round: usize, before: usize) -> bool {
    let form = owner.form(json!([field("short_text", json!({}))]));
    let text = |text: String| json!({"field_values": {"field_1": text}});
    thread::scope(|scope| {
        for part in 0..4 {
            let form = &form;
            scope.spawn(move || {
                for n in (part..before).step_by(4) {
                    let made = server.anon().post(form.submissions(), text(format!("old {n}")));
                    assert_eq!(made.status, 201, "{made}");
                }
            });
        }
    });
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for sender in 0..3 {
            // Every other time all three send the same ones.
            let own = if round.is_multiple_of(2) { sender } else { 0 };
            let (form, is_over) = (&form, &is_over);
            scope.spawn(move || {
                for n in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let made = server.anon().post(form.submissions(), text(format!("new {own} {n}")));
                    assert!([201, 422].contains(&made.status), "{made}");
                }
            });
        }
        let settings = scope.spawn(|| {
            for n in 0..20 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let group = json!({"submission_options": {"show_progress": n % 2 == 0}});
                let path = format!("{}/settings", form.path());
                let set = owner.patch(path, group);
                assert!([200, 503].contains(&set.status), "{set}");
            }
        });
        let makers: Vec<_> = (0..2).map(|_| scope.spawn(|| make_unique(owner, &form))).collect();
        for maker in makers {
            maker.join().expect("no panic");
        }
        is_over.store(true, Ordering::Relaxed);
        settings.join().expect("no panic");
    });
    let is_unique = owner.get(form.path()).data()["fields"][0]["unique"] == true;
    let (texts, keys) = stored(&server.dir, form_no(&server.dir, &form));
    if is_unique {
        let doubles: Vec<_> = texts.iter().filter(|(_, count)| **count > 1).collect();
        assert!(doubles.is_empty(), "{doubles:?}");
        assert_eq!(usize::try_from(keys), Ok(texts.len()), "a key for each");
        let again = server.anon().post(form.submissions(), text("old 0".into()));
        assert_eq!(again.status, 422, "{again}");
    }
    is_unique
}

#[test]
fn unique_stays_unique_when_two_ask_for_it_at_once() {
    let server = Server::shared();
    let owner = server.user();
    let mut made = 0;
    for round in 0..12 {
        made += usize::from(race_for_unique(server, &owner, round, 20));
    }
    // More than one piece of work.
    made += usize::from(race_for_unique(server, &owner, 12, 1500));
    assert!(made > 0, "none of them came to its end");
}

#[test]
fn submissions_go_on_while_the_form_is_changed() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let is_over = AtomicBool::new(false);
    let sent: i64 = thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut sent = 0;
                    while !is_over.load(Ordering::Relaxed) {
                        let values = json!({"field_values": {"field_1": "x"}});
                        let made = server.anon().post(form.submissions(), values);
                        assert_eq!(made.status, 201, "{made}");
                        sent += 1;
                    }
                    sent
                })
            })
            .collect();
        for n in 0..40 {
            let changed = owner.patch(form.path(), json!({"description": format!("{n}")}));
            assert_eq!(changed.status, 200, "{changed}");
        }
        is_over.store(true, Ordering::Relaxed);
        senders.into_iter().map(|sender| sender.join().expect("no panic")).sum()
    });
    let list = owner.get(form.entries()).json();
    assert_eq!(list["pagination"]["total"], sent);
    assert_eq!(list["data"][0]["serial_number"], sent);
}

/// Sends all that is written to a form of this field, while its label, description, and settings change 40 times.
fn write_while_the_form_changes(rules: Value) {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", rules.clone())]));
    let text = |label: String| {
        let mut text = field("short_text", rules.clone());
        text["api_code"] = json!("field_1");
        text["label"] = json!(label);
        text
    };
    let later = json!({"submission_options": {"allow_edit_after_submission": true}});
    owner.patch(form.part("settings"), later).is(200);
    let is_over = AtomicBool::new(false);
    let values = json!({"field_values": {"field_1": "01"}});
    let until_over = |mut round: Box<dyn FnMut() -> i64>| {
        let mut left = 0;
        while !is_over.load(Ordering::Relaxed) {
            left += round();
        }
        left
    };
    let submit = || {
        let made = server.anon().post(form.submissions(), values.clone()).is(201).data();
        let token = made["entry"]["token"].as_str().expect("a token");
        let right = made["edit_token"].as_str().expect("a right");
        let sender = server.anon().header("x-edit-token", right);
        let values = json!({"field_values": {"field_1": "10"}});
        sender.patch(format!("{}/{token}", form.submissions()), values).is(200);
        1
    };
    let manage = || {
        let made = owner.post(form.entries(), values.clone()).is(201).data();
        let serial = made["serial_number"].as_i64().expect("a number");
        let trashed = format!("{}/{serial}", form.trash());
        owner.patch(form.entry(serial), json!({"field_values": {"field_1": "11"}})).is(200);
        owner.delete(form.entry(serial)).is(200);
        owner.post(format!("{trashed}/restore"), json!({})).is(200);
        owner.delete(form.entry(serial)).is(200);
        owner.delete(trashed).is(200);
        0
    };
    let add = || {
        owner.post(format!("{}/bulk", form.entries()), json!({"entries": [values, values]})).is(201);
        2
    };
    let left: i64 = thread::scope(|scope| {
        let writers = [
            scope.spawn(|| until_over(Box::new(submit))),
            scope.spawn(|| until_over(Box::new(manage))),
            scope.spawn(|| until_over(Box::new(add))),
        ];
        for n in 0..40 {
            match n % 4 {
                0 => owner.patch(form.path(), json!({"description": format!("{n}")})).is(200),
                1 => owner.patch(form.part("settings"), json!({"capacity": {"hold_minutes": n}})).is(200),
                _ => owner.patch(form.path(), json!({"fields": [text(format!("Label {n}"))]})).is(200),
            };
        }
        is_over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().expect("no panic")).sum()
    });
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], left);
}

#[test]
fn all_writes_go_on_while_the_form_is_changed() {
    write_while_the_form_changes(json!({}));
}

#[test]
fn all_writes_go_on_while_a_heavy_form_is_changed() {
    write_while_the_form_changes(json!({"pattern": "[01]*1[01]{90}|[01]*", "max_length": 50_000}));
}

#[test]
fn a_number_is_the_same_however_it_is_written() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("number", json!({"unique": true}))]));
    let post = |text: &str| {
        let body = format!("{{\"field_values\":{{\"field_1\":{text}}}}}");
        let path = form.submissions();
        server.anon().send("POST", &path, Some("application/json"), body.as_bytes()).status
    };
    for same in [&["5", "5.0", "50e-1", "5.00"][..], &["0", "-0", "-0.0", "0e9"], &["100", "1e2"]] {
        let statuses: Vec<u16> = same.iter().map(|text| post(text)).collect();
        let wanted: Vec<u16> = (0..same.len()).map(|n| if n == 0 { 201 } else { 422 }).collect();
        assert_eq!(statuses, wanted, "{same:?}");
    }
}

#[test]
fn a_form_whose_time_in_the_trash_is_over_is_gone() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"unique": true}))]));
    let kept = owner.form(json!([field("short_text", json!({}))]));
    for form in [&form, &kept] {
        let values = json!({"field_values": {"field_1": "x"}});
        assert_eq!(owner.post(form.entries(), values).status, 201);
        assert_eq!(owner.delete(form.path()).status, 200);
    }
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let days = |form: &Form, days: i64| {
        let sql = "UPDATE forms SET deleted_at = deleted_at - ?2 * 86400000 WHERE token = ?1";
        database.execute(sql, (&form.token, days)).expect("updates");
    };
    days(&form, 31);
    days(&kept, 29);
    // It may be gone in part at any moment, so it is not given back.
    let restore = |form: &Form| owner.post(format!("{}/restore", form.path()), json!({}));
    assert_eq!(restore(&form).status, 404);
    let swept = server.run(&["jobs", "run-once", "deleted-forms"]);
    assert!(swept.status.success());
    assert_eq!(restore(&form).status, 404);
    assert_eq!(restore(&kept).status, 200);
    assert_eq!(owner.get(kept.entry(1)).status, 200);
    for table in ["entries", "entry_keys", "forms", "form_counters"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = database.query_row(&sql, [], |row| row.get(0)).expect("a number");
        let of_the_other = i64::from(table != "entry_keys");
        assert_eq!(left, of_the_other, "{table}");
    }
}
