//! The entries of people who submitted them while signed in. Each row says whose it is, so that what lies
//! in the trash, or left it again, counts as it should by itself.

use rusqlite::{OptionalExtension as _, params};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::id::EntryToken;
use crate::model::user::UserId;
use crate::store::entries::{SERIALS, address, possible};
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// The token of the newest live entry that a user submitted to a form.
pub fn answer_of(tx: &Tx, form_no: i64, user: UserId) -> Result<Option<EntryToken>> {
    let low = form_no << 32;
    tx.maybe(
        "SELECT token FROM entries WHERE respondent = ?1 AND id > ?2 AND id < ?3 \
             ORDER BY id DESC LIMIT 1",
        params![user.0, low, low + SERIALS],
        |row| row.get(0).map(|token: String| EntryToken::new(token)),
    )
}

/// How somebody has taken part in a form.
pub struct Participation {
    /// The form.
    pub form_no: i64,
    /// When they last submitted to it.
    pub last_at: Time,
    /// How often they did, be it that the entry lies in the trash.
    pub count: i64,
}

/// The forms, the trash aside, that a user has submitted to while signed in: the latest first. The index
/// alone is walked; one entry of each form is looked at.
pub fn forms_of(tx: &Tx, user: UserId) -> Result<Vec<Participation>> {
    tx.all("WITH mine (id, n) AS ( \
                 SELECT max(id), count(*) FROM entries WHERE respondent = ?1 GROUP BY id >> 32 \
                 UNION ALL \
                 SELECT max(id), count(*) FROM entries_trash WHERE respondent = ?1 GROUP BY id >> 32) \
             SELECT m.form_no, ifnull(e.created_at, t.created_at) AS last_at, m.n \
             FROM (SELECT id >> 32 AS form_no, max(id) AS id, sum(n) AS n FROM mine GROUP BY id >> 32) m \
             JOIN forms f ON f.form_no = m.form_no AND f.deleted_at IS NULL \
             LEFT JOIN entries e ON e.id = m.id LEFT JOIN entries_trash t ON t.id = m.id \
             ORDER BY last_at DESC, m.form_no DESC", [user.0], |row| {
                    Ok(Participation {
                        form_no: row.get(0)?,
                        last_at: Time::from_millis(row.get(1)?),
                        count: row.get(2)?,
                    })
                })
}

/// Who submitted an entry that is in the trash.
pub fn of_trashed(tx: &Tx, form_no: i64, serial: i64) -> Result<Option<UserId>> {
    if !possible(serial) {
        return Ok(None);
    }
    tx.connection
        .prepare_cached("SELECT respondent FROM entries_trash WHERE id = ?1")
        .and_then(|mut select| {
            select
                .query_row([address(form_no, serial)], |row| row.get(0))
                .optional()
        })
        .map(|found: Option<Option<i64>>| found.flatten().map(UserId))
        .map_err(internal)
}
