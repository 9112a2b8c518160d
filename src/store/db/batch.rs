//! State that a batch of writes keeps in memory: the counts that many of its jobs change, written once before its
//! commit, and the changes of entries.

use std::cell::Cell;

use rusqlite::Connection;

use crate::store::capacity;
use crate::store::entries::{counters, pending_changes};

#[derive(Default)]
pub struct Batch {
    pub(in crate::store) counters: counters::Changed,
    pub(in crate::store) capacity: capacity::Changed,
    pub(in crate::store) noted: pending_changes::Noted,
    /// Entries that came in, all of them and those before the current job.
    pub(in crate::store) entries: Cell<u64>,
    entries_before: Cell<u64>,
}

impl Batch {
    pub(in crate::store) fn begin_job(&self) {
        self.counters.begin_job();
        self.capacity.begin_job();
        self.noted.begin_job();
        self.entries_before.set(self.entries.get());
    }

    /// Undoes the changes of the current job.
    pub(in crate::store) fn undo_job(&self) {
        self.counters.undo_job();
        self.capacity.undo_job();
        self.noted.undo_job();
        self.entries.set(self.entries_before.get());
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.counters.write(connection)?;
        self.capacity.write(connection)
    }
}
