//! Reads entries in bulk: rows in order, rows by serial, and times of change. It knows nothing of filters.

use std::ops::{ControlFlow, Deref};

use rusqlite::params;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::EntryToken;
use crate::model::entry::Entry;
use crate::model::results::Results;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::listing::{self, EntryPosition};
use crate::store::entries::{self, COLUMNS, SERIALS, Table, address, possible};
use crate::store::transfer;

// Places among `COLUMNS`.
const MOMENTS: usize = 2;
const VALUES: usize = 8;
/// The columns of a head, with the moments and the values at places of their own.
const HEAD: &str = "id, created_at, updated_at, \"values\"";

/// The columns that every scan reads.
pub struct RowHead<'r> {
    /// The serial number.
    pub serial: i64,
    /// When it was stored.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// The stored values, as JSON text.
    pub values: &'r str,
}

/// A row with all its columns.
pub struct EntryRow<'r> {
    head: RowHead<'r>,
    row: &'r rusqlite::Row<'r>,
}

impl<'r> Deref for EntryRow<'r> {
    type Target = RowHead<'r>;

    fn deref(&self) -> &RowHead<'r> {
        &self.head
    }
}

impl<'r> RowHead<'r> {
    /// From a row with the times at column `at` and the next, and the values at another.
    fn of(row: &'r rusqlite::Row, serial: i64, at: usize, values: usize) -> Result<Self> {
        let time = |at: usize| row.get(at).map(Time::from_millis).map_err(internal);
        // Several times faster than the standard library: a scan checks every byte.
        let bytes = row.get_ref(values).and_then(|it| Ok(it.as_bytes()?));
        let text = simdutf8::basic::from_utf8(bytes.map_err(internal)?);
        Ok(Self { serial, created_at: time(at)?, updated_at: time(at + 1)?, values: text.map_err(Error::internal)? })
    }

    /// An entry with serial and times alone: all that conditions on system fields need.
    pub fn head(&self) -> Entry {
        Entry {
            serial: self.serial,
            token: EntryToken::new(""),
            created_at: self.created_at,
            updated_at: self.updated_at,
            version: 0,
            creator_name: None,
            duration_secs: None,
            x_field_1: None,
            waiting_position: None,
            values: String::new(),
            results: Results::default(),
        }
    }
}

impl<'r> EntryRow<'r> {
    fn of(row: &'r rusqlite::Row, serial: i64) -> Result<Self> {
        let head = RowHead::of(row, serial, MOMENTS, VALUES)?;
        Ok(Self { head, row })
    }

    /// All of it.
    pub fn entry(&self) -> Result<Entry> {
        entries::read(self.row).map_err(internal)
    }
}

/// Calls `each` for the rows with a serial above `after` and up to `upto`, oldest first, until it breaks.
///
/// # Errors
/// The error of `each`; 503 when it takes too long.
pub fn scan(
    tx: &Tx,
    table: Table,
    form_no: i64,
    after: i64,
    upto: i64,
    each: &mut dyn FnMut(EntryRow) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let each_row = &mut |row: &rusqlite::Row, serial| each(EntryRow::of(row, serial)?);
    rows(tx, (table, COLUMNS), form_no, (after, upto), "ASC", each_row)
}

/// Like [`scan`] with only the head of each row, which is faster.
///
/// # Errors
/// The error of `each`; 503 when it takes too long.
pub fn scan_quickly(
    tx: &Tx,
    table: Table,
    form_no: i64,
    after: i64,
    upto: i64,
    each: &mut dyn FnMut(RowHead) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let each_row = &mut |row: &rusqlite::Row, serial| each(RowHead::of(row, serial, 1, 3)?);
    rows(tx, (table, HEAD), form_no, (after, upto), "ASC", each_row)
}

/// Calls `each` for the heads of the rows with a serial below `before`, newest first, until it breaks.
///
/// # Errors
/// The error of `each`; 503 when it takes too long.
pub fn scan_back(
    tx: &Tx,
    table: Table,
    form_no: i64,
    before: i64,
    each: &mut dyn FnMut(RowHead) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let range = (0, before.saturating_sub(1));
    let each_row = &mut |row: &rusqlite::Row, serial| each(RowHead::of(row, serial, 1, 3)?);
    rows(tx, (table, HEAD), form_no, range, "DESC", each_row)
}

fn rows(
    tx: &Tx,
    (table, columns): (Table, &str),
    form_no: i64,
    (after, upto): (i64, i64),
    order: &str,
    each: &mut dyn FnMut(&rusqlite::Row, i64) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut select = tx
        .connection
        .prepare_cached(&format!(
            "SELECT {columns} FROM {} WHERE id > ?1 AND id <= ?2 ORDER BY id {order}",
            table.name()
        ))
        .map_err(internal)?;
    let end = |serial: i64| address(form_no, serial.clamp(0, SERIALS - 1));
    let mut rows = select.query(params![end(after), end(upto)]).map_err(internal)?;
    let hidden = transfer::hidden(tx)?;
    while let Some(row) = rows.next().map_err(internal)? {
        let id: i64 = row.get(0).map_err(internal)?;
        let serial = id & (SERIALS - 1);
        if table == Table::Live && !entries::is_seen(&hidden, form_no, serial) {
            continue;
        }
        let flow = each(row, serial)?;
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The existing entries with these serials, by serial.
pub fn by_serials(tx: &Tx, table: Table, form_no: i64, serials: &[i64]) -> Result<Vec<Entry>> {
    let hidden = transfer::hidden(tx)?;
    let is_seen = |serial| table == Table::Trash || entries::is_seen(&hidden, form_no, serial);
    let known = serials.iter().filter(|serial| possible(**serial) && is_seen(**serial));
    let ids: Vec<i64> = known.map(|serial| address(form_no, *serial)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: Vec<Entry> = tx.all(
        &format!("SELECT {COLUMNS} FROM {} WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id", table.name()),
        [json!(ids).to_string()],
        entries::read,
    )?;
    if table == Table::Live {
        entries::placed(tx, form_no, &mut found)?;
    }
    Ok(found)
}

/// Calls `each` with the time and serial of entries that changed since they were stored, in no order.
pub fn changes(tx: &Tx, table: Table, form_no: i64, each: &mut dyn FnMut(Time, i64)) -> Result<()> {
    let mut select = tx
        .connection
        .prepare_cached(&format!(
            "SELECT updated_at, id FROM {} WHERE id >> 32 = ?1 AND updated_at > created_at",
            table.name()
        ))
        .map_err(internal)?;
    let mut rows = select.query([form_no]).map_err(internal)?;
    while let Some(row) = rows.next().map_err(internal)? {
        let id: i64 = row.get(1).map_err(internal)?;
        let at = row.get(0).map(Time::from_millis).map_err(internal)?;
        each(at, id & (SERIALS - 1));
    }
    Ok(())
}

/// The serial beyond which unchanged entries come after a position in the list by change.
pub fn untouched_beyond(
    tx: &Tx,
    table: Table,
    form_no: i64,
    descending: bool,
    (at, serial): EntryPosition,
) -> Result<i64> {
    // Not `address`: a position may lie beyond the last serial.
    let place = (at, (form_no << 32) + serial);
    let start = listing::untouched_start(tx, form_no, table, descending, place)?;
    Ok(start - (form_no << 32))
}
