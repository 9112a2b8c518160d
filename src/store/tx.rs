//! A transaction as the questions of this layer see it: a connection and one frozen moment.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::connection::Reader;
use crate::store::counters::Batch;
use crate::store::memo::Memo;
use crate::store::row_secrets::RowSecrets;
use crate::store::rows::internal;

/// An open transaction.
pub struct Tx<'c> {
    /// Where statements run.
    pub(in crate::store) connection: &'c Connection,
    /// The counters of this batch; none while reading.
    pub(in crate::store) batch: Option<&'c Batch>,
    /// Who reads; none while writing.
    reader: Option<&'c Reader>,
    /// What rows hold under the instance key.
    pub(in crate::store) secrets: &'c RowSecrets,
    /// When the transaction began.
    pub now: Time,
}

impl<'c> Tx<'c> {
    pub(in crate::store) fn reading(
        reader: &'c Reader,
        secrets: &'c RowSecrets,
        now: Time,
    ) -> Self {
        Self {
            connection: reader.connection(),
            batch: None,
            reader: Some(reader),
            secrets,
            now,
        }
    }

    pub(in crate::store) fn writing(
        connection: &'c Connection,
        batch: &'c Batch,
        secrets: &'c RowSecrets,
        now: Time,
    ) -> Self {
        Self {
            connection,
            batch: Some(batch),
            reader: None,
            secrets,
            now,
        }
    }

    /// Runs a statement; how many rows it changed.
    pub(in crate::store) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        let statement = self.connection.prepare_cached(sql);
        statement
            .and_then(|mut statement| statement.execute(params))
            .map_err(internal)
    }

    /// The one row of a query.
    pub(in crate::store) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let statement = self.connection.prepare_cached(sql);
        statement
            .and_then(|mut statement| statement.query_row(params, read))
            .map_err(internal)
    }

    /// The row of a query, if there is one.
    pub(in crate::store) fn maybe<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let statement = self.connection.prepare_cached(sql);
        statement
            .and_then(|mut statement| statement.query_row(params, read).optional())
            .map_err(internal)
    }

    /// All rows of a query.
    pub(in crate::store) fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row) -> rusqlite::Result<T>,
    ) -> Result<C> {
        let statement = self.connection.prepare_cached(sql);
        statement
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(internal)
    }

    /// Whether the transaction may still be rolled back with what it shows.
    pub fn is_writing(&self) -> bool {
        self.batch.is_some()
    }

    /// What the reader knows already; none while writing.
    pub(in crate::store) fn memo(&self) -> Option<&'c Memo> {
        self.reader.map(Reader::memo)
    }

    /// That there is time left and somebody waits for the answer: to be asked between the steps of long
    /// work.
    ///
    /// # Errors
    /// 503.
    pub fn go_on(&self) -> Result<()> {
        self.reader.map_or(Ok(()), Reader::go_on)
    }
}
