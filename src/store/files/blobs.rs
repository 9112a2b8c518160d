//! Contents of files, stored by their SHA-256: hashed while they are written to a temporary file in `tmp/`, then
//! renamed into `blobs/`. The row of a blob is added after its file and removed before it. The database counts the
//! references to each blob, in the transaction that changes them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::params;
use rustix::fs::{Advice, FlockOperation, OFlags, fadvise, flock};
use sha2::{Digest as _, Sha256};

use crate::base::error::{DataDirFault, Error, Result};
use crate::base::id;
use crate::store::db::data_dir::DataDir;
use crate::store::db::dir_handle::DirHandle;
use crate::store::db::disk::{self, DiskSpace};
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;

/// The prefix of temporary files in `tmp/`.
const TEMPORARY: &str = "blob-";
/// The lock file, locked shared to place a file and its row, and exclusively to remove files. It is locked across
/// processes.
const LOCK: &str = "lock";

/// Write-back to disk is started each time this many bytes have been written.
const WRITE_BACK_BYTES: u64 = 8 << 20;

/// The SHA-256 of a blob.
pub type Hash = [u8; 32];

/// A stored content.
#[derive(Clone, Copy, Debug)]
pub struct Blob {
    pub hash: Hash,
    /// In bytes.
    pub size: u64,
}

/// The blob directory.
pub struct Blobs {
    blobs: DirHandle,
    tmp: Arc<DirHandle>,
    next: AtomicU64,
    /// The directories in `blobs/` that are known to be synced to disk.
    folders: Mutex<HashSet<String>>,
}

/// A file in `tmp/`, removed on drop unless it was placed.
struct TemporaryFile {
    tmp: Arc<DirHandle>,
    name: String,
    is_placed: bool,
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.is_placed
            && let Err(e) = self.tmp.remove(&self.name)
        {
            tracing::warn!("a file that was written aside is left: {e}");
        }
    }
}

/// Writes a blob to a temporary file, which is removed on drop.
pub struct BlobWriter {
    file: File,
    temporary: TemporaryFile,
    sha: Sha256,
    size: u64,
    /// The offset up to which write-back was started.
    written_back: u64,
}

impl BlobWriter {
    /// # Errors
    /// 503 if the disk is full or fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| disk::sync_error(&e))?;
        self.sha.update(bytes);
        self.size += bytes.len() as u64;
        if self.size - self.written_back >= WRITE_BACK_BYTES {
            self.start_write_back();
        }
        Ok(())
    }

    /// Syncs the file to disk.
    ///
    /// # Errors
    /// 503 if the disk is full or fails.
    pub fn finish(self) -> Result<WrittenBlob> {
        self.file.sync_all().map_err(|e| disk::sync_error(&e))?;
        Ok(WrittenBlob { temporary: self.temporary, blob: Blob { hash: self.sha.finalize().into(), size: self.size } })
    }

    /// Starts writing the new bytes to disk, so that the final sync is short. It is a hint: if it fails, nothing is
    /// lost.
    fn start_write_back(&mut self) {
        let length = NonZeroU64::new(self.size - self.written_back);
        let _ = fadvise(&self.file, self.written_back, length, Advice::DontNeed);
        self.written_back = self.size;
    }

    /// The number of bytes written so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hash of the bytes written so far.
    pub fn hash(&self) -> Hash {
        self.sha.clone().finalize().into()
    }

    /// Opens the temporary file for reading from its beginning.
    pub fn reread(&self) -> Result<File> {
        let temporary = &self.temporary;
        temporary.tmp.read(&temporary.name).map_err(Error::internal)
    }
}

/// A complete temporary file that is synced to disk; removed on drop unless it was placed.
pub struct WrittenBlob {
    temporary: TemporaryFile,
    blob: Blob,
}

impl WrittenBlob {
    pub fn blob(&self) -> Blob {
        self.blob
    }
}

/// A lock on the blob directory, held until it is dropped.
pub struct BlobLock(#[expect(dead_code, reason = "closing it ends the lock")] File);

impl Blobs {
    pub fn new(dir: &DataDir) -> Result<Self, DataDirFault> {
        Ok(Self {
            blobs: dir.subdir("blobs")?,
            tmp: Arc::new(dir.subdir("tmp")?),
            next: AtomicU64::new(0),
            folders: Mutex::default(),
        })
    }

    /// Removes temporary files that an interrupted process left behind.
    pub fn remove_temporary_files(&self) -> io::Result<()> {
        let mut names = self.tmp.names()?;
        names.retain(|name| name.starts_with(TEMPORARY));
        names.iter().try_for_each(|name| self.tmp.remove(name))
    }

    pub fn disk_space(&self) -> Result<DiskSpace> {
        disk::space(&self.blobs).map_err(Error::internal)
    }

    /// Creates a temporary file for a new blob.
    ///
    /// # Errors
    /// 503 if the disk is full.
    pub fn create(&self) -> Result<BlobWriter> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMPORARY}{number}-{}", id::random(12));
        let file = self.tmp.write(&name, OFlags::EXCL);
        Ok(BlobWriter {
            file: file.map_err(|e| disk::write_error(&e))?,
            temporary: TemporaryFile { tmp: Arc::clone(&self.tmp), name, is_placed: false },
            sha: Sha256::new(),
            size: 0,
            written_back: 0,
        })
    }

    /// Moves a file to its place. A file with the same hash is replaced, which repairs a damaged one; its open readers
    /// are not affected.
    ///
    /// # Errors
    /// 503 if the disk is full or fails.
    pub(in crate::store) fn place(&self, mut written: WrittenBlob) -> Result<Blob> {
        let name = hex(&written.blob.hash);
        let folder = self.blobs.create_subdir(folder_of(&name));
        let folder = folder.map_err(|e| disk::write_error(&e))?;
        let rename = || -> io::Result<()> {
            self.sync_parent_of(folder_of(&name))?;
            self.tmp.rename(&written.temporary.name, &folder, &name)?;
            folder.sync()
        };
        rename().map_err(|e| disk::sync_error(&e))?;
        written.temporary.is_placed = true;
        Ok(written.blob)
    }

    /// Makes sure that the name of a subdirectory is on disk, whichever process created it.
    fn sync_parent_of(&self, name: &str) -> io::Result<()> {
        let mut synced = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !synced.contains(name) {
            self.blobs.sync()?;
            synced.insert(name.to_owned());
        }
        Ok(())
    }

    /// Opens a blob for reading; an internal error if the file is missing.
    pub fn read(&self, hash: &Hash) -> Result<File> {
        let name = hex(hash);
        let folder = self.blobs.subdir(folder_of(&name));
        let file = folder.and_then(|folder| folder.read(&name));
        file.map_err(|e| Error::internal(format!("{name}: {e}")))
    }

    pub(in crate::store) fn lock_shared(&self) -> Result<BlobLock> {
        self.lock(FlockOperation::LockShared)
    }

    pub(in crate::store) fn lock_exclusive(&self) -> Result<BlobLock> {
        self.lock(FlockOperation::LockExclusive)
    }

    fn lock(&self, operation: FlockOperation) -> Result<BlobLock> {
        let file = self.blobs.write(LOCK, OFlags::empty());
        let file = file.map_err(|e| disk::write_error(&e))?;
        flock(&file, operation).map_err(Error::internal)?;
        Ok(BlobLock(file))
    }

    pub(in crate::store) fn remove(&self, hash: &Hash) -> Result<()> {
        let name = hex(hash);
        let folder = self.blobs.subdir(folder_of(&name));
        match folder.and_then(|folder| folder.remove(&name)) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::internal(e)),
            _ => Ok(()),
        }
    }

    /// The names in `blobs/`, most of which are directories of blobs.
    pub(in crate::store) fn folders(&self) -> Result<Vec<String>> {
        self.blobs.names().map_err(Error::internal)
    }

    /// The blobs in such a directory. Other names are skipped; a name that is not a directory has none.
    pub(in crate::store) fn hashes_in(&self, folder: &str) -> Result<Vec<Hash>> {
        let Ok(folder) = self.blobs.subdir(folder) else {
            return Ok(Vec::new());
        };
        let names = folder.names().map_err(Error::internal)?;
        Ok(names.iter().filter_map(|name| unhex(name)).collect())
    }
}

/// `blobs/3f/3f…` keeps directories small enough to be listed at once.
pub fn folder_of(name: &str) -> &str {
    &name[..2]
}

/// The path of a content below `blobs/`.
pub fn file_of(hash: &Hash) -> String {
    let name = hex(hash);
    format!("{}/{name}", folder_of(&name))
}

/// Lower-case hexadecimal.
pub fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() != 64 || !text.bytes().all(is_hex) {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

/// Adds the row of a blob, if it has none.
pub(in crate::store) fn insert(tx: &Tx, blob: &Blob) -> Result<()> {
    tx.run(
        "INSERT INTO blobs (hash, size) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![blob.hash, blob.size.cast_signed()],
    )?;
    Ok(())
}

/// Removes the rows of up to `limit` unreferenced blobs and returns them.
pub(in crate::store) fn forget_idle(tx: &Tx, limit: usize) -> Result<Vec<Hash>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "DELETE FROM blobs WHERE hash IN (SELECT hash FROM blobs WHERE refs = 0 LIMIT ?1) \
             RETURNING hash",
        [limit],
        |row| row.get(0),
    )
}

/// The hashes that have no row.
pub(in crate::store) fn without_row(tx: &Tx, hashes: Vec<Hash>) -> Result<Vec<Hash>> {
    let mut select =
        tx.connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM blobs WHERE hash = ?1)").map_err(internal)?;
    let mut out = Vec::new();
    for hash in hashes {
        let is_known: bool = select.query_row([hash], |row| row.get(0)).map_err(internal)?;
        if !is_known {
            out.push(hash);
        }
    }
    Ok(out)
}

/// Number and bytes of all blobs. Reads all of them.
pub fn total(tx: &Tx) -> Result<(u64, u64)> {
    tx.one("SELECT count(*), coalesce(sum(size), 0) FROM blobs", [], |row| {
        let (count, size): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok((count.cast_unsigned(), size.cast_unsigned()))
    })
}

/// Up to `limit` blobs in the order of their hashes, starting after `after`.
pub fn page(tx: &Tx, after: Option<Hash>, limit: usize) -> Result<Vec<Blob>> {
    let after = after.map_or(Vec::new(), |hash| hash.to_vec());
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all("SELECT hash, size FROM blobs WHERE hash > ?1 ORDER BY hash LIMIT ?2", params![after, limit], |row| {
        Ok(Blob { hash: row.get(0)?, size: row.get::<_, i64>(1)?.cast_unsigned() })
    })
}

/// Whether a blob has a row.
pub fn is_known(tx: &Tx, hash: &Hash) -> Result<bool> {
    Ok(without_row(tx, vec![*hash])?.is_empty())
}

/// The blobs whose reference count is wrong.
pub fn miscounted(tx: &Tx) -> Result<Vec<Hash>> {
    tx.all(
        "SELECT hash FROM blobs AS b WHERE refs <> \
             (SELECT count(*) FROM files WHERE hash = b.hash) \
             + (SELECT count(*) FROM uploads WHERE hash = b.hash) \
             + (SELECT count(*) FROM images WHERE hash = b.hash) \
             + (SELECT count(*) FROM image_variants WHERE hash = b.hash)",
        [],
        |row| row.get(0),
    )
}

/// Recounts the references to a blob.
pub fn recount(tx: &Tx, hash: &Hash) -> Result<()> {
    tx.run(
        "UPDATE blobs SET refs = (SELECT count(*) FROM files WHERE hash = ?1) \
             + (SELECT count(*) FROM uploads WHERE hash = ?1) \
             + (SELECT count(*) FROM images WHERE hash = ?1) \
             + (SELECT count(*) FROM image_variants WHERE hash = ?1) WHERE hash = ?1",
        [hash],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_contents_read_back() {
        let hash: Hash = std::array::from_fn(|i| u8::try_from(i * 7).unwrap_or(0xff));
        assert_eq!(unhex(&hex(&hash)), Some(hash));
        for odd in ["", "lock", "ZZ", &"A".repeat(64), &"é".repeat(32), &"0".repeat(65)] {
            assert_eq!(unhex(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_file_is_placed_whole_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        let blobs = Blobs::new(&DataDir::create(dir.path()).expect("a data dir")).expect("folders");
        let aside = || blobs.tmp.names().expect("a folder").len();
        let mut writing = blobs.create().expect("a file");
        writing.write(b"abc").expect("room");
        drop(writing);
        assert_eq!(aside(), 0);
        for _ in 0..2 {
            let mut writing = blobs.create().expect("a file");
            writing.write(b"ab").expect("room");
            writing.write(b"c").expect("room");
            let blob = blobs.place(writing.finish().expect("on the disk")).expect("placed");
            assert_eq!(
                (hex(&blob.hash).as_str(), blob.size),
                ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3)
            );
            let text = io::read_to_string(blobs.read(&blob.hash).expect("there")).expect("text");
            assert_eq!((text.as_str(), aside()), ("abc", 0));
        }
        std::fs::write(dir.path().join("tmp").join("blob-1-left"), "x").expect("written");
        blobs.remove_temporary_files().expect("cleared");
        assert_eq!(aside(), 0);
    }
}
