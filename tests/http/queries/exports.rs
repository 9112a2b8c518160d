//! Results as files (handbook: "Results can be exported as CSV or XLSX if you allow it").

use std::io::Cursor;

use serde_json::{Value, json};
use support::sheets::{csv, xlsx};
use support::{Caller, Form, Server, field};

use crate::queries::{Query, all_of, body, condition, fill, group, people, shown};

fn filled() -> (Caller, Form) {
    let (owner, form) = people(Server::shared());
    fill(
        &owner,
        &form,
        &[
            json!({"field_1": "Adèle", "field_2": "London", "field_3": 36}),
            json!({"field_1": "Bea", "field_2": "York", "field_3": -1.5}),
            json!({"field_1": "Adèle", "field_2": "a \"b\",\nc"}),
        ],
    );
    (owner, form)
}

fn exporting(owner: &Caller, form: &Form, rules: Value) -> Query {
    let mut whole = body(form, all_of(&["field_1"]), rules);
    whole["allow_to_export_results"] = json!(true);
    Query::new(owner, whole)
}

#[test]
fn exports_have_the_rows_found_and_the_columns_shown() {
    let (owner, form) = filled();
    let rules = json!([
        {"field": "field_3", "label": "Years"}, {"field": "field_1"}, {"field": "serial_number", "label": "No."},
        {"field": "field_2"}]);
    let query = exporting(&owner, &form, rules);
    let file = |format: &str, name: &str| {
        let values = json!({ "field_1": name });
        query.anon().get(query.export(format, &values))
    };
    let rows = csv(&file("csv", "Adèle"));
    assert_eq!(rows[0], ["Years", "Name", "No.", "Town"]);
    let mut sorted = rows[1..].to_vec();
    sorted.sort();
    assert_eq!(sorted, [vec!["", "Adèle", "3", "a \"b\",\nc"], vec!["36", "Adèle", "1", "London"]]);
    let book = file("xlsx", "Adèle");
    assert_eq!(book.header("content-type"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    assert_eq!(xlsx(&book), rows);
    assert_eq!(csv(&file("csv", "Bea"))[1..], [["-1.5", "Bea", "2", "York"]]);
    assert_eq!(csv(&file("csv", "Nobody")), rows[..1]);
    // It is kept by the browser under a name, and by nobody else.
    let sent = file("csv", "Adèle");
    assert!(sent.header("content-disposition").starts_with("attachment"));
    assert_eq!(sent.header("x-content-type-options"), "nosniff");
    assert!(sent.header("cache-control").contains("no-store"));
}

#[test]
fn exports_need_permission_and_a_valid_search() {
    let (owner, form) = filled();
    let query = exporting(&owner, &form, shown(&["field_1"]));
    let ada = json!({"field_1": "Adèle"});
    let anon = query.anon();
    let export = |rest: &str| anon.get(format!("{}/export?{rest}", query.page()));
    for odd in ["format=pdf&field_1=Adèle", "format=json&field_1=Adèle"] {
        let refused = export(odd);
        assert!([400, 422].contains(&refused.status), "{odd}: {refused}");
    }
    // A missing value is missing here too.
    for missing in ["format=csv", "format=csv&field_1=", "format=xlsx&field_1=%20"] {
        let refused = export(missing);
        assert_eq!(refused.status, 422, "{missing}: {refused}");
        assert!(!refused.text.contains("London"), "{refused}");
    }
    let page = anon.get(query.typed(&ada));
    assert!(page.text.contains("/export?"), "{page}");
    query.change(&owner, json!({"allow_to_export_results": false}));
    for format in ["csv", "xlsx"] {
        let refused = anon.get(query.export(format, &ada));
        assert!([403, 404].contains(&refused.status), "{refused}");
        assert!(!refused.text.contains("Adèle"), "{refused}");
    }
    let page = anon.get(query.typed(&ada));
    assert!(!page.text.contains("/export?"), "{page}");
    assert_eq!(query.rows(&ada).len(), 2);
}

#[test]
fn scope_trash_and_masks_hold_in_files() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "Key"})),
        field("name", json!({"label": "Name"})),
        field("number", json!({"label": "Group"})),
        field("phone", json!({"label": "Phone"})),
    ]));
    let phone = json!({"country_id": "CN", "number": "13812345678"});
    fill(
        &owner,
        &form,
        &[
            json!({"field_1": "k", "field_2": "Zoe Quartz", "field_3": 1, "field_4": phone}),
            json!({"field_1": "k", "field_2": "Outside", "field_3": 2}),
            json!({"field_1": "k", "field_2": "Trashed", "field_3": 1}),
        ],
    );
    owner.delete(form.entry(3)).is(200);
    let rules = json!([
        {"field": "serial_number"}, {"field": "field_2", "protected": true}, {"field": "field_4", "protected": true}]);
    let query = exporting(&owner, &form, rules);
    query.change(&owner, json!({"scope_conditions": [condition("field_3", "eq", json!(1))]}));
    let key = json!({"field_1": "k"});
    for rows in [csv(&query.anon().get(query.export("csv", &key))), xlsx(&query.anon().get(query.export("xlsx", &key)))]
    {
        assert_eq!(rows.len(), 2, "{rows:?}");
        let all = rows.concat().join("|");
        assert!(all.contains("Z**") && all.contains("138****5678"), "{all}");
        for hidden in ["Quartz", "Outside", "Trashed", "13812345678"] {
            assert!(!all.contains(hidden), "{all}");
        }
    }
}

#[test]
fn no_cell_runs_a_formula() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "=CHOICE()"}]);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Key"})),
        field("long_text", json!({"label": "@label"})),
        field("radio", json!({"label": "Choice", "choices": choices})),
        field("number", json!({"label": "Number"})),
    ]));
    let texts = ["=1+1", "+1", "-x", "@x", "\t=x", " =x", "＝x", "＋x", "－x", "＠x", "'x", "\n=x", "plain"];
    let entries: Vec<Value> =
        texts.iter().map(|text| json!({"field_1": "k", "field_2": text, "field_3": "a", "field_4": -3})).collect();
    fill(&owner, &form, &entries);
    let groups = json!([group("and", &["field_1"], false)]);
    let rules = json!([
        {"field": "field_2"}, {"field": "field_3", "label": "=HYPERLINK(\"x\")"}, {"field": "field_4"}]);
    let query = Query::with(&owner, &form, groups, rules, json!({"allow_to_export_results": true}));
    let file = query.anon().get(query.export("csv", &json!({"field_1": "k"})));
    let rows = csv(&file);
    assert_eq!(rows[0], ["'@label", "'=HYPERLINK(\"x\")", "Number"]);
    let mut cells: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    let mut expected: Vec<String> = texts
        .iter()
        .map(|text| match *text {
            "plain" => "plain".to_owned(),
            other => format!("'{other}"),
        })
        .collect();
    cells.sort_unstable();
    expected.sort();
    assert_eq!(cells, expected);
    for row in &rows[1..] {
        assert_eq!(row[1..], ["'=CHOICE()", "-3"]);
    }
    for line in file.text.trim_start_matches('\u{feff}').split("\r\n") {
        assert!(line.is_empty() || line.starts_with('"'), "every cell is quoted: {line}");
    }
    let book = query.anon().get(query.export("xlsx", &json!({"field_1": "k"})));
    let mut archive = zip::ZipArchive::new(Cursor::new(book.bytes)).expect("an archive");
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).expect("a part");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut part, &mut text).expect("text");
        for word in ["<f>", "<f ", "<hyperlink", "externalLink"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
