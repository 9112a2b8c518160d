//! Grants of users to OAuth clients, and the hashes of their refresh tokens. A grant ends when its row is deleted,
//! together with all that belongs to it.

use std::sync::LazyLock;

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::oauth::{Client, ConnectedApp, Grant};
use crate::model::scope::Scopes;
use crate::model::user::{User, UserId};
use crate::store::accounts::users;
use crate::store::db::tx::Tx;

const COLUMNS: &str = "g.id, g.token, g.client, g.user_id, g.scopes, g.generation, g.created_at, g.last_used_at";

fn read(row: &Row, first: usize) -> rusqlite::Result<Grant> {
    let scopes: String = row.get(first + 4)?;
    Ok(Grant {
        id: row.get(first)?,
        token: row.get(first + 1)?,
        client: row.get(first + 2)?,
        user: UserId(row.get(first + 3)?),
        scopes: Scopes::parse(&scopes),
        generation: row.get(first + 5)?,
        created_at: Time::from_millis(row.get(first + 6)?),
        last_used_at: row.get::<_, Option<i64>>(first + 7)?.map(Time::from_millis),
    })
}

/// The grant that an access token names, with all that each request needs.
#[derive(Clone, Debug)]
pub struct GrantRow {
    pub grant: Grant,
    /// The public id of its client.
    pub client_id: String,
    /// The user who gave it.
    pub user: User,
    /// When the token's signing key was retired; `None` while it is in use.
    pub key_retired_at: Option<Time>,
}

/// The grant with this public id, and the signing key `kid`; `None` if either is gone.
pub fn of_access_token(tx: &Tx, token: &str, kid: &str) -> Result<Option<GrantRow>> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {COLUMNS}, c.client_id, k.retired_at, {} FROM oauth_grants g \
             JOIN oauth_clients c ON c.id = g.client JOIN users u ON u.id = g.user_id \
             JOIN organizations o ON o.id = u.organization_id \
             JOIN signing_keys k ON k.kid = ?2 WHERE g.token = ?1",
            users::COLUMNS
        )
    });
    let load = || {
        tx.maybe(&SQL, [token, kid], |row| {
            Ok(GrantRow {
                grant: read(row, 0)?,
                client_id: row.get(8)?,
                key_retired_at: row.get::<_, Option<i64>>(9)?.map(Time::from_millis),
                user: users::read(row, 10)?,
            })
        })
    };
    match tx.cache() {
        Some(cache) => cache.grant(&format!("{token} {kid}"), load),
        None => load(),
    }
}

/// The grant with this id, with its user.
pub fn by_id(tx: &Tx, id: i64) -> Result<Option<(Grant, User)>> {
    tx.maybe(
        &format!(
            "SELECT {COLUMNS}, {} FROM oauth_grants g JOIN users u ON u.id = g.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE g.id = ?1",
            users::COLUMNS
        ),
        [id],
        |row| Ok((read(row, 0)?, users::read(row, 8)?)),
    )
}

pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Grant>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM oauth_grants g WHERE g.token = ?1"), [token], |row| read(row, 0))
}

/// The scopes of each current grant of a user to a client.
pub fn scopes_of(tx: &Tx, user: UserId, client: &Client) -> Result<Vec<Scopes>> {
    tx.all(
        "SELECT scopes FROM oauth_grants \
             WHERE user_id = ?1 AND client = ?2 AND expires_at > ?3",
        params![user.0, client.id, tx.now.millis()],
        |row| row.get::<_, String>(0).map(|scopes| Scopes::parse(&scopes)),
    )
}

/// A user's current grants, newest first.
pub fn of_user(tx: &Tx, user: UserId) -> Result<Vec<ConnectedApp>> {
    tx.all(
        "SELECT g.token, c.name, g.scopes, g.created_at, g.last_used_at FROM oauth_grants g \
             JOIN oauth_clients c ON c.id = g.client \
             WHERE g.user_id = ?1 AND g.expires_at > ?2 ORDER BY g.id DESC",
        params![user.0, tx.now.millis()],
        |row| {
            let scopes: String = row.get(2)?;
            Ok(ConnectedApp {
                token: row.get(0)?,
                name: row.get(1)?,
                scopes: Scopes::parse(&scopes),
                created_at: Time::from_millis(row.get(3)?),
                last_used_at: row.get::<_, Option<i64>>(4)?.map(Time::from_millis),
            })
        },
    )
}

/// Adds a grant without a refresh token.
pub fn insert(tx: &Tx, token: &str, client: &Client, user: UserId, scopes: Scopes, expires_at: Time) -> Result<i64> {
    tx.run(
        "INSERT INTO oauth_grants (token, client, user_id, scopes, generation, created_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)",
        params![token, client.id, user.0, scopes.to_string(), tx.now.millis(), expires_at.millis(),],
    )?;
    Ok(tx.connection.last_insert_rowid())
}

/// Ends a grant. False if there is none.
pub fn end(tx: &Tx, id: i64) -> Result<bool> {
    tx.run("DELETE FROM oauth_grants WHERE id = ?1", [id]).map(|ended| ended > 0)
}

/// Ends a grant of a user. False if they have no such grant.
pub fn end_of_user(tx: &Tx, user: UserId, token: &str) -> Result<bool> {
    tx.run("DELETE FROM oauth_grants WHERE token = ?1 AND user_id = ?2", params![token, user.0]).map(|ended| ended > 0)
}

/// Ends all grants of a user.
pub fn end_all(tx: &Tx, user: UserId) -> Result<()> {
    tx.run("DELETE FROM oauth_grants WHERE user_id = ?1", [user.0])?;
    Ok(())
}

pub fn set_used(tx: &Tx, id: i64, at: Time) -> Result<()> {
    tx.run("UPDATE oauth_grants SET last_used_at = ?2 WHERE id = ?1", params![id, at.millis()])?;
    Ok(())
}

/// A refresh token, used or not.
pub struct RefreshToken {
    pub grant: Grant,
    /// The user who gave the grant.
    pub user: User,
    /// Its number among the grant's tokens.
    pub generation: i64,
    /// When it was used.
    pub rotated_at: Option<Time>,
    pub expires_at: Time,
}

pub fn refresh_token(tx: &Tx, hash: &[u8; 32]) -> Result<Option<RefreshToken>> {
    tx.maybe(
        &format!(
            "SELECT r.generation, r.rotated_at, r.expires_at, {COLUMNS}, {} FROM oauth_refresh_tokens r \
             JOIN oauth_grants g ON g.id = r.grant_id JOIN users u ON u.id = g.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE r.hash = ?1",
            users::COLUMNS
        ),
        [hash],
        |row| {
            Ok(RefreshToken {
                generation: row.get(0)?,
                rotated_at: row.get::<_, Option<i64>>(1)?.map(Time::from_millis),
                expires_at: Time::from_millis(row.get(2)?),
                grant: read(row, 3)?,
                user: users::read(row, 11)?,
            })
        },
    )
}

/// Gives a grant its next refresh token and marks the previous one as used.
pub fn rotate(tx: &Tx, grant: i64, hash: &[u8; 32], expires_at: Time) -> Result<()> {
    let (now, end) = (tx.now.millis(), expires_at.millis());
    let run = |sql: &str, params: &[&dyn rusqlite::ToSql]| tx.run(sql, params);
    run("UPDATE oauth_refresh_tokens SET rotated_at = ?2 WHERE grant_id = ?1 AND rotated_at IS NULL", &[&grant, &now])?;
    run("UPDATE oauth_grants SET generation = generation + 1, expires_at = ?2 WHERE id = ?1", &[&grant, &end])?;
    run(
        "INSERT INTO oauth_refresh_tokens (hash, grant_id, generation, expires_at) \
         SELECT ?2, id, generation, ?3 FROM oauth_grants WHERE id = ?1",
        &[&grant, hash, &end],
    )?;
    Ok(())
}

/// Deletes up to `limit` grants whose last refresh token has expired. Returns the number deleted.
pub fn end_old(tx: &Tx, limit: usize) -> Result<usize> {
    remove_old(
        tx,
        "DELETE FROM oauth_grants WHERE id IN \
         (SELECT id FROM oauth_grants WHERE expires_at <= ?1 LIMIT ?2)",
        limit,
    )
}

/// Deletes up to `limit` used refresh tokens that would have expired by now. Returns the number deleted.
pub fn forget_old_refresh_tokens(tx: &Tx, limit: usize) -> Result<usize> {
    remove_old(
        tx,
        "DELETE FROM oauth_refresh_tokens WHERE hash IN \
         (SELECT hash FROM oauth_refresh_tokens WHERE expires_at <= ?1 LIMIT ?2)",
        limit,
    )
}

fn remove_old(tx: &Tx, sql: &str, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.run(sql, [tx.now.millis(), limit])
}
