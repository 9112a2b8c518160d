//! Stored answers to requests with an idempotency key.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::db::tx::Tx;

const KEPT_SECS: i64 = 24 * 3600;

/// Identifies a request.
#[derive(Clone, Debug)]
pub struct RequestKey {
    pub form_no: i64,
    /// A hash of the sender's identity.
    pub caller: [u8; 32],
    /// The idempotency key, as it was sent.
    pub key: String,
}

pub struct StoredAnswer {
    /// A hash of the request that was answered.
    pub request: Vec<u8>,
    /// The encrypted answer.
    pub answer: Vec<u8>,
}

/// The answer to this request, if it was given in the last 24 hours.
pub fn find(tx: &Tx, key: &RequestKey) -> Result<Option<StoredAnswer>> {
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.maybe(
        "SELECT request, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4",
        params![key.form_no, key.caller, key.key, oldest],
        |row| Ok(StoredAnswer { request: row.get(0)?, answer: row.get(1)? }),
    )
}

pub fn insert(tx: &Tx, key: &RequestKey, request: &[u8], answer: &[u8]) -> Result<()> {
    tx.run(
        "INSERT OR REPLACE INTO idempotent_answers \
             (form_no, caller, key, request, answer, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![key.form_no, key.caller, key.key, request, answer, tx.now.millis(),],
    )?;
    Ok(())
}

/// Deletes up to `limit` answers that are older than 24 hours. Returns the number deleted.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.run(
        "DELETE FROM idempotent_answers WHERE (form_no, caller, key) IN \
             (SELECT form_no, caller, key FROM idempotent_answers WHERE created_at <= ?1 LIMIT ?2)",
        params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)],
    )
}

/// A stored answer of a form, with its key.
#[derive(Clone, Debug)]
pub struct AnswerRow {
    /// A hash of the sender's identity.
    pub caller: Vec<u8>,
    /// The idempotency key, as it was sent.
    pub key: String,
    /// The encrypted answer.
    pub answer: Vec<u8>,
}

/// Up to `limit` stored answers of a form, starting after `after`.
pub fn page(tx: &Tx, form_no: i64, after: Option<&AnswerRow>, limit: usize) -> Result<Vec<AnswerRow>> {
    let (caller, key) = after.map_or((&[][..], ""), |after| (&after.caller, &after.key));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT caller, key, answer FROM idempotent_answers \
             WHERE form_no = ?1 AND (caller, key) > (?2, ?3) ORDER BY caller, key LIMIT ?4",
        params![form_no, caller, key, limit],
        |row| Ok(AnswerRow { caller: row.get(0)?, key: row.get(1)?, answer: row.get(2)? }),
    )
}

/// The stored answers of a form that were given at this moment.
pub fn given_at(tx: &Tx, form_no: i64, moment: Time) -> Result<Vec<AnswerRow>> {
    tx.all(
        "SELECT caller, key, answer FROM idempotent_answers INDEXED BY idempotent_answers_by_age \
             WHERE created_at = ?2 AND form_no = ?1",
        params![form_no, moment.millis()],
        |row| Ok(AnswerRow { caller: row.get(0)?, key: row.get(1)?, answer: row.get(2)? }),
    )
}

/// Replaces the stored answer, unless it changed meanwhile.
pub fn replace(tx: &Tx, form_no: i64, row: &AnswerRow, answer: &[u8]) -> Result<()> {
    tx.run(
        "UPDATE idempotent_answers SET answer = ?5 \
             WHERE form_no = ?1 AND caller = ?2 AND key = ?3 AND answer = ?4",
        params![form_no, row.caller, row.key, row.answer, answer],
    )?;
    Ok(())
}
