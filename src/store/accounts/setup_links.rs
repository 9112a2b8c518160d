//! The set-up link, which works once: its hash only, and at most one.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::db::tx::Tx;

/// Stores a new link and revokes an older one.
pub fn replace(tx: &Tx, hash: &[u8; 32], expires_at: Time) -> Result<()> {
    end_all(tx)?;
    tx.run("INSERT INTO setup_links (hash, expires_at) VALUES (?1, ?2)", params![hash, expires_at.millis()])?;
    Ok(())
}

/// Whether the link with this hash exists and has not expired.
pub fn is_live(tx: &Tx, hash: &[u8; 32]) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM setup_links WHERE hash = ?1 AND expires_at > ?2)",
        params![hash, tx.now.millis()],
        |row| row.get(0),
    )
}

pub fn end_all(tx: &Tx) -> Result<()> {
    tx.run("DELETE FROM setup_links", [])?;
    Ok(())
}

/// Deletes expired links. Returns the number deleted.
pub fn forget_old(tx: &Tx) -> Result<usize> {
    tx.run("DELETE FROM setup_links WHERE expires_at <= ?1", [tx.now.millis()])
}
