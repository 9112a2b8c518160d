//! Restores a data dir from a replica: a database that Litestream restored, and the files and the key of the service in a
//! folder or bucket, where they lie as in its data dir.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::base::backup_fault::BackupFault;
use crate::base::backup_target::BucketPath;
use crate::base::config::{MB, S3};
use crate::ops::backups::restore::RestoreDir;
use crate::ops::backups::target::{ReadSeek, store_fault};
use crate::ops::backups::{Ask, encryption, several};
use crate::outbound::bucket::{Bucket, BucketFault};
use crate::store::backups::restoring::{Unfit, Unpacked};
use crate::store::files::blobs::{Blob, file_of};

const KEY: &str = "keys/instance";
const LONGEST_KEY: u64 = 65_536;
const MISSING: &str = "there is no such file";

/// Where files and key are.
pub enum Files {
    Folder(PathBuf),
    Bucket(Box<Bucket>),
}

/// Source for restoring a data dir.
pub struct Replica {
    database: File,
    database_path: PathBuf,
    key: Zeroizing<Vec<u8>>,
    files: Files,
}

/// Result of a restore.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Contents of files that were restored.
    pub files: u64,
    /// Contents that the database names and that are missing or damaged there, by their paths.
    pub lost: Vec<String>,
}

impl Files {
    /// # Errors
    /// The settings of the store are not enough.
    pub fn bucket(place: &BucketPath, s3: &S3) -> Result<Self, BackupFault> {
        let bucket = Bucket::new(s3, place.clone());
        let bucket = bucket.map_err(|e| store_fault(place, &e))?;
        Ok(Self::Bucket(Box::new(bucket)))
    }

    fn display_path(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Bucket(bucket) => bucket.place().join(name).to_string(),
        }
    }

    /// Opens one of them. `None` if it is not there.
    fn open(&self, name: &str) -> Result<Option<Box<dyn ReadSeek>>, BackupFault> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                match open_file(&path) {
                    Ok(file) => Ok(Some(Box::new(file))),
                    Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
                    Err(e) => Err(unfit(&path, e)),
                }
            }
            Self::Bucket(bucket) => match bucket.reader(name) {
                Ok(reader) => Ok(Some(Box::new(reader))),
                Err(BucketFault::NotFound) => Ok(None),
                Err(fault) => Err(store_fault(&bucket.place().join(name), &fault)),
            },
        }
    }

    /// The fault of a failed read. `None` for a disk: a part of it that can't be read counts as damaged.
    fn fault(&self, name: &str, e: &io::Error) -> Option<BackupFault> {
        match self {
            Self::Folder(_) => None,
            Self::Bucket(_) => Some(BackupFault::Store(self.display_path(name), e.to_string())),
        }
    }

    fn key(&self, ask: Ask<'_>) -> Result<Zeroizing<Vec<u8>>, BackupFault> {
        let sealed_name = format!("{KEY}{}", encryption::SUFFIX);
        let (name, from) = match self.open(KEY)? {
            Some(plain) => (KEY, plain),
            None => match self.open(&sealed_name)? {
                Some(sealed) => (sealed_name.as_str(), sealed),
                None => {
                    return Err(BackupFault::NoReplica(self.display_path(KEY), MISSING.to_owned()));
                }
            },
        };
        let shown = self.display_path(name);
        let from = encryption::opened(&shown, from, ask)?;
        let mut key = Zeroizing::new(Vec::new());
        from.take(LONGEST_KEY).read_to_end(&mut key).map_err(|e| BackupFault::NoReplica(shown, e.to_string()))?;
        Ok(key)
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Bucket(bucket) => bucket.place().fmt(f),
        }
    }
}

impl Replica {
    /// Opens its database and reads its key.
    ///
    /// # Errors
    /// One of them is missing, or the database has a log beside it, or the passphrase of the key is another.
    pub fn open(files: Files, database: &Path, ask: Ask<'_>) -> Result<Self, BackupFault> {
        let file = open_file(database).map_err(|e| match e.kind() {
            ErrorKind::NotFound => unfit(database, MISSING),
            _ => unfit(database, e),
        })?;
        let log = PathBuf::from(format!("{}-wal", database.display()));
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            let what = "it has a log beside it, whose entries would be lost";
            return Err(unfit(database, what));
        }
        Ok(Self { database: file, database_path: database.to_owned(), key: files.key(ask)?, files })
    }

    /// Copies a content, and says whether it is what its name says. If it is not, nothing of it stays.
    fn copy(&self, blob: &Blob, unpacked: &Unpacked, show: &mut dyn FnMut(u64)) -> Result<bool, BackupFault> {
        let name = format!("blobs/{}", file_of(&blob.hash));
        let Some(from) = self.files.open(&name)? else {
            return Ok(false);
        };
        let mut from = from.take(blob.size + 1);
        let unwritable = |e: io::Error| super::unwritable(unpacked.path(), &e);
        let mut to = unpacked.blob(&blob.hash).map_err(unwritable)?;
        let mut sha = Sha256::new();
        let mut piece = vec![0; 64 << 10];
        loop {
            let read = match from.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => match self.files.fault(&name, &e) {
                    Some(fault) => return Err(fault),
                    None => break,
                },
            };
            sha.update(&piece[..read]);
            to.write_all(&piece[..read]).map_err(unwritable)?;
            show(read as u64);
        }
        if <[u8; 32]>::from(sha.finalize()) == blob.hash {
            return Ok(true);
        }
        unpacked.remove_blob(&blob.hash).map_err(unwritable)?;
        Ok(false)
    }
}

impl RestoreDir {
    /// Copies the replica, checks it and puts it in place of what is there. `show` is told the bytes done, and of how
    /// many. Contents that are missing are left out.
    ///
    /// # Errors
    /// The replica can't be used, or there is no room; nothing is changed then.
    pub fn restore_replica(
        mut self,
        replica: &mut Replica,
        show: &mut dyn FnMut(u64, u64),
    ) -> Result<Restored, BackupFault> {
        let at = self.0.path().to_owned();
        let unwritable = |e: io::Error| super::unwritable(&at, &e);
        let free = self.0.space().map_err(unwritable)?.free;
        let check_room = |needed: u64| match needed > free {
            true => {
                let at = at.display().to_string();
                Err(BackupFault::NoRoom(at, needed.div_ceil(MB), free / MB))
            }
            false => Ok(()),
        };
        let size = replica.database.metadata().map_err(|e| unfit(&replica.database_path, e))?.len();
        check_room(size)?;
        let unpacked = self.0.unpack().map_err(unwritable)?;
        let mut key = unpacked.key("instance").map_err(unwritable)?;
        key.write_all(&replica.key).map_err(unwritable)?;
        let mut database = unpacked.database().map_err(unwritable)?;
        io::copy(&mut replica.database, &mut database).map_err(unwritable)?;
        drop(database);
        let told = |it: Unfit| match it {
            Unfit::Foreign(what) => unfit(&replica.database_path, what),
            Unfit::Newer(what) => BackupFault::Newer(display_path(&replica.database_path), what),
            Unfit::Damaged(what) => BackupFault::Damaged(display_path(&replica.database_path), what),
            Unfit::Failed(what) => super::unwritable(&at, &io::Error::other(what)),
        };
        let checked = unpacked.check().map_err(told)?;
        let blobs = checked.blobs().map_err(told)?;
        let all = size + blobs.iter().map(|blob| blob.size).sum::<u64>();
        check_room(all)?;
        let mut restored = Restored::default();
        let copy_one = |blob: &Blob, show: &mut dyn FnMut(u64)| Ok((blob.hash, replica.copy(blob, &unpacked, show)?));
        several::each(
            &blobs,
            copy_one,
            &mut |read| show((size + read).min(all), all),
            |(hash, is_whole)| match is_whole {
                true => restored.files += 1,
                false => restored.lost.push(format!("blobs/{}", file_of(&hash))),
            },
        )?;
        restored.lost.sort();
        unpacked.prepare(checked).map_err(told)?;
        unpacked.put_in_place().map_err(unwritable)?;
        Ok(restored)
    }
}

/// Opens a file, for which a pipe is none: it would be waited for.
fn open_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is not a file")),
    }
}

fn unfit(path: &Path, what: impl fmt::Display) -> BackupFault {
    BackupFault::NoReplica(display_path(path), what.to_string())
}

fn display_path(path: &Path) -> String {
    path.display().to_string()
}
