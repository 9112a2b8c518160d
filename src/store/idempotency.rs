//! Remembered answers of requests that may be sent twice.

use rusqlite::params;

use crate::base::error::Result;
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
pub fn find(tx: &Tx, key: &RequestKey) -> Result<Option<Remembered>> {
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.maybe(
        "SELECT request, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4",
        params![key.form_no, key.caller, key.key, oldest],
        |row| {
            Ok(Remembered {
                request: row.get(0)?,
                answer: row.get(1)?,
            })
        },
    )
}

/// Remembers an answer.
pub fn insert(tx: &Tx, key: &RequestKey, request: &[u8], answer: &[u8]) -> Result<()> {
    tx.run(
        "INSERT OR REPLACE INTO idempotent_answers \
             (form_no, caller, key, request, answer, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            key.form_no,
            key.caller,
            key.key,
            request,
            answer,
            tx.now.millis(),
        ],
    )?;
    Ok(())
}

/// Forgets up to `limit` answers that are older than 24 hours; says how many.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.run(
        "DELETE FROM idempotent_answers WHERE (form_no, caller, key) IN \
             (SELECT form_no, caller, key FROM idempotent_answers WHERE created_at <= ?1 LIMIT ?2)",
        params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)],
    )
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
pub fn walk(tx: &Tx, form_no: i64, after: Option<&Kept>, limit: usize) -> Result<Vec<Kept>> {
    let (caller, key) = after.map_or((&[][..], ""), |after| (&after.caller, &after.key));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT caller, key, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND (caller, key) > (?2, ?3) ORDER BY caller, key LIMIT ?4",
        params![form_no, caller, key, limit],
        |row| {
            Ok(Kept {
                caller: row.get(0)?,
                key: row.get(1)?,
                answer: row.get(2)?,
            })
        },
    )
}

/// Remembers another answer to the same request.
pub fn replace(tx: &Tx, form_no: i64, kept: &Kept, answer: &[u8]) -> Result<()> {
    tx.run(
        "UPDATE idempotent_answers SET answer = ?5 \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND answer = ?4",
        params![form_no, kept.caller, kept.key, kept.answer, answer],
    )?;
    Ok(())
}
