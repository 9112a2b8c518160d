//! Many entries in one request: all or none (contract section 4).

use serde_json::{Value, json};
use support::{Caller, Form, Response, Server, at_once, field};

fn bulk(form: &Form) -> String {
    format!("{}/entries/bulk", form.path())
}

/// A body of these `field_values`.
fn body(values: &[Value]) -> Value {
    let entries: Vec<Value> = values.iter().map(|values| json!({"field_values": values})).collect();
    json!({ "entries": entries })
}

fn total(owner: &Caller, form: &Form) -> i64 {
    let page = owner.get(form.entries()).json();
    page["pagination"]["total"].as_i64().expect("a number")
}

fn send(caller: &Caller, form: &Form, body: &str) -> Response {
    let kind = Some("application/json");
    caller.send("POST", &bulk(form), kind, body.as_bytes())
}

#[test]
fn entries_are_added_in_their_order() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("number", json!({"default_value": 7})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
    ]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "first"}}));
    let values =
        [json!({"field_1": "a", "field_2": 1}), json!({"field_1": "b"}), json!({"field_1": "c", "field_9": "dropped"})];
    assert_eq!(
        owner.post(bulk(&form), body(&values)).to_string(),
        r#"201 {"data":{"created":3,"serial_numbers":[2,3,4]},"warnings":[{"attribute":"entries[2].field_values.field_9","message":"is not a known key"}]}"#
    );
    assert_eq!(total(&owner, &form), 4);
    assert_eq!(
        owner.get(form.entry(3)).to_string(),
        r#"200 {"data":{"serial_number":3,"token":"[token]","created_at":"[time]","updated_at":"[time]","info_filling_duration":null,"creator_name":"Ada Lovelace","field_1":"b","field_2":7,"field_3":14}}"#
    );
    let page = owner.get(form.entries()).json();
    let texts: Vec<&Value> = page["data"].as_array().expect("rows").iter().map(|row| &row["field_1"]).collect();
    assert_eq!(texts, ["c", "b", "a", "first"]);
    assert_eq!(owner.get(form.path()).data()["entries_count"], 4);
}

#[test]
fn the_faults_of_all_entries_are_told_and_none_is_stored() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("number", json!({"max": 5})),
        field("table", json!({"dimensions": [{"type": "number", "label": "n"}]})),
    ]));
    let entries = json!({"entries": [
        {"field_values": {"field_1": "fine"}},
        {"field_values": {"field_2": 9}},
        {"field_values": {"field_1": "x", "field_3": [{"field_1": 1}, {"field_1": "y"}]}},
        {},
        {"field_values": []},
        7,
    ]});
    assert_eq!(
        owner.post(bulk(&form), entries).faults(),
        [
            "entries[1].field_values.field_1: can't be blank",
            "entries[1].field_values.field_2: must be 5 or less",
            "entries[2].field_values.field_3[1].field_1: must be a number",
            "entries[3].field_values: is required",
            "entries[3].field_values.field_1: can't be blank",
            "entries[4].field_values: must be an object",
            "entries[5]: must be an object",
            "entries[5].field_values.field_1: can't be blank",
        ]
    );
    assert_eq!(total(&owner, &form), 0);
    // A refusal leaves no gap behind.
    let made = owner.post(bulk(&form), body(&[json!({"field_1": "x"})]));
    assert_eq!(made.data()["serial_numbers"], json!([1]));
}

#[test]
fn there_are_1_to_1000() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("number", json!({"unique": true}))]));
    for (odd, fault) in [
        (json!({}), "entries: is required"),
        (json!({"entries": null}), "entries: is required"),
        (json!({"entries": {}}), "entries: must be a list"),
        (json!({"entries": "x"}), "entries: must be a list"),
        (json!({"entries": []}), "entries: must have 1 to 1000 entries"),
        (json!([]), ": must be an object"),
    ] {
        let refused = owner.post(bulk(&form), odd.clone());
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]), "{odd}");
    }
    let numbers = |count: i64| -> Vec<Value> { (0..count).map(|n| json!({"field_1": n})).collect() };
    let refused = owner.post(bulk(&form), body(&numbers(1001)));
    assert_eq!(refused.faults(), ["entries: must have 1 to 1000 entries"]);
    assert_eq!(total(&owner, &form), 0);
    let made = owner.post(bulk(&form), body(&numbers(1000)));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(made.data()["created"], 1000);
    let serials: Vec<i64> = (1..=1000).collect();
    assert_eq!(made.data()["serial_numbers"], json!(serials));
    assert_eq!(total(&owner, &form), 1000);
    assert_eq!(owner.get(form.entry(1000)).data()["field_1"], 999);
    // The list of faults has an end.
    let all_taken = owner.post(bulk(&form), body(&numbers(1000)));
    assert_eq!((all_taken.status, all_taken.faults().len()), (422, 1000));
    // More of them are not told, but that there are more.
    let odd = json!({"field_values": {"field_1": "x", "field_2": "y"}});
    let two = owner.form(json!([field("number", json!({})), field("number", json!({}))]));
    let faults = owner.post(bulk(&two), json!({"entries": vec![odd; 1000]})).faults();
    assert_eq!(faults.len(), 1000);
    assert_eq!(faults[998], "entries[499].field_values.field_1: must be a number");
    assert_eq!(faults[999], "entries: more errors are not listed: correct these first");
    assert_eq!(all_taken.faults()[3], "entries[3].field_values.field_1: has already been taken");
    let wide: Vec<Value> = (0..4).map(|_| field("number", json!({}))).collect();
    let form = owner.form(json!(wide));
    let wrong = json!({"field_1": "x", "field_2": "x", "field_3": "x", "field_4": "x"});
    let refused = owner.post(bulk(&form), body(&vec![wrong; 900]));
    assert_eq!(refused.faults().len(), 1000);
}

#[test]
fn no_two_of_them_have_the_same_unique_value() {
    let owner = Server::shared().user();
    let form =
        owner.form(json!([field("short_text", json!({"unique": true})), field("email", json!({"unique": true})),]));
    owner.post(form.entries(), json!({"field_values": {"field_1": "Taken"}}));
    let values = [
        json!({"field_1": "one"}),
        json!({"field_1": "ONE", "field_2": "a@example.com"}),
        json!({"field_1": "taken", "field_2": "A@example.com"}),
        json!({}),
        json!({"field_1": null}),
    ];
    assert_eq!(
        owner.post(bulk(&form), body(&values)).faults(),
        [
            "entries[1].field_values.field_1: has already been taken",
            "entries[2].field_values.field_1: has already been taken",
            "entries[2].field_values.field_2: has already been taken",
        ]
    );
    assert_eq!(total(&owner, &form), 1);
    // Of requests at once that share a value, one is stored whole and the others not at all.
    let statuses = at_once(6, |n| {
        let values = [
            json!({"field_1": format!("of {n}")}),
            json!({"field_1": "shared"}),
            json!({"field_1": format!("also of {n}")}),
        ];
        owner.post(bulk(&form), body(&values)).status
    });
    let made = statuses.iter().filter(|status| **status == 201).count();
    assert_eq!(made, 1, "{statuses:?}");
    assert_eq!(total(&owner, &form), 4);
}

#[test]
fn sent_twice_it_is_stored_once() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let once = owner.header("Idempotency-Key", "many-1");
    let values = [json!({"field_1": "a"}), json!({"field_1": "b"})];
    let first = once.post(bulk(&form), body(&values));
    assert_eq!(first.status, 201);
    let again = once.post(bulk(&form), body(&values));
    assert_eq!((again.status, again.text), (201, first.text));
    assert_eq!(total(&owner, &form), 2);
    assert_eq!(
        once.post(bulk(&form), body(&values[..1])).to_string(),
        r#"409 {"error":"This Idempotency-Key was used for another request","code":"idempotency_conflict"}"#
    );
    // A refusal is not remembered.
    let once = owner.header("Idempotency-Key", "many-2");
    assert_eq!(once.post(bulk(&form), body(&[json!([])])).status, 422);
    assert_eq!(once.post(bulk(&form), body(&values)).status, 201);
    // Nor is a key of nobody's making taken.
    let odd = owner.header("Idempotency-Key", "a b");
    assert_eq!(odd.post(bulk(&form), body(&values)).status, 400);
    assert_eq!(total(&owner, &form), 4);
    let at_once = at_once(5, |_| {
        let once = owner.header("Idempotency-Key", "many-3");
        once.post(bulk(&form), body(&values)).text
    });
    assert!(at_once.iter().all(|text| *text == at_once[0]), "{at_once:?}");
    assert_eq!(total(&owner, &form), 6);
}

#[test]
fn rules_and_links_hold_as_for_one() {
    let owner = Server::shared().user();
    let people = owner.form(json!([field("name", json!({}))]));
    let tokens: Vec<String> = (0..3)
        .map(|n| {
            let values = json!({"field_values": {"field_1": format!("Person {n}")}});
            let made = owner.post(people.entries(), values).data();
            made["token"].as_str().expect("a token").to_owned()
        })
        .collect();
    owner.delete(people.entry(3));
    let link = json!({"form_token": people.token, "search_fields": ["field_1"], "display_fields": []});
    let form = owner.form(json!([
        field("number", json!({})),
        field("short_text", json!({"required": true})),
        field("linked_form", link),
    ]));
    let rule = json!({"rules": [{
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "gt", "value": 5}]},
        "action": "show",
        "fields": ["field_2"],
    }]});
    let path = format!("{}/field_rules", form.path());
    assert_eq!(owner.put(path, rule).status, 200);
    let values = [
        json!({"field_1": 1, "field_2": "hidden, so dropped", "field_3": tokens[0]}),
        json!({"field_1": 9, "field_2": "shown", "field_3": tokens[1]}),
    ];
    let made = owner.post(bulk(&form), body(&values));
    assert_eq!(made.status, 201, "{made}");
    let first = owner.get(form.entry(1)).data();
    assert_eq!(first["field_2"], json!(null));
    assert_eq!(first["field_3"]["associated_fields"]["field_1"], "Person 0");
    assert_eq!(owner.get(form.entry(2)).data()["field_2"], "shown");
    let values = [json!({"field_1": 9, "field_3": tokens[2]}), json!({"field_1": 1, "field_3": "x"})];
    assert_eq!(
        owner.post(bulk(&form), body(&values)).faults(),
        [
            "entries[0].field_values.field_2: can't be blank",
            "entries[0].field_values.field_3: is not an entry of the linked form",
            "entries[1].field_values.field_3: is not an entry of the linked form",
        ]
    );
}

#[test]
fn a_form_that_is_closed_takes_them_all_the_same() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let settings = json!({"availability": {"manually_closed": true, "entries_limit": 2}});
    let path = format!("{}/settings", form.path());
    assert_eq!(owner.patch(path, settings).status, 200);
    let values = vec![json!({"field_1": "x"}); 5];
    assert_eq!(owner.post(bulk(&form), body(&values)).status, 201);
    assert_eq!(total(&owner, &form), 5);
}

#[test]
fn bodies_that_are_no_json_and_those_that_are_too_long() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    for bad in [
        "",
        "{",
        r#"{"entries": [{"field_values": {"field_1": 1, "field_1": 2}}]}"#,
        r#"{"entries": [{"field_values": {}}], "entries": []}"#,
        r#"{"entries": [{"field_values": {"field_1": 1e999}}]}"#,
        r#"{"entries": [{"field_values": {}},]}"#,
    ] {
        let refused = send(&owner, &form, bad);
        assert_eq!(refused.status, 400, "{bad}: {refused}");
        let told = refused.json()["error"].as_str().expect("text").to_owned();
        assert!(told.starts_with("Request body is not valid JSON: "), "{told}");
    }
    // More than a single entry may hold, all in all.
    let long = "x".repeat(99_000);
    let values = vec![json!({"field_1": long}); 100];
    let made = owner.post(bulk(&form), body(&values));
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(owner.get(form.entry(100)).data()["field_1"], json!(long));
    // But none of them more than that.
    let values = [json!({"field_1": "x".repeat(1 << 20)}), json!({})];
    assert_eq!(owner.post(bulk(&form), body(&values)).faults(), ["entries[0]: is too large (at most 1048576 bytes)"]);
    let huge = "x".repeat(16 << 20);
    assert_eq!(send(&owner, &form, &huge[1..]).status, 400);
    let refused = send(&owner, &form, &format!("{huge}x"));
    assert_eq!(refused.status, 413, "{refused}");
    assert_eq!(total(&owner, &form), 100);
}

#[test]
fn who_may_not_come_sends_no_long_body() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let small = body(&[json!({})]);
    let reader = server.token(&owner.email, "entry:read");
    assert_eq!(reader.post(bulk(&form), small.clone()).status, 403);
    assert_eq!(server.anon().post(bulk(&form), small.clone()).status, 401);
    let unknown = r#"404 {"error":"Form not found"}"#;
    assert_eq!(server.user().post(bulk(&form), small.clone()).to_string(), unknown);
    let xml = owner.send("POST", &bulk(&form), Some("text/xml"), b"<x/>");
    assert_eq!(xml.status, 415, "{xml}");
    // The right is asked for before the body: one that never comes is refused all the same.
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\
         Connection: close\r\n\r\n",
        bulk(&form)
    );
    let answer = support::raw::exchange(&server.base, head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert_eq!(total(&owner, &form), 0);
}
