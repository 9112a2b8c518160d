//! A link as it is stored.

use serde::Serialize;

use crate::base::json::Json;
use crate::fields::links::Link;

/// A stored link. A member that is missing or of another type is `None`.
#[derive(Default, Serialize)]
pub struct StoredLink<'v> {
    pub form_token: Option<&'v str>,
    pub entry_token: Option<&'v str>,
    pub serial_number: Option<i64>,
}

impl<'v> StoredLink<'v> {
    /// Decodes a stored value.
    pub fn of(stored: &'v Json) -> Self {
        let mut own = Self::default();
        for (name, value) in stored.as_object().into_iter().flatten() {
            match name.as_str() {
                "form_token" => own.form_token = value.as_str(),
                "entry_token" => own.entry_token = value.as_str(),
                "serial_number" => own.serial_number = value.as_i64(),
                _ => {}
            }
        }
        own
    }

    /// The entry that it leads to.
    pub fn link(&self) -> Link {
        let token = |token: Option<&str>| token.unwrap_or_default().to_owned();
        Link { form: token(self.form_token), entry: token(self.entry_token) }
    }
}
