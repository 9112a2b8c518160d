//! Load and durations of the writer, for operators.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::metrics::{Counter, Histogram};

/// Upper bounds of the time from a batch's begin to its commit, in seconds.
const BOUNDS: &[f64] = &[0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

#[derive(Debug)]
pub struct WriteMetrics {
    waiting: AtomicI64,
    /// Jobs whose changes were committed, or that were refused in a batch that was.
    pub jobs: Counter,
    /// The time that each batch took.
    pub commits: Histogram,
    /// Batches that were lost.
    pub failures: Counter,
    /// Entries that came in one by one, by commits.
    pub entries: Counter,
}

impl Default for WriteMetrics {
    fn default() -> Self {
        Self {
            waiting: AtomicI64::new(0),
            jobs: Counter::default(),
            commits: Histogram::new(BOUNDS),
            failures: Counter::default(),
            entries: Counter::default(),
        }
    }
}

impl WriteMetrics {
    pub(in crate::store) fn queue(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::store) fn unqueue(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// The jobs that wait for the writer.
    pub fn waiting(&self) -> u64 {
        u64::try_from(self.waiting.load(Ordering::Relaxed)).unwrap_or_default()
    }
}
