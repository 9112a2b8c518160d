//! Leaves the processor to requests that write while a background job runs.

use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::store::Store;

// While others write, a job takes a fifth of the time.
const REST: u32 = 4;
const MAX_WORK: Duration = Duration::from_millis(100);
// Shorter work is no reason to rest.
const MIN_WORK: Duration = Duration::from_millis(2);

/// The work of a background job since it last rested.
pub struct Backoff {
    begun: Instant,
    writes: u64,
}

impl Backoff {
    /// Begins to work.
    pub fn begin(store: &Store) -> Self {
        Self { begun: Instant::now(), writes: store.writes() }
    }

    /// Sleeps in proportion to the work done, if others wrote meanwhile.
    ///
    /// # Errors
    /// 503 when the service is shutting down.
    pub fn rest(&mut self, store: &Store) -> Result<()> {
        if store.is_closed() {
            return Err(Error::Busy("the service is shutting down", 5));
        }
        let worked = self.begun.elapsed();
        if worked >= MIN_WORK {
            if store.writes() != self.writes {
                // A read that had to wait counts only in part.
                std::thread::sleep(worked.min(MAX_WORK) * REST);
            }
            *self = Self::begin(store);
        }
        Ok(())
    }
}
