//! Files of backups: each is written under a temporary name and gets its own once it is on disk.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

use crate::store::dir_handle::DirHandle;

const PART: &str = ".part";

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

    pub fn has(&self, name: &str) -> bool {
        self.0.inspect(name).is_ok()
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)?;
        self.0.sync()
    }

    /// The free bytes of its disk and the size of that.
    pub fn space(&self) -> io::Result<crate::store::disk::DiskSpace> {
        crate::store::disk::space(&self.0)
    }

    /// Whether it lies on the same file system as another folder.
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
        // What an interrupted process left is used again; what a running one writes is not.
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        if file.metadata()?.nlink() == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        file.set_len(0)?;
        Ok(NewBackup {
            folder: &self.0,
            part,
            file,
            is_placed: false,
        })
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
