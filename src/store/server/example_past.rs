//! The past of an example, whose forms and entries are made at its start: creation times of forms and entries. To be
//! set before anything of the form was served, listed or sealed.

use rusqlite::params;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::store::db::tx::Tx;
use crate::store::entries::{self, counters};

/// Arrival of an entry, as if its respondent had sent it.
pub struct Arrival {
    pub at: Time,
    pub duration_secs: i64,
    /// The time of its last change, if there was one.
    pub changed_at: Option<Time>,
    /// From the form's address.
    pub x_field_1: Option<String>,
}

/// Moves a form to `made_at`, and its entries, from serial number 1 on, to the times of `arrivals`: as many, none
/// earlier than the one before, none in the future.
///
/// # Errors
/// Internal if the entries are others.
pub fn give(tx: &Tx, form_no: i64, made_at: Time, arrivals: &[Arrival]) -> Result<()> {
    let counters = counters::of_form(tx, form_no)?;
    let is_ordered = arrivals.is_sorted_by_key(|arrival| arrival.at);
    let last = arrivals.last().map(|arrival| arrival.at);
    let fits = i64::try_from(arrivals.len()) == Ok(counters.next_serial - 1) && counters.sealed_upto == 0;
    if !fits || !is_ordered || last.is_some_and(|last| last > tx.now) {
        return Err(Error::internal("the entries of an example have another past"));
    }
    tx.run("UPDATE forms SET created_at = ?2 WHERE form_no = ?1", params![form_no, made_at.millis()])?;
    tx.run("UPDATE form_versions SET created_at = ?2 WHERE form_no = ?1", params![form_no, made_at.millis()])?;
    for (serial, arrival) in (1..).zip(arrivals) {
        tx.run(
            "UPDATE entries SET created_at = ?2, updated_at = ?5, duration_secs = ?3, x_field_1 = ?4, \
                 creator_name = NULL WHERE id = ?1",
            params![
                entries::address(form_no, serial),
                arrival.at.millis(),
                arrival.duration_secs,
                arrival.x_field_1.as_deref(),
                arrival.changed_at.unwrap_or(arrival.at).millis(),
            ],
        )?;
    }
    counters::change(tx, form_no, |counters| counters.last_entry_at = last)?;
    Ok(())
}
