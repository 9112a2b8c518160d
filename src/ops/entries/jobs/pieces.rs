//! The work of jobs on entries. Each entry is treated as by a request of its own, and refused ones change nothing.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::{self, Json};
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::entry::jobs::{EntryJob, JobKind, PieceResult, RefusedEntry};
use crate::model::form::Form;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::entries::{change, trash};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::db::tx::Tx;
use crate::store::entries;
use crate::store::entries::trash as in_trash;

/// The pieces of a job, and the data that all of them need.
pub(super) struct Pieces<'p> {
    pub cache: &'p Cache,
    pub outbox: &'p Outbox,
    pub caller: &'p Caller,
    pub form: &'p Form,
    pub parsed: &'p Arc<ParsedForm>,
    pub job: &'p EntryJob,
}

impl Pieces<'_> {
    /// Does one piece. Entries that are gone are passed over.
    pub fn run(&self, tx: &Tx, serials: &[i64]) -> Result<PieceResult> {
        let values = match self.job.kind {
            JobKind::Update => json::read(self.job.payload.as_bytes()).map_err(Error::internal)?,
            JobKind::Trash | JobKind::Restore | JobKind::Import => Json::Null,
        };
        let mut result = PieceResult::default();
        for serial in serials.iter().copied() {
            let done = match self.job.kind {
                JobKind::Trash => self.trash(tx, serial),
                JobKind::Update => self.update(tx, serial, &values),
                JobKind::Restore => self.restore(tx, serial),
                // Imports have no pieces to be done.
                JobKind::Import => Ok(false),
            };
            match done {
                Ok(true) => result.changed.push(serial),
                Ok(false) | Err(Error::NotFound(_)) => {}
                Err(error) => {
                    let details = faults(error)?.into_iter();
                    let details = details.map(|fault| {
                        let words = fault.reason.phrase().to_json();
                        json!({"attribute": fault.attribute.as_str(), "message": fault.message(), "words": words})
                    });
                    let details = Json::Array(details.collect()).to_string();
                    result.refused.push(RefusedEntry { serial, details });
                }
            }
        }
        Ok(result)
    }

    fn trash(&self, tx: &Tx, serial: i64) -> Result<bool> {
        let Some(entry) = entries::by_serial(tx, self.form.form_no, serial)? else {
            return Ok(false);
        };
        trash::move_to_trash(tx, self.form, self.parsed, &entry)?;
        Ok(true)
    }

    fn update(&self, tx: &Tx, serial: i64, values: &Json) -> Result<bool> {
        let by = (self.caller, self.form.token.as_str());
        change::change_within(tx, (self.cache, self.outbox), by, serial, values.clone())?;
        Ok(true)
    }

    fn restore(&self, tx: &Tx, serial: i64) -> Result<bool> {
        let Some(entry) = in_trash::by_serial(tx, self.form.form_no, serial)? else {
            return Ok(false);
        };
        trash::take_back(tx, self.form, self.parsed, &entry)?;
        Ok(true)
    }
}

/// Why an entry was refused.
///
/// # Errors
/// Errors that say nothing about the entry.
fn faults(error: Error) -> Result<Vec<Issue>> {
    match error {
        Error::Invalid(faults) | Error::InvalidFor(_, _, faults) | Error::NoRoom(faults) => Ok(faults),
        Error::Conflict(_, why) => Ok(vec![Issue::new("", Reason::other(why))]),
        other => Err(other),
    }
}
