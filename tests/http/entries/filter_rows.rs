//! The rows of controls that narrow a list: their options, and the resulting conditions, which mean the same as those of
//! the API, for whoever opens their address.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::steps::bulk;
use support::{Server, field, sharing};

use crate::entries::filters::refusals::filterable;

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

/// The conditions in an address.
fn filters_in(address: &str) -> Value {
    let query = address.split_once('?').expect("conditions").1.as_bytes();
    let text = url::form_urlencoded::parse(query).find(|(key, _)| key == "filters").expect("conditions").1;
    serde_json::from_str(&text).expect("JSON")
}

/// The controls of an address as they are filled in for an operator and for another one before, and the value.
fn filled_in(operator: &str) -> (Vec<(&'static str, &'static str)>, Value) {
    let mut pairs = vec![("f[0].value", "shang"), ("f[0].value[0].city", "Shanghai"), ("f[0].value[0].country", "")];
    if ["any_in", "none_in"].contains(&operator) {
        pairs.extend([("f[0].value[1].city", "Jena"), ("f[0].value[1].country", "DE")]);
    }
    let value = match operator {
        "null" | "not_null" => Value::Null,
        "like" => json!("shang"),
        "any_in" | "none_in" => json!([{"city": "Shanghai"}, {"city": "Jena", "country": "DE"}]),
        _ => json!({"city": "Shanghai"}),
    };
    (pairs, value)
}

/// The numbers of the rows of a page, and the words above them.
fn shown(session: &Session, address: &str) -> (Vec<i64>, String) {
    let page = session.get(address).is(200);
    let rows = page.text.split("scope=\"row\"").skip(1);
    let number = |row: &str| row.split_once("</a>")?.0.rsplit('>').next()?.parse().ok();
    let title = page.text.split("<h2 id=\"entries\">").nth(1).and_then(|rest| rest.split('<').next());
    (rows.map(|row| number(row).expect("a number")).collect(), title.expect("a heading").to_owned())
}

#[test]
fn each_operator_of_each_question_means_the_same_in_the_rows_and_in_the_api() {
    let server = Server::alone("its accounts sign in with a password");
    for email in ["ann@example.org", "bob@example.org"] {
        account(&server, email);
    }
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let kinds = filterable();
    let fields: Vec<Value> = kinds.iter().map(|(kind, own, ..)| field(kind, own.clone())).collect();
    let form = owner.form(json!(fields));
    sharing::share(&owner, &form, &server.token("bob@example.org", "form:read"), "viewer");
    let codes: Vec<String> = (1..=kinds.len()).map(|n| format!("field_{n}")).collect();
    // An entry with the value that is asked for wherever it can be written so, one with others, and an empty one.
    let mut first = json!({});
    for ((kind, _, _, value), code) in kinds.iter().zip(&codes) {
        first[code] = match *kind {
            "email" => json!("x@example.org"),
            "url" => json!("https://example.org/x"),
            "phone" => json!({"country_id": "CN", "number": "13800138000"}),
            "time" => json!({"hour": 10, "minute": 30}),
            "checkbox" | "image_checkbox" => json!([value]),
            "cascade" => json!({"level_1": "cn", "level_2": "sh"}),
            "product" => json!([{"api_code": "cake", "number": 1}]),
            "booking" | "attachment" | "signature" | "formula" => continue,
            _ => value.clone(),
        };
    }
    let second = json!({"field_1": "a", "field_7": 7, "field_8": "2026-11-21", "field_10": "coffee", "field_12": ["tea", "milk"]});
    bulk(&owner, &form, &[first, second, json!({})]);
    let [ann, bob] = ["ann@example.org", "bob@example.org"].map(|email| Session::on(&server).signed_in(email));
    let list = format!("/forms/{}/entries", form.token);
    let page = ann.get(&list).is(200);
    let offered = page.text.split("id=\"add\"").nth(1).and_then(|rest| rest.split("</select>").next()).expect("a list");
    let names = offered.split("value=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(codes.iter().all(|code| names.contains(&code.as_str())), "{names:?}");
    let mut narrowed = 0;
    for name in names {
        let told = ann.get(&format!("{list}/condition?field={name}")).is(200).data();
        let texts = |member: &str| -> Vec<String> {
            let all = told[member].as_array().into_iter().flatten();
            all.filter_map(|one| one["value"].as_str().map(str::to_owned)).collect()
        };
        let (choices, operators) = (texts("choices"), texts("operators"));
        let has_parts = told["parts"].as_array().is_some_and(|parts| !parts.is_empty());
        // The API names all that there are.
        let refused = owner.post(form.query(), json!({"filters": [{"field": name, "operator": "nonsense"}]}));
        let allowed = refused.faults()[0].split("must be one of ").nth(1).expect("operators").to_owned();
        let missing: Vec<&str> =
            allowed.split(", ").filter(|known| !operators.iter().any(|own| own == known)).collect();
        let kind = codes.iter().position(|code| code == name).map(|at| &kinds[at]);
        // What is chosen from a list is not typed in part.
        let is_picked = !choices.is_empty() || told["input"] == "date";
        assert_eq!(has_parts, kind.is_some_and(|(kind, ..)| *kind == "address"), "{name}");
        let is_part = |operator: &&str| ["like", "not_like"].contains(operator);
        assert!(missing.iter().all(|operator| is_picked && is_part(operator)), "{name}: {missing:?}");
        assert!(operators.iter().all(|own| allowed.split(", ").any(|known| own == known)), "{name}: {operators:?}");
        let typed = match kind.map(|(.., value)| value) {
            _ if told["input"] == "date" => "2026-11-20".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            _ => "1".to_owned(),
        };
        for operator in &operators {
            // Items are no more and no less than others: beside them a day is.
            let is_day = told["input"] == "date"
                && ["gt", "gte", "lt", "lte", "between", "not_between"].contains(&operator.as_str());
            let value = choices.first().filter(|_| !is_day).unwrap_or(&typed);
            let mut sent = url::form_urlencoded::Serializer::new(String::new());
            sent.append_pair("f[0].was", name).append_pair("f[0].field", name).append_pair("f[0].operator", operator);
            let count = match operator.as_str() {
                "null" | "not_null" => 0,
                "between" | "not_between" => 2,
                _ => 1,
            };
            let (parts, parted) = filled_in(operator);
            if has_parts {
                sent.extend_pairs(parts);
            }
            for _ in 0..if has_parts { 0 } else { count } {
                sent.append_pair("f[0].value", value);
            }
            let led = ann.get(&format!("{list}?{}", sent.finish())).leads();
            let filters = filters_in(&led);
            assert_eq!((&filters[0]["field"], &filters[0]["operator"]), (&json!(name), &json!(operator)));
            assert!(!has_parts || filters[0]["value"] == parted, "{filters}");
            let found = owner.post(form.query(), json!({"filters": filters})).is(200).json();
            let rows = found["data"].as_array().expect("rows").iter();
            let expected: Vec<i64> = rows.filter_map(|row| row["serial_number"].as_i64()).collect();
            let total = &found["pagination"]["total"];
            narrowed += usize::from(![0, 3].contains(&expected.len()));
            for (who, session) in [("ann", &ann), ("bob", &bob)] {
                let (rows, title) = shown(session, &led);
                assert_eq!(rows, expected, "{who}: {filters}");
                assert!(title.starts_with(&format!("{total} of 3 ")), "{who}: {filters}: {title}");
            }
            // The row stands as it was chosen.
            let page = ann.get(&led).is(200);
            page.has([format!("name=\"f[0].was\" value=\"{name}\""), format!("value=\"{operator}\" selected")]);
            page.lacks(["f[0].other"]);
            if parted.is_object() && has_parts {
                page.has(["name=\"f[0].value[0].city\" value=\"Shanghai\""]);
                ann.get(&led.replace("/entries?", "/report?")).is(200).has([" City or town: Shanghai"]);
            }
        }
    }
    assert!(narrowed > 60, "{narrowed}");
    let address = kinds.iter().position(|(kind, ..)| *kind == "address").map(|at| &codes[at]).expect("an address");
    // The parts are there without a script, and one must be given.
    ann.get(&format!("{list}?add={address}")).is(200).has(["name=\"f[0].value[0].city\""]);
    let bare = ann.get(&format!("{list}?f[0].field={address}&f[0].operator=eq")).leads();
    ann.get(&bare).is(422).has(["name=\"f[0].value[0].city\"", "Say what it is compared with"]);
    // What has other parts is kept as it is.
    let odd = json!([{"field": address, "operator": "eq", "value": {"city": "Shanghai", "town": "x"}}]);
    let odd: String = url::form_urlencoded::byte_serialize(odd.to_string().as_bytes()).collect();
    ann.get(&format!("{list}?filters={odd}")).is(200).has(["f[0].other"]);
}
