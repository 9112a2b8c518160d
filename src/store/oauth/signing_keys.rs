//! The signing keys of access tokens: public keys in the database, private keys in files of mode 0600 (S34).

use std::io::{ErrorKind, Read as _};
use std::sync::Arc;

use rusqlite::{Row, params};
use zeroize::Zeroizing;

use crate::base::clock::Time;
use crate::base::error::{DataDirFault, Error, Result};
use crate::store::db::data_dir::DataDir;
use crate::store::db::dir_handle::DirHandle;
use crate::store::db::disk;
use crate::store::db::tx::Tx;

/// The prefix of the file names.
const PREFIX: &str = "signing-";

#[derive(Clone, Debug)]
pub struct KeyRow {
    pub kid: String,
    pub public: [u8; 32],
    pub created_at: Time,
    /// When it stopped signing.
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

/// All keys, newest first.
pub fn all(tx: &Tx) -> Result<Vec<KeyRow>> {
    tx.all(&format!("SELECT {COLUMNS} FROM signing_keys ORDER BY created_at DESC, kid"), [], read)
}

/// The key that signs.
pub fn active(tx: &Tx) -> Result<Option<KeyRow>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM signing_keys WHERE retired_at IS NULL"), [], read)
}

pub fn by_kid(tx: &Tx, kid: &str) -> Result<Option<KeyRow>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM signing_keys WHERE kid = ?1"), [kid], read)
}

/// Adds a key as the active one and retires the others.
pub fn rotate(tx: &Tx, kid: &str, public: &[u8; 32]) -> Result<()> {
    let now = tx.now.millis();
    tx.run("UPDATE signing_keys SET retired_at = ?1 WHERE retired_at IS NULL", [now])?;
    tx.run("INSERT INTO signing_keys (kid, public, created_at) VALUES (?1, ?2, ?3)", params![kid, public, now])?;
    Ok(())
}

/// Deletes keys that were retired before `before`. Returns the number deleted.
pub fn forget_retired(tx: &Tx, before: Time) -> Result<usize> {
    tx.run("DELETE FROM signing_keys WHERE retired_at <= ?1", [before.millis()])
}

/// The private keys, each in a file.
#[derive(Clone)]
pub struct KeyFiles(Arc<DirHandle>);

impl KeyFiles {
    pub fn of(dir: &DataDir) -> Result<Self, DataDirFault> {
        Ok(Self(Arc::new(dir.subdir("keys")?)))
    }

    pub(in crate::store) fn folder(&self) -> &DirHandle {
        &self.0
    }

    /// A private key; `None` if its file is missing or has a wrong length.
    pub fn read(&self, kid: &str) -> Result<Option<Zeroizing<[u8; 32]>>> {
        let file = match self.0.read(&name(kid)) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(unusable)?,
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(33));
        file.take(33).read_to_end(&mut bytes).map_err(unusable)?;
        Ok(bytes.as_slice().try_into().ok().map(Zeroizing::new))
    }

    /// Stores a private key and removes all others, since retired keys sign nothing. Runs in a job of the writer, so
    /// that no other process does it at the same time.
    pub fn replace(&self, _: &Tx, kid: &str, private: &[u8; 32]) -> Result<()> {
        let kept = name(kid);
        self.0.replace(&kept, private).map_err(unusable)?;
        let mut others = self.0.names().map_err(unusable)?;
        others.retain(|name| name.starts_with(PREFIX) && *name != kept);
        let mut others = others.iter();
        others.try_for_each(|name| self.0.remove(name)).map_err(unusable)
    }
}

fn name(kid: &str) -> String {
    format!("{PREFIX}{kid}")
}

fn unusable(e: std::io::Error) -> Error {
    match disk::write_error(&e) {
        Error::Internal(_) => Error::internal(format_args!("a signing key can't be used: {e}")),
        busy => busy,
    }
}
