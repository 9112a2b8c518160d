//! How often a query was seen and searched: `views_count` and `searches_count` (contract section 8).

use serde_json::json;
use support::{Caller, Server, until};

use crate::queries::{Query, fill, people, simple};

fn counts(owner: &Caller, query: &Query) -> (i64, i64) {
    let data = owner.get(query.path()).data();
    let number = |key: &str| data[key].as_i64().expect("a number");
    (number("views_count"), number("searches_count"))
}

fn becomes(owner: &Caller, query: &Query, expected: (i64, i64)) {
    until(&format!("counts become {expected:?}"), || counts(owner, query) == expected);
}

#[test]
fn views_and_searches_are_counted() {
    let (owner, form) = people(Server::shared());
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let (query, other) = (simple(&owner, &form), simple(&owner, &form));
    let ada = json!({"field_1": "Ada"});
    for _ in 0..3 {
        query.anon().get(query.page()).is(200);
    }
    becomes(&owner, &query, (3, 0));
    query.finds(ada.clone(), &[1]);
    query.finds(json!({"field_1": "Nobody"}), &[]);
    becomes(&owner, &query, (3, 2));
    // A search on the page is both.
    query.anon().get(query.typed(&ada)).is(200);
    becomes(&owner, &query, (4, 3));
    assert_eq!(counts(&owner, &other), (0, 0));
    let listed = owner.get("/api/v1/opensearch/queries").json();
    let row = &listed["data"][1];
    assert_eq!(row["token"], query.token);
    assert_eq!((&row["views_count"], &row["searches_count"]), (&json!(4), &json!(3)));
}

#[test]
fn refused_searches_are_not_counted() {
    let (owner, form) = people(Server::shared());
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = simple(&owner, &form);
    for _ in 0..3 {
        query.refuses(json!({}), &["values.field_1"]);
        query.ask(json!({"values": 5})).is(422);
    }
    query.change(&owner, json!({"enabled": false}));
    query.anon().get(query.page()).is(403);
    query.search(&json!({"field_1": "Ada"})).is(403);
    query.change(&owner, json!({"enabled": true}));
    // The last count shows that all before it was looked at.
    query.finds(json!({"field_1": "Ada"}), &[1]);
    query.anon().get(query.page()).is(200);
    becomes(&owner, &query, (1, 1));
}

#[test]
fn counts_outlive_the_server() {
    let dir = tempfile::tempdir().expect("a folder");
    let flags = ["--rate-limits", "off"];
    let server = Server::over(dir.path(), &flags);
    let (owner, form) = people(&server);
    fill(&owner, &form, &[json!({"field_1": "Ada"})]);
    let query = simple(&owner, &form);
    query.anon().get(query.page()).is(200);
    query.finds(json!({"field_1": "Ada"}), &[1]);
    // At once, before the counts are written by themselves.
    server.signal("TERM");
    server.wait();
    let server = Server::over(dir.path(), &flags);
    let owner = support::steps::again(&owner, &server);
    becomes(&owner, &query, (1, 1));
}
