//! A walk over the exact keys of a form that have a place in the file: first those that stand alone, then run after
//! run, while keys come and go and runs are merged.

use bumpalo::Bump;
use rusqlite::{Connection, params};

use crate::store::key_blocks::{self, BLOCK, Lent};

/// How far it has come. Keys go on to higher runs meanwhile, so that it meets those that it has not met yet.
#[derive(Clone)]
pub struct Place {
    /// None: among those that stand alone.
    run: Option<i64>,
    field: u32,
    key: String,
    serial: i64,
}

/// A part of a walk.
pub struct Walked {
    /// Fields, keys, and the serials of the entries that have them.
    pub keys: Vec<(u32, String, i64)>,
    /// None: that was all.
    pub next: Option<Place>,
}

impl Place {
    /// Before the first key.
    pub fn first() -> Self {
        Self::of_run(None)
    }

    fn of_run(run: Option<i64>) -> Self {
        Self {
            run,
            field: 0,
            key: String::new(),
            serial: i64::MIN,
        }
    }
}

/// The next keys of a form's fields from one to another, about `limit`; there may be none at one place and more at
/// the next.
///
/// # Errors
/// SQLite's.
pub fn walk(
    connection: &Connection,
    form_no: i64,
    (least, most): (u32, u32),
    place: &Place,
    limit: usize,
) -> rusqlite::Result<Walked> {
    let (field, key, serial) = if place.field < least {
        (least, "", i64::MIN)
    } else {
        (place.field, place.key.as_str(), place.serial)
    };
    let (keys, last) = match place.run {
        None => {
            let limit_of_rows = i64::try_from(limit).unwrap_or(i64::MAX);
            let keys = connection
                .prepare_cached(
                    "SELECT field, key, serial FROM entry_keys WHERE form_no = ?1 \
                     AND (field, key, serial) > (?2, ?3, ?4) AND field <= ?5 \
                     ORDER BY field, key, serial LIMIT ?6",
                )?
                .query_map(
                    params![form_no, field, key, serial, most, limit_of_rows],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let last = keys.last().filter(|_| keys.len() == limit).cloned();
            (keys, last)
        }
        Some(run) => {
            let texts = Bump::new();
            let behind = (form_no, field, key, serial);
            let read = key_blocks::read(connection, &texts, run, behind, limit.div_ceil(BLOCK))?;
            let is_of_form = |of: i64, field: u32| of == form_no && field <= most;
            let last = read
                .last
                .filter(|last| !read.is_all && is_of_form(last.0, last.1));
            let keys = read.keys.into_iter();
            let keys = keys.filter(|key| is_of_form(key.0, key.1));
            let owned = |(_, field, key, serial): Lent| (field, key.to_owned(), serial);
            (keys.map(owned).collect(), last.map(owned))
        }
    };
    let next = match last {
        Some((field, key, serial)) => Some(Place {
            run: place.run,
            field,
            key,
            serial,
        }),
        None => after(connection, place.run)?.map(|run| Place::of_run(Some(run))),
    };
    Ok(Walked { keys, next })
}

/// The run after one.
fn after(connection: &Connection, run: Option<i64>) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT min(run) FROM key_runs WHERE run > ?1")?
        .query_row([run.unwrap_or(0)], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::store::key_runs::Runs;

    type OfForm = BTreeSet<(u32, String, i64)>;

    fn some_keys() -> impl Strategy<Value = OfForm> {
        prop::collection::btree_set((0..4_u32, "[ab]{0,3}", 1..20_i64), 0..60)
    }

    proptest! {
        #[test]
        fn a_walk_meets_all_keys_while_runs_are_merged(
            alone in some_keys(),
            runs in prop::collection::vec(some_keys(), 0..7),
            fields in prop::sample::select(vec![(0, u32::MAX), (1, 1), (2, 3)]),
            limit in 1..20_usize,
            steps in prop::collection::vec(0..4_usize, 100),
        ) {
            let connection = key_blocks::tables();
            for (field, key, serial) in &alone {
                connection
                    .execute("INSERT INTO entry_keys VALUES (2, ?1, ?2, ?3)", params![field, key, serial])
                    .expect("goes in");
            }
            let mut known = Runs::default();
            for keys in &runs {
                let run = known.begin(&connection, keys.len()).expect("begins");
                // Of three forms.
                let lent = |form_no| keys.iter().map(move |(field, key, serial)| (form_no, *field, key.as_str(), *serial));
                let keys: Vec<Lent> = (1..4).flat_map(lent).collect();
                for block in key_blocks::cut(&keys) {
                    key_blocks::write(&connection, run, block).expect("is written");
                }
            }
            let mut steps = steps.into_iter().cycle();
            let (mut next, mut met, mut pieces) = (Some(Place::first()), OfForm::new(), 0);
            while let Some(place) = next {
                let walked = walk(&connection, 2, fields, &place, limit).expect("walks");
                met.extend(walked.keys);
                next = walked.next;
                for _ in 0..steps.next().unwrap_or(0) {
                    known.merge(&connection, 0, true, None).expect("merges");
                }
                pieces += 1;
                prop_assert!(pieces < 2000);
            }
            let all = alone.into_iter().chain(runs.into_iter().flatten());
            let wanted: OfForm = all.filter(|it| (fields.0..=fields.1).contains(&it.0)).collect();
            prop_assert_eq!(met, wanted);
        }
    }
}
