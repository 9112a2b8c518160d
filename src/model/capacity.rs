//! What there may be only so many of, as it is counted: places, pieces, shares of a quota.

use serde::{Deserialize, Serialize};

/// So many of one counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The number of the field.
    pub field: u32,
    /// What is counted, by a name that is unique in the field: `room/2026-11-20/am`.
    pub counter: String,
    pub amount: u64,
}
