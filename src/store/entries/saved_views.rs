//! Saved views of forms' entries.

use rusqlite::{Row, params};

use crate::base::error::Result;
use crate::base::text::identity;
use crate::model::entry::saved_view::{SavedView, ViewContent};
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

const COLUMNS: &str = "id, token, user_id, name, query, is_shared";

fn read(row: &Row) -> rusqlite::Result<SavedView> {
    Ok(SavedView {
        id: row.get(0)?,
        token: row.get(1)?,
        user: UserId(row.get(2)?),
        content: ViewContent { name: row.get(3)?, query: row.get(4)?, is_shared: row.get(5)? },
    })
}

/// The views of a form that a user sees, oldest first: their own and shared ones.
pub fn seen_by(tx: &Tx, form_no: i64, user: UserId) -> Result<Vec<SavedView>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM saved_views WHERE form_no = ?1 AND (user_id = ?2 OR is_shared = 1) ORDER BY id"
        ),
        params![form_no, user.0],
        read,
    )
}

/// Adds a view.
pub fn insert(tx: &Tx, token: &str, form_no: i64, user: UserId, content: &ViewContent) -> Result<()> {
    let ViewContent { name, query, is_shared } = content;
    tx.run(
        "INSERT INTO saved_views (token, form_no, user_id, name, name_folded, query, is_shared, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![token, form_no, user.0, name, identity::of_text(name), query, is_shared, tx.now.millis()],
    )?;
    Ok(())
}

/// Changes a view.
pub fn update(tx: &Tx, id: i64, content: &ViewContent) -> Result<()> {
    let ViewContent { name, query, is_shared } = content;
    tx.run(
        "UPDATE saved_views SET name = ?2, name_folded = ?3, query = ?4, is_shared = ?5 WHERE id = ?1",
        params![id, name, identity::of_text(name), query, is_shared],
    )?;
    Ok(())
}

/// Whether another view that the user can see has this name.
pub fn is_taken(tx: &Tx, form_no: i64, user: UserId, name: &str, but: i64) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM saved_views WHERE form_no = ?1 AND (user_id = ?2 OR is_shared = 1) \
             AND name_folded = ?3 AND id <> ?4)",
        params![form_no, user.0, identity::of_text(name), but],
        |row| row.get(0),
    )
}

/// Deletes a view.
pub fn delete(tx: &Tx, id: i64) -> Result<()> {
    tx.run("DELETE FROM saved_views WHERE id = ?1", [id])?;
    Ok(())
}
