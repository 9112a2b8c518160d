//! Copies of the database from before an upgrade, in `backups/`: one for each version that was left behind, of which the
//! last few are kept. The program of that version restores it, with the keys and files of the data dir.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::base::error::DataDirFault;
use crate::store::backups::files::BackupFolder;
use crate::store::db::data_dir::DataDir;

const PREFIX: &str = "before-upgrade-from-";
const SUFFIX: &str = ".db";
const KEPT: usize = 2;
const MB: u64 = 1 << 20;
const PAGES_AT_ONCE: i32 = 4096;

/// A copy of the database from before an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    /// The version of the database.
    pub version: i64,
    pub name: String,
    /// In bytes.
    pub size: u64,
}

/// The snapshots in a folder, that of the latest version first.
pub fn list(folder: &BackupFolder) -> io::Result<Vec<Snapshot>> {
    let snapshot = |(name, size): (String, u64)| {
        let version = read_name(&name)?;
        Some(Snapshot { version, name, size })
    };
    let mut found: Vec<Snapshot> = folder.files()?.into_iter().filter_map(snapshot).collect();
    found.sort();
    found.reverse();
    Ok(found)
}

fn name_of(version: i64) -> String {
    format!("{PREFIX}{version}{SUFFIX}")
}

fn read_name(name: &str) -> Option<i64> {
    let version = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let version = version.parse().ok()?;
    (name_of(version) == name).then_some(version)
}

fn folder_of(data_dir: &Path) -> PathBuf {
    data_dir.join("backups")
}

/// The snapshot of the latest version that a program can read.
pub(in crate::store) fn latest_for(data_dir: &Path, newest: i64) -> Option<PathBuf> {
    let path = folder_of(data_dir);
    let found = BackupFolder::open(&path).and_then(|folder| list(&folder));
    let mut found = found.unwrap_or_default().into_iter();
    let fitting = found.find(|it| it.version <= newest)?;
    Some(path.join(fitting.name))
}

/// Copies the database, which is of this version, in place of an earlier copy of the same version. An interrupted copy
/// never gets the name of a copy.
pub(in crate::store) fn make(connection: &Connection, dir: &DataDir, version: i64) -> Result<PathBuf, DataDirFault> {
    let path = folder_of(dir.path());
    let unusable = |e: io::Error| DataDirFault::NotUsable(dir.to_string(), format!("backups: {e}"));
    let pages = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let size = pages("page_count").and_then(|count| Ok(count * pages("page_size")?));
    let size = size.map_err(|e| dir.fault(e))?.cast_unsigned();
    let folder = BackupFolder::open(&path).map_err(unusable)?;
    check_room(dir, size, folder.space().map_err(unusable)?.free)?;
    let name = name_of(version);
    let new = folder.create(&name).map_err(unusable)?;
    copy(connection, &path.join(new.part())).map_err(|e| match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => no_room(dir, size, folder.space().map_or(0, |it| it.free)),
        _ => dir.fault(e),
    })?;
    new.place(&name).map_err(unusable)?;
    Ok(path.join(name))
}

fn check_room(dir: &DataDir, needed: u64, free: u64) -> Result<(), DataDirFault> {
    if needed > free {
        return Err(no_room(dir, needed, free));
    }
    Ok(())
}

fn no_room(dir: &DataDir, needed: u64, free: u64) -> DataDirFault {
    DataDirFault::NoRoomToUpgrade(dir.to_string(), needed.div_ceil(MB), free / MB)
}

fn copy(from: &Connection, path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut to = Connection::open_with_flags(path, flags)?;
    // It gets its name once it is whole and on disk.
    to.pragma_update(None, "journal_mode", "OFF")?;
    to.pragma_update(None, "synchronous", "OFF")?;
    Backup::new(from, &mut to)?.run_to_completion(PAGES_AT_ONCE, Duration::ZERO, None)
}

/// Removes all snapshots but the one that was just made and the latest others.
pub(in crate::store) fn prune(dir: &DataDir, just_made: i64) -> io::Result<()> {
    let folder = BackupFolder::open(&folder_of(dir.path()))?;
    let mut old = list(&folder)?;
    old.retain(|it| it.version != just_made);
    let mut old = old.iter().skip(KEPT - 1);
    old.try_for_each(|it| folder.remove(&it.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_left_alone() {
        assert_eq!(read_name(&name_of(1)), Some(1));
        assert_eq!(read_name(&name_of(1_800_000_000)), Some(1_800_000_000));
        for name in [
            "before-upgrade-from-01.db",
            "before-upgrade-from-+1.db",
            "before-upgrade-from-.db",
            "before-upgrade-from-1.db.part",
            ".before-upgrade-from-1.db.part",
            "formsvc.db",
        ] {
            assert_eq!(read_name(name), None, "{name}");
        }
    }

    #[test]
    fn without_room_for_the_copy_nothing_is_begun() {
        let home = tempfile::tempdir().expect("a folder");
        let dir = DataDir::create(home.path()).expect("a data dir");
        assert!(check_room(&dir, 5, 5).is_ok());
        let refused = check_room(&dir, 3 << 20, 2 << 20).expect_err("too little");
        let said = refused.to_string();
        assert!(said.contains("needs 3 MB") && said.contains("2 MB are free"), "{said}");
    }
}
