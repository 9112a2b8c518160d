//! Changes are prepared outside the writer. What they were prepared for may be another when their turn comes: a job
//! that finds that out says `Stale`.

use std::sync::PoisonError;

use crate::base::error::{Error, Result};
use crate::ops::app::{App, Ticket};
use crate::store::db::tx::Tx;

/// How often an operation is run in all, before it is refused. One at a time is run again, so that only newcomers can
/// come before it.
const ATTEMPTS: usize = 32;

impl App {
    /// Queues a change that `prepare` makes from what is stored now. Where `store` finds it stale, its job prepares it
    /// again from what is stored then, and nothing comes between.
    pub(in crate::ops) fn prepare<P: Send + 'static, T: Send + 'static>(
        &self,
        prepare: impl Fn(&Tx) -> Result<P> + Send + 'static,
        store: impl Fn(&Tx, P) -> Result<T> + Send + 'static,
    ) -> Result<Ticket<T>> {
        let prepared = self.store.read(&prepare)?;
        Ok(self.store.submit(move |tx| match store(tx, prepared) {
            Err(Error::Stale) => store(tx, prepare(tx)?),
            done => done,
        }))
    }

    /// Runs an operation that takes too long for the writer, or more than one of its jobs, until it is not stale. Not
    /// to be called from async code.
    ///
    /// # Errors
    /// Those of the operation; `Stale` where others come before it all the time.
    pub(in crate::ops) fn run_until_stored<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let mut done = attempt();
        if !matches!(done, Err(Error::Stale)) {
            return done;
        }
        let _turn = self.repeats.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 1..ATTEMPTS {
            done = attempt();
            if !matches!(done, Err(Error::Stale)) {
                break;
            }
        }
        done
    }
}
