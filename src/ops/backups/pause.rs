//! The pause after a backup that failed, or until it is worth looking again.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::clock::Time;

const LONGEST: i64 = 3_600_000;

/// When the next scheduled backup may be tried.
#[derive(Default)]
pub struct BackupPause(AtomicI64);

impl BackupPause {
    pub fn begin(&self, until: Time) {
        self.0.store(until.millis(), Ordering::Relaxed);
    }

    pub fn is_on(&self, now: Time) -> bool {
        // A clock that was put back makes no endless pause.
        let left = self.0.load(Ordering::Relaxed) - now.millis();
        (1..=LONGEST).contains(&left)
    }
}
