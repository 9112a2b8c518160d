//! Which exact keys nobody has: told without looking into `entry_keys`, for the writer, who sees every key
//! come. What it knows of a form it learns little by little from what is there; that a key may be there it
//! says too often rather than too seldom, and then the table is asked.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use fastbloom::BloomFilter;
use foldhash::fast::RandomState;
use rusqlite::{Connection, params};

use crate::store::key_runs;

/// Keys that the first filter of a form is made for, how many times more each one that follows, and how many
/// at most.
const FIRST: usize = 4096;
const GROWTH: usize = 8;
const LARGEST: usize = 1 << 20;
/// A full filter takes one of two thousand keys that nobody has for one that somebody may have. Each of these is
/// looked for in every run of `entry_keys`, and a form has several filters.
const BITS_A_KEY: usize = 20;
const HASHES: u32 = 5;
/// What the filters of all forms may come to, in bytes.
const MOST: usize = 16 << 20;

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
    forms: HashMap<i64, OfForm>,
    /// How many bytes more may be taken. A form that would need more is asked of the table.
    room: usize,
}

impl Default for KeyFilter {
    fn default() -> Self {
        Self {
            forms: HashMap::new(),
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
    /// Of the runs down to this one, and of this one up to a field, key and serial. Keys go on to lower ones
    /// meanwhile.
    Upto(i64, u32, String, i64),
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
    /// Whether a form's entries are watched.
    pub fn watches(&self, form_no: i64) -> bool {
        self.forms.contains_key(&form_no)
    }

    /// Watches a form from now on: each of its keys that comes is to be added.
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
        forms.any(|form| matches!(form.learning, Learning::Begun | Learning::Upto(..)))
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
            let (run, field, key, serial) = match &form.learning {
                Learning::Done | Learning::Never => continue,
                Learning::Begun => (key_runs::below(connection, i64::MAX)?, 0, "", 0),
                Learning::Upto(run, field, key, serial) => (Some(*run), *field, &**key, *serial),
            };
            let most = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut select = connection.prepare_cached(
                "SELECT field, key, serial FROM entry_keys WHERE run = ?1 AND form_no = ?2 \
                 AND (field, key, serial) > (?3, ?4, ?5) LIMIT ?6",
            )?;
            let mut rows = select.query(params![run, form_no, field, key, serial, most])?;
            let (mut count, mut last) = (0, None);
            while let Some(row) = rows.next()? {
                let (field, key): (u32, String) = (row.get(0)?, row.get(1)?);
                form.add(hashing.of(field, &key), &mut self.room);
                count += 1;
                last = Some((field, key, row.get(2)?));
            }
            form.learning = match (&form.learning, run, last) {
                (Learning::Never, ..) => Learning::Never,
                (_, Some(run), Some((field, key, serial))) if count == limit => {
                    Learning::Upto(run, field, key, serial)
                }
                (_, Some(run), _) => match key_runs::below(connection, run)? {
                    Some(run) => Learning::Upto(run, 0, String::new(), 0),
                    None => Learning::Done,
                },
                (_, None, _) => Learning::Done,
            };
            return Ok(());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(keys: usize) -> Connection {
        let connection = Connection::open_in_memory().expect("opens");
        connection
            .execute_batch(
                "CREATE TABLE entry_keys (run, form_no, field, key, serial, \
                 PRIMARY KEY (run, form_no, field, key, serial)) WITHOUT ROWID; \
                 CREATE TABLE key_runs (run INTEGER PRIMARY KEY); \
                 INSERT INTO key_runs VALUES (0), (1), (3); BEGIN",
            )
            .expect("is made");
        let mut insert = connection
            .prepare("INSERT INTO entry_keys VALUES (?4 % 2 * 3, ?1, ?2, ?3, ?4)")
            .expect("is prepared");
        for n in 0..keys {
            let n = n as i64;
            for form_no in [1, 2] {
                insert
                    .execute(params![form_no, n % 3, format!("key {n}"), n])
                    .expect("goes in");
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
        // Two runs have half of them each, one has none.
        assert_eq!(rounds, 2 * (keys / 2 / 1000 + 1) + 1);
        assert!(filter.watches(1) && !filter.watches(2));
        for n in 0..keys {
            assert!(filter.may_have(1, hashing.of((n % 3) as u32, &format!("key {n}"))));
        }
        for n in 0..rounds {
            assert!(filter.may_have(1, hashing.of(7, &format!("came meanwhile {n}"))));
        }
        let suspected =
            (0..keys).filter(|n| filter.may_have(1, hashing.of(4, &format!("key {n}"))));
        assert!(suspected.count() < keys / 400);
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
