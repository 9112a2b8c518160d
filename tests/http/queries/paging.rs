//! Results by pages: newest first, with a total; cursors that work for their search alone (contract section 8).

use std::collections::{BTreeSet, VecDeque};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::steps::bulk;
use support::{Response, Server};

use crate::queries::{Query, all_of, any_of, condition, fill, links, people, set_values, shown, simple};

fn ask(query: &Query, name: &str, size: usize, cursor: &str) -> Response {
    query.ask(json!({"values": {"field_1": name}, "page_size": size, "cursor": cursor}))
}

fn next(page: &Response) -> String {
    let cursor = page.json()["pagination"]["next_cursor"].clone();
    cursor.as_str().expect("a string").to_owned()
}

fn serials(page: &Response) -> Vec<i64> {
    assert_eq!(page.status, 200, "{page}");
    support::steps::serials(&page.json())
}

#[test]
fn results_come_newest_first_by_pages() {
    let (owner, form) = people(Server::shared());
    let names: Vec<Value> = (1..=25)
        .map(|n| json!({"field_1": if n % 5 == 0 { "Bea" } else { "Ada" }, "field_2": format!("t{n}")}))
        .collect();
    bulk(&owner, &form, &names);
    // The order is that of serial numbers, whatever was changed later.
    set_values(&owner, &form, 1, json!({"field_2": "later"}));
    let query = simple(&owner, &form);
    let expected: Vec<i64> = (1..=25).rev().filter(|n| n % 5 != 0).collect();
    for size in [1, 3, 7, 20, 100] {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = ask(&query, "Ada", size, &cursor);
            let rows = serials(&page);
            assert_eq!(page.json()["pagination"]["total"], 20, "{page}");
            assert!(rows.len() <= size);
            all.extend(rows);
            cursor = next(&page);
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(all, expected, "by {size}");
    }
    let first = query.ask(json!({"values": {"field_1": "Ada"}}));
    assert_eq!(serials(&first), expected[..10], "10 by default");
    // Rows that come and go in between are neither repeated nor the cause of a gap.
    let cursor = next(&first);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    for gone in [expected[9], expected[11]] {
        owner.delete(form.entry(gone)).is(200);
    }
    let second = ask(&query, "Ada", 3, &cursor);
    assert_eq!(serials(&second), [expected[10], expected[12], expected[13]]);
    assert_eq!(second.json()["pagination"]["total"], 19);
}

#[test]
fn the_total_counts_what_may_be_seen() {
    let (owner, form) = people(Server::shared());
    let entries: Vec<Value> = (1..=30).map(|n| json!({"field_1": "Ada", "field_3": n})).collect();
    bulk(&owner, &form, &entries);
    let query = Query::with(
        &owner,
        &form,
        all_of(&["field_1"]),
        shown(&["serial_number"]),
        json!({"scope_conditions": [condition("field_3", "gt", json!(12))]}),
    );
    for serial in [1, 2, 20, 21, 22] {
        owner.delete(form.entry(serial)).is(200);
    }
    let page = ask(&query, "Ada", 10, "");
    assert_eq!(page.json()["pagination"]["total"], 15, "{page}");
    assert_eq!(serials(&page), [30, 29, 28, 27, 26, 25, 24, 23, 19, 18]);
    let page = ask(&query, "Ada", 10, &next(&page));
    assert_eq!(serials(&page), [17, 16, 15, 14, 13]);
    assert_eq!(next(&page), "", "nothing tells that there is more");
}

#[test]
fn cursors_work_for_their_search_alone() {
    let (owner, form) = people(Server::shared());
    fill(&owner, &form, &["Ada", "Ada", "Bea", "Bea"].map(|name| json!({ "field_1": name })));
    let (query, other) = (simple(&owner, &form), simple(&owner, &form));
    let cursor = next(&ask(&query, "Ada", 1, ""));
    assert_ne!(cursor, "");
    assert_eq!(serials(&ask(&query, "Ada", 1, &cursor)), [1]);
    // The same search in other letters may go on or not; another one may not.
    let refused = |answer: Response, what: &str| {
        assert_eq!(answer.status, 400, "{what}: {answer}");
        assert!(answer.json()["error"].is_string(), "{what}: {answer}");
    };
    refused(ask(&query, "Bea", 1, &cursor), "other values");
    refused(ask(&other, "Ada", 1, &cursor), "another query");
    let list = owner.get(format!("{}?page_size=1", form.entries()));
    refused(ask(&query, "Ada", 1, &next(&list)), "of the entries");
    owner.get(format!("{}?page_size=1&cursor={cursor}", form.entries())).is(400);
    owner.get(format!("/api/v1/opensearch/queries?page_size=1&cursor={cursor}")).is(400);
    let mut bits = URL_SAFE_NO_PAD.decode(&cursor).expect("base64");
    *bits.last_mut().expect("bytes") ^= 1;
    for odd in [
        URL_SAFE_NO_PAD.encode(&bits),
        format!("{cursor}x"),
        cursor[..cursor.len() - 1].to_owned(),
        "x".to_owned(),
        "x".repeat(2000),
    ] {
        refused(ask(&query, "Ada", 1, &odd), &odd);
        let mut address = json!({"field_1": "Ada"});
        address["cursor"] = json!(odd);
        let page = query.anon().get(query.typed(&address));
        assert!(page.status < 500 && !page.text.contains("entry_token"), "{odd}: {page}");
    }
    // Once the query is searched otherwise, an old one is of no use.
    query.change(
        &owner,
        json!({"search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": true}]}]}),
    );
    let late = ask(&query, "Ada", 1, &cursor);
    assert!([200, 400].contains(&late.status), "{late}");
    // It tells nothing of its contents.
    for mark in ["Ada", "field_1"] {
        assert!(!String::from_utf8_lossy(&bits).contains(mark), "{mark}");
    }
}

#[test]
fn cursors_ignore_blank_values() {
    let (owner, form) = people(Server::shared());
    let entries: Vec<Value> = (1..=130).map(|n| json!({"field_1": "Ada", "field_2": format!("(({n}))")})).collect();
    bulk(&owner, &form, &entries);
    let groups = any_of(&["field_1", "field_2"]);
    let query = Query::ruled(&owner, &form, groups, shown(&["serial_number"]));
    let ask = |values: Value, cursor: &str| query.ask(json!({"values": values, "page_size": 50, "cursor": cursor}));
    for blank in [json!(" "), json!(""), Value::Null] {
        let first = ask(json!({"field_1": "Ada", "field_2": blank}), "");
        let second = ask(json!({"field_1": "Ada"}), &next(&first));
        assert_eq!(serials(&second)[0], 80);
        let third = ask(json!({"field_2": blank, "field_1": "Ada"}), &next(&second));
        assert_eq!(serials(&third)[0], 30);
        let page = query.anon().get(query.typed(&json!({"field_1": "Ada", "field_2": blank})));
        for link in links(&page) {
            if link.contains("cursor=") {
                let link = crate::queries::local(&owner, &link);
                let answer = query.anon().get(&link);
                assert_eq!(answer.status, 200, "{blank} {link}: {answer}");
            }
        }
    }
}

#[test]
fn visitors_page_through_all_results() {
    let (owner, form) = people(Server::shared());
    let entries: Vec<Value> = (1..=130).map(|n| json!({"field_1": "Ada", "field_2": format!("(({n}))")})).collect();
    bulk(&owner, &form, &entries);
    let query = Query::ruled(&owner, &form, all_of(&["field_1"]), shown(&["field_2"]));
    let first = query.typed(&json!({"field_1": "Ada"}));
    let (mut waiting, mut been) = (VecDeque::from([first.clone()]), BTreeSet::from([first]));
    let mut seen: Vec<u32> = Vec::new();
    while let Some(address) = waiting.pop_front() {
        let page = query.anon().get(&address);
        assert_eq!(page.status, 200, "{address}: {page}");
        for mark in page.text.split("((").skip(1) {
            let number = mark.split("))").next().and_then(|n| n.parse().ok());
            let number = number.expect("a number");
            if !seen.contains(&number) {
                seen.push(number);
            }
        }
        for link in links(&page) {
            let link = crate::queries::local(&owner, &link);
            let link = match link.strip_prefix('?') {
                Some(rest) => format!("{}?{rest}", query.page()),
                None => link,
            };
            let is_page = link.starts_with(&query.page()) && link.contains("cursor=");
            if is_page && !link.contains("/export") && been.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
        assert!(been.len() < 200, "pages without an end");
    }
    let expected: Vec<u32> = (1..=130).rev().collect();
    assert_eq!(seen, expected);
    assert!(been.len() > 1, "130 rows are more than one page");
}
