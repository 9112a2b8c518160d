//! `suggestions` list the fields that a form's queries may search by and show (handbook); listed fields are accepted,
//! no others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use support::sharing::share;
use support::steps::set;
use support::{Caller, Form, Server, field};

use crate::queries::{PATH, all_of, body, shown};

/// Kinds that are searched by, and whether they may be searched by a part.
const SEARCHABLE: [(&str, bool); 11] = [
    ("short_text", true),
    ("long_text", true),
    ("name", true),
    ("phone", true),
    ("email", true),
    ("number", false),
    ("date", true),
    ("radio", true),
    ("dropdown", true),
    ("cascade", true),
    ("linked_form", false),
];

/// Kinds that are shown.
const DISPLAYABLE: [&str; 29] = [
    "short_text",
    "long_text",
    "name",
    "phone",
    "email",
    "number",
    "date",
    "time",
    "radio",
    "checkbox",
    "image_radio",
    "image_checkbox",
    "dropdown",
    "cascade",
    "url",
    "address",
    "rating",
    "nps",
    "attachment",
    "audio",
    "signature",
    "ranking",
    "matrix",
    "matrix_rating",
    "likert",
    "location",
    "product",
    "booking",
    "linked_form",
];

const MASKED: [&str; 3] = ["name", "phone", "email"];

/// A directory: its name is shown, its phone is masked, its e-mail is not public, its town is only searched by.
pub fn directory(owner: &Caller) -> Form {
    owner.form(json!([
        field("name", json!({"label": "Person"})),
        field("phone", json!({"label": "Mobile"})),
        field("email", json!({"label": "Mail"})),
        field("short_text", json!({"label": "Town"})),
        field("rating", json!({"label": "Stars"})),
    ]))
}

pub fn link(directory: &Form) -> Value {
    field(
        "linked_form",
        json!({
            "form_token": directory.token, "search_fields": ["field_1", "field_4"],
            "display_fields": [
                {"api_code": "field_1", "public": true},
                {"api_code": "field_2", "public": true, "protected": true},
                {"api_code": "field_3", "public": false},
                {"api_code": "field_5", "public": true},
            ],
        }),
    )
}

/// A field of every kind, in the order of the kinds.
fn every_kind(directory: &Form) -> Vec<(&'static str, Value)> {
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let statements = json!([{"api_code": "s", "label": "S"}]);
    let columns = json!([field("short_text", json!({}))]);
    let rows = json!([{"api_code": "d", "label": "D"}]);
    let goods = json!([{"api_code": "tea", "name": "Tea", "price": 1}]);
    let places = json!([{"api_code": "room", "name": "Room", "quota_setting": {
        "kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 5}]}}]);
    let levels = json!([{"api_code": "x", "label": "X", "children": [{"api_code": "y", "label": "Y"}]}]);
    let mut out: Vec<(&str, Value)> = DISPLAYABLE
        .iter()
        .map(|kind| {
            let own = match *kind {
                "radio" | "checkbox" | "image_radio" | "image_checkbox" | "dropdown" | "ranking" => {
                    json!({ "choices": choices })
                }
                "cascade" => json!({ "choices": levels }),
                "matrix" => json!({"statements": statements, "dimensions": columns}),
                "matrix_rating" => {
                    json!({"statements": statements, "dimensions": rows, "rating_max": 5})
                }
                "likert" => json!({"statements": statements, "choices": choices}),
                "product" => json!({ "goods_items": goods }),
                "booking" => json!({ "reservation_items": places }),
                "linked_form" => return (*kind, link(directory)),
                _ => json!({}),
            };
            (*kind, field(kind, own))
        })
        .collect();
    out.push(("table", field("table", json!({ "dimensions": columns }))));
    out.push(("formula", field("formula", json!({"expression": "field_6 + 1", "result_type": "number"}))));
    out.push(("page_break", field("page_break", json!({}))));
    out.push(("description", field("description", json!({"content": "x"}))));
    out
}

/// The form of every kind; the code of each.
pub fn whole(owner: &Caller) -> (Form, BTreeMap<&'static str, String>) {
    let directory = directory(owner);
    let kinds = every_kind(&directory);
    let fields: Vec<Value> = kinds.iter().map(|(_, field)| field.clone()).collect();
    let form = owner.form_with(json!({"name": "All", "fields": fields}));
    let codes = kinds.iter().enumerate();
    let codes = codes.map(|(i, (kind, _))| (*kind, format!("field_{}", i + 1))).collect();
    (form, codes)
}

fn suggested(owner: &Caller, form: &Form) -> Value {
    let path = format!("{PATH}/suggestions?form_token={}", form.token);
    let answer = owner.get(path).is(200);
    let data = answer.data();
    let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["searchable", "displayable"], "{answer}");
    data
}

/// The rows of one of the two lists by field; each stands once and has its keys.
fn by_field(data: &Value, list: &str) -> BTreeMap<String, Value> {
    let keys: &[&str] = match list {
        "searchable" => &["field", "label", "type", "fuzzy"],
        _ => &["field", "label", "type", "editable", "protected"],
    };
    let mut out = BTreeMap::new();
    for row in data[list].as_array().expect("a list") {
        let own: Vec<&String> = row.as_object().expect("a row").keys().collect();
        assert_eq!(own, keys, "{row}");
        assert_ne!(row["label"].as_str().expect("a label"), "", "{row}");
        let name = row["field"].as_str().expect("a code").to_owned();
        assert!(out.insert(name, row.clone()).is_none(), "twice: {row}");
    }
    out
}

fn names(rows: &BTreeMap<String, Value>) -> BTreeSet<&str> {
    rows.keys().map(String::as_str).collect()
}

#[test]
fn suggestions_have_each_kind() {
    let owner = Server::shared().user();
    let (form, codes) = whole(&owner);
    let data = suggested(&owner, &form);
    let (searchable, displayable) = (by_field(&data, "searchable"), by_field(&data, "displayable"));
    let (booking, linked) = (&codes["booking"], &codes["linked_form"]);
    for (kind, fuzzy) in SEARCHABLE {
        let row = &searchable[&codes[kind]];
        assert_eq!((&row["type"], &row["fuzzy"], &row["label"]), (&json!(kind), &json!(fuzzy), &json!(kind)), "{row}");
    }
    let inside = |parent: &String, part: &str| format!("{parent}_{part}");
    let more = [
        (inside(booking, "attribute_api_code"), true),
        (inside(booking, "attribute_date_time"), true),
        ("serial_number".to_owned(), false),
        (inside(linked, "associated_field_1"), true),
        (inside(linked, "associated_serial_number"), false),
    ];
    for (code, fuzzy) in &more {
        assert_eq!(searchable[code]["fuzzy"], json!(fuzzy), "{code}");
    }
    let expected: BTreeSet<&str> = SEARCHABLE
        .iter()
        .map(|(kind, _)| codes[kind].as_str())
        .chain(more.iter().map(|(code, _)| code.as_str()))
        .collect();
    assert_eq!(names(&searchable), expected);

    for kind in DISPLAYABLE {
        let row = &displayable[&codes[kind]];
        assert_eq!(
            (&row["type"], &row["label"], &row["editable"], &row["protected"]),
            (&json!(kind), &json!(kind), &json!(true), &json!(MASKED.contains(&kind))),
            "{row}"
        );
    }
    let more = [
        ("serial_number".to_owned(), false),
        ("created_at".to_owned(), false),
        ("updated_at".to_owned(), false),
        ("info_filling_duration".to_owned(), false),
        ("total_price".to_owned(), false),
        ("preferential_price".to_owned(), false),
        ("reservation_status_fsf_field".to_owned(), false),
        (inside(linked, "associated_field_1"), true),
        (inside(linked, "associated_field_2"), true),
        (inside(linked, "associated_field_5"), false),
        (inside(linked, "associated_serial_number"), false),
    ];
    for (code, protected) in &more {
        let row = &displayable[code];
        assert_eq!((&row["editable"], &row["protected"]), (&json!(false), &json!(protected)), "{row}");
    }
    let expected: BTreeSet<&str> =
        DISPLAYABLE.iter().map(|kind| codes[kind].as_str()).chain(more.iter().map(|(code, _)| code.as_str())).collect();
    assert_eq!(names(&displayable), expected);
}

#[test]
fn settings_of_the_form_add_suggestions() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A", "score": 1}, {"api_code": "b", "label": "B"}]);
    let fields = json!([field("radio", json!({ "choices": choices })), field("short_text", json!({})),]);
    let of = |scene: &str, settings: &[Value]| {
        let form = owner.form_with(json!({"name": "S", "scene": scene, "fields": fields}));
        settings.iter().for_each(|settings| set(&owner, &form, settings.clone()));
        let data = suggested(&owner, &form);
        let own = |list: &str| -> Vec<String> {
            let rows = by_field(&data, list).into_keys();
            rows.filter(|name| !name.starts_with("field_")).collect()
        };
        let editable = by_field(&data, "displayable");
        let editable = ["field_1", "field_2"].map(|code| editable[code]["editable"] == true);
        (own("searchable"), own("displayable"), editable)
    };
    let all = |more: &[&str]| {
        let fixed = ["created_at", "info_filling_duration", "serial_number", "updated_at"];
        let mut all: Vec<String> = fixed.iter().chain(more).map(|name| (*name).to_owned()).collect();
        all.sort();
        all
    };
    let only = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    assert_eq!(of("survey", &[]), (only(&["serial_number"]), all(&[]), [true, true]));
    let question = json!({"exam": {"questions": {"field_1": {"scored": true, "score": 2, "answer": "a"}}}});
    assert_eq!(
        of("exam", &[question]),
        (only(&["exam_score", "serial_number"]), all(&["exam_score"]), [false, true]),
        "a scored question is not edited"
    );
    let codes = json!({"verification_code": {"enabled": true}});
    assert_eq!(of("survey", &[codes]), (only(&["gen_code", "serial_number"]), all(&["gen_code"]), [true, true]));
    let certificate = json!({"certificate": {"enabled": true, "title": "T", "body": "For {{field_2}}"}});
    assert_eq!(of("survey", &[certificate]).1, all(&["x_field_certificate"]));
    assert_eq!(of("evaluation", &[]).1, all(&["evaluation_report"]));
}

#[test]
fn suggestions_are_taken_and_the_rest_is_refused() {
    let owner = Server::shared().user();
    let (form, codes) = whole(&owner);
    let data = suggested(&owner, &form);
    let (searchable, displayable) = (by_field(&data, "searchable"), by_field(&data, "displayable"));
    let groups: Vec<Value> =
        searchable.iter().map(|(code, row)| json!({"field": code, "fuzzy": row["fuzzy"]})).collect();
    let rules: Vec<Value> = displayable
        .iter()
        .map(|(code, row)| json!({"field": code, "editable": row["editable"], "protected": row["protected"]}))
        .collect();
    owner.post(PATH, body(&form, json!([{"operand": "or", "fields": groups}]), json!(rules))).is(201);
    // Each one that is not offered is refused at its place, and the message names all that are.
    let kinds: Vec<&str> = codes.keys().copied().collect();
    for kind in kinds {
        let code = codes[kind].as_str();
        if !searchable.contains_key(code) {
            let refused = owner.post(PATH, body(&form, all_of(&["field_1", code]), shown(&["field_1"])));
            assert_eq!(refused.status, 422, "{kind}: {refused}");
            assert_eq!(refused.attributes(), ["search_field_rules[0].fields[1].field"]);
            names_all(&refused.faults()[0], &names(&searchable));
        }
        if !displayable.contains_key(code) {
            let refused = owner.post(PATH, body(&form, all_of(&["field_1"]), shown(&["field_1", code])));
            assert_eq!(refused.status, 422, "{kind}: {refused}");
            assert_eq!(refused.attributes(), ["display_field_rules[1].field"]);
            names_all(&refused.faults()[0], &names(&displayable));
        }
    }
    // `fuzzy` and `editable` where they are not offered.
    for (code, row) in searchable.iter().filter(|(_, row)| row["fuzzy"] == false) {
        let group = json!([{"operand": "and", "fields": [{"field": code, "fuzzy": true}]}]);
        let refused = owner.post(PATH, body(&form, group, shown(&["field_1"])));
        assert_eq!(
            (refused.status, refused.attributes()),
            (422, vec!["search_field_rules[0].fields[0].fuzzy".to_owned()]),
            "{row}"
        );
    }
    for (code, row) in displayable.iter().filter(|(_, row)| row["editable"] == false) {
        let rules = json!([{"field": code, "editable": true}]);
        let refused = owner.post(PATH, body(&form, all_of(&["field_1"]), rules));
        assert_eq!(
            (refused.status, refused.attributes()),
            (422, vec!["display_field_rules[0].editable".to_owned()]),
            "{row}"
        );
    }
}

/// Asserts that a message lists these codes, each as its own word, and no other.
fn names_all(message: &str, codes: &BTreeSet<&str>) {
    let message = message.split_once(": ").map_or(message, |(_, rest)| rest);
    let words: BTreeSet<&str> = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    for code in codes {
        assert!(words.contains(code), "{code}: {message}");
    }
    // The refused one may be quoted before the list.
    let listed = words.iter().filter(|word| word.starts_with("field_"));
    let other = listed.filter(|word| !codes.contains(*word)).count();
    assert!(other <= 1, "{message}");
}

#[test]
fn suggestions_are_for_managers_of_the_form() {
    let server = Server::shared();
    let (owner, form) = crate::queries::people(server);
    let path = format!("{PATH}/suggestions?form_token={}", form.token);
    let others = [server.user(), server.user(), server.user()];
    for (who, role) in others.iter().zip(["viewer", "editor", "manager"]) {
        share(&owner, &form, who, role);
        let answer = who.get(&path);
        match role {
            "manager" => assert_eq!(answer.json(), owner.get(&path).json()),
            _ => assert_eq!(answer.to_string(), r#"403 {"error":"Forbidden"}"#),
        }
    }
    let unknown = r#"404 {"error":"Form not found"}"#;
    assert_eq!(server.user().get(&path).to_string(), unknown);
    let astray = format!("{PATH}/suggestions?form_token=AAAAAAAAAA");
    assert_eq!(owner.get(astray).to_string(), unknown);
    owner.delete(form.path()).is(200);
    assert_eq!(owner.get(&path).to_string(), unknown);
}
