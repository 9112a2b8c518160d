//! What SQLite's failures mean, and small decoders.

use rusqlite::ErrorCode;

use crate::base::error::Error;

/// A failure that no client can mend, except where the disk or a lock is in the way.
pub fn internal(e: rusqlite::Error) -> Error {
    match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Busy("the disk is full", 30),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Busy("the database is busy", 1)
        }
        Some(ErrorCode::ReadOnly) => Error::Busy("the disk can't be written", 30),
        Some(ErrorCode::OperationInterrupted) => too_slow(),
        _ => Error::Internal(e.to_string()),
    }
}

/// What somebody is told whose question takes longer than a read may.
pub fn too_slow() -> Error {
    Error::Busy("the read took too long: ask for less at once", 5)
}

/// The failure of a batch whose transaction SQLite ended by itself, because the disk was full or failed.
pub fn rolled_back(full: bool) -> rusqlite::Error {
    let code = if full {
        rusqlite::ffi::SQLITE_FULL
    } else {
        rusqlite::ffi::SQLITE_IOERR
    };
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(code),
        Some("the transaction was rolled back".to_owned()),
    )
}

/// Whether the failure is a doubled value in `column`, written `users.email_folded`.
pub fn is_double(e: &rusqlite::Error, column: &str) -> bool {
    matches!(e, rusqlite::Error::SqliteFailure(code, Some(message))
        if code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
            && message.ends_with(column))
}
