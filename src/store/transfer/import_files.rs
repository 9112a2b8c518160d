//! Files that wait to be imported: the newest of each person and form, for an hour.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::id;
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

const TOKEN_LENGTH: usize = 22;

/// A file that waits.
pub struct ImportFile {
    pub token: String,
    /// The file's name on the sender's disk.
    pub name: String,
    pub content: Vec<u8>,
    /// The mapping of its columns, as JSON text.
    pub columns: String,
    /// How many rows it has.
    pub rows: i64,
}

/// Keeps a file in place of an older one, whose columns it inherits; its token.
pub fn put(tx: &Tx, form_no: i64, user: UserId, name: &str, content: &[u8], rows: i64) -> Result<String> {
    let token = id::random(TOKEN_LENGTH);
    tx.run(
        "INSERT INTO import_files (form_no, user_id, token, name, content, columns, rows, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, '{}', ?6, ?7) \
             ON CONFLICT DO UPDATE SET token = ?3, name = ?4, content = ?5, rows = ?6, created_at = ?7",
        params![form_no, user.0, token, name, content, rows, tx.now.millis()],
    )?;
    Ok(token)
}

/// A file of this person for this form.
pub fn find(tx: &Tx, form_no: i64, user: UserId, token: &str) -> Result<Option<ImportFile>> {
    tx.maybe(
        "SELECT token, name, content, columns, rows FROM import_files WHERE form_no = ?1 AND user_id = ?2 AND token = ?3",
        params![form_no, user.0, token],
        |row| {
            Ok(ImportFile {
                token: row.get(0)?,
                name: row.get(1)?,
                content: row.get(2)?,
                columns: row.get(3)?,
                rows: row.get(4)?,
            })
        },
    )
}

/// Keeps where the columns of a file go.
pub fn set_columns(tx: &Tx, token: &str, columns: &str) -> Result<()> {
    tx.run("UPDATE import_files SET columns = ?2 WHERE token = ?1", [token, columns])?;
    Ok(())
}

/// Removes up to `limit` files that came before `moment`; says how many.
pub fn forget_old(tx: &Tx, moment: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM import_files WHERE rowid IN (SELECT rowid FROM import_files WHERE created_at < ?1 LIMIT ?2)",
        params![moment.millis(), limit],
    )
}
