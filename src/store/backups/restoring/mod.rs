//! Puts a restored data dir in place. Its files are unpacked into a folder of their own within the data dir, checked,
//! and synced to disk; then that folder is renamed, and from that moment on the restored data counts. The restore moves
//! the remaining files, or, after a crash, the next process that opens the data dir. So the data dir holds either the
//! old data or the new, even if it is a mount point or its user may not write beside it. Other files in it, above all
//! backups, stay.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::limits::Limit;
use rusqlite::{Connection, params};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, syncfs};

use crate::base::error::DataDirFault;
use crate::base::secret::Keys;
use crate::model::outbox::DeliveryFault;
use crate::store::backups;
use crate::store::backups::finish_restore::{READY, UNPACKING, remove_tree, settle};
use crate::store::db::dir_handle::DirHandle;
use crate::store::db::disk::{self, DiskSpace};
use crate::store::db::{canary, connection, data_dir, schema};
use crate::store::files::blobs::{self, Blob, Hash, hex};

mod copy;
mod known;
mod snapshot;

pub use crate::store::backups::restoring::copy::Copy;
pub use crate::store::backups::restoring::known::mark;
pub use crate::store::backups::restoring::snapshot::is_database;

const DATABASE: &str = "formsvc.db";
const LOCK: &str = "lock";
/// In SQL: a table that Litestream adds, without indexes.
const REPLICATION: &str = "type = 'table' AND substr(name, 1, 12) = '_litestream_' AND sql LIKE 'CREATE TABLE %'";

const OTHER_TABLES: &str = "its database has other tables than that of formsvc";
/// A schema of 140 tables and indexes takes 1,000 steps to load and 1,300 to compare.
const STEPS_OF_LOADING: i32 = 5_000;
const STEPS_OF_COMPARING: i32 = 20_000;
const STEPS_AT_ONCE: i32 = 100;
/// The longest definition of ours has 1,200 bytes, and the widest table 27 columns.
const LONGEST_DEFINITION: i32 = 5_000;
/// Longest row with a definition, or the canary.
const LONGEST_KNOWN_ROW: i32 = 100_000;
const MOST_COLUMNS: i32 = 100;
/// More than any request may bring.
const LONGEST_ROW: i32 = 64 << 20;

/// The data dir that is restored. No server can start on it meanwhile.
pub struct RestoredDir {
    path: PathBuf,
    root: DirHandle,
    _lock: File,
    has_made_dir: bool,
    has_made_lock: bool,
    is_restored: bool,
}

/// Why the unpacked files are not put in place.
#[derive(Debug)]
pub enum Unfit {
    /// The database is not one of this program.
    Foreign(String),
    Newer(String),
    Damaged(String),
    /// Checking it failed.
    Failed(String),
}

impl From<rusqlite::Error> for Unfit {
    fn from(e: rusqlite::Error) -> Self {
        match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
                Self::Damaged(format!("{DATABASE}: {e}"))
            }
            // It takes more than one of this program can.
            Some(rusqlite::ErrorCode::OperationInterrupted | rusqlite::ErrorCode::TooBig) => {
                Self::Foreign(OTHER_TABLES.to_owned())
            }
            _ => Self::Failed(e.to_string()),
        }
    }
}

impl From<io::Error> for Unfit {
    fn from(e: io::Error) -> Self {
        Self::Failed(e.to_string())
    }
}

impl RestoredDir {
    /// Opens the folder and locks it; creates it if it is missing.
    ///
    /// # Errors
    /// A server runs on it, or it can't be written.
    pub fn open(path: &Path) -> Result<Self, DataDirFault> {
        let has_made_dir = fs::symlink_metadata(path).is_err();
        data_dir::create_dir(path).map_err(|e| data_dir::unusable(path, &e))?;
        let path = data_dir::canonical(path)?;
        let fault = |e: io::Error| data_dir::unusable(&path, &e);
        data_dir::refuse_links(&path)?;
        let root = DirHandle::open(&path).map_err(fault)?;
        let has_made_lock = root.inspect(LOCK).is_err();
        let lock = root.write(LOCK, OFlags::empty()).map_err(fault)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| DataDirFault::Locked(path.display().to_string()))?;
        let target = Self { path: path.clone(), root, _lock: lock, has_made_dir, has_made_lock, is_restored: false };
        settle(&path).map_err(fault)?;
        // Leftovers of an interrupted restore.
        remove_tree(&path.join(UNPACKING)).map_err(fault)?;
        Ok(target)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the data dir is empty.
    pub fn is_empty(&self) -> io::Result<bool> {
        let is_ours = |name: &String| {
            let length = self.root.inspect(name).map(|lock| lock.len());
            name == LOCK && length.is_ok_and(|length| length == 0)
        };
        Ok(self.root.names()?.iter().all(is_ours))
    }

    pub fn space(&self) -> io::Result<DiskSpace> {
        disk::space(&self.root)
    }

    /// Begins to unpack.
    pub fn unpack(&mut self) -> io::Result<Unpacked<'_>> {
        if self.is_empty()? {
            self.root.set_mode(Mode::RWXU)?;
        }
        let folder = self.root.create_subdir(UNPACKING)?;
        Ok(Unpacked {
            keys: folder.create_subdir("keys")?,
            blobs: folder.create_subdir("blobs")?,
            path: self.path.join(UNPACKING),
            folder,
            target: self,
        })
    }
}

impl Drop for RestoredDir {
    /// A failed restore leaves nothing behind.
    fn drop(&mut self) {
        if self.is_restored {
            return;
        }
        let _ = remove_tree(&self.path.join(UNPACKING));
        if self.has_made_lock {
            let _ = self.root.remove(LOCK);
        }
        if self.has_made_dir {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// An unpacked database that was checked: it has our tables, is undamaged, and belongs to the key.
pub struct Checked(Connection);

impl Checked {
    /// The contents that it names.
    pub fn blobs(&self) -> Result<Vec<Blob>, Unfit> {
        Ok(backups::all_blobs(&self.0)?)
    }

    /// Whether the database names a content with this hash and size.
    pub fn names(&self, hash: &Hash, size: u64) -> Result<bool, Unfit> {
        let mut select = self.0.prepare_cached("SELECT EXISTS (SELECT 1 FROM blobs WHERE hash = ?1 AND size = ?2)")?;
        Ok(select.query_row(params![hash, size.cast_signed()], |row| row.get(0))?)
    }

    /// How many contents it names.
    pub fn file_count(&self) -> Result<u64, Unfit> {
        let count: i64 = self.0.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }
}

/// The unpacked files of a backup, beside the data that they replace; removed on drop unless they were put in place.
pub struct Unpacked<'t> {
    target: &'t mut RestoredDir,
    path: PathBuf,
    folder: DirHandle,
    keys: DirHandle,
    blobs: DirHandle,
}

impl Unpacked<'_> {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn database(&self) -> io::Result<File> {
        self.folder.write(DATABASE, OFlags::EXCL)
    }

    pub fn key(&self, name: &str) -> io::Result<File> {
        self.keys.write(name, OFlags::EXCL)
    }

    pub fn blob(&self, hash: &Hash) -> io::Result<File> {
        let name = hex(hash);
        let folder = self.blobs.create_subdir(blobs::folder_of(&name))?;
        folder.write(&name, OFlags::EXCL)
    }

    pub fn remove_blob(&self, hash: &Hash) -> io::Result<()> {
        let name = hex(hash);
        self.blobs.subdir(blobs::folder_of(&name))?.remove(&name)
    }

    /// Checks that the database is one of this program, whole, and belongs to the key.
    pub fn check(&self) -> Result<Checked, Unfit> {
        let (database, key) = (self.path.join(DATABASE), self.path.join("keys/instance"));
        check_database(&database, &key)
    }

    /// Ends access and pending work that must not survive the restore.
    pub fn prepare(&self, Checked(connection): Checked) -> Result<(), Unfit> {
        // One file, without a log beside it.
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        end_what_was_open(&connection)?;
        forget_replication(&connection)?;
        connection.close().map_err(|(_, e)| e)?;
        self.forget_signing_keys()?;
        Ok(())
    }

    /// New ones are made when one is needed.
    fn forget_signing_keys(&self) -> io::Result<()> {
        let mut names = self.keys.names()?;
        names.retain(|name| name != "instance");
        names.iter().try_for_each(|name| self.keys.remove(name))
    }

    /// Syncs the data to disk and puts it in place of the old data.
    pub fn put_in_place(self) -> io::Result<()> {
        self.folder.read(DATABASE)?.sync_all()?;
        syncfs(self.folder.as_file())?;
        let root = &self.target.root;
        root.sync()?;
        root.rename(UNPACKING, root, READY)?;
        // From here on the restored data counts.
        self.target.is_restored = true;
        root.sync()?;
        settle(&self.target.path)
    }
}

/// Opens a database which is one of this program, whole, and belongs to this key.
fn check_database(database: &Path, key: &Path) -> Result<Checked, Unfit> {
    let mut connection = connection::open(database)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_KNOWN_ROW)?;
    refuse_foreign(&mut connection)?;
    let key = <[u8; 32]>::try_from(fs::read(key)?);
    let key = key.map_err(|_| Unfit::Damaged("keys/instance is not 32 bytes long".to_owned()))?;
    if canary::fits(&connection, &Keys::new(key))? != Some(true) {
        let what = "keys/instance is not the key of its database";
        return Err(Unfit::Damaged(what.to_owned()));
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    let report: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if report != "ok" {
        return Err(Unfit::Damaged(format!("{DATABASE}: {report}")));
    }
    Ok(Checked(connection))
}

/// How many contents that the database names are not there.
fn lost_in(connection: &Connection, folder: &Path) -> rusqlite::Result<u64> {
    let mut select = connection.prepare("SELECT hash, size FROM blobs")?;
    let mut rows = select.query([])?;
    let mut lost = 0;
    while let Some(row) = rows.next()? {
        let (hash, size): (Hash, i64) = (row.get(0)?, row.get(1)?);
        let name = hex(&hash);
        let path = folder.join(blobs::folder_of(&name)).join(&name);
        let is_there = fs::metadata(path).is_ok_and(|it| it.len() == size.cast_unsigned());
        lost += u64::from(!is_there);
    }
    Ok(lost)
}

/// Refuses a database that has not exactly the tables of its version. Anybody may have made the file, and SQLite keeps
/// the whole schema in memory: until the tables are known to be ours, steps and lengths of texts are limited to several
/// times those of ours.
fn refuse_foreign(connection: &mut Connection) -> Result<(), Unfit> {
    let foreign = |what: &str| Unfit::Foreign(what.to_owned());
    let limits = [(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_DEFINITION), (Limit::SQLITE_LIMIT_COLUMN, MOST_COLUMNS)];
    let mut usual = Vec::new();
    for (limit, most) in limits {
        usual.push((limit, connection.set_limit(limit, most)?));
    }
    limit_steps(connection, STEPS_OF_LOADING)?;
    let version = schema::last_applied(connection)?;
    limit_steps(connection, STEPS_OF_COMPARING)?;
    let version = version.ok_or_else(|| foreign("its database is not one of formsvc"))?;
    if version > schema::latest() {
        let newer = schema::newer(connection, version, schema::latest())?;
        return Err(Unfit::Newer(newer));
    }
    let fresh = schema::fresh(version).map_err(Unfit::Failed)?;
    let mut expected = BTreeSet::new();
    objects(&fresh, |object| expected.insert(object))?;
    if !objects(connection, |object| expected.remove(&object))? || !expected.is_empty() {
        return Err(foreign(OTHER_TABLES));
    }
    connection.progress_handler(0, None::<fn() -> bool>)?;
    for (limit, most) in usual {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}

/// Interrupts statements once they have taken `most` steps together.
fn limit_steps(connection: &mut Connection, most: i32) -> rusqlite::Result<()> {
    let mut rounds = 0;
    connection.progress_handler(
        STEPS_AT_ONCE,
        Some(move || {
            rounds += 1;
            rounds > most / STEPS_AT_ONCE
        }),
    )
}

/// A table, index or trigger: type, name, table, definition.
type Object = [Option<String>; 4];

/// Passes the objects of the schema, without those that Litestream adds, to `take` until it refuses one. Returns
/// whether it took all.
fn objects(connection: &Connection, mut take: impl FnMut(Object) -> bool) -> rusqlite::Result<bool> {
    let sql = format!(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema \
         WHERE name NOT LIKE 'sqlite_stat%' AND NOT ({REPLICATION})"
    );
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if !take([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the tables of Litestream: it makes them again where it runs.
fn forget_replication(connection: &Connection) -> rusqlite::Result<()> {
    let sql = format!("SELECT name FROM sqlite_schema WHERE {REPLICATION}");
    let mut select = connection.prepare(&sql)?;
    let names: rusqlite::Result<Vec<String>> = select.query_map([], |row| row.get(0))?.collect();
    drop(select);
    for name in names? {
        connection.execute(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")), [])?;
    }
    Ok(())
}

/// Ends everything that gives access or acts on others: since the backup it may have been used, ended or sent. Tokens
/// stay, since programs rely on them; so do answers to idempotent requests, since their entries exist and must not be
/// created twice. Links to entries created after the backup open nothing: they are signed over the entry's token, which
/// is random, while serial numbers are given again.
fn end_what_was_open(connection: &Connection) -> rusqlite::Result<()> {
    // A grant made after the backup may have the same number as a later one, and its access tokens would be valid for
    // that one: all keys that signed tokens are removed.
    for table in [
        "sessions",
        "oauth_refresh_tokens",
        "oauth_codes",
        "oauth_grants",
        "signing_keys",
        "setup_links",
        "password_resets",
        "invitations",
    ] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection.execute(
        "UPDATE outbox SET status = 'failed', error = ?1, next_attempt_at = NULL, is_underway = 0, \
             body = NULL WHERE status = 'pending'",
        [DeliveryFault::Restored.name()],
    )?;
    known::go_on_beyond(connection)
}
