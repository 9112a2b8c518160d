//! Results of an entry's answers by the settings of its form: totals of orders, scores of exams, reports of
//! evaluations. The same code serves API, page and import.
//!
//! Scores and reports follow from the answers by the form as it is; the prices of an order are those of the day on
//! which its goods were last chosen.

pub mod bands;
pub mod evaluation;
pub mod exam;
pub mod pricing;
#[cfg(test)]
mod tests;

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::fields::values::results::exam::Key;
use crate::fields::values::results::pricing::Prices;
use crate::fields::values::rules::{RuleEffects, Rules};
use crate::fields::values::{self, Checked, Values};
use crate::fields::{Field, Fields};
use crate::model::capacity::Resource;
use crate::model::results::{ReservationStatus, Results};
use crate::model::settings::Settings;

/// Parts of a form that decide about results.
pub struct Scheme<'f> {
    /// The form's scene, such as `exam`.
    pub scene: &'f str,
    pub settings: &'f Settings,
    pub fields: &'f Fields,
    pub rules: &'f Rules,
    /// The right answers; `None` if the form is no exam.
    pub key: Option<&'f Key>,
}

/// An answer that counts.
pub type Counted<'f> = (&'f Field, Json);

impl<'f> Scheme<'f> {
    /// Whether entries have results that follow from their answers.
    fn is_idle(&self) -> bool {
        self.key.is_none()
            && !self.is_evaluation()
            && !pricing::has_prices(self.fields)
            && self.bookings().next().is_none()
    }

    /// The fields that book.
    fn bookings(&self) -> impl Iterator<Item = &'f Field> {
        let takes_places = |field: &&Field| {
            let capacity = field.kind.capacity();
            capacity.is_some_and(|own| own.resource() == Resource::Places)
        };
        self.fields.iter().filter(takes_places)
    }

    /// The results with the state of a booking: a new one is reserved, an old one stays as it is.
    fn booked(&self, values: &Values, results: Results) -> Results {
        let has_booking = self.bookings().any(|field| {
            let value = values.get(&field.api_code);
            value.is_some_and(|value| !values::is_blank(value))
        });
        let status = results.reservation_status;
        let status = status.unwrap_or(ReservationStatus::Reserved);
        Results { reservation_status: (has_booking && !results.is_waiting).then_some(status), ..results }
    }

    fn is_evaluation(&self) -> bool {
        self.scene == evaluation::SCENE
    }

    /// The answers that count: not of fields that are hidden, be it by a rule.
    fn counted(&self, values: &Values, outcome: &RuleEffects, cx: &Cx) -> Vec<Counted<'f>> {
        let fields = self.fields.iter().enumerate();
        fields
            .filter(|(place, field)| !field.hidden && !outcome.hides(*place))
            .filter_map(|(_, field)| {
                let value = values::today(field, values.get(&field.api_code), cx)?;
                Some((field, value))
            })
            .collect()
    }

    /// The answers that count of a stored entry.
    fn counted_of_stored(&self, stored: &Values, cx: &Cx) -> Vec<Counted<'f>> {
        let outcome = values::settled(self.fields, self.rules, stored, cx).outcome;
        self.counted(stored, &outcome, cx)
    }

    /// The results with scores and reports of these answers.
    fn scored(&self, answers: &[Counted], before: &Results) -> Results {
        Results {
            exam_score: self.key.and_then(|key| key.score(answers)),
            evaluation_report: self
                .is_evaluation()
                .then(|| evaluation::report(answers, &self.settings.after_submission.report)),
            ..before.clone()
        }
    }

    /// The same with today's prices.
    fn priced(&self, answers: &[Counted], results: Results) -> Results {
        if !pricing::has_prices(self.fields) {
            return results;
        }
        let prices = pricing::of(answers, &self.settings.pricing);
        Results {
            total_price: Some(pricing::float(prices.total)),
            preferential_price: Some(pricing::float(prices.preferential)),
            ..results
        }
    }
}

/// The results of a new entry. What does not follow from its answers, such as its code, stays as it is in `before`.
pub fn of(scheme: &Scheme, checked: &Checked, before: &Results, cx: &Cx) -> Results {
    if scheme.is_idle() {
        return before.clone();
    }
    let answers = scheme.counted(&checked.values, &checked.outcome, cx);
    let results = scheme.priced(&answers, scheme.scored(&answers, before));
    scheme.booked(&checked.values, results)
}

/// The results of an entry that had the values `old` and the results `before`. As long as the same goods are ordered,
/// they cost what they did.
pub fn of_change(scheme: &Scheme, old: &Values, checked: &Checked, before: &Results, cx: &Cx) -> Results {
    if scheme.is_idle() {
        return before.clone();
    }
    let answers = scheme.counted(&checked.values, &checked.outcome, cx);
    let results = scheme.booked(&checked.values, scheme.scored(&answers, before));
    let was_priced = before.total_price.is_some();
    if was_priced && pricing::is_same_order(&scheme.counted_of_stored(old, cx), &answers) {
        return results;
    }
    scheme.priced(&answers, results)
}

/// The results of an entry whose form was edited: another score is dated, and prices stay.
pub fn again(scheme: &Scheme, values: &Values, before: &Results, now: Time, cx: &Cx) -> Results {
    if scheme.is_idle() {
        return before.clone();
    }
    let results = scheme.scored(&scheme.counted_of_stored(values, cx), before);
    let rescored_at = (results != *before).then_some(now).or(before.rescored_at);
    Results { rescored_at, ..results }
}

/// The price of an order with these values today; `None` if the form sells nothing.
pub fn prices(scheme: &Scheme, checked: &Checked, cx: &Cx) -> Option<Prices> {
    let may_order = pricing::has_prices(scheme.fields);
    let answers = || scheme.counted(&checked.values, &checked.outcome, cx);
    may_order.then(|| pricing::of(&answers(), &scheme.settings.pricing))
}

/// Whether entries of forms of this scene have scores or reports.
pub fn is_scored(scene: &str) -> bool {
    [exam::SCENE, evaluation::SCENE].contains(&scene)
}

/// Whether entries may have other scores or reports after an edit of fields.
pub fn changes(scene: &str, settings: &Settings, old: &Fields, new: &Fields) -> bool {
    let counts = |field: &Field| match scene {
        exam::SCENE => settings.exam.questions.contains_key(&field.api_code),
        evaluation::SCENE => field.kind.scores().is_some(),
        _ => false,
    };
    let is_other = |field: &Field, others: &Fields| {
        others.get(&field.api_code).is_none_or(|other| {
            other.row.name != field.row.name
                || other.hidden != field.hidden
                || other.kind.to_stored() != field.kind.to_stored()
        })
    };
    old.iter().any(|field| counts(field) && is_other(field, new))
        || new.iter().any(|field| counts(field) && is_other(field, old))
}
