//! Values that are one number each, stored in as few bytes as their range allows.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::fields::filter::cond::{Cond, Key};
use crate::model::bits::Bits;
use crate::query::segments::encoding::{self, Packing};

/// Several numbers, in the order of their rows.
pub(super) struct Numbers<'b> {
    /// The smallest and the largest.
    zone: (f64, f64),
    /// The factor that makes them whole, and the smallest number times that.
    scale: f64,
    base: f64,
    values: Values<'b>,
}

enum Values<'b> {
    /// Not compressed.
    Plain(Vec<f64>),
    /// Distances of the scaled numbers from the smallest.
    Narrow(Cow<'b, [u8]>),
    Middle(Vec<u16>),
    Wide(Vec<u32>),
}

// Whole numbers up to here are exact, and so are their differences.
const EXACT: f64 = 9_007_199_254_740_992.0;
const PLAIN: u8 = 8;
/// The bits of the width in its byte.
const WIDTH: u8 = 0xf;
/// Factors for whole numbers, tenths, cents and so on. The index is the upper half of the width's byte.
const SCALES: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
// More wanted numbers are found by binary search instead of one pass for each.
const PASSES: usize = 8;

/// Numbers as a segment stores them: whole ones and those with few decimals as distances from the smallest.
pub(super) struct Narrowed {
    head: u8,
    zone: (f64, f64),
    bytes: Vec<u8>,
}

impl Narrowed {
    pub(super) fn of(values: &[f64]) -> Self {
        let zone = zone(values);
        let scales = (0_u8..).zip(SCALES);
        let whole = scales.into_iter().find_map(|(nth, scale)| {
            let all: Option<Vec<f64>> = values.iter().map(|it| scaled(*it, scale)).collect();
            all.map(|all| (nth, scale, all))
        });
        let narrow = whole.and_then(|(nth, scale, all)| {
            let base = (zone.0 * scale).round();
            let width = match (zone.1 * scale).round() - base {
                span if span <= f64::from(u8::MAX) => 1,
                span if span <= f64::from(u16::MAX) => 2,
                span if span <= f64::from(u32::MAX) => 4,
                _ => return None,
            };
            Some((nth << 4 | width, base, all))
        });
        let (head, bytes) = match narrow {
            None => (PLAIN, values.iter().flat_map(|it| it.to_le_bytes()).collect()),
            Some((head, base, all)) => {
                let above = all.into_iter().map(|it| it - base);
                let bytes = match head & WIDTH {
                    1 => above.map(|it| it as u8).collect(),
                    2 => above.flat_map(|it| (it as u16).to_le_bytes()).collect(),
                    _ => above.flat_map(|it| (it as u32).to_le_bytes()).collect(),
                };
                (head, bytes)
            }
        };
        Self { head, zone, bytes }
    }

    /// Appends them.
    pub(super) fn put(&self, packing: Packing, out: &mut Vec<u8>) {
        out.push(self.head);
        out.extend_from_slice(&self.zone.0.to_le_bytes());
        out.extend_from_slice(&self.zone.1.to_le_bytes());
        encoding::put(&self.bytes, packing, out);
    }
}

/// The smallest and the largest.
fn zone(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |zone, value| (zone.0.min(*value), zone.1.max(*value)))
}

impl<'b> Numbers<'b> {
    pub(super) fn of(values: Vec<f64>) -> Self {
        let zone = zone(&values);
        Self { zone, scale: 1.0, base: zone.0, values: Values::Plain(values) }
    }

    /// Reads them; `None` where they are damaged.
    pub(super) fn take(bytes: &mut &'b [u8]) -> Option<Self> {
        let head = encoding::take_byte(bytes)?;
        let scale = *SCALES.get(usize::from(head >> 4))?;
        let mut bound = || {
            let (bound, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            Some(f64::from_le_bytes(*bound))
        };
        let zone = (bound()?, bound()?);
        let stretch = encoding::take(bytes)?;
        let values = match head & WIDTH {
            1 => Values::Narrow(stretch),
            2 => {
                let values = stretch.as_chunks::<2>().0.iter();
                Values::Middle(values.map(|value| u16::from_le_bytes(*value)).collect())
            }
            4 => {
                let values = stretch.as_chunks::<4>().0.iter();
                Values::Wide(values.map(|value| u32::from_le_bytes(*value)).collect())
            }
            PLAIN => {
                let values = stretch.as_chunks::<8>().0.iter();
                Values::Plain(values.map(|value| f64::from_le_bytes(*value)).collect())
            }
            _ => return None,
        };
        Some(Self { zone, scale, base: (zone.0 * scale).round(), values })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match &self.values {
            Values::Plain(values) => values.len(),
            Values::Narrow(values) => values.len(),
            Values::Middle(values) => values.len(),
            Values::Wide(values) => values.len(),
        }
    }

    /// The number at index `i`.
    pub(super) fn get(&self, i: usize) -> Option<f64> {
        let above = match &self.values {
            Values::Plain(values) => return values.get(i).copied(),
            Values::Narrow(values) => f64::from(*values.get(i)?),
            Values::Middle(values) => f64::from(*values.get(i)?),
            Values::Wide(values) => f64::from(*values.get(i)?),
        };
        Some((self.base + above) / self.scale)
    }

    /// The places of the numbers for which a condition holds; `None` where labels decide, which are not known here.
    pub(super) fn ask(&self, cond: &Cond, labelled: bool) -> Option<Bits> {
        match cond {
            Cond::In(wanted) => {
                if labelled && wanted.iter().any(|key| matches!(key, Key::Label(_))) {
                    return None;
                }
                let mut wanted: Vec<f64> = wanted.iter().filter_map(number).collect();
                wanted.retain(|value| self.zone.0 <= *value && *value <= self.zone.1);
                if wanted.len() > PASSES {
                    wanted.sort_by(f64::total_cmp);
                    let is_wanted = |value: f64| {
                        let order = |other: &f64| other.partial_cmp(&value);
                        let found = wanted.binary_search_by(|it| order(it).unwrap_or(Ordering::Less));
                        found.is_ok()
                    };
                    return Some(Bits::where_holds(self.len(), |i| self.get(i).is_some_and(is_wanted)));
                }
                let each = wanted.iter();
                Some(each.fold(Bits::none(), |found, one| {
                    found.or(&self.between(|value| value >= *one, |value| value <= *one))
                }))
            }
            Cond::Range { low, high } => {
                let bound = |bound: &Option<(Key, bool)>, open: f64| match bound {
                    None => Some((open, true)),
                    Some((Key::Number(number), inside)) => Some((*number, *inside)),
                    Some(_) => None,
                };
                let bounds = (bound(low, f64::NEG_INFINITY), bound(high, f64::INFINITY));
                let (Some((low, low_in)), Some((high, high_in))) = bounds else {
                    // A bound that is no number excludes every number, but maybe no label.
                    return (!labelled).then(Bits::none);
                };
                if high < self.zone.0 || low > self.zone.1 {
                    return Some(Bits::none());
                }
                Some(self.between(
                    |value| value > low || (low_in && value == low),
                    |value| value < high || (high_in && value == high),
                ))
            }
            _ => None,
        }
    }

    /// The places of the numbers that meet both bounds. Both conditions are monotonic, so that distances can be compared
    /// instead of numbers.
    fn between(&self, is_high: impl Fn(f64) -> bool, is_low: impl Fn(f64) -> bool) -> Bits {
        let number = |above: u64| (self.base + above as f64) / self.scale;
        // The half-open range of distances that meet both.
        let range = |most: u64| {
            let first = first_where(most, |above| is_high(number(above)));
            let end = first_where(most, |above| !is_low(number(above)));
            (first, end)
        };
        match &self.values {
            Values::Plain(values) => Bits::where_holds(values.len(), |i| is_high(values[i]) & is_low(values[i])),
            Values::Narrow(values) => {
                let (first, end) = range(u64::from(u8::MAX));
                let is_inside = |value: u8| u64::from(value) >= first && u64::from(value) < end;
                let mut hits = [false; 256];
                for (value, hit) in (0..=u8::MAX).zip(&mut hits) {
                    *hit = is_inside(value);
                }
                Bits::where_holds(values.len(), |i| hits[usize::from(values[i])])
            }
            Values::Middle(values) => {
                let (first, end) = range(u64::from(u16::MAX));
                // Both ends are at most one beyond the range of the type.
                let (first, span) = (first as u32, end.saturating_sub(first) as u32);
                Bits::where_holds(values.len(), |i| u32::from(values[i]).wrapping_sub(first) < span)
            }
            Values::Wide(values) => {
                let (first, end) = range(u64::from(u32::MAX));
                let span = end.saturating_sub(first);
                Bits::where_holds(values.len(), |i| u64::from(values[i]).wrapping_sub(first) < span)
            }
        }
    }
}

/// A number times a scale, where that is whole and exact.
fn scaled(value: f64, scale: f64) -> Option<f64> {
    let scaled = (value * scale).round();
    (scaled.abs() <= EXACT && scaled / scale == value).then_some(scaled)
}

/// The first number up to `most` for which a monotonic condition holds, else `most + 1`.
fn first_where(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most + 1);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn number(key: &Key) -> Option<f64> {
    match key {
        Key::Number(number) => Some(*number),
        _ => None,
    }
}
