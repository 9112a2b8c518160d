//! Restores the database alone, from a copy that an upgrade made. The keys and files in the data dir stay as they are.

use std::io::{self, Read, Seek, Write as _};

use rustix::fs::OFlags;

use crate::store::backups::finish_restore::{READY, UNPACKING, settle};
use crate::store::backups::restoring::{
    Checked, DATABASE, RestoredDir, Unfit, check_database, end_what_was_open, forget_replication, lost_in,
};

const SQLITE_HEAD: &[u8; 16] = b"SQLite format 3\0";

/// Whether a file is a database rather than a backup. It is read from its beginning afterwards.
pub fn is_database(mut file: impl Read + Seek) -> io::Result<bool> {
    let mut start = Vec::new();
    let head = u64::try_from(SQLITE_HEAD.len()).unwrap_or_default();
    file.by_ref().take(head).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == SQLITE_HEAD)
}

impl RestoredDir {
    /// Replaces the database with a copy of this one. `show` is told the bytes done. Returns the number of files that
    /// the database names and that are missing.
    ///
    /// # Errors
    /// The database can't be used, or does not belong to the key in the data dir; nothing is changed then.
    pub fn put_database(mut self, mut from: impl Read, show: &mut dyn FnMut(u64)) -> Result<u64, Unfit> {
        let folder = self.root.create_subdir(UNPACKING)?;
        let mut file = folder.write(DATABASE, OFlags::EXCL)?;
        let (mut piece, mut done) = (vec![0; 64 << 10], 0);
        loop {
            let read = from.read(&mut piece)?;
            if read == 0 {
                break;
            }
            file.write_all(&piece[..read])?;
            done += read as u64;
            show(done);
        }
        drop(file);
        let database = self.path.join(UNPACKING).join(DATABASE);
        let Checked(connection) = check_database(&database, &self.path.join("keys/instance"))?;
        let lost = lost_in(&connection, &self.path.join("blobs"))?;
        // One file, without a log beside it.
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        end_what_was_open(&connection)?;
        forget_replication(&connection)?;
        connection.close().map_err(|(_, e)| e)?;
        folder.read(DATABASE)?.sync_all()?;
        folder.sync()?;
        self.root.sync()?;
        self.root.rename(UNPACKING, &self.root, READY)?;
        // From here on the restored database counts.
        self.is_restored = true;
        self.root.sync()?;
        settle(&self.path)?;
        self.forget_signing_keys();
        Ok(lost)
    }

    /// Removes signing keys, which the new database does not know. New ones are created when needed; they remove
    /// leftovers.
    fn forget_signing_keys(&self) {
        let Ok(keys) = self.root.subdir("keys") else {
            return;
        };
        let names = keys.names().unwrap_or_default();
        for name in names.iter().filter(|name| *name != "instance") {
            let _ = keys.remove(name);
        }
    }
}
