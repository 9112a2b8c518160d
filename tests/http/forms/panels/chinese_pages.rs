//! The pages of logic, look, export and import of an owner who reads Chinese, with all faults that they can show: no
//! English word but names and codes.

use serde_json::{Value, json};
use support::Response;
use support::multipart::Body;
use support::page_text::page_text;
use support::{Form, field};

use super::chinese::{Reader, english, reader};

impl Reader {
    fn form(&self) -> Form {
        let choices = json!([{"label": "甲", "api_code": "a"}, {"label": "乙", "api_code": "b"}]);
        self.owner().form_with(json!({"name": "报名", "fields": [
            field("short_text", json!({"label": "姓名"})),
            field("number", json!({"label": "人数"})),
            field("date", json!({"label": "日期"})),
            field("radio", json!({"label": "场次", "choices": choices})),
            field("checkbox", json!({"label": "活动", "choices": choices})),
            field("time", json!({"label": "时间"})),
            field("address", json!({"label": "地址"})),
            field("cascade", json!({"label": "城市", "choices": [{"label": "江苏", "children": [{"label": "南京"}]}]})),
            field("rating", json!({"label": "评分"})),
            field("page_break", json!({"label": "反馈"})),
            field("long_text", json!({"label": "备注"})),
        ]}))
    }

    /// Posts a file as the control of that name.
    fn send(&self, address: &str, (control, name, kind): (&str, &str, &str), bytes: &[u8], accept: &str) -> Response {
        self.ann.get("/profile");
        let body = Body::default().text("csrf", &self.ann.csrf()).file(control, name, kind, bytes);
        let caller = self.ann.caller();
        body.send(&caller.header("origin", &caller.base).header("accept", accept), address)
    }
}

/// The lines of a page with English words; what was typed here is none.
fn wrong_lines(about: &str, page: &Response, typed: &[&str]) -> Vec<String> {
    let text = page_text(page);
    let is_wrong = |line: &&str| {
        let left = typed.iter().fold((*line).to_owned(), |line, typed| line.replace(typed, ""));
        // The addresses of links stand below the text.
        !line.contains("]: /") && !line.contains("]: #") && !english(&left).is_empty()
    };
    text.lines().filter(is_wrong).map(|line| format!("{about}: {line}")).collect()
}

/// Names of products, keys and files.
const NAMES: &[&str] = &["formsvc", "Alt", "Ctrl", "Delete", "Webhook", "Ann", "Excel", "Home", "End", "Enter", "Esc"];

#[test]
fn faults_of_rules_are_in_chinese() {
    let reader = reader();
    let form = reader.form();
    let at = |rest: &str| format!("/forms/{}{rest}", form.token);
    reader.ann.get(&at("/rules")).is(200);
    let of = |item: Value| json!({"condition": {"operand": "and", "items": [item]}, "action": "show", "fields": ["field_11"]});
    let is =
        |code: &str, operator: &str, value: Value| of(json!({"field": code, "operator": operator, "value": value}));
    let item = json!({"field": "field_1", "operator": "not_null"});
    let acts = |action: &str, fields: Value| json!({"condition": {"operand": "and", "items": [item]}, "action": action, "fields": fields});
    let joined = |condition: Value| json!({"condition": condition, "action": "show", "fields": ["field_11"]});
    let mut wrong = Vec::new();
    for rule in [
        of(json!({"field": "", "operator": ""})),
        of(json!({"field": "field_1"})),
        of(json!("x")),
        is("field_99", "eq", json!("x")),
        is("field_1", "gt", json!(1)),
        is("field_1", "jumps", json!(1)),
        is("field_1", "eq", json!("")),
        is("field_1", "any_in", json!([])),
        is("field_1", "any_in", json!([1])),
        is("field_2", "eq", json!("x")),
        is("field_2", "between", json!([1])),
        is("field_2", "between", json!(["x", "y"])),
        is("field_3", "eq", json!("soon")),
        is("field_3", "between", json!(["2026-01-01"])),
        is("field_4", "any_in", json!(["nothing", 5])),
        is("field_6", "eq", json!("late")),
        is("field_7", "eq", json!("x")),
        is("field_8", "eq", json!("x")),
        is("field_9", "gt", json!("x")),
        is("field_10", "not_null", Value::Null),
        acts("dance", json!(["field_11"])),
        acts("show", json!([])),
        acts("show", json!(["field_1"])),
        acts("show", json!(["field_10"])),
        acts("show", json!(["field_99"])),
        acts("show", json!("field_11")),
        joined(json!({"operand": "xor", "items": [item]})),
        joined(json!({"operand": "and", "items": []})),
        joined(json!({"operand": "and", "items": vec![item.clone(); 101]})),
        joined(json!("x")),
    ] {
        reader.ann.post(&at("/rules"), &[("rule", &rule.to_string())]).leads();
        for page in ["/rules", "/publish"] {
            let shown = reader.ann.get(&at(page)).is(200);
            let about = format!("{page} {}", &rule.to_string().chars().take(160).collect::<String>());
            let typed =
                [NAMES, &["jumps", "soon", "nothing", "late", "dance", "xor", "show, hide, require", "and, or"]]
                    .concat();
            wrong.extend(wrong_lines(&about, &shown, &typed));
            if page == "/publish" && !shown.text.contains("#rule-1") {
                wrong.push(format!("{about} is right"));
            }
        }
        reader.ann.post(&at("/rules/undo"), &[]).leads();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn faults_of_the_look_are_in_chinese() {
    let reader = reader();
    let form = reader.form();
    let at = |rest: &str| format!("/forms/{}/theme{rest}", form.token);
    let page = reader.ann.get(&at("")).is(200);
    let mut wrong = wrong_lines("theme", &page, NAMES);
    let long = "字".repeat(2_000);
    let sent = super::super::look::controls(&page.text, &[]);
    for changes in [
        [("primary_color", "red"), ("text_color", "#12345")],
        [("background_color", "绿"), ("wallpaper.color", "#GGGGGG")],
        [("font", "comic"), ("submit_button.color", "1")],
        [("submit_button.text", &long), ("primary_color", "")],
        [("header.images[0].id", "nothing"), ("header.type", "image")],
    ] {
        let kept = sent.iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        let mut pairs: Vec<(&str, &str)> = kept.map(|(name, value)| (&**name, &**value)).collect();
        pairs.extend(changes);
        let answer = reader.ann.post(&at(""), &pairs);
        let typed = [NAMES, &["red", "comic", "video", "nothing", "system, serif, mono", "none, text, image"]].concat();
        if answer.status == 422 {
            wrong.extend(wrong_lines(&format!("{changes:?}"), &answer, &typed));
        }
    }
    for (address, bytes) in [
        ("/header", &b"no picture"[..]),
        ("/wallpaper", &b""[..]),
        ("/wallpaper", &b"\x89PNG\r\n\x1a\nbroken"[..]),
        ("/header", &vec![0; 6_000_000][..]),
    ] {
        let page = reader.send(&at(address), ("image", "图.png", "image/png"), bytes, "text/html");
        assert!(page.status > 400, "{address}: {page}");
        wrong.extend(wrong_lines(address, &page, NAMES));
        // What the script shows.
        let told = reader.send(&at(address), ("image", "图.png", "image/png"), bytes, "application/json");
        let faults = told.json()["error_details"].clone();
        let issues = told.json()["data"]["issues"].clone();
        for message in [faults, issues].iter().flat_map(|list| list.as_array().cloned().unwrap_or_default()) {
            let message = message["message"].as_str().unwrap_or_default();
            if !english(message).is_empty() {
                wrong.push(format!("{address} as JSON: {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn faults_of_exports_and_imports_are_in_chinese() {
    let reader = reader();
    let form = reader.form();
    let at = |rest: &str| format!("/forms/{}/entries{rest}", form.token);
    let mut wrong = Vec::new();
    for query in [
        "?format=pdf",
        "?columns=field_99",
        "?columns=",
        "?filters=%5B%7B%22field%22%3A%22field_2%22%2C%22operator%22%3A%22gt%22%2C%22value%22%3A%22x%22%7D%5D",
    ] {
        for page in [at(&format!("/export{query}")), at(query)] {
            let shown = reader.ann.get(&page);
            if shown.status >= 400 {
                wrong.extend(wrong_lines(
                    &page,
                    &shown,
                    &[NAMES, &["pdf", "nothing", "field", "filters", "format", "operator", "csv, xlsx, json"]].concat(),
                ));
            }
        }
    }
    let import = at("/import");
    let many = format!("姓名\n{}", "甲\n".repeat(200_001));
    for (name, bytes) in [
        ("a.csv", &b""[..]),
        ("a.csv", "\n\n".as_bytes()),
        ("a.csv", "姓名\n".as_bytes()),
        ("a.csv", "姓名,人数\n\"甲,1\n".as_bytes()),
        ("a.csv", "姓名,人数\n甲,1,2,3\n".as_bytes()),
        ("a.csv", b"\xd7\xf9\xce\xbb\n"),
        ("a.csv", many.as_bytes()),
        ("a.xlsx", b"PK\x03\x04broken"),
        ("a.pdf", b"%PDF-1.7"),
        ("a.csv", b"a\0b\n1\n"),
    ] {
        let page = reader.send(&import, ("file", name, "text/csv"), bytes, "text/html");
        if page.status >= 400 {
            wrong.extend(wrong_lines(name, &page, NAMES));
        }
    }
    let file =
        "姓名,人数,日期,场次,活动,时间,地址,评分\n甲,x,明天,丙,丁,晚上,南京,九\n甲,1,2026-01-01,甲,乙,9:00,南京,3\n";
    let columns = reader.send(&import, ("file", "客人.csv", "text/csv"), file.as_bytes(), "text/html").leads();
    wrong.extend(wrong_lines("columns", &reader.ann.get(&columns).is(200), NAMES));
    for chosen in [
        vec![("column.0", "field_1"), ("column.1", "field_1")],
        vec![("column.0", "field_99")],
        vec![("column.0", "field_7.town")],
        vec![("column.0", "")],
    ] {
        let page = reader.ann.post(&columns, &chosen);
        if page.status >= 400 {
            wrong.extend(wrong_lines(&format!("{chosen:?}"), &page, NAMES));
        }
    }
    let all = [
        ("column.0", "field_1"),
        ("column.1", "field_2"),
        ("column.2", "field_3"),
        ("column.3", "field_4"),
        ("column.4", "field_5"),
        ("column.5", "field_6"),
        ("column.6", "field_7.city"),
        ("column.7", "field_9"),
    ];
    let job = reader.ann.post(&columns, &all).leads();
    support::until("the job is over", || !reader.ann.get(&job).is(200).text.contains("work-progress"));
    let page = reader.ann.get(&job);
    page.has(["必须是数字"]);
    wrong.extend(wrong_lines("job", &page, NAMES));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
