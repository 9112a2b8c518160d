//! A set of serial numbers as a bitmap: the matches of a filter over a million entries take 128 KB.

use std::collections::BTreeMap;

use crate::model::bits::{Bits, ROWS};

/// Serial numbers per block.
const BLOCK: i64 = ROWS as i64;

/// A set of serial numbers. Block `b` holds those from `b * 4096`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serials {
    blocks: BTreeMap<i64, Box<Bits>>,
}

/// The block of a serial, and its row in it.
fn position(serial: i64) -> (i64, usize) {
    let row = serial.rem_euclid(BLOCK);
    (serial.div_euclid(BLOCK), usize::try_from(row).unwrap_or_default())
}

fn number(block: i64, row: usize) -> i64 {
    block * BLOCK + i64::try_from(row).unwrap_or_default()
}

impl Serials {
    pub fn insert(&mut self, serial: i64) {
        let (block, row) = position(serial);
        self.blocks.entry(block).or_insert_with(|| Box::new(Bits::none())).add(row);
    }

    pub fn remove(&mut self, serial: i64) {
        let (block, row) = position(serial);
        if let Some(rows) = self.blocks.get_mut(&block) {
            rows.remove(row);
        }
    }

    /// Replaces a block.
    pub fn set_block(&mut self, block: i64, rows: Bits) {
        self.blocks.insert(block, Box::new(rows));
    }

    /// The blocks in their order, with the rows of each that are in the set.
    pub fn blocks(&self) -> impl Iterator<Item = (i64, &Bits)> {
        self.blocks.iter().map(|(block, rows)| (*block, rows.as_ref()))
    }

    pub fn contains(&self, serial: i64) -> bool {
        let (block, row) = position(serial);
        self.blocks.get(&block).is_some_and(|rows| rows.has(row))
    }

    pub fn len(&self) -> i64 {
        self.blocks.values().map(|rows| i64::try_from(rows.count()).unwrap_or_default()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.values().all(|rows| rows.is_empty())
    }

    /// The numbers above this one, the lowest first.
    fn above(&self, serial: i64) -> impl Iterator<Item = i64> {
        let blocks = self.blocks.range(position(serial).0..);
        let numbers = blocks.flat_map(|(block, rows)| rows.iter().map(|row| number(*block, row)));
        numbers.skip_while(move |number| *number <= serial)
    }

    /// The numbers below this one, the highest first.
    fn below(&self, serial: i64) -> impl Iterator<Item = i64> {
        let blocks = self.blocks.range(..=position(serial).0).rev();
        let numbers = blocks.flat_map(|(block, rows)| rows.iter_down().map(|row| number(*block, row)));
        numbers.skip_while(move |number| *number >= serial)
    }

    /// How many numbers are above this one.
    pub fn count_above(&self, serial: i64) -> i64 {
        i64::try_from(self.above(serial).count()).unwrap_or(i64::MAX)
    }

    /// The highest number below this one.
    pub fn next_below(&self, serial: i64) -> Option<i64> {
        self.below(serial).next()
    }

    /// Up to `limit` numbers after `serial` in this order; `None` starts at the beginning.
    pub fn beyond(&self, serial: Option<i64>, descending: bool, limit: usize) -> Vec<i64> {
        if descending {
            self.below(serial.unwrap_or(i64::MAX)).take(limit).collect()
        } else {
            self.above(serial.unwrap_or(i64::MIN)).take(limit).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn it_is_a_set(
            numbers in prop::collection::vec((1_i64..20_000, any::<bool>()), 0..200),
            from in 0_i64..20_001,
        ) {
            let (mut serials, mut known) = (Serials::default(), BTreeSet::new());
            for (number, stays) in numbers {
                serials.insert(number);
                known.insert(number);
                if !stays {
                    serials.remove(number);
                    known.remove(&number);
                }
            }
            prop_assert_eq!(serials.len(), i64::try_from(known.len()).expect("few"));
            prop_assert_eq!(serials.is_empty(), known.is_empty());
            prop_assert_eq!(serials.contains(from), known.contains(&from));
            let above: Vec<i64> = known.range(from + 1..).copied().take(7).collect();
            prop_assert_eq!(serials.beyond(Some(from), false, 7), above);
            let below: Vec<i64> = known.range(..from).rev().copied().take(7).collect();
            prop_assert_eq!(serials.beyond(Some(from), true, 7), below);
            let all: Vec<i64> = known.iter().copied().collect();
            prop_assert_eq!(serials.beyond(None, false, usize::MAX), all);
            let last: Vec<i64> = known.last().copied().into_iter().collect();
            prop_assert_eq!(serials.beyond(None, true, 1), last);
        }
    }

    #[test]
    fn a_block_is_put_in_whole() {
        let mut serials = Serials::default();
        serials.insert(BLOCK + 1);
        serials.set_block(1, Bits::of([0, ROWS - 1]));
        assert_eq!(serials.beyond(None, false, 9), [BLOCK, 2 * BLOCK - 1]);
        assert_eq!(serials.len(), 2);
    }
}
