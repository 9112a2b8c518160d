//! What a failure of the disk means: that it takes nothing for now, or that it can't be trusted; and how much
//! room it has.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, ffi};
use rustix::fs::OFlags;

use crate::base::error::Error;
use crate::store::folder::Folder;

// Long enough for refusals to get out before the process ends.
const LEAVE: Duration = Duration::from_millis(200);
// More than a log's page, so that what is left at the end of a quota is not enough.
const PROBE_BYTES: usize = 65536;

/// Whether what the disk holds is unknown after this failure. A full disk is not such a failure: nothing
/// was taken, and it can be tried again (S86).
pub fn is_broken(e: &rusqlite::Error, connection: &Connection) -> bool {
    let Some(failure) = e.sqlite_error() else {
        return false;
    };
    match failure.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
        ErrorCode::SystemIoFailure => match failure.extended_code {
            // The index of the log is made anew from the log: nothing is lost with it.
            ffi::SQLITE_IOERR_SHMOPEN | ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_SHMMAP => {
                false
            }
            // SQLite tells a full disk from others, but not a quota, a limit of file sizes or a disk that is now
            // read-only.
            ffi::SQLITE_IOERR | ffi::SQLITE_IOERR_WRITE => !takes_nothing(connection),
            _ => true,
        },
        _ => false,
    }
}

/// The room of a file system, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// What it has for us.
    pub free: u64,
    /// What it has in all.
    pub total: u64,
}

/// The room that the file system of a folder has.
pub fn room(folder: &Folder) -> std::io::Result<Room> {
    let system = rustix::fs::fstatvfs(folder.as_file())?;
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    Ok(Room {
        free: bytes(system.f_bavail),
        total: bytes(system.f_blocks),
    })
}

/// What a failure to write a file says to who sent it.
pub fn refusal(e: &std::io::Error) -> Error {
    match e.kind() {
        ErrorKind::ReadOnlyFilesystem => Error::Busy("the disk can't be written", 30),
        kind if takes_no_more(kind) => Error::Busy("the disk is full", 30),
        _ => Error::internal(e),
    }
}

/// What a failure to bring a file onto the disk says. Unless the disk was full, what it now holds is unknown
/// until it is read again: then the process ends, a moment later, so that the refusal gets out (S81).
pub fn failed_sync(e: &std::io::Error) -> Error {
    match refusal(e) {
        Error::Internal(source) => {
            tracing::error!("a file could not be brought onto the disk: {source}: leaving");
            std::thread::spawn(|| {
                std::thread::sleep(LEAVE);
                std::process::exit(1);
            });
            Error::Busy("the write could not be kept", 5)
        }
        busy => busy,
    }
}

/// Whether nothing more can be written for a reason that may pass: no room, a quota, a limit of file sizes, a disk
/// that can only be read.
fn takes_no_more(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::FileTooLarge
            | ErrorKind::ReadOnlyFilesystem
    )
}

/// Whether a file beside the database can't be written for a reason that may pass. It is written where the longest
/// file of the database ends, so that a limit of file sizes is met, too.
fn takes_nothing(connection: &Connection) -> bool {
    let Some(database) = connection.path() else {
        return false;
    };
    let Some(folder) = Path::new(database).parent() else {
        return false;
    };
    let length = |end| fs::metadata(format!("{database}{end}")).map_or(0, |file| file.len());
    let end = length("").max(length("-wal"));
    let Ok(tmp) = Folder::open(folder).and_then(|folder| folder.folder("tmp")) else {
        return false;
    };
    let probe = tmp.write("probe", OFlags::TRUNC);
    let written = probe.and_then(|probe| probe.write_all_at(&[0; PROBE_BYTES], end));
    // It may not have been made at all.
    let _ = tmp.remove("probe");
    written.is_err_and(|e| takes_no_more(e.kind()))
}
