//! Queries whose form is in the trash, over the plan, or gone: their `status`, and the answers to visitors.

use rusqlite::Connection;
use serde_json::{Value, json};
use support::sharing::share;
use support::steps::bulk;
use support::{Caller, Form, Response, Server, field};

use crate::queries::{PATH, Query, fill, on_plan, people, restore, set_plan, simple};

/// All requests of a visitor to a query, with the statuses once it works.
fn asked(query: &Query, edit: Option<&(String, String)>) -> Vec<Response> {
    let anon = query.anon();
    let values = json!({"field_1": "Adèle"});
    let mut out = vec![
        anon.get(query.page()),
        anon.get(query.typed(&values)),
        anon.get(query.export("csv", &values)),
        anon.get(query.export("xlsx", &values)),
        anon.get(query.public()),
        query.search(&values),
        query.search(&json!({})),
    ];
    if let Some((path, right)) = edit {
        let right = anon.header("x-edit-token", right);
        out.push(right.patch(path, json!({"field_values": {"field_2": "x"}})));
    }
    out
}

/// Asserts that everything is refused with this status and gives nothing away.
fn refused(query: &Query, edit: Option<&(String, String)>, status: u16) {
    for answer in asked(query, edit) {
        assert_eq!(answer.status, status, "{answer}");
        answer.lacks(["Adèle", "Paris", "field_1"]);
        if answer.header("content-type").starts_with("application/json") {
            let body = answer.json();
            assert!(body["error"].is_string() && body.get("code").is_none(), "{answer}");
        }
    }
    let page = query.anon().get(query.page());
    assert!(page.header("content-type").starts_with("text/html"), "{page}");
    assert!(page.text.contains("<h1"), "{page}");
}

/// Checks that it answers; returns the right to change the row of Adèle's.
fn works(query: &Query) -> (String, String) {
    let (row, path) = query.row(&json!({"field_1": "Adèle"}), 1);
    query.anon().get(query.page()).is(200);
    let right = row["edit_token"].as_str().expect("a right").to_owned();
    (path, right)
}

fn editable(owner: &Caller, form: &Form) -> Query {
    let query = simple(owner, form);
    query.change(
        owner,
        json!({"allow_to_export_results": true, "display_field_rules": [
            {"field": "serial_number"}, {"field": "field_1"}, {"field": "field_2", "editable": true}]}),
    );
    query
}

#[test]
fn unknown_and_disabled_queries_are_refused() {
    let (owner, form) = people(Server::shared());
    fill(&owner, &form, &[json!({"field_1": "Adèle", "field_2": "Paris"})]);
    let query = editable(&owner, &form);
    let edit = works(&query);
    let unknown = Query { token: "AAAAAAAAAA".to_owned(), ..query.clone() };
    refused(&unknown, None, 404);
    for odd in ["x", "%00", "%ff", "%F0%9F%A6%80"] {
        let odd = Query { token: odd.to_owned(), ..query.clone() };
        for address in [odd.page(), odd.public()] {
            assert_eq!(query.anon().get(&address).status, 404, "{address}");
        }
    }
    query.change(&owner, json!({"enabled": false}));
    // Its status is about its form.
    assert_eq!(owner.get(query.path()).data()["status"], "active");
    refused(&query, Some(&edit), 403);
    query.change(&owner, json!({"enabled": true}));
    works(&query);
    owner.delete(query.path()).is(200);
    refused(&query, Some(&edit), 404);
}

#[test]
fn queries_follow_their_form_into_the_trash_and_back() {
    let server = Server::shared();
    let (owner, form) = people(server);
    let manager = server.user();
    share(&owner, &form, &manager, "manager");
    fill(&owner, &form, &[json!({"field_1": "Adèle", "field_2": "Paris"})]);
    let query = editable(&owner, &form);
    let edit = works(&query);
    let before = owner.get(query.path()).data();
    owner.delete(form.path()).is(200);
    let mut gone = before.clone();
    gone["status"] = json!("form_not_found");
    gone["form_token"] = Value::Null;
    let seen = |caller: &Caller| {
        let mut data = caller.get(query.path()).data();
        for counter in ["views_count", "searches_count"] {
            data[counter] = before[counter].clone();
        }
        data
    };
    assert_eq!(seen(&owner), gone);
    let listed = owner.get(PATH).json()["data"].clone();
    assert_eq!(listed[0]["status"], "form_not_found", "{listed}");
    refused(&query, Some(&edit), 404);
    restore(&owner, form.path());
    assert_eq!(seen(&owner), before);
    assert_eq!(seen(&manager), before);
    works(&query);
    // An unpublished form is still looked up in.
    owner.patch(form.path(), json!({"published": false})).is(200);
    works(&query);
}

#[test]
fn the_query_of_a_purged_form_is_its_makers_alone() {
    let server = Server::alone("its jobs run now");
    let (owner, form) = people(&server);
    let manager = server.user();
    share(&owner, &form, &manager, "manager");
    let query = simple(&manager, &form);
    let other = simple(&owner, &form);
    owner.delete(form.path()).is(200);
    let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let old = "UPDATE forms SET deleted_at = 1 WHERE deleted_at IS NOT NULL";
    database.execute(old, []).expect("changed");
    let swept = server.run(&["jobs", "run-once", "deleted-forms"]);
    assert!(swept.status.success());
    let data = manager.get(query.path()).data();
    assert_eq!(
        (&data["status"], &data["form_token"], &data["name"]),
        (&json!("form_not_found"), &Value::Null, &json!("Look up"))
    );
    let tokens = |caller: &Caller| -> Vec<String> {
        let listed = caller.get(PATH).json();
        let rows = listed["data"].as_array().expect("rows").iter();
        rows.map(|row| row["token"].as_str().expect("a token").to_owned()).collect()
    };
    assert_eq!(tokens(&manager), [query.token.as_str()]);
    assert_eq!(tokens(&owner), [other.token.as_str()]);
    let unknown = r#"404 {"error":"Query not found"}"#;
    assert_eq!(owner.get(query.path()).to_string(), unknown);
    assert_eq!(owner.delete(query.path()).to_string(), unknown);
    assert_eq!(manager.get(other.path()).to_string(), unknown);
    refused(&query, None, 404);
    let deleted = manager.delete(query.path());
    assert_eq!((deleted.status, deleted.data()), (200, json!({"deleted": true, "token": query.token})));
    assert_eq!(tokens(&manager), [""; 0]);
}

#[test]
fn queries_stop_above_the_plans_entries() {
    let (server, owner) = on_plan("standard");
    let form =
        owner.form(json!([field("name", json!({"label": "Name"})), field("short_text", json!({"label": "Town"})),]));
    fill(&owner, &form, &[json!({"field_1": "Adèle", "field_2": "Paris"})]);
    let query = simple(&owner, &form);
    query.change(&owner, json!({"allow_to_export_results": true}));
    set_plan(&server, "free");
    let status = || owner.get(query.path()).data()["status"].clone();
    let many: Vec<Value> = (0..999).map(|_| json!({"field_1": "Bea"})).collect();
    bulk(&owner, &form, &many);
    // As many as the plan allows are not more.
    assert_eq!(status(), "active");
    assert_eq!(query.serials(&json!({"field_1": "Adèle"})), [1]);
    fill(&owner, &form, &[json!({"field_1": "Cy"})]);
    assert_eq!(status(), "entries_count_limited");
    let tag = owner.get(query.path()).header("etag").to_owned();
    refused(&query, None, 403);
    assert_eq!(owner.get(PATH).json()["data"][0]["status"], status());
    // Entries in the trash don't count.
    owner.delete(form.entry(1001)).is(200);
    assert_eq!(status(), "active");
    assert_eq!(owner.get(query.path()).header("etag"), tag);
    assert_eq!(query.serials(&json!({"field_1": "Adèle"})), [1]);
    restore(&owner, form.trashed(1001));
    assert_eq!(status(), "entries_count_limited");
    set_plan(&server, "standard");
    assert_eq!(status(), "active");
    assert_eq!(query.serials(&json!({"field_1": "Adèle"})), [1]);
}
