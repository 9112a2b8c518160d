//! The records of entries. A row's id is `form_no << 32 | serial`: its address, and the order of a form's entries.
//! Columns that only the trash needs are in `trash`.

pub mod change_mark;
pub mod channels;
pub mod check_ins;
pub mod counters;
pub mod entry_changes;
pub mod entry_keys;
pub mod entry_scan;
pub mod entry_tokens;
pub mod idempotency;
pub mod jobs;
pub mod key_hash;
pub mod listing;
pub mod pending_changes;
pub mod respondents;
pub mod saved_views;
pub mod segments;
pub mod trash;

use std::sync::LazyLock;

use std::collections::HashMap;

use rusqlite::Error::FromSqlConversionFailure;
use rusqlite::types::Type;
use rusqlite::{Row, params};
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::EntryToken;
use crate::base::secret;
use crate::model::entry::{Entry, FIRST_VERSION, NewEntry};
use crate::model::event::EventKind;
use crate::model::results::Results;
use crate::store::db::reader_cache::Hidden;
use crate::store::db::tx::Tx;
use crate::store::files::entry_files;
use crate::store::{capacity, transfer};

pub(in crate::store) const COLUMNS: &str = "id, token, created_at, updated_at, version, \
     creator_name, duration_secs, x_field_1, \"values\", respondent, results";
pub(in crate::store) const SERIALS: i64 = 1 << 32;

/// The tables of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Entries that count.
    Live,
    /// Deleted entries.
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

/// Adds an entry under the form's next serial number, with its exact keys, and counts its amounts.
///
/// # Errors
/// Internal. The caller has checked that its keys are free and that enough is left.
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

/// Writes an entry under a serial number that is its own, without its exact keys; counts neither the entry nor its
/// amounts. Returns its token.
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

/// Whether an existing entry may be seen: entries of a running import may not.
pub(in crate::store) fn is_seen(hidden: &Hidden, form_no: i64, serial: i64) -> bool {
    let is_in = |(form, first, last): &(i64, i64, i64)| *form == form_no && (*first..=*last).contains(&serial);
    !hidden.iter().any(is_in)
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

/// Number of waiting entries of a form after a serial number, up to and including another one.
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
