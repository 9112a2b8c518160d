//! `unique`: equal values in each kind that may be so (contract 3.1, S46).

use serde_json::{Value, json};
use support::{Caller, Server, field, formsvc, text};

/// For each kind: values that are one and the same, then values that are others.
fn table() -> Vec<(&'static str, Vec<Value>, Vec<Value>)> {
    let text = |same: &[&str], other: &[&str]| {
        let list = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<Value>>();
        (list(same), list(other))
    };
    // Case, width, ligatures and composed letters make no difference, nor does anything invisible: blanks around the
    // text, characters without width, marks of direction. Spaces within and accents do.
    let (same, other) = text(
        &[
            "Straße ﬁx",
            "STRASSE FIX",
            "strasse ﬁx",
            "Ｓｔｒａｓｓｅ　ｆｉｘ",
            " Straße ﬁx",
            "Straße ﬁx\u{a0}\u{3000}",
            "Stra\u{200b}ße ﬁx",
            "Stra\u{200c}ße \u{200d}ﬁx",
            "\u{feff}Straße ﬁx\u{2060}",
            "Stra\u{ad}ße ﬁx",
            "\u{202e}Straße ﬁx\u{202c}",
            "\u{2068}Straße ﬁx\u{2069}",
            "Straße ﬁx\u{200e}",
            "Straße\u{fe0f} \u{34f}ﬁx",
        ],
        &["Strase fix", "Straße  fix", "Stráße ﬁx", "Straße ﬁx."],
    );
    let mut table: Vec<_> =
        ["short_text", "long_text", "name"].map(|kind| (kind, same.clone(), other.clone())).to_vec();
    let (same, other) = text(
        &["Ada@Example.com", "ada@example.com", "ADA@EXAMPLE.COM"],
        &["ada@example.org", "a.da@example.com", "ada+1@example.com"],
    );
    table.push(("email", same, other));
    // A domain is the same in ASCII.
    let (same, other) = text(
        &["ada@ü.example", "ADA@xn--tda.example", "a\u{fe0f}da@Ü.Example"],
        &["ada@u.example", "ada@xn--tda.org", "xn--tda@ü.example"],
    );
    table.push(("email", same, other));
    let (same, other) =
        text(&["https://example.com/A", "HTTPS://EXAMPLE.COM/a"], &["http://example.com/a", "https://example.com/a/"]);
    table.push(("url", same, other));
    let (same, other) = text(
        &["https://ü.example/ü", "HTTPS://xn--tda.example/ü", "https://Ü.example/\u{ad}ü"],
        &["https://u.example/ü", "https://ü.example/xn--tda", "https://ü.example:8/ü"],
    );
    table.push(("url", same, other));
    table.push(("number", vec![json!(3), json!(3.0)], vec![json!(3.5), json!(-3), json!(30)]));
    let phone = |country: &str, number: &str| json!({"country_id": country, "number": number});
    table.push((
        "phone",
        vec![phone("CN", "13800138000"), phone("CN", "138 0013-8000"), phone("CN", "+86 13800138000")],
        vec![phone("CN", "13800138001"), phone("DE", "13800138000")],
    ));
    // With the national prefix, and without.
    table.push((
        "phone",
        vec![
            phone("DE", "0170 1234567"),
            phone("DE", "1701234567"),
            phone("DE", "+49 170 1234567"),
            phone("DE", "+49 (0)170/1234567"),
            phone("DE", "0049 170 1234567"),
            phone("AT", "+49 170 1234567"),
        ],
        vec![phone("DE", "1701234568"), phone("DE", "0171 1234567"), phone("AT", "0664 1234567")],
    ));
    table.push((
        "number",
        vec![json!(1e17), json!(100_000_000_000_000_000_i64)],
        vec![json!(1e18), json!(9_007_199_254_740_992_i64)],
    ));
    table
}

fn values(value: &Value) -> Value {
    json!({"field_values": {"field_1": value}})
}

const TAKEN: &str = "field_values.field_1: has already been taken";

#[test]
fn the_same_value_in_another_spelling_is_taken() {
    let server = Server::shared();
    let owner = server.user();
    for (kind, same, others) in table() {
        let form = owner.form(json!([field(kind, json!({"unique": true}))]));
        assert_eq!(owner.post(form.entries(), values(&same[0])).status, 201, "{kind}");
        for again in &same {
            for refused in
                [owner.post(form.entries(), values(again)), server.anon().post(form.submissions(), values(again))]
            {
                assert_eq!(refused.faults(), [TAKEN], "{kind} {again}: {refused}");
            }
            // Its own value is no double.
            let kept = owner.patch(form.entry(1), values(again));
            assert_eq!(kept.status, 200, "{kind} {again}: {kept}");
        }
        for other in &others {
            let made = owner.post(form.entries(), values(other));
            assert_eq!(made.status, 201, "{kind} {other}: {made}");
        }
        // No value at all is none that could be taken.
        for _ in 0..2 {
            assert_eq!(owner.post(form.entries(), values(&json!(null))).status, 201, "{kind}");
        }
    }
}

#[test]
fn a_field_with_data_becomes_unique_unless_it_has_doubles() {
    let owner = Server::shared().user();
    for (kind, same, others) in table() {
        let form = owner.form(json!([field(kind, json!({}))]));
        for value in others.iter().chain(&same[..2]) {
            assert_eq!(owner.post(form.entries(), values(value)).status, 201, "{kind} {value}");
        }
        let unique = |unique: bool| {
            let own = json!({"api_code": "field_1", "unique": unique});
            owner.patch(form.path(), json!({"fields": [field(kind, own)]}))
        };
        assert_eq!(
            unique(true).faults(),
            ["fields[0].unique: is not possible: entries have the same value already"],
            "{kind}"
        );
        // A double that is no longer there is none.
        let last = i64::try_from(others.len()).expect("few") + 2;
        assert_eq!(owner.delete(form.entry(last)).status, 200);
        assert_eq!(unique(true).status, 200, "{kind}");
        for value in same.iter().chain(&others) {
            assert_eq!(owner.post(form.entries(), values(value)).faults(), [TAKEN], "{kind} {value}");
        }
        // Once it is so no longer, anything goes, and the keys of before count no more.
        assert_eq!(unique(false).status, 200);
        assert_eq!(owner.post(form.entries(), values(&same[0])).status, 201);
        assert_eq!(unique(true).status, 422, "{kind}");
    }
}

/// Of the n-th entry: three values that no other has.
fn three(n: usize) -> Value {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    json!({"field_values": {"field_1": format!("{mixed:x}"), "field_2": format!("user{n}@example.com"), "field_3": n}})
}

#[test]
fn a_value_is_taken_however_many_came_after_it_and_whoever_asks() {
    const ALL: usize = 14_000;
    const BEFORE: usize = 70;
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(json!([
        field("short_text", json!({"unique": true})),
        field("email", json!({"unique": true})),
        field("number", json!({"unique": true})),
    ]));
    for n in ALL..ALL + BEFORE {
        assert_eq!(owner.post(form.entries(), three(n)).status, 201);
    }
    for begin in (0..ALL).step_by(500) {
        let entries: Vec<Value> = (begin..begin + 500).map(three).collect();
        let path = format!("{}/bulk", form.entries());
        assert_eq!(owner.post(path, json!({"entries": entries})).status, 201);
    }
    // The stored keys tell nobody the values.
    let database = rusqlite::Connection::open(dir.path().join("formsvc.db")).expect("opens");
    let clear = "SELECT count(*) FROM entry_keys WHERE length(key) <> 16 OR instr(key, CAST('user' AS BLOB)) > 0";
    let clear: i64 = database.query_row(clear, [], |row| row.get(0)).expect("a number");
    assert_eq!(clear, 0, "keys are hashes");
    drop(database);
    let refuses = |owner: &Caller, n: usize| {
        let faults = owner.post(form.entries(), three(n)).faults();
        let taken = (1..=3).map(|n| format!("field_values.field_{n}: has already been taken"));
        assert_eq!(faults, taken.collect::<Vec<_>>(), "{n}");
    };
    let finds = |owner: &Caller, n: usize, total: i64| {
        let filter = json!([{"field": "field_2", "operator": "eq", "value": format!("USER{n}@example.com")}]);
        let found = owner.post(format!("{}/query", form.entries()), json!({"filters": filter}));
        assert_eq!(found.json()["pagination"]["total"], total, "{n}: {found}");
    };
    let some = [0, 1, 499, 500, 3210, 5999, ALL - 501, ALL - 2, ALL - 1];
    let holds = |server: &Server, owner: &Caller| {
        for n in some {
            refuses(owner, n);
            finds(owner, n, 1);
            // Another process is refused as well.
            let file = format!("field_2\nuser{n}@example.com\n");
            let ran = formsvc(&server.dir, &["entries", "import", &form.token, "-"], &file);
            assert_eq!(ran.status.code(), Some(1), "{n}");
        }
    };
    holds(&server, &owner);
    // One among others that come together, be they few or many.
    for others in [2, 30] {
        let mut entries: Vec<Value> = (0..others).map(|n| three(2 * ALL + n)).collect();
        entries.push(three(1));
        let path = format!("{}/bulk", form.entries());
        let faults = owner.post(path, json!({"entries": entries})).faults();
        let taken = (1..=3).map(|n| format!("entries[{others}].field_values.field_{n}: has already been taken"));
        assert_eq!(faults, taken.collect::<Vec<_>>());
    }
    server.kill();
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.anon().with_token(owner.token.as_deref().expect("a token"));
    holds(&server, &owner);
    // Values that another process imports are taken here.
    let file = "field_2\nnew@example.com\n";
    let ran = formsvc(&server.dir, &["entries", "import", &form.token, "-"], file);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let new = json!({"field_values": {"field_2": "New@example.com"}});
    assert_eq!(owner.post(form.entries(), new).status, 422);
    // The old and new values of changed and deleted entries are free at once and taken again.
    for n in [3, ALL - 3] {
        let serial = i64::try_from(BEFORE + n + 1).expect("small");
        let changed = json!({"field_values": {"field_1": format!("other {n}")}});
        assert_eq!(owner.patch(form.entry(serial), changed).status, 200);
        let free = json!({"field_values": {"field_1": three(n)["field_values"]["field_1"]}});
        assert_eq!(owner.post(form.entries(), free.clone()).status, 201, "{n}");
        assert_eq!(owner.post(form.entries(), free).status, 422, "{n}");
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
        finds(&owner, n, 0);
        let free = json!({"field_values": {"field_2": format!("user{n}@example.com")}});
        assert_eq!(owner.post(form.entries(), free).status, 201, "{n}");
        finds(&owner, n, 1);
    }
    // One that is no longer unique leaves nothing behind.
    let fields = |unique: bool| {
        json!({"fields": [
            field("short_text", json!({"api_code": "field_1", "unique": true})),
            field("email", json!({"api_code": "field_2", "unique": unique})),
            field("number", json!({"api_code": "field_3", "unique": true})),
        ]})
    };
    assert_eq!(owner.patch(form.path(), fields(false)).status, 200);
    let again = json!({"field_values": {"field_2": format!("user{}@example.com", ALL - 1)}});
    assert_eq!(owner.post(form.entries(), again.clone()).status, 201);
    assert_eq!(owner.patch(form.path(), fields(true)).status, 422);
    finds(&owner, ALL - 1, 2);
    assert_eq!(owner.delete(form.entry(i64::try_from(BEFORE + ALL).expect("small"))).status, 200);
    assert_eq!(owner.patch(form.path(), fields(true)).status, 200);
    assert_eq!(owner.post(form.entries(), again).status, 422);
    let checked = server.run(&["doctor"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
}

#[test]
fn a_doctor_puts_keys_right() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form =
        owner.form(json!([field("short_text", json!({"unique": true})), field("number", json!({"unique": true})),]));
    for n in 1..=3 {
        let made = owner.post(form.entries(), json!({"field_values": {"field_1": format!("Text {n}"), "field_2": n}}));
        assert_eq!(made.status, 201);
    }
    let keys = |args: &[&str]| {
        let said = server.run(&[&["doctor"], args].concat());
        let line = text(&said.stdout);
        let line = line.lines().find(|line| line.contains("keys:"));
        (said.status.code(), line.expect("a line").to_owned())
    };
    let well = (Some(0), "OK    keys: the index of unique values matches the entries".to_owned());
    assert_eq!(keys(&[]), well);
    // One has lost its keys, one has another's, and one is nobody's.
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let damage = "DELETE FROM entry_keys WHERE serial = 1; \
         UPDATE entry_keys SET key = zeroblob(16) WHERE serial = 2 AND field = 1; \
         INSERT INTO entry_keys SELECT form_no, 2, x'00112233445566778899aabbccddeeff', 900 FROM entry_keys LIMIT 1;";
    database.execute_batch(damage).expect("is damaged");
    let (code, line) = keys(&["--verbose"]);
    assert_eq!(code, Some(7));
    assert!(line.contains("(wrong or missing: 5 of "), "{line}");
    assert!(line.starts_with("FAIL  keys: the index of unique values differs from the entries"), "{line}");
    let mended =
        (Some(0), "WARN  keys: the index of unique values was corrected (5 keys were wrong or missing)".to_owned());
    assert_eq!(keys(&["--fix", "--verbose"]), mended);
    assert_eq!(keys(&[]), well);
    for (taken, value) in [(true, "text 1"), (true, "text 2"), (false, "text 4")] {
        let made = owner.post(form.entries(), values(&json!(value)));
        assert_eq!(made.status, if taken { 422 } else { 201 }, "{value}");
    }
    let free = json!({"field_values": {"field_2": 9}});
    assert_eq!(owner.post(form.entries(), free).status, 201);
}
