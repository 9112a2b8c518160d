//! `/api/v1/forms/{form_token}/entries/report`.

use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists::FilterRequest;
use crate::ops::entries::reports::{self, ReportRequest};
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::report_query;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// A report in answers.
pub static REPORT: Shape = Shape::new("Report", reports::schema);

pub const GET_REPORT: Doc = Doc::new("get_report", 200, Data(&REPORT))
    .says(
        "Read the report",
        "A summary of the entries, question by question: how often each choice was selected; minimum, maximum, mean \
         and sum of numbers; the newest texts; and so on. Fields and choices that were removed from the form are not \
         included.",
    )
    .query(report_query)
    .checks_query();

/// `GET /forms/{form_token}/entries/report`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let filter = FilterRequest::of_query(call.query("filters"), call.query("keyword"))?;
    let request = ReportRequest { filter, split: call.query("split") };
    let ticket = reports::show(call.app, caller, call.param("form_token"), request)?;
    Ok(reply::later(ticket, |(body, warnings)| Ok(reply::data_text(StatusCode::OK, &body).warn(warnings))))
}
