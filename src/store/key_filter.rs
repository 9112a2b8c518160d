//! Which exact keys nobody has: told without looking for them, for the writer, who sees every key come to its place.
//! What it knows of a form it learns little by little from what is there; that a key may be there it says too often
//! rather than too seldom, and then the tables are asked.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use fastbloom::BloomFilter;
use foldhash::fast::RandomState;
use rusqlite::Connection;

use crate::store::key_walk::{self, Place};

/// Keys that the first filter of a form is made for, how many times more each one that follows, and how many at
/// most.
const FIRST: usize = 4096;
const GROWTH: usize = 8;
const LARGEST: usize = if cfg!(test) { FIRST * GROWTH } else { 1 << 21 };
/// A full filter takes one of eight thousand keys that nobody has for one that somebody may have. Each of these is
/// looked for in every run.
const BITS_A_KEY: usize = 24;
const HASHES: u32 = 6;
/// What the filters of all forms may come to, in bytes.
const MOST: usize = 20 << 20;

/// Places that are looked into at once for keys to learn: there may be none.
const PLACES: usize = 16;

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
    /// Those that are full, and the last one.
    filters: Vec<Filter>,
    /// How many more keys the last of them is made for.
    room: usize,
    /// How many of them are needed no more once the last one has learned all keys: to ask one takes less time.
    outgrown: usize,
    learning: Learning,
    /// Whether all keys that were there before are in some filter.
    is_whole: bool,
}

type Filter = BloomFilter<RandomState>;

/// How far the last filter has come with the keys that were there before.
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

/// What filters take, in bytes.
fn size(filters: &[Filter]) -> usize {
    filters.iter().map(|filter| filter.num_bits() / 8).sum()
}

impl OfForm {
    fn add(&mut self, hash: u64, room: &mut usize) {
        // A walk meets keys that came meanwhile, and those that went on to another run once more.
        let mut kept = self.filters.iter().skip(self.outgrown);
        if kept.any(|filter| filter.contains_hash(hash)) {
            return;
        }
        if self.room == 0 && !matches!(self.learning, Learning::Never) {
            self.grow(room);
        }
        if let Some(filter) = self.filters.last_mut() {
            self.room = self.room.saturating_sub(1);
            filter.insert_hash(hash);
        }
    }

    fn grow(&mut self, room: &mut usize) {
        let last = self.filters.last();
        let last = last.map_or(0, |last| last.num_bits() / BITS_A_KEY);
        let larger = (last * GROWTH).clamp(FIRST, LARGEST);
        let mut sizes = [larger, last.max(FIRST)].into_iter();
        let Some(keys) = sizes.find(|keys| keys * BITS_A_KEY / 8 <= *room) else {
            *room += size(&self.filters);
            *self = Self {
                learning: Learning::Never,
                ..Self::default()
            };
            return;
        };
        *room -= keys * BITS_A_KEY / 8;
        if keys > last && last > 0 {
            self.outgrown = self.filters.len();
            self.learning = Learning::Begun;
        }
        let filter = BloomFilter::with_num_bits(keys * BITS_A_KEY);
        let filter = filter.hasher(RandomState::default()).hashes(HASHES);
        self.filters.push(filter);
        self.room = keys;
    }

    fn learned(&mut self, next: Option<Place>, room: &mut usize) {
        self.learning = match (&self.learning, next) {
            (Learning::Never, _) => Learning::Never,
            (_, Some(place)) => Learning::Upto(place),
            (_, None) => {
                let outgrown = self.filters.drain(..std::mem::take(&mut self.outgrown));
                *room += size(&outgrown.collect::<Vec<_>>());
                self.is_whole = true;
                Learning::Done
            }
        };
    }

    fn is_learning(&self) -> bool {
        matches!(self.learning, Learning::Begun | Learning::Upto(_))
    }

    fn may_have_any(&self, hashes: &[u64]) -> bool {
        let has_any = |filter: &Filter| hashes.iter().any(|hash| filter.contains_hash(*hash));
        !self.is_whole || self.filters.iter().any(has_any)
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

    /// Whether an entry of the form may have one of these keys; false only where none has any.
    pub fn may_have_any(&self, form_no: i64, hashes: &[u64]) -> bool {
        let form = self.forms.get(&form_no);
        form.is_none_or(|form| form.may_have_any(hashes))
    }

    /// Whether an entry of the form may have a key; false only where none has it.
    pub fn may_have(&self, form_no: i64, hash: u64) -> bool {
        self.may_have_any(form_no, &[hash])
    }

    /// Whether there is something left to learn.
    pub fn is_learning(&self) -> bool {
        self.forms.values().any(OfForm::is_learning)
    }

    /// Learns about so many of the keys that were there before.
    ///
    /// # Errors
    /// SQLite's.
    pub fn learn(
        &mut self,
        connection: &Connection,
        hashing: &Hashing,
        limit: usize,
    ) -> rusqlite::Result<()> {
        // None keeps the others waiting.
        let learning = self.forms.values().filter(|form| form.is_learning());
        let count = learning.count().clamp(1, PLACES);
        let (share, places) = (limit.div_ceil(count), PLACES / count);
        let learning = self.forms.iter_mut().filter(|(_, form)| form.is_learning());
        for (form_no, form) in learning.take(PLACES) {
            let (mut count, mut nth) = (0, 0);
            while form.is_learning() && count < share && nth < places {
                let first = Place::first();
                let place = match &form.learning {
                    Learning::Upto(place) => place,
                    _ => &first,
                };
                let walked = key_walk::walk(connection, *form_no, (0, u32::MAX), place, share)?;
                (count, nth) = (count + walked.keys.len(), nth + 1);
                let filters = form.filters.len();
                for (field, key, _) in &walked.keys {
                    form.add(hashing.of(*field, key), &mut self.room);
                }
                // A larger one that was begun meanwhile learns all of them anew.
                if form.filters.len() == filters || form.outgrown == 0 {
                    form.learned(walked.next, &mut self.room);
                }
            }
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

    /// A key of the first form comes to its place.
    fn come(
        connection: &Connection,
        (filter, hashing): (&mut KeyFilter, &Hashing),
        (field, key, serial): (u32, &str, usize),
    ) {
        let mut insert = connection
            .prepare_cached("INSERT INTO entry_keys VALUES (1, ?1, ?2, ?3)")
            .expect("is prepared");
        let row = params![field, key, serial as i64];
        insert.execute(row).expect("goes in");
        filter.add(1, hashing.of(field, key));
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
            let key = format!("came meanwhile {rounds}");
            come(&connection, (&mut filter, &hashing), (7, &key, rounds));
            rounds += 1;
        }
        // The first filter is too small for them, and is no more.
        assert!(rounds > keys / 1000);
        assert_eq!(filter.forms[&1].filters.len(), 1);
        assert_eq!(filter.room, MOST - FIRST * GROWTH * BITS_A_KEY / 8);
        for n in 0..keys {
            assert!(filter.may_have(1, hashing.of((n % 3) as u32, &format!("key {n}"))));
        }
        for n in 0..rounds {
            assert!(filter.may_have(1, hashing.of(7, &format!("came meanwhile {n}"))));
        }
        let suspected =
            (0..keys).filter(|n| filter.may_have(1, hashing.of(4, &format!("key {n}"))));
        assert!(suspected.count() < keys / 1000);
        // What is known already takes no room.
        let room = filter.forms[&1].room;
        (0..keys).for_each(|n| filter.add(1, hashing.of((n % 3) as u32, &format!("key {n}"))));
        assert_eq!(filter.forms[&1].room, room);
        // Of another form it says nothing.
        assert!(filter.may_have(2, hashing.of(4, "key 1")));
    }

    #[test]
    fn a_larger_filter_takes_the_place_of_others_once_it_knows_as_much() {
        let connection = table(0);
        let (mut filter, hashing) = (KeyFilter::default(), Hashing::default());
        filter.watch(1);
        filter.learn(&connection, &hashing, 100).expect("learns");
        let (all, mut most) = (FIRST + 3 * LARGEST, 0);
        for n in 0..all {
            assert_eq!(
                filter.is_learning(),
                n > FIRST && filter.forms[&1].outgrown > 0
            );
            let key = format!("key {n}");
            come(&connection, (&mut filter, &hashing), (1, &key, n));
            if n % 50 == 0 {
                assert!(
                    (0..=n)
                        .step_by(97)
                        .all(|n| filter.may_have(1, hashing.of(1, &format!("key {n}"))))
                );
                let strange =
                    (0..100).filter(|n| filter.may_have(1, hashing.of(2, &format!("key {n}"))));
                assert!(strange.count() < 3);
                filter.learn(&connection, &hashing, 200).expect("learns");
            }
            most = most.max(filter.forms[&1].filters.len());
        }
        // Two of those that are as large as any: what is in one is not learned again. And one that is being filled.
        let left = &filter.forms[&1].filters;
        assert_eq!((most, left.len()), (4, 4));
        assert_eq!(filter.room, MOST - size(left));
    }

    #[test]
    fn all_forms_learn_at_once() {
        let connection = table(FIRST);
        let (mut filter, hashing) = (KeyFilter::default(), Hashing::default());
        filter.watch(1);
        filter.watch(2);
        let mut rounds = 0;
        let is_done = |form: &OfForm| !form.is_learning();
        while !filter.forms.values().any(is_done) {
            filter.learn(&connection, &hashing, 400).expect("learns");
            rounds += 1;
        }
        assert!(rounds > FIRST / 400);
        // The other one is nearly through, too.
        (0..4).for_each(|_| filter.learn(&connection, &hashing, 400).expect("learns"));
        assert!(filter.forms.values().all(is_done));
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
        filter.learn(&connection, &hashing, 1).expect("learns");
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
