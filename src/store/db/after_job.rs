//! Hooks of the service within and after the jobs of the writer. The store is opened with them, so that no operation
//! can forget to call them.

use std::collections::BTreeSet;

use crate::base::error::Result;
use crate::store::db::tx::Tx;
use crate::store::entries::pending_changes::Changes;

/// Hooks that run after a job.
pub trait AfterJob: Send + Sync {
    /// Runs for a form in which a job freed units: within the job, before its changes are told.
    ///
    /// # Errors
    /// The job fails with it.
    fn made_room(&self, tx: &Tx, form_no: i64) -> Result<()>;

    /// With the changes of entries that a job made: at its end, in its savepoint.
    ///
    /// # Errors
    /// The job fails with it.
    fn changed_entries(&self, tx: &Tx, changes: &Changes) -> Result<()>;

    /// When events of these forms are on disk. It must not wait for anything.
    fn stored_events(&self, forms: &BTreeSet<i64>);
}

/// For tests of the store alone.
#[cfg(test)]
pub struct Nothing;

#[cfg(test)]
impl AfterJob for Nothing {
    fn made_room(&self, _tx: &Tx, _form_no: i64) -> Result<()> {
        Ok(())
    }

    fn changed_entries(&self, _tx: &Tx, _changes: &Changes) -> Result<()> {
        Ok(())
    }

    fn stored_events(&self, _forms: &BTreeSet<i64>) {}
}
