//! Plans of organisations: the command that sets them, and the API's view of them (contract sections 2, 10).

use serde_json::{Value, json};
use support::Server;

use super::{ANN, BOB, me, printed, ran, refused};

#[test]
fn a_plan_is_set_from_the_command_line_and_holds_at_once() {
    let server = Server::alone("commands change all of it");
    let ann = server.user_named(ANN, "Ann");
    ran(&server, &["user", "create", BOB, "--name", "B", "--organization", "Bob's"]);
    let bob = server.token(BOB, "form:read");
    for (plan, [public, scoped, editable], entries) in [
        ("free", [false, false, false], Some(1000)),
        ("standard", [true, false, false], Some(10_000)),
        ("business", [true, true, true], Some(100_000)),
        ("unlimited", [true, true, true], None),
        ("free", [false, false, false], Some(1000)),
    ] {
        let set = printed(&server, &["plan", "set", "Ann", plan]);
        let organization = me(&ann)["organization"].clone();
        let has = json!({
            "public_queries": public, "scoped_data": scoped, "editable_results": editable,
            "entries_per_form": entries,
        });
        assert_eq!((&organization["plan"], &organization["capabilities"]), (&json!(plan), &has));
        assert_eq!(set, json!({"id": organization["id"], "name": "Ann", "plan": plan, "capabilities": has}));
    }
    // The other organisation has its own.
    let other = me(&bob)["organization"].clone();
    assert_eq!(other["plan"], "unlimited");
    let listed = printed(&server, &["plan", "list"]);
    let short = listed.as_array().expect("a list").iter().map(|row| json!([row["name"], row["plan"], row["users"]]));
    assert_eq!(short.collect::<Vec<Value>>(), [json!(["Ann", "free", 1]), json!(["Bob's", "unlimited", 1])]);
    // An id names it too.
    ran(&server, &["plan", "set", other["id"].as_str().expect("an id"), "standard"]);
    assert_eq!(me(&bob)["organization"]["plan"], "standard");
    let table = ran(&server, &["plan", "list"]);
    assert!(table.contains("Bob's") && table.contains("standard"), "{table}");
}

#[test]
fn what_is_no_plan_or_no_organisation_is_refused() {
    let server = Server::alone("commands change all of it");
    server.user_named(ANN, "Ann");
    let said = refused(&server, &["plan", "set", "Ann", "gold"], 2);
    assert!(said.contains("free, standard, business, unlimited"), "{said}");
    let said = refused(&server, &["plan", "set", "Nobody", "free"], 6);
    assert_eq!(said, "formsvc: there is no such organization\n");
}
