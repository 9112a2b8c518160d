//! `/api/v1/f/{form_token}/availability`: the days and slots of a booking field.

use crate::base::error::Code::{FormClosed, FormFull, FormNotOpen, PasswordInvalid, PasswordRequired};
use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::capacity::booking_days::{self, BookingDay, Request};
use crate::ops::forms::published::Visitor;
use crate::web::forms::form_password;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::booking_days as days_of_booking;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{self, Reply};

pub static DAYS: Shape = Shape::of_type::<Vec<BookingDay>>("BookingDays");

pub const LIST_BOOKING_DAYS: Doc = Doc::new("list_booking_days", 200, Data(&DAYS))
    .says(
        "List bookable days",
        "The days from `from` to `to` on which a booking field can be booked, full ones included, each with the \
         places left: of the day, or of each of its slots. Days and slots are those of the form's `timezone`. Days \
         that are closed, outside the item's dates, or too near or too far ahead are left out. Works whenever the \
         form shows its fields.",
    )
    .query(days_of_booking)
    .requires(&["field", "from", "to"])
    .password()
    .checks_query()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]);

/// `GET /f/{form_token}/availability`
pub fn show(call: &Call, caller: Option<&Caller>) -> Result<Reply> {
    rates::count_visit(call, Visit::FormSearch)?;
    let token = call.param("form_token");
    // The script of a page behind a password has it sealed.
    let carried = call.header("x-form-grant");
    let carried = carried.and_then(|sealed| form_password::carried(call.app.keys(), token, sealed));
    let address = call.address();
    let visitor = match call.form_password() {
        Some(password) => Visitor { password: Some(password), is_carried: false, address: &address },
        None => Visitor::of_page(carried.as_ref(), &address),
    };
    let days = booking_days::list(call.app, caller, token, visitor, &Request::of(|name| call.query(name)))?;
    Ok(reply::data(&days)?.into())
}
