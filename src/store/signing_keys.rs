//! The keys that access tokens are signed with: public halves in the database, private ones in files of
//! their own that nobody else may read (S34).

use std::io::{ErrorKind, Read as _};
use std::sync::Arc;

use rusqlite::{Row, params};
use zeroize::Zeroizing;

use crate::base::clock::Time;
use crate::base::error::{DataDirFault, Error, Result};
use crate::store::data_dir::DataDir;
use crate::store::disk;
use crate::store::folder::Folder;
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
pub fn all(tx: &Tx) -> Result<Vec<KeyRow>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM signing_keys ORDER BY created_at DESC, kid"),
        [],
        read,
    )
}

/// The key that signs.
pub fn active(tx: &Tx) -> Result<Option<KeyRow>> {
    tx.maybe(
        &format!("SELECT {COLUMNS} FROM signing_keys WHERE retired_at IS NULL"),
        [],
        read,
    )
}

/// The key of a name.
pub fn by_kid(tx: &Tx, kid: &str) -> Result<Option<KeyRow>> {
    tx.maybe(
        &format!("SELECT {COLUMNS} FROM signing_keys WHERE kid = ?1"),
        [kid],
        read,
    )
}

/// Adds the key that signs from now on; the ones before it no longer do.
pub fn succeed(tx: &Tx, kid: &str, public: &[u8; 32]) -> Result<()> {
    let now = tx.now.millis();
    tx.run(
        "UPDATE signing_keys SET retired_at = ?1 WHERE retired_at IS NULL",
        [now],
    )?;
    tx.run(
        "INSERT INTO signing_keys (kid, public, created_at) VALUES (?1, ?2, ?3)",
        params![kid, public, now],
    )?;
    Ok(())
}

/// Forgets keys that were retired before a moment; says how many.
pub fn forget_retired(tx: &Tx, before: Time) -> Result<usize> {
    tx.run(
        "DELETE FROM signing_keys WHERE retired_at <= ?1",
        [before.millis()],
    )
}

/// The private halves, each in a file.
#[derive(Clone)]
pub struct KeyFiles(Arc<Folder>);

impl KeyFiles {
    /// Those of a data dir.
    ///
    /// # Errors
    /// The folder can't be opened.
    pub fn of(dir: &DataDir) -> Result<Self, DataDirFault> {
        Ok(Self(Arc::new(dir.folder("keys")?)))
    }

    /// The private half of a key; none where its file is gone or has another length.
    ///
    /// # Errors
    /// Internal, when the file can't be read.
    pub fn read(&self, kid: &str) -> Result<Option<Zeroizing<[u8; 32]>>> {
        let file = match self.0.read(&name(kid)) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(unusable)?,
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(33));
        file.take(33).read_to_end(&mut bytes).map_err(unusable)?;
        Ok(bytes.as_slice().try_into().ok().map(Zeroizing::new))
    }

    /// Keeps the private half of a key, and no others any more: what signs nothing is not needed. A job of
    /// the writer does this, so that no other process does meanwhile.
    ///
    /// # Errors
    /// Internal, when a file can't be written or removed.
    pub fn replace(&self, _: &Tx, kid: &str, private: &[u8; 32]) -> Result<()> {
        let own = name(kid);
        self.0.replace(&own, private).map_err(unusable)?;
        let mut others = self.0.names().map_err(unusable)?;
        others.retain(|name| name.starts_with(PREFIX) && *name != own);
        let mut others = others.iter();
        others
            .try_for_each(|name| self.0.remove(name))
            .map_err(unusable)
    }
}

fn name(kid: &str) -> String {
    format!("{PREFIX}{kid}")
}

fn unusable(e: std::io::Error) -> Error {
    match disk::refusal(&e) {
        Error::Internal(_) => Error::internal(format_args!("a signing key can't be used: {e}")),
        busy => busy,
    }
}
