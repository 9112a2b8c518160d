//! Liveness and readiness for supervisors. Reveals no version, path or count.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::web::openapi::doc::AnswerBody::Bare;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

pub static STATUS: Shape = Shape::new(
    "Status",
    || json!({"type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"]}),
);

pub const GET_HEALTH: Doc =
    Doc::new("get_health", 200, Bare(&STATUS)).says("Check liveness", "The process is running. For supervisors.");

/// `GET /healthz`
pub fn alive(_: &Call) -> Result<Reply> {
    Ok(ok())
}

pub const GET_READINESS: Doc =
    Doc::new("get_readiness", 200, Bare(&STATUS)).says("Check readiness", "Reading and writing work.");

/// `GET /readyz`: reading and writing work.
pub fn ready(call: &Call) -> Result<Reply> {
    call.app.ready()?;
    Ok(ok())
}

fn ok() -> Reply {
    Answer::json_text(StatusCode::OK, r#"{"status":"ok"}"#.to_owned()).into()
}
