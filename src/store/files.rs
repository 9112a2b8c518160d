//! Files of entries: which contents they have, and which entries they belong to. A file goes with its entry.

use rusqlite::params;

use crate::base::error::Result;
use crate::store::blobs::Hash;
use crate::store::entries::{SERIALS, address};
use crate::store::tx::Tx;
use crate::store::uploads;

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    /// What it is called.
    pub name: String,
    /// Its type, as it was declared.
    pub content_type: String,
    /// How many bytes.
    pub size: u64,
    /// Its content.
    pub hash: Hash,
    /// The form and the serial number of its entry.
    pub entry: (i64, i64),
}

/// A file that is to be made of another one.
#[derive(Clone, Debug)]
pub struct Copy {
    /// What it will be known by.
    pub token: String,
    /// By what the other is known.
    pub of: String,
}

/// The file of a name.
pub fn by_token(tx: &Tx, token: &str) -> Result<Option<File>> {
    tx.maybe(
        "SELECT name, content_type, size, hash, entry FROM files WHERE token = ?1",
        [token],
        |row| {
            let entry: i64 = row.get(4)?;
            Ok(File {
                name: row.get(0)?,
                content_type: row.get(1)?,
                size: row.get::<_, i64>(2)?.cast_unsigned(),
                hash: row.get(3)?,
                entry: (entry >> 32, entry & (SERIALS - 1)),
            })
        },
    )
}

/// Uploads become files of an entry.
///
/// # Errors
/// 422 when one was used meanwhile.
pub(in crate::store) fn take(tx: &Tx, form_no: i64, serial: i64, uploads: &[String]) -> Result<()> {
    for upload in uploads {
        uploads::become_file(tx, upload, address(form_no, serial))?;
    }
    Ok(())
}

/// Gives an entry a file of its own with the content, name and type of another file of the form. False, where
/// that one is gone.
pub fn copy(tx: &Tx, copy: &Copy, form_no: i64, serial: i64) -> Result<bool> {
    let made = tx.run(
        "INSERT INTO files (token, entry, name, content_type, size, hash) \
             SELECT ?2, ?4, name, content_type, size, hash FROM files \
             WHERE token = ?1 AND entry >> 32 = ?3",
        params![copy.of, copy.token, form_no, address(form_no, serial)],
    )?;
    Ok(made > 0)
}

/// Hands a file over to another entry of its form.
pub(in crate::store) fn hand_over(tx: &Tx, token: &str, form_no: i64, serial: i64) -> Result<()> {
    tx.run(
        "UPDATE files SET entry = ?2 WHERE token = ?1",
        params![token, address(form_no, serial)],
    )?;
    Ok(())
}

/// Removes a file.
pub(in crate::store) fn remove(tx: &Tx, token: &str) -> Result<()> {
    tx.run("DELETE FROM files WHERE token = ?1", [token])?;
    Ok(())
}

/// Brings an entry's files to what its values name: uploads are taken, files that are not in `kept` go.
///
/// # Errors
/// 422 when an upload was used meanwhile.
pub fn replace(
    tx: &Tx,
    form_no: i64,
    serial: i64,
    kept: &[String],
    uploads: &[String],
) -> Result<()> {
    let id = address(form_no, serial);
    let had: Vec<String> = tx.all("SELECT token FROM files WHERE entry = ?1", [id], |row| {
        row.get(0)
    })?;
    for token in had.iter().filter(|token| !kept.contains(token)) {
        remove(tx, token)?;
    }
    take(tx, form_no, serial, uploads)
}

/// Removes all files of the entry at this address.
pub(in crate::store) fn remove_of(tx: &Tx, entry: i64) -> Result<()> {
    tx.run("DELETE FROM files WHERE entry = ?1", params![entry])?;
    Ok(())
}
