//! Numbers leave as they came, in plain digits, or are refused: a number that a double would change is never stored
//! (contract section 13).

use std::io::{Cursor, Read as _};

use serde_json::{Value, json};
use support::world::World;
use support::{Response, field};

const JSON: Option<&str> = Some("application/json");
const TOO_MANY: &str = "has too many digits to be stored exactly: use a text question";

/// A number, a table with one, a value computed of it, and a product.
fn fields() -> Value {
    let goods = json!([{"api_code": "cake", "name": "Cake", "price": 3}]);
    json!([
        field("number", json!({})),
        field("table", json!({"dimensions": [field("number", json!({}))]})),
        field("formula", json!({"expression": "field_1 + 0", "result_type": "number"})),
        field("formula", json!({"expression": "CONCAT(\"=\", field_1)", "result_type": "text"})),
        field("short_text", json!({})),
        field("product", json!({"goods_items": goods})),
    ])
}

/// A body with numbers that no JSON library here would write.
fn body(number: &str) -> String {
    format!(r#"{{"field_values": {{"field_1": {number}, "field_2": [{{"field_1": {number}}}], "field_4": "1e400"}}}}"#)
}

fn export(w: &World, format: &str) -> Response {
    w.owner.get(format!("{}/export?format={format}&headers=api_codes", w.form.entries())).is(200)
}

fn import(w: &World, file: &str) -> Response {
    w.owner.send("POST", &format!("{}/entries/import", w.form.path()), Some("text/csv"), file.as_bytes())
}

/// `GET /api/v1/forms/{form_token}/entries?filters=`
fn filtered(w: &World, condition: &str) -> Response {
    let filters: String = url::form_urlencoded::byte_serialize(condition.as_bytes()).collect();
    w.owner.get(format!("{}?filters={filters}", w.form.entries()))
}

fn faults(places: &[&str]) -> Vec<String> {
    places.iter().map(|place| format!("{place}: {TOO_MANY}")).collect()
}

#[test]
fn a_number_that_would_change_is_refused_wherever_it_comes_from() {
    let w = World::with(fields());
    for number in [
        "123456789012345678",
        "-9007199254740993",
        "18446744073709551615",
        "123456789012345678901234",
        "0.1234567890123456789",
        "1.00000000000000000001e5",
        "1e-400",
    ] {
        let body = body(number);
        for (caller, path) in [(&w.owner, w.form.entries()), (&w.anon, w.form.submissions())] {
            let refused = caller.send("POST", &path, JSON, body.as_bytes()).is(422);
            let places = ["field_values.field_1", "field_values.field_2[0].field_1"];
            assert_eq!(refused.faults(), faults(&places), "{number}");
        }
        let bulk = format!(r#"{{"entries": [{body}]}}"#);
        let refused = w.owner.send("POST", &format!("{}/entries/bulk", w.form.path()), JSON, bulk.as_bytes()).is(422);
        let places = ["entries[0].field_values.field_1", "entries[0].field_values.field_2[0].field_1"];
        assert_eq!(refused.faults(), faults(&places), "{number}");
        let refused = import(&w, &format!("field_1,field_2.field_1\n{number},{number}\n")).is(422);
        assert_eq!(refused.faults(), faults(&["rows[0].field_1", "rows[0].field_2[0].field_1"]), "{number}");
        let page = w.post(&[("field_1", number), ("field_2[0].field_1", number)]).is(422);
        page.has(["id=\"field_1-fault\">Enter a number of at most 15 digits", &format!("value=\"{number}\"")]);
        for field in ["field_1", "field_2.field_1", "field_3", "serial_number"] {
            for (operator, value) in [("eq", number.to_owned()), ("any_in", format!("[1, {number}]"))] {
                let condition = format!(r#"[{{"field": "{field}", "operator": "{operator}", "value": {value}}}]"#);
                let posted = format!(r#"{{"filters": {condition}}}"#);
                let posted = w.owner.send("POST", &w.form.query(), JSON, posted.as_bytes());
                for refused in [filtered(&w, &condition), posted] {
                    let said = refused.is(422).faults();
                    let is_so =
                        said.len() == 1 && said[0].starts_with("filters[0].value") && said[0].ends_with(TOO_MANY);
                    assert!(is_so, "{field} {condition}: {said:?}");
                }
            }
        }
        let bounds = format!(r#"{{"name": "x", "fields": [{{"type": "number", "label": "x", "max": {number}}}]}}"#);
        let refused = w.owner.send("POST", "/api/v1/forms", JSON, bounds.as_bytes()).is(422);
        assert_eq!(refused.faults(), faults(&["fields[0].max"]), "{number}");
    }
    // As all other faults of the answers, and where a locale's separators stand among the digits.
    let refused = w.post(&[("field_1", "123,456,789,012,345,678"), ("field_2[0].field_1", "x")]).is(422);
    refused
        .has(["id=\"field_1-fault\">Enter a number of at most 15", "id=\"field_2[0].field_1-fault\">Enter a number<"]);
    let both = r#"{"field_values": {"field_1": 123456789012345678, "field_5": 1}}"#;
    let refused = w.owner.send("POST", &w.form.entries(), JSON, both.as_bytes());
    let text = "field_values.field_5: must be a string".to_owned();
    assert_eq!(refused.faults(), [faults(&["field_values.field_1"]), vec![text]].concat());
    let many = json!({"field_values": {"field_6": [{"api_code": "cake", "number": 123_456_789_012_345_678_i64}]}});
    assert_eq!(w.owner.post(w.form.entries(), many).is(422).attributes(), ["field_values.field_6[0].number"]);
    assert_eq!(w.count(), 0);
}

/// The rows of an exported sheet as text, each cell with the markup around its value.
fn sheet(answer: Response) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(answer.bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet").read_to_string(&mut text).expect("text");
    text
}

#[test]
fn numbers_leave_as_they_came() {
    // Typed, and with the separators of the form's language.
    for (number, shown) in [
        ("100000000000000000", "100,000,000,000,000,000"),
        ("-20000000000000000", "-20,000,000,000,000,000"),
        ("900000000000000000000", "900,000,000,000,000,000,000"),
        ("123456789012", "123,456,789,012"),
        ("9007199254740992", "9,007,199,254,740,992"),
        ("9007199254740994", "9,007,199,254,740,994"),
        ("0.0000001", "0.0000001"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("-2.5", "-2.5"),
    ] {
        let w = World::with(fields()).settings(json!({"after_submission": {"show_answers": true}}));
        w.owner.send("POST", &w.form.entries(), JSON, body(number).as_bytes()).is_for(201, number);
        import(&w, &format!("field_1,field_2.field_1\n{number},{number}\n")).is_for(201, number);
        let done = w.post(&[("field_1", number), ("field_2[0].field_1", shown)]).is_for(303, number).leads();
        w.anon.get(done).is(200).has([format!(">{shown}<"), format!(">={number}<")]);

        let csv = export(&w, "csv").text;
        let cells = format!("\"{number}\",\"{number}\",\"{number}\",\"'={number}\"");
        assert_eq!(csv.matches(&cells).count(), 3, "{number}: {csv}");
        // A spreadsheet keeps fifteen digits of a number; more of them are text there.
        let sheet = sheet(export(&w, "xlsx"));
        let (as_number, as_text) = (format!("<v>{number}</v>"), format!("<t>{number}</t>"));
        let digits = number.trim_matches(['0', '.', '-']).len();
        let (there, other) = if digits > 15 { (as_text, as_number) } else { (as_number, as_text) };
        assert_eq!((sheet.matches(&there).count(), sheet.matches(&other).count()), (9, 0), "{number}: {sheet}");

        // Numbers that came by different ways are equal, and each is found by the other.
        let condition = |field: &str| format!(r#"[{{"field": "{field}", "operator": "eq", "value": {number}}}]"#);
        for field in ["field_1", "field_2.field_1", "field_3"] {
            assert_eq!(filtered(&w, &condition(field)).is(200).json()["pagination"]["total"], 3, "{field} {number}");
        }
    }
}
