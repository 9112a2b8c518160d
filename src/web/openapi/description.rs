//! The API's description for a running service, as data for pages and the check of unknown keys.

use crate::base::json::Json;
use crate::base::secret;
use crate::model::precondition::Etag;

pub struct Description {
    /// For `/docs`: says once that null counts as absent, not for every member.
    pub document: Json,
    /// For programs: the OpenAPI document as JSON text.
    pub text: String,
    pub etag: Etag,
}

impl Description {
    pub fn new(document: Json, text: String) -> Self {
        let hash = secret::hash_parts(&[text.as_bytes()]);
        let tag = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { document, text, etag: Etag(tag) }
    }
}
