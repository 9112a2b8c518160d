//! The finished description of a running service: data that pages and checks of bodies read.

use crate::base::json::Json;
use crate::base::secret;
use crate::model::precondition::Etag;

/// The description of a running service.
pub struct Description {
    /// For people, as data: that null counts as absent is said once, and not of every member.
    pub document: Json,
    /// For programs, as JSON text.
    pub text: String,
    /// Its tag.
    pub etag: Etag,
}

impl Description {
    /// Of a document and its text for programs.
    pub fn new(document: Json, text: String) -> Self {
        let hash = secret::hash_parts(&[text.as_bytes()]);
        let tag = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            document,
            text,
            etag: Etag(tag),
        }
    }
}
