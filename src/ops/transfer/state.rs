//! State of imports and exports that is kept in memory.

use crate::ops::transfer::exports::underway::Underway;

/// Of imports and exports, between requests.
#[derive(Default)]
pub struct TransferState {
    /// Running exports.
    pub(in crate::ops) exports: Underway,
}
