//! Disk failures: whether the disk is full for now or can't be trusted; and free space.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, ffi};
use rustix::fs::OFlags;

use crate::base::error::Error;
use crate::store::db::dir_handle::DirHandle;

// Time for pending answers to be sent before the process exits.
const EXIT_DELAY: Duration = Duration::from_millis(200);
// More than a page of the log, so that the rest of a quota is not enough for the probe.
const PROBE_BYTES: usize = 65536;

/// Whether the state of the disk is unknown after this error. A full disk does not count: nothing was written, and
/// the write can be tried again (S86).
pub fn is_broken(e: &rusqlite::Error, connection: &Connection) -> bool {
    let Some(failure) = e.sqlite_error() else {
        return false;
    };
    match failure.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
        ErrorCode::SystemIoFailure => match failure.extended_code {
            // The index of the log is rebuilt from the log: nothing is lost with it.
            ffi::SQLITE_IOERR_SHMOPEN | ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_SHMMAP => false,
            // SQLite reports a full disk, but not a quota, a file size limit or a disk that became read-only.
            ffi::SQLITE_IOERR | ffi::SQLITE_IOERR_WRITE => !is_write_refused(connection),
            _ => true,
        },
        _ => false,
    }
}

/// Space of a file system, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct DiskSpace {
    /// Available to this process.
    pub free: u64,
    pub total: u64,
}

/// The space of the file system that a directory is on.
pub fn space(folder: &DirHandle) -> std::io::Result<DiskSpace> {
    let system = rustix::fs::fstatvfs(folder.as_file())?;
    let bytes = |blocks: u64| blocks.saturating_mul(system.f_frsize);
    Ok(DiskSpace { free: bytes(system.f_bavail), total: bytes(system.f_blocks) })
}

/// The API error for a file that could not be written.
pub fn write_error(e: &std::io::Error) -> Error {
    match e.kind() {
        ErrorKind::ReadOnlyFilesystem => Error::Busy("the disk can't be written", 30),
        kind if is_full(kind) => Error::Busy("the disk is full", 30),
        _ => Error::internal(e),
    }
}

/// The API error for a file that could not be synced. Unless the disk was full, the state of the disk is unknown
/// until it is read again: the process then exits after a short delay in which the answer is sent (S81).
pub fn sync_error(e: &std::io::Error) -> Error {
    match write_error(e) {
        Error::Internal(source) => {
            tracing::error!("a file could not be brought onto the disk: {source}: leaving");
            std::thread::spawn(|| {
                std::thread::sleep(EXIT_DELAY);
                std::process::exit(1);
            });
            Error::Busy("the write could not be stored", 5)
        }
        busy => busy,
    }
}

/// Whether writing failed for a reason that may pass: no space, a quota, a file size limit, a read-only disk.
fn is_full(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge | ErrorKind::ReadOnlyFilesystem
    )
}

/// Whether writing a probe file beside the database fails for a reason that may pass. The probe is written at the
/// offset where the longest file of the database ends, so that a file size limit is noticed too.
fn is_write_refused(connection: &Connection) -> bool {
    let Some(database) = connection.path() else {
        return false;
    };
    let Some(folder) = Path::new(database).parent() else {
        return false;
    };
    let length = |end| fs::metadata(format!("{database}{end}")).map_or(0, |file| file.len());
    let end = length("").max(length("-wal"));
    let Ok(tmp) = DirHandle::open(folder).and_then(|folder| folder.subdir("tmp")) else {
        return false;
    };
    let probe = tmp.write("probe", OFlags::TRUNC);
    let written = probe.and_then(|probe| probe.write_all_at(&vec![0; PROBE_BYTES], end));
    // It may not have been created at all.
    let _ = tmp.remove("probe");
    written.is_err_and(|e| is_full(e.kind()))
}
