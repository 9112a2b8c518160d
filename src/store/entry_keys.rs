//! Exact keys of the few fields whose entries are looked up by value: so far, unique ones. Those of the newest
//! entries still wait in `recent_keys`, those that came under load stand in blocks: both are asked here too.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::base::error::{Error, Result};
use crate::store::imports;
use crate::store::key_walk::{self, Place};
use crate::store::rows::internal;
use crate::store::tx::Tx;
use crate::store::{key_blocks, recent_keys};

/// Adds the key of an entry.
///
/// # Errors
/// Internal.
pub fn insert(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    recent_keys::place(tx, form_no, field, key, serial)
}

/// Adds the keys of a new entry.
///
/// # Errors
/// Internal.
pub fn insert_all(tx: &Tx, form_no: i64, serial: i64, keys: Vec<(u32, String)>) -> Result<()> {
    recent_keys::add(tx, form_no, serial, keys)
}

/// Takes the key of an entry away.
///
/// # Errors
/// Internal.
pub fn remove(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    recent_keys::settle(tx, form_no, serial)?;
    tx.connection
        .prepare_cached(
            "DELETE FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 AND serial = ?4",
        )
        .and_then(|mut delete| delete.execute(params![form_no, field, key, serial]))
        .map_err(internal)?;
    // Rows that an import brings have theirs alone.
    if serial > 0 {
        key_blocks::remove(tx.connection, (form_no, field, key, serial)).map_err(internal)?;
    }
    Ok(())
}

/// Whether surely no entry has any of these keys, nor a row that an import brings.
///
/// # Errors
/// Internal.
pub fn are_free<'k>(
    tx: &Tx,
    form_no: i64,
    keys: impl Iterator<Item = &'k (u32, String)>,
) -> Result<bool> {
    recent_keys::are_free(tx, form_no, keys)
}

/// Whether another live entry than `serial` has this key.
///
/// # Errors
/// 503 when only a row has it that an import under way brings: whether it will be an entry nobody knows yet.
pub fn is_taken(tx: &Tx, form_no: i64, field: u32, key: &str, serial: Option<i64>) -> Result<bool> {
    if recent_keys::is_taken(tx, form_no, field, key, serial)? {
        return Ok(true);
    }
    if !recent_keys::may_be_there(tx, form_no, field, key) {
        return Ok(false);
    }
    match holder(tx, form_no, field, key, serial)? {
        Holder::Nobody => Ok(false),
        Holder::Entry => Ok(true),
        Holder::Import => Err(Error::Busy(
            "an import under way brings the same value: try again when it is through",
            2,
        )),
    }
}

/// Whether a live entry has this key. Made for many questions over one snapshot.
///
/// # Errors
/// Internal.
pub fn is_one_of_many(tx: &Tx, form_no: i64, field: u32, key: &str) -> Result<bool> {
    if recent_keys::is_one_of_many(tx, form_no, field, key)? {
        return Ok(true);
    }
    Ok(holder(tx, form_no, field, key, None)? == Holder::Entry)
}

/// Who has a key that has come to its place.
#[derive(PartialEq, Eq)]
enum Holder {
    Nobody,
    Entry,
    /// A row that may become an entry.
    Import,
}

fn holder(tx: &Tx, form_no: i64, field: u32, key: &str, own: Option<i64>) -> Result<Holder> {
    let alone: Option<i64> = tx
        .connection
        .prepare_cached(
            "SELECT max(serial) FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 \
             AND serial IS NOT ?4",
        )
        .and_then(|mut select| {
            select.query_row(params![form_no, field, key, own], |row| row.get(0))
        })
        .map_err(internal)?;
    let in_blocks = key_blocks::serials(tx.connection, form_no, field, key).map_err(internal)?;
    let in_blocks = in_blocks.into_iter().filter(|other| Some(*other) != own);
    let serial = in_blocks.chain(alone).max();
    Ok(match serial {
        None => Holder::Nobody,
        Some(serial) if serial < 0 && imports::is_open(tx, form_no)? => Holder::Import,
        Some(_) => Holder::Entry,
    })
}

/// The live entries that have this key, at most `limit`.
///
/// # Errors
/// Internal.
pub fn with_key(tx: &Tx, form_no: i64, field: u32, key: &str, limit: usize) -> Result<Vec<i64>> {
    let mut found = recent_keys::with_key(tx, form_no, field, key, limit)?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let alone: Vec<i64> = tx
        .connection
        .prepare_cached(
            "SELECT serial FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 LIMIT ?4",
        )
        .and_then(|mut select| {
            select
                .query_map(params![form_no, field, key, most], |row| row.get(0))?
                .collect()
        })
        .map_err(internal)?;
    found.extend(alone);
    found.extend(key_blocks::serials(tx.connection, form_no, field, key).map_err(internal)?);
    found.sort_unstable();
    // On the way from one place to another a key is in both.
    found.dedup();
    found.truncate(limit);
    Ok(found)
}

/// Whether an entry has this key.
///
/// # Errors
/// Internal.
pub fn has(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<bool> {
    let is_alone: bool = tx
        .connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 \
             AND serial = ?4)",
        )
        .and_then(|mut select| {
            select.query_row(params![form_no, field, key, serial], |row| row.get(0))
        })
        .map_err(internal)?;
    if is_alone || recent_keys::has(tx, form_no, field, key, serial)? {
        return Ok(true);
    }
    let in_blocks = key_blocks::serials(tx.connection, form_no, field, key).map_err(internal)?;
    Ok(in_blocks.contains(&serial))
}

/// A part of a walk over a field's keys.
pub struct Walked {
    /// Keys, with the serials of the entries that have them.
    pub keys: Vec<(String, i64)>,
    /// None: that was all.
    pub next: Option<Place>,
}

/// The next of a field's keys of entries, but for the newest, about `limit`; there may be none at one place and more
/// at the next.
///
/// # Errors
/// Internal.
pub fn walk(tx: &Tx, form_no: i64, field: u32, place: &Place, limit: usize) -> Result<Walked> {
    let walked = key_walk::walk(tx.connection, form_no, (field, field), place, limit);
    let key_walk::Walked { keys, next } = walked.map_err(internal)?;
    let keys = keys.into_iter().filter(|(.., serial)| *serial > 0);
    Ok(Walked {
        keys: keys.map(|(_, key, serial)| (key, serial)).collect(),
        next,
    })
}

/// The tokens of forms all of whose keys are made.
///
/// # Errors
/// Internal.
pub fn forms(tx: &Tx) -> Result<Vec<String>> {
    tx.connection
        .prepare_cached(
            "SELECT token FROM forms WHERE deleted_at IS NULL \
             AND form_no IN (SELECT form_no FROM key_fields WHERE state = 'ready') \
             AND form_no NOT IN (SELECT form_no FROM key_fields WHERE state <> 'ready')",
        )
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(internal)
}

/// How far a field's keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Older entries still lack theirs; new ones add their own.
    Building,
    /// Every live entry has its key.
    Ready,
    /// No longer needed: being taken away.
    Dropping,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Dropping => "dropping",
        }
    }
}

/// Sets how far a field's keys are made.
///
/// # Errors
/// Internal.
pub fn set_state(tx: &Tx, form_no: i64, field: u32, state: State) -> Result<()> {
    recent_keys::settle_all(tx, form_no)?;
    tx.connection
        .prepare_cached(
            "INSERT INTO key_fields (form_no, field, state) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET state = excluded.state",
        )
        .and_then(|mut insert| insert.execute(params![form_no, field, state.name()]))
        .map_err(internal)?;
    Ok(())
}

/// The fields of a form whose entries add keys.
///
/// # Errors
/// Internal.
pub fn keyed(tx: &Tx, form_no: i64) -> Result<Vec<u32>> {
    tx.connection
        .prepare_cached("SELECT field FROM key_fields WHERE form_no = ?1 AND state <> 'dropping'")
        .and_then(|mut select| select.query_map([form_no], |row| row.get(0))?.collect())
        .map_err(internal)
}

/// Whether two entries have the same key, of those whose keys were built.
///
/// # Errors
/// Internal.
pub fn has_doubles(tx: &Tx, form_no: i64, field: u32) -> Result<bool> {
    tx.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entry_keys WHERE form_no = ?1 AND field = ?2 \
             GROUP BY key HAVING count(*) > 1)",
        )
        .and_then(|mut select| select.query_row(params![form_no, field], |row| row.get(0)))
        .map_err(internal)
}

/// A field whose keys are to be taken away.
///
/// # Errors
/// Internal.
pub fn unneeded(tx: &Tx) -> Result<Option<(i64, u32)>> {
    tx.connection
        .prepare_cached("SELECT form_no, field FROM key_fields WHERE state = 'dropping' LIMIT 1")
        .and_then(|mut select| {
            select
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
        .map_err(internal)
}

/// Gives up every building that was under way.
///
/// # Errors
/// Internal.
pub fn abandon(tx: &Tx) -> Result<()> {
    let building: Vec<(i64, u32)> = tx
        .connection
        .prepare_cached("SELECT form_no, field FROM key_fields WHERE state = 'building'")
        .and_then(|mut select| {
            select
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .map_err(internal)?;
    for (form_no, field) in building {
        set_state(tx, form_no, field, State::Dropping)?;
    }
    Ok(())
}

/// Takes up to `limit` keys of a field away; when none is left, the field is forgotten. Says whether
/// more are left.
///
/// # Errors
/// Internal.
pub fn drop_some(tx: &Tx, form_no: i64, field: u32, limit: usize) -> Result<bool> {
    let gone = drop_of(tx, form_no, Some(field), limit)?;
    if gone > 0 {
        return Ok(true);
    }
    tx.connection
        .prepare_cached("DELETE FROM key_fields WHERE form_no = ?1 AND field = ?2")
        .and_then(|mut delete| delete.execute(params![form_no, field]))
        .map_err(internal)?;
    Ok(false)
}

/// Takes up to `limit` keys of a form away, but for the newest: those of one field or of all. How many rows.
///
/// # Errors
/// Internal.
pub fn drop_of(tx: &Tx, form_no: i64, field: Option<u32>, limit: usize) -> Result<usize> {
    let fields = field.map_or((0, u32::MAX), |field| (field, field));
    let gone = drop_alone(tx.connection, form_no, fields, limit).map_err(internal)?;
    if gone > 0 {
        return Ok(gone);
    }
    // A block is as much work as some keys, be it short or long.
    key_blocks::drop_some(tx.connection, form_no, fields, limit.div_ceil(8)).map_err(internal)
}

fn drop_alone(
    connection: &Connection,
    form_no: i64,
    (least, most): (u32, u32),
    limit: usize,
) -> rusqlite::Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // Found by their place: SQLite would look for a list of keys among all of the field's.
    let after: Option<(u32, String, i64)> = connection
        .prepare_cached(
            "SELECT field, key, serial FROM entry_keys WHERE form_no = ?1 \
             AND field BETWEEN ?2 AND ?3 ORDER BY field, key, serial LIMIT 1 OFFSET ?4",
        )?
        .query_row(params![form_no, least, most, limit], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    match after {
        Some((field, key, serial)) => connection
            .prepare_cached(
                "DELETE FROM entry_keys WHERE form_no = ?1 AND field >= ?2 \
                 AND (field, key, serial) < (?3, ?4, ?5)",
            )?
            .execute(params![form_no, least, field, key, serial]),
        None => connection
            .prepare_cached(
                "DELETE FROM entry_keys WHERE form_no = ?1 AND field BETWEEN ?2 AND ?3",
            )?
            .execute(params![form_no, least, most]),
    }
}
