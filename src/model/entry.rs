//! An entry: what the store keeps of it.

use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::model::precondition::Etag;
use crate::model::user::UserId;

/// The version of an entry that nobody has changed yet.
pub const FIRST_VERSION: i64 = 1;

/// An entry's row.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Counts from 1 within the form.
    pub serial: i64,
    /// Public, and no secret.
    pub token: EntryToken,
    /// When it was stored.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// Counts its changes, for the ETag.
    pub version: i64,
    /// Who entered it, when somebody signed in did.
    pub creator_name: Option<String>,
    /// `info_filling_duration`: whole seconds.
    pub duration_secs: Option<i64>,
    /// `x_field_1`: from the form's address.
    pub x_field_1: Option<String>,
    /// The stored values, as JSON text keyed by the numbers of fields.
    pub values: String,
}

impl Entry {
    /// One of which nothing is known but its number.
    pub fn without_values(serial: i64) -> Self {
        Self {
            serial,
            token: EntryToken::new(""),
            created_at: Time::default(),
            updated_at: Time::default(),
            version: 0,
            creator_name: None,
            duration_secs: None,
            x_field_1: None,
            values: "{}".to_owned(),
        }
    }

    /// Its tag. What is read follows the form's fields, too, so their mark is part of it.
    pub fn etag(&self, fields_mark: u32) -> Etag {
        Etag(format!("entry-{}-{fields_mark:x}", self.version))
    }
}

/// An entry that is about to be stored.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// Who enters it, when somebody signed in does.
    pub creator_name: Option<String>,
    /// Whole seconds.
    pub duration_secs: Option<i64>,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// Whose answer it is, when it was submitted by somebody signed in.
    pub respondent: Option<UserId>,
    /// The stored values, as JSON text keyed by the numbers of fields.
    pub values: String,
    /// The exact keys of its unique fields: field number and key.
    pub keys: Vec<(u32, String)>,
    /// The uploads that become its files.
    pub uploads: Vec<String>,
}
