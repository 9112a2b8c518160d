//! The public base URL of the last server that ran on this data directory.

use crate::base::error::Result;
use crate::store::tx::Tx;

pub fn set(tx: &Tx, base_url: &str) -> Result<()> {
    tx.run(
        "INSERT INTO service_address (id, base_url) VALUES (1, ?1) \
             ON CONFLICT (id) DO UPDATE SET base_url = ?1 WHERE base_url <> ?1",
        [base_url],
    )?;
    Ok(())
}

pub fn get(tx: &Tx) -> Result<Option<String>> {
    tx.maybe("SELECT base_url FROM service_address", [], |row| row.get(0))
}
