//! A set of serial numbers as a bitmap: the matches of a filter over a million entries take 128 KB.

use std::collections::BTreeMap;

/// Serial numbers per block.
pub const BLOCK: i64 = 4096;
const WORD: i64 = 64;
const WORDS: usize = 64;

/// The bits of one block: its number `n` is bit `n % 64` of word `n / 64`.
pub type Bits = [u64; WORDS];

/// A set of serial numbers. Block `b` holds those from `b * 4096`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serials {
    blocks: BTreeMap<i64, Box<Bits>>,
}

fn position(serial: i64) -> (i64, usize, u64) {
    let within = serial.rem_euclid(BLOCK);
    // Both are below 64.
    let word = usize::try_from(within / WORD).unwrap_or_default();
    (serial.div_euclid(BLOCK), word, 1 << (within % WORD))
}

fn number(block: i64, word: usize, bit: u32) -> i64 {
    // A word's index is below 64.
    block * BLOCK + i64::try_from(word).unwrap_or_default() * WORD + i64::from(bit)
}

impl Serials {
    pub fn insert(&mut self, serial: i64) {
        let (block, word, bit) = position(serial);
        let bits = self.blocks.entry(block).or_insert_with(|| Box::new([0; WORDS]));
        bits[word] |= bit;
    }

    pub fn remove(&mut self, serial: i64) {
        let (block, word, bit) = position(serial);
        if let Some(bits) = self.blocks.get_mut(&block) {
            bits[word] &= !bit;
        }
    }

    /// Replaces a block.
    pub fn set_block(&mut self, block: i64, bits: Bits) {
        self.blocks.insert(block, Box::new(bits));
    }

    pub fn contains(&self, serial: i64) -> bool {
        let (block, word, bit) = position(serial);
        let bits = self.blocks.get(&block);
        bits.is_some_and(|bits| bits[word] & bit != 0)
    }

    pub fn len(&self) -> i64 {
        let words = self.blocks.values().flat_map(|bits| bits.iter());
        words.map(|word| i64::from(word.count_ones())).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.next_above(i64::MIN).is_none()
    }

    /// The lowest number above this one.
    pub fn next_above(&self, serial: i64) -> Option<i64> {
        let from = serial.checked_add(1)?;
        let (first, word, bit) = position(from);
        self.blocks.range(first..).find_map(|(block, bits)| {
            let from = if *block == first { word } else { 0 };
            (from..WORDS).find_map(|at| {
                let mask = if *block == first && at == word { !(bit - 1) } else { u64::MAX };
                let left = bits[at] & mask;
                (left != 0).then(|| number(*block, at, left.trailing_zeros()))
            })
        })
    }

    /// The highest number below this one.
    pub fn next_below(&self, serial: i64) -> Option<i64> {
        let upto = serial.checked_sub(1)?;
        let (last, word, bit) = position(upto);
        self.blocks.range(..=last).rev().find_map(|(block, bits)| {
            let upto = if *block == last { word } else { WORDS - 1 };
            (0..=upto).rev().find_map(|at| {
                let mask = if *block == last && at == word { bit | (bit - 1) } else { u64::MAX };
                let left = bits[at] & mask;
                (left != 0).then(|| number(*block, at, 63 - left.leading_zeros()))
            })
        })
    }

    /// Up to `limit` numbers after `serial` in this order; `None` starts at the beginning.
    pub fn beyond(&self, serial: Option<i64>, descending: bool, limit: usize) -> Vec<i64> {
        let next = |from: i64| {
            if descending { self.next_below(from) } else { self.next_above(from) }
        };
        let edge = if descending { i64::MAX } else { i64::MIN };
        std::iter::successors(next(serial.unwrap_or(edge)), |last| next(*last)).take(limit).collect()
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
        let mut bits = [0; WORDS];
        bits[0] = 1;
        bits[63] = 1 << 63;
        serials.set_block(1, bits);
        assert_eq!(serials.beyond(None, false, 9), [BLOCK, 2 * BLOCK - 1]);
        assert_eq!(serials.len(), 2);
    }
}
