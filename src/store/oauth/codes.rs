//! Authorization codes, which a client exchanges for a grant once. Only hashes are stored.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::scope::Scopes;
use crate::model::user::{User, UserId};
use crate::store::accounts::users;
use crate::store::db::tx::Tx;

/// The request that a code is bound to.
#[derive(Clone, Debug)]
pub struct NewCode {
    /// The client's row id.
    pub client: i64,
    /// The user who approved it.
    pub user: UserId,
    pub redirect_uri: String,
    /// The hash of the PKCE verifier.
    pub challenge: String,
    /// The approved scopes.
    pub scopes: Scopes,
    pub expires_at: Time,
}

/// A code that was issued.
pub struct Code {
    pub bound: NewCode,
    /// The user who approved it.
    pub user: User,
    /// The grant that it was exchanged for, if it was.
    pub grant: Option<i64>,
}

pub fn insert(tx: &Tx, hash: &[u8; 32], code: &NewCode) -> Result<()> {
    tx.run(
        "INSERT INTO oauth_codes (hash, client, user_id, redirect_uri, challenge, scopes, expires_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            hash,
            code.client,
            code.user.0,
            code.redirect_uri,
            code.challenge,
            code.scopes.to_string(),
            code.expires_at.millis(),
        ],
    )?;
    Ok(())
}

pub fn by_hash(tx: &Tx, hash: &[u8; 32]) -> Result<Option<Code>> {
    tx.maybe(
        &format!(
            "SELECT a.client, a.redirect_uri, a.challenge, a.scopes, a.expires_at, a.grant_id, {} \
             FROM oauth_codes a JOIN users u ON u.id = a.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE a.hash = ?1",
            users::COLUMNS
        ),
        [hash],
        |row| {
            let user = users::read(row, 6)?;
            let scopes: String = row.get(3)?;
            Ok(Code {
                bound: NewCode {
                    client: row.get(0)?,
                    user: user.id,
                    redirect_uri: row.get(1)?,
                    challenge: row.get(2)?,
                    scopes: Scopes::parse(&scopes),
                    expires_at: Time::from_millis(row.get(4)?),
                },
                user,
                grant: row.get(5)?,
            })
        },
    )
}

/// Records the grant that a code was exchanged for.
pub fn set_grant(tx: &Tx, hash: &[u8; 32], grant: i64) -> Result<()> {
    tx.run("UPDATE oauth_codes SET grant_id = ?2 WHERE hash = ?1", params![hash, grant])?;
    Ok(())
}

pub fn forget(tx: &Tx, hash: &[u8; 32]) -> Result<()> {
    tx.run("DELETE FROM oauth_codes WHERE hash = ?1", [hash])?;
    Ok(())
}

pub fn forget_all(tx: &Tx, user: UserId) -> Result<()> {
    tx.run("DELETE FROM oauth_codes WHERE user_id = ?1", [user.0])?;
    Ok(())
}

/// Deletes up to `limit` expired codes that were never exchanged. Returns the number deleted.
pub fn forget_old(tx: &Tx, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(
        "DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes \
             WHERE expires_at <= ?1 AND grant_id IS NULL LIMIT ?2)",
        [tx.now.millis(), limit],
    )
}
