//! The folder on disk: its layout, modes, lock and instance key (contract section 10, S76).

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};

use crate::base::error::DataDirFault;
use crate::base::secret::{self, Keys};
use crate::store::folder::Folder;

const FOLDERS: [&str; 4] = ["blobs", "tmp", "keys", "backups"];
const FILES: [&str; 6] = [
    "lock",
    "formsvc.db",
    "formsvc.db-wal",
    "formsvc.db-shm",
    "formsvc.db-journal",
    INSTANCE,
];
const INSTANCE: &str = "keys/instance";
// What the lock file says of the last server that ran here. It is empty until the database has stood
// once; of one length, so that one is written over the other.
const RUNNING: &[u8] = b"running\n";
const STOPPED: &[u8] = b"stopped\n";

/// A data dir; holding the lock when it was opened to serve.
pub struct DataDir {
    path: PathBuf,
    root: Folder,
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
        make_folder(path).map_err(|e| unusable(path, &e))?;
        let path = real(path)?;
        let fault = |e: std::io::Error| unusable(&path, &e);
        refuse_links(&path)?;
        let root = Folder::open(&path).map_err(fault)?;
        // Who made it for this had no reason to think of modes. Of one that holds anything, others may need it.
        if root.names().is_ok_and(|names| names.is_empty()) {
            root.set_mode(Mode::RWXU).map_err(fault)?;
        }
        let mut lock = root.write("lock", OFlags::empty()).map_err(fault)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| DataDirFault::Locked(path.display().to_string()))?;
        let mut state = Vec::new();
        lock.read_to_end(&mut state).map_err(fault)?;
        if !state.is_empty() {
            refuse_emptied(&path)?;
        }
        Self::open(path, root, Some(lock), state == RUNNING)
    }

    /// For commands beside a running server: the folder must be there, no lock is taken.
    ///
    /// # Errors
    /// There is no data dir.
    pub fn existing(path: &Path) -> Result<Self, DataDirFault> {
        let path = real(path)?;
        refuse_links(&path)?;
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
        let root = Folder::open(&path).map_err(|e| unusable(&path, &e))?;
        Self::open(path, root, None, false)
    }

    fn open(
        path: PathBuf,
        root: Folder,
        lock: Option<File>,
        unclean: bool,
    ) -> Result<Self, DataDirFault> {
        let dir = Self {
            path,
            root,
            lock: Mutex::new(lock),
            unclean,
        };
        // Before `keys/` is made: what is brought back from a backup must not end up below it.
        dir.refuse_keyless()?;
        for folder in FOLDERS {
            dir.folder(folder)?;
        }
        dir.root.sync().map_err(|e| unusable(&dir.path, &e))?;
        Ok(dir)
    }

    /// One of its folders.
    ///
    /// # Errors
    /// It is none, or can't be made.
    pub fn folder(&self, name: &str) -> Result<Folder, DataDirFault> {
        let made = self.root.make(name);
        made.map_err(|e| DataDirFault::NotUsable(self.to_string(), format!("{name}: {e}")))
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

    /// The instance key; made where there is no database yet.
    ///
    /// # Errors
    /// The file can't be read or written, or holds no key.
    pub fn keys(&self) -> Result<Keys, DataDirFault> {
        let fault = |e: std::io::Error| {
            let path = self.path.join(INSTANCE);
            DataDirFault::Failed(path.display().to_string(), e.to_string())
        };
        let folder = self.folder("keys")?;
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

    /// A database whose key was lost never gets another: nothing that was sealed with the old one could be read.
    fn refuse_keyless(&self) -> Result<(), DataDirFault> {
        let has_pages = fs::metadata(self.database()).is_ok_and(|file| file.len() > 0);
        let key = fs::symlink_metadata(self.path.join(INSTANCE));
        if has_pages && key.is_err_and(|e| e.kind() == ErrorKind::NotFound) {
            return Err(self.wrong_key("is missing"));
        }
        Ok(())
    }

    /// Waits until no other process does what one alone may do here; held until it is dropped.
    ///
    /// # Errors
    /// The folder can't be opened or locked.
    pub fn alone(&self) -> Result<Folder, DataDirFault> {
        let held = Folder::open(&self.path).and_then(|folder| {
            flock(folder.as_file(), FlockOperation::LockExclusive)?;
            Ok(folder)
        });
        held.map_err(|e| unusable(&self.path, &e))
    }

    /// What is wrong with the instance key.
    pub fn wrong_key(&self, what: &str) -> DataDirFault {
        DataDirFault::WrongKey(self.to_string(), what.to_owned())
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

/// Where the folder really is; the path itself where nothing is there.
fn real(path: &Path) -> Result<PathBuf, DataDirFault> {
    match fs::canonicalize(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(to) => {
                let (path, to) = (path.display().to_string(), to.display().to_string());
                Err(DataDirFault::Dangling(path, to))
            }
            Err(_) => Ok(path.to_owned()),
        },
        found => found.map_err(|e| unusable(path, &e)),
    }
}

/// Nothing in the folder may be a link: it would lead to files of others, or to where no backup looks.
fn refuse_links(path: &Path) -> Result<(), DataDirFault> {
    let mut all = FOLDERS.iter().chain(&FILES);
    let link =
        all.find(|name| fs::symlink_metadata(path.join(name)).is_ok_and(|it| it.is_symlink()));
    link.map_or(Ok(()), |name| {
        let name = path.join(name).display().to_string();
        Err(DataDirFault::Link(path.display().to_string(), name))
    })
}

/// The data dir, what is directly in it and what is in `keys/`, as far as group or others have rights there (S76).
/// The program makes nothing like that, so somebody else widened it.
pub fn wide_modes(data_dir: &Path) -> Vec<PathBuf> {
    let keys = data_dir.join("keys");
    // Nothing is looked for behind a link.
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let inside = |folder: &Path| {
        let listed = is_folder(folder).then(|| fs::read_dir(folder).ok());
        let entries = listed.flatten().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut found = [inside(data_dir), inside(&keys), vec![data_dir.to_owned()]].concat();
    found.retain(|path| {
        let known = fs::symlink_metadata(path);
        known.is_ok_and(|it| !it.is_symlink() && it.mode() & 0o077 != 0)
    });
    found
}

/// What the parts of a data dir take, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The database file.
    pub database: u64,
    /// Its write-ahead log.
    pub log: u64,
    /// Uploaded files and images.
    pub blobs: u64,
    /// Backups.
    pub backups: u64,
}

/// Adds up what is there; what can't be read counts nothing.
pub fn sizes(data_dir: &Path) -> Sizes {
    let size = |name: &str| size_of(&data_dir.join(name));
    Sizes {
        database: size("formsvc.db"),
        log: size("formsvc.db-wal"),
        blobs: size("blobs"),
        backups: size("backups"),
    }
}

fn size_of(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(it) if it.is_dir() => fs::read_dir(path).map_or(0, |listed| {
            listed.flatten().map(|entry| size_of(&entry.path())).sum()
        }),
        Ok(it) if it.is_file() => it.len(),
        _ => 0,
    }
}

fn unusable(path: &Path, e: &std::io::Error) -> DataDirFault {
    DataDirFault::NotUsable(path.display().to_string(), e.to_string())
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    if path.is_dir() || path.is_symlink() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
