//! The changes of entries that the current job made, noted where they are stored, so that each becomes an event whichever
//! way it came. What no webhook and no stream of the form wants is not noted; that is looked up once a batch and form.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::base::error::Result;
use crate::model::entry::Entry;
use crate::model::event::EventKind;
use crate::model::webhook::Webhook;
use crate::store::tx::Tx;
use crate::store::{entries, events, imports, webhooks};

/// So long after a stream was read last events are written for it.
const STREAM_SECS: i64 = 7 * 86_400;

/// Who wants the events of a form.
#[derive(Default)]
pub struct Audience {
    /// The enabled webhooks.
    pub webhooks: Vec<Webhook>,
    /// Whether a stream was read lately.
    pub is_streamed: bool,
    /// Entries of imports that can be seen and whose creation was not told so far: first and last serials.
    untold: Vec<(i64, i64)>,
}

impl Audience {
    fn load(tx: &Tx, form_no: i64) -> Result<Self> {
        let since = tx.now.minus_secs(STREAM_SECS);
        Ok(Self {
            webhooks: webhooks::enabled(tx, form_no)?,
            is_streamed: events::streamed_at(tx, form_no)?.is_some_and(|at| at > since),
            untold: imports::untold(tx, form_no)?,
        })
    }

    fn is_empty(&self) -> bool {
        self.webhooks.is_empty() && !self.is_streamed
    }

    /// Whether somebody wants events of this kind.
    pub fn wants(&self, kind: EventKind) -> bool {
        self.is_streamed || self.of(kind).next().is_some()
    }

    /// The webhooks that want events of this kind.
    pub fn of(&self, kind: EventKind) -> impl Iterator<Item = &Webhook> {
        let all = self.webhooks.iter();
        all.filter(move |webhook| webhook.content.trigger_events.contains(&kind))
    }
}

/// A change of an entry.
pub struct Change {
    pub kind: EventKind,
    /// As it is now; of a deleted one, as it was.
    pub entry: Entry,
}

/// The changes of one form's entries by a job, in their order.
pub struct Changes {
    pub form_no: i64,
    pub audience: Rc<Audience>,
    pub all: Vec<Change>,
}

/// What a batch knows of that.
#[derive(Default)]
pub struct Noted {
    audiences: RefCell<HashMap<i64, Rc<Audience>>>,
    /// By form, in order.
    changes: RefCell<BTreeMap<i64, Vec<Change>>>,
    /// The forms with events in this batch.
    told: RefCell<BTreeSet<i64>>,
}

impl Noted {
    pub(in crate::store) fn begin_job(&self) {
        self.changes.borrow_mut().clear();
    }

    pub(in crate::store) fn undo_job(&self) {
        // It may have changed them.
        self.audiences.borrow_mut().clear();
    }

    /// The forms with events in this batch; some may be of a job that was undone.
    pub(in crate::store) fn told(&self) -> BTreeSet<i64> {
        self.told.take()
    }
}

/// Who wants the events of a form. `None` for nobody, and when reading.
fn audience(tx: &Tx, form_no: i64) -> Result<Option<Rc<Audience>>> {
    let Some(batch) = tx.batch else {
        return Ok(None);
    };
    let known = batch.noted.audiences.borrow().get(&form_no).cloned();
    let audience = match known {
        Some(known) => known,
        None => {
            let loaded = Rc::new(Audience::load(tx, form_no)?);
            let mut all = batch.noted.audiences.borrow_mut();
            all.insert(form_no, Rc::clone(&loaded));
            loaded
        }
    };
    Ok(Some(audience).filter(|audience| !audience.is_empty()))
}

/// Whether somebody wants to know of changes of a form's entries.
pub(in crate::store) fn is_watched(tx: &Tx, form_no: i64) -> Result<bool> {
    Ok(audience(tx, form_no)?.is_some())
}

/// Notes that who wants the events of a form may have changed.
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
    // What happened first says what happened; only a deletion is never kept silent.
    if let Some(same) = same.filter(|_| kind != EventKind::EntryDeleted) {
        same.entry = entry.clone();
        return Ok(());
    }
    if kind == EventKind::EntryDeleted {
        all.retain(|it| it.entry.serial != serial || it.kind != EventKind::EntryUpdated);
    }
    if creation_is_due {
        all.push(Change {
            kind: EventKind::EntryCreated,
            entry: entry.clone(),
        });
    }
    all.push(Change {
        kind,
        entry: entry.clone(),
    });
    Ok(())
}

/// The changes of entries that this job made since it was asked last, of each form with somebody who wants them.
pub(in crate::store) fn take(tx: &Tx) -> Result<Vec<Changes>> {
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
        // Those who wait may have moved up since.
        for change in &mut all {
            if change.kind != EventKind::EntryDeleted {
                entries::placed(tx, form_no, std::slice::from_mut(&mut change.entry))?;
            }
        }
        if !all.is_empty() {
            batch.noted.told.borrow_mut().insert(form_no);
            out.push(Changes {
                form_no,
                audience,
                all,
            });
        }
    }
    Ok(out)
}
