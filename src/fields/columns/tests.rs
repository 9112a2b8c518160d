//! Reading written cells gives the same value, for every kind and any text.

use proptest::prelude::*;
use serde_json::json;

use super::form::{Headers, Sheet};
use super::header::{Names, Reading};
use super::*;
use crate::base::cases::cases;
use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::fields::Fields;
use crate::fields::definition::Definition;
use crate::fields::kind::Cx;
use crate::fields::kinds::KINDS;
use crate::fields::values::{self, Values, stored};
use crate::model::entry::Entry;
use crate::model::results::Results;

pub(super) fn form(raw: Json) -> Definition {
    let mut at = Issues::new();
    let definition = Definition::create(raw, &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn entry(values: &Json) -> Entry {
    let at = |text: &str| Time::parse(text).expect("a time");
    Entry {
        serial: 7,
        token: EntryToken::new("0000000000000000000007"),
        created_at: at("2026-11-20T16:08:04.123Z"),
        updated_at: at("2026-11-21T00:00:00Z"),
        version: 1,
        creator_name: Some("Ada".to_owned()),
        duration_secs: Some(75),
        x_field_1: None,
        waiting_position: None,
        values: stored::of_test(values),
        results: Results::default(),
    }
}

/// The stored values read back from an entry's cells.
pub(super) fn there_and_back(fields: &Fields, stored: &Json, headers: Headers) -> Json {
    let cx = Cx::of_a_test(false);
    let sheet = Sheet::of_form(fields, &[], None, &cx);
    let cells = sheet.cells(fields, &entry(stored), &cx).expect("cells");
    let names = sheet.headers(headers);
    assert_eq!(names.len(), cells.len());
    let cells: Vec<String> = cells.into_iter().map(Cell::into_text).collect();
    let mut at = Issues::new();
    let reading = Reading::of_header(&Names::of(fields, &[], &cx), &names, &mut at);
    let (given, _) = reading.row_values(fields, &cells, &cx, &mut at);
    let mut back = Values::new();
    for (code, raw) in given {
        let field = fields.get(&code).expect("a field");
        let value = match raw {
            Json::Null => Json::Null,
            raw => at.key(&code, |at| field.kind.parse(raw, &cx, at)),
        };
        if !values::is_blank(&value) {
            back.insert(code, value);
        }
    }
    assert!(at.is_empty(), "{:?} of {cells:?}", at.into_list());
    Json::Object(back)
}

#[test]
fn every_kinds_samples_come_back() {
    for row in KINDS {
        for sample in row.samples {
            let mut field: Json = serde_json::from_str(sample.definition).expect("JSON");
            field["type"] = json!(row.name);
            field["label"] = json!("A label");
            let form = form(json!([field, {"type": "short_text", "label": "Other"}]));
            let own = form.fields.get("field_1").expect("the field");
            let stored: Json = serde_json::from_str(sample.stored).expect("JSON");
            if !own.kind.is_written() || values::is_blank(&stored) {
                continue;
            }
            let values = json!({"field_1": stored, "field_2": "x"});
            for headers in [Headers::Labels, Headers::ApiCodes] {
                let back = there_and_back(&form.fields, &values, headers);
                assert_eq!(back, values, "{}", row.name);
            }
        }
    }
}

#[test]
fn columns_are_called_by_what_they_hold() {
    let form = form(json!([
        {"type": "short_text", "label": "Name"},
        {"type": "short_text", "label": "Name"},
        {"type": "phone", "label": "Number"},
        {"type": "radio", "label": "Track", "choices": [
            {"api_code": "a", "label": "Print"},
            {"api_code": "b", "label": "Else", "is_other": true}]},
        {"type": "matrix", "label": "Days", "statements": [{"api_code": "s", "label": "Monday"}],
            "dimensions": [{"type": "number", "label": "Guests"}, {"type": "time", "label": "At"}]},
        {"type": "description", "label": "Read this"},
        {"type": "short_text", "label": "field_1"},
    ]));
    let cx = Cx::of_a_test(false);
    let sheet = Sheet::of_form(&form.fields, &[], None, &cx);
    assert_eq!(
        sheet.headers(Headers::Labels),
        [
            "Number",
            "Token",
            "Submitted at",
            "Changed at",
            "Time to fill in (seconds)",
            "Entered by",
            "From the link",
            "Name (field_1)",
            "Name (field_2)",
            "Number · Country",
            "Number · Dialing code",
            "Number · Number",
            "Track",
            "Track · Else",
            "Days · Monday · Guests",
            "Days · Monday · At",
            "field_1 (field_7)",
        ]
    );
    assert_eq!(
        sheet.headers(Headers::ApiCodes)[9..],
        [
            "field_3.country_id",
            "field_3.country_code",
            "field_3.number",
            "field_4",
            "field_4.b",
            "field_5.s.field_1",
            "field_5.s.field_2",
            "field_7",
        ]
    );
    let wanted = ["field_2".to_owned(), "field_9".to_owned()];
    let some = Sheet::of_form(&form.fields, &[], Some(&wanted), &cx);
    assert_eq!(some.headers(Headers::Labels), ["Number", "Token", "Submitted at", "Changed at", "Name (field_2)"]);
    let cells = some.cells(&form.fields, &entry(&json!({"field_2": "=1", "field_1": 1})), &cx);
    let cells: Vec<String> = cells.expect("cells").into_iter().map(Cell::into_text).collect();
    assert_eq!(cells, ["7", "0000000000000000000007", "2026-11-20 16:08:04", "2026-11-21 00:00:00", "=1"]);
}

/// The header's faults, and the values of a row below it.
fn read(form: &Definition, names: &[&str], cells: &[&str]) -> (Vec<String>, Json) {
    let cx = Cx::of_a_test(false);
    let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let mut at = Issues::new();
    let reading = Reading::of_header(&Names::of(&form.fields, &[], &cx), &owned(names), &mut at);
    let (given, _) = reading.row_values(&form.fields, &owned(cells), &cx, &mut at);
    let faults = at.into_list().into_iter();
    let faults = faults.map(|issue| format!("{}: {}", issue.attribute, issue.message()));
    (faults.collect(), Json::Object(given))
}

#[test]
fn headers_are_codes_or_labels() {
    let form = form(json!([
        {"type": "short_text", "label": "Name"},
        {"type": "short_text", "label": "Name"},
        {"type": "phone", "label": "Mobile", "default_country": "CN"},
        {"type": "short_text", "label": "Number"},
        {"type": "formula", "label": "Sum", "expression": "1 + 1", "result_type": "number"},
    ]));
    let none = Vec::<String>::new();
    assert_eq!(
        read(&form, &[" field_1 ", "Name (field_2)", "x", "", ""], &["a", "b", "c"]),
        (none.clone(), json!({"field_1": "a", "field_2": "b"}))
    );
    // A question takes precedence over columns about the entry.
    assert_eq!(
        read(&form, &["Number", "serial_number", "Sum"], &["a", "7", "9"]),
        (none.clone(), json!({"field_4": "a"}))
    );
    let mobile = |country: &str, number: &str| json!({"field_3": {"country_id": country, "number": number}});
    for (names, cells, value) in [
        (&["Mobile"][..], &["138 0013 8000"][..], mobile("CN", "138 0013 8000")),
        // A number with a dialling code takes its country from itself.
        (&["field_3"], &["+1 202 555 0123"], mobile("CN", "+1 202 555 0123")),
        (&["field_3.number"], &["13800138000"], mobile("CN", "13800138000")),
        (&["Mobile · Number", "Mobile · Country"], &["030 123", "DE"], mobile("DE", "030 123")),
        (&["field_3"], &[r#"{"country_id": "DE"}"#], json!({"field_3": {"country_id": "DE"}})),
        (&["Mobile"], &[" "], json!({"field_3": null})),
        (&["mobile ·  NUMBER"], &["13800138000"], mobile("CN", "13800138000")),
        (&["NUMBER"], &["a"], json!({"field_4": "a"})),
    ] {
        assert_eq!(read(&form, names, cells), (none.clone(), value), "{names:?}");
    }
    let faults = |names: &[&str]| read(&form, names, &[]).0;
    assert_eq!(
        faults(&["Name", "field_1"]),
        [r#"header[0]: "Name" is the label of several columns: use one of field_1, field_2"#]
    );
    assert_eq!(
        faults(&["field_1", "FIELD_1"]),
        [r#"header[1]: "FIELD_1" and "field_1" name the same field: keep one of them"#]
    );
    assert_eq!(
        faults(&["Mobile", "field_3.number"]),
        [r#"header[1]: "field_3.number" and "Mobile" name the same field: keep one of them"#]
    );
    assert_eq!(faults(&["x", "serial_number"]), ["header: names no field of this form"]);
    assert_eq!(faults(&[]), ["header: names no field of this form"]);
    assert_eq!(faults(&["field_1", "x", "x", "token", "token"]), none);
}

#[test]
fn cells_say_what_people_mean() {
    let form = form(json!([
        {"type": "checkbox", "label": "Drinks", "choices": [
            {"api_code": "a", "label": "Tea, green"}, {"api_code": "b", "label": "Tea"},
            {"api_code": "c", "label": "a"}, {"api_code": "d", "label": "Else", "is_other": true}]},
        {"type": "date", "label": "Day"},
        {"type": "time", "label": "At"},
        {"type": "number", "label": "Sum"},
        {"type": "address", "label": "Home"},
        {"type": "date", "label": "When", "precision": "minute"},
    ]));
    let one = |code: &str, cell: &str| read(&form, &[code], &[cell]).1[code.split('.').next().expect("a code")].clone();
    let codes = |cell: &str| -> Vec<String> {
        let chosen = one("field_1", cell);
        let chosen = chosen.as_array().expect("a list").iter();
        chosen.map(|c| c["value"].as_str().expect("a code").to_owned()).collect()
    };
    assert_eq!(codes("Tea, green"), ["a"]);
    assert_eq!(codes("\"Tea, green\", tea"), ["a", "b"]);
    assert_eq!(codes("b,,c, Ｔｅａ"), ["b", "c", "b"]);
    assert_eq!(codes("a"), ["a"]);
    assert_eq!(codes("Milk"), ["Milk"]);
    assert_eq!(read(&form, &["field_1.d"], &["mine"]).1["field_1"], json!([{"value": "d", "other_text": "mine"}]));
    for (typed, date) in [
        ("2026-11-20", "2026-11-20"),
        (" 2026/1/5 ", "2026-01-05"),
        ("2026-11-20 00:00:00", "2026-11-20"),
        ("20.11.2026", "20.11.2026"),
        ("2026-13-01", "2026-13-01"),
        ("é", "é"),
    ] {
        assert_eq!(one("field_2", typed), json!(date), "{typed}");
    }
    assert_eq!(one("field_6", "2026-1-5T9:05:00"), json!("2026-01-05 09:05"));
    assert_eq!(one("field_6", "2026-01-05 09:04:59.9996"), json!("2026-01-05 09:05"));
    assert_eq!(one("field_6", "2026-01-05"), json!("2026-01-05 00:00"));
    for (code, typed, fault) in [
        ("field_2", "2026-11-20 10:00:00", "has a time; this question takes a date"),
        ("field_6", "2026-01-05 09:05:30", "has seconds; this question takes hours and minutes"),
        ("field_3", "9:05:30", "has seconds; this question takes hours and minutes"),
    ] {
        assert_eq!(read(&form, &[code], &[typed]).0, [format!("{code}: {fault}")], "{typed}");
    }
    assert_eq!(one("field_3", "9:05:00"), json!({"hour": 9, "minute": 5}));
    assert_eq!(one("field_3", "9:05"), json!({"hour": 9, "minute": 5}));
    assert_eq!(read(&form, &["field_3"], &["noon"]).0, ["field_3: must be a time as HH:MM or HH:MM:SS"]);
    for (typed, number) in [
        ("3", json!(3)),
        (" -2.50 ", json!(-2.5)),
        ("1e3", json!(1000.0)),
        ("1,5", json!("1,5")),
        ("inf", json!("inf")),
        ("1e999", json!("1e999")),
    ] {
        assert_eq!(one("field_4", typed), number, "{typed}");
    }
    let home = read(&form, &["field_5.country", "field_5.state", "field_5.city"], &[" CN", "Shanghai Shi", "上海"]);
    assert_eq!(home.1["field_5"]["state"], json!("CN-SH"));
    assert_eq!(
        read(&form, &["field_5"], &["1 Main St"]).0,
        ["field_5: must be given in the columns of its parts, or as JSON"]
    );
}

#[test]
fn whole_answers_are_read_where_that_is_sure() {
    let form = form(json!([
        {"type": "cascade", "label": "Where", "choices": [
            {"api_code": "e", "label": "Europe", "children": [
                {"api_code": "i", "label": "Italy/Sicily"}, {"api_code": "f", "label": "France"}]}]},
        {"type": "ranking", "label": "Order", "choices": [
            {"api_code": "s", "label": "Speed"}, {"api_code": "p", "label": "Price, net"}]},
        {"type": "location", "label": "Place"},
        {"type": "matrix", "label": "Days", "statements": [{"api_code": "s", "label": "Monday"}],
            "dimensions": [{"type": "number", "label": "Guests"}]},
    ]));
    let point = |address: &str| json!({"latitude": 48.5, "longitude": -11.25, "address": address});
    for (code, typed, value) in [
        ("Where", "Europe / France", json!({"level_1": "e", "level_2": "f"})),
        ("WHERE", "europe/Italy/Sicily", json!({"level_1": "e", "level_2": "i"})),
        ("Order", "1. Speed, 2. Price, net", json!({"s": 1, "p": 2})),
        ("Order", "\"Price, net\", speed", json!({"p": 1, "s": 2})),
        ("Place", "48.5, -11.25", point("")),
        ("Place", "By the (old) mill (48.5; -11.25)", point("By the (old) mill")),
    ] {
        let (faults, read) = read(&form, &[code], &[typed]);
        assert_eq!(faults, Vec::<String>::new(), "{typed}");
        assert_eq!(read.as_object().expect("values").values().next(), Some(&value), "{typed}");
    }
    let slashes = "/".repeat(1 << 20);
    let commas = "speed,".repeat(1 << 18);
    for (code, typed) in [
        ("Where", "Asia"),
        ("Where", &slashes),
        ("Order", "Speed, speed"),
        ("Order", "Noise"),
        ("Order", &commas),
        ("Place", "home"),
        // One number, as many countries write it; one that no double keeps.
        ("Place", "48,137"),
        ("Place", "48.1234567890123456789, 11.5"),
        ("Days", "2"),
    ] {
        let faults = read(&form, &[code], &[typed]).0;
        assert!(faults[0].ends_with("must be given in the columns of its parts, or as JSON"), "{faults:?}");
    }
}

#[test]
fn blanks_around_a_line_are_no_part_of_it() {
    let form = form(json!([
        {"type": "short_text", "label": "Name"},
        {"type": "long_text", "label": "Why"},
        {"type": "radio", "label": "Track", "choices": [{"api_code": "b", "label": "Else", "is_other": true}]},
        {"type": "address", "label": "Home"},
        {"type": "table", "label": "Rows", "dimensions": [
            {"type": "email", "label": "Email"}, {"type": "long_text", "label": "Text"}]},
    ]));
    for (code, cell, value) in [
        ("field_1", "\u{a0}Ada \u{feff}", json!("Ada")),
        ("field_2", " a \n", json!(" a \n")),
        ("field_3.b", " mine\t", json!({"value": "b", "other_text": "mine"})),
        (
            "field_5.field_1",
            "\n a@b.de ",
            json!([{"field_1": null, "field_2": null}, {"field_1": "a@b.de", "field_2": null}]),
        ),
        ("field_5.field_2", " x \ny", json!([{"field_1": null, "field_2": " x "}, {"field_1": null, "field_2": "y"}])),
    ] {
        let field = code.split('.').next().expect("a code");
        assert_eq!(read(&form, &[code], &[cell]).1[field], value, "{code}");
    }
    assert_eq!(read(&form, &["field_4.city"], &["\u{a0}Jena "]).1["field_4"]["city"], "Jena");
}

#[test]
fn what_a_spreadsheet_would_run_stands_behind_an_apostrophe() {
    for (text, shown) in [
        ("=1+1", "'=1+1"),
        ("+86", "'+86"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("＝1", "'＝1"),
        ("＠x", "'＠x"),
        (" \u{feff}=1", "' \u{feff}=1"),
        ("\tx", "'\tx"),
        ("\nx", "'\nx"),
        ("'tis", "''tis"),
        ("''", "'''"),
        ("'", "''"),
        ("1-1", "1-1"),
        ("a=b", "a=b"),
        ("", ""),
    ] {
        assert_eq!(guarded(text), shown);
        assert_eq!(unguarded(shown), text);
    }
    // A typed apostrophe stays.
    assert_eq!(unguarded("'tis"), "'tis");
}

#[test]
fn several_values_share_a_cell() {
    assert_eq!(list(["a", "b, c", "d\"e", " f"]), Cell::text("a, \"b, c\", \"d\"\"e\", \" f\""));
    assert_eq!(items("a; b, \"c\" d ,\"e"), ["a; b", "\"c\" d", "\"e"]);
    let text = |text: &str| Cell::text(text);
    assert_eq!(stack(vec![text("a"), Cell::Blank, text("b\nc")]), text("a\n\n\"b\nc\""));
    assert_eq!(stack(vec![Cell::Number(5.into())]), Cell::Number(5.into()));
    assert_eq!(stack(vec![Cell::Blank, Cell::Blank]), Cell::Blank);
    assert_eq!(unstack(&["a\nb", "", "c"]), [["a", "", "c"], ["b", "", ""]]);
}

#[test]
fn words_tell_which_thing_is_meant() {
    let named = || [("a", "Tea"), ("b", "Tea"), ("c", "a"), ("d", "Milk"), ("e", " ")].into_iter();
    for (code, shown) in [("a", "a"), ("b", "b"), ("c", "c"), ("d", "Milk"), ("e", "e"), ("x", "x")] {
        assert_eq!(word(named(), code), shown);
    }
    for (typed, code) in [("a", Some("a")), ("Tea", None), (" milk", Some("d")), ("x", None)] {
        assert_eq!(meant(named(), typed), code, "{typed}");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_texts_share_a_cell_and_part_again(
        texts in prop::collection::vec("[a\",\n '=]{0,4}", 1..5),
    ) {
        prop_assert_eq!(items(&list(&texts).into_text()), texts.clone());
        let stacked = stack(texts.iter().map(|text| Cell::text(text.as_str())).collect());
        let mut back = rows(&stacked.into_text());
        back.resize(texts.len(), String::new());
        prop_assert_eq!(back, texts);
    }

    #[test]
    fn any_text_is_guarded_and_found_again(text in "['=+ \\t\\na-]{0,4}") {
        let shown = guarded(&text).into_owned();
        prop_assert_eq!(unguarded(&shown), text);
    }

}

#[test]
fn no_cell_is_too_odd() {
    let form = form(json!([
        {"type": "date", "label": "a", "precision": "second"},
        {"type": "time", "label": "b"},
        {"type": "phone", "label": "c"},
        {"type": "table", "label": "d", "dimensions": [{"type": "phone", "label": "x"}]},
    ]));
    proptest!(ProptestConfig { cases: 200, ..cases() }, |(cell in "\\PC{0,12}")| {
        for code in ["field_1", "field_2", "field_3", "field_3.number", "field_4", "field_4.field_1.number"] {
            let _ = read(&form, &[code], &[&cell]);
        }
    });
}
