//! Lists of entries that are asked for: filters and keyword, in an address and in a body (contract section
//! 4), and pages of them while others write.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use support::steps::add;
use support::{Caller, Form, Response, Server, field, next_moment};

/// A user, and a form of a text and a number with these many entries, whose text says whether the number is
/// even.
fn filled(count: i64) -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({}))]));
    for n in 1..=count {
        let word = if n % 2 == 0 { "even" } else { "odd" };
        add(&owner, &form, json!({"field_1": format!("{word} {n}"), "field_2": n}));
    }
    (owner, form)
}

fn even() -> Value {
    json!([{"field": "field_1", "operator": "like", "value": "EVEN"}])
}

/// The address of a list with these pairs in its query.
fn address(form: &Form, pairs: &[(&str, &str)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("{}?{query}", form.entries())
}

fn serials(page: &Response) -> Vec<i64> {
    assert_eq!(page.status, 200, "{page}");
    let page = page.json();
    let rows = page["data"].as_array().expect("rows");
    let serial = |row: &Value| row["serial_number"].as_i64().expect("a number");
    rows.iter().map(serial).collect()
}

fn total(page: &Response) -> i64 {
    page.json()["pagination"]["total"].as_i64().expect("a total")
}

fn next(page: &Response) -> String {
    let page = page.json();
    let cursor = page["pagination"]["next_cursor"].as_str();
    cursor.expect("a string").to_owned()
}

fn previous(page: &Response) -> String {
    let page = page.json();
    let cursor = page["pagination"]["previous_cursor"].as_str();
    cursor.expect("a string").to_owned()
}

#[test]
fn pages_lead_both_ways() {
    let (owner, form) = filled(11);
    for serial in [4, 9] {
        owner.patch(form.entry(serial), json!({"field_values": {"field_2": 50 + serial}})).is(200);
    }
    let filters = even().to_string();
    for sort in ["serial_number", "-serial_number", "updated_at", "-updated_at"] {
        for filters in ["", &filters] {
            let read = |cursor: &str| {
                let pairs = [("sort", sort), ("filters", filters), ("page_size", "2"), ("cursor", cursor)];
                owner.get(address(&form, &pairs))
            };
            let mut there = vec![read("")];
            assert_eq!(previous(&there[0]), "", "the first page");
            while let Some(cursor) = there.last().map(next).filter(|cursor| !cursor.is_empty()) {
                there.push(read(&cursor));
            }
            let mut back = vec![read(&previous(&there[there.len() - 1]))];
            while let Some(cursor) = back.last().map(previous).filter(|cursor| !cursor.is_empty()) {
                back.push(read(&cursor));
            }
            let expected: Vec<_> = there.iter().rev().skip(1).map(serials).collect();
            let found: Vec<_> = back.iter().map(serials).collect();
            assert_eq!(found, expected, "{sort} {filters}");
            // From each page back there is a way on.
            let on: Vec<_> = back.iter().map(|page| serials(&read(&next(page)))).collect();
            let expected: Vec<_> = there.iter().skip(1).rev().map(serials).collect();
            assert_eq!(on, expected, "{sort} {filters}");
        }
    }
    // Other lists are read onwards alone.
    assert!(owner.get("/api/v1/forms").is(200).json()["pagination"].get("previous_cursor").is_none());
}

#[test]
fn a_page_whose_entries_are_gone_leads_on_and_back() {
    let (owner, form) = filled(6);
    let read = |cursor: &str| owner.get(address(&form, &[("page_size", "2"), ("cursor", cursor)]));
    let first = read("");
    let second = read(&next(&first));
    assert_eq!(serials(&second), [4, 3]);
    let (to_third, to_first) = (next(&second), previous(&second));
    for serial in [2, 1] {
        owner.delete(form.entry(serial)).is(200);
    }
    let gone = read(&to_third);
    assert_eq!((serials(&gone), next(&gone)), (vec![], String::new()));
    assert_eq!(serials(&read(&previous(&gone))), [4, 3]);
    for serial in [6, 5] {
        owner.delete(form.entry(serial)).is(200);
    }
    let gone = read(&to_first);
    assert_eq!((serials(&gone), previous(&gone)), (vec![], String::new()));
    assert_eq!(serials(&read(&next(&gone))), [4, 3]);
}

#[test]
fn an_address_and_a_body_ask_for_the_same() {
    let (owner, form) = filled(9);
    let filters = even().to_string();
    let page = owner.get(address(&form, &[("filters", &filters), ("page_size", "3")]));
    assert_eq!((serials(&page), total(&page)), (vec![8, 6, 4], 4));
    let body = owner.post(form.query(), json!({"filters": even(), "page_size": 3}));
    assert_eq!((serials(&body), total(&body)), (vec![8, 6, 4], 4));
    assert_eq!(page.json()["data"], body.json()["data"]);
    let rest = owner.get(address(&form, &[("filters", &filters), ("page_size", "3"), ("cursor", &next(&page))]));
    assert_eq!((serials(&rest), total(&rest), next(&rest)), (vec![2], 4, String::new()));
    let mut asked = json!({"filters": even(), "page_size": 3, "cursor": next(&body)});
    let rest = owner.post(form.query(), asked.clone());
    assert_eq!((serials(&rest), total(&rest), next(&rest)), (vec![2], 4, String::new()));
    // The size may change on the way, and nulls are nothing.
    asked["page_size"] = json!(50);
    asked["keyword"] = Value::Null;
    assert_eq!(serials(&owner.post(form.query(), asked)), [2]);
    // Nothing asked for is everything.
    for nothing in [json!({}), json!({"filters": [], "keyword": "", "fields": null})] {
        let all = owner.post(form.query(), nothing);
        assert_eq!((serials(&all).len(), total(&all)), (9, 9));
    }
    for nothing in ["filters=", "filters=null", "filters=[]", "keyword="] {
        let all = owner.get(format!("{}?{nothing}", form.entries()));
        assert_eq!((serials(&all).len(), total(&all)), (9, 9), "{nothing}");
    }
}

#[test]
fn a_bodys_cursor_is_good_for_that_question_alone() {
    let (owner, form) = filled(5);
    let other = owner.form(json!([field("short_text", json!({})), field("number", json!({}))]));
    let asked = json!({
        "filters": [{"field": "field_2", "operator": "gt", "value": 1}], "keyword": "d", "sort": "created_at",
        "fields": ["field_1"], "page_size": 1,
    });
    let first = owner.post(form.query(), asked.clone());
    assert_eq!(serials(&first), [3]);
    let cursor = next(&first);
    let with = |key: &str, value: Value| {
        let mut asked = asked.clone();
        asked["cursor"] = json!(cursor);
        asked[key] = value;
        asked
    };
    let refused = r#"400 {"error":"cursor is not valid for this list"}"#;
    for changed in [
        with("filters", json!([{"field": "field_2", "operator": "gt", "value": 2}])),
        with("filters", Value::Null),
        with("keyword", json!("D")),
        with("keyword", Value::Null),
        with("sort", json!("-created_at")),
        with("sort", Value::Null),
        with("cursor", json!(format!("{cursor}x"))),
        with("cursor", json!("x")),
    ] {
        assert_eq!(owner.post(form.query(), changed.clone()).to_string(), refused, "{changed}");
    }
    assert_eq!(owner.post(other.query(), with("page_size", json!(1))).to_string(), refused);
    let plain = format!("{}?cursor={cursor}", form.entries());
    assert_eq!(owner.get(plain).to_string(), refused);
    // The order of keys makes no other question.
    let turned = json!({
        "cursor": cursor, "page_size": 1, "fields": ["field_1"], "sort": "created_at", "keyword": "d",
        "filters": [{"value": 1, "operator": "gt", "field": "field_2"}],
    });
    assert_eq!(serials(&owner.post(form.query(), turned)), [5]);
    // Nor is a cursor of an address good for other filters.
    let (even, odd) = (r#"[{"field":"field_1","operator":"like","value":"even"}]"#, "[]");
    let first = owner.get(address(&form, &[("filters", even), ("page_size", "1")]));
    for pairs in [
        vec![("filters", odd), ("cursor", &next(&first))],
        vec![("cursor", &next(&first))],
        vec![("filters", even), ("keyword", "e"), ("cursor", &next(&first))],
    ] {
        assert_eq!(owner.get(address(&form, &pairs)).to_string(), refused);
    }
}

#[test]
fn what_cannot_be_asked_is_refused_with_all_its_faults() {
    let (owner, form) = filled(1);
    for (body, expected) in [
        (json!([]), vec![""]),
        (
            json!({
                "filters": {}, "keyword": 5, "sort": 5, "fields": 5, "page_size": "1", "cursor": 5,
            }),
            vec!["keyword", "sort", "fields", "page_size", "cursor", "filters"],
        ),
        (json!({"fields": ["field_1", 5, null]}), vec!["fields[1]", "fields[2]"]),
        (
            json!({"fields": ["field_9"], "keyword": "x".repeat(201), "filters": [
                1,
                {"field": "field_2", "operator": "like", "value": "x"},
                {"field": "field_9", "operator": "eq", "value": "x"},
                {"field": "field_2", "operator": "eq", "value": "x"},
                {"field": 5},
                {"operator": "eq"},
                {"field": "field_1"},
            ]}),
            vec![
                "fields",
                "filters[0]",
                "filters[1].operator",
                "filters[2].field",
                "filters[3].value",
                "filters[4].field",
                "filters[4].operator",
                "filters[5].field",
                "filters[6].operator",
                "keyword",
            ],
        ),
    ] {
        let refused = owner.post(form.query(), body.clone());
        assert_eq!(
            (refused.status, refused.attributes()),
            (422, expected.iter().map(|s| (*s).to_owned()).collect()),
            "{body}"
        );
    }
    for (body, message) in [
        (json!({"page_size": 0}), "page_size must be 1 to 100"),
        (json!({"page_size": 101}), "page_size must be 1 to 100"),
        (json!({"page_size": -1}), "page_size must be 1 to 100"),
        (
            json!({"sort": "name"}),
            "sort must be one of serial_number, created_at, updated_at or a question such as field_3, each with - for descending",
        ),
    ] {
        let refused = owner.post(form.query(), body.clone());
        assert_eq!((refused.status, &refused.json()["error"]), (400, &json!(message)), "{body}");
    }
    for filters in ["{", "x", "[1", "[{\"a\":1,\"a\":2}]", "[\"\\ud800\"]", "[1e999]"] {
        let refused = owner.get(address(&form, &[("filters", filters)]));
        assert_eq!(refused.status, 400, "{filters}: {refused}");
        let message = refused.json()["error"].as_str().expect("text").to_owned();
        assert!(message.starts_with("filters is not valid JSON: "), "{message}");
    }
    for (filters, attribute) in [
        ("{}", "filters"),
        ("5", "filters"),
        ("\"x\"", "filters"),
        ("[null]", "filters[0]"),
        ("[[]]", "filters[0]"),
        ("[{}]", "filters[0].field"),
    ] {
        let refused = owner.get(address(&form, &[("filters", filters)]));
        assert_eq!(refused.status, 422, "{filters}: {refused}");
        assert_eq!(refused.attributes().first().map(String::as_str), Some(attribute));
    }
    for (keyword, message) in [
        ("x".repeat(201), "keyword: is too long (at most 200 characters)"),
        ("\0".to_owned(), "keyword: must not contain NUL characters"),
    ] {
        let refused = owner.get(address(&form, &[("keyword", &keyword)]));
        assert_eq!((refused.status, refused.faults()), (422, vec![message.to_owned()]));
    }
    // So many conditions and values, and not one more (S49).
    let is = |n: usize| vec![json!({"field": "field_2", "operator": "any_in", "value": vec![1; n]})];
    for (filters, status) in [
        (json!(is(1000)), 200),
        (json!(is(1001)), 422),
        (json!(vec![is(1)[0].clone(); 100]), 200),
        (json!(vec![is(1)[0].clone(); 101]), 422),
    ] {
        let asked = owner.post(form.query(), json!({ "filters": filters }));
        assert_eq!(asked.status, status, "{asked}");
    }
    assert_eq!(owner.get(address(&form, &[("keyword", &"é".repeat(200))])).status, 200);
}

#[test]
fn others_find_out_nothing() {
    let (_, form) = filled(1);
    let stranger = Server::shared().user();
    let bad = json!({"filters": [{"field": "field_9", "operator": "eq", "value": "x"}]});
    for body in [json!({}), json!({"filters": even()}), bad] {
        let refused = stranger.post(form.query(), body);
        assert_eq!(refused.to_string(), r#"404 {"error":"Form not found"}"#);
    }
    let asked = address(&form, &[("filters", "[1]")]);
    assert_eq!(stranger.get(asked).to_string(), r#"404 {"error":"Form not found"}"#);
}

#[test]
fn every_sort_of_a_filter_turns_round() {
    let (owner, form) = filled(12);
    // Edits move an entry in the order of changes alone.
    for serial in [4, 10, 3, 8] {
        next_moment();
        let changed = json!({"field_values": {"field_2": 100 + serial}});
        assert_eq!(owner.patch(form.entry(serial), changed).status, 200);
    }
    let by_change = [2, 6, 12, 4, 10, 8];
    let turned = |list: &[i64]| -> Vec<i64> { list.iter().rev().copied().collect() };
    for (sort, expected) in [
        ("serial_number", vec![2, 4, 6, 8, 10, 12]),
        ("-serial_number", vec![12, 10, 8, 6, 4, 2]),
        ("created_at", vec![2, 4, 6, 8, 10, 12]),
        ("-created_at", vec![12, 10, 8, 6, 4, 2]),
        ("updated_at", by_change.to_vec()),
        ("-updated_at", turned(&by_change)),
    ] {
        for size in [1, 2, 3, 5, 6, 7] {
            let (mut all, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = owner
                    .post(form.query(), json!({"filters": even(), "sort": sort, "page_size": size, "cursor": cursor}));
                all.extend(serials(&page));
                assert_eq!(total(&page), 6);
                cursor = next(&page);
                if cursor.is_empty() {
                    break;
                }
            }
            assert_eq!(all, expected, "{sort} {size}");
        }
    }
}

#[test]
fn only_the_named_fields_are_shown() {
    let (owner, form) = filled(2);
    let row = |page: Response| page.json()["data"][0].clone();
    for (fields, shown) in [
        (json!(["field_2"]), vec!["field_2"]),
        (json!("field_2, field_1"), vec!["field_1", "field_2"]),
        (json!(["field_1", "field_1"]), vec!["field_1"]),
    ] {
        let row = row(owner.post(form.query(), json!({"filters": even(), "fields": fields})));
        let keys: Vec<&str> = row.as_object().expect("a row").keys().map(String::as_str).collect();
        let expected = ["serial_number", "token", "created_at", "updated_at"].into_iter();
        assert_eq!(keys, expected.chain(shown).collect::<Vec<_>>());
    }
    // Properties of the entry may be named as well: four keys come anyway, the others on request.
    for (fields, shown) in [
        ("serial_number,token,created_at,updated_at", vec![]),
        ("created_at,field_2", vec!["field_2"]),
        ("creator_name,field_1", vec!["creator_name", "field_1"]),
        ("info_filling_duration", vec!["info_filling_duration"]),
    ] {
        let row = row(owner.get(address(&form, &[("fields", fields)])));
        let row = row.as_object().expect("a row");
        let keys: Vec<&str> = row.keys().skip(4).map(String::as_str).collect();
        assert_eq!(keys, shown, "{fields}");
    }
}

#[test]
fn a_cursor_goes_on_however_the_same_is_asked() {
    let (owner, form) = filled(9);
    let filters = r#"[{"field":"field_2","operator":"gt","value":1}]"#;
    let first = owner.get(address(&form, &[("filters", filters), ("page_size", "2")]));
    assert_eq!(serials(&first), [9, 8]);
    let cursor = next(&first);
    let spread = r#" [ { "operator": "gt", "value": 1, "field": "field_2" } ] "#;
    for pairs in [
        vec![("filters", spread)],
        vec![("filters", filters), ("sort", "-serial_number")],
        vec![("filters", filters), ("keyword", ""), ("_", "1700000000")],
    ] {
        let paging = [("page_size", "2"), ("cursor", cursor.as_str())];
        let pairs: Vec<_> = pairs.into_iter().chain(paging).collect();
        assert_eq!(serials(&owner.get(address(&form, &pairs))), [7, 6]);
    }
    let asked = json!({"filters": even(), "page_size": 2});
    let cursor = next(&owner.post(form.query(), asked));
    let asked = json!({
        "filters": even(), "page_size": 2, "cursor": cursor, "sort": "-serial_number", "unknown": 5,
    });
    assert_eq!(serials(&owner.post(form.query(), asked)), [4, 2]);
}

#[test]
fn no_match_is_skipped_or_repeated_while_entries_come_go_and_change() {
    let (owner, form) = filled(60);
    for sort in ["serial_number", "-serial_number", "updated_at", "-updated_at"] {
        let stop = AtomicBool::new(false);
        // 3 and 33 come and go; the others stay as they are.
        let stays: BTreeSet<i64> = (1..=60).filter(|n| n % 2 == 0).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut n = 1000;
                while !stop.load(Ordering::Relaxed) {
                    add(&owner, &form, json!({"field_1": format!("even {n}"), "field_2": n}));
                    n += 1;
                    let newest = owner.get(format!("{}?page_size=1", form.entries()));
                    for serial in serials(&newest) {
                        assert_eq!(owner.delete(form.entry(serial)).status, 200);
                    }
                }
            });
            for size in [1, 7] {
                let (mut all, mut cursor) = (Vec::new(), String::new());
                loop {
                    let page = owner.post(
                        form.query(),
                        json!({"filters": even(), "sort": sort, "page_size": size, "cursor": cursor}),
                    );
                    let found = serials(&page);
                    assert!(found.len() <= size);
                    all.extend(found);
                    cursor = next(&page);
                    if cursor.is_empty() {
                        break;
                    }
                }
                let once: BTreeSet<i64> = all.iter().copied().collect();
                assert_eq!(once.len(), all.len(), "{sort}: none twice");
                assert!(once.is_superset(&stays), "{sort}: none is skipped");
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn a_search_ends_when_its_client_goes() {
    // On its own server: others' searches would be queued too.
    let server = Server::alone("what it takes is measured");
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let text = "Ä lorem ipsum ".repeat(300);
    let entries = vec![json!({"field_values": {"field_1": text}}); 200];
    let made = owner.post(format!("{}/bulk", form.entries()), json!({ "entries": entries }));
    assert_eq!(made.status, 201, "{made}");
    let condition = |n: usize| json!({"field": "field_1", "operator": "not_like", "value": format!("zz{n}")});
    let slow = json!({"filters": (0..100).map(condition).collect::<Value>()});
    let search = || {
        let page = owner.post(form.query(), slow.clone());
        assert_eq!((page.status, total(&page)), (200, 200), "{page}");
    };
    let before = server.processor_time();
    search();
    let alone = server.processor_time() - before;
    let body = slow.to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        form.query(),
        owner.token.as_deref().expect("a token"),
        body.len()
    );
    let address = server.base.trim_start_matches("http://");
    let clients: Vec<TcpStream> = (0..16)
        .map(|_| {
            let mut client = TcpStream::connect(address).expect("connects");
            client.write_all(request.as_bytes()).expect("sends");
            client
        })
        .collect();
    // Plain reads don't wait for them, be they long.
    assert_eq!(owner.get(form.entry(1)).status, 200);
    drop(clients);
    // All of them would cost seventeen times as much.
    search();
    let all = server.processor_time() - before - alone;
    assert!(all < alone * 8, "{all:?} after {alone:?}");
}
