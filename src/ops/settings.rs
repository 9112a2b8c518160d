//! A form's settings (spec 2.10, contract section 5).

use serde_json::json;

use crate::base::json::Json;

/// The group `after_submission` as a respondent gets it.
pub fn after_submission(settings: &Json) -> Json {
    match &settings["after_submission"] {
        Json::Object(group) => Json::Object(group.clone()),
        _ => json!({"mode": "show_message"}),
    }
}

/// What of it is told before a submission: how the form goes on, not where to.
pub fn after_mode(settings: &Json) -> Json {
    let mode = settings["after_submission"]["mode"].as_str();
    json!({"mode": mode.unwrap_or("show_message")})
}

/// The group `submission_options`.
pub fn submission_options(settings: &Json) -> Json {
    let group = &settings["submission_options"];
    let flag = |key: &str| group[key].as_bool().unwrap_or(false);
    json!({
        "show_progress": flag("show_progress"),
        "show_field_number": flag("show_field_number"),
        "one_per_respondent": group["one_per_respondent"].as_str().unwrap_or("none"),
        "allow_edit_after_submission": flag("allow_edit_after_submission"),
    })
}
