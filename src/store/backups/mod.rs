//! Sources of a backup: one state of the database, the keys that belong to it, and the contents that it names.
//!
//! A backup takes its lock before reading that state and keeps it to the end. A process that removes contents checks
//! the lock first (S65).

pub mod files;
pub(in crate::store) mod finish_restore;
pub mod restoring;
pub mod snapshots;

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{FlockOperation, OFlags, flock};
use zeroize::Zeroizing;

use crate::base::error::{Error, Result};
use crate::base::id;
use crate::store::Store;
use crate::store::db::dir_handle::DirHandle;
use crate::store::db::rows::internal;
use crate::store::db::{connection, disk, schema};
use crate::store::files::blobs::Blob;

/// Held shared by backups, and exclusively by who removes contents or leftovers.
const LOCK: &str = "lock";
/// Held shared by backups, and exclusively by a process that removes contents or leftovers.
const COPY: &str = "backup-";
const PAGES_AT_ONCE: i32 = 1024;
const BUSY_WAIT: Duration = Duration::from_millis(20);
const LONGEST_KEY: u64 = 65_536;

/// The lock of backups, held until it is dropped.
pub(in crate::store) struct BackupLock(#[expect(dead_code, reason = "closing it ends the lock")] File);

/// One state of the data dir.
pub struct Source {
    /// Sees that state until the database is copied.
    connection: Option<Connection>,
    tmp: DirHandle,
    tmp_path: PathBuf,
    /// Files of `keys/` by name.
    pub keys: Vec<(String, Zeroizing<Vec<u8>>)>,
    /// All contents, in the order of their hashes.
    pub blobs: Vec<Blob>,
    /// The version of the database.
    pub schema: i64,
    /// The size of the database.
    pub database_bytes: u64,
    _lock: BackupLock,
}

/// The data copied beside a replica of the database.
pub struct SyncSource {
    pub instance_key: Zeroizing<Vec<u8>>,
    /// All contents, in the order of their hashes.
    pub blobs: Vec<Blob>,
}

impl Store {
    /// The contents that the database names now, and the key of the service. Nothing locks them: contents removed
    /// meanwhile are missing when they are read.
    pub fn sync_source(&self) -> Result<SyncSource> {
        let reader = connection::open_reader(&self.shared.file).map_err(internal)?;
        let keys = self.key_files().all()?;
        let key = keys.into_iter().find(|(name, _)| name == "instance");
        let (_, instance_key) = key.ok_or_else(|| Error::internal("keys/instance is missing"))?;
        Ok(SyncSource { instance_key, blobs: all_blobs(&reader).map_err(internal)? })
    }

    /// Begins a backup.
    ///
    /// # Errors
    /// 503 if the data dir can't be written.
    pub fn backup_source(&self) -> Result<Source> {
        let lock = self.lock_for_backup()?;
        let dir = &self.shared.dir;
        let reader = connection::open_reader(&self.shared.file).map_err(internal)?;
        let key_files = self.key_files();
        // In a job of the writer: no key is exchanged between the state of the database and the reading of the keys.
        let (reader, keys) = self.write(move |_| {
            reader.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").map_err(internal)?;
            Ok((reader, key_files.all()?))
        })?;
        let schema = schema::last_applied(&reader).map_err(internal)?;
        let pages = |name| reader.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let bytes = pages("page_count").and_then(|count| Ok(count * pages("page_size")?));
        Ok(Source {
            blobs: all_blobs(&reader).map_err(internal)?,
            schema: schema.unwrap_or_default(),
            database_bytes: bytes.map_err(internal)?.cast_unsigned(),
            connection: Some(reader),
            tmp: dir.subdir("tmp").map_err(Error::internal)?,
            tmp_path: dir.path().join("tmp"),
            keys,
            _lock: lock,
        })
    }

    /// Waits while contents are being removed. Leftovers of interrupted backups are removed first.
    fn lock_for_backup(&self) -> Result<BackupLock> {
        let (folder, file) = self.backup_lock_file()?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            self.remove_leftovers(&folder)?;
        }
        flock(&file, FlockOperation::LockShared).map_err(Error::internal)?;
        Ok(BackupLock(file))
    }

    /// A lock that keeps backups from beginning. `None` if one runs.
    pub(in crate::store) fn lock_out_backups(&self) -> Result<Option<BackupLock>> {
        let (_, file) = self.backup_lock_file()?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(BackupLock(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(e) => Err(Error::internal(e)),
        }
    }

    /// Removes leftovers of interrupted backups, unless a backup runs.
    pub(in crate::store) fn remove_backup_leftovers(&self) -> Result<()> {
        let Some(_lock) = self.lock_out_backups()? else {
            return Ok(());
        };
        let (folder, _) = self.backup_lock_file()?;
        self.remove_leftovers(&folder)
    }

    fn remove_leftovers(&self, folder: &DirHandle) -> Result<()> {
        let tmp = self.shared.dir.subdir("tmp").map_err(Error::internal)?;
        let mut copies = tmp.names().map_err(Error::internal)?;
        copies.retain(|name| name.starts_with(COPY));
        let removed = copies.iter().try_for_each(|name| tmp.remove(name));
        removed.and_then(|()| files::remove_parts(folder)).map_err(Error::internal)
    }

    fn backup_lock_file(&self) -> Result<(DirHandle, File)> {
        let folder = self.shared.dir.subdir("backups").map_err(Error::internal)?;
        let file = folder.write(LOCK, OFlags::empty());
        Ok((folder, file.map_err(|e| disk::write_error(&e))?))
    }
}

/// The contents that a database names, in the order of their hashes.
pub(in crate::store) fn all_blobs(connection: &Connection) -> rusqlite::Result<Vec<Blob>> {
    let mut select = connection.prepare("SELECT hash, size FROM blobs ORDER BY hash")?;
    let blobs =
        select.query_map([], |row| Ok(Blob { hash: row.get(0)?, size: row.get::<_, i64>(1)?.cast_unsigned() }))?;
    blobs.collect()
}

impl Source {
    /// Copies the database; `show` is told the bytes done so far, and returns whether to go on. Writers go on
    /// meanwhile. The copy no longer has a name: it is removed with its handle.
    ///
    /// # Errors
    /// 503 if the disk is full.
    pub fn copy_database(&mut self, show: &mut dyn FnMut(u64) -> bool) -> Result<File> {
        let name = format!("{COPY}{}", id::random(12));
        let file = self.tmp.write(&name, OFlags::EXCL);
        let file = file.map_err(|e| disk::write_error(&e))?;
        let copied = self.copy_to(&self.tmp_path.join(&name), show);
        self.connection = None;
        self.tmp.remove(&name).map_err(Error::internal)?;
        copied?;
        self.database_bytes = file.metadata().map_err(Error::internal)?.size();
        Ok(file)
    }

    fn copy_to(&self, path: &std::path::Path, show: &mut dyn FnMut(u64) -> bool) -> Result<()> {
        let Some(from) = &self.connection else {
            return Err(Error::internal("the database was copied before"));
        };
        let mut copy = || -> rusqlite::Result<()> {
            let mut to =
                Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
            // After a crash the copy is thrown away.
            to.pragma_update(None, "journal_mode", "OFF")?;
            to.pragma_update(None, "synchronous", "OFF")?;
            let backup = Backup::new(from, &mut to)?;
            loop {
                match backup.step(PAGES_AT_ONCE)? {
                    StepResult::Done => return Ok(()),
                    StepResult::More => {
                        let at = backup.progress();
                        let (done, all) = (at.pagecount - at.remaining, at.pagecount.max(1));
                        let done = u64::try_from(done).unwrap_or_default();
                        if !show(done * self.database_bytes / u64::try_from(all).unwrap_or(1)) {
                            return Err(rusqlite::Error::SqliteFailure(
                                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT),
                                None,
                            ));
                        }
                    }
                    _ => std::thread::sleep(BUSY_WAIT),
                }
            }
        };
        copy().map_err(|e| match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Error::Busy("the disk is full", 30),
            Some(rusqlite::ErrorCode::OperationInterrupted) => Error::Busy("the service is stopping", 5),
            _ => internal(e),
        })
    }
}

impl crate::store::oauth::signing_keys::KeyFiles {
    /// All keys by name, the instance key too.
    fn all(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let folder = self.folder();
        let read = |name: &String| {
            let mut bytes = Zeroizing::new(Vec::new());
            folder.read(name)?.take(LONGEST_KEY).read_to_end(&mut bytes)?;
            Ok((name.clone(), bytes))
        };
        let mut names = folder.names().map_err(Error::internal)?;
        // A key that is being written has a longer name.
        names.retain(|name| name == "instance" || name.starts_with("signing-") && !name.ends_with(".new"));
        names.sort();
        let keys: std::io::Result<Vec<_>> = names.iter().map(read).collect();
        keys.map_err(Error::internal)
    }
}
