//! `/api/v1/f/{form_token}/holds`, and their end at `/api/v1/forms/{form_token}/holds`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Code::{FormClosed, FormFull, FormNotOpen, PasswordInvalid, PasswordRequired};
use crate::base::error::Result;
use crate::base::json::unknown_members::Ignored;
use crate::model::caller::Caller;
use crate::ops::capacity::holds::{self, Held, HoldRequest};
use crate::ops::forms::published::{self, Published, Visitor};
use crate::web::openapi::codes::NOT_HELD;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{Deleted, Shape};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// The body of a hold.
pub static REQUEST: Shape = Shape::new("HoldRequest", HoldRequest::schema);

/// A hold.
#[derive(Serialize, JsonSchema)]
struct HoldBody {
    /// Send it with the submission, which uses the hold.
    hold_token: String,
    /// When the hold ends by itself.
    #[schemars(extend("format" = "date-time"))]
    expires_at: String,
}

/// That a hold was ended.
#[derive(Serialize, JsonSchema)]
struct FreedHold {}

/// That all holds of a form were ended.
#[derive(Serialize, JsonSchema)]
struct EndedHolds {
    /// The number of holds that were ended.
    holds: usize,
}

/// A hold in answers.
pub static HOLD: Shape = Shape::of_type::<HoldBody>("Hold");

/// The answer to its end.
pub static FREED: Shape = Shape::of_type::<Deleted<FreedHold>>("FreedHold");

/// The answer to the end of all.
pub static ENDED: Shape = Shape::of_type::<Deleted<EndedHolds>>("EndedHolds");

impl From<Held> for HoldBody {
    fn from(held: Held) -> Self {
        Self { hold_token: held.token, expires_at: held.expires_at.to_string() }
    }
}

fn form(call: &Call, password: Option<&str>) -> Result<Published> {
    let visitor = Visitor { password: password.or(call.form_password()), is_carried: false, address: &call.address() };
    published::show(call.app, call.param("form_token"), visitor)
}

fn read(call: &Call) -> Result<(HoldRequest, Ignored)> {
    let body = call.json()?;
    let ignored = unknown_keys::of(call, &body, &[&REQUEST]);
    Ok((HoldRequest::read(body), ignored))
}

pub const CREATE_HOLD: Doc = Doc::new("create_hold", 201, Data(&HOLD))
    .says(
        "Hold places",
        "Reserves what these values need for `capacity.hold_minutes` of the form's settings, so that nobody else \
         gets it while the form is filled in. A submission with the `hold_token` uses the hold. Fields without a \
         limit are ignored. A hold can reserve at most half of what is left of each item, and at least 1; more than \
         that is answered with 409 and `hold_limit`. An address can have 5 holds of a form at a time; after two \
         that ended without a submission within a day, it has to wait ten times `capacity.hold_minutes` for the \
         next one, and gets 429 until then. Nobody needs a hold to submit. 403 if the form has no holds.",
    )
    .takes(&REQUEST, r#"{"field_values": {"field_2": "AbCd12"}}"#)
    .password()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]), NOT_HELD]);

/// `POST /f/{form_token}/holds`
pub fn create(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let (mut request, mut ignored) = read(call)?;
    let published = form(call, request.password.as_deref())?;
    request.note_ignored(&published, &mut ignored);
    let origin = call.origin();
    let ticket = holds::create(call.app, published, origin.sender(), request)?;
    let reply = reply::later(ticket, |held| reply::created(&HoldBody::from(held)));
    Ok(reply.warn(ignored.warnings))
}

pub const REPLACE_HOLD: Doc = Doc::new("replace_hold", 200, Data(&HOLD))
    .says(
        "Change a hold",
        "Reserves what these values need instead. If there is no room for them, or they need more than half of what \
         is left, the hold stays as it is. The time at which it ends does not change.",
    )
    .takes(&REQUEST, r#"{"field_values": {"field_2": "EfGh34"}}"#)
    .password()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]), NOT_HELD]);

/// `PUT /f/{form_token}/holds/{hold_token}`
pub fn replace(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let (mut request, mut ignored) = read(call)?;
    let published = form(call, request.password.as_deref())?;
    request.note_ignored(&published, &mut ignored);
    let ticket = holds::replace(call.app, published, call.param("hold_token"), request)?;
    Ok(reply::later(ticket, |held| reply::data(&HoldBody::from(held))).warn(ignored.warnings))
}

pub const DELETE_HOLD: Doc = Doc::new("delete_hold", 200, Data(&FREED))
    .says(
        "Release a hold",
        "Ends the hold and frees what it reserved. A hold also expires by itself. Either way it counts as unused.",
    )
    .password()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid])]);

/// `DELETE /f/{form_token}/holds/{hold_token}`
pub fn delete(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let published = form(call, None)?;
    let ticket = holds::free(call.app, &published, call.param("hold_token"));
    Ok(reply::later(ticket, |()| reply::data(&Deleted::new(FreedHold {}))))
}

pub const END_HOLDS: Doc = Doc::new("end_holds", 200, Data(&ENDED)).says(
    "End all holds",
    "Frees at once what is held for respondents who are filling in the form. They can still submit if there is room \
     then. Managers see how much is held as `held` in `GET /f/{form_token}` and `GET /f/{form_token}/availability`.",
);

/// `DELETE /forms/{form_token}/holds`
pub fn end_all(call: &Call, caller: &Caller) -> Result<Reply> {
    let ticket = holds::end_all(call.app, caller, call.param("form_token"))?;
    Ok(reply::later(ticket, |holds| reply::data(&Deleted::new(EndedHolds { holds }))))
}
