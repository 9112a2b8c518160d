//! The data directory: its layout, modes, lock and instance key (contract section 10, S76).

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};

use crate::base::error::DataDirFault;
use crate::base::secret::{self, Keys};
use crate::store::backups::finish_restore;
use crate::store::db::dir_handle::DirHandle;

const FOLDERS: [&str; 4] = ["blobs", "tmp", "keys", "backups"];
const FILES: [&str; 6] = ["lock", "formsvc.db", "formsvc.db-wal", "formsvc.db-shm", "formsvc.db-journal", INSTANCE];
const INSTANCE: &str = "keys/instance";
// The state of the last server, written to the lock file. The file is empty until a database has been created here.
// Both states have the same length, so that one overwrites the other.
const RUNNING: &[u8] = b"running\n";
const STOPPED: &[u8] = b"stopped\n";

/// A data directory, locked if it was opened by `serve` or `restore`.
pub struct DataDir {
    path: PathBuf,
    root: DirHandle,
    lock: Mutex<Option<File>>,
    unclean: bool,
}

impl fmt::Display for DataDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

impl DataDir {
    /// For `serve` and `restore`: creates missing files and takes the lock.
    ///
    /// # Errors
    /// Another process holds the lock, or the directory can't be created.
    pub fn create(path: &Path) -> Result<Self, DataDirFault> {
        create_dir(path).map_err(|e| unusable(path, &e))?;
        let path = canonical(path)?;
        let fault = |e: std::io::Error| unusable(&path, &e);
        refuse_links(&path)?;
        let root = DirHandle::open(&path).map_err(fault)?;
        finish_restore::settle(&path).map_err(fault)?;
        // An empty directory was created for this, so its mode may be narrowed. One with content may be used by others.
        if root.names().is_ok_and(|names| names.is_empty()) {
            root.set_mode(Mode::RWXU).map_err(fault)?;
        }
        let mut lock = root.write("lock", OFlags::empty()).map_err(fault)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| DataDirFault::Locked(path.display().to_string()))?;
        finish_restore::remove_unpacked(&path).map_err(fault)?;
        let mut state = Vec::new();
        lock.read_to_end(&mut state).map_err(fault)?;
        if !state.is_empty() {
            refuse_emptied(&path)?;
        }
        Self::open(path, root, Some(lock), state == RUNNING)
    }

    /// For commands beside a running server: the directory must exist, and no lock is taken.
    pub fn existing(path: &Path) -> Result<Self, DataDirFault> {
        let path = canonical(path)?;
        refuse_links(&path)?;
        finish_restore::settle(&path).map_err(|e| unusable(&path, &e))?;
        if fs::metadata(path.join("lock")).is_ok_and(|lock| lock.len() > 0) {
            refuse_emptied(&path)?;
        }
        let missing = || DataDirFault::Missing(path.display().to_string());
        match fs::metadata(path.join("formsvc.db")) {
            Ok(file) if file.len() == 0 => return Err(missing()),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Err(missing()),
            Err(e) => return Err(unusable(&path, &e)),
        }
        let root = DirHandle::open(&path).map_err(|e| unusable(&path, &e))?;
        Self::open(path, root, None, false)
    }

    fn open(path: PathBuf, root: DirHandle, lock: Option<File>, unclean: bool) -> Result<Self, DataDirFault> {
        let dir = Self { path, root, lock: Mutex::new(lock), unclean };
        // Before `keys/` is created: if it existed, a `keys/` restored from a backup might be copied into it.
        dir.refuse_keyless()?;
        for folder in FOLDERS {
            dir.subdir(folder)?;
        }
        dir.root.sync().map_err(|e| unusable(&dir.path, &e))?;
        Ok(dir)
    }

    /// Opens a subdirectory, which is created if missing.
    pub fn subdir(&self, name: &str) -> Result<DirHandle, DataDirFault> {
        let subdir = self.root.create_subdir(name);
        subdir.map_err(|e| DataDirFault::NotUsable(self.to_string(), format!("{name}: {e}")))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.path.join("formsvc.db")
    }

    /// Whether this process holds the lock: then no other process writes files here.
    pub fn is_locked(&self) -> bool {
        self.lock.lock().is_ok_and(|lock| lock.is_some())
    }

    /// Whether the last server here did not shut down cleanly (S83).
    pub fn was_unclean(&self) -> bool {
        self.unclean
    }

    /// Records that a server runs on an existing database: if the next start finds no database, it was lost, and if it
    /// finds no clean stop, the database is checked. Does nothing if no lock is held.
    pub fn mark_running(&self) -> Result<(), DataDirFault> {
        if self.unclean {
            return Ok(());
        }
        self.mark(RUNNING).map_err(|e| DataDirFault::NotUsable(self.to_string(), e.to_string()))
    }

    /// Records a clean stop, so that the next start does not check the database.
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

    /// The instance key, which is created if there is no database yet.
    pub fn keys(&self) -> Result<Keys, DataDirFault> {
        let fault = |e: std::io::Error| {
            let path = self.path.join(INSTANCE);
            DataDirFault::Failed(path.display().to_string(), e.to_string())
        };
        let folder = self.subdir("keys")?;
        let mut bytes = Vec::new();
        match folder.read("instance") {
            Ok(file) => file.take(33).read_to_end(&mut bytes).map_err(fault)?,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                self.refuse_keyless()?;
                let key = secret::random_bytes();
                folder.replace("instance", &key).map_err(fault)?;
                return Ok(Keys::new(key));
            }
            Err(e) => return Err(fault(e)),
        };
        match <[u8; 32]>::try_from(bytes) {
            Ok(key) => Ok(Keys::new(key)),
            Err(_) => Err(self.wrong_key("must be 32 bytes long")),
        }
    }

    /// Refuses a database whose key is missing: with a new key nothing encrypted with the old one could be read.
    fn refuse_keyless(&self) -> Result<(), DataDirFault> {
        let has_pages = fs::metadata(self.database()).is_ok_and(|file| file.len() > 0);
        let key = fs::symlink_metadata(self.path.join(INSTANCE));
        if has_pages && key.is_err_and(|e| e.kind() == ErrorKind::NotFound) {
            return Err(self.wrong_key("is missing"));
        }
        Ok(())
    }

    /// Locks the directory exclusively, across processes, until the handle is dropped. Waits for the lock.
    pub fn lock_exclusive(&self) -> Result<DirHandle, DataDirFault> {
        let locked = DirHandle::open(&self.path).and_then(|folder| {
            flock(folder.as_file(), FlockOperation::LockExclusive)?;
            Ok(folder)
        });
        locked.map_err(|e| unusable(&self.path, &e))
    }

    /// Keeps servers from starting until the handle is dropped. If this process is the server, there is nothing to do.
    ///
    /// # Errors
    /// One runs.
    pub fn lock_out_server(&self) -> Result<Option<File>, DataDirFault> {
        if self.is_locked() {
            return Ok(None);
        }
        let lock = self.root.write("lock", OFlags::empty());
        let lock = lock.map_err(|e| unusable(&self.path, &e))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| DataDirFault::OldServer(self.to_string()))?;
        Ok(Some(lock))
    }

    pub fn wrong_key(&self, what: &str) -> DataDirFault {
        DataDirFault::WrongKey(self.to_string(), what.to_owned())
    }

    /// The fault that an SQLite error on opening means for this directory.
    pub fn fault(&self, e: rusqlite::Error) -> DataDirFault {
        match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
                DataDirFault::Damaged(self.to_string(), e.to_string())
            }
            Some(
                rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::PermissionDenied | rusqlite::ErrorCode::ReadOnly,
            ) => DataDirFault::NotUsable(self.to_string(), e.to_string()),
            _ => DataDirFault::Failed(self.to_string(), e.to_string()),
        }
    }
}

/// Refuses a directory whose database is gone: it must not be recreated silently (S83).
fn refuse_emptied(path: &Path) -> Result<(), DataDirFault> {
    if fs::metadata(path.join("formsvc.db")).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let fault = "formsvc.db is missing or empty".to_owned();
    Err(DataDirFault::Damaged(path.display().to_string(), fault))
}

/// The canonical path; the path itself if nothing exists there.
pub(in crate::store) fn canonical(path: &Path) -> Result<PathBuf, DataDirFault> {
    match fs::canonicalize(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(to) => {
                let (path, to) = (path.display().to_string(), to.display().to_string());
                Err(DataDirFault::Dangling(path, to))
            }
            Err(_) => Ok(path.to_owned()),
        },
        result => result.map_err(|e| unusable(path, &e)),
    }
}

/// Refuses symbolic links in the directory: they could lead to files outside it, or out of the reach of backups.
pub(in crate::store) fn refuse_links(path: &Path) -> Result<(), DataDirFault> {
    let mut all = FOLDERS.iter().chain(&FILES);
    let link = all.find(|name| fs::symlink_metadata(path.join(name)).is_ok_and(|it| it.is_symlink()));
    link.map_or(Ok(()), |name| {
        let name = path.join(name).display().to_string();
        Err(DataDirFault::Link(path.display().to_string(), name))
    })
}

/// The data directory, its direct content and the content of `keys/`, as far as group or others have permissions (S76).
/// The program creates no such files, so their modes were changed by other means.
pub fn wide_modes(data_dir: &Path) -> Vec<PathBuf> {
    let keys = data_dir.join("keys");
    // Symbolic links are not followed.
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let inside = |folder: &Path| {
        let listed = is_folder(folder).then(|| fs::read_dir(folder).ok());
        let entries = listed.flatten().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut paths = [inside(data_dir), inside(&keys), vec![data_dir.to_owned()]].concat();
    paths.retain(|path| {
        let metadata = fs::symlink_metadata(path);
        metadata.is_ok_and(|it| !it.is_symlink() && it.mode() & 0o077 != 0)
    });
    paths
}

/// Sizes of the parts of a data directory, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub database: u64,
    /// Its write-ahead log.
    pub log: u64,
    /// Uploaded files and images.
    pub blobs: u64,
    pub backups: u64,
}

/// The size of the database and of its write-ahead log, in bytes.
pub fn database_sizes(data_dir: &Path) -> (u64, u64) {
    let size = |name: &str| size_of(&data_dir.join(name));
    (size("formsvc.db"), size("formsvc.db-wal"))
}

/// Adds up file sizes. Files that can't be read count as 0.
pub fn sizes(data_dir: &Path) -> Sizes {
    let size = |name: &str| size_of(&data_dir.join(name));
    Sizes { database: size("formsvc.db"), log: size("formsvc.db-wal"), blobs: size("blobs"), backups: size("backups") }
}

fn size_of(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(it) if it.is_dir() => {
            fs::read_dir(path).map_or(0, |listed| listed.flatten().map(|entry| size_of(&entry.path())).sum())
        }
        Ok(it) if it.is_file() => it.len(),
        _ => 0,
    }
}

pub(in crate::store) fn unusable(path: &Path, e: &std::io::Error) -> DataDirFault {
    DataDirFault::NotUsable(path.display().to_string(), e.to_string())
}

pub(in crate::store) fn create_dir(path: &Path) -> std::io::Result<()> {
    if path.is_dir() || path.is_symlink() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
