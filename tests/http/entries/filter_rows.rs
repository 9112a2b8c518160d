//! The rows of controls that narrow a list: their options, and the resulting conditions.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::steps::bulk;
use support::{Server, field};

#[test]
fn numbers_times_and_columns_of_tables_narrow_the_list() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let named = |labels: &[&str]| -> Value {
        labels.iter().map(|label| json!({"api_code": label.to_lowercase(), "label": label})).collect()
    };
    let columns = json!([
        field("radio", json!({"label": "Taste", "choices": named(&["Good", "Bad"])})),
        field("number", json!({"label": "How many"})),
    ]);
    let form = owner.form(json!([
        field("matrix", json!({"label": "Meals", "statements": named(&["Lunch", "Dinner"]), "dimensions": columns})),
        field("table", json!({"label": "Guests", "dimensions": columns})),
        field("time", json!({"label": "Arrival"})),
        field("ranking", json!({"label": "Order", "choices": named(&["One", "Two"])})),
    ]));
    let time = |hour: u32| json!({"hour": hour, "minute": 30});
    bulk(
        &owner,
        &form,
        &[
            json!({"field_1": {"lunch": {"field_1": "good", "field_2": 3}}, "field_3": time(9)}),
            json!({"field_1": {"dinner": {"field_1": "bad", "field_2": 5}}, "field_3": time(10)}),
            json!({"field_2": [{"field_1": "good", "field_2": 1}, {"field_1": "bad", "field_2": 7}]}),
        ],
    );
    let browser = Session::on(&server).signed_in("ann@example.org");
    let list = format!("/forms/{}/entries", form.token);
    let page = browser.get(&list).is(200);
    page.has([
        "Meals: Taste",
        "Meals: How many",
        "Guests: Taste",
        "value=\"field_1.field_2\"",
        "value=\"serial_number\"",
    ]);
    // A ranking can't be compared.
    let offered = page.text.split("id=\"add\"").nth(1).and_then(|rest| rest.split("</select>").next()).expect("a list");
    assert!(!offered.contains("field_4"), "{offered}");
    for (name, operator, value, found) in [
        ("field_1.field_1", "eq", "good", 1),
        ("field_1.field_2", "gte", "4", 2),
        ("field_2.field_1", "eq", "bad", 3),
        ("field_2.field_2", "between", "6", 3),
        ("field_3", "eq", "10:30", 2),
        ("serial_number", "eq", "1", 1),
    ] {
        // The row of the condition names its field.
        let begun = browser.get(&format!("{list}?add={name}")).is(200);
        begun.has([format!("name=\"f[0].was\" value=\"{name}\"")]);
        let mut sent = url::form_urlencoded::Serializer::new(String::new());
        sent.append_pair("f[0].field", name).append_pair("f[0].operator", operator).append_pair("f[0].value", value);
        if operator == "between" {
            sent.append_pair("f[0].value", "8");
        }
        let led = browser.get(&format!("{list}?{}", sent.finish())).leads();
        browser.get(&led).is(200).has(["1 of 3 entries match"]).lacks(["f[0].other"]);
        // The API finds the same one by the conditions in the address.
        let query = led.split_once('?').expect("conditions").1.as_bytes();
        let filters = url::form_urlencoded::parse(query).find(|(key, _)| key == "filters").expect("conditions").1;
        let filters: Value = serde_json::from_str(&filters).expect("JSON");
        let rows = owner.post(form.query(), json!({"filters": filters})).is(200).data();
        assert_eq!((rows[0]["serial_number"].as_u64(), rows[1].as_object()), (Some(found), None), "{name}");
        // The report has the same condition, in words.
        let report = browser.get(&led.replace("/entries?", "/report?")).is(200);
        report.has(["1 of 3 entries", "Only entries where:"]);
    }
}
