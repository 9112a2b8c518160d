//! Forms with public queries, filled with values that pages find hard: long names, several scripts, many columns,
//! pictures.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

use crate::questions::images::{scene, uploaded};

/// A query over a form.
pub struct Query {
    pub form: Form,
    /// The path of its page.
    pub path: String,
    token: String,
}

impl Query {
    pub fn over(owner: &Caller, form: Form, own: Value) -> Self {
        let mut body = json!({"form_token": form.token, "name": "A query"});
        for (key, value) in own.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        let made = owner.post("/api/v1/opensearch/queries", body);
        assert_eq!(made.status, 201, "{made}");
        let token = made.data()["token"].as_str().expect("a token").to_owned();
        let path = format!("/q/{token}");
        Self { form, path, token }
    }

    pub fn address(&self, search: &str) -> String {
        format!("{}{}{search}", Server::shared().base, self.path)
    }

    pub fn patch(&self, owner: &Caller, body: Value) {
        let done = owner.patch(format!("/api/v1/opensearch/queries/{}", self.token), body);
        assert_eq!(done.status, 200, "{done}");
    }
}

fn fill(owner: &Caller, form: &Form, rows: Vec<Value>) {
    let rows: Vec<Value> = rows.into_iter().map(|row| json!({"field_values": row})).collect();
    for some in rows.chunks(50) {
        for row in some {
            let made = owner.post(form.entries(), row.clone());
            assert_eq!(made.status, 201, "{made}");
        }
    }
}

pub fn header(owner: &Caller) -> Value {
    let image = uploaded(owner, "opensearch_header_image", &scene(1600, 700, [120, 170, 220]));
    json!({"background_image": {"upload_id": image["upload_id"], "position_x": 20, "position_y": 70}})
}

const NAMES: [&str; 6] = [
    "Ada Lovelace",
    "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh-Cholmondeley the Younger",
    "欧阳修远",
    "عبد الرحمن بن محمد",
    "Łukasz Ó Briain",
    "Bo Ek",
];

/// Exam results: the data that a school looks up, in a handful of columns.
pub fn results(owner: &Caller) -> Query {
    let form = owner.form_with(json!({"name": "Exam", "fields": [
        field("short_text", json!({"label": "Candidate number"})),
        field("name", json!({"label": "Name"})),
        field("phone", json!({"label": "Phone", "default_country": "CN"})),
        field("radio", json!({"label": "Subject", "choices": [
            {"label": "Mathematics", "api_code": "math"}, {"label": "Physics", "api_code": "phys"}]})),
        field("number", json!({"label": "Points"})),
        field("date", json!({"label": "Date of birth"})),
        field("url", json!({"label": "Portfolio"})),
        field("email", json!({"label": "Email"})),
    ]}));
    let rows = (0..23).map(|i: usize| {
        json!({
            "field_1": format!("2026-{:03}", i + 1),
            "field_2": NAMES[i % NAMES.len()],
            "field_3": {"country_id": "CN", "number": format!("1380013{:04}", 8000 + i)},
            "field_4": if i.is_multiple_of(2) { "math" } else { "phys" },
            "field_5": 54.5 + (i as f64) * 1.5,
            "field_6": format!("2008-{:02}-{:02}", i % 12 + 1, i + 1),
            "field_7": format!("https://example.com/portfolio/{i}?with=a&long=address-that-goes-on-and-on"),
            "field_8": format!("candidate{i}@example.com"),
        })
    });
    fill(owner, &form, rows.collect());
    Query::over(
        owner,
        form,
        json!({
            "name": "Exam results 2026",
            "description": "Look up your result by your candidate number, or by name and date of birth.\nResults are final.",
            "allow_to_export_results": true,
            "header": header(owner),
            "search_button": {"text": "Find my result", "color": "#FACC15"},
            "messages": {
                "has_result": "<p>Questions? Write to <a href=\"https://example.com/help\">the exam office</a>.</p>",
                "no_result": "<p>No candidate has this number. Check the <strong>letter</strong> that you received.</p>"},
            "search_field_rules": [
                {"operand": "or", "fields": [
                    {"field": "field_1", "label": "Candidate number", "fuzzy": true},
                    {"field": "field_2", "fuzzy": true},
                    {"field": "field_6", "fuzzy": true}]},
                {"operand": "and", "fields": [{"field": "field_4"}]}],
            "display_field_rules": [
                {"field": "field_1"},
                {"field": "field_2", "highlight": {"color": "#FDE68A", "position": 1}},
                {"field": "field_5", "label": "Points of 100", "highlight": {"color": "#DC2626", "position": 2}},
                {"field": "field_3", "protected": true},
                {"field": "field_7", "editable": true},
                {"field": "field_8", "protected": true, "editable": true}],
        }),
    )
}

/// A club's members: more columns than any window has room for, with files.
pub fn many_columns(owner: &Caller) -> Query {
    let mut fields: Vec<Value> =
        (1..=18).map(|i| field("short_text", json!({"label": format!("A column with number {i}")}))).collect();
    fields.push(field("checkbox", json!({"label": "Interests", "choices": [
        {"label": "Rowing", "api_code": "r"}, {"label": "Chess", "api_code": "c"}, {"label": "Letterpress and bookbinding", "api_code": "l"}]})));
    fields.push(field("attachment", json!({"label": "Papers"})));
    fields.push(field("long_text", json!({"label": "Notes"})));
    let form = owner.form_with(json!({"name": "Members", "fields": fields}));
    let body = b"some text";
    let prepared = owner.post(
        format!("/api/v1/f/{}/entry_attachments", form.token),
        json!({"field_api_code": "field_20", "file_name": "A rather long name of a file, scanned <1>.txt", "content_type": "text/plain", "file_size": body.len()}),
    ).data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let path = url.strip_prefix(&owner.base).expect("ours");
    assert_eq!(owner.send("PUT", path, Some("text/plain"), body).status, 200);
    let mut rows: Vec<Value> = (0..3)
        .map(|i: usize| {
            let mut row = json!({"field_19": ["r", "c", "l"], "field_21": "Paid in advance.\nComes on Thursdays."});
            for at in 1..=18 {
                row[format!("field_{at}")] = json!(NAMES[(at + i) % NAMES.len()]);
            }
            row["field_1"] = json!("club");
            row
        })
        .collect();
    rows[2]["field_20"] = json!([{"upload_id": prepared["upload_id"]}]);
    fill(owner, &form, rows);
    let shown: Vec<Value> = (2..=21).map(|i| json!({"field": format!("field_{i}")})).collect();
    Query::over(
        owner,
        form,
        json!({
            "name": "Members of the rowing, chess and letterpress club of Upper Wensleydale",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": shown,
        }),
    )
}

/// Few columns, in Arabic or Chinese.
pub fn in_locale(owner: &Caller, locale: &str) -> Query {
    let is_arabic = locale == "ar";
    let say = |arabic: &str, chinese: &str| {
        if is_arabic { arabic.to_owned() } else { chinese.to_owned() }
    };
    let form = owner.form_with(json!({"name": "x", "locale": locale, "fields": [
        field("short_text", json!({"label": say("رقم الطلب", "准考证号")})),
        field("name", json!({"label": say("الاسم الكامل", "姓名")})),
        field("number", json!({"label": say("النقاط", "成绩")})),
        field("phone", json!({"label": say("رقم الهاتف", "手机号"), "default_country": "CN"})),
    ]}));
    let rows = [2, 3, 0].map(|i| {
        json!({"field_1": "A-100", "field_2": NAMES[i], "field_3": 98.5,
            "field_4": {"country_id": "CN", "number": "13800138000"}})
    });
    fill(owner, &form, rows.into());
    Query::over(
        owner,
        form,
        json!({
            "name": say("نتائج الامتحانات", "成绩查询"),
            "description": say("ابحث عن نتيجتك برقم الطلب.", "请输入准考证号查询成绩。"),
            "search_button": {"text": say("بحث", "查询"), "color": "#0F766E"},
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [{"field": "field_2"}, {"field": "field_3", "highlight": {"color": "#0F766E", "position": 5}},
                {"field": "field_4", "protected": true}, {"field": "created_at"}],
        }),
    )
}

/// Members of a club, whose rows hold whatever visitors can edit.
pub fn editable(owner: &Caller) -> Query {
    let boats = owner.form_with(json!({"name": "Boats", "fields": [
        field("short_text", json!({"label": "Boat"}))]}));
    let boat = ["Swallow", "Amazon", "Swift"].map(|name| json!({"field_1": name}));
    fill(owner, &boats, boat.into());
    let form = owner.form_with(json!({"name": "Members", "fields": [
        field("short_text", json!({"label": "Member number"})),
        field("name", json!({"label": "Name"})),
        field("email", json!({"label": "Email"})),
        field("radio", json!({"label": "Course", "choices": [
            {"label": "Rowing", "api_code": "row"}, {"label": "Sailing", "api_code": "sail"}]})),
        field("number", json!({"label": "Age", "max": 120, "required": true})),
        field("attachment", json!({"label": "Papers", "max_count": 2})),
        field("signature", json!({"label": "Signature"})),
        field("linked_form", json!({"label": "Boat", "form_token": boats.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]})),
    ]}));
    let row = |number: &str, name: &str| json!({"field_1": number, "field_2": name, "field_3": "jane@example.com", "field_4": "row", "field_5": 36});
    let rows = [row("B-2", NAMES[1]), row("A-1", "Ada Lovelace"), row("A-1", "Bo Ek")];
    fill(owner, &form, rows.into());
    let rule = |code: &str, own: Value| {
        let mut rule = json!({"field": code});
        for (key, value) in own.as_object().into_iter().flatten() {
            rule[key] = value.clone();
        }
        rule
    };
    let may = || json!({"editable": true});
    Query::over(
        owner,
        form,
        json!({
            "name": "Members of the boat club",
            "search_button": {"text": "Find me", "color": "#0F766E"},
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}]}],
            "display_field_rules": [
                rule("field_2", json!({})), rule("field_3", json!({"editable": true, "protected": true})),
                rule("field_4", may()), rule("field_5", may()), rule("field_6", may()), rule("field_7", may()),
                rule("field_8", may())],
        }),
    )
}
