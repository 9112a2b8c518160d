//! Backups of a data dir: making, checking, listing and removing them, and restoring a data dir from one. The command
//! line and the background job call these; nobody else may.

mod create;
mod format;
#[cfg(test)]
mod properties;
mod reader;
pub mod replica;
pub mod restore;
mod schedule;
mod writer;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::base::backup_fault::BackupFault;
use crate::base::clock::Time;
use crate::base::error::DataDirFault;
pub use crate::ops::backups::create::{Made, Progress, create, exists};
pub use crate::ops::backups::format::Head;
use crate::ops::backups::format::Part;
use crate::ops::backups::reader::{Bad, Sink};
pub use crate::ops::backups::schedule::{examine, run_due};
use crate::store::backup_files::BackupFolder;
use crate::store::snapshots;

const PREFIX: &str = "formsvc-";
const SUFFIX: &str = ".tar.zst";
/// `20261126T063710Z`.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// A backup in the data dir.
#[derive(Clone, Debug)]
pub struct Listed {
    pub path: PathBuf,
    /// When it was begun, by its name.
    pub created_at: Time,
    /// In bytes.
    pub size: u64,
    /// Whether it is a copy of the database alone, from before an upgrade.
    pub is_snapshot: bool,
}

/// What else lies in the folder of backups.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Copies of the database from before upgrades, the latest version first.
    pub snapshots: Vec<Listed>,
    /// Names that are given to nothing there.
    pub unknown: Vec<String>,
}

/// The folder of backups that are given no other place.
fn folder_of(data_dir: &Path) -> PathBuf {
    data_dir.join("backups")
}

/// The name of a backup, of which several may be begun in a second.
fn name_of(created_at: Time, nth: u32) -> String {
    let time = created_at.timestamp().strftime(TIME);
    match nth {
        1 => format!("{PREFIX}{time}{SUFFIX}"),
        nth => format!("{PREFIX}{time}-{nth}{SUFFIX}"),
    }
}

/// When a backup of this name was begun, and the how manieth of that second it is. `None` for names that are not given
/// by this program.
fn read_name(name: &str) -> Option<(Time, u32)> {
    let stem = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (time, nth) = match stem.split_once('-') {
        Some((time, nth)) => (time, nth.parse().ok()?),
        None => (stem, 1),
    };
    let at = jiff::civil::DateTime::strptime(TIME.trim_end_matches('Z'), time.strip_suffix('Z')?);
    let at = at.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    let at = Time::from_millis(at.timestamp().as_millisecond());
    (name_of(at, nth) == name).then_some((at, nth))
}

/// The backups in the data dir, newest first.
///
/// # Errors
/// There is no data dir.
pub fn list(data_dir: &Path) -> Result<Vec<Listed>, BackupFault> {
    let path = folder_of(data_dir);
    let files = BackupFolder::open(&path).and_then(|folder| folder.files());
    let files = files.map_err(|e| unlistable(data_dir, &e))?;
    let mut found: Vec<_> = files
        .into_iter()
        .filter_map(|(name, size)| Some((read_name(&name)?, name, size)))
        .collect();
    found.sort();
    let listed = found
        .into_iter()
        .rev()
        .map(|((created_at, _), name, size)| Listed {
            path: path.join(name),
            created_at,
            size,
            is_snapshot: false,
        });
    Ok(listed.collect())
}

/// What lies beside the backups in the data dir.
///
/// # Errors
/// There is no data dir.
pub fn others(data_dir: &Path) -> Result<Others, BackupFault> {
    let path = folder_of(data_dir);
    let read = || -> std::io::Result<Others> {
        let folder = BackupFolder::open(&path)?;
        let mut others = Others::default();
        for snapshot in snapshots::list(&folder)? {
            others.snapshots.push(Listed {
                created_at: Time::from_millis(folder.written_at(&snapshot.name)?),
                path: path.join(&snapshot.name),
                size: snapshot.size,
                is_snapshot: true,
            });
        }
        let mut unknown: Vec<String> = folder.files()?.into_iter().map(|(name, _)| name).collect();
        let is_snapshot = |name: &str| {
            let mut paths = others.snapshots.iter().map(|it| &it.path);
            paths.any(|it| *it == path.join(name))
        };
        // What is being written begins with a dot.
        unknown.retain(|name| {
            let is_ours = name == "lock" || name.starts_with('.');
            !is_ours && read_name(name).is_none() && !is_snapshot(name)
        });
        unknown.sort();
        Ok(Others { unknown, ..others })
    };
    read().map_err(|e| unlistable(data_dir, &e))
}

fn unlistable(data_dir: &Path, e: &std::io::Error) -> BackupFault {
    let shown = data_dir.display().to_string();
    let fault = match e.kind() {
        std::io::ErrorKind::NotFound => DataDirFault::Missing(shown),
        _ => DataDirFault::NotUsable(shown, e.to_string()),
    };
    fault.into()
}

/// Removes all backups in the data dir but the `keep` newest. Returns those that it removed.
///
/// # Errors
/// There is no data dir, or one can't be removed.
pub fn prune(data_dir: &Path, keep: usize) -> Result<Vec<Listed>, BackupFault> {
    let path = folder_of(data_dir);
    let old: Vec<Listed> = list(data_dir)?.into_iter().skip(keep).collect();
    let unwritable = |e: std::io::Error| unwritable(&path, &e);
    let folder = BackupFolder::open(&path).map_err(unwritable)?;
    for backup in &old {
        let name = backup.path.file_name().and_then(|name| name.to_str());
        folder
            .remove(name.unwrap_or_default())
            .map_err(unwritable)?;
    }
    Ok(old)
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Verified {
    pub head: Head,
    /// The bytes of all parts, unpacked.
    pub bytes: u64,
}

/// Reads a whole backup and compares each part with what the manifest says. `show` is told the bytes done, and of how
/// many.
///
/// # Errors
/// It is damaged, or none of this program.
pub fn verify(
    path: &Path,
    file: File,
    show: &mut dyn FnMut(u64, u64),
) -> Result<Verified, BackupFault> {
    let mut sink = Check {
        bytes: 0,
        all: 0,
        show,
    };
    let head = reader::read(file, &mut sink).map_err(|bad| told(path, bad))?;
    let bytes = sink.all;
    Ok(Verified { head, bytes })
}

/// Looks at each part and keeps none.
struct Check<'s> {
    bytes: u64,
    all: u64,
    show: &'s mut dyn FnMut(u64, u64),
}

impl Sink for Check<'_> {
    type Fault = BackupFault;

    fn begin(&mut self, _: &Head, parts: &[Part]) -> Result<(), Bad<BackupFault>> {
        self.all = total(parts);
        Ok(())
    }

    fn part(&mut self, _: &Part, content: &mut dyn Read) -> Result<(), BackupFault> {
        let mut piece = vec![0; 64 << 10];
        // An error is noted by whoever gave the content.
        while let Ok(read @ 1..) = content.read(&mut piece) {
            self.bytes += read as u64;
            (self.show)(self.bytes, self.all);
        }
        Ok(())
    }
}

fn total(parts: &[Part]) -> u64 {
    parts
        .iter()
        .fold(0, |sum, part| sum.saturating_add(part.size))
}

/// The fault that names the file.
fn told(path: &Path, bad: Bad<BackupFault>) -> BackupFault {
    let path = path.display().to_string();
    match bad {
        Bad::Foreign(what) => BackupFault::Foreign(path, what),
        Bad::Newer(what) => BackupFault::Newer(path, what),
        Bad::Damaged(what) => BackupFault::Damaged(path, what),
        Bad::Sink(fault) => fault,
    }
}

fn unwritable(path: &Path, e: &std::io::Error) -> BackupFault {
    BackupFault::Unwritable(path.display().to_string(), e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_left_alone() {
        let at = Time::from_millis(1_795_208_884_000);
        assert_eq!(name_of(at, 1), "formsvc-20261120T210804Z.tar.zst");
        for nth in [1, 2, 17] {
            assert_eq!(read_name(&name_of(at, nth)), Some((at, nth)));
        }
        for name in [
            "lock",
            "formsvc.tar.zst",
            "formsvc-20261120T210804Z.tar",
            "formsvc-20261120T210804Z-1.tar.zst",
            "formsvc-20261120T210804Z-02.tar.zst",
            "formsvc-20261320T210804Z.tar.zst",
            "my-formsvc-20261120T210804Z.tar.zst",
            ".formsvc-20261120T210804Z.tar.zst.part",
            "before-upgrade-from-1.db",
        ] {
            assert_eq!(read_name(name), None, "{name}");
        }
    }
}
