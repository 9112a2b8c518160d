//! Failed sign-ins and requests for links, as they are counted.

use crate::base::bounded_map::BoundedMap;
use crate::base::clock::Time;
use crate::base::rate::RateTable;

/// Counts of failed tries, kept in memory alone.
pub struct Throttle {
    pub(in crate::ops) by_address: RateTable,
    pub(in crate::ops) by_pair: BoundedMap<Failures>,
    pub(in crate::ops) by_account: RateTable,
    /// Entries in the audit log about failed tries.
    pub(in crate::ops) noted: RateTable,
    /// Links to set another password, by account, and by account and address.
    pub(in crate::ops) resets: RateTable,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            by_address: RateTable::default(),
            by_pair: BoundedMap::default(),
            by_account: RateTable::per(3600),
            noted: RateTable::per(3600),
            resets: RateTable::per(3600),
        }
    }
}

/// Tries that failed one after the other.
#[derive(Clone, Copy)]
pub struct Failures {
    /// How many.
    pub count: u32,
    /// When the last one was.
    pub last: Time,
}

impl Failures {
    /// With one more.
    pub fn and_one(self, now: Time) -> Self {
        Self { count: self.count.saturating_add(1), last: now }
    }
}
