//! One-time set-up links: only hashes, and at most one.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::tx::Tx;

/// Keeps a new link; an older one ends.
pub fn replace(tx: &Tx, hash: &[u8; 32], expires_at: Time) -> Result<()> {
    end_all(tx)?;
    tx.run(
        "INSERT INTO setup_links (hash, expires_at) VALUES (?1, ?2)",
        params![hash, expires_at.millis()],
    )?;
    Ok(())
}

/// Whether the link of a hash is there and still works.
pub fn is_live(tx: &Tx, hash: &[u8; 32]) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM setup_links WHERE hash = ?1 AND expires_at > ?2)",
        params![hash, tx.now.millis()],
        |row| row.get(0),
    )
}

/// Ends all links.
pub fn end_all(tx: &Tx) -> Result<()> {
    tx.run("DELETE FROM setup_links", [])?;
    Ok(())
}

/// Forgets links whose time is over; says how many.
pub fn forget_old(tx: &Tx) -> Result<usize> {
    tx.run(
        "DELETE FROM setup_links WHERE expires_at <= ?1",
        [tx.now.millis()],
    )
}
