//! Consistency checks of the database: pages, indexes, counters. Too slow for a request.

use std::time::Duration;

use r2d2::ManageConnection as _;
use rusqlite::{ErrorCode, params};

use crate::base::clock;
use crate::base::error::Result;
use crate::store::db::connection::{self, Readers};
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::counters;
use crate::store::{Store, transfer};

impl Store {
    /// Up to `limit` faults that SQLite's integrity check reports; empty if the file is intact. Corruption that stops
    /// the check is reported as a fault too.
    pub fn integrity_faults(&self, limit: usize) -> Result<Vec<String>> {
        // A connection of its own: this may take minutes, and the pool's readers have a time limit.
        let report = connection::open_reader(&self.shared.file).and_then(|connection| {
            let mut check = connection.prepare(&format!("PRAGMA integrity_check({limit})"))?;
            let lines = check.query_map([], |row| row.get(0))?;
            lines.collect::<rusqlite::Result<Vec<String>>>()
        });
        match report {
            Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
            Err(e) if is_file_fault(&e) => Ok(vec![e.to_string()]),
            Err(e) => Err(internal(e)),
        }
    }

    /// Runs `f` over one snapshot, however long it takes. The log can't be emptied meanwhile.
    pub fn read_at_length<T>(&self, f: impl FnOnce(&Tx) -> Result<T>) -> Result<T> {
        let readers = Readers::new(&self.shared.file, Duration::MAX);
        let mut reader = readers.connect().map_err(internal)?;
        reader.begin().map_err(internal)?;
        let out = f(&Tx::reading(&reader, &self.shared.secrets, clock::now()));
        reader.end();
        out
    }

    /// The numbers of forms whose counters differ from their entries. Forms with a running import are skipped.
    pub fn miscounted(&self) -> Result<Vec<i64>> {
        let connection = connection::open_reader(&self.shared.file).map_err(internal)?;
        connection
            .prepare(
                "SELECT c.form_no FROM form_counters c WHERE \
                 c.form_no NOT IN (SELECT form_no FROM imports WHERE first_serial IS NOT NULL AND told IS NULL) \
                 AND (c.live_count <> (SELECT count(*) FROM entries \
                     WHERE id > c.form_no << 32 AND id < (c.form_no + 1) << 32) \
                 OR c.trash_count <> (SELECT count(*) FROM entries_trash \
                     WHERE id > c.form_no << 32 AND id < (c.form_no + 1) << 32) \
                 OR c.next_serial <= (SELECT coalesce(max(id) & 0xffffffff, 0) FROM entries \
                     WHERE id > c.form_no << 32 AND id < (c.form_no + 1) << 32) \
                 OR c.next_serial <= (SELECT coalesce(max(id) & 0xffffffff, 0) FROM entries_trash \
                     WHERE id > c.form_no << 32 AND id < (c.form_no + 1) << 32))",
            )
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map_err(internal)
    }
}

/// Whether an error means that the file or its disk is damaged.
fn is_file_fault(e: &rusqlite::Error) -> bool {
    let code = e.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SystemIoFailure))
}

/// Whether any form has an entry.
pub fn has_entries(tx: &Tx) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM entries)", [], |row| row.get(0))
}

/// Recounts the entries of a form. Blocks other writes meanwhile.
pub fn recount(tx: &Tx, form_no: i64) -> Result<()> {
    if transfer::first_hidden(tx, form_no)?.is_some() {
        return Ok(());
    }
    let count = |table: &str| -> Result<(i64, i64)> {
        let ends = params![form_no << 32, (form_no + 1) << 32];
        tx.one(
            &format!(
                "SELECT count(*), coalesce(max(id) & 0xffffffff, 0) FROM {table} \
                 WHERE id > ?1 AND id < ?2"
            ),
            ends,
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    };
    let ((live, last), (trash, last_in_trash)) = (count("entries")?, count("entries_trash")?);
    counters::change(tx, form_no, |counters| {
        counters.live_count = live;
        counters.trash_count = trash;
        counters.next_serial = counters.next_serial.max(last.max(last_in_trash) + 1);
    })?;
    Ok(())
}
