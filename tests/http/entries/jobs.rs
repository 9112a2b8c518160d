//! Long work on many entries: its requests, its progress, its end and its undoing (contract section 11).

use serde_json::{Value, json};
use support::sharing::share;
use support::steps::{again, bulk, count};
use support::{Caller, Form, Response, Server, field, until};

/// A form of a text and a unique number, with entries 1 to `count`.
fn filled(owner: &Caller, count: i64) -> Form {
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({"unique": true}))]));
    let values: Vec<Value> = (1..=count).map(|n| json!({"field_1": format!("entry {n}"), "field_2": n})).collect();
    bulk(owner, &form, &values);
    form
}

fn trash(caller: &Caller, form: &Form, body: Value) -> Response {
    caller.post(format!("/api/v1/forms/{}/entries/bulk_trash", form.token), body)
}

fn update(caller: &Caller, form: &Form, body: Value) -> Response {
    caller.post(format!("/api/v1/forms/{}/entries/bulk_update", form.token), body)
}

fn job(caller: &Caller, form: &Form, begun: &Response) -> Value {
    let id = begun.data()["id"].clone();
    caller.get(format!("/api/v1/forms/{}/jobs/{}", form.token, id.as_str().expect("an id"))).is(200).data()
}

fn stop(caller: &Caller, form: &Form, begun: &Response) -> Response {
    let id = begun.data()["id"].clone();
    caller.post(format!("/api/v1/forms/{}/jobs/{}/stop", form.token, id.as_str().expect("an id")), json!({}))
}

fn undo(caller: &Caller, form: &Form, begun: &Response) -> Response {
    let id = begun.data()["id"].clone();
    caller.post(format!("/api/v1/forms/{}/jobs/{}/undo", form.token, id.as_str().expect("an id")), json!({}))
}

/// The job once it is over.
fn over(caller: &Caller, form: &Form, begun: &Response) -> Value {
    let begun = begun.clone().is(202);
    until("the job is over", || !job(caller, form, &begun)["finished_at"].is_null());
    job(caller, form, &begun)
}

fn trashed(owner: &Caller, form: &Form) -> i64 {
    owner.get(form.trash()).json()["pagination"]["total"].as_i64().expect("a number")
}

#[test]
fn entries_that_match_go_to_the_trash_and_come_back_with_number_and_token() {
    let owner = Server::shared().user();
    let form = filled(&owner, 250);
    let before = owner.get(form.entry(7)).data();
    let most = json!([{"field": "field_2", "operator": "lte", "value": 200}]);
    let begun = trash(&owner, &form, json!({"filters": most, "expected_total": 200}));
    let fresh = begun.clone().is(202).data();
    assert_eq!((&fresh["kind"], &fresh["total"], &fresh["refused"]), (&json!("bulk_trash"), &json!(200), &json!([])));
    let done = over(&owner, &form, &begun);
    assert_eq!((&done["state"], &done["done"], &done["total"]), (&json!("done"), &json!(200), &json!(200)));
    assert_eq!([count(&owner, &form), trashed(&owner, &form)], [50, 200]);
    let undone = undo(&owner, &form, &begun);
    let back = over(&owner, &form, &undone);
    assert_eq!((&back["kind"], &back["done"], &back["refused"]), (&json!("restore"), &json!(200), &json!([])));
    assert_eq!([count(&owner, &form), trashed(&owner, &form)], [250, 0]);
    assert_eq!(owner.get(form.entry(7)).data(), before);
    // Asked again, it is the same; a restore can't be undone.
    assert_eq!(undo(&owner, &form, &begun).data()["id"], undone.data()["id"]);
    undo(&owner, &form, &undone).refuses(409, "cannot_undo");
}

#[test]
fn entries_that_cannot_come_back_are_named() {
    let owner = Server::shared().user();
    let form = filled(&owner, 3);
    let begun = trash(&owner, &form, json!({"expected_total": 3}));
    over(&owner, &form, &begun);
    owner.post(form.entries(), json!({"field_values": {"field_2": 2}})).is(201);
    let back = over(&owner, &form, &undo(&owner, &form, &begun));
    assert_eq!(
        back["refused"],
        json!([{"serial_number": 2, "error_details": [
            {"attribute": "field_values.field_2", "message": "has already been taken"},
        ]}])
    );
    assert_eq!([count(&owner, &form), trashed(&owner, &form)], [3, 1]);
}

#[test]
fn values_are_set_where_each_entry_takes_them() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field(
            "radio",
            json!({"choices": [{"api_code": "Yes01", "label": "Yes"}, {"api_code": "No001", "label": "No"}]})
        ),
        field("number", json!({"unique": true})),
    ]));
    bulk(&owner, &form, &(1..=60).map(|n| json!({"field_1": format!("{n}"), "field_3": n})).collect::<Vec<_>>());
    let body = json!({"serial_numbers": [1, 2, 3, 60, 99], "field_values": {"field_2": "Yes01"}, "expected_total": 4});
    let done = over(&owner, &form, &update(&owner, &form, body));
    assert_eq!((&done["kind"], &done["done"], &done["refused"]), (&json!("bulk_update"), &json!(4), &json!([])));
    for (serial, value) in [(3, json!("Yes01")), (4, json!(null)), (60, json!("Yes01"))] {
        assert_eq!(owner.get(form.entry(serial)).data()["field_2"]["value"], value, "{serial}");
    }
    // Both narrow: filters and numbers.
    let chosen = json!([{"field": "field_2", "operator": "any_in", "value": ["Yes01"]}]);
    let unique = json!({
        "filters": chosen, "serial_numbers": [2, 3, 4], "field_values": {"field_3": 1000}, "expected_total": 2,
    });
    let begun = update(&owner, &form, unique);
    let done = over(&owner, &form, &begun);
    assert_eq!(
        done["refused"],
        json!([{"serial_number": 3, "error_details": [
            {"attribute": "field_values.field_3", "message": "has already been taken"},
        ]}])
    );
    assert_eq!(owner.get(form.entry(2)).data()["field_3"], 1000);
    undo(&owner, &form, &begun).refuses(409, "cannot_undo");
    // Each entry is checked against its own requirements.
    let blank =
        over(&owner, &form, &update(&owner, &form, json!({"field_values": {"field_1": ""}, "expected_total": 60})));
    assert_eq!(blank["refused"].as_array().map(Vec::len), Some(60));
    assert_eq!(blank["refused"][0]["error_details"][0]["message"], "can't be blank");
}

#[test]
fn requests_are_checked_before_anything_begins() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("short_text", json!({})),
        field("number", json!({"max": 5})),
        field("attachment", json!({})),
        field("formula", json!({"expression": "field_2 * 2", "result_type": "number"})),
    ]));
    bulk(&owner, &form, &[json!({"field_1": "a"}), json!({"field_1": "b"})]);
    let changed = trash(&owner, &form, json!({"expected_total": 3}));
    assert_eq!(
        changed.to_string(),
        r#"412 {"error":"The number of entries that match has changed to 2: look at them, then try again","code":"version_conflict"}"#
    );
    let odd = json!({"serial_numbers": ["1"], "filters": [{"field": "field_1", "operator": "gt", "value": "x"}]});
    let refused = trash(&owner, &form, odd).is(422);
    assert_eq!(refused.attributes(), ["serial_numbers", "expected_total", "filters[0].operator"]);
    let values = json!({"field_2": 6, "field_3": [], "field_4": 1});
    update(&owner, &form, json!({"field_values": values, "expected_total": 2})).refuses_with(&[
        "field_values.field_2: must be 5 or less",
        "field_values.field_3: can't be set for several entries: a file belongs to one",
        "field_values.field_4: can't be set",
    ]);
    update(&owner, &form, json!({"field_values": {"field_9": 1}, "expected_total": 2}))
        .refuses_with(&["field_values: names no field of this form"]);
    update(&owner, &form, json!({"expected_total": 2})).is(422);
    let told = update(&owner, &form, json!({"field_values": {"field_1": "c", "x": 1}, "expected_total": 2, "y": 1}));
    let warnings = told.is(202).json()["warnings"].clone();
    assert_eq!(warnings.as_array().map(Vec::len), Some(2), "{warnings}");
    assert_eq!(count(&owner, &form), 2);
}

#[test]
fn a_job_is_stopped_by_who_began_it_or_a_manager() {
    let server = Server::shared();
    let (owner, editor, other, viewer) = (server.user(), server.user(), server.user(), server.user());
    let form = filled(&owner, 3);
    for (user, role) in [(&editor, "editor"), (&other, "editor"), (&viewer, "viewer")] {
        share(&owner, &form, user, role);
    }
    let begun = trash(&editor, &form, json!({"serial_numbers": [1], "expected_total": 1}));
    over(&viewer, &form, &begun);
    for act in [stop, undo] {
        assert_eq!(act(&other, &form, &begun).status, 403);
        assert_eq!(act(&viewer, &form, &begun).status, 403);
        assert_eq!(act(&server.user(), &form, &begun).status, 404);
    }
    // A token needs the job's own scope.
    let lesser = server.token(&editor.email, "entry:read entry:write");
    assert_eq!(stop(&lesser, &form, &begun).to_string(), r#"403 {"error":"Insufficient scope"}"#);
    // A job that is over stays as it is.
    assert_eq!(stop(&owner, &form, &begun).is(200).data()["state"], "done");
    over(&editor, &form, &undo(&editor, &form, &begun));
    assert_eq!(count(&owner, &form), 3);
    let nowhere = owner.get(format!("/api/v1/forms/{}/jobs/{}", form.token, "AAAAAAAAAAAAAAAA"));
    assert_eq!(nowhere.to_string(), r#"404 {"error":"Job not found"}"#);
    let elsewhere = filled(&owner, 1);
    assert_eq!(undo(&owner, &elsewhere, &begun).to_string(), r#"404 {"error":"Job not found"}"#);
}

#[test]
fn a_job_survives_the_end_of_the_process_and_lets_others_write() {
    const COUNT: i64 = 3_000;
    let server = Server::alone("it is killed");
    let owner = server.user();
    let form = filled(&owner, COUNT);
    let begun = trash(&owner, &form, json!({"expected_total": COUNT}));
    let done = |owner: &Caller| job(owner, &form, &begun)["done"].as_i64().expect("a number");
    until("some of it is done", || done(&owner) > 0);
    server.kill();
    let dir = server.dir.clone();
    let server = Server::over(&dir, &[]);
    let owner = again(&owner, &server);
    // The work of a piece and its progress are one: nothing is done twice, nothing is left out.
    let sent = owner.post(form.entries(), json!({"field_values": {"field_1": "meanwhile"}}));
    assert_eq!(sent.is(201).data()["serial_number"], COUNT + 1);
    let ended = over(&owner, &form, &begun);
    assert_eq!((&ended["state"], &ended["done"]), (&json!("done"), &json!(COUNT)));
    assert_eq!([count(&owner, &form), trashed(&owner, &form)], [1, COUNT]);
    // Stopped in the middle, the finished part stays, and is undone.
    let undone = undo(&owner, &form, &begun);
    let stopped = stop(&owner, &form, &undone).is(200).data();
    assert_eq!(stopped["state"], "stopped");
    let there = job(&owner, &form, &undone)["done"].as_i64().expect("a number");
    assert_eq!([count(&owner, &form), trashed(&owner, &form)], [1 + there, COUNT - there]);
}

#[test]
fn a_job_of_somebody_who_lost_the_form_fails() {
    let server = Server::alone("its jobs are held up");
    let (owner, editor) = (server.user(), server.user());
    let form = filled(&owner, 1_000);
    share(&owner, &form, &editor, "editor");
    let begun = trash(&editor, &form, json!({"expected_total": 1000}));
    owner.delete(support::sharing::path(&form, &editor)).is(200);
    let failed = over(&owner, &form, &begun);
    assert!(["failed", "done"].contains(&failed["state"].as_str().expect("a state")), "{failed}");
    let rest = count(&owner, &form);
    assert_eq!(rest, 1_000 - failed["done"].as_i64().expect("a number"));
}
