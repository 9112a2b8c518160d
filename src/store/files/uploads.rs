//! Announced uploads: each is uploaded once and used once.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::reason::UploadFault;
use crate::model::upload::{ENTRY_ATTACHMENT, KEPT_SECS, PURPOSES, Upload, UploadTarget, file_token};
use crate::store::db::tx::Tx;
use crate::store::files::blobs::Blob;

const COLUMNS: &str = "token, purpose, organization_id, form_no, field, dimension, file_name, \
     content_type, file_size, duration, expires_at, put_at, used_at, created_at";
// How long rows stay, used or not, so that a second use is refused with the right reason: a day longer than the
// content.
const ROW_SECS: i64 = 2 * KEPT_SECS;

fn read(row: &Row) -> rusqlite::Result<Upload> {
    let purpose: String = row.get(1)?;
    let target = if purpose == ENTRY_ATTACHMENT {
        UploadTarget::Entry { form_no: row.get(3)?, field: row.get(4)?, dimension: row.get(5)? }
    } else {
        let known = PURPOSES.iter().find(|(name, _)| *name == purpose);
        UploadTarget::Element { purpose: known.map_or("", |(_, name)| name), organization: row.get(2)? }
    };
    Ok(Upload {
        token: row.get(0)?,
        target,
        file_name: row.get(6)?,
        content_type: row.get(7)?,
        file_size: row.get::<_, i64>(8)?.cast_unsigned(),
        duration: row.get(9)?,
        expires_at: Time::from_millis(row.get(10)?),
        is_put: row.get::<_, Option<i64>>(11)?.is_some(),
        is_used: row.get::<_, Option<i64>>(12)?.is_some(),
        created_at: Time::from_millis(row.get(13)?),
    })
}

/// Adds an upload announced by `sender`.
pub fn insert(tx: &Tx, upload: &Upload, sender: &str) -> Result<()> {
    let (organization, form_no, field, dimension) = match &upload.target {
        UploadTarget::Element { organization, .. } => (Some(organization), None, None, None),
        UploadTarget::Entry { form_no, field, dimension } => (None, Some(form_no), Some(field), dimension.as_ref()),
    };
    tx.run(
        "INSERT INTO uploads (token, purpose, organization_id, form_no, field, dimension, \
             file_name, content_type, file_size, duration, sender, created_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            upload.token,
            upload.target.purpose(),
            organization,
            form_no,
            field,
            dimension,
            upload.file_name,
            upload.content_type,
            upload.file_size.cast_signed(),
            upload.duration,
            sender,
            tx.now.millis(),
            upload.expires_at.millis(),
        ],
    )?;
    Ok(())
}

/// The number of a sender's announced uploads to a form that have not arrived yet; no form for images of forms.
pub fn open_count(tx: &Tx, sender: &str, form_no: Option<i64>) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM uploads \
             WHERE sender = ?1 AND form_no IS ?2 AND put_at IS NULL AND expires_at > ?3",
        params![sender, form_no, tx.now.millis()],
        |row| row.get(0),
    )
}

/// The bytes of announced uploads that may still arrive, and of those that arrived and are not used yet.
pub fn open_bytes(tx: &Tx) -> Result<u64> {
    tx.one(
        "SELECT ifnull(sum(file_size), 0) FROM uploads \
             WHERE used_at IS NULL AND (hash IS NOT NULL OR (put_at IS NULL AND expires_at > ?1))",
        [tx.now.millis()],
        |row| row.get::<_, i64>(0),
    )
    .map(i64::cast_unsigned)
}

/// The bytes that a sender has announced since `moment`.
pub fn bytes_since(tx: &Tx, sender: &str, moment: Time) -> Result<u64> {
    tx.one(
        "SELECT ifnull(sum(file_size), 0) FROM uploads \
             WHERE sender = ?1 AND created_at > ?2",
        params![sender, moment.millis()],
        |row| row.get::<_, i64>(0),
    )
    .map(i64::cast_unsigned)
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Upload>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM uploads WHERE token = ?1"), [token], read)
}

/// Records that the content arrived, for an image with its size in pixels. False if it had arrived before.
pub fn put(tx: &Tx, token: &str, blob: &Blob, pixels: Option<(u32, u32)>) -> Result<bool> {
    let (width, height) = pixels.unzip();
    tx.run(
        "UPDATE uploads SET hash = ?2, put_at = ?3, width = ?4, height = ?5 \
             WHERE token = ?1 AND put_at IS NULL",
        params![token, blob.hash, tx.now.millis(), width, height],
    )
    .map(|count| count > 0)
}

/// Turns an upload into a file of the entry with this id.
///
/// # Errors
/// 422 if it is used or gone.
pub(in crate::store) fn become_file(tx: &Tx, token: &str, entry: i64) -> Result<()> {
    let inserted = tx.run(
        "INSERT INTO files (token, entry, name, content_type, size, hash) \
             SELECT ?2, ?3, file_name, content_type, file_size, hash FROM uploads \
             WHERE token = ?1 AND hash IS NOT NULL AND used_at IS NULL",
        params![token, file_token(token), entry],
    )?;
    if inserted == 0 {
        return Err(Error::invalid("field_values", UploadFault::Used));
    }
    note_use(tx, token)
}

/// Turns an upload into an image. False if it is used, gone or not an image.
pub(in crate::store) fn become_image(tx: &Tx, token: &str) -> Result<bool> {
    let inserted = tx.run(
        "INSERT INTO images (token, organization_id, content_type, size, width, height, hash, \
             idle_since) \
             SELECT u.token, u.organization_id, u.content_type, b.size, u.width, u.height, b.hash, ?2 \
             FROM uploads u JOIN blobs b USING (hash) WHERE u.token = ?1 AND u.used_at IS NULL \
             AND u.organization_id IS NOT NULL AND u.width IS NOT NULL",
        params![token, tx.now.millis()],
    )?;
    if inserted > 0 {
        note_use(tx, token)?;
    }
    Ok(inserted > 0)
}

fn note_use(tx: &Tx, token: &str) -> Result<()> {
    tx.run("UPDATE uploads SET hash = NULL, used_at = ?2 WHERE token = ?1", params![token, tx.now.millis()])?;
    Ok(())
}

/// Width and height of an uploaded image.
pub fn pixels(tx: &Tx, token: &str) -> Result<Option<(u32, u32)>> {
    tx.maybe("SELECT width, height FROM uploads WHERE token = ?1 AND width IS NOT NULL", [token], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Releases the contents of up to `limit` uploads that were announced more than 24 hours ago and not used. Returns
/// the number released.
pub fn release_old(tx: &Tx, limit: usize) -> Result<usize> {
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.run(
        "UPDATE uploads SET hash = NULL WHERE token IN \
             (SELECT token FROM uploads WHERE created_at <= ?1 AND used_at IS NULL \
              AND hash IS NOT NULL LIMIT ?2)",
        params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)],
    )
}

/// Deletes up to `limit` rows that are older than two days. Returns the number deleted.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    let oldest = tx.now.minus_secs(ROW_SECS).millis();
    tx.run(
        "DELETE FROM uploads WHERE token IN \
             (SELECT token FROM uploads WHERE created_at <= ?1 LIMIT ?2)",
        params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)],
    )
}

/// The fields of a form with announced uploads, each with its table column, if any.
pub fn fields(tx: &Tx, form_no: i64) -> Result<Vec<(String, Option<String>)>> {
    tx.all("SELECT DISTINCT field, dimension FROM uploads WHERE form_no = ?1 AND field IS NOT NULL", [form_no], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Deletes up to `limit` uploads for a field of a form, or for a table column of it. Returns the number deleted.
pub fn forget_of(tx: &Tx, form_no: i64, (field, dimension): (&str, Option<&str>), limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM uploads WHERE token IN (SELECT token FROM uploads \
             WHERE form_no = ?1 AND field = ?2 AND dimension IS ?3 LIMIT ?4)",
        params![form_no, field, dimension, limit],
    )
}
