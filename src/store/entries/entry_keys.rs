//! The unique index: one table of hashed keys. It is checked and filled within the same job of the writer, so that no
//! other write comes between.

use std::collections::HashSet;

use rusqlite::params;

use crate::base::error::{Error, Result};
use crate::base::named::named;
use crate::store::db::tx::Tx;
use crate::store::entries::key_hash::Hash;
use crate::store::transfer;

/// The number that verification codes have in place of a field's. Entries in the trash keep the key.
pub const CODE: u32 = u32::MAX;

/// Above this number, the keys by which public queries find a field's values.
const SEARCHED: u32 = 1 << 24;

/// The number under which a field has its keys for public queries.
pub const fn searched(field: u32) -> u32 {
    SEARCHED + field
}

/// The field whose keys for public queries have this number.
pub const fn searched_field(number: u32) -> Option<u32> {
    if number > SEARCHED && number < CODE { Some(number - SEARCHED) } else { None }
}

/// The keyed hash that is stored in place of a key.
pub fn hash(tx: &Tx, form_no: i64, field: u32, key: &str) -> Hash {
    tx.secrets.keys.hash(form_no, field, key)
}

/// Adds the key of an entry; an existing key stays.
pub fn insert(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    let key = hash(tx, form_no, field, key);
    tx.run(
        "INSERT OR IGNORE INTO entry_keys (form_no, field, key, serial) VALUES (?1, ?2, ?3, ?4)",
        params![form_no, field, key, serial],
    )?;
    Ok(())
}

/// Removes the key of an entry.
pub fn remove(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<()> {
    remove_hash(tx, form_no, field, hash(tx, form_no, field, key), serial)
}

/// Like [`remove`], by the key's hash.
pub fn remove_hash(tx: &Tx, form_no: i64, field: u32, hash: Hash, serial: i64) -> Result<()> {
    tx.run(
        "DELETE FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 AND serial = ?4",
        params![form_no, field, hash, serial],
    )?;
    Ok(())
}

/// Whether another live entry than `serial` has this key.
///
/// # Errors
/// 503 when only a row of an unfinished import has it, which may not become an entry.
pub fn is_taken(tx: &Tx, form_no: i64, field: u32, key: &str, serial: Option<i64>) -> Result<bool> {
    match holder(tx, form_no, field, key, serial)? {
        Holder::Nobody => Ok(false),
        Holder::Entry => Ok(true),
        Holder::Import => {
            Err(Error::Busy("an import under way brings the same value: try again when it is through", 2))
        }
    }
}

/// Whether an entry or a row of an import has this key.
pub fn is_held(tx: &Tx, form_no: i64, field: u32, key: &str) -> Result<bool> {
    Ok(holder(tx, form_no, field, key, None)? != Holder::Nobody)
}

/// Whether a live entry has this key, regardless of unfinished imports.
pub fn is_of_entry(tx: &Tx, form_no: i64, field: u32, key: &str) -> Result<bool> {
    Ok(holder(tx, form_no, field, key, None)? == Holder::Entry)
}

/// The holder of a key.
#[derive(PartialEq, Eq)]
enum Holder {
    Nobody,
    Entry,
    /// A row of an unfinished import.
    Import,
}

fn holder(tx: &Tx, form_no: i64, field: u32, key: &str, own: Option<i64>) -> Result<Holder> {
    let key = hash(tx, form_no, field, key);
    let serial: Option<i64> = tx.one(
        "SELECT max(serial) FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 \
             AND serial IS NOT ?4",
        params![form_no, field, key, own],
        |row| row.get(0),
    )?;
    Ok(match serial {
        None => Holder::Nobody,
        Some(serial) if serial < 0 && transfer::is_staging(tx, form_no)? => Holder::Import,
        Some(_) => Holder::Entry,
    })
}

/// The live entries that have this key, at most `limit`.
pub fn with_key(tx: &Tx, form_no: i64, field: u32, key: &str, limit: usize) -> Result<Vec<i64>> {
    let key = hash(tx, form_no, field, key);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT serial FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 \
             ORDER BY serial LIMIT ?4",
        params![form_no, field, key, limit],
        |row| row.get(0),
    )
}

/// Whether an entry has this key.
pub fn has(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<bool> {
    let key = hash(tx, form_no, field, key);
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND key = ?3 \
             AND serial = ?4)",
        params![form_no, field, key, serial],
        |row| row.get(0),
    )
}

/// How many keys of entries a field has.
pub fn count(tx: &Tx, form_no: i64, field: u32) -> Result<usize> {
    let count: i64 = tx.one(
        "SELECT count(*) FROM entry_keys WHERE form_no = ?1 AND field = ?2 AND serial > 0",
        params![form_no, field],
        |row| row.get(0),
    )?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// The next keys of a field's entries, in the table's order.
pub fn walk(tx: &Tx, form_no: i64, field: u32, (hash, serial): (Hash, i64), limit: usize) -> Result<Vec<(Hash, i64)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT key, serial FROM entry_keys WHERE form_no = ?1 AND field = ?2 \
             AND (key, serial) > (?3, ?4) AND serial > 0 ORDER BY key, serial LIMIT ?5",
        params![form_no, field, hash, serial, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The tokens of forms of which every entry has its keys, or older ones.
pub fn forms(tx: &Tx) -> Result<Vec<String>> {
    tx.all(
        "SELECT token FROM forms WHERE deleted_at IS NULL \
             AND form_no IN (SELECT form_no FROM key_fields) \
             AND form_no NOT IN (SELECT form_no FROM key_fields WHERE state NOT IN ('ready', 'outdated'))",
        [],
        |row| row.get(0),
    )
}

/// The live forms whose keys are being made again.
pub fn outdated_forms(tx: &Tx) -> Result<HashSet<String>> {
    let sql = "SELECT token FROM forms WHERE deleted_at IS NULL \
         AND form_no IN (SELECT form_no FROM key_fields WHERE state = 'outdated')";
    let all: Vec<String> = tx.all(sql, [], |row| row.get(0))?;
    Ok(all.into_iter().collect())
}

/// Notes that the keys of a form were made again.
pub fn renewed(tx: &Tx, form_no: i64) -> Result<()> {
    tx.run("UPDATE key_fields SET state = 'ready' WHERE form_no = ?1 AND state = 'outdated'", [form_no])?;
    Ok(())
}

named! {
    /// The state of a field's index.
    pub enum IndexState {
        /// New entries add their keys; older ones may lack theirs.
        Building = "building",
        /// Every live entry has its key.
        Ready = "ready",
        /// Every live entry has a key, which an upgrade may have changed: they are being made again.
        Outdated = "outdated",
        /// No longer needed: being removed.
        Dropping = "dropping",
    }
}

pub fn set_state(tx: &Tx, form_no: i64, field: u32, state: IndexState) -> Result<()> {
    tx.run(
        "INSERT INTO key_fields (form_no, field, state) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET state = excluded.state",
        params![form_no, field, state.name()],
    )?;
    Ok(())
}

/// The state of each index of a form.
pub fn states(tx: &Tx, form_no: i64) -> Result<Vec<(u32, IndexState)>> {
    let all: Vec<(u32, String)> =
        tx.all("SELECT field, state FROM key_fields WHERE form_no = ?1", [form_no], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let known = all.into_iter();
    Ok(known.filter_map(|(field, state)| Some((field, IndexState::by_name(&state)?))).collect())
}

/// Whether two entries have the same key, of those whose keys were built.
pub fn has_doubles(tx: &Tx, form_no: i64, field: u32) -> Result<bool> {
    Ok(!doubles(tx, form_no, field, 1)?.is_empty())
}

/// Entries that have the same key, two for each such key: of at most `limit` keys.
pub fn doubles(tx: &Tx, form_no: i64, field: u32, limit: usize) -> Result<Vec<(i64, i64)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT min(serial), max(serial) FROM entry_keys WHERE form_no = ?1 AND field = ?2 \
             GROUP BY key HAVING count(*) > 1 LIMIT ?3",
        params![form_no, field, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// A field whose index is being dropped.
pub fn unneeded(tx: &Tx) -> Result<Option<(i64, u32)>> {
    tx.maybe("SELECT form_no, field FROM key_fields WHERE state = 'dropping' LIMIT 1", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Drops every unfinished index.
pub fn abandon(tx: &Tx) -> Result<()> {
    let building: Vec<(i64, u32)> =
        tx.all("SELECT form_no, field FROM key_fields WHERE state = 'building'", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    for (form_no, field) in building {
        set_state(tx, form_no, field, IndexState::Dropping)?;
    }
    Ok(())
}

/// Removes up to `limit` keys of a field; when none is left, the field is forgotten. Says whether more are left.
pub fn drop_some(tx: &Tx, form_no: i64, field: u32, limit: usize) -> Result<bool> {
    let gone = drop_of(tx, form_no, Some(field), limit)?;
    if gone > 0 {
        return Ok(true);
    }
    tx.run("DELETE FROM key_fields WHERE form_no = ?1 AND field = ?2", params![form_no, field])?;
    Ok(false)
}

/// Removes up to `limit` keys of one field or of all fields of a form. Returns how many.
pub fn drop_of(tx: &Tx, form_no: i64, field: Option<u32>, limit: usize) -> Result<usize> {
    let (least, most) = field.map_or((0, u32::MAX), |field| (field, field));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM entry_keys WHERE (form_no, field, key, serial) IN \
             (SELECT form_no, field, key, serial FROM entry_keys \
              WHERE form_no = ?1 AND field BETWEEN ?2 AND ?3 LIMIT ?4)",
        params![form_no, least, most, limit],
    )
}
