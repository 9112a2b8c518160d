//! Segments of every kind's samples have the keys of [`Column::cells`], whatever was stored.

use proptest::prelude::*;

use crate::base::cases::cases;
use crate::base::json::Json;
use crate::fields::definition::Definition;
use crate::fields::kind::{Cx, KindRow};
use crate::fields::properties::{SAMPLES, change, entry, leaf, stored_pair};
use crate::fields::values::{Values, is_blank, stored};
use crate::query::segments::{Collector, Column, Packing, Sealer, SizeLimits, columns};

fn assert_collected(row: &KindRow, definition: &Definition, stored: &[Json; 2]) {
    let (fields, cx) = (&definition.fields, Cx::of_a_test(false));
    let columns = columns(fields, &cx);
    let all: Vec<&Column> = columns.iter().collect();
    let limits = SizeLimits { column: usize::MAX, block: usize::MAX };
    let mut collector = Collector::new(fields, &all, limits);
    let mut sealers: Vec<Sealer> = all.iter().map(|_| Sealer::default()).collect();
    for (nth, stored) in [&stored[0], &stored[1], &stored[0]].into_iter().enumerate() {
        let mut entry = entry();
        let values = Values::from_iter([("field_1".to_owned(), stored.clone())]);
        entry.values = stored::text(&values);
        collector.add(nth, &entry, &entry.values, &cx).expect("JSON");
        for (column, sealer) in all.iter().zip(&mut sealers) {
            sealer.add(nth, &column.cells(fields, &entry, &values, &cx), usize::MAX);
        }
    }
    for (collected, direct) in collector.finish().zip(sealers) {
        let (collected, direct) = (collected.seal(Packing::Plain), direct.seal(Packing::Plain));
        assert_eq!(collected, direct, "{}: {stored:?}", row.name);
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn segments_hold_what_columns_say(
        changes in [change(), change()], odd in [leaf(), leaf()],
        start in any::<prop::sample::Index>(),
    ) {
        for (row, definition, write) in SAMPLES.iter().cycle().skip(start.index(SAMPLES.len())).take(3) {
            let stored = stored_pair(definition, write, &changes, &odd);
            if stored.iter().all(|stored| !is_blank(stored)) {
                assert_collected(row, definition, &stored);
            }
        }
    }
}
