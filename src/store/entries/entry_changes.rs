//! The changes of entries by the current job, noted where they are stored, so that each becomes an event, however it
//! was made. Changes that no webhook and no stream of the form wants are not noted; the receivers are looked up once a
//! batch and form.

use std::rc::Rc;

use crate::base::error::Result;
use crate::model::entry::Entry;
use crate::model::event::{EventKind, STREAM_SECS};
use crate::store::db::tx::Tx;
use crate::store::delivery::{events, webhooks};
use crate::store::entries::pending_changes::{Audience, Change, Changes};
use crate::store::{entries, transfer};

fn load(tx: &Tx, form_no: i64) -> Result<Audience> {
    let since = tx.now.minus_secs(STREAM_SECS);
    Ok(Audience {
        webhooks: webhooks::enabled(tx, form_no)?,
        is_streamed: events::streamed_at(tx, form_no)?.is_some_and(|at| at > since),
        untold: transfer::untold(tx, form_no)?,
    })
}

/// The receivers of a form's events. `None` if there are none, and when reading.
fn audience(tx: &Tx, form_no: i64) -> Result<Option<Rc<Audience>>> {
    let Some(batch) = tx.batch else {
        return Ok(None);
    };
    let known = batch.noted.audiences.borrow().get(&form_no).cloned();
    let audience = match known {
        Some(known) => known,
        None => {
            let loaded = Rc::new(load(tx, form_no)?);
            let mut all = batch.noted.audiences.borrow_mut();
            all.insert(form_no, Rc::clone(&loaded));
            loaded
        }
    };
    Ok(Some(audience).filter(|audience| !audience.is_empty()))
}

/// Whether a form's entry events have a receiver.
pub(in crate::store) fn is_watched(tx: &Tx, form_no: i64) -> Result<bool> {
    Ok(audience(tx, form_no)?.is_some())
}

/// Notes that the receivers of a form's events may have changed.
pub(in crate::store) fn forget_audience(tx: &Tx, form_no: i64) {
    if let Some(batch) = tx.batch {
        batch.noted.audiences.borrow_mut().remove(&form_no);
    }
}

/// Notes a change of an entry, which is given as it is now, or as it was before it was deleted.
pub(in crate::store) fn note(tx: &Tx, form_no: i64, kind: EventKind, entry: &Entry) -> Result<()> {
    let (Some(batch), Some(audience)) = (tx.batch, audience(tx, form_no)?) else {
        return Ok(());
    };
    let serial = entry.serial;
    let is_untold = |(first, last): &(i64, i64)| (*first..=*last).contains(&serial);
    let creation_is_due = kind != EventKind::EntryCreated
        && audience.untold.iter().any(is_untold)
        && !events::is_any_of(tx, form_no, serial)?;
    let mut changes = batch.noted.changes.borrow_mut();
    let all = changes.entry(form_no).or_default();
    let same = all.iter_mut().rev().find(|it| it.entry.serial == serial);
    // The first change of an entry decides the kind of the event; only a deletion is always told.
    if let Some(same) = same.filter(|_| kind != EventKind::EntryDeleted) {
        same.entry = entry.clone();
        return Ok(());
    }
    if kind == EventKind::EntryDeleted {
        all.retain(|it| it.entry.serial != serial || it.kind != EventKind::EntryUpdated);
    }
    if creation_is_due {
        all.push(Change { kind: EventKind::EntryCreated, entry: entry.clone() });
    }
    all.push(Change { kind, entry: entry.clone() });
    Ok(())
}

/// The changes of entries that this job made since the last call, for each form with receivers.
fn take(tx: &Tx) -> Result<Vec<Changes>> {
    let Some(batch) = tx.batch else {
        return Ok(Vec::new());
    };
    let noted = batch.noted.changes.take();
    let mut out = Vec::with_capacity(noted.len());
    for (form_no, mut all) in noted {
        let Some(audience) = audience(tx, form_no)? else {
            continue;
        };
        all.retain(|change| audience.wants(change.kind));
        // Waiting entries may have moved up since.
        for change in &mut all {
            if change.kind != EventKind::EntryDeleted {
                entries::placed(tx, form_no, std::slice::from_mut(&mut change.entry))?;
            }
        }
        if !all.is_empty() {
            batch.noted.told.borrow_mut().insert(form_no);
            out.push(Changes { form_no, audience, all });
        }
    }
    Ok(out)
}

/// Writes the events of the entries that this job changed: at its end, within it.
pub(in crate::store) fn write_events(tx: &Tx) -> Result<()> {
    let Some(after_job) = tx.after_job else {
        return Ok(());
    };
    take(tx)?.iter().try_for_each(|changes| after_job.changed_entries(tx, changes))
}
