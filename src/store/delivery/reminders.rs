//! The bookings that respondents were reminded of.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::store::db::tx::Tx;

/// The forms that remind respondents of bookings.
pub fn forms(tx: &Tx) -> Result<Vec<i64>> {
    tx.all(
        "SELECT form_no FROM forms INDEXED BY forms_reminding \
             WHERE settings ->> '$.notifications.reminder.enabled' = 1 AND deleted_at IS NULL",
        [],
        |row| row.get(0),
    )
}

/// True if a respondent was reminded of a booking that begins then.
pub fn is_noted(tx: &Tx, form_no: i64, serial: i64, starts_at: Time) -> Result<bool> {
    tx.one(
        "SELECT EXISTS (SELECT 1 FROM reminders WHERE form_no = ?1 AND serial = ?2 AND starts_at = ?3)",
        params![form_no, serial, starts_at.millis()],
        |row| row.get(0),
    )
}

/// Notes that a respondent was reminded of a booking that begins then.
pub fn note(tx: &Tx, form_no: i64, serial: i64, starts_at: Time) -> Result<()> {
    tx.run(
        "INSERT OR IGNORE INTO reminders (form_no, serial, starts_at) VALUES (?1, ?2, ?3)",
        params![form_no, serial, starts_at.millis()],
    )?;
    Ok(())
}

/// True if there are bookings that began before a moment.
pub fn is_any_before(tx: &Tx, moment: Time) -> Result<bool> {
    tx.one("SELECT EXISTS (SELECT 1 FROM reminders WHERE starts_at < ?1)", [moment.millis()], |row| row.get(0))
}

/// Forgets bookings that began before a moment.
pub fn forget_before(tx: &Tx, moment: Time) -> Result<usize> {
    tx.run("DELETE FROM reminders WHERE starts_at < ?1", [moment.millis()])
}
