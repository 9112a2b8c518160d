//! Translates SQLite errors.

use rusqlite::ErrorCode;

use crate::base::error::Error;

/// 503 if the disk is full or the database is busy, and an internal error otherwise.
pub fn internal(e: rusqlite::Error) -> Error {
    match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Busy("the disk is full", 30),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy("the database is busy", 1),
        Some(ErrorCode::ReadOnly) => Error::Busy("the disk can't be written", 30),
        Some(ErrorCode::OperationInterrupted) => too_slow(),
        _ => Error::Internal(e.to_string()),
    }
}

/// The error for a read that exceeded its time limit.
pub fn too_slow() -> Error {
    Error::Busy("the read took too long: ask for less at once", 5)
}

/// The error of a batch whose transaction SQLite rolled back, because the disk was full or failed.
pub fn rolled_back(full: bool) -> rusqlite::Error {
    let code = if full { rusqlite::ffi::SQLITE_FULL } else { rusqlite::ffi::SQLITE_IOERR };
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some("the transaction was rolled back".to_owned()))
}

/// Whether the error is a duplicate value in `column`, such as `users.email_folded`.
pub fn is_duplicate(e: &rusqlite::Error, column: &str) -> bool {
    matches!(e, rusqlite::Error::SqliteFailure(code, Some(message))
        if code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
            && message.ends_with(column))
}
