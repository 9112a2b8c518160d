//! Removes forms for good, in pieces that let other writes through.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::OrganizationId;
use crate::store::entry_keys;
use crate::store::tx::Tx;

/// What goes with a form, each by the range of its own addresses or numbers.
const PARTS: [&str; 10] = [
    "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    "DELETE FROM entries_trash WHERE id IN (SELECT id FROM entries_trash WHERE id > ?1 << 32 \
     AND id < (?1 + 1) << 32 LIMIT ?2)",
    // Each of these is as long as some hundred entries.
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

/// A form that was deleted before a moment.
pub fn deleted_before(tx: &Tx, moment: Time) -> Result<Option<i64>> {
    tx.maybe(
        "SELECT form_no FROM forms WHERE deleted_at < ?1 LIMIT 1",
        [moment.millis()],
        |row| row.get(0),
    )
}

/// Removes a form that was deleted before a moment; what goes with it is gone already. Says what it was called and
/// whose it was, if it was still there.
pub fn form(tx: &Tx, form_no: i64, moment: Time) -> Result<Option<(String, OrganizationId)>> {
    tx.maybe(
        "DELETE FROM forms WHERE form_no = ?1 AND deleted_at < ?2 \
             RETURNING token, (SELECT organization_id FROM users WHERE id = owner_id)",
        params![form_no, moment.millis()],
        |row| Ok((row.get(0)?, OrganizationId(row.get(1)?))),
    )
}

/// Removes up to `limit` rows of what goes with a form that was deleted before a moment; says how many. 0: nothing
/// is left but the form itself, or it was restored since somebody looked.
pub fn some_of(tx: &Tx, form_no: i64, moment: Time, limit: usize) -> Result<usize> {
    let is_deleted: bool = tx.one(
        "SELECT EXISTS (SELECT 1 FROM forms WHERE form_no = ?1 AND deleted_at < ?2)",
        params![form_no, moment.millis()],
        |row| row.get(0),
    )?;
    if !is_deleted {
        return Ok(0);
    }
    let gone = entry_keys::drop_of(tx, form_no, None, limit)?;
    if gone > 0 {
        return Ok(gone);
    }
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    for part in PARTS {
        let gone = tx.run(part, params![form_no, limit])?;
        if gone > 0 {
            return Ok(gone);
        }
    }
    Ok(0)
}
