//! An entry, as it is stored.

pub mod jobs;
pub mod saved_view;

use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::model::capacity::Demand;
use crate::model::precondition::Etag;
use crate::model::results::Results;
use crate::model::user::UserId;

/// The version of an unchanged entry.
pub const FIRST_VERSION: i64 = 1;

#[derive(Clone, Debug)]
pub struct Entry {
    /// Counts from 1 within the form.
    pub serial: i64,
    /// Public, not a secret.
    pub token: EntryToken,
    pub created_at: Time,
    pub updated_at: Time,
    /// Counts its changes, for the ETag.
    pub version: i64,
    /// The name of the signed-in user who entered it.
    pub creator_name: Option<String>,
    /// `info_filling_duration`: whole seconds.
    pub duration_secs: Option<i64>,
    /// `x_field_1`: from the form's URL.
    pub x_field_1: Option<String>,
    /// The stored values, as JSON text keyed by the numbers of fields.
    pub values: String,
    /// Results that the service added to the answers.
    pub results: Results,
    /// The place of a live entry in the waiting list, from 1.
    pub waiting_position: Option<i64>,
}

impl Entry {
    /// Whether the answers are as they were sent. A new score is not an edit.
    pub fn is_as_sent(&self) -> bool {
        let is_rescored = self.results.rescored_at.is_some();
        self.version == FIRST_VERSION || is_rescored && self.updated_at == self.created_at
    }

    /// A placeholder of which only the serial is known.
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
            results: Results::default(),
            waiting_position: None,
        }
    }

    /// The ETag. What clients read also depends on the form's fields, so their hash is part of it, and on the place in
    /// the waiting list.
    pub fn etag(&self, fields_hash: u32) -> Etag {
        let place = self.waiting_position.map(|place| format!("-{place}"));
        let place = place.unwrap_or_default();
        Etag(format!("entry-{}-{fields_hash:x}{place}", self.version))
    }
}

/// An entry to be stored.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// The name of the signed-in user who enters it.
    pub creator_name: Option<String>,
    /// In whole seconds.
    pub duration_secs: Option<i64>,
    /// From the form's URL.
    pub x_field_1: Option<String>,
    /// The signed-in user who submits it as a respondent.
    pub respondent: Option<UserId>,
    /// The stored values, as JSON text keyed by the numbers of fields.
    pub values: String,
    /// Results that the service adds to the answers.
    pub results: Results,
    /// The unique keys: field number and key.
    pub keys: Vec<(u32, String)>,
    /// Units of limited resources that the entry takes.
    pub takes: Vec<Demand>,
    /// The uploads that become its files.
    pub uploads: Vec<String>,
}
