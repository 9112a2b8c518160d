//! Entries as a file: CSV, XLSX and JSON (contract section 4, S56).

use std::io::{Cursor, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use support::sheets::{Table, csv, xlsx_marked as xlsx};
use support::steps::{add, set};
use support::{Caller, Form, Response, Server, at_once, field};

/// `GET /api/v1/forms/{form_token}/entries/export`
fn address(form: &Form, query: &str) -> String {
    let path = format!("{}/entries/export", form.path());
    format!("{path}?{query}")
}

fn filled() -> (Caller, Form) {
    let owner = Server::shared().user();
    let fields = json!([
        {"type": "short_text", "label": "=Name"},
        {"type": "number", "label": "Sum"},
        {"type": "radio", "label": "Track", "choices": [
            {"api_code": "a", "label": "-Print"}, {"api_code": "b", "label": "Else", "is_other": true}]},
        {"type": "phone", "label": "Mobile"},
        {"type": "description", "label": "Read this"},
    ]);
    let form = owner.form_with(json!({"name": "Sommer/Fest \u{202e}„2026“", "fields": fields}));
    let phone = json!({"country_id": "CN", "number": "13800138000"});
    add(&owner, &form, json!({"field_1": "=1+1", "field_2": -3.5, "field_3": "a", "field_4": phone}));
    add(&owner, &form, json!({"field_1": "a \"b\",\nc", "field_3": {"value": "b", "other_text": "@me"}}));
    (owner, form)
}

#[test]
fn csv_has_a_column_for_each_part_and_runs_no_formula() {
    let (owner, form) = filled();
    let answer = owner.get(address(&form, "format=csv"));
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    // Every cell is in quotes, lines end as RFC 4180 says.
    assert!(answer.text.starts_with("\u{feff}\"Number\",\"Token\","));
    assert!(answer.text.ends_with("\"\r\n"));
    let rows = csv(&answer);
    assert_eq!(
        rows[0],
        [
            "Number",
            "Token",
            "Submitted at",
            "Changed at",
            "Time to fill in (seconds)",
            "Entered by",
            "From the link",
            "'=Name",
            "Sum",
            "Track",
            "Track · Else",
            "Mobile · Country",
            "Mobile · Dialing code",
            "Mobile · Number",
        ]
    );
    assert_eq!(rows[1][0], "1");
    assert_eq!(rows[1][1].len(), 22);
    assert_eq!(rows[1][5], "Ada Lovelace");
    assert_eq!(rows[1][7..], ["'=1+1", "-3.5", "'-Print", "", "CN", "86", "13800138000"]);
    assert_eq!(rows[2][7..], ["a \"b\",\nc", "", "Else", "'@me", "", "", ""]);
    assert_eq!(rows.len(), 3);
    // CSV is the default format.
    assert_eq!(csv(&owner.get(format!("{}/export", form.entries()))), rows);
    let codes = csv(&owner.get(address(&form, "headers=api_codes")));
    assert_eq!(
        codes[0],
        [
            "serial_number",
            "token",
            "created_at",
            "updated_at",
            "info_filling_duration",
            "creator_name",
            "x_field_1",
            "field_1",
            "field_2",
            "field_3",
            "field_3.b",
            "field_4.country_id",
            "field_4.country_code",
            "field_4.number",
        ]
    );
    assert_eq!(codes[1..], rows[1..]);
}

#[test]
fn xlsx_has_texts_and_numbers_and_no_formula() {
    let (owner, form) = filled();
    let answer = owner.get(address(&form, "format=xlsx&headers=api_codes"));
    assert_eq!(answer.header("content-type"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    let rows = xlsx(&answer);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0][7..9], ["field_1", "field_2"]);
    assert_eq!(rows[1][7..], ["=1+1", "#-3.5", "-Print", "", "CN", "86", "13800138000"]);
    assert_eq!(rows[1][0], "#1");
    assert_eq!(rows[2][7..11], ["a \"b\",\nc", "", "Else", "@me"]);
    let mut archive = zip::ZipArchive::new(Cursor::new(answer.bytes)).expect("an archive");
    let mut names: Vec<String> = archive.file_names().map(|name| name.expect("a name").into_owned()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "[Content_Types].xml",
            "_rels/.rels",
            "xl/_rels/workbook.xml.rels",
            "xl/styles.xml",
            "xl/workbook.xml",
            "xl/worksheets/sheet1.xml",
        ]
    );
    let mut sheet = String::new();
    let mut part = archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet");
    part.read_to_string(&mut sheet).expect("text");
    assert!(!sheet.contains("<f>") && !sheet.contains("<hyperlink"));
}

/// The text of a workbook's part.
fn part_of(answer: &Response, name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(answer.bytes.clone())).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect("a part").read_to_string(&mut text).expect("text");
    text
}

#[test]
fn xlsx_has_dates_and_times_of_their_precision() {
    let owner = Server::shared().user();
    let date = |precision: &str| field("date", json!({"label": precision, "precision": precision}));
    let slot = json!({"api_code": "a", "name": "Court",
        "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 5, "quota": null}]}});
    let slot_of = |code: &str, start: &str, end: &str| json!({"code": code, "weekday": 5, "start_time": start, "end_time": end, "quota": null});
    let slots = [slot_of("late", "22:00", "24:00"), slot_of("early", "00:00", "01:30")];
    let night = json!({"api_code": "n", "name": "Night",
        "quota_setting": {"kind": "time_range", "daily_time_range_quotas": slots}});
    let form = owner.form(json!([
        date("month"),
        date("day"),
        date("minute"),
        date("second"),
        field("time", json!({})),
        field("time", json!({"include_second": true})),
        field("formula", json!({"expression": "field_2", "result_type": "date"})),
        field("table", json!({"dimensions": [{"type": "date", "label": "Day"}]})),
        field("booking", json!({"reservation_items": [slot]})),
        field("booking", json!({"reservation_items": [night]})),
    ]));
    let time = |second: Option<i64>| json!({"hour": 16, "minute": 8, "second": second});
    let values = |day: &str, start: &str| {
        json!({
            "field_1": "2026-11", "field_2": day, "field_3": "2026-11-20 16:08", "field_4": "2026-11-20 16:08:59",
            "field_5": time(None), "field_6": time(Some(59)), "field_8": [{"field_1": "2026-11-20"}],
            "field_9": [{"api_code": "a", "scheduled_at": "2099-11-20"}],
            "field_10": [{"api_code": "n", "scheduled_at": format!("2099-11-20T{start}")}],
        })
    };
    add(&owner, &form, values("2026-11-20", "22:00"));
    // Spreadsheets disagree about days before March 1900.
    add(&owner, &form, values("1900-02-28", "00:00"));
    let answer = owner.get(address(&form, "format=xlsx&headers=api_codes"));
    let rows = xlsx(&answer);
    assert_eq!(
        rows[1][8..16],
        [
            "2026-11-01",
            "2026-11-20",
            "2026-11-20 16:08:00",
            "2026-11-20 16:08:59",
            "16:08:00",
            "16:08:59",
            "2026-11-20",
            "2026-11-20",
        ]
    );
    assert_eq!(rows[1][17], "2099-11-20");
    assert!(rows[1][2].len() == "2026-11-20 16:08:59".len(), "{rows:?}");
    assert_eq!((&*rows[2][9], &*rows[2][14]), ("1900-02-28", "1900-02-28"));
    let (sheet, styles) = (part_of(&answer, "xl/worksheets/sheet1.xml"), part_of(&answer, "xl/styles.xml"));
    // 2026-11-20 is day 46,346; the formats are in the order of their styles.
    for cell in [r#"<c r="J2" s="4"><v>46346</v></c>"#, r#"<c r="J3" s="2" t="inlineStr"><is>"#] {
        assert!(sheet.contains(cell), "{cell}: {sheet}");
    }
    for (column, style) in [("C", 6), ("I", 3), ("K", 5), ("L", 6), ("M", 7), ("N", 8), ("O", 4), ("P", 4), ("R", 4)] {
        assert!(sheet.contains(&format!(r#"<c r="{column}2" s="{style}"><v>"#)), "{column}: {sheet}");
    }
    let formats =
        ["yyyy\\-mm", "yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd\\ hh:mm", "yyyy\\-mm\\-dd\\ hh:mm:ss", "hh:mm", "hh:mm:ss"];
    for (nth, format) in formats.iter().enumerate() {
        let id = 164 + nth;
        assert!(styles.contains(&format!(r#"<numFmt numFmtId="{id}" formatCode="{format}"/>"#)), "{styles}");
    }
    // The written file is read back unchanged.
    let import = format!("{}/import", form.entries());
    let workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    owner.send("POST", &import, Some(workbook), &answer.bytes).is(201);
    for serial in [1, 2] {
        let (sent, read) = (owner.get(form.entry(serial)).data(), owner.get(form.entry(serial + 2)).data());
        for nth in 1..=10 {
            let code = format!("field_{nth}");
            assert_eq!(sent[&code], read[&code], "{code}");
        }
    }
}

#[test]
fn xlsx_columns_fit_and_their_head_filters() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("long_text", json!({"label": "姓名和地址"})),
        field("number", json!({"label": "A label of more than twenty characters"})),
    ]));
    let long = "word ".repeat(100);
    add(&owner, &form, json!({"field_1": "Ada King, Countess of Lovelace", "field_2": long, "field_3": 1}));
    let width = |answer: &Response, nth: usize| {
        let sheet = part_of(answer, "xl/worksheets/sheet1.xml");
        let from = sheet.split_once(&format!("<col min=\"{nth}\" max=\"{nth}\" width=\"")).expect("a width").1;
        from.split_once('"').expect("a width").0.parse::<usize>().expect("a number")
    };
    let answer = owner.get(address(&form, "format=xlsx"));
    assert_eq!([8, 9, 10].map(|nth| width(&answer, nth)), [32, 60, 41]);
    assert!(part_of(&answer, "xl/worksheets/sheet1.xml").contains("</sheetData><autoFilter ref=\"A1:J2\"/>"));
    // Without entries, the header alone.
    let filter = "%5B%7B%22field%22:%22field_1%22,%22operator%22:%22null%22%7D%5D";
    let answer = owner.get(address(&form, &format!("format=xlsx&filters={filter}")));
    assert_eq!([8, 9, 10].map(|nth| width(&answer, nth)), [8, 13, 41]);
    assert!(part_of(&answer, "xl/worksheets/sheet1.xml").contains("<autoFilter ref=\"A1:J1\"/>"));
}

#[test]
fn json_is_a_bare_array_of_what_lists_show() {
    let (owner, form) = filled();
    let answer = owner.get(address(&form, "format=json"));
    assert_eq!(answer.header("content-type"), "application/json");
    let list = owner.get(format!("{}?sort=serial_number", form.entries()));
    assert_eq!(answer.json(), list.data());
    let some = owner.get(address(&form, "format=json&fields=field_2"));
    let list = owner.get(format!("{}?sort=serial_number&fields=field_2", form.entries()));
    assert_eq!(some.json(), list.data());
    let cells = csv(&owner.get(address(&form, "fields=field_2&headers=api_codes")));
    assert_eq!(cells[0], ["serial_number", "token", "created_at", "updated_at", "field_2"]);
}

#[test]
fn a_form_without_entries_is_a_header_or_nothing() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(csv(&owner.get(address(&form, ""))).len(), 1);
    assert_eq!(xlsx(&owner.get(address(&form, "format=xlsx"))).len(), 1);
    assert_eq!(owner.get(address(&form, "format=json")).json(), json!([]));
}

#[test]
fn what_is_asked_for_is_checked_first() {
    let (owner, form) = filled();
    for (query, fault) in [
        ("format=pdf", "format: must be one of csv, xlsx, json"),
        ("headers=x", "headers: must be one of labels, api_codes"),
        (
            "fields=field_9",
            "fields: \"field_9\" is not among the fields of this form (use field_1, field_2, field_3, field_4)",
        ),
    ] {
        let refused = owner.get(address(&form, query));
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]));
    }
    let unknown = owner.get("/api/v1/forms/AAAAAAAAAA/entries/export");
    assert_eq!(unknown.to_string(), r#"404 {"error":"Form not found"}"#);
    let stranger = Server::shared().user();
    assert_eq!(stranger.get(address(&form, "")).status, 404);
    let head = owner.send("HEAD", &address(&form, ""), None, b"");
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[test]
fn what_an_entry_has_of_itself_may_be_asked_for() {
    let (owner, form) = filled();
    let head = |query: &str| {
        let file = owner.get(address(&form, &format!("headers=api_codes&{query}")));
        assert_eq!(file.status, 200, "{file}");
        let text = file.text.trim_start_matches('\u{feff}').to_owned();
        text.lines().next().unwrap_or_default().to_owned()
    };
    let fixed = r#""serial_number","token","created_at","updated_at""#;
    assert_eq!(head("fields=created_at,field_2"), format!(r#"{fixed},"field_2""#));
    assert_eq!(head("fields=field_2,creator_name"), format!(r#"{fixed},"creator_name","field_2""#));
}

#[test]
fn the_file_is_called_after_the_form() {
    let (owner, form) = filled();
    let answer = owner.get(address(&form, ""));
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"Sommer_Fest __2026_.csv\"; \
         filename*=UTF-8''Sommer_Fest%20_%E2%80%9E2026%E2%80%9C.csv"
    );
}

#[test]
fn filters_and_keywords_choose_what_goes_along() {
    let (owner, form) = filled();
    let serials = |query: &str| -> Vec<i64> {
        let all = owner.get(address(&form, &format!("format=json&{query}"))).json();
        let all = all.as_array().expect("a list").iter();
        all.map(|entry| entry["serial_number"].as_i64().expect("a number")).collect()
    };
    let filters = |conditions: Value| -> String {
        let text = conditions.to_string();
        let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        format!("filters={encoded}")
    };
    let of = |value: Value| filters(json!([{"field": "field_3", "operator": "eq", "value": value}]));
    assert_eq!(serials(""), [1, 2]);
    assert_eq!(serials(&of(json!("b"))), [2]);
    assert_eq!(serials("keyword=1%2B1"), [1]);
    assert_eq!(serials(&format!("keyword=nothing&{}", of(json!("a")))), Vec::<i64>::new());
    for format in ["csv", "xlsx"] {
        let query = format!("format={format}&{}", of(json!("b")));
        let answer = owner.get(address(&form, &query));
        let rows = if format == "csv" { csv(&answer) } else { xlsx(&answer) };
        assert_eq!(rows.len(), 2, "{format}");
    }
    let wrong = filters(json!([{"field": "field_9", "operator": "eq", "value": 1}]));
    let refused = owner.get(address(&form, &format!("format=x&{wrong}")));
    assert_eq!((refused.status, refused.attributes()), (422, vec!["format".to_owned(), "filters[0].field".to_owned()]));
    assert_eq!(owner.get(address(&form, "filters=[")).status, 400);
}

#[test]
fn deleted_entries_are_left_out() {
    let (owner, form) = filled();
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    let rows = csv(&owner.get(address(&form, "")));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1][0], "2");
}

/// However the rows fall into pieces, and whatever else is exported meanwhile.
#[test]
fn each_entry_comes_once_and_in_order() {
    let server = Server::alone("its exports take all turns");
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let mut wanted = Vec::new();
    for bulk in 0..7_usize {
        // Now short ones, now such as take a piece for a few.
        let length = [10, 8_000, 10, 10, 300, 5_000, 20][bulk];
        let text = |n: usize| format!("{} {}", bulk * 1000 + n, "\"x\\".repeat(length / 3));
        let entries: Vec<Value> = (0..1000).map(|n| json!({"field_values": {"field_1": text(n)}})).collect();
        let made = owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
        assert_eq!(made.status, 201);
        wanted.extend((0..1000).map(text));
    }
    let mut gone: Vec<usize> = vec![1, 1000, 1001, 2000, 3000, 3001, 7000];
    gone.extend(4200..4300);
    for serial in &gone {
        assert_eq!(owner.delete(form.entry(*serial as i64)).status, 200);
    }
    let wanted: Vec<(String, &String)> = (1..=7000)
        .zip(&wanted)
        .filter(|(serial, _)| !gone.contains(serial))
        .map(|(serial, text)| (serial.to_string(), text))
        .collect();
    at_once(3, |_| {
        let rows = csv(&owner.get(address(&form, "format=csv")));
        assert_eq!(rows.len(), wanted.len() + 1);
        for (row, (serial, text)) in rows[1..].iter().zip(&wanted) {
            assert_eq!((&row[0], &row[7]), (serial, *text));
        }
    });
}

#[test]
fn a_text_longer_than_a_cell_is_no_spreadsheets() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    // Beyond the plane that UTF-16 has one unit for, a character counts twice.
    add(&owner, &form, json!({"field_1": "😀".repeat(16_383)}));
    assert_eq!(owner.get(address(&form, "format=xlsx")).status, 200);
    let long = "😀".repeat(16_384);
    add(&owner, &form, json!({"field_1": long}));
    let refused = owner.get(address(&form, "format=xlsx"));
    assert_eq!(
        (refused.status, refused.faults()),
        (
            422,
            vec![
                "format: can't be xlsx: in entry 2 the text of field_1 has more than 32767 characters, \
                 which no cell holds (use csv or json)"
                    .to_owned()
            ]
        )
    );
    let rows = csv(&owner.get(address(&form, "format=csv")));
    assert_eq!(rows[2][7], long);
}

#[test]
fn a_spreadsheet_is_refused_where_labels_or_linked_texts_make_a_cell_too_long() {
    let owner = Server::shared().user();
    let label = |i: usize| format!("{i} {}", "long ".repeat(95));
    let choices: Vec<Value> = (0..100).map(|i| json!({"api_code": format!("c{i}"), "label": label(i)})).collect();
    let all: Vec<String> = (0..100).map(|i| format!("c{i}")).collect();
    let many = json!([field("checkbox", json!({"choices": choices}))]);
    let column = json!({"type": "dropdown", "label": "Column", "choices": &choices[..2]});
    let rows = json!([field("table", json!({"dimensions": [column]}))]);
    let text = owner.form(json!([field("long_text", json!({}))]));
    let linked = owner.post(text.entries(), json!({"field_values": {"field_1": "x".repeat(40_000)}}));
    let linked = linked.data()["token"].clone();
    let link = json!({"form_token": text.token, "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}]});
    let link = json!([field("linked_form", link)]);
    for (fields, value) in [(many, json!(all)), (rows, json!(vec![json!({"field_1": "c0"}); 100])), (link, linked)] {
        let form = owner.form(fields);
        add(&owner, &form, json!({}));
        assert_eq!(owner.get(address(&form, "format=xlsx")).status, 200);
        add(&owner, &form, json!({"field_1": value}));
        let refused = owner.get(address(&form, "format=xlsx"));
        assert_eq!(refused.status, 422, "{refused}");
        assert_eq!(refused.attributes(), ["format"]);
        let rows = csv(&owner.get(address(&form, "format=csv")));
        assert!(rows[2].iter().any(|cell| cell.len() > 32_767));
        // Entries that the filter leaves out need no room.
        let first =
            "format=xlsx&filters=%5B%7B%22field%22:%22serial_number%22,%22operator%22:%22eq%22,%22value%22:1%7D%5D";
        assert_eq!(owner.get(address(&form, first)).status, 200);
    }
}

/// A form whose export is far longer than the buffers of sockets.
fn large(server: &Server) -> (Caller, Form) {
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let text = "x".repeat(15_000);
    let entries: Vec<Value> = (0..1000).map(|_| json!({"field_values": {"field_1": text}})).collect();
    for _ in 0..2 {
        let made = owner.post(format!("{}/bulk", form.entries()), json!({"entries": entries}));
        assert_eq!(made.status, 201);
    }
    (owner, form)
}

/// Asks for an export and reads the answer in pieces.
fn slowly(owner: &Caller, form: &Form, mut between: impl FnMut(usize)) -> Vec<u8> {
    let host = owner.base.trim_start_matches("http://");
    let mut socket = TcpStream::connect(host).expect("connects");
    let patience = Some(Duration::from_secs(60));
    socket.set_read_timeout(patience).expect("a time");
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        address(form, "format=json"),
        owner.token.as_deref().expect("a token"),
    );
    socket.write_all(request.as_bytes()).expect("sends");
    let mut all = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match socket.read(&mut buffer) {
            Ok(0) | Err(_) => return all,
            Ok(n) => all.extend_from_slice(&buffer[..n]),
        }
        between(all.len());
    }
}

#[test]
fn who_may_no_longer_read_gets_no_more() {
    let server = Server::shared();
    let (owner, form) = large(server);
    let whole = slowly(&owner, &form, |_| {});
    assert!(whole.len() > 30_000_000, "{}", whole.len());
    assert!(whole.ends_with(b"\r\n0\r\n\r\n"));
    let mut is_gone = false;
    let cut = slowly(&owner, &form, |len| {
        if len > 100_000 && !is_gone {
            is_gone = true;
            assert_eq!(owner.delete(form.path()).status, 200);
        }
    });
    // The part on its way still came; then the answer broke off, and did not end as a whole one does.
    assert!(cut.len() < 20_000_000, "{}", cut.len());
    assert!(!cut.ends_with(b"0\r\n\r\n"));
}

#[test]
fn slow_readers_hold_up_nobody() {
    let server = Server::alone("15 of its 16 turns are taken");
    let (owner, form) = large(&server);
    let host = owner.base.trim_start_matches("http://").to_owned();
    let ask = |token: &str| {
        let mut socket = TcpStream::connect(&host).expect("connects");
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n",
            address(&form, "format=csv"),
            token,
        );
        socket.write_all(request.as_bytes()).expect("sends");
        socket
    };
    // They take their first bytes and no more: each holds the memory of one piece, and no thread.
    let tokens: Vec<Caller> = (0..5).map(|_| server.token(&owner.email, "entry:read")).collect();
    let mut readers: Vec<TcpStream> =
        (0..15).map(|nth| ask(tokens[nth % 5].token.as_deref().expect("a token"))).collect();
    for reader in &mut readers {
        let mut first = [0; 1000];
        reader.read_exact(&mut first).expect("bytes");
        assert!(first.starts_with(b"HTTP/1.1 200 OK"));
    }
    for _ in 0..20 {
        assert_eq!(owner.get(form.entry(1)).status, 200);
    }
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "x"}}));
    assert_eq!(made.status, 201);
    let rows = csv(&owner.get(address(&form, "")));
    assert_eq!(rows.len(), 2002);
}

/// The rows of an export in each format of a spreadsheet, which are the same.
fn rows_of(owner: &Caller, form: &Form, query: &str) -> Table {
    let [csv, xlsx] = [("csv", csv as fn(&Response) -> Table), ("xlsx", xlsx)].map(|(format, read)| {
        let rows = read(&owner.get(address(form, &format!("format={format}{query}"))));
        let plain = |cell: String| cell.strip_prefix('#').map_or(cell.clone(), str::to_owned);
        let rows = rows.into_iter();
        rows.map(|row| row.into_iter().map(plain).collect()).collect::<Table>()
    });
    assert_eq!(csv, xlsx);
    csv
}

/// A column by its header.
fn column(rows: &Table, header: &str) -> Option<Vec<String>> {
    let place = rows[0].iter().position(|name| name == header)?;
    Some(rows[1..].iter().map(|row| row[place].clone()).collect())
}

#[test]
fn a_column_says_who_waits() {
    let server = Server::shared();
    let owner = server.user();
    let choices = |quota: Value| json!([{"api_code": "a", "label": "A", "quota": quota}]);
    let fields = |quota: Value| {
        json!([
            {"type": "radio", "label": "Seat", "choices": choices(quota)},
            // Its label is that of the column.
            {"type": "short_text", "label": "Place in the waiting list"},
        ])
    };
    let form = owner.form(fields(json!(1)));
    let code = "waiting_position";
    let places = |query: &str, header: &str| column(&rows_of(&owner, &form, query), header);
    assert_eq!(places("&headers=api_codes", code), None, "no list");
    set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
    for name in ["Ada", "Grace", "Joan"] {
        let values = json!({"field_1": "a", "field_2": name});
        let sent = json!({"field_values": values, "waiting_list": true});
        assert_eq!(server.anon().post(form.submissions(), sent).status, 201);
    }
    let all = Some(vec![String::new(), "1".to_owned(), "2".to_owned()]);
    assert_eq!(places("&headers=api_codes", code), all);
    let label = "Place in the waiting list (waiting_position)";
    assert_eq!(places("", label), all);
    let json = owner.get(address(&form, "format=json")).json();
    let told = json.as_array().expect("entries").iter();
    let told: Vec<&Value> = told.map(|entry| &entry[code]).collect();
    assert_eq!(told, [&json!(null), &json!(1), &json!(2)]);
    // A filter, and a choice of fields.
    let some = places("&headers=api_codes&keyword=Joan", code);
    assert_eq!(some, Some(vec!["2".to_owned()]));
    assert_eq!(places("&headers=api_codes&fields=field_1", code), None);
    assert_eq!(places("&headers=api_codes&fields=waiting_position", code), all);
    // It stays while somebody waits, and is no field of an import.
    set(&owner, &form, json!({"capacity": {"waiting_list": false}}));
    assert_eq!(places("", label), all);
    let file = owner.get(address(&form, "format=csv"));
    set(&owner, &form, json!({"capacity": {"waiting_list": true}}));
    let copy = owner.post(format!("{}/copy", form.path()), json!({"name": "Copy"}));
    let body = copy.data();
    let token = body["token"].as_str().expect("a token").to_owned();
    let copy = Form { token, body };
    let mut free = owner.get(copy.path()).data()["fields"].clone();
    free[0]["choices"][0]["quota"] = Value::Null;
    let freed = owner.patch(copy.path(), json!({"fields": free}));
    assert_eq!(freed.status, 200, "{freed}");
    let path = format!("{}/import", copy.entries());
    let read = owner.send("POST", &path, Some("text/csv"), &file.bytes);
    assert_eq!(read.data()["created"], 3, "{read}");
    let rows = rows_of(&owner, &copy, "&headers=api_codes");
    assert_eq!(column(&rows, "field_2"), Some(["Ada", "Grace", "Joan"].map(str::to_owned).to_vec()));
    assert_eq!(column(&rows, code), Some(vec![String::new(); 3]), "nobody waits there");
    // Without a waiting entry there is no column.
    set(&owner, &form, json!({"capacity": {"waiting_list": false}}));
    for serial in [2, 3] {
        assert_eq!(owner.delete(form.entry(serial)).status, 200);
    }
    assert_eq!(places("", label), None);
}
