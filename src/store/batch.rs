//! What a batch of writes keeps in memory and writes once before its commit: the counts that many of its jobs change.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::store::{capacity, counters};

#[derive(Default)]
pub struct Batch {
    pub(in crate::store) counters: counters::Changed,
    pub(in crate::store) capacity: capacity::Changed,
    /// The forms with new events. Those of a job that was taken back are among them.
    pub(in crate::store) events: RefCell<BTreeSet<i64>>,
}

impl Batch {
    pub(in crate::store) fn begin_job(&self) {
        self.counters.begin_job();
        self.capacity.begin_job();
    }

    /// Takes back what the current job changed.
    pub(in crate::store) fn undo_job(&self) {
        self.counters.undo_job();
        self.capacity.undo_job();
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.counters.write(connection)?;
        self.capacity.write(connection)
    }
}
