//! The columns of a file: how they are found, which are ignored and told, and how their cells are written.

use serde_json::{Value, json};
use support::steps::count;
use support::{Form, Server, field};

use crate::transfer::{CSV, csv, import, plain, values};

#[test]
fn names_are_found_without_case_and_blanks_and_others_are_told() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "First name"})),
        field("email", json!({"label": "Email"})),
        field("phone", json!({"label": "Mobile", "default_country": "DE"})),
        field("formula", json!({"label": "Sum", "expression": "1 + 1", "result_type": "number"})),
    ]));
    let file = "FIRST  NAME,e-mail,email ,Token,sum,,\u{a0}mobile\u{a0}·  number\nAda,x,a@b.de,t,2,note,030 123456\n";
    let made = csv(&owner, &form, file);
    assert_eq!(made.status, 201, "{made}");
    let warnings = [
        (1, r#""e-mail" names no field of this form and is ignored"#),
        (3, r#""Token" is set by the service and is ignored"#),
        (4, r#""sum" can't be imported and is ignored"#),
        (5, "column F has cells but no name and is ignored"),
    ];
    let told = |warnings: &Value| -> Vec<String> {
        let warnings = warnings.as_array().expect("a list").iter();
        let part = |it: &Value, key: &str| it[key].as_str().expect("text").to_owned();
        let text = |it: &Value| format!("{}: {}", part(it, "attribute"), part(it, "message"));
        warnings.map(text).collect()
    };
    let expected: Vec<String> = warnings.iter().map(|(i, text)| format!("header[{i}]: {text}")).collect();
    assert_eq!(told(&made.json()["warnings"]), expected);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("Ada"), &json!("a@b.de")));
    let looked = import(&owner, &form, "?dry_run=true", CSV, file.as_bytes());
    assert_eq!(told(&looked.json()["warnings"]), expected);
    // A strict request is refused, and nothing is stored.
    let strict = owner.header("Prefer", "handling=strict");
    let refused = import(&strict, &form, "", CSV, file.as_bytes());
    assert_eq!(
        refused.faults(),
        [
            r#"header[1]: "e-mail" names no field of this form: rename or remove the column"#,
            r#"header[3]: "Token" is set by the service: remove the column"#,
            r#"header[4]: "sum" can't be imported: remove the column"#,
            "header[5]: column F has cells but no name: name or remove the column",
        ]
    );
    assert_eq!(refused.header("preference-applied"), "handling=strict");
    assert_eq!(count(&owner, &form), 1);
    let made = import(&strict, &form, "", CSV, "Email,\na@b.de,\n".as_bytes());
    assert_eq!((made.status, &made.json()["warnings"]), (201, &Value::Null), "{made}");
}

#[test]
fn two_columns_of_one_question_are_refused() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("short_text", json!({"label": "Town"})),
        field("short_text", json!({"label": "TOWN"})),
        field("phone", json!({"label": "Mobile"})),
    ]));
    for (header, fault) in [
        ("Name,NAME", r#"header[1]: "NAME" and "Name" name the same field: keep one of them"#),
        ("field_1,name", r#"header[1]: "name" and "field_1" name the same field: keep one of them"#),
        (
            "Mobile · Number,mobile",
            r#"header[1]: "mobile" and "Mobile · Number" name the same field: keep one of them"#,
        ),
        ("Name,town", r#"header[1]: "town" is the label of several columns: use one of field_2, field_3"#),
    ] {
        csv(&owner, &form, &format!("{header}\na,b\n")).refuses_with(&[fault]);
    }
    let made = csv(&owner, &form, "Town,TOWN\na,b\n");
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(values(&owner, &form)[0]["field_3"], "b");
}

#[test]
fn what_is_displayed_of_a_linked_entry_links_none() {
    let owner = Server::shared().user();
    let people = owner.form(json!([field("name", json!({"label": "Name"}))]));
    let person = owner.post(people.entries(), json!({"field_values": {"field_1": "Ada"}})).is(201).data();
    let form = owner.form(json!([field(
        "linked_form",
        json!({
        "label": "Person", "form_token": people.token, "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}]})
    )]));
    let reason = "is linked by its token: put that into the question's own column, or leave these columns blank";
    for file in ["field_1_associated_field_1\nAda\n", "field_1,field_1_associated_field_1\n,Ada\n"] {
        csv(&owner, &form, file).refuses_with(&[&format!("rows[0].field_1: {reason}")]);
    }
    let token = person["token"].as_str().expect("a token");
    csv(&owner, &form, &format!("field_1,field_1_associated_field_1\n{token},Ada\n")).is(201);
    assert_eq!(owner.get(form.entry(1)).data()["field_1"]["entry_token"], token);
}

#[test]
fn the_separator_is_the_one_under_which_names_are_known() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("short_text", json!({"label": "Allergies (nuts, milk, eggs, gluten)"})),
    ]));
    for file in [
        "\u{feff}Name;Allergies (nuts, milk, eggs, gluten)\r\nAda;none\r\n",
        "Name\tAllergies (nuts, milk, eggs, gluten)\nAda\tnone\n",
        "Name,\"Allergies (nuts, milk, eggs, gluten)\"\nAda,none\n",
        "Remarks; a, b, c, d;Name;allergies (nuts, milk, eggs, gluten)\nx;y;Ada;none\n",
    ] {
        let made = csv(&owner, &form, file);
        assert_eq!(made.status, 201, "{file}: {made}");
    }
    let expected = json!({"field_1": "Ada", "field_2": "none"});
    assert_eq!(values(&owner, &form), vec![expected; 4]);
}

#[test]
fn blanks_around_a_single_line_are_trimmed() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("email", json!({"label": "E"})),
        field("url", json!({"label": "U"})),
        field("name", json!({"label": "N"})),
        field("long_text", json!({"label": "L"})),
        field("radio", json!({"label": "R", "choices": [{"api_code": "a", "label": "Tea"}]})),
    ]));
    let file = "E,U,N,L,R\n\"ada@example.com \",\u{a0}https://example.com\u{a0},\" Ada\n\",\" kept \", Tea\u{a0}\n";
    let made = csv(&owner, &form, file);
    assert_eq!(made.status, 201, "{made}");
    let expected = json!({
        "field_1": "ada@example.com", "field_2": "https://example.com", "field_3": "Ada", "field_4": " kept ",
        "field_5": {"value": "a"},
    });
    assert_eq!(values(&owner, &form), [expected]);
}

fn measures(locale: &str) -> (support::Caller, Form) {
    let owner = Server::shared().user();
    let fields = json!([
        field("number", json!({"label": "Weight"})),
        field("date", json!({"label": "Born"})),
        field("date", json!({"label": "Seen", "precision": "minute"})),
        field("rating", json!({"label": "Stars"})),
    ]);
    let form = owner.form_with(json!({"name": "Measures", "locale": locale, "fields": fields}));
    (owner, form)
}

#[test]
fn numbers_and_dates_are_read_as_the_locale_writes_them() {
    let (owner, form) = measures("de");
    let file = "Weight;Born;Seen;Stars\n72,5;31.12.1990;3.4.2026 9:05;4\n1.234,5;1990-12-31;2026-04-03 09:05;4\n";
    let made = csv(&owner, &form, file);
    assert_eq!(made.status, 201, "{made}");
    let entry =
        |weight: f64| json!({"field_1": weight, "field_2": "1990-12-31", "field_3": "2026-04-03 09:05", "field_4": 4});
    assert_eq!(values(&owner, &form), [entry(72.5), entry(1234.5)]);
    let refused = csv(&owner, &form, "Weight;Born\n7.2.5;31.12.90\n");
    assert_eq!(
        refused.faults(),
        ["rows[0].field_1: must be a number", "rows[0].field_2: must be a date in the format YYYY-MM-DD"]
    );
    // In English it depends on the country which one is the day.
    let (owner, form) = measures("en");
    let refused = csv(&owner, &form, "Weight;Born\n72,5;3/4/2026\n");
    assert_eq!(
        refused.faults(),
        ["rows[0].field_1: must be a number", "rows[0].field_2: must be a date in the format YYYY-MM-DD"]
    );
    let made = csv(&owner, &form, "Weight;Born\n1,234;31/12/1990\n");
    assert_eq!(made.status, 201, "{made}");
    let (owner, form) = measures("en-GB");
    assert_eq!(csv(&owner, &form, "Born\n3/4/2026\n").status, 201);
    assert_eq!(values(&owner, &form)[0]["field_2"], "2026-04-03");
}

#[test]
fn unicode_text_of_spreadsheets_is_read() {
    let (owner, form) = plain();
    let text = "\u{feff}Name\tAge\r\nÄda \u{1f600}\t36\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for file in [&little, &big] {
        let made = import(&owner, &form, "", CSV, file);
        assert_eq!(made.status, 201, "{made}");
    }
    let all = values(&owner, &form);
    assert_eq!((all[0]["field_1"].as_str(), all[1]["field_2"].as_i64()), (Some("Äda \u{1f600}"), Some(36)));
    let cut = import(&owner, &form, "", CSV, &little[..little.len() - 1]);
    assert_eq!(
        cut.to_string(),
        r#"400 {"error":"The file is not valid UTF-16, as which it begins: save it as CSV in UTF-8"}"#
    );
}

#[test]
fn a_page_without_a_script_reads_dates_as_an_import_does() {
    let (owner, form) = measures("de");
    let anon = Server::shared().anon();
    for (typed, read) in [("31.12.1990", "1990-12-31"), ("1990-12-31", "1990-12-31")] {
        let before = count(&owner, &form);
        anon.post_form(form.page(), &[("field_1", "72,5"), ("field_2", typed)]).is(303);
        let entry = owner.get(form.entry(before + 1)).data();
        assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!(72.5), &json!(read)));
    }
}
