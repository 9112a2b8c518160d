//! The counters of forms: serials and counts. Within a batch they are kept in memory, written once
//! before its commit, and undone with the job that changed them.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::store::tx::Tx;

/// The counters of one form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The serial number of the next entry.
    pub next_serial: i64,
    /// Entries that are not in the trash.
    pub live_count: i64,
    /// Entries in the trash.
    pub trash_count: i64,
    /// How often an entry came back out of the trash.
    pub restores: i64,
    /// Changes of serials up to here are noted, for segments were made of them or are being made.
    pub sealed_upto: i64,
    /// How often an entry beyond those changed, went or came back: what was seen of them before is then old.
    pub unsealed_changes: i64,
    /// When the newest entry came.
    pub last_entry_at: Option<Time>,
}

/// The counters that the running batch has touched.
#[derive(Default)]
pub struct Batch {
    now: RefCell<HashMap<i64, Counters>>,
    before: RefCell<Vec<(i64, Counters)>>,
}

impl Batch {
    pub(in crate::store) fn begin_job(&self) {
        self.before.borrow_mut().clear();
    }

    pub(in crate::store) fn undo_job(&self) {
        let mut now = self.now.borrow_mut();
        for (form_no, counters) in self.before.borrow_mut().drain(..).rev() {
            now.insert(form_no, counters);
        }
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut update = connection.prepare_cached(
            "UPDATE form_counters SET next_serial = ?2, live_count = ?3, trash_count = ?4, \
             restores = ?5, sealed_upto = ?6, unsealed_changes = ?7, last_entry_at = ?8 \
             WHERE form_no = ?1",
        )?;
        for (form_no, counters) in self.now.borrow().iter() {
            update.execute(params![
                form_no,
                counters.next_serial,
                counters.live_count,
                counters.trash_count,
                counters.restores,
                counters.sealed_upto,
                counters.unsealed_changes,
                counters.last_entry_at.map(Time::millis),
            ])?;
        }
        Ok(())
    }
}

/// The counters of a form, as this transaction sees them.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Counters> {
    if let Some(known) = tx
        .batch
        .and_then(|batch| batch.now.borrow().get(&form_no).copied())
    {
        return Ok(known);
    }
    tx.maybe(
        "SELECT next_serial, live_count, trash_count, restores, sealed_upto, \
             unsealed_changes, last_entry_at FROM form_counters WHERE form_no = ?1",
        [form_no],
        |row| {
            Ok(Counters {
                next_serial: row.get(0)?,
                live_count: row.get(1)?,
                trash_count: row.get(2)?,
                restores: row.get(3)?,
                sealed_upto: row.get(4)?,
                unsealed_changes: row.get(5)?,
                last_entry_at: row.get::<_, Option<i64>>(6)?.map(Time::from_millis),
            })
        },
    )?
    .ok_or_else(|| Error::internal("a form has no counters"))
}

/// Changes the counters of a form; they are written with the batch.
///
/// # Errors
/// Internal, also when the transaction only reads.
pub fn change(tx: &Tx, form_no: i64, f: impl FnOnce(&mut Counters)) -> Result<Counters> {
    let batch = tx
        .batch
        .ok_or_else(|| Error::internal("counters changed in a reading transaction"))?;
    let before = of_form(tx, form_no)?;
    let mut after = before;
    f(&mut after);
    batch.before.borrow_mut().push((form_no, before));
    batch.now.borrow_mut().insert(form_no, after);
    Ok(after)
}

/// The counters of a form that was just made.
pub fn insert(tx: &Tx, form_no: i64) -> Result<()> {
    tx.run(
        "INSERT INTO form_counters (form_no, next_serial, live_count, trash_count, sealed_upto, \
             unsealed_changes) VALUES (?1, 1, 0, 0, 0, 0)",
        [form_no],
    )?;
    Ok(())
}
