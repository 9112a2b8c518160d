//! Removes expired data, in short transactions that let other writes through.

use std::collections::BTreeSet;

use crate::base::clock;
use crate::base::error::Result;
use crate::model::audit::Action;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::sessions;
use crate::ops::app::App;
use crate::ops::entries::unique_index_build;
use crate::ops::forms::access;
use crate::store::accounts::{invitations, password_resets, setup_links, users};
use crate::store::capacity::holds;
use crate::store::delivery::{event_deliveries, events, outbox};
use crate::store::entries::{idempotency, jobs, trash};
use crate::store::files::{images, uploads};
use crate::store::forms::{self, purge};
use crate::store::oauth::{codes, grants};
use crate::store::transfer::import_files;

const AT_ONCE: usize = 1_000;
// Removing files blocks uploads.
const FILES_AT_ONCE: usize = 100;
const MESSAGES_KEPT_SECS: i64 = 30 * 86_400;
const EVENTS_KEPT_SECS: i64 = 7 * 86_400;
const IMPORT_FILES_KEPT_SECS: i64 = 3_600;
const JOBS_KEPT_SECS: i64 = 7 * 86_400;
// Each has many rows.
const JOBS_AT_ONCE: usize = 1;

pub fn sessions(app: &App) -> Result<usize> {
    let (begun, seen) = sessions::oldest(clock::now());
    in_batches(|| app.store.write(move |tx| crate::store::accounts::sessions::end_old(tx, begun, seen, AT_ONCE)))
}

/// Ends grants of applications that have not refreshed them, and deletes expired codes.
pub fn oauth(app: &App) -> Result<usize> {
    let codes = in_batches(|| app.store.write(|tx| codes::forget_old(tx, AT_ONCE)))?;
    let grants = in_batches(|| app.store.write(|tx| grants::end_old(tx, AT_ONCE)))?;
    let tokens = in_batches(|| app.store.write(|tx| grants::forget_old_refresh_tokens(tx, AT_ONCE)))?;
    Ok(codes + grants + tokens)
}

/// Deletes expired links: set-up, invitations, forgotten passwords.
pub fn setup_links(app: &App) -> Result<usize> {
    app.store.write(|tx| {
        let links = setup_links::forget_old(tx)? + invitations::forget_old(tx)?;
        Ok(links + password_resets::forget_old(tx)?)
    })
}

/// Deletes files that have waited for an hour to be imported.
pub fn import_files(app: &App) -> Result<usize> {
    let moment = clock::now().minus_secs(IMPORT_FILES_KEPT_SECS);
    in_batches(|| app.store.write(move |tx| import_files::forget_old(tx, moment, AT_ONCE)))
}

/// Deletes jobs that were over 7 days ago.
pub fn finished_jobs(app: &App) -> Result<usize> {
    let moment = clock::now().minus_secs(JOBS_KEPT_SECS);
    let mut removed = 0;
    loop {
        let some = app.store.write(move |tx| jobs::forget_old(tx, moment, JOBS_AT_ONCE))?;
        removed += some;
        if some == 0 {
            return Ok(removed);
        }
    }
}

/// Deletes messages older than 30 days, delivered or not, and events older than 7 days that no delivery names.
pub fn messages(app: &App) -> Result<usize> {
    let now = clock::now();
    let moment = now.minus_secs(MESSAGES_KEPT_SECS);
    let messages = in_batches(|| app.store.write(move |tx| outbox::forget_old(tx, moment, AT_ONCE)))?;
    // A process that ended while it deleted a webhook leaves such.
    while let Some(webhook) = app.store.read(event_deliveries::of_no_webhook)? {
        in_batches(|| app.store.write(move |tx| event_deliveries::remove_some(tx, webhook, AT_ONCE)))?;
    }
    let moment = now.minus_secs(EVENTS_KEPT_SECS);
    let events = in_batches(|| app.store.write(move |tx| events::forget_old(tx, moment, AT_ONCE)))?;
    Ok(messages + events)
}

/// Frees the amounts of expired holds: the room goes to waiting entries. Forgets those of the day before.
pub fn holds(app: &App) -> Result<usize> {
    // Mostly there are none, which is seen without a write.
    if !app.store.read(holds::has_ended)? {
        return Ok(0);
    }
    let freed = in_batches(|| app.store.write(|tx| holds::free_ended(tx, None, AT_ONCE)))?;
    Ok(freed + in_batches(|| app.store.write(|tx| holds::forget_old(tx, AT_ONCE)))?)
}

/// Deletes idempotent answers older than a day.
pub fn idempotent_answers(app: &App) -> Result<usize> {
    in_batches(|| app.store.write(|tx| idempotency::forget_old(tx, AT_ONCE)))
}

/// Releases uploads and images that have been unused for a day, and removes unreferenced blobs.
pub fn files(app: &App) -> Result<usize> {
    in_batches(|| app.store.write(|tx| uploads::release_old(tx, AT_ONCE)))?;
    in_batches(|| app.store.write(|tx| uploads::forget_old(tx, AT_ONCE)))?;
    in_batches(|| app.store.write(|tx| images::forget_idle(tx, AT_ONCE)))?;
    let mut all = 0;
    loop {
        let removed = app.store.remove_idle_blobs(FILES_AT_ONCE)?;
        all += removed;
        if removed < FILES_AT_ONCE {
            return Ok(all);
        }
    }
}

/// Removes files without a row.
pub fn unknown_files(app: &App) -> Result<usize> {
    app.store.unknown_blobs(true)
}

/// Removes entries for good that were deleted more than 30 days ago.
pub fn deleted_entries(app: &App) -> Result<usize> {
    let moment = access::trash_cutoff(clock::now());
    let mut logged: BTreeSet<i64> = BTreeSet::new();
    in_batches(|| {
        let already_logged = logged.clone();
        let removed = app.store.write(move |tx| {
            let removed = trash::remove_before(tx, moment, AT_ONCE)?;
            let forms = removed.keys();
            for form_no in forms.filter(|form_no| !already_logged.contains(form_no)) {
                let form = forms::by_number(tx, *form_no)?;
                let by = By::service(users::by_id(tx, form.owner)?.organization.id);
                audit::note_form(tx, by, Action::EntriesPurged, form.token.as_str())?;
            }
            Ok(removed)
        })?;
        logged.extend(removed.keys());
        Ok(removed.values().sum())
    })
}

/// Removes forms that were deleted more than 30 days ago, with all their data.
pub fn deleted_forms(app: &App) -> Result<usize> {
    let moment = access::trash_cutoff(clock::now());
    let mut all = 0;
    while let Some(form_no) = app.store.read(|tx| purge::deleted_before(tx, moment))? {
        while app.store.write(move |tx| purge::rows_of(tx, form_no, moment, AT_ONCE))? > 0 {}
        app.store.write(move |tx| {
            let Some((token, organization)) = purge::form(tx, form_no, moment)? else {
                return Ok(());
            };
            audit::note_form(tx, By::service(organization), Action::FormPurged, &token)
        })?;
        all += 1;
    }
    Ok(all)
}

/// Removes unique keys that are no longer needed.
pub fn entry_keys(app: &App) -> Result<usize> {
    let mut all = 0;
    while unique_index_build::sweep(app)? {
        all += 1;
    }
    Ok(all)
}

fn in_batches(mut batch: impl FnMut() -> Result<usize>) -> Result<usize> {
    let mut all = 0;
    loop {
        let done = batch()?;
        all += done;
        if done < AT_ONCE {
            return Ok(all);
        }
    }
}
