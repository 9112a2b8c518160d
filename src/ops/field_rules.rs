//! Conditional field rules (contract section 5).

use crate::base::json::Json;
use crate::fields::Fields;
use crate::model::form::Parts;

/// The rules as a respondent may see them: none that mention a hidden field (S43).
pub fn for_respondent(parts: &Parts, fields: &Fields) -> Json {
    let is_shown = |code: &Json| {
        code.as_str()
            .and_then(|code| code.split('.').next())
            .and_then(|code| fields.get(code))
            .is_some_and(|field| !field.hidden)
    };
    let rules = parts.field_rules.as_array().into_iter().flatten();
    rules
        .filter(|rule| {
            let items = rule["condition"]["items"].as_array();
            let targets = rule["fields"].as_array();
            items
                .into_iter()
                .flatten()
                .all(|item| is_shown(&item["field"]))
                && targets.into_iter().flatten().all(is_shown)
        })
        .cloned()
        .collect()
}
