//! The bytes of files, by their SHA-256: written aside in `tmp/`, hashed on the way, then renamed into
//! `blobs/`. A content has its row after its file and loses it before. Which rows name a content, and how many,
//! is counted in the database, in the transaction of what names it.

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
use crate::store::data_dir::DataDir;
use crate::store::disk::{self, Room};
use crate::store::folder::Folder;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// Files that are on their way are called so in `tmp/`.
const ASIDE: &str = "blob-";
/// Whoever places a file and its row shares this lock; who removes files holds it alone. Other processes
/// respect it too.
const LOCK: &str = "lock";

/// The disk is asked to begin whenever so much more is there.
const SEND_OFF: u64 = 8 << 20;

/// SHA-256 of a content.
pub type Hash = [u8; 32];

/// A content whose file is in its place.
#[derive(Clone, Copy, Debug)]
pub struct Blob {
    /// Names it.
    pub hash: Hash,
    /// How many bytes.
    pub size: u64,
}

/// Where contents lie.
pub struct Blobs {
    blobs: Folder,
    tmp: Arc<Folder>,
    next: AtomicU64,
    /// The folders in `blobs/` that are known to outlive a loss of power.
    folders: Mutex<HashSet<String>>,
}

/// The name of a file in `tmp/`, which is removed on drop unless it was placed.
struct Aside {
    tmp: Arc<Folder>,
    name: String,
    is_placed: bool,
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.is_placed
            && let Err(e) = self.tmp.remove(&self.name)
        {
            tracing::warn!("a file that was written aside is left: {e}");
        }
    }
}

/// A file on its way; removed on drop unless it was placed.
pub struct Writing {
    file: File,
    aside: Aside,
    sha: Sha256,
    size: u64,
    /// Up to where the disk was asked to begin.
    sent_off: u64,
}

impl Writing {
    /// Adds bytes.
    ///
    /// # Errors
    /// 503 when the disk is full or fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|e| disk::failed_sync(&e))?;
        self.sha.update(bytes);
        self.size += bytes.len() as u64;
        if self.size - self.sent_off >= SEND_OFF {
            self.send_off();
        }
        Ok(())
    }

    /// Ends it: all of it is on the disk then.
    ///
    /// # Errors
    /// 503 when the disk is full or fails.
    pub fn end(self) -> Result<Written> {
        self.file.sync_all().map_err(|e| disk::failed_sync(&e))?;
        Ok(Written {
            aside: self.aside,
            blob: Blob {
                hash: self.sha.finalize().into(),
                size: self.size,
            },
        })
    }

    /// Lets the disk begin with what it has not begun with, so that little is left when all must be there. A hint:
    /// where it is not taken, nothing is lost.
    fn send_off(&mut self) {
        let length = NonZeroU64::new(self.size - self.sent_off);
        let _ = fadvise(&self.file, self.sent_off, length, Advice::DontNeed);
        self.sent_off = self.size;
    }

    /// How many bytes there are so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hash of the bytes so far.
    pub fn hash(&self) -> Hash {
        self.sha.clone().finalize().into()
    }

    /// The file, to be read from its beginning.
    pub fn reread(&self) -> Result<File> {
        self.aside
            .tmp
            .read(&self.aside.name)
            .map_err(Error::internal)
    }
}

/// A file that is on the disk whole, aside; removed on drop unless it was placed.
pub struct Written {
    aside: Aside,
    blob: Blob,
}

impl Written {
    /// Its content.
    pub fn blob(&self) -> Blob {
        self.blob
    }
}

/// The lock, held until it is dropped.
pub struct Held(#[expect(dead_code, reason = "closing it ends the lock")] File);

impl Blobs {
    /// In a data dir.
    ///
    /// # Errors
    /// A folder can't be opened.
    pub fn new(dir: &DataDir) -> Result<Self, DataDirFault> {
        Ok(Self {
            blobs: dir.folder("blobs")?,
            tmp: Arc::new(dir.folder("tmp")?),
            next: AtomicU64::new(0),
            folders: Mutex::default(),
        })
    }

    /// Removes what a process left aside that ended in the middle.
    ///
    /// # Errors
    /// The folder can't be read or written.
    pub fn clear_aside(&self) -> io::Result<()> {
        let mut names = self.tmp.names()?;
        names.retain(|name| name.starts_with(ASIDE));
        names.iter().try_for_each(|name| self.tmp.remove(name))
    }

    /// The room that the disk has.
    pub fn room(&self) -> Result<Room> {
        disk::room(&self.blobs).map_err(Error::internal)
    }

    /// A new file aside.
    ///
    /// # Errors
    /// 503 when the disk is full.
    pub fn begin(&self) -> Result<Writing> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = format!("{ASIDE}{number}-{}", id::random(12));
        let file = self.tmp.write(&name, OFlags::EXCL);
        Ok(Writing {
            file: file.map_err(|e| disk::refusal(&e))?,
            aside: Aside {
                tmp: Arc::clone(&self.tmp),
                name,
                is_placed: false,
            },
            sha: Sha256::new(),
            size: 0,
            sent_off: 0,
        })
    }

    /// Brings a file into its place. One of the same content is replaced: who reads it goes
    /// on reading, and one that was damaged is whole again.
    ///
    /// # Errors
    /// 503 when the disk is full or fails.
    pub(in crate::store) fn place(&self, mut written: Written) -> Result<Blob> {
        let name = hex(&written.blob.hash);
        let folder = self.blobs.make(folder_of(&name));
        let folder = folder.map_err(|e| disk::refusal(&e))?;
        let placed = || -> io::Result<()> {
            self.keep_folder(folder_of(&name))?;
            self.tmp.rename(&written.aside.name, &folder, &name)?;
            folder.sync()
        };
        placed().map_err(|e| disk::failed_sync(&e))?;
        written.aside.is_placed = true;
        Ok(written.blob)
    }

    /// Brings the name of a folder of contents onto the disk, whoever made it.
    fn keep_folder(&self, name: &str) -> io::Result<()> {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(name) {
            self.blobs.sync()?;
            known.insert(name.to_owned());
        }
        Ok(())
    }

    /// A content, to be read.
    ///
    /// # Errors
    /// Internal, when the file is missing.
    pub fn read(&self, hash: &Hash) -> Result<File> {
        let name = hex(hash);
        let folder = self.blobs.folder(folder_of(&name));
        let file = folder.and_then(|folder| folder.read(&name));
        file.map_err(|e| Error::internal(format!("{name}: {e}")))
    }

    pub(in crate::store) fn share(&self) -> Result<Held> {
        self.lock(FlockOperation::LockShared)
    }

    pub(in crate::store) fn alone(&self) -> Result<Held> {
        self.lock(FlockOperation::LockExclusive)
    }

    fn lock(&self, operation: FlockOperation) -> Result<Held> {
        let file = self.blobs.write(LOCK, OFlags::empty());
        let file = file.map_err(|e| disk::refusal(&e))?;
        flock(&file, operation).map_err(Error::internal)?;
        Ok(Held(file))
    }

    pub(in crate::store) fn remove(&self, hash: &Hash) -> Result<()> {
        let name = hex(hash);
        let folder = self.blobs.folder(folder_of(&name));
        match folder.and_then(|folder| folder.remove(&name)) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::internal(e)),
            _ => Ok(()),
        }
    }

    /// The folders that contents may lie in.
    pub(in crate::store) fn folders(&self) -> Result<Vec<String>> {
        self.blobs.names().map_err(Error::internal)
    }

    /// The contents in such a folder; what has another name is none, and what is no folder has none.
    pub(in crate::store) fn hashes_in(&self, folder: &str) -> Result<Vec<Hash>> {
        let Ok(folder) = self.blobs.folder(folder) else {
            return Ok(Vec::new());
        };
        let found = folder.names().map_err(Error::internal)?;
        Ok(found.iter().filter_map(|name| unhex(name)).collect())
    }
}

/// `blobs/3f/3f…`: few enough in one folder to list it at once.
fn folder_of(name: &str) -> &str {
    &name[..2]
}

/// Lower-case hexadecimal.
pub fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Hash> {
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

/// Gives a content its row, if it has none.
pub(in crate::store) fn insert(tx: &Tx, blob: &Blob) -> Result<()> {
    tx.run(
        "INSERT INTO blobs (hash, size) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![blob.hash, blob.size.cast_signed()],
    )?;
    Ok(())
}

/// Takes the rows of up to `limit` contents away that nothing names.
pub(in crate::store) fn forget_idle(tx: &Tx, limit: usize) -> Result<Vec<Hash>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "DELETE FROM blobs WHERE hash IN (SELECT hash FROM blobs WHERE refs = 0 LIMIT ?1) \
             RETURNING hash",
        [limit],
        |row| row.get(0),
    )
}

/// Those of these contents that have no row.
pub(in crate::store) fn unknown(tx: &Tx, found: Vec<Hash>) -> Result<Vec<Hash>> {
    let mut select = tx
        .connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM blobs WHERE hash = ?1)")
        .map_err(internal)?;
    let mut out = Vec::new();
    for hash in found {
        let is_known: bool = select
            .query_row([hash], |row| row.get(0))
            .map_err(internal)?;
        if !is_known {
            out.push(hash);
        }
    }
    Ok(out)
}

/// Contents in the order of their hashes, from behind one on, at most `limit`.
pub fn page(tx: &Tx, behind: Option<Hash>, limit: usize) -> Result<Vec<Blob>> {
    let behind = behind.map_or(Vec::new(), |hash| hash.to_vec());
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(
        "SELECT hash, size FROM blobs WHERE hash > ?1 ORDER BY hash LIMIT ?2",
        params![behind, limit],
        |row| {
            Ok(Blob {
                hash: row.get(0)?,
                size: row.get::<_, i64>(1)?.cast_unsigned(),
            })
        },
    )
}

/// Whether a content has a row.
pub fn is_known(tx: &Tx, hash: &Hash) -> Result<bool> {
    Ok(unknown(tx, vec![*hash])?.is_empty())
}

/// The contents that are named by another number of rows than is counted.
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

/// Counts the rows that name a content again.
pub fn count_again(tx: &Tx, hash: &Hash) -> Result<()> {
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
        for odd in [
            "",
            "lock",
            "ZZ",
            &"A".repeat(64),
            &"é".repeat(32),
            &"0".repeat(65),
        ] {
            assert_eq!(unhex(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_file_is_placed_whole_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        let blobs = Blobs::new(&DataDir::create(dir.path()).expect("a data dir")).expect("folders");
        let aside = || blobs.tmp.names().expect("a folder").len();
        let mut writing = blobs.begin().expect("a file");
        writing.write(b"abc").expect("room");
        drop(writing);
        assert_eq!(aside(), 0);
        for _ in 0..2 {
            let mut writing = blobs.begin().expect("a file");
            writing.write(b"ab").expect("room");
            writing.write(b"c").expect("room");
            let blob = blobs
                .place(writing.end().expect("on the disk"))
                .expect("placed");
            assert_eq!(
                (hex(&blob.hash).as_str(), blob.size),
                (
                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                    3
                )
            );
            let text = io::read_to_string(blobs.read(&blob.hash).expect("there")).expect("text");
            assert_eq!((text.as_str(), aside()), ("abc", 0));
        }
        std::fs::write(dir.path().join("tmp").join("blob-1-left"), "x").expect("written");
        blobs.clear_aside().expect("cleared");
        assert_eq!(aside(), 0);
    }
}
