//! The list of the caller's forms (spec 4.9), and of those that they have submitted to.

use serde_json::{Value, json};
use support::sharing::share;
use support::{Caller, Form, Response, Server, field};

fn form(caller: &Caller, name: &str) -> Form {
    caller.form_with(json!({"name": name, "fields": [field("short_text", json!({}))]}))
}

fn list(caller: &Caller, query: &str) -> Response {
    caller.get(format!("/api/v1/forms?{query}"))
}

fn names(answer: &Response) -> Vec<String> {
    assert_eq!(answer.status, 200, "{answer}");
    let body = answer.json();
    let rows = body["data"].as_array().expect("rows").clone();
    rows.iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

fn total(answer: &Response) -> Value {
    answer.json()["pagination"]["total"].clone()
}

/// All names of a list, page by page.
fn walk(caller: &Caller, query: &str, size: usize) -> Vec<String> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = list(caller, &format!("{query}&page_size={size}&cursor={cursor}"));
        seen.extend(names(&page));
        let next = page.json()["pagination"]["next_cursor"].clone();
        cursor = next.as_str().expect("text").to_owned();
        if cursor.is_empty() {
            return seen;
        }
    }
}

#[test]
fn own_and_shared_forms_stand_in_one_list() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    form(&ann, "a1");
    let b1 = form(&bob, "b1");
    form(&ann, "a2");
    let b2 = form(&bob, "b2");
    form(&bob, "b3");
    share(&bob, &b2, &ann, "editor");
    share(&bob, &b1, &ann, "manager");
    let all = list(&ann, "");
    assert_eq!(names(&all), ["b2", "a2", "b1", "a1"]);
    assert_eq!(total(&all), 4);
    let rows = all.json()["data"].clone();
    let what = |i: usize| (rows[i]["owned"].clone(), rows[i]["role"].clone());
    assert_eq!(what(0), (json!(false), json!("editor")));
    assert_eq!(what(1), (json!(true), json!("manager")));
    assert_eq!(what(2), (json!(false), json!("manager")));
    let keys: Vec<&String> = rows[0].as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "name",
            "description",
            "token",
            "scene",
            "layout",
            "created_at",
            "updated_at",
            "last_entry_created_at",
            "entries_count",
            "owned",
            "role"
        ]
    );
    for size in 1..5 {
        assert_eq!(walk(&ann, "", size), ["b2", "a2", "b1", "a1"], "{size}");
    }
    assert_eq!(names(&list(&bob, "")), ["b3", "b2", "b1"]);
    // What is deleted, or no longer shared, is gone.
    assert_eq!(bob.delete(b2.path()).status, 200);
    assert_eq!(bob.delete(support::sharing::path(&b1, &ann)).status, 200);
    assert_eq!(names(&list(&ann, "")), ["a2", "a1"]);
    assert_eq!(total(&list(&ann, "")), 2);
}

#[test]
fn three_sorts_descend() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    let (a, b, c) = (form(&ann, "a"), form(&bob, "b"), form(&ann, "c"));
    share(&bob, &b, &ann, "manager");
    assert_eq!(ann.patch(a.path(), json!({"description": "x"})).status, 200);
    let values = || json!({"field_values": {"field_1": "x"}});
    assert_eq!(ann.post(c.entries(), values()).status, 201);
    assert_eq!(ann.post(b.entries(), values()).status, 201);
    assert_eq!(names(&list(&ann, "sort=created_at")), ["c", "b", "a"]);
    assert_eq!(names(&list(&ann, "sort=updated_at")), ["a", "c", "b"]);
    assert_eq!(names(&list(&ann, "sort=last_entry_created_at")), ["b", "c", "a"]);
    for sort in ["created_at", "updated_at", "last_entry_created_at"] {
        let whole = names(&list(&ann, &format!("sort={sort}")));
        assert_eq!(walk(&ann, &format!("sort={sort}"), 1), whole);
    }
    for odd in ["name", "-created_at", "Created_at", "created_at%20", ""] {
        let refused = list(&ann, &format!("sort={odd}"));
        assert_eq!(
            refused.to_string(),
            r#"400 {"error":"sort must be one of created_at, updated_at, last_entry_created_at"}"#,
            "{odd}"
        );
    }
}

#[test]
fn names_are_searched_in_any_case_and_width() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    for name in ["Summer Party", "winter PARTY", "100%_done", "Straße"] {
        form(&ann, name);
    }
    let shared = form(&bob, "Shared party");
    share(&bob, &shared, &ann, "viewer");
    let found = |query: &str| names(&list(&ann, query));
    assert_eq!(found("name=party"), ["Shared party", "winter PARTY", "Summer Party"]);
    assert_eq!(total(&list(&ann, "name=party")), 3);
    assert_eq!(found("name=%25_"), ["100%_done"]);
    assert_eq!(found("name=%EF%BC%B0arty"), ["Shared party", "winter PARTY", "Summer Party"]);
    assert_eq!(found("name=STRASSE"), ["Straße"]);
    assert_eq!(found("name=nothing"), Vec::<String>::new());
    assert_eq!(found("name=").len(), 5);
    assert_eq!(walk(&ann, "name=party", 1).len(), 3);
}

#[test]
fn a_folder_filter_and_forms_in_none() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    let made = ann.post("/api/v1/folders", json!({"name": "f"}));
    let folder = made.data()["token"].as_str().expect("a token").to_owned();
    let (a, b) = (form(&ann, "a"), form(&bob, "b"));
    form(&ann, "c");
    share(&bob, &b, &ann, "viewer");
    for placed in [&a, &b] {
        let path = format!("{}/folder", placed.path());
        assert_eq!(ann.put(path, json!({"folder_token": folder})).status, 200);
    }
    assert_eq!(names(&list(&ann, &format!("folder_token={folder}"))), ["b", "a"]);
    assert_eq!(total(&list(&ann, &format!("folder_token={folder}"))), 2);
    assert_eq!(names(&list(&ann, &format!("folder_token={folder}&name=B"))), ["b"]);
    assert_eq!(names(&list(&ann, "folder_token=")), ["c"]);
    assert_eq!(total(&list(&ann, "folder_token=")), 1);
    assert_eq!(names(&list(&ann, "")), ["c", "b", "a"]);
    assert_eq!(names(&list(&bob, "folder_token=")), ["b"]);
    assert_eq!(walk(&ann, &format!("folder_token={folder}"), 1), ["b", "a"]);
    let page = list(&ann, "page_size=1").json();
    let cursor = page["pagination"]["next_cursor"].as_str().expect("text").to_owned();
    for other in ["folder_token=", "name=a", "sort=updated_at"] {
        let refused = list(&ann, &format!("{other}&cursor={cursor}"));
        assert_eq!(refused.status, 400, "{other}");
    }
    assert_eq!(list(&bob, &format!("cursor={cursor}")).status, 400);
}

#[test]
fn a_cursor_goes_on_however_the_same_list_is_asked_for() {
    let user = Server::shared().user();
    for name in ["a", "b", "c"] {
        form(&user, name);
    }
    let first = list(&user, "page_size=1&_=1").json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text");
    for same in ["", "sort=created_at", "name=", "_=2", "sort=x&sort=created_at"] {
        let rest = list(&user, &format!("{same}&cursor={cursor}"));
        assert_eq!(names(&rest), ["b", "a"], "{same}");
    }
    for other in ["sort=updated_at", "name=b", "folder_token="] {
        let refused = list(&user, &format!("{other}&cursor={cursor}"));
        assert_eq!(refused.status, 400, "{other}");
    }
}

#[test]
fn pages_hold_1_to_100_forms_10_by_default() {
    let ann = Server::shared().user();
    for n in 0..12 {
        form(&ann, &n.to_string());
    }
    assert_eq!(names(&list(&ann, "")).len(), 10);
    assert_eq!(names(&list(&ann, "page_size=100")).len(), 12);
    assert_eq!(names(&list(&ann, "page_size=1")), ["11"]);
    for odd in ["0", "101", "-1", "x", "1.5", ""] {
        let refused = list(&ann, &format!("page_size={odd}"));
        assert_eq!(refused.status, 400, "{odd}");
        assert_eq!(refused.to_string(), r#"400 {"error":"page_size must be 1 to 100"}"#);
    }
    // Nothing is skipped or repeated when forms come and go meanwhile.
    let first = list(&ann, "page_size=5").json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("text").to_owned();
    let gone = first["data"][4]["token"].as_str().expect("a token").to_owned();
    assert_eq!(ann.delete(format!("/api/v1/forms/{gone}")).status, 200);
    form(&ann, "new");
    let rest = list(&ann, &format!("page_size=5&cursor={cursor}"));
    assert_eq!(names(&rest), ["6", "5", "4", "3", "2"]);
}

#[test]
fn forms_that_somebody_submitted_to() {
    let server = Server::shared();
    let (ann, bob) = (server.user(), server.user());
    let path = "/api/v1/participated_forms";
    assert_eq!(bob.get(path).to_string(), r#"200 {"data":[],"pagination":{"total":0,"next_cursor":""}}"#);
    let (a, b) = (form(&ann, "a"), form(&ann, "b"));
    share(&ann, &b, &bob, "viewer");
    let submit = |who: &Caller, form: &Form| {
        let sent = who.post(form.submissions(), json!({"field_values": {"field_1": "x"}}));
        assert_eq!(sent.status, 201);
        sent.data()["entry"]["created_at"].clone()
    };
    submit(&bob, &a);
    submit(&bob, &b);
    let last = submit(&bob, &a);
    submit(&server.anon(), &b);
    submit(&ann, &b);
    // What is added on the owner's behalf is no participation.
    assert_eq!(ann.post(a.entries(), json!({"field_values": {}})).status, 201);
    let found = bob.get(path);
    assert_eq!(names(&found), ["a", "b"]);
    let rows = found.json()["data"].clone();
    assert_eq!(rows[0]["participations_count"], 2);
    assert_eq!(rows[0]["last_participated_at"], last);
    assert_eq!((rows[0]["owned"].clone(), rows[0]["role"].clone()), (json!(false), Value::Null));
    assert_eq!(rows[1]["participations_count"], 1);
    assert_eq!(rows[1]["role"], "viewer");
    assert_eq!(names(&ann.get(path)), ["b"]);
    assert_eq!(ann.get(path).json()["data"][0]["owned"], true);
    let page = bob.get(format!("{path}?page_size=1")).json();
    assert_eq!(page["pagination"]["total"], 2);
    let cursor = page["pagination"]["next_cursor"].as_str().expect("text");
    assert_eq!(names(&bob.get(format!("{path}?page_size=1&cursor={cursor}"))), ["b"]);
    // An entry in the trash was submitted all the same; a form there is gone.
    assert_eq!(ann.delete(a.entry(1)).status, 200);
    assert_eq!(bob.get(path).json()["data"][0]["participations_count"], 2);
    assert_eq!(ann.delete(a.path()).status, 200);
    assert_eq!(names(&bob.get(path)), ["b"]);
}
