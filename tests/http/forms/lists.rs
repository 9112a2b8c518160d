//! The list of the caller's forms (spec 4.9), and of forms that they have submitted to.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::{Caller, Form, Response, Server, next_moment};

use crate::forms::{FORMS, NO_FOLDER, line};

fn users() -> [Caller; 2] {
    [(); 2].map(|()| Server::shared().user())
}

fn form(caller: &Caller, name: &str) -> Form {
    caller.form_with(json!({"name": name, "fields": [line()]}))
}

fn list(caller: &Caller, query: &str) -> Response {
    caller.get(format!("{FORMS}?{query}"))
}

fn names(answer: &Response) -> Vec<String> {
    let rows = answer.clone().is(200).data();
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

fn cursor(answer: &Response) -> String {
    let next = answer.json()["pagination"]["next_cursor"].clone();
    next.as_str().expect("text").to_owned()
}

fn total(answer: &Response) -> Value {
    answer.json()["pagination"]["total"].clone()
}

/// The names of a list of one page, which counts them.
#[track_caller]
fn found(caller: &Caller, query: &str) -> Vec<String> {
    let page = list(caller, query);
    let names = names(&page);
    assert_eq!(total(&page), names.len(), "{query}: {page}");
    names
}

/// All names of a list, page by page.
fn walk(caller: &Caller, query: &str, size: usize) -> Vec<String> {
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let page = list(caller, &format!("{query}&page_size={size}&cursor={next}"));
        seen.extend(names(&page));
        next = cursor(&page);
        if next.is_empty() {
            return seen;
        }
    }
}

#[test]
fn list_holds_own_and_shared_forms() {
    let [ann, bob] = users();
    form(&ann, "a1");
    let b1 = form(&bob, "b1");
    form(&ann, "a2");
    let b2 = form(&bob, "b2");
    form(&bob, "b3");
    share(&bob, &b2, &ann, "editor");
    share(&bob, &b1, &ann, "manager");
    assert_eq!(found(&ann, ""), ["b2", "a2", "b1", "a1"]);
    let rows = list(&ann, "").data();
    let whose: Vec<Value> =
        rows.as_array().expect("rows").iter().map(|row| json!([row["owned"], row["role"]])).collect();
    assert_eq!(json!(whose), json!([[false, "editor"], [true, "manager"], [false, "manager"], [true, "manager"]]));
    for size in 1..5 {
        assert_eq!(walk(&ann, "", size), ["b2", "a2", "b1", "a1"], "{size}");
    }
    assert_eq!(found(&bob, ""), ["b3", "b2", "b1"]);
    // Forms that are deleted, or no longer shared, are gone.
    bob.delete(b2.path()).is(200);
    bob.delete(support::sharing::path(&b1, &ann)).is(200);
    assert_eq!(found(&ann, ""), ["a2", "a1"]);
}

#[test]
fn list_item_has_its_keys_and_no_more() {
    let [owner, reader] = users();
    let form = form(&owner, "A form");
    share(&owner, &form, &reader, "viewer");
    owner.post(form.entries(), json!({"field_values": {}})).is(201);
    for (who, whose) in [(&owner, r#""owned":true,"role":"manager""#), (&reader, r#""owned":false,"role":"viewer""#)] {
        assert_eq!(
            list(who, "").to_string(),
            [
                r#"200 {"data":[{"name":"A form","description":"","token":"[token]","scene":"form","layout":"classic","#,
                r#""created_at":"[time]","updated_at":"[time]","last_entry_created_at":"[time]","entries_count":1,"#,
                whose,
                r#"}],"pagination":{"total":1,"next_cursor":""}}"#,
            ]
            .concat()
        );
    }
}

#[test]
fn list_is_sorted_by_each_of_three_times() {
    let [ann, bob] = users();
    let (a, b, c) = (form(&ann, "a"), form(&bob, "b"), form(&ann, "c"));
    share(&bob, &b, &ann, "manager");
    next_moment();
    ann.patch(a.path(), json!({"description": "x"})).is(200);
    for form in [&c, &b] {
        next_moment();
        ann.post(form.entries(), json!({"field_values": {"field_1": "x"}})).is(201);
    }
    for (sort, order) in
        [("created_at", ["c", "b", "a"]), ("updated_at", ["a", "c", "b"]), ("last_entry_created_at", ["b", "c", "a"])]
    {
        assert_eq!(found(&ann, &format!("sort={sort}")), order, "{sort}");
        assert_eq!(walk(&ann, &format!("sort={sort}"), 1), order, "{sort}");
    }
    for odd in ["name", "-created_at", "Created_at", "CREATED_AT", "created_at%20", ""] {
        let refused = list(&ann, &format!("sort={odd}"));
        let expected = r#"400 {"error":"sort must be one of created_at, updated_at, last_entry_created_at"}"#;
        assert_eq!(refused.to_string(), expected, "{odd}");
    }
}

#[test]
fn names_are_searched_in_any_case_and_width() {
    let [ann, bob] = users();
    for name in ["Summer FÊTE", "ｓｕｍｍｅｒ PARTY", "Straße 100%", "100%_done", "夏のアンケート"] {
        form(&ann, name);
    }
    share(&bob, &form(&bob, "Shared party"), &ann, "viewer");
    let summer = &["ｓｕｍｍｅｒ PARTY", "Summer FÊTE"][..];
    let party = &["Shared party", "ｓｕｍｍｅｒ PARTY"];
    for (part, expected) in [
        ("summer", summer),
        ("ＳＵＭＭＥＲ", summer),
        ("fête", &["Summer FÊTE"]),
        ("STRASSE", &["Straße 100%"]),
        ("アンケート", &["夏のアンケート"]),
        ("party", party),
        ("Ｐarty", party),
        ("nothing", &[]),
        // No character is a wildcard.
        ("%", &["100%_done", "Straße 100%"]),
        ("_", &["100%_done"]),
        ("%_", &["100%_done"]),
        ("*", &[]),
    ] {
        let name: String = url::form_urlencoded::byte_serialize(part.as_bytes()).collect();
        assert_eq!(found(&ann, &format!("name={name}")), expected, "{part}");
    }
    assert_eq!(found(&ann, "name=").len(), 6);
    assert_eq!(walk(&ann, "name=party", 1), party);
}

#[test]
fn list_is_of_a_folder_or_of_none() {
    let [ann, bob] = users();
    let made = ann.post("/api/v1/folders", json!({"name": "f"})).data();
    let folder = made["token"].as_str().expect("a token");
    let (a, b) = (form(&ann, "a"), form(&bob, "b"));
    form(&ann, "c");
    share(&bob, &b, &ann, "viewer");
    for placed in [&a, &b] {
        ann.put(placed.part("folder"), json!({"folder_token": folder})).is(200);
    }
    assert_eq!(found(&ann, &format!("folder_token={folder}")), ["b", "a"]);
    assert_eq!(walk(&ann, &format!("folder_token={folder}"), 1), ["b", "a"]);
    assert_eq!(found(&ann, &format!("folder_token={folder}&name=B")), ["b"]);
    assert_eq!(found(&ann, "folder_token="), ["c"]);
    assert_eq!(found(&ann, ""), ["c", "b", "a"]);
    assert_eq!(found(&bob, "folder_token="), ["b"]);
    assert_eq!(list(&ann, "folder_token=aaaaaaaaaa").to_string(), NO_FOLDER);
}

#[test]
fn cursor_goes_on_however_the_same_list_is_asked_for() {
    let user = Server::shared().user();
    for name in ["a", "b", "c"] {
        form(&user, name);
    }
    let next = cursor(&list(&user, "page_size=1&_=1"));
    for same in ["", "sort=created_at", "name=", "_=2", "sort=x&sort=created_at"] {
        assert_eq!(names(&list(&user, &format!("{same}&cursor={next}"))), ["b", "a"], "{same}");
    }
    for other in ["sort=updated_at", "name=a", "name=b", "folder_token="] {
        let refused = list(&user, &format!("{other}&cursor={next}"));
        assert_eq!(refused.status, 400, "{other}: {refused}");
    }
    list(&Server::shared().user(), &format!("cursor={next}")).is(400);
}

#[test]
fn pages_hold_1_to_100_forms_10_by_default() {
    let ann = Server::shared().user();
    for n in 0..12 {
        form(&ann, &n.to_string());
    }
    assert_eq!(names(&list(&ann, "")).len(), 10);
    assert_eq!(found(&ann, "page_size=100").len(), 12);
    assert_eq!(names(&list(&ann, "page_size=1")), ["11"]);
    // Nothing is skipped or repeated when forms come and go meanwhile.
    let first = list(&ann, "page_size=5");
    let gone = first.data()[4]["token"].clone();
    ann.delete(format!("{FORMS}/{}", gone.as_str().expect("a token"))).is(200);
    form(&ann, "new");
    let rest = list(&ann, &format!("page_size=5&cursor={}", cursor(&first)));
    assert_eq!(names(&rest), ["6", "5", "4", "3", "2"]);
}

#[test]
fn participated_forms_are_those_that_somebody_submitted_to() {
    let [ann, bob] = users();
    let path = "/api/v1/participated_forms";
    assert_eq!(bob.get(path).to_string(), r#"200 {"data":[],"pagination":{"total":0,"next_cursor":""}}"#);
    let (a, b) = (form(&ann, "a"), form(&ann, "b"));
    share(&ann, &b, &bob, "viewer");
    let submit = |who: &Caller, form: &Form| {
        next_moment();
        let sent = who.post(form.submissions(), json!({"field_values": {"field_1": "x"}})).is(201);
        sent.data()["entry"]["created_at"].clone()
    };
    submit(&bob, &a);
    submit(&bob, &b);
    let last = submit(&bob, &a);
    submit(&Server::shared().anon(), &b);
    submit(&ann, &b);
    // An entry added on the owner's behalf is no participation.
    ann.post(a.entries(), json!({"field_values": {}})).is(201);
    let found = bob.get(path);
    assert_eq!((names(&found), total(&found)), (vec!["a".to_owned(), "b".to_owned()], json!(2)), "{found}");
    let row = |n: usize, keys: [&str; 3]| json!(keys.map(|key| found.data()[n][key].clone()));
    let keys = ["participations_count", "owned", "role"];
    assert_eq!((row(0, keys), row(1, keys)), (json!([2, false, null]), json!([1, false, "viewer"])), "{found}");
    assert_eq!(found.data()[0]["last_participated_at"], last);
    let own = ann.get(path);
    assert_eq!((names(&own), &own.data()[0]["owned"]), (vec!["b".to_owned()], &json!(true)), "{own}");
    let first = bob.get(format!("{path}?page_size=1"));
    assert_eq!(total(&first), 2);
    assert_eq!(names(&bob.get(format!("{path}?page_size=1&cursor={}", cursor(&first)))), ["b"]);
    // An entry in the trash was submitted all the same; a form there is gone.
    ann.delete(a.entry(1)).is(200);
    assert_eq!(bob.get(path).data()[0]["participations_count"], 2);
    ann.delete(a.path()).is(200);
    assert_eq!(names(&bob.get(path)), ["b"]);
}

#[test]
fn deleted_forms_are_listed_and_come_back() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let ann = server.token("ann@example.org", "form:read form:write form:delete entry:write");
    let bob = server.user();
    let [picnic, party] = ["Picnic", "Party"].map(|name| form(&ann, name));
    share(&ann, &party, &bob, "manager");
    let browser = Session::on(&server).signed_in("ann@example.org");
    let delete = |form: &Form| format!("/forms/{}/delete", form.token);
    let restore = |form: &Form| format!("/forms/{}/restore", form.token);
    let copied = |form: &Form| format!("/forms/{}/copy", form.token);
    browser.get("/forms").has(["Delete", "Copy"]);
    // From the row, with the way back beside it; the public page ends at once.
    let list = browser.post_on(&delete(&party), &[]);
    list.has(["“\u{2068}Party\u{2069}” is in the trash", "Undo"]);
    server.anon().get(party.page()).is(404);
    assert_eq!(found(&ann, "trashed=true"), ["Party"]);
    assert_eq!(found(&ann, "trashed=false"), ["Picnic"]);
    assert_eq!(found(&bob, "trashed=true"), Vec::<String>::new(), "only to its owner");
    assert_eq!(found(&ann, "trashed=true&name=pic"), Vec::<String>::new());
    browser.get("/forms/trash").has(["Deleted forms", "Party", "30 days", "Restore"]);
    browser.post(&restore(&party), &[]).is(303);
    assert_eq!(found(&ann, "trashed=true"), Vec::<String>::new());
    browser.get(&format!("/forms?deleted={}", party.token)).lacks(["Undo"]);
    server.anon().get(party.page()).is(200);
    // A copy has the questions and none of the entries.
    browser.post_on(&copied(&picnic), &[]).is(200).has(["Picnic (copy)", "Not published"]);
    assert!(found(&ann, "").contains(&"Picnic (copy)".to_owned()));
    list_refused(&ann, "trashed=yes");
    // Others may not.
    account(&server, "eve@example.org");
    let eve = Session::on(&server).signed_in("eve@example.org");
    eve.get("/forms");
    for address in [delete(&picnic), restore(&picnic), copied(&picnic)] {
        eve.post(&address, &[]).is(404);
    }
}

fn list_refused(caller: &Caller, query: &str) {
    let refused = list(caller, query).is(422);
    assert_eq!(refused.attributes(), ["trashed"], "{refused}");
}
