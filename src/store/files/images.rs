//! Images on pages: their contents, owners and references. An unreferenced image is deleted after a day, together with
//! its smaller variants.

use std::collections::BTreeSet;

use rusqlite::{Row, params};

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::images::named_in;
use crate::store::db::tx::Tx;
use crate::store::files::blobs::{Blob, Hash};
use crate::store::files::uploads;

const KEPT_SECS: i64 = 24 * 3600;

#[derive(Clone, Debug)]
pub struct Image {
    pub token: String,
    pub organization: i64,
    pub content_type: String,
    /// In bytes.
    pub size: u64,
    /// In pixels, after rotation.
    pub width: u32,
    /// In pixels, after rotation.
    pub height: u32,
    pub hash: Hash,
}

const COLUMNS: &str = "i.token, i.organization_id, i.content_type, i.size, i.width, i.height, i.hash";

fn read(row: &Row) -> rusqlite::Result<Image> {
    Ok(Image {
        token: row.get(0)?,
        organization: row.get(1)?,
        content_type: row.get(2)?,
        size: row.get::<_, i64>(3)?.cast_unsigned(),
        width: row.get(4)?,
        height: row.get(5)?,
        hash: row.get(6)?,
    })
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Image>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM images i WHERE token = ?1"), [token], read)
}

/// The images that a form refers to.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Vec<Image>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM images i WHERE token IN \
             (SELECT image FROM image_uses WHERE form_no = ?1)"
        ),
        [form_no],
        read,
    )
}

/// Turns uploads into images.
///
/// # Errors
/// `Stale` if one is used or gone.
pub fn adopt(tx: &Tx, uploads: &[String]) -> Result<()> {
    for upload in uploads {
        if !uploads::become_image(tx, upload)? {
            return Err(Error::Stale);
        }
    }
    Ok(())
}

/// Checks that images still exist before they are referred to.
///
/// # Errors
/// `Stale` if one is gone.
pub fn check_exist(tx: &Tx, tokens: &[String]) -> Result<()> {
    for token in tokens {
        if by_token(tx, token)?.is_none() {
            return Err(Error::Stale);
        }
    }
    Ok(())
}

/// Records which images a part of a form refers to now.
pub(in crate::store) fn note_uses(tx: &Tx, form_no: i64, part: &str, value: &Json) -> Result<()> {
    let recorded: BTreeSet<String> =
        tx.all("SELECT image FROM image_uses WHERE form_no = ?1 AND part = ?2", params![form_no, part], |row| {
            row.get(0)
        })?;
    let named = named_in(value).ids;
    for token in recorded.difference(&named) {
        tx.run(
            "DELETE FROM image_uses WHERE form_no = ?1 AND part = ?2 AND image = ?3",
            params![form_no, part, token],
        )?;
    }
    for token in named.difference(&recorded) {
        tx.run(
            "INSERT INTO image_uses (form_no, part, image) SELECT ?1, ?2, i.token \
                 FROM images i JOIN users u USING (organization_id) \
                 JOIN forms f ON f.owner_id = u.id WHERE f.form_no = ?1 AND i.token = ?3",
            params![form_no, part, token],
        )?;
    }
    note_idle(tx)
}

/// Starts the idle time of images that are no longer referred to.
pub(in crate::store) fn note_idle(tx: &Tx) -> Result<()> {
    tx.run("UPDATE images SET idle_since = ?1 WHERE uses = 0 AND idle_since IS NULL", [tx.now.millis()])?;
    Ok(())
}

/// Deletes up to `limit` images that have been unreferenced for 24 hours, also by drafts. Returns the number deleted.
pub fn forget_idle(tx: &Tx, limit: usize) -> Result<usize> {
    note_idle(tx)?;
    // Their variants are deleted by a foreign key.
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.run(
        "DELETE FROM images WHERE token IN \
             (SELECT token FROM images AS i WHERE uses = 0 AND idle_since <= ?1 \
             AND NOT EXISTS (SELECT 1 FROM image_uses WHERE image = i.token) \
             AND NOT EXISTS (SELECT 1 FROM public_queries WHERE image = i.token) \
             AND NOT EXISTS (SELECT 1 FROM organizations WHERE logo = i.token) \
             AND NOT EXISTS (SELECT 1 FROM draft_fields WHERE instr(body, i.token) > 0) LIMIT ?2)",
        params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)],
    )
}

/// How many parts of forms, public queries and organisations refer to the image `i`.
const REFERENCES: &str = "((SELECT count(*) FROM image_uses WHERE image = i.token) \
     + (SELECT count(*) FROM public_queries WHERE image = i.token) \
     + (SELECT count(*) FROM organizations WHERE logo = i.token))";

/// The images whose reference count is wrong.
pub fn miscounted(tx: &Tx) -> Result<Vec<String>> {
    tx.all(&format!("SELECT token FROM images AS i WHERE uses <> {REFERENCES}"), [], |row| row.get(0))
}

/// Recounts the references to an image.
pub fn recount(tx: &Tx, token: &str) -> Result<()> {
    tx.run(&format!("UPDATE images AS i SET idle_since = NULL, uses = {REFERENCES} WHERE token = ?1"), [token])?;
    Ok(())
}

/// A smaller version of an image.
#[derive(Clone, Debug)]
pub struct Variant {
    pub content_type: String,
    /// In bytes.
    pub size: u64,
    pub hash: Hash,
}

/// The variant of an image with a width: `None` if not computed yet, `Some(None)` if the image itself is served.
pub fn variant(tx: &Tx, image: &str, width: u32) -> Result<Option<Option<Variant>>> {
    tx.maybe(
        "SELECT content_type, size, hash FROM image_variants WHERE image = ?1 AND width = ?2",
        params![image, width],
        |row| {
            let hash: Option<Hash> = row.get(2)?;
            let Some(hash) = hash else { return Ok(None) };
            Ok(Some(Variant { content_type: row.get(0)?, size: row.get::<_, i64>(1)?.cast_unsigned(), hash }))
        },
    )
}

/// Stores a variant with its type, or that the image itself is served. Nothing is stored if the image is gone.
pub fn store_variant(tx: &Tx, image: &str, width: u32, variant: Option<(&'static str, &Blob)>) -> Result<()> {
    let (content_type, blob) = variant.unzip();
    tx.run(
        "INSERT INTO image_variants (image, width, content_type, size, hash) \
             SELECT token, ?2, ?3, ?4, ?5 FROM images WHERE token = ?1 ON CONFLICT DO NOTHING",
        params![image, width, content_type, blob.map(|blob| blob.size.cast_signed()), blob.map(|blob| blob.hash),],
    )?;
    Ok(())
}

/// Deletes the variants with this content, so that they are computed again.
pub fn forget_variants(tx: &Tx, hash: &Hash) -> Result<()> {
    tx.run("DELETE FROM image_variants WHERE hash = ?1", [hash])?;
    Ok(())
}

/// Whether only variants have this content: then it can be computed again.
pub fn is_only_variants(tx: &Tx, hash: &Hash) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM image_variants WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM images WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM files WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE hash = ?1)",
        [hash],
        |row| row.get(0),
    )
}
