//! Connections to the database file: their configuration, and how the pool opens readers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, ffi};
use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::config::Checkpoints;
use crate::base::error::Result;
use crate::store::db::reader_cache::ReaderCache;
use crate::store::db::rows;

pub(in crate::store) const BUSY: Duration = Duration::from_secs(5);
const STATEMENTS: usize = 128;
// Reading the clock takes some 30 ns, and this many steps of SQLite's virtual machine a fraction of a millisecond.
const STEPS_BETWEEN_CHECKS: i32 = 10_000;

/// Opens the file, which is created if missing. Until [`make_writer`], neither the file nor its log changes, not even
/// on close: a database of a newer version must not be touched (S84).
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    common(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Configures the connection for writing. When it closes, the log still stays as it is.
pub fn make_writer(connection: &Connection) -> rusqlite::Result<()> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    // SQLite opens a file that it can't write (of another user, of a later format) as read-only.
    if connection.is_readonly(MAIN_DB)? {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY), None));
    }
    if pages == 0 {
        // These take effect only before the first page is written. Pages of 8,192 would waste less space in the file,
        // but each commit writes whole pages.
        connection.pragma_update(None, "page_size", 4096)?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    // The writer does checkpoints between batches, where it sees failures.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    // Deleted content is overwritten with zeros, in pages that become free too: no later backup carries it (S101).
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(())
}

/// The database file, and the checkpoint setting of its connections.
#[derive(Clone, Debug)]
pub struct DatabaseFile {
    pub path: PathBuf,
    pub checkpoints: Checkpoints,
}

impl DatabaseFile {
    /// Decides whether this connection, if it is the last one, writes the log back when it closes and removes it.
    pub fn set_up_close(&self, connection: &Connection) -> rusqlite::Result<()> {
        let is_left = self.checkpoints == Checkpoints::External;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_left)?;
        Ok(())
    }
}

pub(in crate::store) fn open_reader(file: &DatabaseFile) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        &file.path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    common(&connection)?;
    file.set_up_close(&connection)?;
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
    // Without it SQLite plans a statement again for other bound values, which took longer than running it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "mmap_size", 0)
}

/// A read-only connection whose statements are interrupted when they take too long (S49).
pub struct Reader {
    connection: Connection,
    limits: Arc<ReadLimits>,
    limit: Duration,
    cache: ReaderCache,
}

/// The limits of the current read.
struct ReadLimits {
    /// In milliseconds since 1970.
    deadline: AtomicI64,
    /// Cancels the read when its caller no longer waits.
    cancellation: Mutex<Option<CancellationToken>>,
}

impl ReadLimits {
    fn is_late(&self) -> bool {
        clock::now().millis() > self.deadline.load(Ordering::Relaxed)
    }

    fn is_cancelled(&self) -> bool {
        let token = self.cancellation.lock();
        token.is_ok_and(|token| token.as_ref().is_some_and(|it| it.is_cancelled()))
    }
}

impl Reader {
    fn open(file: &DatabaseFile, limit: Duration) -> rusqlite::Result<Self> {
        let mut connection = open_reader(file)?;
        let limits = Arc::new(ReadLimits { deadline: AtomicI64::new(i64::MAX), cancellation: Mutex::default() });
        let checked = Arc::clone(&limits);
        let is_over = move || checked.is_late() || checked.is_cancelled();
        connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(is_over))?;
        Ok(Self { connection, limits, limit, cache: ReaderCache::default() })
    }

    /// Begins a snapshot and starts its time limit.
    pub fn begin(&mut self) -> rusqlite::Result<()> {
        let limit = i64::try_from(self.limit.as_millis()).unwrap_or(i64::MAX);
        let deadline = clock::now().millis().saturating_add(limit);
        self.limits.deadline.store(deadline, Ordering::Relaxed);
        // Cached: parsing it again would take as long as a small query.
        self.connection.prepare_cached("BEGIN DEFERRED")?.execute([])?;
        self.cache.refresh(&self.connection)
    }

    /// Ends the snapshot. If that fails, the pool sees that the connection is still inside a transaction and drops it.
    pub fn end(&self) {
        self.limits.deadline.store(i64::MAX, Ordering::Relaxed);
        let _ = self.connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
    }

    /// Sets the token that cancels the following reads; `None` if they can't be cancelled.
    pub fn cancel_with(&self, token: Option<CancellationToken>) {
        if let Ok(mut cancellation) = self.limits.cancellation.lock() {
            *cancellation = token;
        }
    }

    /// Checks that the time limit is not reached and the caller still waits. SQLite's progress handler checks during
    /// statements; code that runs between them calls this.
    ///
    /// # Errors
    /// 503.
    pub fn check_deadline(&self) -> Result<()> {
        if self.limits.is_late() || self.limits.is_cancelled() {
            return Err(rows::too_slow());
        }
        Ok(())
    }

    /// Rows of earlier reads.
    pub fn cache(&self) -> &ReaderCache {
        &self.cache
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Opens the pool's connections.
pub struct Readers {
    file: DatabaseFile,
    limit: Duration,
}

impl Readers {
    /// Readers of the file, each read of which may take `limit`.
    pub fn new(file: &DatabaseFile, limit: Duration) -> Self {
        Self { file: file.clone(), limit }
    }
}

impl r2d2::ManageConnection for Readers {
    type Connection = Reader;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Reader> {
        Reader::open(&self.file, self.limit)
    }

    fn is_valid(&self, reader: &mut Reader) -> rusqlite::Result<()> {
        reader.connection.execute_batch("")
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        // It was left inside a transaction: its snapshot must not be used again.
        !reader.connection.is_autocommit()
    }
}

#[cfg(test)]
mod tests {
    use r2d2::ManageConnection as _;

    use super::*;

    #[test]
    fn a_read_that_takes_too_long_is_cut_off_and_the_next_one_is_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("test.db");
        let writer = open(&path).expect("opens");
        make_writer(&writer).expect("a database");
        let file = DatabaseFile { path, checkpoints: Checkpoints::Own };
        let readers = Readers::new(&file, Duration::from_millis(50));
        let mut reader = readers.connect().expect("connects");
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                       SELECT count(*) FROM n";
        let ask = |reader: &mut Reader, sql: &str| {
            reader.begin().expect("begins");
            let answer = reader.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            reader.end();
            answer
        };
        let cut = ask(&mut reader, endless).expect_err("it never ends");
        let code = cut.sqlite_error_code();
        assert_eq!(code, Some(rusqlite::ErrorCode::OperationInterrupted));
        assert!(!readers.has_broken(&mut reader));
        assert_eq!(ask(&mut reader, "SELECT 7").expect("answers"), 7);
    }
}
