//! A known text that is sealed with the instance key and kept in the database: it tells whether the key in the
//! data dir is the one that everything else was sealed with.

use rusqlite::{Connection, OptionalExtension as _};

use crate::base::error::DataDirFault;
use crate::base::secret::{Keys, Purpose};
use crate::store::data_dir::DataDir;

const TEXT: &[u8] = b"formsvc";

/// Whether the database says which key it was made with.
///
/// # Errors
/// It was made with another, or can't be read.
pub fn is_planted(
    connection: &Connection,
    keys: &Keys,
    dir: &DataDir,
) -> Result<bool, DataDirFault> {
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

/// Has a new database say which key it was made with. Where another process was faster, that one's key counts.
///
/// # Errors
/// It can't be written, or that one's key was another.
pub fn plant(connection: &Connection, keys: &Keys, dir: &DataDir) -> Result<(), DataDirFault> {
    let sealed = keys
        .seal(Purpose::Canary, TEXT)
        .map_err(|e| DataDirFault::Failed(dir.to_string(), format!("{e:?}")))?;
    let insert = "INSERT INTO canary (id, sealed) VALUES (1, ?1) ON CONFLICT DO NOTHING";
    connection
        .execute(insert, [sealed])
        .map_err(|e| dir.fault(e))?;
    is_planted(connection, keys, dir).map(drop)
}
