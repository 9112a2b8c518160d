//! Entries in order: pages of lists, walks over all of them, changed ones. Entries of a running import are left out.

use rusqlite::{OptionalExtension as _, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::entry::Entry;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::{COLUMNS, SERIALS, Table, address, counters, is_seen, placed, read};
use crate::store::transfer;

/// The orders of contract section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By serial number, which is also by creation.
    Serial,
    /// By the last change.
    UpdatedAt,
}

/// A place in a list of entries: the value it is sorted by, and the serial number.
pub type EntryPosition = (i64, i64);

/// Entries in order, from after `place` on, at most `limit`.
pub fn list(
    tx: &Tx,
    form_no: i64,
    table: Table,
    sort: Sort,
    descending: bool,
    place: Option<EntryPosition>,
    limit: usize,
) -> Result<Vec<Entry>> {
    let after = place.map(|(_, serial)| serial);
    let mut found = match sort {
        Sort::Serial => by_address(tx, form_no, table, descending, after, limit),
        Sort::UpdatedAt => by_change(tx, form_no, table, descending, place, limit),
    }?;
    if table == Table::Live {
        placed(tx, form_no, &mut found)?;
    }
    Ok(found)
}

/// Walks the rows between two addresses: one bound on each side, whatever the direction.
fn by_address(
    tx: &Tx,
    form_no: i64,
    table: Table,
    descending: bool,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<Entry>> {
    let (low, high) = match (descending, after) {
        (true, after) => (0, after.unwrap_or(SERIALS)),
        (false, after) => (after.unwrap_or(0), SERIALS),
    };
    // The next form's first address would be one more than the highest serial here.
    let range = (form_no << 32 | low, (form_no << 32) + high);
    in_range(tx, form_no, table, range, descending, "", limit)
}

/// The parts of a range of addresses, its ends left out, in which all entries may be seen; in order.
fn seen_ranges(
    tx: &Tx,
    form_no: i64,
    table: Table,
    (low, high): (i64, i64),
    descending: bool,
) -> Result<Vec<(i64, i64)>> {
    let mut out = vec![(low, high)];
    if table == Table::Live {
        let hidden = transfer::hidden(tx)?;
        for (_, first, last) in hidden.iter().filter(|(form, ..)| *form == form_no) {
            let (first, last) = (address(form_no, *first), address(form_no, *last));
            let parts = out.into_iter().flat_map(|(low, high)| {
                if last <= low || first >= high {
                    [Some((low, high)), None]
                } else {
                    [
                        Some((low, first)).filter(|(low, high)| low + 1 < *high),
                        Some((last, high)).filter(|(low, high)| low + 1 < *high),
                    ]
                }
            });
            out = parts.flatten().collect();
        }
    }
    out.sort_unstable();
    if descending {
        out.reverse();
    }
    Ok(out)
}

/// The entries between two addresses that may be seen and are as a condition of ours says.
fn in_range(
    tx: &Tx,
    form_no: i64,
    table: Table,
    range: (i64, i64),
    descending: bool,
    condition: &str,
    limit: usize,
) -> Result<Vec<Entry>> {
    let order = if descending { "DESC" } else { "ASC" };
    let table_name = table.name();
    let mut select = tx
        .connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM {table_name} WHERE id > ?1 AND id < ?2 {condition} \
             ORDER BY id {order} LIMIT ?3"
        ))
        .map_err(internal)?;
    let mut out = Vec::new();
    for (low, high) in seen_ranges(tx, form_no, table, range, descending)? {
        let left = i64::try_from(limit - out.len()).unwrap_or(i64::MAX);
        let rows = select.query_map(params![low, high, left], read).map_err(internal)?;
        for row in rows {
            out.push(row.map_err(internal)?);
        }
        if out.len() >= limit {
            break;
        }
    }
    Ok(out)
}

/// Merges the edited entries, by their index, with the others, whose order is their address.
fn by_change(
    tx: &Tx,
    form_no: i64,
    table: Table,
    descending: bool,
    place: Option<EntryPosition>,
    limit: usize,
) -> Result<Vec<Entry>> {
    let (order, than, edge) = if descending { ("DESC", "<", (i64::MAX, SERIALS)) } else { ("ASC", ">", (0, 0)) };
    let table_name = table.name();
    let (at, serial) = place.unwrap_or(edge);
    let address = (form_no << 32) + serial;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let edited: Vec<Entry> = tx.all(
        &format!(
            "SELECT {COLUMNS} FROM {table_name} WHERE id >> 32 = ?1 AND updated_at > created_at \
             AND (updated_at, id) {than} (?2, ?3) ORDER BY updated_at {order}, id {order} LIMIT ?4"
        ),
        params![form_no, at, address, most],
        read,
    )?;
    // Entries that were never edited: creation, and with it the change, grows with the address.
    let start = untouched_start(tx, form_no, table, descending, (at, address))?;
    let range = if descending { (form_no << 32, start) } else { (start, (form_no << 32) + SERIALS) };
    let never = "AND updated_at = created_at";
    let untouched = in_range(tx, form_no, table, range, descending, never, limit)?;
    let mut merged = edited;
    merged.extend(untouched);
    merged.sort_by_key(|entry| (entry.updated_at, entry.serial));
    if descending {
        merged.reverse();
    }
    merged.truncate(limit);
    Ok(merged)
}

/// The address beyond which untouched entries lie past a place in the list by change: found by bisection, since
/// creation never runs backwards within a form. The entry at the address is not itself past the place.
pub(in crate::store) fn untouched_start(
    tx: &Tx,
    form_no: i64,
    table: Table,
    descending: bool,
    place: EntryPosition,
) -> Result<i64> {
    let base = form_no << 32;
    let mut probe = tx
        .connection
        .prepare_cached(&format!(
            "SELECT id, created_at FROM {} WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 1",
            table.name()
        ))
        .map_err(internal)?;
    // Going down, the first address whose (created_at, id) is not before the place; going up, the first
    // that is past it.
    let is_short = |row: EntryPosition| row < place || (row == place && !descending);
    let (mut low, mut high) = (base + 1, base + SERIALS);
    while low < high {
        let middle = low + (high - low) / 2;
        let found: Option<(i64, i64)> = probe
            .query_row(params![middle, high], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(internal)?;
        match found {
            Some((id, created)) if is_short((created, id)) => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(if descending { low } else { low - 1 })
}

/// Entries with a serial above `after`, oldest first, at most `limit`: for walks in short pieces.
pub fn walk(tx: &Tx, form_no: i64, table: Table, after: i64, limit: usize) -> Result<Vec<Entry>> {
    by_address(tx, form_no, table, false, Some(after), limit)
}

/// Like [`walk`], but at most `bytes` of entries, and at least one: for walks whose rows are kept for a while.
pub fn walk_some(tx: &Tx, form_no: i64, table: Table, after: i64, limit: usize, bytes: usize) -> Result<Vec<Entry>> {
    let mut select = tx
        .connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM {} WHERE id > ?1 AND id < ?2 ORDER BY id", table.name()))
        .map_err(internal)?;
    let mut out = Vec::new();
    let mut left = bytes;
    let range = (form_no << 32 | after, (form_no << 32) + SERIALS);
    for (low, high) in seen_ranges(tx, form_no, table, range, false)? {
        for row in select.query_map([low, high], read).map_err(internal)? {
            let entry = row.map_err(internal)?;
            left = left.saturating_sub(entry.values.len());
            out.push(entry);
            if out.len() >= limit || left == 0 {
                return Ok(out);
            }
        }
    }
    Ok(out)
}

/// Live entries whose values are longer than `bytes`, among the next ones after a serial number; and the last serial
/// number looked at, `None` at the end.
pub fn long_ones(tx: &Tx, form_no: i64, after: i64, bytes: usize) -> Result<(Vec<Entry>, Option<i64>)> {
    const LOOKED_AT: i64 = 20_000;
    const FOUND: usize = 20;
    let end = counters::of_form(tx, form_no)?.next_serial;
    let upto = (after + LOOKED_AT).min(end);
    let base = form_no << 32;
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    let found = i64::try_from(FOUND).unwrap_or(i64::MAX);
    let found: Vec<Entry> = tx.all(
        &format!(
            "SELECT {COLUMNS} FROM entries WHERE id > ?1 AND id <= ?2 \
             AND octet_length(\"values\") > ?3 ORDER BY id LIMIT ?4"
        ),
        params![base | after, base + upto, bytes, found],
        read,
    )?;
    let after = match found.last() {
        Some(last) if found.len() == FOUND => last.serial,
        _ => upto,
    };
    let hidden = transfer::hidden(tx)?;
    let mut found = found;
    found.retain(|entry| is_seen(&hidden, form_no, entry.serial));
    Ok((found, Some(after).filter(|after| *after < end)))
}

/// Live entries that came after a serial number or were edited since a moment.
pub fn changed_since(tx: &Tx, form_no: i64, serial: i64, since: Time) -> Result<Vec<Entry>> {
    if serial == i64::MAX {
        return Ok(Vec::new());
    }
    let hidden = transfer::hidden(tx)?;
    let end = (form_no << 32) + SERIALS;
    let mut found: Vec<Entry> = tx.all(
        &format!(
            "SELECT {COLUMNS} FROM entries WHERE id > ?1 AND id < ?2 UNION \
             SELECT {COLUMNS} FROM entries WHERE id >> 32 = ?3 AND updated_at > created_at \
             AND updated_at >= ?4"
        ),
        params![address(form_no, serial), end, form_no, since.millis()],
        read,
    )?;
    found.retain(|entry| is_seen(&hidden, form_no, entry.serial));
    Ok(found)
}
