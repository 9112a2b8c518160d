//! Exact keys of the few fields whose entries are looked up by value: so far, unique ones. Those of the
//! newest entries still wait in `recent_keys`, which are asked here too.

use rusqlite::{OptionalExtension as _, params};

use crate::base::error::{Error, Result};
use crate::store::imports;
use crate::store::key_runs::{self, SETTLED};
use crate::store::recent_keys;
use crate::store::rows::internal;
use crate::store::tx::Tx;

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
            "DELETE FROM entry_keys WHERE run IN (SELECT run FROM key_runs) AND form_no = ?1 \
             AND field = ?2 AND key = ?3 AND serial = ?4",
        )
        .and_then(|mut delete| delete.execute(params![form_no, field, key, serial]))
        .map_err(internal)?;
    Ok(())
}

/// Whether another live entry than `serial` has this key.
///
/// # Errors
/// 503 when only a row has it that an import under way brings: whether it will be an entry nobody knows yet.
pub fn is_taken(tx: &Tx, form_no: i64, field: u32, key: &str, serial: Option<i64>) -> Result<bool> {
    if !recent_keys::may_be_there(tx, form_no, field, key)? {
        return Ok(false);
    }
    if recent_keys::is_taken(tx, form_no, field, key, serial)? {
        return Ok(true);
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
    let serial: Option<i64> = tx
        .connection
        .prepare_cached(
            "SELECT max((SELECT max(serial) FROM entry_keys WHERE run = r.run AND form_no = ?1 \
             AND field = ?2 AND key = ?3 AND serial IS NOT ?4)) FROM key_runs AS r",
        )
        .and_then(|mut select| {
            select.query_row(params![form_no, field, key, own], |row| row.get(0))
        })
        .map_err(internal)?;
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
    let settled: Vec<i64> = tx
        .connection
        .prepare_cached(
            "SELECT DISTINCT k.serial FROM key_runs AS r CROSS JOIN entry_keys AS k ON k.run = r.run \
             WHERE k.form_no = ?1 AND k.field = ?2 AND k.key = ?3 LIMIT ?4",
        )
        .and_then(|mut select| {
            select
                .query_map(params![form_no, field, key, most], |row| row.get(0))?
                .collect()
        })
        .map_err(internal)?;
    found.extend(settled);
    found.sort_unstable();
    // On the way from there to here a key is in both.
    found.dedup();
    found.truncate(limit);
    Ok(found)
}

/// Whether an entry has this key.
///
/// # Errors
/// Internal.
pub fn has(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<bool> {
    let is_settled: bool = tx
        .connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM key_runs AS r CROSS JOIN entry_keys AS k ON k.run = r.run \
             WHERE k.form_no = ?1 AND k.field = ?2 AND k.key = ?3 AND k.serial = ?4)",
        )
        .and_then(|mut select| {
            select.query_row(params![form_no, field, key, serial], |row| row.get(0))
        })
        .map_err(internal)?;
    Ok(is_settled || recent_keys::has(tx, form_no, field, key, serial)?)
}

/// How far a walk over a field's keys has come.
pub struct Walk {
    /// Keys go on to lower ones while somebody walks: the highest comes first.
    run: i64,
    key: String,
    serial: i64,
}

impl Walk {
    /// Before the first one.
    pub fn begin() -> Self {
        Self {
            run: i64::MAX,
            key: String::new(),
            serial: 0,
        }
    }
}

/// A part of a walk.
pub struct Walked {
    /// Keys, with the serials of the entries that have them.
    pub keys: Vec<(String, i64)>,
    /// None: that was all.
    pub next: Option<Walk>,
}

/// The next of a field's keys of entries, but for the newest, at most `limit`; there may be none in one run and
/// more in the next.
///
/// # Errors
/// Internal.
pub fn walk(tx: &Tx, form_no: i64, field: u32, walk: &Walk, limit: usize) -> Result<Walked> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let keys: Vec<(String, i64)> = tx
        .connection
        .prepare_cached(
            "SELECT key, serial FROM entry_keys WHERE run = ?1 AND form_no = ?2 AND field = ?3 \
             AND (key, serial) > (?4, ?5) AND serial > 0 LIMIT ?6",
        )
        .and_then(|mut select| {
            let after = params![walk.run, form_no, field, walk.key, walk.serial, most];
            select
                .query_map(after, |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .map_err(internal)?;
    let next = match keys.last().filter(|_| keys.len() == limit) {
        Some((key, serial)) => Some(Walk {
            run: walk.run,
            key: key.clone(),
            serial: *serial,
        }),
        None => key_runs::below(tx.connection, walk.run)
            .map_err(internal)?
            .map(|run| Walk {
                run,
                ..Walk::begin()
            }),
    };
    Ok(Walked { keys, next })
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
            "SELECT EXISTS (SELECT 1 FROM entry_keys WHERE run = ?1 AND form_no = ?2 AND field = ?3 \
             GROUP BY key HAVING count(*) > 1)",
        )
        .and_then(|mut select| {
            select.query_row(params![SETTLED, form_no, field], |row| row.get(0))
        })
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
    let gone = key_runs::drop_some(tx.connection, form_no, Some(field), limit).map_err(internal)?;
    if gone > 0 {
        return Ok(true);
    }
    tx.connection
        .prepare_cached("DELETE FROM key_fields WHERE form_no = ?1 AND field = ?2")
        .and_then(|mut delete| delete.execute(params![form_no, field]))
        .map_err(internal)?;
    Ok(false)
}
