//! Answers of several parts: each error names its part and leads to its control; and full parts are reported with the
//! rest.

use super::*;

const ADDRESS: &str = "address_line1 city postal_code country";

fn address(own: Value) -> Value {
    let mut whole = json!({"label": "Address", "required_parts": ADDRESS.split(' ').collect::<Vec<_>>()});
    whole.as_object_mut().expect("keys").extend(own.as_object().expect("keys").clone());
    json!({ "address": whole })
}

/// Shirts in two sizes, and a mug.
fn shirts() -> Value {
    let size = json!({"api_code": "size", "name": "Size", "options": [
        {"api_code": "s", "name": "S"}, {"api_code": "m", "name": "M"},
    ]});
    json!({"product": {"label": "Order", "goods_items": [
        {"api_code": "shirt", "name": "Club T-shirt", "price": 12, "dimensions": [size]},
        {"api_code": "mug", "name": "Mug", "price": 8, "stock": 1},
    ]}})
}

#[test]
fn the_summary_names_each_part_and_leads_to_its_control() {
    let w = asking(json!([address(json!({"required": true})), shirts()]));
    let stamp = patient(&w.page());
    let inputs = "_page=0&field_1.address_line1=1 Main St&field_1.postal_code=1011&field_1.country=DE\
                  &field_2[0].api_code=shirt&field_2[0].number=2&field_2[1].api_code=mug&field_2[1].number=x";
    let refused = w.post(&[&typed(inputs)[..], &[("_time", &stamp)]].concat());
    refused.is(422).has([
        // Its control has this id.
        "href=\"#field_1.city\" data-to=\"field_1\" data-at=\".city\">Address, city or town",
        "id=\"field_1.city\"",
        "Address, postal code – <span class=\"told\">Enter a postal code of Germany, such as 10115",
        "href=\"#field_1.postal_code\"",
        // The first control of a question has the question's id.
        "href=\"#field_2\" data-to=\"field_2\" data-at=\"[0].specification.size\">Order, Club T-shirt, Size",
        "<span class=\"told\">Choose one",
        "href=\"#field_2[1].number\" data-to=\"field_2\" data-at=\"[1].number\">Order, Mug, quantity",
        "There’s a problem with 2 answers",
        // At the question and at the part itself.
        "City or town: Enter it",
        "id=\"field_1.city-fault\">Enter it",
    ]);
    // The script draws the same lines.
    let asked = w.anon.header("accept", "application/json");
    let body = format!("{inputs}&_time={stamp}&_action=check").replace('\n', "");
    let told = asked.send("POST", &w.form.page(), Some("application/x-www-form-urlencoded"), body.as_bytes()).json();
    let lines = told["faults"][0]["lines"].as_array().expect("lines");
    let city = json!({"at": ".city", "label": "Address, city or town", "text": "Enter it"});
    assert_eq!((lines.len(), &lines[0]), (2, &city), "{told}");
}

#[test]
fn rows_columns_and_statements_are_parts() {
    let named = |code: &str, label: &str| json!({"api_code": code, "label": label});
    let column = json!({"type": "email", "label": "Email", "required": true});
    let w = asking(json!([
        {"table": {"label": "Guests", "dimensions": [{"type": "short_text", "label": "Name"}, column]}},
        {"likert": {"label": "Views", "required": true, "statements": [named("food", "Food")],
            "choices": [named("good", "Good"), named("bad", "Bad")]}},
    ]));
    let stamp = patient(&w.page());
    let refused = w.post(&[("_page", "0"), ("_time", &stamp), ("field_1[0].field_1", "Ada")]);
    refused.is(422).has([
        "Guests, row 1, Email",
        "href=\"#field_1[0].field_2-fault\"",
        "id=\"field_1[0].field_2-fault\"",
    ]);
}

#[test]
fn parts_that_are_needed_once_an_address_is_begun_are_named_before() {
    let needs = "If you enter an address, it needs street and number, city or town and postal code.";
    asking(json!([address(json!({}))])).page().has([needs]);
    asking(json!([address(json!({"required": true}))])).page().lacks(["If you enter an address"]);
    asking(json!([{"address": {}}])).page().lacks(["If you enter an address"]);
}

#[test]
fn what_a_pattern_wants_is_said_before_it_is_refused() {
    let rules = json!({"label": "Part", "pattern": "[A-Z]{2}\\d+", "pattern_message": "two letters, then digits"});
    let said = "id=\"field_1-wanted\"><bdi>Two letters, then digits";
    let w = asking(json!([{ "short_text": rules }]));
    w.page().has([said, "aria-describedby=\"field_1-wanted\""]);
    let in_table = json!({"type": "short_text", "label": "Part", "pattern": "x", "pattern_message": "an x"});
    asking(json!([{"table": {"dimensions": [in_table]}}])).page().has(["<bdi>An x"]);
    // Not twice, where the owner says so already, and not without a pattern.
    let mut noted = rules.clone();
    noted["notes"] = json!("<p>Two letters, then digits.</p>");
    asking(json!([{ "short_text": noted }])).page().lacks(["field_1-wanted"]);
    asking(json!([{"short_text": {"pattern_message": "two letters"}}])).page().lacks(["field_1-wanted"]);
}

#[test]
fn what_is_full_is_said_with_the_other_errors() {
    let choices = json!([{"api_code": "a", "label": "A", "quota": 1}, {"api_code": "b", "label": "B"}]);
    let w = asking(json!([
        {"email": {"label": "Email", "required": true}}, {"radio": {"label": "Course", "choices": choices}}, shirts(),
    ]));
    let mug = json!([{"api_code": "mug", "number": 1}]);
    let taken = json!({"field_1": "a@example.org", "field_2": "a", "field_3": mug});
    submit(&w.anon, &w.form, taken.clone()).is(201);
    let faulty = json!({"field_1": "nobody", "field_2": "a", "field_3": mug});
    let refused = submit(&w.anon, &w.form, faulty.clone());
    let details = refused.is(422).json();
    let details = details["error_details"].as_array().expect("details").iter();
    let at: Vec<&str> = details.map(|detail| detail["attribute"].as_str().expect("text")).collect();
    assert_eq!(at, ["field_values.field_1", "field_values.field_2", "field_values.field_3[0].number"]);
    // Collaborators are not bound by quotas.
    let added = w.owner.post(w.form.entries(), json!({ "field_values": faulty }));
    added.is(422).has(["field_values.field_3[0].number"]).lacks(["field_values.field_2"]);
    // Nor is anybody refused the amounts that their entry has.
    let changed = w.owner.patch(w.form.entry(1), json!({ "field_values": faulty }));
    changed.is(422).has(["field_values.field_1"]).lacks(["field_values.field_3"]);
    // On the page, as it is sent and as its script asks.
    let stamp = patient(&w.page());
    let inputs = "_page=0&field_1=nobody&field_2=a&field_3[0].api_code=mug&field_3[0].number=1";
    let page = w.post(&[&typed(inputs)[..], &[("_time", &stamp)]].concat()).is(422).text.clone();
    for words in ["problem with 3 answers", "Course – ", "Order, Mug, quantity – "] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for action in ["check", "submit"] {
        let body = format!("{inputs}&_time={stamp}&_action={action}");
        let asked = w.anon.header("accept", "application/json");
        let kind = Some("application/x-www-form-urlencoded");
        let told = asked.send("POST", &w.form.page(), kind, body.as_bytes()).json();
        let faults = told["faults"].as_array().expect("faults").iter();
        let fields: Vec<&str> = faults.map(|fault| fault["field"].as_str().expect("text")).collect();
        assert_eq!(fields, ["field_1", "field_2", "field_3"], "{action}: {told}");
    }
    // Where they may wait, they are asked whether to once the rest is right.
    let w = w.settings(json!({"capacity": {"waiting_list": true}}));
    submit(&w.anon, &w.form, faulty).is(422).lacks(["field_values.field_2"]);
    submit(&w.anon, &w.form, taken).is(409).has(["field_values.field_2"]);
}
