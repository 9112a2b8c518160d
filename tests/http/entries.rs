//! Entries: created, read, changed, deleted, listed (contract section 4).

use serde_json::json;

use crate::support::{Server, field};

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
    assert_eq!(
        owner.delete(form.entry(1)).to_string(),
        r#"200 {"data":{"deleted":true,"serial_number":1}}"#
    );
    assert_eq!(
        owner.get(form.entry(1)).to_string(),
        r#"404 {"error":"Entry not found"}"#
    );
}
