//! What is kept in memory of entries.

use crate::query::segment_builder::UpToDate;

/// Of entries, between requests.
#[derive(Default)]
pub struct EntryState {
    /// Forms whose segments are complete.
    pub(in crate::ops) segments: UpToDate,
}
