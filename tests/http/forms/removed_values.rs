//! What an edit of the fields removes is deleted: from entries and trash, keys, segments, remembered answers and
//! files, and no byte of it stays in the data dir (contract section 12).

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Value, json};
use support::steps::bulk;
use support::store::{count, database, settled};
use support::uploads::{files_in, path_of, send};
use support::{Caller, Form, Server, field, formsvc, rounds, text, until};

const FLAGS: [&str; 2] = ["--rate-limits", "off"];

/// The files of the data dir that hold one of these texts.
fn holding(dir: &Path, marks: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for path in files_in(dir, "") {
        // One that was there may be gone.
        let bytes = fs::read(&path).unwrap_or_default();
        for mark in marks {
            if memchr::memmem::find(&bytes, mark.as_bytes()).is_some() {
                out.push(format!("{mark} in {}", path.display()));
            }
        }
    }
    out
}

fn confirmed(owner: &Caller, form: &Form, fields: Value) {
    let refused = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(refused.json()["code"], "data_loss", "{refused}");
    let body = json!({"fields": fields, "confirm_data_loss": true});
    let edited = owner.patch(form.path(), body);
    assert_eq!(edited.status, 200, "{edited}");
}

fn fields(form: &Form) -> Vec<Value> {
    form.body["fields"].as_array().expect("fields").clone()
}

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

fn marked_form(owner: &Caller) -> Form {
    owner.form(json!([
        field("short_text", json!({})),
        field("short_text", json!({"unique": true})),
        field("long_text", json!({})),
        field(
            "checkbox",
            json!({"choices": [{"api_code": "a", "label": "A"}, {"api_code": "other", "label": "O", "is_other": true}]})
        ),
        field(
            "table",
            json!({"dimensions": [{"type": "short_text", "label": "x"}, {"type": "short_text", "label": "y"}]})
        ),
        field("attachment", json!({"max_files": 3})),
    ]))
}

/// The fields without what the marks stand in.
fn without_marks(form: &Form) -> Value {
    let old = fields(form);
    let mut checkbox = old[3].clone();
    checkbox["choices"] = json!([old[3]["choices"][0]]);
    let mut table = old[4].clone();
    table["dimensions"] = json!([old[4]["dimensions"][1]]);
    json!([old[0], checkbox, table])
}

#[test]
fn no_byte_of_what_was_removed_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let owner = server.user();
    let (form, other) = (marked_form(&owner), owner.form(json!([field("long_text", json!({}))])));
    // As if those before were gone for good, so that one block is full soon.
    let near = format!(
        "UPDATE form_counters SET next_serial = 3800 WHERE form_no = \
         (SELECT form_no FROM forms WHERE token = '{}')",
        form.token
    );
    database(dir.path()).execute(&near, []).expect("SQL");
    for round in 0..5 {
        let some: Vec<Value> = (round * 100..round * 100 + 100).map(marked).collect();
        bulk(&owner, &form, &some);
        // Pages of one form lie between those of another.
        bulk(&owner, &other, &vec![json!({"field_1": "x".repeat(900)}); 40]);
    }
    // Values that were changed before leave something, too.
    for serial in [3800, 3850, 3900] {
        for round in 0..3 {
            let long = format!("edited-mark {round} ").repeat(50 << (2 * round));
            let values = json!({"field_values": {"field_3": long, "field_2": format!("edited-mark {serial} {round}")}});
            assert_eq!(owner.patch(form.entry(serial), values).status, 200);
        }
    }
    for serial in [3810, 3860, 4290] {
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
    }
    let prepared = owner.post(
        format!("/api/v1/f/{}/entry_attachments", form.token),
        json!({"field_api_code": "field_6", "file_name": "file-mark.txt", "content_type": "text/plain", "file_size": 17}),
    );
    assert_eq!(send(&owner, &prepared.data(), "text/plain", b"file-mark content").status, 200);
    let once = owner.header("Idempotency-Key", "once");
    let mut values = marked(1000);
    values["field_6"] = json!([prepared.data()["upload_id"]]);
    let sent = json!({ "field_values": values });
    let first = once.post(form.entries(), sent.clone()).data();
    let serial = first["serial_number"].as_i64().expect("a number");
    let link = first["field_6"][0]["url"].as_str().expect("a link").to_owned();
    let link = path_of(&owner, &link).to_owned();
    assert_eq!(owner.get(&link).status, 200);
    let answered = server.anon().header("Idempotency-Key", "twice");
    let submitted = json!({"field_values": marked(1001)});
    assert_eq!(answered.post(form.submissions(), submitted.clone()).status, 201);
    // The service may be building the same block, and then does it alone.
    until("the block has segments", || {
        for job in ["sealing", "entry-keys"] {
            let done = formsvc(dir.path(), &["jobs", "run-once", job], "");
            assert!(done.status.success(), "{}", text(&done.stderr));
        }
        count(dir.path(), "SELECT count(*) FROM segments") > 0
    });
    let by_text = format!(
        "{}?filters=%5B%7B%22field%22%3A%22field_1%22%2C%22operator%22%3A%22eq%22%2C%22value%22%3A%22kept%207%22%7D%5D",
        form.entries()
    );
    assert_eq!(owner.get(&by_text).json()["pagination"]["total"], 1);
    for mark in MARKS {
        assert!(!holding(dir.path(), &[mark]).is_empty(), "{mark} is looked for rightly");
    }

    confirmed(&owner, &form, without_marks(&form));
    assert_eq!(owner.get(&link).status, 404, "at once");
    let before = owner.get(form.entry(3800));
    settled(dir.path());
    let after = owner.get(form.entry(3800));
    assert_eq!(before.text, after.text, "nobody edited it: {after}");
    assert_eq!(before.header("etag"), after.header("etag"));
    assert_eq!(after.data()["field_4"], json!([{"value": "a"}]));
    assert_eq!(after.data()["field_5"], json!([{"field_2": "stays"}]));
    assert_eq!(owner.get(&link).status, 404);
    assert_eq!(owner.get(&by_text).json()["pagination"]["total"], 1);
    assert_eq!(holding(dir.path(), &MARKS), Vec::<String>::new());

    // The first answer again, without what is gone.
    let again = once.post(form.entries(), sent).data();
    assert_eq!(again["serial_number"], serial);
    assert_eq!(again["field_1"], "kept 1000");
    assert!(!again.to_string().contains("-mark"), "{again}");
    let again = answered.post(form.submissions(), submitted).data();
    assert_eq!(again["entry"]["field_1"], "kept 1001");
    assert!(!again.to_string().contains("-mark"), "{again}");
    // What lay in the trash comes back without it.
    let restored = owner.post(format!("{}/restore", form.trashed(3810)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert_eq!(restored.data()["field_1"], "kept 10");
    assert!(!restored.text.contains("-mark"), "{restored}");
    let doctor = server.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
    server.signal("TERM");
    server.wait();
    assert_eq!(holding(dir.path(), &MARKS), Vec::<String>::new());
}

#[test]
fn remembered_answers_of_forms_that_link_here_forget_too() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let people = owner.form(json!([field("name", json!({})), field("short_text", json!({}))]));
    let person = json!({"field_values": {"field_1": "Ada", "field_2": "linked-mark"}});
    let person = owner.post(people.entries(), person).data()["token"].clone();
    let form = owner.form(json!([field(
        "linked_form",
        json!({
            "form_token": people.token,
            "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": true}],
        })
    )]));
    let once = owner.header("Idempotency-Key", "once");
    let body = json!({"field_values": {"field_1": person}});
    let first = once.post(form.entries(), body.clone());
    assert_eq!(first.status, 201, "{first}");
    assert!(first.text.contains("linked-mark"), "{first}");
    confirmed(&owner, &people, json!([fields(&people)[0]]));
    settled(&server.dir);
    let again = once.post(form.entries(), body);
    assert_eq!(again.data()["serial_number"], 1, "{again}");
    assert!(again.text.contains("Ada"), "{again}");
    assert!(!again.text.contains("linked-mark"), "{again}");
}

#[test]
fn a_large_file_is_cleaned_when_nobody_writes() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({})), field("long_text", json!({}))]));
    // The mark stands far behind what the first page of an entry holds.
    let long = format!("{} long-mark", "x".repeat(90_000));
    for _ in 0..6 {
        bulk(&owner, &form, &vec![json!({"field_1": "kept", "field_2": long}); 60]);
    }
    // Rows of all lengths: SQLite moves them about in its pages and leaves copies there.
    for n in 0..5 {
        let mixed: Vec<Value> = (0..1000)
            .map(|i| {
                let text = format!("{} long-mark", "y".repeat((n + i * 37) % 1500));
                json!({"field_1": "kept", "field_2": text})
            })
            .collect();
        bulk(&owner, &form, &mixed);
    }
    assert!(!holding(dir.path(), &["long-mark"]).is_empty());
    confirmed(&owner, &form, json!([fields(&form)[0]]));
    // Others write meanwhile.
    for i in 0..20 {
        let sent = owner.post(form.entries(), json!({"field_values": {"field_1": format!("more {i}")}}));
        assert_eq!(sent.status, 201, "{sent}");
    }
    settled(dir.path());
    assert_eq!(holding(dir.path(), &["long-mark"]), Vec::<String>::new());
    assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 5380);
}

#[test]
fn a_kill_in_the_middle_keeps_nothing_back() {
    let rounds = rounds("TEST_CRASH_ROUNDS", 4);
    let mut rng = rand::rng();
    for round in 0..rounds {
        let dir = tempfile::tempdir().expect("a folder");
        let mut server = Server::over(dir.path(), &FLAGS);
        let owner = server.user();
        let form = marked_form(&owner);
        let values: Vec<Value> = (0..1500).map(marked).collect();
        bulk(&owner, &form, &values);
        confirmed(&owner, &form, without_marks(&form));
        // The first time at once after the answer.
        for _ in 0..3 {
            if round > 0 {
                thread::sleep(Duration::from_millis(rng.random_range(0..400)));
            }
            server.kill();
            server = Server::over(dir.path(), &FLAGS);
        }
        settled(dir.path());
        assert_eq!(holding(dir.path(), &MARKS), Vec::<String>::new(), "round {round}");
        let token = server.anon().with_token(owner.token.as_deref().expect("a token"));
        let list = token.get(form.entries());
        assert_eq!(list.json()["pagination"]["total"], 1500);
        assert_eq!(token.get(form.entry(700)).data()["field_1"], "kept 699");
        let doctor = server.run(&["doctor"]);
        assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor.stdout));
    }
}

/// The stored values of a form's entries, as text.
fn stored(server: &Server, form: &Form) -> String {
    let sql = format!(
        "SELECT coalesce(group_concat(\"values\"), '') FROM \
         (SELECT id, \"values\" FROM entries UNION ALL SELECT id, \"values\" FROM entries_trash) \
         WHERE id >> 32 = (SELECT form_no FROM forms WHERE token = '{}')",
        form.token
    );
    let found = database(&server.dir).query_row(&sql, [], |row| row.get(0));
    found.expect("text")
}

#[test]
fn every_part_that_can_be_removed_goes_from_the_entries() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let named = |codes: [&str; 2]| -> Value {
        let named = codes.map(|code| json!({"api_code": code, "label": code}));
        json!(named)
    };
    let texts = json!([{"type": "short_text", "label": "s"}, {"type": "short_text", "label": "t"}]);
    let day = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 6, "quota": 2}]});
    let item = |code: &str| json!({"api_code": code, "name": code, "quota_setting": day});
    let tree = |code: &str, inner: &str| json!({"api_code": code, "label": code, "children": [{"api_code": inner, "label": inner}]});
    let goods = |code: &str| json!({"api_code": code, "name": code, "price": 1});
    for (kind, own, list, value) in [
        ("radio", json!({"choices": named(["stays", "goes"])}), "choices", json!("goes")),
        ("dropdown", json!({"choices": named(["stays", "goes"])}), "choices", json!("goes")),
        ("checkbox", json!({"choices": named(["stays", "goes"])}), "choices", json!(["stays", "goes"])),
        ("ranking", json!({"choices": named(["stays", "goes"])}), "choices", json!({"goes": 1, "stays": 2})),
        (
            "cascade",
            json!({"choices": [tree("stays", "a"), tree("goes", "b")]}),
            "choices",
            json!({"level_1": "goes", "level_2": "b"}),
        ),
        (
            "likert",
            json!({"statements": named(["stays", "goes"]), "choices": named(["a", "b"])}),
            "statements",
            json!({"stays": ["a"], "goes": ["b"]}),
        ),
        (
            "matrix_rating",
            json!({"statements": named(["stays", "goes"]), "dimensions": named(["a", "b"]), "rating_max": 5}),
            "statements",
            json!({"stays": {"a": 1}, "goes": {"b": 2}}),
        ),
        (
            "matrix",
            json!({"statements": named(["stays", "goes"]), "dimensions": texts}),
            "statements",
            json!({"stays": {"field_1": "x"}, "goes": {"field_2": "goes"}}),
        ),
        ("table", json!({"dimensions": texts}), "dimensions", json!([{"field_1": "stays", "field_2": "goes"}])),
        (
            "product",
            json!({"goods_items": [goods("stays"), goods("goes")]}),
            "goods_items",
            json!([{"api_code": "stays", "number": 1}, {"api_code": "goes", "number": 2}]),
        ),
        (
            "booking",
            json!({"reservation_items": [item("stays"), item("goes")], "allow_multiple_items": true}),
            "reservation_items",
            json!([{"api_code": "stays", "scheduled_at": "2090-01-07"}, {"api_code": "goes", "scheduled_at": "2090-01-07"}]),
        ),
    ] {
        let form = owner.form(json!([field("number", json!({})), field(kind, own)]));
        let values = json!({"field_1": 1, "field_2": value});
        bulk(&owner, &form, &[values.clone(), values]);
        assert_eq!(owner.delete(form.entry(2)).status, 200);
        assert!(stored(&server, &form).contains("goes"), "{kind}");
        let mut edited = fields(&form);
        edited[1][list].as_array_mut().expect(kind).pop();
        if kind == "booking" || kind == "product" {
            assert_eq!(edited[1][list][0]["api_code"], "stays");
        }
        confirmed(&owner, &form, json!(edited));
        settled(&server.dir);
        let left = stored(&server, &form);
        assert!(!left.contains("goes"), "{kind}: {left}");
        assert!(left.contains("\"1\":1"), "{kind}: {left}");
        let several = !matches!(kind, "radio" | "dropdown" | "cascade");
        assert_eq!(left.contains("stays"), several, "{kind}: {left}");
    }
}

#[test]
fn what_is_only_hidden_stays() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let choices = |codes: &[&str], other: bool| -> Value {
        let all = codes.iter().map(|code| json!({"api_code": code, "label": code, "is_other": other && *code == "o"}));
        all.collect()
    };
    let form = owner.form(json!([
        field("checkbox", json!({"choices": choices(&["a", "o"], true)})),
        field("date", json!({"precision": "minute"})),
    ]));
    let values = json!({"field_1": ["a", {"value": "o", "other_text": "typed"}], "field_2": "2026-01-02 03:04"});
    bulk(&owner, &form, &[values]);
    let with = |codes: &[&str], other: bool, precision: &str| {
        json!([
            field("checkbox", json!({"api_code": "field_1", "choices": choices(codes, other)})),
            field("date", json!({"api_code": "field_2", "precision": precision})),
        ])
    };
    confirmed(&owner, &form, with(&["o"], false, "day"));
    settled(&server.dir);
    let shown = owner.get(form.entry(1)).data();
    assert_eq!(shown["field_1"], json!([{"value": "o"}]));
    assert_eq!(shown["field_2"], "2026-01-02");
    let again = owner.patch(form.path(), json!({"fields": with(&["o"], true, "minute")}));
    assert_eq!(again.status, 200, "{again}");
    let shown = owner.get(form.entry(1)).data();
    assert_eq!(shown["field_1"], json!([{"value": "o", "other_text": "typed"}]));
    assert_eq!(shown["field_2"], "2026-01-02 03:04");
}

#[test]
fn an_edit_of_an_entry_brings_nothing_back() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = marked_form(&owner);
    let values: Vec<Value> = (0..300).map(marked).collect();
    bulk(&owner, &form, &values);
    let (form, owner, edited) = (&form, &owner, without_marks(&form));
    thread::scope(|scope| {
        for sender in 0..3 {
            scope.spawn(move || {
                for serial in (1..=300).rev().filter(|serial| serial % 3 == sender) {
                    let change = json!({"field_values": {"field_1": format!("changed {serial}")}});
                    let changed = owner.patch(form.entry(serial), change);
                    assert_eq!(changed.status, 200, "{changed}");
                }
            });
        }
        scope.spawn(move || confirmed(owner, form, edited));
    });
    settled(&server.dir);
    assert_eq!(holding(&server.dir, &MARKS), Vec::<String>::new());
    for serial in [1, 150, 300] {
        let shown = owner.get(form.entry(serial)).data();
        assert_eq!(shown["field_1"], format!("changed {serial}"));
    }
}

#[test]
fn doctor_finds_what_an_entry_holds_of_no_field() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let owner = server.user();
    let form = marked_form(&owner);
    bulk(&owner, &form, &[marked(1), marked(2), marked(3)]);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let line = |args: &[&str]| {
        let said = text(&formsvc(dir.path(), args, "").stdout);
        let mut lines = said.lines();
        let found = lines.find(|line| line.contains("removed values"));
        found.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert!(line(&["doctor"]).contains("OK"), "{}", line(&["doctor"]));
    for table in ["entries", "entries_trash"] {
        let sql = format!(
            "UPDATE {table} SET \"values\" = json_set(\"values\", '$.99', 'left-mark') WHERE id & 4294967295 < 3"
        );
        assert_eq!(database(dir.path()).execute(&sql, []).expect("SQL"), 1, "{table}");
    }
    let found = formsvc(dir.path(), &["doctor"], "");
    assert_eq!(found.status.code(), Some(7), "{}", text(&found.stdout));
    let said = line(&["doctor"]);
    assert!(said.contains("FAIL") && said.contains("2 entries"), "{said}");
    let said = line(&["doctor", "--fix"]);
    assert!(said.contains("WARN"), "{said}");
    settled(dir.path());
    assert!(line(&["doctor"]).contains("OK"));
    assert_eq!(holding(dir.path(), &["left-mark"]), Vec::<String>::new());
    assert_eq!(owner.get(form.entry(1)).data()["field_1"], "kept 1");
}

#[test]
fn run_once_does_it_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &FLAGS);
    let owner = server.user();
    let form = marked_form(&owner);
    bulk(&owner, &form, &(0..50).map(marked).collect::<Vec<_>>());
    let file = uploaded_file(&owner, &form);
    confirmed(&owner, &form, without_marks(&form));
    server.kill();
    let done = formsvc(dir.path(), &["jobs", "run-once", "rewrites"], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(count(dir.path(), "SELECT count(*) FROM rewrites"), 0);
    assert_eq!(holding(dir.path(), &MARKS), Vec::<String>::new(), "{file}");
}

fn uploaded_file(owner: &Caller, form: &Form) -> String {
    let body =
        json!({"field_api_code": "field_6", "file_name": "file-mark", "content_type": "text/plain", "file_size": 9});
    let prepared = owner.post(format!("/api/v1/f/{}/entry_attachments", form.token), body);
    assert_eq!(send(owner, &prepared.data(), "text/plain", b"file-mark").status, 200);
    // It was never used: nobody can use it any more, so it goes, too.
    prepared.data()["upload_id"].as_str().expect("an id").to_owned()
}
