//! Plans of organisations: what the command line sets, and what callers are told (contract sections 2, 10).

use serde_json::{Value, json};
use support::{Server, text};

#[test]
fn a_plan_is_set_from_the_command_line_and_holds_at_once() {
    let server = Server::alone("commands change all of it");
    let ann = server.user_named("ann@example.org", "Ann");
    let made = server.run(&["user", "create", "bob@example.org", "--name", "B", "--organization", "Bob's"]);
    assert!(made.status.success());
    let bob = server.token("bob@example.org", "form:read");
    let capabilities = |public: bool, scoped: bool, editable: bool, entries: Value| {
        json!({
            "public_queries": public, "scoped_data": scoped, "editable_results": editable,
            "entries_per_form": entries,
        })
    };
    for (plan, has) in [
        ("free", capabilities(false, false, false, json!(1000))),
        ("standard", capabilities(true, false, false, json!(10_000))),
        ("business", capabilities(true, true, true, json!(100_000))),
        ("unlimited", capabilities(true, true, true, Value::Null)),
        ("free", capabilities(false, false, false, json!(1000))),
    ] {
        let set = server.run(&["plan", "set", "Ann", plan, "--json"]);
        assert!(set.status.success(), "{}", text(&set.stderr));
        let organization = ann.get("/api/v1/me").data()["organization"].clone();
        assert_eq!(organization["plan"], plan);
        assert_eq!(organization["capabilities"], has);
        let printed: Value = serde_json::from_slice(&set.stdout).expect("JSON");
        assert_eq!(printed, json!({"id": organization["id"], "name": "Ann", "plan": plan, "capabilities": has}));
    }
    // The other organisation has its own.
    let other = bob.get("/api/v1/me").data()["organization"].clone();
    assert_eq!(other["plan"], "unlimited");
    let listed = server.run(&["plan", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let short: Vec<Value> =
        listed.as_array().expect("a list").iter().map(|row| json!([row["name"], row["plan"], row["users"]])).collect();
    assert_eq!(short, [json!(["Ann", "free", 1]), json!(["Bob's", "unlimited", 1])]);
    // An id names it too.
    let id = other["id"].as_str().expect("an id");
    assert!(server.run(&["plan", "set", id, "standard"]).status.success());
    assert_eq!(bob.get("/api/v1/me").data()["organization"]["plan"], "standard");
    let table = text(&server.run(&["plan", "list"]).stdout);
    assert!(table.contains("Bob's") && table.contains("standard"), "{table}");
}

#[test]
fn what_is_no_plan_or_no_organisation_is_refused() {
    let server = Server::alone("commands change all of it");
    server.user_named("ann@example.org", "Ann");
    let odd = server.run(&["plan", "set", "Ann", "gold"]);
    assert_eq!(odd.status.code(), Some(2));
    assert!(text(&odd.stderr).contains("free, standard, business, unlimited"));
    let nobody = server.run(&["plan", "set", "Nobody", "free"]);
    assert_eq!(nobody.status.code(), Some(6));
    assert_eq!(text(&nobody.stderr), "formsvc: there is no such organisation\n");
}
