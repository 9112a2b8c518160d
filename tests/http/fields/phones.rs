//! Telephone numbers on pages, in files and letters: each is stored as it is dialled from abroad, and shown so
//! (contract section 13). Accepted values are tested in `kinds/numbers.rs`, equal numbers in `entries/unique.rs`.

use serde_json::{Value, json};
use support::field;
use support::world::World;

fn read(country: &str, code: &str, number: &str) -> Value {
    json!({"country_id": country, "country_code": code, "number": number})
}

fn asking(own: Value) -> World {
    World::with(json!([field("phone", own)])).settings(json!({"after_submission": {"show_answers": true}}))
}

#[test]
fn a_page_takes_a_number_as_people_write_it_and_shows_how_to_dial_it() {
    let w = asking(json!({"default_country": "DE"}));
    w.page().has([">Kosovo (+383)<"]);
    for (country, number, stored, shown) in [
        ("DE", "0151 23456789", read("DE", "49", "15123456789"), "+49 1512 3456789"),
        ("DE", "1701234567", read("DE", "49", "1701234567"), "+49 170 1234567"),
        ("IT", "06 1234 5678", read("IT", "39", "0612345678"), "+39 06 1234 5678"),
        ("US", "(202) 555-0123", read("US", "1", "2025550123"), "+1 202-555-0123"),
        // The country that was chosen, or is there by default, is not that of the number.
        ("DE", "+43 664 1234567", read("AT", "43", "6641234567"), "+43 664 1234567"),
        ("", "+383 43 123 456", read("XK", "383", "43123456"), "+383 43 123 456"),
        ("DE", "0041 44 668 18 00", read("CH", "41", "446681800"), "+41 44 668 18 00"),
    ] {
        let sent = w.post(&[("field_1.country_id", country), ("field_1.number", number)]).is_for(303, number);
        w.anon.get(sent.leads()).is(200).has([format!(">{shown}<")]);
        assert_eq!(w.newest()["field_1"], stored, "{number}");
    }
    for number in ["12", "110", "1234"] {
        let refused = w.post(&[("field_1.country_id", "DE"), ("field_1.number", number)]).is_for(422, number);
        refused.has(["Enter a valid phone number for Germany", &format!("value=\"{number}\"")]);
    }
}

#[test]
fn a_number_of_a_country_that_is_not_allowed_is_refused_by_its_name() {
    let w = asking(json!({"default_country": "DE", "allowed_countries": ["DE", "AT"]}));
    for number in ["+41 44 668 18 00", "0041 44 668 18 00"] {
        let refused = w.post(&[("field_1.country_id", "DE"), ("field_1.number", number)]).is_for(422, number);
        refused.has(["Phone numbers from Switzerland can’t be used here", &format!("value=\"{number}\"")]);
    }
    let fault = "is a phone number of Switzerland, which is not one of the allowed countries";
    let import = |rows: &str| {
        let file = format!("field_1.country_id,field_1.number\n{rows}\n");
        w.owner.send("POST", &format!("{}/entries/import", w.form.path()), Some("text/csv"), file.as_bytes())
    };
    assert_eq!(import(",+41 44 668 18 00").is(422).faults(), [format!("rows[0].field_1.number: {fault}")]);
    assert_eq!(import("DE,+41 44 668 18 00").is(422).faults(), [format!("rows[0].field_1.number: {fault}")]);
    import("DE,+43 664 1234567").is(201);
    assert_eq!(w.newest()["field_1"], read("AT", "43", "6641234567"));
    import(",0170 1234567").is(201);
    assert_eq!(w.newest()["field_1"], read("DE", "49", "1701234567"));
}

#[test]
fn cells_and_formulas_have_the_number_too() {
    let w = World::with(json!([
        field("table", json!({"dimensions": [field("phone", json!({"default_country": "DE"}))]})),
        field("phone", json!({})),
        field("formula", json!({"expression": "CONCAT(\"Call \", field_2)", "result_type": "text"})),
    ]));
    let german = |number: &str| json!({"country_id": "DE", "number": number});
    let values = json!({"field_1": [{"field_1": german("030 123456")}], "field_2": german("0151 23456789")});
    let made = w.owner.post(w.form.entries(), json!({ "field_values": values })).is(201).data();
    assert_eq!(made["field_1"][0]["field_1"], read("DE", "49", "30123456"));
    assert_eq!(made["field_3"], "Call +49 1512 3456789");
    let refused = json!({"field_values": {"field_1": [{"field_1": german("12")}]}});
    w.owner
        .post(w.form.entries(), refused)
        .refuses_with(&["field_values.field_1[0].field_1.number: is not a phone number of Germany"]);
}

#[test]
fn a_number_is_one_and_the_same_in_files_rules_links_and_exams() {
    let phone = field("phone", json!({"default_country": "DE", "unique": true}));
    let w = World::with(json!([
        phone,
        field("short_text", json!({})),
        field(
            "table",
            json!({"dimensions": [
                field("phone", json!({})),
            ]})
        )
    ]));
    let file = "field_1.number\n0170 1234567\n+49 170 1234567\n";
    let refused = w.owner.send("POST", &format!("{}/entries/import", w.form.path()), Some("text/csv"), file.as_bytes());
    assert_eq!(refused.is(422).faults(), ["rows[1].field_1: has already been taken"]);
    let german = |number: &str| json!({"country_id": "DE", "number": number});
    let condition = json!({"operand": "and", "items": [
        {"field": "field_1", "operator": "any_in", "value": ["+49 30 123456", "0170 1234567"]},
    ]});
    let rules = json!({"rules": [{"condition": condition, "action": "show", "fields": ["field_2"]}]});
    w.owner.put(w.form.part("field_rules"), rules).is(200);
    for (number, shown) in [("1701234567", json!("x")), ("030/123456", json!("x")), ("1711234567", Value::Null)] {
        let values = json!({"field_1": german(number), "field_2": "x", "field_3": [{"field_1": german(number)}]});
        let made = w.owner.post(w.form.entries(), json!({ "field_values": values })).is(201).data();
        assert_eq!(made["field_2"], shown, "{number}");
    }
    let linked = json!({"form_token": w.form.token, "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}]});
    let other = w.owner.form(json!([field("linked_form", linked)]));
    let token = w.owner.get(w.form.entry(2)).data()["token"].clone();
    w.owner.post(other.entries(), json!({"field_values": {"field_1": {"entry_token": token}}})).is(201);
    for (form, field) in [(&w.form, "field_1"), (&w.form, "field_3.field_1"), (&other, "field_1_associated_field_1")] {
        for number in ["30123456", "030 123456", "+49 30 123456"] {
            let filters = json!({"filters": [{"field": field, "operator": "eq", "value": number}]});
            let found = w.owner.post(form.query(), filters).is(200).json();
            assert_eq!(found["pagination"]["total"], 1, "{field} {number}: {found}");
        }
    }
    let exam = World::of(json!({"name": "Exam", "scene": "exam", "fields": [field("phone", json!({}))]}));
    let question = json!({"scored": true, "score": 2, "answer": german("030 123456")});
    let exam = exam.settings(json!({"exam": {"questions": {"field_1": question}}}));
    for (number, score) in [("30123456", 2), ("+49 30 123456", 2), ("30123457", 0)] {
        let sent = json!({"field_values": {"field_1": german(number)}});
        assert_eq!(exam.owner.post(exam.form.entries(), sent).is(201).data()["exam_score"], score, "{number}");
    }
}
