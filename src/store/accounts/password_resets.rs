//! Links for users who forgot their password. Only hashes are stored; each works once.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

/// Adds a user's link, which was derived from the moment it was made at; an older one ends.
pub fn replace(tx: &Tx, user: UserId, hash: &[u8; 32], made_at: Time, expires_at: Time) -> Result<()> {
    tx.run(
        "INSERT OR REPLACE INTO password_resets (user_id, hash, made_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
        params![user.0, hash, made_at.millis(), expires_at.millis()],
    )?;
    Ok(())
}

/// When a user's link was made, if it still works and was made after `oldest`. It works until `expires_at` from now on.
pub fn extend(tx: &Tx, user: UserId, oldest: Time, expires_at: Time) -> Result<Option<Time>> {
    tx.maybe(
        "UPDATE password_resets SET expires_at = max(expires_at, ?2) \
             WHERE user_id = ?1 AND expires_at > ?3 AND made_at > ?4 RETURNING made_at",
        params![user.0, expires_at.millis(), tx.now.millis(), oldest.millis()],
        |row| row.get(0).map(Time::from_millis),
    )
}

/// The user of the link with this hash, if it still works.
pub fn live(tx: &Tx, hash: &[u8; 32]) -> Result<Option<UserId>> {
    tx.maybe(
        "SELECT r.user_id FROM password_resets r JOIN users u ON u.id = r.user_id \
             WHERE r.hash = ?1 AND r.expires_at > ?2 AND u.disabled_at IS NULL AND u.deleted_at IS NULL",
        params![hash, tx.now.millis()],
        |row| row.get(0).map(UserId),
    )
}

/// Ends a user's link.
pub fn end(tx: &Tx, user: UserId) -> Result<()> {
    tx.run("DELETE FROM password_resets WHERE user_id = ?1", [user.0])?;
    Ok(())
}

/// Deletes expired links. Returns the number deleted.
pub fn forget_old(tx: &Tx) -> Result<usize> {
    tx.run("DELETE FROM password_resets WHERE expires_at <= ?1", [tx.now.millis()])
}
