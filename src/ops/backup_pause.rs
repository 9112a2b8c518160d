//! The pause after a backup that failed.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::clock::Time;

/// When the next scheduled backup may be tried.
#[derive(Default)]
pub struct BackupPause(AtomicI64);

impl BackupPause {
    pub fn begin(&self, until: Time) {
        self.0.store(until.millis(), Ordering::Relaxed);
    }

    pub fn is_on(&self, now: Time) -> bool {
        now.millis() < self.0.load(Ordering::Relaxed)
    }
}
