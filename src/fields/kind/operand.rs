//! What formulas read of values.

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};
use crate::fields::values::formula::{Number, Type, Value};

/// A kind that formulas can read.
pub trait Operand: Kind {
    /// What a formula finds here.
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
}
