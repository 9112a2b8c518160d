//! Limited resources that values take, and their prices.

use rust_decimal::Decimal;
use serde_json::json;

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};
use crate::model::capacity::Resource;

/// A kind whose values take places, pieces or shares.
pub trait Capacity {
    /// The resource that values take.
    fn resource(&self) -> Resource {
        Resource::Choices
    }

    /// Units that a stored value takes. Everything countable is named, even without a limit today: a limit that is set
    /// later counts what was taken before. Names and amounts depend on the value alone, so that it gives back what it
    /// took, however the definition has changed.
    fn takes(&self, stored: &Json) -> Vec<Take>;

    /// The limit of a counter today; `None` for any number.
    fn limit(&self, counter: &str) -> Option<Limit>;

    /// Adds to the definition as respondents see it what is left of each thing that has a limit.
    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, cx: &Cx);

    /// Whether a counter is for a time that is over, so that nobody can take from it any more.
    fn is_over(&self, counter: &str, cx: &Cx) -> bool {
        let _ = (counter, cx);
        false
    }

    /// The index that a line of the stored list has in the request, where equal lines are merged.
    fn place(&self, raw: &[Json], line: &Json) -> Option<usize> {
        let _ = (raw, line);
        None
    }

    /// Counters whose rest the page shows.
    fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        let _ = cx;
        Vec::new()
    }

    /// The price of a stored value; `None` if the kind has no prices.
    fn total(&self, stored: &Json) -> Option<Decimal> {
        let _ = stored;
        None
    }

    /// The lines of an order, in the order of a stored value; none where the kind has no prices.
    fn ordered(&self, stored: &Json) -> Vec<Ordered> {
        let _ = stored;
        Vec::new()
    }
}

/// A line of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Good, options and quantity: `2 × Tea (large)`.
    pub text: String,
    /// `None` where it has no valid price.
    pub cost: Option<Decimal>,
}

/// Looks up how many of a field's counter are taken.
pub type UsedOf<'t> = &'t dyn Fn(&str) -> Used;

/// How many of a counter are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// By entries and holds.
    pub taken: u64,
    /// By holds alone; `None` for those who are not told.
    pub held: Option<u64>,
}

/// Units left of a limited item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    pub left: u64,
    /// How many are held; `None` for readers who may not know.
    pub held: Option<u64>,
}

impl dyn Kind + '_ {
    /// Units that a stored value takes; none if the kind has no capacity.
    pub fn takes(&self, stored: &Json) -> Vec<Take> {
        let capacity = self.capacity();
        capacity.map_or_else(Vec::new, |capacity| capacity.takes(stored))
    }

    /// The price of a stored value; `None` if the kind has no prices.
    pub fn total(&self, stored: &Json) -> Option<Decimal> {
        self.capacity()?.total(stored)
    }

    /// The lines of an order; none where the kind has no prices.
    pub fn ordered(&self, stored: &Json) -> Vec<Ordered> {
        self.capacity().map_or_else(Vec::new, |capacity| capacity.ordered(stored))
    }
}

/// The counters of a field from one name to another, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    pub first: String,
    pub last: String,
}

impl Counters {
    /// All of the field.
    pub fn all() -> Self {
        Self::under("")
    }

    /// The counters whose names begin with `start`.
    pub fn under(start: &str) -> Self {
        Self { first: start.to_owned(), last: format!("{start}\u{10ffff}") }
    }
}

/// Units that a value takes from a counter: places of a slot on a day, pieces in stock, a choice's share. A write adds
/// up what live entries take from the counter and holds the sum to the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    /// The counter's name, which is unique in the field and never changes: `room/2026-11-20/am`.
    pub counter: String,
    /// How many of it.
    pub amount: u64,
    /// The part of the value that takes it, for the fault's path: `[2].number`.
    pub at: String,
}

/// The limit of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many all live entries may take together.
    pub most: u64,
    /// Where the field's definition says so: `choices[2].quota`.
    pub at: String,
}

impl Limit {
    pub fn of(most: Option<i64>, at: impl FnOnce() -> String) -> Option<Self> {
        let most = u64::try_from(most?).ok()?;
        Some(Self { most, at: at() })
    }

    /// How many are left.
    pub fn remaining(&self, used: Used) -> Remaining {
        Remaining { left: self.most.saturating_sub(used.taken), held: used.held }
    }
}

/// Adds `remaining` to a part of a definition, and `held` for those who are told.
pub fn put_remaining(part: &mut Json, remaining: Option<Remaining>) {
    if let (Some(Remaining { left, held }), Some(part)) = (remaining, part.as_object_mut()) {
        part.insert("remaining".to_owned(), json!(left));
        if let Some(held) = held {
            part.insert("held".to_owned(), json!(held));
        }
    }
}
