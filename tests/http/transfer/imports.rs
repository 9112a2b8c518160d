//! Entries out of a file: exported files and people's own, whole or not at all (contract section 4, S94).

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use support::steps::count;
use support::uploads::{path_of, send, uploaded};
use support::{Caller, Form, PROGRAM, Server, field, rounds, text, until};

use crate::transfer::{CSV, XLSX, csv, export, import, plain, values};

#[test]
fn rows_become_entries_in_their_order() {
    let (owner, form) = plain();
    let made = csv(&owner, &form, "Name,Age,Remarks\r\nAda,36,x\r\n\"Grace \"\"Amazing\"\"\nHopper\",,\r\n");
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"created":2,"rows":2,"dry_run":false},"warnings":[{"attribute":"header[2]","message":"\"Remarks\" names no field of this form and is ignored"}]}"#
    );
    let first = owner.get(form.entry(1)).data();
    assert_eq!((&first["field_1"], &first["field_2"]), (&json!("Ada"), &json!(36)));
    // A field without a column takes its default; nobody counted any seconds.
    assert_eq!(first["field_3"], "2026-01-01");
    assert_eq!(first["info_filling_duration"], Value::Null);
    assert_eq!(first["creator_name"], "Ada Lovelace");
    assert_eq!(owner.get(form.entry(2)).data()["field_1"], "Grace \"Amazing\"\nHopper");
    let next = owner.post(form.entries(), json!({"field_values": {"field_1": "Katherine"}}));
    assert_eq!(next.data()["serial_number"], 3);
}

#[test]
fn a_dry_run_only_looks() {
    let (owner, form) = plain();
    let file = "field_1\nAda\nGrace\n";
    let looked = import(&owner, &form, "?dry_run=true", CSV, file.as_bytes());
    assert_eq!(looked.to_string(), r#"200 {"data":{"created":0,"rows":2,"dry_run":true}}"#);
    assert_eq!(count(&owner, &form), 0);
    let wrong = import(&owner, &form, "?dry_run=true", CSV, b"field_1,field_2\n,x\n");
    assert_eq!(wrong.status, 422);
    let odd = import(&owner, &form, "?dry_run=maybe", CSV, file.as_bytes());
    assert_eq!(odd.faults(), ["dry_run: must be one of false, true"]);
    let made = import(&owner, &form, "?dry_run=false", CSV, file.as_bytes());
    assert_eq!((made.status, made.data()["created"].clone()), (201, json!(2)));
}

#[test]
fn who_may_not_ask_is_told_that_first() {
    let (owner, form) = plain();
    let stranger = Server::shared().user();
    let nowhere = Form { token: "AAAAAAAAAA".to_owned(), body: json!(null) };
    for (caller, form) in [(&stranger, &form), (&owner, &nowhere)] {
        let refused = import(caller, form, "?dry_run=perhaps", CSV, b"field_1\nAda");
        assert_eq!(refused.status, 404, "{refused}");
    }
    let refused = import(&owner, &form, "?dry_run=perhaps", CSV, b"field_1\nAda");
    assert_eq!((refused.status, refused.attributes()), (422, vec!["dry_run".to_owned()]));
    // Nothing at all is neither yes nor no.
    for query in ["?dry_run", "?dry_run="] {
        let unclear = import(&owner, &form, query, CSV, b"field_1\nAda");
        assert_eq!(unclear.faults(), ["dry_run: must be one of false, true"]);
    }
    assert_eq!(count(&owner, &form), 0);
    // An unreadable file is reported before that.
    for form in [&form, &nowhere] {
        assert_eq!(import(&owner, form, "", CSV, b"field_1\n\xff").status, 400);
    }
}

#[test]
fn one_faulty_row_and_none_is_stored() {
    let (owner, form) = plain();
    let refused = csv(&owner, &form, "field_1,field_2,field_3\nAda,36,2026-11-20\n,-1,2026-02-30\nGrace,ten,\n");
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.faults(),
        [
            "rows[1].field_1: can't be blank",
            "rows[1].field_2: must be 0 or more",
            "rows[1].field_3: must be a date in the format YYYY-MM-DD",
            "rows[2].field_2: must be a number",
        ]
    );
    assert_eq!(count(&owner, &form), 0);
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    assert_eq!(made.data()["serial_number"], 1);
}

#[test]
fn the_header_says_which_column_is_which() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name"},
        {"type": "short_text", "label": "Name"},
        {"type": "short_text", "label": "Town"},
    ]));
    let faults = |file: &str| {
        let refused = csv(&owner, &form, file);
        assert_eq!(refused.status, 422, "{refused}");
        refused.faults()
    };
    assert_eq!(
        faults("Town,Name\na,b\n"),
        [r#"header[1]: "Name" is the label of several columns: use one of field_1, field_2"#]
    );
    assert_eq!(
        faults("Town,field_3\na,b\n"),
        [r#"header[1]: "field_3" and "Town" name the same field: keep one of them"#]
    );
    assert_eq!(faults("nothing,known\na,b\n"), ["header: names no field of this form"]);
    assert_eq!(faults(""), ["header: is missing: the file is empty"]);
    assert_eq!(faults("\n\n"), ["header: is missing: the file is empty"]);
    let made = csv(&owner, &form, " field_1 ;Name (field_2);Town;x;x\na;b;c;d;e\n");
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(values(&owner, &form), [json!({"field_1": "a", "field_2": "b", "field_3": "c"})]);
}

#[test]
fn only_tables_of_a_size_are_taken() {
    let (owner, form) = plain();
    let kind = import(&owner, &form, "", "application/json", b"{}");
    assert_eq!(
        kind.to_string(),
        "415 {\"error\":\"Content-Type must be text/csv or \
         application/vnd.openxmlformats-officedocument.spreadsheetml.sheet or application/octet-stream\"}"
    );
    let latin = import(&owner, &form, "", CSV, b"field_1\nGr\xfc\xdfe\n");
    assert_eq!(
        latin.to_string(),
        r#"400 {"error":"The file is not valid UTF-8 (at byte 10): save it as CSV in UTF-8"}"#
    );
    let large = vec![b'x'; (16 << 20) + 1];
    assert_eq!(import(&owner, &form, "", CSV, &large).status, 413);
    let wide = format!("field_1{}\nx\n", ",x".repeat(500));
    assert_eq!(csv(&owner, &form, &wide).faults(), ["file: may have at most 500 columns"]);
    let long = format!("field_1\n{}", "x\n".repeat(200_001));
    let refused = import(&owner, &form, "?dry_run=true", CSV, long.as_bytes());
    assert_eq!(refused.faults(), ["file: may have at most 200000 rows"]);
    let nul = csv(&owner, &form, "field_1\na\0b\n");
    assert_eq!(nul.faults(), ["rows[0].field_1: must not contain NUL characters"]);
    for query in ["", "?dry_run=true"] {
        let viewer = Server::shared().token(&owner.email, "entry:read");
        assert_eq!(import(&viewer, &form, query, CSV, b"field_1\nx\n").status, 403);
        let stranger = Server::shared().user();
        assert_eq!(import(&stranger, &form, query, CSV, b"field_1\nx\n").status, 404);
    }
    assert_eq!(count(&owner, &form), 0);
}

#[test]
fn a_thousand_faults_are_told_and_that_there_are_more() {
    let (owner, form) = plain();
    let file = format!("field_1,field_2\n{}", "x,y\n".repeat(3000));
    let faults = csv(&owner, &form, &file).faults();
    assert_eq!(faults.len(), 1000);
    assert_eq!(faults[998], "rows[998].field_2: must be a number");
    assert_eq!(faults[999], "rows: more errors are not listed: correct these first");
}

#[test]
fn what_is_unique_stays_so_within_the_file_and_beside_it() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("email", json!({"unique": true, "label": "Mail"}))]));
    let there = json!({"field_values": {"field_1": "ada@example.com"}});
    assert_eq!(owner.post(form.entries(), there).status, 201);
    let refused = csv(&owner, &form, "Mail\nADA@example.com\ngrace@example.com\nx@example.com\nGrace@Example.com\n");
    assert_eq!(
        refused.faults(),
        ["rows[0].field_1: has already been taken", "rows[3].field_1: has already been taken",]
    );
    // So in a file of many pieces; and its staged rows hold nothing back.
    let many = |last: &str| -> String {
        let rows = (0..2000).map(|n| format!("user{n}@example.com\n"));
        format!("Mail\n{}{last}\n", rows.collect::<String>())
    };
    let refused = csv(&owner, &form, &many("user7@EXAMPLE.com"));
    assert_eq!(refused.faults(), ["rows[2000].field_1: has already been taken"]);
    let made = csv(&owner, &form, &many("last@example.com"));
    assert_eq!(made.data(), json!({"created": 2001, "rows": 2001, "dry_run": false}));
    assert_eq!(count(&owner, &form), 2002);
    let taken = json!({"field_values": {"field_1": "USER1999@example.com"}});
    assert_eq!(owner.post(form.entries(), taken).status, 422);
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    let free = json!({"field_values": {"field_1": "user0@example.com"}});
    assert_eq!(owner.post(form.entries(), free).data()["serial_number"], 2003);
}

#[test]
fn rules_hold_for_rows_as_for_one_entry() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("number", json!({"label": "Guests"})),
        field("short_text", json!({"label": "Table", "required": true})),
        field("short_text", json!({"label": "Why"})),
    ]));
    let when = |operator: &str, value: i64, action: &str, target: &str| {
        json!({
            "condition": {"operand": "and", "items": [{"field": "field_1", "operator": operator, "value": value}]},
            "action": action, "fields": [target],
        })
    };
    let rules = json!({"rules": [when("gt", 5, "show", "field_2"), when("lt", 0, "require", "field_3")]});
    let path = format!("{}/field_rules", form.path());
    assert_eq!(owner.put(path, rules).status, 200);
    let made = csv(&owner, &form, "Guests,Table,Why\n1,hidden so dropped,\n9,shown,\n-1,,because\n");
    assert_eq!(made.status, 201, "{made}");
    let all = values(&owner, &form);
    let of = |code: &str| -> Vec<Value> { all.iter().map(|entry| entry[code].clone()).collect() };
    let mut tables = of("field_2");
    tables.sort_by_key(Value::to_string);
    assert_eq!(tables, [json!("shown"), json!(null), json!(null)]);
    let refused = csv(&owner, &form, "Guests,Table,Why\n9,,\n-1,,\n2,,\n");
    assert_eq!(refused.faults(), ["rows[0].field_2: can't be blank", "rows[1].field_3: can't be blank",]);
    assert_eq!(count(&owner, &form), 3);
}

/// Texts that a spreadsheet, a reader or a writer of files may take for something else.
const HOSTILE: &[&str] = &[
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "'=1",
    "'tis",
    "''",
    "\tx",
    "\nx\n",
    "a\rb\r\nc",
    "a\"b\"\"c",
    "\"",
    ",;\t",
    "שלום \u{202e} עולם",
    "👩\u{200d}👩\u{200d}👧 e\u{301}",
    "007",
    "1e5",
    "TRUE",
    "2026-11-20",
    " blanks ",
    "_x0041_ &amp; <b>",
    "]]>",
    "\u{ffff}\u{fffe}",
    "＝１",
    "sep=;",
    "#N/A",
];

/// A form of every kind that is written, and values of it.
fn every_kind(owner: &Caller) -> (Form, Value) {
    let linked = owner.form(json!([field("name", json!({"label": "Name"}))]));
    let person = owner.post(linked.entries(), json!({"field_values": {"field_1": "Ada"}}));
    let person = person.data()["token"].clone();
    let choices = json!([
        {"api_code": "a", "label": "=Tea"}, {"api_code": "b", "label": "Milk, \"cold\""},
        {"api_code": "c", "label": "Same"}, {"api_code": "d", "label": "Same"}]);
    let with_text = json!([
        {"api_code": "a", "label": "Tea", "allow_extended_text": true},
        {"api_code": "b", "label": "Else", "is_other": true},
        {"api_code": "c", "label": "Milk"}]);
    let statements = json!([{"api_code": "s", "label": "Monday"}, {"api_code": "t", "label": "Tuesday"}]);
    let columns = json!([
        {"type": "long_text", "label": "Text"},
        {"type": "number", "label": "Number"},
        {"type": "phone", "label": "Phone"},
        {"type": "checkbox", "label": "Drinks", "choices": with_text},
        {"type": "time", "label": "At"},
        {"type": "date", "label": "Day", "default_value": "2026-01-01"}]);
    let fields = json!([
        field("short_text", json!({})), field("long_text", json!({})), field("name", json!({})),
        field("email", json!({})), field("url", json!({})), field("phone", json!({})),
        field("number", json!({})),
        field("date", json!({"precision": "month"})), field("date", json!({"precision": "second"})),
        field("time", json!({"include_second": true})),
        field("radio", json!({"choices": with_text})), field("checkbox", json!({"choices": choices})),
        field("dropdown", json!({"choices": choices})), field("image_radio", json!({"choices": choices})),
        field("image_checkbox", json!({"choices": choices})),
        field("cascade", json!({"levels": 3, "choices": [
            {"api_code": "x", "label": "Europe", "children": [{"api_code": "y", "label": "Italy"}]}]})),
        field("ranking", json!({"choices": choices})), field("rating", json!({})), field("nps", json!({})),
        field("likert", json!({"statements": statements, "choices": choices, "multiple": true})),
        field("matrix", json!({"statements": statements, "dimensions": columns})),
        field("matrix_rating", json!({"statements": statements, "dimensions": [{"api_code": "u", "label": "Taste"}]})),
        field("table", json!({"dimensions": columns})),
        field("address", json!({})), field("location", json!({})),
        field("product", json!({"goods_items": [
            {"api_code": "p", "name": "Cake", "price": 3, "dimensions": [
                {"api_code": "size", "name": "Size", "options": [{"api_code": "l", "name": "large, round"}, {"api_code": "m", "name": "small"}]},
                {"api_code": "taste", "name": "Taste", "options": [{"api_code": "q", "name": "sweet"}]}]},
            {"api_code": "r", "name": "Tea", "price": 1}]})),
        field("booking", json!({"allow_multiple_items": true, "allow_multiple_number": true, "reservation_items": [
            {"api_code": "room", "name": "Room", "quota_setting": {"kind": "time_range", "daily_time_range_quotas": [
                {"code": "am", "weekday": 1, "start_time": "09:00", "end_time": "10:30", "quota": null},
                {"code": "pm", "weekday": 1, "start_time": "22:00", "end_time": "24:00", "quota": null}]}},
            {"api_code": "tour", "name": "Tour", "quota_setting": {"kind": "weekly",
                "weekly_quotas": [{"weekday": 6, "quota": null}]}}]})),
        field("linked_form", json!({"form_token": linked.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]})),
        field("attachment", json!({})), field("audio", json!({})), field("signature", json!({})),
        field("formula", json!({"expression": "field_7 + 1", "result_type": "number"})),
        {"type": "page_break"}, field("description", json!({"content": "Read"})),
    ]);
    let form = owner.form_with(json!({"name": "All", "timezone": "Europe/Berlin", "fields": fields}));
    let phone = json!({"country_id": "IT", "number": "0612345678"});
    let row = |text: &str| {
        json!({"field_1": text, "field_2": -2.5, "field_3": phone,
            "field_4": [{"value": "c"}, {"value": "a", "extended_text": "-x"}, {"value": "b", "other_text": text}],
            "field_5": {"hour": 9, "minute": 5}, "field_6": null})
    };
    let values = json!({
        "field_1": "=1+1", "field_2": "a\n\"b\",c", "field_3": "Ada",
        "field_4": "ada@example.com", "field_5": "https://example.com/?a=1&b=2", "field_6": phone,
        "field_7": -3.25, "field_8": "2026-11", "field_9": "2026-11-20 00:00:00",
        "field_10": {"hour": 0, "minute": 7, "second": 9},
        "field_11": {"value": "b", "other_text": "@other"},
        "field_12": ["b", "a", "d"], "field_13": "b", "field_14": "c", "field_15": ["a", "b"],
        "field_16": {"level_1": "x", "level_2": "y"}, "field_17": {"b": 1, "a": 2},
        "field_18": 4, "field_19": 0, "field_20": {"s": ["b", "a"], "t": ["d"]},
        "field_21": {"t": row("=1\n2")}, "field_22": {"s": {"u": 5}},
        "field_23": [row("\"q\""), {"field_2": 7}, row("x\ny")],
        "field_24": {"address_line1": "-1 Main St", "city": "Springfield", "state": "US-IL", "country": "US"},
        "field_25": {"longitude": -1.5, "latitude": 52.25, "address": "+here"},
        "field_26": [
            {"api_code": "p", "number": 2, "specification": {"size": "l", "taste": "q"}},
            {"api_code": "r", "number": 1},
            {"api_code": "p", "number": 1, "specification": {"size": "m", "taste": "q"}}],
        "field_27": [
            {"api_code": "room", "scheduled_at": "2026-11-23T09:00", "number": 2},
            {"api_code": "room", "scheduled_at": "2026-11-23T22:00"},
            {"api_code": "tour", "scheduled_at": "2026-11-28"}],
        "field_28": person,
    });
    (form, values)
}

#[test]
fn what_an_export_wrote_comes_back_equal() {
    let owner = Server::shared().user();
    let (form, all) = every_kind(&owner);
    let add = |values: Value| {
        let made = owner.post(form.entries(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
    };
    add(all);
    add(json!({}));
    for text in HOSTILE {
        // Of a single line an import takes no blanks around it.
        let line = text.trim();
        let other = json!({"value": "b", "other_text": line});
        let rows = json!([{"field_1": text}, {"field_1": "x", "field_4": [other]}, {"field_1": text}]);
        add(json!({"field_1": line, "field_2": text, "field_11": other, "field_23": rows,
            "field_24": {"address_line1": line, "country": "CN"}}));
    }
    comes_back(&owner, &form);
}

/// Exports the entries in each way, and imports the file into a copy of the form: they are equal.
fn comes_back(owner: &Caller, form: &Form) {
    let before = values(owner, form);
    for headers in ["labels", "api_codes"] {
        for (format, kind) in [("csv", CSV), ("xlsx", XLSX)] {
            let file = export(owner, form, &format!("format={format}&headers={headers}"));
            let copy = owner.post(format!("{}/copy", form.path()), json!({}));
            let copy = Form { token: copy.data()["token"].as_str().expect("a token").to_owned(), body: Value::Null };
            let made = import(owner, &copy, "", kind, &file.bytes);
            assert_eq!(made.status, 201, "{format}: {made}");
            let after = values(owner, &copy);
            assert_eq!(after.len(), before.len());
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(after, before, "{format} {headers}");
            }
        }
    }
}

#[test]
fn labels_that_look_like_others_come_back_equal() {
    let owner = Server::shared().user();
    let choices = json!([
        {"api_code": "tea", "label": "Tea"},
        {"api_code": "milk", "label": "Milk"},
        {"api_code": "both", "label": "Tea, Milk"},
        {"api_code": "quoted", "label": "\"Tea\", Milk"},
        {"api_code": "other", "label": "milk"},
        {"api_code": "blank", "label": " Tea"}]);
    let statements = json!([{"api_code": "s", "label": "Monday"}]);
    let form = owner.form(json!([
        field("checkbox", json!({"choices": choices})),
        field("likert", json!({"statements": statements, "choices": choices, "multiple": true})),
        field(
            "cascade",
            json!({"choices": [
            {"api_code": "x", "label": "Europe", "children": [
                {"api_code": "a", "label": "b"}, {"api_code": "b", "label": "Italy"}]},
            {"api_code": "Europe", "label": "x", "children": [
                {"api_code": "c", "label": "a"}, {"api_code": "d", "label": "d "}]}]})
        ),
    ]));
    let sets = [
        &["tea", "milk"][..],
        &["both"],
        &["quoted"],
        &["tea", "other"],
        &["blank", "milk"],
        &["tea", "milk", "both", "quoted", "other", "blank"],
    ];
    let paths = [("x", "a"), ("x", "b"), ("Europe", "c"), ("Europe", "d")];
    for (set, (first, second)) in sets.iter().zip(paths.iter().cycle()) {
        let values = json!({
            "field_1": set, "field_2": {"s": set},
            "field_3": {"level_1": first, "level_2": second}});
        let made = owner.post(form.entries(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
    }
    comes_back(&owner, &form);
}

#[test]
fn a_quotation_that_never_ends_swallows_nothing() {
    let (owner, form) = plain();
    for (file, place) in [
        ("field_1,field_2\nAda,36\n\"Grace,37\nKatherine,38\n", "rows[1]"),
        ("field_1,field_2\n\"Ada\"\"\",36\n\nGrace,\"37", "rows[1]"),
        ("field_1,\"field_2\nAda,36\n", "header"),
        ("field_1\n\"", "rows[0]"),
    ] {
        let refused = csv(&owner, &form, file);
        assert_eq!(refused.status, 422, "{file:?}: {refused}");
        let fault = format!("{place}: has a quotation mark that is never closed");
        assert_eq!(refused.faults(), [fault], "{file:?}");
    }
    assert_eq!(count(&owner, &form), 0);
    // Marks within a cell are letters, and the last line needs no end.
    let made = csv(&owner, &form, "field_1\n5\" pipe\n\"a\"\"\"");
    assert_eq!(made.status, 201, "{made}");
    let all = values(&owner, &form);
    let names: Vec<&Value> = all.iter().map(|entry| &entry["field_1"]).collect();
    assert_eq!(names, ["5\" pipe", "a\""]);
}

/// A file with this number of rows.
fn long(rows: usize) -> String {
    let rows = (0..rows).map(|n| format!("name {n},{n},2026-11-20\n"));
    format!("field_1,field_2,field_3\n{}", rows.collect::<String>())
}

#[test]
fn many_rows_come_in_at_once_and_hold_up_nobody() {
    const ROWS: usize = 20_000;
    let server = Server::alone("others are measured meanwhile");
    let owner = server.user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "unique": true},
        field("number", json!({})),
        field("date", json!({})),
    ]));
    let file = long(ROWS);
    let mut totals = Vec::new();
    let mut made = 0;
    thread::scope(|scope| {
        let coming = scope.spawn(|| csv(&owner, &form, &file));
        while !coming.is_finished() {
            let entry = json!({"field_values": {"field_1": format!("between {made}")}});
            let answer = owner.post(form.entries(), entry);
            assert_eq!(answer.status, 201, "{answer}");
            made += 1;
            let list = owner.get(format!("{}?sort=serial_number&page_size=100", form.entries()));
            let list = list.json();
            let total = list["pagination"]["total"].as_i64().expect("a number");
            totals.push(total - made);
            // Of the import's entries nothing is seen, or all.
            let rows = list["data"].as_array().expect("rows");
            let imported = rows.iter().filter(|row| row["field_2"].is_number()).count();
            assert!(total >= made && (total - made == 0 || total - made == ROWS as i64), "{total} {made}");
            assert!(imported == 0 || total - made == ROWS as i64, "{imported}");
        }
        let answer = coming.join().expect("no panic");
        assert_eq!(answer.data()["created"], ROWS, "{answer}");
    });
    // Submissions that the import held up would be stored behind it.
    let beside = totals.iter().filter(|total| **total == 0).count();
    assert!(beside > 1, "{totals:?}");
    assert_eq!(count(&owner, &form), ROWS as i64 + made);
    let rows = export(&owner, &form, "format=json").json();
    let rows = rows.as_array().expect("rows");
    let serials: Vec<i64> = rows.iter().map(|row| row["serial_number"].as_i64().expect("a number")).collect();
    assert_eq!(serials, (1..=ROWS as i64 + made).collect::<Vec<_>>());
    // In the order of the file, one after the other.
    let numbers: Vec<i64> = rows.iter().filter_map(|row| row["field_2"].as_i64()).collect();
    assert_eq!(numbers, (0..ROWS as i64).collect::<Vec<_>>());
    let taken = json!({"field_values": {"field_1": "NAME 19999"}});
    assert_eq!(owner.post(form.entries(), taken).status, 422);
}

/// 5 rounds; `TEST_CRASH_ROUNDS=50` in the environment asks for as many as it says.
#[test]
fn what_is_killed_in_the_middle_is_there_whole_or_not_at_all() {
    const ROWS: i64 = 5_000;
    let rounds = rounds("TEST_CRASH_ROUNDS", 3);
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let owner = server.user();
    let form =
        owner.form(json!([field("short_text", json!({})), field("number", json!({})), field("date", json!({})),]));
    let file = long(ROWS as usize);
    // How long one takes when nobody disturbs it.
    let begun = Instant::now();
    assert_eq!(csv(&owner, &form, &file).status, 201);
    let whole = begun.elapsed();
    let mut total = ROWS;
    for round in 0..rounds {
        let caller = Caller::new(&server.base, owner.token.as_deref(), &owner.email);
        let life = whole.mul_f64(f64::from(round * 2 + 1) / f64::from(rounds * 2));
        thread::scope(|scope| {
            scope.spawn(|| {
                let path = format!("{}/import", form.entries());
                // It may be cut off.
                let _ = std::panic::catch_unwind(|| caller.send("POST", &path, Some(CSV), file.as_bytes()));
            });
            thread::sleep(life);
            server.kill();
        });
        server = Server::over(dir.path(), &["--rate-limits", "off"]);
        let caller = Caller::new(&server.base, owner.token.as_deref(), &owner.email);
        let now = || count(&caller, &form);
        assert!(now() == total || now() == total + ROWS, "round {round}: {}", now());
        // An import that could not fail any more is seen through.
        let entry = caller.post(form.entries(), json!({"field_values": {"field_1": "x"}}));
        let serial = entry.data()["serial_number"].as_i64().expect("a number");
        assert!(serial == total + 1 || serial == total + ROWS + 1, "round {round}: {serial}");
        until("the import is whole", || now() == serial);
        total = serial;
    }
    let caller = Caller::new(&server.base, owner.token.as_deref(), &owner.email);
    let rows = export(&caller, &form, "format=json").json();
    let serials: Vec<i64> =
        rows.as_array().expect("rows").iter().map(|row| row["serial_number"].as_i64().expect("a number")).collect();
    assert_eq!(serials, (1..=total).collect::<Vec<_>>());
}

#[test]
fn what_an_import_under_way_brings_is_neither_free_nor_taken() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "unique": true},
        field("number", json!({})),
        field("date", json!({})),
    ]));
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("many.csv");
    std::fs::write(&file, long(100_000)).expect("a file");
    let mut command = std::process::Command::new(&*PROGRAM);
    command.args(["entries", "import", &form.token]).arg(&file);
    command.arg("--data-dir").arg(&server.dir);
    let mut coming = command.spawn().expect("the program starts");
    let store = Connection::open(server.dir.join("formsvc.db")).expect("the database");
    store.busy_timeout(Duration::from_secs(20)).expect("patience");
    let staged = "SELECT EXISTS (SELECT 1 FROM imports WHERE row_count > 0 AND first_serial IS NULL)";
    until("a piece waits", || store.query_row(staged, [], |row| row.get(0)).expect("an answer"));
    coming.kill().expect("a child");
    coming.wait().expect("a child");
    let sent = |name: &str| {
        let entry = json!({"field_values": {"field_1": name}});
        server.anon().post(format!("{}/entries", form.published()), entry)
    };
    let unsure = sent("Name 0");
    assert_eq!(unsure.status, 503, "{unsure}");
    assert_eq!(unsure.header("retry-after"), "2", "{unsure}");
    assert_eq!(sent("Nobody's").status, 201);
    // So far no entry has it.
    let looked = import(&owner, &form, "?dry_run=true", CSV, b"field_1\nname 0");
    assert_eq!(looked.status, 200, "{looked}");
    let beside = csv(&owner, &form, "field_1\nname 0");
    assert_eq!(beside.status, 503, "{beside}");
    // It came to nothing.
    store.execute("UPDATE imports SET touched_at = 0", []).expect("a row");
    let swept = server.run(&["jobs", "run-once", "imports", "--json"]);
    assert!(swept.status.success(), "{swept:?}");
    assert_eq!(sent("name 0").status, 201);
    assert_eq!(sent("NAME 0").status, 422);
    assert_eq!(count(&owner, &form), 2);
}

#[test]
fn a_row_that_is_cut_in_too_many_cells_is_told() {
    let (owner, form) = plain();
    let wide = csv(&owner, &form, "field_1,field_2\nDoe, John,7\nAda,8,,\nGrace,9,x\n");
    assert_eq!(
        wide.faults(),
        [
            "rows[0]: has more cells than the header: a cell with a separator in it needs quotation marks",
            "rows[0].field_2: must be a number",
            "rows[2]: has more cells than the header: a cell with a separator in it needs quotation marks",
        ]
    );
    assert_eq!(count(&owner, &form), 0);
    // Without words they are nothing, and a column that the header doesn't name is one all the same.
    let right = csv(&owner, &form, "field_1,field_2,\nAda,8,,\nGrace,9,x\n");
    assert_eq!(right.data()["created"], 2, "{right}");
}

/// A file without its id and its address.
fn told(file: &Value) -> Value {
    json!([file["name"], file["file_size"], file["content_type"]])
}

#[test]
fn files_come_back_as_files_of_their_own() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let column = field("attachment", json!({}));
    let form = owner
        .form(json!([field("attachment", json!({"max_count": 3})), field("table", json!({"dimensions": [column]})),]));
    let cell = json!({
        "field_api_code": "field_2", "dimension_api_code": "field_1", "file_name": "cell",
        "content_type": "text/plain", "file_size": 4,
    });
    let cell = anon.post(format!("{}/entry_attachments", form.published()), cell).data();
    assert_eq!(send(&anon, &cell, "text/plain", b"cell").status, 200);
    let given = json!({
        "field_1": [
            uploaded(&anon, &form, "a (1).txt", "text/plain", b"one"),
            uploaded(&anon, &form, "b, c.txt", "text/plain", b"two"),
        ],
        "field_2": [{"field_1": [cell["upload_id"]]}],
    });
    let made = owner.post(form.entries(), json!({"field_values": given}));
    assert_eq!(made.status, 201, "{made}");
    let files = |serial: i64| -> [Value; 3] {
        let entry = owner.get(form.entry(serial)).data();
        let (own, cell) = (&entry["field_1"], &entry["field_2"][0]["field_1"][0]);
        [own[0].clone(), own[1].clone(), cell.clone()]
    };
    let first = files(1);
    let bytes = |file: &Value| {
        let url = file["url"].as_str().expect("a link");
        anon.get(path_of(&anon, url))
    };
    for (format, kind) in [("csv", CSV), ("xlsx", XLSX)] {
        let sheet = export(&owner, &form, &format!("format={format}"));
        let before = count(&owner, &form);
        let looked = import(&owner, &form, "?dry_run=true", kind, &sheet.bytes);
        assert_eq!(looked.data()["rows"], before, "{looked}");
        let came = import(&owner, &form, "", kind, &sheet.bytes);
        assert_eq!(came.data()["created"], before, "{came}");
        let again = files(before + 1);
        for (nth, text) in ["one", "two", "cell"].into_iter().enumerate() {
            assert_eq!(told(&again[nth]), told(&first[nth]));
            assert_ne!(again[nth]["id"], first[nth]["id"]);
            assert_eq!(bytes(&again[nth]).text, text);
        }
    }
    // So many rows that they wait aside; where one is wrong, nothing is left of them.
    let id = first[1]["id"].as_str().expect("an id").to_owned();
    let rows = format!("{id}\n").repeat(600);
    let before = count(&owner, &form);
    let refused = csv(&owner, &form, &format!("field_1\n{rows}{}\n", "n".repeat(22)));
    assert_eq!(refused.attributes(), ["rows[600].field_1[0]"], "{refused}");
    assert_eq!(count(&owner, &form), before);
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let left = || -> i64 {
        let asked = "SELECT count(*) FROM files";
        database.query_row(asked, [], |row| row.get(0)).expect("a row")
    };
    until("what waited is gone", || left() == before * 3);
    let came = csv(&owner, &form, &format!("field_1\n{rows}"));
    assert_eq!(came.data()["created"], 600, "{came}");
    // Whose file it was may go.
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    let trash = format!("{}/trash/entries/1", form.path());
    assert_eq!(owner.delete(trash).status, 200);
    assert_eq!(bytes(&first[1]).status, 404);
    let last = owner.get(form.entry(before + 600)).data()["field_1"][0].clone();
    assert_eq!(bytes(&last).text, "two");
    // Of an entry that is gone, or of another form's, it is none.
    assert_eq!(csv(&owner, &form, &format!("field_1\n{id}\n")).status, 422);
    let other = owner.form(json!([field("attachment", json!({}))]));
    let own = last["id"].as_str().expect("an id");
    assert_eq!(csv(&owner, &other, &format!("field_1\n{own}\n")).status, 422);
    let looked = server.run(&["doctor"]);
    assert_eq!(looked.status.code(), Some(0), "{}", text(&looked.stdout));
}
