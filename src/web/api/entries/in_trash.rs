//! `/api/v1/forms/{form_token}/trash/entries`.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::trash;
use crate::web::api::entries::{self, entry_lists};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// `GET /forms/{form_token}/trash/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    entry_lists::of_address(call, caller, trash::list)
}

/// `POST /forms/{form_token}/trash/entries/{serial_number}/restore`
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let (shape, ticket) = trash::restore(call.app, caller, token, serial, call.if_match()?)?;
    let now = call.now;
    Ok(reply::later(ticket, move |entry| entries::shown(&shape, &entry, now, StatusCode::OK)))
}

/// `DELETE /forms/{form_token}/trash/entries/{serial_number}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form_token"), call.number("serial_number"));
    let ticket = trash::remove(call.app, caller, token, serial, call.if_match()?)?;
    Ok(reply::later(ticket, |serial| reply::data(&json!({"deleted": true, "serial_number": serial}))))
}
