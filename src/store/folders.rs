//! Folders, each a user's own, and which forms lie in them.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::FolderToken;
use crate::base::text;
use crate::model::folder::Folder;
use crate::model::user::{OrganizationId, UserId};
use crate::store::rows::internal;
use crate::store::tx::Tx;

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

/// The folder of a token, and the organisation of whose it is.
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

/// Whose folders, and where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// All of them.
    Anywhere,
    /// Those at the top.
    Top,
    /// Those in this one.
    Folder(i64),
}

impl Below {
    /// As it stands beside the number of a folder's parent, 0 for none; -1 where it does not count.
    fn number(self) -> i64 {
        match self {
            Self::Anywhere => -1,
            Self::Top => 0,
            Self::Folder(id) => id,
        }
    }
}

/// A user's folders behind a number, in the order of those, at most `limit`.
pub fn list(tx: &Tx, user: UserId, below: Below, after: i64, limit: usize) -> Result<Vec<Folder>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM folders d WHERE d.user_id = ?1 \
             AND (?2 < 0 OR ifnull(d.parent_id, 0) = ?2) AND d.id > ?3 ORDER BY d.id LIMIT ?4"
        ),
        params![user.0, below.number(), after, limit],
        read,
    )
}

/// How many folders a list has.
pub fn count(tx: &Tx, user: UserId, below: Below) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM folders d WHERE d.user_id = ?1 \
             AND (?2 < 0 OR ifnull(d.parent_id, 0) = ?2)",
        params![user.0, below.number()],
        |row| row.get(0),
    )
}

/// At which level a folder lies: 1 at the top.
pub fn level(tx: &Tx, folder: i64) -> Result<i64> {
    tx.one(
        "WITH RECURSIVE up (id, n) AS (SELECT parent_id, 1 FROM folders WHERE id = ?1 \
             UNION ALL SELECT d.parent_id, up.n + 1 FROM folders d JOIN up ON d.id = up.id) \
             SELECT max(n) FROM up",
        [folder],
        |row| row.get(0),
    )
}

/// Adds a folder.
///
/// # Errors
/// 422 where its parent has one of that name.
pub fn insert(
    tx: &Tx,
    token: &FolderToken,
    user: UserId,
    parent: Option<i64>,
    name: &str,
) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT INTO folders (token, user_id, parent_id, name, name_folded, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                token.as_str(),
                user.0,
                parent,
                name,
                compared(name),
                tx.now.millis()
            ])
        })
        .map(drop)
        .map_err(|e| or_taken(e, "has already been taken"))
}

/// A name as it is compared: folded, and without surrounding blanks.
fn compared(name: &str) -> String {
    text::fold(name.trim())
}

/// Calls a folder by another name.
///
/// # Errors
/// 422 where its parent has one of that name.
pub fn rename(tx: &Tx, folder: i64, name: &str) -> Result<()> {
    tx.connection
        .prepare_cached("UPDATE folders SET name = ?2, name_folded = ?3 WHERE id = ?1")
        .and_then(|mut update| update.execute(params![folder, name, compared(name)]))
        .map(drop)
        .map_err(|e| or_taken(e, "has already been taken"))
}

/// Removes a folder; what lay in it moves up one level.
///
/// # Errors
/// 422 where a folder in it has the name of one there.
pub fn remove(tx: &Tx, folder: &Folder) -> Result<()> {
    let run = |sql: &str, parent: Option<i64>| {
        tx.connection
            .prepare_cached(sql)
            .and_then(|mut change| match parent {
                Some(parent) => change.execute([folder.id, parent]),
                None => change.execute([folder.id]),
            })
    };
    // Its own name is free from now on: a folder in it may have the same. No name begins like this.
    run(
        "UPDATE folders SET name_folded = char(0) || token WHERE id = ?1",
        None,
    )
    .map_err(internal)?;
    match folder.parent {
        Some(_) => run(
            "UPDATE folders SET parent_id = ?2 WHERE parent_id = ?1",
            folder.parent,
        ),
        None => run(
            "UPDATE folders SET parent_id = NULL WHERE parent_id = ?1",
            None,
        ),
    }
    .map_err(|e| or_taken(e, "of a folder in it has already been taken one level up"))?;
    match folder.parent {
        Some(_) => run(
            "UPDATE placements SET folder_id = ?2 WHERE folder_id = ?1",
            folder.parent,
        ),
        None => run("DELETE FROM placements WHERE folder_id = ?1", None),
    }
    .map_err(internal)?;
    run("DELETE FROM folders WHERE id = ?1", None).map_err(internal)?;
    Ok(())
}

fn or_taken(e: rusqlite::Error, message: &str) -> Error {
    // An index over an expression is named by itself, not by its columns.
    match &e {
        rusqlite::Error::SqliteFailure(code, _)
            if code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE =>
        {
            Error::invalid("name", message)
        }
        _ => internal(e),
    }
}

/// The user's folder that a form lies in.
pub fn of_form(tx: &Tx, user: UserId, form_no: i64) -> Result<Option<FolderToken>> {
    tx.maybe(
        "SELECT d.token FROM placements p JOIN folders d ON d.id = p.folder_id \
             WHERE p.user_id = ?1 AND p.form_no = ?2",
        params![user.0, form_no],
        |row| row.get(0).map(|token: String| FolderToken::new(token)),
    )
}

/// Puts a form into a folder of the user's, or into none.
pub fn place(tx: &Tx, user: UserId, form_no: i64, folder: Option<i64>) -> Result<()> {
    match folder {
        Some(folder) => tx.run(
            "INSERT INTO placements (user_id, form_no, folder_id) VALUES (?1, ?2, ?3) \
             ON CONFLICT (user_id, form_no) DO UPDATE SET folder_id = excluded.folder_id",
            params![user.0, form_no, folder],
        ),
        None => tx.run(
            "DELETE FROM placements WHERE user_id = ?1 AND form_no = ?2",
            params![user.0, form_no],
        ),
    }
    .map(drop)
}
