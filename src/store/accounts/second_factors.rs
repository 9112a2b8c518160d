//! Second factors: encrypted TOTP secrets, the last used time step, and hashes of recovery codes.

use rusqlite::params;

use crate::base::error::Result;
use crate::model::user::UserId;
use crate::store::db::tx::Tx;

pub struct SecondFactor {
    /// Encrypted.
    pub secret: Vec<u8>,
    /// The time step of the last used code.
    pub last_step: i64,
    /// The number of unused recovery codes.
    pub codes_left: i64,
}

pub fn find(tx: &Tx, user: UserId) -> Result<Option<SecondFactor>> {
    tx.maybe(
        "SELECT secret, last_step, (SELECT count(*) FROM recovery_codes r \
             WHERE r.user_id = s.user_id) FROM second_factors s WHERE s.user_id = ?1",
        [user.0],
        |row| Ok(SecondFactor { secret: row.get(0)?, last_step: row.get(1)?, codes_left: row.get(2)? }),
    )
}

/// Sets or replaces a user's second factor.
pub fn put(tx: &Tx, user: UserId, secret: &[u8], last_step: i64) -> Result<()> {
    tx.run(
        "INSERT INTO second_factors (user_id, secret, last_step, created_at) \
             VALUES (?1, ?2, ?3, ?4) ON CONFLICT (user_id) DO UPDATE SET \
             secret = excluded.secret, last_step = excluded.last_step, created_at = excluded.created_at",
        params![user.0, secret, last_step, tx.now.millis()],
    )?;
    Ok(())
}

/// Marks a time step as used. False if it or a later one was used already.
pub fn use_step(tx: &Tx, user: UserId, step: i64) -> Result<bool> {
    tx.run("UPDATE second_factors SET last_step = ?2 WHERE user_id = ?1 AND last_step < ?2", params![user.0, step])
        .map(|used| used > 0)
}

/// Consumes a recovery code. False if the user has no such code.
pub fn use_code(tx: &Tx, user: UserId, hash: &[u8; 32]) -> Result<bool> {
    tx.run("DELETE FROM recovery_codes WHERE user_id = ?1 AND hash = ?2", params![user.0, hash]).map(|used| used > 0)
}

pub fn replace_codes(tx: &Tx, user: UserId, hashes: &[[u8; 32]]) -> Result<()> {
    tx.run("DELETE FROM recovery_codes WHERE user_id = ?1", [user.0])?;
    for hash in hashes {
        tx.run("INSERT INTO recovery_codes (user_id, hash) VALUES (?1, ?2)", params![user.0, hash])?;
    }
    Ok(())
}

/// Removes a user's second factor. False if there was none.
pub fn remove(tx: &Tx, user: UserId) -> Result<bool> {
    replace_codes(tx, user, &[])?;
    tx.run("DELETE FROM second_factors WHERE user_id = ?1", [user.0]).map(|removed| removed > 0)
}
