//! OAuth clients: their registration and the hash of their secret.

use rusqlite::{Row, params};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::model::oauth::Client;
use crate::model::scope::Scopes;
use crate::store::db::tx::Tx;

pub(in crate::store) const COLUMNS: &str =
    "c.id, c.client_id, c.name, c.secret_hash, c.redirect_uris, c.scopes, c.created_at";

/// Reads `COLUMNS`, starting at column `first`.
pub(in crate::store) fn read(row: &Row, first: usize) -> rusqlite::Result<Client> {
    let uris: String = row.get(first + 4)?;
    let scopes: String = row.get(first + 5)?;
    Ok(Client {
        id: row.get(first)?,
        client_id: row.get(first + 1)?,
        name: row.get(first + 2)?,
        secret_hash: row.get(first + 3)?,
        redirect_uris: serde_json::from_str(&uris).unwrap_or_default(),
        scopes: Scopes::parse(&scopes),
        created_at: Time::from_millis(row.get(first + 6)?),
    })
}

pub fn by_client_id(tx: &Tx, client_id: &str) -> Result<Option<Client>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM oauth_clients c WHERE c.client_id = ?1"), [client_id], |row| read(row, 0))
}

/// All clients, oldest first.
pub fn all(tx: &Tx) -> Result<Vec<Client>> {
    tx.all(&format!("SELECT {COLUMNS} FROM oauth_clients c ORDER BY c.id"), [], |row| read(row, 0))
}

pub struct NewClient {
    /// Its public id.
    pub client_id: String,
    /// Shown to users.
    pub name: String,
    /// `None` for a public client.
    pub secret_hash: Option<[u8; 32]>,
    pub redirect_uris: Vec<String>,
    /// The scopes it may request.
    pub scopes: Scopes,
}

pub fn insert(tx: &Tx, client: &NewClient) -> Result<()> {
    let uris = serde_json::to_string(&client.redirect_uris).map_err(Error::internal)?;
    tx.run(
        "INSERT INTO oauth_clients (client_id, name, secret_hash, redirect_uris, scopes, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![client.client_id, client.name, client.secret_hash, uris, client.scopes.to_string(), tx.now.millis(),],
    )?;
    Ok(())
}

/// Removes a client with its grants and codes. False if there is none.
pub fn delete(tx: &Tx, client_id: &str) -> Result<bool> {
    tx.run("DELETE FROM oauth_clients WHERE client_id = ?1", [client_id]).map(|removed| removed > 0)
}
