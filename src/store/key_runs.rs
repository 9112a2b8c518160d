//! The sorted runs of `entry_keys`. To put a key among all others dirties a page of the file for each, once there
//! are many: under load, those that were sorted together come one behind the other in a run of their own. The
//! runs are merged into the settled one when they are many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rusqlite::{Connection, OptionalExtension as _, params};

/// Where each key has its place among all others.
pub const SETTLED: i64 = 0;
/// More runs than these are merged: each is one more place to look for a key. It takes as many pages of the settled
/// run for a few as for many.
const MANY: usize = if cfg!(test) { 2 } else { 32 };
/// The same while nothing else is to do.
const SOME: usize = if cfg!(test) { 1 } else { 3 };
/// So many keys are merged at once: each time every run is looked into.
const PIECE: usize = if cfg!(test) { 32 } else { 1024 };
/// Keys that are read of a run together.
const AHEAD: usize = if cfg!(test) { 3 } else { 16 };
/// So many times more keys are taken away with one step than are copied with one.
const DROPPED: usize = 4;
/// Keys that are put there by one statement.
const TOGETHER: usize = 16;

/// A key's place within a run: its form, its field, its text, and the serial of the entry that has it.
pub type Key = (i64, u32, String, i64);

/// The runs beside the settled one, as the writer knows them.
#[derive(Default)]
pub struct Runs {
    /// None: to be read again.
    known: Option<Vec<i64>>,
    merging: Option<Merging>,
    /// So many keys are to be merged: twice as many as came since some were.
    due: usize,
}

/// How far a merging has come. It is begun again where that was forgotten: what was copied twice is there once.
struct Merging {
    /// The last of the runs that are merged. Those that come later wait for the next time.
    upto: i64,
    step: Step,
}

enum Step {
    /// Up to this key all are in the settled run, too. Taking them away where they were at once would dirty a page
    /// of each run.
    Copying(Key),
    /// Run after run goes.
    Dropping,
}

impl Runs {
    fn known(&mut self, connection: &Connection) -> rusqlite::Result<&mut Vec<i64>> {
        let known = match self.known.take() {
            Some(known) => known,
            None => connection
                .prepare_cached("SELECT run FROM key_runs WHERE run > ?1 ORDER BY run")?
                .query_map([SETTLED], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?,
        };
        Ok(self.known.insert(known))
    }

    /// Begins a new one, behind all others, those that were merged just now among them; its number.
    pub fn begin(&mut self, connection: &Connection) -> rusqlite::Result<i64> {
        let merged = self.merging.as_ref().map_or(SETTLED, |it| it.upto);
        let known = self.known(connection)?;
        let run = known.last().map_or(merged, |last| merged.max(*last)) + 1;
        known.push(run);
        connection
            .prepare_cached("INSERT INTO key_runs (run) VALUES (?1)")?
            .execute([run])?;
        Ok(run)
    }

    /// Whether there is something to merge.
    pub fn is_worth_merging(&self, is_idle: bool) -> bool {
        let most = if is_idle { SOME } else { MANY };
        let are_more = |known: &Vec<i64>| known.len() > most;
        self.merging.is_some() || self.known.as_ref().is_some_and(are_more)
    }

    /// Merges some, when nothing else is to do or so many keys came since that it is worth it; but not those of a
    /// run that is still being filled.
    pub fn merge(
        &mut self,
        connection: &Connection,
        came: usize,
        is_idle: bool,
        filling: Option<i64>,
    ) -> rusqlite::Result<()> {
        self.known(connection)?;
        if !self.is_worth_merging(is_idle) {
            return Ok(());
        }
        self.due += if is_idle { PIECE } else { 2 * came };
        if self.due < PIECE {
            return Ok(());
        }
        let limit = std::mem::take(&mut self.due);
        let merging = self.merging.take();
        let known = self.known(connection)?;
        let last = known.iter().rfind(|run| Some(**run) != filling).copied();
        let begin = |upto| Merging {
            upto,
            step: Step::Copying((i64::MIN, 0, String::new(), 0)),
        };
        let Some(Merging { upto, step }) = merging.or(last.map(begin)) else {
            return Ok(());
        };
        let step = match step {
            Step::Copying(after) => {
                let runs = known.iter().take_while(|run| **run <= upto);
                let runs: Vec<i64> = runs.copied().collect();
                let after = copy(connection, &runs, &after, limit)?;
                Some(after.map_or(Step::Dropping, Step::Copying))
            }
            Step::Dropping => {
                if let Some(run) = known.first().copied().filter(|run| *run <= upto)
                    && !drop_some_of_run(connection, run, DROPPED * limit)?
                {
                    known.remove(0);
                }
                let is_left = known.first().is_some_and(|run| *run <= upto);
                is_left.then_some(Step::Dropping)
            }
        };
        self.merging = step.map(|step| Merging { upto, step });
        Ok(())
    }
}

/// The run before one, if there is any.
///
/// # Errors
/// SQLite's.
pub fn below(connection: &Connection, run: i64) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT max(run) FROM key_runs WHERE run < ?1")?
        .query_row([run], |row| row.get(0))
}

/// Copies so many keys of runs that lie behind one to the settled run; up to which all are there now. None: there
/// are no more.
fn copy(
    connection: &Connection,
    runs: &[i64],
    after: &Key,
    limit: usize,
) -> rusqlite::Result<Option<Key>> {
    let mut sources: Vec<Source> = runs.iter().map(|run| Source::of(*run)).collect();
    let mut firsts = BinaryHeap::new();
    for (nth, source) in sources.iter_mut().enumerate() {
        let first = source.next(connection, after)?;
        firsts.extend(first.map(|key| Reverse((key, nth))));
    }
    let mut next = Vec::new();
    while next.len() < limit
        && let Some(Reverse((key, nth))) = firsts.pop()
    {
        if let Some(source) = sources.get_mut(nth) {
            let follower = source.next(connection, &key)?;
            firsts.extend(follower.map(|key| Reverse((key, nth))));
        }
        next.push(key);
    }
    let keys = next
        .iter()
        .map(|(form_no, field, key, serial)| (*form_no, *field, key.as_str(), *serial));
    insert_all(connection, SETTLED, keys)?;
    Ok(next.pop().filter(|_| !firsts.is_empty()))
}

/// A run that is read from one key on.
struct Source {
    run: i64,
    /// What was read and not yet taken.
    ahead: std::vec::IntoIter<Key>,
    is_whole: bool,
}

impl Source {
    fn of(run: i64) -> Self {
        Self {
            run,
            ahead: Vec::new().into_iter(),
            is_whole: false,
        }
    }

    /// The key behind one, which is the last that was taken.
    fn next(&mut self, connection: &Connection, after: &Key) -> rusqlite::Result<Option<Key>> {
        if self.ahead.as_slice().is_empty() && !self.is_whole {
            let keys = behind(connection, self.run, after, AHEAD)?;
            self.is_whole = keys.len() < AHEAD;
            self.ahead = keys.into_iter();
        }
        Ok(self.ahead.next())
    }
}

fn behind(
    connection: &Connection,
    run: i64,
    (form_no, field, key, serial): &Key,
    limit: usize,
) -> rusqlite::Result<Vec<Key>> {
    connection
        .prepare_cached(
            "SELECT form_no, field, key, serial FROM entry_keys WHERE run = ?1 \
             AND (form_no, field, key, serial) > (?2, ?3, ?4, ?5) \
             ORDER BY form_no, field, key, serial LIMIT ?6",
        )?
        .query_map(
            params![run, form_no, field, key, serial, at_most(limit)],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?
        .collect()
}

/// Takes up to `limit` keys of a run away, and the run itself with the last one; whether it is still there.
fn drop_some_of_run(connection: &Connection, run: i64, limit: usize) -> rusqlite::Result<bool> {
    let after: Option<Key> = connection
        .prepare_cached(
            "SELECT form_no, field, key, serial FROM entry_keys WHERE run = ?1 \
             ORDER BY form_no, field, key, serial LIMIT 1 OFFSET ?2",
        )?
        .query_row(params![run, at_most(limit)], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    if let Some((form_no, field, key, serial)) = after {
        connection
            .prepare_cached(
                "DELETE FROM entry_keys WHERE run = ?1 \
                 AND (form_no, field, key, serial) < (?2, ?3, ?4, ?5)",
            )?
            .execute(params![run, form_no, field, key, serial])?;
        return Ok(true);
    }
    for rest in [
        "DELETE FROM entry_keys WHERE run = ?1",
        "DELETE FROM key_runs WHERE run = ?1",
    ] {
        connection.prepare_cached(rest)?.execute([run])?;
    }
    Ok(false)
}

/// Puts keys, in their order, into a run.
pub fn insert_all<'k>(
    connection: &Connection,
    run: i64,
    keys: impl Iterator<Item = (i64, u32, &'k str, i64)>,
) -> rusqlite::Result<()> {
    let mut keys = keys.peekable();
    let mut together = Vec::with_capacity(TOGETHER);
    while keys.peek().is_some() {
        together.clear();
        together.extend(keys.by_ref().take(TOGETHER));
        let rows = vec!["(?, ?, ?, ?, ?)"; together.len()].join(", ");
        let mut insert = connection.prepare_cached(&format!(
            "INSERT OR IGNORE INTO entry_keys (run, form_no, field, key, serial) VALUES {rows}"
        ))?;
        for (row, (form_no, field, key, serial)) in together.iter().enumerate() {
            insert.raw_bind_parameter(5 * row + 1, run)?;
            insert.raw_bind_parameter(5 * row + 2, form_no)?;
            insert.raw_bind_parameter(5 * row + 3, field)?;
            insert.raw_bind_parameter(5 * row + 4, key)?;
            insert.raw_bind_parameter(5 * row + 5, serial)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// Takes up to `limit` keys of a form away, those of one field or of all; how many.
///
/// # Errors
/// SQLite's.
pub fn drop_some(
    connection: &Connection,
    form_no: i64,
    field: Option<u32>,
    limit: usize,
) -> rusqlite::Result<usize> {
    let (least, most) = field.map_or((0, u32::MAX), |field| (field, field));
    let found: Option<(i64, u32)> = connection
        .prepare_cached(
            "SELECT k.run, k.field FROM key_runs AS r CROSS JOIN entry_keys AS k ON k.run = r.run \
             WHERE k.form_no = ?1 AND k.field BETWEEN ?2 AND ?3 LIMIT 1",
        )?
        .query_row(params![form_no, least, most], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((run, field)) = found else {
        return Ok(0);
    };
    // Found by their place: SQLite would look for a list of keys among all of the field's.
    let after: Option<(String, i64)> = connection
        .prepare_cached(
            "SELECT key, serial FROM entry_keys WHERE run = ?1 AND form_no = ?2 AND field = ?3 \
             ORDER BY key, serial LIMIT 1 OFFSET ?4",
        )?
        .query_row(params![run, form_no, field, at_most(limit)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    match after {
        Some((key, serial)) => connection
            .prepare_cached(
                "DELETE FROM entry_keys WHERE run = ?1 AND form_no = ?2 AND field = ?3 \
                 AND (key, serial) < (?4, ?5)",
            )?
            .execute(params![run, form_no, field, key, serial]),
        None => connection
            .prepare_cached(
                "DELETE FROM entry_keys WHERE run = ?1 AND form_no = ?2 AND field = ?3",
            )?
            .execute(params![run, form_no, field]),
    }
}

fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn table() -> Connection {
        let connection = Connection::open_in_memory().expect("opens");
        connection
            .execute_batch(
                "CREATE TABLE entry_keys (run, form_no, field, key, serial, \
                 PRIMARY KEY (run, form_no, field, key, serial)) WITHOUT ROWID; \
                 CREATE TABLE key_runs (run INTEGER PRIMARY KEY); INSERT INTO key_runs VALUES (0)",
            )
            .expect("is made");
        connection
    }

    fn put(connection: &Connection, run: i64, keys: &BTreeSet<Key>) {
        let keys = keys
            .iter()
            .map(|(form_no, field, key, serial)| (*form_no, *field, key.as_str(), *serial));
        insert_all(connection, run, keys).expect("go in");
    }

    fn all(connection: &Connection) -> BTreeSet<Key> {
        let mut select = connection
            .prepare(
                "SELECT form_no, field, key, serial FROM entry_keys \
                 WHERE run IN (SELECT run FROM key_runs)",
            )
            .expect("is prepared");
        let keys = select.query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let keys = keys.expect("answers").map(|key| key.expect("a key"));
        keys.collect()
    }

    fn keys(most: usize) -> impl Strategy<Value = BTreeSet<Key>> {
        let key = (1..4_i64, 0..3_u32, "[ab]{0,3}", -3..40_i64);
        prop::collection::btree_set(key, 0..most)
    }

    proptest! {
        #[test]
        fn no_key_is_lost_between_two_runs(
            settled in keys(60),
            runs in prop::collection::vec(keys(60), 0..8),
            came in 1..100_usize,
            is_idle in any::<bool>(),
            forgotten in 1..100_usize,
        ) {
            let connection = table();
            let mut known = Runs::default();
            put(&connection, SETTLED, &settled);
            for keys in &runs {
                let run = known.begin(&connection).expect("begins");
                put(&connection, run, keys);
            }
            // The last one is still being filled.
            let filling = i64::try_from(runs.len()).expect("few");
            let (whole, mut steps) = (all(&connection), 0);
            let are_many = known.is_worth_merging(is_idle);
            while known.is_worth_merging(is_idle) {
                known.merge(&connection, came, is_idle, Some(filling)).expect("merges");
                prop_assert_eq!(&all(&connection), &whole);
                steps += 1;
                // Another process wrote: it begins anew, if it is still worth it.
                if steps == forgotten {
                    known = Runs::default();
                    known.known(&connection).expect("are read");
                }
                prop_assert!(steps < 2000);
            }
            if are_many && steps < forgotten {
                prop_assert_eq!(below(&connection, i64::MAX).expect("answers"), Some(filling));
                prop_assert_eq!(below(&connection, filling).expect("answers"), Some(SETTLED));
                prop_assert_eq!(below(&connection, SETTLED).expect("answers"), None);
            }
        }

        #[test]
        fn the_keys_of_a_field_or_form_go_and_no_others(
            runs in prop::collection::vec(keys(40), 1..4),
            field in prop::option::of(0..3_u32),
            limit in 1..20_usize,
        ) {
            let connection = table();
            let mut known = Runs::default();
            for keys in &runs {
                let run = known.begin(&connection).expect("begins");
                put(&connection, run, keys);
            }
            let mut left = all(&connection);
            left.retain(|(form_no, of, ..)| *form_no != 2 || field.is_some_and(|field| field != *of));
            loop {
                let gone = drop_some(&connection, 2, field, limit).expect("go");
                prop_assert!(gone <= limit);
                if gone == 0 {
                    break;
                }
            }
            prop_assert_eq!(all(&connection), left);
        }
    }

    #[test]
    fn runs_without_common_keys_are_merged_as_quickly() {
        const OF_RUN: i64 = 200;
        let connection = table();
        let mut known = Runs::default();
        let runs = i64::try_from(MANY).expect("few") + 3;
        for nth in 0..runs {
            let keys = (nth * OF_RUN..(nth + 1) * OF_RUN).map(|n| (1, 1, format!("{n:05}"), n));
            let run = known.begin(&connection).expect("begins");
            put(&connection, run, &keys.collect());
        }
        let (whole, mut steps) = (all(&connection), 0);
        while known.is_worth_merging(true) {
            known.merge(&connection, 0, true, None).expect("merges");
            steps += 1;
        }
        assert_eq!(all(&connection), whole);
        let piece = i64::try_from(PIECE).expect("few");
        assert!(steps < 2 * runs * OF_RUN / piece, "{steps}");
    }

    #[test]
    fn they_are_merged_when_they_are_many_and_later_ones_wait() {
        let connection = table();
        let mut known = Runs::default();
        let keys: BTreeSet<Key> = (0..100).map(|n| (1, 1, format!("{n}"), n)).collect();
        let merge = |known: &mut Runs| known.merge(&connection, PIECE / 4, false, None);
        for _ in 0..MANY {
            let run = known.begin(&connection).expect("begins");
            put(&connection, run, &keys);
            merge(&mut known).expect("waits");
            assert!(!known.is_worth_merging(false));
        }
        known.begin(&connection).expect("begins");
        let mut rounds = 0;
        while known.is_worth_merging(false) {
            merge(&mut known).expect("merges");
            if rounds == 1 {
                known.begin(&connection).expect("begins");
            }
            rounds += 1;
            assert!(rounds < 100);
        }
        let later = i64::try_from(MANY).expect("few") + 2;
        assert_eq!(known.known, Some(vec![later]));
        assert_eq!(all(&connection), keys);
        // While nothing else is to do, fewer are worth it.
        for run in [later + 1, later + 2] {
            assert!(run > later + 1 || !known.is_worth_merging(true));
            assert_eq!(known.begin(&connection).expect("begins"), run);
        }
        assert!(known.is_worth_merging(true));
    }
}
