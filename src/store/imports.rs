//! Imports under way. Their rows wait in pieces of some hundred; once all are in, an import can't fail any
//! more: it gets its serials, and its pieces become entries one after the other, which nobody sees before
//! the last one is there. Whoever comes by may go on with it.

use rusqlite::params;
use serde_json::value::RawValue;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::entry::NewEntry;
use crate::store::entries::SERIALS;
use crate::store::files::Copy;
use crate::store::rows::internal;
use crate::store::tx::Tx;
use crate::store::{counters, entries, entry_keys, files, forms};

/// One row that waits.
pub struct Row {
    /// The entry that it becomes.
    pub entry: NewEntry,
    /// Those of its keys that no other entry may have.
    pub unique: Vec<(u32, String)>,
    /// Its files, each of them a copy of one that another entry of the form has.
    pub copies: Vec<Copy>,
}

/// A row as it is kept: its values, its keys, and the tokens of its files.
type Kept<'t> = (&'t RawValue, Vec<(u32, String)>, Vec<String>);

/// Whose files are those of rows that wait: no entry has this serial.
const NOBODY: i64 = SERIALS - 1;

/// Begins an import into a form.
///
/// # Errors
/// `Stale`.
pub fn begin(tx: &Tx, form_no: i64, version: i64, creator_name: &str) -> Result<i64> {
    forms::still(tx, form_no, version)?;
    tx.connection
        .prepare_cached(
            "INSERT INTO imports (form_no, creator_name, touched_at, row_count) VALUES (?1, ?2, ?3, 0)",
        )
        .and_then(|mut insert| insert.insert(params![form_no, creator_name, tx.now.millis()]))
        .map_err(internal)
}

/// What an import still is, as one that adds to it needs to know: its form, and its rows so far.
fn of(tx: &Tx, import: i64) -> Result<(i64, i64)> {
    tx.maybe(
        "SELECT form_no, row_count FROM imports WHERE id = ?1 AND first_serial IS NULL",
        [import],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?
    // It had been silent for so long that it was swept.
    .ok_or(Error::Busy("the import took too long", 1))
}

/// Whether an import of a form is under way that may still come to nothing.
pub fn is_open(tx: &Tx, form_no: i64) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM imports WHERE form_no = ?1 AND first_serial IS NULL)",
        [form_no],
        |row| row.get(0),
    )
}

/// Adds a piece whose first row is the import's so-and-so-manieth. Its unique keys are taken from now on. What
/// is taken already is returned, by the row's place in the piece and the field's number; then nothing may be
/// kept. A piece that is there already, because somebody is not sure, is not added again.
///
/// # Errors
/// 503 when the import was given up.
pub fn stage(tx: &Tx, import: i64, first: usize, rows: &[Row]) -> Result<Vec<(usize, u32)>> {
    let (form_no, count) = of(tx, import)?;
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
                entry_keys::insert(tx, form_no, *field, key, waiting(import, first, nth))?;
            }
        }
    }
    if !taken.is_empty() {
        return Ok(taken);
    }
    for copy in rows.iter().flat_map(|row| &row.copies) {
        if !files::copy(tx, copy, form_no, NOBODY)? {
            return Err(Error::Busy("a file was deleted meanwhile", 1));
        }
    }
    let text = written(rows)?;
    tx.run(
        "INSERT INTO import_pieces (import_id, first, rows) VALUES (?1, ?2, ?3)",
        params![import, first, text],
    )?;
    let count = i64::try_from(rows.len()).unwrap_or_default();
    tx.run(
        "UPDATE imports SET row_count = row_count + ?2, touched_at = ?3 WHERE id = ?1",
        params![import, count, tx.now.millis()],
    )?;
    Ok(taken)
}

/// The serial under which the key of an import's row waits: no entry's, and no other import's.
fn waiting(import: i64, first: i64, nth: usize) -> i64 {
    let row = first + i64::try_from(nth).unwrap_or_default();
    -1 - (import << 32 | row)
}

/// Rows as they are kept: `[[{…}, [[2, "key"]], ["file"]], …]`.
fn written(rows: &[Row]) -> Result<String> {
    let mut out = String::from("[");
    for row in rows {
        if out.len() > 1 {
            out.push(',');
        }
        let keys = serde_json::to_string(&row.entry.keys).map_err(Error::internal)?;
        let files: Vec<&str> = row.copies.iter().map(|copy| copy.token.as_str()).collect();
        let files = serde_json::to_string(&files).map_err(Error::internal)?;
        out.push_str(&format!("[{},{keys},{files}]", row.entry.values));
    }
    out.push(']');
    Ok(out)
}

/// Reserves the serials of an import all of whose pieces are in. From here on it can't fail.
///
/// # Errors
/// `Stale` when the form changed, 503 when the import was given up.
pub fn settle(tx: &Tx, import: i64, version: i64) -> Result<()> {
    let (form_no, count) = of(tx, import)?;
    forms::still(tx, form_no, version)?;
    let after = counters::change(tx, form_no, |counters| {
        counters.next_serial += count;
        // What comes from now on stands behind these, also in time.
        counters.last_entry_at = Some(counters.last_entry_at.map_or(tx.now, |at| at.max(tx.now)));
    })?;
    if !entries::possible(after.next_serial - 1) {
        return Err(Error::internal("a form has no serial numbers left"));
    }
    tx.run(
        "UPDATE imports SET first_serial = ?2, settled_at = ?3, touched_at = ?4 WHERE id = ?1",
        params![
            import,
            after.next_serial - count,
            after.last_entry_at.map(Time::millis),
            tx.now.millis(),
        ],
    )?;
    Ok(())
}

/// Makes the next piece of a settled import entries; says how many. 0: all are there, are now seen, and the
/// import is gone.
pub fn move_piece(tx: &Tx, import: i64) -> Result<usize> {
    let known: Option<(i64, Option<String>, i64, i64, i64)> = tx.maybe(
        "SELECT form_no, creator_name, first_serial, settled_at, row_count FROM imports \
             WHERE id = ?1 AND first_serial IS NOT NULL",
        [import],
        |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        },
    )?;
    // Somebody else has come to its end.
    let Some((form_no, creator_name, first_serial, settled_at, count)) = known else {
        return Ok(0);
    };
    let piece: Option<(i64, String)> = tx.maybe(
        "SELECT first, rows FROM import_pieces WHERE import_id = ?1 ORDER BY first LIMIT 1",
        [import],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let Some((first, text)) = piece else {
        show(tx, import, form_no, count)?;
        return Ok(0);
    };
    let rows: Vec<Kept> = serde_json::from_str(&text).map_err(Error::internal)?;
    let moved = rows.len();
    for (nth, (values, keys, own_files)) in rows.into_iter().enumerate() {
        for (field, key) in &keys {
            entry_keys::remove(tx, form_no, *field, key, waiting(import, first, nth))?;
        }
        let serial = first_serial + first + i64::try_from(nth).unwrap_or_default();
        let entry = NewEntry {
            creator_name: creator_name.clone(),
            duration_secs: None,
            x_field_1: None,
            respondent: None,
            values: values.get().to_owned(),
            keys,
            uploads: Vec::new(),
        };
        entries::put(tx, form_no, serial, Time::from_millis(settled_at), &entry)?;
        for token in &own_files {
            files::hand_over(tx, token, form_no, serial)?;
        }
        // Beside where they waited, so that no other page is dirtied.
        for (field, key) in &entry.keys {
            entry_keys::insert(tx, form_no, *field, key, serial)?;
        }
    }
    remove_piece(tx, import, first)?;
    tx.run(
        "UPDATE imports SET touched_at = ?2 WHERE id = ?1",
        params![import, tx.now.millis()],
    )?;
    Ok(moved)
}

/// Lets everybody see the entries of an import.
fn show(tx: &Tx, import: i64, form_no: i64, count: i64) -> Result<()> {
    counters::change(tx, form_no, |counters| counters.live_count += count)?;
    forget(tx, import)?;
    // Who prepared something by walking over the entries has to walk again.
    forms::touch(tx, form_no).map(drop)
}

fn remove_piece(tx: &Tx, import: i64, first: i64) -> Result<()> {
    tx.run(
        "DELETE FROM import_pieces WHERE import_id = ?1 AND first = ?2",
        [import, first],
    )?;
    Ok(())
}

fn forget(tx: &Tx, import: i64) -> Result<()> {
    tx.run("DELETE FROM imports WHERE id = ?1", [import])?;
    Ok(())
}

/// Takes a piece of an import that was given up away, with the keys that it held; says whether there was one.
/// The import itself goes last. One that was settled is left alone.
pub fn drop_piece(tx: &Tx, import: i64) -> Result<bool> {
    let piece: Option<(i64, i64, String)> = tx.maybe(
        "SELECT i.form_no, p.first, p.rows FROM import_pieces p JOIN imports i \
             ON i.id = p.import_id WHERE i.id = ?1 AND i.first_serial IS NULL \
             ORDER BY p.first DESC LIMIT 1",
        [import],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let Some((form_no, first, text)) = piece else {
        tx.run(
            "DELETE FROM imports WHERE id = ?1 AND first_serial IS NULL",
            [import],
        )?;
        return Ok(false);
    };
    let rows: Vec<Kept> = serde_json::from_str(&text).map_err(Error::internal)?;
    let count = i64::try_from(rows.len()).unwrap_or_default();
    for (nth, (_, keys, own_files)) in rows.into_iter().enumerate() {
        for token in &own_files {
            files::remove(tx, token)?;
        }
        for (field, key) in &keys {
            entry_keys::remove(tx, form_no, *field, key, waiting(import, first, nth))?;
        }
    }
    remove_piece(tx, import, first)?;
    tx.run(
        "UPDATE imports SET row_count = row_count - ?2 WHERE id = ?1",
        [import, count],
    )?;
    Ok(true)
}

/// Imports that nobody has touched since a moment, settled ones or those that never were.
pub fn silent(tx: &Tx, is_settled: bool, since: Time) -> Result<Vec<i64>> {
    tx.all(
        "SELECT id FROM imports WHERE (first_serial IS NOT NULL) = ?1 AND touched_at < ?2",
        params![is_settled, since.millis()],
        |row| row.get(0),
    )
}

/// Entries that are there and are not yet to be seen: forms, with first and last serial.
pub(in crate::store) type Hidden = Vec<(i64, i64, i64)>;

/// All that are hidden now.
pub(in crate::store) fn hidden(tx: &Tx) -> Result<std::sync::Arc<Hidden>> {
    let ask = || {
        tx.all(
            "SELECT form_no, first_serial, first_serial + row_count - 1 FROM imports \
                 WHERE first_serial IS NOT NULL",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
    };
    match tx.memo() {
        Some(memo) => memo.hidden(ask),
        None => ask().map(std::sync::Arc::new),
    }
}

/// Whether an entry is there that is not to be seen yet.
pub fn hides(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    let hidden = hidden(tx)?;
    Ok(!entries::is_seen(&hidden, form_no, serial))
}

/// The first serial of a form's entries that are there and not yet to be seen: what is kept of entries
/// beside them must not reach beyond it.
pub fn first_hidden(tx: &Tx, form_no: i64) -> Result<Option<i64>> {
    let hidden = hidden(tx)?;
    let own = hidden.iter().filter(|(form, ..)| *form == form_no);
    Ok(own.map(|(_, first, _)| *first).min())
}
