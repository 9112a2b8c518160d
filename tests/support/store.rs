//! The database of a server, as SQLite opens it.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::until;

pub fn database(dir: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let database = Connection::open_with_flags(dir.join("formsvc.db"), flags).expect("opens");
    let patience = Duration::from_secs(20);
    database.busy_timeout(patience).expect("a timeout");
    database
}

pub fn count(dir: &Path, sql: &str) -> i64 {
    let found = database(dir).query_row(sql, [], |row| row.get(0));
    found.expect("a number")
}

/// Waits until no form's entries are to be rewritten.
pub fn settled(dir: &Path) {
    until("the entries are rewritten", || count(dir, "SELECT count(*) FROM rewrites") == 0);
}
