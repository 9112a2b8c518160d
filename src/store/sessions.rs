//! Sessions of signed-in browsers: only the hash of what the browser holds is kept (S18).

use rusqlite::{OptionalExtension as _, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::{User, UserId};
use crate::store::rows::internal;
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
///
/// # Errors
/// Internal.
pub fn by_hash(tx: &Tx, hash: &[u8; 32]) -> Result<Option<Found>> {
    tx.connection
        .prepare_cached(&format!(
            "SELECT s.created_at, s.seen_at, {} FROM sessions s JOIN users u ON u.id = s.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE s.hash = ?1",
            users::COLUMNS
        ))
        .and_then(|mut select| {
            select
                .query_row([hash], |row| {
                    Ok(Found {
                        created_at: Time::from_millis(row.get(0)?),
                        seen_at: Time::from_millis(row.get(1)?),
                        user: users::read(row, 2)?,
                    })
                })
                .optional()
        })
        .map_err(internal)
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
///
/// # Errors
/// Internal.
pub fn list(tx: &Tx, user: UserId, begun: Time, seen: Time) -> Result<Vec<Own>> {
    tx.connection
        .prepare_cached(
            "SELECT hash, created_at, seen_at FROM sessions WHERE user_id = ?1 \
             AND created_at >= ?2 AND seen_at >= ?3 ORDER BY seen_at DESC, hash",
        )
        .and_then(|mut select| {
            select
                .query_map(params![user.0, begun.millis(), seen.millis()], |row| {
                    Ok(Own {
                        hash: row.get(0)?,
                        created_at: Time::from_millis(row.get(1)?),
                        seen_at: Time::from_millis(row.get(2)?),
                    })
                })?
                .collect()
        })
        .map_err(internal)
}

/// Begins a session.
///
/// # Errors
/// Internal.
pub fn insert(tx: &Tx, hash: &[u8; 32], user: UserId) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT INTO sessions (hash, user_id, created_at, seen_at) VALUES (?1, ?2, ?3, ?3)",
        )
        .and_then(|mut insert| insert.execute(params![hash, user.0, tx.now.millis()]))
        .map_err(internal)?;
    Ok(())
}

/// Notes that a session was used.
///
/// # Errors
/// Internal.
pub fn touch(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.connection
        .prepare_cached("UPDATE sessions SET seen_at = ?2 WHERE hash = ?1")
        .and_then(|mut update| update.execute(params![hash, tx.now.millis()]))
        .map_err(internal)?;
    Ok(())
}

/// Ends one session.
///
/// # Errors
/// Internal.
pub fn end(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.connection
        .prepare_cached("DELETE FROM sessions WHERE hash = ?1")
        .and_then(|mut delete| delete.execute([hash]))
        .map_err(internal)?;
    Ok(())
}

/// Ends all sessions of a user, but the one that is named.
///
/// # Errors
/// Internal.
pub fn end_all(tx: &Tx, user: UserId, but: Option<&[u8; 32]>) -> Result<()> {
    tx.connection
        .prepare_cached("DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)")
        .and_then(|mut delete| delete.execute(params![user.0, but]))
        .map_err(internal)?;
    Ok(())
}

/// Ends up to `limit` sessions that began or were last used before these times; says how many.
///
/// # Errors
/// Internal.
pub fn end_old(tx: &Tx, begun: Time, seen: Time, limit: usize) -> Result<usize> {
    tx.connection
        .prepare_cached(
            "DELETE FROM sessions WHERE hash IN \
             (SELECT hash FROM sessions WHERE created_at < ?1 OR seen_at < ?2 LIMIT ?3)",
        )
        .and_then(|mut delete| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            delete.execute(params![begun.millis(), seen.millis(), limit])
        })
        .map_err(internal)
}
