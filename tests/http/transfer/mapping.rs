//! `import?columns=`: columns of a file go where the caller says (contract section 11).

use serde_json::{Value, json};
use support::steps::count;
use support::{Caller, Form, Response, Server, text};

use crate::transfer::{CSV, import, values};

fn form() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        {"type": "short_text", "label": "Name", "required": true},
        {"type": "number", "label": "Age"},
        {"type": "address", "label": "Home"},
        {"type": "formula", "label": "Twice", "result_type": "number", "expression": "field_2 * 2"},
    ]));
    (owner, form)
}

fn mapped(owner: &Caller, form: &Form, columns: &Value, file: &str) -> Response {
    let columns = columns.to_string();
    let columns: String = url::form_urlencoded::byte_serialize(columns.as_bytes()).collect();
    let query = format!("?columns={columns}");
    import(owner, form, &query, CSV, file.as_bytes())
}

#[test]
fn columns_go_where_the_request_says() {
    let (owner, form) = form();
    let columns = json!({"Who": "field_1", "Town": "field_3.city", "Age": null});
    let made = mapped(&owner, &form, &columns, "Who,Town,Age,Twice\nAda,London,36,\nGrace,,85,\n");
    // A column left out on purpose gives no warning; one that goes by its name is read as ever.
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"created":2,"rows":2,"dry_run":false},"warnings":[{"attribute":"header[3]","message":"\"Twice\" can't be imported and is ignored"}]}"#
    );
    let stored = values(&owner, &form);
    assert_eq!((&stored[0]["field_1"], &stored[0]["field_3"]["city"]), (&json!("Ada"), &json!("London")));
    assert_eq!((&stored[0]["field_2"], &stored[1]["field_3"]), (&Value::Null, &Value::Null));
    // Columns that are not named go by their labels, and a semicolon is found by mapped names too.
    let made =
        mapped(&owner, &form, &json!({"Wer": "field_1", "Wo": "field_3.city"}), "Wer;Wo;Age\nEmmy;Erlangen;53\n");
    assert_eq!(made.status, 201, "{made}");
    let stored = values(&owner, &form);
    assert_eq!((&stored[2]["field_1"], &stored[2]["field_2"]), (&json!("Emmy"), &json!(53)));
}

#[test]
fn faults_of_a_mapping_come_together_at_their_places() {
    let (owner, form) = form();
    let file = "Who,Age,Years,x\nAda,36,37,\n";
    let columns = json!({
        "Who": "field_9", "Nobody": "field_1", "x": "field_4", "Years": "serial_number",
    });
    let refused = mapped(&owner, &form, &columns, file);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(
        refused.faults(),
        [
            "columns.Who: \"field_9\" is no field of this form and no part of one",
            "columns.Nobody: is not a column of the file",
            "columns.x: \"field_4\" can't be imported",
            "columns.Years: \"serial_number\" is set by the service",
        ]
    );
    let twice = mapped(&owner, &form, &json!({"Who": "field_1", "Years": "field_2"}), file);
    assert_eq!(twice.faults(), ["header[2]: \"Years\" and \"Age\" name the same field: keep one of them"]);
    let odd = mapped(&owner, &form, &json!({"Who": 1, "Age": ["field_2"]}), file);
    assert_eq!(odd.faults(), ["columns.Who: must be a text or null", "columns.Age: must be a text or null"]);
    let list = mapped(&owner, &form, &json!(["field_1"]), file);
    assert_eq!(list.faults(), ["columns: must be an object"]);
    let broken = import(&owner, &form, "?columns=%7B", CSV, file.as_bytes());
    assert_eq!(broken.status, 400, "{broken}");
    assert_eq!(count(&owner, &form), 0);
}

#[test]
fn the_command_line_maps_columns_too() {
    let server = Server::alone("a command beside it");
    let owner = server.user();
    let form = owner.form(json!([{"type": "short_text", "label": "Name"}]));
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("in.csv");
    std::fs::write(&file, "Who\nAda\n").expect("written");
    let file = file.to_str().expect("text");
    let made = server.run(&["entries", "import", &form.token, file, "--columns", r#"{"Who": "field_1"}"#]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert_eq!(values(&owner, &form)[0]["field_1"], "Ada");
    let broken = server.run(&["entries", "import", &form.token, file, "--columns", "Who=field_1"]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).contains("--columns is not valid JSON"), "{}", text(&broken.stderr));
}
