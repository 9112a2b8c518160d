//! State of the server that is kept in memory: figures for its operators.

use std::sync::Mutex;
use std::time::Instant;

use crate::base::clock::{self, Time};
use crate::base::metrics::Counter;
use crate::model::webhook::AttemptOutcome;

/// Counts for operators, since the service started.
#[derive(Debug)]
pub struct ServerState {
    pub(in crate::ops::server) started_at: Time,
    pub(in crate::ops) mails: Outcomes,
    pub(in crate::ops) webhooks: Outcomes,
    /// How many blobs there are and their bytes, and when that was seen.
    pub(in crate::ops::server) blobs: Mutex<Option<(Instant, (u64, u64))>>,
    /// The number of backups that the schedule last saw in a store, and when the newest was made.
    pub(in crate::ops) stored_backups: Mutex<Option<(usize, Option<Time>)>>,
}

impl Default for ServerState {
    fn default() -> Self {
        Self {
            started_at: clock::now(),
            mails: Outcomes::default(),
            webhooks: Outcomes::default(),
            blobs: Mutex::default(),
            stored_backups: Mutex::default(),
        }
    }
}

/// Counts of attempts to deliver messages, by outcome.
#[derive(Debug, Default)]
pub(in crate::ops) struct Outcomes {
    pub delivered: Counter,
    /// Failed, and tried again.
    pub put_off: Counter,
    /// Failed for good.
    pub failed: Counter,
}

impl Outcomes {
    pub fn count(&self, outcome: AttemptOutcome) {
        let counter = match outcome {
            AttemptOutcome::Delivered => &self.delivered,
            AttemptOutcome::PutOff(..) => &self.put_off,
            AttemptOutcome::Failed(_) => &self.failed,
        };
        counter.add(1);
    }
}
