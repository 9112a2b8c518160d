//! The keys that access tokens are signed with: public halves in the database, private ones in files of
//! their own that nobody else may read (S34).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension as _, Row, params};
use zeroize::Zeroizing;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::store::data_dir;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// How the files' names begin.
const PREFIX: &str = "signing-";

/// A key's row.
#[derive(Clone, Debug)]
pub struct KeyRow {
    /// Its name.
    pub kid: String,
    /// Its public half.
    pub public: [u8; 32],
    /// When it was made.
    pub created_at: Time,
    /// Since when it signs nothing more.
    pub retired_at: Option<Time>,
}

const COLUMNS: &str = "kid, public, created_at, retired_at";

fn read(row: &Row) -> rusqlite::Result<KeyRow> {
    Ok(KeyRow {
        kid: row.get(0)?,
        public: row.get(1)?,
        created_at: Time::from_millis(row.get(2)?),
        retired_at: row.get::<_, Option<i64>>(3)?.map(Time::from_millis),
    })
}

/// All keys, the newest first.
///
/// # Errors
/// Internal.
pub fn all(tx: &Tx) -> Result<Vec<KeyRow>> {
    tx.connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM signing_keys ORDER BY created_at DESC, kid"
        ))
        .and_then(|mut select| select.query_map([], read)?.collect())
        .map_err(internal)
}

/// The key that signs.
///
/// # Errors
/// Internal.
pub fn active(tx: &Tx) -> Result<Option<KeyRow>> {
    tx.connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM signing_keys WHERE retired_at IS NULL"
        ))
        .and_then(|mut select| select.query_row([], read).optional())
        .map_err(internal)
}

/// The key of a name.
///
/// # Errors
/// Internal.
pub fn by_kid(tx: &Tx, kid: &str) -> Result<Option<KeyRow>> {
    tx.connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM signing_keys WHERE kid = ?1"
        ))
        .and_then(|mut select| select.query_row([kid], read).optional())
        .map_err(internal)
}

/// Adds the key that signs from now on; the ones before it no longer do.
///
/// # Errors
/// Internal.
pub fn succeed(tx: &Tx, kid: &str, public: &[u8; 32]) -> Result<()> {
    let now = tx.now.millis();
    tx.connection
        .execute(
            "UPDATE signing_keys SET retired_at = ?1 WHERE retired_at IS NULL",
            [now],
        )
        .map_err(internal)?;
    tx.connection
        .execute(
            "INSERT INTO signing_keys (kid, public, created_at) VALUES (?1, ?2, ?3)",
            params![kid, public, now],
        )
        .map_err(internal)?;
    Ok(())
}

/// Forgets keys that were retired before a moment; says how many.
///
/// # Errors
/// Internal.
pub fn forget_retired(tx: &Tx, before: Time) -> Result<usize> {
    tx.connection
        .execute(
            "DELETE FROM signing_keys WHERE retired_at <= ?1",
            [before.millis()],
        )
        .map_err(internal)
}

/// The private halves, each in a file.
#[derive(Clone)]
pub struct KeyFiles(PathBuf);

impl KeyFiles {
    /// Those of a data dir.
    pub fn of(data_dir: &Path) -> Self {
        Self(data_dir.join("keys"))
    }

    /// The private half of a key; none where its file is gone or has another length.
    ///
    /// # Errors
    /// Internal, when the file can't be read.
    pub fn read(&self, kid: &str) -> Result<Option<Zeroizing<[u8; 32]>>> {
        match fs::read(self.path(kid)).map(Zeroizing::new) {
            Ok(bytes) => Ok(bytes.as_slice().try_into().ok().map(Zeroizing::new)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(unusable(e)),
        }
    }

    /// Keeps the private half of a key, and no others any more: what signs nothing is not needed. A job of
    /// the writer does this, so that no other process does meanwhile.
    ///
    /// # Errors
    /// Internal, when a file can't be written or removed.
    pub fn replace(&self, _: &Tx, kid: &str, private: &[u8; 32]) -> Result<()> {
        data_dir::write_private(&self.path(kid), private).map_err(unusable)?;
        let own = format!("{PREFIX}{kid}");
        for file in fs::read_dir(&self.0).map_err(unusable)? {
            let file = file.map_err(unusable)?;
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(PREFIX) && *name != own {
                fs::remove_file(file.path()).map_err(unusable)?;
            }
        }
        Ok(())
    }

    fn path(&self, kid: &str) -> PathBuf {
        self.0.join(format!("{PREFIX}{kid}"))
    }
}

fn unusable(e: std::io::Error) -> Error {
    if e.kind() == ErrorKind::StorageFull {
        return Error::Busy("the disk is full", 30);
    }
    Error::internal(format_args!("a signing key can't be used: {e}"))
}
