//! Entries: created, read, changed, deleted, listed (contract section 4).

use serde_json::{Value, json};
use support::steps::serials;
use support::{Caller, Form, Server, field, next_moment};

#[test]
fn an_entry_is_stored_read_changed_and_deleted() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let made = owner.post(form.entries(), json!({"field_values": {"field_1": "Ada"}}));
    assert_eq!(
        made.to_string(),
        r#"201 {"data":{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","info_filling_duration":null,"creator_name":"Ada Lovelace","field_1":"Ada"}}"#
    );
    assert_eq!(owner.get(form.entry(1)).json(), made.json());
    let changed = owner.patch(form.entry(1), json!({"field_values": {"field_1": null}}));
    assert_eq!(changed.status, 200);
    assert_eq!(changed.data()["field_1"], json!(null));
    assert_eq!(owner.delete(form.entry(1)).to_string(), r#"200 {"data":{"deleted":true,"serial_number":1}}"#);
    assert_eq!(owner.get(form.entry(1)).to_string(), r#"404 {"error":"Entry not found"}"#);
}

/// A form of a text and a number, and entries 1 to `count`.
fn filled(count: i64) -> (Caller, Form) {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({}))]));
    for n in 1..=count {
        let body = json!({"field_values": {"field_1": format!("entry {n}"), "field_2": n}});
        assert_eq!(owner.post(form.entries(), body).status, 201);
    }
    (owner, form)
}

/// All pages of a list, one after the other.
fn walk(owner: &Caller, list: &str, size: usize) -> Vec<i64> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = owner.get(format!("{list}&page_size={size}&cursor={cursor}"));
        assert_eq!(page.status, 200, "{page}");
        all.extend(serials(&page.json()));
        cursor = page.json()["pagination"]["next_cursor"].as_str().expect("a string").to_owned();
        if cursor.is_empty() {
            return all;
        }
    }
}

#[test]
fn the_newest_come_first_and_every_sort_turns_round() {
    let (owner, form) = filled(7);
    let first = owner.get(format!("{}?page_size=3", form.entries())).json();
    assert_eq!(serials(&first), [7, 6, 5]);
    assert_eq!(first["pagination"]["total"], 7);
    // Edits move an entry in the order of changes alone.
    for serial in [2, 5, 3] {
        next_moment();
        owner.patch(form.entry(serial), json!({"field_values": {"field_1": "edited"}}));
    }
    let list = |sort: &str, size| walk(&owner, &format!("{}?sort={sort}", form.entries()), size);
    for size in [1, 2, 3, 10] {
        assert_eq!(list("serial_number", size), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(list("-created_at", size), [7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(list("updated_at", size), [1, 4, 6, 7, 2, 5, 3]);
        assert_eq!(list("-updated_at", size), [3, 5, 2, 7, 6, 4, 1]);
    }
    assert_eq!(
        owner.get(format!("{}?sort=name", form.entries())).to_string(),
        r#"400 {"error":"sort must be one of serial_number, created_at, updated_at or a question such as field_3, each with - for descending"}"#
    );
}

#[test]
fn a_list_shows_the_fields_that_are_asked_for() {
    let (owner, form) = filled(1);
    let page = owner.get(format!("{}?fields=field_2", form.entries()));
    assert_eq!(
        page.to_string(),
        r#"200 {"data":[{"serial_number":1,"token":"[token]","created_at":"[time]","updated_at":"[time]","field_2":1}],"pagination":{"total":1,"next_cursor":"","previous_cursor":""}}"#
    );
    let unknown = owner.get(format!("{}?fields=field_2,field_7", form.entries()));
    assert_eq!((unknown.status, unknown.attributes()), (422, vec!["fields".to_owned()]));
}

#[test]
fn a_change_touches_the_named_fields_alone() {
    let (owner, form) = filled(1);
    let before = owner.get(form.entry(1)).data();
    let body = json!({"field_values": {"field_2": 2.5, "field_9": "dropped", "serial_number": 9}});
    let after = owner.patch(form.entry(1), body).data();
    assert_eq!(after["field_1"], before["field_1"]);
    assert_eq!(after["field_2"], 2.5);
    assert_eq!(after["serial_number"], 1);
    assert_eq!(after["created_at"], before["created_at"]);
    assert!(after["updated_at"].as_str() > before["updated_at"].as_str());
    let refused = owner.patch(form.entry(1), json!({"field_values": {"field_1": 1, "field_2": "x"}}));
    assert_eq!(refused.faults(), ["field_values.field_1: must be a string", "field_values.field_2: must be a number"]);
    assert_eq!(owner.patch(form.entry(1), json!({})).faults(), ["field_values: is required"]);
    assert_eq!(owner.get(form.entry(1)).data(), after);
}

#[test]
fn a_required_value_stays() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({"required": true}))]));
    let blank = |value: Value| json!({"field_values": {"field_1": value}});
    for value in [json!(null), json!(""), json!("  \n")] {
        let refused = owner.post(form.entries(), blank(value));
        assert_eq!(
            refused.to_string(),
            r#"422 {"error":"Validation failed","error_details":[{"attribute":"field_values.field_1","message":"can't be blank"}]}"#
        );
    }
    assert_eq!(owner.post(form.entries(), json!({"field_values": {}})).status, 422);
    assert_eq!(owner.post(form.entries(), blank(json!("x"))).status, 201);
    assert_eq!(owner.patch(form.entry(1), blank(json!(null))).faults(), ["field_values.field_1: can't be blank"]);
    assert_eq!(owner.patch(form.entry(1), json!({"field_values": {}})).status, 200);
}

#[test]
fn writes_compare_versions_where_asked() {
    let (owner, form) = filled(1);
    let read = owner.get(form.entry(1));
    let tag = read.header("etag").to_owned();
    let body = json!({"field_values": {"field_1": "new"}});
    let matching = owner.header("If-Match", &format!("\"other\", {tag}"));
    assert_eq!(matching.patch(form.entry(1), body.clone()).status, 200);
    assert_eq!(
        matching.patch(form.entry(1), body.clone()).to_string(),
        r#"412 {"error":"This was changed by somebody else: read it again","code":"version_conflict"}"#
    );
    assert_eq!(matching.delete(form.entry(1)).status, 412);
    assert_eq!(owner.header("If-Match", "*").patch(form.entry(1), body.clone()).status, 200);
    assert_eq!(owner.header("If-Match", "nonsense").patch(form.entry(1), body).status, 400);
    let now = owner.get(form.entry(1)).header("etag").to_owned();
    assert_eq!(owner.header("If-None-Match", &now).get(form.entry(1)).status, 304);
    assert_eq!(owner.header("If-None-Match", &tag).get(form.entry(1)).status, 200);
    assert_eq!(owner.header("If-Match", &now).delete(form.entry(1)).status, 200);
}

#[test]
fn two_changes_at_once_both_stay() {
    let (owner, form) = filled(1);
    std::thread::scope(|scope| {
        for (code, value) in [("field_1", json!("both")), ("field_2", json!(7))] {
            let (owner, form) = (&owner, &form);
            scope.spawn(move || {
                for _ in 0..20 {
                    let changed = owner.patch(form.entry(1), json!({"field_values": {code: value}}));
                    assert_eq!(changed.status, 200, "{changed}");
                }
            });
        }
    });
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&json!("both"), &json!(7)));
}

#[test]
fn odd_serial_numbers_are_unknown() {
    let (owner, form) = filled(1);
    for serial in ["0", "-1", "01", "1.0", "x", "4294967297", "99999999999999999999", "%31x", ""] {
        let answer = owner.get(format!("{}/{serial}", form.entries()));
        assert_eq!(answer.status, 404, "{serial}: {answer}");
    }
    assert_eq!(owner.get(format!("{}/%31", form.entries())).status, 200);
    assert_eq!(owner.delete(form.entry(2)).to_string(), r#"404 {"error":"Entry not found"}"#);
}

#[test]
fn strangers_find_nothing() {
    let (_, form) = filled(1);
    let stranger = Server::shared().user();
    let not_found = r#"404 {"error":"Form not found"}"#;
    let body = json!({"field_values": {}});
    for answer in [
        stranger.get(form.entries()),
        stranger.get(form.entry(1)),
        stranger.post(form.entries(), body.clone()),
        stranger.patch(form.entry(1), body),
        stranger.delete(form.entry(1)),
    ] {
        assert_eq!(answer.to_string(), not_found);
    }
}

#[test]
fn a_tag_follows_the_fields_that_are_shown() {
    let (owner, form) = filled(1);
    let before = owner.get(form.entry(1)).header("etag").to_owned();
    owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(owner.get(form.entry(1)).header("etag"), before);
    let field_1 = json!({"api_code": "field_1", "type": "short_text", "label": "text"});
    let body = json!({"fields": [field_1], "confirm_data_loss": true});
    assert_eq!(owner.patch(form.path(), body).status, 200);
    let now = owner.header("If-None-Match", &before).get(form.entry(1));
    assert_eq!((now.status, now.data().get("field_2")), (200, None));
}
