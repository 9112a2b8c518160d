//! How often an address may search and export (S69, S68).

use serde_json::{Value, json};

use crate::public_queries::{Query, all_of, body, fill, people, shown, simple};
use crate::removed_values::bulk;
use crate::support::clock::Clock;
use crate::support::{Caller, Form, Response, Server, means};

/// A server with its rate limits, one of them as wide as a test needs.
fn limited() -> Server {
    Server::with(&["--limit-api", "100000"])
}

fn is_refused(answer: &Response) {
    assert_eq!(answer.status, 429, "{answer}");
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
}

fn editable(owner: &Caller, form: &Form) -> Query {
    let mut whole =
        body(form, all_of(&["field_1"]), json!([{"field": "serial_number"}, {"field": "field_2", "editable": true}]));
    whole["allow_to_export_results"] = json!(true);
    Query::new(owner, whole)
}

#[test]
fn thirty_searches_a_minute_however_they_are_made() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Ada"});
    let (row, path) = query.row(&ada, 1);
    let right = row["edit_token"].as_str().expect("a right").to_owned();
    let edit = || {
        let who = query.anon().header("x-edit-token", &right);
        who.patch(&path, json!({"field_values": {"field_2": "x"}}))
    };
    for n in 1..30 {
        let answer = match n % 3 {
            0 => query.anon().get(query.typed(&ada)),
            1 => query.search(&ada),
            _ => edit(),
        };
        assert_eq!(answer.status, 200, "the {n}th: {answer}");
    }
    is_refused(&query.search(&ada));
    is_refused(&query.anon().get(query.typed(&ada)));
    is_refused(&edit());
    let told = query.search(&ada);
    assert!(told.json()["error"].is_string(), "{told}");
    assert!(!told.text.contains("Ada"), "{told}");
    // The page before a search is open, and so is another query.
    assert_eq!(query.anon().get(query.page()).status, 200);
    assert_eq!(query.anon().get(query.public()).status, 200);
    let other = simple(&owner, &form);
    assert_eq!(other.search(&ada).status, 200);
}

#[test]
fn each_address_has_its_own_searches() {
    let server = Server::with(&["--limit-api", "100000", "--trusted-proxies", "127.0.0.1/32"]);
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = simple(&owner, &form);
    let from = |address: &str| {
        let who = query.anon().header("x-forwarded-for", address);
        let body = json!({"values": {"field_1": "Ada"}});
        who.post(format!("{}/search", query.public()), body)
    };
    for _ in 0..30 {
        assert_eq!(from("203.0.113.7").status, 200);
    }
    is_refused(&from("203.0.113.7"));
    assert_eq!(from("203.0.113.8").status, 200);
    // An IPv6 network is one address.
    for n in 0..30 {
        assert_eq!(from(&format!("2001:db8:1:2::{n:x}")).status, 200);
    }
    is_refused(&from("2001:db8:1:2:ffff::1"));
    assert_eq!(from("2001:db8:1:3::1").status, 200);
}

#[test]
fn guesses_are_counted_like_hits() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = simple(&owner, &form);
    for n in 0..30 {
        let found = query.search(&json!({"field_1": format!("guess {n}")}));
        assert_eq!(found.status, 200, "{found}");
    }
    is_refused(&query.search(&json!({"field_1": "Ada"})));
}

#[test]
fn five_exports_a_minute() {
    let server = limited();
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Ada"});
    for n in 0..5 {
        let format = ["csv", "xlsx"][n % 2];
        let file = query.anon().get(query.export(format, &ada));
        assert_eq!(file.status, 200, "{file}");
    }
    is_refused(&query.anon().get(query.export("csv", &ada)));
    is_refused(&query.anon().get(query.export("xlsx", &ada)));
    // Searches are counted apart.
    assert_eq!(query.search(&ada).status, 200);
}

#[test]
fn an_export_has_ten_thousand_rows_at_most() {
    let server = Server::start();
    let (owner, form) = people(&server);
    let many: Vec<Value> = (0..10_000).map(|_| json!({"field_1": "Ada"})).collect();
    bulk(&owner, &form, &many);
    let mut whole = body(&form, all_of(&["field_1"]), shown(&["serial_number"]));
    whole["allow_to_export_results"] = json!(true);
    let query = Query::new(&owner, whole);
    let ada = json!({"field_1": "Ada"});
    let file = query.anon().get(query.export("csv", &ada));
    assert_eq!(file.status, 200, "{} bytes", file.bytes.len());
    assert_eq!(file.text.lines().count(), 10_001, "a header and so many rows");
    // One more is refused, rather than left out unsaid.
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    for format in ["csv", "xlsx"] {
        let refused = query.anon().get(query.export(format, &ada));
        assert_eq!(refused.status, 422, "{} bytes", refused.bytes.len());
    }
    let found = query.search(&ada);
    assert_eq!(found.json()["pagination"]["total"], 10_001);
}

#[test]
fn three_hundred_searches_an_hour() {
    if !means::has(&["cc"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Clock::new();
    let server = clock.server(dir.path(), &["--limit-api", "100000"]);
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = editable(&owner, &form);
    let ada = json!({"field_1": "Ada"});
    for minute in 0..10 {
        clock.ahead(minute * 61);
        for n in 0..30 {
            let found = query.search(&ada);
            assert_eq!(found.status, 200, "minute {minute}, {n}: {found}");
        }
    }
    is_refused(&query.search(&ada));
    // A minute later it would do, were it not for the hour.
    clock.ahead(11 * 61);
    is_refused(&query.search(&ada));
    clock.ahead(2 * 3600);
    assert_eq!(query.search(&ada).status, 200);
    // The same with exports, by the minute.
    for _ in 0..5 {
        assert_eq!(query.anon().get(query.export("csv", &ada)).status, 200);
    }
    is_refused(&query.anon().get(query.export("csv", &ada)));
    clock.ahead(2 * 3600 + 61);
    assert_eq!(query.anon().get(query.export("csv", &ada)).status, 200);
}
