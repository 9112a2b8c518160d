//! The records of entries. A row's id is `form_no << 32 | serial`: its address, and the order of a
//! form's entries. What only the trash knows stands in `trash`.

pub mod counters;
pub mod entry_changes;
pub mod entry_keys;
pub mod entry_scan;
pub mod entry_tokens;
pub mod idempotency;
pub mod key_hash;
pub mod pending_changes;
pub mod respondents;
pub mod segments;
pub mod trash;

use std::sync::LazyLock;

use std::collections::HashMap;

use rusqlite::Error::FromSqlConversionFailure;
use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::EntryToken;
use crate::base::secret;
use crate::model::entry::{Entry, FIRST_VERSION, NewEntry};
use crate::model::event::EventKind;
use crate::model::results::Results;
use crate::store::db::reader_cache::Hidden;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::files::entry_files;
use crate::store::{capacity, transfer};

pub(in crate::store) const COLUMNS: &str = "id, token, created_at, updated_at, version, \
     creator_name, duration_secs, x_field_1, \"values\", respondent, results";
pub(in crate::store) const SERIALS: i64 = 1 << 32;

/// The tables of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Those that count.
    Live,
    /// Those that were deleted.
    Trash,
}

impl Table {
    /// The table that holds them.
    pub(in crate::store) fn name(self) -> &'static str {
        match self {
            Self::Live => "entries",
            Self::Trash => "entries_trash",
        }
    }
}

/// The address of an entry.
pub(in crate::store) fn address(form_no: i64, serial: i64) -> i64 {
    form_no << 32 | serial
}

pub(in crate::store) fn read(row: &Row) -> rusqlite::Result<Entry> {
    let id: i64 = row.get(0)?;
    Ok(Entry {
        serial: id & (SERIALS - 1),
        token: EntryToken::new(row.get::<_, String>(1)?),
        created_at: Time::from_millis(row.get(2)?),
        updated_at: Time::from_millis(row.get(3)?),
        version: row.get(4)?,
        creator_name: row.get(5)?,
        duration_secs: row.get(6)?,
        x_field_1: row.get(7)?,
        values: row.get(8)?,
        results: results(row, 10)?,
        waiting_position: None,
    })
}

/// The results in a column.
pub(in crate::store) fn results(row: &Row, at: usize) -> rusqlite::Result<Results> {
    let stored: Option<&str> = row.get_ref(at)?.as_str_or_null()?;
    Results::of(stored).map_err(|error| FromSqlConversionFailure(at, Type::Text, format!("{error:?}").into()))
}

/// A serial number that can be one; another is as good as unknown.
pub(in crate::store) fn possible(serial: i64) -> bool {
    (1..SERIALS).contains(&serial)
}

/// Adds an entry under the form's next serial number, with its exact keys, and counts what it takes.
///
/// # Errors
/// Internal. Whether a key is taken and whether there is room is asked before.
pub fn insert(tx: &Tx, form_no: i64, entry: NewEntry) -> Result<Entry> {
    let counters = counters::change(tx, form_no, |counters| {
        counters.next_serial += 1;
        counters.live_count += 1;
        // Never backwards within a form: the order of serials is the order of creation.
        counters.last_entry_at = Some(counters.last_entry_at.map_or(tx.now, |at| at.max(tx.now)));
    })?;
    let serial = counters.next_serial - 1;
    if !possible(serial) {
        return Err(Error::internal("a form has no serial numbers left"));
    }
    let created_at = counters.last_entry_at.unwrap_or(tx.now);
    let token = put(tx, form_no, serial, created_at, &entry)?;
    for (field, key) in &entry.keys {
        entry_keys::insert(tx, form_no, *field, key, serial)?;
    }
    capacity::take(tx, form_no, entry.takes.iter().map(|demand| &demand.taken))?;
    entry_files::attach(tx, form_no, serial, &entry.uploads)?;
    let mut inserted = Entry {
        serial,
        token,
        created_at,
        updated_at: created_at,
        version: FIRST_VERSION,
        creator_name: entry.creator_name,
        duration_secs: entry.duration_secs,
        x_field_1: entry.x_field_1,
        values: entry.values,
        results: entry.results,
        waiting_position: None,
    };
    placed(tx, form_no, std::slice::from_mut(&mut inserted))?;
    entry_changes::note(tx, form_no, EventKind::EntryCreated, &inserted)?;
    if let Some(batch) = tx.batch {
        batch.entries.set(batch.entries.get() + 1);
    }
    Ok(inserted)
}

/// Writes an entry under a serial number that is its own, without its exact keys; counts neither it nor what it takes. Its
/// token.
pub(in crate::store) fn put(
    tx: &Tx,
    form_no: i64,
    serial: i64,
    created_at: Time,
    entry: &NewEntry,
) -> Result<EntryToken> {
    let token = tx.secrets.tokens.make(address(form_no, serial));
    tx.run(
        "INSERT INTO entries (id, token, created_at, updated_at, version, creator_name, \
             duration_secs, x_field_1, \"values\", respondent, results) \
             VALUES (?1, ?2, ?3, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            address(form_no, serial),
            token.as_str(),
            created_at.millis(),
            entry.creator_name,
            entry.duration_secs,
            entry.x_field_1,
            entry.values,
            entry.respondent.map(|user| user.0),
            entry.results.to_stored(),
        ],
    )?;
    Ok(token)
}

/// Whether an entry that is there may be seen: not one of an import that is under way.
pub(in crate::store) fn is_seen(hidden: &Hidden, form_no: i64, serial: i64) -> bool {
    let is_in = |(form, first, last): &(i64, i64, i64)| *form == form_no && (*first..=*last).contains(&serial);
    !hidden.iter().any(is_in)
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

/// A live entry.
pub fn by_serial(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<Entry>> {
    if !possible(serial) {
        return Ok(None);
    }
    static ASK: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} FROM entries WHERE id = ?1"));
    if !is_seen(&*transfer::hidden(tx)?, form_no, serial) {
        return Ok(None);
    }
    let mut found = tx.maybe(&ASK, [address(form_no, serial)], read)?;
    placed(tx, form_no, found.as_mut_slice())?;
    Ok(found)
}

/// The number of the form that an entry's token leads to, if it is a token.
pub fn form_of(tx: &Tx, token: &str) -> Option<i64> {
    let address = tx.secrets.tokens.address(token)?;
    Some(address >> 32)
}

/// The serial number that an entry's token leads to, if it is a token.
pub fn serial_of(tx: &Tx, token: &str) -> Option<i64> {
    let address = tx.secrets.tokens.address(token)?;
    Some(address & 0xffff_ffff)
}

/// A live entry of a form by its token.
pub fn by_token(tx: &Tx, form_no: i64, token: &str) -> Result<Option<Entry>> {
    let found = by_tokens(tx, form_no, std::iter::once(token))?;
    Ok(found.into_iter().next())
}

/// The live entries of a form that have one of these tokens, in one query. Each row's own token is
/// compared with the one that led to it: an address can be guessed, a token can't.
pub fn by_tokens<'t>(tx: &Tx, form_no: i64, tokens: impl Iterator<Item = &'t str>) -> Result<Vec<Entry>> {
    let wanted: HashMap<i64, &str> = tokens
        .filter_map(|token| Some((tx.secrets.tokens.address(token)?, token)))
        .filter(|(id, _)| id >> 32 == form_no && possible(id & (SERIALS - 1)))
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = wanted.keys().copied().collect();
    let rows: Vec<Entry> = tx.all(
        &format!("SELECT {COLUMNS} FROM entries WHERE id IN (SELECT value FROM json_each(?1))"),
        [json!(ids).to_string()],
        read,
    )?;
    let hidden = transfer::hidden(tx)?;
    let is_its_own = |entry: &Entry| {
        is_seen(&hidden, form_no, entry.serial)
            && wanted
                .get(&address(form_no, entry.serial))
                .is_some_and(|token| secret::same(entry.token.as_str().as_bytes(), token.as_bytes()))
    };
    let mut found: Vec<Entry> = rows.into_iter().filter(is_its_own).collect();
    placed(tx, form_no, &mut found)?;
    Ok(found)
}

/// How many wait in a form after a serial number, up to another one, that one included.
fn waiting_between(tx: &Tx, form_no: i64, after: i64, serial: i64) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM entries INDEXED BY entries_waiting \
         WHERE results ->> '$.is_waiting' = 1 AND id > ?1 AND id <= ?2",
        params![address(form_no, after), address(form_no, serial)],
        |row| row.get(0),
    )
}

/// Live entries with their places in the waiting list.
pub fn placed<'e>(tx: &Tx, form_no: i64, entries: impl IntoIterator<Item = &'e mut Entry>) -> Result<()> {
    // Counted on from the one before: the first may have thousands before it.
    let (mut last, mut position) = (0, 0);
    for entry in entries.into_iter().filter(|entry| entry.results.is_waiting) {
        let serial = entry.serial;
        position += match last <= serial {
            true => waiting_between(tx, form_no, last, serial)?,
            false => -waiting_between(tx, form_no, serial, last)?,
        };
        last = serial;
        entry.waiting_position = Some(position);
    }
    Ok(())
}

/// Changes a live entry's values and results; its keys are the caller's to change.
pub fn update(tx: &Tx, form_no: i64, mut entry: Entry, values: String, results: Results) -> Result<Entry> {
    entry.values = values;
    entry.waiting_position = entry.waiting_position.filter(|_| results.is_waiting);
    entry.results = results;
    entry.version += 1;
    // Later than its creation, so that the index of edited entries holds it.
    entry.updated_at = tx.now.max(Time::from_millis(entry.created_at.millis() + 1));
    tx.run(
        "UPDATE entries SET \"values\" = ?2, version = ?3, updated_at = ?4, results = ?5 \
         WHERE id = ?1",
        params![
            address(form_no, entry.serial),
            entry.values,
            entry.version,
            entry.updated_at.millis(),
            entry.results.to_stored(),
        ],
    )?;
    segments::note_change(tx, form_no, entry.serial)?;
    entry_changes::note(tx, form_no, EventKind::EntryUpdated, &entry)?;
    Ok(entry)
}

/// The orders of contract section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By serial number, which is also by creation.
    Serial,
    /// By the last change.
    UpdatedAt,
}

/// A place in a list of entries: the value it is sorted by, and the serial number.
pub type Place = (i64, i64);

/// Entries in order, from after `place` on, at most `limit`.
pub fn list(
    tx: &Tx,
    form_no: i64,
    table: Table,
    sort: Sort,
    descending: bool,
    place: Option<Place>,
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
    place: Option<Place>,
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

/// The address beyond which untouched entries lie past a place in the list by change: found by halving,
/// since creation never runs backwards within a form. What it names is not itself past the place.
pub(in crate::store) fn untouched_start(
    tx: &Tx,
    form_no: i64,
    table: Table,
    descending: bool,
    place: Place,
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
    let is_short = |row: Place| row < place || (row == place && !descending);
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

/// The same, but no more than fill so many bytes, one at least: for walks whose rows are kept for a while.
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

/// Live entries whose values are longer than so many bytes, among the next ones after a serial number; and
/// up to where was looked, none at the end.
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
