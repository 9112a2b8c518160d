//! What a failure of the disk means: that it takes nothing for now, or that it can't be trusted; and how much
//! room it has.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::base::error::Error;

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
            // SQLite tells a full disk from others, but not a quota or a disk that is now read-only.
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

/// The room that the file system of a path has.
pub fn room(path: &Path) -> std::io::Result<Room> {
    let system = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    Ok(Room {
        free: bytes(system.f_bavail),
        total: bytes(system.f_blocks),
    })
}

/// What a failure to write a file says to who sent it.
pub fn refusal(e: &std::io::Error) -> Error {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::Busy("the disk is full", 30),
        ErrorKind::ReadOnlyFilesystem => Error::Busy("the disk can't be written", 30),
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

/// Whether a file beside the database can't be written for a reason that may pass.
fn takes_nothing(connection: &Connection) -> bool {
    let folder = connection.path().map(Path::new).and_then(Path::parent);
    let Some(folder) = folder else {
        return false;
    };
    let path = folder.join("tmp").join("probe");
    let written = fs::write(&path, [0; PROBE_BYTES]);
    // It may not have been made at all.
    let _ = fs::remove_file(&path);
    matches!(
        written.map_err(|e| e.kind()),
        Err(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
    )
}
