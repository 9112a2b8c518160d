//! Counts of taken units. A batch keeps changed counts in memory and writes them once before its commit, because the
//! submissions to a form change the same few; changes are undone when their job is rolled back.

pub mod holds;
pub mod waiting;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, params};

use crate::base::error::{Error, Result};
use crate::model::capacity::TakenAmount;
use crate::store::db::tx::Tx;

/// A counter: the numbers of form and field, and its name.
type Key = (i64, u32, String);

/// The counts that the current batch has changed.
#[derive(Default)]
pub struct Changed {
    current: RefCell<HashMap<Key, u64>>,
    /// The previous values of counts that the current job changed; `None` if the table has it.
    before: RefCell<Vec<(Key, Option<u64>)>>,
    /// The forms in which the current job made room.
    room: RefCell<BTreeSet<i64>>,
}

impl Changed {
    pub(in crate::store) fn begin_job(&self) {
        self.before.borrow_mut().clear();
        self.room.borrow_mut().clear();
    }

    pub(in crate::store) fn undo_job(&self) {
        let mut current = self.current.borrow_mut();
        for (key, taken) in self.before.borrow_mut().drain(..).rev() {
            match taken {
                Some(taken) => current.insert(key, taken),
                None => current.remove(&key),
            };
        }
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let current = self.current.borrow();
        if current.is_empty() {
            return Ok(());
        }
        let mut put = connection.prepare_cached(
            "INSERT INTO capacity_taken (form_no, field, counter, taken) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET taken = excluded.taken",
        )?;
        let mut delete = connection
            .prepare_cached("DELETE FROM capacity_taken WHERE form_no = ?1 AND field = ?2 AND counter = ?3")?;
        for ((form_no, field, counter), taken) in current.iter() {
            if *taken == 0 {
                delete.execute(params![form_no, field, counter])?;
            } else {
                put.execute(params![form_no, field, counter, i64_of(*taken)])?;
            }
        }
        Ok(())
    }

    fn get(&self, key: &Key) -> Option<u64> {
        self.current.borrow().get(key).copied()
    }

    fn set(&self, key: Key, taken: u64) {
        let before = self.current.borrow_mut().insert(key.clone(), taken);
        self.before.borrow_mut().push((key, before));
    }
}

fn i64_of(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn u64_of(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

/// Amounts taken from a form's counters. Counters with nothing taken are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<(u32, String), u64>);

impl Counts {
    /// How many of a counter of a field are taken.
    pub fn of(&self, field: u32, counter: &str) -> u64 {
        let found = self.0.get(&(field, counter.to_owned()));
        found.copied().unwrap_or_default()
    }

    /// Adds an amount.
    pub fn add(&mut self, taken: &TakenAmount) {
        let count = self.0.entry((taken.field, taken.counter.clone()));
        *count.or_default() += taken.amount;
    }

    /// The number of counters that differ between the two.
    pub fn differing(&self, other: &Self) -> usize {
        let keys = self.0.keys().chain(other.0.keys());
        let keys: BTreeSet<&(u32, String)> = keys.collect();
        let differ = |key: &&(u32, String)| self.0.get(*key) != other.0.get(*key);
        keys.into_iter().filter(differ).count()
    }

    /// All counters: field, name and how many are taken.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str, u64)> {
        let counts = self.0.iter();
        counts.map(|((field, counter), taken)| (*field, counter.as_str(), *taken))
    }
}

/// Amounts taken in a form by its entries and by holds, as this transaction sees them.
pub fn taken_counts(tx: &Tx, form_no: i64) -> Result<Counts> {
    let mut counts = counted(tx, form_no)?;
    for (field, counter, amount) in held(tx, form_no)?.iter() {
        counts.add(&TakenAmount { field, counter: counter.to_owned(), amount });
    }
    Ok(counts)
}

/// Amounts taken by the holds of a form.
pub fn held(tx: &Tx, form_no: i64) -> Result<Counts> {
    let held = holds::all_held(tx, form_no)?.into_iter();
    Ok(Counts(held.map(|(field, counter, amount)| ((field, counter), u64_of(amount))).collect()))
}

/// Amounts taken by the entries of a form.
pub fn counted(tx: &Tx, form_no: i64) -> Result<Counts> {
    let rows: Vec<(u32, String, i64)> =
        tx.all("SELECT field, counter, taken FROM capacity_taken WHERE form_no = ?1", [form_no], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let mut counts = Counts::default();
    for (field, counter, taken) in rows {
        counts.0.insert((field, counter), u64_of(taken));
    }
    if let Some(batch) = tx.batch {
        for ((form, field, counter), taken) in &*batch.capacity.current.borrow() {
            if *form == form_no {
                counts.0.insert((*field, counter.clone()), *taken);
            }
        }
        counts.0.retain(|_, taken| *taken > 0);
    }
    Ok(counts)
}

/// How many of one counter are taken, in this transaction: by entries, and by holds.
pub fn taken_of(tx: &Tx, form_no: i64, field: u32, counter: &str) -> Result<u64> {
    let held = u64_of(holds::held(tx, form_no, field, counter)?);
    Ok(counted_of(tx, form_no, field, counter)?.saturating_add(held))
}

fn counted_of(tx: &Tx, form_no: i64, field: u32, counter: &str) -> Result<u64> {
    let key = (form_no, field, counter.to_owned());
    if let Some(taken) = tx.batch.and_then(|batch| batch.capacity.get(&key)) {
        return Ok(taken);
    }
    let taken: Option<i64> = tx.maybe(
        "SELECT taken FROM capacity_taken WHERE form_no = ?1 AND field = ?2 AND counter = ?3",
        params![form_no, field, counter],
        |row| row.get(0),
    )?;
    Ok(taken.map(u64_of).unwrap_or_default())
}

/// Counts the amounts of an entry. The caller has checked that enough is left.
pub fn take<'t>(tx: &Tx, form_no: i64, taken: impl IntoIterator<Item = &'t TakenAmount>) -> Result<()> {
    for one in taken {
        let count = counted_of(tx, form_no, one.field, &one.counter)?;
        set(tx, form_no, one, count.saturating_add(one.amount))?;
    }
    Ok(())
}

/// Counts the amounts that an entry gives back.
pub fn give_back<'t>(tx: &Tx, form_no: i64, taken: impl IntoIterator<Item = &'t TakenAmount>) -> Result<()> {
    for one in taken {
        let count = counted_of(tx, form_no, one.field, &one.counter)?;
        // The field may have been removed meanwhile, and its counts with it.
        set(tx, form_no, one, count.saturating_sub(one.amount))?;
        note_room(tx, form_no);
    }
    Ok(())
}

/// Notes that a form has more units left than before this job: for the waiting list.
pub fn note_room(tx: &Tx, form_no: i64) {
    if let Some(batch) = tx.batch {
        batch.capacity.room.borrow_mut().insert(form_no);
    }
}

/// The forms in which this job made room since it was asked last.
pub(in crate::store) fn with_room(tx: &Tx) -> BTreeSet<i64> {
    let noted = tx.batch.map(|batch| batch.capacity.room.take());
    noted.unwrap_or_default()
}

fn set(tx: &Tx, form_no: i64, one: &TakenAmount, count: u64) -> Result<()> {
    set_key(tx, (form_no, one.field, one.counter.clone()), count)
}

fn set_key(tx: &Tx, key: Key, count: u64) -> Result<()> {
    let batch = tx.batch.ok_or_else(|| Error::internal("capacity changed in a reading transaction"))?;
    batch.capacity.set(key, count);
    Ok(())
}

/// Removes the counts of a field's counters whose names begin with `prefix`.
pub fn forget(tx: &Tx, form_no: i64, field: u32, prefix: &str) -> Result<()> {
    let counts = counted(tx, form_no)?;
    let own = counts.iter().filter(|(of, counter, _)| *of == field && counter.starts_with(prefix));
    for (field, counter, _) in own {
        set_key(tx, (form_no, field, counter.to_owned()), 0)?;
    }
    Ok(())
}

/// Replaces the counts of a form.
pub fn put_right(tx: &Tx, form_no: i64, right: &Counts) -> Result<()> {
    for (field, counter, _) in counted(tx, form_no)?.iter() {
        set_key(tx, (form_no, field, counter.to_owned()), 0)?;
    }
    for (field, counter, taken) in right.iter() {
        set_key(tx, (form_no, field, counter.to_owned()), taken)?;
    }
    Ok(())
}

/// Removes up to `limit` counts of a form; how many.
pub fn drop_some(tx: &Tx, form_no: i64, limit: usize) -> Result<usize> {
    let counts = counted(tx, form_no)?;
    let some = counts.iter().take(limit);
    some.map(|(field, counter, _)| set_key(tx, (form_no, field, counter.to_owned()), 0))
        .try_fold(0, |gone, one| one.map(|()| gone + 1))
}

/// Amounts taken from a field's counters with names from `first` to `last`, both included, by entries and by holds. For
/// reading transactions.
pub fn taken_between(tx: &Tx, form_no: i64, field: u32, (first, last): (&str, &str)) -> Result<Vec<(String, u64)>> {
    tx.all(
        "SELECT counter, sum(amount) FROM ( \
             SELECT counter, taken AS amount FROM capacity_taken \
             WHERE form_no = ?1 AND field = ?2 AND counter BETWEEN ?3 AND ?4 \
             UNION ALL SELECT counter, amount FROM hold_takes \
             WHERE form_no = ?1 AND field = ?2 AND counter BETWEEN ?3 AND ?4 AND expires_at > ?5 \
         ) GROUP BY counter",
        params![form_no, field, first, last, tx.now.millis()],
        |row| Ok((row.get(0)?, u64_of(row.get(1)?))),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::base::config::Checkpoints;
    use crate::store::Store;
    use crate::store::db::after_job::Nothing;
    use crate::store::db::data_dir::DataDir;

    fn one(counter: &str, amount: u64) -> TakenAmount {
        TakenAmount { field: 1, counter: counter.to_owned(), amount }
    }

    #[test]
    fn counts_of_one_batch_are_seen_by_its_jobs_and_undone_with_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let data_dir = DataDir::create(dir.path()).expect("a data dir");
        let store = Store::open(data_dir, Checkpoints::Own, |_, _| Nothing).expect("opens").0;
        // The first holds the thread, so that the others share a commit with it.
        let (go_on, told) = channel();
        let first = store.submit(move |tx| {
            told.recv().expect("the test goes on");
            take(tx, 7, [&one("a", 3), &one("b", 1)])
        });
        let failed = store.submit::<()>(|tx| {
            take(tx, 7, [&one("a", 5), &one("c", 5)])?;
            forget(tx, 7, 1, "b")?;
            assert_eq!(taken_of(tx, 7, 1, "a")?, 8);
            assert_eq!(taken_of(tx, 7, 1, "b")?, 0);
            Err(Error::Stale)
        });
        let seen = store.submit(|tx| {
            give_back(tx, 7, [&one("a", 1)])?;
            taken_counts(tx, 7)
        });
        go_on.send(()).expect("the job waits");
        first.wait().expect("kept");
        assert!(failed.wait().is_err());
        let expected = Counts(BTreeMap::from([((1, "a".to_owned()), 2), ((1, "b".to_owned()), 1)]));
        assert_eq!(seen.wait().expect("kept"), expected);
        assert_eq!(store.read(|tx| taken_counts(tx, 7)).expect("read"), expected);
        let all = [one("a", 2), one("b", 9)];
        store.write(move |tx| give_back(tx, 7, &all)).expect("written");
        let left = store.read(|tx| taken_counts(tx, 7)).expect("read");
        assert_eq!(left, Counts::default(), "nothing is left at zero or below");
    }
}
