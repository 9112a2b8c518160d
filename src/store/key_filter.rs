//! Which exact keys nobody has: told without looking for them, for the writer, who sees every key come to its place.
//! What it knows of a form it learns little by little from what is there; that a key may be there it says too often
//! rather than too seldom, and then the tables are asked.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use fastbloom::BloomFilter;
use foldhash::fast::RandomState;
use rusqlite::Connection;

use crate::store::key_walk::{self, Place};

/// Keys that the first filter of a form is made for, how many times more each one that follows, and how many
/// at most.
const FIRST: usize = 4096;
const GROWTH: usize = 8;
const LARGEST: usize = 1 << 20;
/// A full filter takes one of eight thousand keys that nobody has for one that somebody may have. Each of these is
/// looked for in every run, and a form has several filters.
const BITS_A_KEY: usize = 24;
const HASHES: u32 = 6;
/// What the filters of all forms may come to, in bytes.
const MOST: usize = 20 << 20;

/// How keys are hashed.
#[derive(Clone, Default)]
pub struct Hashing(RandomState);

impl Hashing {
    /// The hash of a field's key.
    pub fn of(&self, field: u32, key: &str) -> u64 {
        self.0.hash_one((field, key))
    }
}

/// What is known of all forms; keys are given by their hashes.
pub struct KeyFilter {
    forms: HashMap<i64, OfForm, RandomState>,
    /// How many bytes more may be taken. Of a form that would need more, the tables are asked.
    room: usize,
}

impl Default for KeyFilter {
    fn default() -> Self {
        Self {
            forms: HashMap::default(),
            room: MOST,
        }
    }
}

#[derive(Default)]
struct OfForm {
    filters: Vec<BloomFilter<RandomState>>,
    /// How many more keys the last of them is made for.
    room: usize,
    learning: Learning,
}

/// How far the keys that were there before are known.
#[derive(Default)]
enum Learning {
    #[default]
    Begun,
    /// All up to a place.
    Upto(Place),
    /// All are.
    Done,
    /// There is no room for them.
    Never,
}

impl OfForm {
    fn add(&mut self, hash: u64, room: &mut usize) {
        if matches!(self.learning, Learning::Never) {
            return;
        }
        if self.room == 0 {
            let keys = self
                .filters
                .iter()
                .fold(FIRST, |keys, _| keys.saturating_mul(GROWTH).min(LARGEST));
            let Some(left) = room.checked_sub(keys * BITS_A_KEY / 8) else {
                *room += self
                    .filters
                    .iter()
                    .map(|it| it.num_bits() / 8)
                    .sum::<usize>();
                (self.filters, self.learning) = (Vec::new(), Learning::Never);
                return;
            };
            *room = left;
            let filter = BloomFilter::with_num_bits(keys * BITS_A_KEY);
            let filter = filter.hasher(RandomState::default()).hashes(HASHES);
            self.filters.push(filter);
            self.room = keys;
        }
        self.room -= 1;
        if let Some(filter) = self.filters.last_mut() {
            filter.insert_hash(hash);
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        let mut filters = self.filters.iter();
        !matches!(self.learning, Learning::Done) || filters.any(|filter| filter.contains_hash(hash))
    }
}

impl KeyFilter {
    /// Watches a form from now on: each of its keys that comes to its place is to be added.
    pub fn watch(&mut self, form_no: i64) {
        self.forms.entry(form_no).or_default();
    }

    /// Adds a key, of a form that is watched.
    pub fn add(&mut self, form_no: i64, hash: u64) {
        if let Some(form) = self.forms.get_mut(&form_no) {
            form.add(hash, &mut self.room);
        }
    }

    /// Whether an entry of the form may have a key; false only where none has it.
    pub fn may_have(&self, form_no: i64, hash: u64) -> bool {
        let form = self.forms.get(&form_no);
        form.is_none_or(|form| form.may_have(hash))
    }

    /// Whether there is something left to learn.
    pub fn is_learning(&self) -> bool {
        let mut forms = self.forms.values();
        forms.any(|form| matches!(form.learning, Learning::Begun | Learning::Upto(_)))
    }

    /// Learns so many of the keys that were there before.
    ///
    /// # Errors
    /// SQLite's.
    pub fn learn(
        &mut self,
        connection: &Connection,
        hashing: &Hashing,
        limit: usize,
    ) -> rusqlite::Result<()> {
        for (form_no, form) in &mut self.forms {
            let place = match &form.learning {
                Learning::Done | Learning::Never => continue,
                Learning::Begun => &Place::first(),
                Learning::Upto(place) => place,
            };
            let walked = key_walk::walk(connection, *form_no, (0, u32::MAX), place, limit)?;
            for (field, key, _) in &walked.keys {
                form.add(hashing.of(*field, key), &mut self.room);
            }
            if !matches!(form.learning, Learning::Never) {
                form.learning = walked.next.map_or(Learning::Done, Learning::Upto);
            }
            return Ok(());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::*;
    use crate::store::key_blocks;

    fn table(keys: usize) -> Connection {
        let connection = key_blocks::tables();
        connection
            .execute_batch("INSERT INTO key_runs (run, size) VALUES (1, 1), (3, 1); BEGIN")
            .expect("are made");
        let mut insert = connection
            .prepare("INSERT INTO entry_keys VALUES (?1, ?2, ?3, ?4)")
            .expect("is prepared");
        for n in 0..keys {
            let (n, key) = (n as i64, format!("key {n}"));
            for form_no in [1, 2] {
                if n % 2 == 0 {
                    let row = params![form_no, n % 3, key, n];
                    insert.execute(row).expect("goes in");
                } else {
                    let block = [(form_no, (n % 3) as u32, key.as_str(), n)];
                    key_blocks::write(&connection, 3, &block).expect("is written");
                }
            }
        }
        drop(insert);
        connection
    }

    #[test]
    fn no_key_that_is_there_is_denied_and_few_others_are_suspected() {
        let keys = 3 * FIRST;
        let connection = table(keys);
        let (mut filter, hashing) = (KeyFilter::default(), Hashing::default());
        assert!(filter.may_have(1, hashing.of(0, "nothing is known yet")));
        filter.watch(1);
        let mut rounds = 0;
        while filter.is_learning() {
            assert!(filter.may_have(1, hashing.of(0, "nothing is sure yet")));
            filter.learn(&connection, &hashing, 1000).expect("learns");
            filter.add(1, hashing.of(7, &format!("came meanwhile {rounds}")));
            rounds += 1;
        }
        // Half of them stand alone, the others have a block each; one run has none.
        assert_eq!(rounds, keys / 2 / 1000 + 1 + 1 + keys / 2 / 250 + 1);
        for n in 0..keys {
            assert!(filter.may_have(1, hashing.of((n % 3) as u32, &format!("key {n}"))));
        }
        for n in 0..rounds {
            assert!(filter.may_have(1, hashing.of(7, &format!("came meanwhile {n}"))));
        }
        let suspected =
            (0..keys).filter(|n| filter.may_have(1, hashing.of(4, &format!("key {n}"))));
        assert!(suspected.count() < keys / 1000);
        // Of another form it says nothing.
        assert!(filter.may_have(2, hashing.of(4, "key 1")));
    }

    #[test]
    fn a_form_without_keys_is_known_at_once_and_none_takes_more_than_its_room() {
        let connection = table(0);
        let hashing = Hashing::default();
        let mut filter = KeyFilter {
            room: 100 << 10,
            ..KeyFilter::default()
        };
        filter.watch(1);
        filter.watch(2);
        for _ in 0..2 * 3 {
            filter.learn(&connection, &hashing, 1).expect("learns");
        }
        assert!(!filter.is_learning() && !filter.may_have(1, hashing.of(1, "a")));
        filter.add(2, hashing.of(1, "a"));
        let left = filter.room;
        for n in 0..100 << 10 {
            filter.add(1, hashing.of(n, "a"));
        }
        assert!(filter.may_have(1, hashing.of(1, "b")));
        assert!(filter.may_have(2, hashing.of(1, "a")) && !filter.may_have(2, hashing.of(1, "b")));
        assert_eq!(filter.room, left);
    }
}
