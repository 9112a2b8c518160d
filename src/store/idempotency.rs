//! Remembered answers of requests that may be sent twice.

use rusqlite::{OptionalExtension as _, params};

use crate::base::error::Result;
use crate::store::rows::internal;
use crate::store::tx::Tx;

const KEPT_SECS: i64 = 24 * 3600;

/// What identifies a request: the form, who sends it and the key they gave.
#[derive(Clone, Debug)]
pub struct RequestKey {
    /// The form.
    pub form_no: i64,
    /// A hash of who sends it.
    pub caller: [u8; 32],
    /// As it was sent.
    pub key: String,
}

/// A remembered answer.
pub struct Remembered {
    /// A hash of the request that was answered.
    pub request: Vec<u8>,
    /// The sealed answer.
    pub answer: Vec<u8>,
}

/// The answer of the last 24 hours to this request.
///
/// # Errors
/// Internal.
pub fn find(tx: &Tx, key: &RequestKey) -> Result<Option<Remembered>> {
    tx.connection
        .prepare_cached(
            "SELECT request, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4",
        )
        .and_then(|mut select| {
            let oldest = tx.now.minus_secs(KEPT_SECS).millis();
            select
                .query_row(params![key.form_no, key.caller, key.key, oldest], |row| {
                    Ok(Remembered {
                        request: row.get(0)?,
                        answer: row.get(1)?,
                    })
                })
                .optional()
        })
        .map_err(internal)
}

/// Remembers an answer.
///
/// # Errors
/// Internal.
pub fn insert(tx: &Tx, key: &RequestKey, request: &[u8], answer: &[u8]) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT OR REPLACE INTO idempotent_answers \
             (form_no, caller, key, request, answer, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                key.form_no,
                key.caller,
                key.key,
                request,
                answer,
                tx.now.millis(),
            ])
        })
        .map_err(internal)?;
    Ok(())
}

/// Forgets up to `limit` answers that are older than 24 hours; says how many.
///
/// # Errors
/// Internal.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    tx.connection
        .prepare_cached(
            "DELETE FROM idempotent_answers WHERE (form_no, caller, key) IN \
             (SELECT form_no, caller, key FROM idempotent_answers WHERE created_at <= ?1 LIMIT ?2)",
        )
        .and_then(|mut delete| {
            let oldest = tx.now.minus_secs(KEPT_SECS).millis();
            delete.execute(params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)])
        })
        .map_err(internal)
}

/// A remembered answer of a form, by what identifies it there.
#[derive(Clone, Debug)]
pub struct Kept {
    /// A hash of who sent the request.
    pub caller: Vec<u8>,
    /// As it was sent.
    pub key: String,
    /// The sealed answer.
    pub answer: Vec<u8>,
}

/// The next remembered answers of a form, at most `limit`.
///
/// # Errors
/// Internal.
pub fn walk(tx: &Tx, form_no: i64, after: Option<&Kept>, limit: usize) -> Result<Vec<Kept>> {
    let (caller, key) = after.map_or((&[][..], ""), |after| (&after.caller, &after.key));
    tx.connection
        .prepare_cached(
            "SELECT caller, key, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND (caller, key) > (?2, ?3) ORDER BY caller, key LIMIT ?4",
        )
        .and_then(|mut select| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            select
                .query_map(params![form_no, caller, key, limit], |row| {
                    Ok(Kept {
                        caller: row.get(0)?,
                        key: row.get(1)?,
                        answer: row.get(2)?,
                    })
                })?
                .collect()
        })
        .map_err(internal)
}

/// Remembers another answer to the same request.
///
/// # Errors
/// Internal.
pub fn replace(tx: &Tx, form_no: i64, kept: &Kept, answer: &[u8]) -> Result<()> {
    tx.connection
        .prepare_cached(
            "UPDATE idempotent_answers SET answer = ?5 \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND answer = ?4",
        )
        .and_then(|mut update| {
            update.execute(params![form_no, kept.caller, kept.key, kept.answer, answer])
        })
        .map_err(internal)?;
    Ok(())
}
