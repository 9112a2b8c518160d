//! The entries of people who submitted them while signed in. Each row says whose it is, so that what lies
//! in the trash, or left it again, counts as it should by itself.

use rusqlite::{OptionalExtension as _, params};

use crate::base::error::Result;
use crate::base::id::EntryToken;
use crate::model::user::UserId;
use crate::store::entries::{SERIALS, address, possible};
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// The token of the newest live entry that a user submitted to a form.
///
/// # Errors
/// Internal.
pub fn answer_of(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<EntryToken>> {
    let low = form_no << 32;
    tx.connection
        .prepare_cached(
            "SELECT token FROM entries WHERE respondent = ?1 AND id > ?2 AND id < ?3 \
             ORDER BY id DESC LIMIT 1",
        )
        .and_then(|mut select| {
            select
                .query_row(params![user.0, low, low + SERIALS], |row| {
                    row.get(0).map(|token: String| EntryToken::new(token))
                })
                .optional()
        })
        .map_err(internal)
}

/// Who submitted an entry that is in the trash.
///
/// # Errors
/// Internal.
pub fn of_trashed(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<UserId>> {
    if !possible(serial) {
        return Ok(None);
    }
    tx.connection
        .prepare_cached("SELECT respondent FROM entries_trash WHERE id = ?1")
        .and_then(|mut select| {
            select
                .query_row([address(form_no, serial)], |row| row.get(0))
                .optional()
        })
        .map(|found: Option<Option<i64>>| found.flatten().map(UserId))
        .map_err(internal)
}
