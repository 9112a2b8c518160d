//! Running imports. Rows are staged in chunks of some hundred. Once all are staged, an import can't fail any more: it
//! gets its serial numbers, and its chunks become entries one after the other, which stay hidden until the last one
//! is inserted. Any worker may resume it.

pub mod import_files;

use rusqlite::params;
use serde_json::value::RawValue;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::capacity::TakenAmount;
use crate::model::entry::NewEntry;
use crate::model::event::EventKind;
use crate::model::results::Results;
use crate::store::db::reader_cache::Hidden;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::delivery::events;
use crate::store::entries::{self, SERIALS, counters, entry_changes, entry_keys};
use crate::store::files::entry_files::{self, FileCopy};
use crate::store::{capacity, forms};

/// A staged row.
#[derive(Clone)]
pub struct StagedRow {
    /// The entry that it becomes.
    pub entry: NewEntry,
    /// The keys that no other entry may have.
    pub unique: Vec<(u32, String)>,
    /// Its files, each a copy of a file of another entry of the form.
    pub copies: Vec<FileCopy>,
}

/// A row as it is stored: its values, its keys, the tokens of its files, its results, and its amounts.
type StoredRow<'t> = (&'t RawValue, Vec<(u32, String)>, Vec<String>, Results, Vec<TakenAmount>);

/// The serial that files of staged rows belong to; no entry has it.
const STAGED_FILES: i64 = SERIALS - 1;

/// Begins an import into a form.
///
/// # Errors
/// `Stale` if the form changed.
pub fn begin(tx: &Tx, form_no: i64, version: i64, creator_name: &str) -> Result<i64> {
    forms::check_version(tx, form_no, version)?;
    tx.connection
        .prepare_cached("INSERT INTO imports (form_no, creator_name, touched_at, row_count) VALUES (?1, ?2, ?3, 0)")
        .and_then(|mut insert| insert.insert(params![form_no, creator_name, tx.now.millis()]))
        .map_err(internal)
}

/// The form number and the row count of an import that is still being staged.
fn staging(tx: &Tx, import: i64) -> Result<(i64, i64)> {
    tx.maybe("SELECT form_no, row_count FROM imports WHERE id = ?1 AND first_serial IS NULL", [import], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?
    // The import was swept because it was idle too long.
    .ok_or(Error::Busy("the import took too long", 1))
}

/// Whether an import into a form is being staged, so that it may still fail.
pub fn is_staging(tx: &Tx, form_no: i64) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM imports WHERE form_no = ?1 AND first_serial IS NULL)", [form_no], |row| {
        row.get(0)
    })
}

/// Stages a chunk of rows starting at index `first`, reserves their unique keys and counts their amounts. Returns the
/// conflicts, as index in the chunk and field number; then the caller must roll back. A chunk that is staged already is
/// not added again.
///
/// # Errors
/// 503 if the import was abandoned.
pub fn stage(tx: &Tx, import: i64, first: usize, rows: &[StagedRow]) -> Result<Vec<(usize, u32)>> {
    let (form_no, count) = staging(tx, import)?;
    let first = i64::try_from(first).unwrap_or(i64::MAX);
    if count > first {
        return Ok(Vec::new());
    }
    if count < first {
        return Err(Error::internal("a piece of an import is missing"));
    }
    let mut taken = Vec::new();
    for (nth, row) in rows.iter().enumerate() {
        for (field, key) in &row.unique {
            if entry_keys::is_taken(tx, form_no, *field, key, None)? {
                taken.push((nth, *field));
            } else {
                entry_keys::insert(tx, form_no, *field, key, staged_serial(import, first, nth))?;
            }
        }
    }
    if !taken.is_empty() {
        return Ok(taken);
    }
    for copy in rows.iter().flat_map(|row| &row.copies) {
        if !entry_files::copy(tx, copy, form_no, STAGED_FILES)? {
            return Err(Error::Busy("a file was deleted meanwhile", 1));
        }
    }
    for row in rows {
        capacity::take(tx, form_no, row.entry.takes.iter().map(|it| &it.taken))?;
    }
    let text = encode(rows)?;
    tx.run("INSERT INTO import_pieces (import_id, first, rows) VALUES (?1, ?2, ?3)", params![import, first, text])?;
    let count = i64::try_from(rows.len()).unwrap_or_default();
    tx.run(
        "UPDATE imports SET row_count = row_count + ?2, touched_at = ?3 WHERE id = ?1",
        params![import, count, tx.now.millis()],
    )?;
    Ok(taken)
}

/// The serial that reserves the key of a staged row: negative, so no entry's, and no other import's.
fn staged_serial(import: i64, first: i64, nth: usize) -> i64 {
    let row = first + i64::try_from(nth).unwrap_or_default();
    -1 - (import << 32 | row)
}

/// Rows as they are stored: `[[{…}, [[2, "key"]], ["file"], {…}, [{…}]], …]`.
fn encode(rows: &[StagedRow]) -> Result<String> {
    let mut out = String::from("[");
    for row in rows {
        if out.len() > 1 {
            out.push(',');
        }
        let keys = serde_json::to_string(&row.entry.keys).map_err(Error::internal)?;
        let files: Vec<&str> = row.copies.iter().map(|copy| copy.token.as_str()).collect();
        let files = serde_json::to_string(&files).map_err(Error::internal)?;
        let results = serde_json::to_string(&row.entry.results).map_err(Error::internal)?;
        let takes: Vec<&TakenAmount> = row.entry.takes.iter().map(|it| &it.taken).collect();
        let takes = serde_json::to_string(&takes).map_err(Error::internal)?;
        out.push_str(&format!("[{},{keys},{files},{results},{takes}]", row.entry.values));
    }
    out.push(']');
    Ok(out)
}

/// Reserves the serial numbers of a completely staged import: the first one, and how many. From here on it can't fail.
///
/// # Errors
/// `Stale` if the form changed, 503 if the import was abandoned.
pub fn settle(tx: &Tx, import: i64, version: i64) -> Result<(i64, i64)> {
    let (form_no, count) = staging(tx, import)?;
    forms::check_version(tx, form_no, version)?;
    let after = counters::change(tx, form_no, |counters| {
        counters.next_serial += count;
        // Entries from now on come after these, also by time.
        counters.last_entry_at = Some(counters.last_entry_at.map_or(tx.now, |at| at.max(tx.now)));
    })?;
    if !entries::possible(after.next_serial - 1) {
        return Err(Error::internal("a form has no serial numbers left"));
    }
    tx.run(
        "UPDATE imports SET first_serial = ?2, settled_at = ?3, touched_at = ?4 WHERE id = ?1",
        params![import, after.next_serial - count, after.last_entry_at.map(Time::millis), tx.now.millis(),],
    )?;
    Ok((after.next_serial - count, count))
}

/// Result of one step of a settled import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many rows became entries.
    Moved(usize),
    /// All entries are visible, and some of their events were written.
    Told,
    /// The import is deleted: nothing of it is left to do.
    Done,
}

/// An import that has its serial numbers.
struct Settled {
    form_no: i64,
    creator_name: Option<String>,
    first_serial: i64,
    settled_at: Time,
    count: i64,
    /// The number of its entries whose events were written, once all can be seen.
    told: Option<i64>,
}

fn settled(tx: &Tx, import: i64) -> Result<Option<Settled>> {
    tx.maybe(
        "SELECT form_no, creator_name, first_serial, settled_at, row_count, told FROM imports \
             WHERE id = ?1 AND first_serial IS NOT NULL",
        [import],
        |row| {
            Ok(Settled {
                form_no: row.get(0)?,
                creator_name: row.get(1)?,
                first_serial: row.get(2)?,
                settled_at: Time::from_millis(row.get(3)?),
                count: row.get(4)?,
                told: row.get(5)?,
            })
        },
    )
}

/// Entries whose events are written together.
const TOLD_AT_ONCE: i64 = 200;

/// Goes on with a settled import: turns its next chunk into entries, makes all of them visible, writes the events of
/// some.
pub fn go_on(tx: &Tx, import: i64) -> Result<Step> {
    let Some(settled) = settled(tx, import)? else {
        // Another worker has finished it.
        return Ok(Step::Done);
    };
    let Settled { form_no, creator_name, first_serial, settled_at, count, told } = settled;
    if let Some(told) = told {
        return tell(tx, import, form_no, (first_serial, count), told);
    }
    let chunk: Option<(i64, String)> = tx.maybe(
        "SELECT first, rows FROM import_pieces WHERE import_id = ?1 ORDER BY first LIMIT 1",
        [import],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let Some((first, text)) = chunk else {
        return show(tx, import, form_no, count);
    };
    let rows: Vec<StoredRow> = serde_json::from_str(&text).map_err(Error::internal)?;
    let moved = rows.len();
    for (nth, (values, keys, row_files, results, _)) in rows.into_iter().enumerate() {
        for (field, key) in &keys {
            entry_keys::remove(tx, form_no, *field, key, staged_serial(import, first, nth))?;
        }
        let serial = first_serial + first + i64::try_from(nth).unwrap_or_default();
        let entry = NewEntry {
            creator_name: creator_name.clone(),
            duration_secs: None,
            x_field_1: None,
            respondent: None,
            values: values.get().to_owned(),
            results,
            keys,
            // Counted since the row was staged.
            takes: Vec::new(),
            uploads: Vec::new(),
        };
        entries::put(tx, form_no, serial, settled_at, &entry)?;
        for token in &row_files {
            entry_files::move_to(tx, token, form_no, serial)?;
        }
        // They are added beside their reservations, so that no other page is dirtied.
        for (field, key) in &entry.keys {
            entry_keys::insert(tx, form_no, *field, key, serial)?;
        }
    }
    remove_chunk(tx, import, first)?;
    tx.run("UPDATE imports SET touched_at = ?2 WHERE id = ?1", params![import, tx.now.millis()])?;
    Ok(Step::Moved(moved))
}

/// Makes the entries of an import visible. Their events follow in pieces, if they have receivers.
fn show(tx: &Tx, import: i64, form_no: i64, count: i64) -> Result<Step> {
    counters::change(tx, form_no, |counters| counters.live_count += count)?;
    // Invalidates data prepared from a scan of the entries.
    forms::touch(tx, form_no)?;
    if !entry_changes::is_watched(tx, form_no)? {
        forget(tx, import)?;
        return Ok(Step::Done);
    }
    tx.run("UPDATE imports SET told = 0 WHERE id = ?1", [import])?;
    entry_changes::forget_audience(tx, form_no);
    Ok(Step::Told)
}

/// Writes the events of some entries of an import. Of an entry that changed meanwhile they were written then.
fn tell(tx: &Tx, import: i64, form_no: i64, (first_serial, count): (i64, i64), told: i64) -> Result<Step> {
    let (first, piece) = (first_serial + told, TOLD_AT_ONCE.min(count - told));
    for serial in first..first + piece {
        if !events::is_any_of(tx, form_no, serial)?
            && let Some(entry) = entries::by_serial(tx, form_no, serial)?
        {
            entry_changes::note(tx, form_no, EventKind::EntryCreated, &entry)?;
        }
    }
    if told + piece >= count {
        forget(tx, import)?;
    } else {
        tx.run(
            "UPDATE imports SET told = ?2, touched_at = ?3 WHERE id = ?1",
            params![import, told + piece, tx.now.millis()],
        )?;
    }
    entry_changes::forget_audience(tx, form_no);
    Ok(Step::Told)
}

/// Entries that can be seen and whose creation no event tells of so far: first and last serials.
pub(in crate::store) fn untold(tx: &Tx, form_no: i64) -> Result<Vec<(i64, i64)>> {
    tx.all(
        "SELECT first_serial + told, first_serial + row_count - 1 FROM imports \
             WHERE told IS NOT NULL AND form_no = ?1",
        [form_no],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn remove_chunk(tx: &Tx, import: i64, first: i64) -> Result<()> {
    tx.run("DELETE FROM import_pieces WHERE import_id = ?1 AND first = ?2", [import, first])?;
    Ok(())
}

fn forget(tx: &Tx, import: i64) -> Result<()> {
    tx.run("DELETE FROM imports WHERE id = ?1", [import])?;
    Ok(())
}

/// Deletes a chunk of an abandoned import, with its reserved keys and amounts. Returns false if none was left: then the
/// import itself is deleted. Settled imports are left alone.
pub fn drop_chunk(tx: &Tx, import: i64) -> Result<bool> {
    let chunk: Option<(i64, i64, String)> = tx.maybe(
        "SELECT i.form_no, p.first, p.rows FROM import_pieces p JOIN imports i \
             ON i.id = p.import_id WHERE i.id = ?1 AND i.first_serial IS NULL \
             ORDER BY p.first DESC LIMIT 1",
        [import],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let Some((form_no, first, text)) = chunk else {
        tx.run("DELETE FROM imports WHERE id = ?1 AND first_serial IS NULL", [import])?;
        return Ok(false);
    };
    let rows: Vec<StoredRow> = serde_json::from_str(&text).map_err(Error::internal)?;
    let count = i64::try_from(rows.len()).unwrap_or_default();
    for (nth, (_, keys, row_files, _, takes)) in rows.into_iter().enumerate() {
        for token in &row_files {
            entry_files::remove(tx, token)?;
        }
        for (field, key) in &keys {
            entry_keys::remove(tx, form_no, *field, key, staged_serial(import, first, nth))?;
        }
        capacity::give_back(tx, form_no, &takes)?;
    }
    remove_chunk(tx, import, first)?;
    tx.run("UPDATE imports SET row_count = row_count - ?2 WHERE id = ?1", [import, count])?;
    Ok(true)
}

/// Imports without progress since `since`, either settled ones or those still being staged.
pub fn idle(tx: &Tx, is_settled: bool, since: Time) -> Result<Vec<i64>> {
    tx.all(
        "SELECT id FROM imports WHERE (first_serial IS NOT NULL) = ?1 AND touched_at < ?2",
        params![is_settled, since.millis()],
        |row| row.get(0),
    )
}

/// All ranges that are hidden now.
pub(in crate::store) fn hidden(tx: &Tx) -> Result<std::sync::Arc<Hidden>> {
    let load = || {
        tx.all(
            "SELECT form_no, first_serial, first_serial + row_count - 1 FROM imports \
                 WHERE first_serial IS NOT NULL AND told IS NULL",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
    };
    match tx.cache() {
        Some(cache) => cache.hidden(load),
        None => load().map(std::sync::Arc::new),
    }
}

/// Whether an entry belongs to a running import.
pub fn hides(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    let hidden = hidden(tx)?;
    Ok(!entries::is_seen(&hidden, form_no, serial))
}

/// The first hidden serial of a form. Derived data, such as segments, must not reach beyond it.
pub fn first_hidden(tx: &Tx, form_no: i64) -> Result<Option<i64>> {
    let hidden = hidden(tx)?;
    let ranges = hidden.iter().filter(|(form, ..)| *form == form_no);
    Ok(ranges.map(|(_, first, _)| *first).min())
}
