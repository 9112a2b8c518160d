//! Removes forms for good, in batches that let other writes through.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::OrganizationId;
use crate::store::capacity;
use crate::store::db::tx::Tx;
use crate::store::entries::entry_keys;

/// Outgoing messages and deliveries. They are deleted first, so that nothing of a half-deleted form is sent.
const WAITING: [&str; 3] = [
    "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE form_no = ?1 LIMIT ?2)",
    "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE event_id > ?1 << 32 \
     AND event_id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
];

/// The rows that belong to a form, each deleted by its range of ids or by the form's number.
const DELETES: [&str; 11] = [
    "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM entries_trash WHERE id IN (SELECT id FROM entries_trash WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM check_ins WHERE id IN (SELECT id FROM check_ins WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    // Each of these rows is as large as some hundred entries.
    "DELETE FROM segments WHERE id IN (SELECT id FROM segments WHERE id >= ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT max(?2 / 50, 1))",
    "DELETE FROM segment_blocks WHERE id IN (SELECT id FROM segment_blocks WHERE id >= ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM segment_changes WHERE id IN (SELECT id FROM segment_changes WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM segment_columns WHERE (form_no, slot) IN (SELECT form_no, slot FROM segment_columns \
     WHERE form_no = ?1 LIMIT ?2)",
    "DELETE FROM idempotent_answers WHERE (form_no, caller, key) IN (SELECT form_no, caller, key \
     FROM idempotent_answers WHERE form_no = ?1 LIMIT ?2)",
    "DELETE FROM files WHERE token IN (SELECT token FROM files WHERE entry > ?1 << 32 \
     AND entry < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM uploads WHERE token IN (SELECT token FROM uploads WHERE form_no = ?1 LIMIT ?2)",
    "DELETE FROM image_uses WHERE (form_no, part, image) IN (SELECT form_no, part, image \
     FROM image_uses WHERE form_no = ?1 LIMIT ?2)",
];

/// A form that was moved to the trash before `moment`.
pub fn deleted_before(tx: &Tx, moment: Time) -> Result<Option<i64>> {
    tx.maybe("SELECT form_no FROM forms WHERE deleted_at < ?1 LIMIT 1", [moment.millis()], |row| row.get(0))
}

/// Removes a form that was moved to the trash before `moment` and has no other rows left. Returns its token and
/// organisation, if it still existed.
pub fn form(tx: &Tx, form_no: i64, moment: Time) -> Result<Option<(String, OrganizationId)>> {
    tx.maybe(
        "DELETE FROM forms WHERE form_no = ?1 AND deleted_at < ?2 \
             RETURNING token, (SELECT organization_id FROM users WHERE id = owner_id)",
        params![form_no, moment.millis()],
        |row| Ok((row.get(0)?, OrganizationId(row.get(1)?))),
    )
}

/// Removes up to `limit` rows that belong to a form that was moved to the trash before `moment`. Returns the number
/// removed: 0 if only the form itself is left, or if it was restored meanwhile.
pub fn rows_of(tx: &Tx, form_no: i64, moment: Time, limit: usize) -> Result<usize> {
    let is_deleted: bool = tx.one(
        "SELECT EXISTS (SELECT 1 FROM forms WHERE form_no = ?1 AND deleted_at < ?2)",
        params![form_no, moment.millis()],
        |row| row.get(0),
    )?;
    if !is_deleted {
        return Ok(0);
    }
    let removed = first_of(tx, &WAITING, form_no, limit)?;
    if removed > 0 {
        return Ok(removed);
    }
    let removed = entry_keys::drop_of(tx, form_no, None, limit)?;
    if removed > 0 {
        return Ok(removed);
    }
    let removed = capacity::drop_some(tx, form_no, limit)?;
    if removed > 0 {
        return Ok(removed);
    }
    first_of(tx, &DELETES, form_no, limit)
}

/// Deletes the rows of the first of these statements that finds any.
fn first_of(tx: &Tx, deletes: &[&str], form_no: i64, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    for delete in deletes {
        let removed = tx.run(delete, params![form_no, limit])?;
        if removed > 0 {
            return Ok(removed);
        }
    }
    Ok(0)
}
