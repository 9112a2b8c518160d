//! Sessions of signed-in browsers. Only a hash of the session cookie is stored (S18).

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::user::{User, UserId};
use crate::model::user_agent::UserAgent;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;

/// A session with its user.
pub struct SessionWithUser {
    pub user: User,
    /// When the user signed in.
    pub created_at: Time,
    /// When it was last used, to within a few minutes.
    pub seen_at: Time,
}

pub fn by_hash(tx: &Tx, hash: &[u8; 32]) -> Result<Option<SessionWithUser>> {
    tx.maybe(
        &format!(
            "SELECT s.created_at, s.seen_at, {} FROM sessions s JOIN users u ON u.id = s.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE s.hash = ?1",
            users::COLUMNS
        ),
        [hash],
        |row| {
            Ok(SessionWithUser {
                created_at: Time::from_millis(row.get(0)?),
                seen_at: Time::from_millis(row.get(1)?),
                user: users::read(row, 2)?,
            })
        },
    )
}

pub struct Session {
    /// Identifies it; not a secret.
    pub hash: [u8; 32],
    /// When the user signed in.
    pub created_at: Time,
    /// When it was last used, to within a few minutes.
    pub seen_at: Time,
    /// The browser that began it, and its system, where they are known.
    pub browser: Option<String>,
    pub system: Option<String>,
}

/// The sessions of a user that began since `begun` and were used since `seen`, last used first.
pub fn list(tx: &Tx, user: UserId, begun: Time, seen: Time) -> Result<Vec<Session>> {
    tx.all(
        "SELECT hash, created_at, seen_at, browser, system FROM sessions WHERE user_id = ?1 \
             AND created_at >= ?2 AND seen_at >= ?3 ORDER BY seen_at DESC, hash",
        params![user.0, begun.millis(), seen.millis()],
        |row| {
            Ok(Session {
                hash: row.get(0)?,
                created_at: Time::from_millis(row.get(1)?),
                seen_at: Time::from_millis(row.get(2)?),
                browser: row.get(3)?,
                system: row.get(4)?,
            })
        },
    )
}

pub fn insert(tx: &Tx, hash: &[u8; 32], user: UserId, agent: UserAgent) -> Result<()> {
    tx.run(
        "INSERT INTO sessions (hash, user_id, created_at, seen_at, browser, system) VALUES (?1, ?2, ?3, ?3, ?4, ?5)",
        params![hash, user.0, tx.now.millis(), agent.browser, agent.system],
    )?;
    Ok(())
}

/// Records that a session was used.
pub fn touch(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.run("UPDATE sessions SET seen_at = ?2 WHERE hash = ?1", params![hash, tx.now.millis()])?;
    Ok(())
}

pub fn end(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.run("DELETE FROM sessions WHERE hash = ?1", [hash])?;
    Ok(())
}

/// Ends all sessions of a user except `except`.
pub fn end_all(tx: &Tx, user: UserId, except: Option<&[u8; 32]>) -> Result<()> {
    tx.run("DELETE FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR hash <> ?2)", params![user.0, except])?;
    Ok(())
}

/// Ends up to `limit` sessions that began before `begun` or were last used before `seen`. Returns the number ended.
pub fn end_old(tx: &Tx, begun: Time, seen: Time, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM sessions WHERE hash IN \
             (SELECT hash FROM sessions WHERE created_at < ?1 OR seen_at < ?2 LIMIT ?3)",
        params![begun.millis(), seen.millis(), limit],
    )
}
