//! Connections to the database file: how each is set up, and the pool's way to make readers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

const BUSY: Duration = Duration::from_secs(5);
const STATEMENTS: usize = 128;

/// The connection that writes. Makes the file when there is none.
pub fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    common(&connection)?;
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages == 0 {
        // These only take effect before the file has its first page; set later, the second one writes,
        // and a newer database must not be touched (S84).
        connection.pragma_update(None, "page_size", 4096)?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    Ok(connection)
}

fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    common(&connection)?;
    connection.pragma_update(None, "cache_size", -2048)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn common(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // Without it a statement is planned again for other bound values: that cost more than running it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "mmap_size", 0)
}

/// Makes the pool's connections.
pub struct Readers {
    path: PathBuf,
}

impl Readers {
    /// Readers of one file.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }
}

impl r2d2::ManageConnection for Readers {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        open_reader(&self.path)
    }

    fn is_valid(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.execute_batch("")
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        // Left inside a transaction by a panic: its snapshot must not live on.
        !connection.is_autocommit()
    }
}
