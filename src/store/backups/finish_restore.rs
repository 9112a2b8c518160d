//! The end of a restore: moves the unpacked and checked files to their places (see
//! [`restoring`](crate::store::backups::restoring)). Every step can be repeated: after a crash, the next process that
//! opens the data dir completes the restore.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, flock, unlinkat};

use crate::store::db::dir_handle::DirHandle;

/// Being unpacked.
pub(in crate::store) const UNPACKING: &str = "restoring";
/// Whole, and to be moved to its place.
pub(in crate::store) const READY: &str = "restored";
/// Litestream's record of the log that it copied last.
const REPLICATION: &str = ".formsvc.db-litestream";
/// Folder for the data that the restore replaces.
const REPLACED: &str = "replaced";
const DATABASE: &str = "formsvc.db";
const LOGS: [&str; 4] = ["formsvc.db-wal", "formsvc.db-shm", "formsvc.db-journal", REPLICATION];
const PARTS: [&str; 3] = [DATABASE, "keys", "blobs"];

/// Completes a restore that was interrupted after its files were whole. Every opener of a data dir calls it first.
pub(in crate::store) fn settle(path: &Path) -> io::Result<()> {
    let has = |name: &str| fs::symlink_metadata(path.join(name)).is_ok();
    if !has(READY) && !has(REPLACED) {
        return Ok(());
    }
    let root = DirHandle::open(path)?;
    flock(root.as_file(), FlockOperation::LockExclusive)?;
    // Another process may have been faster.
    if has(READY) {
        let new = root.subdir(READY)?;
        let old = root.create_subdir(REPLACED)?;
        if new.inspect(DATABASE).is_ok() {
            // The log of the old database must never meet the new one.
            for name in LOGS {
                rename_if_there(&root, name, &old)?;
            }
            root.sync()?;
        }
        for name in PARTS {
            if new.inspect(name).is_ok() {
                rename_if_there(&root, name, &old)?;
                new.rename(name, &root, name)?;
            }
        }
        root.sync()?;
        new.sync()?;
        unlinkat(root.as_file(), READY, AtFlags::REMOVEDIR)?;
        root.sync()?;
    }
    remove_tree(&path.join(REPLACED))?;
    root.sync()
}

/// Removes the leftovers of an interrupted restore. The data dir is locked.
pub(in crate::store) fn remove_unpacked(path: &Path) -> io::Result<()> {
    remove_tree(&path.join(UNPACKING))
}

fn rename_if_there(from: &DirHandle, name: &str, to: &DirHandle) -> io::Result<()> {
    match from.rename(name, to, name) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Removes a folder and its contents, if it exists.
pub(in crate::store) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
