//! Entries that were submitted by signed-in users. Each row names its respondent, so entries in the trash and
//! restored ones are counted without further bookkeeping.

use rusqlite::{OptionalExtension as _, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::id::EntryToken;
use crate::model::user::UserId;
use crate::store::db::rows::internal;
use crate::store::db::tx::Tx;
use crate::store::entries::{SERIALS, address, possible};

/// The token of the newest live entry of a user in a form.
pub fn answer_of(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<EntryToken>> {
    let low = form_no << 32;
    tx.maybe(
        "SELECT token FROM entries WHERE respondent = ?1 AND id > ?2 AND id < ?3 \
             ORDER BY id DESC LIMIT 1",
        params![user.0, low, low + SERIALS],
        |row| row.get(0).map(|token: String| EntryToken::new(token)),
    )
}

/// A user's submissions to a form.
pub struct Participation {
    pub form_no: i64,
    /// When they last submitted.
    pub last_at: Time,
    /// How often they submitted, including entries in the trash.
    pub count: i64,
}

/// The forms, except those in the trash, that a user has submitted to while signed in, latest first. Scans the index
/// only and reads one entry per form.
pub fn forms_of(tx: &Tx, user: UserId) -> Result<Vec<Participation>> {
    tx.all(
        "WITH mine (id, n) AS ( \
                 SELECT max(id), count(*) FROM entries WHERE respondent = ?1 GROUP BY id >> 32 \
                 UNION ALL \
                 SELECT max(id), count(*) FROM entries_trash WHERE respondent = ?1 GROUP BY id >> 32) \
             SELECT m.form_no, ifnull(e.created_at, t.created_at) AS last_at, m.n \
             FROM (SELECT id >> 32 AS form_no, max(id) AS id, sum(n) AS n FROM mine GROUP BY id >> 32) m \
             JOIN forms f ON f.form_no = m.form_no AND f.deleted_at IS NULL \
             LEFT JOIN entries e ON e.id = m.id LEFT JOIN entries_trash t ON t.id = m.id \
             ORDER BY last_at DESC, m.form_no DESC",
        [user.0],
        |row| Ok(Participation { form_no: row.get(0)?, last_at: Time::from_millis(row.get(1)?), count: row.get(2)? }),
    )
}

/// The user who submitted an entry that is in the trash.
pub fn of_trashed(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<UserId>> {
    if !possible(serial) {
        return Ok(None);
    }
    tx.connection
        .prepare_cached("SELECT respondent FROM entries_trash WHERE id = ?1")
        .and_then(|mut select| select.query_row([address(form_no, serial)], |row| row.get(0)).optional())
        .map(|respondent: Option<Option<i64>>| respondent.flatten().map(UserId))
        .map_err(internal)
}
