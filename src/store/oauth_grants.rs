//! What people allowed applications, and the refresh tokens of each grant: hashes only. A grant ends by
//! being removed, and all that belongs to it goes with it.

use std::sync::LazyLock;

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::model::oauth::{Client, ConnectedApp, Grant};
use crate::model::scope::Scopes;
use crate::model::user::{User, UserId};
use crate::store::tx::Tx;
use crate::store::users;

const COLUMNS: &str =
    "g.id, g.token, g.client, g.user_id, g.scopes, g.generation, g.created_at, g.last_used_at";

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

/// A grant that an access token names, as it is asked for at every call.
#[derive(Clone, Debug)]
pub struct Found {
    /// The grant.
    pub grant: Grant,
    /// The public id of its client.
    pub client_id: String,
    /// Who allowed it.
    pub user: User,
    /// Since when the key that the token was signed with signs nothing more; none: it still does.
    pub key_retired_at: Option<Time>,
}

/// The grant of a name, with the key that a token of it was signed with; none where either is gone.
pub fn of_access_token(tx: &Tx, token: &str, kid: &str) -> Result<Option<Found>> {
    static ASK: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {COLUMNS}, c.client_id, k.retired_at, {} FROM oauth_grants g \
             JOIN oauth_clients c ON c.id = g.client JOIN users u ON u.id = g.user_id \
             JOIN organizations o ON o.id = u.organization_id \
             JOIN signing_keys k ON k.kid = ?2 WHERE g.token = ?1",
            users::COLUMNS
        )
    });
    let ask = || {
        tx.maybe(&ASK, [token, kid], |row| {
            Ok(Found {
                grant: read(row, 0)?,
                client_id: row.get(8)?,
                key_retired_at: row.get::<_, Option<i64>>(9)?.map(Time::from_millis),
                user: users::read(row, 10)?,
            })
        })
    };
    match tx.memo() {
        Some(memo) => memo.grant(&format!("{token} {kid}"), ask),
        None => ask(),
    }
}

/// The grant of a number, with its user.
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

/// The grant of a name.
pub fn by_token(tx: &Tx, token: &str) -> Result<Option<Grant>> {
    tx.maybe(
        &format!("SELECT {COLUMNS} FROM oauth_grants g WHERE g.token = ?1"),
        [token],
        |row| read(row, 0),
    )
}

/// What a user allows a client now, grant by grant.
pub fn scopes_of(tx: &Tx, user: UserId, client: &Client) -> Result<Vec<Scopes>> {
    tx.all(
        "SELECT scopes FROM oauth_grants \
             WHERE user_id = ?1 AND client = ?2 AND expires_at > ?3",
        params![user.0, client.id, tx.now.millis()],
        |row| row.get::<_, String>(0).map(|scopes| Scopes::parse(&scopes)),
    )
}

/// What a user allows, the newest first.
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

/// Begins a grant; it has no refresh token yet.
pub fn insert(
    tx: &Tx,
    token: &str,
    client: &Client,
    user: UserId,
    scopes: Scopes,
    expires_at: Time,
) -> Result<i64> {
    tx.run("INSERT INTO oauth_grants (token, client, user_id, scopes, generation, created_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)", params![
                token,
                client.id,
                user.0,
                scopes.to_string(),
                tx.now.millis(),
                expires_at.millis(),
            ])?;
    Ok(tx.connection.last_insert_rowid())
}

/// Ends a grant; says whether it was there.
pub fn end(tx: &Tx, id: i64) -> Result<bool> {
    tx.run("DELETE FROM oauth_grants WHERE id = ?1", [id])
        .map(|ended| ended > 0)
}

/// Ends the grant of a name where it is that user's; says whether it was.
pub fn end_of_user(tx: &Tx, user: UserId, token: &str) -> Result<bool> {
    tx.run(
        "DELETE FROM oauth_grants WHERE token = ?1 AND user_id = ?2",
        params![token, user.0],
    )
    .map(|ended| ended > 0)
}

/// Ends all that a user allowed.
pub fn end_all(tx: &Tx, user: UserId) -> Result<()> {
    tx.run("DELETE FROM oauth_grants WHERE user_id = ?1", [user.0])?;
    Ok(())
}

/// Notes when a grant was used.
pub fn set_used(tx: &Tx, id: i64, at: Time) -> Result<()> {
    tx.run(
        "UPDATE oauth_grants SET last_used_at = ?2 WHERE id = ?1",
        params![id, at.millis()],
    )?;
    Ok(())
}

/// A refresh token, used or not.
pub struct RefreshToken {
    /// Its grant.
    pub grant: Grant,
    /// Who allowed that.
    pub user: User,
    /// Which of the grant's tokens it is.
    pub generation: i64,
    /// When it was used.
    pub rotated_at: Option<Time>,
    /// When it ends.
    pub expires_at: Time,
}

/// The refresh token of a hash.
pub fn refresh_token(tx: &Tx, hash: &[u8; 32]) -> Result<Option<RefreshToken>> {
    tx.maybe(&format!(
            "SELECT r.generation, r.rotated_at, r.expires_at, {COLUMNS}, {} FROM oauth_refresh_tokens r \
             JOIN oauth_grants g ON g.id = r.grant_id JOIN users u ON u.id = g.user_id \
             JOIN organizations o ON o.id = u.organization_id WHERE r.hash = ?1",
            users::COLUMNS
        ), [hash], |row| {
                Ok(RefreshToken {
                    generation: row.get(0)?,
                    rotated_at: row.get::<_, Option<i64>>(1)?.map(Time::from_millis),
                    expires_at: Time::from_millis(row.get(2)?),
                    grant: read(row, 3)?,
                    user: users::read(row, 11)?,
                })
            })
}

/// Gives a grant its next refresh token; the one before it is no longer the live one.
pub fn rotate(tx: &Tx, grant: i64, hash: &[u8; 32], expires_at: Time) -> Result<()> {
    let (now, end) = (tx.now.millis(), expires_at.millis());
    let run = |sql: &str, params: &[&dyn rusqlite::ToSql]| tx.run(sql, params);
    run(
        "UPDATE oauth_refresh_tokens SET rotated_at = ?2 WHERE grant_id = ?1 AND rotated_at IS NULL",
        &[&grant, &now],
    )?;
    run(
        "UPDATE oauth_grants SET generation = generation + 1, expires_at = ?2 WHERE id = ?1",
        &[&grant, &end],
    )?;
    run(
        "INSERT INTO oauth_refresh_tokens (hash, grant_id, generation, expires_at) \
         SELECT ?2, id, generation, ?3 FROM oauth_grants WHERE id = ?1",
        &[&grant, hash, &end],
    )?;
    Ok(())
}

/// Removes up to `limit` grants whose last refresh token has ended; says how many.
pub fn end_old(tx: &Tx, limit: usize) -> Result<usize> {
    remove_old(
        tx,
        "DELETE FROM oauth_grants WHERE id IN \
         (SELECT id FROM oauth_grants WHERE expires_at <= ?1 LIMIT ?2)",
        limit,
    )
}

/// Forgets up to `limit` refresh tokens that would have ended by now had they not been used; says how many.
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
