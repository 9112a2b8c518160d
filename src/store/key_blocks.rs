//! Exact keys in blocks: some hundred that follow each other in the order of form, field, key and serial share a row.
//! To write, read and take away a row for each of them would take many times as long.

use std::borrow::Cow;

use bumpalo::Bump;
use memchr::memmem;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Deserialize;

/// Keys of a block, at most.
pub const BLOCK: usize = if cfg!(test) { 4 } else { 128 };
/// A longer block takes no more keys: it is to fit into a page of the file.
const ENOUGH: usize = 3700;
/// What a key takes besides its text, about.
const BESIDE: usize = 12;

/// A key's place: its form, its field, its text, and the serial of the entry that has it.
pub type Key = (i64, u32, String, i64);

/// The same, lent.
pub type Lent<'k> = (i64, u32, &'k str, i64);

/// Before all others.
pub const LEAST: Lent<'_> = (i64::MIN, 0, "", i64::MIN);

/// A key, to be handed on.
pub fn lent((form_no, field, key, serial): &Key) -> Lent<'_> {
    (*form_no, *field, key, *serial)
}

/// Keys in their order, as they share blocks.
pub fn cut<'a, 'k>(mut keys: &'a [Lent<'k>]) -> impl Iterator<Item = &'a [Lent<'k>]> {
    std::iter::from_fn(move || {
        let (form_no, field, ..) = *keys.first()?;
        let mut size = 0;
        let own = keys.iter().take(BLOCK).take_while(|key| {
            let has_room = size < ENOUGH;
            size += key.2.len() + BESIDE;
            has_room && (key.0, key.1) == (form_no, field)
        });
        let (block, rest) = keys.split_at(own.count());
        keys = rest;
        Some(block)
    })
}

/// Writes a block of a run.
///
/// # Errors
/// SQLite's.
pub fn write(connection: &Connection, run: i64, block: &[Lent]) -> rusqlite::Result<()> {
    let Some((form_no, field, key, serial)) = block.first() else {
        return Ok(());
    };
    let keys: Vec<(&str, i64)> = block
        .iter()
        .map(|(.., key, serial)| (*key, *serial))
        .collect();
    connection
        .prepare_cached(
            "INSERT INTO key_blocks (run, form_no, field, key, serial, keys) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![run, form_no, field, key, serial, text(&keys)?])?;
    Ok(())
}

/// A block's text: `[["key", serial], …]`.
fn text<K: serde::Serialize>(keys: &[(K, i64)]) -> rusqlite::Result<String> {
    serde_json::to_string(keys).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

fn keys(text: &[u8]) -> rusqlite::Result<Vec<(String, i64)>> {
    serde_json::from_slice(text).map_err(broken)
}

fn broken(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into())
}

/// The serials that have a key, in any run.
///
/// # Errors
/// SQLite's.
pub fn serials(
    connection: &Connection,
    form_no: i64,
    field: u32,
    key: &str,
) -> rusqlite::Result<Vec<i64>> {
    let mut serials = Vec::new();
    each_with(connection, (form_no, field, key), |_, keys| {
        let own = keys.into_iter().filter(|(other, _)| other == key);
        serials.extend(own.map(|(_, serial)| serial));
        Ok(())
    })?;
    Ok(serials)
}

/// Takes a key away, wherever it is.
///
/// # Errors
/// SQLite's.
pub fn remove(
    connection: &Connection,
    (form_no, field, key, serial): Lent,
) -> rusqlite::Result<()> {
    let mut changed = Vec::new();
    each_with(connection, (form_no, field, key), |id, mut keys| {
        let before = keys.len();
        keys.retain(|(other, of)| (other.as_str(), *of) != (key, serial));
        if keys.len() < before {
            changed.push((id, keys));
        }
        Ok(())
    })?;
    for (id, keys) in changed {
        if keys.is_empty() {
            drop_one(connection, id)?;
        } else {
            connection
                .prepare_cached("UPDATE key_blocks SET keys = ?2 WHERE id = ?1")?
                .execute(params![id, text(&keys)?])?;
        }
    }
    Ok(())
}

/// Gives each block that holds a key to `f`: its id and its keys. In each run these are the one before the key, and
/// those that begin with it.
fn each_with(
    connection: &Connection,
    (form_no, field, key): (i64, u32, &str),
    mut f: impl FnMut(i64, Vec<(String, i64)>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(
        "SELECT b.id, b.keys FROM key_runs AS r CROSS JOIN key_blocks AS b ON b.run = r.run \
         WHERE b.form_no = ?1 AND b.field = ?2 AND b.key <= ?3 AND b.key >= coalesce( \
           (SELECT max(key) FROM key_blocks WHERE run = r.run AND form_no = ?1 AND field = ?2 \
            AND key < ?3), ?3)",
    )?;
    let mut rows = select.query(params![form_no, field, key])?;
    // Most blocks do not hold it: they need not be read through.
    let part = text(&[(key, 0)])?;
    let part = memmem::Finder::new(part.trim_start_matches('[').trim_end_matches("0]]"));
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_bytes()?;
        if part.find(text).is_some() {
            f(row.get(0)?, keys(text)?)?;
        }
    }
    Ok(())
}

/// The last key of a run.
///
/// # Errors
/// SQLite's.
pub fn last(connection: &Connection, run: i64) -> rusqlite::Result<Option<Key>> {
    let block = connection
        .prepare_cached(
            "SELECT form_no, field, keys FROM key_blocks WHERE run = ?1 \
             ORDER BY form_no DESC, field DESC, key DESC, serial DESC LIMIT 1",
        )?
        .query_row([run], |row| {
            Ok((row.get(0)?, row.get(1)?, keys(row.get_ref(2)?.as_bytes()?)?))
        })
        .optional()?;
    let last = |(form_no, field, mut keys): (i64, u32, Vec<(String, i64)>)| {
        let (key, serial) = keys.pop()?;
        Some((form_no, field, key, serial))
    };
    Ok(block.and_then(last))
}

/// Blocks of a run.
pub struct Read<'t> {
    /// Their keys.
    pub keys: Vec<Lent<'t>>,
    /// Their ids, each with its last key.
    pub blocks: Vec<(i64, Lent<'t>)>,
    /// Where the last of them begins. None: there was none.
    pub last: Option<Lent<'t>>,
    /// Whether there are no more.
    pub is_all: bool,
}

/// Reads up to `limit` blocks of a run that begin behind a place. The texts of keys are lent.
///
/// # Errors
/// SQLite's.
pub fn read<'t>(
    connection: &Connection,
    texts: &'t Bump,
    run: i64,
    (form_no, field, key, serial): Lent,
    limit: usize,
) -> rusqlite::Result<Read<'t>> {
    let mut select = connection.prepare_cached(
        "SELECT form_no, field, key, serial, keys, id FROM key_blocks WHERE run = ?1 \
         AND (form_no, field, key, serial) > (?2, ?3, ?4, ?5) \
         ORDER BY form_no, field, key, serial LIMIT ?6",
    )?;
    let most = number(limit);
    let mut rows = select.query(params![run, form_no, field, key, serial, most])?;
    let (mut all, mut blocks, mut last) = (Vec::new(), Vec::new(), None);
    while let Some(row) = rows.next()? {
        let (form_no, field, id) = (row.get(0)?, row.get(1)?, row.get(5)?);
        let block: &str = texts.alloc_str(row.get_ref(4)?.as_str()?);
        let own: Vec<One> = serde_json::from_str(block).map_err(broken)?;
        all.extend(own.into_iter().map(|One(key, serial)| {
            let key = match key {
                Cow::Borrowed(key) => key,
                Cow::Owned(key) => texts.alloc_str(&key),
            };
            (form_no, field, key, serial)
        }));
        let key: &str = texts.alloc_str(row.get_ref(2)?.as_str()?);
        last = Some((form_no, field, key, row.get(3)?));
        blocks.extend(all.last().map(|last| (id, *last)));
    }
    Ok(Read {
        is_all: blocks.len() < limit,
        keys: all,
        blocks,
        last,
    })
}

/// A key of a block that is lent by its text, unless something in it is escaped.
#[derive(Deserialize)]
struct One<'t>(#[serde(borrow)] Cow<'t, str>, i64);

/// Takes up to `limit` blocks of a form away, those of one field or of all; how many.
///
/// # Errors
/// SQLite's.
pub fn drop_some(
    connection: &Connection,
    form_no: i64,
    (least, most): (u32, u32),
    limit: usize,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "DELETE FROM key_blocks WHERE id IN (SELECT b.id FROM key_runs AS r \
             CROSS JOIN key_blocks AS b ON b.run = r.run \
             WHERE b.form_no = ?1 AND b.field BETWEEN ?2 AND ?3 LIMIT ?4)",
        )?
        .execute(params![form_no, least, most, number(limit)])
}

/// Takes a block away.
///
/// # Errors
/// SQLite's.
pub fn drop_one(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM key_blocks WHERE id = ?1")?
        .execute([id])
        .map(drop)
}

fn number(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Empty tables.
#[cfg(test)]
pub fn tables() -> Connection {
    let connection = Connection::open_in_memory().expect("opens");
    connection
        .execute_batch(include_str!("../../migrations/V1__first.sql"))
        .expect("are made");
    connection
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn some_keys() -> impl Strategy<Value = BTreeSet<Key>> {
        // Texts that look otherwise in JSON, and some that begin like others.
        let text = prop::sample::select(vec![
            "",
            "a",
            "aa",
            "a\"",
            "\\",
            "b\u{1}",
            "é\u{1f600}",
            "0]",
        ]);
        let key = (1..3_i64, 0..3_u32, text, 1..9_i64);
        let key =
            key.prop_map(|(form_no, field, key, serial)| (form_no, field, key.to_owned(), serial));
        prop::collection::btree_set(key, 0..60)
    }

    fn make(connection: &Connection, runs: &[BTreeSet<Key>]) {
        for (run, keys) in (1..).zip(runs) {
            connection
                .execute("INSERT INTO key_runs (run, size) VALUES (?1, 1)", [run])
                .expect("begins");
            for block in cut(&keys.iter().map(lent).collect::<Vec<_>>()) {
                write(connection, run, block).expect("is written");
            }
        }
    }

    fn owned((form_no, field, key, serial): Lent) -> Key {
        (form_no, field, key.to_owned(), serial)
    }

    fn all_of(connection: &Connection, run: i64) -> Vec<Key> {
        let texts = Bump::new();
        let read = read(connection, &texts, run, LEAST, 1000).expect("is read");
        assert!(read.is_all);
        read.keys.into_iter().map(owned).collect()
    }

    proptest! {
        #[test]
        fn keys_are_found_and_go_wherever_they_are(
            mut runs in prop::collection::vec(some_keys(), 1..4),
            gone in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let connection = tables();
            make(&connection, &runs);
            for which in gone {
                let all: BTreeSet<Key> = runs.iter().flatten().cloned().collect();
                let Some(key) = all.iter().nth(which.index(all.len().max(1))) else {
                    continue;
                };
                remove(&connection, lent(key)).expect("goes");
                for keys in &mut runs {
                    keys.remove(key);
                }
                let (form_no, field, text, _) = key;
                let mut found = serials(&connection, *form_no, *field, text).expect("answers");
                found.sort_unstable();
                let same = runs.iter().flatten().filter(|it| (&it.0, &it.1, &it.2) == (form_no, field, text));
                let mut expected: Vec<i64> = same.map(|it| it.3).collect();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
            for (run, keys) in (1..).zip(&runs) {
                prop_assert_eq!(&all_of(&connection, run), &Vec::from_iter(keys.iter().cloned()));
                prop_assert_eq!(last(&connection, run).expect("answers"), keys.last().cloned());
            }
        }

        #[test]
        fn blocks_behind_a_place_are_read_some_at_a_time(keys in some_keys(), limit in 1..5_usize) {
            let connection = tables();
            make(&connection, std::slice::from_ref(&keys));
            let (texts, mut all, mut upto) = (Bump::new(), Vec::new(), LEAST);
            loop {
                let read = read(&connection, &texts, 1, upto, limit).expect("is read");
                prop_assert!(read.blocks.len() <= limit);
                prop_assert_eq!(read.blocks.last().map(|(_, last)| last), read.keys.last());
                all.extend(read.keys);
                upto = read.last.unwrap_or(upto);
                if read.is_all {
                    break;
                }
            }
            prop_assert!(keys.iter().map(lent).eq(all));
        }

        #[test]
        fn the_keys_of_a_field_or_form_go_and_no_others(
            mut runs in prop::collection::vec(some_keys(), 1..4),
            field in prop::option::of(0..3_u32),
            limit in 1..5_usize,
        ) {
            let connection = tables();
            make(&connection, &runs);
            let fields = field.map_or((0, u32::MAX), |field| (field, field));
            loop {
                let gone = drop_some(&connection, 2, fields, limit).expect("go");
                prop_assert!(gone <= limit);
                if gone == 0 {
                    break;
                }
            }
            for (run, keys) in (1..).zip(&mut runs) {
                keys.retain(|it| it.0 != 2 || field.is_some_and(|field| field != it.1));
                prop_assert_eq!(all_of(&connection, run), Vec::from_iter(keys.iter().cloned()));
            }
        }
    }

    #[test]
    fn a_block_is_of_one_field_and_fits_into_a_page() {
        let long = "a".repeat(ENOUGH);
        let keys = [
            (1, 1, "a", 1),
            (1, 2, "a", 1),
            (1, 2, "a", 2),
            (2, 2, &long, 1),
            (2, 2, "b", 1),
            (2, 3, "a", 1),
            (2, 3, "a", 2),
            (2, 3, "a", 3),
            (2, 3, "a", 4),
            (2, 3, "a", 5),
        ];
        let blocks: Vec<usize> = cut(&keys).map(<[_]>::len).collect();
        assert_eq!(blocks, [1, 2, 1, 1, 4, 1]);
        assert!(cut(&[]).next().is_none());
    }
}
