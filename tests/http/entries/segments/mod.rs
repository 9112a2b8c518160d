//! Filters answer the same whether segments are there or not (contract section 4): the scan of the entries
//! is the oracle. Any form, any entries, any conditions, before and after sealing, with edits, deletions and
//! restores between, after a change of the fields, after a restart and after a kill in the middle.
//!
//! 600 questions in all; `TEST_QUESTIONS=20000` in the environment asks as many as it says, and
//! `TEST_CRASH_ROUNDS=50` kills as often.

mod any;

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use any::{AnyForm, Dice, Kind};
use support::multipart::Body;
use support::steps::{again, serials};
use support::{Caller, Form, Server, at_once, formsvc, rounds, text};

/// The serial of the first entry: as if those before it were gone for good, so that one block is full soon.
const FIRST: i64 = 3300;
const ENTRIES: usize = 900;
/// Several blocks.
const BEYOND: i64 = 10 * 4096;

fn database(dir: &Path) -> Connection {
    let database =
        Connection::open_with_flags(dir.join("formsvc.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opens");
    database.busy_timeout(Duration::from_secs(20)).expect("a timeout");
    database
}

fn count(dir: &Path, sql: &str) -> i64 {
    database(dir).query_row(sql, [], |row| row.get(0)).expect("a number")
}

fn change(dir: &Path, sql: &str) -> usize {
    database(dir).execute(sql, []).expect("SQL")
}

fn run_job(dir: &Path, name: &str) {
    let done = formsvc(dir, &["jobs", "run-once", name], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
}

fn seal(dir: &Path) {
    run_job(dir, "sealing");
    run_job(dir, "resealing");
}

fn begin_at(dir: &Path, serial: i64) {
    let sql = format!("UPDATE form_counters SET next_serial = {serial} WHERE next_serial = 1");
    change(dir, &sql);
}

fn fill(caller: &Caller, form: &Form, any: &AnyForm, dice: &mut Dice, count: usize) -> Vec<i64> {
    let mut serials = Vec::new();
    for _ in 0..count.div_ceil(100) {
        let entries: Vec<Value> = (0..100).map(|_| json!({"field_values": any.entry(dice)})).collect();
        let made = caller.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
        assert_eq!(made.status, 201, "{made}");
        let numbers = made.data()["serial_numbers"].clone();
        serials.extend(numbers.as_array().expect("numbers").iter().filter_map(Value::as_i64));
    }
    serials
}

/// The answer to a question: the number of entries, and the entries or their report.
///
/// An export is noted by the server, so that it fails while the file is locked: then the list is used instead.
fn answer(caller: &Caller, form: &Form, question: &Value, is_locked: bool) -> Value {
    let of = question["of"].as_str().expect("a list");
    let text = |key: &str| question[key].as_str().unwrap_or_default();
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("filters", &question["filters"].to_string());
    if !text("keyword").is_empty() {
        query.append_pair("keyword", text("keyword"));
    }
    let get = |path: String| {
        let answer = caller.get(path);
        assert_eq!(answer.status, 200, "{question} {answer}");
        answer.json()
    };
    let of_page = |page: &Value| json!([page["pagination"]["total"], serials(page)]);
    match of {
        "report" => {
            let query = query.finish();
            let report = get(format!("{}/report?{query}", form.entries()))["data"].clone();
            json!([report["total"], report])
        }
        "export" if is_locked => {
            let rows = listed(caller, form, question);
            json!([rows.len(), rows])
        }
        "export" => {
            let query = query.append_pair("format", "json").finish();
            let rows = get(format!("{}/export?{query}", form.entries()));
            let rows = serials(&json!({ "data": rows }));
            json!([rows.len(), rows])
        }
        "trash" => {
            let query = query.append_pair("page_size", "20").finish();
            of_page(&get(format!("{}?{query}", form.trash())))
        }
        _ => {
            let mut body = question.clone();
            body.as_object_mut().expect("a question").remove("of");
            let page = caller.post(form.query(), body);
            assert_eq!(page.status, 200, "{question} {page}");
            of_page(&page.json())
        }
    }
}

/// The serial numbers of all entries, page by page.
fn listed(caller: &Caller, form: &Form, question: &Value) -> Vec<i64> {
    let mut body = question.clone();
    body.as_object_mut().expect("a question").remove("of");
    body["sort"] = json!("serial_number");
    body["page_size"] = json!(100);
    let mut rows = Vec::new();
    loop {
        let page = caller.post(form.query(), body.clone());
        assert_eq!(page.status, 200, "{body} {page}");
        let page = page.json();
        rows.extend(serials(&page));
        let next = page["pagination"]["next_cursor"].clone();
        if next == "" {
            return rows;
        }
        body["cursor"] = next;
    }
}

/// The answer to every question.
fn answers(caller: &Caller, form: &Form, questions: &[Value], is_locked: bool) -> Vec<Value> {
    let threads = 2;
    let parts = at_once(threads, |nth| {
        let own = questions.iter().skip(nth).step_by(threads);
        own.map(|question| answer(caller, form, question, is_locked)).collect::<Vec<Value>>()
    });
    (0..questions.len()).map(|i| parts[i % threads][i / threads].clone()).collect()
}

/// Asks with the existing segments, and without any: they are given marks that no column has, blocks that are not full
/// count as if they had been made, so that nothing is kept of them in memory either, and the file is locked against the
/// job that would make them again.
fn compare(dir: &Path, caller: &Caller, form: &Form, questions: &[Value], when: &str) {
    for some in questions.chunks(20) {
        let quick = answers(caller, form, some, false);
        let hidden = hide(dir);
        let scanned = answers(caller, form, some, true);
        hidden
            .execute_batch(&format!(
                "UPDATE segment_columns SET mark = mark + 1; \
                 UPDATE form_counters SET sealed_upto = sealed_upto - {BEYOND}; COMMIT"
            ))
            .expect("SQL");
        for ((question, quick), scanned) in some.iter().zip(quick).zip(scanned) {
            assert_eq!(quick, scanned, "{when}: {question}");
        }
    }
}

fn hide(dir: &Path) -> Connection {
    let database = database(dir);
    let run = |sql: &str| database.execute_batch(sql).expect("SQL");
    run("BEGIN IMMEDIATE");
    run(&format!("UPDATE form_counters SET sealed_upto = sealed_upto + {BEYOND}"));
    loop {
        run("UPDATE segment_columns SET mark = mark - 1; CREATE TEMP TABLE before AS \
             SELECT * FROM segment_columns; COMMIT; BEGIN IMMEDIATE");
        let is_hidden = "SELECT (SELECT count(*) FROM before) = (SELECT count(*) FROM segment_columns)";
        let is_hidden: bool = database.query_row(is_hidden, [], |row| row.get(0)).expect("a row");
        if is_hidden {
            return database;
        }
        // Some were made between the one transaction and the other: those are the columns' own by now.
        run("DELETE FROM segment_columns WHERE (form_no, slot) IN (SELECT form_no, slot FROM before); \
             DROP TABLE before");
    }
}

fn questions(any: &AnyForm, dice: &mut Dice, count: usize) -> Vec<Value> {
    (0..count).map(|_| any.question(dice)).collect()
}

/// Makes this number of edits, deletions and restores.
fn disturb(caller: &Caller, form: &Form, any: &AnyForm, dice: &mut Dice, serials: &[i64], many: usize) {
    for _ in 0..many {
        let serial = *dice.one_of(serials);
        match dice.below(4) {
            0 => {
                caller.delete(form.entry(serial));
            }
            1 => {
                let trash = form.entries().replace("/entries", "/trash/entries");
                caller.post(format!("{trash}/{serial}/restore"), json!({}));
            }
            _ => {
                let body = json!({"field_values": any.entry(dice)});
                let done = caller.patch(form.entry(serial), body);
                // The entry, or its link's target, may be in the trash.
                assert!([200, 404, 422].contains(&done.status), "{done}");
            }
        }
    }
}

struct World {
    dir: tempfile::TempDir,
    server: Server,
    owner: Caller,
    linked: Form,
    linked_any: AnyForm,
    form: Form,
    any: AnyForm,
    serials: Vec<i64>,
}

/// A form of entries that link to another form's, which has a full block, too.
fn world(seed: u64, dice: &mut Dice) -> World {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let linked_any = AnyForm::small(dice);
    let linked = owner.form_with(linked_any.body.clone());
    // One whose entries are partly sealed, or one that never is.
    begin_at(dir.path(), if seed.is_multiple_of(2) { 4050 } else { 1 });
    let first = fill(&owner, &linked, &linked_any, dice, 100)[0];
    let links = (0..100)
        .map(|n| {
            let entry = owner.get(linked.entry(first + n)).data();
            entry["token"].as_str().expect("a token").to_owned()
        })
        .collect();
    let any = AnyForm::new(dice, &linked.token, links);
    let form = owner.form_with(any.body.clone());
    begin_at(dir.path(), FIRST);
    let mut serials = fill(&owner, &form, &any, dice, ENTRIES);
    assert_eq!(serials[0], FIRST);
    serials.extend(send_files(&owner, &form, &any, dice, 40));
    World { dir, server, owner, linked, linked_any, form, any, serials }
}

/// So many entries by the form's page, as signatures come by it alone; each has a file, a signature or both.
fn send_files(owner: &Caller, form: &Form, any: &AnyForm, dice: &mut Dice, count: usize) -> Vec<i64> {
    let one = |n: usize, dice: &mut Dice| {
        let mut body = Body::default();
        for code in any.codes(Kind::Attachment).filter(|_| !n.is_multiple_of(3)) {
            let name = format!("{}.txt", dice.one_of(&["ada", "ADA", "好", "100% fine"]));
            body = body.file(&code, &name, "text/plain", name.as_bytes());
        }
        for code in any.codes(Kind::Signature).filter(|_| n % 3 != 1) {
            body = body.text(&format!("{code}.typed"), "Ada");
        }
        let done = body.send(owner, &form.page());
        assert_eq!(done.status, 303, "{done}");
    };
    (0..count).for_each(|n| one(n, dice));
    let newest = owner.get(format!("{}?page_size={count}", form.entries()));
    serials(&newest.json())
}

#[test]
fn any_filter_says_what_the_scan_says() {
    let all = rounds("TEST_QUESTIONS", 600_usize);
    let worlds = 2.max(all / 5000);
    for seed in 0..worlds {
        one_world(u64::try_from(seed).expect("few"), all / worlds);
    }
}

fn one_world(seed: u64, all: usize) {
    let dice = &mut Dice::new(seed + 1);
    let mut world = world(seed, dice);
    let World { form, any, linked, linked_any, .. } = &world;
    let (dir, owner) = (world.dir.path(), &world.owner);
    let ask = |dice: &mut Dice, owner: &Caller, share: usize, when: &str| {
        let asked = questions(any, dice, all * share / 20);
        compare(dir, owner, form, &asked, &format!("seed {seed}, {when}"));
    };
    // Before there is any segment, and after.
    let asked = questions(any, dice, all / 5);
    let before = answers(owner, form, &asked, false);
    let hits = before.iter().filter(|answer| answer[0].as_i64().is_some_and(|n| n > 0)).count();
    assert!(hits * 4 > asked.len(), "many questions find something: {hits}");
    seal(dir);
    assert!(count(dir, "SELECT count(*) FROM segments") > 20);
    for (question, (before, after)) in asked.iter().zip(before.iter().zip(answers(owner, form, &asked, false))) {
        assert_eq!(*before, after, "seed {seed}, sealed: {question}");
    }
    // Changes of a moment ago, in both forms.
    disturb(owner, form, any, dice, &world.serials, 40);
    let linked_serials: Vec<i64> = (1..=100).chain(4050..4150).collect();
    disturb(owner, linked, linked_any, dice, &linked_serials, 60);
    assert!(count(dir, "SELECT count(*) FROM segment_changes") > 10);
    ask(dice, owner, 4, "after changes");
    // So many that the block is made again.
    disturb(owner, form, any, dice, &world.serials, 250);
    ask(dice, owner, 3, "after many changes");
    seal(dir);
    let own = "(SELECT max(form_no) FROM forms)";
    let left = format!("SELECT count(*) FROM segment_changes WHERE id >> 32 = {own}");
    assert!(count(dir, &left) <= 64);
    let rounds = format!("SELECT max(round) FROM segment_blocks WHERE id >> 32 = {own}");
    assert!(count(dir, &rounds) > 1);
    ask(dice, owner, 3, "made again");
    // Other fields: labels, a type, one less and one more, another timezone.
    redefine(owner, form);
    ask(dice, owner, 2, "fields defined anew");
    seal(dir);
    ask(dice, owner, 2, "fields defined anew and sealed");
    let mut zone = owner.get(form.path()).data();
    zone = json!({"timezone": if zone["timezone"] == "UTC" { "Asia/Tokyo" } else { "UTC" }});
    assert_eq!(owner.patch(form.path(), zone).status, 200);
    ask(dice, owner, 1, "another timezone");
    // Another process with nothing in memory.
    world.server.kill();
    world.server = Server::over(world.dir.path(), &["--rate-limits", "off"]);
    let owner = again(&world.owner, &world.server);
    let asked = questions(&world.any, dice, all / 20);
    compare(world.dir.path(), &owner, &world.form, &asked, "after a restart");
}

/// Other labels of choices, another type, a coarser date, and one more field.
fn redefine(owner: &Caller, form: &Form) {
    let mut fields = owner.get(form.path()).data()["fields"].clone();
    for field in fields.as_array_mut().expect("fields") {
        for choice in field["choices"].as_array_mut().into_iter().flatten() {
            if choice["api_code"] == "red" {
                choice["label"] = json!("Crimson ada");
            }
        }
        if field["type"] == "short_text" && field["unique"] != true {
            field["type"] = json!("long_text");
        } else if field["precision"] == "second" {
            field["precision"] = json!("day");
        }
    }
    let list = fields.as_array_mut().expect("fields");
    list.push(json!({"type": "short_text", "label": "one more"}));
    let done = owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true}));
    assert_eq!(done.status, 200, "{done}");
}

#[test]
fn segments_are_what_answers() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form =
        owner.form(json!([{"type": "short_text", "label": "a"}, {"type": "short_text", "label": "b", "unique": true}]));
    begin_at(dir.path(), 4000);
    let entries: Vec<Value> = (0..200)
        .map(|n| json!({"field_values": {"field_1": format!("text {}", n % 2), "field_2": format!("own {n}")}}))
        .collect();
    let made = owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
    assert_eq!(made.status, 201, "{made}");
    let total = |field: &str, value: &str| {
        let filters = json!([{"field": field, "operator": "eq", "value": value}]);
        let page = owner.post(format!("{}/query", form.entries()), json!({"filters": filters}));
        page.json()["pagination"]["total"].clone()
    };
    assert_eq!(total("field_1", "text 1"), 100);
    seal(dir.path());
    assert_eq!(total("field_1", "text 1"), 100);
    assert_eq!(total("field_2", "OWN 7"), 1);
    // With segments in which every row is empty, only the tail is found: 4096 to 4199.
    let empty = "UPDATE segments SET data = CAST(x'000002000000020000' || zeroblob(512) AS BLOB)";
    assert!(change(dir.path(), empty) >= 3);
    assert_eq!(total("field_1", "text 1"), 52);
    // A field that is unique is looked up by its keys.
    assert_eq!(total("field_2", "OWN 7"), 1);
    // An entry that changed since is asked itself.
    let body = json!({"field_values": {"field_1": "text 1"}});
    assert_eq!(owner.patch(form.entry(4000), body).status, 200);
    assert_eq!(total("field_1", "text 1"), 53);
    // An unreadable segment counts as missing.
    change(dir.path(), "UPDATE segments SET data = x'07ff'");
    assert_eq!(total("field_1", "text 1"), 101);
}

#[test]
fn the_newest_entries_are_known_as_they_are_now() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "a"}]));
    let add = |many: usize, text: &str| {
        let entry = json!({"field_values": {"field_1": text}});
        let body = json!({"entries": vec![entry; many]});
        let made = owner.post(format!("{}/bulk", form.entries()), body);
        assert_eq!(made.status, 201, "{made}");
    };
    let total = |text: &str| {
        let filters = json!([{"field": "field_1", "operator": "eq", "value": text}]);
        let path = format!("{}/query", form.entries());
        let page = owner.post(path, json!({"filters": filters}));
        page.json()["pagination"]["total"].clone()
    };
    add(200, "tea");
    assert_eq!((total("tea"), total("milk")), (json!(200), json!(0)));
    // Few more, and many more.
    add(3, "tea");
    add(1, "milk");
    assert_eq!((total("tea"), total("milk")), (json!(203), json!(1)));
    add(100, "milk");
    assert_eq!((total("tea"), total("milk")), (json!(203), json!(101)));
    // Changed, deleted and restored entries.
    let body = json!({"field_values": {"field_1": "milk"}});
    assert_eq!(owner.patch(form.entry(7), body).status, 200);
    assert_eq!((total("tea"), total("milk")), (json!(202), json!(102)));
    assert_eq!(owner.delete(form.entry(8)).status, 200);
    assert_eq!((total("tea"), total("milk")), (json!(201), json!(102)));
    let trash = form.entries().replace("/entries", "/trash/entries");
    let restored = owner.post(format!("{trash}/8/restore"), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert_eq!((total("tea"), total("milk")), (json!(202), json!(102)));
    // Memory answers: changes behind its back are seen when they are announced.
    change(dir.path(), "UPDATE entries SET \"values\" = '{\"1\":\"milk\"}' WHERE id & 0xffffffff = 9");
    assert_eq!((total("tea"), total("milk")), (json!(202), json!(102)));
    change(dir.path(), "UPDATE form_counters SET unsealed_changes = unsealed_changes + 1");
    assert_eq!((total("tea"), total("milk")), (json!(201), json!(103)));
    // Another type of the field.
    let fields = json!({"fields": [{"api_code": "field_1", "type": "long_text", "label": "a"}]});
    assert_eq!(owner.patch(form.path(), fields).status, 200);
    assert_eq!((total("tea"), total("milk")), (json!(201), json!(103)));
}

#[test]
fn what_an_import_brings_is_found_though_blocks_are_sealed_meanwhile() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "a"}]));
    // The block is full in the middle of the import.
    begin_at(dir.path(), 3000);
    let rows: String = (0..2000).map(|n| format!("text {}\n", n % 2)).collect();
    at_once(2, |nth| {
        if nth == 0 {
            let path = format!("{}/import", form.entries());
            let body = format!("field_1\n{rows}");
            let done = owner.send("POST", &path, Some("text/csv"), body.as_bytes());
            assert!(done.status < 300, "{done}");
        } else {
            (0..8).for_each(|_| seal(dir.path()));
        }
    });
    seal(dir.path());
    assert_eq!(count(dir.path(), "SELECT count(*) FROM segment_blocks"), 1);
    let filters = json!([{"field": "field_1", "operator": "eq", "value": "text 1"}]);
    let page = owner.post(format!("{}/query", form.entries()), json!({"filters": filters}));
    assert_eq!(page.json()["pagination"]["total"], 1000);
    assert_eq!(doctor(dir.path(), &[]).0, 0);
}

fn doctor(dir: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let done = formsvc(dir, &[&["doctor"], args].concat(), "");
    let mut lines: Vec<_> = text(&done.stdout).lines().map(str::to_owned).collect();
    // The lines that follow depend on the machine.
    lines.truncate(10);
    (done.status.code().expect("a code"), lines)
}

#[test]
fn a_doctor_finds_what_is_wrong_and_makes_it_again() {
    let dice = &mut Dice::new(5);
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let any = AnyForm::small(dice);
    let form = owner.form_with(any.body.clone());
    begin_at(dir.path(), 3900);
    let serials = fill(&owner, &form, &any, dice, 300);
    seal(dir.path());
    disturb(&owner, &form, &any, dice, &serials, 20);
    let well = [
        "OK    links: no folder, key or database file in the data dir is a link",
        "OK    instance key: the instance key belongs to this database",
        "OK    database: the database is whole",
        "OK    accounts: every account has its own email address",
        "OK    counters: the entry count of every form is right",
        "OK    keys: the index of unique values matches the entries",
        "OK    capacity: quotas, stock and places match the entries",
        "OK    segments: the index for filters matches the entries",
        "OK    files: every stored file is whole",
        "OK    removed values: no entry holds values of removed fields or choices",
    ];
    let (code, lines) = doctor(dir.path(), &[]);
    assert_eq!((code, lines), (0, well.map(str::to_owned).to_vec()));
    // Another number in a count, a bit in a segment, a row marked as missing.
    change(dir.path(), "UPDATE form_counters SET live_count = live_count + 1");
    let damages = [
        "UPDATE segments SET data = CAST(x'000002000000020000' || zeroblob(512) AS BLOB)",
        "UPDATE segment_blocks SET live = zeroblob(512)",
        "UPDATE segments SET data = x''",
    ];
    for damage in damages {
        assert!(change(dir.path(), damage) > 0);
        let (code, lines) = doctor(dir.path(), &[]);
        assert_eq!(code, 7, "{damage}");
        let wrong = "FAIL  segments: the index for filters differs from the entries, so that filters may find the wrong \
                     ones: run doctor --fix";
        assert_eq!(lines.get(7).map(String::as_str), Some(wrong), "{damage}");
        let (code, lines) = doctor(dir.path(), &["--fix", "--verbose"]);
        assert_eq!(code, 0, "{lines:?}");
        let again = "WARN  segments: the index for filters was rebuilt where it differed from the entries \
                     (rebuilt: 1 of 1 block of entries)";
        assert_eq!(lines.get(7).map(String::as_str), Some(again), "{damage}");
        assert_eq!(doctor(dir.path(), &[]), (0, well.map(str::to_owned).to_vec()));
        let asked = questions(&any, dice, 20);
        compare(dir.path(), &owner, &form, &asked, damage);
    }
    let said = formsvc(dir.path(), &["doctor", "--json"], "");
    let said: Value = serde_json::from_slice(&said.stdout).expect("one document");
    let detail = "1 block of entries compared";
    assert_eq!(said[7], json!({"check": "segments", "state": "OK", "text": &well[7][16..], "detail": detail}));
}

#[test]
fn a_deleted_form_takes_its_segments_along() {
    let dice = &mut Dice::new(77);
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let any = AnyForm::small(dice);
    let form = owner.form_with(any.body.clone());
    begin_at(dir.path(), 4000);
    fill(&owner, &form, &any, dice, 200);
    seal(dir.path());
    owner.patch(form.entry(4000), json!({"field_values": {"field_1": "x"}}));
    assert_eq!(owner.delete(form.path()).status, 200);
    change(dir.path(), "UPDATE forms SET deleted_at = 1000");
    run_job(dir.path(), "deleted-forms");
    for table in ["segments", "segment_blocks", "segment_changes", "segment_columns"] {
        assert_eq!(count(dir.path(), &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[test]
fn a_kill_while_sealing_leaves_nothing_wrong() {
    let all = rounds("TEST_CRASH_ROUNDS", 4_usize);
    let dice = &mut Dice::new(4711);
    let World { dir, mut server, owner, form, any, serials, .. } = world(1, dice);
    for round in 0..all {
        server.kill();
        // All is to be made again, which begins with the server.
        for table in ["segments", "segment_blocks"] {
            change(dir.path(), &format!("DELETE FROM {table}"));
        }
        if round % 3 == 0 {
            change(dir.path(), "DELETE FROM segment_columns");
        }
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let caller = again(&owner, &server);
        let life = Duration::from_millis(u64::try_from(dice.below(400)).expect("few"));
        std::thread::scope(|scope| {
            let (server, caller) = (&server, caller.clone());
            scope.spawn(move || {
                std::thread::sleep(life);
                server.kill();
            });
            let serial = serials[round % serials.len()];
            let body = json!({"field_values": any.entry(&mut Dice::new(u64::from(server.pid())))});
            let path = form.entry(serial);
            // It may be cut off.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| caller.patch(path, body)));
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let caller = again(&owner, &server);
        let asked = questions(&any, dice, 10);
        compare(dir.path(), &caller, &form, &asked, &format!("round {round}"));
    }
    seal(dir.path());
    let caller = again(&owner, &server);
    compare(dir.path(), &caller, &form, &questions(&any, dice, 20), "at the end");
    let check: String = database(dir.path()).query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a row");
    assert_eq!(check, "ok");
}
