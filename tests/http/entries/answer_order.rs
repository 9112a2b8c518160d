//! Lists in the order of the answers to a question.

use serde_json::{Value, json};
use support::steps::add;
use support::{Caller, Form, Server, field};

fn choices(labels: &[&str]) -> Value {
    labels.iter().map(|label| json!({"api_code": label.to_lowercase(), "label": label})).collect()
}

/// Four entries and one without an answer: number, text, date, time, choice, score, formula.
fn filled() -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("number", json!({})),
        field("short_text", json!({})),
        field("date", json!({})),
        field("time", json!({})),
        field("radio", json!({"choices": choices(&["Zebra", "Ant", "Mole"])})),
        field("rating", json!({})),
        field("formula", json!({"expression": "field_1 * 2", "result_type": "number"})),
        field("checkbox", json!({"choices": choices(&["A", "B"])})),
        field("long_text", json!({"hidden": true})),
    ]));
    let entries = [
        (10, "pear", "2026-12-24", (23, 5), "mole", 2),
        (-2, "Apple", "2026-12-03", (8, 0), "zebra", 5),
        (9, "ÄPFEL", "2027-01-01", (8, 30), "ant", 1),
        (9, "zebra", "2026-12-24", (0, 0), "zebra", 3),
    ];
    for (number, text, date, (hour, minute), choice, score) in entries {
        let values = json!({
            "field_1": number, "field_2": text, "field_3": date, "field_4": {"hour": hour, "minute": minute},
            "field_5": choice, "field_6": score,
        });
        add(&owner, &form, values);
    }
    add(&owner, &form, json!({"field_9": "only this"}));
    (owner, form)
}

fn serials(page: &Value) -> Vec<i64> {
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| row["serial_number"].as_i64().expect("a number")).collect()
}

/// Follows `cursor` from page to page of this size; the pages.
fn walk(owner: &Caller, form: &Form, sort: &str, size: i64, cursor: &str, start: &str) -> Vec<Vec<i64>> {
    let (mut pages, mut at) = (Vec::new(), start.to_owned());
    loop {
        let page = owner.post(form.query(), json!({"sort": sort, "page_size": size, "cursor": at})).is(200).json();
        pages.push(serials(&page));
        at = page["pagination"][cursor].as_str().expect("a cursor").to_owned();
        if at.is_empty() {
            return pages;
        }
    }
}

#[test]
fn answers_put_a_list_in_order_and_blanks_come_last() {
    let (owner, form) = filled();
    for (sort, expected) in [
        ("field_1", [2, 3, 4, 1, 5]),
        ("-field_1", [1, 4, 3, 2, 5]),
        ("field_2", [2, 1, 4, 3, 5]),
        ("-field_2", [3, 4, 1, 2, 5]),
        ("field_3", [2, 1, 4, 3, 5]),
        ("-field_3", [3, 4, 1, 2, 5]),
        ("field_4", [4, 2, 3, 1, 5]),
        ("field_5", [2, 4, 3, 1, 5]),
        ("-field_5", [1, 3, 4, 2, 5]),
        ("field_6", [3, 1, 4, 2, 5]),
        ("field_7", [2, 3, 4, 1, 5]),
        ("-field_9", [5, 4, 3, 2, 1]),
    ] {
        let list = owner.get(format!("{}?sort={sort}", form.entries())).is(200).json();
        assert_eq!(serials(&list), expected, "{sort}");
        assert_eq!(list["pagination"]["total"], json!(5));
        for size in [1, 2, 3] {
            let there = walk(&owner, &form, sort, size, "next_cursor", "");
            assert_eq!(there.concat(), expected, "{sort}, pages of {size}");
            let last = cursor_at(&owner, &form, sort, size, there.len() - 1);
            let mut back = walk(&owner, &form, sort, size, "previous_cursor", &last);
            back.reverse();
            assert_eq!(back, there, "{sort}, pages of {size} back");
        }
    }
    // Within a filter, and in the trash.
    let filters = json!([{"field": "field_1", "operator": "eq", "value": 9}]);
    let found = owner.post(form.query(), json!({"filters": filters, "sort": "-field_2"})).json();
    assert_eq!((serials(&found), &found["pagination"]["total"]), (vec![3, 4], &json!(2)));
    for serial in [1, 2, 5] {
        owner.delete(form.entry(serial)).is(200);
    }
    assert_eq!(serials(&owner.get(format!("{}?sort=field_1", form.trash())).json()), [2, 1, 5]);
    assert_eq!(serials(&owner.get(format!("{}?sort=-field_1", form.entries())).json()), [4, 3]);
}

/// The cursor of the page at this place.
fn cursor_at(owner: &Caller, form: &Form, sort: &str, size: i64, place: usize) -> String {
    (0..place).fold(String::new(), |cursor, _| {
        let page = owner.post(form.query(), json!({"sort": sort, "page_size": size, "cursor": cursor}));
        page.json()["pagination"]["next_cursor"].as_str().expect("a cursor").to_owned()
    })
}

#[test]
fn what_has_no_order_is_refused() {
    let (owner, form) = filled();
    let sorted = "(use field_1, field_2, field_3, field_4, field_5, field_6, field_7, field_9)";
    for (sort, said) in [
        ("field_8", format!("\"field_8\" can't be sorted by {sorted}")),
        ("-field_10", format!("\"field_10\" is not a field of this form {sorted}")),
        ("field_1.field_2", format!("\"field_1.field_2\" is not a field of this form {sorted}")),
    ] {
        for refused in
            [owner.get(format!("{}?sort={sort}", form.entries())), owner.post(form.query(), json!({"sort": sort}))]
        {
            let detail = refused.is(422).json()["error_details"][0].clone();
            assert_eq!((&detail["attribute"], &detail["message"]), (&json!("sort"), &json!(said)));
        }
    }
    // A cursor is one of its order.
    let cursor = cursor_at(&owner, &form, "field_1", 1, 1);
    owner.post(form.query(), json!({"sort": "-field_1", "page_size": 1, "cursor": cursor})).is(400);
}
