//! A file as it is stored within a value.

use serde::Serialize;

use crate::base::json::Json;

/// A stored file. A member that is missing or of another type is `None`.
#[derive(Default, Serialize)]
pub struct StoredFile<'v> {
    pub id: Option<&'v str>,
    pub name: Option<&'v str>,
    /// In bytes.
    pub file_size: Option<u64>,
    pub content_type: Option<&'v str>,
    /// Duration of a recording, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
}

impl<'v> StoredFile<'v> {
    /// Decodes a stored file.
    pub fn of(file: &'v Json) -> Self {
        let mut own = Self::default();
        for (name, value) in file.as_object().into_iter().flatten() {
            match name.as_str() {
                "id" => own.id = value.as_str(),
                "name" => own.name = value.as_str(),
                "file_size" => own.file_size = value.as_u64(),
                "content_type" => own.content_type = value.as_str(),
                "duration" => own.duration = value.as_f64(),
                _ => {}
            }
        }
        own
    }
}
