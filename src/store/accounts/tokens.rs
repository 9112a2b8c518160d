//! Personal access tokens: their hashes and scopes.

use std::sync::LazyLock;

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::scope::Scopes;
use crate::model::user::{User, UserId};
use crate::store::accounts::users;
use crate::store::db::tx::Tx;

#[derive(Clone, Debug)]
pub struct TokenRow {
    pub id: i64,
    pub user: UserId,
    pub name: String,
    pub scopes: Scopes,
    pub created_at: Time,
    /// `None` if it does not expire.
    pub expires_at: Option<Time>,
    /// To the minute.
    pub last_used_at: Option<Time>,
    pub revoked_at: Option<Time>,
}

const COLUMNS: &str = "t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.revoked_at";

fn read(row: &Row) -> rusqlite::Result<TokenRow> {
    let time = |at: usize| row.get::<_, Option<i64>>(at).map(|t| t.map(Time::from_millis));
    let scopes: String = row.get(3)?;
    Ok(TokenRow {
        id: row.get(0)?,
        user: UserId(row.get(1)?),
        name: row.get(2)?,
        scopes: Scopes::parse(&scopes),
        created_at: Time::from_millis(row.get(4)?),
        expires_at: time(5)?,
        last_used_at: time(6)?,
        revoked_at: time(7)?,
    })
}

/// The token with this hash, with its user.
pub fn by_hash(tx: &Tx, hash: &[u8; 32]) -> Result<Option<(TokenRow, User)>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {COLUMNS}, {} FROM tokens t JOIN users u ON u.id = t.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE t.hash = ?1",
            users::COLUMNS
        )
    });
    let load = || tx.maybe(&SQL, [hash], |row| Ok((read(row)?, users::read(row, 8)?)));
    match tx.cache() {
        Some(cache) => cache.caller(hash, load),
        None => load(),
    }
}

/// The token with this id, with its user.
pub fn by_id(tx: &Tx, id: i64) -> Result<Option<(TokenRow, User)>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS}, {} FROM tokens t JOIN users u ON u.id = t.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE t.id = ?1",
            users::COLUMNS
        ),
        [id],
        |row| Ok((read(row)?, users::read(row, 8)?)),
    )
}

/// How many tokens of a user are valid.
pub fn count_valid(tx: &Tx, user: UserId) -> Result<i64> {
    tx.one(
        "SELECT count(*) FROM tokens WHERE user_id = ?1 AND revoked_at IS NULL AND ifnull(expires_at > ?2, 1)",
        params![user.0, tx.now.millis()],
        |row| row.get(0),
    )
}

/// A user's tokens, or all of them, oldest first.
pub fn list(tx: &Tx, user: Option<UserId>) -> Result<Vec<TokenRow>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM tokens t WHERE ?1 IS NULL OR t.user_id = ?1 ORDER BY t.id"),
        [user.map(|user| user.0)],
        read,
    )
}

/// Adds a token; only its hash is stored.
pub fn insert(
    tx: &Tx,
    user: UserId,
    hash: &[u8; 32],
    name: &str,
    scopes: Scopes,
    expires_at: Option<Time>,
) -> Result<i64> {
    tx.run(
        "INSERT INTO tokens (hash, user_id, name, scopes, created_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![hash, user.0, name, scopes.to_string(), tx.now.millis(), expires_at.map(Time::millis),],
    )?;
    Ok(tx.connection.last_insert_rowid())
}

/// Revokes a token, if `user` is given only one of theirs. False if there is no active one.
pub fn revoke(tx: &Tx, id: i64, user: Option<UserId>) -> Result<bool> {
    tx.run(
        "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL \
             AND (?3 IS NULL OR user_id = ?3)",
        params![id, tx.now.millis(), user.map(|user| user.0)],
    )
    .map(|changed| changed > 0)
}

pub fn set_used(tx: &Tx, id: i64, at: Time) -> Result<()> {
    tx.run("UPDATE tokens SET last_used_at = ?2 WHERE id = ?1", params![id, at.millis()])?;
    Ok(())
}
