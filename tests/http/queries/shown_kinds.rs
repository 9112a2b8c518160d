//! Each kind of field that can be shown: in rows, on the page, in details and in files.

use serde_json::{Value, json};
use support::multipart::Body;
use support::sheets::{csv, xlsx};
use support::steps::set;
use support::uploads::{png, wav};
use support::{Caller, Form, Server, field};

use crate::queries::suggestions::whole;
use crate::queries::{Query, all_of, fill, links, local, monday, shown};

/// A value of each kind that is written over the API.
fn values(linked: &Value) -> Vec<(&'static str, Value)> {
    vec![
        ("short_text", json!("mk-short")),
        ("long_text", json!("mk-long\nmk-second line")),
        ("name", json!("Mkname Quartz")),
        ("phone", json!({"country_id": "CN", "country_code": "86", "number": "13812345678"})),
        ("email", json!("mkmail@example.com")),
        ("number", json!(4711.5)),
        ("date", json!("2026-11-20")),
        ("time", json!({"hour": 9, "minute": 30})),
        ("radio", json!("a")),
        ("checkbox", json!(["a", "b"])),
        ("image_radio", json!("b")),
        ("image_checkbox", json!(["b"])),
        ("dropdown", json!("b")),
        ("cascade", json!({"level_1": "x", "level_2": "y"})),
        ("url", json!("https://mk-url.example.com/?a=1&b=<2>")),
        ("address", json!({"address_line1": "mk-street 5", "city": "Shanghai", "state": "CN-SH", "country": "CN"})),
        ("rating", json!(4)),
        ("nps", json!(0)),
        ("ranking", json!({"b": 1, "a": 2})),
        ("matrix", json!({"s": {"field_1": "mk-cell"}})),
        ("matrix_rating", json!({"s": {"d": 3}})),
        ("likert", json!({"s": ["b"]})),
        ("location", json!({"longitude": 121.5, "latitude": 31.2, "address": "mk-place"})),
        ("product", json!([{"api_code": "tea", "number": 3}])),
        ("booking", json!([{"api_code": "room", "scheduled_at": monday()}])),
        ("linked_form", linked.clone()),
    ]
}

/// Values without links, which are signed anew by each read.
fn unsigned(value: &Value) -> Value {
    let mut out = value.clone();
    match &mut out {
        Value::Object(map) => {
            map.remove("url");
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = unsigned(item)),
        Value::String(text) if text.contains("signature=") => *text = "[link]".to_owned(),
        _ => {}
    }
    out
}

/// The addresses of files in a value.
fn urls(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(urls).collect(),
        Value::Object(map) => map.get("url").into_iter().flat_map(urls).collect(),
        Value::String(text) if text.contains("signature=") => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Checks that page, details and files come, with these texts and without those.
fn comes_everywhere(query: &Query, asked: &Value, there: &[&str], hidden: &[&str]) {
    let anon = query.anon();
    let page = anon.get(query.typed(asked)).is(200);
    let below = format!("{}/entries/", query.page());
    let detail = links(&page);
    // Not a path below an entry, such as its files.
    let detail = detail.iter().find(|link| {
        let rest = link.strip_prefix(&below).and_then(|rest| rest.split('?').next());
        rest.is_some_and(|rest| !rest.contains('/'))
    });
    let detail = detail.unwrap_or_else(|| panic!("no details: {page}"));
    let csv = csv(&anon.get(query.export("csv", asked)));
    let xlsx = xlsx(&anon.get(query.export("xlsx", asked)));
    assert_eq!((csv.len(), xlsx.len()), (2, 2), "{csv:?} {xlsx:?}");
    assert_eq!(csv[0], xlsx[0]);
    let texts = [
        ("rows", query.search(asked).text),
        ("page", page.text.clone()),
        ("details", anon.get(detail).text),
        ("csv", csv.concat().join("|")),
        ("xlsx", xlsx.concat().join("|")),
    ];
    for (what, text) in &texts {
        for mark in there {
            assert!(text.contains(mark), "{what}: {mark}: {text}");
        }
        for mark in hidden {
            assert!(!text.contains(mark), "{what}: {mark}: {text}");
        }
    }
}

fn everything(owner: &Caller) -> (Form, Vec<(String, &'static str)>) {
    let (form, codes) = whole(owner);
    let file = |kind: &str| codes[kind].clone();
    Body::default()
        .file(&file("attachment"), "mk-file.txt", "text/plain", b"mk-text")
        .file(&file("audio"), "mk-audio.wav", "audio/wav", &wav(500))
        .file(&file("signature"), "mine.png", "image/png", &png(30, 20))
        .text("_page", "0")
        .send(owner, &form.page())
        .is(303);
    let linked = form.body["fields"].as_array().expect("fields").iter();
    let linked = linked.filter_map(|field| field["form_token"].as_str()).next().expect("a link");
    let list = format!("/api/v1/forms/{linked}/entries");
    let person = json!({"field_values": {"field_1": "Mklinked Person", "field_3": "mk-private@example.com"}});
    let person = owner.post(list, person).data()["token"].clone();
    let mut all = json!({});
    for (kind, value) in values(&person) {
        all[&codes[kind]] = value;
    }
    owner.patch(form.entry(1), json!({ "field_values": all })).is(200);
    let kinds = codes.into_iter().map(|(kind, code)| (code, kind)).collect();
    (form, kinds)
}

/// The codes that can be shown, as suggested.
fn displayable(owner: &Caller, form: &Form) -> Vec<String> {
    let path = format!("/api/v1/opensearch/queries/suggestions?form_token={}", form.token);
    let data = owner.get(path).data();
    let rows = data["displayable"].as_array().expect("rows").iter();
    rows.map(|row| row["field"].as_str().expect("a code").to_owned()).collect()
}

#[test]
fn every_kind_is_shown_as_collaborators_read_it() {
    let owner = Server::shared().user();
    let (form, kinds) = everything(&owner);
    let codes = displayable(&owner, &form);
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let query =
        Query::with(&owner, &form, all_of(&["serial_number"]), shown(&codes), json!({"allow_to_export_results": true}));
    let asked = json!({"serial_number": 1});
    let row = query.rows(&asked).remove(0);
    let entry = owner.get(form.entry(1)).data();
    let mut files = 0;
    for code in &codes {
        let kind = kinds.iter().find(|(own, _)| own == code);
        match kind.map(|(_, kind)| *kind) {
            // Of a linked entry, only the public fields.
            Some("linked_form") => {
                assert_eq!(row[code]["serial_number"], 1, "{row}");
                assert_eq!(row[code]["display_fields"]["field_1"], "Mklinked Person");
                assert_eq!(row[code]["display_fields"].get("field_3"), None, "{row}");
            }
            Some(kind) => {
                assert!(!row[code].is_null(), "{kind}: {row}");
                assert_eq!(unsigned(&row[code]), unsigned(&entry[code]), "{kind}");
            }
            None if code.contains("_associated_") => {}
            None => assert_eq!(row[code], entry[code], "{code}"),
        }
        for url in urls(&row[code]) {
            let there = query.anon().get(local(&owner, &url));
            assert_eq!(there.status, 200, "{code}: {url}: {there}");
            files += 1;
        }
    }
    assert_eq!(files, 3, "attachment, recording and signature: {row}");
    let there = ["mk-short", "mk-second line", "Mkname Quartz", "mkmail@", "mk-street 5"];
    comes_everywhere(&query, &asked, &there, &["mk-private"]);
    // All masked that can be.
    let rules: Vec<Value> = codes.iter().map(|code| json!({"field": code, "protected": true})).collect();
    query.change(&owner, json!({ "display_field_rules": rules }));
    let hidden = ["Quartz", "mkmail", "12345678", "Mklinked", "mk-private"];
    comes_everywhere(&query, &asked, &there[..2], &hidden[..3]);
    let masked = query.rows(&asked).remove(0);
    for (code, kind) in &kinds {
        if ["name", "phone", "email"].contains(kind) {
            assert_ne!(masked[code], row[code], "{kind}");
        } else if *kind != "linked_form" {
            assert_eq!(unsigned(&masked[code]), unsigned(&row[code]), "{kind}");
        }
    }
}

#[test]
fn empty_entries_are_shown_too() {
    let owner = Server::shared().user();
    let (form, _) = whole(&owner);
    fill(&owner, &form, &[json!({})]);
    let codes = displayable(&owner, &form);
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let rules: Vec<Value> = codes
        .iter()
        .map(|code| json!({"field": code, "protected": true, "highlight": {"color": "#FF0000", "position": 1}}))
        .collect();
    let query =
        Query::with(&owner, &form, all_of(&["serial_number"]), json!(rules), json!({"allow_to_export_results": true}));
    let asked = json!({"serial_number": 1});
    let row = query.rows(&asked).remove(0);
    let entry = owner.get(form.entry(1)).data();
    for code in codes {
        let expected = match code.contains("_associated_") {
            true => &Value::Null,
            false => &entry[code],
        };
        assert_eq!(&row[code], expected, "{code}");
    }
    comes_everywhere(&query, &asked, &[], &[]);
}

#[test]
fn scores_certificates_and_reports_are_shown() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A", "score": 3}, {"api_code": "b", "label": "B"}]);
    let fields = json!([field("radio", json!({ "choices": choices }))]);
    let certificate = json!({"certificate": {"enabled": true, "title": "T", "body": "For {{field_1}}"}});
    let codes = json!({"verification_code": {"enabled": true}});
    let scored = json!({"exam": {"questions": {"field_1": {"scored": true, "score": 2.5, "answer": "a"}}}});
    let report = json!({"after_submission": {"report": {"score_based_feedbacks": [
        {"start_point": 0, "end_point": 9, "comment": "mk-comment"}]}}});
    for (scene, settings, own) in [
        ("exam", vec![scored, certificate, codes], vec!["exam_score", "x_field_certificate", "gen_code"]),
        ("evaluation", vec![report], vec!["evaluation_report"]),
    ] {
        let form = owner.form_with(json!({"name": "S", "scene": scene, "fields": fields}));
        settings.into_iter().for_each(|settings| set(&owner, &form, settings));
        fill(&owner, &form, &[json!({"field_1": "a"})]);
        let all = [&["serial_number", "created_at", "updated_at"][..], &own].concat();
        let query = Query::with(
            &owner,
            &form,
            all_of(&["serial_number"]),
            shown(&all),
            json!({"allow_to_export_results": true}),
        );
        let asked = json!({"serial_number": 1});
        let row = query.rows(&asked).remove(0);
        let entry = owner.get(form.entry(1)).data();
        for code in all {
            assert!(!row[code].is_null(), "{scene}: {code}: {row}");
            assert_eq!(unsigned(&row[code]), unsigned(&entry[code]), "{code}");
        }
        let there: &[&str] = match scene {
            "exam" => &["2.5"],
            _ => &["mk-comment"],
        };
        comes_everywhere(&query, &asked, there, &[]);
    }
}
