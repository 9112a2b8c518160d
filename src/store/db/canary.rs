//! A known text, encrypted with the instance key and stored in the database. It shows whether the key in the data
//! directory is the one that the database was created with.

use rusqlite::{Connection, OptionalExtension as _};

use crate::base::error::DataDirFault;
use crate::base::secret::{Keys, Purpose};
use crate::store::db::data_dir::DataDir;

const TEXT: &[u8] = b"formsvc";

/// Checks the key against the database. False if the database has no canary yet.
///
/// # Errors
/// The database was created with another key, or can't be read.
pub fn check(connection: &Connection, keys: &Keys, dir: &DataDir) -> Result<bool, DataDirFault> {
    match fits(connection, keys).map_err(|e| dir.fault(e))? {
        None => Ok(false),
        Some(true) => Ok(true),
        Some(false) => Err(dir.wrong_key("is not the one that its database was made with")),
    }
}

/// Whether the key is that of the database. `None` if it has no canary yet.
pub fn fits(connection: &Connection, keys: &Keys) -> rusqlite::Result<Option<bool>> {
    let sealed = sealed(connection)?;
    let open = |sealed: Vec<u8>| keys.open(Purpose::Canary, &sealed);
    Ok(sealed.map(|sealed| open(sealed).is_some_and(|text| text == TEXT)))
}

fn sealed(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    if !connection.table_exists(None, "canary")? {
        return Ok(None);
    }
    connection.query_row("SELECT sealed FROM canary", [], |row| row.get(0)).optional()
}

/// Stores the canary in a new database. If another process was faster, its key counts.
///
/// # Errors
/// The canary can't be written, or the other process used another key.
pub fn store(connection: &Connection, keys: &Keys, dir: &DataDir) -> Result<(), DataDirFault> {
    let sealed =
        keys.seal(Purpose::Canary, TEXT).map_err(|e| DataDirFault::Failed(dir.to_string(), format!("{e:?}")))?;
    let insert = "INSERT INTO canary (id, sealed) VALUES (1, ?1) ON CONFLICT DO NOTHING";
    connection.execute(insert, [sealed]).map_err(|e| dir.fault(e))?;
    check(connection, keys, dir).map(drop)
}
