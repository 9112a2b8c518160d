//! Resources in limited supply, and how their use is counted.

use serde::{Deserialize, Serialize};

/// A resource in limited supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Shares of choices. Their quotas bind respondents alone.
    Choices,
    /// Pieces of products.
    Stock,
    /// Places of bookings.
    Places,
}

/// So many of one counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenAmount {
    /// The number of the field.
    pub field: u32,
    /// Name of the counter, unique in the field: `room/2026-11-20/am`.
    pub counter: String,
    pub amount: u64,
}

/// The units that a part of an entry takes, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    pub taken: TakenAmount,
    pub resource: Resource,
    /// How many all live entries may take together; `None` for any number.
    pub limit: Option<u64>,
    /// The path of the part: `field_values.field_3[1]`.
    pub attribute: String,
}
