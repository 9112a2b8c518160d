//! Exact keys of the fields that public queries search: built once a query needs them, kept right by every way of
//! writing, dropped when none does. Searches find the same with and without them.

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use support::{Caller, Form, Server, field, formsvc, text, until};

use crate::queries::{Query, any_of, restore, shown};

/// Of the n-th entry.
fn values(n: i64) -> Value {
    json!({"field_values": {
        "field_1": format!("Person {n}"),
        "field_2": {"country_id": "CN", "number": format!("138{:08}", n)},
        "field_3": format!("20{:02}-{:02}-{:02}", n % 100, n % 12 + 1, n % 28 + 1),
        "field_4": n,
        "field_5": "A",
    }})
}

fn made(server: &Server, owner: &Caller, entries: i64) -> Form {
    let form = owner.form(json!([
        field("name", json!({})),
        field("phone", json!({})),
        field("date", json!({})),
        field("number", json!({})),
        field("radio", json!({"choices": [{"api_code": "A", "label": "a"}]})),
    ]));
    let all: Vec<Value> = (1..=entries).map(values).collect();
    for some in all.chunks(1000) {
        let path = format!("{}/bulk", form.entries());
        let done = owner.post(path, json!({"entries": some}));
        assert_eq!(done.status, 201, "{done} {}", server.stderr());
    }
    form
}

fn query(owner: &Caller, form: &Form) -> Query {
    let fields = any_of(&["field_1", "field_2", "field_3", "field_4", "field_5"]);
    Query::ruled(owner, form, fields, shown(&["serial_number"]))
}

/// The serial numbers that a search by one field finds.
fn found(query: &Query, field: &str, value: &Value) -> Vec<i64> {
    query.serials(&json!({ field: value }))
}

/// The keys in the database: the state of each field's, and how many there are.
fn states(server: &Server, form: &Form) -> Vec<(i64, String, i64)> {
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let mut read = database
        .prepare(
            "SELECT k.field - (1 << 24), k.state, (SELECT count(*) FROM entry_keys e \
             WHERE e.form_no = k.form_no AND e.field = k.field AND e.serial > 0) \
             FROM key_fields k JOIN forms USING (form_no) WHERE token = ?1 AND k.field > (1 << 24) ORDER BY 1",
        )
        .expect("SQL");
    let rows = read.query_map([&form.token], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Each value has one key, but phones, which are given in three ways.
fn ready(entries: i64) -> Vec<(i64, String, i64)> {
    (1..=4).map(|n| (n, "ready".to_owned(), if n == 2 { 3 * entries } else { entries })).collect()
}

fn is_sound(server: &Server) {
    let ran = formsvc(&server.dir, &["doctor", "--json"], "");
    let report = text(&ran.stdout);
    assert!(ran.status.success(), "{report}");
}

#[test]
fn keys_follow_queries_and_entries() {
    const ALL: i64 = 2_500;
    let server = Server::alone("its database is changed");
    let owner = server.user();
    let form = made(&server, &owner, ALL);
    let query = query(&owner, &form);
    let phone = |n: i64| json!(format!("138{n:08}"));
    let finds = |n: i64, serials: &[i64]| {
        let name = json!(format!("PERSON {n}"));
        assert_eq!(found(&query, "field_1", &name), serials, "{n}");
        assert_eq!(found(&query, "field_2", &phone(n)), serials, "{n}");
        assert_eq!(found(&query, "field_4", &json!(n)), serials, "{n}");
    };
    // At once, before there are keys.
    finds(17, &[17]);
    // A choice, which many entries share, has none.
    until("the keys are there", || states(&server, &form) == ready(ALL));
    finds(17, &[17]);
    let day = json!("2017-06-18");
    let by_day = found(&query, "field_3", &day);
    assert!(by_day.contains(&17), "{by_day:?}");
    // New, changed, trashed, restored, purged, imported.
    owner.post(form.entries(), values(9_001)).is(201);
    finds(9_001, &[ALL + 1]);
    owner.patch(form.entry(17), values(9_002)).is(200);
    finds(17, &[]);
    finds(9_002, &[17]);
    owner.delete(form.entry(18)).is(200);
    finds(18, &[]);
    restore(&owner, form.trashed(18));
    finds(18, &[18]);
    owner.delete(form.entry(19)).is(200);
    owner.delete(form.trashed(19)).is(200);
    finds(19, &[]);
    let rows = "field_1,field_4\nPerson 9003,9003\nPerson 9003,9003\n";
    let ran = formsvc(&server.dir, &["entries", "import", &form.token, "-"], rows);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let name = json!("person 9003");
    assert_eq!(found(&query, "field_1", &name), [ALL + 3, ALL + 2]);
    is_sound(&server);
    // A field of another type has other keys.
    let fields = json!({"fields": [
        field("short_text", json!({"api_code": "field_1"})),
        field("phone", json!({"api_code": "field_2"})),
        field("date", json!({"api_code": "field_3"})),
        field("short_text", json!({"api_code": "field_4"})),
        field("radio", json!({"api_code": "field_5", "choices": [{"api_code": "A", "label": "a"}]})),
    ]});
    owner.patch(form.path(), fields).is(200);
    assert_eq!(found(&query, "field_4", &json!("20")), [20]);
    until("the keys are there again", || {
        let states = states(&server, &form);
        states.len() == 4 && states.iter().all(|(_, state, _)| state == "ready")
    });
    assert_eq!(found(&query, "field_4", &json!("20")), [20]);
    is_sound(&server);
    // One field less, then no query at all.
    let fewer = json!({"search_field_rules": [{"operand": "and", "fields": [
        {"field": "field_1", "fuzzy": true}, {"field": "field_2"},
    ]}]});
    owner.patch(query.path(), fewer).is(200);
    let run = |job: &str| assert!(server.run(&["jobs", "run-once", job]).status.success());
    until("the others are gone", || {
        run("query-keys");
        run("entry-keys");
        states(&server, &form).iter().map(|it| it.0).eq([2])
    });
    owner.delete(query.path()).is(200);
    until("all are gone", || {
        run("query-keys");
        run("entry-keys");
        states(&server, &form).is_empty()
    });
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let left: i64 = database.query_row("SELECT count(*) FROM entry_keys", [], |row| row.get(0)).expect("a count");
    assert_eq!(left, 0);
}

#[test]
fn doctor_finds_and_mends_keys_that_are_wrong() {
    let server = Server::alone("its database is changed");
    let owner = server.user();
    let form = made(&server, &owner, 50);
    let query = query(&owner, &form);
    until("the keys are there", || states(&server, &form) == ready(50));
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let lost = database.execute("DELETE FROM entry_keys WHERE serial = 7", []).expect("deletes");
    assert_eq!(lost, 6);
    let strayed = database.execute("UPDATE entry_keys SET serial = 9 WHERE serial = 8 AND field = (1 << 24) + 1", []);
    assert_eq!(strayed.expect("updates"), 1);
    drop(database);
    let ran = formsvc(&server.dir, &["doctor"], "");
    assert_eq!(ran.status.code(), Some(7), "{}", text(&ran.stdout));
    let ran = formsvc(&server.dir, &["doctor", "--fix"], "");
    assert!(ran.status.success(), "{}", text(&ran.stdout));
    is_sound(&server);
    assert_eq!(found(&query, "field_4", &json!(7)), [7]);
    assert_eq!(found(&query, "field_1", &json!("person 8")), [8]);
}

/// Numbers that were stored with the trunk prefix, under keys of then, and large numbers under keys with an exponent.
#[test]
fn an_upgrade_makes_the_keys_of_phones_again_and_doctor_names_which_are_doubled() {
    let dir = tempfile::tempdir().expect("a folder");
    let german = |number: &str| json!({"country_id": "DE", "country_code": "49", "number": number});
    let (form, token, query);
    {
        let server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let owner = server.user();
        form = owner.form(json!([
            field("phone", json!({"unique": true})),
            field("number", json!({"unique": true})),
            field("short_text", json!({})),
        ]));
        for (number, count) in
            [("1701234567", 1e17), ("171 1", 1.0), ("30123456", 2.0), ("1721234567", 3.0), ("173 1", 4.0)]
        {
            let number = number.replace(' ', "123456");
            owner.post(form.entries(), json!({"field_values": {"field_1": german(&number), "field_2": count}})).is(201);
        }
        query = Query::ruled(&owner, &form, any_of(&["field_1"]), shown(&["serial_number"]));
        until("the keys are there", || states(&server, &form) == [(1, "ready".to_owned(), 15)]);
        token = owner.token.clone().expect("a token");
    }
    let database = Connection::open(dir.path().join("formsvc.db")).expect("opens");
    for (serial, number) in [(2, "01701234567"), (3, "030123456"), (5, "01721234567")] {
        let changed = database.execute(
            "UPDATE entries SET \"values\" = json_set(\"values\", '$.\"1\".number', ?2) \
             WHERE id = (SELECT form_no << 32 | ?1 FROM forms)",
            params![serial, number],
        );
        assert_eq!(changed, Ok(1), "{number}");
        // Random hashes, like those of the old keys.
        let changed = database.execute("UPDATE entry_keys SET key = randomblob(16) WHERE serial = ?1", [serial]);
        assert_eq!(changed, Ok(5), "{number}");
    }
    let changed = database.execute("UPDATE entry_keys SET key = randomblob(16) WHERE serial = 1 AND field = 2", []);
    assert_eq!(changed, Ok(1));
    database.execute_batch(include_str!("../../../migrations/U1795887000__phones.sql")).expect("upgrades");
    drop(database);

    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.anon().with_token(&token);
    // At once, before the keys are there.
    let serials = |number: &str| query_at(&server, &query).serials(&json!({"field_1": number}));
    assert_eq!(serials("0170 1234567"), [2, 1]);
    until("the keys are made again", || {
        assert!(server.run(&["jobs", "run-once", "outdated-keys"]).status.success());
        assert!(server.run(&["jobs", "run-once", "query-keys"]).status.success());
        states(&server, &form) == [(1, "ready".to_owned(), 15)]
    });
    for (number, found) in [
        ("0170 1234567", vec![2, 1]),
        ("+49 170 1234567", vec![2, 1]),
        ("30123456", vec![3]),
        ("030 123456", vec![3]),
        ("0171 1234561", vec![]),
    ] {
        assert_eq!(serials(number), found, "{number}");
        let filters = json!([{"field": "field_1", "operator": "eq", "value": number}]);
        let page = owner.post(form.query(), json!({"filters": filters, "sort": "-serial_number"})).is(200).json();
        let listed: Vec<i64> =
            page["data"].as_array().expect("a list").iter().filter_map(|it| it["serial_number"].as_i64()).collect();
        assert_eq!(listed, found, "{number}");
    }
    for (serial, number) in [(1, "1701234567"), (2, "1701234567"), (3, "30123456")] {
        assert_eq!(owner.get(form.entry(serial)).is(200).data()["field_1"], german(number));
    }
    let post = |values: Value| server.anon().post(form.submissions(), json!({"field_values": values}));
    for taken in ["170 1234567", "0170 1234567", "030 123456", "30123456", "+49 172 1234567"] {
        let refused = post(json!({"field_1": {"country_id": "DE", "number": taken}}));
        assert_eq!(refused.faults(), ["field_values.field_1: has already been taken"], "{taken}");
    }
    assert_eq!(post(json!({"field_2": 1e17})).faults(), ["field_values.field_2: has already been taken"]);
    let doctor = || {
        let done = server.run(&["doctor"]);
        (done.status.code(), text(&done.stdout))
    };
    let (code, said) = doctor();
    assert_eq!(code, Some(7), "{said}");
    for entries in ["1 and 2", "4 and 5"] {
        let named = format!("form {}, field_1, entries {entries}", form.token);
        assert!(said.contains(&named), "{named}: {said}");
    }
    // Both stay as they are where something else of them is changed.
    owner.patch(form.entry(2), json!({"field_values": {"field_3": "x"}})).is(200);
    let changed = json!({"field_values": {"field_1": german("01761234567")}});
    assert_eq!(owner.patch(form.entry(2), changed).is(200).data()["field_1"], german("1761234567"));
    owner.patch(form.entry(5), json!({"field_values": {"field_1": null}})).is(200);
    let (code, said) = doctor();
    assert!(code == Some(0) && said.contains("OK    keys: the index of unique values matches the entries"), "{said}");
}

/// The same query at the address of another server.
fn query_at(server: &Server, query: &Query) -> Query {
    Query { token: query.token.clone(), base: server.anon().base }
}
