//! Changes of entries that a batch notes: plain data, filled by `entry_changes`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::model::entry::Entry;
use crate::model::event::EventKind;
use crate::model::webhook::Webhook;

/// The receivers of a form's events.
#[derive(Default)]
pub struct Audience {
    /// The enabled webhooks.
    pub webhooks: Vec<Webhook>,
    /// Whether a stream was read lately.
    pub is_streamed: bool,
    /// Entries of imports that can be seen and whose creation was not told so far: first and last serials.
    pub(in crate::store) untold: Vec<(i64, i64)>,
}

impl Audience {
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.webhooks.is_empty() && !self.is_streamed
    }

    /// Whether any receiver wants events of this kind.
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

/// Audiences and changes noted by a batch.
#[derive(Default)]
pub struct Noted {
    pub(in crate::store) audiences: RefCell<HashMap<i64, Rc<Audience>>>,
    /// By form, in order.
    pub(in crate::store) changes: RefCell<BTreeMap<i64, Vec<Change>>>,
    /// The forms with events in this batch.
    pub(in crate::store) told: RefCell<BTreeSet<i64>>,
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
    pub(in crate::store) fn take_told(&self) -> BTreeSet<i64> {
        self.told.take()
    }
}
