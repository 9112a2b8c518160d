//! The scan is the oracle: whatever the rows and the condition, a segment gives the same answer as testing every row.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::cases::cases;
use crate::base::clock::Time;
use crate::base::id::EntryToken;
use crate::base::issue::Issues;
use crate::fields::definition::Definition;
use crate::fields::filter::cond::{Cond, Key, holds_in_cells};
use crate::fields::kind::Cx;
use crate::fields::values::{Values, stored};
use crate::model::bits::{Bits, ROWS};
use crate::model::entry::Entry;
use crate::model::results::Results;

type Cells = Vec<Vec<Key>>;

fn packing() -> impl Strategy<Value = Packing> {
    prop::sample::select(vec![Packing::Plain, Packing::Packed])
}

const WORDS: [&str; 14] =
    ["", "a", "ab", "abc", "b", "你好", "好", "strasse", "2026-11-20", "2026-11-21 10:30", "é", "🦀", "a b", "bca"];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => "[ab好]{0,6}",
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-3..6_i32).prop_map(f64::from),
        1 => Just(-0.0),
        1 => (0..400_u32).prop_map(f64::from),
        1 => (-90..900_i32).prop_map(|n| f64::from(n) / 100.0),
        1 => (-1e12..1e12_f64).prop_map(f64::round),
        1 => -2.0..2.0_f64,
        1 => prop::sample::select(&[f64::MAX, f64::MIN, 1e15, 9_007_199_254_740_993.0][..]),
    ]
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        word().prop_map(Key::Text),
        number().prop_map(Key::Number),
        word().prop_map(Key::Code),
        word().prop_map(Key::Label),
    ]
}

/// Possible cells of a row of a column: kinds whose values look alike, and some where nothing does.
fn column() -> impl Strategy<Value = BoxedStrategy<Cells>> {
    let one = |key: BoxedStrategy<Key>| key.prop_map(|key| vec![vec![key]]).boxed();
    let long = "[abc 好]{0,40}".prop_map(Key::Text).boxed();
    prop::sample::select(vec![0_usize, 1, 2, 3, 4, 5, 6, 7, 8, 9]).prop_map(move |style| match style {
        0 => one(word().prop_map(Key::Text).boxed()),
        1 => one(word().prop_map(Key::Code).boxed()),
        2 => one(number().prop_map(Key::Number).boxed()),
        3 => one((0..200_u8).prop_map(|n| Key::Number(f64::from(n))).boxed()),
        4 => (number(), word()).prop_map(|(n, word)| vec![vec![Key::Number(n), Key::Label(word)]]).boxed(),
        5 => prop::collection::vec((word(), word()), 0..3)
            .prop_map(|choices| {
                let keys = choices.into_iter();
                vec![keys.flat_map(|(code, label)| [Key::Code(code), Key::Label(label)]).collect()]
            })
            .boxed(),
        6 => one(long.clone()),
        9 => one("[abc]{1,12}(@[ab])?@(example.com|example.org|b)".prop_map(Key::Text).boxed()),
        7 => one((-30_000..300_000_i32).prop_map(|n| Key::Number(f64::from(n) / 1000.0)).boxed()),
        _ => prop::collection::vec(prop::collection::vec(key(), 0..3), 0..3).boxed(),
    })
}

fn cond() -> impl Strategy<Value = Cond> {
    let bound = || prop::option::of((key(), any::<bool>()));
    let leaf = prop_oneof![
        1 => Just(Cond::Null),
        3 => prop::collection::vec(key(), 0..8).prop_map(Cond::In),
        2 => prop::collection::vec(key(), 0..4).prop_map(Cond::Set),
        3 => (bound(), bound()).prop_map(|(low, high)| Cond::Range { low, high }),
        3 => word().prop_map(Cond::Like),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Cond::negated),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Cond::Any),
            (inner.clone(), inner).prop_map(|(a, b)| Cond::Both(Box::new(a), Box::new(b))),
        ]
    })
}

/// Rows of one column: some empty, some without an entry, one thousand of them or a few.
fn rows() -> impl Strategy<Value = Vec<(usize, Cells)>> {
    let many = prop_oneof![3 => 0..40_usize, 1 => 300..900_usize];
    (column(), many, 0..3000_usize).prop_flat_map(|(column, many, first)| {
        let cell = prop_oneof![5 => column, 1 => Just(Vec::new()), 1 => Just(vec![Vec::new()])];
        prop::collection::vec((cell, 0..5_usize), many).prop_map(move |cells| {
            let mut row = first;
            let placed = cells.into_iter().map(|(cells, gap)| {
                row += gap / 4 + 1;
                (row, cells)
            });
            placed.filter(|(row, _)| *row < ROWS).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases().cases / 4, ..cases() })]

    #[test]
    fn a_segment_says_what_the_scan_says(
        packing in packing(),
        rows in rows(),
        conds in prop::collection::vec(cond(), 1..6),
        room in prop_oneof![4 => Just(usize::MAX), 1 => 0..60_usize],
    ) {
        let mut sealer = Sealer::default();
        for (row, cells) in &rows {
            sealer.add(*row, cells, room);
        }
        let bytes = sealer.seal(packing);
        let segment = Segment::read(&bytes).expect("what was just made");
        let filled = |cells: &Cells| -> Cells { cells.iter().filter(|cell| !cell.is_empty()).cloned().collect() };
        let kept: Vec<(usize, Cells)> = rows.iter().map(|(row, cells)| (*row, filled(cells)))
            .filter(|(row, cells)| !cells.is_empty() && !segment.unknown().has(*row)).collect();
        prop_assert_eq!(segment.cells().expect("nothing is damaged"), kept);
        // The conditions often ask for existing values.
        let there = rows.iter().take(3).map(|(_, cells)| Cond::In(cells.concat()));
        let sets = rows.iter().take(2).map(|(_, cells)| Cond::Set(cells.concat()));
        for cond in conds.into_iter().chain(there.collect::<Vec<_>>()).chain(sets.collect::<Vec<_>>()) {
            let found = segment.ask(&cond).expect("nothing is damaged");
            for (row, cells) in &rows {
                if !segment.unknown().has(*row) {
                    prop_assert_eq!(
                        found.has(*row), holds_in_cells(&cond, cells), "{:?} of {:?}", cond, cells
                    );
                }
            }
            // A row that nobody added is an empty one.
            if rows.iter().all(|(row, _)| *row != ROWS - 1) {
                prop_assert_eq!(found.has(ROWS - 1), holds_in_cells(&cond, &[]), "{:?}", cond);
            }
        }
    }

    #[test]
    fn damage_is_no_panic(packing in packing(), rows in rows(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cond in cond()) {
        let mut sealer = Sealer::default();
        for (row, cells) in &rows {
            sealer.add(*row, cells, usize::MAX);
        }
        let mut bytes = sealer.seal(packing);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Some(segment) = Segment::read(&bytes) {
            let _ = segment.ask(&cond);
        }
        let _ = Segment::read(&bytes[..at]);
    }
}

fn sealed(rows: impl Iterator<Item = Cells>) -> Vec<u8> {
    let mut sealer = Sealer::default();
    for (row, cells) in rows.enumerate() {
        sealer.add(row, &cells, usize::MAX);
    }
    sealer.seal(Packing::Packed)
}

#[test]
fn whole_blocks_are_small() {
    let choice = |n: usize| {
        let code = ["tea", "milk", "coffee"][n % 3];
        vec![vec![Key::Code(code.to_owned()), Key::label(code)]]
    };
    let times = |n: usize| vec![vec![Key::Number(1.7e12 + 977.0 * n as f64)]];
    assert!(sealed((0..ROWS).map(choice)).len() < 4096 + 200);
    assert!(sealed((0..ROWS).map(times)).len() < 4 * ROWS + 200);
    let cents = |n: usize| vec![vec![Key::Number((n * 977 % 65_000) as f64 / 100.0)]];
    assert!(sealed((0..ROWS).map(cents)).len() < 2 * ROWS + 200);
    assert!(sealed((0..ROWS).map(|_| Vec::new())).len() < 100);
    let names = sealed((0..ROWS).map(|n| vec![vec![Key::Text(format!("ada lovelace {n}"))]]));
    // Texts are not compressed: each has up to 17 bytes and a length.
    assert!(names.len() < 18 * ROWS + 200, "{}", names.len());
    let segment = Segment::read(&names).expect("a segment");
    let found = segment.ask(&Cond::Like("lace 409".to_owned())).expect("an answer");
    assert_eq!(found.iter().collect::<Vec<_>>(), [409, 4090, 4091, 4092, 4093, 4094, 4095]);
}

#[test]
fn a_block_says_of_many_rows_what_its_columns_say_of_each() {
    let cx = Cx::of_a_test(false);
    let choices = json!([{"api_code": "tea", "label": "Tea"}, {"api_code": "milk", "label": "Milk"}]);
    let fields = json!([
        {"type": "short_text", "label": "Name"},
        {"type": "number", "label": "How many"},
        {"type": "checkbox", "label": "What", "choices": choices},
        {"type": "long_text", "label": "Why"},
    ]);
    let definition = Definition::create(fields, &cx, &mut Issues::new());
    let fields = &definition.fields;
    let columns = columns(fields, &cx);
    let all: Vec<&Column> = columns.iter().collect();
    let limits = SizeLimits { column: usize::MAX, block: usize::MAX };
    let mut collector = Collector::new(fields, &all, limits);
    let mut sealers: Vec<Sealer> = all.iter().map(|_| Sealer::default()).collect();
    for row in (0..1500).filter(|row| row % 7 != 3) {
        let mut values = Values::new();
        let mut give = |code: &str, value| values.insert(code.to_owned(), value);
        if row % 3 > 0 {
            give("field_1", json!(["Ada", "Zoë", "Q \"5\"", "王"][row % 4]));
        }
        if row % 5 > 0 {
            give("field_2", json!(row as f64 / 4.0));
        }
        give("field_3", json!(["tea", "milk"][..row % 3]));
        if row > 900 {
            give("field_4", json!("so ".repeat(row)));
        }
        let at = |seconds: usize| Time::from_millis(1000 * seconds as i64);
        let entry = Entry {
            serial: row as i64 + 1,
            token: EntryToken::new(""),
            created_at: at(row / 2),
            updated_at: at(row / 2 + usize::from(row % 9 == 0)),
            version: 1,
            creator_name: None,
            duration_secs: None,
            x_field_1: None,
            waiting_position: None,
            values: String::new(),
            results: Results::default(),
        };
        let mut stored = stored::text(&values);
        if row % 11 == 0 {
            // The last of duplicate keys counts.
            stored.insert_str(1, r#""1":"before","2":-1,"#);
            values.entry("field_1".to_owned()).or_insert(json!("before"));
            values.entry("field_2".to_owned()).or_insert(json!(-1));
        }
        for (column, sealer) in all.iter().zip(&mut sealers) {
            sealer.add(row, &column.cells(fields, &entry, &values, &cx), usize::MAX);
        }
        collector.add(row, &entry, &stored, &cx).expect("JSON");
    }
    let live = collector.live().clone();
    assert_eq!(live, Bits::of((0..1500).filter(|row| row % 7 != 3)));
    for ((ours, plain), column) in collector.finish().zip(sealers).zip(all) {
        let (ours, plain) = (ours.seal(Packing::Plain), plain.seal(Packing::Plain));
        assert!(ours == plain, "{}", column.name);
    }
}
