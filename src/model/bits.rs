//! A set of rows of one block, as a bitmap.

/// How many rows a block has: 4,096 serial numbers.
pub const ROWS: usize = 4096;

const WORDS: usize = ROWS / 64;

/// Some rows of a block. A row is a serial number's last twelve bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits([u64; WORDS]);

impl Bits {
    /// The size as bytes.
    pub const BYTES: usize = ROWS / 8;

    pub const fn none() -> Self {
        Self([0; WORDS])
    }

    pub const fn all() -> Self {
        Self([u64::MAX; WORDS])
    }

    /// The rows from the first to this one.
    pub fn upto(row: usize) -> Self {
        let mut out = Self::none();
        for (at, word) in out.0.iter_mut().enumerate() {
            *word = match row.checked_sub(at * 64) {
                None => 0,
                Some(last @ 0..63) => (2 << last) - 1,
                Some(_) => u64::MAX,
            };
        }
        out
    }

    pub fn of(rows: impl IntoIterator<Item = usize>) -> Self {
        let mut out = Self::none();
        rows.into_iter().for_each(|row| out.add(row));
        out
    }

    /// The places below `length` for which `holds` is true.
    pub fn where_holds(length: usize, holds: impl Fn(usize) -> bool) -> Self {
        let mut out = Self::none();
        for (at, word) in out.0.iter_mut().enumerate() {
            let first = at * 64;
            let end = length.min(first + 64);
            // Without a branch, which would be mispredicted.
            *word = (first..end).fold(0, |word, i| word | u64::from(holds(i)) << (i - first));
        }
        out
    }

    /// The rows at these places, counted among the rows of this set.
    #[must_use]
    pub fn at_places(&self, places: &Self) -> Self {
        let mut out = Self::none();
        let mut before = 0;
        for (word, own) in out.0.iter_mut().zip(&self.0) {
            let count = own.count_ones() as usize;
            let mut wanted = places.window(before);
            before += count;
            if count == 64 {
                *word = wanted;
                continue;
            }
            if count < 64 {
                wanted &= (1 << count) - 1;
            }
            let mut left = *own;
            let mut passed = 0;
            // From one wanted place to the next.
            while wanted != 0 {
                let place = wanted.trailing_zeros();
                while passed < place {
                    left &= left - 1;
                    passed += 1;
                }
                *word |= left & left.wrapping_neg();
                wanted &= wanted - 1;
            }
        }
        out
    }

    /// The 64 bits from a place on.
    fn window(&self, place: usize) -> u64 {
        let (word, bit) = (place / 64, place % 64);
        let at = |word: usize| self.0.get(word).copied().unwrap_or_default();
        match bit {
            0 => at(word),
            _ => at(word) >> bit | at(word + 1) << (64 - bit),
        }
    }

    /// Adds a row; one beyond the block is ignored.
    pub fn add(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }

    pub fn remove(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    pub fn has(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// How many rows it has.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The rows of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    /// The rows of either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    /// The rows of this one that the other does not have.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.with(other, |a, b| a & !b)
    }

    /// All other rows.
    #[must_use]
    pub fn inverted(&self) -> Self {
        Self(self.0.map(|word| !word))
    }

    fn with(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = self.0;
        for (own, theirs) in out.iter_mut().zip(&other.0) {
            *own = f(*own, *theirs);
        }
        Self(out)
    }

    /// The rows from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// The rows from the last to the first.
    pub fn iter_down(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().rev().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| 63 - left.leading_zeros() as usize)?;
                left &= !(1 << bit);
                Some(at * 64 + bit)
            })
        })
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// `None` if the length differs.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<8>();
        if words.len() != WORDS || !rest.is_empty() {
            return None;
        }
        let mut out = Self::none();
        for (own, word) in out.0.iter_mut().zip(words) {
            *own = u64::from_le_bytes(*word);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_among_rows() {
        let gaps = Bits::of((0..ROWS).filter(|row| row % 3 != 1 && !(200..400).contains(row)));
        for rows in [gaps, Bits::all(), Bits::none(), Bits::of([7, 4095])] {
            let all: Vec<usize> = rows.iter().collect();
            let of = |step: usize| {
                let places = Bits::where_holds(all.len(), |place| place % step == 0);
                let wanted = all.iter().copied().step_by(step);
                assert_eq!(rows.at_places(&places), Bits::of(wanted), "{step}");
            };
            [1, 2, 63, 64, 65, 1000].into_iter().for_each(of);
            assert_eq!(rows.at_places(&Bits::none()), Bits::none());
        }
    }

    #[test]
    fn rows_are_added_counted_and_walked_both_ways() {
        let rows = [0, 1, 63, 64, 700, 4095];
        let mut bits = Bits::of(rows);
        assert_eq!(bits.count(), 6);
        assert_eq!(bits.iter().collect::<Vec<_>>(), rows);
        let mut down: Vec<_> = bits.iter_down().collect();
        down.reverse();
        assert_eq!(down, rows);
        assert_eq!(Bits::from_bytes(&bits.to_bytes()), Some(bits.clone()));
        assert_eq!(Bits::from_bytes(&bits.to_bytes()[1..]), None);
        bits.remove(700);
        bits.add(4096);
        assert!(!bits.has(700) && bits.has(64) && !bits.has(4096) && !bits.has(9999));
        assert_eq!(bits.or(&bits.inverted()), Bits::all());
        assert!(bits.and(&bits.inverted()).is_empty());
        assert_eq!(bits.without(&Bits::of([0, 1])).count(), 3);
        for last in [0, 1, 62, 63, 64, 4095, 5000] {
            assert_eq!(Bits::upto(last), Bits::of(0..=last), "{last}");
        }
    }
}
