//! `/api/v1/forms/{form_token}/entries/bulk_trash`, `…/bulk_update` and `/api/v1/forms/{form_token}/jobs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warp::http::StatusCode;

use crate::base::error::Code::{CannotUndo, VersionConflict};
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::model::caller::Caller;
use crate::model::entry::jobs::{JobKind, JobState};
use crate::ops::entries::jobs::{self, BulkRequest, JobView};
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};
use crate::web::request::unknown_keys;

/// Work on many entries of a form.
#[derive(Serialize, JsonSchema)]
struct JobBody {
    /// Its identifier in URLs.
    id: String,
    #[schemars(extend("enum" = JobKind::ALL.map(JobKind::name)))]
    kind: &'static str,
    /// `waiting` and `running` jobs go on; the others are over.
    #[schemars(extend("enum" = JobState::ALL.map(JobState::name)))]
    state: &'static str,
    /// How many of its entries it has gone through, refused ones included.
    done: i64,
    /// How many entries it has.
    total: i64,
    /// The first 1,000 entries that it could not change, with the reasons.
    refused: Vec<RefusedBody>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When it was over; null before.
    #[schemars(extend("format" = "date-time"))]
    finished_at: Option<String>,
}

/// An entry that a job could not change.
#[derive(Serialize, JsonSchema)]
struct RefusedBody {
    serial_number: i64,
    /// The reasons, as a request about this entry alone would be told.
    error_details: Vec<RefusedDetail>,
}

/// A reason.
#[derive(Serialize, Deserialize, JsonSchema)]
struct RefusedDetail {
    attribute: String,
    message: String,
}

/// A job in answers.
pub static JOB: Shape = Shape::of_type::<JobBody>("EntryJob");

/// The body to move entries to the trash.
pub static TRASH: Shape = Shape::new("BulkTrash", jobs::trash_schema);

/// The body to set values of entries.
pub static UPDATE: Shape = Shape::new("BulkUpdate", jobs::update_schema);

fn answer(status: StatusCode, view: JobView) -> Result<Answer> {
    let JobView { job, refused, .. } = view;
    let refused = refused.into_iter().map(|refused| {
        let error_details = serde_json::from_str(&refused.details).map_err(Error::internal)?;
        Ok(RefusedBody { serial_number: refused.serial, error_details })
    });
    let body = JobBody {
        id: job.token,
        kind: job.kind.name(),
        state: job.state.name(),
        done: job.done,
        total: job.total,
        refused: refused.collect::<Result<_>>()?,
        created_at: job.created_at.to_string(),
        finished_at: job.finished_at.map(|at| at.to_string()),
    };
    let text = serde_json::to_string(&body).map_err(Error::internal)?;
    Ok(reply::data_text(status, &text))
}

pub const TRASH_ENTRIES: Doc = Doc::new("trash_entries", 202, Data(&JOB))
    .says(
        "Move many entries to the trash",
        "Begins a job that moves the entries to the trash that match now; `serial_numbers` narrows them down. \
         `expected_total` must be their number: 412 otherwise. The job can be stopped, and undone for 7 days.",
    )
    .takes(&TRASH, r#"{"filters": [{"field": "field_2", "operator": "null"}], "expected_total": 12}"#)
    .codes(&[(412, &[VersionConflict])]);

/// `POST /forms/{form_token}/entries/bulk_trash`
pub fn trash(call: &Call, caller: &Caller) -> Result<Reply> {
    let json = call.json()?;
    let keys = unknown_keys::of(call, &json, &[&TRASH]);
    let mut at = keys.faults;
    let request = BulkRequest::read(&mut Reader::new(json, &mut at));
    let view = jobs::begin_trash(call.app, caller, call.param("form_token"), request, at)?;
    Ok(answer(StatusCode::ACCEPTED, view)?.warn(keys.warnings).into())
}

pub const UPDATE_ENTRIES: Doc = Doc::new("update_entries", 202, Data(&JOB))
    .says(
        "Change many entries",
        "Begins a job that sets these values of the entries that match now. Each entry is checked as if it was changed \
         alone; those that are refused stay as they are and are listed in `refused`. A job that sets values can't be \
         undone.",
    )
    .takes(
        &UPDATE,
        r#"{"filters": [], "serial_numbers": [4, 7], "field_values": {"field_2": "AbCd12"}, "expected_total": 2}"#,
    )
    .codes(&[(412, &[VersionConflict])]);

/// `POST /forms/{form_token}/entries/bulk_update`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let json: Json = call.json()?;
    let mut ignored = unknown_keys::of(call, &json, &[&UPDATE]);
    let mut at = std::mem::take(&mut ignored.faults);
    let request = jobs::read_update(&mut Reader::new(json, &mut at));
    let view = jobs::begin_update(call.app, caller, call.param("form_token"), request, at, &mut ignored)?;
    Ok(answer(StatusCode::ACCEPTED, view)?.warn(ignored.warnings).into())
}

pub const GET_JOB: Doc = Doc::new("get_job", 200, Data(&JOB))
    .says("Get a job", "The progress of a job, and what came of it. Jobs are kept for 7 days after their end.");

/// `GET /forms/{form_token}/jobs/{job_id}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = jobs::show(call.app, caller, call.param("form_token"), call.param("job_id"))?;
    Ok(answer(StatusCode::OK, view)?.into())
}

pub const STOP_JOB: Doc = Doc::new("stop_job", 200, Data(&JOB)).says(
    "Stop a job",
    "What was done stays. Whoever began the job and managers may stop it; a token needs the scope of what it does. A \
     job that is over stays as it is.",
);

/// `POST /forms/{form_token}/jobs/{job_id}/stop`
pub fn stop(call: &Call, caller: &Caller) -> Result<Reply> {
    let ticket = jobs::stop(call.app, caller, call.param("form_token"), call.param("job_id"))?;
    Ok(reply::later(ticket, |view| answer(StatusCode::OK, view)))
}

pub const UNDO_JOB: Doc = Doc::new("undo_job", 202, Data(&JOB))
    .says(
        "Undo a job",
        "Begins another job, which brings back the entries that this one moved to the trash, with their numbers and \
         tokens. Asked again, the answer is that job.",
    )
    .codes(&[(409, &[CannotUndo])]);

/// `POST /forms/{form_token}/jobs/{job_id}/undo`
pub fn undo(call: &Call, caller: &Caller) -> Result<Reply> {
    let ticket = jobs::undo(call.app, caller, call.param("form_token"), call.param("job_id"))?;
    Ok(reply::later(ticket, |view| answer(StatusCode::ACCEPTED, view)))
}
