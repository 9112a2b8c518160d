//! A form's settings (spec 2.10, contract section 5), each group a struct. Stored are the members that were set; the
//! others have their defaults.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Map;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::model::notification_settings::Notifications;
use crate::model::results::Results;

/// All settings but locale and timezone, which are columns of the form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub after_submission: AfterSubmission,
    pub availability: Availability,
    pub access_control: AccessControl,
    pub submission_options: SubmissionOptions,
    pub verification_code: VerificationCode,
    pub certificate: Certificate,
    pub exam: Exam,
    pub pricing: Pricing,
    pub capacity: Capacity,
    pub browse_linked_entries: bool,
    pub notifications: Notifications,
}

impl Settings {
    /// From the stored members.
    ///
    /// # Errors
    /// Internal, when they are damaged.
    pub fn of(stored: &Json) -> Result<Self> {
        Self::deserialize(stored).map_err(Error::internal)
    }

    /// Every member, as reads show it.
    pub fn to_json(&self) -> Json {
        let mut whole = serde_json::to_value(self).unwrap_or_default();
        let group = &mut whole["notifications"];
        for kind in Notifications::LETTERS {
            group[kind.name()]["enabled"] = self.notifications.sends(kind).into();
        }
        whole
    }
}

/// Response to a respondent after a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AfterSubmission {
    pub mode: AfterMode,
    pub show_message: ShowMessage,
    pub redirect: Redirect,
    pub report: Report,
    /// Whether respondents see their answers.
    pub show_answers: bool,
}

impl Default for AfterSubmission {
    fn default() -> Self {
        Self {
            mode: AfterMode::default(),
            show_message: ShowMessage::default(),
            redirect: Redirect::default(),
            report: Report::default(),
            show_answers: true,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterMode {
    #[default]
    ShowMessage,
    Redirect,
    Report,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShowMessage {
    pub style: MessageStyle,
    pub rich_text: String,
    pub text: MessageText,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageStyle {
    RichText,
    #[default]
    Text,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageText {
    pub title: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Redirect {
    pub url: Option<String>,
    /// The fields whose answers become parameters of the address.
    pub fields: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    pub score_based_feedbacks: Vec<Feedback>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    pub start_point: f64,
    pub end_point: f64,
    pub comment: String,
}

/// Conditions under which a form accepts submissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Availability {
    pub manually_closed: bool,
    pub schedule: Schedule,
    /// How many entries the form takes.
    pub entries_limit: Option<i64>,
    /// Whether pages count down to the times of the schedule.
    pub show_countdown: bool,
    /// Whether the fields are shown before the form opens.
    pub show_form_before_open: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    pub start_at: Option<Time>,
    pub end_at: Option<Time>,
}

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccessControl {
    /// Sealed; no answer shows it so.
    #[serde(serialize_with = "as_null")]
    pub access_password: Option<String>,
}

fn as_null<S: Serializer>(_: &Option<String>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_none()
}

impl std::fmt::Debug for AccessControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessControl").finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubmissionOptions {
    pub show_progress: bool,
    pub show_field_number: bool,
    pub one_per_respondent: OnePer,
    pub allow_edit_after_submission: bool,
}

/// How a form that takes one submission from each respondent recognizes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnePer {
    /// Not at all: everybody may answer as often as they like.
    #[default]
    None,
    Browser,
    Account,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerificationCode {
    pub enabled: bool,
    pub length: i64,
}

impl Default for VerificationCode {
    fn default() -> Self {
        Self { enabled: false, length: 8 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Certificate {
    pub enabled: bool,
    pub title: String,
    pub body: String,
    pub min_score: Option<f64>,
}

impl Certificate {
    /// Whether an entry with these results has one: it may take a score.
    pub fn is_given(&self, results: &Results) -> bool {
        let report = results.evaluation_report.as_ref();
        let score = results.exam_score.or(report.map(|report| report.score));
        // A waiting entry has no ticket.
        let may_have = self.enabled && !results.is_waiting;
        may_have && self.min_score.is_none_or(|least| score.is_some_and(|score| score >= least))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exam {
    pub duration_minutes: Option<i64>,
    pub pass_score: Option<f64>,
    pub show_score: bool,
    pub show_answers: bool,
    /// By api_code; the right answer of each is in its field's write shape.
    pub questions: Map<String, Json>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pricing {
    /// An ISO 4217 code.
    pub currency: String,
    pub discounts: Vec<Discount>,
}

impl Default for Pricing {
    fn default() -> Self {
        Self { currency: "USD".to_owned(), discounts: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discount {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_total: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_off: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount_off: Option<f64>,
}

/// Settings for limited resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capacity {
    /// Minutes for which units are held while a respondent fills in the form; 0 for not at all.
    pub hold_minutes: i64,
    /// Whether a submission may wait if no units are left.
    pub waiting_list: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_set_is_shown_as_it_is_stored() {
        let stored = json!({
            "after_submission": {
                "mode": "report",
                "report": {"score_based_feedbacks": [{"start_point": 1.0, "end_point": 2.5, "comment": ""}]},
            },
            "availability": {"schedule": {"start_at": "2026-05-01T12:00:00.000Z"}, "entries_limit": 2},
            "exam": {"questions": {"field_2": {"score": 1.0, "scored": true}, "field_1": {}}},
            "pricing": {"discounts": [{"min_total": 10.0, "amount_off": 1.0}]},
        });
        let settings = Settings::of(&stored).expect("sound settings");
        let mut whole = Settings::default().to_json();
        for (group, members) in stored.as_object().expect("groups") {
            for (key, value) in members.as_object().expect("members") {
                match value.as_object().filter(|_| key == "schedule") {
                    Some(inner) => {
                        for (key, value) in inner {
                            whole[group]["schedule"][key] = value.clone();
                        }
                    }
                    None => whole[group][key] = value.clone(),
                }
            }
        }
        assert_eq!(settings.to_json().to_string(), whole.to_string());
        assert_eq!(Settings::of(&json!({})).expect("none set"), Settings::default());
        assert!(Settings::of(&json!({"access_control": {"access_password": 7}})).is_err());
    }
}
