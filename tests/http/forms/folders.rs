//! Folders and where forms lie (spec 2.8, 4.8, contract section 7).

use serde_json::{Value, json};
use support::sharing::share;
use support::{Caller, Form, Response, Server, field};

const PATH: &str = "/api/v1/folders";

fn folder(caller: &Caller, name: &str, parent: Option<&str>) -> String {
    let made = caller.post(PATH, json!({"name": name, "parent_folder_token": parent}));
    assert_eq!(made.status, 201, "{made}");
    made.data()["token"].as_str().expect("a token").to_owned()
}

fn at(token: &str) -> String {
    format!("{PATH}/{token}")
}

fn form(caller: &Caller, folder: Option<&str>) -> Form {
    caller.form_with(json!({
        "name": "F", "folder_token": folder, "fields": [field("short_text", json!({}))],
    }))
}

fn put(caller: &Caller, form: &Form, body: Value) -> Response {
    caller.put(format!("{}/folder", form.path()), body)
}

fn names(page: &Response) -> Vec<String> {
    let page = page.json();
    let rows = page["data"].as_array().expect("rows").clone();
    rows.iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_folder_is_made_read_renamed_and_deleted() {
    let user = Server::shared().user();
    let made = user.post(PATH, json!({"name": "Events"}));
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"token":"[token]","name":"Events","parent_folder_token":null,"child_folder_count":0,"child_form_count":0,"created_at":"[time]"}}"#
    );
    let token = made.data()["token"].as_str().expect("a token").to_owned();
    assert_eq!(token.len(), 10);
    assert_eq!(user.get(at(&token)).json(), made.json());
    let inner = folder(&user, "Inner", Some(&token));
    form(&user, Some(&token));
    let shown = user.get(at(&token)).data();
    assert_eq!((shown["child_folder_count"].clone(), shown["child_form_count"].clone()), (json!(1), json!(1)));
    assert_eq!(user.get(at(&inner)).data()["parent_folder_token"], token);
    // The name alone changes.
    let renamed = user.patch(at(&inner), json!({"name": "Other", "parent_folder_token": null, "x": 1}));
    assert_eq!(renamed.status, 200);
    assert_eq!(renamed.data()["name"], "Other");
    assert_eq!(renamed.data()["parent_folder_token"], token);
    assert_eq!(user.patch(at(&inner), json!({})).data()["name"], "Other");
    let deleted = user.delete(at(&token));
    assert_eq!((deleted.status, deleted.data()), (200, json!({"deleted": true, "token": token})));
    assert_eq!(user.get(at(&token)).to_string(), r#"404 {"error":"Folder not found"}"#);
    assert_eq!(user.get(at(&inner)).data()["parent_folder_token"], Value::Null);
}

#[test]
fn names_are_1_to_100_characters_and_no_two_alike_in_one_place() {
    let user = Server::shared().user();
    let faults = |body: Value| {
        let refused = user.post(PATH, body);
        assert_eq!(refused.status, 422, "{refused}");
        refused.faults()
    };
    assert_eq!(faults(json!({})), ["name: can't be blank"]);
    assert_eq!(faults(json!({"name": " "})), ["name: can't be blank"]);
    assert_eq!(faults(json!({"name": 1})), ["name: must be a string"]);
    assert_eq!(
        faults(json!({"name": "x".repeat(101), "parent_folder_token": 1})),
        ["name: is too long (at most 100 characters)", "parent_folder_token: must be a string"]
    );
    let top = folder(&user, &"项".repeat(100), None);
    let first = folder(&user, "Straße", None);
    // Compared by NFKC and full case folding.
    for same in ["Straße", "STRASSE", "ｓｔｒａｓｓｅ"] {
        assert_eq!(faults(json!({"name": same})), ["name: has already been taken"]);
        let refused = user.patch(at(&top), json!({"name": same}));
        assert_eq!(refused.faults(), ["name: has already been taken"]);
    }
    // Surrounding blanks make no other name of it, whichever they are.
    for same in ["Straße ", " Straße", "\u{a0}Straße\u{3000}", "\tStraße\n"] {
        assert_eq!(faults(json!({"name": same})), ["name: has already been taken"], "{same:?}");
        let refused = user.patch(at(&top), json!({"name": same}));
        assert_eq!(refused.faults(), ["name: has already been taken"]);
    }
    folder(&user, "\u{3000}Padded ", None);
    assert_eq!(faults(json!({"name": "padded"})), ["name: has already been taken"]);
    assert_eq!(user.patch(at(&first), json!({"name": "STRASSE"})).status, 200);
    assert_eq!(user.patch(at(&first), json!({"name": ""})).status, 422);
    assert_eq!(user.patch(at(&first), json!({"name": null})).status, 422);
    // Elsewhere, and for somebody else, the name is free.
    folder(&user, "Strasse", Some(&top));
    folder(&Server::shared().user(), "Strasse", None);
}

#[test]
fn there_are_at_most_five_levels() {
    let user = Server::shared().user();
    let mut parent = folder(&user, "1", None);
    for level in 2..=5 {
        parent = folder(&user, &level.to_string(), Some(&parent));
    }
    let refused = user.post(PATH, json!({"name": "6", "parent_folder_token": parent}));
    assert_eq!(refused.status, 422);
    assert_eq!(refused.attributes(), ["parent_folder_token"]);
}

#[test]
fn a_token_that_no_folder_has_is_unknown_however_it_looks() {
    let user = Server::shared().user();
    let lies = form(&user, None);
    for token in ["AAAAAAAAAA", "\0", &"x".repeat(65), &"x".repeat(5_000)] {
        for body in
            [json!({"name": "a", "parent_folder_token": token}), json!({"name": "", "parent_folder_token": token})]
        {
            let made = user.post(PATH, body);
            assert_eq!(made.to_string(), r#"404 {"error":"Folder not found"}"#, "{token:?}");
        }
        let put = put(&user, &lies, json!({"folder_token": token}));
        assert_eq!(put.to_string(), r#"404 {"error":"Folder not found"}"#, "{token:?}");
    }
}

#[test]
fn lists_are_of_one_place_or_of_all() {
    let user = Server::shared().user();
    let a = folder(&user, "a", None);
    folder(&user, "b", None);
    folder(&user, "c", Some(&a));
    folder(&user, "d", Some(&a));
    let list = |query: &str| user.get(format!("{PATH}{query}"));
    assert_eq!(names(&list("")), ["a", "b", "c", "d"]);
    assert_eq!(names(&list("?parent_folder_token=")), ["a", "b"]);
    assert_eq!(names(&list(&format!("?parent_folder_token={a}"))), ["c", "d"]);
    let page = list("?page_size=3").json();
    assert_eq!(page["pagination"]["total"], 4);
    let cursor = page["pagination"]["next_cursor"].as_str().expect("text").to_owned();
    let rest = list(&format!("?page_size=3&cursor={cursor}"));
    assert_eq!(names(&rest), ["d"]);
    assert_eq!(rest.json()["pagination"]["next_cursor"], "");
    // A cursor is of no use in another list, be it one with an empty filter.
    assert_eq!(list(&format!("?parent_folder_token=&cursor={cursor}")).status, 400);
    assert_eq!(list("?parent_folder_token=AAAAAAAAAA").status, 404);
    assert_eq!(list("?page_size=0").status, 400);
}

#[test]
fn others_folders_are_forbidden_and_those_of_others_organisations_unknown() {
    let server = Server::shared();
    let (user, other) = (server.user(), server.user());
    let theirs = folder(&other, "theirs", None);
    let made = server.run(&["user", "create", "far@folders.example", "--name", "F", "--organization", "Folders"]);
    assert!(made.status.success());
    let far = server.token("far@folders.example", "form:read form:write form:delete");
    let own = form(&user, None);
    let fars = form(&far, None);
    for (who, own, answer) in
        [(&user, &own, r#"403 {"error":"Forbidden"}"#), (&far, &fars, r#"404 {"error":"Folder not found"}"#)]
    {
        let fields = json!([field("short_text", json!({}))]);
        for refused in [
            who.get(at(&theirs)),
            who.patch(at(&theirs), json!({"name": "x"})),
            who.patch(at(&theirs), json!({"name": ""})),
            who.delete(at(&theirs)),
            who.post(PATH, json!({"name": "x", "parent_folder_token": theirs})),
            who.get(format!("{PATH}?parent_folder_token={theirs}")),
            who.get(format!("/api/v1/forms?folder_token={theirs}")),
            who.post("/api/v1/forms", json!({"name": "x", "folder_token": theirs, "fields": fields})),
            who.post("/api/v1/forms", json!({"folder_token": theirs})),
            who.patch(own.path(), json!({"folder_token": theirs, "name": ""})),
            who.post(format!("{}/copy", own.path()), json!({"folder_token": theirs})),
            put(who, own, json!({"folder_token": theirs})),
        ] {
            assert_eq!(refused.to_string(), answer);
        }
    }
    assert_eq!(other.get(at(&theirs)).data()["name"], "theirs");
    let unknown = user.patch(at("AAAAAAAAAA"), json!({"name": "x"}));
    assert_eq!(unknown.to_string(), r#"404 {"error":"Folder not found"}"#);
}

#[test]
fn where_a_form_lies_is_each_users_own_business() {
    let server = Server::shared();
    let (owner, reader) = (server.user(), server.user());
    let form = form(&owner, None);
    share(&owner, &form, &reader, "viewer");
    let (a, b) = (folder(&owner, "a", None), folder(&reader, "b", None));
    let tag = owner.get(form.path()).header("etag").to_owned();
    let placed = put(&owner, &form, json!({"folder_token": a}));
    assert_eq!((placed.status, placed.data()), (200, json!({"form_token": form.token, "folder_token": a})));
    assert_eq!(owner.get(form.path()).data()["folder_token"], a);
    assert_eq!(reader.get(form.path()).data()["folder_token"], Value::Null);
    assert_eq!(put(&reader, &form, json!({"folder_token": b})).status, 200);
    assert_eq!(owner.get(form.path()).data()["folder_token"], a);
    assert_eq!(reader.get(form.path()).data()["folder_token"], b);
    assert_eq!(owner.get(form.path()).header("etag"), tag);
    let out = put(&owner, &form, json!({"folder_token": null}));
    assert_eq!(out.data(), json!({"form_token": form.token, "folder_token": null}));
    // A change of the form takes it along too.
    let moved = owner.patch(form.path(), json!({"folder_token": a}));
    assert_eq!((moved.status, moved.data()["folder_token"].clone()), (200, json!(a)));
    assert_eq!(moved.header("etag"), tag);
    let moved = owner.patch(form.path(), json!({"folder_token": null, "name": "G"}));
    assert_eq!(moved.data()["folder_token"], Value::Null);
    for (body, fault) in
        [(json!({}), "folder_token: is required"), (json!({"folder_token": 1}), "folder_token: must be a string")]
    {
        let refused = put(&owner, &form, body);
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]));
    }
    assert_eq!(put(&owner, &form, json!({"folder_token": "AAAAAAAAAA"})).status, 404);
    let stranger = server.user();
    let refused = put(&stranger, &form, json!({"folder_token": null}));
    assert_eq!(refused.to_string(), r#"404 {"error":"Form not found"}"#);
    // Who is removed finds it in no folder when it is shared again.
    let id = support::sharing::path(&form, &reader);
    assert_eq!(owner.delete(id).status, 200);
    assert_eq!(reader.get(at(&b)).data()["child_form_count"], 0);
    share(&owner, &form, &reader, "viewer");
    assert_eq!(reader.get(form.path()).data()["folder_token"], Value::Null);
}

#[test]
fn what_lies_in_a_deleted_folder_moves_up() {
    let user = Server::shared().user();
    let top = folder(&user, "top", None);
    let middle = folder(&user, "middle", Some(&top));
    let low = folder(&user, "low", Some(&middle));
    let inside = form(&user, Some(&middle));
    // A folder may have the name of the one that it takes the place of.
    assert_eq!(user.patch(at(&low), json!({"name": "middle"})).status, 200);
    assert_eq!(user.delete(at(&middle)).status, 200);
    assert_eq!(user.get(at(&low)).data()["parent_folder_token"], top);
    assert_eq!(user.get(inside.path()).data()["folder_token"], top);
    // One of that name is there already: nothing moves.
    let clash = folder(&user, "clash", None);
    let below = folder(&user, "clash", Some(&top));
    let refused = user.delete(at(&top));
    assert_eq!(refused.status, 422);
    assert_eq!(refused.attributes(), ["name"]);
    assert_eq!(user.get(at(&below)).data()["parent_folder_token"], top);
    assert_eq!(user.get(inside.path()).data()["folder_token"], top);
    assert_eq!(user.get(at(&top)).data()["child_folder_count"], 2);
    assert_eq!(user.delete(at(&clash)).status, 200);
    assert_eq!(user.delete(at(&top)).status, 200);
    assert_eq!(user.get(inside.path()).data()["folder_token"], Value::Null);
    assert_eq!(user.get(at(&below)).data()["parent_folder_token"], Value::Null);
}

#[test]
fn deleted_forms_count_no_more_and_come_back_to_their_folder() {
    let user = Server::shared().user();
    let token = folder(&user, "f", None);
    let form = form(&user, Some(&token));
    let count = || user.get(at(&token)).data()["child_form_count"].clone();
    assert_eq!(count(), 1);
    assert_eq!(user.delete(form.path()).status, 200);
    assert_eq!(count(), 0);
    let back = user.post(format!("{}/restore", form.path()), json!({}));
    assert_eq!(back.data()["folder_token"], token);
    let copy = user.post(format!("{}/copy", form.path()), json!({"folder_token": token}));
    assert_eq!(copy.data()["folder_token"], token);
    assert_eq!(count(), 2);
}
