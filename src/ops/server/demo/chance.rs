//! Chance that comes out the same for the same seed (SplitMix64).

use crate::ops::server::demo::recipe::Choice;

pub struct Chance(u64);

impl Chance {
    /// Another sequence for each name.
    pub fn of(name: &str) -> Self {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        Self(name.bytes().fold(0xCBF2_9CE4_8422_2325, fold))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// At least 0, less than 1.
    pub fn share(&mut self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or_default();
        f64::from(high) / 4_294_967_296.0
    }

    /// True as often as the share says.
    pub fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Both ends are possible.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = (most - least + 1).max(1).unsigned_abs();
        least + i64::try_from(self.next() % span).unwrap_or_default()
    }

    /// A place in a list of so many.
    pub fn place(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap_or(1).max(1);
        usize::try_from(self.next() % count).unwrap_or_default()
    }

    pub fn one_of<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        let place = self.place(list.len());
        list.get(place)
    }

    /// Around 0, mostly between -1 and 1, never beyond -3 and 3.
    pub fn deviation(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.share()).sum();
        (sum - 6.0).clamp(-3.0, 3.0)
    }

    /// The place of one that comes up as often as its weight says.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let total: f64 = weights.clone().sum();
        let mut left = self.share() * total;
        let mut last = 0;
        for (place, weight) in weights.enumerate() {
            last = place;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        last
    }

    pub fn choice<'c>(&mut self, choices: &'c [Choice]) -> Option<&'c Choice> {
        let place = self.weighted(choices.iter().map(|choice| choice.1));
        choices.get(place)
    }
}
