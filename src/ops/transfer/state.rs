//! What is kept in memory of imports and exports.

use crate::ops::transfer::exports::underway::Underway;

/// Of imports and exports, between requests.
#[derive(Default)]
pub struct TransferState {
    /// Running exports.
    pub(in crate::ops) exports: Underway,
}
