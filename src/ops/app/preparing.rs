//! Changes are prepared outside the writer. The data that they were prepared for may have changed when their turn
//! comes: a job that finds that out returns `Stale`.

use crate::base::error::{Error, Result};
use crate::ops::app::turns::Turns;
use crate::ops::app::{App, Ticket};
use crate::store::db::tx::Tx;

/// How often an operation is run in all, before it is refused.
const ATTEMPTS: usize = 32;
/// How many operations are run again at the same time.
const REPEATS: usize = 16;
/// How many more wait for that.
const MOST_WAITING: usize = 64;

/// The turns of operations that are run again: one on each thing, so that only newcomers can come before it.
pub(in crate::ops::app) fn repeats() -> Turns {
    Turns::new(REPEATS, MOST_WAITING)
}

impl App {
    /// Queues a change that `prepare` makes from the stored state. Where `store` finds it stale, its job prepares it
    /// again from the state then stored, and nothing comes between.
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

    /// Runs an operation that takes too long for the writer, or more than one of its jobs, until it is not stale.
    /// `thing` names the thing that it changes. Not to be called from async code.
    ///
    /// # Errors
    /// Those of the operation; `Stale` where others come before it all the time.
    pub(in crate::ops) fn run_until_stored<T>(&self, thing: &str, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let mut done = attempt();
        if !matches!(done, Err(Error::Stale)) {
            return done;
        }
        let Some(_turn) = self.repeats.begin(thing, self.config.request_timeout) else {
            return done;
        };
        for _ in 1..ATTEMPTS {
            done = attempt();
            if !matches!(done, Err(Error::Stale)) {
                break;
            }
        }
        done
    }
}
