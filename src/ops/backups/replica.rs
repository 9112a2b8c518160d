//! Restores a data dir from a replica: a database that Litestream restored, and a folder with the files and keys of the
//! service, as they lie in its data dir.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::base::backup_fault::BackupFault;
use crate::ops::backups::restore::Place;
use crate::ops::disk_space::MB;
use crate::store::blobs::{Blob, file_of};
use crate::store::restoring::{Unfit, Unpacked};

const DATABASE: &str = "formsvc.db";
const KEY: &str = "keys/instance";
const LONGEST_KEY: u64 = 65_536;

/// What a data dir is restored from.
pub struct Replica {
    database: File,
    database_path: PathBuf,
    key: Zeroizing<Vec<u8>>,
    folder: PathBuf,
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Contents of files that were restored.
    pub files: u64,
    /// Contents that the database names and that are missing in the folder or damaged there, by their paths in it.
    pub lost: Vec<String>,
}

impl Replica {
    /// Opens its database, which lies in the folder unless another one is named, and reads its key.
    ///
    /// # Errors
    /// One of them is missing, or the database has a log beside it.
    pub fn open(folder: &Path, database: Option<&Path>) -> Result<Self, BackupFault> {
        let database_path = database.map_or_else(|| folder.join(DATABASE), Path::to_owned);
        let database = open_file(&database_path)?;
        let log = PathBuf::from(format!("{}-wal", database_path.display()));
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            let what = "it has a log beside it, whose entries would be lost";
            return Err(unfit(&database_path, what));
        }
        let path = folder.join(KEY);
        let mut key = Zeroizing::new(Vec::new());
        open_file(&path)?
            .take(LONGEST_KEY)
            .read_to_end(&mut key)
            .map_err(|e| unfit(&path, e))?;
        Ok(Self {
            database,
            database_path,
            key,
            folder: folder.to_owned(),
        })
    }

    /// Copies a content, and says whether it is what its name says. If it is not, nothing of it stays.
    fn copy(
        &self,
        blob: &Blob,
        unpacked: &Unpacked,
        show: &mut dyn FnMut(u64),
    ) -> Result<bool, BackupFault> {
        let path = self.folder.join("blobs").join(file_of(&blob.hash));
        let mut from = match File::open(&path) {
            Ok(file) if file.metadata().is_ok_and(|it| it.is_file()) => file.take(blob.size + 1),
            Ok(_) => return Ok(false),
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(unfit(&path, e)),
        };
        let unwritable = |e: io::Error| super::unwritable(unpacked.path(), &e);
        let mut to = unpacked.blob(&blob.hash).map_err(unwritable)?;
        let mut sha = Sha256::new();
        let mut piece = vec![0; 64 << 10];
        loop {
            let read = match from.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                // A part of a disk that can't be read is as good as damaged.
                Err(_) => break,
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

impl Place {
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
        let size = replica
            .database
            .metadata()
            .map_err(|e| unfit(&replica.database_path, e))?
            .len();
        check_room(size)?;
        let unpacked = self.0.unpack().map_err(unwritable)?;
        let mut key = unpacked.key("instance").map_err(unwritable)?;
        key.write_all(&replica.key).map_err(unwritable)?;
        let mut database = unpacked.database().map_err(unwritable)?;
        io::copy(&mut replica.database, &mut database).map_err(unwritable)?;
        drop(database);
        let told = |it: Unfit| match it {
            Unfit::Foreign(what) => unfit(&replica.database_path, what),
            Unfit::Newer(what) => BackupFault::Newer(shown(&replica.database_path), what),
            Unfit::Damaged(what) => BackupFault::Damaged(shown(&replica.database_path), what),
            Unfit::Failed(what) => super::unwritable(&at, &io::Error::other(what)),
        };
        let checked = unpacked.check().map_err(told)?;
        let blobs = checked.blobs().map_err(told)?;
        let all = size + blobs.iter().map(|blob| blob.size).sum::<u64>();
        check_room(all)?;
        let mut restored = Restored::default();
        let mut done = size;
        for blob in &blobs {
            let is_whole = replica.copy(blob, &unpacked, &mut |read| {
                done += read;
                show(done.min(all), all);
            })?;
            match is_whole {
                true => restored.files += 1,
                false => restored.lost.push(format!("blobs/{}", file_of(&blob.hash))),
            }
        }
        unpacked
            .prepare(checked, restored.lost.len() as u64)
            .map_err(told)?;
        unpacked.put_in_place().map_err(unwritable)?;
        Ok(restored)
    }
}

/// Opens a file, for which a pipe is none: it would be waited for.
fn open_file(path: &Path) -> Result<File, BackupFault> {
    let file = fs::metadata(path).and_then(|it| match it.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is no file")),
    });
    file.map_err(|e| match e.kind() {
        ErrorKind::NotFound => unfit(path, "there is no such file"),
        _ => unfit(path, e),
    })
}

fn unfit(path: &Path, what: impl std::fmt::Display) -> BackupFault {
    BackupFault::NoReplica(shown(path), what.to_string())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
