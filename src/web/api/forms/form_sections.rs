//! `/api/v1/forms/{form_token}/settings`, `/theme` and `/field_rules`.

use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::model::caller::Caller;
use crate::ops::forms::form_sections::PartView;
use crate::ops::forms::{field_rules, settings, themes};
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// The settings in answers, and the body to change them.
pub static SETTINGS: [Shape; 2] =
    [Shape::new("Settings", settings::schema), Shape::new("SettingsUpdate", settings::update_schema)];

/// The theme in answers, and the body to change it.
pub static THEME: [Shape; 2] = [Shape::new("Theme", themes::schema), Shape::new("ThemeUpdate", themes::update_schema)];

pub static RULES: Shape = Shape::new("FieldRules", field_rules::schema);

fn section_reply(view: &PartView) -> Result<Reply> {
    changed(view, &[])
}

fn changed(view: &PartView, warnings: &[Issue]) -> Result<Reply> {
    let answer = reply::data_and_warnings(StatusCode::OK, &view.body.to_string(), warnings);
    Ok(answer.tagged(view.etag.clone()).into())
}

pub const GET_SETTINGS: Doc = Doc::new("get_settings", 200, Data(&SETTINGS[0]))
    .says(
        "Read the settings",
        "Settings that were never changed have their default. Only managers see the access password.",
    )
    .tagged();

/// `GET /forms/{form_token}/settings`
pub fn settings(call: &Call, caller: &Caller) -> Result<Reply> {
    section_reply(&settings::show(call.app, caller, call.param("form_token"))?)
}

pub const UPDATE_SETTINGS: Doc = Doc::new("update_settings", 200, Data(&SETTINGS[0]))
    .says("Change the settings", "Groups are merged key by key; null resets a key to its default.")
    .takes(&SETTINGS[1], r#"{"availability": {"schedule": {"end_at": "2026-12-24T12:00:00Z"}, "entries_limit": 100}}"#)
    .tagged()
    .guarded();

/// `PATCH /forms/{form_token}/settings`
pub fn update_settings(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let mut keys = unknown_keys::of(call, &body, &SETTINGS.each_ref());
    let token = call.param("form_token");
    let (view, mut warnings) = settings::update(call.app, caller, token, body, &if_match, keys.faults)?;
    keys.warnings.append(&mut warnings);
    changed(&view, &keys.warnings)
}

pub const GET_THEME: Doc = Doc::new("get_theme", 200, Data(&THEME[0]))
    .says("Read the theme", "Colors, font, header, wallpaper and button.")
    .tagged();

/// `GET /forms/{form_token}/theme`
pub fn theme(call: &Call, caller: &Caller) -> Result<Reply> {
    section_reply(&themes::show(call.app, caller, call.param("form_token"))?)
}

pub const UPDATE_THEME: Doc = Doc::new("update_theme", 200, Data(&THEME[0]))
    .says(
        "Change the theme",
        "Null resets a key to its default. Weak contrast is listed in `warnings` but never refused.",
    )
    .takes(&THEME[1], r##"{"primary_color": "#0F766E", "font": "serif"}"##)
    .tagged()
    .guarded()
    .codes(&[UPLOADS]);

/// `PATCH /forms/{form_token}/theme`
pub fn update_theme(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let mut keys = unknown_keys::of(call, &body, &THEME.each_ref());
    let token = call.param("form_token");
    let (view, mut warnings) = themes::update(call.app, caller, token, body, &if_match, keys.faults)?;
    keys.warnings.append(&mut warnings);
    changed(&view, &keys.warnings)
}

pub const GET_FIELD_RULES: Doc = Doc::new("get_field_rules", 200, Data(&RULES))
    .says("Read the field rules", "Which fields are shown and required, and when.")
    .tagged();

/// `GET /forms/{form_token}/field_rules`
pub fn rules(call: &Call, caller: &Caller) -> Result<Reply> {
    section_reply(&field_rules::show(call.app, caller, call.param("form_token"))?)
}

pub const REPLACE_FIELD_RULES: Doc = Doc::new("replace_field_rules", 200, Data(&RULES))
    .says(
        "Replace the field rules",
        "A field named by a `show` rule is hidden until one such rule applies. Conditions can use only fields that \
         come before the rule's fields.",
    )
    .takes(&RULES, r#"{"rules": [{"condition": {"operand": "and", "items": [{"field": "field_2", "operator": "eq", "value": "AbCd12"}]}, "action": "show", "fields": ["field_3"]}]}"#)
    .tagged()
    .guarded();

/// `PUT /forms/{form_token}/field_rules`
pub fn replace_rules(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let mut keys = unknown_keys::of(call, &body, &[&RULES]);
    let token = call.param("form_token");
    let (view, mut warnings) = field_rules::replace(call.app, caller, token, body, &if_match, keys.faults)?;
    keys.warnings.append(&mut warnings);
    changed(&view, &keys.warnings)
}
