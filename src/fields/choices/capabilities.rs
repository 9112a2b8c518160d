//! Capabilities of kinds with choices, whether one or several are selected: they depend on the choices alone.

use crate::base::json::Json;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::choices::{self, Choice};
use crate::fields::kind::{Capacity, Counters, Cx, Item, Limit, Parts, Take, UsedOf};

impl Parts for Vec<Choice> {
    fn items(&self) -> Vec<Item<'_>> {
        choices::items(self)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        match stored {
            Json::Array(several) => several.iter().map(code_of).collect(),
            one => vec![code_of(one)],
        }
    }
}

impl Capacity for Vec<Choice> {
    fn takes(&self, stored: &Json) -> Vec<Take> {
        choices::takes(stored)
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        choices::limit(self, counter)
    }

    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, _: &Cx) {
        choices::show_remaining(self, shown, taken);
    }

    /// The first of equal selections counts.
    fn place(&self, raw: &[Json], line: &Json) -> Option<usize> {
        let code = code_of(line);
        raw.iter().position(|given| match given {
            Json::String(given) => given == code,
            given => code_of(given) == code,
        })
    }

    fn shown_counters(&self, _: &Cx) -> Vec<Counters> {
        let is_limited = choices::are_limited(self);
        is_limited.then(Counters::all).into_iter().collect()
    }
}
