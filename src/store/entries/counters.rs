//! The counters of forms: serial numbers and entry counts. A batch keeps changed counters in memory and writes them
//! once before its commit; changes are undone when their job is rolled back.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::store::db::tx::Tx;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The serial number of the next entry.
    pub next_serial: i64,
    /// Entries that are not in the trash.
    pub live_count: i64,
    /// Entries in the trash.
    pub trash_count: i64,
    /// How many entries have been restored from the trash.
    pub restores: i64,
    /// Changes of entries up to this serial are recorded, because segments of them exist or are being built.
    pub sealed_upto: i64,
    /// How many entries beyond that changed, were deleted or restored. Cached data of them is stale when it grows.
    pub unsealed_changes: i64,
    pub last_entry_at: Option<Time>,
    /// The number of the next event.
    pub next_event: i64,
}

/// The counters that the current batch has changed.
#[derive(Default)]
pub struct Changed {
    current: RefCell<HashMap<i64, Counters>>,
    /// The previous values of counters that the current job changed.
    before: RefCell<Vec<(i64, Counters)>>,
}

impl Changed {
    pub(in crate::store) fn begin_job(&self) {
        self.before.borrow_mut().clear();
    }

    pub(in crate::store) fn undo_job(&self) {
        let mut current = self.current.borrow_mut();
        for (form_no, counters) in self.before.borrow_mut().drain(..).rev() {
            current.insert(form_no, counters);
        }
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut update = connection.prepare_cached(
            "UPDATE form_counters SET next_serial = ?2, live_count = ?3, trash_count = ?4, \
             restores = ?5, sealed_upto = ?6, unsealed_changes = ?7, last_entry_at = ?8, next_event = ?9 \
             WHERE form_no = ?1",
        )?;
        for (form_no, counters) in self.current.borrow().iter() {
            update.execute(params![
                form_no,
                counters.next_serial,
                counters.live_count,
                counters.trash_count,
                counters.restores,
                counters.sealed_upto,
                counters.unsealed_changes,
                counters.last_entry_at.map(Time::millis),
                counters.next_event,
            ])?;
        }
        Ok(())
    }
}

/// The counters of a form, as this transaction sees them.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Counters> {
    if let Some(counters) = tx.batch.and_then(|batch| batch.counters.current.borrow().get(&form_no).copied()) {
        return Ok(counters);
    }
    tx.maybe(
        "SELECT next_serial, live_count, trash_count, restores, sealed_upto, \
             unsealed_changes, last_entry_at, next_event FROM form_counters WHERE form_no = ?1",
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
                next_event: row.get(7)?,
            })
        },
    )?
    .ok_or_else(|| Error::internal("a form has no counters"))
}

/// Changes the counters of a form. They are written with the batch; an internal error in a read transaction.
pub fn change(tx: &Tx, form_no: i64, f: impl FnOnce(&mut Counters)) -> Result<Counters> {
    let batch = tx.batch.ok_or_else(|| Error::internal("counters changed in a reading transaction"))?;
    let before = of_form(tx, form_no)?;
    let mut after = before;
    f(&mut after);
    let changed = &batch.counters;
    changed.before.borrow_mut().push((form_no, before));
    changed.current.borrow_mut().insert(form_no, after);
    Ok(after)
}

/// Adds the counters of a new form.
pub fn insert(tx: &Tx, form_no: i64) -> Result<()> {
    tx.run(
        "INSERT INTO form_counters (form_no, next_serial, live_count, trash_count, sealed_upto, \
             unsealed_changes) VALUES (?1, 1, 0, 0, 0, 0)",
        [form_no],
    )?;
    Ok(())
}
