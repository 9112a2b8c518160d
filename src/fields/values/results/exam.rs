//! The score of an exam: the points of its questions, and the right answers.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Fields;
use crate::fields::display::{local_number, money};
use crate::fields::kind::{Cx, Grading, Marks};
use crate::fields::values::results::{Counted, pricing};
use crate::model::results::Results;
use crate::model::settings::Exam;

/// The scene of forms that are exams.
pub const SCENE: &str = "exam";

/// The most points that a question may be worth.
pub const MAX_SCORE: u32 = 1_000_000;
/// The most points of all questions together.
pub const MAX_POINTS: u32 = 1_000_000_000;

/// Share of a question's points for a partly right answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partial {
    /// All of them, or none.
    None,
    /// A share for each right choice; none if a wrong one is ticked.
    Proportional,
    /// A share for each right choice, less one for each wrong one.
    PerChoice,
}

impl Partial {
    /// The names in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("none", Self::None), ("proportional", Self::Proportional), ("per_choice", Self::PerChoice)];

    /// The points of an answer with these marks, out of `score`.
    pub fn points(self, score: Decimal, marks: Marks) -> Decimal {
        let share = |count: usize| {
            let all = Decimal::from(marks.all.max(1));
            let counted = score.checked_mul(Decimal::from(count));
            counted.and_then(|counted| counted.checked_div(all)).unwrap_or_default()
        };
        match self {
            Self::None if marks.wrong == 0 && marks.right == marks.all => score,
            Self::Proportional if marks.wrong == 0 => share(marks.right),
            Self::PerChoice => share(marks.right.saturating_sub(marks.wrong)),
            Self::None | Self::Proportional => Decimal::ZERO,
        }
    }
}

/// A scored question.
struct Question {
    score: Decimal,
    partial: Partial,
    /// The right answer as it would be stored; `None` if it names parts that the field no longer has.
    right: Option<Json>,
}

/// The right answers of an exam, by the fields' codes.
#[derive(Default)]
pub struct Key(HashMap<String, Question>);

impl Key {
    /// From the settings of a form with these fields.
    pub fn of(exam: &Exam, fields: &Fields, cx: &Cx) -> Self {
        let questions = exam.questions.iter().filter_map(|(code, settings)| {
            // Nobody is asked a hidden question, so it can bring no points.
            let field = fields.get(code).filter(|field| !field.hidden)?;
            field.kind.grading()?;
            let answer = &settings["answer"];
            if settings["scored"] == false || answer.is_null() {
                return None;
            }
            let mut faults = Issues::new();
            let right = field.kind.parse(answer.clone(), cx, &mut faults);
            let named = Partial::ALL.iter();
            let mut partial = named.filter(|(name, _)| settings["partial"] == *name);
            let question = Question {
                score: money::decimal(&settings["score"]).filter(|it| *it <= MAX_SCORE.into())?,
                partial: partial.next().map_or(Partial::None, |(_, it)| *it),
                right: faults.is_empty().then_some(right),
            };
            Some((code.clone(), question))
        });
        Self(questions.collect())
    }

    /// The right answer to a scored question, as it would be stored.
    pub fn right(&self, code: &str) -> Option<&Json> {
        self.0.get(code)?.right.as_ref()
    }

    /// The most points for a question; `None` if it is not scored.
    pub fn worth(&self, code: &str) -> Option<f64> {
        Some(pricing::float(self.0.get(code)?.score))
    }

    /// The points of one answer; `None` if its question is not scored.
    pub fn points(&self, (field, given): &Counted) -> Option<Decimal> {
        let question = self.0.get(&field.api_code)?;
        let grading = field.kind.grading()?;
        let Some(right) = &question.right else {
            return Some(Decimal::ZERO);
        };
        let marks = marks(grading, given, right);
        Some(question.partial.points(question.score, marks))
    }

    /// The points of all answers; `None` if nothing is scored.
    pub fn score(&self, answers: &[Counted]) -> Option<f64> {
        if self.0.is_empty() {
            return None;
        }
        let points = answers.iter().filter_map(|answer| self.points(answer));
        Some(pricing::float(points.sum()))
    }

    /// Whether no question is scored.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The most points for the exam.
    pub fn most(&self) -> f64 {
        pricing::float(self.0.values().map(|question| question.score).sum())
    }
}

/// The result of an exam, for the person who took it.
pub struct Score {
    pub points: f64,
    /// The most points possible.
    pub most: f64,
    /// None where the settings don't set a pass mark.
    pub is_passed: Option<bool>,
}

/// The score of an entry, where the settings show it.
pub fn shown_score(key: Option<&Key>, exam: &Exam, results: &Results) -> Option<Score> {
    let key = key.filter(|_| exam.show_score)?;
    let points = results.exam_score?;
    Some(Score { points, most: key.most(), is_passed: is_passed(Some(points), exam.pass_score) })
}

/// Whether the points are enough to pass; `None` if nothing is scored, or no pass score is set.
pub fn is_passed(points: Option<f64>, pass_score: Option<f64>) -> Option<bool> {
    points.zip(pass_score).map(|(points, least)| points >= least)
}

/// Points for people: two decimals say enough.
pub fn points_text(points: f64, locale: &str) -> String {
    let text = format!("{points:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    local_number::show(text, locale)
}

/// The marks of an answer; one that has no parts is right or wrong as a whole.
fn marks(grading: &dyn Grading, given: &Json, right: &Json) -> Marks {
    grading.marks(given, right).unwrap_or_else(|| {
        let is_right = grading.is_right(given, right);
        Marks { right: usize::from(is_right), wrong: usize::from(!is_right), all: 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_shown_with_two_decimals_at_most() {
        for (points, locale, text) in [
            (0.0, "en", "0"),
            (10.0, "en", "10"),
            (7.5, "de", "7,5"),
            (10.0 / 3.0, "en", "3.33"),
            (1234.0, "en", "1234"),
        ] {
            assert_eq!(points_text(points, locale), text);
        }
    }
}
