//! Images of forms: announced, uploaded, and as reads show them.

use serde_json::{Value, json};

use crate::Caller;
use crate::uploads::send;

/// Says which image will come.
pub fn prepared(caller: &Caller, purpose: &str, kind: &str, bytes: &[u8]) -> Value {
    let body = json!({
        "purpose": purpose, "file_name": "a.bin", "content_type": kind, "file_size": bytes.len(),
    });
    let made = caller.post("/api/v1/attachments", body);
    assert_eq!(made.status, 201, "{made}");
    made.data()
}

/// Uploads an image; its `upload_id`.
pub fn uploaded(caller: &Caller, purpose: &str, kind: &str, bytes: &[u8]) -> String {
    let prepared = prepared(caller, purpose, kind, bytes);
    let sent = send(caller, &prepared, kind, bytes);
    assert_eq!(sent.status, 200, "{sent}");
    prepared["upload_id"].as_str().expect("an id").to_owned()
}

/// An image as reads show it.
pub fn picture(caller: &Caller, id: &str) -> Value {
    json!({"id": id, "image_url": format!("{}/images/{id}", caller.base)})
}
