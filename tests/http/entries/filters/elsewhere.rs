//! Cells of tables and matrices, entries of linked forms, and changes.

use serde_json::{Value, json};
use support::{Server, field};

use crate::entries::filters::{Asked, choice, tea_and_coffee};

#[test]
fn any_cell_of_a_table_or_matrix_will_do_and_the_opposite_means_none() {
    let columns = json!([
        field("short_text", json!({})),
        field("number", json!({})),
        field("checkbox", json!({"choices": tea_and_coffee()})),
        field("date", json!({})),
    ]);
    let statements = json!([{"api_code": "s1", "label": "One"}, {"api_code": "s2", "label": "Two"}]);
    let fields = json!([
        field("table", json!({ "dimensions": columns })),
        field("matrix", json!({"statements": statements, "dimensions": columns})),
    ]);
    let rows = [
        json!([{"field_1": "tea", "field_2": 3, "field_3": ["tea"]}, {"field_1": "cake", "field_2": 9}]),
        json!([{"field_2": 5}, {"field_2": 6, "field_3": ["coffee", "tea"], "field_4": "2026-11-20"}]),
        json!([]),
    ];
    let entries: Vec<Value> = rows
        .iter()
        .map(|rows| {
            let row = |i: usize| rows.get(i).cloned().unwrap_or_else(|| json!({}));
            json!({"field_1": rows, "field_2": {"s1": row(0), "s2": row(1)}})
        })
        .collect();
    let asked = Asked::new("UTC", fields, &entries);
    for code in ["field_1", "field_2"] {
        for (column, operator, value, expected) in [
            ("field_1", "eq", json!("TEA"), vec![1]),
            ("field_1", "ne", json!("tea"), vec![2, 3]),
            ("field_1", "ne", json!("milk"), vec![1, 2, 3]),
            ("field_1", "any_in", json!(["cake", "x"]), vec![1]),
            ("field_1", "none_in", json!(["cake", "x"]), vec![2, 3]),
            ("field_1", "like", json!("ak"), vec![1]),
            ("field_1", "not_like", json!("ak"), vec![2, 3]),
            ("field_1", "null", json!(null), vec![2, 3]),
            ("field_1", "not_null", json!(null), vec![1]),
            ("field_2", "gt", json!(5), vec![1, 2]),
            ("field_2", "between", json!([4, 5]), vec![2]),
            ("field_2", "not_between", json!([4, 5]), vec![1]),
            ("field_2", "not_between", json!([0, 1]), vec![1, 2]),
            ("field_2", "ne", json!(3), vec![2, 3]),
            ("field_3", "eq", json!(["tea", "coffee"]), vec![2]),
            ("field_3", "ne", json!(["tea", "coffee"]), vec![1, 3]),
            ("field_3", "any_in", json!(["tea"]), vec![1, 2]),
            ("field_3", "null", json!(null), vec![3]),
            ("field_4", "eq", json!("2026-11"), vec![2]),
            ("field_4", "null", json!(null), vec![1, 3]),
        ] {
            asked.finds(&format!("{code}.{column}"), operator, value, &expected);
        }
        // Two conditions may be met by different rows.
        let both = json!([
            {"field": format!("{code}.field_1"), "operator": "eq", "value": "tea"},
            {"field": format!("{code}.field_2"), "operator": "eq", "value": 9},
        ]);
        asked.finds_all(&json!({ "filters": both }), &[1]);
        asked.refuses(&format!("{code}.field_2"), "like", json!("3"), "operator");
        asked.refuses(&format!("{code}.field_2"), "eq", json!("3"), "value");
    }
}

#[test]
fn the_fields_of_a_linked_form_are_the_linked_entrys() {
    let owner = Server::shared().user();
    let people = owner.form_with(json!({"name": "People", "timezone": "America/New_York", "fields": [
        field("name", json!({})),
        field("number", json!({})),
        field("date", json!({"precision": "minute"})),
        field("short_text", json!({})),
        field("table", json!({"dimensions": [field("short_text", json!({}))]})),
    ]}));
    let person = |values: Value| -> String {
        let made = owner.post(people.entries(), json!({ "field_values": values }));
        assert_eq!(made.status, 201, "{made}");
        made.data()["token"].as_str().expect("a token").to_owned()
    };
    let ada =
        person(json!({"field_1": "Ada Lovelace", "field_2": 36, "field_3": "2026-11-20 23:30", "field_4": "secret"}));
    let grace = person(json!({"field_1": "Grace Hopper"}));
    let gone = person(json!({"field_1": "Ada Gone"}));
    let link = json!({
        "form_token": people.token, "search_fields": ["field_1"],
        "display_fields": [
            {"api_code": "field_2", "public": false}, {"api_code": "field_3", "public": true}, {"api_code": "field_5", "public": true},
        ],
    });
    let form =
        owner.form_with(json!({"name": "Visits", "timezone": "Asia/Shanghai", "fields": [field("linked_form", link)]}));
    let asked = Asked { owner: owner.clone(), form };
    for token in [Some(&ada), Some(&grace), None, Some(&gone), Some(&ada)] {
        asked.add(json!({ "field_1": token }));
    }
    assert_eq!(owner.delete(people.entry(3)).status, 200);
    for (code, operator, value, expected) in [
        ("field_1", "eq", json!("ADA LOVELACE"), vec![1, 5]),
        ("field_1", "like", json!("hop"), vec![2]),
        // A linked entry in the trash counts as null, like none.
        ("field_1", "like", json!("gone"), vec![]),
        ("field_1", "ne", json!("Ada Lovelace"), vec![2, 3, 4]),
        ("field_1", "null", json!(null), vec![3, 4]),
        ("field_1", "not_null", json!(null), vec![1, 2, 5]),
        ("field_2", "gte", json!(36), vec![1, 5]),
        ("field_2", "null", json!(null), vec![2, 3, 4]),
        ("field_2", "not_between", json!([1, 2]), vec![1, 5]),
        ("serial_number", "eq", json!(2), vec![2]),
        ("serial_number", "lt", json!(9), vec![1, 2, 5]),
        ("serial_number", "null", json!(null), vec![3, 4]),
        // Read in the filtering form's timezone.
        ("field_3", "eq", json!("2026-11-20T15:30:00Z"), vec![1, 5]),
        ("field_3", "eq", json!("2026-11-20"), vec![1, 5]),
    ] {
        asked.finds(&format!("field_1_associated_{code}"), operator, value, &expected);
    }
    asked.refuses("field_1_associated_field_4", "eq", json!("secret"), "field");
    asked.refuses("field_1_associated_field_5", "null", json!(null), "field");
    asked.refuses("field_1_associated_field_5.field_1", "null", json!(null), "field");
    asked.refuses("field_1_associated_field_2", "like", json!("3"), "operator");
    asked.refuses("field_1_associated_field_2", "eq", json!("36"), "value");
    let both = json!([
        {"field": "field_1_associated_field_1", "operator": "like", "value": "a"},
        {"field": "field_1_associated_field_2", "operator": "null"},
    ]);
    asked.finds_all(&json!({ "filters": both }), &[2]);
    // With the linked form in the trash every link counts as null.
    assert_eq!(owner.delete(people.path()).status, 200);
    asked.finds("field_1_associated_field_1", "null", json!(null), &[1, 2, 3, 4, 5]);
    asked.finds("field_1_associated_field_1", "ne", json!("x"), &[1, 2, 3, 4, 5]);
    asked.finds("field_1_associated_serial_number", "gt", json!(0), &[]);
}

#[test]
fn conditions_follow_what_a_field_has_become() {
    let asked = Asked::new(
        "UTC",
        json!([
            field("number", json!({})),
            field("radio", json!({"choices": tea_and_coffee()})),
            field("phone", json!({})),
        ]),
        &[
            json!({"field_1": 42, "field_2": "tea", "field_3": {"country_id": "CN", "number": "13800138000"}}),
            json!({"field_2": "milk"}),
        ],
    );
    let changed = asked.owner.patch(asked.form.path(), json!({"confirm_data_loss": true, "fields": [
        {"api_code": "field_1", "type": "short_text", "label": "a"},
        {"api_code": "field_2", "type": "checkbox", "label": "b", "choices": [choice("tea", "Green tea"), choice("coffee", "Mokka")]},
        {"api_code": "field_3", "type": "short_text", "label": "c"},
    ]}));
    assert_eq!(changed.status, 200, "{changed}");
    asked.finds("field_1", "like", json!("4"), &[1]);
    asked.refuses("field_1", "gt", json!(4), "operator");
    asked.finds("field_2", "eq", json!(["tea"]), &[1]);
    asked.finds("field_2", "like", json!("green"), &[1]);
    // A removed choice is no longer found.
    asked.finds("field_2", "any_in", json!(["milk"]), &[]);
    asked.finds("field_2", "null", json!(null), &[2]);
    asked.finds("field_3", "eq", json!("+86 13800138000"), &[1]);
    asked.finds_all(&json!({"keyword": "42"}), &[1]);
    // A removed field can't be asked for.
    let removed = asked.owner.patch(
        asked.form.path(),
        json!({"confirm_data_loss": true, "fields": [
            {"api_code": "field_1", "type": "short_text", "label": "a"},
        ]}),
    );
    assert_eq!(removed.status, 200, "{removed}");
    asked.refuses("field_2", "null", json!(null), "field");
}

#[test]
fn a_change_is_found_at_once_and_the_trash_is_asked_alike() {
    let asked =
        Asked::new("UTC", json!([field("short_text", json!({}))]), &[json!({"field_1": "a"}), json!({"field_1": "b"})]);
    let owner = &asked.owner;
    asked.finds("field_1", "eq", json!("a"), &[1]);
    assert_eq!(owner.patch(asked.form.entry(2), json!({"field_values": {"field_1": "A"}})).status, 200);
    asked.finds("field_1", "eq", json!("a"), &[1, 2]);
    assert_eq!(owner.delete(asked.form.entry(1)).status, 200);
    asked.finds("field_1", "eq", json!("a"), &[2]);
    let trash = |filters: Value| {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("filters", &filters.to_string()).finish();
        owner.get(format!("{}/trash/entries?{query}", asked.form.path()))
    };
    let is = |value: &str| json!([{"field": "field_1", "operator": "eq", "value": value}]);
    let page = trash(is("a")).json();
    assert_eq!((&page["data"][0]["serial_number"], &page["pagination"]["total"]), (&json!(1), &json!(1)));
    assert_eq!(trash(is("b")).json()["pagination"]["total"], 0);
    assert_eq!(trash(json!([1])).attributes(), ["filters[0]"]);
}
