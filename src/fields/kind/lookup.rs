//! How visitors of a public query find values (spec 2.4).

use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::kind::{Cx, Kind};

/// A part of a value by which it is searched.
#[derive(Debug, PartialEq, Eq)]
pub struct LookupPart {
    /// Its name after the field's and `_attribute_`.
    pub code: &'static str,
    /// The message with its label.
    pub label: &'static str,
    /// Whether the part is one of the kind's items.
    pub is_item: bool,
}

/// A kind whose values visitors search differently than filter conditions do.
pub trait Lookup {
    /// The parts by which it is searched, where that is not the value itself.
    fn lookup_parts(&self) -> &'static [LookupPart] {
        &[]
    }

    /// A visitor's input, as text or in the API's shape, as a condition; `part` is the code of one of the parts, or
    /// empty. With `fuzzy`, part of the value is enough.
    fn find_by(&self, part: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason>;
}

impl dyn Kind + '_ {
    /// The parts by which it is searched, where that is not the value itself.
    pub fn lookup_parts(&self) -> &'static [LookupPart] {
        self.lookup().map_or(&[], Lookup::lookup_parts)
    }

    /// A visitor's input as a condition on the values.
    pub fn find_by(&self, part: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        match self.lookup() {
            Some(lookup) => lookup.find_by(part, given, fuzzy, cx),
            None => self.by_operator(given, fuzzy, cx),
        }
    }

    /// The condition of `eq`, or with `fuzzy` of `like`.
    pub fn by_operator(&self, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        let op = if fuzzy { Op::Like } else { Op::Eq };
        self.condition(op, given, cx).map_err(|fault| fault.reason)
    }
}

/// That a key begins so.
pub fn begins_with(start: &str, key: fn(String) -> Key) -> Cond {
    Cond::Range { low: Some((key(start.to_owned()), true)), high: Some((key(format!("{start}\u{10ffff}")), true)) }
}
