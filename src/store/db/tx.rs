//! A transaction as the queries of this layer see it: a connection and a fixed time.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::capacity;
use crate::store::db::after_job::AfterJob;
use crate::store::db::batch::Batch;
use crate::store::db::connection::Reader;
use crate::store::db::reader_cache::ReaderCache;
use crate::store::db::row_secrets::RowSecrets;
use crate::store::db::rows::internal;

/// An open transaction.
pub struct Tx<'c> {
    pub(in crate::store) connection: &'c Connection,
    /// State that this batch of writes keeps in memory until its commit; `None` when reading.
    pub(in crate::store) batch: Option<&'c Batch>,
    /// `None` when writing.
    reader: Option<&'c Reader>,
    /// Hooks to run after the job; `None` when reading.
    pub(in crate::store) after_job: Option<&'c dyn AfterJob>,
    pub(in crate::store) secrets: &'c RowSecrets,
    /// When the transaction began.
    pub now: Time,
}

impl<'c> Tx<'c> {
    pub(in crate::store) fn reading(reader: &'c Reader, secrets: &'c RowSecrets, now: Time) -> Self {
        Self { connection: reader.connection(), batch: None, reader: Some(reader), after_job: None, secrets, now }
    }

    /// While the store is opened: with the connection of the writer, which has not begun.
    pub(in crate::store) fn opening(connection: &'c Connection, secrets: &'c RowSecrets, now: Time) -> Self {
        Self { connection, batch: None, reader: None, after_job: None, secrets, now }
    }

    pub(in crate::store) fn writing(
        connection: &'c Connection,
        batch: &'c Batch,
        after_job: &'c dyn AfterJob,
        secrets: &'c RowSecrets,
        now: Time,
    ) -> Self {
        Self { connection, batch: Some(batch), reader: None, after_job: Some(after_job), secrets, now }
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(in crate::store) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        let statement = self.connection.prepare_cached(sql);
        statement.and_then(|mut statement| statement.execute(params)).map_err(internal)
    }

    /// The single row of a query; an internal error if there is none.
    pub(in crate::store) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let statement = self.connection.prepare_cached(sql);
        statement.and_then(|mut statement| statement.query_row(params, read)).map_err(internal)
    }

    /// The first row of a query, if there is one.
    pub(in crate::store) fn maybe<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let statement = self.connection.prepare_cached(sql);
        statement.and_then(|mut statement| statement.query_row(params, read).optional()).map_err(internal)
    }

    /// All rows of a query.
    pub(in crate::store) fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row) -> rusqlite::Result<T>,
    ) -> Result<C> {
        let statement = self.connection.prepare_cached(sql);
        statement.and_then(|mut statement| statement.query_map(params, read)?.collect()).map_err(internal)
    }

    /// Moves waiting entries up into the units that this job freed. The writer does so after each job; a job that
    /// returns the result calls it itself.
    pub fn fill_room(&self) -> Result<()> {
        let Some(after_job) = self.after_job else {
            return Ok(());
        };
        capacity::with_room(self).into_iter().try_for_each(|form_no| after_job.made_room(self, form_no))
    }

    /// Whether this is a write transaction, which may still be rolled back.
    pub fn is_writing(&self) -> bool {
        self.batch.is_some()
    }

    /// The reader's cache; `None` when writing.
    pub(in crate::store) fn cache(&self) -> Option<&'c ReaderCache> {
        self.reader.map(Reader::cache)
    }

    /// Checks that the time limit is not reached and the caller still waits. Call it between the steps of long work.
    ///
    /// # Errors
    /// 503.
    pub fn check_deadline(&self) -> Result<()> {
        self.reader.map_or(Ok(()), Reader::check_deadline)
    }
}
