//! The folder on disk: its layout, modes, lock and instance key (contract section 10, S76).

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{FlockOperation, flock};

use crate::base::error::DataDirFault;
use crate::base::secret::{self, Keys};

const FOLDERS: [&str; 4] = ["blobs", "tmp", "keys", "backups"];
// What the lock file says of the last server that ran here. It is empty until the database has stood
// once; of one length, so that one is written over the other.
const RUNNING: &[u8] = b"running\n";
const STOPPED: &[u8] = b"stopped\n";

/// A data dir; holding the lock when it was opened to serve.
pub struct DataDir {
    path: PathBuf,
    lock: Mutex<Option<File>>,
    unclean: bool,
}

impl fmt::Display for DataDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

impl DataDir {
    /// For `serve` and `restore`: makes what is missing and takes the lock.
    ///
    /// # Errors
    /// Another process holds the lock, or the folder can't be made.
    pub fn create(path: &Path) -> Result<Self, DataDirFault> {
        let fault =
            |e: std::io::Error| DataDirFault::NotUsable(path.display().to_string(), e.to_string());
        make_folder(path).map_err(fault)?;
        let mut lock = open_private(&path.join("lock")).map_err(fault)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| DataDirFault::Locked(path.display().to_string()))?;
        let mut state = Vec::new();
        lock.read_to_end(&mut state).map_err(fault)?;
        if !state.is_empty() {
            refuse_emptied(path)?;
        }
        for folder in FOLDERS {
            make_folder(&path.join(folder)).map_err(fault)?;
        }
        sync_folder(path).map_err(fault)?;
        Ok(Self {
            path: path.to_owned(),
            lock: Mutex::new(Some(lock)),
            unclean: state == RUNNING,
        })
    }

    /// For commands beside a running server: the folder must be there, no lock is taken.
    ///
    /// # Errors
    /// There is no data dir.
    pub fn existing(path: &Path) -> Result<Self, DataDirFault> {
        let shown = path.display().to_string();
        if fs::metadata(path.join("lock")).is_ok_and(|lock| lock.len() > 0) {
            refuse_emptied(path)?;
        }
        match fs::metadata(path.join("formsvc.db")) {
            Ok(file) if file.len() == 0 => return Err(DataDirFault::Missing(shown)),
            Ok(_) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(DataDirFault::Missing(shown));
            }
            Err(e) => return Err(DataDirFault::NotUsable(shown, e.to_string())),
        }
        Ok(Self {
            path: path.to_owned(),
            lock: Mutex::new(None),
            unclean: false,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.path.join("formsvc.db")
    }

    /// Whether it was opened to serve: then nobody else writes files here.
    pub fn is_locked(&self) -> bool {
        self.lock.lock().is_ok_and(|lock| lock.is_some())
    }

    /// Whether the last server that ran here was ended before it could close (S83).
    pub fn was_unclean(&self) -> bool {
        self.unclean
    }

    /// Says that the database stands and is served: what is not there at the next start was lost, and
    /// what was not closed is checked. Nothing where no lock is held.
    ///
    /// # Errors
    /// The lock file can't be written.
    pub fn mark_running(&self) -> Result<(), DataDirFault> {
        if self.unclean {
            return Ok(());
        }
        self.mark(RUNNING)
            .map_err(|e| DataDirFault::NotUsable(self.to_string(), e.to_string()))
    }

    /// Says that everything was closed, so that the next start need not check the file.
    pub fn mark_clean(&self) {
        if let Err(e) = self.mark(STOPPED) {
            tracing::warn!("the lock file can't be written: {e}");
        }
    }

    fn mark(&self, state: &[u8]) -> std::io::Result<()> {
        if let Ok(lock) = self.lock.lock()
            && let Some(file) = lock.as_ref()
        {
            file.write_all_at(state, 0)?;
            file.sync_all()?;
        }
        Ok(())
    }

    /// The instance key; made at first use.
    ///
    /// # Errors
    /// The file can't be read or written, or has another length than 32 bytes.
    pub fn keys(&self) -> Result<Keys, DataDirFault> {
        let path = self.path.join("keys").join("instance");
        let fault =
            |e: std::io::Error| DataDirFault::Failed(path.display().to_string(), e.to_string());
        match fs::read(&path) {
            Ok(bytes) => <[u8; 32]>::try_from(bytes)
                .map(Keys::new)
                .map_err(|_| fault(std::io::Error::other("the key must be 32 bytes"))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let key = secret::random_bytes();
                write_private(&path, &key).map_err(fault)?;
                Ok(Keys::new(key))
            }
            Err(e) => Err(fault(e)),
        }
    }

    /// What a failure of SQLite at opening means for this data dir.
    pub fn fault(&self, e: rusqlite::Error) -> DataDirFault {
        match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
                DataDirFault::Damaged(self.to_string(), e.to_string())
            }
            Some(
                rusqlite::ErrorCode::CannotOpen
                | rusqlite::ErrorCode::PermissionDenied
                | rusqlite::ErrorCode::ReadOnly,
            ) => DataDirFault::NotUsable(self.to_string(), e.to_string()),
            _ => DataDirFault::Failed(self.to_string(), e.to_string()),
        }
    }
}

/// A database that stood here and is gone is never made anew without a word (S83).
fn refuse_emptied(path: &Path) -> Result<(), DataDirFault> {
    if fs::metadata(path.join("formsvc.db")).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let fault = "formsvc.db is missing or empty".to_owned();
    Err(DataDirFault::Damaged(path.display().to_string(), fault))
}

pub(in crate::store) fn make_folder(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    path.parent().map_or(Ok(()), |parent| {
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        sync_folder(parent)
    })
}

/// Writes a file that nobody else may read: whole, or not at all.
pub(in crate::store) fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let aside = path.with_extension("new");
    let mut file = open_private(&aside)?;
    file.set_len(0)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&aside, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn open_private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

pub(in crate::store) fn sync_folder(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}
