//! Rate limits: counts by key and time window, in a bounded table.

use std::hash::Hash;

use crate::base::bounded_map::BoundedMap;
use crate::base::clock::Time;

const MINUTE: i64 = 60;

/// Counts of each key's current window.
pub struct RateTable {
    counts: BoundedMap<Count>,
    window_secs: i64,
}

#[derive(Clone, Copy)]
struct Count {
    since: Time,
    hits: u32,
}

/// The state of a limit after a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Hits per window.
    pub limit: u32,
    /// Hits left in this window.
    pub remaining: u32,
    /// Seconds until the window ends.
    pub reset_secs: u64,
    pub is_allowed: bool,
}

impl Default for RateTable {
    fn default() -> Self {
        Self::per(MINUTE)
    }
}

impl RateTable {
    /// Counts in windows of this length. The default is a minute.
    pub fn per(window_secs: i64) -> Self {
        Self { counts: BoundedMap::default(), window_secs }
    }

    /// Counts a hit of `key` against `limit` per window.
    pub fn hit(&self, key: &impl Hash, limit: u32, now: Time) -> Allowance {
        self.count(key, limit, now, 1)
    }

    /// The state of a limit without counting a hit.
    pub fn peek(&self, key: &impl Hash, limit: u32, now: Time) -> Allowance {
        self.count(key, limit, now, 0)
    }

    fn count(&self, key: &impl Hash, limit: u32, now: Time, hits: u32) -> Allowance {
        let count = self.counts.change(key, |current| {
            let mut count = current
                .filter(|count| (0..self.window_secs).contains(&now.secs_since(count.since)))
                .unwrap_or(Count { since: now, hits: 0 });
            count.hits = count.hits.saturating_add(hits);
            count
        });
        let left = self.window_secs - now.secs_since(count.since);
        Allowance {
            limit,
            remaining: limit.saturating_sub(count.hits),
            reset_secs: u64::try_from(left).unwrap_or_default(),
            is_allowed: count.hits <= limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_window() {
        let table = RateTable::default();
        let at = |secs: i64| Time::from_millis(secs * 1000);
        assert!(table.hit(&"a", 2, at(0)).is_allowed);
        assert_eq!(table.hit(&"a", 2, at(10)).remaining, 0);
        let third = table.hit(&"a", 2, at(20));
        assert!(!third.is_allowed && third.reset_secs == 40);
        assert!(table.hit(&"b", 2, at(20)).is_allowed);
        assert!(table.hit(&"a", 2, at(61)).is_allowed);
        let hours = RateTable::per(3600);
        assert!(!hours.hit(&"a", 0, at(0)).is_allowed);
        assert_eq!(hours.peek(&"a", 1, at(61)).remaining, 0);
        assert_eq!(hours.peek(&"a", 1, at(3600)).remaining, 1);
    }
}
