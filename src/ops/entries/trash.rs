//! The trash of a form's entries (contract section 4). Entries in the trash don't count towards limits, and other
//! entries may use their unique values.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::fields::values::stored;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::IfMatch;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asked, Asker};
use crate::ops::entries::entry_lists::{self, ListRequest, Listed};
use crate::ops::entries::exact_keys::{self, Keys};
use crate::ops::entries::{self, Shape, idempotency, respondents};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, trash};
use crate::store::{capacity as counts, forms};

/// Moves an entry to the trash.
///
/// # Errors
/// 403, 404, 412.
pub fn put(app: &App, caller: &Caller, token: &str, serial: Option<i64>, if_match: IfMatch) -> Result<Ticket<i64>> {
    let (form, parsed, entry) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let entry = entries::live(tx, &form, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        if_match.check(&linked_entries::etag(&found, &parsed, &entry, tx.now)?)?;
        Ok((form, parsed, entry))
    })?;
    let by = By::caller(caller);
    Ok(app.store.submit(move |tx| {
        forms::check_version(tx, form.form_no, form.version)?;
        let current = entries::live(tx, &form, Some(entry.serial))?;
        if if_match != IfMatch::Absent && current.version != entry.version {
            return Err(Error::Stale);
        }
        move_to_trash(tx, &form, &parsed, &current)?;
        note(tx, by, Action::EntryDeleted, &form, entry.serial)?;
        Ok(entry.serial)
    }))
}

/// Moves a live entry to the trash, with its keys and what it takes.
pub(in crate::ops) fn move_to_trash(tx: &Tx, form: &Form, parsed: &ParsedForm, entry: &Entry) -> Result<()> {
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    let keys = exact_keys::of(parsed, &stored, &parsed.cx(tx.now, false));
    exact_keys::replace(tx, form.form_no, entry.serial, &keys, &Keys::new())?;
    let takes = capacity::taken(parsed, &stored, &entry.results);
    capacity::replace(tx, form.form_no, &takes, [])?;
    trash::put(tx, form.form_no, entry.serial)?;
    Ok(())
}

/// Lists the entries in the trash, by page.
///
/// # Errors
/// 400 for a cursor of another list, 404, 422 for an unknown field.
pub fn list(app: &App, caller: &Caller, token: &str, request: ListRequest, at: Issues) -> Result<Ticket<Listed>> {
    entry_lists::list(app, caller, token, Table::Trash, request, at)
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
) -> Result<(Arc<Shape>, Ticket<Entry>)> {
    let (form, shape, entry) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let entry = trashed(tx, &form, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        Ok((form, Arc::new(Shape { parsed, found }), entry))
    })?;
    let parsed = &shape.parsed;
    if_match.check(&shape.etag(&entry, clock::now())?)?;
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    let cx = parsed.cx(clock::now(), false);
    let unique = exact_keys::unique(parsed, &stored, &cx);
    let keys = exact_keys::of(parsed, &stored, &cx);
    let takes = capacity::demands(parsed, &stored, &entry.results, &Asked::default());
    let (again, by) = (Arc::clone(&shape), By::caller(caller));
    let ticket = app.store.submit(move |tx| {
        forms::check_version(tx, form.form_no, form.version)?;
        // The entry may have been restored, changed and deleted again since it was read.
        if trashed(tx, &form, Some(entry.serial))?.version != entry.version {
            return Err(Error::Stale);
        }
        exact_keys::refuse_taken(tx, form.form_no, &unique, None)?;
        respondents::check_restored(tx, form.form_no, &again.parsed.settings, entry.serial)?;
        capacity::refuse_full(tx, form.form_no, Asker::Collaborator, &[], &takes)?;
        let takes = takes.iter().map(|demand| &demand.taken);
        capacity::replace(tx, form.form_no, &[], takes)?;
        trash::restore(tx, form.form_no, entry.serial)?;
        exact_keys::add(tx, form.form_no, entry.serial, &keys)?;
        note(tx, by, Action::EntryRestored, &form, entry.serial)?;
        if entry.results.is_waiting {
            // It waits at its old place, or there is room by now.
            counts::note_room(tx, form.form_no);
            tx.fill_room()?;
            return entries::live(tx, &form, Some(entry.serial));
        }
        Ok(entry)
    });
    Ok((shape, ticket))
}

/// Permanently deletes an entry in the trash.
///
/// # Errors
/// 403, 404, 412.
pub fn remove(app: &App, caller: &Caller, token: &str, serial: Option<i64>, if_match: IfMatch) -> Result<Ticket<i64>> {
    let (form, entry) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let entry = trashed(tx, &form, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        if_match.check(&linked_entries::etag(&found, &parsed, &entry, tx.now)?)?;
        Ok((form, entry))
    })?;
    let (by, keys) = (By::caller(caller), app.store.shared_keys());
    Ok(app.store.submit(move |tx| {
        forms::check_version(tx, form.form_no, form.version)?;
        let current = trashed(tx, &form, Some(entry.serial))?;
        if if_match != IfMatch::Absent && current.version != entry.version {
            return Err(Error::Stale);
        }
        trash::remove(tx, form.form_no, entry.serial)?;
        idempotency::forget(tx, &keys, form.form_no, &current)?;
        note(tx, by, Action::EntryPurged, &form, entry.serial)?;
        Ok(entry.serial)
    }))
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
