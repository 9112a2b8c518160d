//! `/api/v1/f/{form_token}/holds`, and their end at `/api/v1/forms/{form_token}/holds`.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::json::unknown_members::Ignored;
use crate::model::caller::Caller;
use crate::ops::capacity::holds::{self, Held, HoldRequest};
use crate::ops::forms::published::{self, Published, Visitor};
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// The body of a hold.
pub static REQUEST: Shape = Shape::new("HoldRequest", HoldRequest::schema);

/// A hold in answers.
pub static HOLD: Shape = Shape::new("Hold", Held::schema);

/// The answer to its end.
pub static FREED: Shape = Shape::new("FreedHold", || {
    json!({
        "type": "object",
        "properties": {"deleted": {"const": true}},
        "required": ["deleted"],
    })
});

/// The answer to the end of all.
pub static ENDED: Shape = Shape::new("EndedHolds", || {
    json!({
        "type": "object",
        "properties": {
            "deleted": {"const": true},
            "holds": {"type": "integer", "minimum": 0, "description": "How many there were."},
        },
        "required": ["deleted", "holds"],
    })
});

fn form(call: &Call, password: Option<&str>) -> Result<Published> {
    let visitor = Visitor { password: password.or(call.form_password()), is_carried: false, address: &call.address() };
    published::show(call.app, call.param("form_token"), visitor)
}

fn read(call: &Call) -> Result<(HoldRequest, Ignored)> {
    let body = call.json()?;
    let ignored = unknown_keys::of(call, &body, &[&REQUEST]);
    Ok((HoldRequest::read(body), ignored))
}

/// `POST /f/{form_token}/holds`
pub fn create(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let (mut request, mut ignored) = read(call)?;
    let published = form(call, request.password.as_deref())?;
    request.note_ignored(&published, &mut ignored);
    let origin = call.origin();
    let ticket = holds::create(call.app, &published, origin.sender(), request)?;
    let reply = reply::later(ticket, |held| Ok(reply::data_text(StatusCode::CREATED, &held.to_json().to_string())));
    Ok(reply.warn(ignored.warnings))
}

/// `PUT /f/{form_token}/holds/{hold_token}`
pub fn replace(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let (mut request, mut ignored) = read(call)?;
    let published = form(call, request.password.as_deref())?;
    request.note_ignored(&published, &mut ignored);
    let ticket = holds::replace(call.app, &published, call.param("hold_token"), request)?;
    Ok(reply::later(ticket, |held| reply::data(&held.to_json())).warn(ignored.warnings))
}

/// `DELETE /f/{form_token}/holds/{hold_token}`
pub fn delete(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let published = form(call, None)?;
    let ticket = holds::free(call.app, &published, call.param("hold_token"));
    Ok(reply::later(ticket, |()| reply::data(&json!({"deleted": true}))))
}

/// `DELETE /forms/{form_token}/holds`
pub fn end_all(call: &Call, caller: &Caller) -> Result<Reply> {
    let ticket = holds::end_all(call.app, caller, call.param("form_token"))?;
    Ok(reply::later(ticket, |holds| reply::data(&json!({"deleted": true, "holds": holds}))))
}
