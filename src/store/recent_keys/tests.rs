//! Keys on their way, as a model has them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rusqlite::params;

use super::*;
use crate::store::Store;
use crate::store::data_dir::DataDir;
use crate::store::entry_keys::{self, State, insert_all, is_taken, remove, with_key as find};

const FORM: i64 = 7;
/// One whose keys come with those of the other and stay.
const OTHER: i64 = 8;

/// What there should be.
type Model = BTreeSet<Key>;

/// Texts that look otherwise in JSON, and one that is a part of another.
const KEYS: [&str; 6] = [
    "key",
    "a key",
    "a\"b\\",
    "tab\tand\u{1}",
    "é\u{1f600}\u{2028}",
    "null",
];

#[derive(Clone, Debug)]
enum Step {
    /// An entry with these two keys comes.
    Come(u8, u8),
    /// A key of an entry goes.
    Go(u8),
    /// Some move, as a batch would let them while nothing else is to do, or else.
    Move(bool),
    /// All of the form move.
    Settle,
}

/// Jobs that share a commit, whether the changes of each are kept, and whether the commit is.
#[derive(Clone, Debug)]
struct Batch {
    jobs: Vec<(Vec<Step>, bool)>,
    kept: bool,
}

fn batch() -> impl Strategy<Value = Batch> {
    let step = prop_oneof![
        6 => (0..6_u8, 0..6_u8).prop_map(|(a, b)| Step::Come(a, b)),
        3 => any::<u8>().prop_map(Step::Go),
        1 => Just(Step::Settle),
    ];
    let job = prop::collection::vec(step, 1..3);
    let jobs = prop::collection::vec((job, prop::bool::weighted(0.8)), 1..6);
    let moves = any::<bool>().prop_map(|is_idle| vec![(vec![Step::Move(is_idle)], true)]);
    let jobs = prop_oneof![3 => jobs, 2 => moves];
    (jobs, prop::bool::weighted(0.9)).prop_map(|(jobs, kept)| Batch { jobs, kept })
}

fn of_other(serial: i64) -> String {
    format!("key {serial}")
}

fn take(tx: &Tx, step: &Step, serials: &mut i64, model: &mut Model) -> Result<()> {
    match *step {
        Step::Come(a, b) => {
            *serials += 1;
            let serial = *serials;
            let keys =
                [(1, a), (2, b)].map(|(field, nth)| (field, KEYS[usize::from(nth)].to_owned()));
            let keys = keys.to_vec();
            model.extend(
                keys.iter()
                    .map(|(field, key)| (*field, key.clone(), serial)),
            );
            insert_all(tx, OTHER, serial, vec![(1, of_other(serial))])?;
            insert_all(tx, FORM, serial, keys)
        }
        Step::Go(which) => {
            let chosen = model.iter().nth(usize::from(which) % model.len().max(1));
            let Some((field, key, serial)) = chosen.cloned() else {
                return Ok(());
            };
            model.remove(&(field, key.clone(), serial));
            remove(tx, FORM, field, &key, serial)
        }
        Step::Move(is_idle) => of_writer(tx)?
            .end_batch(tx.connection, is_idle)
            .map_err(internal),
        Step::Settle => settle_all(tx, FORM),
    }
}

/// Has jobs written with one commit; each sees what the ones before it left. What there is then.
fn write(store: &Store, batch: Batch, serials: i64, model: Model) -> (i64, Model) {
    let (all_there, wait) = std::sync::mpsc::channel();
    let (fails, before) = (!batch.kept, (serials, model.clone()));
    let first = store.submit(move |tx| {
        if fails {
            // Of no form: seen when the commit comes.
            tx.connection
                .execute_batch(
                    "PRAGMA defer_foreign_keys = ON; \
                     INSERT INTO imports (form_no, touched_at, row_count) VALUES (-1, 0, 0)",
                )
                .map_err(internal)?;
        }
        wait.recv().map_err(Error::internal)
    });
    let now = Arc::new(Mutex::new((serials, model)));
    let tickets: Vec<_> = batch
        .jobs
        .into_iter()
        .map(|(steps, kept)| {
            let now = Arc::clone(&now);
            let job = move |tx: &Tx| {
                let mut now = now.lock().expect("nobody panicked");
                let (mut serials, mut model) = now.clone();
                hold(tx, serials, &model)?;
                for step in &steps {
                    take(tx, step, &mut serials, &mut model)?;
                }
                hold(tx, serials, &model)?;
                if kept {
                    *now = (serials, model);
                }
                kept.then_some(()).ok_or(Error::internal("not kept"))
            };
            (kept, store.submit(job))
        })
        .collect();
    all_there.send(()).expect("is waited for");
    assert_eq!(first.wait().is_ok(), !fails);
    for (kept, ticket) in tickets {
        assert_eq!(ticket.wait().is_ok(), kept && !fails);
    }
    if fails {
        return before;
    }
    let now = now.lock().expect("nobody panicked");
    now.clone()
}

fn hold(tx: &Tx, last: i64, model: &Model) -> Result<()> {
    let is_free = |form_no, key| are_free(tx, form_no, std::iter::once(&key));
    for field in 1..=2 {
        for key in KEYS {
            let same = model.iter().filter(|(f, k, _)| *f == field && k == key);
            let serials: Vec<i64> = same.map(|(.., serial)| *serial).collect();
            assert_eq!(find(tx, FORM, field, key, 100)?, serials);
            assert_eq!(is_taken(tx, FORM, field, key, None)?, !serials.is_empty());
            let first = serials.first().copied();
            assert_eq!(is_taken(tx, FORM, field, key, first)?, serials.len() > 1);
            assert!(serials.is_empty() || !is_free(FORM, (field, key.to_owned()))?);
        }
    }
    for serial in (last - 3).max(1)..=last {
        let key = of_other(serial);
        assert_eq!(find(tx, OTHER, 1, &key, 2)?, [serial]);
        assert!(!is_free(OTHER, (1, key))?);
    }
    assert_eq!(find(tx, OTHER, 1, KEYS[1], 100)?, Vec::<i64>::new());
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
    let batches = prop::collection::vec((batch(), 0..12_usize), 1..32);
    let serials = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(60));
    let ran = runner.run(&batches, |batches| {
        let mut model = Model::new();
        for (batch, who) in batches {
            // Mostly the same one, so that a way of many batches is gone to its end.
            let (own, other) = (
                &stores[usize::from(who == 0)],
                &stores[usize::from(who != 0)],
            );
            let (last, now) = write(own, batch, serials.get(), model);
            serials.set(last);
            model = now;
            own.read(|tx| hold(tx, last, &model)).expect("answers");
            let now = model.clone();
            own.write(move |tx| hold(tx, last, &now)).expect("answers");
            if who <= 1 {
                let now = model.clone();
                other
                    .write(move |tx| hold(tx, last, &now))
                    .expect("answers");
            }
        }
        for (field, key, serial) in model {
            let gone = stores[0].write(move |tx| remove(tx, FORM, field, &key, serial));
            gone.expect("goes");
        }
        Ok(())
    });
    ran.expect("holds");
}

#[test]
fn a_building_that_was_cut_off_leaves_no_key_behind() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(DataDir::create(dir.path()).expect("a data dir")).expect("opens");
    let left = store.write(|tx| {
        // There is no such form; nothing of this is kept.
        tx.connection
            .execute_batch("PRAGMA defer_foreign_keys = ON")
            .map_err(internal)?;
        entry_keys::set_state(tx, FORM, 1, State::Building)?;
        insert_all(tx, FORM, 1, vec![(1, "key".to_owned())])?;
        assert_eq!(find(tx, FORM, 1, "key", 2)?, [1]);
        entry_keys::abandon(tx)?;
        while entry_keys::drop_some(tx, FORM, 1, 1)? {}
        let recent = of_writer(tx)?;
        recent.end_batch(tx.connection, true).map_err(internal)?;
        let left = find(tx, FORM, 1, "key", 2)?;
        Err::<(), _>(Error::Internal(format!("left: {left:?}")))
    });
    assert!(
        matches!(&left, Err(Error::Internal(left)) if left == "left: []"),
        "{left:?}"
    );
}

#[test]
fn keys_that_could_not_be_read_once_are_not_denied_later() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(DataDir::create(dir.path()).expect("a data dir")).expect("opens");
    let taken = store.write(|tx| {
        let put = |keys: &str| {
            tx.connection
                .execute(
                    "INSERT OR REPLACE INTO recent_keys (id, keys) VALUES (?1, ?2)",
                    params![address(FORM, 1), keys],
                )
                .map_err(internal)
        };
        put("broken")?;
        assert!(is_taken(tx, FORM, 1, "key", None).is_err());
        // What is in its place already is learned, with every batch some more.
        let recent = of_writer(tx)?;
        recent.end_batch(tx.connection, false).map_err(internal)?;
        put(r#"[[1,[[1,"key"]]]]"#)?;
        is_taken(tx, FORM, 1, "key", None)
    });
    assert!(matches!(taken, Ok(true)), "{taken:?}");
}
