//! Wakes the readers of event streams when events of their form are on disk.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

/// Wakes the readers of streams.
#[derive(Default)]
pub struct StreamWakeups(Mutex<HashMap<i64, watch::Sender<()>>>);

impl StreamWakeups {
    /// Changes whenever new events of the form are on disk. Subscribe first, then read.
    pub fn subscribe(&self, form_no: i64) -> watch::Receiver<()> {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bells.entry(form_no).or_default().subscribe()
    }

    pub(in crate::ops) fn ring(&self, form_no: i64) {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rung = bells.get(&form_no).map(|bell| bell.send(()));
        if rung.is_some_and(|sent| sent.is_err()) {
            // No reader is left.
            bells.remove(&form_no);
        }
    }
}
