//! Collaborators of forms (contract sections 2 and 3).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use support::sharing::{id, path, share};
use support::steps::simple;
use support::{Caller, Form, Response, Server, field};

fn list(caller: &Caller, form: &Form) -> Response {
    caller.get(format!("{}/collaborators", form.path()))
}

#[test]
fn a_form_is_shared_changed_and_taken_back() {
    let (owner, form) = simple();
    let bob = Server::shared().user_named("bob-shares@example.com", "Bob Li");
    assert_eq!(list(&owner, &form).to_string(), r#"200 {"data":[],"pagination":{"total":0,"next_cursor":""}}"#);
    let shared = owner.put(path(&form, &bob), json!({"role": "viewer"}));
    let body = json!({
        "user_id": id(&bob), "name": "Bob Li", "email": "bob-shares@example.com", "role": "viewer",
    });
    assert_eq!((shared.status, shared.data()), (200, body.clone()));
    assert_eq!(list(&owner, &form).json()["data"], json!([body]));
    // Done again it changes the role.
    for role in ["editor", "manager", "manager"] {
        let changed = owner.put(path(&form, &bob), json!({"role": role}));
        assert_eq!(changed.data()["role"], role);
        assert_eq!(bob.get(form.path()).data()["role"], role);
        assert_eq!(bob.get(form.path()).data()["owned"], false);
    }
    assert_eq!(list(&bob, &form).json()["pagination"]["total"], 1);
    let gone = owner.delete(path(&form, &bob));
    assert_eq!((gone.status, gone.data()), (200, json!({"deleted": true, "user_id": id(&bob)})));
    assert_eq!(bob.get(form.path()).to_string(), r#"404 {"error":"Form not found"}"#);
    let again = owner.delete(path(&form, &bob));
    assert_eq!(again.to_string(), r#"404 {"error":"Collaborator not found"}"#);
}

#[test]
fn what_each_role_may_do() {
    let (owner, form) = simple();
    let server = Server::shared();
    let values = || json!({"field_values": {"field_1": "x"}});
    let viewer = server.user();
    share(&owner, &form, &viewer, "viewer");
    assert_eq!(owner.post(form.entries(), values()).status, 201);
    for path in [
        form.path(),
        form.entries(),
        form.entry(1),
        form.trash(),
        format!("{}/settings", form.path()),
        format!("{}/theme", form.path()),
        format!("{}/field_rules", form.path()),
        format!("{}/report", form.entries()),
        format!("{}/export?format=json", form.entries()),
    ] {
        assert_eq!(viewer.get(&path).status, 200, "{path}");
    }
    let forbidden = viewer.post(form.entries(), values());
    assert_eq!(forbidden.to_string(), r#"403 {"error":"Forbidden"}"#);
    // The role comes before the content.
    assert_eq!(viewer.post(form.entries(), json!([])).status, 403);

    let editor = server.user();
    share(&owner, &form, &editor, "editor");
    assert_eq!(editor.post(form.entries(), values()).status, 201);
    assert_eq!(editor.patch(form.entry(1), values()).status, 200);
    assert_eq!(editor.delete(form.entry(1)).status, 200);
    let restored = editor.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_eq!(restored.status, 200);
    assert_eq!(editor.patch(form.path(), json!({"name": "y"})).status, 403);
    assert_eq!(list(&editor, &form).status, 403);

    let manager = server.user();
    share(&owner, &form, &manager, "manager");
    assert_eq!(manager.patch(form.path(), json!({"name": "y"})).status, 200);
    let settings = json!({"access_control": {"access_password": "open sesame"}});
    let path = format!("{}/settings", form.path());
    assert_eq!(manager.patch(&path, settings).status, 200);
    // Managers read the password as set, others do not.
    let password = |who: &Caller| who.get(&path).data()["access_control"]["access_password"].clone();
    assert_eq!(password(&manager), "open sesame");
    assert_eq!(password(&editor), "********");
    assert_eq!(password(&viewer), "********");
    assert_eq!(manager.delete(form.path()).status, 403);
    assert_eq!(owner.delete(form.path()).status, 200);
    let restore = format!("{}/restore", form.path());
    assert_eq!(manager.post(&restore, json!({})).status, 403);
    assert_eq!(viewer.get(form.path()).status, 404);
    assert_eq!(owner.post(&restore, json!({})).status, 200);
    assert_eq!(viewer.get(form.path()).status, 200);
}

#[test]
fn only_people_of_the_same_organisation_can_be_named() {
    let (owner, form) = simple();
    let server = Server::shared();
    let made = server.run(&["user", "create", "out@else.example", "--name", "O", "--organization", "Outside"]);
    assert!(made.status.success());
    let outside = server.token("out@else.example", "form:read form:write");
    let refused = owner.put(path(&form, &outside), json!({"role": "viewer"}));
    assert_eq!(refused.to_string(), r#"404 {"error":"User not found"}"#);
    for odd in ["AAAAAAAAAA", "1", "out@else.example", "%00"] {
        let path = format!("{}/collaborators/{odd}", form.path());
        let refused = owner.put(&path, json!({"role": "viewer"}));
        assert_eq!(refused.to_string(), r#"404 {"error":"User not found"}"#, "{odd}");
        assert_eq!(owner.delete(&path).status, 404, "{odd}");
    }
    // The owner of the organisation has no right to members' forms by that.
    let server = Server::alone("commands change all of it");
    let (first, second) = (server.user(), server.user());
    assert_eq!(first.get("/api/v1/me").data()["organization"]["role"], "owner");
    let theirs = second.form(json!([field("short_text", json!({}))]));
    assert_eq!(first.get(theirs.path()).status, 404);
}

#[test]
fn faults_of_the_body_are_told() {
    let (owner, form) = simple();
    let bob = Server::shared().user();
    for (body, fault) in [
        (json!({}), "role: is required"),
        (json!({"role": null}), "role: is required"),
        (json!({"role": "owner"}), "role: must be one of viewer, editor, manager"),
        (json!({"role": "Viewer"}), "role: must be one of viewer, editor, manager"),
        (json!({"role": 1}), "role: must be one of viewer, editor, manager"),
        (json!([]), ": must be an object"),
    ] {
        let refused = owner.put(path(&form, &bob), body);
        assert_eq!(refused.status, 422);
        assert_eq!(refused.faults(), [fault]);
    }
    let own = owner.put(path(&form, &owner), json!({"role": "viewer"}));
    assert_eq!(own.faults(), ["user_id: is the form's owner"]);
    assert_eq!(owner.get(form.path()).data()["owned"], true);
    let manager = Server::shared().user();
    share(&owner, &form, &manager, "manager");
    let theirs = manager.put(path(&form, &owner), json!({"role": "viewer"}));
    assert_eq!(theirs.status, 422);
    let taken = manager.delete(path(&form, &owner));
    assert_eq!(taken.to_string(), r#"404 {"error":"Collaborator not found"}"#);
}

#[test]
fn long_lists_come_in_pages() {
    let (owner, form) = simple();
    let people: Vec<Caller> = (0..5).map(|_| Server::shared().user()).collect();
    for one in people.iter().rev() {
        share(&owner, &form, one, "viewer");
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("{}/collaborators?page_size=2&cursor={cursor}", form.path());
        let page = owner.get(path).json();
        assert_eq!(page["pagination"]["total"], 5);
        let rows = page["data"].as_array().expect("rows").clone();
        seen.extend(rows.iter().map(|row| row["user_id"].as_str().expect("an id").to_owned()));
        cursor = page["pagination"]["next_cursor"].as_str().expect("text").to_owned();
        if cursor.is_empty() {
            break;
        }
    }
    let known: Vec<String> = people.iter().map(id).collect();
    assert_eq!(seen, known);
    let other = owner.form(json!([field("short_text", json!({}))]));
    let page = owner.get(format!("{}/collaborators?page_size=2", form.path())).json();
    let cursor = page["pagination"]["next_cursor"].as_str().expect("text");
    let foreign = owner.get(format!("{}/collaborators?cursor={cursor}", other.path()));
    assert_eq!(foreign.status, 400);
    for odd in ["0", "101", "x"] {
        let path = format!("{}/collaborators?page_size={odd}", form.path());
        assert_eq!(owner.get(path).status, 400);
    }
}

#[test]
fn a_manager_may_leave_and_who_lost_the_role_is_told_at_once() {
    let (owner, form) = simple();
    let server = Server::shared();
    let manager = server.user();
    share(&owner, &form, &manager, "manager");
    share(&owner, &form, &manager, "editor");
    assert_eq!(manager.patch(form.path(), json!({"name": "z"})).status, 403);
    let values = json!({"field_values": {"field_1": "x"}});
    assert_eq!(manager.post(form.entries(), values.clone()).status, 201);
    share(&owner, &form, &manager, "viewer");
    assert_eq!(manager.post(form.entries(), values).status, 403);
    share(&owner, &form, &manager, "manager");
    assert_eq!(manager.delete(path(&form, &manager)).status, 200);
    assert_eq!(manager.get(form.path()).status, 404);
    // Tags are of the form, not of who looks.
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
    let editor = Server::shared().user();
    share(&owner, &form, &editor, "editor");
    let linking = |form: &Form| {
        json!({"name": "L", "fields": [{
            "type": "linked_form", "label": "L", "form_token": form.token,
            "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}],
        }]})
    };
    let refused = editor.post("/api/v1/forms", linking(&form));
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.attributes(), ["fields[0].form_token"]);
    share(&owner, &form, &editor, "manager");
    let made = editor.form_with(linking(&form));
    // Shared on, it is read by who does not see the linked form; copied it can't be.
    let reader = Server::shared().user();
    share(&editor, &made, &reader, "manager");
    assert_eq!(reader.get(made.path()).status, 200);
    let copied = reader.post(format!("{}/copy", made.path()), json!({}));
    assert_eq!(copied.attributes(), ["fields[0].form_token"]);
    // What was there stays where they change another field.
    let kept = reader.patch(made.path(), json!({"fields": made.body["fields"]}));
    assert_eq!(kept.status, 200, "{kept}");
    // Nor may they put in another such field.
    let mut fields = made.body["fields"].clone();
    let another = linking(&form)["fields"][0].clone();
    fields.as_array_mut().expect("a list").push(another);
    let refused = reader.patch(made.path(), json!({"fields": fields}));
    assert_eq!(refused.status, 422);
}

#[test]
fn an_export_that_runs_ends_with_the_role() {
    let server = Server::alone("an export holds it up");
    let (owner, reader) = (server.user(), server.user());
    let form = owner.form(json!([field("long_text", json!({}))]));
    share(&owner, &form, &reader, "viewer");
    let entries: Vec<Value> = (0..1000).map(|_| json!({"field_values": {"field_1": "x".repeat(15_000)}})).collect();
    for _ in 0..2 {
        let bulk = format!("{}/bulk", form.entries());
        assert_eq!(owner.post(bulk, json!({"entries": entries})).status, 201);
    }
    let read = |between: &mut dyn FnMut(usize)| {
        let host = server.base.trim_start_matches("http://");
        let mut socket = TcpStream::connect(host).expect("connects");
        let request = format!(
            "GET {}/export?format=json HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\
             Connection: close\r\n\r\n",
            form.entries(),
            reader.token.as_deref().expect("a token"),
        );
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
            assert_eq!(owner.delete(path(&form, &reader)).status, 200);
        }
    });
    assert!(cut.len() < 20_000_000, "{}", cut.len());
    assert!(!cut.ends_with(b"0\r\n\r\n"));
}
