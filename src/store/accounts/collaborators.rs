//! Collaborators of forms: the users a form is shared with, and their roles.

use rusqlite::{Row, params};

use crate::base::error::{Error, Result};
use crate::model::role::Role;
use crate::model::user::{User, UserId};
use crate::store::accounts::users;
use crate::store::db::tx::Tx;

fn read_role(row: &Row, at: usize) -> rusqlite::Result<Role> {
    let name: String = row.get(at)?;
    // The table's CHECK allows no other names.
    Ok(Role::by_name(&name).unwrap_or(Role::Viewer))
}

/// The role of a user who is not the form's owner.
pub fn role(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<Role>> {
    tx.maybe("SELECT role FROM collaborators WHERE form_no = ?1 AND user_id = ?2", params![form_no, user.0], |row| {
        read_role(row, 0)
    })
}

/// Up to `limit` collaborators of a form in the order of user ids, starting after user id `after`.
pub fn list(tx: &Tx, form_no: i64, after: i64, limit: usize) -> Result<Vec<(User, Role)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        &format!(
            "SELECT c.role, {} FROM collaborators c JOIN users u ON u.id = c.user_id \
             JOIN organizations o ON o.id = u.organization_id \
             WHERE c.form_no = ?1 AND c.user_id > ?2 ORDER BY c.user_id LIMIT ?3",
            users::COLUMNS
        ),
        params![form_no, after, limit],
        |row| Ok((users::read(row, 1)?, read_role(row, 0)?)),
    )
}

pub fn count(tx: &Tx, form_no: i64) -> Result<i64> {
    tx.one("SELECT count(*) FROM collaborators WHERE form_no = ?1", [form_no], |row| row.get(0))
}

/// Shares a form with a user, or changes their role. The owner's role can't be shared.
pub fn set(tx: &Tx, form_no: i64, user: UserId, role: Role) -> Result<()> {
    if role == Role::Owner {
        return Err(Error::internal("a form is not shared by the owner's role"));
    }
    tx.run(
        "INSERT INTO collaborators (form_no, user_id, role) VALUES (?1, ?2, ?3) \
             ON CONFLICT (form_no, user_id) DO UPDATE SET role = excluded.role",
        params![form_no, user.0, role.name()],
    )?;
    Ok(())
}

/// Removes a collaborator, the form from their folder, and the views that they alone see. False if they were none.
pub fn remove(tx: &Tx, form_no: i64, user: UserId) -> Result<bool> {
    tx.run("DELETE FROM placements WHERE form_no = ?1 AND user_id = ?2", params![form_no, user.0])?;
    let own = "DELETE FROM saved_views WHERE form_no = ?1 AND user_id = ?2 AND is_shared = 0";
    tx.run(own, params![form_no, user.0])?;
    tx.run("DELETE FROM collaborators WHERE form_no = ?1 AND user_id = ?2", params![form_no, user.0])
        .map(|removed| removed > 0)
}
