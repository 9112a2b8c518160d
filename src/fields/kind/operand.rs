//! Values as formulas read them.

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};
use crate::fields::values::formula::{Number, Type, Value};

/// A kind that formulas can read.
pub trait Operand: Kind {
    /// The type of values in formulas.
    fn operand_type(&self) -> Type;

    /// A stored value, as a formula finds it.
    fn operand_value(&self, stored: &Json, cx: &Cx) -> Option<Value> {
        Value::of(self.operand_type(), stored, || self.text(stored, cx))
    }
}

/// A kind whose values have a score.
pub trait Scores {
    /// The score of a stored value.
    fn score(&self, stored: &Json) -> Option<Number>;

    /// The scores that values may have.
    fn range(&self) -> ScoreRange;
}

/// The scores that answers may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRange {
    pub least: f64,
    pub most: f64,
    /// Whether all scores between are whole numbers.
    pub is_whole: bool,
}

impl ScoreRange {
    /// That of no answer.
    pub const ZERO: Self = Self { least: 0.0, most: 0.0, is_whole: true };

    /// Of an answer that has one of these scores.
    pub fn of_one(scores: &[f64]) -> Self {
        let Some((first, rest)) = scores.split_first() else {
            return Self::ZERO;
        };
        Self {
            least: rest.iter().fold(*first, |least, score| least.min(*score)),
            most: rest.iter().fold(*first, |most, score| most.max(*score)),
            is_whole: scores.iter().all(|score| score.fract() == 0.0),
        }
    }

    /// Of an answer that has the sum of so many of these scores at most.
    pub fn of_several(scores: &[f64], count: usize) -> Self {
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            least: sorted.iter().take(count).fold(0.0, |sum, score| sum + score.min(0.0)),
            most: sorted.iter().rev().take(count).fold(0.0, |sum, score| sum + score.max(0.0)),
            is_whole: scores.iter().all(|score| score.fract() == 0.0),
        }
    }

    /// Of two answers together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let is_whole = self.is_whole && other.is_whole;
        Self { least: self.least + other.least, most: self.most + other.most, is_whole }
    }

    /// Where the answer may be left out.
    #[must_use]
    pub fn or_none(self) -> Self {
        Self { least: self.least.min(0.0), most: self.most.max(0.0), ..self }
    }
}
