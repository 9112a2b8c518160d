//! The trash of a form's entries (contract section 4). Entries in the trash don't count towards limits, and other
//! entries may use their unique values.

use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::fields::values::stored;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::IfMatch;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asker, RequestedLists};
use crate::ops::entries::exact_keys::{self, Keys};
use crate::ops::entries::{self, EntryView, Shape, idempotency, respondents};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::trash;
use crate::store::{capacity as counts, forms};

/// Moves an entry to the trash.
///
/// # Errors
/// 403, 404, 412.
pub fn put(app: &App, caller: &Caller, token: &str, serial: Option<i64>, if_match: IfMatch) -> Result<Ticket<i64>> {
    let (by, cache) = (By::caller(caller), Arc::clone(&app.cache));
    let (caller, token) = (caller.clone(), token.to_owned());
    let prepare = move |tx: &Tx| {
        let form = access::form_for(tx, &caller, &token, Right::Enter)?;
        let parsed = cache.parsed(tx, &form)?;
        let entry = entries::live(tx, &form, serial)?;
        let found = linked_entries::of_entries(&cache, tx, &parsed, [&entry])?;
        if_match.check(&linked_entries::etag(&found, &parsed, &entry, tx.now)?)?;
        Ok((form, parsed, entry))
    };
    app.prepare(prepare, move |tx, (form, parsed, entry)| {
        forms::check_version(tx, form.form_no, form.version)?;
        check_current(&entries::live(tx, &form, serial)?, &entry)?;
        move_to_trash(tx, &form, &parsed, &entry)?;
        note(tx, by, Action::EntryDeleted, &form, entry.serial)?;
        Ok(entry.serial)
    })
}

/// Moves these entries to the trash, as far as they are live, all at once; returns their serial numbers.
///
/// # Errors
/// 403, 404 for the form.
pub fn put_many(app: &App, caller: &Caller, token: &str, serials: Vec<i64>) -> Result<Ticket<Vec<i64>>> {
    let (by, cache) = (By::caller(caller), Arc::clone(&app.cache));
    let (caller, token) = (caller.clone(), token.to_owned());
    let prepare = move |tx: &Tx| {
        let form = access::form_for(tx, &caller, &token, Right::Enter)?;
        let parsed = cache.parsed(tx, &form)?;
        let found = serials.iter().filter_map(|serial| match entries::live(tx, &form, Some(*serial)) {
            Err(Error::NotFound(_)) => None,
            other => Some(other),
        });
        let found = found.collect::<Result<Vec<_>>>()?;
        Ok((form, parsed, found))
    };
    app.prepare(prepare, move |tx, (form, parsed, found)| {
        forms::check_version(tx, form.form_no, form.version)?;
        for entry in &found {
            check_current(&entries::live(tx, &form, Some(entry.serial))?, entry)?;
            move_to_trash(tx, &form, &parsed, entry)?;
            note(tx, by, Action::EntryDeleted, &form, entry.serial)?;
        }
        Ok(found.iter().map(|entry| entry.serial).collect())
    })
}

/// Checks that an entry is still the one that the change was prepared for.
///
/// # Errors
/// `Stale`.
fn check_current(current: &Entry, prepared: &Entry) -> Result<()> {
    if current.version == prepared.version { Ok(()) } else { Err(Error::Stale) }
}

/// Moves a live entry to the trash, with its keys and its amounts.
pub(in crate::ops) fn move_to_trash(tx: &Tx, form: &Form, parsed: &ParsedForm, entry: &Entry) -> Result<()> {
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    let keys = exact_keys::of(parsed, &stored, &parsed.cx(tx.now, false));
    exact_keys::replace(tx, form.form_no, entry.serial, &keys, &Keys::new())?;
    let takes = capacity::taken_amounts(parsed, &stored, &entry.results);
    capacity::replace(tx, form.form_no, &takes, [])?;
    trash::put(tx, form.form_no, entry.serial)?;
    Ok(())
}

/// Restores an entry with its old serial number and token.
///
/// # Errors
/// 403, 404, 409 if the respondent has submitted again or there is no room, 412, 422 if one of its unique values is in use.
pub fn restore(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    if_match: IfMatch,
) -> Result<Ticket<EntryView>> {
    let (by, cache) = (By::caller(caller), Arc::clone(&app.cache));
    let (caller, token) = (caller.clone(), token.to_owned());
    let prepare = move |tx: &Tx| {
        let form = access::form_for(tx, &caller, &token, Right::Enter)?;
        let parsed = cache.parsed(tx, &form)?;
        let entry = trashed(tx, &form, serial)?;
        let found = linked_entries::of_entries(&cache, tx, &parsed, [&entry])?;
        let shape = Shape { parsed, found };
        if_match.check(&shape.etag(&entry, tx.now)?)?;
        Ok((form, EntryView { entry, shape: Arc::new(shape) }))
    };
    app.prepare(prepare, move |tx, (form, view)| {
        let EntryView { entry, shape } = view;
        let parsed = &shape.parsed;
        forms::check_version(tx, form.form_no, form.version)?;
        // The entry may have been restored, changed and deleted again since it was read.
        check_current(&trashed(tx, &form, serial)?, &entry)?;
        take_back(tx, &form, parsed, &entry)?;
        note(tx, by, Action::EntryRestored, &form, entry.serial)?;
        if entry.results.is_waiting {
            return Ok(EntryView { entry: entries::live(tx, &form, serial)?, shape });
        }
        Ok(EntryView { entry, shape })
    })
}

/// Moves an entry from the trash back to the live ones, with its keys and its amounts. A refused entry stays.
///
/// # Errors
/// 409 if the respondent has submitted again or there is no room, 422 if one of its unique values is in use.
pub(in crate::ops) fn take_back(tx: &Tx, form: &Form, parsed: &ParsedForm, entry: &Entry) -> Result<()> {
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    let cx = parsed.cx(tx.now, false);
    exact_keys::refuse_taken(tx, form.form_no, &exact_keys::unique(parsed, &stored, &cx), None)?;
    respondents::check_restored(tx, form.form_no, &parsed.settings, entry.serial)?;
    let takes = capacity::demands(parsed, &stored, &entry.results, &RequestedLists::default());
    capacity::refuse_full(tx, form.form_no, Asker::Collaborator, &[], &takes)?;
    let takes = takes.iter().map(|demand| &demand.taken);
    capacity::replace(tx, form.form_no, &[], takes)?;
    trash::restore(tx, form.form_no, entry.serial)?;
    exact_keys::add(tx, form.form_no, entry.serial, &exact_keys::of(parsed, &stored, &cx))?;
    if entry.results.is_waiting {
        // It waits at its old place, or there is room by now.
        counts::note_room(tx, form.form_no);
        tx.fill_room()?;
    }
    Ok(())
}

/// An entry in the trash, for a caller who may delete it.
///
/// # Errors
/// 403, 404.
pub fn find(app: &App, caller: &Caller, token: &str, serial: Option<i64>) -> Result<Entry> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        trashed(tx, &form, serial)
    })
}

/// Permanently deletes an entry in the trash.
///
/// # Errors
/// 403, 404, 412.
pub fn remove(app: &App, caller: &Caller, token: &str, serial: Option<i64>, if_match: IfMatch) -> Result<Ticket<i64>> {
    let (by, cache, keys) = (By::caller(caller), Arc::clone(&app.cache), app.store.shared_keys());
    let (caller, token) = (caller.clone(), token.to_owned());
    let prepare = move |tx: &Tx| {
        let form = access::form_for(tx, &caller, &token, Right::Enter)?;
        let parsed = cache.parsed(tx, &form)?;
        let entry = trashed(tx, &form, serial)?;
        let found = linked_entries::of_entries(&cache, tx, &parsed, [&entry])?;
        if_match.check(&linked_entries::etag(&found, &parsed, &entry, tx.now)?)?;
        Ok((form, entry))
    };
    app.prepare(prepare, move |tx, (form, entry)| {
        forms::check_version(tx, form.form_no, form.version)?;
        check_current(&trashed(tx, &form, serial)?, &entry)?;
        trash::remove(tx, form.form_no, entry.serial)?;
        idempotency::forget(tx, &keys, form.form_no, &entry)?;
        note(tx, by, Action::EntryPurged, &form, entry.serial)?;
        Ok(entry.serial)
    })
}

fn note(tx: &Tx, by: By, action: Action, form: &Form, serial: i64) -> Result<()> {
    audit::note_about(tx, by, action, &serial.to_string(), form)
}

fn trashed(tx: &Tx, form: &Form, serial: Option<i64>) -> Result<Entry> {
    serial
        .map(|serial| trash::by_serial(tx, form.form_no, serial))
        .transpose()?
        .flatten()
        .ok_or(Error::NotFound(Noun::Entry))
}
