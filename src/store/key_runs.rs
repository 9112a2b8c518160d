//! The sorted runs of exact keys. To put a key among all others dirties a page of the file for each, once there are
//! many: under load, those that were sorted together are written one behind the other, and runs of about the same
//! size are merged into a longer one when they are many.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::store::key_merging::{LARGEST_PIECE, PIECE, take_over};

/// Runs of about the same size that are left as they are; one more, and they are merged. Each is one more place to
/// look for a key.
const MANY: usize = if cfg!(test) { 2 } else { 7 };
/// The same while nothing else is to do.
const SOME: usize = if cfg!(test) { 1 } else { 2 };
/// Runs that are merged together, at most.
const TOGETHER: usize = 16;
/// Merging goes on by so many keys for each that comes: all of them are copied once for each size.
const PACE: usize = 4;

/// The runs, as the writer knows them.
#[derive(Default)]
pub struct Runs {
    /// None: to be read again.
    known: Option<Known>,
    /// So many keys are to be merged.
    due: usize,
}

struct Known {
    runs: Vec<Run>,
}

#[derive(Clone, Copy)]
struct Run {
    run: i64,
    /// The keys that it was made for.
    size: i64,
    /// To which its keys go over. How far that has come is told by what is there.
    merged_into: Option<i64>,
}

impl Run {
    /// Runs of one class are of about the same size. Those that are merged under load are of a higher one together.
    fn class(&self) -> u32 {
        self.size.max(1).ilog(MANY as i64 + 1)
    }
}

impl Known {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let runs = connection
            .prepare_cached("SELECT run, size, merged_into FROM key_runs ORDER BY run")?
            .query_map([], |row| {
                Ok(Run {
                    run: row.get(0)?,
                    size: row.get(1)?,
                    merged_into: row.get(2)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Self { runs })
    }

    /// Of all mergings under way, that of the shortest runs: the run that comes of it, and their class.
    fn merging(&self) -> Option<(i64, u32)> {
        let merging = self.runs.iter();
        let merging = merging.filter_map(|run| Some((run.merged_into?, run.class())));
        merging.min_by_key(|(_, class)| *class)
    }

    /// The runs of the lowest class in which there are more than so many.
    fn too_many(&self, most: usize, filling: Option<i64>) -> Option<(Vec<Run>, u32)> {
        let comes_to_be = |run: &Run| {
            let mut others = self.runs.iter();
            Some(run.run) == filling || others.any(|it| it.merged_into == Some(run.run))
        };
        let mut classes: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
        for run in &self.runs {
            if run.merged_into.is_none() && !comes_to_be(run) {
                classes.entry(run.class()).or_default().push(*run);
            }
        }
        let mut classes = classes.into_iter();
        let (class, mut runs) = classes.find(|(_, runs)| runs.len() > most)?;
        runs.truncate(TOGETHER);
        Some((runs, class))
    }

    fn is_worth_merging(&self, is_idle: bool, filling: Option<i64>) -> bool {
        let most = if is_idle { SOME } else { MANY };
        self.merging().is_some() || self.too_many(most, filling).is_some()
    }

    fn begin(&mut self, connection: &Connection, size: i64) -> rusqlite::Result<i64> {
        let run = self.runs.last().map_or(0, |last| last.run) + 1;
        connection
            .prepare_cached("INSERT INTO key_runs (run, size) VALUES (?1, ?2)")?
            .execute(params![run, size])?;
        self.runs.push(Run {
            run,
            size,
            merged_into: None,
        });
        Ok(run)
    }

    /// Begins to merge some; the run that comes of it.
    fn begin_merging(&mut self, connection: &Connection, runs: &[Run]) -> rusqlite::Result<i64> {
        let into = self.begin(connection, runs.iter().map(|run| run.size).sum())?;
        let mut update =
            connection.prepare_cached("UPDATE key_runs SET merged_into = ?2 WHERE run = ?1")?;
        for run in &mut self.runs {
            if runs.iter().any(|it| it.run == run.run) {
                update.execute([run.run, into])?;
                run.merged_into = Some(into);
            }
        }
        Ok(into)
    }

    /// Takes some keys over to the run that comes of a merging; how many. With the last one, those that were merged
    /// are no more.
    fn go_on(
        &mut self,
        connection: &Connection,
        into: i64,
        limit: usize,
    ) -> rusqlite::Result<usize> {
        let merged = self.runs.iter().filter(|it| it.merged_into == Some(into));
        let merged: Vec<i64> = merged.map(|it| it.run).collect();
        let (count, is_all) = take_over(connection, &merged, into, limit)?;
        if is_all {
            connection
                .prepare_cached("DELETE FROM key_runs WHERE merged_into = ?1")?
                .execute([into])?;
            self.runs.retain(|it| it.merged_into != Some(into));
        }
        Ok(count)
    }
}

impl Runs {
    fn known(&mut self, connection: &Connection) -> rusqlite::Result<&mut Known> {
        let known = match self.known.take() {
            Some(known) => known,
            None => Known::read(connection)?,
        };
        Ok(self.known.insert(known))
    }

    /// Begins one for so many keys; its number. Keys go on to higher ones alone.
    pub fn begin(&mut self, connection: &Connection, size: usize) -> rusqlite::Result<i64> {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        self.known(connection)?.begin(connection, size)
    }

    /// Whether there is something to merge, besides the run that is still being filled.
    pub fn is_worth_merging(&self, is_idle: bool, filling: Option<i64>) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.is_worth_merging(is_idle, filling))
    }

    /// Merges some, when nothing else is to do or so many keys came since that it is worth it; but not the run that
    /// is still being filled.
    pub fn merge(
        &mut self,
        connection: &Connection,
        came: usize,
        is_idle: bool,
        filling: Option<i64>,
    ) -> rusqlite::Result<()> {
        let known = self.known(connection)?;
        if !known.is_worth_merging(is_idle, filling) {
            self.due = 0;
            return Ok(());
        }
        self.due += if is_idle { PIECE } else { PACE * came };
        let due = self.due;
        if due < PIECE {
            return Ok(());
        }
        let most = if is_idle { SOME } else { MANY };
        // Shorter runs first, whatever else is under way: more of them come meanwhile.
        let known = self.known(connection)?;
        let into = match (known.merging(), known.too_many(most, filling)) {
            (Some((into, class)), Some((_, other))) if class <= other => into,
            (_, Some((runs, _))) => known.begin_merging(connection, &runs)?,
            (Some((into, _)), None) => into,
            (None, None) => return Ok(()),
        };
        let count = known.go_on(connection, into, due.min(LARGEST_PIECE))?;
        self.due = due.saturating_sub(count.max(1));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bumpalo::Bump;
    use proptest::prelude::*;

    use super::*;
    use crate::store::key_blocks::{self, BLOCK, Key, LEAST, lent, tables};
    use crate::store::key_merging::BLOCKS;

    fn put(connection: &Connection, run: i64, keys: &BTreeSet<Key>) {
        for block in key_blocks::cut(&keys.iter().map(lent).collect::<Vec<_>>()) {
            key_blocks::write(connection, run, block).expect("is written");
        }
    }

    fn made(connection: &Connection, runs: &mut Runs, keys: &BTreeSet<Key>) -> i64 {
        let run = runs.begin(connection, keys.len()).expect("begins");
        put(connection, run, keys);
        run
    }

    fn all(connection: &Connection) -> BTreeSet<Key> {
        let mut select = connection
            .prepare("SELECT form_no, field, key, serial FROM all_entry_keys")
            .expect("is prepared");
        let keys = select.query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let keys = keys.expect("answers").map(|key| key.expect("a key"));
        keys.collect()
    }

    /// The runs that there are.
    fn runs(connection: &Connection) -> Vec<i64> {
        let mut select = connection
            .prepare("SELECT run FROM key_runs ORDER BY run")
            .expect("is prepared");
        let runs = select.query_map([], |row| row.get(0)).expect("answers");
        runs.map(|run| run.expect("a number")).collect()
    }

    fn left_behind(connection: &Connection) -> i64 {
        let left = "SELECT count(*) FROM key_blocks WHERE run NOT IN (SELECT run FROM key_runs)";
        connection
            .query_row(left, [], |row| row.get(0))
            .expect("a number")
    }

    /// Whether the keys of each run come one behind the other, none twice, and none that went on is left behind.
    fn are_in_order(connection: &Connection) -> bool {
        let mut select = connection
            .prepare("SELECT run, merged_into FROM key_runs")
            .expect("is prepared");
        let runs = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let texts = Bump::new();
        let mut runs = runs.expect("answers").map(|run| run.expect("numbers"));
        runs.all(|(run, into): (i64, Option<i64>)| {
            let read = key_blocks::read(connection, &texts, run, LEAST, 10_000).expect("is read");
            let gone = into.and_then(|into| key_blocks::last(connection, into).expect("is read"));
            let mut blocks = read.blocks.iter();
            read.keys.is_sorted_by(|one, next| one < next)
                && blocks.all(|(_, last)| gone.as_ref().is_none_or(|gone| *last > lent(gone)))
        })
    }

    fn some_keys(most: usize) -> impl Strategy<Value = BTreeSet<Key>> {
        let key = (1..4_i64, 0..3_u32, "[ab]{0,3}", 1..40_i64);
        prop::collection::btree_set(key, 0..most)
    }

    proptest! {
        #[test]
        fn no_key_is_lost_between_two_runs(
            keys in prop::collection::vec(some_keys(90), 0..12),
            came in 1..20_usize,
            is_idle in any::<bool>(),
            forgotten in 1..100_usize,
            gone in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let connection = tables();
            let mut known = Runs::default();
            for keys in &keys {
                made(&connection, &mut known, keys);
            }
            // The last one is still being filled.
            let filling = i64::try_from(keys.len()).ok().filter(|last| *last > 0);
            let (mut whole, mut steps, mut gone) = (all(&connection), 0, gone.into_iter());
            while known.is_worth_merging(is_idle, filling) {
                known.merge(&connection, came, is_idle, filling).expect("merges");
                prop_assert_eq!(&all(&connection), &whole);
                steps += 1;
                // A key goes meanwhile.
                let key = gone.next().and_then(|gone| whole.iter().nth(gone.index(whole.len().max(1))));
                if let Some(key) = key.cloned() {
                    key_blocks::remove(&connection, lent(&key)).expect("goes");
                    whole.remove(&key);
                }
                // Another process wrote: it goes on where it was.
                if steps == forgotten {
                    known = Runs::default();
                    known.known(&connection).expect("are read");
                }
                prop_assert!(steps < 2000);
            }
            prop_assert_eq!(all(&connection), whole);
            prop_assert_eq!(left_behind(&connection), 0);
            prop_assert!(are_in_order(&connection));
            let runs = runs(&connection);
            prop_assert!(filling.is_none_or(|filling| runs.contains(&filling)));
            if is_idle {
                prop_assert!(runs.len() <= 8, "{runs:?}");
            }
        }
    }

    /// Keys of which no other call has one.
    fn own_keys(nth: usize, count: usize) -> BTreeSet<Key> {
        let keys = (0..count).map(|n| (1, 1, format!("{nth:05} {n:05}"), 1));
        keys.collect()
    }

    #[test]
    fn shorter_runs_are_merged_first_and_longer_ones_come_of_them() {
        const OF_RUN: usize = 40;
        let connection = tables();
        let mut known = Runs::default();
        let (mut most, mut steps) = (0, 0);
        for nth in 0..81 {
            made(&connection, &mut known, &own_keys(nth, OF_RUN));
            for _ in 0..8 {
                known
                    .merge(&connection, OF_RUN / 8, false, None)
                    .expect("merges");
                steps += 1;
            }
            most = most.max(runs(&connection).len());
        }
        while known.is_worth_merging(false, None) {
            known
                .merge(&connection, OF_RUN / 8, false, None)
                .expect("merges");
            steps += 1;
            assert!(steps < 2 * 81 * 8, "{most}");
        }
        // Of four classes; while some are merged, others come.
        assert!(most <= 4 * (MANY + 2), "{most}");
        let sizes: Vec<i64> = known
            .known(&connection)
            .expect("known")
            .runs
            .iter()
            .map(|it| it.size)
            .collect();
        assert_eq!(sizes.iter().sum::<i64>(), 81 * 40);
        assert!(sizes.len() <= 4 * MANY, "{sizes:?}");
        let all = all(&connection);
        assert_eq!(all.len(), 81 * OF_RUN);
        for nth in 0..81 {
            assert!(own_keys(nth, OF_RUN).is_subset(&all));
        }
        assert_eq!(left_behind(&connection), 0);
    }

    #[test]
    fn it_goes_on_however_few_keys_a_step_takes() {
        let connection = tables();
        let mut known = Runs::default();
        let runs = [0, 1].map(|nth| made(&connection, &mut known, &own_keys(nth, 9)));
        let (whole, into) = (
            all(&connection),
            known.begin(&connection, 18).expect("begins"),
        );
        let mut steps = 0;
        while !take_over(&connection, &runs, into, 1)
            .expect("takes over")
            .1
        {
            assert_eq!(all(&connection), whole);
            steps += 1;
        }
        assert_eq!((steps, all(&connection)), (17, whole));
    }

    #[test]
    fn short_blocks_are_merged_too_some_at_a_time() {
        const OF_RUN: usize = 200;
        let connection = tables();
        let mut known = Runs::default();
        for nth in 0..=MANY {
            let run = known.begin(&connection, OF_RUN).expect("begins");
            for key in &own_keys(nth, OF_RUN) {
                key_blocks::write(&connection, run, &[lent(key)]).expect("is written");
            }
        }
        let whole = all(&connection);
        let blocks = || -> usize {
            let count = "SELECT count(*) FROM key_blocks";
            connection
                .query_row(count, [], |row| row.get(0).map(|count: i64| count as usize))
                .expect("a number")
        };
        let (mut before, mut steps) = (blocks(), 0);
        while known.is_worth_merging(false, None) {
            known
                .merge(&connection, PIECE, false, None)
                .expect("merges");
            assert_eq!(all(&connection), whole);
            let first_ones = (MANY + 1) * PIECE / BLOCK;
            assert!(before - blocks() <= BLOCKS * LARGEST_PIECE / PIECE + first_ones);
            (before, steps) = (blocks(), steps + 1);
            assert!(steps < 100);
        }
        assert!(blocks() < whole.len() / 3);
        assert_eq!(left_behind(&connection), 0);
    }

    #[test]
    fn they_are_merged_when_they_are_many_and_fewer_while_nothing_else_is_to_do() {
        let connection = tables();
        let mut known = Runs::default();
        for nth in 0..MANY {
            made(&connection, &mut known, &own_keys(nth, 30));
        }
        assert!(!known.is_worth_merging(false, None));
        assert!(known.is_worth_merging(true, None));
        let filling = made(&connection, &mut known, &own_keys(MANY, 30));
        assert!(known.is_worth_merging(false, None));
        assert!(!known.is_worth_merging(false, Some(filling)));
        // Too few came so far.
        let before = runs(&connection);
        known.merge(&connection, 1, false, None).expect("waits");
        assert_eq!(runs(&connection), before);
        while known.is_worth_merging(true, None) {
            known.merge(&connection, 0, true, None).expect("merges");
        }
        assert_eq!(all(&connection).len(), (MANY + 1) * 30);
        let last = runs(&connection);
        assert!(
            last.len() == 1 && last.iter().all(|run| *run > filling),
            "{last:?}"
        );
    }
}
