//! How much is taken of what a form has only so many of, as pages show it: places of a day or slot, pieces in stock,
//! shares of a choice's quota.

use std::collections::{BTreeMap, BTreeSet};

type Counters = BTreeMap<String, BTreeMap<String, u64>>;

/// Amounts taken, by field and counter (see [`crate::fields::kind::Take`]).
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    taken: Counters,
    /// The part taken by the entry that is being edited, or by a hold of this page.
    own: Counters,
    /// Fields whose limits don't bind the person who fills them in.
    lifted: BTreeSet<String>,
    /// Whether full items may be chosen nevertheless, for the waiting list.
    may_wait: bool,
}

/// Units left of a limited item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// How many more of it a value may take.
    pub count: u64,
    /// Whether it can be chosen although nothing is left.
    pub may_wait: bool,
}

impl Left {
    /// Whether nothing is left.
    pub const fn is_full(self) -> bool {
        self.count == 0
    }

    /// Whether the last of it are left: a fifth of all of them, or less.
    pub fn is_last(self, all: Option<i64>) -> bool {
        let all = all.and_then(|all| u64::try_from(all).ok());
        !self.is_full() && all.is_some_and(|all| self.count.saturating_mul(5) <= all)
    }

    /// Whether the item can't be chosen.
    pub const fn is_shut(self) -> bool {
        self.is_full() && !self.may_wait
    }
}

impl Occupancy {
    /// Nothing is taken so far; what is full may be chosen or not.
    pub fn new(may_wait: bool) -> Self {
        Self { may_wait, ..Self::default() }
    }

    /// Nothing is taken.
    pub const NONE: Self =
        Self { taken: BTreeMap::new(), own: BTreeMap::new(), lifted: BTreeSet::new(), may_wait: false };

    /// Whether full items may be chosen nevertheless.
    pub const fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Adds what is taken of a field's counter, the own part included.
    pub fn add(&mut self, field: &str, counter: &str, amount: u64) {
        add(&mut self.taken, field, counter, amount);
    }

    /// Adds what the own entry or hold takes of it.
    pub fn add_own(&mut self, field: &str, counter: &str, amount: u64) {
        add(&mut self.own, field, counter, amount);
    }

    /// Lifts the limits of a field for the person who fills it in.
    pub fn lift(&mut self, field: &str) {
        self.lifted.insert(field.to_owned());
    }

    /// Units left of a counter; `None` if it has no limit.
    pub fn left(&self, field: &str, counter: &str, limit: Option<u64>) -> Option<Left> {
        if self.lifted.contains(field) {
            return None;
        }
        let own = of(&self.own, field, counter);
        let others = of(&self.taken, field, counter).saturating_sub(own);
        limit.map(|limit| Left { count: limit.saturating_sub(others), may_wait: self.may_wait })
    }

    /// The counters of a field that the own entry or hold takes from.
    pub fn own(&self, field: &str) -> impl Iterator<Item = (&str, u64)> {
        let own = self.own.get(field).into_iter().flatten();
        own.map(|(counter, amount)| (counter.as_str(), *amount))
    }
}

fn add(to: &mut Counters, field: &str, counter: &str, amount: u64) {
    let counters = to.entry(field.to_owned()).or_default();
    let count = counters.entry(counter.to_owned()).or_default();
    *count = count.saturating_add(amount);
}

fn of(counters: &Counters, field: &str, counter: &str) -> u64 {
    let found = counters.get(field).and_then(|of| of.get(counter));
    found.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_part_is_left_to_its_owner() {
        let mut found = Occupancy::default();
        let count = |found: &Occupancy, limit| found.left("field_1", "a", limit).map(|l| l.count);
        assert_eq!(count(&found, None), None);
        assert_eq!(count(&found, Some(3)), Some(3));
        found.add("field_1", "a", 2);
        found.add("field_1", "a", 1);
        found.add("field_2", "a", 9);
        assert_eq!(count(&found, Some(3)), Some(0));
        assert_eq!(count(&found, Some(2)), Some(0), "an owner lowered it");
        let left = found.left("field_1", "a", Some(3)).expect("limited");
        assert!(left.is_full() && left.is_shut());
        found.add_own("field_1", "a", 2);
        assert_eq!(count(&found, Some(3)), Some(2));
        assert_eq!(found.own("field_1").collect::<Vec<_>>(), [("a", 2)]);
        found.add("field_1", "a", 2);
        found.may_wait = true;
        let left = found.left("field_1", "a", Some(3)).expect("limited");
        assert!(left.is_full() && !left.is_shut());
        found.lift("field_1");
        assert_eq!(count(&found, Some(3)), None);
    }
}
