//! An open directory. Its files are opened relative to its descriptor by name, and symbolic links are never followed:
//! they could lead to files outside the data directory.

use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fchmod, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open directory.
pub struct DirHandle(File);

impl DirHandle {
    /// Opens the directory at a path.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open(path, FOLDER, Mode::empty())?.into()))
    }

    /// Opens a subdirectory.
    pub fn subdir(&self, name: &str) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER, Mode::empty())?.into()))
    }

    /// Opens a subdirectory, which is created if missing.
    pub fn create_subdir(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.subdir(name),
            Err(e) => Err(e.into()),
        }
    }

    /// Opens a file for reading.
    pub fn read(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDONLY)
    }

    /// Opens a file for reading and writing, created with mode 0600.
    pub fn write(&self, name: &str, flags: OFlags) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE | flags)
    }

    /// The metadata of a file or folder in it. A link is not followed.
    pub fn inspect(&self, name: &str) -> io::Result<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(&self.0, name, flags, Mode::empty())?).metadata()
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Replaces a file atomically: after a power loss it has either the old or the new content.
    pub fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let temporary = format!("{name}.new");
        let mut file = self.write(&temporary, OFlags::TRUNC)?;
        file.write_all(content)?;
        file.sync_all()?;
        self.rename(&temporary, self, name)?;
        self.sync()
    }

    /// Moves a file to another directory.
    pub fn rename(&self, name: &str, to: &Self, new: &str) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, new)?)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// The names in it. Names that are not UTF-8 are not ours and are skipped.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_owned();
            names.extend(name.into_string().ok());
        }
        names.retain(|name| name != "." && name != "..");
        Ok(names)
    }

    /// Flushes its entries to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    pub fn set_mode(&self, mode: Mode) -> io::Result<()> {
        Ok(fchmod(&self.0, mode)?)
    }

    /// Its descriptor, for file system calls.
    pub fn as_file(&self) -> &File {
        &self.0
    }
}
