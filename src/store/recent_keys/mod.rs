//! The exact keys of the newest entries. Each key has a place of its own in `entry_keys`, so that an entry
//! with five would dirty five pages of the file. Here those of a batch come as one row behind the last one;
//! the writer knows them by heart, and they go on many at a time, sorted: under load to a run of their own, else
//! each to its place.

mod came;
mod known;
mod rows;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use rusqlite::Connection;

use crate::base::error::{Error, Result};
use crate::store::entries::{address, possible};
use crate::store::key_blocks::{self, Lent};
use crate::store::key_filter::{Hashing, KeyFilter};
use crate::store::key_runs::Runs;
use crate::store::recent_keys::came::Came;
use crate::store::recent_keys::known::{Known, OfEntry};
use crate::store::rows::internal;
use crate::store::tx::Tx;

/// So many bytes of keys may wait before they begin to go over: the more there are, the more of them share
/// a page there.
const ENOUGH: usize = if cfg!(test) { 2 << 10 } else { 4 << 20 };
/// Keys that go over with one commit, besides twice as many as came with it.
const PIECE: usize = if cfg!(test) { 2 } else { 512 };
/// The same while nothing else is to do.
const IDLE_PIECE: usize = if cfg!(test) { 3 } else { 2048 };
/// Batches without a word from another process before a way of many batches is begun: each word ends it.
const QUIET: u32 = if cfg!(test) { 1 } else { 64 };

/// Keys that are put into their places by one statement.
const TOGETHER: usize = 16;

/// A field's number, a key and the serial of the entry that has it.
type Key = (u32, String, i64);

/// Keys of one form: numbers of fields, and keys.
pub type Keys = HashSet<(u32, String)>;

/// What the writer knows of them.
#[derive(Default)]
pub struct Recent {
    /// Changes when another process has written.
    version: Cell<Option<i64>>,
    /// None: to be read again.
    known: RefCell<Option<Known>>,
    hashing: Hashing,
    /// Which keys nobody has, besides those that wait.
    filter: RefCell<KeyFilter>,
    /// Where they went under load.
    runs: RefCell<Runs>,
    /// Those that came with the running batch.
    came: RefCell<Came>,
    /// Whether the running job has taken any away.
    has_taken: Cell<bool>,
    /// Batches since another process wrote.
    quiet: Cell<u32>,
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
        match self.version.replace(Some(version)) {
            None => self.quiet.set(QUIET),
            Some(before) if before == version => {
                self.quiet.set(self.quiet.get().saturating_add(1));
            }
            Some(_) => {
                self.quiet.set(0);
                self.forget_all();
            }
        }
        self.came.borrow_mut().clear();
        Ok(())
    }

    /// To be called before each job.
    pub fn begin_job(&self) {
        self.has_taken.set(false);
        self.came.borrow_mut().begin_job();
    }

    /// To be called after a job whose changes are not kept.
    pub fn undo_job(&self) {
        let added = self.came.borrow_mut().undo_job();
        if self.has_taken.get() {
            self.forget_all();
        } else if let Some(known) = self.known.borrow_mut().as_mut() {
            for entry in added {
                known.remove(&entry, &self.hashing);
            }
        }
    }

    /// Forgets what it knows: another process wrote, or a batch was not kept, whose keys are where they were.
    pub fn forget_all(&self) {
        self.known.take();
        self.filter.take();
        self.runs.take();
    }

    /// Whether there is something to do while nothing else is: enough wait to be moved, or there is
    /// something to learn.
    pub fn is_worth_moving(&self) -> bool {
        let known = self.known.borrow();
        known
            .as_ref()
            .is_some_and(|known| known.is_moving() || known.size() >= ENOUGH / 64)
            || self.filter.borrow().is_learning()
            || self.runs.borrow().is_worth_merging(true, None)
    }

    /// Gives the keys that came their rows, and has the next ones move on, when enough of them wait or nothing else
    /// is to do; merges runs: within the batch, before its commit.
    ///
    /// # Errors
    /// SQLite's.
    pub fn end_batch(&self, connection: &Connection, is_idle: bool) -> rusqlite::Result<()> {
        let came = rows::insert(connection, self.came.borrow().entries())?;
        self.came.borrow_mut().clear();
        let limit = if is_idle {
            IDLE_PIECE
        } else {
            PIECE + 2 * came
        };
        self.filter
            .borrow_mut()
            .learn(connection, &self.hashing, limit)?;
        let (mut known, mut runs) = (self.known.borrow_mut(), self.runs.borrow_mut());
        let mut filling = None;
        if let Some(known) = known.as_mut() {
            if self.quiet.get() < QUIET {
                return self.settle_oldest(connection, known, limit);
            }
            self.go_on(connection, known, &mut runs, (limit, is_idle))?;
            filling = known.filling();
        }
        runs.merge(connection, came, is_idle, filling)
    }

    /// Takes the oldest keys over as they are.
    fn settle_oldest(
        &self,
        connection: &Connection,
        known: &mut Known,
        limit: usize,
    ) -> rusqlite::Result<()> {
        for entry in rows::take_oldest(connection, limit)? {
            self.place_all(connection, &entry.lent().collect::<Vec<Lent>>())?;
            known.remove(&entry, &self.hashing);
        }
        Ok(())
    }

    /// Takes the next of those over that move, which begin to when enough wait.
    fn go_on(
        &self,
        connection: &Connection,
        known: &mut Known,
        runs: &mut Runs,
        (limit, is_idle): (usize, bool),
    ) -> rusqlite::Result<()> {
        if !known.is_moving() && (is_idle || known.size() >= ENOUGH) {
            let run = if is_idle {
                None
            } else {
                Some(runs.begin(connection, known.waiting())?)
            };
            known.begin_moving(run);
        }
        let Some(piece) = known.piece(limit) else {
            return Ok(());
        };
        match piece.run {
            Some(run) => self.append(connection, run, &piece.keys)?,
            None => self.place_all(connection, &piece.keys)?,
        }
        if let Some(all_upto) = piece.all_upto {
            let mut delete =
                connection.prepare_cached("DELETE FROM recent_keys WHERE id BETWEEN ?1 AND ?2")?;
            for (form_no, upto) in all_upto {
                delete.execute([address(*form_no, 0), address(*form_no, *upto)])?;
            }
            known.end_moving();
        }
        Ok(())
    }

    /// Puts keys, in their order, behind those of a run.
    fn append(&self, connection: &Connection, run: i64, keys: &[Lent]) -> rusqlite::Result<()> {
        self.watch_for(keys);
        key_blocks::cut(keys).try_for_each(|block| key_blocks::write(connection, run, block))
    }

    /// Puts keys into their places in `entry_keys`.
    fn place_all(&self, connection: &Connection, keys: &[Lent]) -> rusqlite::Result<()> {
        self.watch_for(keys);
        for together in keys.chunks(TOGETHER) {
            let rows = vec!["(?, ?, ?, ?)"; together.len()].join(", ");
            let mut insert = connection.prepare_cached(&format!(
                "INSERT OR IGNORE INTO entry_keys (form_no, field, key, serial) VALUES {rows}"
            ))?;
            for (row, (form_no, field, key, serial)) in together.iter().enumerate() {
                insert.raw_bind_parameter(4 * row + 1, form_no)?;
                insert.raw_bind_parameter(4 * row + 2, field)?;
                insert.raw_bind_parameter(4 * row + 3, key)?;
                insert.raw_bind_parameter(4 * row + 4, serial)?;
            }
            insert.raw_execute()?;
        }
        Ok(())
    }

    /// These no longer wait alone.
    fn watch_for(&self, keys: &[Lent]) {
        let mut filter = self.filter.borrow_mut();
        for (form_no, field, key, _) in keys {
            filter.add(*form_no, self.hashing.of(*field, key));
        }
    }

    fn with<T>(&self, tx: &Tx, f: impl FnOnce(&mut Known) -> T) -> Result<T> {
        let mut known = self.known.borrow_mut();
        let known = match &mut *known {
            Some(known) => known,
            none => {
                let mut read = Known::default();
                rows::each_entry(tx, (i64::MIN, i64::MAX), "", |entry| {
                    read.add(&entry, &self.hashing);
                })?;
                for entry in self.came.borrow().entries() {
                    read.add(entry, &self.hashing);
                }
                none.insert(read)
            }
        };
        Ok(f(known))
    }
}

/// Adds the keys of a new entry, whose serial is higher than those that waited before.
///
/// # Errors
/// Internal, also when the transaction only reads.
pub fn add(tx: &Tx, form_no: i64, serial: i64, keys: Vec<(u32, String)>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let recent = of_writer(tx)?;
    let entry = OfEntry {
        form_no,
        serial,
        keys,
    };
    // What waits already is read before the first own key is there.
    recent.with(tx, |known| known.add(&entry, &recent.hashing))?;
    recent.came.borrow_mut().add(entry);
    Ok(())
}

/// Takes an entry's keys over to `entry_keys`: they are about to change.
///
/// # Errors
/// Internal.
pub fn settle(tx: &Tx, form_no: i64, serial: i64) -> Result<()> {
    if !possible(serial) {
        return Ok(());
    }
    let recent = of_writer(tx)?;
    let is_it = |entry: &OfEntry| entry.form_no == form_no && entry.serial == serial;
    let came = recent.came.borrow_mut().take(is_it).pop();
    let own = match came {
        Some(own) => own,
        None => {
            let Some((id, row)) = rows::with_entry(tx, form_no, serial)? else {
                return Ok(());
            };
            recent.with(tx, |_| ())?;
            let (own, others): (Vec<_>, Vec<_>) = row.into_iter().partition(is_it);
            rows::write_again(tx, id, &others)?;
            let Some(own) = own.into_iter().next() else {
                return Ok(());
            };
            own
        }
    };
    recent.has_taken.set(true);
    for (form_no, field, key, serial) in own.lent() {
        place(tx, form_no, field, key, serial)?;
    }
    recent.with(tx, |known| known.remove(&own, &recent.hashing))
}

/// Takes all keys of a form over to `entry_keys`: its fields are about to change.
///
/// # Errors
/// Internal.
pub fn settle_all(tx: &Tx, form_no: i64) -> Result<()> {
    let recent = of_writer(tx)?;
    let mut all = recent.with(tx, |known| {
        let keys = known.of_form(form_no);
        let owned = |(_, field, key, serial): Lent| (field, key.to_owned(), serial);
        keys.map(owned).collect::<Vec<Key>>()
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

/// Takes away what waits of a form; how many rows and entries without one that were.
///
/// # Errors
/// Internal.
pub fn drop_all(tx: &Tx, form_no: i64) -> Result<usize> {
    let (first, last) = rows::of_form(form_no);
    let mut gone = tx
        .connection
        .prepare_cached("DELETE FROM recent_keys WHERE id BETWEEN ?1 AND ?2")
        .and_then(|mut delete| delete.execute([first, last]))
        .map_err(internal)?;
    let recent = of_writer(tx)?;
    let came = recent.came.borrow_mut().take(|it| it.form_no == form_no);
    gone += came.len();
    if gone > 0 {
        recent.has_taken.set(true);
        if let Some(known) = recent.known.borrow_mut().as_mut() {
            known.remove_form(form_no);
        }
    }
    Ok(gone)
}

/// The serials of a form that have this key, among those that wait; at most `limit`.
///
/// # Errors
/// Internal.
pub fn with_key(tx: &Tx, form_no: i64, field: u32, key: &str, limit: usize) -> Result<Vec<i64>> {
    if let Some(recent) = tx.recent() {
        return recent.with(tx, |known| {
            let serials = known.with_key(recent.hashing.of(field, key), form_no, field, key);
            serials.take(limit).collect()
        });
    }
    // Few rows hold the text at all: the others need not be read.
    let part = serde_json::to_string(&(field, key)).map_err(Error::internal)?;
    let mut found = Vec::new();
    rows::each_entry(tx, rows::of_form(form_no), &part, |entry| {
        if found.len() < limit && entry.has(field, key) {
            found.push(entry.serial);
        }
    })?;
    Ok(found)
}

/// Whether the key of another entry than `serial` waits.
///
/// # Errors
/// Internal.
pub fn is_taken(tx: &Tx, form_no: i64, field: u32, key: &str, serial: Option<i64>) -> Result<bool> {
    let found = with_key(tx, form_no, field, key, 2)?;
    Ok(found.into_iter().any(|other| Some(other) != serial))
}

/// Whether the key of an entry waits. Made for many questions over one snapshot: who reads takes all keys into
/// memory.
///
/// # Errors
/// Internal.
pub fn is_one_of_many(tx: &Tx, form_no: i64, field: u32, key: &str) -> Result<bool> {
    let Some(memo) = tx.memo() else {
        return is_taken(tx, form_no, field, key, None);
    };
    let keys = memo.recent_keys(form_no, || {
        let mut keys = Keys::new();
        rows::each_entry(tx, rows::of_form(form_no), "", |entry| {
            keys.extend(entry.keys)
        })?;
        Ok(keys)
    })?;
    // A set of pairs can only be asked with a pair.
    Ok(keys.contains(&(field, key.to_owned())))
}

/// Whether the key of an entry waits.
///
/// # Errors
/// Internal.
pub fn has(tx: &Tx, form_no: i64, field: u32, key: &str, serial: i64) -> Result<bool> {
    if let Some(recent) = tx.recent() {
        let hash = recent.hashing.of(field, key);
        return recent.with(tx, |known| {
            let mut serials = known.with_key(hash, form_no, field, key);
            serials.any(|other| other == serial)
        });
    }
    let row = rows::with_entry(tx, form_no, serial)?;
    let own = row.and_then(|(_, row)| row.into_iter().find(|entry| entry.serial == serial));
    Ok(own.is_some_and(|own| own.has(field, key)))
}

/// Whether a key may have come to its place, be it there or in a run; false only where none has.
///
/// # Errors
/// Internal.
pub fn may_be_there(tx: &Tx, form_no: i64, field: u32, key: &str) -> bool {
    tx.recent().is_none_or(|recent| {
        let mut filter = recent.filter.borrow_mut();
        filter.watch(form_no);
        filter.may_have(form_no, recent.hashing.of(field, key))
    })
}

/// Whether surely none of these keys is there, waiting or not. To ask for many at once takes much less time.
///
/// # Errors
/// Internal.
pub fn are_free<'k>(
    tx: &Tx,
    form_no: i64,
    keys: impl Iterator<Item = &'k (u32, String)>,
) -> Result<bool> {
    let Some(recent) = tx.recent() else {
        return Ok(false);
    };
    let hashes: Vec<u64> = keys
        .map(|(field, key)| recent.hashing.of(*field, key))
        .collect();
    if hashes.is_empty() {
        return Ok(true);
    }
    let mut filter = recent.filter.borrow_mut();
    filter.watch(form_no);
    let waits = recent.with(tx, |known| known.may_have_any(&hashes))?;
    Ok(!waits && !filter.may_have_any(form_no, &hashes))
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
    let recent = of_writer(tx)?;
    recent
        .place_all(tx.connection, &[(form_no, field, key, serial)])
        .map_err(internal)
}

fn of_writer<'c>(tx: &Tx<'c>) -> Result<&'c Recent> {
    tx.recent()
        .ok_or_else(|| Error::internal("keys changed in a reading transaction"))
}
