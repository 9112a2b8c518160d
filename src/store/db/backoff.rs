//! Leaves the processor to requests that write while long work runs.

use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::store::Store;

// While others write, a job takes a fifth of the time.
const REST: u32 = 4;
const MAX_WORK: Duration = Duration::from_millis(100);
// Shorter work is no reason to rest.
const MIN_WORK: Duration = Duration::from_millis(2);
// Work that somebody waits for takes a quarter of the time. What it writes is also written back into the database file,
// and everybody waits for that: it costs others several times as long as it takes itself.
const BRIEF_REST: u32 = 3;
const LONGEST_REST: Duration = Duration::from_millis(50);

/// Long work since it last rested.
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

    /// Rests from work that somebody waits for, if others wrote beside the one write that is its own.
    pub fn rest_briefly(&mut self, store: &Store) {
        if store.writes() > self.writes + 1 {
            std::thread::sleep((self.begun.elapsed() * BRIEF_REST).min(LONGEST_REST));
        }
        *self = Self::begin(store);
    }
}
