//! Images that pages show: which contents they have, whose they are, and what names them. One that nothing
//! names goes after a day; smaller ones of it go with it.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension as _, Row, params};

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::images::named_in;
use crate::store::blobs::{Blob, Hash};
use crate::store::rows::internal;
use crate::store::tx::Tx;
use crate::store::uploads;

const KEPT_SECS: i64 = 24 * 3600;

/// An image.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its public name.
    pub token: String,
    /// The organisation's number.
    pub organization: i64,
    /// Its type.
    pub content_type: String,
    /// How many bytes.
    pub size: u64,
    /// In pixels, as it is shown.
    pub width: u32,
    /// In pixels, as it is shown.
    pub height: u32,
    /// Its content.
    pub hash: Hash,
}

const COLUMNS: &str =
    "i.token, i.organization_id, i.content_type, i.size, i.width, i.height, i.hash";

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

/// The image of a name.
///
/// # Errors
/// Internal.
pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Image>> {
    tx.connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM images i WHERE token = ?1"))
        .and_then(|mut select| select.query_row([token], read).optional())
        .map_err(internal)
}

/// The images that the parts of a form name.
///
/// # Errors
/// Internal.
pub fn of_form(tx: &Tx, form_no: i64) -> Result<Vec<Image>> {
    tx.connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM images i WHERE token IN \
             (SELECT image FROM image_uses WHERE form_no = ?1)"
        ))
        .and_then(|mut select| select.query_map([form_no], read)?.collect())
        .map_err(internal)
}

/// Uploads become images.
///
/// # Errors
/// `Stale` when one was used or has gone meanwhile.
pub fn take(tx: &Tx, uploads: &[String]) -> Result<()> {
    for upload in uploads {
        if !uploads::become_image(tx, upload)? {
            return Err(Error::Stale);
        }
    }
    Ok(())
}

/// That images which somebody is about to name are still there.
///
/// # Errors
/// `Stale` when one has gone meanwhile.
pub fn still(tx: &Tx, tokens: &[String]) -> Result<()> {
    for token in tokens {
        if by_token(tx, token)?.is_none() {
            return Err(Error::Stale);
        }
    }
    Ok(())
}

/// Notes which images a part of a form names now.
///
/// # Errors
/// Internal.
pub(in crate::store) fn note_uses(tx: &Tx, form_no: i64, part: &str, value: &Json) -> Result<()> {
    let had: BTreeSet<String> = tx
        .connection
        .prepare_cached("SELECT image FROM image_uses WHERE form_no = ?1 AND part = ?2")
        .and_then(|mut select| {
            let found = select.query_map(params![form_no, part], |row| row.get(0))?;
            found.collect()
        })
        .map_err(internal)?;
    let named = named_in(value).ids;
    for token in had.difference(&named) {
        tx.connection
            .prepare_cached(
                "DELETE FROM image_uses WHERE form_no = ?1 AND part = ?2 AND image = ?3",
            )
            .and_then(|mut delete| delete.execute(params![form_no, part, token]))
            .map_err(internal)?;
    }
    for token in named.difference(&had) {
        tx.connection
            .prepare_cached(
                "INSERT INTO image_uses (form_no, part, image) SELECT ?1, ?2, i.token \
                 FROM images i JOIN users u USING (organization_id) \
                 JOIN forms f ON f.owner_id = u.id WHERE f.form_no = ?1 AND i.token = ?3",
            )
            .and_then(|mut insert| insert.execute(params![form_no, part, token]))
            .map_err(internal)?;
    }
    note_idle(tx)
}

/// From now on counts the time of images that nothing names any more.
fn note_idle(tx: &Tx) -> Result<()> {
    tx.connection
        .prepare_cached("UPDATE images SET idle_since = ?1 WHERE uses = 0 AND idle_since IS NULL")
        .and_then(|mut update| update.execute([tx.now.millis()]))
        .map_err(internal)?;
    Ok(())
}

/// Forgets up to `limit` images that nothing has named for 24 hours; says how many.
///
/// # Errors
/// Internal.
pub fn forget_idle(tx: &Tx, limit: usize) -> Result<usize> {
    note_idle(tx)?;
    // Smaller ones go with theirs, by the tables' own rules.
    let oldest = tx.now.minus_secs(KEPT_SECS).millis();
    tx.connection
        .prepare_cached(
            "DELETE FROM images WHERE token IN \
             (SELECT token FROM images AS i WHERE uses = 0 AND idle_since <= ?1 \
             AND NOT EXISTS (SELECT 1 FROM image_uses WHERE image = i.token) LIMIT ?2)",
        )
        .and_then(|mut delete| {
            delete.execute(params![oldest, i64::try_from(limit).unwrap_or(i64::MAX)])
        })
        .map_err(internal)
}

/// The images that are named by another number of rows than is counted.
///
/// # Errors
/// Internal.
pub fn miscounted(tx: &Tx) -> Result<Vec<String>> {
    tx.connection
        .prepare_cached(
            "SELECT token FROM images AS i WHERE uses <> \
             (SELECT count(*) FROM image_uses WHERE image = i.token)",
        )
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(internal)
}

/// Counts the rows that name an image again.
///
/// # Errors
/// Internal.
pub fn count_again(tx: &Tx, token: &str) -> Result<()> {
    tx.connection
        .prepare_cached(
            "UPDATE images SET idle_since = NULL, \
             uses = (SELECT count(*) FROM image_uses WHERE image = ?1) WHERE token = ?1",
        )
        .and_then(|mut update| update.execute([token]))
        .map_err(internal)?;
    Ok(())
}

/// A smaller one of an image.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its type.
    pub content_type: String,
    /// How many bytes.
    pub size: u64,
    /// Its content.
    pub hash: Hash,
}

/// What is known of an image in a width: nothing, that the image itself has to do, or the smaller one.
///
/// # Errors
/// Internal.
pub fn variant(tx: &Tx, image: &str, width: u32) -> Result<Option<Option<Variant>>> {
    tx.connection
        .prepare_cached(
            "SELECT content_type, size, hash FROM image_variants WHERE image = ?1 AND width = ?2",
        )
        .and_then(|mut select| {
            let found = select.query_row(params![image, width], |row| {
                let hash: Option<Hash> = row.get(2)?;
                let Some(hash) = hash else { return Ok(None) };
                Ok(Some(Variant {
                    content_type: row.get(0)?,
                    size: row.get::<_, i64>(1)?.cast_unsigned(),
                    hash,
                }))
            });
            found.optional()
        })
        .map_err(internal)
}

/// Keeps a smaller one, with its type; none where the image itself has to do. Of an image that has gone
/// meanwhile nothing is kept.
///
/// # Errors
/// Internal.
pub fn keep_variant(
    tx: &Tx,
    image: &str,
    width: u32,
    made: Option<(&'static str, &Blob)>,
) -> Result<()> {
    let (content_type, blob) = made.unzip();
    tx.connection
        .prepare_cached(
            "INSERT INTO image_variants (image, width, content_type, size, hash) \
             SELECT token, ?2, ?3, ?4, ?5 FROM images WHERE token = ?1 ON CONFLICT DO NOTHING",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                image,
                width,
                content_type,
                blob.map(|blob| blob.size.cast_signed()),
                blob.map(|blob| blob.hash),
            ])
        })
        .map_err(internal)?;
    Ok(())
}

/// Forgets the smaller ones that have this content, so that they are made again.
///
/// # Errors
/// Internal.
pub fn forget_variants(tx: &Tx, hash: &Hash) -> Result<()> {
    tx.connection
        .prepare_cached("DELETE FROM image_variants WHERE hash = ?1")
        .and_then(|mut delete| delete.execute([hash]))
        .map_err(internal)?;
    Ok(())
}

/// Whether smaller ones alone have this content: then it can be made again.
///
/// # Errors
/// Internal.
pub fn is_of_variants(tx: &Tx, hash: &Hash) -> Result<bool> {
    tx.connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM image_variants WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM images WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM files WHERE hash = ?1) \
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE hash = ?1)",
        )
        .and_then(|mut select| select.query_row([hash], |row| row.get(0)))
        .map_err(internal)
}
