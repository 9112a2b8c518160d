//! The exact keys of the newest entries. Each key has a place of its own in `entry_keys`, so that an entry
//! with five would dirty five pages of the file. Here they come as one row behind the last one; the writer
//! knows them by heart, and they go over to `entry_keys` many at a time, in that table's order.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::base::error::{Error, Result};
use crate::store::entries::{SERIALS, address, possible};
use crate::store::key_filter::KeyFilter;
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// So much may wait before it begins to go over.
const ENOUGH: usize = 3 << 20;
/// What a key takes besides its text, about.
const BESIDE: usize = 96;
/// Keys that go over with one commit, besides twice as many as came with it.
const PIECE: usize = 256;
/// The same while nothing else is to do.
const IDLE_PIECE: usize = 4096;
/// Keys that are put there by one statement.
const TOGETHER: usize = 16;

/// Keys of one form: field, key, serial.
pub type Keys = BTreeSet<(u32, String, i64)>;

/// What the writer knows of them.
#[derive(Default)]
pub struct Recent {
    /// Changes when another process has written.
    version: Cell<i64>,
    /// None: to be read again.
    known: RefCell<Option<Known>>,
    /// Which keys nobody has, be they waiting or not.
    filter: RefCell<KeyFilter>,
    /// Keys that came with the running batch.
    came: Cell<usize>,
    /// Whether the running job has changed any.
    changed: Cell<bool>,
}

#[derive(Default)]
struct Known {
    forms: BTreeMap<i64, Keys>,
    size: usize,
    moving: Option<Moving>,
}

/// Keys on their way to `entry_keys`: they are known until the last of them is there.
struct Moving {
    /// By forms, the last serial whose keys go.
    upto: BTreeMap<i64, i64>,
    /// Where the next piece begins: after this key.
    after: Option<(i64, (u32, String, i64))>,
}

type Moved = (i64, u32, String, i64);

impl Known {
    fn add(&mut self, form_no: i64, field: u32, key: String, serial: i64) {
        let size = key.len() + BESIDE;
        if self
            .forms
            .entry(form_no)
            .or_default()
            .insert((field, key, serial))
        {
            self.size += size;
        }
    }

    fn remove(&mut self, form_no: i64, key: &(u32, String, i64)) {
        if self
            .forms
            .get_mut(&form_no)
            .is_some_and(|keys| keys.remove(key))
        {
            self.size -= key.1.len() + BESIDE;
        }
    }

    fn begin_to_move(&mut self) {
        let last = |keys: &Keys| keys.iter().map(|(.., serial)| *serial).max();
        let forms = self.forms.iter();
        let upto = forms.filter_map(|(form_no, keys)| Some((*form_no, last(keys)?)));
        self.moving = Some(Moving {
            upto: upto.collect(),
            after: None,
        });
    }

    /// The next keys of those that go.
    fn piece(&self, moving: &Moving, limit: usize) -> Vec<Moved> {
        let after = moving.after.as_ref();
        let from = after.map_or(i64::MIN, |(form_no, _)| *form_no);
        let of_form = |(form_no, keys): (&i64, &'_ Keys)| -> Vec<Moved> {
            let (form_no, upto) = (*form_no, moving.upto.get(form_no).copied());
            let begin = after.filter(|(form, _)| *form == form_no);
            let begin = begin.map_or(Bound::Unbounded, |(_, key)| Bound::Excluded(key.clone()));
            keys.range((begin, Bound::Unbounded))
                .filter(|(.., serial)| upto.is_some_and(|upto| *serial <= upto))
                .take(limit)
                .map(|(field, key, serial)| (form_no, *field, key.clone(), *serial))
                .collect()
        };
        self.forms
            .range(from..)
            .flat_map(of_form)
            .take(limit)
            .collect()
    }

    fn forget(&mut self, moving: &Moving) {
        for (form_no, upto) in &moving.upto {
            let Some(keys) = self.forms.get_mut(form_no) else {
                continue;
            };
            keys.retain(|(_, key, serial)| {
                let stays = serial > upto;
                self.size -= if stays { 0 } else { key.len() + BESIDE };
                stays
            });
            if keys.is_empty() {
                self.forms.remove(form_no);
            }
        }
    }
}

impl Recent {
    /// Follows what other processes wrote. To be called when a batch has begun.
    ///
    /// # Errors
    /// SQLite's.
    pub fn begin_batch(&self, connection: &Connection) -> rusqlite::Result<()> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.version.replace(version) != version {
            self.forget();
            self.filter.take();
        }
        self.came.set(0);
        Ok(())
    }

    /// To be called before each job.
    pub fn begin_job(&self) {
        self.changed.set(false);
    }

    /// To be called after a job whose changes are not kept.
    pub fn undo_job(&self) {
        if self.changed.get() {
            self.forget();
        }
    }

    /// Forgets what it knows: a batch was not kept.
    pub fn forget(&self) {
        self.known.replace(None);
    }

    /// Whether there is something to do while nothing else is: enough wait to be moved, or there is
    /// something to learn.
    pub fn is_worth_moving(&self) -> bool {
        let known = self.known.borrow();
        known
            .as_ref()
            .is_some_and(|known| known.moving.is_some() || known.size >= ENOUGH / 32)
            || self.filter.borrow().is_learning()
    }

    /// Takes the next keys over to `entry_keys`, when enough of them wait or nothing else is to do: within
    /// the batch, before its commit.
    ///
    /// # Errors
    /// SQLite's.
    pub fn move_some(&self, connection: &Connection, is_idle: bool) -> rusqlite::Result<()> {
        let limit = if is_idle { IDLE_PIECE } else { PIECE };
        self.filter.borrow_mut().learn(connection, limit)?;
        let mut known = self.known.borrow_mut();
        let Some(known) = known.as_mut() else {
            return Ok(());
        };
        if known.moving.is_none() {
            if known.size < ENOUGH && !is_idle {
                return Ok(());
            }
            known.begin_to_move();
        }
        let Some(mut moving) = known.moving.take() else {
            return Ok(());
        };
        let limit = if is_idle {
            IDLE_PIECE
        } else {
            PIECE + 2 * self.came.get()
        };
        let piece = known.piece(&moving, limit);
        for together in piece.chunks(TOGETHER) {
            place_all(connection, together)?;
        }
        if piece.len() == limit {
            let last = piece.into_iter().last();
            moving.after =
                last.map(|(form_no, field, key, serial)| (form_no, (field, key, serial)));
            known.moving = Some(moving);
            return Ok(());
        }
        let mut delete =
            connection.prepare_cached("DELETE FROM recent_keys WHERE id >= ?1 AND id <= ?2")?;
        for (form_no, upto) in &moving.upto {
            delete.execute([address(*form_no, 0), address(*form_no, *upto)])?;
        }
        known.forget(&moving);
        Ok(())
    }

    fn with<T>(&self, tx: &Tx, f: impl FnOnce(&mut Known) -> T) -> Result<T> {
        let mut known = self.known.borrow_mut();
        let known = match &mut *known {
            Some(known) => known,
            none => {
                let mut read = Known::default();
                each_row(tx, (i64::MIN, i64::MAX), |form_no, field, key, serial| {
                    read.add(form_no, field, key, serial);
                })?;
                none.insert(read)
            }
        };
        Ok(f(known))
    }
}

/// Gives each key that waits in rows between two addresses to `f`.
fn each_row(
    tx: &Tx,
    (from, upto): (i64, i64),
    mut f: impl FnMut(i64, u32, String, i64),
) -> Result<()> {
    let mut select = tx
        .connection
        .prepare_cached("SELECT id, keys FROM recent_keys WHERE id BETWEEN ?1 AND ?2")
        .map_err(internal)?;
    let mut rows = select.query([from, upto]).map_err(internal)?;
    while let Some(row) = rows.next().map_err(internal)? {
        let id: i64 = row.get(0).map_err(internal)?;
        for (field, key) in keys_of(&row.get::<_, String>(1).map_err(internal)?)? {
            f(id >> 32, field, key, id & (SERIALS - 1));
        }
    }
    Ok(())
}

fn keys_of(text: &str) -> Result<Vec<(u32, String)>> {
    serde_json::from_str(text).map_err(Error::internal)
}

/// Adds the keys of a new entry.
///
/// # Errors
/// Internal, also when the transaction only reads.
pub fn add(tx: &Tx, form_no: i64, serial: i64, keys: &[(u32, String)]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let recent = of_writer(tx)?;
    // What stands there already is read before its first own row does.
    recent.with(tx, |_| ())?;
    recent.changed.set(true);
    let text = serde_json::to_string(keys).map_err(Error::internal)?;
    tx.connection
        .prepare_cached("INSERT INTO recent_keys (id, keys) VALUES (?1, ?2)")
        .and_then(|mut insert| insert.execute(params![address(form_no, serial), text]))
        .map_err(internal)?;
    recent.came.set(recent.came.get() + keys.len());
    let mut filter = recent.filter.borrow_mut();
    recent.with(tx, |known| {
        for (field, key) in keys {
            filter.add(form_no, *field, key);
            known.add(form_no, *field, key.clone(), serial);
        }
    })
}

/// Takes an entry's keys over to `entry_keys`: they are about to change.
///
/// # Errors
/// Internal.
pub fn settle(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    if !possible(serial) {
        return Ok(());
    }
    let text: Option<String> = tx
        .connection
        .prepare_cached("SELECT keys FROM recent_keys WHERE id = ?1")
        .and_then(|mut select| {
            select
                .query_row([address(form_no, serial)], |row| row.get(0))
                .optional()
        })
        .map_err(internal)?;
    let Some(text) = text else {
        return Ok(());
    };
    let recent = of_writer(tx)?;
    recent.with(tx, |_| ())?;
    recent.changed.set(true);
    tx.connection
        .prepare_cached("DELETE FROM recent_keys WHERE id = ?1")
        .and_then(|mut delete| delete.execute([address(form_no, serial)]))
        .map_err(internal)?;
    for (field, key) in keys_of(&text)? {
        place(tx, form_no, field, &key, serial)?;
        recent.with(tx, |known| known.remove(form_no, &(field, key, serial)))?;
    }
    Ok(())
}

/// Takes all keys of a form over to `entry_keys`: its fields are about to change.
///
/// # Errors
/// Internal.
pub fn settle_all(tx: &Tx, form_no: i64) -> Result<()> {
    let range = (address(form_no, 0), address(form_no, SERIALS - 1));
    let mut all = Vec::new();
    each_row(tx, range, |_, field, key, serial| {
        all.push((field, key, serial));
    })?;
    if all.is_empty() {
        return Ok(());
    }
    all.sort_unstable();
    for (field, key, serial) in all {
        place(tx, form_no, field, &key, serial)?;
    }
    drop_all(tx, form_no).map(|_| ())
}

/// Takes away what waits of a form; how many rows that were.
///
/// # Errors
/// Internal.
pub fn drop_all(tx: &Tx, form_no: i64) -> Result<usize> {
    let gone = tx
        .connection
        .prepare_cached("DELETE FROM recent_keys WHERE id BETWEEN ?1 AND ?2")
        .and_then(|mut delete| delete.execute([address(form_no, 0), address(form_no, SERIALS - 1)]))
        .map_err(internal)?;
    if gone > 0 {
        let recent = of_writer(tx)?;
        recent.changed.set(true);
        recent.forget();
    }
    Ok(gone)
}

/// The serials of a form that have this key, among those that wait; at most `limit`.
///
/// # Errors
/// Internal.
pub fn with_key(tx: &Tx, form_no: i64, field: u32, key: &str, limit: usize) -> Result<Vec<i64>> {
    let among = |keys: &Keys| -> Vec<i64> {
        keys.range((field, key.to_owned(), i64::MIN)..)
            .take_while(|(other, text, _)| *other == field && text == key)
            .take(limit)
            .map(|(.., serial)| *serial)
            .collect()
    };
    if let Some(recent) = tx.recent() {
        return recent.with(tx, |known| {
            known.forms.get(&form_no).map(among).unwrap_or_default()
        });
    }
    let read = || {
        let mut keys = Keys::new();
        let range = (address(form_no, 0), address(form_no, SERIALS - 1));
        each_row(tx, range, |_, field, key, serial| {
            keys.insert((field, key, serial));
        })?;
        Ok(keys)
    };
    let keys = match tx.memo() {
        Some(memo) => memo.recent_keys(form_no, read)?,
        None => Arc::new(read()?),
    };
    Ok(among(&keys))
}

/// Whether an entry may have this key, waiting or not; false only where none has it.
///
/// # Errors
/// Internal.
pub fn may_be_there(tx: &Tx, form_no: i64, field: u32, key: &str) -> Result<bool> {
    let Some(recent) = tx.recent() else {
        return Ok(true);
    };
    let mut filter = recent.filter.borrow_mut();
    if !filter.watches(form_no) {
        filter.watch(form_no);
        recent.with(tx, |known| {
            for (field, key, _) in known.forms.get(&form_no).into_iter().flatten() {
                filter.add(form_no, *field, key);
            }
        })?;
    }
    Ok(filter.may_have(form_no, field, key))
}

/// Puts a key into its place in `entry_keys`.
///
/// # Errors
/// Internal.
pub(in crate::store) fn place(
    tx: &Tx,
    form_no: i64,
    field: u32,
    key: &str,
    serial: i64,
) -> Result<()> {
    tx.connection
        .prepare_cached(
            "INSERT OR IGNORE INTO entry_keys (form_no, field, key, serial) VALUES (?1, ?2, ?3, ?4)",
        )
        .and_then(|mut insert| insert.execute(params![form_no, field, key, serial]))
        .map_err(internal)?;
    if let Some(recent) = tx.recent() {
        recent.filter.borrow_mut().add(form_no, field, key);
    }
    Ok(())
}

/// Puts some of them there with one statement.
fn place_all(connection: &Connection, moved: &[Moved]) -> rusqlite::Result<()> {
    let rows = vec!["(?, ?, ?, ?)"; moved.len()].join(", ");
    let mut insert = connection.prepare_cached(&format!(
        "INSERT OR IGNORE INTO entry_keys (form_no, field, key, serial) VALUES {rows}"
    ))?;
    for (row, (form_no, field, key, serial)) in moved.iter().enumerate() {
        insert.raw_bind_parameter(4 * row + 1, form_no)?;
        insert.raw_bind_parameter(4 * row + 2, field)?;
        insert.raw_bind_parameter(4 * row + 3, key)?;
        insert.raw_bind_parameter(4 * row + 4, serial)?;
    }
    insert.raw_execute().map(|_| ())
}

fn of_writer<'c>(tx: &Tx<'c>) -> Result<&'c Recent> {
    tx.recent()
        .ok_or_else(|| Error::internal("keys changed in a reading transaction"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::store::Store;
    use crate::store::data_dir::DataDir;
    use crate::store::entry_keys::{insert_all, is_taken, remove, with_key as find};

    const FORM: i64 = 7;

    #[derive(Clone, Debug)]
    enum Step {
        /// An entry with these two keys comes; and goes again, when its job is not kept.
        Come(u8, u8, bool),
        /// A key of an entry goes.
        Go(u8),
        /// Some move, as a batch would let them.
        Move,
        /// All of the form move.
        Settle,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0..6_u8, 0..6_u8, prop::bool::weighted(0.8)).prop_map(|(a, b, kept)| Step::Come(a, b, kept)),
            2 => any::<u8>().prop_map(Step::Go),
            2 => Just(Step::Move),
            1 => Just(Step::Settle),
        ]
    }

    fn take(store: &Store, step: &Step, serial: i64, model: &mut Keys) {
        match *step {
            Step::Come(a, b, kept) => {
                let keys = vec![(1, format!("key {a}")), (2, format!("key {b}"))];
                if kept {
                    model.extend(
                        keys.iter()
                            .map(|(field, key)| (*field, key.clone(), serial)),
                    );
                }
                let done = store.write(move |tx| {
                    insert_all(tx, FORM, serial, &keys)?;
                    kept.then_some(()).ok_or(Error::internal("not kept"))
                });
                assert_eq!(done.is_ok(), kept);
            }
            Step::Go(which) => {
                let chosen = model.iter().nth(usize::from(which) % model.len().max(1));
                if let Some((field, key, serial)) = chosen.cloned() {
                    model.remove(&(field, key.clone(), serial));
                    let gone = store.write(move |tx| remove(tx, FORM, field, &key, serial));
                    gone.expect("goes");
                }
            }
            Step::Move => {
                let moved = store.write(|tx| {
                    let recent = of_writer(tx)?;
                    recent.move_some(tx.connection, true).map_err(internal)
                });
                moved.expect("moves");
            }
            Step::Settle => store.write(|tx| settle_all(tx, FORM)).expect("moves"),
        }
    }

    fn hold(tx: &Tx, model: &Keys) -> Result<()> {
        for field in 1..=2 {
            for key in (0..6).map(|n| format!("key {n}")) {
                let same = model.iter().filter(|(f, k, _)| *f == field && *k == key);
                let serials: Vec<i64> = same.map(|(.., serial)| *serial).collect();
                assert_eq!(find(tx, FORM, field, &key, 100)?, serials);
                assert_eq!(is_taken(tx, FORM, field, &key, None)?, !serials.is_empty());
                let first = serials.first().copied();
                assert_eq!(is_taken(tx, FORM, field, &key, first)?, serials.len() > 1);
            }
        }
        assert_eq!(find(tx, FORM + 1, 1, "key 1", 100)?, Vec::<i64>::new());
        Ok(())
    }

    #[test]
    fn keys_are_found_wherever_they_wait_and_whoever_wrote_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let open = |dir| Store::open(dir).expect("opens");
        // Two processes on one folder.
        let stores = [
            open(DataDir::create(dir.path()).expect("a data dir")),
            open(DataDir::existing(dir.path()).expect("a data dir")),
        ];
        let steps = prop::collection::vec((step(), 0..2_usize), 1..40);
        let serial = Cell::new(0);
        let mut runner = TestRunner::new(ProptestConfig::with_cases(40));
        let ran = runner.run(&steps, |steps| {
            let mut model = Keys::new();
            for (step, who) in steps {
                serial.set(serial.get() + 1);
                take(&stores[who], &step, serial.get(), &mut model);
                let (now, store) = (model.clone(), &stores[1 - who]);
                store.write(move |tx| hold(tx, &now)).expect("answers");
                stores[who].read(|tx| hold(tx, &model)).expect("answers");
            }
            for (field, key, serial) in model {
                let gone = stores[0].write(move |tx| remove(tx, FORM, field, &key, serial));
                gone.expect("goes");
            }
            Ok(())
        });
        ran.expect("holds");
    }
}
