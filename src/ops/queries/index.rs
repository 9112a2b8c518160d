//! Exact keys of the fields that public queries search exactly (`store::entries::entry_keys`): built in the background
//! once a query needs them, in small writes between which others write, and dropped when none does. Until they are
//! ready, searches use segments and scans.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

use crate::base::error::{Error, Result};
use crate::fields::public_query::Searched;
use crate::fields::values::stored;
use crate::ops::app::App;
use crate::ops::entries::{exact_keys, unique_index_build};
use crate::ops::queries::queried;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::entry_keys::{self, IndexState};
use crate::store::entries::{Table, listing};
use crate::store::queries::{self, Marks};
use crate::store::{forms, transfer};

/// Entries of one write.
const BATCH: usize = 1_000;

/// Builds and drops keys until they match the needs of the queries; returns the number of fields.
///
/// # Errors
/// Internal, 503; it is taken up again by the next run.
pub fn tend(app: &App) -> Result<usize> {
    let all = app.store.read(|tx| queries::forms(tx, entry_keys::searched(0)))?;
    let mut changed = 0;
    for (form_no, version, marks) in all {
        let tended = |map: &mut HashMap<i64, (i64, Marks)>| map.get(&form_no).copied();
        if with(app, tended) == Some((version, marks)) {
            continue;
        }
        let (fields, is_done) = tend_form(app, form_no)?;
        changed += fields;
        // The earlier versions: a change of its own is looked at once more, and found to be none.
        if is_done {
            with(app, |map| map.insert(form_no, (version, marks)));
        }
    }
    Ok(changed)
}

fn with<T>(app: &App, f: impl FnOnce(&mut HashMap<i64, (i64, Marks)>) -> T) -> T {
    let mut map = app.queries.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
    f(&mut map)
}

/// How many fields of a form got or lost keys, and whether nothing is left to do.
fn tend_form(app: &App, form_no: i64) -> Result<(usize, bool)> {
    let (wanted, states) = app.store.read(|tx| {
        let states = entry_keys::states(tx, form_no)?;
        Ok((indexed_fields(app, tx, form_no)?, states))
    })?;
    let state_of = |field: u32| {
        let number = entry_keys::searched(field);
        let known = states.iter().find(|(known, _)| *known == number);
        known.map(|(_, state)| *state)
    };
    let unneeded: Vec<u32> = states
        .iter()
        .filter(|(number, state)| {
            let field = entry_keys::searched_field(*number);
            *state != IndexState::Dropping && field.is_some_and(|field| !wanted.contains(&field))
        })
        .map(|(number, _)| *number)
        .collect();
    let mut changed = unneeded.len();
    if !unneeded.is_empty() {
        app.store.write(move |tx| {
            for number in unneeded {
                entry_keys::set_state(tx, form_no, number, IndexState::Dropping)?;
            }
            forms::touch(tx, form_no).map(|_| ())
        })?;
    }
    let mut is_done = true;
    let missing = wanted.iter().filter(|field| state_of(**field) != Some(IndexState::Ready));
    for field in missing.copied() {
        // An index that is still being dropped can't be reused.
        if state_of(field) == Some(IndexState::Dropping) {
            while unique_index_build::sweep(app)? {}
        }
        is_done &= build(app, form_no, field)?;
        changed += 1;
    }
    Ok((changed, is_done))
}

/// The fields whose exact values a form's queries search for.
fn indexed_fields(app: &App, tx: &Tx, form_no: i64) -> Result<BTreeSet<u32>> {
    let parsed = app.cache.parsed(tx, &forms::by_number(tx, form_no)?)?;
    let found = linked_entries::forms_of(&app.cache, tx, &parsed)?;
    let all = Searched::all(queried(&parsed, &found));
    let mut wanted = BTreeSet::new();
    for query in queries::of_form(tx, form_no)? {
        for rule in query.content.rules.searched().filter(|rule| !rule.fuzzy) {
            let field = all.iter().find(|it| it.code() == rule.field);
            wanted.extend(field.and_then(Searched::indexed));
        }
    }
    Ok(wanted)
}

/// Builds the keys of a field; whether they are complete. Not while an import brings entries: those lack them.
fn build(app: &App, form_no: i64, field: u32) -> Result<bool> {
    let number = entry_keys::searched(field);
    let has_begun = app.store.write(move |tx| {
        if transfer::first_hidden(tx, form_no)?.is_some() {
            return Ok(false);
        }
        entry_keys::set_state(tx, form_no, number, IndexState::Building)?;
        // From here on, every entry that is stored or changed brings its own keys.
        forms::touch(tx, form_no)?;
        Ok(true)
    })?;
    if !has_begun {
        return Ok(false);
    }
    let mut after = 0;
    loop {
        let read = app.store.read(|tx| {
            let form = forms::by_number(tx, form_no)?;
            let parsed = app.cache.parsed(tx, &form)?;
            Ok(form.deleted_at.is_none().then_some((form.version, parsed)))
        })?;
        let Some((version, parsed)) = read else {
            return Ok(false);
        };
        let done = app.store.write(move |tx| {
            forms::check_version(tx, form_no, version)?;
            // Nobody needs them any more, or the field changed.
            if state(tx, form_no, number)? != Some(IndexState::Building) {
                return Ok(None);
            }
            let (upto, more) = add_some(tx, &parsed, field, after)?;
            if !more {
                entry_keys::set_state(tx, form_no, number, IndexState::Ready)?;
                forms::touch(tx, form_no)?;
            }
            Ok(Some((upto, more)))
        });
        match done {
            Ok(Some((upto, true))) => after = upto,
            Ok(Some((_, false))) => return Ok(true),
            Ok(None) => return Ok(false),
            // The form changed between the read and the write.
            Err(Error::Stale) => {}
            Err(e) => return Err(e),
        }
    }
}

fn state(tx: &Tx, form_no: i64, number: u32) -> Result<Option<IndexState>> {
    let states = entry_keys::states(tx, form_no)?;
    let known = states.iter().find(|(known, _)| *known == number);
    Ok(known.map(|(_, state)| *state))
}

/// Adds the keys of the next entries; the last one's serial, and whether there may be more.
fn add_some(tx: &Tx, parsed: &Arc<ParsedForm>, field: u32, after: i64) -> Result<(i64, bool)> {
    let (form_no, number) = (parsed.form_no, entry_keys::searched(field));
    let cx = parsed.cx(tx.now, false);
    let batch = listing::walk(tx, form_no, Table::Live, after, BATCH)?;
    let code = format!("field_{field}");
    let field = parsed.definition.fields.get(&code);
    for entry in &batch {
        let Some(field) = field else { break };
        let values = stored::values(&entry.values).map_err(Error::internal)?;
        for key in exact_keys::searched(field, &values, &cx) {
            entry_keys::insert(tx, form_no, number, &key, entry.serial)?;
        }
    }
    let upto = batch.last().map_or(after, |entry| entry.serial);
    Ok((upto, batch.len() == BATCH))
}
