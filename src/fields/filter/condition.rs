//! Conditions over a form's own questions alone: what field rules look at, which have no entry yet.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::Fields;
use crate::fields::filter::cleaned;
use crate::fields::filter::cond::{Cond, Op, holds_in_cells};
use crate::fields::filter::subject::Question;
use crate::fields::kind::Cx;
use crate::fields::values::Values;

/// A condition over one field, or one column of it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The question that it tests.
    pub question: Question,
    /// The condition on the question's cells.
    pub cond: Cond,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// A fault at `field`, `operator` or `value`.
    pub fn read(fields: &Fields, field: &str, operator: &str, value: &Json, cx: &Cx) -> Result<Self, Issue> {
        let found = Question::find(fields, field);
        let asked = found.as_ref().and_then(|found| found.asked(fields));
        let (Some(question), Some(asked)) = (found.clone(), asked) else {
            return Err(Issue::new("field", Reason::NotField));
        };
        let allowed = asked.kind.operators();
        let Some(op) = Op::by_name(operator).filter(|op| allowed.contains(op)) else {
            if allowed.is_empty() {
                return Err(Issue::new("field", Reason::other("can't be used in a condition")));
            }
            return Err(Issue::new("operator", Op::must_be_one_of(allowed)));
        };
        let value = cleaned(value).ok_or_else(|| Issue::new("value", Reason::Nul))?;
        Ok(Self { question, cond: asked.kind.condition(op, &value, cx)? })
    }

    /// Whether the condition holds for an entry's values.
    pub fn holds(&self, fields: &Fields, values: &Values, cx: &Cx) -> bool {
        holds_in_cells(&self.cond, &self.question.cells(fields, values, cx))
    }
}
