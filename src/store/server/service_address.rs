//! The addresses of the last server that ran on this data directory.

use rusqlite::params;

use crate::base::error::Result;
use crate::store::db::tx::Tx;

pub fn set(tx: &Tx, base_url: &str) -> Result<()> {
    tx.run(
        "INSERT INTO service_address (id, base_url) VALUES (1, ?1) \
             ON CONFLICT (id) DO UPDATE SET base_url = ?1 WHERE base_url <> ?1",
        [base_url],
    )?;
    Ok(())
}

/// Address of a running server, for commands on the same machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// `http://127.0.0.1:8080`, `https://[::1]:8443` or `unix:/run/formsvc.sock`.
    pub address: String,
    /// The file of its certificate, if it has one.
    pub certificate: Option<String>,
}

/// Sets where the server of this address listens.
pub fn set_listening(tx: &Tx, listening: &Listening) -> Result<()> {
    tx.run(
        "UPDATE service_address SET listen = ?1, certificate = ?2 WHERE listen IS NOT ?1 OR certificate IS NOT ?2",
        params![listening.address, listening.certificate],
    )?;
    Ok(())
}

pub fn listening(tx: &Tx) -> Result<Option<Listening>> {
    tx.maybe("SELECT listen, certificate FROM service_address WHERE listen IS NOT NULL", [], |row| {
        Ok(Listening { address: row.get(0)?, certificate: row.get(1)? })
    })
}

pub fn get(tx: &Tx) -> Result<Option<String>> {
    tx.maybe("SELECT base_url FROM service_address", [], |row| row.get(0))
}
