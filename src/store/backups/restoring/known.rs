//! Numbers given after the backup and known outside: new rows after a restore must not get them.

use rusqlite::Connection;

use crate::base::clock;
use crate::base::error::Result;
use crate::store::db::tx::Tx;

/// The mark of the last restore is kept beside the numbers that SQLite counts, under a name that no table has.
const MARK: &str = "restored";
/// In milliseconds.
const START_OF_2026: i64 = 1_767_225_600_000;

pub(in crate::store) fn go_on_beyond(connection: &Connection) -> rusqlite::Result<()> {
    let now = clock::now().millis();
    go_on_beyond_known_ids(connection, now)?;
    go_on_beyond_known_versions(connection, now)
}

/// Ids of events and deliveries are made from numbers. Numbers given after the backup are known outside, where reused
/// ones would hide new events: webhooks take an id once. So numbering continues where no number was given yet: for
/// events, of which a form can have 2^32, at two for each second since 2026. Streams begin anew: the events that they
/// sent after the backup no longer exist.
fn go_on_beyond_known_ids(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE form_counters SET next_event = max(next_event, 2 * ((?1 - ?2) / 1000))",
        [now, START_OF_2026],
    )?;
    set_sequence(connection, "outbox", now)?;
    connection
        .execute("UPDATE forms SET streamed_at = NULL, streamed_from = NULL WHERE streamed_at IS NOT NULL", [])?;
    Ok(())
}

/// ETags are made from versions, and a version read after the backup must not match a different one after the restore.
/// So versions continue where none was given yet: nothing is changed more than once a millisecond. Entries, of which
/// there may be a million and new ones in the place of lost ones, keep theirs; their ETags have the restore's mark
/// instead.
fn go_on_beyond_known_versions(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    let step = now - START_OF_2026;
    connection.execute(
        "UPDATE forms SET version = version + ?1, form_version = form_version + ?1, \
             settings_version = settings_version + ?1, theme_version = theme_version + ?1, \
             rules_version = rules_version + ?1",
        [step],
    )?;
    for table in ["public_queries", "webhooks"] {
        let sql = format!("UPDATE {table} SET version = version + ?1");
        connection.execute(&sql, [step])?;
    }
    set_sequence(connection, MARK, now)
}

/// The mark of the latest restore, which tells the restored database from earlier ones; `None` if it was never
/// restored.
///
/// # Errors
/// Internal.
pub fn mark(tx: &Tx) -> Result<Option<i64>> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    tx.maybe(sql, [MARK], |row| row.get(0))
}

/// Raises a number in the table of SQLite's counters.
fn set_sequence(connection: &Connection, name: &str, number: i64) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 \
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
        [name],
    )?;
    connection
        .execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", rusqlite::params![name, number])?;
    Ok(())
}
