//! The named parts of a definition that values point to.

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::phrase::phrase;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Kind;

/// The most names that a message about an unknown one lists.
const MOST_TOLD: usize = 20;
/// Bytes of an unknown name that are repeated.
const LONGEST_NAME: usize = 100;

/// A kind with choices, statements or items, whose names are never used again.
pub trait Parts {
    /// The parts, in the definition's order.
    fn items(&self) -> Vec<Item<'_>>;

    /// Which of `items` a stored value points to.
    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let _ = stored;
        Vec::new()
    }

    /// Whether a stored value points to the one of `items` with this code.
    fn points_to(&self, stored: &Json, code: &str) -> bool {
        self.uses(stored).contains(&code)
    }

    /// Reports names in one value of a condition that none of `items` has. `at` is at the value.
    fn check_names(&self, value: &Json, items: &[Item], at: &mut Issues) {
        if let Some(name) = value.as_str() {
            check_name(name, items.iter().filter(|item| !item.code.contains('.')), at);
        }
    }
}

/// Reports a name that none of these items has.
pub fn check_name<'i, 'a: 'i>(name: &str, items: impl Iterator<Item = &'i Item<'a>>, at: &mut Issues) {
    let mut known = Vec::new();
    for item in items {
        if item.code == name {
            return;
        }
        if known.len() <= MOST_TOLD {
            known.push(item.code.rsplit('.').next().unwrap_or_default());
        }
    }
    let more = if known.len() > MOST_TOLD { ", …" } else { "" };
    known.truncate(MOST_TOLD);
    let known = known.join(", ");
    let name = text::shortened(name, LONGEST_NAME);
    at.push(Reason::other(phrase!(
        "names {}, which this field does not have (use {})",
        format!("{name:?}"),
        format!("{known}{more}")
    )));
}

impl dyn Kind + '_ {
    /// The named parts; none if the kind has none.
    pub fn items(&self) -> Vec<Item<'_>> {
        self.parts().map_or_else(Vec::new, Parts::items)
    }

    /// Which of `items` a stored value points to.
    pub fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let parts = self.parts();
        parts.map_or_else(Vec::new, |parts| parts.uses(stored))
    }

    /// Reports names in a condition that the field does not have: they match nothing. `at` is at the value.
    pub fn check_names(&self, op: Op, value: &Json, at: &mut Issues) {
        let Some(parts) = self.parts().filter(|_| matches!(op, Op::Eq | Op::Ne | Op::AnyIn | Op::NoneIn)) else {
            return;
        };
        let items = parts.items();
        match value {
            Json::Array(values) => {
                for (i, value) in values.iter().enumerate() {
                    at.index(i, |at| parts.check_names(value, &items, at));
                }
            }
            value => parts.check_names(value, &items, at),
        }
    }

    /// Whether a stored value points to the one of `items` with this code.
    pub fn points_to(&self, stored: &Json, code: &str) -> bool {
        let parts = self.parts();
        parts.is_some_and(|parts| parts.points_to(stored, code))
    }
}

/// One named part of a definition.
#[derive(Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The list that has it: `choices`, `statements`, `goods_items` …
    pub list: &'static str,
    /// Its api_code; of a part within a part, with the outer codes before it: `cake.size.large`.
    pub code: &'a str,
    /// Its label.
    pub label: &'a str,
}
