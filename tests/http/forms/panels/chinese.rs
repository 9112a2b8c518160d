//! Faults on the pages of an owner who reads Chinese: no English word but names and codes.

use serde_json::json;
use support::multipart::Body;
use support::page_text::page_text;
use support::session::{Session, account};
use support::steps::bulk;
use support::{Caller, Response, Server, field};

use super::super::controls::panel;

const ANN: &str = "ann@example.org";

/// Wrong values by the kind of question.
const WRONG: &[(&str, &[(&str, &str)])] = &[
    ("short_text", &[("label", ""), ("max_length", "0"), ("min_length", "x")]),
    ("short_text", &[("min_length", "9"), ("max_length", "3"), ("pattern", "[")]),
    ("long_text", &[("pattern", "(a{1,900}){1,900}")]),
    ("email", &[("allowed_domains", "not a domain")]),
    ("phone", &[("default_country", "XX"), ("allowed_countries", "Germany")]),
    ("number", &[("min", "9"), ("max", "1"), ("precision", "99")]),
    ("number", &[("min", "nine")]),
    ("date", &[("min", "soon"), ("max", "2026-01-01")]),
    ("date", &[("min", "2026-02-01"), ("max", "2026-01-01")]),
    ("radio", &[("choices[0].label", ""), ("choices[0].quota", "-1"), ("choices[1].score", "x")]),
    ("checkbox", &[("choices[0].label", "A"), ("min_selected", "9"), ("max_selected", "2")]),
    ("ranking", &[("min_ranked", "9")]),
    ("cascade", &[("levels", "2"), ("choices", "Europe\n  Italy\n    Rome")]),
    ("rating", &[("rating_max", "99")]),
    ("product", &[("goods_items[0].name", ""), ("goods_items[0].price", "-1"), ("goods_items[0].stock", "x")]),
    (
        "booking",
        &[
            ("reservation_items[0].name", ""),
            ("reservation_items[0].quota_setting.kind", "weekly"),
            ("reservation_items[0].quota_setting.start_date", "2026-12-31"),
            ("reservation_items[0].quota_setting.end_date", "2026-01-01"),
            ("reservation_items[0].quota_setting.closed_dates", "Monday"),
        ],
    ),
    ("formula", &[("expression", "field_77 + ")]),
    ("formula", &[("expression", "field_77 + 1")]),
    ("formula", &[("expression", "NOTHING(1)")]),
    ("formula", &[("expression", "UPPER(1)")]),
    ("formula", &[("expression", "ROUND(1, 2, 3)")]),
    ("formula", &[("expression", "(1 + 2")]),
    ("formula", &[("expression", "IF(1 > 0, \"a\", 2)")]),
    ("matrix", &[("statements[0].label", ""), ("dimensions[0].label", "")]),
    ("table", &[("dimensions[0].label", ""), ("min_rows", "9"), ("max_rows", "3")]),
    ("attachment", &[("max_size", "0"), ("max_count", "99"), ("media_type", "custom"), ("content_types", "pdf")]),
    ("audio", &[("max_duration", "0")]),
    ("linked_form", &[]),
];

/// English words of a text: letters alone, the first of which may be a capital. Codes, functions and units are none.
pub fn english(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-/@+".contains(c);
    let words = text.split(|c| !is_part(c)).filter(|word| word.len() > 1);
    let is_word = |word: &&str| {
        let rest = &word[1..];
        word.as_bytes()[0].is_ascii_alphabetic() && rest.bytes().all(|b| b.is_ascii_lowercase())
    };
    // What is typed here, and the names of file types and things of the trade.
    let names = [
        "Ada", "Ann", "Lee", "Desk", "Track", "Seat", "Italy", "Rome", "Europe", "today", "Webhook", "day", "month",
        "year",
    ];
    words.filter(is_word).filter(|word| !names.contains(word)).collect()
}

/// The faults that a page shows.
fn faults(page: &Response) -> Vec<String> {
    let parts = page.text.split("class=\"fault\"").skip(1);
    let texts = parts.filter_map(|part| part.split_once('>')?.1.split("</").next());
    texts.map(|text| text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<")).collect()
}

pub(super) struct Reader {
    pub server: Server,
    pub ann: Session,
}

impl Reader {
    pub fn owner(&self) -> Caller {
        self.server.token(ANN, "form:read form:write entry:read entry:write")
    }
}

/// An owner who reads Chinese.
pub(super) fn reader() -> Reader {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    server.token(ANN, "form:write").patch("/api/v1/me", json!({"locale": "zh-CN"})).is(200);
    let ann = Session::on(&server).signed_in(ANN);
    Reader { server, ann }
}

#[test]
fn the_builder_says_each_fault_in_chinese() {
    let Reader { server, ann } = reader();
    let owner = server.token(ANN, "form:read form:write");
    let form = owner.form_with(json!({"name": "Desk", "fields": [field("url", json!({"label": "Seat"}))]}));
    let build = |rest: &str| format!("/forms/{}/build{rest}", form.token);
    ann.get(&build("")).is(200).has(["lang=\"zh-CN\""]);
    let mut wrong = Vec::new();
    for (kind, changes) in WRONG {
        let led = ann.post(&build("/fields"), &[("type", kind), ("after", "")]).leads();
        let code = led.split_once("?field=").expect("the new one is chosen").1.to_owned();
        let page = ann.get(&build(&format!("?field={code}"))).is(200).text;
        let changes = [&[("label", "Track")][..], changes].concat();
        let pairs = panel(&page, &code, &changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        ann.post(&build(&format!("/fields/{code}")), &pairs).leads();
        let page = ann.get(&build(&format!("?field={code}"))).is(200);
        let told = faults(&page);
        if told.is_empty() {
            wrong.push(format!("{kind} {changes:?} is right"));
        }
        for fault in told.iter().filter(|fault| !english(fault).is_empty()) {
            wrong.push(format!("{kind}: {fault}"));
        }
    }
    let publish = page_text(&ann.get(&format!("/forms/{}/publish", form.token)).is(200));
    // The addresses of links stand below the text.
    let is_address = |line: &str| line.contains("]: /forms/") || line.contains("]: #");
    let lines = publish.lines().filter(|line| !is_address(line) && !english(line).is_empty());
    wrong.extend(lines.map(|line| format!("publish: {line}")));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn refused_rows_and_entries_have_their_reasons_in_the_language_of_each_reader() {
    let Reader { server, ann } = reader();
    let owner = server.token(ANN, "form:read form:write entry:read entry:write");
    let form = owner.form_with(json!({"name": "Desk", "fields": [
        field("number", json!({"label": "座位", "unique": true})),
        field("date", json!({"label": "日期"})),
        field("short_text", json!({"label": "姓名", "required": true, "max_length": 3})),
    ]}));
    bulk(&owner, &form, &[1, 2].map(|seat| json!({"field_1": seat, "field_3": "Ada"})));
    let over = |job: &str| {
        support::until("the job is over", || !ann.get(job).is(200).text.contains("work-progress"));
        ann.get(job)
    };
    // A change of several entries that the second one can't take.
    let body = json!({"field_values": {"field_1": 9}, "expected_total": 2});
    let begun = owner.post(format!("/api/v1/forms/{}/entries/bulk_update", form.token), body).is(202).data();
    let changed = format!("/forms/{}/jobs/{}", form.token, begun["id"].as_str().expect("an id"));
    over(&changed).has(["座位", "已被使用"]).lacks(["has already been taken"]);
    ann.get(&format!("{changed}/refused")).is(200).has(["已被使用"]);
    let api = owner.get(format!("/api/v1{changed}")).is(200).data();
    let told = json!([{"attribute": "field_values.field_1", "message": "has already been taken"}]);
    assert_eq!(api["refused"][0]["error_details"], told);
    // A file with a fault in each column.
    let file = "座位,日期,姓名\nx,2026-01-01 12:00,阿达洛夫\n3,soon,\n";
    let body = Body::default().text("csrf", &ann.csrf()).file("file", "客人.csv", "text/csv", file.as_bytes());
    let caller = ann.caller();
    let import = format!("/forms/{}/entries/import", form.token);
    let columns = body.send(&caller.header("origin", &caller.base), &import).leads();
    let chosen = [("column.0", "field_1"), ("column.1", "field_2"), ("column.2", "field_3")];
    let imported = ann.post(&columns, &chosen).leads();
    let page = over(&imported);
    page.has(["必须是数字", "最多 3 个字符", "不能为空"]);
    let shown = page_text(&page);
    let wrong: Vec<&str> = shown
        .lines()
        .filter(|line| !english(line).is_empty() && !["soon", "]: #"].iter().any(|own| line.contains(own)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A file that can't be read at all.
    let body = Body::default().text("csrf", &ann.csrf()).file("file", "客人.csv", "text/csv", b"\xd7\xf9\xce\xbb\n");
    body.send(&caller.header("origin", &caller.base), &import).is(422).has(["文件不是有效的 UTF-8（第 0 字节处）"]);
    // Conditions that fit no question, in the address of the list.
    let filters = "filters=%5B%7B%22field%22%3A%22field_1%22%2C%22operator%22%3A%22gt%22%2C%22value%22%3A%22x%22%7D%5D";
    let list = ann.get(&format!("/forms/{}/entries?{filters}", form.token)).is(422);
    list.has(["必须是数字"]).lacks(["must be"]);
    // Who reads English has the same reasons in English.
    server.token(ANN, "form:write").patch("/api/v1/me", json!({"locale": "en"})).is(200);
    ann.get(&changed).is(200).has(["has already been taken"]);
    ann.get(&imported).is(200).has(["must be a number", "is too long (at most 3 characters)"]);
}
