//! Files of backups: each is written under a temporary name and gets its own once it is on disk.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};

use crate::store::db::dir_handle::DirHandle;

const PART: &str = ".part";
/// How temporary names of backups begin that are given no other name.
const OWN: &str = ".formsvc-";

/// The folder of backups that are given no other place.
pub fn folder_of(data_dir: &Path) -> PathBuf {
    data_dir.join("backups")
}

/// A folder with backups.
pub struct BackupFolder(DirHandle);

impl BackupFolder {
    /// Opens it by a path that may lead through links.
    pub fn open(path: &Path) -> io::Result<Self> {
        DirHandle::open(&path.canonicalize()?).map(Self)
    }

    /// The files in it with their sizes in bytes. Folders and links are left out.
    pub fn files(&self) -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for name in self.0.names()? {
            let Ok(file) = self.0.inspect(&name) else {
                continue;
            };
            if file.is_file() {
                files.push((name, file.len()));
            }
        }
        Ok(files)
    }

    /// When a file in it was written, in milliseconds since 1970.
    pub fn written_at(&self, name: &str) -> io::Result<i64> {
        Ok(self.0.inspect(name)?.mtime().saturating_mul(1000))
    }

    /// The names of the folders in it.
    pub fn folders(&self) -> io::Result<Vec<String>> {
        let mut names = self.0.names()?;
        names.retain(|name| self.0.inspect(name).is_ok_and(|it| it.is_dir()));
        Ok(names)
    }

    /// A folder in it, which is created if it is missing.
    pub fn subfolder(&self, name: &str) -> io::Result<Self> {
        self.0.create_subdir(name).map(Self)
    }

    /// Reads something small.
    pub fn get(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.read(name)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Replaces a small file atomically.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.replace(name, bytes)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.inspect(name).is_ok()
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)?;
        self.0.sync()
    }

    /// The free bytes of its disk and the size of that.
    pub fn space(&self) -> io::Result<crate::store::db::disk::DiskSpace> {
        crate::store::db::disk::space(&self.0)
    }

    /// Whether the folder is on the same file system as `path`.
    pub fn shares_disk_with(&self, path: &Path) -> bool {
        let own = self.0.as_file().metadata();
        own.is_ok_and(|own| std::fs::metadata(path).is_ok_and(|it| it.dev() == own.dev()))
    }

    /// Begins a file of mode 0600 that will have this name.
    ///
    /// # Errors
    /// `WouldBlock` if another process writes it.
    pub fn create(&self, name: &str) -> io::Result<NewBackup<'_>> {
        let part = format!(".{name}{PART}");
        let file = self.0.write(&part, OFlags::empty())?;
        // Leftovers of an interrupted process are reused; a file that a running process writes is not.
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        if file.metadata()?.nlink() == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        file.set_len(0)?;
        Ok(NewBackup { folder: &self.0, part, file, is_placed: false })
    }
}

impl BackupFolder {
    /// Removes backups under names of our own that interrupted processes left in it, but none that a process writes. The
    /// folder may hold files of others.
    pub fn remove_abandoned(&self) -> io::Result<()> {
        for name in self.0.names()? {
            if !name.starts_with(OWN) || !name.ends_with(PART) {
                continue;
            }
            // A file that can't be opened or removed is not ours.
            let file = self.0.write(&name, OFlags::empty());
            if file.is_ok_and(|it| flock(&it, FlockOperation::NonBlockingLockExclusive).is_ok()) {
                let _ = self.0.remove(&name);
            }
        }
        Ok(())
    }
}

/// A note that belongs to a process: others see by its lock whether that still runs.
pub struct HeldNote {
    folder: DirHandle,
    name: String,
    _lock: File,
}

impl HeldNote {
    pub fn remove(self) -> io::Result<()> {
        self.folder.remove(&self.name)
    }
}

impl BackupFolder {
    /// Writes a note and holds it.
    pub fn hold_note(self, name: &str, content: &[u8]) -> io::Result<HeldNote> {
        let mut file = self.0.write(name, OFlags::EXCL)?;
        flock(&file, FlockOperation::LockExclusive)?;
        file.write_all(content)?;
        file.sync_all()?;
        self.0.sync()?;
        Ok(HeldNote { folder: self.0, name: name.to_owned(), _lock: file })
    }

    /// The content of a note whose process has ended. `None` if that runs.
    pub fn left_note(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let mut file = self.0.read(name)?;
        if flock(&file, FlockOperation::NonBlockingLockShared).is_err() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&mut file).take(most).read_to_end(&mut bytes)?;
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

/// Removes files of backups that an interrupted process left in the folder. No backup may run.
pub(in crate::store) fn remove_parts(folder: &DirHandle) -> io::Result<()> {
    let mut names = folder.names()?;
    names.retain(|name| name.starts_with('.') && name.ends_with(PART));
    names.iter().try_for_each(|name| folder.remove(name))
}

/// A backup that is being written; removed on drop unless it was placed.
pub struct NewBackup<'f> {
    folder: &'f DirHandle,
    part: String,
    file: File,
    is_placed: bool,
}

impl NewBackup<'_> {
    /// Its name until then.
    pub(in crate::store) fn part(&self) -> &str {
        &self.part
    }

    /// Begins again.
    pub fn restart(&mut self) -> io::Result<()> {
        io::Seek::rewind(&mut self.file)?;
        self.file.set_len(0)
    }

    /// Brings it onto the disk under its name, in place of a file that has it. Returns its size.
    pub fn place(mut self, name: &str) -> io::Result<u64> {
        self.file.sync_all()?;
        let size = self.file.metadata()?.len();
        self.folder.rename(&self.part, self.folder, name)?;
        self.is_placed = true;
        self.folder.sync()?;
        Ok(size)
    }
}

impl Write for NewBackup<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewBackup<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            // If it can't be removed, a later backup removes it.
            let _ = self.folder.remove(&self.part);
        }
    }
}
