//! Entries in great numbers, by the little that is asked of each: rows to be looked through, rows of known
//! serials, and who changed when. It knows nothing of filters.

use std::ops::{ControlFlow, Deref};

use rusqlite::params;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::EntryToken;
use crate::model::entry::Entry;
use crate::store::entries::{self, COLUMNS, SERIALS, Shelf, address, possible};
use crate::store::imports;
use crate::store::rows::internal;
use crate::store::tx::Tx;

// Places among `COLUMNS`.
const MOMENTS: usize = 2;
const VALUES: usize = 8;

/// What is looked at of every row.
pub struct Glimpse<'r> {
    /// The serial number.
    pub serial: i64,
    /// When it was stored.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// The stored values, as JSON text.
    pub values: &'r str,
}

/// A row, of which all may be asked.
pub struct Row<'r> {
    seen: Glimpse<'r>,
    row: &'r rusqlite::Row<'r>,
}

impl<'r> Deref for Row<'r> {
    type Target = Glimpse<'r>;

    fn deref(&self) -> &Glimpse<'r> {
        &self.seen
    }
}

impl<'r> Glimpse<'r> {
    /// From a row that has the moments from the place `at` on, and the values at another.
    fn of(row: &'r rusqlite::Row, serial: i64, at: usize, values: usize) -> Result<Self> {
        let time = |at: usize| row.get(at).map(Time::from_millis).map_err(internal);
        // As the standard library would say, several times quicker: long walks look at every byte here.
        let bytes = row.get_ref(values).and_then(|it| Ok(it.as_bytes()?));
        let text = simdutf8::basic::from_utf8(bytes.map_err(internal)?);
        Ok(Self {
            serial,
            created_at: time(at)?,
            updated_at: time(at + 1)?,
            values: text.map_err(Error::internal)?,
        })
    }

    /// Of the entry what lies outside of its values and can be asked for.
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
            values: String::new(),
        }
    }
}

impl<'r> Row<'r> {
    fn of(row: &'r rusqlite::Row, serial: i64) -> Result<Self> {
        let seen = Glimpse::of(row, serial, MOMENTS, VALUES)?;
        Ok(Self { seen, row })
    }

    /// All of it.
    pub fn entry(&self) -> Result<Entry> {
        entries::read(self.row).map_err(internal)
    }
}

/// Shows each row with a serial above `after` and up to `upto`, the oldest first, until it is told to stop;
/// says whether it was.
///
/// # Errors
/// What `each` returns; 503 when it takes too long.
pub fn scan(
    tx: &Tx,
    shelf: Shelf,
    form_no: i64,
    after: i64,
    upto: i64,
    each: &mut dyn FnMut(Row) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let show_row = &mut |row: &rusqlite::Row, serial| each(Row::of(row, serial)?);
    show(
        tx,
        (shelf, COLUMNS),
        form_no,
        (after, upto),
        "ASC",
        show_row,
    )
}

/// The same with no more of each row than is always looked at, which is quicker.
///
/// # Errors
/// What `each` returns; 503 when it takes too long.
pub fn scan_quickly(
    tx: &Tx,
    shelf: Shelf,
    form_no: i64,
    after: i64,
    upto: i64,
    each: &mut dyn FnMut(Glimpse) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let columns = "id, created_at, updated_at, \"values\"";
    let show_row = &mut |row: &rusqlite::Row, serial| each(Glimpse::of(row, serial, 1, 3)?);
    show(
        tx,
        (shelf, columns),
        form_no,
        (after, upto),
        "ASC",
        show_row,
    )
}

/// Shows each row with a serial below `before`, the newest first, until it is told to stop; says whether it
/// was.
///
/// # Errors
/// What `each` returns; 503 when it takes too long.
pub fn scan_back(
    tx: &Tx,
    shelf: Shelf,
    form_no: i64,
    before: i64,
    each: &mut dyn FnMut(Row) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let range = (0, before.saturating_sub(1));
    let show_row = &mut |row: &rusqlite::Row, serial| each(Row::of(row, serial)?);
    show(tx, (shelf, COLUMNS), form_no, range, "DESC", show_row)
}

fn show(
    tx: &Tx,
    (shelf, columns): (Shelf, &str),
    form_no: i64,
    (after, upto): (i64, i64),
    order: &str,
    each: &mut dyn FnMut(&rusqlite::Row, i64) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let mut select = tx
        .connection
        .prepare_cached(&format!(
            "SELECT {columns} FROM {} WHERE id > ?1 AND id <= ?2 ORDER BY id {order}",
            shelf.table()
        ))
        .map_err(internal)?;
    let end = |serial: i64| address(form_no, serial.clamp(0, SERIALS - 1));
    let mut rows = select
        .query(params![end(after), end(upto)])
        .map_err(internal)?;
    let hidden = imports::hidden(tx)?;
    while let Some(row) = rows.next().map_err(internal)? {
        let id: i64 = row.get(0).map_err(internal)?;
        let serial = id & (SERIALS - 1);
        if shelf == Shelf::Live && !entries::is_seen(&hidden, form_no, serial) {
            continue;
        }
        let flow = each(row, serial)?;
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The entries with these serials, by serial, as far as there are any.
pub fn by_serials(tx: &Tx, shelf: Shelf, form_no: i64, serials: &[i64]) -> Result<Vec<Entry>> {
    let hidden = imports::hidden(tx)?;
    let is_seen = |serial| shelf == Shelf::Trash || entries::is_seen(&hidden, form_no, serial);
    let known = serials
        .iter()
        .filter(|serial| possible(**serial) && is_seen(**serial));
    let ids: Vec<i64> = known.map(|serial| address(form_no, *serial)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM {} WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id",
            shelf.table()
        ),
        [json!(ids).to_string()],
        entries::read,
    )
}

/// Shows when entries last changed, and their serials, in no order; only of those that did since they were
/// stored.
pub fn changes(tx: &Tx, shelf: Shelf, form_no: i64, each: &mut dyn FnMut(Time, i64)) -> Result<()> {
    let mut select = tx
        .connection
        .prepare_cached(&format!(
            "SELECT updated_at, id FROM {} WHERE id >> 32 = ?1 AND updated_at > created_at",
            shelf.table()
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

/// The serial beyond which lie the entries that never changed and come after a place in the list by change.
pub fn untouched_beyond(
    tx: &Tx,
    shelf: Shelf,
    form_no: i64,
    descending: bool,
    (at, serial): entries::Place,
) -> Result<i64> {
    // Not `address`: a place may lie beyond the last serial.
    let place = (at, (form_no << 32) + serial);
    let start = entries::untouched_start(tx, form_no, shelf, descending, place)?;
    Ok(start - (form_no << 32))
}
