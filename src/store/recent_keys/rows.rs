//! The table of the waiting keys: a row holds those of entries that came one after the other.

use memchr::memmem;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::base::error::{Error, Result};
use crate::store::entries::{SERIALS, address};
use crate::store::recent_keys::known::OfEntry;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// Entries whose keys share a row: when one of them changes, the row is written again.
const OF_ROW: usize = 64;

/// Writes the rows of entries that came; says how many keys that were.
pub fn insert(connection: &Connection, came: &[OfEntry]) -> rusqlite::Result<usize> {
    if came.is_empty() {
        return Ok(0);
    }
    let mut insert =
        connection.prepare_cached("INSERT INTO recent_keys (id, keys) VALUES (?1, ?2)")?;
    let mut by_form: Vec<&OfEntry> = came.iter().collect();
    by_form.sort_by_key(|entry| (entry.form_no, entry.serial));
    let rows = by_form
        .chunk_by(|one, next| one.form_no == next.form_no)
        .flat_map(|of_form| of_form.chunks(OF_ROW));
    for row in rows {
        if let Some(first) = row.first() {
            let id = address(first.form_no, first.serial);
            insert.execute(params![id, text(row.iter().copied())?])?;
        }
    }
    Ok(came.iter().map(|entry| entry.keys.len()).sum())
}

/// A row: `[[serial, [[field, key], …]], …]`.
fn text<'k>(entries: impl Iterator<Item = &'k OfEntry>) -> rusqlite::Result<String> {
    let entries: Vec<_> = entries.map(|entry| (entry.serial, &entry.keys)).collect();
    serde_json::to_string(&entries).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

fn entries_of(
    form_no: i64,
    text: &[u8],
) -> Result<impl Iterator<Item = OfEntry>, serde_json::Error> {
    let entries: Vec<(i64, Vec<(u32, String)>)> = serde_json::from_slice(text)?;
    Ok(entries.into_iter().map(move |(serial, keys)| OfEntry {
        form_no,
        serial,
        keys,
    }))
}

/// Gives each entry of the rows between two addresses whose text holds a part to `f`.
pub fn each_entry(
    tx: &Tx,
    range: (i64, i64),
    part: &str,
    mut f: impl FnMut(OfEntry),
) -> Result<()> {
    let mut select = tx
        .connection
        .prepare_cached("SELECT id, keys FROM recent_keys WHERE id BETWEEN ?1 AND ?2")
        .map_err(internal)?;
    let mut rows = select.query([range.0, range.1]).map_err(internal)?;
    let part = memmem::Finder::new(part);
    while let Some(row) = rows.next().map_err(internal)? {
        let id: i64 = row.get(0).map_err(internal)?;
        let text = row.get_ref(1).and_then(|it| Ok(it.as_bytes()?));
        let text = text.map_err(internal)?;
        if part.find(text).is_some() {
            let entries = entries_of(id >> 32, text).map_err(Error::internal)?;
            entries.for_each(&mut f);
        }
    }
    Ok(())
}

/// The addresses of a form's rows.
pub fn of_form(form_no: i64) -> (i64, i64) {
    (address(form_no, 0), address(form_no, SERIALS - 1))
}

/// The row that holds an entry's keys: its id, and what it holds.
pub fn with_entry(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<(i64, Vec<OfEntry>)>> {
    let row: Option<(i64, String)> = tx
        .connection
        .prepare_cached(
            "SELECT id, keys FROM recent_keys WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1",
        )
        .and_then(|mut select| {
            let range = [address(form_no, 0), address(form_no, serial)];
            let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get(1)?));
            select.query_row(range, read).optional()
        })
        .map_err(internal)?;
    let Some((id, text)) = row else {
        return Ok(None);
    };
    let entries = entries_of(form_no, text.as_bytes()).map_err(Error::internal)?;
    let entries: Vec<OfEntry> = entries.collect();
    let has_it = entries.iter().any(|entry| entry.serial == serial);
    Ok(has_it.then_some((id, entries)))
}

/// Writes a row again; one that holds nothing any more goes.
pub fn write_again(tx: &Tx, id: i64, entries: &[OfEntry]) -> Result<()> {
    let connection = tx.connection;
    if entries.is_empty() {
        connection
            .prepare_cached("DELETE FROM recent_keys WHERE id = ?1")
            .and_then(|mut delete| delete.execute([id]))
    } else {
        text(entries.iter()).and_then(|text| {
            connection
                .prepare_cached("UPDATE recent_keys SET keys = ?2 WHERE id = ?1")?
                .execute(params![id, text])
        })
    }
    .map(drop)
    .map_err(internal)
}

/// Takes the oldest rows away, with about so many keys; what they held.
pub fn take_oldest(connection: &Connection, keys: usize) -> rusqlite::Result<Vec<OfEntry>> {
    let mut oldest = connection.prepare_cached("SELECT id, keys FROM recent_keys ORDER BY id")?;
    let mut rows = oldest.query([])?;
    let (mut taken, mut ids, mut count) = (Vec::new(), Vec::new(), 0);
    while let Some(row) = rows.next()?.filter(|_| count < keys) {
        let id: i64 = row.get(0)?;
        let entries = entries_of(id >> 32, row.get_ref(1)?.as_bytes()?)
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?;
        for entry in entries {
            count += entry.keys.len();
            taken.push(entry);
        }
        ids.push(id);
    }
    let mut delete = connection.prepare_cached("DELETE FROM recent_keys WHERE id = ?1")?;
    for id in ids {
        delete.execute([id])?;
    }
    Ok(taken)
}
