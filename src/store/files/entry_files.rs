//! Files of entries: their contents and the entries they belong to. A file is deleted with its entry.

use rusqlite::params;

use crate::base::error::Result;
use crate::store::db::tx::Tx;
use crate::store::entries::{SERIALS, address};
use crate::store::files::blobs::Hash;
use crate::store::files::uploads;

#[derive(Clone, Debug)]
pub struct EntryFile {
    pub name: String,
    /// As declared by the sender.
    pub content_type: String,
    /// In bytes.
    pub size: u64,
    pub hash: Hash,
    /// The form number and serial number of its entry.
    pub entry: (i64, i64),
}

/// A copy of a file to be made.
#[derive(Clone, Debug)]
pub struct FileCopy {
    /// The token of the copy.
    pub token: String,
    /// The token of the original.
    pub of: String,
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<EntryFile>> {
    tx.maybe("SELECT name, content_type, size, hash, entry FROM files WHERE token = ?1", [token], |row| {
        let entry: i64 = row.get(4)?;
        Ok(EntryFile {
            name: row.get(0)?,
            content_type: row.get(1)?,
            size: row.get::<_, i64>(2)?.cast_unsigned(),
            hash: row.get(3)?,
            entry: (entry >> 32, entry & (SERIALS - 1)),
        })
    })
}

/// Turns uploads into files of an entry.
///
/// # Errors
/// 422 if one was used meanwhile.
pub(in crate::store) fn attach(tx: &Tx, form_no: i64, serial: i64, uploads: &[String]) -> Result<()> {
    for upload in uploads {
        uploads::become_file(tx, upload, address(form_no, serial))?;
    }
    Ok(())
}

/// Gives an entry a copy of another file of the form, with the same content, name and type. False if the original is
/// gone.
pub fn copy(tx: &Tx, copy: &FileCopy, form_no: i64, serial: i64) -> Result<bool> {
    let inserted = tx.run(
        "INSERT INTO files (token, entry, name, content_type, size, hash) \
             SELECT ?2, ?4, name, content_type, size, hash FROM files \
             WHERE token = ?1 AND entry >> 32 = ?3",
        params![copy.of, copy.token, form_no, address(form_no, serial)],
    )?;
    Ok(inserted > 0)
}

/// Moves a file to another entry of its form.
pub(in crate::store) fn move_to(tx: &Tx, token: &str, form_no: i64, serial: i64) -> Result<()> {
    tx.run("UPDATE files SET entry = ?2 WHERE token = ?1", params![token, address(form_no, serial)])?;
    Ok(())
}

pub(in crate::store) fn remove(tx: &Tx, token: &str) -> Result<()> {
    tx.run("DELETE FROM files WHERE token = ?1", [token])?;
    Ok(())
}

/// Updates an entry's files to match its values: attaches the uploads and removes files that are not in `kept`.
///
/// # Errors
/// 422 if an upload was used meanwhile.
pub fn replace(tx: &Tx, form_no: i64, serial: i64, kept: &[String], uploads: &[String]) -> Result<()> {
    let id = address(form_no, serial);
    let current: Vec<String> = tx.all("SELECT token FROM files WHERE entry = ?1", [id], |row| row.get(0))?;
    for token in current.iter().filter(|token| !kept.contains(token)) {
        remove(tx, token)?;
    }
    attach(tx, form_no, serial, uploads)
}

/// Removes all files of the entry with this id.
pub(in crate::store) fn remove_of(tx: &Tx, entry: i64) -> Result<()> {
    tx.run("DELETE FROM files WHERE entry = ?1", params![entry])?;
    Ok(())
}
