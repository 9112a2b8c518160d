//! `/api/v1/openapi.json`: the API's description.

use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::web::openapi::doc::AnswerBody::Bare;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

pub static DOCUMENT: Shape = Shape::new("OpenApiDocument", || -> Json {
    serde_json::json!({
        "type": "object",
        "properties": {"openapi": {"type": "string", "pattern": "^3\\.1\\."}},
        "required": ["openapi", "info", "paths"],
    })
});

pub const GET_OPENAPI: Doc =
    Doc::new("get_openapi", 200, Bare(&DOCUMENT)).says("Read the API description", "This OpenAPI document.").tagged();

/// `GET /openapi.json`
pub fn show(call: &Call) -> Result<Reply> {
    let description = &call.site.description;
    let mut answer = Answer::json_text(StatusCode::OK, description.text.clone()).tagged(description.etag.clone());
    answer.may_compress = true;
    Ok(answer.into())
}
