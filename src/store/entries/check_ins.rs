//! Entries whose people have arrived.

use std::collections::HashMap;

use rusqlite::{Row, params};
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::UserId;
use crate::store::db::tx::Tx;
use crate::store::entries::{SERIALS, address};

/// The check-in of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckIn {
    pub at: Time,
    /// The name of who marked it; `None` if the account is gone.
    pub by: Option<String>,
}

const ASK: &str = "SELECT c.id, c.at, u.name FROM check_ins c LEFT JOIN users u ON u.id = c.user_id";

fn read(row: &Row) -> rusqlite::Result<(i64, CheckIn)> {
    let id: i64 = row.get(0)?;
    Ok((id & (SERIALS - 1), CheckIn { at: Time::from_millis(row.get(1)?), by: row.get(2)? }))
}

/// Check-ins of those of these entries that have one.
pub fn of_entries(tx: &Tx, form_no: i64, serials: &[i64]) -> Result<HashMap<i64, CheckIn>> {
    let ids: Vec<i64> = serials.iter().map(|serial| address(form_no, *serial)).collect();
    let found: Vec<(i64, CheckIn)> =
        tx.all(&format!("{ASK} WHERE c.id IN (SELECT value FROM json_each(?1))"), [json!(ids).to_string()], read)?;
    Ok(found.into_iter().collect())
}

/// Marks an entry, unless it is marked already. False if it was.
pub fn mark(tx: &Tx, form_no: i64, serial: i64, by: UserId) -> Result<bool> {
    let added = tx.run(
        "INSERT INTO check_ins (id, at, user_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        params![address(form_no, serial), tx.now.millis(), by.0],
    )?;
    Ok(added > 0)
}

/// Takes the mark of an entry away. False if it had none.
pub fn unmark(tx: &Tx, form_no: i64, serial: i64) -> Result<bool> {
    Ok(tx.run("DELETE FROM check_ins WHERE id = ?1", [address(form_no, serial)])? > 0)
}

/// How many live entries of a form are marked.
pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM check_ins c JOIN entries e ON e.id = c.id WHERE c.id > ?1 AND c.id < ?2",
        params![address(form_no, 0), address(form_no, 0) + SERIALS],
        |row| row.get(0),
    )
}

/// How many live entries of a form have a booking that was cancelled.
pub fn count_cancelled(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM entries INDEXED BY entries_cancelled \
         WHERE results ->> '$.reservation_status' = 'cancelled' AND id > ?1 AND id < ?2",
        params![address(form_no, 0), address(form_no, 0) + SERIALS],
        |row| row.get(0),
    )
}
