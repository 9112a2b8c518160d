//! Users' folders and the forms in them.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::FolderToken;
use crate::base::reason::Reason;
use crate::base::text::identity;
use crate::model::folder::Folder;
use crate::model::user::{OrganizationId, UserId};
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;

const COLUMNS: &str = "d.id, d.token, d.user_id, d.parent_id, d.name, d.created_at, \
     (SELECT p.token FROM folders p WHERE p.id = d.parent_id), \
     (SELECT count(*) FROM folders k WHERE k.parent_id = d.id), \
     (SELECT count(*) FROM placements l JOIN forms f ON f.form_no = l.form_no \
      WHERE l.folder_id = d.id AND f.deleted_at IS NULL)";

fn read(row: &Row) -> rusqlite::Result<Folder> {
    Ok(Folder {
        id: row.get(0)?,
        token: FolderToken::new(row.get::<_, String>(1)?),
        user: UserId(row.get(2)?),
        parent: row.get(3)?,
        name: row.get(4)?,
        created_at: Time::from_millis(row.get(5)?),
        parent_token: row.get::<_, Option<String>>(6)?.map(FolderToken::new),
        child_folder_count: row.get(7)?,
        child_form_count: row.get(8)?,
    })
}

/// The folder with this token, and its user's organisation.
pub fn by_token(tx: &Tx, token: &str) -> Result<Option<(Folder, OrganizationId)>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS}, u.organization_id FROM folders d JOIN users u ON u.id = d.user_id \
             WHERE d.token = ?1"
        ),
        [token],
        |row| Ok((read(row)?, OrganizationId(row.get(9)?))),
    )
}

/// Selects folders by their parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentFilter {
    Any,
    /// Folders at the top level.
    None,
    Folder(i64),
}

impl ParentFilter {
    /// The value that is compared with the parent's id, 0 for none; -1 for any.
    fn number(self) -> i64 {
        match self {
            Self::Any => -1,
            Self::None => 0,
            Self::Folder(id) => id,
        }
    }
}

/// Up to `limit` folders of a user in the order of ids, starting after id `after`.
pub fn list(tx: &Tx, user: UserId, parent: ParentFilter, after: i64, limit: usize) -> Result<Vec<Folder>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM folders d WHERE d.user_id = ?1 \
             AND (?2 < 0 OR ifnull(d.parent_id, 0) = ?2) AND d.id > ?3 ORDER BY d.id LIMIT ?4"
        ),
        params![user.0, parent.number(), after, limit],
        read,
    )
}

pub fn count(tx: &Tx, user: UserId, parent: ParentFilter) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM folders d WHERE d.user_id = ?1 \
             AND (?2 < 0 OR ifnull(d.parent_id, 0) = ?2)",
        params![user.0, parent.number()],
        |row| row.get(0),
    )
}

/// The level of a folder: 1 at the top.
pub fn level(tx: &Tx, folder: i64) -> Result<i64> {
    tx.one(
        "WITH RECURSIVE up (id, n) AS (SELECT parent_id, 1 FROM folders WHERE id = ?1 \
             UNION ALL SELECT d.parent_id, up.n + 1 FROM folders d JOIN up ON d.id = up.id) \
             SELECT max(n) FROM up",
        [folder],
        |row| row.get(0),
    )
}

/// # Errors
/// 422 if the parent has a folder with this name.
pub fn insert(tx: &Tx, token: &FolderToken, user: UserId, parent: Option<i64>, name: &str) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT INTO folders (token, user_id, parent_id, name, name_folded, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .and_then(|mut insert| {
            insert.execute(params![token.as_str(), user.0, parent, name, identity::of_text(name), tx.now.millis()])
        })
        .map(drop)
        .map_err(|e| or_taken(e, Reason::Taken))
}

/// # Errors
/// 422 if the parent has a folder with this name.
pub fn rename(tx: &Tx, folder: i64, name: &str) -> Result<()> {
    tx.connection
        .prepare_cached("UPDATE folders SET name = ?2, name_folded = ?3 WHERE id = ?1")
        .and_then(|mut update| update.execute(params![folder, name, identity::of_text(name)]))
        .map(drop)
        .map_err(|e| or_taken(e, Reason::Taken))
}

/// Removes a folder. Its content moves up one level.
///
/// # Errors
/// 422 if a folder in it has the same name as one on the level above.
pub fn remove(tx: &Tx, folder: &Folder) -> Result<()> {
    let run = |sql: &str, parent: Option<i64>| {
        tx.connection.prepare_cached(sql).and_then(|mut change| match parent {
            Some(parent) => change.execute([folder.id, parent]),
            None => change.execute([folder.id]),
        })
    };
    // Frees its own name first, because a folder in it may have the same. No name begins with NUL.
    run("UPDATE folders SET name_folded = char(0) || token WHERE id = ?1", None).map_err(internal)?;
    match folder.parent {
        Some(_) => run("UPDATE folders SET parent_id = ?2 WHERE parent_id = ?1", folder.parent),
        None => run("UPDATE folders SET parent_id = NULL WHERE parent_id = ?1", None),
    }
    .map_err(|e| or_taken(e, Reason::FolderTakenAbove))?;
    match folder.parent {
        Some(_) => run("UPDATE placements SET folder_id = ?2 WHERE folder_id = ?1", folder.parent),
        None => run("DELETE FROM placements WHERE folder_id = ?1", None),
    }
    .map_err(internal)?;
    run("DELETE FROM folders WHERE id = ?1", None).map_err(internal)?;
    Ok(())
}

fn or_taken(e: rusqlite::Error, reason: Reason) -> Error {
    // For an index over an expression SQLite reports the index, not its columns.
    match &e {
        rusqlite::Error::SqliteFailure(code, _) if code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
            Error::invalid("name", reason)
        }
        _ => internal(e),
    }
}

/// The user's folder that contains a form.
pub fn of_form(tx: &Tx, user: UserId, form_no: i64) -> Result<Option<FolderToken>> {
    tx.maybe(
        "SELECT d.token FROM placements p JOIN folders d ON d.id = p.folder_id \
             WHERE p.user_id = ?1 AND p.form_no = ?2",
        params![user.0, form_no],
        |row| row.get(0).map(|token: String| FolderToken::new(token)),
    )
}

/// Moves a form into a folder of the user, or out of any folder.
pub fn place(tx: &Tx, user: UserId, form_no: i64, folder: Option<i64>) -> Result<()> {
    match folder {
        Some(folder) => tx.run(
            "INSERT INTO placements (user_id, form_no, folder_id) VALUES (?1, ?2, ?3) \
             ON CONFLICT (user_id, form_no) DO UPDATE SET folder_id = excluded.folder_id",
            params![user.0, form_no, folder],
        ),
        None => tx.run("DELETE FROM placements WHERE user_id = ?1 AND form_no = ?2", params![user.0, form_no]),
    }
    .map(drop)
}
