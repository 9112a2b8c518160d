//! The key and the database of a backup in a temporary folder, for a check that restores nothing.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::OFlags;
use tempfile::TempDir;

use crate::store::backups::restoring::{Checked, DATABASE, Unfit, check_database};
use crate::store::db::dir_handle::DirHandle;
use crate::store::db::disk::{self, DiskSpace};

const KEY: &str = "instance";

pub struct Copy {
    path: TempDir,
    folder: DirHandle,
}

impl Copy {
    /// Begins one in a folder of its own within this one.
    pub fn begin(within: &Path) -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix("formsvc-verify-").tempdir_in(within)?;
        let folder = DirHandle::open(&path.path().canonicalize()?)?;
        Ok(Self { path, folder })
    }

    pub fn path(&self) -> &Path {
        self.path.path()
    }

    pub fn space(&self) -> io::Result<DiskSpace> {
        disk::space(&self.folder)
    }

    pub fn database(&self) -> io::Result<File> {
        self.folder.write(DATABASE, OFlags::EXCL)
    }

    pub fn instance_key(&self) -> io::Result<File> {
        self.folder.write(KEY, OFlags::EXCL)
    }

    /// Checks the database as a restore does. Both files are removed as soon as the returned check has the database
    /// open: the process may be killed while it reads a large backup.
    pub fn check(&self) -> Result<Checked, Unfit> {
        let (database, key) = (self.path().join(DATABASE), self.path().join(KEY));
        let checked = check_database(&database, &key);
        self.folder.remove(KEY)?;
        self.folder.remove(DATABASE)?;
        checked
    }
}
