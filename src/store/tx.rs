//! A transaction as the questions of this layer see it: a connection and one frozen moment.

use rusqlite::Connection;

use crate::base::clock::Time;
use crate::store::connection::Reader;
use crate::store::counters::Batch;
use crate::store::entry_tokens::EntryTokens;
use crate::store::memo::Memo;

/// An open transaction.
pub struct Tx<'c> {
    /// Where statements run.
    pub(in crate::store) connection: &'c Connection,
    /// The counters of this batch; none while reading.
    pub(in crate::store) batch: Option<&'c Batch>,
    /// What the reader knows already; none while writing.
    pub(in crate::store) memo: Option<&'c Memo>,
    /// Makes the tokens of entries and reads them.
    pub(in crate::store) tokens: &'c EntryTokens,
    /// When the transaction began.
    pub now: Time,
}

impl<'c> Tx<'c> {
    pub(in crate::store) fn reading(
        reader: &'c Reader,
        tokens: &'c EntryTokens,
        now: Time,
    ) -> Self {
        Self {
            connection: reader.connection(),
            batch: None,
            memo: Some(reader.memo()),
            tokens,
            now,
        }
    }

    pub(in crate::store) fn writing(
        connection: &'c Connection,
        batch: &'c Batch,
        tokens: &'c EntryTokens,
        now: Time,
    ) -> Self {
        Self {
            connection,
            batch: Some(batch),
            memo: None,
            tokens,
            now,
        }
    }
}
