//! A bounded map by hashed key: when it is full, the keys that were not used for longest are dropped (S89).

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, PoisonError};

const KEYS: usize = 100_000;
const SHARDS: usize = 8;

/// Small values of at most 100,000 keys.
pub struct BoundedMap<V> {
    shards: [Mutex<Shard<V>>; SHARDS],
    hasher: RandomState,
}

/// Two generations: when the young one is full, the old one is dropped.
struct Shard<V> {
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
}

impl<V> Default for Shard<V> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new() }
    }
}

impl<V> Default for BoundedMap<V> {
    fn default() -> Self {
        Self { shards: Default::default(), hasher: RandomState::new() }
    }
}

impl<V: Copy> BoundedMap<V> {
    /// Replaces a key's value with the result of `f`, atomically, and returns it.
    pub fn change(&self, key: &impl Hash, f: impl FnOnce(Option<V>) -> V) -> V {
        let key = self.hasher.hash_one(key);
        let at = usize::try_from(key % SHARDS as u64).unwrap_or_default();
        let mut shard = self.shards[at].lock().unwrap_or_else(PoisonError::into_inner);
        let known = shard.young.get(&key).or_else(|| shard.old.get(&key));
        let value = f(known.copied());
        if shard.young.len() >= KEYS / SHARDS / 2 && !shard.young.contains_key(&key) {
            shard.old = std::mem::take(&mut shard.young);
        }
        shard.young.insert(key, value);
        value
    }

    /// Forgets a key.
    pub fn forget(&self, key: &impl Hash) {
        let key = self.hasher.hash_one(key);
        let at = usize::try_from(key % SHARDS as u64).unwrap_or_default();
        let mut shard = self.shards[at].lock().unwrap_or_else(PoisonError::into_inner);
        shard.young.remove(&key);
        shard.old.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_forgets_and_stays_bounded() {
        let table = BoundedMap::default();
        let count = |known: Option<u32>| known.unwrap_or_default() + 1;
        assert_eq!(table.change(&"a", count), 1);
        assert_eq!(table.change(&"a", count), 2);
        table.forget(&"a");
        assert_eq!(table.change(&"a", count), 1);
        for key in 0..200_000 {
            table.change(&key, count);
        }
        let kept: usize =
            table.shards.iter().map(|shard| shard.lock().map_or(0, |s| s.young.len() + s.old.len())).sum();
        assert!(kept <= KEYS, "{kept}");
        assert_eq!(table.change(&"a", count), 1, "the oldest went");
    }
}
