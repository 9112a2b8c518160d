//! `/api/v1/forms/{form_token}/settings`, `/theme` and `/field_rules`.

use serde_json::json;

use crate::base::error::Result;
use crate::base::sketch::reference;
use crate::model::caller::Caller;
use crate::ops::parts::PartView;
use crate::ops::{field_rules, settings, themes};
use crate::web::call::Call;
use crate::web::openapi::shape::Shape;
use crate::web::reply::{self, Reply};

/// The settings as answers show them, and the body that changes them.
pub static SETTINGS: [Shape; 2] = [
    Shape::new("Settings", settings::schema),
    Shape::new("SettingsUpdate", settings::update_schema),
];

/// The theme as answers show it, and the body that changes it.
pub static THEME: [Shape; 2] = [
    Shape::new("Theme", themes::schema),
    Shape::new("ThemeUpdate", themes::update_schema),
];

/// A changed theme.
pub static CHANGED_THEME: Shape = Shape::new("ChangedTheme", || {
    let warnings = json!({
        "type": "object",
        "properties": {"warnings": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Color pairs with too little contrast for people with low vision.",
        }},
        "required": ["warnings"],
    });
    json!({"allOf": [reference("Theme"), warnings]})
});

/// The rules.
pub static RULES: Shape = Shape::new("FieldRules", field_rules::schema);

fn shown(view: &PartView) -> Result<Reply> {
    Ok(reply::data(&view.body)?.tagged(view.etag.clone()).into())
}

/// `GET /forms/{form_token}/settings`
pub fn settings(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&settings::show(call.app, caller, call.param("form_token"))?)
}

/// `PATCH /forms/{form_token}/settings`
pub fn update_settings(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    shown(&settings::update(
        call.app,
        caller,
        call.param("form_token"),
        body,
        &if_match,
    )?)
}

/// `GET /forms/{form_token}/theme`
pub fn theme(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&themes::show(call.app, caller, call.param("form_token"))?)
}

/// `PATCH /forms/{form_token}/theme`
pub fn update_theme(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let (mut view, warnings) =
        themes::update(call.app, caller, call.param("form_token"), body, &if_match)?;
    view.body["warnings"] = json!(warnings);
    shown(&view)
}

/// `GET /forms/{form_token}/field_rules`
pub fn rules(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&field_rules::show(
        call.app,
        caller,
        call.param("form_token"),
    )?)
}

/// `PUT /forms/{form_token}/field_rules`
pub fn replace_rules(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    shown(&field_rules::replace(
        call.app,
        caller,
        call.param("form_token"),
        body,
        &if_match,
    )?)
}
