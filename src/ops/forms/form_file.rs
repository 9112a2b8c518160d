//! A form's definition as one file, from which a new form can be made.

use serde_json::json;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::Field;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::forms::{self, field_rules, settings, themes};

/// The form's name, and its definition with settings, theme and rules. It tells no password.
///
/// # Errors
/// 404.
pub fn of(app: &App, caller: &Caller, token: &str) -> Result<(String, Json)> {
    let view = forms::show(app, caller, token)?;
    let form = &view.form;
    let mut settings = settings::shown(app, &view)?;
    settings["access_control"]["access_password"] = Json::Null;
    let fields: Vec<Json> = view.parsed.definition.fields.iter().map(Field::to_json).collect();
    let definition = json!({
        "name": form.name,
        "description": form.description,
        "scene": form.scene,
        "layout": form.layout,
        "locale": form.locale,
        "timezone": form.timezone,
        "published": form.published,
        "fields": fields,
        "settings": settings,
        "theme": themes::theme_json(&view.parsed),
        "field_rules": field_rules::show(app, caller, token)?.body["rules"],
    });
    Ok((form.name.clone(), definition))
}
