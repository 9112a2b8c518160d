//! Entries that wait for room. They move up in the order of their serial numbers.

use rusqlite::params;

use crate::base::error::Result;
use crate::model::entry::Entry;
use crate::store::db::tx::Tx;
use crate::store::entries::{COLUMNS, SERIALS, address, read};

/// Whether a form has a waiting entry.
pub fn is_any(tx: &Tx, form_no: i64) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM entries INDEXED BY entries_waiting \
         WHERE results ->> '$.is_waiting' = 1 AND id > ?1 AND id < ?2)",
        params![address(form_no, 0), address(form_no, 0) + SERIALS],
        |row| row.get(0),
    )
}

/// How many wait in a form.
pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM entries INDEXED BY entries_waiting \
         WHERE results ->> '$.is_waiting' = 1 AND id > ?1 AND id < ?2",
        params![address(form_no, 0), address(form_no, 0) + SERIALS],
        |row| row.get(0),
    )
}

/// How many that a sender sent wait in a form.
pub fn count_from(tx: &Tx, form_no: i64, sender: &str) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM entries INDEXED BY entries_waiting \
         WHERE results ->> '$.is_waiting' = 1 AND id > ?1 AND id < ?2 AND results ->> '$.waits_from' = ?3",
        params![address(form_no, 0), address(form_no, 0) + SERIALS, sender],
        |row| row.get(0),
    )
}

/// The waiting entries of a form, at most `limit` after a serial number, the first one first.
pub fn next(tx: &Tx, form_no: i64, after: i64, limit: usize) -> Result<Vec<Entry>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM entries INDEXED BY entries_waiting \
             WHERE results ->> '$.is_waiting' = 1 AND id > ?1 AND id < ?2 ORDER BY id LIMIT ?3"
        ),
        params![address(form_no, after), address(form_no, 0) + SERIALS, i64::try_from(limit).unwrap_or(i64::MAX)],
        read,
    )
}
