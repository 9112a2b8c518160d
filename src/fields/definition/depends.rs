//! Dependencies between fields: formulas depend on the fields they read, conditional fields on those their rules look
//! at. Fields are evaluated after their dependencies, so cycles are not allowed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::issue::Issues;
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::kind::Operand;
use crate::fields::values::formula::{Fault, Reads, Type};
use crate::fields::{Field, Fields};

/// The fault of a formula that needs its own value.
pub const ON_ITSELF: &str = "depends on itself";

/// The positions of the fields in an order that respects dependencies; fields in cycles are omitted.
pub fn order(depends: &[Vec<usize>]) -> Vec<usize> {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); depends.len()];
    let mut open: Vec<usize> = depends.iter().map(Vec::len).collect();
    for (place, on) in depends.iter().enumerate() {
        for on in on {
            followers[*on].push(place);
        }
    }
    let free = (0..depends.len()).filter(|place| open[*place] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
    let mut out = Vec::with_capacity(depends.len());
    while let Some(Reverse(place)) = ready.pop() {
        out.push(place);
        for follower in &followers[place] {
            open[*follower] -= 1;
            if open[*follower] == 0 {
                ready.push(Reverse(*follower));
            }
        }
    }
    out
}

/// Whether a field depends on itself, directly or indirectly.
pub fn is_round(depends: &[Vec<usize>], place: usize) -> bool {
    depends[place].iter().any(|on| leads(depends, *on, place))
}

/// Whether a field is another one, or depends on it, directly or indirectly.
fn leads(depends: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; depends.len()];
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        for on in &depends[next] {
            if !std::mem::replace(&mut seen[*on], true) {
                open.push(*on);
            }
        }
    }
    false
}

/// The fields that each field's formula reads.
pub fn of_formulas(fields: &Fields) -> Vec<Vec<usize>> {
    let read = |field: &Field| {
        let computed = field.kind.computed()?;
        let codes = computed.formula.fields().into_iter();
        Some(codes.filter_map(|code| fields.position(code)).collect())
    };
    fields.iter().map(|field| read(field).unwrap_or_default()).collect()
}

/// Checks all formulas of a form: names, types, and cycles. `at` is at the list.
pub fn check(fields: &Fields, at: &mut Issues) {
    let depends = of_formulas(fields);
    for (place, field) in fields.iter().enumerate() {
        let Some(computed) = field.kind.computed() else {
            continue;
        };
        // An unreadable formula has been reported already, and refers to nothing.
        if computed.formula.is_empty() {
            continue;
        }
        let mut faults = match computed.formula.check(fields, computed.result) {
            Ok(()) => Vec::new(),
            Err(faults) => faults,
        };
        let mut read = computed.formula.fields().into_iter();
        if let Some(through) = read.find(|code| fields.position(code).is_some_and(|on| leads(&depends, on, place))) {
            let at = computed.formula.place_of(through).unwrap_or_default();
            faults.push(Fault { text: Phrase::plain(ON_ITSELF), at });
        }
        at.index(place, |at| {
            for fault in faults {
                at.push_at("expression", fault);
            }
        });
    }
}

impl Reads for Fields {
    fn field(&self, code: &str) -> Result<Type, Phrase> {
        let field = self.get(code).ok_or_else(|| unknown(code))?;
        field
            .kind
            .operand()
            .map(Operand::operand_type)
            .ok_or_else(|| phrase!("names {}, but can't read a {}", code, Phrase::plain(field.row.name)))
    }

    fn score(&self, code: &str) -> Result<(), Phrase> {
        let field = self.get(code).ok_or_else(|| unknown(code))?;
        if field.kind.scores().is_some() {
            Ok(())
        } else {
            Err(phrase!("names {}, but a {} has no score", code, Phrase::plain(field.row.name)))
        }
    }
}

fn unknown(code: &str) -> Phrase {
    phrase!("names {}, which is not a field of this form", code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_comes_first() {
        assert_eq!(order(&[vec![2], vec![], vec![1]]), [1, 2, 0]);
        let round = [vec![1], vec![0], vec![0], vec![]];
        assert_eq!(order(&round), [3]);
        assert!(is_round(&round, 0) && is_round(&round, 1));
        assert!(!is_round(&round, 2) && !is_round(&round, 3));
        assert!(is_round(&[vec![0]], 0));
    }
}
