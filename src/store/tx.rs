//! A transaction as the questions of this layer see it: a connection and one frozen moment.

use rusqlite::Connection;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::connection::Reader;
use crate::store::counters::Batch;
use crate::store::entry_tokens::EntryTokens;
use crate::store::memo::Memo;
use crate::store::recent_keys::Recent;

/// An open transaction.
pub struct Tx<'c> {
    /// Where statements run.
    pub(in crate::store) connection: &'c Connection,
    /// The counters of this batch; none while reading.
    pub(in crate::store) batch: Option<&'c Batch>,
    /// The keys that the writer knows by heart; none while reading.
    recent: Option<&'c Recent>,
    /// Who reads; none while writing.
    reader: Option<&'c Reader>,
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
            recent: None,
            reader: Some(reader),
            tokens,
            now,
        }
    }

    pub(in crate::store) fn writing(
        connection: &'c Connection,
        batch: &'c Batch,
        recent: &'c Recent,
        tokens: &'c EntryTokens,
        now: Time,
    ) -> Self {
        Self {
            connection,
            batch: Some(batch),
            recent: Some(recent),
            reader: None,
            tokens,
            now,
        }
    }

    /// The keys that the writer knows by heart; none while reading.
    pub(in crate::store) fn recent(&self) -> Option<&'c Recent> {
        self.recent
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
