//! Sessions of signed-in browsers: only the hash of what the browser holds is kept (S18).

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::{User, UserId};
use crate::store::tx::Tx;
use crate::store::users;

/// A session's row with its user.
pub struct Found {
    /// Who is signed in.
    pub user: User,
    /// When the password was given.
    pub created_at: Time,
    /// When it was last used, to a few minutes.
    pub seen_at: Time,
}

/// The session of a hash.
pub fn by_hash(tx: &Tx, hash: &[u8; 32]) -> Result<Option<Found>> {
    tx.maybe(
        &format!(
            "SELECT s.created_at, s.seen_at, {} FROM sessions s JOIN users u ON u.id = s.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE s.hash = ?1",
            users::COLUMNS
        ),
        [hash],
        |row| {
            Ok(Found {
                created_at: Time::from_millis(row.get(0)?),
                seen_at: Time::from_millis(row.get(1)?),
                user: users::read(row, 2)?,
            })
        },
    )
}

/// A session of a user's.
pub struct Own {
    /// What it is known by; no secret.
    pub hash: [u8; 32],
    /// When the password was given.
    pub created_at: Time,
    /// When it was last used, to a few minutes.
    pub seen_at: Time,
}

/// The sessions of a user that began and were used since these times, the latest used first.
pub fn list(tx: &Tx, user: UserId, begun: Time, seen: Time) -> Result<Vec<Own>> {
    tx.all(
        "SELECT hash, created_at, seen_at FROM sessions WHERE user_id = ?1 \
             AND created_at >= ?2 AND seen_at >= ?3 ORDER BY seen_at DESC, hash",
        params![user.0, begun.millis(), seen.millis()],
        |row| {
            Ok(Own {
                hash: row.get(0)?,
                created_at: Time::from_millis(row.get(1)?),
                seen_at: Time::from_millis(row.get(2)?),
            })
        },
    )
}

/// Begins a session.
pub fn insert(tx: &Tx, hash: &[u8; 32], user: UserId) -> Result<()> {
    tx.run(
        "INSERT INTO sessions (hash, user_id, created_at, seen_at) VALUES (?1, ?2, ?3, ?3)",
        params![hash, user.0, tx.now.millis()],
    )?;
    Ok(())
}

/// Notes that a session was used.
pub fn touch(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.run(
        "UPDATE sessions SET seen_at = ?2 WHERE hash = ?1",
        params![hash, tx.now.millis()],
    )?;
    Ok(())
}

/// Ends one session.
pub fn end(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.run("DELETE FROM sessions WHERE hash = ?1", [hash])?;
    Ok(())
}

/// Ends all sessions of a user, but the one that is named.
pub fn end_all(tx: &Tx, user: UserId, but: Option<&[u8; 32]>) -> Result<()> {
    tx.run(
        "DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)",
        params![user.0, but],
    )?;
    Ok(())
}

/// Ends up to `limit` sessions that began or were last used before these times; says how many.
pub fn end_old(tx: &Tx, begun: Time, seen: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM sessions WHERE hash IN \
             (SELECT hash FROM sessions WHERE created_at < ?1 OR seen_at < ?2 LIMIT ?3)",
        params![begun.millis(), seen.millis(), limit],
    )
}
