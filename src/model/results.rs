//! Results that the service adds to an entry's answers: scores, prices, its code, the state of its booking.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::Json;

/// The results of one entry. Results that its form does not have are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// The points of an exam.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam_score: Option<f64>,
    /// The verification code, unique in the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gen_code: Option<String>,
    /// The price of an order before the discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_price: Option<f64>,
    /// The total price after the discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferential_price: Option<f64>,
    /// The state of a booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation_status: Option<ReservationStatus>,
    /// Whether the entry is on the waiting list and takes nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub is_waiting: bool,
    /// Whether a program without a token sent the entry, kept where letters about it may be due later: they are sent
    /// only if the form sends letters to programs.
    #[serde(skip_serializing_if = "is_false")]
    pub is_by_program: bool,
    /// The pseudonym of the network that it came from, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_from: Option<String>,
    /// The result of an evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_report: Option<EvaluationReport>,
    /// When its time was over. A later change by its respondent counts as late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    /// Whether the entry was submitted, or changed by its respondent, after the time was over.
    #[serde(skip_serializing_if = "is_false")]
    pub is_late: bool,
    /// When its score or report was last changed by an edit of the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescored_at: Option<Time>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A number as JSON: `3`, not `3.0`.
pub fn number(of: f64) -> Json {
    // Above 2^53 a float no longer represents each whole number.
    const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
    let text = format!("{of}");
    match text.parse::<i64>() {
        Ok(whole) if of.abs() <= MAX_WHOLE => json!(whole),
        _ => json!(of),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReservationStatus {
    Reserved,
    Cancelled,
    Completed,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationReport {
    pub score: f64,
    pub comment: Option<String>,
}

impl EvaluationReport {
    pub fn to_json(&self) -> Json {
        json!({"score": number(self.score), "comment": self.comment})
    }
}

impl Results {
    /// From the stored JSON text.
    ///
    /// # Errors
    /// Internal, when it is damaged.
    pub fn of(stored: Option<&str>) -> Result<Self> {
        stored.map_or_else(|| Ok(Self::default()), |text| serde_json::from_str(text).map_err(Error::internal))
    }

    /// As JSON text; `None` if there are no results.
    pub fn to_stored(&self) -> Option<String> {
        let has_any = *self != Self::default();
        has_any.then(|| serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_point() {
        for (of, shown) in
            [(3.0, "3"), (0.0, "0"), (-0.0, "0"), (2.5, "2.5"), (10.0 / 3.0, "3.3333333333333335"), (1e300, "1e+300")]
        {
            assert_eq!(number(of).to_string(), shown);
        }
    }

    #[test]
    fn results_are_stored_where_there_are_any() {
        assert_eq!(Results::default().to_stored(), None);
        let results = Results {
            exam_score: Some(7.5),
            reservation_status: Some(ReservationStatus::Reserved),
            ..Results::default()
        };
        let stored = results.to_stored();
        assert_eq!(stored.as_deref(), Some(r#"{"exam_score":7.5,"reservation_status":"reserved"}"#));
        assert_eq!(Results::of(stored.as_deref()).expect("sound"), results);
        assert_eq!(Results::of(None).expect("none"), Results::default());
        assert!(Results::of(Some("{")).is_err());
    }
}
