//! How often something may happen: a bounded table of counts, by key and minute (S89).

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::Mutex;

use crate::base::clock::Time;

const WINDOW_SECS: i64 = 60;
const KEYS: usize = 100_000;
const SHARDS: usize = 8;

/// Counts of the current minute, for at most 100,000 keys; the oldest go first.
pub struct RateTable {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
}

/// Two generations: when the young one is full, the old one is forgotten.
#[derive(Default)]
struct Shard {
    young: HashMap<u64, Count>,
    old: HashMap<u64, Count>,
}

#[derive(Clone, Copy)]
struct Count {
    since: Time,
    hits: u32,
}

/// What is left after a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// How many a minute.
    pub limit: u32,
    /// How many are left in this minute.
    pub remaining: u32,
    /// Seconds until the minute is over.
    pub reset_secs: u64,
    /// Whether this hit is allowed.
    pub is_allowed: bool,
}

impl Default for RateTable {
    fn default() -> Self {
        Self {
            shards: Default::default(),
            hasher: RandomState::new(),
        }
    }
}

impl RateTable {
    /// Counts a hit of `key` and says whether it is within `limit` a minute.
    pub fn hit(&self, key: &impl Hash, limit: u32, now: Time) -> Allowance {
        self.count(key, limit, now, 1)
    }

    /// What a hit would get, without counting one.
    pub fn look(&self, key: &impl Hash, limit: u32, now: Time) -> Allowance {
        self.count(key, limit, now, 0)
    }

    fn count(&self, key: &impl Hash, limit: u32, now: Time, hits: u32) -> Allowance {
        let key = self.hasher.hash_one(key);
        let shard = &self.shards[usize::try_from(key % SHARDS as u64).unwrap_or_default()];
        let Ok(mut shard) = shard.lock() else {
            return Allowance {
                limit,
                remaining: limit,
                reset_secs: 0,
                is_allowed: true,
            };
        };
        let mut count = shard
            .young
            .get(&key)
            .or_else(|| shard.old.get(&key))
            .copied()
            .filter(|count| (0..WINDOW_SECS).contains(&now.secs_since(count.since)))
            .unwrap_or(Count {
                since: now,
                hits: 0,
            });
        count.hits = count.hits.saturating_add(hits);
        if shard.young.len() >= KEYS / SHARDS / 2 && !shard.young.contains_key(&key) {
            shard.old = std::mem::take(&mut shard.young);
        }
        shard.young.insert(key, count);
        Allowance {
            limit,
            remaining: limit.saturating_sub(count.hits),
            reset_secs: u64::try_from(WINDOW_SECS - now.secs_since(count.since))
                .unwrap_or_default(),
            is_allowed: count.hits <= limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_minute_and_stays_bounded() {
        let table = RateTable::default();
        let at = |secs: i64| Time::from_millis(secs * 1000);
        assert!(table.hit(&"a", 2, at(0)).is_allowed);
        assert_eq!(table.hit(&"a", 2, at(10)).remaining, 0);
        let third = table.hit(&"a", 2, at(20));
        assert!(!third.is_allowed && third.reset_secs == 40);
        assert!(table.hit(&"b", 2, at(20)).is_allowed);
        assert!(table.hit(&"a", 2, at(61)).is_allowed);
        for key in 0..200_000 {
            table.hit(&key, 2, at(61));
        }
        let kept: usize = table
            .shards
            .iter()
            .map(|s| s.lock().map_or(0, |s| s.young.len() + s.old.len()))
            .sum();
        assert!(kept <= KEYS, "{kept}");
    }
}
