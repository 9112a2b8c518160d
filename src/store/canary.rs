//! A known text, encrypted with the instance key and stored in the database. It shows whether the key in the data
//! directory is the one that the database was created with.

use rusqlite::{Connection, OptionalExtension as _};

use crate::base::error::DataDirFault;
use crate::base::secret::{Keys, Purpose};
use crate::store::data_dir::DataDir;

const TEXT: &[u8] = b"formsvc";

/// Checks the key against the database. False if the database has no canary yet.
///
/// # Errors
/// The database was created with another key, or can't be read.
pub fn check(connection: &Connection, keys: &Keys, dir: &DataDir) -> Result<bool, DataDirFault> {
    let Some(sealed) = sealed(connection).map_err(|e| dir.fault(e))? else {
        return Ok(false);
    };
    match keys.open(Purpose::Canary, &sealed) {
        Some(text) if text == TEXT => Ok(true),
        _ => Err(dir.wrong_key("is not the one that its database was made with")),
    }
}

fn sealed(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    if !connection.table_exists(None, "canary")? {
        return Ok(None);
    }
    connection
        .query_row("SELECT sealed FROM canary", [], |row| row.get(0))
        .optional()
}

/// Stores the canary in a new database. If another process was faster, its key counts.
///
/// # Errors
/// The canary can't be written, or the other process used another key.
pub fn store(connection: &Connection, keys: &Keys, dir: &DataDir) -> Result<(), DataDirFault> {
    let sealed = keys
        .seal(Purpose::Canary, TEXT)
        .map_err(|e| DataDirFault::Failed(dir.to_string(), format!("{e:?}")))?;
    let insert = "INSERT INTO canary (id, sealed) VALUES (1, ?1) ON CONFLICT DO NOTHING";
    connection
        .execute(insert, [sealed])
        .map_err(|e| dir.fault(e))?;
    check(connection, keys, dir).map(drop)
}
