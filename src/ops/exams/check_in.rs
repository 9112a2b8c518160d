//! Check-in: by its verification code, an entry is marked as there, once.

use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::results::ReservationStatus;
use crate::ops::app::App;
use crate::ops::entries;
use crate::ops::exams::verification::{self, code_of};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::capacity::waiting;
use crate::store::db::tx::Tx;
use crate::store::entries::check_ins;
pub use crate::store::entries::check_ins::CheckIn;
use crate::store::entries::entry_keys::{self, CODE};
use crate::store::entries::trash;

/// Result of a check-in by code.
#[derive(Debug)]
pub enum CheckedIn {
    /// The entry is there, since now.
    New(i64),
    /// It was there before.
    Again(i64),
    Refused(Refusal),
}

/// Why nobody is let in by a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No entry has the code.
    Unknown,
    /// Its entry is in the trash.
    InTrash,
    /// The booking was cancelled.
    Cancelled,
    /// The entry waits for room.
    Waiting,
}

/// How many are there, of those who may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attendance {
    pub there: i64,
    pub all: i64,
}

/// Whether the entries of a form can be checked in.
pub fn is_possible(parsed: &ParsedForm) -> bool {
    parsed.settings.verification_code.enabled
}

fn form_for(cache: &Cache, tx: &Tx, caller: &Caller, token: &str) -> Result<Form> {
    let form = access::form_for(tx, caller, token, Right::Enter)?;
    let parsed = cache.parsed(tx, &form)?;
    if is_possible(&parsed) { Ok(form) } else { Err(Error::NotFound(Noun::Page)) }
}

/// Marks the entry whose code was typed, or whose verification link was.
///
/// # Errors
/// 403, 404 also for a form without codes, 503.
pub fn mark(app: &App, caller: &Caller, token: &str, typed: &str) -> Result<CheckedIn> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let code = code_of(within_link(typed)).unwrap_or_default();
    app.store.write(move |tx| {
        let form = form_for(&cache, tx, &caller, &token)?;
        let form_no = form.form_no;
        let Some(entry) = verification::find(tx, form_no, &code)? else {
            return Ok(CheckedIn::Refused(absent(tx, form_no, &code)?));
        };
        if entry.results.is_waiting {
            return Ok(CheckedIn::Refused(Refusal::Waiting));
        }
        if entry.results.reservation_status == Some(ReservationStatus::Cancelled) {
            return Ok(CheckedIn::Refused(Refusal::Cancelled));
        }
        let is_new = check_ins::mark(tx, form_no, entry.serial, caller.user.id)?;
        Ok(if is_new { CheckedIn::New(entry.serial) } else { CheckedIn::Again(entry.serial) })
    })
}

/// The code in a verification link, or all of the text.
fn within_link(typed: &str) -> &str {
    let typed = typed.trim();
    let code = typed.split_once("code=").filter(|(before, _)| before.contains("/verify?"));
    code.map_or(typed, |(_, after)| after.split(['&', '#']).next().unwrap_or_default())
}

/// Why no live entry has a code.
fn absent(tx: &Tx, form_no: i64, code: &str) -> Result<Refusal> {
    for serial in entry_keys::with_key(tx, form_no, CODE, code, 1)? {
        if trash::by_serial(tx, form_no, serial)?.is_some_and(|entry| entry.results.gen_code.as_deref() == Some(code)) {
            return Ok(Refusal::InTrash);
        }
    }
    Ok(Refusal::Unknown)
}

/// Takes the mark of an entry away. False if it had none.
///
/// # Errors
/// 403, 404, 503.
pub fn unmark(app: &App, caller: &Caller, token: &str, serial: Option<i64>) -> Result<bool> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = form_for(&cache, tx, &caller, &token)?;
        let entry = entries::live(tx, &form, serial)?;
        check_ins::unmark(tx, form.form_no, entry.serial)
    })
}

/// The check-in of an entry, for callers who may read it.
///
/// # Errors
/// 404.
pub fn of_entry(app: &App, caller: &Caller, token: &str, serial: i64) -> Result<Option<CheckIn>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        Ok(check_ins::of_entries(tx, form.form_no, &[serial])?.remove(&serial))
    })
}

/// How many are there: of all entries but those that wait or whose booking was cancelled.
///
/// # Errors
/// 403, 404 also for a form without codes, 503.
pub fn attendance(app: &App, caller: &Caller, token: &str) -> Result<Attendance> {
    app.store.read(|tx| {
        let form = form_for(&app.cache, tx, caller, token)?;
        let there = check_ins::count(tx, form.form_no)?;
        let absent = waiting::count(tx, form.form_no)? + check_ins::count_cancelled(tx, form.form_no)?;
        Ok(Attendance { there, all: (form.entries_count - absent).max(there) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_out_of_links() {
        for (typed, code) in [
            (" acd34 ", "acd34"),
            ("https://example.org/f/abc/verify?code=ACD34", "ACD34"),
            ("https://example.org/f/abc/verify?code=ACD34&x=1#y", "ACD34"),
            ("code=ACD34", "code=ACD34"),
        ] {
            assert_eq!(within_link(typed), code);
        }
    }
}
