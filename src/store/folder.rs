//! A folder that is held open. What is in it is reached by its name alone, and no link is followed on the way: links
//! would lead to files of others.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fchmod, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A folder.
pub struct Folder(File);

impl Folder {
    /// The one at a path.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open(path, FOLDER, Mode::empty())?.into()))
    }

    /// The one of this name in it.
    pub fn folder(&self, name: &str) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER, Mode::empty())?.into()))
    }

    /// The same, made where it is not there.
    pub fn make(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(e) => Err(e.into()),
        }
    }

    /// A file in it, to be read.
    pub fn read(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDONLY)
    }

    /// A file in it that nobody else may read, to be written.
    pub fn write(&self, name: &str, flags: OFlags) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE | flags)
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Replaces a file in it: all of the new content is there after a loss of power, or all of the old.
    pub fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let aside = format!("{name}.new");
        let mut file = self.write(&aside, OFlags::TRUNC)?;
        file.write_all(content)?;
        file.sync_all()?;
        self.rename(&aside, self, name)?;
        self.sync()
    }

    /// Moves a file of it to another folder.
    pub fn rename(&self, name: &str, to: &Self, new: &str) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, new)?)
    }

    /// Removes a file of it.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// What is in it; names that are no UTF-8 are none of ours.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_owned();
            names.extend(name.into_string().ok());
        }
        names.retain(|name| name != "." && name != "..");
        Ok(names)
    }

    /// Brings its names onto the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Says who may do what in it.
    pub fn set_mode(&self, mode: Mode) -> io::Result<()> {
        Ok(fchmod(&self.0, mode)?)
    }

    /// Its file, for what is asked of the file system.
    pub fn as_file(&self) -> &File {
        &self.0
    }
}
