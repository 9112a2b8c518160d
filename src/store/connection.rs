//! Connections to the database file: how each is set up, and the pool's way to make readers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, ffi};
use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Result;
use crate::store::memo::Memo;
use crate::store::rows;

pub(in crate::store) const BUSY: Duration = Duration::from_secs(5);
const STATEMENTS: usize = 128;
// Looking at the clock costs some 30 ns, so many steps are a fraction of a millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

/// A connection to the file, which is made when there is none. Until [`make_writer`], nothing changes in
/// the file or in its log, also not when it is closed: a newer database must not be touched (S84).
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

/// Makes it the connection that writes.
pub fn make_writer(connection: &Connection) -> rusqlite::Result<()> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    // SQLite opens what it can't write (another's file, a format from the future) to read it alone.
    if connection.is_readonly(MAIN_DB)? {
        return Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_READONLY),
            None,
        ));
    }
    if pages == 0 {
        // These only take effect before the file has its first page. Pages of 8,192 would waste less of the
        // file, but each commit writes whole ones.
        connection.pragma_update(None, "page_size", 4096)?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    // The writer does it between batches, where it sees whether it failed.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    // What is deleted is overwritten with zeros in its page; whole pages that become free are not.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

pub(in crate::store) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
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

/// A read-only connection whose statements are cut off when they take too long (S49).
pub struct Reader {
    connection: Connection,
    bounds: Arc<Bounds>,
    limit: Duration,
    memo: Memo,
}

/// When the running read ends.
struct Bounds {
    /// In milliseconds since 1970.
    until: AtomicI64,
    /// Who waits for it, where that may change.
    wanted: Mutex<Option<CancellationToken>>,
}

impl Bounds {
    fn is_late(&self) -> bool {
        clock::now().millis() > self.until.load(Ordering::Relaxed)
    }

    fn is_unwanted(&self) -> bool {
        let wanted = self.wanted.lock();
        wanted.is_ok_and(|wanted| wanted.as_ref().is_some_and(|it| it.is_cancelled()))
    }
}

impl Reader {
    fn open(path: &Path, limit: Duration) -> rusqlite::Result<Self> {
        let mut connection = open_reader(path)?;
        let bounds = Arc::new(Bounds {
            until: AtomicI64::new(i64::MAX),
            wanted: Mutex::default(),
        });
        let looked_at = Arc::clone(&bounds);
        let is_over = move || looked_at.is_late() || looked_at.is_unwanted();
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_over))?;
        Ok(Self {
            connection,
            bounds,
            limit,
            memo: Memo::default(),
        })
    }

    /// Begins a snapshot, and the time that reading from it may take.
    pub fn begin(&mut self) -> rusqlite::Result<()> {
        let limit = i64::try_from(self.limit.as_millis()).unwrap_or(i64::MAX);
        let until = clock::now().millis().saturating_add(limit);
        self.bounds.until.store(until, Ordering::Relaxed);
        // Prepared once: parsing it again would cost as much as a small query.
        self.connection
            .prepare_cached("BEGIN DEFERRED")?
            .execute([])?;
        self.memo.follow(&self.connection)
    }

    /// Lets the snapshot go. A read has nothing to keep. Where even this fails, the pool sees that the
    /// connection is still inside a transaction and drops it.
    pub fn end(&self) {
        self.bounds.until.store(i64::MAX, Ordering::Relaxed);
        let _ = self
            .connection
            .prepare_cached("COMMIT")
            .and_then(|mut commit| commit.execute([]));
    }

    /// Who waits for what is read from now on; none: somebody does until the end.
    pub fn watch(&self, wanted: Option<CancellationToken>) {
        if let Ok(mut watched) = self.bounds.wanted.lock() {
            *watched = wanted;
        }
    }

    /// That there is time left and somebody waits: SQLite asks for itself, what is done between its steps
    /// asks here.
    ///
    /// # Errors
    /// 503.
    pub fn go_on(&self) -> Result<()> {
        if self.bounds.is_late() || self.bounds.is_unwanted() {
            return Err(rows::too_slow());
        }
        Ok(())
    }

    /// What it knows from earlier reads.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Where statements run.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Makes the pool's connections.
pub struct Readers {
    path: PathBuf,
    limit: Duration,
}

impl Readers {
    /// Readers of one file, each read of which may take so long.
    pub fn new(path: &Path, limit: Duration) -> Self {
        Self {
            path: path.to_owned(),
            limit,
        }
    }
}

impl r2d2::ManageConnection for Readers {
    type Connection = Reader;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Reader> {
        Reader::open(&self.path, self.limit)
    }

    fn is_valid(&self, reader: &mut Reader) -> rusqlite::Result<()> {
        reader.connection.execute_batch("")
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        // Left inside a transaction: its snapshot must not live on.
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
        let readers = Readers::new(&path, Duration::from_millis(50));
        let mut reader = readers.connect().expect("connects");
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                       SELECT count(*) FROM n";
        let ask = |reader: &mut Reader, sql: &str| {
            reader.begin().expect("begins");
            let answer = reader
                .connection
                .query_row(sql, [], |row| row.get::<_, i64>(0));
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
