//! Filters of columns, cleared cells, quotas, and columns as respondents see them.

use super::*;
use crate::fields::definition::Definition;

fn field(raw: &Json) -> Definition {
    let mut at = Issues::new();
    let definition = Definition::create(json!([raw]), &Cx::of_a_test(false), &mut at);
    assert!(at.is_empty(), "{:?}", at.into_list());
    definition
}

fn of(kind: &str) -> Json {
    json!({"type": kind, "label": "x", "statements": [{"api_code": "s", "label": "S"}, {"api_code": "t", "label": "T"}],
    "dimensions": [
        {"type": "number", "label": "n", "default_value": 3},
        {"type": "radio", "label": "r", "choices": [{"api_code": "a", "label": "A"}]},
    ]})
}

#[test]
fn a_filter_finds_the_cells_of_a_column() {
    let cells = |kind: &str, stored: Json, api_code: &str| -> Json {
        let definition = field(&of(kind));
        let field = definition.fields.get("field_1").expect("the field");
        assert_eq!(field.kind.operators(), []);
        assert!(field.kind.keys(&stored, &Cx::of_a_test(false)).is_empty());
        let found = field.kind.cells(&stored, api_code);
        found.into_iter().cloned().collect()
    };
    let rows = json!([{"field_1": 1, "field_2": {"value": "a"}}, {"field_1": null}, {"field_1": 2}]);
    assert_eq!(cells("table", rows.clone(), "field_1"), json!([1, 2]));
    assert_eq!(cells("table", rows.clone(), "field_2"), json!([{"value": "a"}]));
    assert_eq!(cells("table", rows, "field_9"), json!([]));
    let rows = json!({"s": {"field_1": 1}, "t": {"field_1": null, "field_2": {"value": "a"}}, "gone": {"field_1": 5}});
    assert_eq!(cells("matrix", rows.clone(), "field_1"), json!([1]));
    assert_eq!(cells("matrix", rows, "field_2"), json!([{"value": "a"}]));
    let definition = field(&of("table"));
    let sub = definition.fields.get("field_1").expect("the field").kind.sub_fields();
    let names: Vec<_> = sub.iter().map(|sub| (sub.api_code.as_str(), sub.row.name)).collect();
    assert_eq!(names, [("field_1", "number"), ("field_2", "radio")]);
    assert!(!sub[0].kind.operators().is_empty());
}

#[test]
fn a_cleared_cell_stays_cleared() {
    let definition = field(&of("table"));
    let field = definition.fields.get("field_1").expect("the field");
    let cx = Cx::of_a_test(false);
    let parse = |raw: Json| field.kind.parse(raw, &cx, &mut Issues::new());
    let stored = parse(json!([{"field_2": "a"}, {"field_1": null, "field_2": "a"}, {"field_1": null}, {}]));
    let a = json!({"value": "a"});
    assert_eq!(stored, json!([{"field_1": 3, "field_2": a}, {"field_1": null, "field_2": a}]));
    assert_eq!(parse(field.kind.read(&stored, &cx)), stored);
    assert!(field.kind.points_to(&stored, "field_2.a") && field.kind.points_to(&stored, "field_1"));
    assert!(!field.kind.points_to(&json!([{"field_1": null}]), "field_1"));
}

#[test]
fn cells_take_of_the_quotas_of_their_columns() {
    for (kind, stored, place) in [
        ("table", json!([{}, {"field_2": {"value": "a"}}]), "[1].field_2"),
        ("matrix", json!({"t": {"field_2": {"value": "a"}}}), ".t.field_2"),
    ] {
        let definition = field(&of(kind));
        let field = definition.fields.get("field_1").expect("the field");
        let takes = field.kind.takes(&stored);
        let found: Vec<_> = takes.iter().map(|take| (take.counter.as_str(), take.at.as_str())).collect();
        assert_eq!(found, [("field_2.a", place)]);
    }
}

#[test]
fn what_the_store_keeps_of_columns_is_not_shown() {
    let mut raw = of("table");
    let mut at = Issues::new();
    let cx = Cx::of_a_test(false);
    let old = field(&raw);
    raw["api_code"] = json!("field_1");
    raw["dimensions"] = json!([
        {"api_code": "field_1", "type": "short_text", "label": "n", "past": ["x"], "retired": ["y"]},
        {"api_code": "field_2", "type": "radio", "label": "r", "choices": [{"api_code": "b", "label": "B"}]},
    ]);
    let new = old.replace(json!([raw]), &cx, &mut at).definition;
    assert!(at.is_empty(), "{:?}", at.into_list());
    let stored = new.to_stored();
    let columns = &stored["fields"][0]["dimensions"];
    assert_eq!(columns[0]["past"], json!(["number"]));
    assert_eq!(columns[0].get("retired"), None);
    assert_eq!(columns[1]["retired"], json!(["a"]));
    let back = Definition::from_stored(stored.clone()).expect("reads back");
    assert_eq!(back.to_stored(), stored);
    let field = back.fields.get("field_1").expect("the field");
    assert!(!field.splices());
    for shown in [field.to_json(), field.for_respondent()] {
        let text = shown.to_string();
        assert!(!text.contains("past") && !text.contains("retired"), "{text}");
    }
}
