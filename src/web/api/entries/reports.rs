//! `/api/v1/forms/{form_token}/entries/report`.

use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists::FilterRequest;
use crate::ops::entries::reports;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// A report in answers.
pub static REPORT: Shape = Shape::new("Report", reports::schema);

/// `GET /forms/{form_token}/entries/report`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let filter = FilterRequest::of_query(call.query("filters"), call.query("keyword"))?;
    let ticket = reports::show(call.app, caller, call.param("form_token"), filter)?;
    Ok(reply::later(ticket, |(body, warnings)| Ok(reply::data_text(StatusCode::OK, &body).warn(warnings))))
}
