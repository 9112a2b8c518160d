//! Data that an edit of the fields removes is deleted: from entries and trash, keys, segments, remembered answers and
//! files, and no byte of it stays in the data dir (contract section 12).

use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::steps::count as total;
use support::steps::{again, bulk};
use support::store::{count, database, settled};
use support::tables::table_rows;
use support::uploads::{path_of, send};
use support::{Caller, Form, Server, field, rounds, text, until};

use crate::forms::{
    FLAGS, alone, confirmed, entry, fields, from_table, has, holding, is_healthy, line, next_serial, numbered, replace,
    run_jobs,
};

const WHY: &str = "its data dir is looked at";

/// An entry of many that all hold marks: of short texts, of texts that go beyond a page, of texts beside a choice.
fn marked(i: usize) -> Value {
    json!({
        "field_1": format!("kept {i}"),
        "field_2": format!("unique-mark {i} {}", i * 7919),
        "field_3": format!("long-mark {i} ").repeat(if i.is_multiple_of(10) { 600 } else { 8 }),
        "field_4": [{"value": "other", "other_text": format!("beside-mark {i}")}, "a"],
        "field_5": [{"field_1": format!("cell-mark {i}"), "field_2": "stays"}],
    })
}

const MARKS: [&str; 6] = ["unique-mark", "long-mark", "beside-mark", "cell-mark", "edited-mark", "file-mark"];

/// The fields that such entries fill in.
fn marked_fields() -> Value {
    let (kind, own) = from_table(r#"checkbox ["a", "other+"]"#);
    json!([
        line(),
        field("short_text", json!({"unique": true})),
        field("long_text", json!({})),
        field(kind, own),
        field("table", json!({"dimensions": [line(), line()]})),
        field("attachment", json!({"max_files": 3})),
    ])
}

/// A form with so many such entries on its own server.
fn marked_form(entries: usize) -> (Server, Caller, Form) {
    let (server, owner, form) = alone(WHY, marked_fields());
    bulk(&owner, &form, &(0..entries).map(marked).collect::<Vec<_>>());
    (server, owner, form)
}

/// Removes the fields with marks, or parts of them.
fn remove_marks(owner: &Caller, form: &Form) {
    let mut old = fields(form);
    old[3]["choices"] = json!([old[3]["choices"][0]]);
    old[4]["dimensions"] = json!([old[4]["dimensions"][1]]);
    confirmed(owner, form, json!([old[0], old[3], old[4]]));
}

/// Asserts that no file of the data dir holds a mark.
#[track_caller]
fn is_clean(server: &Server) {
    assert_eq!(holding(&server.dir, &MARKS), [""; 0]);
}

/// Sends a file for the sixth field; returns the answer to its announcement.
fn upload(owner: &Caller, form: &Form) -> Value {
    let (name, content) = ("file-mark.txt", b"file-mark content");
    let size = content.len();
    let body = json!({"field_api_code": "field_6", "file_name": name, "content_type": "text/plain", "file_size": size});
    let prepared = owner.post(format!("{}/entry_attachments", form.published()), body).is(201).data();
    send(owner, &prepared, "text/plain", content).is(200);
    prepared
}

#[test]
fn no_byte_of_what_was_removed_stays() {
    let (server, owner, form) = marked_form(0);
    let other = owner.form(json!([field("long_text", json!({}))]));
    tell(&owner, &form);
    next_serial(&server, &form, 3800);
    for round in 0..5 {
        bulk(&owner, &form, &(round * 100..round * 100 + 100).map(marked).collect::<Vec<_>>());
        // Pages of one form alternate with those of another.
        bulk(&owner, &other, &vec![json!({"field_1": "x".repeat(900)}); 40]);
    }
    // Values that were changed before leave something, too.
    for serial in [3800, 3850, 3900] {
        for round in 0..3 {
            let long = format!("edited-mark {round} ").repeat(50 << (2 * round));
            let values = json!({"field_3": long, "field_2": format!("edited-mark {serial} {round}")});
            owner.patch(form.entry(serial), json!({ "field_values": values })).is(200);
        }
    }
    for serial in [3810, 3860, 4290] {
        owner.delete(form.entry(serial)).is(200);
    }
    let once = owner.header("Idempotency-Key", "once");
    let mut values = marked(1000);
    values["field_6"] = json!([upload(&owner, &form)["upload_id"]]);
    let sent = json!({ "field_values": values });
    let first = once.post(form.entries(), sent.clone()).is(201).data();
    let link = path_of(&owner, first["field_6"][0]["url"].as_str().expect("a link"));
    owner.get(link).is(200);
    let answered = server.anon().header("Idempotency-Key", "twice");
    let submitted = json!({"field_values": marked(1001)});
    answered.post(form.submissions(), submitted.clone()).is(201);
    // The service may be building the same block, and then does it alone.
    until("the block has segments", || {
        run_jobs(&server, &["sealing", "entry-keys"]);
        count(&server.dir, "SELECT count(*) FROM segments") > 0
    });
    let by_text = || {
        let filters = json!([{"field": "field_1", "operator": "eq", "value": "kept 7"}]);
        owner.post(form.query(), json!({ "filters": filters })).json()["pagination"]["total"].clone()
    };
    assert_eq!(by_text(), 1);
    for mark in MARKS {
        assert!(!holding(&server.dir, &[mark]).is_empty(), "{mark} is looked for rightly");
    }

    remove_marks(&owner, &form);
    assert_eq!(owner.get(link).status, 404, "at once");
    let before = owner.get(form.entry(3800));
    settled(&server.dir);
    let after = owner.get(form.entry(3800));
    assert_eq!(before.text, after.text, "nobody edited it: {after}");
    assert_eq!(before.header("etag"), after.header("etag"));
    has(&after.data(), json!({"field_4": [{"value": "a"}], "field_5": [{"field_2": "stays"}]}));
    owner.get(link).is(404);
    assert_eq!(by_text(), 1);
    is_clean(&server);

    // The first answers again, without the removed parts; and an entry from the trash is restored without them.
    let again = once.post(form.entries(), sent);
    has(&again.data(), json!({"serial_number": first["serial_number"], "field_1": "kept 1000"}));
    let again_there = answered.post(form.submissions(), submitted);
    assert_eq!(again_there.data()["entry"]["field_1"], "kept 1001", "{again_there}");
    let restored = owner.post(format!("{}/restore", form.trashed(3810)), json!({})).is(200);
    assert_eq!(restored.data()["field_1"], "kept 10", "{restored}");
    for answer in [again, again_there, restored] {
        assert!(!answer.text.contains("-mark"), "{answer}");
    }
    is_healthy(&server);
    server.signal("TERM");
    server.wait();
    is_clean(&server);
}

#[test]
fn remembered_answers_of_forms_that_link_here_forget_too() {
    let (server, owner, people) = alone(WHY, json!([field("name", json!({})), line()]));
    let person = json!({"field_values": {"field_1": "Ada", "field_2": "linked-mark"}});
    let person = owner.post(people.entries(), person).data()["token"].clone();
    let shown = ["field_1", "field_2"].map(|code| json!({"api_code": code, "public": true}));
    let own = json!({"form_token": people.token, "search_fields": ["field_1"], "display_fields": shown});
    let form = owner.form(json!([field("linked_form", own)]));
    let once = owner.header("Idempotency-Key", "once");
    let send = || once.post(form.entries(), json!({"field_values": {"field_1": person}})).is(201);
    let first = send();
    assert!(first.text.contains("linked-mark"), "{first}");
    confirmed(&owner, &people, json!([fields(&people)[0]]));
    settled(&server.dir);
    let again = send();
    assert_eq!(again.data()["serial_number"], 1, "{again}");
    assert!(again.text.contains("Ada") && !again.text.contains("linked-mark"), "{again}");
}

#[test]
fn large_file_is_cleaned_when_nobody_writes() {
    let (server, owner, form) = alone(WHY, json!([line(), field("long_text", json!({}))]));
    let marked = |filling: &str| json!({"field_1": "kept", "field_2": format!("{filling} long-mark")});
    // The mark is far behind the first page of an entry.
    for _ in 0..6 {
        bulk(&owner, &form, &vec![marked(&"x".repeat(90_000)); 60]);
    }
    // Rows of all lengths: SQLite moves them about in its pages and leaves copies there.
    for n in 0..5 {
        bulk(&owner, &form, &(0..1000).map(|i| marked(&"y".repeat((n + i * 37) % 1500))).collect::<Vec<_>>());
    }
    assert!(!holding(&server.dir, &["long-mark"]).is_empty());
    confirmed(&owner, &form, json!([fields(&form)[0]]));
    // Others write meanwhile.
    for i in 0..20 {
        support::steps::add(&owner, &form, json!({"field_1": format!("more {i}")}));
    }
    settled(&server.dir);
    is_clean(&server);
    assert_eq!(total(&owner, &form), 5380);
}

#[test]
fn kill_in_the_middle_keeps_nothing_back() {
    let mut rng = rand::rng();
    for round in 0..rounds("TEST_CRASH_ROUNDS", 4) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut server = Server::over(dir.path(), &FLAGS);
        let owner = server.user();
        let form = owner.form(marked_fields());
        bulk(&owner, &form, &(0..1500).map(marked).collect::<Vec<_>>());
        remove_marks(&owner, &form);
        // The first time at once after the answer.
        for _ in 0..3 {
            if round > 0 {
                thread::sleep(Duration::from_millis(rng.random_range(0..400)));
            }
            server.kill();
            server = Server::over(dir.path(), &FLAGS);
        }
        settled(dir.path());
        is_clean(&server);
        let owner = again(&owner, &server);
        assert_eq!(total(&owner, &form), 1500, "round {round}");
        assert_eq!(entry(&owner, &form, 700)["field_1"], "kept 699");
        is_healthy(&server);
    }
}

/// Has events of the form stored, which nobody gets.
fn tell(owner: &Caller, form: &Form) {
    let body = json!({"url": "http://127.0.0.1:1025/", "trigger_events": ["entry_created", "entry_updated"]});
    owner.post(form.part("integrations/webhooks"), body).is(201);
}

/// The stored values of a form's entries, as text.
fn stored(server: &Server, form: &Form) -> String {
    let sql = "SELECT coalesce(group_concat(\"values\"), '') FROM \
         (SELECT id, \"values\" FROM entries UNION ALL SELECT id, \"values\" FROM entries_trash) \
         WHERE id >> 32 = (SELECT form_no FROM forms WHERE token = ?1)";
    text_of(server, form, sql)
}

/// The form's entries as its events show them, as text.
fn told(server: &Server, form: &Form) -> String {
    let sql = "SELECT coalesce(group_concat(CAST(body AS TEXT) -> '$.entry'), '') FROM events \
         WHERE id >> 32 = (SELECT form_no FROM forms WHERE token = ?1)";
    text_of(server, form, sql)
}

fn text_of(server: &Server, form: &Form, sql: &str) -> String {
    let found = database(&server.dir).query_row(sql, [&form.token], |row| row.get(0));
    found.expect("text")
}

#[test]
fn every_part_that_can_be_removed_goes_from_the_entries() {
    let server = Server::alone(WHY);
    let owner = server.user();
    for row in table_rows(include_str!("../tables/removed_parts.txt")) {
        let [cell, list, value] = row[..] else { panic!("three cells: {row:?}") };
        let ((kind, own), value) = (from_table(cell), serde_json::from_str::<Value>(value).expect("JSON"));
        let form = owner.form(json!([field("number", json!({})), field(kind, own)]));
        tell(&owner, &form);
        let values = json!({"field_1": 1, "field_2": value});
        bulk(&owner, &form, &[values.clone(), values]);
        owner.delete(form.entry(2)).is(200);
        for text in [stored(&server, &form), told(&server, &form)] {
            assert!(text.contains("goes"), "{kind}: {text}");
        }
        let mut edited = fields(&form);
        edited[1][list].as_array_mut().expect(kind).pop();
        confirmed(&owner, &form, json!(edited));
        settled(&server.dir);
        let left = stored(&server, &form);
        let has_several = !matches!(kind, "radio" | "dropdown" | "cascade");
        let there = ["goes", "\"1\":1", "stays"].map(|part| left.contains(part));
        assert_eq!(there, [false, true, has_several], "{kind}: {left}");
        let left = told(&server, &form);
        let there = ["goes", "\"field_1\":1", "stays"].map(|part| left.contains(part));
        assert_eq!(there, [false, true, has_several], "{kind}: {left}");
    }
}

#[test]
fn what_is_only_hidden_stays() {
    let with = |checkbox: &str, radio: &str, precision: &str| {
        let [checkbox, radio] = [checkbox, radio].map(from_table).map(|(kind, own)| field(kind, own));
        [checkbox, radio, field("date", json!({ "precision": precision })), line()]
    };
    let wide = with(r#"checkbox ["a", "o+"]"#, r#"radio ["a", "o+"]"#, "second");
    let (server, owner, form) = alone(WHY, json!(wide));
    let typed = json!({"value": "o", "other_text": "typed"});
    let values = |first: Value| json!({"field_1": first, "field_2": typed, "field_3": "2026-01-02 03:04:05"});
    bulk(&owner, &form, &[values(json!(["a", typed]))]);
    confirmed(&owner, &form, numbered(with(r#"checkbox ["o"]"#, r#"radio ["a", "o"]"#, "month")));
    settled(&server.dir);
    let narrow = json!({"field_1": [{"value": "o"}], "field_2": {"value": "o"}, "field_3": "2026-01"});
    has(&entry(&owner, &form, 1), narrow.clone());
    // It outlives a change of something else.
    has(&owner.patch(form.entry(1), json!({"field_values": {"field_4": "x"}})).data(), narrow);
    replace(&owner, &form, numbered(with(r#"checkbox ["o+"]"#, r#"radio ["a", "o+"]"#, "second"))).is(200);
    has(&entry(&owner, &form, 1), values(json!([typed])));
}

#[test]
fn edit_of_an_entry_brings_nothing_back() {
    let (server, owner, form) = marked_form(300);
    thread::scope(|scope| {
        let (owner, form) = (&owner, &form);
        for sender in 0..3 {
            scope.spawn(move || {
                for serial in (1..=300).rev().filter(|serial| serial % 3 == sender) {
                    let change = json!({"field_values": {"field_1": format!("changed {serial}")}});
                    owner.patch(form.entry(serial), change).is(200);
                }
            });
        }
        scope.spawn(move || remove_marks(owner, form));
    });
    settled(&server.dir);
    is_clean(&server);
    for serial in [1, 150, 300] {
        assert_eq!(entry(&owner, &form, serial)["field_1"], format!("changed {serial}"));
    }
}

#[test]
fn doctor_finds_what_an_entry_holds_of_no_field() {
    let (server, owner, form) = marked_form(3);
    owner.delete(form.entry(2)).is(200);
    let says = |args: &[&str], code: i32, parts: &[&str]| {
        let done = server.run(args);
        let said = text(&done.stdout);
        assert_eq!(done.status.code(), Some(code), "{said}");
        let line = said.lines().find(|line| line.contains("removed values")).unwrap_or_else(|| panic!("{said}"));
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?}: {line}");
    };
    says(&["doctor"], 0, &["OK"]);
    for table in ["entries", "entries_trash"] {
        let sql = format!(
            "UPDATE {table} SET \"values\" = json_set(\"values\", '$.99', 'left-mark') WHERE id & 4294967295 < 3"
        );
        assert_eq!(database(&server.dir).execute(&sql, []).expect("SQL"), 1, "{table}");
    }
    says(&["doctor"], 7, &["FAIL", "2 entries"]);
    says(&["doctor", "--fix"], 0, &["WARN"]);
    settled(&server.dir);
    says(&["doctor"], 0, &["OK"]);
    assert_eq!(holding(&server.dir, &["left-mark"]), [""; 0]);
    assert_eq!(entry(&owner, &form, 1)["field_1"], "kept 0");
}

#[test]
fn run_once_does_it_too() {
    let (server, owner, form) = marked_form(50);
    // It was never used: nobody can use it any more, so it goes, too.
    upload(&owner, &form);
    remove_marks(&owner, &form);
    server.kill();
    run_jobs(&server, &["rewrites"]);
    assert_eq!(count(&server.dir, "SELECT count(*) FROM rewrites"), 0);
    is_clean(&server);
}
