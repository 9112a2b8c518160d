//! Backups of a data dir: making, checking, listing and removing them, and restoring a data dir from one. The command
//! line and the background job call these; nobody else may.

mod create;
mod encryption;
mod format;
mod inspection;
mod manifest;
pub(in crate::ops) mod pause;
#[cfg(test)]
mod properties;
mod reader;
pub mod replica;
pub mod restore;
mod schedule;
mod several;
pub mod state;
pub mod sync;
mod target;
mod uploads;
mod writer;

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;

use crate::base::backup_fault::BackupFault;
use crate::base::clock::Time;
use crate::base::config::MB;
use crate::base::secret::Secret;
pub use crate::ops::backups::create::{Made, Progress, create, exists};
pub use crate::ops::backups::format::Head;
use crate::ops::backups::format::{BackupPart, Kind};
use crate::ops::backups::inspection::Inspection;
use crate::ops::backups::reader::{Bad, Sink};
pub use crate::ops::backups::schedule::{examine, run_due};
use crate::ops::backups::target::unlistable;
pub use crate::ops::backups::target::{OpenTarget, Opened};
use crate::store::backups::files::{BackupFolder, folder_of};
use crate::store::backups::restoring::{Copy, Unfit};
use crate::store::backups::snapshots;

const PREFIX: &str = "formsvc-";
const SUFFIX: &str = ".tar.zst";
/// `20261126T063710Z`.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// A backup in its place.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its place, for people and commands.
    pub file: String,
    name: String,
    /// When it was begun, by its name.
    pub created_at: Time,
    /// In bytes.
    pub size: u64,
    /// Whether its name says that it is encrypted.
    pub is_encrypted: bool,
    /// Whether it is a copy of the database alone, made before an upgrade.
    pub is_snapshot: bool,
}

/// Other files in the folder of backups.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Copies of the database from before upgrades, the latest version first.
    pub snapshots: Vec<Listed>,
    /// Names that formsvc does not give to files there.
    pub unknown: Vec<String>,
}

/// The name of a backup, of which several may be begun in a second.
fn name_of(created_at: Time, nth: u32, is_encrypted: bool) -> String {
    let time = created_at.timestamp().strftime(TIME);
    let end = if is_encrypted { encryption::SUFFIX } else { "" };
    match nth {
        1 => format!("{PREFIX}{time}{SUFFIX}{end}"),
        nth => format!("{PREFIX}{time}-{nth}{SUFFIX}{end}"),
    }
}

/// When a backup of this name was begun, and the how manieth of that second it is. `None` for names that are not given
/// by this program.
fn read_name(name: &str) -> Option<(Time, u32)> {
    let plain = name.strip_suffix(encryption::SUFFIX);
    let is_encrypted = plain.is_some();
    let stem = plain.unwrap_or(name).strip_prefix(PREFIX)?;
    let stem = stem.strip_suffix(SUFFIX)?;
    let (time, nth) = match stem.split_once('-') {
        Some((time, nth)) => (time, nth.parse().ok()?),
        None => (stem, 1),
    };
    let at = jiff::civil::DateTime::strptime(TIME.trim_end_matches('Z'), time.strip_suffix('Z')?);
    let at = at.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    let at = Time::from_millis(at.timestamp().as_millisecond());
    (name_of(at, nth, is_encrypted) == name).then_some((at, nth))
}

/// The backups in a place, newest first.
///
/// # Errors
/// It can't be looked at.
pub fn list(target: &OpenTarget) -> Result<Vec<Listed>, BackupFault> {
    let files = target.files()?.into_iter();
    let mut found: Vec<_> = files.filter_map(|(name, size)| Some((read_name(&name)?, name, size))).collect();
    found.sort();
    let listed = found.into_iter().rev().map(|((created_at, _), name, size)| Listed {
        file: target.display_path(&name),
        is_encrypted: name.ends_with(encryption::SUFFIX),
        name,
        created_at,
        size,
        is_snapshot: false,
    });
    Ok(listed.collect())
}

/// The files in the data dir's backup folder that are no backups.
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
                file: path.join(&snapshot.name).display().to_string(),
                name: snapshot.name,
                size: snapshot.size,
                is_encrypted: false,
                is_snapshot: true,
            });
        }
        let mut unknown: Vec<String> = folder.files()?.into_iter().map(|(name, _)| name).collect();
        let is_snapshot = |name: &str| others.snapshots.iter().any(|it| it.name == name);
        // Files being written have names that begin with a dot.
        unknown.retain(|name| {
            let is_ours = name == "lock" || name.starts_with('.') || name.starts_with(uploads::PREFIX);
            !is_ours && read_name(name).is_none() && !is_snapshot(name)
        });
        unknown.sort();
        Ok(Others { unknown, ..others })
    };
    read().map_err(|e| unlistable(data_dir, &e))
}

/// Removes all backups in a place but the `keep` newest. Returns those that it removed.
///
/// # Errors
/// It can't be looked at, or one can't be removed.
pub fn prune(target: &OpenTarget, keep: usize) -> Result<Vec<Listed>, BackupFault> {
    let old: Vec<Listed> = list(target)?.into_iter().skip(keep).collect();
    for backup in &old {
        target.remove(&backup.name)?;
    }
    Ok(old)
}

/// Result of a check.
#[derive(Clone, Debug)]
pub struct Verified {
    pub head: Head,
    /// The bytes of all parts, unpacked.
    pub bytes: u64,
}

/// Asks for the passphrase of an encrypted backup. `None` if nobody can be asked.
pub type Ask<'a> = &'a mut dyn FnMut(&str) -> Option<Secret>;

/// Reads a whole backup, compares each part with what the manifest says, and checks it as a restore does. The database is
/// copied into `temporary` for that, and removed from there once it was looked at. `show` is told the bytes done, and of
/// how many.
///
/// # Errors
/// It is damaged, none of this program, or encrypted with another passphrase.
pub fn verify(
    opened: Opened,
    temporary: &Path,
    ask: Ask<'_>,
    show: &mut dyn FnMut(u64, u64),
) -> Result<Verified, BackupFault> {
    let shown = opened.shown.clone();
    let copy = Copy::begin(temporary).map_err(|e| no_copy(temporary, &e))?;
    let mut check =
        Check { shown: &shown, temporary, copy: &copy, inspection: Inspection::default(), bytes: 0, all: 0, show };
    let head = read_opened(opened, ask, copy.path(), &mut check)?;
    let bytes = check.all;
    let finished = check.inspection.finish(&head);
    finished.map_err(|unfit| unfit_fault(&shown, unfit, |e| no_copy(temporary, &e)))?;
    Ok(Verified { head, bytes })
}

/// Reads a backup, decrypted where it must be. A long manifest is kept in the folder `spool` meanwhile.
fn read_opened<S: Sink<Fault = BackupFault>>(
    opened: Opened,
    ask: Ask<'_>,
    spool: &Path,
    sink: &mut S,
) -> Result<Head, BackupFault> {
    let (shown, failure) = (opened.shown.clone(), opened.failure());
    let read = || {
        let file = encryption::opened(&shown, opened.from, ask)?;
        reader::read(file, spool, sink).map_err(|bad| fault_with_path(&shown, spool, bad))
    };
    read().map_err(|fault| failure.or(&shown, fault))
}

/// Looks at each part. What a restore would check is copied, the rest is not kept.
struct Check<'s> {
    shown: &'s str,
    temporary: &'s Path,
    copy: &'s Copy,
    inspection: Inspection,
    bytes: u64,
    all: u64,
    show: &'s mut dyn FnMut(u64, u64),
}

impl Sink for Check<'_> {
    type Fault = BackupFault;

    fn begin(&mut self, head: &Head, bytes: u64) -> Result<(), Bad<BackupFault>> {
        self.all = bytes;
        Inspection::begin(head)
    }

    fn part(&mut self, part: &BackupPart, content: &mut dyn Read) -> Result<(), BackupFault> {
        let failed = |e: io::Error| no_copy(self.temporary, &e);
        let mut file: Option<File> = match &part.kind {
            Kind::Key(name) if name == "instance" => Some(self.copy.instance_key().map_err(failed)?),
            Kind::Database => {
                let free = self.copy.space().map_err(failed)?.free;
                if part.size > free {
                    let (needed, free) = (part.size.div_ceil(MB), free / MB);
                    let what = format!("{needed} MB are needed, {free} MB can be used");
                    return Err(BackupFault::NoCopy(self.temporary.display().to_string(), what));
                }
                Some(self.copy.database().map_err(failed)?)
            }
            Kind::Key(_) | Kind::Blob(_) => None,
        };
        let mut piece = vec![0; 64 << 10];
        // The reader of the content notes its errors.
        while let Ok(read @ 1..) = content.read(&mut piece) {
            if let Some(file) = &mut file {
                file.write_all(&piece[..read]).map_err(failed)?;
            }
            self.bytes += read as u64;
            (self.show)(self.bytes, self.all);
        }
        Ok(())
    }

    fn whole(&mut self, part: &BackupPart) -> Result<(), BackupFault> {
        let copy = self.copy;
        let added = self.inspection.add(part, || copy.check());
        added.map_err(|unfit| unfit_fault(self.shown, unfit, |e| no_copy(self.temporary, &e)))
    }
}

fn no_copy(temporary: &Path, e: &io::Error) -> BackupFault {
    BackupFault::NoCopy(temporary.display().to_string(), e.to_string())
}

/// The fault of what a backup holds; `failed` tells that of a check that could not be made.
fn unfit_fault(shown: &str, unfit: Unfit, failed: impl FnOnce(io::Error) -> BackupFault) -> BackupFault {
    let shown = shown.to_owned();
    match unfit {
        Unfit::Foreign(what) => BackupFault::Foreign(shown, what),
        Unfit::Newer(what) => BackupFault::Newer(shown, what),
        Unfit::Damaged(what) => BackupFault::Damaged(shown, what),
        Unfit::Failed(what) => failed(io::Error::other(what)),
    }
}

/// The fault that names the file.
fn fault_with_path(shown: &str, spool: &Path, bad: Bad<BackupFault>) -> BackupFault {
    let path = shown.to_owned();
    match bad {
        Bad::Foreign(what) => BackupFault::Foreign(path, what),
        Bad::Newer(what) => BackupFault::Newer(path, what),
        Bad::Damaged(what) => BackupFault::Damaged(path, what),
        Bad::Spool(e) => unwritable(spool, &e),
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
        let plain = "formsvc-20261120T210804Z.tar.zst";
        assert_eq!(name_of(at, 1, false), plain);
        assert_eq!(name_of(at, 1, true), format!("{plain}.age"));
        for nth in [1, 2, 17] {
            for is_encrypted in [false, true] {
                let name = name_of(at, nth, is_encrypted);
                assert_eq!(read_name(&name), Some((at, nth)));
            }
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
            "formsvc-20261120T210804Z.tar.zst.age.age",
            "upload-aaaaaaaaaaaa",
            "before-upgrade-from-1.db",
        ] {
            assert_eq!(read_name(name), None, "{name}");
        }
    }
}
