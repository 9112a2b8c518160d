//! Histogram: how many numbers fall into each of a few bins, 1, 2 or 5 times a power of ten wide. For many numbers only
//! the counts of finer bins are kept.

use std::collections::BTreeMap;

use serde_json::json;

use crate::base::json::Json;
use crate::fields::report::{count, described, list};
use crate::fields::values::formula::Number;

/// Up to this many numbers are kept exactly.
const EXACT: usize = 1_000;
/// Maximum number of fine bins.
const FINE: usize = 4_000;
/// Maximum number of bins shown.
const SHOWN: f64 = 10.0;
/// Significant digits of a float that are reliable.
const DIGITS: i32 = 14;
/// Powers of ten in the range of floats.
const POWERS: std::ops::RangeInclusive<i32> = -300..=308;

#[derive(Default)]
pub struct Histogram {
    ends: Option<(f64, f64)>,
    has_fractions: bool,
    exact: Vec<f64>,
    /// Counts by bins of a power of ten, once there are too many numbers.
    fine: BTreeMap<i64, u64>,
    power: i32,
}

/// The width of a bin: one, two or five times a power of ten.
#[derive(Clone, Copy)]
struct Step {
    times: i64,
    power: i32,
}

impl Step {
    /// The index of the bin that contains a number. Decimal rounding errors of floats are corrected.
    fn below(self, number: f64) -> f64 {
        let scaled = if self.power < 0 { number * 10f64.powi(-self.power) } else { number / 10f64.powi(self.power) };
        let scaled = scaled / self.times as f64;
        let near = scaled.round();
        if (scaled - near).abs() <= 1e-12 * scaled.abs().max(1.0) { near } else { scaled.floor() }
    }

    /// The bound of a bin as a JSON number, limited to the range of floats.
    fn multiple(self, nth: i64) -> Json {
        if nth == 0 {
            return json!(0);
        }
        let text = format!("{}e{}", nth.saturating_mul(self.times), self.power);
        let last = if nth < 0 { f64::MIN } else { f64::MAX };
        Number::read(&text).map_or_else(|| json!(last), Number::to_json)
    }
}

/// The power of ten of a number's first digit.
fn power_of(number: f64) -> i32 {
    let power = number.abs().log10().floor();
    if power.is_finite() { (power as i32).clamp(*POWERS.start(), *POWERS.end()) } else { *POWERS.start() }
}

impl Histogram {
    /// Counts a number as often as it says.
    pub fn add(&mut self, number: f64, times: u64) {
        let (least, most) = self.ends.unwrap_or((number, number));
        self.ends = Some((least.min(number), most.max(number)));
        self.has_fractions |= number.fract() != 0.0;
        let room = EXACT.saturating_sub(self.exact.len());
        let few = usize::try_from(times).ok().filter(|few| *few <= room && self.fine.is_empty());
        if let Some(few) = few {
            self.exact.extend(std::iter::repeat_n(number, few));
            return;
        }
        if self.fine.is_empty() {
            self.power = self.finest(EXACT as f64);
            for number in std::mem::take(&mut self.exact) {
                self.put(number, 1);
            }
        }
        self.put(number, times);
    }

    fn put(&mut self, number: f64, times: u64) {
        loop {
            let step = Step { times: 1, power: self.power };
            let nth = step.below(number);
            // An outlier makes all bins coarser.
            if nth.abs() < 1e15 && self.fine.len() <= FINE {
                *self.fine.entry(nth as i64).or_default() += times;
                return;
            }
            self.power += 1;
            let mut coarser = BTreeMap::new();
            for (nth, count) in std::mem::take(&mut self.fine) {
                *coarser.entry(nth.div_euclid(10)).or_default() += count;
            }
            self.fine = coarser;
        }
    }

    /// The smallest power of ten with at most about this many steps between the ends.
    fn finest(&self, most_steps: f64) -> i32 {
        let (least, most) = self.ends.unwrap_or_default();
        let range = most / most_steps - least / most_steps;
        let digits = power_of(least.abs().max(most.abs())) - DIGITS;
        let whole = if self.has_fractions { i32::MIN } else { 0 };
        power_of(range).max(digits).max(whole).max(*POWERS.start())
    }

    /// The width shown: the smallest with few enough bins.
    fn step(&self) -> Step {
        let (least, most) = self.ends.unwrap_or_default();
        let coarsest = Step { times: 5, power: *POWERS.end() };
        let fine = if self.fine.is_empty() { i32::MIN } else { self.power };
        let first = self.finest(SHOWN).max(fine);
        let mut steps = (first..=*POWERS.end()).flat_map(|power| [1, 2, 5].map(|times| Step { times, power }));
        let fits = |step: &Step| step.below(most) - step.below(least) < SHOWN;
        steps.find(fits).unwrap_or(coarsest)
    }

    /// The bins from the least number to the greatest.
    pub fn to_json(&self) -> Json {
        let Some((least, most)) = self.ends else {
            return json!([]);
        };
        let all: u64 = self.exact.len() as u64 + self.fine.values().sum::<u64>();
        if least == most {
            let only = Number::read(&format!("{least:e}")).map_or(Json::Null, Number::to_json);
            return json!([{"from": only, "to": only, "count": all}]);
        }
        let step = self.step();
        let first = step.below(least) as i64;
        let last = step.below(most) as i64;
        let mut counts: BTreeMap<i64, u64> = (first..=last).map(|nth| (nth, 0)).collect();
        // A number at an end may fall just beside it by rounding.
        let mut put = |nth: i64, count: u64| {
            *counts.entry(nth.clamp(first, last)).or_default() += count;
        };
        for number in &self.exact {
            put(step.below(*number) as i64, 1);
        }
        let steps_of_one = u32::try_from(step.power - self.power)
            .ok()
            .and_then(|powers| 10i64.checked_pow(powers))
            .and_then(|tens| tens.checked_mul(step.times));
        for (nth, count) in &self.fine {
            let nth = match steps_of_one {
                Some(fine) => nth.div_euclid(fine),
                None => nth.signum().min(0),
            };
            put(nth, *count);
        }
        let shown = counts
            .iter()
            .map(|(nth, count)| json!({"from": step.multiple(*nth), "to": step.multiple(nth + 1), "count": count}));
        shown.collect()
    }
}

/// JSON Schema of the bins.
pub fn schema() -> Json {
    let number = || json!({"type": "number"});
    let steps = list([("from", number()), ("to", number()), ("count", count())]);
    described(
        steps,
        "The number of values from `from` up to but not including `to`, in at most ten steps; if all values are equal, both are that value.",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn of(numbers: &[f64]) -> Json {
        let mut histogram = Histogram::default();
        for number in numbers {
            histogram.add(*number, 1);
        }
        histogram.to_json()
    }

    fn steps(numbers: &[f64]) -> Vec<(f64, f64, u64)> {
        let told = of(numbers);
        let told = told.as_array().expect("a list").iter();
        let float = |step: &Json, key: &str| step[key].as_f64().expect("a number");
        told.map(|step| {
            let count = step["count"].as_u64().expect("a count");
            (float(step, "from"), float(step, "to"), count)
        })
        .collect()
    }

    #[test]
    fn steps_are_ones_people_would_take() {
        assert_eq!(of(&[]), json!([]));
        assert_eq!(of(&[2.5, 2.5]), json!([{"from": 2.5, "to": 2.5, "count": 2}]));
        assert_eq!(
            of(&[1.0, 2.0, 2.0, 4.0]),
            json!([
                {"from": 1, "to": 2, "count": 1},
                {"from": 2, "to": 3, "count": 2},
                {"from": 3, "to": 4, "count": 0},
                {"from": 4, "to": 5, "count": 1},
            ])
        );
        assert_eq!(of(&[-7.0, 0.0, 99.0])[0], json!({"from": -20, "to": 0, "count": 1}));
        // The decimal text of a number counts, not the float.
        assert_eq!(of(&[0.1, 0.3, 0.57, 0.7])[2], json!({"from": 0.3, "to": 0.4, "count": 1}));
        let hundredths: Vec<f64> = (0..=9).map(|n| f64::from(n) / 100.0).collect();
        assert!(steps(&hundredths).iter().all(|(_, _, count)| *count == 1));
    }

    #[test]
    fn the_last_floats_lie_in_a_step() {
        assert_eq!(steps(&[-1.74e308, 0.0])[0], (f64::MIN, -1.6e308, 1));
        let told = steps(&[f64::MIN, f64::MAX]);
        assert_eq!((told[0].0, told.len() <= 10), (f64::MIN, true));
    }

    #[test]
    fn many_numbers_are_counted_as_few_are() {
        let many: Vec<f64> = (0..50_000).map(|n| f64::from(n % 1000) / 10.0).collect();
        let told = steps(&many);
        assert_eq!(told.len(), 10);
        assert!(told.iter().all(|(_, _, count)| *count == 5_000), "{told:?}");
        let mut counted = Histogram::default();
        for number in &many[..1000] {
            counted.add(*number, 50);
        }
        assert_eq!(counted.to_json(), of(&many));
        // An outlier leaves the others together.
        let mut odd = many;
        odd.push(1e300);
        let told = steps(&odd);
        assert_eq!(told.iter().map(|step| step.2).sum::<u64>(), 50_001);
        assert_eq!(told[0].2, 50_000);
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn every_number_lies_in_a_step(
            numbers in prop::collection::vec(
                prop_oneof![
                    any::<f64>().prop_filter("finite", |n| n.is_finite()),
                    (-1000..1000i32).prop_map(|n| f64::from(n) / 100.0),
                    (-5..5i32).prop_map(f64::from),
                ],
                1..40,
            ),
            times in prop_oneof![Just(1usize), Just(60)],
        ) {
            let numbers = numbers.repeat(times);
            let told = steps(&numbers);
            prop_assert!(told.len() <= 10, "{:?}", told);
            let counted: u64 = told.iter().map(|step| step.2).sum();
            prop_assert_eq!(counted, numbers.len() as u64);
            let first = told.first().map(|step| step.0);
            let last = told.last().map(|step| step.1);
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let slack = 1e-9 * least.abs().max(most.abs()) + f64::MIN_POSITIVE * 1e20;
            prop_assert!(first.is_some_and(|first| first <= least + slack), "{:?} {}", told, least);
            prop_assert!(last.is_some_and(|last| last >= most - slack), "{:?} {}", told, most);
            prop_assert!(told.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?}", told);
        }
    }
}
