//! Whether an answer is the right one.

use crate::base::json::Json;
use crate::fields::kind::Kind;

/// A kind whose questions an exam can score.
pub trait Grading: Sync {
    /// Whether a stored answer is right. `right` is the right one as it would be stored.
    fn is_right(&self, given: &Json, right: &Json) -> bool;

    /// How much of a stored answer is right, where its parts are right or wrong each by itself.
    fn marks(&self, given: &Json, right: &Json) -> Option<Marks> {
        let _ = (given, right);
        None
    }

    /// Whether parts of an answer are right or wrong each by itself.
    fn has_parts(&self) -> bool {
        false
    }
}

/// Right and wrong parts of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Parts that were given and are right.
    pub right: usize,
    /// Parts that were given and are wrong.
    pub wrong: usize,
    /// Parts of the right answer.
    pub all: usize,
}

impl dyn Kind + '_ {
    /// Whether a stored answer is right; never where questions of this kind can't be scored.
    pub fn is_right(&self, given: &Json, right: &Json) -> bool {
        let grading = self.grading();
        grading.is_some_and(|grading| grading.is_right(given, right))
    }
}
