//! What a failure of the disk means: that it takes nothing for now, or that it can't be trusted.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, ffi};

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
