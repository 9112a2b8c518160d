//! `/api/v1/forms/{form}/settings`, `/theme` and `/field_rules`.

use serde_json::json;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::parts::PartView;
use crate::ops::{field_rules, settings, themes};
use crate::web::call::Call;
use crate::web::reply::{self, Reply};

fn shown(view: &PartView) -> Result<Reply> {
    Ok(reply::data(&view.body)?.tagged(view.etag.clone()).into())
}

/// `GET /forms/{form}/settings`
pub fn settings(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&settings::show(call.app, caller, call.param("form"))?)
}

/// `PATCH /forms/{form}/settings`
pub fn update_settings(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    shown(&settings::update(
        call.app,
        caller,
        call.param("form"),
        body,
        &if_match,
    )?)
}

/// `GET /forms/{form}/theme`
pub fn theme(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&themes::show(call.app, caller, call.param("form"))?)
}

/// `PATCH /forms/{form}/theme`
pub fn update_theme(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let (mut view, warnings) =
        themes::update(call.app, caller, call.param("form"), body, &if_match)?;
    view.body["warnings"] = json!(warnings);
    shown(&view)
}

/// `GET /forms/{form}/field_rules`
pub fn rules(call: &Call, caller: &Caller) -> Result<Reply> {
    shown(&field_rules::show(call.app, caller, call.param("form"))?)
}

/// `PUT /forms/{form}/field_rules`
pub fn replace_rules(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    shown(&field_rules::replace(
        call.app,
        caller,
        call.param("form"),
        body,
        &if_match,
    )?)
}
