//! A transaction as the questions of this layer see it: a connection and one frozen moment.

use rusqlite::Connection;

use crate::base::clock::Time;
use crate::store::counters::Batch;

/// An open transaction.
pub struct Tx<'c> {
    /// Where statements run.
    pub(in crate::store) connection: &'c Connection,
    /// The counters of this batch; none while reading.
    pub(in crate::store) batch: Option<&'c Batch>,
    /// When the transaction began.
    pub now: Time,
}

impl<'c> Tx<'c> {
    pub(in crate::store) fn reading(connection: &'c Connection, now: Time) -> Self {
        Self {
            connection,
            batch: None,
            now,
        }
    }

    pub(in crate::store) fn writing(
        connection: &'c Connection,
        batch: &'c Batch,
        now: Time,
    ) -> Self {
        Self {
            connection,
            batch: Some(batch),
            now,
        }
    }
}
