//! The named parts of a definition that values point to.

use crate::base::json::Json;
use crate::fields::kind::Kind;

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
}

impl dyn Kind + '_ {
    /// The named parts; none where the kind has none.
    pub fn items(&self) -> Vec<Item<'_>> {
        self.parts().map_or_else(Vec::new, Parts::items)
    }

    /// Which of `items` a stored value points to.
    pub fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let parts = self.parts();
        parts.map_or_else(Vec::new, |parts| parts.uses(stored))
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
    /// The list it stands in: `choices`, `statements`, `goods_items` …
    pub list: &'static str,
    /// Its api_code; of a part within a part, with the outer codes before it: `cake.size.large`.
    pub code: &'a str,
    /// What people call it.
    pub label: &'a str,
}
