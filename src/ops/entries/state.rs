//! State of entries that is kept in memory.

use std::sync::Arc;

use crate::ops::entries::reports::remembered::Remembered;
use crate::query::segment_builder::UpToDate;

/// Of entries, between requests.
#[derive(Default)]
pub struct EntryState {
    /// Forms whose segments are complete.
    pub(in crate::ops) segments: UpToDate,
    /// Reports that were counted before.
    pub(in crate::ops) reports: Arc<Remembered>,
}
