//! What the service does within and after the jobs of the writer, so that no way of changing something can forget it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::error::Result;
use crate::store::db::tx::Tx;
use crate::store::entries::pending_changes::Changes;

/// What is done in a form in which a job made room.
pub(in crate::store) type OnRoom = dyn Fn(&Tx, i64) -> Result<()> + Send + Sync;

/// What is done with the changes of entries that a job made.
pub(in crate::store) type OnChanges = dyn Fn(&Tx, &Changes) -> Result<()> + Send + Sync;

/// What is done when events of these forms are on disk.
pub(in crate::store) type OnEvents = dyn Fn(&BTreeSet<i64>) + Send + Sync;

/// A function that is set after the writer has begun.
pub struct Hook<F: ?Sized>(Mutex<Option<Arc<F>>>);

impl<F: ?Sized> Default for Hook<F> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<F: ?Sized> Hook<F> {
    pub(in crate::store) fn set(&self, f: Arc<F>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(f);
    }

    pub(in crate::store) fn get(&self) -> Option<Arc<F>> {
        let f = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.clone()
    }
}

/// All of them.
#[derive(Default)]
pub struct Hooks {
    /// Within each job, before its changes are told.
    pub(in crate::store) room: Hook<OnRoom>,
    /// At the end of each job, in its savepoint.
    pub(in crate::store) changes: Hook<OnChanges>,
    /// After the commit.
    pub(in crate::store) events: Hook<OnEvents>,
}
