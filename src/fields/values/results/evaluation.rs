//! The report of an evaluation: the sum of the scores of its answers, and the owner's text about that.

use crate::fields::values::formula::{Binary, Number};
use crate::fields::values::results::Counted;
use crate::model::results::EvaluationReport;
use crate::model::settings::Report;

/// The scene of forms that are evaluations.
pub const SCENE: &str = "evaluation";

/// The sum of the scores, and the comment of the first range that holds it.
pub fn report(answers: &[Counted], ranges: &Report) -> EvaluationReport {
    let scores = answers.iter().filter_map(|(field, value)| field.kind.scores()?.score(value));
    let sum = scores.reduce(|sum, score| sum.calculate(Binary::Plus, score).unwrap_or(sum));
    let score = sum.map_or(0.0, Number::float);
    let mut ranges = ranges.score_based_feedbacks.iter();
    let range = ranges.find(|range| range.start_point <= score && score <= range.end_point);
    EvaluationReport { score, comment: range.map(|range| range.comment.clone()).filter(|comment| !comment.is_empty()) }
}
