//! Folders and where forms lie (spec 2.8, 4.8, contract section 7).

use serde_json::{Value, json};
use support::sharing::share;
use support::{Caller, Form, Response, Server};

use crate::forms::{FORMS, NO_FOLDER, NO_FORM, has, line};

const PATH: &str = "/api/v1/folders";

fn folder(caller: &Caller, name: &str, parent: Option<&str>) -> String {
    let made = caller.post(PATH, json!({"name": name, "parent_folder_token": parent})).is(201);
    made.data()["token"].as_str().expect("a token").to_owned()
}

fn at(token: &str) -> String {
    format!("{PATH}/{token}")
}

fn form(caller: &Caller, folder: Option<&str>) -> Form {
    caller.form_with(json!({"name": "F", "folder_token": folder, "fields": [line()]}))
}

fn put(caller: &Caller, form: &Form, folder: impl Into<Value>) -> Response {
    caller.put(form.part("folder"), json!({"folder_token": folder.into()}))
}

/// The folder of a form.
fn place(caller: &Caller, form: &Form) -> Value {
    caller.get(form.path()).is(200).data()["folder_token"].clone()
}

/// The parent of a folder.
fn parent(caller: &Caller, token: &str) -> Value {
    caller.get(at(token)).is(200).data()["parent_folder_token"].clone()
}

#[test]
fn folder_is_made_read_renamed_and_deleted() {
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
    has(&user.get(at(&token)).data(), json!({"child_folder_count": 1, "child_form_count": 1}));
    assert_eq!(parent(&user, &inner), token);
    // The name alone changes.
    let renamed = user.patch(at(&inner), json!({"name": "Other", "parent_folder_token": null, "x": 1})).is(200);
    has(&renamed.data(), json!({"name": "Other", "parent_folder_token": token}));
    assert_eq!(user.patch(at(&inner), json!({})).data()["name"], "Other");
    assert_eq!(user.delete(at(&token)).is(200).data(), json!({"deleted": true, "token": token}));
    assert_eq!(user.get(at(&token)).to_string(), NO_FOLDER);
    assert_eq!(parent(&user, &inner), Value::Null);
}

#[test]
fn names_are_1_to_100_characters_and_no_two_alike_in_one_place() {
    let user = Server::shared().user();
    let refused = |body: Value, faults: &[&str]| user.post(PATH, body).refuses_with(faults);
    refused(json!({}), &["name: can't be blank"]);
    refused(json!({"name": " "}), &["name: can't be blank"]);
    refused(json!({"name": 1}), &["name: must be a string"]);
    refused(
        json!({"name": "x".repeat(101), "parent_folder_token": 1}),
        &["name: is too long (at most 100 characters)", "parent_folder_token: must be a string"],
    );
    let top = folder(&user, &"项".repeat(100), None);
    let first = folder(&user, "Straße", None);
    folder(&user, "\u{3000}Padded ", None);
    // Compared by NFKC and full case folding; surrounding blanks of any kind make no other name of it, nor does
    // anything invisible.
    let same = [
        "Straße",
        "STRASSE",
        "ｓｔｒａｓｓｅ",
        "Straße ",
        " Straße",
        "\u{a0}Straße\u{3000}",
        "\tStraße\n",
        "padded",
        "Stra\u{200b}ße",
        "\u{202e}Straße\u{202c} \u{feff}",
    ];
    for same in same {
        for refused in [user.post(PATH, json!({"name": same})), user.patch(at(&top), json!({"name": same}))] {
            assert_eq!(refused.faults(), ["name: has already been taken"], "{same:?}: {refused}");
        }
    }
    user.patch(at(&first), json!({"name": "STRASSE"})).is(200);
    user.patch(at(&first), json!({"name": ""})).is(422);
    user.patch(at(&first), json!({"name": null})).is(422);
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
    let refused = user.post(PATH, json!({"name": "6", "parent_folder_token": parent})).is(422);
    assert_eq!(refused.attributes(), ["parent_folder_token"], "{refused}");
}

#[test]
fn token_that_no_folder_has_is_unknown_however_it_looks() {
    let user = Server::shared().user();
    let lies = form(&user, None);
    for token in ["AAAAAAAAAA", "\0", &"x".repeat(65), &"x".repeat(5_000)] {
        for answer in [
            user.post(PATH, json!({"name": "a", "parent_folder_token": token})),
            user.post(PATH, json!({"name": "", "parent_folder_token": token})),
            put(&user, &lies, token),
        ] {
            assert_eq!(answer.to_string(), NO_FOLDER, "{token:?}");
        }
    }
    assert_eq!(user.patch(at("AAAAAAAAAA"), json!({"name": "x"})).to_string(), NO_FOLDER);
}

#[test]
fn lists_are_of_one_place_or_of_all() {
    let user = Server::shared().user();
    let a = folder(&user, "a", None);
    for (name, parent) in [("b", None), ("c", Some(&*a)), ("d", Some(&*a))] {
        folder(&user, name, parent);
    }
    let list = |query: &str| user.get(format!("{PATH}{query}"));
    let names = |query: &str| -> Vec<String> {
        let rows = list(query).is(200).data();
        rows.as_array().expect("rows").iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(""), ["a", "b", "c", "d"]);
    assert_eq!(names("?parent_folder_token="), ["a", "b"]);
    assert_eq!(names(&format!("?parent_folder_token={a}")), ["c", "d"]);
    let page = list("?page_size=3").json();
    assert_eq!(page["pagination"]["total"], 4);
    let cursor = page["pagination"]["next_cursor"].as_str().expect("text").to_owned();
    let rest = format!("?page_size=3&cursor={cursor}");
    assert_eq!(names(&rest), ["d"]);
    assert_eq!(list(&rest).json()["pagination"]["next_cursor"], "");
    // A cursor is of no use in another list, be it one with an empty filter.
    list(&format!("?parent_folder_token=&cursor={cursor}")).is(400);
    list("?parent_folder_token=AAAAAAAAAA").is(404);
    list("?page_size=0").is(400);
}

#[test]
fn others_folders_are_forbidden_and_those_of_other_organisations_unknown() {
    let server = Server::shared();
    let (user, other) = (server.user(), server.user());
    let theirs = folder(&other, "theirs", None);
    server.stranger("far@folders.example");
    let far = server.token("far@folders.example", "form:read form:write form:delete");
    for (who, answer) in [(&user, r#"403 {"error":"Forbidden"}"#), (&far, NO_FOLDER)] {
        let own = form(who, None);
        for (n, refused) in [
            who.get(at(&theirs)),
            who.patch(at(&theirs), json!({"name": "x"})),
            who.patch(at(&theirs), json!({"name": ""})),
            who.delete(at(&theirs)),
            who.post(PATH, json!({"name": "x", "parent_folder_token": theirs})),
            who.get(format!("{PATH}?parent_folder_token={theirs}")),
            who.get(format!("{FORMS}?folder_token={theirs}")),
            who.post(FORMS, json!({"name": "x", "folder_token": theirs, "fields": [line()]})),
            who.post(FORMS, json!({"folder_token": theirs})),
            who.patch(own.path(), json!({"folder_token": theirs, "name": ""})),
            who.post(own.part("copy"), json!({"folder_token": theirs})),
            put(who, &own, &*theirs),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(refused.to_string(), answer, "{n}");
        }
    }
    assert_eq!(other.get(at(&theirs)).data()["name"], "theirs");
}

#[test]
fn where_a_form_lies_is_each_users_own_business() {
    let server = Server::shared();
    let (owner, reader) = (server.user(), server.user());
    let form = form(&owner, None);
    share(&owner, &form, &reader, "viewer");
    let (a, b) = (folder(&owner, "a", None), folder(&reader, "b", None));
    let tag = owner.get(form.path()).header("etag").to_owned();
    assert_eq!(put(&owner, &form, &*a).is(200).data(), json!({"form_token": form.token, "folder_token": a}));
    assert_eq!((place(&owner, &form), place(&reader, &form)), (json!(a), Value::Null));
    put(&reader, &form, &*b).is(200);
    assert_eq!((place(&owner, &form), place(&reader, &form)), (json!(a), json!(b)));
    assert_eq!(owner.get(form.path()).header("etag"), tag);
    assert_eq!(put(&owner, &form, Value::Null).data(), json!({"form_token": form.token, "folder_token": null}));
    // A change of the form takes it along too.
    let moved = owner.patch(form.path(), json!({"folder_token": a})).is(200);
    assert_eq!((&moved.data()["folder_token"], moved.header("etag")), (&json!(a), &*tag));
    let moved = owner.patch(form.path(), json!({"folder_token": null, "name": "G"}));
    assert_eq!(moved.data()["folder_token"], Value::Null);
    owner.put(form.part("folder"), json!({})).refuses_with(&["folder_token: is required"]);
    put(&owner, &form, 1).refuses_with(&["folder_token: must be a string"]);
    assert_eq!(put(&server.user(), &form, Value::Null).to_string(), NO_FORM);
    // A removed collaborator finds the form in no folder when it is shared again.
    owner.delete(support::sharing::path(&form, &reader)).is(200);
    assert_eq!(reader.get(at(&b)).data()["child_form_count"], 0);
    share(&owner, &form, &reader, "viewer");
    assert_eq!(place(&reader, &form), Value::Null);
}

#[test]
fn what_lies_in_a_deleted_folder_moves_up() {
    let user = Server::shared().user();
    let top = folder(&user, "top", None);
    let middle = folder(&user, "middle", Some(&top));
    let low = folder(&user, "low", Some(&middle));
    let inside = form(&user, Some(&middle));
    // A folder may have the name of the one that it takes the place of.
    user.patch(at(&low), json!({"name": "middle"})).is(200);
    user.delete(at(&middle)).is(200);
    assert_eq!((parent(&user, &low), place(&user, &inside)), (json!(top), json!(top)));
    // One of that name is there already: nothing moves.
    let clash = folder(&user, "clash", None);
    let below = folder(&user, "clash", Some(&top));
    let refused = user.delete(at(&top)).is(422);
    assert_eq!(refused.attributes(), ["name"], "{refused}");
    assert_eq!((parent(&user, &below), place(&user, &inside)), (json!(top), json!(top)));
    assert_eq!(user.get(at(&top)).data()["child_folder_count"], 2);
    user.delete(at(&clash)).is(200);
    user.delete(at(&top)).is(200);
    assert_eq!((parent(&user, &below), place(&user, &inside)), (Value::Null, Value::Null));
}

#[test]
fn deleted_forms_count_no_more_and_come_back_to_their_folder() {
    let user = Server::shared().user();
    let token = folder(&user, "f", None);
    let form = form(&user, Some(&token));
    let count = || user.get(at(&token)).data()["child_form_count"].clone();
    assert_eq!(count(), 1);
    user.delete(form.path()).is(200);
    assert_eq!(count(), 0);
    assert_eq!(user.post(form.part("restore"), json!({})).data()["folder_token"], token);
    let copy = user.post(form.part("copy"), json!({"folder_token": token}));
    assert_eq!(copy.data()["folder_token"], token);
    assert_eq!(count(), 2);
}
