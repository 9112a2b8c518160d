//! Exact keys of the few fields whose entries are looked up by value: so far, unique ones.

use rusqlite::{OptionalExtension as _, params};

use crate::base::error::Result;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// Adds the key of an entry.
///
/// # Errors
/// Internal.
pub fn insert(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT OR IGNORE INTO entry_keys (form_no, field, key, serial) VALUES (?1, ?2, ?3, ?4)",
        )
        .and_then(|mut insert| insert.execute(params![form_no, field, key, serial]))
        .map_err(internal)?;
    Ok(())
}

/// Takes the key of an entry away.
///
/// # Errors
/// Internal.
pub fn remove(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    tx.connection
        .prepare_cached(
            "DELETE FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 AND serial = ?4",
        )
        .and_then(|mut delete| delete.execute(params![form_no, field, key, serial]))
        .map_err(internal)?;
    Ok(())
}

/// Whether another live entry than `serial` has this key.
///
/// # Errors
/// Internal.
pub fn is_taken(tx: &Tx, form_no: i64, field: u32, key: &str, serial: Option<i64>) -> Result<bool> {
    tx.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM entry_keys WHERE form_no = ?1 AND field = ?2 \
             AND key = ?3 AND serial IS NOT ?4)",
        )
        .and_then(|mut select| {
            select.query_row(params![form_no, field, key, serial], |row| row.get(0))
        })
        .map_err(internal)
}

/// How far a field's keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Entries above `done_upto` that were there at the start still lack theirs.
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

/// A field that has keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyField {
    /// The form.
    pub form_no: i64,
    /// N of `field_N`.
    pub field: u32,
    /// How far they are made.
    pub state: State,
    /// The last serial that was looked at while building.
    pub done_upto: i64,
}

/// Sets how far a field's keys are made.
///
/// # Errors
/// Internal.
pub fn set_state(tx: &Tx, form_no: i64, field: u32, state: State, done_upto: i64) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT INTO key_fields (form_no, field, state, done_upto) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET state = excluded.state, done_upto = excluded.done_upto",
        )
        .and_then(|mut insert| insert.execute(params![form_no, field, state.name(), done_upto]))
        .map_err(internal)?;
    Ok(())
}

/// One field whose keys are being made or taken away.
///
/// # Errors
/// Internal.
pub fn unfinished(tx: &Tx) -> Result<Option<KeyField>> {
    tx.connection
        .prepare_cached(
            "SELECT form_no, field, state, done_upto FROM key_fields WHERE state <> 'ready' LIMIT 1",
        )
        .and_then(|mut select| {
            select
                .query_row([], |row| {
                    let state: String = row.get(2)?;
                    Ok(KeyField {
                        form_no: row.get(0)?,
                        field: row.get(1)?,
                        state: if state == "building" {
                            State::Building
                        } else {
                            State::Dropping
                        },
                        done_upto: row.get(3)?,
                    })
                })
                .optional()
        })
        .map_err(internal)
}

/// Takes up to `limit` keys of a field away; when none is left, the field is forgotten. Says whether
/// more are left.
///
/// # Errors
/// Internal.
pub fn drop_some(tx: &Tx, form_no: i64, field: u32, limit: usize) -> Result<bool> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let gone = tx
        .connection
        .prepare_cached(
            "DELETE FROM entry_keys WHERE (form_no, field, key, serial) IN (SELECT form_no, field, \
             key, serial FROM entry_keys WHERE form_no = ?1 AND field = ?2 LIMIT ?3)",
        )
        .and_then(|mut delete| delete.execute(params![form_no, field, limit]))
        .map_err(internal)?;
    if gone > 0 {
        return Ok(true);
    }
    tx.connection
        .prepare_cached("DELETE FROM key_fields WHERE form_no = ?1 AND field = ?2")
        .and_then(|mut delete| delete.execute(params![form_no, field]))
        .map_err(internal)?;
    Ok(false)
}
