//! `/api/v1/forms/{form}/trash/entries`.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::trash;
use crate::web::api::{entries, entry_lists};
use crate::web::call::Call;
use crate::web::reply::{self, Reply};

/// `GET /forms/{form}/trash/entries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    entry_lists::of_query(call, caller, trash::list)
}

/// `POST /forms/{form}/trash/entries/{serial}/restore`
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form"), call.number("serial"));
    let (shape, ticket) = trash::restore(call.app, caller, token, serial, call.if_match()?)?;
    let now = call.now;
    Ok(reply::later(ticket, move |entry| {
        entries::shown(&shape, &entry, now, StatusCode::OK)
    }))
}

/// `DELETE /forms/{form}/trash/entries/{serial}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, serial) = (call.param("form"), call.number("serial"));
    let ticket = trash::remove(call.app, caller, token, serial, call.if_match()?)?;
    Ok(reply::later(ticket, |serial| {
        reply::data(&json!({"deleted": true, "serial_number": serial}))
    }))
}
