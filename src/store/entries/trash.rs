//! Entries in the trash: moved there, restored, removed for good. A row keeps its id, so that it is restored
//! unchanged. Callers remove and add the unique keys.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::entry::Entry;
use crate::model::event::EventKind;
use crate::model::results::Results;
use crate::store::db::tx::Tx;
use crate::store::delivery::{events, outbox};
use crate::store::entries::entry_keys::{self, CODE};
use crate::store::entries::{
    self, COLUMNS, SERIALS, address, check_ins, counters, entry_changes, possible, read, results, segments,
};
use crate::store::files::entry_files;

/// Moves a live entry to the trash. False if there is none.
pub fn put(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    if !possible(serial) {
        return Ok(false);
    }
    let id = address(form_no, serial);
    if entry_changes::is_watched(tx, form_no)?
        && let Some(entry) = entries::by_serial(tx, form_no, serial)?
    {
        entry_changes::note(tx, form_no, EventKind::EntryDeleted, &entry)?;
    }
    let moved = tx.run(
        &format!(
            "INSERT INTO entries_trash ({COLUMNS}, deleted_at) \
             SELECT {COLUMNS}, ?2 FROM entries WHERE id = ?1"
        ),
        params![id, tx.now.millis()],
    )?;
    if moved == 0 {
        return Ok(false);
    }
    tx.run("DELETE FROM entries WHERE id = ?1", [id])?;
    segments::note_change(tx, form_no, serial)?;
    counters::change(tx, form_no, |counters| {
        counters.live_count -= 1;
        counters.trash_count += 1;
    })?;
    Ok(true)
}

pub fn by_serial(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<Entry>> {
    if !possible(serial) {
        return Ok(None);
    }
    tx.maybe(&format!("SELECT {COLUMNS} FROM entries_trash WHERE id = ?1"), [address(form_no, serial)], read)
}

/// Moves an entry from the trash back to the live ones.
pub fn restore(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    let id = address(form_no, serial);
    tx.run(&format!("INSERT INTO entries ({COLUMNS}) SELECT {COLUMNS} FROM entries_trash WHERE id = ?1"), [id])?;
    tx.run("DELETE FROM entries_trash WHERE id = ?1", [id])?;
    segments::note_change(tx, form_no, serial)?;
    counters::change(tx, form_no, |counters| {
        counters.live_count += 1;
        counters.trash_count -= 1;
        counters.restores += 1;
    })?;
    if entry_changes::is_watched(tx, form_no)?
        && let Some(entry) = entries::by_serial(tx, form_no, serial)?
    {
        entry_changes::note(tx, form_no, EventKind::EntryRestored, &entry)?;
    }
    Ok(())
}

/// Removes an entry in the trash for good. False if there is none.
pub fn remove(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    if !possible(serial) {
        return Ok(false);
    }
    let removed =
        tx.maybe("DELETE FROM entries_trash WHERE id = ?1 RETURNING results", [address(form_no, serial)], |row| {
            results(row, 0)
        })?;
    if let Some(results) = &removed {
        forget_code(tx, form_no, serial, results)?;
        check_ins::unmark(tx, form_no, serial)?;
        entry_files::remove_of(tx, address(form_no, serial))?;
        outbox::remove_of(tx, form_no, serial)?;
        events::remove_of(tx, form_no, serial)?;
        segments::note_gone(tx, form_no, serial)?;
        counters::change(tx, form_no, |counters| counters.trash_count -= 1)?;
    }
    Ok(removed.is_some())
}

/// Frees the verification code of an entry that is gone for good.
fn forget_code(tx: &Tx, form_no: i64, serial: i64, results: &Results) -> Result<()> {
    match &results.gen_code {
        Some(code) => entry_keys::remove(tx, form_no, CODE, code, serial),
        None => Ok(()),
    }
}

/// Removes up to `limit` entries for good that were deleted before `moment`. Returns the number removed per form.
pub fn remove_before(tx: &Tx, moment: Time, limit: usize) -> Result<BTreeMap<i64, usize>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let removed: Vec<(i64, Results)> = tx.all(
        "DELETE FROM entries_trash WHERE id IN (SELECT id FROM entries_trash \
             WHERE deleted_at < ?1 ORDER BY deleted_at LIMIT ?2) RETURNING id, results",
        params![moment.millis(), limit],
        |row| Ok((row.get(0)?, results(row, 1)?)),
    )?;
    let mut by_form: BTreeMap<i64, usize> = BTreeMap::new();
    for (id, results) in &removed {
        let (form_no, serial) = (id >> 32, id & (SERIALS - 1));
        entry_files::remove_of(tx, *id)?;
        outbox::remove_of(tx, form_no, serial)?;
        events::remove_of(tx, form_no, serial)?;
        forget_code(tx, form_no, serial, results)?;
        check_ins::unmark(tx, form_no, serial)?;
        segments::note_gone(tx, form_no, serial)?;
        *by_form.entry(id >> 32).or_default() += 1;
    }
    for (form_no, count) in &by_form {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        counters::change(tx, *form_no, |counters| counters.trash_count -= count)?;
    }
    Ok(by_form)
}

/// Entries of a form that were deleted since `moment` and are still in the trash.
pub fn since(tx: &Tx, form_no: i64, moment: Time) -> Result<Vec<Entry>> {
    let (low, high) = (form_no << 32, (form_no << 32) + SERIALS);
    tx.all(
        &format!("SELECT {COLUMNS} FROM entries_trash WHERE deleted_at >= ?3 AND id > ?1 AND id < ?2"),
        params![low, high, moment.millis()],
        read,
    )
}
