//! What values take of things of which there may be only so many, and what they cost.

use rust_decimal::Decimal;

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};

/// A kind whose values take places, pieces or shares.
pub trait Capacity {
    /// What a stored value takes. Everything countable is named, also what has no limit today: a limit that is set
    /// later counts what was taken before.
    fn takes(&self, stored: &Json, cx: &Cx) -> Vec<Take>;

    /// What a stored value costs; `None` where the kind has no prices.
    fn total(&self, stored: &Json) -> Option<Decimal> {
        let _ = stored;
        None
    }
}

impl dyn Kind + '_ {
    /// What a stored value takes; nothing where the kind has no capacity.
    pub fn takes(&self, stored: &Json, cx: &Cx) -> Vec<Take> {
        let capacity = self.capacity();
        capacity.map_or_else(Vec::new, |capacity| capacity.takes(stored, cx))
    }

    /// What a stored value costs; `None` where the kind has no prices.
    pub fn total(&self, stored: &Json) -> Option<Decimal> {
        self.capacity()?.total(stored)
    }
}

/// A part of what there may be only so many of: places of a slot on a day, pieces in stock, a choice's
/// share. Whoever writes adds up what live entries take of a counter and holds the sum to the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    /// What is counted, by a name that is unique in the field and stays the same: `room/2026-11-20/am`.
    pub counter: String,
    /// How many of it.
    pub amount: u64,
    /// How many all live entries may take together; none: any number.
    pub limit: Option<u64>,
    /// The part of the value that takes it, for the fault's path: `[2].number`.
    pub at: String,
}
