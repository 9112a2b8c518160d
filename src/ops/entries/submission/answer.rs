//! The answer to a stored submission.

use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::json::Json;
use crate::base::secret::Keys;
use crate::ops::entries::{EntryView, after_submission, edit_right, entry_shape};
use crate::ops::exams::certificates;
use crate::ops::forms::settings;

/// The answer to a respondent's submission, as JSON text.
pub fn text(secrets: &Keys, view: &EntryView, now: Time) -> Result<String> {
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let cx = parsed.cx_with(now, true, &view.shape.found);
    let shown = entry_shape::for_respondent(parsed, entry, &cx)?;
    let after = after_submission::text(parsed, entry, &cx);
    let edit = match edit_right::offered_token(secrets, &parsed.settings, entry) {
        Some(token) => format!(",\"edit_token\":\"{token}\""),
        None => String::new(),
    };
    let results = entry_shape::results_for_respondent(parsed, entry, &cx);
    Ok(format!("{{\"entry\":{shown},\"after_submission\":{after}{edit}{results}}}"))
}

/// The JSON Schema of that answer.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "entry": entry_shape::respondent_schema(),
            "after_submission": settings::after_submission_schema(),
            "edit_token": {
                "type": "string",
                "description": "Gives access to read and edit the entry, if the form allows that. Returned only here.",
            },
            "exam_score": {
                "type": "number",
                "description": "The points, where the form's settings show them.",
            },
            "evaluation_report": {
                "type": "object",
                "properties": {
                    "score": {"type": "number"},
                    "comment": {"type": ["string", "null"]},
                },
                "required": ["score", "comment"],
                "description": "The result of an evaluation, where the form's settings show it.",
            },
            "gen_code": {
                "type": ["string", "null"],
                "description": "The entry's verification code, if the form gives codes.",
            },
            "x_field_certificate": certificates::schema(),
        },
        "required": ["entry", "after_submission"],
    })
}
