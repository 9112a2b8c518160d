//! Values that are one number each, as narrow as they allow, and how a condition is asked of them.

use crate::fields::columns::parts::{self, Packing};
use crate::fields::cond::{Cond, Key};

/// Several numbers, in the order of their rows.
pub(super) struct Numbers {
    /// The smallest and the largest.
    zone: (f64, f64),
    values: Vec<f64>,
}

// Whole numbers up to here are exact, and so are their differences.
const EXACT: f64 = 9_007_199_254_740_992.0;
const PLAIN: u8 = 8;

impl Numbers {
    /// Takes a list over.
    pub(super) fn of(values: Vec<f64>) -> Self {
        let zone = values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |zone, value| {
                (zone.0.min(*value), zone.1.max(*value))
            });
        Self { zone, values }
    }

    /// Appends it: whole numbers as their distance from the smallest.
    pub(super) fn put(&self, packing: Packing, out: &mut Vec<u8>) {
        let (low, high) = self.zone;
        let whole = self
            .values
            .iter()
            .all(|value| value.fract() == 0.0 && value.abs() <= EXACT);
        let width = match high - low {
            _ if !whole => PLAIN,
            span if span <= f64::from(u8::MAX) => 1,
            span if span <= f64::from(u16::MAX) => 2,
            span if span <= f64::from(u32::MAX) => 4,
            _ => PLAIN,
        };
        out.push(width);
        out.extend_from_slice(&low.to_le_bytes());
        out.extend_from_slice(&high.to_le_bytes());
        let bytes: Vec<u8> = match width {
            1 => self
                .values
                .iter()
                .map(|value| (value - low) as u8)
                .collect(),
            2 => self
                .values
                .iter()
                .flat_map(|value| ((value - low) as u16).to_le_bytes())
                .collect(),
            4 => self
                .values
                .iter()
                .flat_map(|value| ((value - low) as u32).to_le_bytes())
                .collect(),
            _ => self
                .values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        };
        parts::put(&bytes, packing, out);
    }

    /// Takes it; none where it is damaged.
    pub(super) fn take(bytes: &mut &[u8]) -> Option<Self> {
        let width = parts::take_byte(bytes)?;
        let mut bound = || {
            let (bound, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            Some(f64::from_le_bytes(*bound))
        };
        let zone = (bound()?, bound()?);
        let low = zone.0;
        let stretch = parts::take(bytes)?;
        let values: Vec<f64> = match width {
            1 => stretch
                .iter()
                .map(|value| low + f64::from(*value))
                .collect(),
            2 => stretch
                .as_chunks::<2>()
                .0
                .iter()
                .map(|value| low + f64::from(u16::from_le_bytes(*value)))
                .collect(),
            4 => stretch
                .as_chunks::<4>()
                .0
                .iter()
                .map(|value| low + f64::from(u32::from_le_bytes(*value)))
                .collect(),
            PLAIN => stretch
                .as_chunks::<8>()
                .0
                .iter()
                .map(|value| f64::from_le_bytes(*value))
                .collect(),
            _ => return None,
        };
        Some(Self { zone, values })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Names the places of the numbers for which a condition holds. Says whether it could be answered by
    /// numbers alone: of labels beside them nothing is known here.
    pub(super) fn ask(&self, cond: &Cond, labelled: bool, found: &mut dyn FnMut(usize)) -> bool {
        match cond {
            Cond::In(wanted) => {
                if labelled && wanted.iter().any(|key| matches!(key, Key::Label(_))) {
                    return false;
                }
                let mut wanted: Vec<f64> = wanted.iter().filter_map(number).collect();
                wanted.retain(|value| self.zone.0 <= *value && *value <= self.zone.1);
                wanted.sort_by(f64::total_cmp);
                match &wanted[..] {
                    [] => {}
                    [one] => self.each(|value| value == *one, found),
                    several => self.each(
                        |value| {
                            let found = several.binary_search_by(|other| {
                                other
                                    .partial_cmp(&value)
                                    .unwrap_or(std::cmp::Ordering::Less)
                            });
                            found.is_ok()
                        },
                        found,
                    ),
                }
                true
            }
            Cond::Range { low, high } => {
                let bound = |bound: &Option<(Key, bool)>, open: f64| match bound {
                    None => Some((open, true)),
                    Some((Key::Number(number), inside)) => Some((*number, *inside)),
                    Some(_) => None,
                };
                let bounds = (bound(low, f64::NEG_INFINITY), bound(high, f64::INFINITY));
                let (Some((low, low_in)), Some((high, high_in))) = bounds else {
                    // A bound of another kind lets no number through, but perhaps a label.
                    return !labelled;
                };
                if high < self.zone.0 || low > self.zone.1 {
                    return true;
                }
                if low < self.zone.0 && high > self.zone.1 {
                    (0..self.len()).for_each(found);
                    return true;
                }
                self.each(
                    |value| {
                        (value > low || (low_in && value == low))
                            && (value < high || (high_in && value == high))
                    },
                    found,
                );
                true
            }
            _ => false,
        }
    }

    fn each(&self, holds: impl Fn(f64) -> bool, found: &mut dyn FnMut(usize)) {
        for (i, value) in self.values.iter().enumerate() {
            if holds(*value) {
                found(i);
            }
        }
    }

    /// One of them.
    pub(super) fn get(&self, i: usize) -> Option<f64> {
        self.values.get(i).copied()
    }
}

fn number(key: &Key) -> Option<f64> {
    match key {
        Key::Number(number) => Some(*number),
        _ => None,
    }
}
