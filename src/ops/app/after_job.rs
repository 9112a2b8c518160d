//! Follow-up of a job of the writer: the waiting list moves up where there is room, and changes of entries become
//! events.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::Result;
use crate::ops::capacity::waiting;
use crate::ops::delivery::events;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::stream_wakeups::StreamWakeups;
use crate::query::form_cache::Cache;
use crate::store::db::after_job;
use crate::store::db::tx::Tx;
use crate::store::entries::pending_changes::Changes;

/// Shared state that it needs of the service.
pub(in crate::ops) struct AfterJob {
    pub cache: Arc<Cache>,
    pub outbox: Arc<Outbox>,
    pub stream_wakeups: Arc<StreamWakeups>,
}

impl after_job::AfterJob for AfterJob {
    fn made_room(&self, tx: &Tx, form_no: i64) -> Result<()> {
        waiting::move_up(&self.cache, &self.outbox, tx, form_no)
    }

    fn changed_entries(&self, tx: &Tx, changes: &Changes) -> Result<()> {
        events::write(&self.cache, tx, changes)
    }

    fn stored_events(&self, forms: &BTreeSet<i64>) {
        self.outbox.tell(forms.iter().copied());
        forms.iter().for_each(|form_no| self.stream_wakeups.ring(*form_no));
    }
}
