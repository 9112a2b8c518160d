//! Builds the unique index of fields that become unique, in small writes between which others write, and drops it when
//! a field no longer needs it.

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::fields::Field;
use crate::fields::definition::{Definition, Edit};
use crate::fields::kind::Cx;
use crate::fields::values::stored;
use crate::model::entry::Entry;
use crate::ops::app::App;
use crate::ops::entries::exact_keys;
use crate::ops::forms::form_view::FormView;
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::entries::entry_keys::{self, IndexState};
use crate::store::entries::{Table, listing};
use crate::store::forms;

/// Entries, or keys, of one write.
const BATCH: usize = 1000;

/// The numbers of the fields that must be unique.
pub fn unique_numbers(definition: &Definition) -> Vec<u32> {
    definition.fields.iter().filter(|field| field.unique).map(Field::number).collect()
}

/// Marks the index of a form without entries as complete.
pub fn start_empty(tx: &Tx, form_no: i64, unique: &[u32]) -> Result<()> {
    unique.iter().try_for_each(|field| entry_keys::set_state(tx, form_no, *field, IndexState::Ready))
}

/// The fields that need an index. Keys that they may have are left from an interrupted build and say nothing.
pub fn newly(edit: &Edit) -> Vec<u32> {
    edit.newly_unique.iter().filter_map(|api_code| edit.definition.fields.get(api_code).map(Field::number)).collect()
}

/// How far a build got.
pub struct Built {
    /// The form's version after it.
    pub version: i64,
    /// The last entry that has its keys.
    pub last_serial: i64,
    /// When it began: entries changed since are looked at again.
    pub since: Time,
}

/// Builds the index of fields in small writes. Each checks the form's version: a later edit makes this one `Stale`.
///
/// # Errors
/// Internal; `Stale` when the form changed meanwhile.
pub fn build(app: &App, old: &FormView, newly: &[u32]) -> Result<Built> {
    let (form_no, version) = (old.form.form_no, old.form.version);
    if newly.is_empty() {
        return Ok(Built { version, last_serial: i64::MAX, since: clock::now() });
    }
    // Keys from a time when the field was unique before are outdated.
    let version = begin(app, form_no, version, newly, IndexState::Dropping)?;
    for field in newly.iter().copied() {
        while app.store.write(move |tx| {
            forms::check_version(tx, form_no, version)?;
            entry_keys::drop_some(tx, form_no, field, BATCH)
        })? {}
    }
    // From here on, every submission adds its own keys.
    let version = begin(app, form_no, version, newly, IndexState::Building)?;
    let since = clock::now();
    let mut last_serial = 0;
    loop {
        let (parsed, fields) = (Arc::clone(&old.parsed), newly.to_vec());
        let after = last_serial;
        let (upto, more) = app.store.write(move |tx| {
            forms::check_version(tx, form_no, version)?;
            build_batch(tx, form_no, &parsed, &fields, after)
        })?;
        last_serial = upto;
        if !more {
            return Ok(Built { version, last_serial, since });
        }
    }
}

/// Begins a step of the build; the form's version after it.
fn begin(app: &App, form_no: i64, version: i64, fields: &[u32], state: IndexState) -> Result<i64> {
    let fields = fields.to_vec();
    app.store.write(move |tx| {
        forms::check_version(tx, form_no, version)?;
        for field in fields {
            entry_keys::set_state(tx, form_no, field, state)?;
        }
        forms::touch(tx, form_no)
    })
}

fn build_batch(tx: &Tx, form_no: i64, parsed: &ParsedForm, numbers: &[u32], after: i64) -> Result<(i64, bool)> {
    let cx = parsed.cx(tx.now, false);
    let batch = listing::walk(tx, form_no, Table::Live, after, BATCH)?;
    for entry in &batch {
        let stored = stored::values(&entry.values).map_err(Error::internal)?;
        for field in parsed.definition.fields.iter() {
            if numbers.contains(&field.number())
                && let Some(key) = exact_keys::of_field(field, &stored, &cx)
            {
                entry_keys::insert(tx, form_no, field.number(), &key, entry.serial)?;
            }
        }
    }
    let upto = batch.last().map_or(after, |entry| entry.serial);
    Ok((upto, batch.len() == BATCH))
}

/// Refuses fields of which two entries have the same value.
///
/// # Errors
/// 422 with all such fields.
pub fn no_doubles(app: &App, form_no: i64, new: &Definition, newly: &[u32]) -> Result<()> {
    let mut faults = Vec::new();
    for (i, field) in new.fields.iter().enumerate() {
        if newly.contains(&field.number())
            && app.store.read(|tx| entry_keys::has_doubles(tx, form_no, field.number()))?
        {
            faults.push(double_at(i));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
}

/// Refuses an entry that has a value of these fields in common with another.
///
/// # Errors
/// 422.
pub fn refuse_double(tx: &Tx, form_no: i64, new: &Definition, newly: &[u32], entry: &Entry, cx: &Cx) -> Result<()> {
    if newly.is_empty() {
        return Ok(());
    }
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    for (i, field) in new.fields.iter().enumerate() {
        if newly.contains(&field.number())
            && let Some(key) = exact_keys::of_field(field, &stored, cx)
            && entry_keys::is_taken(tx, form_no, field.number(), &key, Some(entry.serial))?
        {
            return Err(Error::Invalid(vec![double_at(i)]));
        }
    }
    Ok(())
}

fn double_at(i: usize) -> Issue {
    Issue::new(format!("fields[{i}].unique"), Reason::other("is not possible: entries have the same value already"))
}

/// Drops the index again: the fields stay as they were.
///
/// # Errors
/// `Stale` when the form changed meanwhile.
pub fn give_up(app: &App, form_no: i64, version: i64, fields: Vec<u32>) -> Result<()> {
    begin(app, form_no, version, &fields, IndexState::Dropping).map(|_| ())
}

/// Removes keys of fields that are no longer unique or whose build was interrupted; whether more are left.
pub fn sweep(app: &App) -> Result<bool> {
    app.store.write(|tx| match entry_keys::unneeded(tx)? {
        None => Ok(false),
        Some((form_no, field)) => {
            entry_keys::drop_some(tx, form_no, field, BATCH)?;
            Ok(true)
        }
    })
}
