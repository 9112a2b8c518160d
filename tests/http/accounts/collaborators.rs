//! Collaborators of forms (contract sections 2 and 3).

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};
use support::sharing::{id, path, share};
use support::steps::{bulk, simple};
use support::{Caller, Form, Response, Server, field, raw};

use super::me;

const NO_COLLABORATOR: &str = r#"404 {"error":"Collaborator not found"}"#;
const NO_USER: &str = r#"404 {"error":"User not found"}"#;

fn list(caller: &Caller, form: &Form) -> Response {
    caller.get(format!("{}/collaborators", form.path()))
}

fn named(owner: &Caller, form: &Form, user: &Caller, body: Value) -> Response {
    owner.put(path(form, user), body)
}

#[test]
fn a_form_is_shared_changed_and_taken_back() {
    let (owner, form) = simple();
    let bob = Server::shared().user_named("bob-shares@example.com", "Bob Li");
    assert_eq!(list(&owner, &form).to_string(), r#"200 {"data":[],"pagination":{"total":0,"next_cursor":""}}"#);
    let shared = named(&owner, &form, &bob, json!({"role": "viewer"})).is(200).data();
    let body = json!({"user_id": id(&bob), "name": "Bob Li", "email": "bob-shares@example.com", "role": "viewer"});
    assert_eq!((shared, list(&owner, &form).data()), (body.clone(), json!([body])));
    // Done again it changes the role.
    for role in ["editor", "manager", "manager"] {
        let changed = named(&owner, &form, &bob, json!({"role": role})).data();
        let theirs = bob.get(form.path()).data();
        assert_eq!([&changed["role"], &theirs["role"], &theirs["owned"]], [&json!(role), &json!(role), &json!(false)]);
    }
    assert_eq!(list(&bob, &form).json()["pagination"]["total"], 1);
    let gone = owner.delete(path(&form, &bob)).is(200);
    assert_eq!(gone.data(), json!({"deleted": true, "user_id": id(&bob)}));
    assert_eq!(bob.get(form.path()).to_string(), r#"404 {"error":"Form not found"}"#);
    assert_eq!(owner.delete(path(&form, &bob)).to_string(), NO_COLLABORATOR);
}

#[test]
fn a_program_finds_members_and_shares_by_their_address() {
    let server = Server::alone("its members are counted");
    let owner = server.user_named("ann@example.com", "Ann Li");
    let bob = server.user_named("Bob+Forms@example.com", "Bob");
    server.stranger("out@else.example");
    let form = owner.form(json!([field("short_text", json!({}))]));
    let member = |user: &Caller, name: &str, email: &str, role: &str| json!({"id": id(user), "name": name, "email": email, "role": role});
    let (ann, bobs) =
        (member(&owner, "Ann Li", "ann@example.com", "owner"), member(&bob, "Bob", "Bob+Forms@example.com", "member"));
    let all = bob.get("/api/v1/members").is(200).json();
    assert_eq!(all, json!({"data": [ann, bobs], "pagination": {"total": 2, "next_cursor": ""}}));
    let first = owner.get("/api/v1/members?page_size=1").is(200).json();
    assert_eq!(first["data"], json!([ann]));
    let cursor = first["pagination"]["next_cursor"].as_str().expect("a cursor");
    assert_eq!(owner.get(format!("/api/v1/members?page_size=1&cursor={cursor}")).is(200).data(), json!([bobs]));
    server.token("ann@example.com", "entry:read").get("/api/v1/members").is(403);
    // By the address, in whatever spelling.
    let path = |name: &str| format!("{}/collaborators/{name}", form.path());
    for (name, role) in [("Bob+Forms@example.com", "viewer"), ("bob%2Bforms%40EXAMPLE.com", "editor")] {
        let shared = owner.put(path(name), json!({"role": role})).is(200).data();
        assert_eq!(shared, json!({"user_id": id(&bob), "name": "Bob", "email": "Bob+Forms@example.com", "role": role}));
    }
    let gone = owner.delete(path("bob+forms@example.com")).is(200);
    assert_eq!(gone.data(), json!({"deleted": true, "user_id": id(&bob)}));
    for nobody in ["out@else.example", "nobody@example.com", "@", "bob"] {
        assert_eq!(owner.put(path(nobody), json!({"role": "viewer"})).to_string(), NO_USER, "{nobody}");
        assert_eq!(owner.delete(path(nobody)).to_string(), NO_COLLABORATOR, "{nobody}");
    }
    owner.put(path("ann@example.com"), json!({"role": "viewer"})).is(422);
}

/// Which role each route takes is in `api/access.rs`.
#[test]
fn viewers_read_editors_write_entries_and_managers_change_the_form() {
    let (owner, form) = simple();
    let [viewer, editor, manager] = ["viewer", "editor", "manager"].map(|role| {
        let user = Server::shared().user();
        share(&owner, &form, &user, role);
        user
    });
    let values = || json!({"field_values": {"field_1": "x"}});
    let [entry, settings, restore] = ["entries/1", "settings", "restore"].map(|part| form.part(part));
    owner.post(form.entries(), values()).is(201);
    let parts = ["entries", "entries/1", "trash/entries", "settings", "theme", "field_rules", "entries/report"];
    for part in parts.into_iter().chain(["entries/export?format=json"]) {
        viewer.get(form.part(part)).is_for(200, part);
    }
    // The role comes before the content.
    for body in [values(), json!([])] {
        assert_eq!(viewer.post(form.entries(), body).to_string(), r#"403 {"error":"Forbidden"}"#);
    }
    editor.post(form.entries(), values()).is(201);
    editor.patch(&entry, values()).is(200);
    editor.delete(&entry).is(200);
    editor.post(format!("{}/restore", form.trashed(1)), json!({})).is(200);
    editor.patch(form.path(), json!({"name": "y"})).is(403);
    list(&editor, &form).is(403);
    manager.patch(form.path(), json!({"name": "y"})).is(200);
    manager.patch(&settings, json!({"access_control": {"access_password": "open sesame"}})).is(200);
    // Managers read the password as set, others do not.
    let password = |who: &Caller| who.get(&settings).data()["access_control"]["access_password"].clone();
    assert_eq!([&manager, &editor, &viewer].map(password), ["open sesame", "********", "********"]);
    manager.delete(form.path()).is(403);
    owner.delete(form.path()).is(200);
    manager.post(&restore, json!({})).is(403);
    viewer.get(form.path()).is(404);
    owner.post(&restore, json!({})).is(200);
    viewer.get(form.path()).is(200);
}

#[test]
fn only_people_of_the_same_organisation_can_be_named() {
    let (owner, form) = simple();
    let server = Server::shared();
    server.stranger("out@else.example");
    let outside = server.token("out@else.example", "form:read form:write");
    assert_eq!(named(&owner, &form, &outside, json!({"role": "viewer"})).to_string(), NO_USER);
    for odd in ["AAAAAAAAAA", "1", "out@else.example", "%00"] {
        let path = format!("{}/collaborators/{odd}", form.path());
        assert_eq!(owner.put(&path, json!({"role": "viewer"})).to_string(), NO_USER, "{odd}");
        owner.delete(&path).is_for(404, odd);
    }
    // The owner of the organisation has no right to members' forms by that.
    let server = Server::alone("commands change all of it");
    let (first, second) = (server.user(), server.user());
    assert_eq!(me(&first)["organization"]["role"], "owner");
    first.get(second.form(json!([field("short_text", json!({}))])).path()).is(404);
}

#[test]
fn faults_of_a_collaborator_are_told() {
    let (owner, form) = simple();
    let (bob, manager) = (Server::shared().user(), Server::shared().user());
    let unknown = "role: must be one of viewer, editor, manager";
    for (user, body, fault) in [
        (&bob, json!({}), "role: is required"),
        (&bob, json!({"role": null}), "role: is required"),
        (&bob, json!({"role": "owner"}), unknown),
        (&bob, json!({"role": "Viewer"}), unknown),
        (&bob, json!({"role": 1}), unknown),
        (&bob, json!([]), ": must be an object"),
        (&owner, json!({"role": "viewer"}), "user_id: is the form's owner"),
    ] {
        let refused = named(&owner, &form, user, body.clone()).is_for(422, &body);
        assert_eq!(refused.faults(), [fault], "{body}");
    }
    assert_eq!(owner.get(form.path()).data()["owned"], true);
    share(&owner, &form, &manager, "manager");
    named(&manager, &form, &owner, json!({"role": "viewer"})).is(422);
    assert_eq!(manager.delete(path(&form, &owner)).to_string(), NO_COLLABORATOR);
}

#[test]
fn long_lists_of_collaborators_come_in_pages() {
    let (owner, form) = simple();
    let people: Vec<Caller> = (0..5).map(|_| Server::shared().user()).collect();
    people.iter().rev().for_each(|one| share(&owner, &form, one, "viewer"));
    let all = form.part("collaborators");
    let (mut seen, mut cursors) = (Vec::new(), vec![String::new()]);
    while cursors.len() == 1 || cursors.last().is_some_and(|cursor| !cursor.is_empty()) {
        let page = owner.get(format!("{all}?page_size=2&cursor={}", cursors[cursors.len() - 1])).is(200).json();
        assert_eq!(page["pagination"]["total"], 5);
        seen.extend(page["data"].as_array().expect("rows").iter().map(|row| row["user_id"].clone()));
        cursors.push(page["pagination"]["next_cursor"].as_str().expect("text").to_owned());
    }
    assert_eq!(seen, people.iter().map(id).collect::<Vec<String>>());
    let other = owner.form(json!([field("short_text", json!({}))])).part("collaborators");
    owner.get(format!("{other}?cursor={}", cursors[1])).is(400);
    for odd in ["0", "101", "x"] {
        owner.get(format!("{all}?page_size={odd}")).is_for(400, odd);
    }
}

#[test]
fn a_manager_may_leave_and_who_lost_the_role_is_told_at_once() {
    let (owner, form) = simple();
    let manager = Server::shared().user();
    let enter = || manager.post(form.entries(), json!({"field_values": {"field_1": "x"}}));
    share(&owner, &form, &manager, "manager");
    share(&owner, &form, &manager, "editor");
    manager.patch(form.path(), json!({"name": "z"})).is(403);
    enter().is(201);
    share(&owner, &form, &manager, "viewer");
    enter().is(403);
    share(&owner, &form, &manager, "manager");
    manager.delete(path(&form, &manager)).is(200);
    manager.get(form.path()).is(404);
    // Tags depend on the form, not on the reader.
    let tag = owner.get(form.path()).header("etag").to_owned();
    share(&owner, &form, &manager, "viewer");
    let theirs = manager.get(form.path());
    assert_eq!(theirs.header("etag"), tag);
    assert_eq!(theirs.data()["updated_at"], owner.get(form.path()).data()["updated_at"]);
}

/// A linked_form field needs a manager of the linked form too (S42).
#[test]
fn who_does_not_manage_a_form_links_none_to_it() {
    let (owner, form) = simple();
    let (editor, reader) = (Server::shared().user(), Server::shared().user());
    share(&owner, &form, &editor, "editor");
    let linking = json!({
        "type": "linked_form", "label": "L", "form_token": form.token,
        "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}],
    });
    let body = json!({"name": "L", "fields": [linking]});
    let refused = editor.post("/api/v1/forms", body.clone()).is(422);
    assert_eq!(refused.attributes(), ["fields[0].form_token"]);
    share(&owner, &form, &editor, "manager");
    let made = editor.form_with(body);
    // Shared on, it is read by users who do not see the linked form; they can't copy it.
    share(&editor, &made, &reader, "manager");
    reader.get(made.path()).is(200);
    assert_eq!(reader.post(made.part("copy"), json!({})).attributes(), ["fields[0].form_token"]);
    // An existing field may stay when another field changes; but no other such field may be added.
    let kept = &made.body["fields"];
    reader.patch(made.path(), json!({ "fields": kept })).is(200);
    reader.patch(made.path(), json!({"fields": [kept[0], linking]})).is(422);
}

#[test]
fn an_export_that_runs_ends_with_the_role() {
    let server = Server::alone("an export holds it up");
    let (owner, reader) = (server.user(), server.user());
    let form = owner.form(json!([field("long_text", json!({}))]));
    share(&owner, &form, &reader, "viewer");
    bulk(&owner, &form, &vec![json!({"field_1": "x".repeat(15_000)}); 2000]);
    let request = format!(
        "GET {}/export?format=json HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        form.entries(),
        raw::host(&server.base),
        reader.token.as_deref().expect("a token"),
    );
    let read = |between: &mut dyn FnMut(usize)| {
        let mut socket = raw::connect(&server.base);
        socket.write_all(request.as_bytes()).expect("sends");
        let (mut all, mut buffer) = (Vec::new(), vec![0; 256 << 10]);
        while let Ok(n @ 1..) = socket.read(&mut buffer) {
            all.extend_from_slice(&buffer[..n]);
            between(all.len());
        }
        all
    };
    assert!(read(&mut |_| {}).ends_with(b"0\r\n\r\n"));
    let mut is_gone = false;
    let cut = read(&mut |len| {
        if len > 100_000 && !is_gone {
            is_gone = true;
            owner.delete(path(&form, &reader)).is(200);
        }
    });
    assert!(cut.len() < 20_000_000 && !cut.ends_with(b"0\r\n\r\n"), "{}", cut.len());
}
